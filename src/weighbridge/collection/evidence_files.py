"""Store the files of evidence under random keys, in a folder or in cloud object storage, and check them
first.

Invariants: a file exists as a whole or not at all. `put` returns once the file would survive a power
failure. `get` returns exactly the stored bytes, or fails before sending any. A file is stored before
the row that names it; a rejected request leaves no file. `sweep` removes files without a row once they
are older than any request.
"""

import asyncio
import errno
import hashlib
import os
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from secrets import token_hex
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final
from urllib.parse import unquote, urlsplit

from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from weighbridge.collection.records.events import StoredFile
from weighbridge.core.collection.evidence import (
    ALLOWED,
    HEAD_BYTES,
    TAIL_BYTES,
    FileType,
    check_file_name,
    find_type,
    has_controls,
    remove_path,
)
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.db.embedded.location import make_folder, sync_folder
from weighbridge.db.engine import Database
from weighbridge.errors import Damaged, Invalid, Refusal, Unavailable, UnsupportedMediaType
from weighbridge.http.messages.body import FILE_PART, SPOOL_BYTES, Upload
from weighbridge.http.messages.operation import Spool

# The evidence store: files under keys of our own making, in a folder or in the object store of a cloud.
#
# Invariants: a file is there whole or not at all; `put` returns when it would survive a power cut; `get`
# gives the very bytes that were put or refuses, before the first of them is sent.


FOLDER: Final = "evidence"
CLOUDS: Final = ("s3", "gs", "az")

PUTS_MAX: Final = 4
"""Files that one process writes at the same time; each is in memory meanwhile."""

RETRY_SECONDS: Final = 45
RETRIES: Final = 2

_KEY: Final = re.compile(r"[0-9a-f]{32}")
_NO_ROOM: Final = os.strerror(errno.ENOSPC)
_AWAY: Final = "The store of evidence files cannot be reached just now; try again shortly."


class EvidenceStore:
    """The files; `folder` is where they lie when they lie on this machine."""

    def __init__(self, store: ObjectStore, folder: Path | None) -> None:
        self._store = store
        self._folder = folder
        self._turns = asyncio.Semaphore(PUTS_MAX)

    async def put(self, key: str, content: BinaryIO) -> None:
        """Write a file, from its start."""
        content.seek(0)
        try:
            async with self._turns:
                await self._store.put_async(key, content, use_multipart=False)
                if self._folder is not None:
                    await asyncio.to_thread(_sync, self._folder / key)
        except (BaseError, OSError) as error:
            raise _storage_error(error) from error

    async def put_file(self, key: str, file: Path | BinaryIO) -> None:
        """Write a file of any length, in parts where the store takes them."""
        try:
            async with self._turns:
                await self._store.put_async(key, file, use_multipart=True)
                if self._folder is not None:
                    await asyncio.to_thread(_sync, self._folder / key)
        except (BaseError, OSError) as error:
            raise _storage_error(error) from error

    async def get(self, key: str, size: int, sha256: bytes) -> Spool:
        """Read all of a file into a spool that stands at its start; the caller closes it."""
        digest = hashlib.sha256()
        with ExitStack() as unfinished:
            spool = unfinished.enter_context(SpooledTemporaryFile(max_size=SPOOL_BYTES))
            try:
                stored = await self._store.get_async(key)
                if stored.meta["size"] == size:
                    async for chunk in stored.stream(min_chunk_size=SPOOL_BYTES):
                        await asyncio.to_thread(_take, spool, digest.update, chunk)
            except FileNotFoundError:
                raise Damaged("The file is missing from the store of evidence files.") from None
            except (BaseError, OSError) as error:
                raise Unavailable(_AWAY) from error
            if digest.digest() != sha256:
                raise Damaged("The file in the store is not the one that was attached; it is not handed out.")
            spool.seek(0)
            unfinished.pop_all()
            return spool

    async def delete(self, key: str) -> None:
        """Remove a file; one that is not there is as good as removed."""
        try:
            with suppress(FileNotFoundError):
                await self._store.delete_async(key)
        except (BaseError, OSError) as error:
            raise Unavailable(_AWAY) from error

    async def keys_before(self, moment: datetime) -> AsyncIterator[list[str]]:
        """The keys of files that were written before a moment, some at a time."""
        async for listed in self._store.list():
            keys = [one["path"] for one in listed if one["last_modified"] < moment]
            if ours := [key for key in keys if _KEY.fullmatch(key)]:
                yield ours


