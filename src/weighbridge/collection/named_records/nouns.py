"""Named nouns (feedstocks, locations and assets): what they have in common, and the declaration of each.

The record declares its fields (`collection/records/projects.py`, with `Sent` of `db/lists/field.py`). From
these follow the Structs of requests, the `Row`, the sorts and filters of its list, and its statements; a
`NamedNoun` creates, reads, changes and deletes any such record. The file of the noun has the paths, and each
of its handlers is one call from here. Behind the declarations are the reads by which other parts of the
service find such records.

Invariants: names are unique in their project, and fixed once batches depend on them, for models read events
by the names of their tags and places. A record is deleted only while nothing refers to it. A meter leaves
service after it entered it; its time in service changes only while no generation runs, and marks the batches
that depend on it as out of date.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Generic, LiteralString, TypeVar, get_args, get_type_hints

import msgspec
from msgspec import NODEFAULT, UNSET, Struct, structs
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composable

from weighbridge.collection.named_records.spreadsheet import problems_of_custom_fields
from weighbridge.collection.records.projects import Asset, Feedstock, Location, NamedRecord
from weighbridge.core import identity
from weighbridge.core.identity import problem_of_name
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import BeyondCalendarError, Instant
from weighbridge.db.engine import Command, Read, Write
from weighbridge.db.lists.field import Sent
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    ListRequest,
    Page,
    list_request,
    read_moment,
    read_page,
)
from weighbridge.db.row import Column, Row, remove_unused, row_of, unless_null
from weighbridge.db.statements import Literal, numbers
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall
from weighbridge.platform import changes, staleness
from weighbridge.platform.tenancy import find, of_projects, project_filter, project_named, project_to_read

# What follows from the declared fields of a record: the bodies of requests, and how it is stored.

Declared = TypeVar("Declared", bound=msgspec.Struct)

Values = Mapping[str, Any]
"""Values by the names of the fields, as a request gives them."""


def sent_fields(record: type[msgspec.Struct]) -> dict[str, Sent]:
    """The fields of a record that requests send, in its order."""
    return {
        name: note
        for name, hint in get_type_hints(record, include_extras=True).items()
        for note in getattr(hint, "__metadata__", ())
        if isinstance(note, Sent)
    }


@dataclass(frozen=True, slots=True)
class RequestBodies:
    """The bodies by which a record is created and changed; each has the record below the name of its noun."""

    new: type[msgspec.Struct]
    """The record in the body that creates one."""
    new_body: type[msgspec.Struct]
    change_body: type[msgspec.Struct]


def _bodies_of(record: type[msgspec.Struct], noun: str, path: str) -> RequestBodies:
    """Derive the bodies of POST to a path and of PATCH below it."""
    new: list[tuple[str, Any, Any]] = []
    change: list[tuple[str, Any, Any]] = []
    hints = get_type_hints(record)
    for name, sent in sent_fields(record).items():
        is_optional = type(None) in get_args(hints[name])
        kind = sent.kind | None if is_optional else sent.kind
        default = None if is_optional and sent.default is NODEFAULT else sent.default
        new.append((name, kind, default))
        change.append((name, kind, default) if sent.is_merged else (name, kind | msgspec.UnsetType, UNSET))
    title = record.__name__
    a_noun = f"{'an' if noun[0] in 'aeiou' else 'a'} {noun.replace('_', ' ')}"
    define = partial(_define, record.__module__)
    created = define(f"New{title}", f"What a caller sends to create {a_noun}.", new)
    changed = define(
        f"{title}Change", f"What a caller sends to change {a_noun}; what is left out stays as it is.", change
    )
    return RequestBodies(
        created,
        define(f"New{title}Body", f"The body of POST {path}.", [(noun, created, NODEFAULT)]),
        define(
            f"{title}ChangeBody", f"The body of PATCH {path}/{{{noun}_id}}.", [(noun, changed, NODEFAULT)]
        ),
    )


def _define(
    module: str, name: str, meaning: str, fields: Sequence[tuple[str, Any, Any]]
) -> type[msgspec.Struct]:
    return msgspec.defstruct(
        name,
        [
            (field, kind) if default is NODEFAULT else (field, kind, default)
            for field, kind, default in fields
        ],
        module=module,
        namespace={"__doc__": meaning},
        frozen=True,
        forbid_unknown_fields=True,
    )


@dataclass(frozen=True, slots=True)
class ProjectTable(Generic[Declared]):
    """The table of a declared record that belongs to a project and has a friendly id."""

    record: type[Declared]
    table: LiteralString
    fields: Mapping[str, Sent]
    row: Row[Declared]

    @property
    def sorts(self) -> dict[str, LiteralString]:
        """What its list may be sorted by."""
        declared = {name: self._column(name) for name, sent in self.fields.items() if sent.is_sorted}
        return {"id": "id", **declared, "created_at": "created_at", "updated_at": "updated_at"}

    @property
    def filters(self) -> dict[str, Filter]:
        """What its fields are filtered by."""
        return {name: sent.filter for name, sent in self.fields.items() if sent.filter}

    def find_problems(self, values: Values, noun: str) -> list[Problem]:
        """What is wrong with the values that were sent, each by itself."""
        return [
            problem
            for name, value in values.items()
            if value is not None and (check := self.fields[name].check)
            for problem in check(value, f"{noun}.{name}")
        ]

    def insert_command(self, project: int, values: Values) -> Command:
        """The statement that stores a new record of a project and gives its row."""
        columns = ", ".join(map(self._column, values))
        places = ", ".join(["%s"] * len(values))
        text = f"""
            INSERT INTO {self.table} (project_id, {columns}) VALUES (%s, {places})
            RETURNING {self.row.columns}
        """
        return text, (project, *self._stored(values))

    def update_command(self, project: int, number: int, values: Values) -> Command:
        """The statement that changes fields and gives the row; none when they have these values already."""
        columns = [*map(self._column, values)]
        places = ", ".join(["%s"] * len(columns))
        stored = self._stored(values)
        text = f"""
            UPDATE {self.table} SET {" = %s, ".join(columns)} = %s, updated_at = now()
             WHERE project_id = %s AND id = %s
               AND ROW ({", ".join(columns)}) IS DISTINCT FROM ROW ({places})
            RETURNING {self.row.columns}
        """
        return text, (*stored, project, number, *stored)

    def _column(self, name: str) -> LiteralString:
        return self.fields[name].column or name

    def _stored(self, values: Values) -> list[Any]:
        return [None if value is None else self.fields[name].stored(value) for name, value in values.items()]


def table_of(record: type[Declared], noun: str, table: LiteralString) -> ProjectTable[Declared]:
    """The table of a record, by its noun: the kind of its friendly id."""
    fields = sent_fields(record)
    columns = [
        Column("id", ("project_id", "id"), partial(identity.of, noun)),
        Column("project_id", "project_id", partial(identity.of, "project")),
        *(
            Column(name, sent.column or name, sent.read and unless_null(sent.read))
            for name, sent in fields.items()
        ),
        Column("created_at", "created_at"),
        Column("updated_at", "updated_at"),
    ]
    return ProjectTable(record, table, fields, row_of(record, *columns))


Record = TypeVar("Record", bound=NamedRecord)

Check = Callable[[Read, int, Values], Awaitable[Sequence[Problem]]]
"""Finds what is wrong with sent values that needs the database, in a project."""

_START, _END = "in_service_from", "in_service_until"


class NamedNoun(Generic[Record]):
    """What all records of one kind have in common, and the operations on them."""

    def __init__(
        self,
        record: type[Record],
        noun: str,
        table: LiteralString,
        *,
        read_by: LiteralString = "",
        fixed: str = "",
        named_by: str = "",
        check: Check | None = None,
        is_exported: bool = False,
    ) -> None:
        """Derive everything from the record.

        `read_by` is the SQL by which batches depend on the name of the record of this `project` and `number`,
        `fixed` says why the name then stays, and `named_by` what may refer to a record, which then stays.
        """
        self.noun = noun
        self.a_noun = f"{'An' if noun[0] in 'aeiou' else 'A'} {noun}"
        self._read_by = read_by
        self.table = table_of(record, noun, table)
        self.bodies = _bodies_of(record, noun, f"/projects/{{project_id}}/{table}")
        self.listing = Listing(
            sorts=self.table.sorts,
            default_sort="id",
            key=("project_id", "id"),
            filters={
                **self.table.filters,
                "project_id": project_filter("project_id"),
                "created_at": Filter("created_at", read_moment, MOMENT, BOUNDS),
            },
            is_exported=is_exported,
        )
        self._fixed = fixed
        self._named_by = named_by
        self._check = check

    async def list_of_account(self, call: ReadCall) -> Page[Record]:
        """The records of every project of the caller's account."""
        request = list_request(call.query, self.listing)
        return await self._page(call.tx, request, of_projects(call.actor, "project_id"))

    async def list_of_project(self, call: ReadCall) -> Page[Record]:
        """The records of the project that the path names."""
        project = project_to_read(call.tx, call.actor, call.path["project_id"])
        return await self.select_of_project(call.tx, project, list_request(call.query, self.listing))

    async def get(self, call: ReadCall) -> Record:
        """The record that the path names."""
        project = project_to_read(call.tx, call.actor, call.path["project_id"])
        return await self._read(call.tx, project, self._number(call, project))

    async def create(self, call: WriteCall, body: Struct) -> Record:
        """Store the record that the body has."""
        tx = call.tx
        project = await project_named(tx, call.actor, call.path["project_id"])
        values = self._merge_members({}, self._read_body(body))
        problems = [
            *await self._problems_of_name(tx, project, values["name"].strip()),
            *_problems_of_service(self.noun, values),
            *await self._problems_of_fields(tx, project, values),
        ]
        if problems:
            raise Invalid(problems)
        made = await tx.row(self.table.row.make, *self.table.insert_command(project, values))
        assert made is not None  # noqa: S101 - a statement that inserts a row gives it
        changes.record(
            tx, call.actor, action=f"{self.noun}.create", target=made.id, project_id=project, after=made
        )
        return made

    async def update(self, call: WriteCall, body: Struct) -> Record:
        """Change what the body gives of the record that the path names."""
        tx = call.tx
        project = await project_named(tx, call.actor, call.path["project_id"])
        number = self._number(call, project)
        before = await self._read(tx, project, number, " FOR UPDATE")
        sent = self._read_body(body)
        known = structs.asdict(before)
        problems = [
            *_problems_of_service(self.noun, {**known, **sent}),
            *await self._problems_of_fields(tx, project, sent),
        ]
        held = None
        if (name := sent.get("name", before.name).strip()) != before.name:
            of_name, held = await self._problems_of_renaming(tx, project, number, name)
            problems += of_name
        if problems:
            raise Invalid(problems)
        of_service = await self._service_trace(tx, project, number, known, sent)
        values = self._merge_members(known, sent)
        if not values:
            return before
        after = await tx.row(self.table.row.make, *self.table.update_command(project, number, values))
        if after is None:
            return before
        changes.record(
            tx, call.actor, held, *of_service, action=f"{self.noun}.update", target=after.id,
            project_id=project, before=before, after=after,
        )  # fmt: skip
        return after

    async def delete(self, call: WriteCall) -> None:
        """Delete the record that the path names; the database itself refuses one that something refers to."""
        project = await project_named(call.tx, call.actor, call.path["project_id"])
        number = self._number(call, project)
        before = await self._read(call.tx, project, number)
        used = f"{self._named_by} name the {self.noun} {before.name!r}; it stays."
        await remove_unused(call.tx, self.table.table, project, number, used=used)
        changes.record(
            call.tx, call.actor, action=f"{self.noun}.delete", target=before.id, project_id=project,
            before=before,
        )  # fmt: skip

    async def fixed_names(
        self, tx: Read, held: staleness.GenerationsHeldOff, numbers: Sequence[int]
    ) -> set[int]:
        """Which of the records keep their names, because batches depend on them."""
        rows = await tx.tuples(
            f"SELECT number FROM unnest(%(numbers)s::integer[]) AS sent (number) WHERE {self._read_by}",
            {"project": held.project, "numbers": list(numbers)},
        )
        return {number for (number,) in rows}

    async def select_of_project(self, tx: Read, project: int, request: ListRequest) -> Page[Record]:
        """The records of a project, by its number."""
        return await self._page(tx, request, SQL("project_id = {}").format(Literal(project)))

    async def _page(self, tx: Read, request: ListRequest, where: Composable) -> Page[Record]:
        table = self.table
        return await read_page(tx, table.row, self.listing, request, source=table.table, where=[where])

    async def _read(self, tx: Read, project: int, number: int, lock: LiteralString = "") -> Record:
        key = SQL("project_id = %s AND id = %s" + lock)
        return await find(tx, self.table.row, self.table.table, key, (project, number))

    def _number(self, call: ReadCall | WriteCall, project: int) -> int:
        return identity.number(self.noun, call.path[f"{self.noun}_id"], project)

    def _read_body(self, body: Struct) -> dict[str, Any]:
        """What a body gives, by field."""
        given = structs.asdict(getattr(body, self.noun))
        return {name: value for name, value in given.items() if value is not UNSET}

    def _merge_members(self, before: Values, sent: Values) -> dict[str, Any]:
        """The values to store: of an object that is changed by its members, all that it has afterwards."""
        merged = {
            name: {**before.get(name, {}), **sent[name]}
            for name, field in self.table.fields.items()
            if field.is_merged and name in sent
        }
        return {
            **sent,
            **{
                name: {key: value for key, value in members.items() if value is not None}
                for name, members in merged.items()
            },
        }

    async def _problems_of_fields(self, tx: Read, project: int, sent: Values) -> list[Problem]:
        problems = self.table.find_problems(sent, self.noun)
        return [*problems, *await self._check(tx, project, sent)] if self._check else problems

    async def _problems_of_name(self, tx: Read, project: int, name: str) -> list[Problem]:
        """What is wrong with the name that a record is to have."""
        field = f"{self.noun}.name"
        if problem := problem_of_name(name, self.a_noun, field):
            return [problem]
        taken = f"SELECT true FROM {self.table.table} WHERE project_id = %s AND name = %s"
        if await tx.value(taken, (project, name)):
            return [Problem(f"The project has {self.a_noun.lower()} {name!r} already.", field, "taken")]
        return []

    async def _problems_of_renaming(
        self, tx: Write, project: int, number: int, name: str
    ) -> tuple[list[Problem], staleness.GenerationsHeldOff | None]:
        """What is wrong with giving a record another name: with the name, or else with changing it at all.

        Where nothing is wrong with the name, no generation begins to depend on the old one until the end.
        """
        problems = await self._problems_of_name(tx, project, name)
        if problems or not self._read_by:
            return problems, None
        held = await staleness.hold_off_generations(tx, project)
        if not await self.fixed_names(tx, held, [number]):
            return [], held
        return [Problem(self._fixed, f"{self.noun}.name", "in_use")], held

    async def _service_trace(
        self, tx: Write, project: int, number: int, before: Values, sent: Values
    ) -> Sequence[staleness.GenerationsHeldOff | changes.ChangedService]:
        """What a change of the time in service leaves, if it changes; Conflict while a generation runs."""
        if not {_START, _END} & sent.keys():
            return ()
        was, becomes = _service(before), _service({**before, **sent})
        if was == becomes:
            return ()
        held = await staleness.hold_off_generations(tx, project)
        return held, changes.ChangedService(held, self.noun, number, was, becomes)


