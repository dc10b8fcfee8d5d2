"""Time in service: from when to when something is expected of the meter that an asset or location is.

Invariants: a meter goes out of service after it came into it; the time in service changes only while no
generation runs, and leaves the batches stale that were made of the meter's data in the time that changed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from weighbridge.collection.named_records.kind import NamedKind
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Write
from weighbridge.platform import changes


class InService(Protocol):
    """What assets and locations say of their service; null where they do not."""

    @property
    def in_service_from(self) -> datetime | None: ...

    @property
    def in_service_until(self) -> datetime | None: ...


@dataclass(frozen=True, slots=True)
class Sent:
    """The time in service that a caller asks for, as far as it can be told, and what is wrong with it."""

    start: Instant | None
    end: Instant | None
    problems: tuple[Problem, ...] = ()


def sent_service(kind: NamedKind, request: InService) -> Sent:
    """Take what a caller sent: instants, of which the second is later than the first."""
    problems: list[Problem] = []
    start, end = (
        _instant(f"{kind.noun}.{name}", getattr(request, name), problems)
        for name in ("in_service_from", "in_service_until")
    )
    if start is not None and end is not None and end <= start:
        field = f"{kind.noun}.in_service_until"
        said = f"{field} is {end.text}, which is not after in_service_from, {start.text}."
        problems.append(Problem(said, field, "invalid"))
    return Sent(start, end, tuple(problems))


async def service_trace(  # noqa: PLR0917 - a record, before and after
    tx: Write, kind: NamedKind, project: int, number: int, before: InService, sent: Sent
) -> Iterator[changes.GenerationsHeldOff | changes.ChangedService]:
    """What a change of the time in service leaves, if it changes; Conflict while a generation runs."""
    stretches = (before.in_service_from, before.in_service_until), (sent.start, sent.end)
    if stretches[0] == stretches[1]:
        return iter(())
    held = await changes.hold_off_generations(tx, project)
    return iter((held, changes.ChangedService(held, kind.noun, number, *stretches)))


def _instant(field: str, moment: datetime | None, problems: list[Problem]) -> Instant | None:
    try:
        return None if moment is None else Instant.of(moment)
    except OverflowError:
        said = f"{field} is {moment}, which in UTC is outside the years 1 to 9999."
        problems.append(Problem(said, field, "invalid"))
        return None
