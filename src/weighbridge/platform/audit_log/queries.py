"""Read the audit log."""

from functools import partial
from typing import Final

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, read_int4, read_page
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.platform.audit_log.records import AuditRow
from weighbridge.platform.tenancy.project_filter import project_filter
from weighbridge.platform.tenancy.scope import of_account

AUDIT_LOG: Final = Listing(
    sorts={"id": "a.id", "number": "coalesce(s.number, 9223372036854775807)", "at": "a.at"},
    default_sort="-id",
    key=("a.id",),
    filters={
        "action": Filter("a.action", str, "an action, such as event.create"),
        "object": Filter("a.object", str, "the id of an object"),
        "project_id": project_filter("a.project_id"),
        "request_id": Filter("a.request_id", str, "a request's id"),
        "number": Filter("s.number", read_int4, "a whole number", ("eq", "geq", "leq")),
    },
)
"""A reader that follows the log asks for `filter[number][geq]` with the last number it has, plus one."""

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
_SOURCE: Final = """
    audit_log a LEFT JOIN audit_seals s ON s.audit_id = a.id LEFT JOIN users u ON u.id = a.user_id
"""


async def list_audit_log(tx: Read, actor: Actor, request: ListRequest) -> Page[AuditRow]:
    """The writes of the actor's account, newest first."""
    return await read_page(
        tx, AUDIT_ROW, AUDIT_LOG, request, source=_SOURCE, where=[of_account(actor, "a.account_id")]
    )
