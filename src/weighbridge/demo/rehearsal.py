"""A rehearsal registry: it does with a report what flags or the report itself ask for, so that integrators
can practise.
"""

import json
import os
import re
import socket
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from zipfile import BadZipFile, ZipFile

# Behaviour: what a rehearsal registry does with a report, by flags or by what is written in the report.
#
# A report may say for itself what becomes of it, anywhere in its texts:
#
# `First quarter [rehearse: lose 2, delay 1.5, reject]` loses the answer twice, delays it by 1.5 seconds and
# rejects the report.
#
# Invariants: a report that says nothing is treated as the flags say; one that asks for what is not known is
# refused with the words that are, so that nobody waits for what a slip of the pen will never bring.


ACCEPTED: Final = "accepted"
REJECTED: Final = "rejected"

DELAY_SECONDS_MAX: Final = 600
"""Seconds that a report may have its answer delayed for."""

_DECISIONS: Final = {"accept": ACCEPTED, "reject": REJECTED, "review": None}
_COUNTS: Final = {"drop": "drop", "fail": "fail", "lose": "lose", "fail-after": "fail_after"}
_TIMES: Final = {"delay": "delay_seconds", "decide-after": "decide_after_seconds"}

_KNOWN: Final = ", ".join(
    (
        *(f"{word} N" for word in _COUNTS),
        *(f"{word} S" for word in _TIMES),
        "refuse TEXT",
        *_DECISIONS,
        "amount N",
    )
)
_SAID: Final = re.compile(r"\[rehearse:([^\]]{1,500})\]")
_WORD: Final = re.compile(r"\s*([a-z-]+)(?:\s+(.{1,200}?))?\s*")
_TEXTS: Final = "xl/sharedStrings.xml"
_TEXTS_BYTES: Final = 1_048_576


@dataclass(frozen=True, slots=True)
class RegistryBehaviour:
    """What becomes of each report; the counts are of its first requests, in this order."""

    drop: int = 0
    """So many of its requests are lost before they are read: nothing is kept, nothing answered."""
    fail: int = 0
    """So many are answered 500, and nothing is kept."""
    lose: int = 0
    """Of so many it is kept, and the answer is lost."""
    fail_after: int = 0
    """Of so many it is kept, and the answer is 500."""
    delay_seconds: float = 0.0
    """How long each answer to it takes, once it is kept."""
    refuse: str | None = None
    """Why it is not taken: answered 422, and nothing is kept."""
    decision: str | None = None
    """What is decided of it, `accepted` or `rejected`; None leaves it for somebody to decide."""
    decide_after_seconds: float = 0.0
    """How long it is under review before that is decided."""
    reason: str | None = None
    """What is said of the decision."""
    amount: str | None = None
    """How much is accepted, where that is not all."""


def behaviour_for(content: bytes, usual: RegistryBehaviour) -> RegistryBehaviour:
    """What becomes of one report."""
    message = _SAID.search(_text(content))
    behaviour = usual
    for part in message.group(1).split(",") if message else ():
        word = _WORD.fullmatch(part)
        changed = _change(word.group(1), word.group(2)) if word else {}
        if not changed:
            why = f"It asks to rehearse {part.strip()!r}, and what can be asked for is {_KNOWN}."
            return replace(usual, refuse=why)
        behaviour = replace(behaviour, **changed)
    return behaviour


def _change(word: str, said: str | None) -> dict[str, Any]:
    """What one word of a report changes of a behaviour; nothing when it cannot be read."""
    number = _number(said)
    if word in _DECISIONS:
        return {"decision": _DECISIONS[word], "reason": said}
    if word == "refuse":
        return {"refuse": said or "It is refused, as it asks for itself."}
    if word == "amount" and said and re.fullmatch(r"[0-9]{1,20}(\.[0-9]{1,20})?", said):
        return {"amount": said}
    if word in _COUNTS and number is not None:
        return {_COUNTS[word]: int(number)}
    if word in _TIMES and number is not None:
        return {_TIMES[word]: number}
    return {}