def _service(values: Values) -> tuple[Instant | None, Instant | None]:
    """The time in service: from when to when something is expected of a meter."""
    start, end = (
        None if (moment := values.get(name)) is None else Instant.of(moment) for name in (_START, _END)
    )
    return start, end


def _problems_of_service(noun: str, values: Values) -> list[Problem]:
    """A meter leaves service after it entered it."""
    try:
        start, end = _service(values)
    except BeyondCalendarError:
        return []  # the check of the field says so
    if start is None or end is None or end > start:
        return []
    field = f"{noun}.{_END}"
    message = f"{field} is {end.text}, which is not after {_START}, {start.text}."
    return [Problem(message, field, "invalid")]


_READ_BY_TAG: Final[LiteralString] = """
    EXISTS (SELECT FROM runs r WHERE r.project_id = %(project)s AND r.{tag} = number)
    OR EXISTS (SELECT FROM events e
                WHERE e.project_id = %(project)s AND e.{tag} = number
                  AND e.event_type_id IN (SELECT event_type_id FROM batch_input_sets
                                           WHERE project_id = %(project)s))
"""
"""Partitions are ordered and filtered by the names of their tags: results depend on them."""

_READ_BY_PLACE: Final[LiteralString] = """
    EXISTS (SELECT FROM events e
             WHERE e.project_id = %(project)s AND number = ANY (e.location_ids)
               AND e.event_type_id IN (SELECT event_type_id FROM batch_input_sets
                                        WHERE project_id = %(project)s))
"""
"""Models filter events by the names of their locations: a result depends on them."""

