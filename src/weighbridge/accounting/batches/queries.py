"""Read batches."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

import msgspec
from psycopg.sql import SQL, Composable, Literal

from weighbridge.accounting.batches.records import (
    INPUT_DATA_INLINE,
    Batch,
    BatchAllocation,
    BatchModel,
    BatchModelRun,
    InputDataPage,
    InputRow,
    PrimaryOutput,
    StaleReason,
)
from weighbridge.accounting.books.model_run_ids import run_behind
from weighbridge.accounting.books.stale_reasons import stale_reasons
from weighbridge.accounting.tracing.allocations import allocations_of
from weighbridge.accounting.tracing.input_data import input_data
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, Page, Wanted, page_info, page_of, read_int4
from weighbridge.errors import NotFound
from weighbridge.quality.rule_results.queries import batches_with_alerts


def _key_of_batch(text: str) -> int:
    key = ids.parse("batch", text)
    if key is None:
        raise ValueError(text)
    return key.key


# A batch that is being computed with other inputs says so, and why that failed, as long as its task says it.
_STATE: Final = "CASE WHEN u.state IN ('pending', 'running') THEN 'processing' ELSE 'complete' END"
_UPDATED_AT: Final = "greatest(b.updated_at, u.finished_at)"

_SORTS: Final = {
    "id": "b.id",
    "friendly_id": "b.id",
    "start_time": "b.start_time",
    "end_time": "b.end_time",
    "created_at": "b.created_at",
    "updated_at": _UPDATED_AT,
    "tracking_id": "b.tracking_id",
}
_BY_ID: Final = Filter("b.id", _key_of_batch, "an id bat_…")

LEDGER_BATCHES: Final = Listing(
    sorts=_SORTS,
    default_sort="start_time",
    key=("b.id",),
    filters={
        "id": _BY_ID,
        "friendly_id": _BY_ID,
        "tracking_id": Filter("b.tracking_id", str, "a tracking id"),
    },
)
"""Batches of one ledger; they are not filtered by state."""

BATCHES: Final = Listing(
    sorts={**_SORTS, "state": _STATE},
    default_sort="start_time",
    key=("b.project_id", "b.id"),
    filters={"id": _BY_ID, "project_id": Filter("b.project_id", read_int4, "a project's number")},
)

INPUT_DATA: Final = Listing(sorts={}, default_sort="", key=())

_SOURCE: Final = """
    batches b
    JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
    JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary
    LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
    LEFT JOIN models m ON m.id = b.model_id
    LEFT JOIN async_tasks u ON u.id = b.inputs_task_id
"""
_COLUMNS: Final = f"""
    b.project_id, b.id, b.ledger_id, b.tracking_id, b.start_time, b.end_time, {_STATE}, u.error_message,
    b.adjusts, r.feedstock_id, r.asset_id, c.id, c.name, l.unit, b.credited, b.balance, b.total,
    m.id, m.name, m.version, encode(b.model_sha256, 'hex'), b.created_at, {_UPDATED_AT}
"""


class BatchRow(msgspec.Struct, frozen=True):
    """A batch as it stands in its row."""

    project: int
    number: int
    ledger: int
    tracking_id: str
    start_time: Instant
    end_time: Instant
    state: str
    error_message: str | None
    adjusts: int | None
    feedstock: int | None
    asset: int | None
    output_id: int
    output_name: str
    unit: str
    credited: Decimal
    balance: Decimal
    total: Decimal
    model: int | None
    model_name: str | None
    model_version: int | None
    model_sha256: str | None
    created_at: Instant
    updated_at: Instant


async def list_batches(tx: Read, actor: Actor, wanted: Wanted) -> Page[Batch]:
    """The batches of every ledger of the actor's account."""
    return await _page(tx, BATCHES, wanted, _mine(actor))


async def list_ledger_batches(tx: Read, project: int, ledger: int, wanted: Wanted) -> Page[Batch]:
    """The batches of one ledger."""
    of_ledger = SQL("b.project_id = {} AND b.ledger_id = {} AND b.deleted_at IS NULL").format(
        Literal(project), Literal(ledger)
    )
    return await _page(tx, LEDGER_BATCHES, wanted, of_ledger)


async def get_batch(tx: Read, actor: Actor, friendly: str) -> Batch:
    """One batch of the actor's account."""
    row = await _row_named(tx, actor, friendly)
    return (await _batches(tx, [row]))[0]


async def list_input_data(tx: Read, actor: Actor, friendly: str, wanted: Wanted) -> InputDataPage:
    """One page of a batch's input data."""
    row = await _row_named(tx, actor, friendly)
    offset = (wanted.page - 1) * wanted.page_size
    found = await input_data(tx, row.project, [row.number], offset, wanted.page_size)
    rows, total = found[row.number]
    goes_on = offset + len(rows) < total
    return InputDataPage(rows, page_info(wanted, len(rows), total, is_estimate=False, goes_on=goes_on))


