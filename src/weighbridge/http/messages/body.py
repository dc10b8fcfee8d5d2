"""The body of a request: JSON, a text, or a form with one file, as the operation takes it.

A body that is too long is rejected before it is read, or as soon as its length is known.

Invariants: never more than the form's limit is kept of a file; the spool of a file is gone when the
request is.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, Final, cast

import msgspec
from multipart import MultipartError, MultipartSegment, PushMultipartParser, parse_options_header  # type: ignore[import-untyped] # the package has no types

from weighbridge.core.problem import Problem
from weighbridge.db.statements import canonical
from weighbridge.errors import Malformed, TooLarge, UnsupportedMediaType
from weighbridge.http import wire
from weighbridge.http.caller import WebRequest
from weighbridge.http.limits import Places

# An upload is the one file of a body of multipart/form-data, with the texts of its form.
#
# It is read as it arrives: the file goes to a spool, in memory while it is small and on disk beyond, and is
# counted and digested on the way.
#
# Invariants: never more than the form's limit is kept of a file, nor more than `TEXT_BYTES_MAX` of a text;
# the parts are those that the form names, each at most once; the spool is gone when the request is.


MEDIA_TYPE: Final = "multipart/form-data"
FILE_PART: Final = "file"

TEXT_BYTES_MAX: Final = 8_192
"""The longest text sent with an uploaded file, in bytes."""

PART_BYTES_MAX: Final = 65_536
"""The most bytes of a form without its file: texts, names and boundaries."""

SPOOL_BYTES: Final = 1_048_576
"""What of a file is held in memory; a longer one goes to the disk."""

STORED_AT_ONCE: Final = 16
"""Short files that one process stores at a time."""

STORED_OF_ACCOUNT: Final = 1
"""Short files of one account among them: two hundred at once took all that a process has for everybody."""

STORING_WAIT_SECONDS: Final = 30.0
"""How long a short file waits for those of its account that came before."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was received completely; `content` is at its start."""

    content: BinaryIO
    name: str
    size: int
    sha256: bytes
    texts: Mapping[str, str]
    account: int
    """Whose request brought it."""

    @property
    def identity(self) -> bytes:
        """The same bytes for the same upload, however its parts were ordered and marked off."""
        return canonical([self.name, self.sha256.hex(), self.texts])


@dataclass(frozen=True, slots=True)
class Form:
    """A form that an operation takes in addition to JSON.

    `received` puts the file where it belongs before the transaction begins, and gives what the operation is
    called with. It is left with an exception when the operation refuses.
    """

    file_bytes_max: int
    file: str
    """What the file is, for the OpenAPI document."""
    texts: Mapping[str, str]
    """The names of the texts that may come with it, each with its meaning."""
    wrapping: str
    """The key that may wrap the names of the parts, as in evidence[file]."""
    received: Callable[[Any, Upload], AbstractAsyncContextManager[Any]]
    further_texts_max: int = 0
    """How many texts of other names may come: those of a page's form, whose fields say what they take."""

    @property
    def body_bytes_max(self) -> int:
        """The longest body that holds such a form."""
        return self.file_bytes_max + PART_BYTES_MAX

    def too_large(self) -> TooLarge:
        """The refusal of a file over the limit."""
        return TooLarge(
            [
                Problem(
                    f"The file has more than {self.file_bytes_max:,} bytes, the most that is taken.",
                    FILE_PART,
                    "too_large",
                )
            ]
        )


def is_form(content_type: str) -> bool:
    """Whether a body of this content type is a form."""
    return content_type.partition(";")[0].strip().lower() == MEDIA_TYPE


@asynccontextmanager
async def read(
    form: Form, content_type: str, chunks: AsyncIterator[bytes], account: int
) -> AsyncIterator[Upload]:
    """Read a form that a request of an account brings; the upload lasts as long as the block."""
    with SpooledTemporaryFile(max_size=SPOOL_BYTES) as spool:
        reading = _BodyReader(form, cast("BinaryIO", spool))
        try:
            await _parse(reading, content_type, chunks)
        except MultipartError as error:
            raise Malformed(f"The body is not a form that can be read: {error}.") from None
        except Exception as error:
            if getattr(error, "status_code", None) == TooLarge.status:  # the framework has read its most
                raise form.too_large() from None
            raise
        yield reading.upload(account)


def places_of_files() -> Places:
    """The places in which the short files of a process are stored."""
    return Places(
        STORED_AT_ONCE,
        share=STORED_OF_ACCOUNT,
        wait_seconds=STORING_WAIT_SECONDS,
        occupied="The account has other files stored just now",
    )


@asynccontextmanager
async def received(form: Form, files: Any, upload: Upload, places: Places) -> AsyncIterator[Any]:
    """Put a file where it belongs until the block ends: of short ones of an account one after the other.

    A long one comes as slowly as its connection, and waits for nobody.
    """
    async with AsyncExitStack() as stack:
        if upload.size <= SPOOL_BYTES:
            await stack.enter_async_context(places.of(upload.account))
        yield await stack.enter_async_context(form.received(files, upload))


async def _parse(reading: "_BodyReader", content_type: str, chunks: AsyncIterator[bytes]) -> None:
    _, options = parse_options_header(content_type)
    if not options.get("boundary"):
        raise Malformed("The content type names no boundary between the parts of the form.")
    parts_max = 1 + len(reading.form.texts) + reading.form.further_texts_max
    with PushMultipartParser(options["boundary"], max_segment_count=parts_max) as parser:
        async for chunk in chunks:
            for event in parser.parse(chunk):
                if isinstance(event, MultipartSegment):
                    reading.begin(event)
                elif event:
                    await reading.take(event)
            if parser.closed:
                return


