"""Derive from a record's declared fields (`field.py`) how the record is stored and listed.

From them follow the `Row`, the sorts and filters of its list, and its statements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, LiteralString, get_origin, get_type_hints

from weighbridge.core import identity
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Command
from weighbridge.db.lists.field import Record, Sent, Values, sent_fields, takes_null
from weighbridge.db.lists.table import Filter
from weighbridge.db.row import Column, Derived, Row, row_of, unless_null


@dataclass(frozen=True, slots=True)
class ProjectTable(Generic[Record]):
    """The table of a declared record that belongs to a project."""

    record: type[Record]
    table: LiteralString
    fields: Mapping[str, Sent]
    row: Row[Record]

    @property
    def sorts(self) -> dict[str, LiteralString]:
        """What its list may be sorted by."""
        times = [name for name in ("created_at", "updated_at") if name in self.record.__struct_fields__]
        declared = {name: self._column(name) for name, sent in self.fields.items() if sent.is_sorted}
        return {"id": "id", **declared, **dict(zip(times, times, strict=True))}

    @property
    def filters(self) -> dict[str, Filter]:
        """What its fields are filtered by."""
        return {name: sent.filter for name, sent in self.fields.items() if sent.filter}

    def values_of(self, record: Record) -> dict[str, Any]:
        """The values of a record that requests send."""
        return {name: getattr(record, name) for name in self.fields}

    def find_problems(self, values: Values, noun: str) -> list[Problem]:
        """What is wrong with the values that were sent, each by itself."""
        return [
            problem
            for name, value in values.items()
            if value is not None and (check := self.fields[name].check)
            for problem in check(value, f"{noun}.{name}")
        ]

    def insert_command(self, project: int, values: Values, extra: Values | None = None) -> Command:
        """The statement that stores a new record of a project and gives its row.

        `extra` are values of columns that are no fields of the record.
        """
        stored = self._stored(project, values) | dict(extra or {})
        places = ", ".join(["%s"] * len(stored))
        text = f"""
            INSERT INTO {self.table} (project_id, {", ".join(stored)}) VALUES (%s, {places})
            RETURNING {self.row.columns}
        """
        return text, (project, *stored.values())

    def update_command(
        self, project: int, number: int, values: Values, extra: Values | None = None
    ) -> Command:
        """The statement that changes fields and gives the row; none when they have these values already."""
        stored = self._stored(project, values) | dict(extra or {})
        places = ", ".join(["%s"] * len(stored))
        text = f"""
            UPDATE {self.table} SET {" = %s, ".join(stored)} = %s, updated_at = now()
             WHERE project_id = %s AND id = %s
               AND ROW ({", ".join(stored)}) IS DISTINCT FROM ROW ({places})
            RETURNING {self.row.columns}
        """
        return text, (*stored.values(), project, number, *stored.values())

    def _column(self, name: str) -> LiteralString:
        return self.fields[name].column or name

    def _stored(self, project: int, values: Values) -> dict[LiteralString, Any]:
        return {
            self._column(name): self.fields[name].stored(value, project) for name, value in values.items()
        }


def table_of(
    record: type[Record], noun: str, table: LiteralString, *own: Column | Derived
) -> ProjectTable[Record]:
    """The table of a record, by its noun, which is the kind of its friendly id if it has one.

    `own` are the columns of fields that the service gives, except those that have the field's name.
    """
    fields = sent_fields(record)
    hints = get_type_hints(record)
    given: dict[str, Column | Derived] = {
        "id": Column("id", ("project_id", "id"), partial(identity.of, noun))
        if noun in identity.PREFIXES
        else Column("id", "id"),
        "project_id": Column("project_id", "project_id", partial(identity.of, "project")),
        **{column.field: column for column in own},
        **{name: _column_of(name, sent, hints[name]) for name, sent in fields.items()},
    }
    columns = [given.get(name) or Column(name, name) for name in record.__struct_fields__]
    return ProjectTable(record, table, fields, row_of(record, *columns))


def _column_of(name: str, sent: Sent, hint: Any) -> Column:
    """The column of a declared field, and how a value of it is read."""
    column = sent.column or name
    if not sent.of:
        return Column(name, column, sent.read and unless_null(sent.read))
    read = partial(_ids_of if get_origin(hint) is list else identity.of, sent.of)
    return Column(name, ("project_id", column), unless_null(read) if takes_null(hint) else read)


def _ids_of(kind: str, project: int, some: Sequence[int]) -> list[str]:
    return [identity.of(kind, project, number) for number in some]
