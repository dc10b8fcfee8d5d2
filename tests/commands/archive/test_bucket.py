"""An archive in a bucket: the same commands, whose files are objects of a store."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

BUCKET = "s3://plant/archive"
MOMENT = "2026-01-01T00:00:00.000Z"


class Bucket(BaseHTTPRequestHandler):
    """As much of an object store as an archive needs: objects are put, got and listed."""

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


@pytest.fixture
def bucket(monkeypatch):
    """A bucket on this machine, to which the environment points; gives its objects."""
    Bucket.held.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Bucket) as listening:
        thread = threading.Thread(target=listening.serve_forever, name="bucket")
        thread.start()
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{listening.server_port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_REGION": "eu-central-1",
        }.items():
            monkeypatch.setenv(name, value)
        yield Bucket.held
        listening.shutdown()
        thread.join()


@pytest.mark.usefixtures("deliveries")
def test_months_are_written_to_a_bucket_and_checked_there(write, check, bucket, plant):
    assert write(to=BUCKET) == [("2025-01", "written", 1), ("2025-02", "written", 1)]

    names = [path.removeprefix(f"/plant/archive/{plant.project['id']}/") for path in sorted(bucket)]
    assert [name[:7] for name in names] == [
        "2025-01",
        "2025-01",
        "2025-02",
        "2025-02",
    ]
    assert [one["altered"] + one["changed"] for one in check(to=BUCKET)] == [[], []]
    assert write(to=BUCKET) == [("2025-01", "unchanged", 1), ("2025-02", "unchanged", 1)]

    path = next(path for path in bucket if path.endswith(".parquet"))
    bucket[path] = bucket[path][:-1] + b"?"
    assert any(
        "is not what was written" in said for one in check(code=1, to=BUCKET) for said in one["altered"]
    )
