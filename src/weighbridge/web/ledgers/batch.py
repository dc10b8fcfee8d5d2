"""One batch: its result, how it came about, what was drawn of it, and the story of its run."""

from collections.abc import Sequence
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.batch_generations.routes import create_batch_generation
from weighbridge.accounting.batches.records import Batch, LineageNode
from weighbridge.accounting.batches.routes import get_batch, get_lineage, list_ledger_batches
from weighbridge.accounting.ledgers.routes import get_ledger
from weighbridge.collection.events.routes import list_events
from weighbridge.core.time.instant import MILLISECOND, Instant
from weighbridge.platform.changes.stale_reasons import REASONS, UPSTREAM_STALE
from weighbridge.web.drawing.shares import stacked_bar
from weighbridge.web.ledgers.equation import written
from weighbridge.web.ledgers.lineage import levels, lineage_picture
from weighbridge.web.page import form, page
from weighbridge.web.records.opening import place_of
from weighbridge.web.records.plain import own_project
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/batches/{batch_id}"

EVENTS_LOOKED_AT: Final = "100"
"""Events of one type whose evidence is shown with a batch."""

ADJUSTING_SHOWN: Final = "100"
"""Batches of one run that its story tells of."""


async def batch(visit: Visit) -> View | Moved:
    """A batch with its equation, its lineage and its story."""
    found = await visit.ask(get_batch)
    if elsewhere := own_project(visit, found):
        return Moved(elsewhere)
    ledger = await visit.ask(get_ledger, ledger_id=found.ledger_id)
    nodes = (await visit.ask(get_lineage)).nodes if found.model is not None else []
    home = visit.frame.home
    run = await _run(visit, found)
    drawn = sum(one.amount for one in found.allocations)
    reported = sum(one.amount for one in found.report_allocations)
    bar = stacked_bar(
        [("drawn", drawn + reported), ("remaining", found.ledger_balance)],
        says=f"{drawn} drawn, {reported} in reports, {found.ledger_balance} remaining",
    )
    crumbs = (("Ledgers", f"{home}/ledgers"), (ledger.name, f"{home}/ledgers/{ledger.id}"))
    return view(
        "ledgers/batch.html", found.tracking_id, call=f"/batches/{found.id}", crumbs=crumbs,
        batch=found, ledger=ledger, run=run, bar=bar, drawn=drawn, reported=reported,
        equations=written(nodes), levels=levels(nodes), reasons=REASONS,
        picture=lineage_picture(home, found, nodes) if nodes else None,
        draws=[(node, draw) for node in nodes for draw in node.draws], settles=_can_be_settled(found),
        evidences=await _evidences(visit, found, nodes), place=place_of,
    )  # fmt: skip


@form(f"{PATH}/settle", permission="production_accounting:write", again=batch, computes=True)
async def settle(visit: Visit) -> Moved:
    """Compute the slot of a stale batch anew, so that it stands on the data as they are."""
    found: Batch = await visit.ask(get_batch)
    end = max(found.end_time, Instant.of(found.start_time + MILLISECOND))
    body = {"start_time": found.start_time.text, "end_time": end.text}
    task = await visit.do(create_batch_generation, body, ledger_id=found.ledger_id)
    return Moved(f"/projects/{found.project_id}/ledgers/{found.ledger_id}/generations/{task.id}")


def _can_be_settled(found: Batch) -> bool:
    """Whether its slot computed anew would settle it; not while all that is stale is what it draws from."""
    reasons = {one.reason for one in found.stale_reasons}
    return found.model is not None and bool(reasons - {UPSTREAM_STALE})


async def _run(visit: Visit, found: Batch) -> Sequence[Batch]:
    """All batches of the run on the ledger, in the order in which they were made."""
    if found.model_run is None:
        return [found]
    query = (("filter[model_run_id]", found.model_run.id), ("page_size", ADJUSTING_SHOWN), ("sort", "id"))
    listed = await visit.ask(list_ledger_batches, query, ledger_id=found.ledger_id)
    return list(listed.data)


async def _evidences(visit: Visit, found: Batch, nodes: Sequence[LineageNode]) -> list[tuple[Any, Any]]:
    """Evidence on the events that the batch was made of, with its event."""
    if not visit.may("data_collection:read"):
        return []
    read = {row.event_id for node in nodes if node.input for row in node.input.rows}
    read |= {row.event.id for row in found.input_data if row.event.id}
    evidences = []
    for slug in sorted({node.input.event_type for node in nodes if node.input}):
        rows = [
            row for node in nodes if node.input and node.input.event_type == slug for row in node.input.rows
        ]
        if not rows:
            continue
        query = (
            ("filter[slug]", slug),
            ("filter[start_time][geq]", min(row.start_time for row in rows).text),
            ("filter[start_time][leq]", max(row.start_time for row in rows).text),
            ("page_size", EVENTS_LOOKED_AT),
            ("sort", "start_time"),
        )
        listed = await visit.ask(list_events, query)
        evidences += [(event, one) for event in listed.data if event.id in read for one in event.evidences]
    return evidences


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="production_accounting:read", of=get_batch)(batch),
    *settle,
]