def open_store(evidence_url: str | None, data_dir: Path) -> EvidenceStore:
    """Open the store that the settings name: by default, a folder of the data directory."""
    return EvidenceStore(*open_objects(evidence_url, data_dir))


def open_objects(evidence_url: str | None, data_dir: Path) -> tuple[ObjectStore, Path | None]:
    """The same store as bare objects under their keys, for whoever copies all of it; and its folder."""
    if evidence_url is None:
        return _in_folder(data_dir / FOLDER)
    parts = urlsplit(evidence_url)
    if parts.scheme == "file" and not parts.netloc and parts.path.startswith("/"):
        return _in_folder(Path(unquote(parts.path)))
    if parts.scheme not in CLOUDS or not parts.netloc:
        raise _unusable(evidence_url, "it takes file:///folder, s3://bucket, gs://bucket or az://container.")
    try:
        # No client options: they would stand in place of those of the environment, such as AWS_ALLOW_HTTP.
        store = from_url(
            evidence_url,
            retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=RETRY_SECONDS)},
        )
    except (BaseError, ValueError) as error:
        raise _unusable(evidence_url, f"it cannot be used: {str(error).splitlines()[0]}.") from error
    return store, None


def _in_folder(folder: Path) -> tuple[ObjectStore, Path]:
    make_folder(folder)
    return LocalStore(folder.absolute()), folder.absolute()


def _unusable(evidence_url: str, message: str) -> Refusal:
    return Refusal(
        [
            Problem(
                f"WEIGHBRIDGE_EVIDENCE_URL is {evidence_url!r}; {message}", "evidence_url", "invalid_setting"
            )
        ]
    )


def _storage_error(error: Exception) -> Unavailable:
    """Why a file was not stored."""
    if _NO_ROOM in str(error):
        return Unavailable("The disk of the evidence files is full; nothing was stored.", "disk_full")
    return Unavailable(_AWAY)


def _take(spool: Spool, hash_on: Callable[[bytes], object], chunk: bytes) -> None:
    hash_on(chunk)
    spool.write(chunk)


def _sync(path: Path) -> None:
    """Have the disk take the file and its name; the library leaves that to chance."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    sync_folder(path.parent)


# Keeping: a file is checked and put into the store before the request's transaction begins.
#
# Invariants: what the store holds for a row was there before the row; a request that is refused leaves no
# file behind. A process that dies in between leaves one that no row names: it harms nothing, and `sweep`
# removes it once it is older than any request.


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
    ("methodology_packages", "storage_key"),
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
    name = remove_path(upload.texts.get(NAME_PART) or upload.name)
    problems = check_file_name(name, NAME_PART)
    problems += [
        Problem(f"{part} must be {_FILE} in a form, but is {given!r}. Send a link as JSON.", part, "invalid")
        for part in TYPE_PARTS
        if (given := shorten(upload.texts.get(part, _FILE))) != _FILE
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


async def sweep(databases: Sequence[Database], store: EvidenceStore, now: datetime) -> list[str]:
    """Remove files that no row of any cell names and that are old enough; gives their keys."""
    swept: list[str] = []
    async for keys in store.keys_before(now - ORPHAN_AGE):
        orphans = await _find_unnamed(databases, keys)
        for key in orphans:
            await store.delete(key)
        swept += orphans
    return swept


async def _find_unnamed(databases: Sequence[Database], keys: Sequence[str]) -> list[str]:
    unnamed = set(keys)
    # And back: an account that moved from a cell which was not read yet to one that was is found there.
    for database in (*databases, *reversed(databases[:-1])):
        async with database.read() as tx:
            unnamed -= {key for (key,) in await tx.tuples(_NAMED, {"keys": sorted(unnamed)})}
    return sorted(unnamed)


def _type(upload: Upload) -> FileType:
    """The type that the name and the content agree on."""
    named = find_type(remove_path(upload.name))
    if named is None:
        raise _media_type_error(
            f"{shorten(repr(upload.name))} is not named as a file that is kept as evidence."
        )
    if not _fits(named, upload.content, upload.size):
        raise _media_type_error(
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


def _media_type_error(sentence: str) -> UnsupportedMediaType:
    allowed = f"{sentence} Files end in one of {ALLOWED}, and are what their names say."
    return UnsupportedMediaType([Problem(allowed, FILE_PART, "unsupported")])
