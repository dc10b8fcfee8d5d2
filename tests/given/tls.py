"""A service over TLS: the real application behind a certificate of its own, for callers that insist on it."""

import asyncio
import datetime as dt
import ssl
import threading
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import uvicorn
import uvloop
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.server import DEADLINE_SECONDS, Server, _listening_socket

from weighbridge.app import build


@dataclass(frozen=True, slots=True)
class SecureService:
    """Where a service answers over TLS, and whom to trust there."""

    address: str
    authority: Path
    trusted: ssl.SSLContext


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate of localhost that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file, key_file = folder / "certificate.pem", folder / "key.pem"
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return file, key_file


@contextmanager
def secure_service(server: Server, folder: Path, **settings: Any):
    """The application of a server once more, over TLS, on a port of its own."""
    file, key_file = make_certificate(folder)
    listening = _listening_socket()
    address = f"https://localhost:{listening.getsockname()[1]}"
    application = build(replace(server.settings, base_url=address, **settings))
    config = uvicorn.Config(
        application, lifespan="on", ws="none", log_config=None, access_log=False,
        ssl_certfile=str(file), ssl_keyfile=str(key_file),
    )  # fmt: skip
    running, started = uvicorn.Server(config), Future()
    thread = threading.Thread(target=_run, args=(running, listening, started), name="secure server")
    thread.start()
    try:
        started.result(DEADLINE_SECONDS)
        yield SecureService(address, file, ssl.create_default_context(cafile=str(file)))
    finally:
        running.should_exit = True
        thread.join(DEADLINE_SECONDS)
        listening.close()


def _run(running: uvicorn.Server, listening: Any, started: Future) -> None:
    async def serve() -> None:
        serving = asyncio.create_task(running.serve(sockets=[listening]))
        while not running.started and not serving.done():  # noqa: ASYNC110 - uvicorn tells by this flag
            await asyncio.sleep(0.01)
        if running.started:
            started.set_result(None)
        else:
            started.set_exception(RuntimeError("the application does not start"))
        await serving

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve())
