"""Read the audit log."""

from typing import Any, Final

from psycopg.sql import SQL, Literal

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, page_of, read_int4
from weighbridge.platform.audit_log.records import AuditRow

AUDIT_LOG: Final = Listing(
    sorts={"id": "a.id", "number": "coalesce(s.number, 9223372036854775807)", "at": "a.at"},
    default_sort="-id",
    key=("a.id",),
    filters={
        "action": Filter("a.action", str, "an action, such as event.create"),
        "object": Filter("a.object", str, "the id of an object"),
        "project_id": Filter("a.project_id", read_int4, "a project's number"),
        "request_id": Filter("a.request_id", str, "a request's id"),
        "number": Filter("s.number", read_int4, "a whole number", ("eq", "geq", "leq")),
    },
)
"""A reader that follows the log asks for `filter[number][geq]` with the last number it has, plus one."""

_COLUMNS: Final = """
    a.id, s.number, a.at, a.project_id, a.user_id, u.name, a.token_id, a.request_id, a.action, a.object,
    a.before, a.after, encode(s.hash, 'hex')
"""
_SOURCE: Final = """
    audit_log a LEFT JOIN audit_seals s ON s.audit_id = a.id LEFT JOIN users u ON u.id = a.user_id
"""


async def list_audit_log(tx: Read, actor: Actor, request: ListRequest) -> Page[AuditRow]:
    """The writes of the actor's account, newest first."""
    mine = SQL("a.account_id = {}").format(Literal(actor.account_id))
    return await page_of(tx, _row, AUDIT_LOG, request, columns=_COLUMNS, source=_SOURCE, where=[mine])


def _row(number: int, seal: int | None, at: Instant, project: int | None, *rest: Any) -> AuditRow:
    return AuditRow(number, seal, at, None if project is None else ids.of("project", project), *rest)
