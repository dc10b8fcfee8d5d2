"""The body of a request that writes or asks: JSON, a text, or a form with a file."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from weighbridge.errors import UnsupportedMediaType
from weighbridge.http import upload, wire
from weighbridge.http.caller import WebRequest


@asynccontextmanager
async def body_of(
    request: WebRequest, body: type[Any], form: upload.Form | None, text: str | None
) -> AsyncIterator[tuple[Any, bytes]]:
    """What the body asks for, and the bytes by which a repetition of it is known."""
    kind = request.headers.get("content-type", "")
    packed = request.headers.get("content-encoding", "identity")
    if packed.lower() != "identity":
        raise UnsupportedMediaType(f"The content encoding is {packed}; this request takes a body as it is.")
    if form is not None and upload.is_form(kind):
        async with (
            upload.read(form, kind, request.stream()) as arrived,
            form.received(request.app.state.files, arrived) as file,
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
    yield wire.decode(raw, body) if text is None else wire.decode_text(raw), raw


def may_be_left_out(body: Any) -> bool:
    """Whether a body of this kind is nothing but options."""
    is_record = isinstance(body, type) and issubclass(body, msgspec.Struct)
    return is_record and not any(one.required for one in msgspec.structs.fields(body))
