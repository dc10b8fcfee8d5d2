"""Read batches: of an account, a project or a ledger, one by one, with input data and provenance."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, LiteralString

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.accounting.books.effect_names import name_budgets
from weighbridge.accounting.books.runs import (
    ADJUSTED_BY,
    DIFFERENCE,
    RESTS_ON,
    RUN_TOTAL,
    compute_measured_share,
    compute_value_source_shares,
    is_any_stale,
    read_stale_reasons_if,
    select_stale,
)
from weighbridge.accounting.books.uncertainty import UNCERTAINTY, build_uncertainty
from weighbridge.accounting.records.batches import (
    INPUT_DATA_INLINE,
    Batch,
    BatchModel,
    BatchModelRun,
    InputDataPage,
    Lineage,
    PrimaryOutput,
)
from weighbridge.accounting.records.model_runs import ModelRunKey, read_model_run_id, run_behind
from weighbridge.accounting.tracing.input_data import RowRange, build_input_data, read_input_data
from weighbridge.accounting.tracing.lineage import (
    ask_for_allocations,
    ask_for_reported,
    build_lineage,
    group_allocations,
    group_reported,
)
from weighbridge.accounting.tracing.pending_proposals import ask_for_any_pending, count_pending_if
from weighbridge.collection.measurements.annotations import IS_OPEN, PARAMETERS, WITH_RULE
from weighbridge.core import identity
from weighbridge.core.identity import API_PREFIX, Link, ResourceAddress
from weighbridge.core.ledger.conditions import list_conditions
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule.definition import Severity
from weighbridge.db.engine import Command, Read
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Index,
    Listing,
    ListRequest,
    Page,
    Source,
    among,
    join_row,
    page_info,
    read_key,
    read_moment,
    read_page,
    start_implied,
)
from weighbridge.db.lists.page import ANY_WAY
from weighbridge.db.row import Column, Derived, row_of, unless_null
from weighbridge.db.statements import Literal
from weighbridge.platform.tenancy import (
    find,
    key_named,
    need,
    of_key,
    project_filter,
    seen_of_account,
)


def _parse_model_run(text: str) -> ModelRunKey:
    if identity.parse("model_run", text) is None:
        raise ValueError(text)
    return read_model_run_id(text) or _NOBODYS


_NOBODYS: Final = ModelRunKey(identity.Owner.MODEL_RUN, 0, 0)
"""A model run that stands behind no batch."""


def _parse_truth(text: str) -> bool:
    return among(("true", "false"))(text) == "true"


def _filter_stale(projects: LiteralString) -> Filter:
    """The filter of stale batches of some projects, where something else finds the batches."""
    condition: LiteralString = f"((b.project_id, b.id) IN ({select_stale(projects)}))"
    return Filter(condition, _parse_truth, "true or false", spelled={True: condition})


def _select_stale(projects: LiteralString) -> Source:
    """Where the stale batches of some projects are cut out: what finds them goes from what is marked."""
    looked_up = "SELECT * FROM batches WHERE (project_id, id) = (stale.project_id, stale.id) OFFSET 0"
    rows: LiteralString = f"({select_stale(projects)}) AS stale CROSS JOIN LATERAL ({looked_up}) AS b"
    return Source(f"(SELECT b.* FROM {rows}) AS b", "b.*", _JOINED, name="b")


# A batch that is being computed with other inputs says so, and why that failed, as long as its task says it.
_STATE: Final = "CASE WHEN u.state IN ('pending', 'running') THEN 'processing' ELSE 'complete' END"
_UPDATED_AT: Final = "greatest(b.updated_at, u.finished_at)"
_TASK: Final = "FROM async_tasks u WHERE u.id = b.inputs_task_id"

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
    "model_run_id": Filter("b.run_id", _parse_model_run, "an id mr_…, for all batches of its run"),
    "is_stale": _filter_stale("IS NOT NULL"),
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
    is_exported=True,
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
    is_exported=True,
    indexes=(
        *(Index("", name) for name in ("id", "friendly_id", "model_run_id", "is_stale")),
        Index("start_time", "tracking_id"),
        Index("created_at", "created_at", is_range=True),
        *(Index("start_time", name) for name in ("ledger_id", "project_id")),
        *(Index(name) for name in ("start_time", "id", "friendly_id", "created_at")),
    ),
)
"""Batches of a project, or of each project of an account."""

INPUT_DATA: Final = Listing(sorts={}, default_sort="", key=())

_JOINED: Final = " ".join((
    join_row("ledgers l", "(l.project_id, l.id) = (b.project_id, b.ledger_id)"),
    join_row("batch_calculations c", "(c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary"),
    join_row("runs r", "(r.project_id, r.id) = (b.project_id, b.run_id)", is_there=False),
    join_row("models m", "m.id = b.model_id", is_there=False),
    join_row("async_tasks u", "u.id = b.inputs_task_id", is_there=False),
))  # fmt: skip
_SOURCE: Final = f"batches b {_JOINED}"
_LISTED: Final = Source("batches b", "b.*", _JOINED)

# An index's last entry.
_LONGEST: Final = """
    (SELECT o.end_time - o.start_time FROM batches o WHERE o.project_id = {project} AND o.deleted_at IS NULL
      ORDER BY o.end_time - o.start_time DESC LIMIT 1)
