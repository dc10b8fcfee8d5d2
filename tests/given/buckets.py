"""A bucket on this machine, as far as the product asks anything of an object store."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

MOMENT = "2026-01-01T00:00:00.000Z"


class Bucket(BaseHTTPRequestHandler):
    """As much of an object store as tests need: objects are put, got and listed."""

    held: ClassVar[dict[str, bytes]] = {}

    def do_PUT(self):
        self.held[unquote(self.path)] = self.rfile.read(int(self.headers["content-length"]))
        self._answer(200, b"")

    def do_GET(self):
        address = urlsplit(self.path)
        query = parse_qs(address.query)
        if "list-type" in query:
            self._answer(200, self._listing(query.get("prefix", [""])[0]))
            return
        found = self.held.get(unquote(address.path))
        self._answer(404 if found is None else 200, found or b"<Error><Code>NoSuchKey</Code></Error>")

    def log_message(self, *_):
        """Tests say nothing."""

    def _listing(self, prefix):
        listed = "".join(
            f"<Contents><Key>{key}</Key><LastModified>{MOMENT}</LastModified><ETag>1</ETag>"
            f"<Size>{len(content)}</Size></Contents>"
            for path, content in sorted(self.held.items())
            if (key := path.removeprefix("/plant/")).startswith(prefix)
        )
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{listed}</ListBucketResult>".encode()

    def _answer(self, status, content):
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.send_header("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT")
        self.send_header("etag", '"1"')
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def bucket(monkeypatch):
    """An empty bucket to which the environment points, as long as the block lasts; gives its server."""
    Bucket.held.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Bucket) as listening:
        thread = threading.Thread(target=listening.serve_forever, args=(0.02,), name="bucket")
        thread.start()
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{listening.server_port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "eu-central-1",
        }.items():
            monkeypatch.setenv(name, value)
        yield listening
        listening.shutdown()
        thread.join()
