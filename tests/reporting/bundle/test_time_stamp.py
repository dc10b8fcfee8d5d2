"""A time stamp over a bundle (RFC 3161), by an authority that openssl makes on this machine."""

import subprocess
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.given import reports

from weighbridge import worker
from weighbridge.errors import Unavailable
from weighbridge.reporting.bundle.authority import time_stamp

CONFIG = """
[tsa]
default_tsa = of_test
[of_test]
serial = serial
crypto_device = builtin
signer_cert = tsa.pem
signer_key = tsa.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = sha256
"""


def openssl(folder, *words, **more):
    return subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, **more)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """Its folder and its address."""
    folder = tmp_path_factory.mktemp("authority")
    (folder / "tsa.cnf").write_text(CONFIG)
    (folder / "serial").write_text("01\n")
    openssl(
        folder, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "tsa.key", "-out", "tsa.pem",
        "-subj", "/CN=Authority", "-days", "2", "-addext", "extendedKeyUsage=critical,timeStamping",
    )  # fmt: skip

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            query = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/broken":
                query = b"\x30\x00"
            (folder / "query.tsq").write_bytes(query)
            words = ["ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query.tsq", "-out", "reply.tsr"]
            subprocess.run(["openssl", *words], cwd=folder, check=False, capture_output=True)
            content = (folder / "reply.tsr").read_bytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_openssl_takes_the_time_stamp_of_a_bundle(account, api, drain, authority, tmp_path):
    folder, address = authority
    claims = reports.claims(api, drain, 5, 3)
    draft = claims.report(4)
    settings = replace(account.server.settings, time_stamp_url=f"{address}/tsr")
    task = api.post(f"/reports/{draft['id']}/submit", {}).expect(202).body["async_task_id"]
    submit = worker.submitter(settings).submit
    server = account.server
    server.run(worker.attempt_task(server.database, task, tasks={"report_submission": submit}))

    (tmp_path / "b.zip").write_bytes(api.get(f"/reports/{draft['id']}/bundle").expect(200).content)
    stamp = api.get(f"/reports/{draft['id']}/bundle/time_stamp").expect(200)
    (tmp_path / "b.zip.tsr").write_bytes(stamp.content)

    words = ["ts", "-verify", "-data", "b.zip", "-in", "b.zip.tsr", "-CAfile", folder / "tsa.pem"]
    done = openssl(tmp_path, *words)
    assert b"Verification: OK" in done.stdout + done.stderr
    assert stamp.headers["Content-Type"] == "application/timestamp-reply"


def test_an_authority_that_refuses_or_is_not_there_is_named(authority):
    _, address = authority
    for url in (f"{address}/broken", "http://127.0.0.1:1/tsr"):
        with pytest.raises(Unavailable, match="gave no time stamp"):
            time_stamp(url, bytes(32))