_EVERYTHING: Final = "Events, voided ones and corrections included, static inputs, outages or data feeds"


async def value_types(tx: Read, project: int) -> dict[str, str]:
    """The type of the values of each custom field of a project, by label and in the order of the labels."""
    rows = await tx.tuples(
        "SELECT label, value_type FROM asset_custom_fields WHERE project_id = %s", (project,)
    )
    return dict(sorted(rows))


async def _problems_of_asset(tx: Read, project: int, sent: Values) -> list[Problem]:
    values = sent.get("custom_fields")
    return [*problems_of_custom_fields(values, await value_types(tx, project))] if values else []


FEEDSTOCKS: Final = NamedNoun(
    Feedstock,
    "feedstock",
    "feedstocks",
    read_by=_READ_BY_TAG.format(tag="feedstock_id"),
    fixed="Batches were made of events of this feedstock and depend on its name; the name is fixed.",
    named_by=_EVERYTHING,
    is_exported=True,
)
LOCATIONS: Final = NamedNoun(
    Location,
    "location",
    "locations",
    read_by=_READ_BY_PLACE,
    fixed="Batches were made of events at this location and may depend on its name; the name is fixed.",
    named_by="Events, voided ones included, static inputs or outages",
    is_exported=True,
)
ASSETS: Final = NamedNoun(
    Asset,
    "asset",
    "assets",
    read_by=_READ_BY_TAG.format(tag="asset_id"),
    fixed="Batches were made of events of this asset and depend on its name; the name is fixed.",
    named_by=_EVERYTHING,
    check=_problems_of_asset,
)

