"""Read batches."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, LiteralString

import msgspec
from psycopg.sql import SQL, Composable, Literal

from weighbridge.accounting.batches.records import (
    INPUT_DATA_INLINE,
    Batch,
    BatchModel,
    BatchModelRun,
    InputDataPage,
    Lineage,
    PrimaryOutput,
)
from weighbridge.accounting.books.model_run_ids import ModelRunKey, read_model_run_id, run_behind
from weighbridge.accounting.books.stale_reasons import is_any_stale, is_stale_among, reasons_if
from weighbridge.accounting.books.value_source_shares import measured_share, value_source_shares
from weighbridge.accounting.tracing.allocations import allocations_by_batch, allocations_numbered
from weighbridge.accounting.tracing.input_data import RowRange, input_data, input_data_answered
from weighbridge.accounting.tracing.lineage import lineage_of
from weighbridge.collection.measurements.alerts import IS_ALERT, PARAMETERS, WITH_RULE
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import API_PREFIX, Link, ResourceAddress
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Command, Read
from weighbridge.db.list_page import ANY_WAY
from weighbridge.db.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Index,
    Listing,
    ListRequest,
    Page,
    Source,
    among,
    page_info,
    read_key,
    read_moment,
    read_page,
)
from weighbridge.db.row import Column, Derived, row_of, unless_null
from weighbridge.platform.tenancy.project_filter import project_filter
from weighbridge.platform.tenancy.scope import find, key_named, need, of_key, of_projects


def _model_run(text: str) -> ModelRunKey:
    if ids.parse("model_run", text) is None:
        raise ValueError(text)
    return read_model_run_id(text) or _NOBODYS


_NOBODYS: Final = ModelRunKey(ids.Owner.MODEL_RUN, 0, 0)
"""A model run that stands behind no batch."""


def _truth(text: str) -> bool:
    return among(("true", "false"))(text) == "true"


# A batch that is being computed with other inputs says so, and why that failed, as long as its task says it.
_STATE: Final = "CASE WHEN u.state IN ('pending', 'running') THEN 'processing' ELSE 'complete' END"
_UPDATED_AT: Final = "greatest(b.updated_at, u.finished_at)"
_TASK: Final = "FROM async_tasks u WHERE u.id = b.inputs_task_id"

# What a batch adds to its run, signed: a fall, or a rise that first gives back what falls took, credits less.
# Batches of a run are deleted from the newest on, so those that are there stand on one another.
_DIFFERENCE: Final = """
    CASE WHEN b.adjusts IS NULL THEN b.total ELSE trim_scale(b.total - (
        SELECT earlier.total FROM batches earlier
         WHERE (earlier.project_id, earlier.run_id, earlier.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND earlier.id < b.id AND earlier.deleted_at IS NULL
         ORDER BY earlier.id DESC LIMIT 1)) END
"""
# The first batch of a run says what that comes to now, an adjusting one what it came to by then.
_RUN_TOTAL: Final = """
    CASE WHEN b.adjusts IS NOT NULL OR b.run_id IS NULL THEN b.total ELSE (
        SELECT newest.total FROM batches newest
         WHERE (newest.project_id, newest.run_id, newest.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND newest.deleted_at IS NULL
         ORDER BY newest.id DESC LIMIT 1) END
"""
# As with the total, and what comes to nothing rests on nothing.
_RESTS_ON: Final = """
    CASE WHEN b.adjusts IS NOT NULL OR b.run_id IS NULL THEN CASE WHEN b.total <> 0 THEN c.contributions END
    ELSE (SELECT CASE WHEN newest.total <> 0 THEN rests.contributions END
            FROM batches newest
            JOIN batch_calculations rests
              ON (rests.project_id, rests.batch_id) = (newest.project_id, newest.id) AND rests.is_primary
           WHERE (newest.project_id, newest.run_id, newest.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
             AND newest.deleted_at IS NULL
           ORDER BY newest.id DESC LIMIT 1) END
"""
_ADJUSTED_BY: Final = """
    CASE WHEN b.adjusts IS NULL AND b.run_id IS NOT NULL THEN ARRAY(
        SELECT later.id FROM batches later
         WHERE (later.project_id, later.run_id, later.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
           AND later.id > b.id AND later.deleted_at IS NULL
         ORDER BY later.id) END
"""

_SORTS: Final = {
    "id": "b.id",
    "friendly_id": "b.id",
    "start_time": "b.start_time",
    "end_time": "b.end_time",
    "created_at": "b.created_at",
    "updated_at": f"greatest(b.updated_at, (SELECT u.finished_at {_TASK}))",
    "tracking_id": "b.tracking_id",
}
_BY_ID: Final = Filter("b.id", read_key("batch"), "an id bat_…")
_BOUNDS: Final = ("eq", *BOUNDS)
_FILTERS: Final = {
    "id": _BY_ID,
    "friendly_id": _BY_ID,
    "tracking_id": Filter("b.tracking_id", str, "a tracking id"),
    "start_time": Filter("b.start_time", read_moment, MOMENT, _BOUNDS),
    "end_time": Filter("b.end_time", read_moment, MOMENT, _BOUNDS),
    "created_at": Filter("b.created_at", read_moment, MOMENT, _BOUNDS),
    "model_run_id": Filter("b.run_id", _model_run, "an id mr_…, for all batches of its run"),
    "is_stale": Filter(is_stale_among("IS NOT NULL"), _truth, "true or false"),
}

LEDGER_BATCHES: Final = Listing(
    sorts=_SORTS,
    default_sort="start_time",
    key=("b.id",),
    filters=_FILTERS,
    indexes=(
        *(Index("", name) for name in ("id", "friendly_id", "model_run_id", "is_stale")),
        *(Index(name) for name in ("start_time", "id", "friendly_id")),
    ),
)
"""Batches of one ledger; they are not filtered by state."""

BATCHES: Final = Listing(
    sorts={**_SORTS, "state": f"coalesce((SELECT {_STATE} {_TASK}), 'complete')"},
    default_sort="start_time",
    key=("b.project_id", "b.id"),
    filters={
        **_FILTERS,
        "project_id": project_filter("b.project_id"),
        "ledger_id": Filter("b.ledger_id", read_key("ledger"), "an id lgr_…"),
    },
)

INPUT_DATA: Final = Listing(sorts={}, default_sort="", key=())

_JOINED: Final = """
    JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
    JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary
    LEFT JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
    LEFT JOIN models m ON m.id = b.model_id
    LEFT JOIN async_tasks u ON u.id = b.inputs_task_id
"""
_SOURCE: Final = f"batches b {_JOINED}"


def _run_behind(project: int, batch: int, model: int | None) -> BatchModelRun | None:
    return None if model is None else BatchModelRun(run_behind(project, batch), "complete")


def _model(number: int, name: str, version: int, sha256: str) -> BatchModel:
    return BatchModel(ids.of("model", 0, number), name, version, sha256)


def _tags(kind: str) -> Callable[[int, int | None], list[str]]:
    """A reader of what a batch is tagged with: one record of a kind, or none."""
    return lambda project, number: [] if number is None else [ids.of(kind, project, number)]


def _batches(project: int, numbers: Sequence[int] | None) -> list[str]:
    return [ids.of("batch", project, number) for number in numbers or ()]


def _rest_of_input_data(batch: str) -> ResourceAddress:
    """Where input data go on behind the rows that stand in the batch."""
    path = f"{API_PREFIX}/batches/{batch}/input_data"
    return ResourceAddress(f"{path}?page=2&page_size={INPUT_DATA_INLINE}")


def _page_of_batch(project: str, batch: str) -> Link:
    return Link(f"/projects/{project}/batches/{batch}")


BATCH: Final = row_of(
    Batch,
    Column("id", ("b.project_id", "b.id"), partial(ids.of, "batch")),
    Column("numeric_id", "b.id"),
    Column("project_id", "b.project_id", partial(ids.of, "project")),
    Column("ledger_id", ("b.project_id", "b.ledger_id"), partial(ids.of, "ledger")),
    Column("tracking_id", "b.tracking_id"),
    Column("start_time", "b.start_time"),
    Column("end_time", "b.end_time"),
    Column("state", _STATE),
    Column("error_message", "u.error_message"),
    Column("adjusts", ("b.project_id", "b.adjusts"), unless_null(partial(ids.of, "batch"))),
    Column("adjusted_by", ("b.project_id", _ADJUSTED_BY), _batches),
    Column("feedstocks", ("b.project_id", "r.feedstock_id"), _tags("feedstock")),
    Column("assets", ("b.project_id", "r.asset_id"), _tags("asset")),
    Column("primary_output", ("c.id", "c.name", "l.unit", _DIFFERENCE), PrimaryOutput),
    Column("ledger_balance", "b.balance"),
    Column("run_total", _RUN_TOTAL),
    Column("value_source_shares", (_RESTS_ON,), value_source_shares),
    Derived("measured_share", ("value_source_shares",), measured_share),
    Column("model", ("m.id", "m.name", "m.version", "encode(b.model_sha256, 'hex')"), unless_null(_model)),
    Column("engine_revision", "CASE WHEN b.run_id IS NOT NULL THEN b.engine_revision END"),
    Column("model_run", ("b.project_id", "b.id", "m.id"), _run_behind),
    Column("allocations", (), list),
    Column("downstream_batch_allocations", (), list),
    Column("input_data", (), list),
    Column("input_data_count", (), int),
    Column("input_data_is_complete", (), bool),
    Column("input_data_next", (), lambda: None),
    Column("has_rule_alerts", (), bool),
    Column("is_stale", (), bool),
    Column("stale_reasons", (), list),
    Column("created_at", "b.created_at"),
    Column("updated_at", _UPDATED_AT),
    Derived("ui_url", ("project_id", "id"), _page_of_batch),
)
"""A batch as it stands in its row; what stands beside it is read for all batches of a page at once."""

_OF_ACCOUNT: Final = SQL("{} AND b.deleted_at IS NULL")


async def list_batches(tx: Read, actor: Actor, request: ListRequest) -> Page[Batch]:
    """The batches of every ledger of the actor's account."""
    mine = _OF_ACCOUNT.format(of_projects(actor, "b.project_id"))
    own = f"IN (SELECT id FROM projects WHERE account_id = {actor.account_id:d})"
    return await _page(tx, BATCHES, request, mine, own)


async def list_batches_of_project(tx: Read, project: int, request: ListRequest) -> Page[Batch]:
    """The batches of every ledger of a project."""
    of_project = SQL("b.project_id = {} AND b.deleted_at IS NULL").format(Literal(project))
    return await _page(tx, BATCHES, request, of_project, f"= {project:d}")


async def list_ledger_batches(tx: Read, project: int, ledger: int, request: ListRequest) -> Page[Batch]:
    """The batches of one ledger."""
    of_ledger = SQL("b.project_id = {} AND b.ledger_id = {} AND b.deleted_at IS NULL").format(
        Literal(project), Literal(ledger)
    )
    return await _page(tx, LEDGER_BATCHES, request, of_ledger, f"= {project:d}")


async def get_batch(tx: Read, actor: Actor, friendly: str) -> Batch:
    """One batch of the actor's account."""
    return await _batch_of(tx, actor, key_named("batch", friendly))


async def get_lineage(tx: Read, actor: Actor, friendly: str) -> Lineage:
    """How one batch of the actor's account came about."""
    key = key_named("batch", friendly)
    return await lineage_of(tx, key, await _batch_of(tx, actor, key))


async def list_input_data(tx: Read, actor: Actor, friendly: str, request: ListRequest) -> InputDataPage:
    """One page of a batch's input data."""
    key = await key_of_batch(tx, actor, friendly)
    offset = (request.page - 1) * request.page_size
    inputs = await input_data(tx, RowRange(key.project, [key.key], offset, request.page_size))
    rows, total = inputs[key.key]
    goes_on = offset + len(rows) < total
    return InputDataPage(rows, page_info(request, len(rows), total, is_estimate=False, goes_on=goes_on))


async def key_of_batch(tx: Read, actor: Actor, friendly: str) -> ids.Key:
    """The key of a batch of the actor's account."""
    key = key_named("batch", friendly)
    await need(tx, "batches b", _keyed(actor), (key.project, key.key))
    return key


async def known_batches(tx: Read, project: int, numbers: Sequence[int]) -> set[int]:
    """Those of some batches that are there and not deleted."""
    rows = await tx.tuples(
        "SELECT id FROM batches WHERE project_id = %s AND id = ANY (%s) AND deleted_at IS NULL",
        (project, list(numbers)),
    )
    return {number for (number,) in rows}


async def _page(
    tx: Read, listing: Listing, request: ListRequest, where: Composable, projects: LiteralString
) -> Page[Batch]:
    """A page of batches of the projects of a condition; stale are looked for among those only."""
    request = await _of_run(tx, request)
    if any(name == "is_stale" for name, _, _ in request.conditions):
        stale = replace(listing.filters["is_stale"], column=is_stale_among(projects))
        listing = replace(listing, filters={**listing.filters, "is_stale": stale})
    page = await read_page(
        tx, BATCH, listing, request, source=Source("batches b", "b.*", _JOINED), where=[where]
    )
    return Page(await _completed(tx, page.data), page.info)


async def _of_run(tx: Read, request: ListRequest) -> ListRequest:
    """The request with the run's number in place of the model run that it names, which is behind a batch."""
    conditions = []
    for name, comparator, value in request.conditions:
        if isinstance(value, ModelRunKey):
            run = None
            if value.owner is ids.Owner.BATCH:
                run = await tx.value(
                    "SELECT run_id FROM batches WHERE project_id = %s AND id = %s",
                    (value.project, value.number),
                )
            conditions.append((name, comparator, run or 0))
        else:
            conditions.append((name, comparator, value))
    return replace(request, conditions=tuple(conditions))


async def _batch_of(tx: Read, actor: Actor, key: ids.Key) -> Batch:
    batch = await find(tx, BATCH, _SOURCE, _keyed(actor), (key.project, key.key))
    return (await _completed(tx, [batch]))[0]


def _keyed(actor: Actor) -> Composable:
    return _OF_ACCOUNT.format(of_key(actor, "b.project_id", "b.id"))


async def _completed(tx: Read, batches: Sequence[Batch]) -> list[Batch]:
    """Batches with what stands beside their rows, which is read for all batches of a project at once."""
    keys = [key_named("batch", batch.id) for batch in batches]
    completed: dict[ids.Key, Batch] = {}
    for project in {key.project for key in keys}:
        of_project = {key: batch for key, batch in zip(keys, batches, strict=True) if key.project == project}
        numbers = [key.key for key in of_project]
        first_rows = RowRange(project, numbers, 0, INPUT_DATA_INLINE)
        _, *of_inputs, [is_any], held, alerts = await tx.several(
            ANY_WAY,
            *first_rows.questions,
            is_any_stale(project),
            allocations_numbered(project, numbers),
            _alerts_numbered(project, numbers),
        )
        inputs = await input_data_answered(tx, first_rows, of_inputs)
        reasons = await reasons_if(tx, project, numbers, is_any)
        drawn = allocations_by_batch(project, numbers, held)
        alerted = {batch for (batch,) in alerts}
        for key, batch in of_project.items():
            rows, count = inputs[key.key]
            completed[key] = msgspec.structs.replace(
                batch,
                allocations=drawn[key.key],
                downstream_batch_allocations=drawn[key.key],
                input_data=rows,
                input_data_count=count,
                input_data_is_complete=count == len(rows),
                input_data_next=None if count == len(rows) else _rest_of_input_data(batch.id),
                has_rule_alerts=key.key in alerted,
                is_stale=bool(reasons[key.key]),
                stale_reasons=reasons[key.key],
            )
    return [completed[key] for key in keys]


def _alerts_numbered(project: int, batches: Sequence[int]) -> Command:
    """The question which batches of a page have an alert on their runs."""
    return _ALERTS, {"project": project, "batches": list(batches), **PARAMETERS}


_ALERTS: Final = f"""
    SELECT DISTINCT r.batch_id FROM model_run_results r {WITH_RULE}
     WHERE r.project_id = %(project)s AND r.batch_id = ANY (%(batches)s)
       AND {IS_ALERT}
"""