def _number(said: str | None) -> float | None:
    if not said or not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3})?", said):
        return None
    return min(float(said), float(DELAY_SECONDS_MAX))


def _text(content: bytes) -> str:
    """The texts of a report; those of a spreadsheet stand in a part of their own."""
    if content.startswith(b"PK"):
        try:
            with ZipFile(BytesIO(content)) as book, book.open(_TEXTS) as texts:
                content = texts.read(_TEXTS_BYTES)
        except (BadZipFile, KeyError, OSError):
            return ""
    return content.decode(errors="replace")


# What a rehearsal registry has received: each report once, by its key.
#
# Invariants: the same key with the same bytes is the same report, whatever is received how often; what was
# kept in a file is there again when the registry starts anew, and under review from then on.


REVIEWED: Final = "under_review"

_NOTICES: Final = ("withdrawn", "superseded")
_DECIDED: Final = (ACCEPTED, REJECTED, "withdrawn")


class OtherContentError(Exception):
    """The key is known, with other bytes."""


@dataclass(slots=True)
class ReceivedReport:
    """One report, and what becomes of it."""

    key: str
    reference: str
    media_type: str
    content: bytes
    received_at: float
    behaviour: RegistryBehaviour
    requests: int = 1
    """How often it was received."""
    batches: list[Any] | None = None
    """How much of which batches somebody has accepted, where that is said."""
    notices: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What became of it, by the keys under which it was told."""
    decided: tuple[str, str | None, str | None] | None = None
    """What somebody has decided of it, why, and of how much where that is not all."""

    @property
    def sha256(self) -> str:
        return sha256(self.content).hexdigest()

    def status(self, now: float) -> tuple[str, str | None, str | None]:
        """What is decided of it at a time, why, and of how much."""
        if self.decided is not None:
            return self.decided
        behaviour = self.behaviour
        if not behaviour.decision or now < self.received_at + behaviour.decide_after_seconds:
            return REVIEWED, None, None
        amount = behaviour.amount if behaviour.decision == ACCEPTED else None
        return behaviour.decision, behaviour.reason, amount

    def shown(self, now: float) -> dict[str, Any]:
        """What is told of it."""
        status, reason, amount = self.status(now)
        return {
            "key": self.key,
            "reference": self.reference,
            "status": status,
            "reason": reason,
            **({} if amount is None else {"amount": amount}),
            **({} if self.batches is None else {"batches": self.batches}),
            "sha256": self.sha256,
            "media_type": self.media_type,
            "size_bytes": len(self.content),
            "requests": self.requests,
            "notices": [*self.notices.values()],
        }


@dataclass(slots=True)
class ReceivedReports:
    """Everything that was received; safe to use from many threads."""

    usual: RegistryBehaviour
    file: Path | None = None
    clock: Callable[[], float] = time.monotonic
    _reports: dict[str, ReceivedReport] = field(default_factory=dict)
    _tries: dict[str, int] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Take up what was kept in the file."""
        if self.file is not None and self.file.exists():
            for line in self.file.read_text().splitlines():
                self._take(json.loads(line))

    def tried(self, key: str) -> int:
        """Count a request for a key; gives how many there were before."""
        with self._lock:
            before = self._tries.get(key, 0)
            self._tries[key] = before + 1
            return before

    def receive(self, key: str, media_type: str, content: bytes) -> tuple[ReceivedReport, bool]:
        """Keep a report, and whether it is new; raises OtherContentError for a key that has other bytes."""
        with self._lock:
            known = self._reports.get(key)
            if known is not None:
                if known.content != content:
                    raise OtherContentError
                known.requests += 1
                return known, False
            row = {
                "key": key,
                "reference": f"REH-{len(self._reports) + 1:04}",
                "media_type": media_type,
                "content": b64encode(content).decode(),
            }
            self._write(row)
            return self._take(row), True

    def find(self, key: str) -> ReceivedReport | None:
        """The report of a key."""
        with self._lock:
            return self._reports.get(key)

    def all(self) -> list[ReceivedReport]:
        """Every report, in the order in which they came."""
        with self._lock:
            return [*self._reports.values()]

    def decide(
        self,
        key: str,
        status: str,
        reason: str | None,
        amount: str | None = None,
        batches: list[Any] | None = None,
    ) -> ReceivedReport | None:
        """Write down what somebody has decided; None for a key that nothing has."""
        with self._lock:
            if key not in self._reports:
                return None
            row = {"key": key, "status": status, "reason": reason, "amount": amount, "batches": batches}
            self._write(row)
            return self._take(row)

    def note(self, key: str, told_under: str, notice: dict[str, Any]) -> None:
        """Keep a notice of what became of a known report."""
        with self._lock:
            row = {"key": key, "told_under": told_under, "notice": notice}
            self._write(row)
            self._take(row)

    def _take(self, row: dict[str, Any]) -> ReceivedReport:
        if "notice" in row:
            self._reports[row["key"]].notices[row["told_under"]] = row["notice"]
        elif "status" in row:
            self._reports[row["key"]].decided = row["status"], row["reason"], row.get("amount")
            self._reports[row["key"]].batches = row.get("batches")
        else:
            content = b64decode(row["content"])
            self._reports[row["key"]] = ReceivedReport(
                row["key"], row["reference"], row["media_type"], content, self.clock(),
                behaviour_for(content, self.usual),
            )  # fmt: skip
        return self._reports[row["key"]]

    def _write(self, row: dict[str, Any]) -> None:
        if self.file is not None:
            with self.file.open("a") as file:
                file.write(json.dumps(row) + "\n")
                file.flush()
                os.fsync(file.fileno())


