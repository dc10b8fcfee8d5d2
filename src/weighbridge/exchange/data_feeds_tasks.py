"""Look where data feeds watch: take up the files that wait, and move away those whose uploads have ended.

A file goes through four steps, and a kill between any two of them is made good by the next look: it is copied
to the store; an upload is written down with its task; the task ends; its report is written and it is moved.

Invariants: a file is taken up once until it is moved, by a unique index; one worker looks at a time.
"""

import asyncio
import io
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final, NamedTuple, TypeVar, cast

import msgspec
from psycopg.errors import UniqueViolation

from weighbridge.collection.evidence_files import KEY_BYTES, EvidenceStore
from weighbridge.core.collection.data_feed import DONE, FAILED, find_root
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.tasks import TaskState
from weighbridge.db import locks
from weighbridge.db.engine import Database, Write
from weighbridge.db.json import written
from weighbridge.errors import Refusal
from weighbridge.exchange import data_feed_uploads as uploads
from weighbridge.exchange.data_feed_uploads import get_report, read_upload
from weighbridge.exchange.feeding.place import FolderPlace, Place, PlaceError, open_bucket
from weighbridge.exchange.records.data_feeds import SentFile
from weighbridge.settings import Settings

ALIVE_SECONDS: Final = 2
"""How often the transaction that holds the lock is used while a file is copied."""

Result = TypeVar("Result")
PlaceOf = Callable[[str, str], Place]
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
    """What a look came to: files that were taken up, and failures that are mistakes of ours."""

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
_UNDER_WAY: Final = """
    SELECT file_name FROM data_feed_uploads
     WHERE project_id = %s AND data_feed_id = %s AND place = %s AND settled_at IS NULL
"""

_TELL: Final = """
    UPDATE data_feeds SET watch_problem = %s WHERE project_id = %s AND id = %s AND watch = %s
"""


def build_opener(settings: Settings) -> PlaceOf:
    """How places are opened by these settings."""

    def place_of(place: str, root: str) -> Place:
        if place.startswith("/"):
            return FolderPlace(place, root, settings.watch_rest_seconds)
        return open_bucket(place)

    return place_of


async def poll_places(
    database: Database,
    store: EvidenceStore,
    settings: Settings,
    now: datetime,
    place_of: PlaceOf | None = None,
) -> PollResult:
    """Look at every place once; at none, while another worker looks."""
    async with database.write() as tx:
        taken, failures = 0, list[Exception]()
        if not await tx.value(*locks.try_hold(locks.WATCHED_PLACES)):
            return PollResult(0, ())
        for watching in await tx.rows(Watching, _FEEDS):
            poll = PlacePoll(database, store, watching, now)
            opening = place_of or build_opener(settings)
            taken += await _meanwhile(tx, poll.run(settings.watched_roots, opening))
            failures += [poll.failure] if poll.failure else []
        return PollResult(taken, tuple(failures))


async def _meanwhile(tx: Write, work: Awaitable[Result]) -> Result:
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

    async def run(self, roots: tuple[str, ...], place_of: PlaceOf) -> int:
        """Move away what has ended, and take up what waits; what goes wrong is told by the data feed."""
        one, taken = self._watching, 0
        try:
            root = find_root(one.place, roots, one.account_name)
            if root is None:
                self._problem = f"The account may watch {one.place} no more."
            else:
                place = place_of(one.place, root)
                await self._settle_ended(place)
                taken = await self._take_waiting(place)
        except PlaceError as error:
            self._problem = str(error)
        except Exception as error:  # noqa: BLE001 - the worker logs it, and other places are looked at
            self.failure = error
            self._problem = "The last look failed for a reason of the service's own; its log says which."
        if self._problem != one.problem:
            async with self._database.write() as tx:
                await tx.execute(_TELL, (self._problem, one.project, one.feed, one.place))
        return taken

    async def _settle_ended(self, place: Place) -> None:
        one = self._watching
        ended_states = [TaskState.COMPLETE, TaskState.FAILED]
        async with self._database.read() as tx:
            every = await tx.rows(EndedUpload, _ENDED, (one.project, one.feed, one.place, ended_states))
        for ended in every:
            folder = DONE if ended.state == TaskState.COMPLETE else FAILED
            target = f"{folder}/{ended.number:06}-{ended.name}"
            async with AsyncExitStack() as closing:
                reports = await self._reports(ended, target, closing)
                await place.settle(ended.name, ended.sha256, target, reports)
            async with self._database.write() as tx:
                await tx.execute(
                    "UPDATE data_feed_uploads SET settled_at = now() WHERE project_id = %s AND id = %s",
                    (one.project, ended.number),
                )

    async def _reports(
        self, ended: EndedUpload, target: str, closing: AsyncExitStack
    ) -> Mapping[str, BinaryIO]:
        """What is written beside the file: the record of its upload, and its bad rows."""
        one = self._watching
        async with self._database.read() as tx:
            upload = await read_upload(tx, one.project, one.feed, str(ended.number))
            report = (
                await get_report(tx, one.project, one.feed, str(ended.number)) if ended.has_report else None
            )
        said = msgspec.json.format(msgspec.json.encode(upload, enc_hook=written), indent=2)
        reports: dict[str, BinaryIO] = {f"{target}.report.json": io.BytesIO(said + b"\n")}
        if report is not None and report.key is not None:
            spool = await self._store.get(report.key, report.size, report.sha256)
            closing.callback(spool.close)
            reports[f"{target}.bad_rows.csv"] = cast("BinaryIO", spool)
        return reports

    async def _take_waiting(self, place: Place) -> int:
        one = self._watching
        async with self._database.read() as tx:
            rows = await tx.tuples(_UNDER_WAY, (one.project, one.feed, one.place))
            is_watched = await tx.value(
                "SELECT watch = %s FROM data_feeds WHERE project_id = %s AND id = %s",
                (one.place, one.project, one.feed),
            )
        if not is_watched:
            return 0
        under_way = {name for (name,) in rows}
        taken = 0
        for name in await place.waiting(self._now):
            if name not in under_way:
                try:
                    taken += await self._take(place, name)
                except PlaceError as error:
                    self._problem = str(error)
        return taken

    async def _take(self, place: Place, name: str) -> bool:
        """Copy a file to the store, and write down its upload."""
        one = self._watching
        actor = Actor(one.account, one.user, one.token, frozenset(), f"watch_{token_hex(12)}")
        with TemporaryDirectory(prefix="weighbridge-watch-") as folder:
            path = Path(folder) / "file"
            found = await place.copy(name, path)
            if found is None:
                return False
            key = token_hex(KEY_BYTES)
            await self._store.put_file(key, path)
        file = SentFile(key, name, found.size, found.sha256, dry_run=False)
        try:
            async with self._database.write() as tx:
                await uploads.insert_upload(tx, actor, one.project, one.feed, file, place=one.place)
        except UniqueViolation:
            await self._store.delete(key)
            return False
        except Refusal as refusal:
            await self._store.delete(key)
            raise PlaceError(f"The file {name!r} waits: {refusal}") from None
        return True
