"""The database as a store: events go through the same action as over HTTP, for the account's administrator.

Two imports of the same file at the same time meet at the unique client reference; the later one then
finds the events there and leaves them alone.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from secrets import token_hex
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import msgspec
import psycopg
from psycopg.errors import UniqueViolation
from psycopg_pool import PoolTimeout

from weighbridge.collection import assets, event_types, feedstocks, locations
from weighbridge.collection.events import change_events, insert_events
from weighbridge.collection.intake.checking import EventVocabulary
from weighbridge.collection.intake.client_references import HeldEvent, differences, held_events
from weighbridge.collection.intake.lookup import look_up
from weighbridge.collection.named_records.names import project_named
from weighbridge.collection.records.events import NewEvent, NewEventsBody
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.lists.listing import Listing, Page, list_request
from weighbridge.errors import NotFound, Refusal, Unavailable
from weighbridge.exchange.importing.store import (
    Comparing,
    Destination,
    IdAndName,
    StoredBatch,
    TypeFacts,
    destination_of,
    other_time,
    other_type,
    said_of,
    told_by_line,
)
from weighbridge.exchange.tabular.given import change_of, differing_row, is_correctable
from weighbridge.exchange.tabular.row import BadRow, NumberedEvent
from weighbridge.platform.users import administrator_of

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

    def keep(self, batch: Sequence[NumberedEvent], comparing: Comparing) -> StoredBatch:
        for _ in range(TWIN_ATTEMPTS_MAX - 1):
            with suppress(_TakenError):
                return self._run(self._keep(batch, comparing))
        return self._run(self._keep(batch, comparing))

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
                await self._all(tx, event_types.select_event_types, event_types.EVENT_TYPES, TypeFacts),
                event_type,
                locations=await self._all(tx, locations.select_locations, locations.LOCATIONS, IdAndName),
                feedstocks=await self._all(
                    tx, feedstocks.select_feedstocks_of_project, feedstocks.FEEDSTOCKS, IdAndName
                ),
                assets=await self._all(tx, assets.select_assets_of_project, assets.ASSETS, IdAndName),
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

    async def _keep(self, batch: Sequence[NumberedEvent], comparing: Comparing) -> StoredBatch:
        assert self._actor is not None  # noqa: S101 - the destination was found before
        async with self._database.write() as tx:
            known = await self._known(tx, batch)
            new = [numbered for numbered in batch if numbered.event.client_reference not in known]
            differing, corrected = await self._compared(tx, batch, known, comparing) if known else ([], 0)
            if new and not comparing.is_dry_run:
                try:
                    body = NewEventsBody(events=[numbered.event for numbered in new])
                    await insert_events(tx, self._actor, self._project, body)
                except Refusal as refusal:
                    if all(problem.code in {"taken", "differs"} for problem in refusal.problems):
                        raise _TakenError(refusal.problems) from None
                    raise told_by_line(refusal, new) from None
        return StoredBatch(len(new), len(known) - len(differing), tuple(differing), corrected)

    async def _known(self, tx: Write, batch: Sequence[NumberedEvent]) -> dict[str, HeldEvent]:
        """The events that the project has by their references; refuses one that is not its row's."""
        lines = {one.event.client_reference: one for one in batch if one.event.client_reference}
        known = await held_events(tx, self._project, list(lines))
        types = list({held.event_type for held in known.values()})
        statement = "SELECT id, slug FROM event_types WHERE project_id = %s AND id = ANY (%s)"
        slugs: dict[int, str] = dict(await tx.tuples(statement, (self._project, types))) if types else {}
        for reference, held in known.items():
            one = lines[reference]
            if (slug := slugs[held.event_type]) != one.event.event_type:
                raise other_type(one.line, reference, slug, one.event.event_type)
            # A time that was corrected since is not the file's any more.
            if not held.is_revised and (refusal := other_time(one, held.start_time)):
                raise refusal
        return known

    async def _compared(
        self,
        tx: Write,
        batch: Sequence[NumberedEvent],
        known: Mapping[str, HeldEvent],
        comparing: Comparing,
    ) -> tuple[list[BadRow], int]:
        """The rows that differ from their events, and how many of those were corrected."""
        assert self._actor is not None  # noqa: S101 - as above
        rows = [(one, held) for one in batch if (held := known.get(one.event.client_reference or ""))]
        vocabulary = await self._vocabulary(tx, [one.event for one, _ in rows])
        found = [
            (one, held, unlike)
            for one, held in rows
            if (unlike := differences(one.event, held, vocabulary, comparing.given))
        ]
        wanted = {
            held.number: change_of(one.event, unlike, comparing.reason)
            for one, held, unlike in found
            if comparing.is_correcting and is_correctable(unlike)
        }
        refused: dict[int, list[Problem]] = {}
        if wanted and not comparing.is_dry_run:
            refused = await change_events(tx, self._actor, self._project, wanted, vocabulary)
        told = []
        for one, held, unlike in found:
            event = ids.of("event", self._project, held.number)
            said = said_of(event, comparing, is_correctable=held.number in wanted)
            if held.number in refused:
                said = " ".join(problem.message for problem in refused[held.number]).rstrip(".")
            told.append(differing_row(one.line, unlike, comparing.given, said))
        return told, len(wanted) - len(refused)

    async def _vocabulary(self, tx: Write, events: Sequence[NewEvent]) -> EventVocabulary:
        """What the events name, as it is and held until the transaction ends."""
        assert self._actor is not None  # noqa: S101 - as above
        named = {
            "location": {place.id for event in events for place in event.locations},
            "feedstock": {event.feedstock_id for event in events if event.feedstock_id is not None},
            "asset": {event.asset_id for event in events if event.asset_id is not None},
        }
        slugs = {event.event_type for event in events}
        return (await look_up(tx, self._actor, self._project, slugs=slugs, named=named)).vocabulary
