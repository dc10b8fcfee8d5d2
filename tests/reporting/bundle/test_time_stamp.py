"""A time stamp over a bundle (RFC 3161), by an authority that openssl makes on this machine."""

import subprocess
import threading
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from rfc3161_client import decode_timestamp_response
from tests.given import reports

from weighbridge import worker
from weighbridge.core.signing import UnprovenError
from weighbridge.errors import Unavailable
from weighbridge.reporting.bundle.storage import build_request, check_time_stamp, request_time_stamp

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
digests = sha256, sha3-256
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = sha256
"""
DIGEST = bytes(range(32))
NONCE = 0x1234567890ABCDEF
SHA_256 = bytes.fromhex("0609608648016503040201")
SHA3_256 = bytes.fromhex("0609608648016503040208")
TWO_DAYS = (timedelta(days=-1), timedelta(days=1))
PAST = (timedelta(days=-9), timedelta(days=-8))


@dataclass(frozen=True)
class Certified:
    """A key with its certificate."""

    key: rsa.RSAPrivateKey
    certificate: x509.Certificate

    @property
    def pem(self):
        return self.certificate.public_bytes(serialization.Encoding.PEM)


def certified(name, by=None, valid=TWO_DAYS, *, stamps=True):
    """Make a key and its certificate, signed by itself or by another; a root does not stamp."""
    key = rsa.generate_private_key(65537, 2048)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by.certificate.subject if by else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + valid[0])
        .not_valid_after(now + valid[1])
        .add_extension(x509.BasicConstraints(ca=not stamps, path_length=None), critical=True)
    )
    if stamps:
        made = made.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING]), critical=True)
    return Certified(key, made.sign(by.key if by else key, hashes.SHA256()))


class Authority:
    """An authority with a folder of its own, which signs by openssl."""

    def __init__(self, folder, signer, *sent):
        folder.mkdir(exist_ok=True)
        self.folder = folder
        sends = "certs = sent.pem" if sent else ""
        (folder / "tsa.cnf").write_text(CONFIG + sends)
        (folder / "serial").write_text("01\n")
        (folder / "tsa.pem").write_bytes(signer.pem)
        (folder / "sent.pem").write_bytes(b"".join(one.pem for one in sent))
        (folder / "tsa.key").write_bytes(
            signer.key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )

    def answer(self, query):
        (self.folder / "query.tsq").write_bytes(query)
        words = ["ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query.tsq", "-out", "reply.tsr"]
        subprocess.run(["openssl", *words], cwd=self.folder, check=False, capture_output=True)
        return (self.folder / "reply.tsr").read_bytes()


@pytest.fixture(scope="module")
def root():
    return certified("Root", stamps=False)


@pytest.fixture(scope="module")
def trusted(root, tmp_path_factory):
    """The file with the root that the service trusts."""
    file = tmp_path_factory.mktemp("trusted") / "root.pem"
    file.write_bytes(root.pem)
    return file


@pytest.fixture(scope="module")
def signer(root):
    return certified("Authority", by=root)


@pytest.fixture(scope="module")
def authority(tmp_path_factory, signer):
    return Authority(tmp_path_factory.mktemp("authority"), signer)


@pytest.fixture(scope="module")
def stamp(authority):
    """A good answer over the digest, for the nonce."""
    return authority.answer(build_request(DIGEST, NONCE))


@pytest.fixture(scope="module")
def address(authority):
    """Where the authority answers: at /tsr as it should, at the others as it should not."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            query = self.rfile.read(int(self.headers["Content-Length"]))
            content = {
                "/tsr": authority.answer,
                "/broken": lambda _: authority.answer(b"\x30\x00"),
                "/forged": forged,
                "/text": lambda _: b"granted",
                "/long": lambda _: bytes(200_000),
            }[self.path](query)
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def forged(query):
    """An answer that says granted, and repeats the digest and the nonce that were sent."""
    return b"\x30" + bytes([5 + len(query)]) + b"\x30\x03\x02\x01\x00" + query


def refused(answer, match, digest=DIGEST, nonce=NONCE, roots=()):
    with pytest.raises(UnprovenError, match=match):
        check_time_stamp(answer, digest, nonce, [one.certificate for one in roots])


def test_openssl_takes_the_time_stamp_of_a_bundle(account, api, drain, address, trusted):
    folder = trusted.parent
    claims = reports.claims(api, drain, 5, 3)
    draft = claims.report(4)
    settings = replace(
        account.server.settings,
        time_stamp_url=f"{address}/tsr",
        time_stamp_certificates=trusted,
    )
    task = api.post(f"/reports/{draft['id']}/submit", {}).expect(202).body["async_task_id"]
    submit = worker.submitter(settings).submit
    server = account.server
    server.run(worker.attempt_task(server.database, task, tasks={"report_submission": submit}))

    (folder / "b.zip").write_bytes(api.get(f"/reports/{draft['id']}/bundle").expect(200).content)
    stamp = api.get(f"/reports/{draft['id']}/bundle/time_stamp").expect(200)
    (folder / "b.zip.tsr").write_bytes(stamp.content)

    words = ["openssl", "ts", "-verify", "-data", "b.zip", "-in", "b.zip.tsr", "-CAfile", "root.pem"]
    done = subprocess.run(words, cwd=folder, check=True, capture_output=True)
    assert b"Verification: OK" in done.stdout + done.stderr
    assert stamp.headers["Content-Type"] == "application/timestamp-reply"