class _BodyReader:
    """A form on its way."""

    def __init__(self, form: Form, spool: BinaryIO) -> None:
        self.form = form
        self._spool = spool
        self._digest = hashlib.sha256()
        self._size = 0
        self._filename: str | None = None
        self._texts: dict[str, bytearray] = {}
        self._part = ""

    def begin(self, segment: MultipartSegment) -> None:
        """Begin a part of the form."""
        self._part = name = self._plain(segment.name or "")
        if name == FILE_PART and self._filename is None:
            if not segment.filename:
                raise _malformed(FILE_PART, "file comes without the name of a file.", "required")
            self._filename = segment.filename
        elif self._takes(name) and name not in self._texts:
            self._texts[name] = bytearray()
        else:
            known_names = [FILE_PART, *self.form.texts]
            message = "is given twice" if name in known_names else "is not a part of this form"
            raise _malformed(
                name, f"{name or 'A part without a name'} {message}; it takes {', '.join(known_names)}."
            )

    def _takes(self, name: str) -> bool:
        """Whether a text of this name may come."""
        return name in self.form.texts or (name not in {"", FILE_PART} and self.form.further_texts_max > 0)

    def _plain(self, name: str) -> str:
        """The name of a part without the key that may wrap it."""
        inner = name.removeprefix(f"{self.form.wrapping}[")
        return inner[:-1] if inner != name and inner.endswith("]") else name

    async def take(self, payload: bytes | bytearray) -> None:
        """Take some bytes of the part."""
        if self._part == FILE_PART:
            self._size += len(payload)
            if self._size > self.form.file_bytes_max:
                raise self.form.too_large()
            await asyncio.to_thread(self._write, payload)
            return
        text = self._texts[self._part]
        if len(text) + len(payload) > TEXT_BYTES_MAX:
            raise _malformed(self._part, f"{self._part} is longer than {TEXT_BYTES_MAX:,} bytes.")
        text += payload

    def upload(self, account: int) -> Upload:
        """The upload, when all parts have arrived."""
        if self._filename is None:
            raise _malformed(FILE_PART, "file is required.", "required")
        self._spool.seek(0)
        texts = {name: _decode_text(name, text) for name, text in self._texts.items()}
        return Upload(self._spool, self._filename, self._size, self._digest.digest(), texts, account)

    def _write(self, payload: bytes | bytearray) -> None:
        self._digest.update(payload)
        self._spool.write(payload)


def _decode_text(name: str, text: bytearray) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise _malformed(name, f"{name} is not UTF-8.") from None


def _malformed(field: str, message: str, code: str = "invalid") -> Malformed:
    return Malformed([Problem(message, field or None, code)])


# The body of a request: JSON, a text, or a form with a file, as the operation takes it.
#
# How long a body may be depends on what it is for: most name one record, some many. What is longer is
# refused before it is read, or, without a stated length, as soon as it is known.


BODY_BYTES_MAX: Final = 1_048_576
"""The longest body of a request that does not take many records at once, in bytes: 1 MB."""

LONG_BODY_BYTES_MAX: Final = 4_194_304
"""The longest body of a request that takes a document, many ids or many lines, in bytes: 4 MB."""


@asynccontextmanager
async def receive_body(
    request: WebRequest, account: int, body: type[Any], form: Form | None, text: str | None
) -> AsyncIterator[tuple[Any, bytes]]:
    """What the body asks for, and the bytes by which a repetition of it is known."""
    kind = request.headers.get("content-type", "")
    packed = request.headers.get("content-encoding", "identity")
    if packed.lower() != "identity":
        raise UnsupportedMediaType(f"The content encoding is {packed}; this request takes a body as it is.")
    if form is not None and is_form(kind):
        state = request.app.state
        async with (
            read(form, kind, request.stream(), account) as upload,
            received(form, state.files, upload, state.places_of_files) as file,
        ):
            yield file, upload.identity
        return
    accepted_types = text or wire.MEDIA_TYPE
    plain_kind = kind.partition(";")[0].strip().lower()
    if plain_kind in {"", accepted_types} and may_be_left_out(body) and not await request.body():
        yield wire.decode(b"{}", body), b""
        return
    if plain_kind != accepted_types:
        accepted_types = accepted_types if form is None else f"{accepted_types} or {MEDIA_TYPE}"
        raise UnsupportedMediaType(
            f"The content type is {kind or 'missing'}; this request takes {accepted_types}."
        )
    raw = await request.body()
    if form is not None and len(raw) > BODY_BYTES_MAX:
        raise TooLarge(
            f"The body is larger than this request takes; it takes {BODY_BYTES_MAX:,} bytes at most."
        )
    yield await wire.read(raw, body) if text is None else wire.decode_text(raw), raw


def may_be_long(request: WebRequest, form: Form | None) -> bool:
    """Whether the body that is on its way may be longer than most requests take; a form goes to a file."""
    if form is not None and is_form(request.headers.get("content-type", "")):
        return False
    length_text = request.headers.get("content-length", "")
    return (
        int(length_text) > BODY_BYTES_MAX
        if length_text.isdecimal()
        else "transfer-encoding" in request.headers
    )


def may_be_left_out(body: Any) -> bool:
    """Whether a body of this kind is nothing but options."""
    is_record = isinstance(body, type) and issubclass(body, msgspec.Struct)
    return is_record and not any(field.required for field in msgspec.structs.fields(body))
