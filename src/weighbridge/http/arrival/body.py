"""The body of a request: JSON, a text, or a form with a file, as the operation takes it.

How long a body may be depends on what it is for: most name one record, some many. What is longer is refused
before it is read, or where its length is not told, as soon as it is known.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import msgspec

from weighbridge.errors import TooLarge, UnsupportedMediaType
from weighbridge.http import wire
from weighbridge.http.arrival import upload
from weighbridge.http.caller import WebRequest

T = TypeVar("T")

BODY_BYTES_MAX: Final = 1_048_576
"""The longest body of a request that does not take many records at once, in bytes: 1 MB."""

LONG_BODY_BYTES_MAX: Final = 4_194_304
"""The longest body of a request that takes a document, many ids or many lines, in bytes: 4 MB."""


@asynccontextmanager
async def arrived_body(
    request: WebRequest, account: int, body: type[Any], form: upload.Form | None, text: str | None
) -> AsyncIterator[tuple[Any, bytes]]:
    """What the body asks for, and the bytes by which a repetition of it is known."""
    kind = request.headers.get("content-type", "")
    packed = request.headers.get("content-encoding", "identity")
    if packed.lower() != "identity":
        raise UnsupportedMediaType(f"The content encoding is {packed}; this request takes a body as it is.")
    if form is not None and upload.is_form(kind):
        state = request.app.state
        async with (
            upload.read(form, kind, request.stream(), account) as arrived,
            upload.received(form, state.files, arrived, state.places_of_files) as file,
        ):
            yield file, arrived.identity
        return
    takes = text or wire.MEDIA_TYPE
    plain_kind = kind.partition(";")[0].strip().lower()
    if plain_kind in {"", takes} and may_be_left_out(body) and not await request.body():
        yield wire.decode(b"{}", body), b""
        return
    if plain_kind != takes:
        takes = takes if form is None else f"{takes} or {upload.MEDIA_TYPE}"
        raise UnsupportedMediaType(f"The content type is {kind or 'missing'}; this request takes {takes}.")
    raw = await request.body()
    if form is not None and len(raw) > BODY_BYTES_MAX:
        raise TooLarge(
            f"The body is larger than this request takes; it takes {BODY_BYTES_MAX:,} bytes at most."
        )
    yield await wire.read(raw, body) if text is None else wire.decode_text(raw), raw


def may_be_long(request: WebRequest, form: upload.Form | None) -> bool:
    """Whether the body that is on its way may be longer than most requests take; a form goes to a file."""
    if form is not None and upload.is_form(request.headers.get("content-type", "")):
        return False
    told = request.headers.get("content-length", "")
    return int(told) > BODY_BYTES_MAX if told.isdecimal() else "transfer-encoding" in request.headers


def may_be_left_out(body: Any) -> bool:
    """Whether a body of this kind is nothing but options."""
    is_record = isinstance(body, type) and issubclass(body, msgspec.Struct)
    return is_record and not any(one.required for one in msgspec.structs.fields(body))


async def digested(body: bytes, digest: Callable[[bytes], T]) -> T:
    """What is made of the digest of a body; that of a long one is worked out beside the event loop."""
    if len(body) <= BODY_BYTES_MAX:
        return digest(body)
    return await asyncio.to_thread(digest, body)