# The HTTP side of a rehearsal registry.
#
#     POST /submissions                  take a report, by its Idempotency-Key
#     GET  /submissions                  all that was received
#     GET  /submissions/{key}            one of them: 200, or 404 for a key that it does not know
#     GET  /submissions/{key}/content    the bytes that were received
#     POST /submissions/{key}            what became of it: {"status": "withdrawn" or "superseded", …}
#     POST /submissions/{key}/decision   {"status": "accepted" or "rejected", "reason": …, "amount": "…"}
#
# Invariant: a request is answered as its report's behaviour says, and otherwise at once.


CONTENT_BYTES_MAX: Final = 67_108_864
"""Bytes of a report that a rehearsal registry takes."""

READ_SECONDS: Final = 60


class RehearsalServer(ThreadingHTTPServer):
    """A rehearsal registry on an address; port 0 takes a free one."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], received: ReceivedReports, token: str | None = None) -> None:
        super().__init__(address, RehearsalRequest)
        self.received = received
        self.token = token

    @property
    def address(self) -> str:
        """Where reports are posted."""
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}/submissions"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of a registry."""


class RehearsalRequest(BaseHTTPRequestHandler):
    """One request to a rehearsal registry."""

    server: RehearsalServer
    protocol_version = "HTTP/1.1"
    timeout = READ_SECONDS

    def do_GET(self) -> None:
        """Show what was received."""
        received = self.server.received
        now = received.clock()
        if not self._may():
            return
        match self._path():
            case () | ("submissions",):
                self._answer(HTTPStatus.OK, {"data": [report.shown(now) for report in received.all()]})
            case ("submissions", key) if (found := received.find(key)) is not None:
                self._answer(HTTPStatus.OK, found.shown(now))
            case ("submissions", key, "content") if (found := received.find(key)) is not None:
                self._send(HTTPStatus.OK, found.media_type, found.content)
            case _:
                self._answer(HTTPStatus.NOT_FOUND, {"message": "Nothing is known under this address."})

    def do_POST(self) -> None:
        """Take a report, or a decision on one."""
        content = self._content()
        if content is None or not self._may():
            return
        match self._path():
            case ("submissions",):
                self._take(content)
            case ("submissions", key):
                self._note(key, content)
            case ("submissions", key, "decision"):
                self._decide(key, content)
            case _:
                self._answer(HTTPStatus.NOT_FOUND, {"message": "Nothing is taken at this address."})

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the base class has it
        """Say nothing of requests: what was received can be asked for."""

    def _take(self, content: bytes) -> None:
        key = self.headers.get("Idempotency-Key", "")
        if not key or "/" in key:
            self._answer(HTTPStatus.BAD_REQUEST, {"message": "A report needs an Idempotency-Key."})
            return
        received = self.server.received
        behaviour = behaviour_for(content, received.usual)
        before = received.tried(key)
        if before < behaviour.drop:
            self._hang_up()
        elif before < behaviour.drop + behaviour.fail:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, {"message": "It fails, as it was told to."})
        elif behaviour.refuse is not None:
            self._answer(HTTPStatus.UNPROCESSABLE_ENTITY, {"message": behaviour.refuse})
        else:
            self._keep(key, content, before - behaviour.drop - behaviour.fail, behaviour)

    def _keep(self, key: str, content: bytes, before: int, behaviour: RegistryBehaviour) -> None:
        media_type = self.headers.get("Content-Type", "application/octet-stream")
        try:
            report, is_new = self.server.received.receive(key, media_type, content)
        except OtherContentError:
            self._answer(HTTPStatus.CONFLICT, {"message": "Something else was received under this key."})
            return
        time.sleep(behaviour.delay_seconds)
        if before < behaviour.lose:
            self._hang_up()
        elif before < behaviour.lose + behaviour.fail_after:
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, {"message": "It fails, as it was told to."})
        else:
            self._answer(
                HTTPStatus.CREATED if is_new else HTTPStatus.OK, report.shown(self.server.received.clock())
            )

    def _note(self, key: str, content: bytes) -> None:
        """Keep what became of a report, once for each Idempotency-Key."""
        try:
            notice = json.loads(content)
        except ValueError:
            notice = None
        if not isinstance(notice, dict) or notice.get("status") not in _NOTICES:
            message = f"A notice has a status of {' or '.join(_NOTICES)}."
            self._answer(HTTPStatus.BAD_REQUEST, {"message": message})
        elif (found := self.server.received.find(key)) is None:
            self._answer(HTTPStatus.NOT_FOUND, {"message": "Nothing is known under this key."})
        else:
            self.server.received.note(key, self.headers.get("Idempotency-Key", ""), notice)
            self._answer(HTTPStatus.OK, found.shown(self.server.received.clock()))

    def _decide(self, key: str, content: bytes) -> None:
        try:
            said = json.loads(content)
            status, reason, amount = said["status"], said.get("reason"), said.get("amount")
            batches = said.get("batches")
        except (ValueError, TypeError, KeyError, AttributeError):
            status, reason, amount, batches = None, None, None, None
        are_texts = all(isinstance(one, str | None) for one in (reason, amount))
        if status not in _DECIDED or not are_texts or not isinstance(batches, list | None):
            message = (
                f"A decision has a status of {', '.join(_DECIDED)}, texts as reason and amount, and a list as"
                " batches."
            )
            self._answer(HTTPStatus.BAD_REQUEST, {"message": message})
        elif (report := self.server.received.decide(key, status, reason, amount, batches)) is None:
            self._answer(HTTPStatus.NOT_FOUND, {"message": "Nothing is known under this key."})
        else:
            self._answer(HTTPStatus.OK, report.shown(self.server.received.clock()))

    def _path(self) -> tuple[str, ...]:
        return tuple(filter(None, urlsplit(self.path).path.split("/")))

    def _may(self) -> bool:
        """Whether the caller has proved who it is, where that is asked for."""
        token = self.server.token
        if token is None or self.headers.get("Authorization") == f"Bearer {token}":
            return True
        self._answer(HTTPStatus.UNAUTHORIZED, {"message": "The token is not the one of this registry."})
        return False

    def _content(self) -> bytes | None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > CONTENT_BYTES_MAX:
            self.close_connection = True
            self._answer(HTTPStatus.LENGTH_REQUIRED, {"message": "A body says how long it is, up to 64 MB."})
            return None
        return self.rfile.read(int(length))

    def _hang_up(self) -> None:
        """End the connection without an answer."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _answer(self, status: HTTPStatus, body: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(body).encode())

    def _send(self, status: HTTPStatus, media_type: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
