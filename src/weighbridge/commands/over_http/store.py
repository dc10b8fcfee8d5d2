"""A running service as the store of an import, reached by the Python client with a token.

Invariant: a batch whose answer was lost is sent again with its idempotency key, so that it is stored once,
with client references or without.
"""

import re
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Final, Self, TypeVar
from urllib.parse import quote

import msgspec

from weighbridge.client import Client, Failed, NotFound, Refused, Unreachable, WeighbridgeError
from weighbridge.client.calls import PREFIX, Call, is_address
from weighbridge.client.flows import storing_body
from weighbridge.client.made import operations
from weighbridge.client.made.records import Event
from weighbridge.client.pages import Listing, Pages
from weighbridge.collection.intake.client_references import Discrepancy
from weighbridge.collection.records.events import EventChange, EventChangeBody, NewEventsBody
from weighbridge.core.problem import Problem
from weighbridge.db.json import written
from weighbridge.errors import Invalid, Refusal, Unavailable
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
from weighbridge.exchange.tabular.given import change_of, is_correctable
from weighbridge.exchange.tabular.row import BadRow, NumberedEvent, RowProblem

T = TypeVar("T")
_EVENT: Final = re.compile(r"events\[(\d+)\]\.")
_VALUE: Final = re.compile(r"data_points\[(\d+)\]\.value")
_encode: Final = msgspec.json.Encoder(enc_hook=written, decimal_format="number").encode


