"""Watched places: files that wait in them become uploads, and are moved away once their uploads have ended.

A place is a folder or a prefix in an object store, below a root that is allowed. A file goes through four
steps, and a kill between any two of them is made good by the next poll: it is copied to the store; an upload
is written down with its task; the task ends; its report is written and it is moved to `done` or `failed`.

Invariants: a file that is still being written is not taken; a file is taken once until it is moved, by a
unique index; it is moved once its upload has ended, and only if it is still the one that was taken; nothing
outside of the place is read or written; one worker polls at a time.
"""

import asyncio
import errno
import hashlib
import io
import os
import shutil
import stat
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from io import BufferedReader
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, Final, NamedTuple, Protocol, TypeVar, cast

import msgspec
from obstore.exceptions import BaseError
from obstore.store import ObjectStore, from_url
from psycopg.errors import UniqueViolation

from weighbridge.collection.evidence_files import KEY_BYTES, EvidenceStore
from weighbridge.core.collection.data_feed import (
    DONE,
    FAILED,
    FILE_BYTES_MAX,
    MOVED_TO,
    NAME_OF_FILE_MAX,
    find_root,
)
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.tasks import TaskState
from weighbridge.db import locks
from weighbridge.db.engine import Database, Write
from weighbridge.db.statements import to_json_form
from weighbridge.errors import Refusal
from weighbridge.exchange import data_feed_uploads as uploads
from weighbridge.exchange.data_feed_uploads import get_report, read_upload
from weighbridge.exchange.records.data_feeds import SentFile
from weighbridge.settings import Settings

UNFINISHED: Final = (".part", ".partial", ".filepart", ".tmp", ".crdownload")
"""Endings of the names that programs give unfinished files."""

FILES_OF_LOOK_MAX: Final = 100
"""Files that one look takes up in one place, the first by their names."""

COPIED_BYTES: Final = 1_048_576


class PlaceError(Refusal):
    """A place cannot be polled, or a file in it cannot be taken; the message is for the owner of the feed."""


class CopiedFile(NamedTuple):
    """A file as it was copied."""

    size: int
    sha256: bytes


class Place(Protocol):
    """Where files wait."""

    async def waiting(self, now: datetime) -> list[str]:
        """The names of the files that are finished, in their order."""

    async def copy(self, name: str, target: Path) -> CopiedFile | None:
        """Copy a file; None when it is gone or was still being written."""

    async def settle(self, name: str, sha256: bytes, target: str, reports: Mapping[str, BinaryIO]) -> None:
        """Write reports, then move a file; steps that are done already are skipped."""


def is_ready_name(name: str) -> bool:
    """Whether a name is one of a finished file."""
    is_plain = name.isprintable() and 0 < len(name) <= NAME_OF_FILE_MAX - 40 and "/" not in name
    return is_plain and not name.startswith(".") and not name.lower().endswith(UNFINISHED)


def check_size(name: str, size: int) -> None:
    """Raise PlaceError for a file that no feed takes."""
    if not size:
        raise PlaceError(f"The file {name!r} is empty; it is left where it is.")
    if size > FILE_BYTES_MAX:
        raise PlaceError(
            f"The file {name!r} has {size:,} bytes; at most {FILE_BYTES_MAX:,} are taken. It is left there."
        )


def copy_file(source: BinaryIO, target: Path) -> CopiedFile:
    """Copy all of an open file, and digest it on the way."""
    digest, size = hashlib.sha256(), 0
    with target.open("wb") as file:
        while block := source.read(COPIED_BYTES):
            digest.update(block)
            size += len(block)
            file.write(block)
    return CopiedFile(size, digest.digest())


_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_WAITING_IS_NO_FILE: Final = os.O_RDONLY | os.O_NONBLOCK | _NO_LINK
_FOLDER_MODE: Final = 0o770
_FILE_MODE: Final = 0o660

Result = TypeVar("Result")


