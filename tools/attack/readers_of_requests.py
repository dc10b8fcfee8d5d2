"""What reads requests and foreign texts, with what is searched for in each.

Those of `tools/fuzz_readers`, and beside them what reads queries, cookies and forms.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from litestar import Request

from tools.fuzz_readers.readers import CORPUS, packed, read_table
from tools.fuzz_readers.readers import READERS as READERS_OF_TEXTS
from weighbridge.collection.events import EVENTS
from weighbridge.db.lists.listing import list_request
from weighbridge.errors import Refusal
from weighbridge.http.caller import read_cookie
from weighbridge.supervisor.loop_watch import HELD_SECONDS_MAX
from weighbridge.web.framework.page import read_fields

_loop = asyncio.new_event_loop()


def read_query(text: bytes) -> None:
    """The query of a list of events."""
    with suppress(Refusal):
        list_request(tuple(_request(query=text).query_params.multi_items()), EVENTS)


def read_cookies(text: bytes) -> None:
    """The header of cookies, as a request brings it."""
    read_cookie(text.decode("latin-1"), "weighbridge_session")


def read_form(text: bytes) -> None:
    """What was typed into a form."""
    with suppress(Refusal, UnicodeDecodeError):
        _loop.run_until_complete(read_fields(_request(body=text)))


def _request(query: bytes = b"", body: bytes = b"") -> Request[Any, Any, Any]:
    scope: Any = {
        "type": "http", "method": "POST", "path": "/", "headers": [], "query_string": query, "state": {},
        "path_params": {},
    }  # fmt: skip

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request(scope, receive)


def _corpus(name: str) -> tuple[bytes, ...]:
    return tuple(file.read_bytes() for file in sorted(Path(CORPUS, name).iterdir()))


def _as_it_is(text: bytes) -> bytes:
    return text


@dataclass(frozen=True, slots=True)
class Reader:
    """A function of bytes that returns when it read or refused them, and what a search begins with."""

    read: Callable[[bytes], None]
    seeds: tuple[bytes, ...]
    seconds_max: float = HELD_SECONDS_MAX
    """How much processor time any text of the search may take."""
    length_max: int = 4_096
    sent: Callable[[bytes], bytes] = _as_it_is
    """How a text of the search comes over the network."""


READ_APART_SECONDS_MAX: Final = 5.0
"""What is read in a sandbox holds no loop; this is the least that any sandbox may take."""

READERS: Final[Mapping[str, Reader]] = {
    "query": Reader(
        read_query,
        (
            b"page=2&page_size=50&sort=-start_time,created_at",
            b"filter[start_time][gte]=2025-01-01&x=%41",
        ),
    ),
    "cookies": Reader(read_cookies, (b'weighbridge_session=abc; weighbridge_theme="\\"dark\\""',)),
    "form": Reader(read_form, (b"email=a%40b.example&password=one+two&next=%2Fprojects",)),
    **{name: Reader(read, _corpus(name)) for name, read in READERS_OF_TEXTS.items()},
    "table": Reader(read_table, _corpus("table"), READ_APART_SECONDS_MAX),
    "workbook": Reader(read_table, _corpus("workbook"), READ_APART_SECONDS_MAX, 4_194_304, packed),
}
"""By the name of what they read; the parts of a workbook are long, for they come as a ZIP archive."""
