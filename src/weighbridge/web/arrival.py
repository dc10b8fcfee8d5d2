"""A form on its way in: the fields that were typed, and the file that came with them, if the form takes one.

Invariant: no file is put into the store before the form has shown that one of our own pages sent it, and none
stays there when what it is for is refused.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final
from urllib.parse import parse_qsl

from weighbridge.core.problem import Problem
from weighbridge.errors import Malformed
from weighbridge.http.arrival import upload
from weighbridge.http.caller import WebRequest
from weighbridge.web.crossing import FIELD, refuse_without_word

FIELDS_MAX: Final = 5_000
"""Fields of a form, at most."""

Typed = Mapping[str, tuple[str, ...]]


@asynccontextmanager
async def arrived_form(
    request: WebRequest, secret: str, takes: upload.Form | None
) -> AsyncIterator[tuple[Typed, Any]]:
    """What was typed, and what became of the file beside it; Forbidden without the word of the session."""
    kind = request.headers.get("content-type", "")
    if takes is None or not upload.is_form(kind):
        typed = await typed_of(request)
        refuse_without_word(request, secret, "".join(typed.get(FIELD, ())))
        yield typed, None
        return
    with_word = replace(takes, texts={**takes.texts, FIELD: "The word of the session."})
    async with upload.read(with_word, kind, request.stream()) as arrived:
        refuse_without_word(request, secret, arrived.texts.get(FIELD, ""))
        texts = {name: text for name, text in arrived.texts.items() if name != FIELD}
        async with takes.received(request.app.state.files, replace(arrived, texts=texts)) as file:
            yield {name: (text,) for name, text in texts.items()}, file


async def typed_of(request: WebRequest) -> dict[str, tuple[str, ...]]:
    """What was typed into a form, by the names of its fields."""
    body = await request.body()
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=FIELDS_MAX, errors="strict")
    except (ValueError, UnicodeDecodeError):
        raise Malformed("The form cannot be read.") from None
    typed: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        if "\x00" in value:
            raise Malformed([Problem(f"{name} holds a NUL character, which no text may.", name, "invalid")])
        typed[name] = (*typed.get(name, ()), value.replace("\r\n", "\n"))
    return typed
