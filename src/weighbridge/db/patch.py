"""A change is what a caller wants different in a record; a field it leaves out stays as it is.

Invariants: fields that the record lacks are ignored, so that records and changes may differ in more than
what is changed; a name is taken without the spaces around it, as it is when a record is made; a record that
others name is not removed, for the database refuses it.
"""

from typing import LiteralString, TypeVar

import msgspec
from psycopg.errors import ForeignKeyViolation
from psycopg.sql import SQL, Identifier

from weighbridge.core.problem import Problem
from weighbridge.db.engine import Write
from weighbridge.errors import Invalid

Record = TypeVar("Record", bound=msgspec.Struct)


def changed(record: Record, change: msgspec.Struct) -> Record:
    """The record as the caller wants it."""
    fields = {
        name: value.strip() if name == "name" and isinstance(value, str) else value
        for name, value in msgspec.structs.asdict(change).items()
        if value is not msgspec.UNSET and name in record.__struct_fields__
    }
    return msgspec.structs.replace(record, **fields)


async def remove_unused(tx: Write, table: LiteralString, project: int, number: int, *, used: str) -> None:
    """Remove a row of a project that no other row names; `used` is the refusal when one does."""
    statement = SQL("DELETE FROM {} WHERE project_id = %s AND id = %s").format(Identifier(table))
    try:
        await tx.execute(statement, (project, number))
    except ForeignKeyViolation:
        raise Invalid([Problem(used, code="in_use")]) from None
