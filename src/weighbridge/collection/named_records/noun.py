"""A noun of a project: a kind of record that belongs to one. A named noun has a name there, too.

The record declares its fields (`records/projects.py`). Of any noun of a project this file lists and reads the
records; of a named one it has all six operations. The file of the noun has the paths, and each of its
handlers is one call from here, or from its own checks.

Invariants: names are unique in their project, and fixed once batches depend on them. A record is deleted
only while nothing refers to it. A meter leaves service after it entered it; its time in service changes only
while no generation runs, and marks the batches that depend on it as out of date.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, LiteralString, TypeVar

from msgspec import Struct, structs
from psycopg.sql import SQL, Composable

from weighbridge.collection.records.projects import NamedRecord
from weighbridge.core import identity
from weighbridge.core.identity import problem_of_name
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import BeyondCalendarError, Instant
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.declared import table_of
from weighbridge.db.lists.field import RequestBodies
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
from weighbridge.db.row import Column, remove_unused
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid, NotFound
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall
from weighbridge.platform import changes, staleness
from weighbridge.platform.tenancy import (
    number_named,
    of_projects,
    project_filter,
    project_of,
    project_to_read,
)

Record = TypeVar("Record", bound=Struct)

Values = Mapping[str, Any]
Check = Callable[[Read, int, Values], Awaitable[Sequence[Problem]]]
"""Finds what is wrong with sent values that needs the database, in a project."""

_START, _END = "in_service_from", "in_service_until"


class ProjectNoun(Generic[Record]):
    """What all records of one kind have in common that belong to projects, and how they are read."""

    def __init__(
        self,
        bodies: RequestBodies[Record],
        table: LiteralString,
        *,
        filters: Mapping[str, Filter] | None = None,
        own: Sequence[Column] = (),
        is_exported: bool = False,
    ) -> None:
        """Derive everything from the record, whose list takes these filters extra those that it declares.

        `own` are the columns of fields that the service gives, where they have not the field's name.
        """
        self.noun = bodies.noun
        self.bodies = bodies
        self.table = table_of(bodies.record, bodies.noun, table, *own)
        self._select: LiteralString = (
            f"SELECT {self.table.row.columns} FROM {table} WHERE project_id = %s AND id = %s"
        )
        self._is_friendly = self.noun in identity.PREFIXES
        self.listing = Listing(
            sorts=self.table.sorts,
            default_sort="id",
            key=("project_id", "id") if self._is_friendly else ("id",),
            filters={**self.table.filters, **(filters or {})},
            is_exported=is_exported,
        )

    async def list_of_project(self, call: ReadCall) -> Page[Record]:
        """The records of the project that the path names."""
        return await self.select_of_project(
            call.tx, project_to_read(call), list_request(call.query, self.listing)
        )

    async def get(self, call: ReadCall) -> Record:
        """The record that the path names."""
        return await self.read(call.tx, project_to_read(call), call.path[f"{self.noun}_id"])

    async def select_of_project(self, tx: Read, project: int, request: ListRequest) -> Page[Record]:
        """The records of a project, by its number."""
        return await self._page(tx, request, SQL("project_id = {}").format(Literal(project)))

    async def read(self, tx: Read, project: int, named: str, *, locks: bool = False) -> Record:
        """The record that a path names; locked, nobody else changes or removes it until the end."""
        text = f"{self._select} FOR UPDATE" if locks else self._select
        found = await tx.row(self.table.row.make, text, (project, self.number(named, project)))
        if found is None:
            raise NotFound(self.noun, named)
        return found

    def number(self, named: str, project: int) -> int:
        """The number of the record that a path names; NotFound, or 0, when the text can name none."""
        if self._is_friendly:
            return identity.number(self.noun, named, project)
        return number_named(self.noun, named)

    async def insert(
        self, tx: Write, project: int, new: Record, extra: Mapping[str, Any] | None = None
    ) -> Record:
        """Store a new record, with values of columns that are no fields of it."""
        command = self.table.insert_command(project, self.table.values_of(new), extra)
        [made] = await tx.rows(self.table.row.make, *command)
        return made

    async def replace(
        self, tx: Write, project: int, number: int, wanted: Record, extra: Mapping[str, Any] | None = None
    ) -> Record:
        """Store a record that differs from the one that is there, which is locked."""
        command = self.table.update_command(project, number, self.table.values_of(wanted), extra)
        [after] = await tx.rows(self.table.row.make, *command)
        return after

    async def _page(self, tx: Read, request: ListRequest, where: Composable) -> Page[Record]:
        table = self.table
        return await read_page(tx, table.row, self.listing, request, source=table.table, where=[where])


NamedRecordType = TypeVar("NamedRecordType", bound=NamedRecord)


class NamedNoun(ProjectNoun[NamedRecordType]):
    """What all records of one kind have in common that have names, and the operations on them."""

    def __init__(
        self,
        record: type[NamedRecordType],
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
        bodies = RequestBodies(record, noun, f"/projects/{{project_id}}/{table}")
        filters = {
            "project_id": project_filter("project_id"),
            "created_at": Filter("created_at", read_moment, MOMENT, BOUNDS),
        }
        super().__init__(bodies, table, filters=filters, is_exported=is_exported)
        self.a_noun = f"{'An' if noun[0] in 'aeiou' else 'A'} {noun}"
        self._read_by = read_by
        self._fixed = fixed
        self._named_by = named_by
        self._check = check

    async def list_of_account(self, call: ReadCall) -> Page[NamedRecordType]:
        """The records of every project of the caller's account."""
        request = list_request(call.query, self.listing)
        return await self._page(call.tx, request, of_projects(call.actor, "project_id"))

    async def create(self, call: WriteCall, body: Struct) -> NamedRecordType:
        """Store the record that the body has."""
        tx = call.tx
        project = await project_of(call)
        values = self._merge_members({}, self.bodies.sent(body))
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

    async def update(self, call: WriteCall, body: Struct) -> NamedRecordType:
        """Change what the body gives of the record that the path names."""
        tx = call.tx
        project = await project_of(call)
        named = call.path[f"{self.noun}_id"]
        number = self.number(named, project)
        before = await self.read(tx, project, named, locks=True)
        sent = self.bodies.sent(body)
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
        project = await project_of(call)
        named = call.path[f"{self.noun}_id"]
        before = await self.read(call.tx, project, named)
        used = f"{self._named_by} name the {self.noun} {before.name!r}; it stays."
        await remove_unused(call.tx, self.table.table, project, self.number(named, project), used=used)
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