"""


_WAITING_EVENTS: Final = """coalesce((
    SELECT w.event_count FROM slot_waits w WHERE (w.project_id, w.ledger_id, w.start_time, w.end_time)
                                               = (b.project_id, b.ledger_id, b.start_time, b.end_time)), 0)"""


def _run_behind(project: int, batch: int, model: int | None) -> BatchModelRun | None:
    return None if model is None else BatchModelRun(run_behind(project, batch), "complete")


def _build_model(number: int, name: str, version: int, sha256: str) -> BatchModel:
    return BatchModel(identity.of("model", 0, number), name, version, sha256)


def _build_tag_reader(kind: str) -> Callable[[int, int | None], list[str]]:
    """A reader of what a batch is tagged with: one record of a kind, or none."""
    return lambda project, number: [] if number is None else [identity.of(kind, project, number)]


def _list_batch_ids(project: int, numbers: Sequence[int] | None) -> list[str]:
    return [identity.of("batch", project, number) for number in numbers or ()]


def _link_rest_of_input_data(batch: str) -> ResourceAddress:
    """Where input data go on behind the rows that stand in the batch."""
    path = f"{API_PREFIX}/batches/{batch}/input_data"
    return ResourceAddress(f"{path}?page=2&page_size={INPUT_DATA_INLINE}")


def _link_page(project: str, batch: str) -> Link:
    return Link(f"/projects/{project}/batches/{batch}")


BATCH: Final = row_of(
    Batch,
    Column("id", ("b.project_id", "b.id"), partial(identity.of, "batch")),
    Column("numeric_id", "b.id"),
    Column("project_id", "b.project_id", partial(identity.of, "project")),
    Column("ledger_id", ("b.project_id", "b.ledger_id"), partial(identity.of, "ledger")),
    Column("tracking_id", "b.tracking_id"),
    Column("start_time", "b.start_time"),
    Column("end_time", "b.end_time"),
    Column("state", _STATE),
    Column("error_message", "u.error_message"),
    Column("adjusts", ("b.project_id", "b.adjusts"), unless_null(partial(identity.of, "batch"))),
    Column("adjusted_by", ("b.project_id", ADJUSTED_BY), _list_batch_ids),
    Column("feedstocks", ("b.project_id", "r.feedstock_id"), _build_tag_reader("feedstock")),
    Column("assets", ("b.project_id", "r.asset_id"), _build_tag_reader("asset")),
    Column("primary_output", ("c.id", "c.name", "l.unit", DIFFERENCE), PrimaryOutput),
    Column("ledger_balance", "b.balance"),
    Column("run_total", RUN_TOTAL),
    Column("value_source_shares", (RESTS_ON,), compute_value_source_shares),
    Derived("measured_share", ("value_source_shares",), compute_measured_share),
    Column(
        "uncertainty",
        (UNCERTAINTY, "c.unit", "l.unit", "l.scale", "l.rounding", RUN_TOTAL),
        build_uncertainty,
    ),
    Column(
        "model", ("m.id", "m.name", "m.version", "encode(b.model_sha256, 'hex')"), unless_null(_build_model)
    ),
    Column("engine_revision", "CASE WHEN b.run_id IS NOT NULL THEN b.engine_revision END"),
    Column("model_run", ("b.project_id", "b.id", "m.id"), _run_behind),
    Column("allocations", (), list),
    Column("downstream_batch_allocations", (), list),
    Column("report_allocations", (), list),
    Column("input_data", (), list),
    Column("input_data_count", (), int),
    Column("input_data_is_complete", (), bool),
    Column("input_data_next", (), lambda: None),
    Column("has_rule_alerts", (), bool),
    Column("has_rule_warnings", (), bool),
    Column("is_stale", (), bool),
    Column("stale_reasons", (), list),
    Column("waiting_event_count", _WAITING_EVENTS),
    Column("pending_proposal_count", (), int),
    Column("conditions", (), list),
    Column("created_at", "b.created_at"),
    Column("updated_at", _UPDATED_AT),
    Derived("ui_url", ("project_id", "id"), _link_page),
)
"""A batch as it stands in its row; what stands beside it is read for all batches of a page at once."""

_OF_ACCOUNT: Final = SQL("{} AND b.deleted_at IS NULL")


async def list_batches(tx: Read, actor: Actor, request: ListRequest) -> Page[Batch]:
    """The batches of every ledger of the actor's account: what each project has, merged."""
    mine = [seen_of_account(actor, "account_id", "id")]
    named = {value for name, _, value in request.conditions if name == "project_id"}
    mine += [SQL("id = {}").format(Literal(project)) for project in named]
    owners = SQL("SELECT id FROM projects WHERE {}").format(SQL(" AND ").join(mine))
    here = SQL("b.project_id = owner.id AND b.deleted_at IS NULL")
    longest = SQL(_LONGEST).format(project=SQL("owner.id"))
    source = replace(_LISTED, owners=owners, implied=start_implied(request, "b.start_time", longest))
    return await _read_page(tx, BATCHES, request, source, here, "= owner.id")


