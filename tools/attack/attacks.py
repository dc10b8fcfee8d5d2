"""The table of attacks: each is what many connections do at the same time, again and again.

An attack with a token uses that of the account that attacks; the others need none.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tools.attack import files
from tools.attack.plant import MODEL, Member, event
from weighbridge.web.framework.visit import csrf_token_of

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

SAME_ORIGIN: Final = {"Sec_Fetch_Site": "same-origin", "Content_Type": "application/x-www-form-urlencoded"}


def _unknown(method: str, path: str, body: bytes = b"", **headers: str) -> Make:
    """A request that carries no token."""

    def made(member: Member) -> bytes:
        sent = request(member, method, path.format_map(member.ids), body, **headers)
        return b"\r\n".join(line for line in sent.split(b"\r\n") if not line.startswith(b"Authorization:"))

    return made


_OF_NOBODY: Final = (
    Attack("escaped quotes in a cookie", _unknown(
        "GET", "/sign_in", Cookie='weighbridge_theme="' + '\\"' * 25_000 + '"')),
    Attack("sessions that nobody has", _unknown(
        "GET", "/projects", Cookie="weighbridge_session=" + "x" * 43)),
    Attack("five thousand equal fields", _unknown(
        "POST", "/theme", b"&".join([b"theme=dark"] * 5_000), **SAME_ORIGIN)),
    Attack("twenty equal fields", _unknown("POST", "/theme", b"&".join([b"theme=dark"] * 20), **SAME_ORIGIN)),
    Attack("wrong passwords", _unknown(
        "POST", "/sign_in", b"email=ada@plant.example&password=guessed-by-somebody", **SAME_ORIGIN)),
    Attack("links that name nothing", _unknown("GET", "/enter?key=nonsense")),
    Attack("invitations that name nothing", _unknown("GET", "/join?key=nonsense")),
    Attack("one link to a report", _unknown("GET", "{link}")),
    Attack("the page of one link to a report", _unknown("GET", "{link_page}")),
    Attack("the document of the interface", _unknown("GET", "/openapi.json")),
)  # fmt: skip
"""What takes no token."""


def _file(body: Callable[[Member], bytes]) -> Make:
    return _posted("/projects/{project}/data_feeds/{feed}/uploads", body, Content_Type=files.CONTENT_TYPE)


def _sampled(body: Callable[[Member], bytes]) -> Make:
    """A file as a sample to the page that makes a feed."""

    def made(member: Member) -> bytes:
        path = "/projects/{project}/data_feeds/sample?event_type_id={event_type}"
        of_session = {
            "Cookie": f"weighbridge_session={member.session}",
            "X_CSRF_Token": csrf_token_of(member.session),
        }
        headers = SAME_ORIGIN | {"Content_Type": files.CONTENT_TYPE} | of_session
        return _unknown("POST", path, body(member), **headers)(member)

    return made


def _suggested(header: Callable[[], list[str]]) -> Make:
    return _posted(
        "/projects/{project}/data_feed_suggestions",
        lambda member: {"event_type_id": member.ids["event_type"], "header": header()},
    )


def _feed_with(**fields: str) -> Make:
    return _posted(
        "/projects/{project}/data_feeds",
        lambda member: {
            "data_feed": {"name": "Undefined", "event_type_id": member.ids["event_type"], **fields}
        },
    )


_OF_FILES: Final = (
    Attack("merged cells that never end", _file(files.unclosed_merges)),
    Attack("a number's form of brackets", _file(files.nested_brackets)),
    Attack("a file of sixteen thousand columns", _file(files.many_columns)),
    Attack("merged cells in a sample", _sampled(files.unclosed_merges)),
    Attack("a form of brackets in a sample", _sampled(files.nested_brackets)),
    Attack("a sample of sixteen thousand columns", _sampled(files.many_columns)),
    Attack("a sample of a thousand long columns", _sampled(files.long_cells)),
    Attack("a column's name of spaces", _suggested(lambda: [" " * 30_000 + "x"])),
    Attack("names of sixteen thousand columns", _suggested(lambda: [f"c{n}" for n in range(16_000)])),
    Attack("a list sorted by many columns", _read(_EVENTS + "?sort=" + ",".join(["start_time"] * 1_700))),
    Attack("feeds in an undefined encoding", _feed_with(encoding="undefined")),
    Attack("feeds that read a day twice", _feed_with(time_format="%d%d")),
)
"""Files and what says how they are read."""

ATTACKS: Final = (
    *_OF_NOBODY,
    *_OF_FILES,
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
