"""The table of attacks: each is what many connections do at the same time, again and again.

An attack with a token uses that of the account that attacks; the others need none.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tools.attack.plant import MODEL, Member, event

MANY: Final = 200
"""Connections of one attacker."""

OF_NOBODY: Final = "wb_none"
"""What looks like a token and is none."""

BODY: Final = 16_000_000
"""Bytes of a body that is meant to hurt."""

Make = Callable[[Member], bytes]


@dataclass(frozen=True, slots=True)
class Attack:
    """What each connection sends."""

    name: str
    send: Make
    connections: int = MANY
    waits_for_answer: bool = True
    """Whether it sends again when it is answered; else it holds the connection until that is closed."""
    drip: bool = False
    """Whether it goes on with a byte each second."""
    reads_slowly: bool = False


def request(
    member: Member, method: str, path: str, body: bytes = b"", *, token: str | None = None, **headers: str
) -> bytes:
    """A request as bytes; of the member, unless another token is named."""
    fields = {
        "Host": "service", "Authorization": f"Bearer {token or member.token}",
        "Content-Type": "application/json", "Content-Length": str(len(body)),
    } | {name.replace("_", "-"): value for name, value in headers.items()}  # fmt: skip
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {text}\r\n" for name, text in fields.items())
    return head.encode() + b"\r\n" + body


def _posted(path: str, body: Callable[[Member], bytes | Any], **headers: str) -> Make:
    def made(member: Member) -> bytes:
        content = body(member)
        sent = content if isinstance(content, bytes) else json.dumps(content).encode()
        return request(member, "POST", f"/api/v1{path.format_map(member.ids)}", sent, token=None, **headers)

    return made


def _read(path: str) -> Make:
    return lambda member: request(
        member, "GET", f"/api/v1{path.format_map(member.ids)}", token=member.reading_token
    )


def _range(start: str, end: str) -> Callable[[Member], Mapping[str, str]]:
    return lambda _member: {"start_time": start, "end_time": end}


def _filled(before: bytes, piece: bytes, after: bytes) -> Callable[[Member], bytes]:
    return lambda _member: before + piece * (BODY // len(piece)) + after


def _events(many: int) -> Callable[[Member], Any]:
    return lambda _member: {"events": [event(number) for number in range(many)]}


_JANUARY: Final = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}


def _matched(_member: Member) -> Any:
    """A text in which the pattern is nowhere, however it is tried."""
    return _JANUARY | {"inputs": {"mass": 1}, "partition": {"feedstock": "a" * 200_000}}


def _misspelt(_member: Member) -> Any:
    nodes = "".join(
        f"  - slug: n{number}\n    formula: {'x' * 200}{number} + 1\n    unit: t\n" for number in range(998)
    )
    return {"yaml": MODEL + nodes}


def _simulated(_member: Member) -> Any:
    return _JANUARY | {"inputs": {}}


_EVENTS: Final = "/projects/{project}/events"
_VALIDATE: Final = "/models/{model}/yaml_validate"

ATTACKS: Final = (
    Attack("connections that say nothing", lambda _member: b"", 2_300, waits_for_answer=False),
    Attack("half a preface of HTTP/2", lambda _member: b"PRI * HTT", 2_300, waits_for_answer=False),
    Attack(
        "headers that come byte by byte", lambda _member: b"GET /healthz HTTP/1.1\r\nHost: ",
        waits_for_answer=False, drip=True,
    ),
    Attack(
        "bodies that never come", lambda member: request(member, "POST", "/x", Content_Length="9999"),
        waits_for_answer=False,
    ),
    Attack("failing tokens", lambda member: request(member, "GET", "/api/v1/projects", token=OF_NOBODY)),
    Attack("counters", lambda member: request(member, "GET", "/metrics")),
    Attack("pages of two hundred events", _read(_EVENTS + "?page_size=200")),
    Attack("answers that are read slowly", _read(_EVENTS + "?page_size=200"), reads_slowly=True),
    Attack(
        "a preview of ten thousand years",
        _posted("/ledgers/{ledger}/generate_preview", _range("0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z")),
    ),
    Attack(
        "a preview of a thousand years",
        _posted("/ledgers/{ledger}/generate_preview", _range("1000-01-01T00:00:00Z", "2025-01-01T00:00:00Z")),
    ),
    Attack("NUL characters", _posted(_EVENTS, _filled(b'{"event": ["', rb"\u0000", b'"]}')), 20),
    Attack("bodies of the wrong shape", _posted(_EVENTS, _filled(b'{"events": [', b"[1,2],", b"1]}")), 20),
    Attack("deep nesting", _posted(_EVENTS, _filled(b"", b"[", b"")), 20),
    Attack("ten thousand events at a time", _posted(_EVENTS, _events(10_000)), 20),
    Attack("patterns that try everything", _posted("/models/{pattern}/simulate", _matched)),
    Attack("a thousand misspelt names", _posted(_VALIDATE, _misspelt)),
    Attack("long computations", _posted("/models/{slow}/simulate", _simulated)),
    Attack(
        "one key again and again",
        _posted("/models/{slow}/simulate", _simulated, Idempotency_Key="the-same"), 40,
    ),
    Attack(
        "tasks without end",
        _posted("/ledgers/{ledger}/batch_generations", lambda _member: _JANUARY),
    ),
)  # fmt: skip