async def list_batches_of_project(tx: Read, project: int, request: ListRequest) -> Page[Batch]:
    """The batches of every ledger of a project."""
    here = SQL("b.project_id = {} AND b.deleted_at IS NULL").format(Literal(project))
    return await _read_page(tx, BATCHES, request, _select_project(project, request), here, f"= {project:d}")


async def list_ledger_batches(tx: Read, project: int, ledger: int, request: ListRequest) -> Page[Batch]:
    """The batches of one ledger."""
    of_ledger = SQL("b.project_id = {} AND b.ledger_id = {} AND b.deleted_at IS NULL").format(
        Literal(project), Literal(ledger)
    )
    return await _read_page(
        tx, LEDGER_BATCHES, request, _select_project(project, request), of_ledger, f"= {project:d}"
    )


def _select_project(project: int, request: ListRequest) -> Source:
    longest = SQL(_LONGEST).format(project=Literal(project))
    return replace(_LISTED, implied=start_implied(request, "b.start_time", longest))


async def get_batch(tx: Read, actor: Actor, friendly: str) -> Batch:
    """One batch of the actor's account."""
    return await _read_batch(tx, actor, key_named("batch", friendly))


async def get_lineage(tx: Read, actor: Actor, friendly: str) -> Lineage:
    """How one batch of the actor's account came about."""
    key = key_named("batch", friendly)
    return await build_lineage(tx, key, await _read_batch(tx, actor, key))


async def list_input_data(tx: Read, actor: Actor, friendly: str, request: ListRequest) -> InputDataPage:
    """One page of a batch's input data."""
    key = await find_batch_key(tx, actor, friendly)
    offset = (request.page - 1) * request.page_size
    inputs = await read_input_data(tx, RowRange(key.project, [key.key], offset, request.page_size))
    rows, total = inputs[key.key]
    goes_on = offset + len(rows) < total
    return InputDataPage(rows, page_info(request, len(rows), total, is_estimate=False, goes_on=goes_on))


async def find_batch_key(tx: Read, actor: Actor, friendly: str) -> identity.Key:
    """The key of a batch of the actor's account."""
    key = key_named("batch", friendly)
    await need(tx, "batches b", _select_by_key(actor), (key.project, key.key))
    return key


async def find_known_batches(tx: Read, project: int, numbers: Sequence[int]) -> set[int]:
    """Those of some batches that are there and not deleted."""
    rows = await tx.tuples(
        "SELECT id FROM batches WHERE project_id = %s AND id = ANY (%s) AND deleted_at IS NULL",
        (project, list(numbers)),
    )
    return {number for (number,) in rows}


async def _read_page(
    tx: Read,
    listing: Listing,
    request: ListRequest,
    source: Source,
    where: Composable,
    projects: LiteralString,
) -> Page[Batch]:
    """A page of batches of the projects of a condition; stale are looked for among those only."""
    request = await _resolve_run(tx, request)
    if any(name == "is_stale" for name, _, _ in request.conditions):
        listing = replace(listing, filters={**listing.filters, "is_stale": _filter_stale(projects)})
        stale = replace(_select_stale(projects), owners=source.owners)
        source = replace(source, by_field={"is_stale": stale})
    page = await read_page(tx, BATCH, listing, request, source=source, where=[where])
    return Page(await _complete_batches(tx, page.data), page.info)


