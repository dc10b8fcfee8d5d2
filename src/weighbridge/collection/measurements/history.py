"""History: every correction that was ever made of a value or of an event, those that were reverted included.

A completion gave a first value; it is part of what was captured and no correction.
"""

from functools import partial
from typing import Any, Final

from psycopg.sql import SQL, Composable

from weighbridge.collection.data_points.records import Correction
from weighbridge.core.collection.correction import ORIGINS_SHOWN, CorrectionOrigin, CorrectionState
from weighbridge.core.identity import ids
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, among, page_of
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, row_of, unless_null

CORRECTIONS: Final = Listing(
    sorts={"id": "c.id", "created_at": "c.created_at"},
    default_sort="id",
    key=("c.id",),
    filters={
        "source": Filter("c.source", among(ORIGINS_SHOWN), ", ".join(ORIGINS_SHOWN)),
        "state": Filter("c.state", among(CorrectionState), ", ".join(CorrectionState)),
    },
)

_KINDS: Final = {"feedstock_id": "feedstock", "asset_id": "asset"}
"""Fields that name a record: by its number in the database, and by its id outside."""


def _shown(project: int, field: str, value: Any) -> Any:
    """What a correction holds of a field, as it is shown outside."""
    kind = _KINDS.get(field)
    return value if kind is None or value is None else ids.of(kind, project, value)


def _data_point_id(project: int, event: int, position: int) -> str | None:
    return ids.of("data_point", project, event, position) if position else None


def _field(position: int, field: str) -> str | None:
    """The field of the event itself that was corrected, if it was one."""
    return None if position else field


CORRECTION: Final = row_of(
    Correction,
    Column("id", "c.id"),
    Column("event_id", ("c.project_id", "c.event_id"), partial(ids.of, "event")),
    Column("data_point_id", ("c.project_id", "c.event_id", "c.position"), _data_point_id),
    Column("field", ("c.position", "c.field"), _field),
    Column("from_value", ("c.project_id", "c.field", "c.from_value"), _shown),
    Column("to_value", ("c.project_id", "c.field", "c.to_value"), _shown),
    Column("source", "c.source"),
    Column("state", "c.state"),
    Column("reason", "c.reason"),
    Column("rule_id", ("c.project_id", "c.rule_id"), unless_null(partial(ids.of, "rule"))),
    Column("rule_version", "c.rule_version"),
    Column("rule_run_id", "c.rule_run_id"),
    Column("corrected_by", "u.name"),
    Column("token", "t.name"),
    Column("created_at", "c.created_at"),
    Column("reverted_at", "c.reverted_at"),
    Column("reverted_by", "reverter.name"),
    Column("reverted_by_rule_run_id", "c.reverted_by_run"),
)

_JOINED: Final = """
    corrections c
    JOIN users u ON u.id = c.user_id
    LEFT JOIN api_tokens t ON t.id = c.token_id
    LEFT JOIN users reverter ON reverter.id = c.reverted_by
"""


async def corrections_of_event(tx: Read, project: int, event: int, request: ListRequest) -> Page[Correction]:
    """The corrections of one event: its data points, and its own times and tags."""
    return await _page(tx, project, event, request, SQL("true"))


async def corrections_of_data_point(
    tx: Read, project: int, event: int, position: int, request: ListRequest
) -> Page[Correction]:
    """The corrections of one data point."""
    return await _page(tx, project, event, request, SQL("c.position = {}").format(Literal(position)))


async def _page(
    tx: Read, project: int, event: int, request: ListRequest, where: Composable
) -> Page[Correction]:
    of_event = SQL("c.project_id = {} AND c.event_id = {} AND c.source <> {}").format(
        Literal(project), Literal(event), Literal(CorrectionOrigin.COMPLETION.value)
    )
    return await page_of(
        tx, CORRECTION.make, CORRECTIONS, request,
        columns=CORRECTION.columns, source=_JOINED, where=[of_event, where],
    )  # fmt: skip