# Locations of events: these statements go out together with those for the events.

LOCATION_ROW: Final = LOCATIONS.table.row


def locations_numbered(project: int, wanted: Collection[int]) -> Command:
    """The statement for several locations of a project, by their numbers."""
    return _NUMBERED, (project, numbers(wanted))


def locations_of_event(project: int, event: int) -> Command:
    """The statement for the locations of one event."""
    return _OF_EVENT, (project, project, event)


def locations_by_number(rows: Sequence[TupleRow]) -> dict[int, Location]:
    """The locations of rows, by their numbers."""
    return {row[1]: LOCATION_ROW.make(*row) for row in rows}


_NUMBERED: Final = f"""
    SELECT {LOCATION_ROW.columns} FROM locations WHERE project_id = %s AND id = ANY (%s::integer[])
"""
_OF_EVENT: Final = f"""
    SELECT {LOCATION_ROW.columns} FROM locations WHERE project_id = %s
       AND id = ANY (ARRAY(SELECT unnest(location_ids) FROM events WHERE project_id = %s AND id = %s))
"""

# Assets of a spreadsheet.


async def assets_behind(tx: Read, project: int, number: int, count: int) -> Sequence[Asset]:
    """The next assets of a project after one of them, in the order of their numbers."""
    row = ASSETS.table.row
    return await tx.rows(
        row.make,
        f"SELECT {row.columns} FROM assets WHERE project_id = %s AND id > %s ORDER BY id LIMIT %s",
        (project, number, count),
    )


async def locked_assets(
    tx: Write, project: int, numbers: Sequence[int], names: Sequence[str]
) -> Sequence[Asset]:
    """The assets of these numbers or names, which nobody else changes until the transaction ends."""
    row = ASSETS.table.row
    return await tx.rows(
        row.make,
        f"""
        SELECT {row.columns} FROM assets
         WHERE project_id = %s AND (id = ANY (%s) OR name = ANY (%s)) ORDER BY id FOR UPDATE
        """,
        (project, list(numbers), list(names)),
    )
