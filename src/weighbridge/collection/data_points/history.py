"""History: every correction that was ever made of a value or of an event, those that were reverted included.

A completion gave a first value; it is part of what was captured and no correction.
"""

from typing import Any, Final

import msgspec
from psycopg.sql import SQL, Composable, Literal

from weighbridge.collection.data_points.queries import data_point_row
from weighbridge.collection.data_points.records import Correction
from weighbridge.collection.events.queries import event_row
from weighbridge.collection.measurements.corrected import rule_id
from weighbridge.core.collection.correction import Source, State
from weighbridge.core.identity import ids
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, Page, Wanted, among, page_of

_SOURCES: Final = tuple(source for source in Source if source is not Source.COMPLETION)

CORRECTIONS: Final = Listing(
    sorts={"id": "c.id", "created_at": "c.created_at"},
    default_sort="id",
    key=("c.id",),
    filters={
        "source": Filter("c.source", among(_SOURCES), ", ".join(_SOURCES)),
        "state": Filter("c.state", among(State), ", ".join(State)),
    },
)

_SOURCE: Final = """
    corrections c
    JOIN users u ON u.id = c.user_id
    LEFT JOIN api_tokens t ON t.id = c.token_id
    LEFT JOIN users reverter ON reverter.id = c.reverted_by
"""
_COLUMNS: Final = """
    c.project_id, c.id, c.event_id, c.position, c.field, c.from_value, c.to_value, c.source, c.state,
    c.reason, c.rule_id, c.rule_version, c.rule_run_id, u.name, t.name, c.created_at, c.reverted_at,
    reverter.name, c.reverted_by_run
"""
_KINDS: Final = {"feedstock_id": "feedstock", "asset_id": "asset"}
"""Fields that name a record: by its number in the database, and by its id outside."""


class _Row(msgspec.Struct, frozen=True):
    project: int
    number: int
    event: int
    position: int
    field: str
    from_value: Any
    to_value: Any
    source: str
    state: str
    reason: str | None
    rule: int | None
    rule_version: int | None
    rule_run: int | None
    user: str
    token: str | None
    created_at: Instant
    reverted_at: Instant | None
    reverted_by: str | None
    reverted_by_run: int | None


async def list_corrections(tx: Read, project: int, friendly: str, wanted: Wanted) -> Page[Correction]:
    """The corrections of one data point."""
    row = await data_point_row(tx, project, friendly)
    return await _page(tx, project, row.event, wanted, SQL("c.position = {}").format(Literal(row.position)))


async def list_event_corrections(tx: Read, project: int, friendly: str, wanted: Wanted) -> Page[Correction]:
    """The corrections of one event: its data points, and its own times and tags."""
    row = await event_row(tx, project, friendly)
    return await _page(tx, project, row.number, wanted, SQL("true"))


async def _page(tx: Read, project: int, event: int, wanted: Wanted, where: Composable) -> Page[Correction]:
    of_event = SQL("c.project_id = {} AND c.event_id = {} AND c.source <> {}").format(
        Literal(project), Literal(event), Literal(Source.COMPLETION.value)
    )
    page = await page_of(
        tx, _Row, CORRECTIONS, wanted, columns=_COLUMNS, source=_SOURCE, where=[of_event, where]
    )
    return Page([_correction(row) for row in page.data], page.info)


def _correction(row: _Row) -> Correction:
    is_of_event = row.position == 0
    return Correction(
        id=row.number,
        event_id=ids.of("event", row.project, row.event),
        data_point_id=None if is_of_event else ids.of("data_point", row.project, row.event, row.position),
        field=row.field if is_of_event else None,
        from_value=_outside(row, row.from_value),
        to_value=_outside(row, row.to_value),
        source=row.source,
        state=row.state,
        reason=row.reason,
        rule_id=rule_id(row.project, row.rule),
        rule_version=row.rule_version,
        rule_run_id=row.rule_run,
        corrected_by=row.user,
        token=row.token,
        created_at=row.created_at,
        reverted_at=row.reverted_at,
        reverted_by=row.reverted_by,
        reverted_by_rule_run_id=row.reverted_by_run,
    )


def _outside(row: _Row, value: Any) -> Any:
    kind = _KINDS.get(row.field)
    return value if kind is None or value is None else ids.of(kind, row.project, value)