async def key_of_batch(tx: Read, actor: Actor, friendly: str) -> ids.Key:
    """The key of a batch of the actor's account."""
    key = ids.parse("batch", friendly)
    statement = SQL("SELECT true FROM batches b WHERE {} AND b.project_id = %s AND b.id = %s")
    if key is None or not await tx.value(statement.format(_mine(actor)), (key.project, key.key)):
        raise NotFound
    return key


async def known_batches(tx: Read, project: int, numbers: Sequence[int]) -> set[int]:
    """Those of some batches that are there and not deleted."""
    rows = await tx.tuples(
        "SELECT id FROM batches WHERE project_id = %s AND id = ANY (%s) AND deleted_at IS NULL",
        (project, list(numbers)),
    )
    return {number for (number,) in rows}


async def _page(tx: Read, listing: Listing, wanted: Wanted, where: Composable) -> Page[Batch]:
    page = await page_of(tx, BatchRow, listing, wanted, columns=_COLUMNS, source=_SOURCE, where=[where])
    return Page(await _batches(tx, page.data), page.info)


async def _row_named(tx: Read, actor: Actor, friendly: str) -> BatchRow:
    key = ids.parse("batch", friendly)
    if key is None:
        raise NotFound
    row = await tx.row(
        BatchRow,
        SQL("SELECT {} FROM {} WHERE {} AND b.project_id = %s AND b.id = %s").format(
            SQL(_COLUMNS), SQL(_SOURCE), _mine(actor)
        ),
        (key.project, key.key),
    )
    if row is None:
        raise NotFound
    return row


async def _batches(tx: Read, rows: Sequence[BatchRow]) -> list[Batch]:
    made: dict[tuple[int, int], Batch] = {}
    for project in {row.project for row in rows}:
        of_project = [row for row in rows if row.project == project]
        inputs = await input_data(tx, project, [row.number for row in of_project], 0, INPUT_DATA_INLINE)
        reasons = await stale_reasons(tx, project, [row.number for row in of_project])
        drawn = await allocations_of(tx, project, [row.number for row in of_project])
        alerted = await batches_with_alerts(tx, project, [row.number for row in of_project])
        for row in of_project:
            made[project, row.number] = _batch(
                row,
                *inputs[row.number],
                reasons[row.number],
                drawn[row.number],
                has_rule_alerts=row.number in alerted,
            )
    return [made[row.project, row.number] for row in rows]


def _mine(actor: Actor) -> Composable:
    return SQL(
        "b.project_id IN (SELECT id FROM projects WHERE account_id = {}) AND b.deleted_at IS NULL"
    ).format(Literal(actor.account_id))


def _batch(
    row: BatchRow,
    inputs: list[InputRow],
    input_count: int,
    reasons: list[StaleReason],
    drawn: list[BatchAllocation],
    *,
    has_rule_alerts: bool,
) -> Batch:
    friendly = ids.of("batch", row.project, row.number)
    return Batch(
        id=friendly,
        project_id=ids.of("project", row.project),
        ledger_id=ids.of("ledger", row.project, row.ledger),
        tracking_id=row.tracking_id,
        start_time=row.start_time,
        end_time=row.end_time,
        state=row.state,
        error_message=row.error_message,
        adjusts=None if row.adjusts is None else ids.of("batch", row.project, row.adjusts),
        feedstocks=[] if row.feedstock is None else [ids.of("feedstock", row.project, row.feedstock)],
        assets=[] if row.asset is None else [ids.of("asset", row.project, row.asset)],
        primary_output=PrimaryOutput(row.output_id, row.output_name, row.unit, row.credited),
        ledger_balance=row.balance,
        run_total=row.total,
        model=_model(row),
        model_run=None
        if row.model is None
        else BatchModelRun(run_behind(row.project, row.number), "complete"),
        input_data=inputs,
        input_data_count=input_count,
        has_rule_alerts=has_rule_alerts,
        is_stale=bool(reasons),
        stale_reasons=reasons,
        allocations=drawn,
        downstream_batch_allocations=drawn,
        created_at=row.created_at,
        updated_at=row.updated_at,
        ui_url=Link(f"/projects/{ids.of('project', row.project)}/batches/{friendly}"),
    )


def _model(row: BatchRow) -> BatchModel | None:
    """The version that made a batch; an instrument has none."""
    if row.model is None or row.model_name is None or row.model_version is None or row.model_sha256 is None:
        return None
    return BatchModel(ids.of("model", 0, row.model), row.model_name, row.model_version, row.model_sha256)