class FolderPlace:
    """A folder below a root; a file rests when nothing was written to it for some seconds."""

    def __init__(self, place: str, root: str, rest_seconds: int) -> None:
        self._place, self._root = place, root
        self._rest = timedelta(seconds=rest_seconds)

    async def waiting(self, now: datetime) -> list[str]:
        """The names of the files that rest."""
        return await self._run(self._list_waiting, now)

    async def copy(self, name: str, target: Path) -> CopiedFile | None:
        """Copy a file that stays as it is meanwhile."""
        return await self._run(self._copy, name, target)

    async def settle(self, name: str, sha256: bytes, target: str, reports: Mapping[str, BinaryIO]) -> None:
        """Write reports, then move the file."""
        await self._run(self._settle, name, sha256, target, reports)

    async def _run(self, work: Callable[..., Result], *arguments: Any) -> Result:
        try:
            return await asyncio.to_thread(work, *arguments)
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.ENOTDIR}:
                message = f"The folder {self._place} is not a folder, or is behind a symbolic link."
                raise PlaceError(message) from None
            raise PlaceError(f"The folder {self._place} cannot be used: {error.strerror or error}.") from None

    def _list_waiting(self, now: datetime) -> list[str]:
        with self._open_folder() as folder:
            names = []
            for entry in os.scandir(folder):
                if not is_ready_name(entry.name) or not entry.is_file(follow_symlinks=False):
                    continue
                with suppress(FileNotFoundError):
                    modified_at = entry.stat(follow_symlinks=False).st_mtime_ns
                    age = now - datetime.fromtimestamp(modified_at // 1_000_000_000, UTC)
                    if age >= self._rest:
                        names.append(entry.name)
            return sorted(names)[:FILES_OF_LOOK_MAX]

    def _copy(self, name: str, target: Path) -> CopiedFile | None:
        with self._open_folder() as folder, suppress(FileNotFoundError), _open_file(folder, name) as file:
            before = os.fstat(file.fileno())
            check_size(name, before.st_size)
            copied_file = copy_file(file, target)
            after = os.fstat(file.fileno())
            is_same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
            return copied_file if is_same and copied_file.size == before.st_size else None
        return None

    def _settle(self, name: str, sha256: bytes, target: str, reports: Mapping[str, BinaryIO]) -> None:
        into, _, moved = target.partition("/")
        assert into in MOVED_TO, "files are moved to one of two folders"  # noqa: S101
        with self._open_folder() as folder:
            with suppress(FileExistsError):
                os.mkdir(into, _FOLDER_MODE, dir_fd=folder)
            with _open_subfolder(folder, into) as target_folder:
                for report, content in reports.items():
                    _write(target_folder, report.partition("/")[2], content)
                with suppress(FileNotFoundError):
                    if _compute_digest(folder, name) == sha256:
                        os.rename(name, moved, src_dir_fd=folder, dst_dir_fd=target_folder)
                os.fsync(target_folder)
            os.fsync(folder)

    @contextmanager
    def _open_folder(self) -> Iterator[int]:
        """The folder, by its parts below the root."""
        parts = self._place[len(self._root) :].strip("/")
        handle = os.open(self._root, _FOLDER)
        try:
            for part in parts.split("/") if parts else ():
                below = os.open(part, _FOLDER | _NO_LINK, dir_fd=handle)
                os.close(handle)
                handle = below
            yield handle
        finally:
            os.close(handle)


@contextmanager
def _open_subfolder(folder: int, name: str) -> Iterator[int]:
    handle = os.open(name, _FOLDER | _NO_LINK, dir_fd=folder)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _open_file(folder: int, name: str) -> Iterator[BufferedReader]:
    """A plain file of the folder, and nothing that only looks like one."""
    handle = os.open(name, _WAITING_IS_NO_FILE, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise PlaceError(f"{name!r} is not a regular file; it is left where it is.")
        yield file


def _compute_digest(folder: int, name: str) -> bytes:
    with _open_file(folder, name) as file:
        return hashlib.file_digest(file, "sha256").digest()


def _write(folder: int, name: str, content: BinaryIO) -> None:
    """Write a file whole or not at all."""
    unfinished = f".{name}.part"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_LINK
    content.seek(0)
    with os.fdopen(os.open(unfinished, flags, _FILE_MODE, dir_fd=folder), "wb") as file:
        shutil.copyfileobj(content, file, COPIED_BYTES)
        file.flush()
        os.fsync(file.fileno())
    os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)


RETRIES: Final = 2


class BucketPlace:
    """The objects directly below a prefix."""

    def __init__(self, place: str, store: ObjectStore) -> None:
        self._place, self._store = place, store

    async def waiting(self, _: datetime) -> list[str]:
        """The names of the objects."""
        try:
            listed = await self._store.list_with_delimiter_async()
        except (BaseError, OSError) as error:
            raise self._build_error(error) from None
        names = sorted(
            stored_object["path"]
            for stored_object in listed["objects"]
            if is_ready_name(stored_object["path"])
        )
        return names[:FILES_OF_LOOK_MAX]

    async def copy(self, name: str, target: Path) -> CopiedFile | None:
        """Copy an object."""
        digest, size = hashlib.sha256(), 0
        try:
            stored_object = await self._store.get_async(name)
            check_size(name, stored_object.meta["size"])
            with target.open("wb") as file:
                async for chunk in stored_object.stream(min_chunk_size=COPIED_BYTES):
                    digest.update(chunk)
                    size += len(chunk)
                    await asyncio.to_thread(file.write, chunk)
        except FileNotFoundError:
            return None
        except (BaseError, OSError) as error:
            raise self._build_error(error) from None
        return CopiedFile(size, digest.digest())

    async def settle(self, name: str, sha256: bytes, target: str, reports: Mapping[str, BinaryIO]) -> None:
        """Write reports, then copy the object and remove it."""
        try:
            for report, content in reports.items():
                content.seek(0)
                await self._store.put_async(report, content)
            with suppress(FileNotFoundError):
                if await self._compute_digest(name) == sha256:
                    await self._store.copy_async(name, target)
                    await self._store.delete_async(name)
        except (BaseError, OSError) as error:
            raise self._build_error(error) from None

    async def _compute_digest(self, name: str) -> bytes:
        digest = hashlib.sha256()
        stored_object = await self._store.get_async(name)
        async for chunk in stored_object.stream(min_chunk_size=COPIED_BYTES):
            digest.update(chunk)
        return digest.digest()

    def _build_error(self, error: Exception) -> PlaceError:
        return PlaceError(f"The place {self._place} cannot be used: {str(error).splitlines()[0]}")


def open_bucket(place: str) -> BucketPlace:
    """Open a place by its URL; the environment has the credentials, as for evidence files."""
    try:
        return BucketPlace(place, from_url(place, retry_config={"max_retries": RETRIES}))
    except (BaseError, ValueError) as error:
        raise PlaceError(f"The place {place} cannot be used: {str(error).splitlines()[0]}") from None


# Polling the places that data feeds watch.


ALIVE_SECONDS: Final = 2
"""How often the transaction that holds the lock is used while a file is copied."""

OpenPlace = Callable[[str, str], Place]
"""Opens a place, by its name and the root above it."""


class Watching(msgspec.Struct, frozen=True):
    """A data feed and a place that it watches, or watched when it took a file from there."""

    project: int
    feed: int
    place: str
    account: int
    account_name: str
    user: int
    token: int | None
    problem: str | None


class PollResult(NamedTuple):
    """The outcome of a poll: files that were taken up, and failures inside the service."""

    files: int
    failures: tuple[Exception, ...]


class EndedUpload(msgspec.Struct, frozen=True):
    """An upload from a watched place whose task has ended, and whose file is to be moved."""

    number: int
    name: str
    sha256: bytes
    state: str
    has_report: bool


_FEEDS: Final = """
    SELECT f.project_id, f.id, watched.place, p.account_id, a.name, coalesce(f.watch_user_id, t.user_id),
           coalesce(f.watch_token_id, t.token_id), f.watch_problem
      FROM data_feeds f
      JOIN projects p ON p.id = f.project_id
      JOIN accounts a ON a.id = p.account_id
     CROSS JOIN LATERAL (
           SELECT f.watch AS place WHERE f.watch IS NOT NULL
           UNION SELECT u.place FROM data_feed_uploads u
                  WHERE (u.project_id, u.data_feed_id) = (f.project_id, f.id)
                    AND u.place IS NOT NULL AND u.settled_at IS NULL) AS watched
      LEFT JOIN LATERAL (
           SELECT s.user_id, s.token_id FROM data_feed_uploads u JOIN async_tasks s ON s.id = u.task_id
            WHERE (u.project_id, u.data_feed_id) = (f.project_id, f.id)
            ORDER BY u.id DESC LIMIT 1) AS t ON true
     ORDER BY f.project_id, f.id, watched.place
"""
_ENDED: Final = """
    SELECT u.id, u.file_name, u.sha256, t.state, u.report_key IS NOT NULL
      FROM data_feed_uploads u JOIN async_tasks t ON t.id = u.task_id
     WHERE u.project_id = %s AND u.data_feed_id = %s AND u.place = %s AND u.settled_at IS NULL
       AND t.state = ANY (%s)
     ORDER BY u.id
"""
_UNSETTLED: Final = """
    SELECT file_name FROM data_feed_uploads
     WHERE project_id = %s AND data_feed_id = %s AND place = %s AND settled_at IS NULL
"""

_SET_PROBLEM: Final = """
    UPDATE data_feeds SET watch_problem = %s WHERE project_id = %s AND id = %s AND watch = %s
"""


def build_opener(settings: Settings) -> OpenPlace:
    """How places are opened by these settings."""

    def open_place(place: str, root: str) -> Place:
        if place.startswith("/"):
            return FolderPlace(place, root, settings.watch_rest_seconds)
        return open_bucket(place)

    return open_place


async def poll_places(
    database: Database,
    store: EvidenceStore,
    settings: Settings,
    now: datetime,
    open_place: OpenPlace | None = None,
) -> PollResult:
    """Look at every place once; at none, while another worker looks."""
    async with database.write() as tx:
        taken_count, failures = 0, list[Exception]()
        if not await tx.value(*locks.try_hold(locks.watched_places(database.schema))):
            return PollResult(0, ())
        for watching in await tx.rows(Watching, _FEEDS):
            poll = PlacePoll(database, store, watching, now)
            opening = open_place or build_opener(settings)
            taken_count += await _keep_alive(tx, poll.run(settings.watched_roots, opening))
            failures += [poll.failure] if poll.failure else []
        return PollResult(taken_count, tuple(failures))


async def _keep_alive(tx: Write, work: Awaitable[Result]) -> Result:
    """The result of work, while the transaction is used so that the server does not end it."""
    working = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait([working], timeout=ALIVE_SECONDS))[0]:
            await tx.value("SELECT 1")
        return working.result()
    finally:
        working.cancel()


