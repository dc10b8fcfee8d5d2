"""Identify the project of a request, and manage the named records in it: feedstocks, assets and locations.

Names are unique in their project and fixed once batches depend on them. A record is removed only while
nothing refers to it.

Invariants: a project of another account and a project that does not exist give the same response. A
meter leaves service after it entered it; its time in service changes only while no generation runs, and
marks the batches that depend on it as out of date.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any, Final, LiteralString, Protocol

import msgspec
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Identifier

from weighbridge.collection.records.projects import Address, Asset, Location
from weighbridge.core.identity import ids
from weighbridge.core.identity.names import problem_of_name
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Command, Read, Write
from weighbridge.db.literal import numbers
from weighbridge.db.row import Column, remove_unused, row_of, unless_null
from weighbridge.errors import NotFound
from weighbridge.platform import changes
from weighbridge.platform.tenancy import read_project

# The project that a request names, by its friendly id or its number, when the actor's account has it.
#
# Invariant: whether another account has such a project or nobody has is never told apart.


async def project_named(tx: Read, actor: Actor, text: str) -> int:
    """The number of the project that a friendly id or a number names; NotFound in another account."""
    number = await tx.value(
        "SELECT id FROM projects WHERE id = %s AND account_id = %s", (project_number(text), actor.account_id)
    )
    if number is None:
        raise NotFound("project", text)
    return int(number)


def project_to_read(tx: Read, actor: Actor, text: str) -> int:
    """The number of the project to read from; whether the account has it is asked with the next statement.

    NotFound comes from there.
    """
    missing = NotFound("project", text)
    if not (number := project_number(text)):
        raise missing
    tx.require("SELECT FROM projects WHERE id = %s AND account_id = %s", (number, actor.account_id), missing)
    return number


def project_number(text: str) -> int:
    """The number in a friendly id or a number's text; 0, which no project has, for any other text."""
    try:
        return read_project(text)
    except ValueError:
        return 0


async def project_for_record(tx: Read, actor: Actor, named: str | int) -> int:
    """The project that a new record names in its body; a refusal of its own when there is none."""
    try:
        return await project_named(tx, actor, str(named))
    except NotFound:
        raise NotFound("project", named, message="Project not found") from None


# A kind of record that has a name, and what its names and its removal depend on.


@dataclass(frozen=True, slots=True)
class NamedKind:
    """A noun whose records have names that are unique in their project."""

    noun: str
    a_noun: str
    """The noun with its article, as a sentence about a new one begins."""
    table: LiteralString
    read_by: LiteralString
    """Whether what batches were made of names the record of this `project` and `number`, in SQL."""
    fixed: str
    """Why the name of a record is fixed once batches depend on it."""
    named_by: str
    """What may name a record, which then stays."""


_READ_BY_TAG: Final = """
    EXISTS (SELECT FROM runs r WHERE r.project_id = %(project)s AND r.{tag} = number)
    OR EXISTS (SELECT FROM events e
                WHERE e.project_id = %(project)s AND e.{tag} = number
                  AND e.event_type_id IN (SELECT event_type_id FROM batch_input_sets
                                           WHERE project_id = %(project)s))
"""
"""Partitions are ordered and filtered by the names of their tags: results depend on them."""

_READ_BY_PLACE: Final = """
    EXISTS (SELECT FROM events e
             WHERE e.project_id = %(project)s AND number = ANY (e.location_ids)
               AND e.event_type_id IN (SELECT event_type_id FROM batch_input_sets
                                        WHERE project_id = %(project)s))
"""
"""Models filter events by the names of their locations: a result depends on them."""

_EVERYTHING: Final = "Events, voided ones and corrections included, static inputs, outages or data feeds"

FEEDSTOCK: Final = NamedKind(
    noun="feedstock",
    a_noun="A feedstock",
    table="feedstocks",
    read_by=_READ_BY_TAG.format(tag="feedstock_id"),
    fixed="Batches were made of events of this feedstock and depend on its name; the name is fixed.",
    named_by=_EVERYTHING,
)
ASSET: Final = NamedKind(
    noun="asset",
    a_noun="An asset",
    table="assets",
    read_by=_READ_BY_TAG.format(tag="asset_id"),
    fixed="Batches were made of events of this asset and depend on its name; the name is fixed.",
    named_by=_EVERYTHING,
)
LOCATION: Final = NamedKind(
    noun="location",
    a_noun="A location",
    table="locations",
    read_by=_READ_BY_PLACE,
    fixed="Batches were made of events at this location and may depend on its name; the name is fixed.",
    named_by="Events, voided ones included, static inputs or outages",
)


# Names: each once in its project, and fixed once batches depend on it.


async def problems_of_new_name(tx: Read, kind: NamedKind, project: int, name: str) -> list[Problem]:
    """What is wrong with the name that a record is to have."""
    field = f"{kind.noun}.name"
    if wrong := problem_of_name(name, kind.a_noun, field):
        return [wrong]
    statement = SQL("SELECT true FROM {} WHERE project_id = %s AND name = %s").format(Identifier(kind.table))
    if await tx.value(statement, (project, name)):
        return [Problem(f"The project has {kind.a_noun.lower()} {name!r} already.", field, "taken")]
    return []


