"""Witnesses and logs for tests, written from the specifications with `cryptography` alone.

Nothing here uses the code of the service: notes are read and written as C2SP signed-note, tlog-checkpoint,
tlog-cosignature and tlog-witness have them, trees as RFC 6962 has them.
"""

import base64
import hashlib
import http.client
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

DASH = "\N{EM DASH} "


def b64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def key_id(name: str, kind: int, public: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + public).digest()[:4]


def verifier_key(name: str, kind: int, public: bytes) -> str:
    return f"{name}+{key_id(name, kind, public).hex()}+{b64(bytes([kind]) + public)}"


def public_of(key: str) -> tuple[str, int, bytes]:
    """The name, the kind and the public key of a verifier key."""
    name, _, encoded = key.strip().split("+", 2)
    content = base64.b64decode(encoded, validate=True)
    return name, content[0], content[1:]


def cosigned_at(note: str, key: str) -> int | None:
    """When a witness cosigned a note, by its verifier key; None when no line of it holds."""
    name, kind, public = public_of(key)
    text, lines = note[: note.rindex("\n\n") + 1], note[note.rindex("\n\n") + 2 :].splitlines()
    for line in lines:
        signer, encoded = line.removeprefix(DASH).rsplit(" ", 1)
        content = base64.b64decode(encoded, validate=True)
        if (signer, content[:4], kind) != (name, key_id(name, 4, public), 4):
            continue
        time = int.from_bytes(content[4:12], "big")
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(
                content[12:], f"cosignature/v1\ntime {time}\n{text}".encode()
            )
        except InvalidSignature:
            continue
        return time
    return None


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The root over leaf hashes, as RFC 6962 writes it down."""
    if len(leaves) <= 1:
        return leaves[0] if leaves else hashlib.sha256().digest()
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    return hashlib.sha256(b"\x01" + root_of(leaves[:split]) + root_of(leaves[split:])).digest()


def consistency(old: int, leaves: Sequence[bytes], *, is_whole: bool = True) -> list[bytes]:
    """The proof that a tree extends its first leaves, as RFC 6962, section 2.1.2, writes it down."""
    if old in {0, len(leaves)}:
        return [] if is_whole or old == 0 else [root_of(leaves)]
    split = 1 << ((len(leaves) - 1).bit_length() - 1)
    if old <= split:
        return [*consistency(old, leaves[:split], is_whole=is_whole), root_of(leaves[split:])]
    return [*consistency(old - split, leaves[split:], is_whole=False), root_of(leaves[:split])]


@dataclass
class Log:
    """A log of its own, whose heads a witness is asked to cosign."""

    origin: str = "log.example/7"
    leaves: list[bytes] = field(default_factory=list)
    private: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)

    @property
    def key(self) -> str:
        return verifier_key(self.origin, 1, self.private.public_key().public_bytes_raw())

    def grow(self, size: int, seed: str = "") -> "Log":
        """Have so many leaves."""
        for number in range(len(self.leaves), size):
            self.leaves.append(hashlib.sha256(f"{seed}{number}".encode()).digest())
        return self

    def head(self, size: int | None = None, signer: Ed25519PrivateKey | None = None) -> str:
        """The signed head over the first leaves."""
        size = len(self.leaves) if size is None else size
        text = f"{self.origin}\n{size}\n{b64(root_of(self.leaves[:size]))}\n"
        own = signer or self.private
        identity = key_id(self.origin, 1, own.public_key().public_bytes_raw())
        return f"{text}\n{DASH}{self.origin} {b64(identity + own.sign(text.encode()))}\n"

    def submission(self, old: int, size: int | None = None, **of_head: Any) -> str:
        """What a witness is sent."""
        size = len(self.leaves) if size is None else size
        hashes = consistency(old, self.leaves[:size]) if old <= size else []
        return "\n".join([f"old {old}", *map(b64, hashes), "", self.head(size, **of_head)])


@dataclass(frozen=True)
class Answered:
    status: int
    content_type: str
    text: str


def submit(address: str, body: str | bytes) -> Answered:
    """Ask a witness."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    content = body if isinstance(body, bytes) else body.encode()
    connection.request("POST", "/add-checkpoint", content)
    response = connection.getresponse()
    answered = Answered(response.status, response.getheader("Content-Type", ""), response.read().decode())
    connection.close()
    return answered


@dataclass(frozen=True)
class RunningWitness:
    """A witness that is run as a program."""

    address: str
    key: str
    process: "subprocess.Popen[str]"

    @property
    def setting(self) -> str:
        """How an installation names it."""
        return f"{self.address} {self.key}"


def run(*words: object, folder: Path) -> "subprocess.Popen[str]":
    """Run `weighbridge witness` in a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "weighbridge", "witness", *map(str, words)],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip


@contextmanager
def running_witness(folder: Path, *logs: str, name: str = "witness.example/one") -> Iterator[RunningWitness]:
    """Run a witness with its state below a folder; what it has cosigned before it still knows."""
    (folder / "heads").mkdir(exist_ok=True, parents=True)
    (folder / "logs.txt").write_text("".join(f"{log}\n" for log in logs))
    key, _ = run("key", "--key-file", "key.pem", "--name", name, folder=folder).communicate(timeout=60)
    words = ("--key-file", "key.pem", "--name", name, "--state", "heads", "--logs", "logs.txt", "--port", 0)
    process = run("serve", *words, folder=folder)
    assert process.stdout is not None
    assert process.stderr is not None
    told = process.stdout.readline().split()
    if not told:
        raise AssertionError(process.stderr.read())
    try:
        yield RunningWitness(told[-1], key.strip(), process)
    finally:
        process.kill()
        process.communicate(timeout=60)


@dataclass
class LyingWitness:
    """Answers with whatever a test says; by default with a valid cosignature, judging nothing."""

    name: str = "liar.example/one"
    private: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)
    signer: Ed25519PrivateKey | None = None
    """Another key than the one of the lines that it writes."""
    time: int = 1_700_000_000
    root: bytes | None = None
    """Another root than the one that it was asked about."""
    status: int = 200
    text: str | None = None
    asked: list[str] = field(default_factory=list)
    address: str = ""

    @property
    def key(self) -> str:
        return verifier_key(self.name, 4, self.private.public_key().public_bytes_raw())

    @property
    def setting(self) -> str:
        return f"{self.address} {self.key}"

    def line(self, note: str) -> str:
        text = note[: note.rindex("\n\n") + 1]
        if self.root is not None:
            origin, size, _ = text.splitlines()
            text = f"{origin}\n{size}\n{b64(self.root)}\n"
        signature = (self.signer or self.private).sign(f"cosignature/v1\ntime {self.time}\n{text}".encode())
        identity = key_id(self.name, 4, self.private.public_key().public_bytes_raw())
        return f"{DASH}{self.name} {b64(identity + self.time.to_bytes(8, 'big') + signature)}\n"


@contextmanager
def lying_witness(witness: LyingWitness) -> Iterator[LyingWitness]:
    """Have a lying witness listen."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            witness.asked.append(body)
            content = (
                witness.line(body.partition("\n\n")[2]) if witness.text is None else witness.text
            ).encode()
            self.send_response(witness.status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        witness.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield witness
        finally:
            server.shutdown()
            thread.join()
