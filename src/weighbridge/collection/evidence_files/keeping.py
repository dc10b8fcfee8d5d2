"""Keeping: a file is checked and put into the store before the request's transaction begins.

Invariants: what the store holds for a row was there before the row; a request that is refused leaves no
file behind. A process that dies in between leaves one that no row names: it harms nothing, and `sweep`
removes it once it is older than any request.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from secrets import token_hex
from typing import BinaryIO, Final

from weighbridge.collection.evidence.records import StoredFile
from weighbridge.collection.evidence_files.store import EvidenceStore
from weighbridge.core.collection.evidence import problems_of_name, without_path
from weighbridge.core.collection.file_type import (
    ALLOWED,
    HEAD_BYTES,
    TAIL_BYTES,
    FileType,
    has_controls,
    type_named,
)
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.db.engine import Database
from weighbridge.errors import Invalid, Refusal, UnsupportedMediaType
from weighbridge.http.arrival.upload import FILE_PART, Upload

NAME_PART: Final = "name"
TYPE_PARTS: Final = ("type", "evidence_type")

KEY_BYTES: Final = 16
"""Random bytes of the key under which a file is kept; nothing of it comes from the caller."""

ORPHAN_AGE: Final = timedelta(days=1)
"""How old a file must be before it counts as no one's: a request lasts seconds."""

NAMING: Final = (
    ("evidence", "storage_key"),
    ("exports", "storage_key"),
    ("report_submissions", "storage_key"),
    ("report_bundles", "storage_key"),
    ("data_feed_uploads", "storage_key"),
    ("data_feed_uploads", "report_key"),
)
"""Every table and column that names a file."""

_NAMED: Final = " UNION ALL ".join(
    f"SELECT {column} FROM {table} WHERE {column} = ANY (%(keys)s)" for table, column in NAMING
)

_FILE: Final = "file"
_PART_BYTES: Final = 1_048_576


@asynccontextmanager
async def keep(store: EvidenceStore, upload: Upload) -> AsyncIterator[StoredFile]:
    """Put a file into the store; it is removed when the block ends with a refusal."""
    name = without_path(upload.texts.get(NAME_PART) or upload.name)
    problems = problems_of_name(name, NAME_PART)
    problems += [
        Problem(f"{part} is {said!r}; a form brings a {_FILE}, and a link is sent as JSON.", part, "invalid")
        for part in TYPE_PARTS
        if (said := shorten(upload.texts.get(part, _FILE))) != _FILE
    ]
    if not upload.size:
        problems.append(Problem("The file is empty.", FILE_PART, "required"))
    if problems:
        raise Invalid(problems)
    file_type = await asyncio.to_thread(_type, upload)
    key = token_hex(KEY_BYTES)
    await store.put(key, upload.content)
    try:
        yield StoredFile(key, name, upload.size, file_type.media_type, upload.sha256)
    except Refusal:
        with suppress(Refusal):
            await store.delete(key)
        raise


async def sweep(database: Database, store: EvidenceStore, now: datetime) -> list[str]:
    """Remove files that no row names and that are old enough; gives their keys."""
    swept: list[str] = []
    async for keys in store.keys_before(now - ORPHAN_AGE):
        async with database.read() as tx:
            rows = await tx.tuples(_NAMED, {"keys": keys})
        orphans = sorted(set(keys) - {key for (key,) in rows})
        for key in orphans:
            await store.delete(key)
        swept += orphans
    return swept


def _type(upload: Upload) -> FileType:
    """The type that the name and the content agree on."""
    named = type_named(without_path(upload.name))
    if named is None:
        raise _unsupported(f"{shorten(repr(upload.name))} is not named as a file that is kept as evidence.")
    if not _fits(named, upload.content, upload.size):
        raise _unsupported(
            f"{shorten(repr(upload.name))} is named as {named.noun}, and its content is not one."
        )
    return named


def _fits(file_type: FileType, content: BinaryIO, size: int) -> bool:
    content.seek(0)
    head = content.read(HEAD_BYTES)
    content.seek(max(0, size - TAIL_BYTES))
    fits = file_type.fits(head, content.read(TAIL_BYTES))
    content.seek(0)
    if fits and file_type.is_text:
        fits = not any(has_controls(part) for part in iter(lambda: content.read(_PART_BYTES), b""))
    content.seek(0)
    return fits


def _unsupported(sentence: str) -> UnsupportedMediaType:
    allowed = f"{sentence} Files end in one of {ALLOWED}, and are what their names say."
    return UnsupportedMediaType([Problem(allowed, FILE_PART, "unsupported")])