async def problems_of_renaming(
    tx: Write, kind: NamedKind, project: int, number: int, name: str
) -> tuple[list[Problem], changes.GenerationsHeldOff | None]:
    """What is wrong with giving a record another name: with the name, or else with changing it at all.

    Where nothing is wrong with the name, no generation begins to depend on the old one until the end.
    """
    if problems := await problems_of_new_name(tx, kind, project, name):
        return problems, None
    held = await changes.hold_off_generations(tx, project)
    if not await fixed_names(tx, kind, held, [number]):
        return [], held
    return [Problem(kind.fixed, f"{kind.noun}.name", "in_use")], held


async def fixed_names(
    tx: Read, kind: NamedKind, held: changes.GenerationsHeldOff, numbers: Sequence[int]
) -> set[int]:
    """Which of the records keep their names, because batches depend on them."""
    rows = await tx.tuples(
        f"SELECT number FROM unnest(%(numbers)s::integer[]) AS sent (number) WHERE {kind.read_by}",
        {"project": held.project, "numbers": list(numbers)},
    )
    return {number for (number,) in rows}


# Time in service: from when to when something is expected of the meter that an asset or location is.
#
# Invariants: a meter goes out of service after it came into it; the time in service changes only while no
# generation runs, and leaves the batches stale that were made of the meter's data in the time that changed.


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


async def service_trace(
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


# Writing named records: held while they change, and removed only while nothing names them.


class NamedRecord(Protocol):
    """What all of these records show."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...


async def hold(tx: Write, kind: NamedKind, project: int, number: int) -> None:
    """Nobody else changes the record until the transaction ends."""
    statement = SQL("SELECT FROM {} WHERE project_id = %s AND id = %s FOR UPDATE")
    await tx.execute(statement.format(Identifier(kind.table)), (project, number))


async def remove(tx: Write, kind: NamedKind, project: int, before: NamedRecord) -> None:
    """Remove a record that nothing names; the database itself refuses the others."""
    used = f"{kind.named_by} name the {kind.noun} {before.name!r}; it stays."
    await remove_unused(tx, kind.table, project, ids.number(kind.noun, before.id, project), used=used)


# The row of a location, by which both the list of locations and the answer of an event show one.
#
# The questions are for the locations of events, and go out beside those for the events.


def _degrees(value: Decimal) -> str:
    return format(value, "f")


LOCATION_ROW: Final = row_of(
    Location,
    Column("id", ("project_id", "id"), partial(ids.of, "location")),
    Column("project_id", "project_id", partial(ids.of, "project")),
    Column("name", "name"),
    Column("lat", "lat", unless_null(_degrees)),
    Column("long", "long", unless_null(_degrees)),
    Column("address", "address", unless_null(partial(msgspec.convert, type=Address))),
    Column("in_service_from", "in_service_from"),
    Column("in_service_until", "in_service_until"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
)


def locations_numbered(project: int, wanted: Collection[int]) -> Command:
    """The question for several locations of a project, by their numbers."""
    return _NUMBERED, (project, numbers(wanted))


def locations_of_event(project: int, event: int) -> Command:
    """The question for the locations of one event."""
    return _OF_EVENT, (project, project, event)


def locations_by_number(rows: Sequence[TupleRow]) -> dict[int, Location]:
    """The locations that were asked for, by their numbers."""
    return {row[1]: LOCATION_ROW.make(*row) for row in rows}


_NUMBERED: Final = f"""
    SELECT {LOCATION_ROW.columns} FROM locations WHERE project_id = %s AND id = ANY (%s::integer[])
"""
_OF_EVENT: Final = f"""
    SELECT {LOCATION_ROW.columns} FROM locations WHERE project_id = %s
       AND id = ANY (ARRAY(SELECT unnest(location_ids) FROM events WHERE project_id = %s AND id = %s))
"""


# The row of an asset, and the types of what the project's custom fields keep of it.
#
# Assets come one by one and as a spreadsheet; both read and hold them here.


def _by_label(values: Mapping[str, Any]) -> dict[str, Any]:
    return dict(sorted(values.items()))


ASSET_ROW: Final = row_of(
    Asset,
    Column("id", ("project_id", "id"), partial(ids.of, "asset")),
    Column("project_id", "project_id", partial(ids.of, "project")),
    Column("name", "name"),
    Column("asset_type", "asset_type"),
    Column("serial_number", "serial_number"),
    Column("description", "description"),
    Column("custom_fields", "custom_values", _by_label),
    Column("in_service_from", "in_service_from"),
    Column("in_service_until", "in_service_until"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
)


async def assets_behind(tx: Read, project: int, number: int, count: int) -> Sequence[Asset]:
    """So many assets of a project in the order of their numbers, behind one of them."""
    return await tx.rows(
        ASSET_ROW.make,
        f"SELECT {ASSET_ROW.columns} FROM assets WHERE project_id = %s AND id > %s ORDER BY id LIMIT %s",
        (project, number, count),
    )


async def locked_assets(
    tx: Write, project: int, numbers: Sequence[int], names: Sequence[str]
) -> Sequence[Asset]:
    """The assets of these numbers or names, which nobody else changes until the transaction ends."""
    return await tx.rows(
        ASSET_ROW.make,
        f"""
        SELECT {ASSET_ROW.columns} FROM assets
         WHERE project_id = %s AND (id = ANY (%s) OR name = ANY (%s)) ORDER BY id FOR UPDATE
        """,
        (project, list(numbers), list(names)),
    )


async def value_types(tx: Read, project: int) -> dict[str, str]:
    """The type of the values of each custom field of a project, by label and in the order of the labels."""
    rows = await tx.tuples(
        "SELECT label, value_type FROM asset_custom_fields WHERE project_id = %s", (project,)
    )
    return dict(sorted(rows))
