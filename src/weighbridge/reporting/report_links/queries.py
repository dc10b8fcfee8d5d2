"""Read links to reports."""

from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.db.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    ListRequest,
    Page,
    among,
    read_int4,
    read_moment,
    read_page,
)
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of
from weighbridge.errors import NotFound
from weighbridge.platform.api_tokens.records import TokenUser
from weighbridge.platform.tenancy.scope import find, key_named, need, of_key, of_projects
from weighbridge.reporting.report_links.records import LinkStatus, ReportLink

STATUS: Final = f"""(CASE WHEN l.revoked_at IS NOT NULL THEN '{LinkStatus.REVOKED}'
                         WHEN l.expires_at <= now() THEN '{LinkStatus.EXPIRED}'
                         ELSE '{LinkStatus.OPEN}' END)"""
"""Whether a link `l` opens its report now."""

REPORT_LINKS: Final = Listing(
    sorts={"id": "l.id", "created_at": "l.created_at", "expires_at": "l.expires_at"},
    default_sort="-id",
    key=("l.id",),
    filters={
        "status": Filter(STATUS, among(LinkStatus), ", ".join(LinkStatus)),
        "user_id": Filter("coalesce(l.user_id, l.created_by)", read_int4, "the number of a user"),
        "created_at": Filter("l.created_at", read_moment, MOMENT, BOUNDS),
        "expires_at": Filter("l.expires_at", read_moment, MOMENT, BOUNDS),
    },
)
_SOURCE: Final = """
    report_links l JOIN users c ON c.id = l.created_by LEFT JOIN users r ON r.id = l.revoked_by
    JOIN users o ON o.id = coalesce(l.user_id, l.created_by)
"""
REPORT_LINK: Final = row_of(
    ReportLink,
    Column("id", "l.id"),
    Column("report_id", ("l.project_id", "l.report_id"), partial(ids.of, "report")),
    Column("name", "l.name"),
    Column("status", STATUS),
    Column("use_count", "l.use_count"),
    Column("last_used_at", "l.last_used_at"),
    Column("created_by", "c.name"),
    Column("created_at", "l.created_at"),
    Column("expires_at", "l.expires_at"),
    Column("revoked_at", "l.revoked_at"),
    Column("revoked_by", "r.name"),
    Column("user", ("o.id", "o.name", "o.email", "o.disabled_at"), TokenUser),
)


async def report_named(tx: Read, actor: Actor, friendly: str) -> ids.Key:
    """The key of a report of the actor's account; NotFound when there is none."""
    key = key_named("report", friendly)
    condition = of_key(actor, "project_id", "id")
    await need(tx, "reports", condition, (key.project, key.key), ("report", friendly))
    return key


async def list_report_links(tx: Read, report: ids.Key, request: ListRequest) -> Page[ReportLink]:
    """The links of a report, ended ones included."""
    where = SQL("l.project_id = {} AND l.report_id = {}").format(Literal(report.project), Literal(report.key))
    return await read_page(tx, REPORT_LINK, REPORT_LINKS, request, source=_SOURCE, where=[where])


async def list_links_of_account(tx: Read, actor: Actor, request: ListRequest) -> Page[ReportLink]:
    """The links to all reports of the actor's account, ended ones included."""
    where = [of_projects(actor, "l.project_id")]
    return await read_page(tx, REPORT_LINK, REPORT_LINKS, request, source=_SOURCE, where=where)


async def get_report_link(tx: Read, report: ids.Key, named: str) -> ReportLink:
    """One link of a report by its number."""
    try:
        number = read_int4(named)
    except ValueError:
        raise NotFound from None
    where = SQL("l.project_id = %s AND l.report_id = %s AND l.id = %s")
    return await find(tx, REPORT_LINK, _SOURCE, where, (report.project, report.key, number))
