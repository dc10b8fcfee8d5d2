"""A form on its way in: the fields that were typed, and the file that came with them, if the form takes one.

Invariant: no file is put into the store before the form has shown that one of our own pages sent it, and none
stays there when what it is for is refused.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from weighbridge.core.problem import Problem
from weighbridge.errors import Malformed
from weighbridge.http.arrival import upload
from weighbridge.http.arrival.turns import Turns
from weighbridge.http.caller import WebRequest
from weighbridge.web.crossing import FIELD, refuse_without_word

FIELDS_MAX: Final = 5_000
"""Fields of a form, at most."""

OPEN_FIELDS_MAX: Final = 20
"""Fields of a form that anybody may send, at most."""

OPEN_FORM_BYTES_MAX: Final = 16_384
"""Bytes of a form that anybody may send, at most: an address to come back to is the longest of its texts."""

_PIECE: Final = 4_096
"""Bytes of a text that are decoded before others get their turn."""

Typed = Mapping[str, tuple[str, ...]]


@asynccontextmanager
async def arrived_form(
    request: WebRequest, account: int, secret: str, takes: upload.Form | None
) -> AsyncIterator[tuple[Typed, Any]]:
    """What was typed, and what became of the file beside it; Forbidden without the word of the session."""
    kind = request.headers.get("content-type", "")
    if takes is None or not upload.is_form(kind):
        typed = await typed_of(request)
        refuse_without_word(request, secret, "".join(typed.get(FIELD, ())))
        yield typed, None
        return
    with_word = replace(takes, texts={**takes.texts, FIELD: "The word of the session."})
    async with upload.read(with_word, kind, request.stream(), account) as arrived:
        refuse_without_word(request, secret, arrived.texts.get(FIELD, ""))
        texts = {name: text for name, text in arrived.texts.items() if name != FIELD}
        state, without = request.app.state, replace(arrived, texts=texts)
        async with upload.received(takes, state.files, without, state.places_of_files) as file:
            yield {name: (text,) for name, text in texts.items()}, file


async def typed_of(request: WebRequest, fields_max: int = FIELDS_MAX) -> dict[str, tuple[str, ...]]:
    """What was typed into a form, by the names of its fields; Malformed for more fields than it may have."""
    body, turns = await request.body(), Turns()
    if body.count(b"&") >= fields_max:
        raise Malformed(f"The form has more fields than it takes, which are {fields_max:,}.")
    typed: dict[str, list[str]] = {}
    for pair in filter(None, body.split(b"&")):
        await turns.next()
        named, _, text = pair.partition(b"=")
        name, value = await _decoded(named, turns), await _decoded(text, turns)
        if "\x00" in value:
            raise Malformed([Problem(f"{name} holds a NUL character, which no text may.", name, "invalid")])
        typed.setdefault(name, []).append(value.replace("\r\n", "\n"))
    return {name: tuple(values) for name, values in typed.items()}


async def _decoded(text: bytes, turns: Turns) -> str:
    """A name or a value as it was typed: a long one is decoded in pieces, none of which cuts an escape."""
    text = text.replace(b"+", b" ")
    pieces, start = [], 0
    while start < len(text):
        end = start + _PIECE
        cut = text.rfind(b"%", end - 2, end)
        end = end if cut < 0 else cut
        pieces.append(unquote_to_bytes(text[start:end]))
        start = end
        await turns.next()
    try:
        return b"".join(pieces).decode()
    except UnicodeDecodeError:
        raise Malformed("The form cannot be read.") from None