async def _resolve_run(tx: Read, request: ListRequest) -> ListRequest:
    """The request with the run's number in place of the model run that it names, which is behind a batch."""
    conditions = []
    for name, comparator, value in request.conditions:
        if isinstance(value, ModelRunKey):
            run = None
            if value.owner is identity.Owner.BATCH:
                run = await tx.value(
                    "SELECT run_id FROM batches WHERE project_id = %s AND id = %s",
                    (value.project, value.number),
                )
            conditions.append((name, comparator, run or 0))
        else:
            conditions.append((name, comparator, value))
    return replace(request, conditions=tuple(conditions))


async def _read_batch(tx: Read, actor: Actor, key: identity.Key) -> Batch:
    batch = await find(tx, BATCH, _SOURCE, _select_by_key(actor), (key.project, key.key))
    return (await _complete_batches(tx, [batch]))[0]


def _select_by_key(actor: Actor) -> Composable:
    return _OF_ACCOUNT.format(of_key(actor, "b.project_id", "b.id"))


async def _complete_batches(tx: Read, batches: Sequence[Batch]) -> list[Batch]:
    """Batches with what stands beside their rows, which is read for all batches of a project at once."""
    keys = [key_named("batch", batch.id) for batch in batches]
    completed: dict[identity.Key, Batch] = {}
    for project in {key.project for key in keys}:
        of_project = {key: batch for key, batch in zip(keys, batches, strict=True) if key.project == project}
        numbers = [key.key for key in of_project]
        first_rows = RowRange(project, numbers, 0, INPUT_DATA_INLINE)
        _, *of_inputs, [is_any], held, reported, alerts, [is_any_pending] = await tx.several(
            ANY_WAY,
            *first_rows.questions,
            is_any_stale(project),
            ask_for_allocations(project, numbers),
            ask_for_reported(project, numbers),
            _ask_for_alerts(project, numbers),
            ask_for_any_pending(project),
        )
        inputs = await build_input_data(tx, first_rows, of_inputs)
        reasons = await read_stale_reasons_if(tx, project, numbers, is_any)
        drawn = group_allocations(project, numbers, held)
        of_reports = group_reported(project, numbers, reported)
        found_of: dict[int, list[str]] = dict(alerts)
        pending_counts = await count_pending_if(tx, project, numbers, is_any_pending)
        budgets = await name_budgets(tx, project, [batch.uncertainty for batch in of_project.values()])
        for (key, batch), uncertainty in zip(of_project.items(), budgets, strict=True):
            rows, count = inputs[key.key]
            completed[key] = msgspec.structs.replace(
                batch,
                uncertainty=uncertainty,
                allocations=drawn[key.key],
                downstream_batch_allocations=drawn[key.key],
                report_allocations=of_reports[key.key],
                input_data=rows,
                input_data_count=count,
                input_data_is_complete=count == len(rows),
                input_data_next=None if count == len(rows) else _link_rest_of_input_data(batch.id),
                has_rule_alerts=Severity.FAIL in found_of.get(key.key, ()),
                has_rule_warnings=Severity.WARN in found_of.get(key.key, ()),
                is_stale=bool(reasons[key.key]),
                stale_reasons=reasons[key.key],
                pending_proposal_count=pending_counts.get(key.key, 0),
                conditions=list_conditions(
                    is_stale=bool(reasons[key.key]),
                    waiting_event_count=batch.waiting_event_count,
                    pending_proposal_count=pending_counts.get(key.key, 0),
                    is_reported=bool(of_reports[key.key]),
                ),
            )
    return [completed[key] for key in keys]


def _ask_for_alerts(project: int, batches: Sequence[int]) -> Command:
    """The question which batches of a page have alerts or warnings on their runs."""
    return _ALERTS, {"project": project, "batches": list(batches), **PARAMETERS}


_ALERTS: Final = f"""
    SELECT r.batch_id, array_agg(DISTINCT r.severity) FROM model_run_results r {WITH_RULE}
     WHERE r.project_id = %(project)s AND r.batch_id = ANY (%(batches)s)
       AND {IS_OPEN}
     GROUP BY r.batch_id
"""
