"""The database as a store: events go through the same action as over HTTP, for the account's administrator.

Two imports of the same file at the same time meet at the unique client reference; the later one then
finds the events there and leaves them alone.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from secrets import token_hex
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import msgspec
import psycopg
from psycopg.errors import UniqueViolation
from psycopg_pool import PoolTimeout

from weighbridge.collection.assets import queries as assets
from weighbridge.collection.event_types import queries as event_types
from weighbridge.collection.events.actions import create_events
from weighbridge.collection.events.records import NewEventsBody
from weighbridge.collection.feedstocks import queries as feedstocks
from weighbridge.collection.locations import queries as locations
from weighbridge.collection.tenancy.project import project_named
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.listing import Listing, Page, list_request
from weighbridge.errors import NotFound, Refusal, Unavailable
from weighbridge.exchange.importing.store import (
    Destination,
    IdAndName,
    StoredBatch,
    TypeFacts,
    destination_of,
    other_time,
    other_type,
    told_by_line,
)
from weighbridge.exchange.tabular.row import NumberedEvent
from weighbridge.platform.accounts.actions import administrator_of

CONNECTIONS_MAX: Final = 2
TWIN_ATTEMPTS_MAX: Final = 3
"""How often a batch is tried again when another import stored the same events meanwhile."""

Result = TypeVar("Result")


class _TakenError(Refusal):
    """Between looking for an event and storing it, another import has stored it."""

    status = 409


class Direct:
    """A store on the database; a context manager, for it holds connections and an event loop."""

    def __init__(self, url: str, account: str) -> None:
        self._database = Database(url, connections_max=CONNECTIONS_MAX)
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

    def destination(self, project: str, event_type: str) -> Destination:
        return self._run(self._destination(project, event_type))

    def keep(self, batch: Sequence[NumberedEvent]) -> StoredBatch:
        for _ in range(TWIN_ATTEMPTS_MAX - 1):
            with suppress(_TakenError):
                return self._run(self._keep(batch))
        return self._run(self._keep(batch))

    def _run(self, work: Coroutine[Any, Any, Result]) -> Result:
        try:
            return self._runner.run(work)
        except UniqueViolation as error:
            raise _TakenError("Another import is storing the same events; run this one again.") from error
        except (psycopg.Error, PoolTimeout) as error:
            raise Unavailable(f"The database refused the work: {str(error).strip()}") from error

    async def _destination(self, project: str, event_type: str) -> Destination:
        async with self._database.write() as tx:
            self._actor = await administrator_of(tx, self._account, f"import_{token_hex(12)}")
        async with self._database.read() as tx:
            try:
                self._project = await project_named(tx, self._actor, project)
            except NotFound:
                said = f"The account {self._account!r} has no project {project!r}."
                raise NotFound("project", project, message=said) from None
            return destination_of(
                ids.of("project", self._project),
                await self._all(tx, event_types.list_event_types, event_types.EVENT_TYPES, TypeFacts),
                event_type,
                locations=await self._all(tx, locations.list_locations, locations.LOCATIONS, IdAndName),
                feedstocks=await self._all(
                    tx, feedstocks.list_feedstocks_of_project, feedstocks.FEEDSTOCKS, IdAndName
                ),
                assets=await self._all(tx, assets.list_assets_of_project, assets.ASSETS, IdAndName),
            )

    async def _all(self, tx: Read, list_page: Any, listing: Listing, facts: type[Result]) -> list[Result]:
        """Walk a list of the project to its end."""
        records: list[Result] = []
        number: int | None = 1
        while number is not None:
            request = list_request([("page", str(number)), ("page_size", "200")], listing)
            page: Page[Any] = await list_page(tx, self._project, request)
            records += msgspec.convert(page.data, list[facts], from_attributes=True)  # type: ignore[valid-type]
            number = page.info.next_page
        return records

    async def _keep(self, batch: Sequence[NumberedEvent]) -> StoredBatch:
        assert self._actor is not None  # noqa: S101 - the destination was found before
        async with self._database.write() as tx:
            there = await self._references_there(tx, batch)
            new = [numbered for numbered in batch if numbered.event.client_reference not in there]
            if new:
                try:
                    body = NewEventsBody(events=[numbered.event for numbered in new])
                    await create_events(tx, self._actor, self._project, body)
                except Refusal as refusal:
                    if all(problem.code == "taken" for problem in refusal.problems):
                        raise _TakenError(refusal.problems) from None
                    raise told_by_line(refusal, new) from None
        return StoredBatch(len(new), len(batch) - len(new))

    async def _references_there(self, tx: Write, batch: Sequence[NumberedEvent]) -> set[str]:
        """Find the client references that the project has; refuse one on an event that is not the row's."""
        lines = {one.event.client_reference: one for one in batch if one.event.client_reference}
        if not lines:
            return set()
        rows = await tx.tuples(
            """
            SELECT e.client_reference, t.slug, e.start_time, e.is_revised
              FROM events e JOIN event_types t ON (t.project_id, t.id) = (e.project_id, e.event_type_id)
             WHERE e.project_id = %s AND e.client_reference = ANY (%s)
            """,
            (self._project, list(lines)),
        )
        for reference, slug, start, is_revised in rows:
            one = lines[reference]
            if slug != one.event.event_type:
                raise other_type(one.line, reference, slug, one.event.event_type)
            # A time that was corrected since is not the file's any more.
            if not is_revised and (refusal := other_time(one, start)):
                raise refusal
        return {reference for reference, *_ in rows}