@pytest.mark.parametrize("path", ["/forged", "/broken", "/text", "/long"])
def test_an_answer_that_proves_nothing_is_refused(address, trusted, path):
    with pytest.raises(Unavailable, match="gave no time stamp"):
        request_time_stamp(address + path, trusted, DIGEST)


def test_an_authority_that_is_not_there_is_named(trusted):
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1/tsr gave no time stamp"):
        request_time_stamp("http://127.0.0.1:1/tsr", trusted, DIGEST)


def test_without_certificates_that_are_trusted_no_authority_is_asked(tmp_path):
    (tmp_path / "empty.pem").write_text("no certificate\n")
    for file, match in (
        (None, "WEIGHBRIDGE_TIME_STAMP_CERTIFICATES must name a PEM file"),
        (tmp_path / "empty.pem", "has no certificate in PEM"),
        (tmp_path / "missing.pem", "No such file"),
    ):
        with pytest.raises(Unavailable, match=match):
            request_time_stamp("http://127.0.0.1:1/tsr", file, DIGEST)


def test_a_good_stamp_is_taken(stamp, root):
    check_time_stamp(stamp, DIGEST, NONCE, [root.certificate])


def test_a_stamp_over_another_digest_is_refused(stamp, root):
    refused(stamp, "Mismatch between messages", digest=bytes(32), roots=[root])


def test_a_stamp_for_an_earlier_request_is_refused(stamp, root):
    refused(stamp, "Nonce mismatch", nonce=NONCE + 1, roots=[root])


def test_bytes_beside_the_stamp_do_not_make_it_one_of_them(authority, root):
    """Digest and nonce of the request stand in the answer, whose stamp is over something else."""
    other = authority.answer(build_request(bytes(32), NONCE + 1))
    refused(other + build_request(DIGEST, NONCE), "no time stamp", roots=[root])


def test_a_stamp_by_another_digest_than_sha_256_is_refused(authority, root):
    answer = authority.answer(build_request(DIGEST, NONCE).replace(SHA_256, SHA3_256))
    refused(answer, "not of SHA-256", roots=[root])


def test_a_refusal_of_the_authority_is_told(authority, root):
    refused(authority.answer(b"\x30\x00"), "refused, with status 2", roots=[root])


def test_a_changed_byte_is_refused_or_changes_nothing_that_is_stated(stamp, root):
    stated = decode_timestamp_response(stamp).tst_info
    unsigned = 0
    for place in range(len(stamp)):
        changed = stamp[:place] + bytes([stamp[place] ^ 1]) + stamp[place + 1 :]
        try:
            check_time_stamp(changed, DIGEST, NONCE, [root.certificate])
        except UnprovenError:
            continue
        unsigned += 1
        taken = decode_timestamp_response(changed).tst_info
        assert (taken.gen_time, taken.policy) == (stated.gen_time, stated.policy)
    assert unsigned < 20, "versions and other words around the signature"


def test_a_stranger_who_makes_certificates_of_the_same_names_is_refused(tmp_path, root):
    strange_root = certified("Root", stamps=False)
    strange = Authority(tmp_path / "strange", certified("Authority", by=strange_root))
    refused(strange.answer(build_request(DIGEST, NONCE)), "certificate", roots=[root])


@pytest.mark.parametrize("expired", ["signer", "root"])
def test_a_chain_that_had_expired_when_the_stamp_was_made_is_refused(tmp_path, expired):
    root = certified("Old", stamps=False, valid=PAST if expired == "root" else TWO_DAYS)
    signer = certified("Authority", by=root, valid=PAST if expired == "signer" else TWO_DAYS)
    answer = Authority(tmp_path / "old", signer).answer(build_request(DIGEST, NONCE))
    refused(answer, "expired", roots=[root])


def test_certificates_between_root_and_signer_are_sent_along_or_named(tmp_path, root):
    between = certified("Between", by=root, stamps=False)
    signer = certified("Authority", by=between)
    query = build_request(DIGEST, NONCE)
    whole = Authority(tmp_path / "whole", signer, between, root).answer(query)
    reversed_chain = Authority(tmp_path / "reversed", signer, root, between).answer(query)
    short = Authority(tmp_path / "short", signer).answer(query)

    check_time_stamp(whole, DIGEST, NONCE, [root.certificate])
    check_time_stamp(reversed_chain, DIGEST, NONCE, [root.certificate])
    check_time_stamp(short, DIGEST, NONCE, [root.certificate, between.certificate])
    refused(short, "certificate", roots=[root])
    refused(short, "certificate", roots=[between])