class PlacePoll:
    """One look at one place of one data feed."""

    def __init__(self, database: Database, store: EvidenceStore, watching: Watching, now: datetime) -> None:
        self._database, self._store, self._watching, self._now = database, store, watching, now
        self._problem: str | None = None
        self.failure: Exception | None = None

    async def run(self, roots: tuple[str, ...], open_place: OpenPlace) -> int:
        """Move files of ended uploads, and take up waiting ones; the data feed shows errors."""
        watching, taken_count = self._watching, 0
        try:
            root = find_root(watching.place, roots, watching.account_name)
            if root is None:
                self._problem = f"The account may no longer watch {watching.place}."
            else:
                place = open_place(watching.place, root)
                await self._settle_ended(place)
                taken_count = await self._take_waiting(place)
        except PlaceError as error:
            self._problem = str(error)
        except Exception as error:  # noqa: BLE001 - the worker logs it, and other places are looked at
            self.failure = error
            self._problem = "The last poll failed because of an error in the service; see its log."
        if self._problem != watching.problem:
            async with self._database.write() as tx:
                await tx.execute(
                    _SET_PROBLEM, (self._problem, watching.project, watching.feed, watching.place)
                )
        return taken_count

    async def _settle_ended(self, place: Place) -> None:
        watching = self._watching
        ended_states = [TaskState.COMPLETE, TaskState.FAILED]
        async with self._database.read() as tx:
            every = await tx.rows(
                EndedUpload, _ENDED, (watching.project, watching.feed, watching.place, ended_states)
            )
        for ended in every:
            folder = DONE if ended.state == TaskState.COMPLETE else FAILED
            target = f"{folder}/{ended.number:06}-{ended.name}"
            async with AsyncExitStack() as closing:
                reports = await self._build_reports(ended, target, closing)
                await place.settle(ended.name, ended.sha256, target, reports)
            async with self._database.write() as tx:
                await tx.execute(
                    "UPDATE data_feed_uploads SET settled_at = now() WHERE project_id = %s AND id = %s",
                    (watching.project, ended.number),
                )

    async def _build_reports(
        self, ended: EndedUpload, target: str, closing: AsyncExitStack
    ) -> Mapping[str, BinaryIO]:
        """The reports written next to the file: the record of its upload, and its bad rows."""
        watching = self._watching
        async with self._database.read() as tx:
            upload = await read_upload(tx, watching.project, watching.feed, str(ended.number))
            report = (
                await get_report(tx, watching.project, watching.feed, str(ended.number))
                if ended.has_report
                else None
            )
        message = msgspec.json.format(msgspec.json.encode(upload, enc_hook=to_json_form), indent=2)
        reports: dict[str, BinaryIO] = {f"{target}.report.json": io.BytesIO(message + b"\n")}
        if report is not None and report.key is not None:
            spool = await self._store.get(report.key, report.size, report.sha256)
            closing.callback(spool.close)
            reports[f"{target}.bad_rows.csv"] = cast("BinaryIO", spool)
        return reports

    async def _take_waiting(self, place: Place) -> int:
        watching = self._watching
        async with self._database.read() as tx:
            rows = await tx.tuples(_UNSETTLED, (watching.project, watching.feed, watching.place))
            is_watched = await tx.value(
                "SELECT watch = %s FROM data_feeds WHERE project_id = %s AND id = %s",
                (watching.place, watching.project, watching.feed),
            )
        if not is_watched:
            return 0
        under_way = {name for (name,) in rows}
        taken_count = 0
        for name in await place.waiting(self._now):
            if name not in under_way:
                try:
                    taken_count += await self._take(place, name)
                except PlaceError as error:
                    self._problem = str(error)
        return taken_count

    async def _take(self, place: Place, name: str) -> bool:
        """Copy a file to the store, and write down its upload."""
        watching = self._watching
        actor = Actor(watching.account, watching.user, watching.token, frozenset(), f"watch_{token_hex(12)}")
        with TemporaryDirectory(prefix="weighbridge-watch-") as folder:
            path = Path(folder) / "file"
            copied_file = await place.copy(name, path)
            if copied_file is None:
                return False
            key = token_hex(KEY_BYTES)
            await self._store.put_file(key, path)
        file = SentFile(key, name, copied_file.size, copied_file.sha256, dry_run=False)
        try:
            async with self._database.write() as tx:
                await uploads.insert_upload(
                    tx, actor, watching.project, watching.feed, file, place=watching.place
                )
        except UniqueViolation:
            await self._store.delete(key)
            return False
        except Refusal as refusal:
            await self._store.delete(key)
            raise PlaceError(f"The file {name!r} waits: {refusal}") from None
        return True
