"""Derive from a record's declared fields (`field.py`) what requests send and how the record is stored.

A declared record is a Struct whose fields have `Sent` as metadata, except for those that the service gives.
From it follow the Structs of requests, the `Row`, the sorts and filters of its list, and its statements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, LiteralString, TypeVar, get_args, get_type_hints

import msgspec
from msgspec import NODEFAULT, UNSET

from weighbridge.core import identity
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Command
from weighbridge.db.lists.field import Sent
from weighbridge.db.lists.table import Filter
from weighbridge.db.row import Column, Row, row_of, unless_null

Record = TypeVar("Record", bound=msgspec.Struct)

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


def bodies_of(record: type[msgspec.Struct], noun: str, path: str) -> RequestBodies:
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
class ProjectTable(Generic[Record]):
    """The table of a declared record that belongs to a project and has a friendly id."""

    record: type[Record]
    table: LiteralString
    fields: Mapping[str, Sent]
    row: Row[Record]

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


def table_of(record: type[Record], noun: str, table: LiteralString) -> ProjectTable[Record]:
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
