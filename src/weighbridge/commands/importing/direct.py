"""An import into a database: the file goes to the store of the service, and the command works on its task.

The command is a worker for the files of one data feed, and has a head start on others. A task that an import
left behind when it was killed is carried out by the next import of the feed, or by any worker.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import msgspec
import psycopg
from psycopg_pool import PoolTimeout

from weighbridge.client.calls import read
from weighbridge.client.made.records import DataFeedUpload
from weighbridge.collection import event_types, events
from weighbridge.collection.evidence_files import KEY_BYTES, open_store
from weighbridge.collection.named_records.nouns import LOCATIONS
from weighbridge.commands.importing.run import ProgressReport, Target, check_feed, choose_target
from weighbridge.core import identity
from weighbridge.core.collection.data_feed import FILE_BYTES_MAX
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read
from weighbridge.db.lists.listing import Listing, ListRequest, Page, list_request
from weighbridge.db.statements import to_json_form
from weighbridge.errors import Conflict, Invalid, NotFound, Refusal, TooLarge, Unavailable
from weighbridge.exchange import data_feed_uploads
from weighbridge.exchange import data_feed_uploads as uploads
from weighbridge.exchange.data_feed_uploads_tasks import Feeder
from weighbridge.exchange.data_feeds import DATA_FEEDS, insert_data_feed
from weighbridge.exchange.records.data_feeds import DataFeed, SentFile
from weighbridge.platform import async_tasks as tasks
from weighbridge.platform.async_tasks import give_head_start, read_task_of_any_kind
from weighbridge.platform.tenancy import project_named
from weighbridge.platform.users import administrator_of
from weighbridge.sandbox.sandbox import prepare_sandboxes
from weighbridge.settings import Settings
from weighbridge.worker import work_on_lock

CONNECTIONS_MAX: Final = 6
"""Connections of an import: of the transaction that stores, and of what looks on beside it."""

HEAD_START_SECONDS: Final = 60
"""How long the task of an import is left to the command, which has the file in its store for sure."""

LOOK_SECONDS: Final = 0.2
"""How often an import looks how far its upload is."""

Result = TypeVar("Result")
ListPage = Callable[[Read, int, ListRequest], Awaitable[Page[Any]]]


class DirectService:
    """A service by its database and store; a context manager, for it keeps connections and an event loop."""

    def __init__(self, url: str, settings: Settings, account: str) -> None:
        self._database = Database(url, connections_max=CONNECTIONS_MAX)
        self._settings = settings
        self._store = open_store(settings.evidence_url, settings.data_dir)
        self._account = account
        self._runner = asyncio.Runner()
        self._actor: Actor | None = None
        self._project = 0

    def __enter__(self) -> Self:
        self._runner.__enter__()
        self._run(self._database.open())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._runner.run(self._database.close())
        self._runner.__exit__(kind, error, trace)

    def find_target(self, project: str, event_type: str) -> Target:
        return self._run(self._find_target(project, event_type))

    def find_feed(self, wanted: DataFeed) -> int:
        try:
            return self._run(self._find_feed(wanted))
        except Invalid as refusal:  # another import has made it meanwhile
            if any(problem.code == "taken" for problem in refusal.problems):
                return self._run(self._find_feed(wanted))
            raise

    def upload(self, feed: int, file: Path, *, is_dry_run: bool, report: ProgressReport) -> DataFeedUpload:
        return self._run(self._upload(feed, file, is_dry_run=is_dry_run, report=report))

    def read_upload(self, feed: int, number: int) -> DataFeedUpload:
        return self._run(self._read_upload(feed, number))

    def count_corrections(self, upload: DataFeedUpload) -> int:
        return self._run(self._count_corrections(upload))

    def list_missing(self, upload: DataFeedUpload, event_type: str) -> list[str]:
        return self._run(self._list_missing(upload, event_type))

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        try:
            return self._runner.run(work)
        except (psycopg.Error, PoolTimeout) as error:
            raise Unavailable(f"The database refused the work: {str(error).strip()}") from error

    @property
    def actor(self) -> Actor:
        """The administrator of the account, once the target was found."""
        assert self._actor is not None, "the target is found first"  # noqa: S101
        return self._actor

    async def _find_target(self, project: str, event_type: str) -> Target:
        async with self._database.write() as tx:
            self._actor = await administrator_of(tx, self._account, f"import_{token_hex(12)}")
        async with self._database.read() as tx:
            try:
                self._project = await project_named(tx, self._actor, project)
            except NotFound:
                message = f"The account {self._account!r} has no project {project!r}."
                raise NotFound("project", project, message=message) from None
            return choose_target(
                identity.of("project", self._project),
                await self._list(tx, event_types.select_event_types, event_types.EVENT_TYPES),
                event_type,
                await self._list(tx, LOCATIONS.select_of_project, LOCATIONS.listing),
            )

    async def _find_feed(self, wanted: DataFeed) -> int:
        async with self._database.read() as tx:
            request = list_request([("filter[name][eq]", wanted.name)], DATA_FEEDS.listing)
            found = (await DATA_FEEDS.select_of_project(tx, self._project, request)).data
        if found:
            check_feed(found[0], wanted)
            return found[0].id
        async with self._database.write() as tx:
            made = await insert_data_feed(tx, self.actor, self._project, wanted, self._settings)
        return made.id

    async def _upload(
        self, feed: int, file: Path, *, is_dry_run: bool, report: ProgressReport
    ) -> DataFeedUpload:
        with prepare_sandboxes(after_seconds=0):
            sent = await self._send(file, is_dry_run=is_dry_run)
        report("Sending", sent.size, sent.size)
        async with self._database.write() as tx:
            made = await uploads.insert_upload(tx, self.actor, self._project, feed, sent)
            await give_head_start(tx, made.async_task_id, HEAD_START_SECONDS)
        upload = await self._read_upload(feed, made.id)

        async def look() -> bool:
            nonlocal upload
            upload = await self._read_upload(feed, made.id)
            report("Storing", upload.progress, 100)
            return upload.finished_at is not None

        async def abandon() -> None:
            with suppress(Conflict):  # it has ended meanwhile
                async with self._database.write() as tx:
                    await tasks.cancel_task(tx, self.actor, str(made.async_task_id))

        await work_on_lock(
            self._database, self._settings, locks.jobs_of_feed(self._project, feed),
            tasks={uploads.KIND: Feeder(self._store).take_in}, until=look, abandon=abandon,
            look_seconds=LOOK_SECONDS,
        )  # fmt: skip
        return upload

    async def _send(self, file: Path, *, is_dry_run: bool) -> SentFile:
        """Put the file into the store."""
        size, sha256 = await asyncio.to_thread(_measure, file)
        if not size:
            raise Refusal("The file is empty.")
        if size > FILE_BYTES_MAX:
            raise TooLarge(f"The file has {size:,} bytes; at most {FILE_BYTES_MAX:,} are taken. Gzip it.")
        key = token_hex(KEY_BYTES)
        await self._store.put_file(key, file)
        return SentFile(key, file.name, size, sha256, is_dry_run)

    async def _read_upload(self, feed: int, number: int) -> DataFeedUpload:
        async with self._database.read() as tx:
            found = await data_feed_uploads.read_upload(tx, self._project, feed, str(number))
        upload: DataFeedUpload = read(msgspec.json.encode(found, enc_hook=to_json_form), DataFeedUpload)
        return upload

    async def _count_corrections(self, upload: DataFeedUpload) -> int:
        async with self._database.read() as tx:
            task = await read_task_of_any_kind(tx, self.actor, str(upload.async_task_id))
        return int(task.result["corrected"])

    async def _list_missing(self, upload: DataFeedUpload, event_type: str) -> list[str]:
        since = Instant.of(upload.created_at).text
        filters = {"slug][eq": event_type, "status][eq": "incomplete", "updated_at][geq": since}
        async with self._database.read() as tx:
            query = [(f"filter[{name}]", value) for name, value in filters.items()]
            found = await self._list(tx, events.select_events, events.EVENTS, query)
        return [slug for event in found for slug in event.missing]

    async def _list(
        self, tx: Read, list_page: ListPage, listing: Listing, query: Sequence[tuple[str, str]] = ()
    ) -> list[Any]:
        """Walk a list of the project to its end."""
        records: list[Any] = []
        number: int | None = 1
        while number is not None:
            request = list_request([*query, ("page", str(number)), ("page_size", "200")], listing)
            page = await list_page(tx, self._project, request)
            records += page.data
            number = page.info.next_page
        return records


def _measure(file: Path) -> tuple[int, bytes]:
    """How long a file is, and its SHA-256."""
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").digest()
        return content.tell(), digest
