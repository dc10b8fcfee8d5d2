"""Read the audit log."""

from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Index, Listing, ListRequest, Page, Source, read_int4, read_page
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.platform.audit_log.records import AuditRow
from weighbridge.platform.tenancy.project_filter import project_filter
from weighbridge.platform.tenancy.scope import of_account

AUDIT_LOG: Final = Listing(
    sorts={"id": "a.id", "number": "a.place", "at": "a.at"},
    default_sort="-id",
    key=("a.id",),
    filters={
        "action": Filter("a.action", str, "an action, such as event.create"),
        "object": Filter("a.object", str, "the id of an object"),
        "project_id": project_filter("a.project_id"),
        "request_id": Filter("a.request_id", str, "a request's id"),
        "number": Filter("a.place", read_int4, "a whole number", ("eq", "geq", "leq")),
    },
    indexes=(
        Index("id", "object"),
        Index("id", "request_id"),
        Index("number", "number", is_range=True),
        Index("id", "action"),
        Index("id", "project_id"),
        Index("id"),
        Index("number"),
        Index("at"),
    ),
)
"""A reader that follows the log asks for `filter[number][geq]` with the last number it has, plus one, sorted
by `number`."""

AUDIT_ROW: Final = row_of(
    AuditRow,
    Column("id", "a.id"),
    Column("number", "s.number"),
    Column("at", "a.at"),
    Column("project_id", "a.project_id", unless_null(partial(ids.of, "project"))),
    Column("user_id", "a.user_id"),
    Column("user_name", "u.name"),
    Column("token_id", "a.token_id"),
    Column("request_id", "a.request_id"),
    Column("action", "a.action"),
    Column("object", "a.object"),
    Column("before", "a.before"),
    Column("after", "a.after"),
    Column("hash", "encode(s.hash, 'hex')"),
)
_UNSEALED_PLACE: Final = 9223372036854775807
"""Where a row that has no number yet stands: behind all that have one."""

_COLUMNS: Final = """
    a.id, a.project_id, a.at, a.user_id, a.token_id, a.request_id, a.action, a.object, a.before, a.after
"""
_JOINED: Final = """
    LEFT JOIN audit_seals s ON s.audit_id = a.id LEFT JOIN users u ON u.id = a.user_id
"""
_PLACE: Final = f"""
    coalesce((SELECT s.number FROM audit_seals s WHERE s.audit_id = l.id), {_UNSEALED_PLACE})
"""

# The row of a number is looked up one at a time; what finds the rows is the order of the numbers.
_OF_NUMBER: Final = "CROSS JOIN LATERAL (SELECT * FROM audit_log WHERE id = n.audit_id OFFSET 0) l"
_READ: Final = (
    "l.project_id, l.at, l.user_id, l.token_id, l.request_id, l.action, l.object, l.before, l.after"
)

_BY_NUMBER: Final = Source(
    f"""(
        SELECT n.account_id, n.audit_id AS id, n.number AS place, {_READ}
          FROM audit_seals n {_OF_NUMBER}) AS a""",
    _COLUMNS,
    name="a",
    others=(
        f"""(
        SELECT n.account_id, n.audit_id AS id, {_UNSEALED_PLACE}::bigint AS place, {_READ}
          FROM audit_unsealed n {_OF_NUMBER}) AS a""",
    ),
)
"""The rows as they stand in the chain, and those that wait for their seal, which are few."""

_SOURCE: Final = Source(
    f"(SELECT l.*, {_PLACE} AS place FROM audit_log l) AS a",
    _COLUMNS,
    _JOINED,
    by_sort={"number": _BY_NUMBER},
    name="a",
)


async def list_audit_log(tx: Read, actor: Actor, request: ListRequest) -> Page[AuditRow]:
    """The writes of the actor's account, newest first."""
    where = [of_account(actor, "a.account_id")]
    if any(name == "number" for name, *_ in request.conditions):
        where.append(SQL("a.place < {}").format(SQL(str(_UNSEALED_PLACE))))
    return await read_page(tx, AUDIT_ROW, AUDIT_LOG, request, source=_SOURCE, where=where)