class Remote:
    """A store behind the address of a service; a context manager, for it keeps a connection."""

    def __init__(self, url: str, token: str, pause: Callable[[float], None] = time.sleep) -> None:
        self._url = _checked(url)
        self._client = Client(url, token=token, pause=pause)
        self._project = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def destination(self, project: str, event_type: str) -> Destination:
        self._project = project
        try:
            friendly = self._client.projects.get(project).id
        except NotFound as error:
            raise Refusal(f"The account of the token has no project {project!r}.") from error
        except WeighbridgeError as error:
            raise self._refusal(error) from error
        return destination_of(
            friendly,
            self._all(operations.event_types_list(project), TypeFacts),
            event_type,
            locations=self._all(operations.locations_list(project), IdAndName),
            feedstocks=self._all(operations.feedstocks_list_feedstocks_of_project(project), IdAndName),
            assets=self._all(operations.assets_list_assets_of_project(project), IdAndName),
        )

    def keep(self, batch: Sequence[NumberedEvent], comparing: Comparing) -> StoredBatch:
        """Store a batch; where the service has some of its events, halve it until they stand apart."""
        if comparing.is_dry_run:
            return StoredBatch(len(batch), 0)
        body = _encode(NewEventsBody(events=[one.event for one in batch]))
        try:
            return StoredBatch(self._client.carry(storing_body(self._project, body)).info.items, 0)
        except Failed as error:
            raise self._refusal(error) from error
        except Refused as error:
            refusal = self._refusal(error)
        except WeighbridgeError as error:
            raise self._refusal(error) from error
        # What the project has already is named by its records; a reference twice in the batch has none.
        if any(one.code not in {"taken", "differs"} or not one.records for one in refusal.problems):
            raise told_by_line(refusal, batch)
        taken = sum(len(problem.records) for problem in refusal.problems if problem.code == "taken")
        differing = [problem for problem in refusal.problems if problem.code == "differs"]
        if taken == len(batch) and all(_EVENT.match(problem.field or "") for problem in differing):
            self._check_same(batch[0])
            return self._settled(batch, differing, comparing)
        middle = len(batch) // 2
        first, second = self.keep(batch[:middle], comparing), self.keep(batch[middle:], comparing)
        return StoredBatch(
            first.stored + second.stored,
            first.already_there + second.already_there,
            first.differing + second.differing,
            first.corrected + second.corrected,
        )

    def _settled(
        self, batch: Sequence[NumberedEvent], problems: Sequence[Problem], comparing: Comparing
    ) -> StoredBatch:
        """Tell of the rows whose events the service has otherwise, and correct those if that is asked."""
        by_row: dict[int, list[tuple[Problem, Discrepancy]]] = {}
        for problem in problems:
            match = _EVENT.match(problem.field or "")
            assert match is not None, "they were asked before"  # noqa: S101
            index = int(match[1])
            one = _difference(batch[index], problem)
            if one.key in {("event_type", False), ("start_time", False)}:
                self._check_same(batch[index])
            if one.key in comparing.given:
                by_row.setdefault(index, []).append((problem, one))
        told, corrected = [], 0
        for index, found in by_row.items():
            numbered, event = batch[index], found[0][0].records[0]
            unlike = [one for _, one in found]
            said = said_of(event, comparing, is_correctable=is_correctable(unlike))
            if comparing.is_correcting and is_correctable(unlike):
                self._correct(event, change_of(numbered.event, unlike, comparing.reason))
                corrected += 1
            problems_of_row = tuple(
                RowProblem(
                    f"{_EVENT.sub('', problem.message).rstrip('.')}; {said}",
                    comparing.given[one.key],
                    one.sent,
                    one.field,
                )
                for problem, one in found
            )
            told.append(BadRow(numbered.line, problems_of_row))
        return StoredBatch(0, len(batch) - len(told), tuple(told), corrected)

    def _correct(self, event: str, change: EventChange) -> None:
        path = f"{PREFIX}/projects/{quote(self._project, safe='')}/events/{event}"
        body = _encode(EventChangeBody(event=change))
        try:
            self._client.carry(
                Call("PATCH", path, Event, body=body, content_type="application/json", takes_key=True)
            )
        except WeighbridgeError as error:
            raise self._refusal(error) from error

    def _check_same(self, numbered: NumberedEvent) -> None:
        """Refuse when the event that has the reference is of another type or time: it is not this row."""
        reference = numbered.event.client_reference or ""
        slug = numbered.event.event_type
        for stored in self._walked(operations.events_list(self._project, client_reference=reference)):
            if stored.slug != slug:
                raise other_type(numbered.line, reference, stored.slug, slug)
            refusal = other_time(numbered, stored.start_time)
            corrections = operations.data_points_list_event_corrections(self._project, stored.id)
            if refusal and not self._walked(corrections):
                raise refusal

    def _all(self, listing: Listing[Any], facts: type[T]) -> list[T]:
        """What an import needs to know of every record of a list."""
        return msgspec.convert(self._walked(listing), list[facts], from_attributes=True)  # type: ignore[valid-type]

    def _walked(self, listing: Listing[T]) -> list[T]:
        try:
            return list(Pages(self._client.carry, listing))
        except WeighbridgeError as error:
            raise self._refusal(error) from error

    def _refusal(self, error: WeighbridgeError) -> Refusal:
        """What the service said, in its own sentences; what another program said is shown as it is."""
        if isinstance(error, Unreachable):
            return Unavailable(f"The service at {self._url} cannot be reached. {error}")
        if isinstance(error, Failed):
            return Unavailable(f"The service at {self._url} is busy or broken: it answers {error}")
        if isinstance(error, Refused):
            found = [Problem(one.message, one.field, one.code, tuple(one.records)) for one in error.errors]
            return Refusal(found)
        return Refusal(f"What answers at {self._url} is no Weighbridge. {error}")


def _difference(numbered: NumberedEvent, problem: Problem) -> Discrepancy:
    """What a row says otherwise than the event that has its reference, as the service tells it."""
    name = _EVENT.sub("", problem.field or "")
    if match := _VALUE.fullmatch(name):
        point = numbered.event.data_points[int(match[1])]
        return Discrepancy(point.slug, None, str(point.value), is_value=True)
    sent = getattr(numbered.event, name)
    return Discrepancy(name, None, None if sent is None else str(sent))


def _checked(url: str) -> str:
    """The address, when it is one; raises Invalid."""
    if not is_address(url):
        raise Invalid(f"--url is {url!r}; it takes the address of a service, such as http://127.0.0.1:8080.")
    return url
