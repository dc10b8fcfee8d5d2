"""Batches: all of a project, one with its calculation and provenance, and the deletion of some.

A deletion is previewed before it is requested.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Final

from markupsafe import Markup

from weighbridge.accounting.batch_generations import create_batch_generation
from weighbridge.accounting.batches import (
    create_batch_deletion,
    get_batch,
    get_lineage,
    list_ledger_batches,
    list_project_batches,
)
from weighbridge.accounting.ledgers import get_ledger, list_project_ledgers
from weighbridge.accounting.posting.deletion import DeletionTrial, try_deletion
from weighbridge.accounting.records.batches import Batch, LineageNode
from weighbridge.accounting.records.uncertainty_runs import TRIALS_DEFAULT
from weighbridge.accounting.uncertainty_runs import list_batch_uncertainty_runs, start_batch_uncertainty_run
from weighbridge.collection.events import list_events
from weighbridge.core import identity
from weighbridge.core.expression import ExpressionError, parse
from weighbridge.core.expression.tree import Name
from weighbridge.core.number import exact_total, plain
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import MILLISECOND, Instant
from weighbridge.errors import Conflict, Invalid
from weighbridge.platform.records import REASONS, UPSTREAM_STALE
from weighbridge.platform.tenancy import project_number
from weighbridge.web.display.charts import stacked_bar
from weighbridge.web.display.figures import MINUS, brief, plural, round_figure, unit_text
from weighbridge.web.display.formula import formula, number, word
from weighbridge.web.display.graph import Box, GraphEdge, graph
from weighbridge.web.framework.columns import build_tools
from weighbridge.web.framework.listing import ListView, list_query
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.ledgers import LEDGERS_SHOWN
from weighbridge.web.pages.list_tables import BATCH_COLUMNS, batch_groupings
from weighbridge.web.pages.records import find_own_project_url, find_record_url
from weighbridge.web.pages.saved_views import ask_list, open_default_view, read_views
from weighbridge.web.pages.uncertainty import draw_budget, effect_places, read_trials, start_trials

# How a batch came about, as mathematics: each formula in words, and then with its numbers.
#
# Every number leads to its node on the same page. A name without one number, such as that of an array,
# is written as a word.


@dataclass(frozen=True, slots=True)
class WrittenFormula:
    """A formula: with names, and with the numbers of the batch."""

    name: str
    unit: str
    symbols: Markup
    numbers: Markup | None
    """None where a number is missing on the left, as of an array."""


def write_formulas(nodes: Sequence[LineageNode]) -> list[WrittenFormula]:
    """Return the formulas of the credited output, each before its inputs."""
    by_slug = {node.slug: node for node in nodes}
    order: dict[str, None] = {}
    pending_slugs = [node.slug for node in nodes if node.is_primary]
    while pending_slugs:
        slug = pending_slugs.pop(0)
        if slug in by_slug and slug not in order:
            order[slug] = None
            pending_slugs += by_slug[slug].reads
    return [
        written_formula
        for slug in order
        if (written_formula := _write_formula(by_slug[slug], by_slug)) is not None
    ]


def _write_formula(node: LineageNode, by_slug: Mapping[str, LineageNode]) -> WrittenFormula | None:
    if node.equation is None:
        return None
    try:
        tree = parse(node.equation)
    except ExpressionError:
        return None

    def shown(name: Name) -> Markup:
        read_node = by_slug.get(name.text)
        return (
            word(name.text)
            if read_node is None or read_node.value is None
            else _number(read_node, read_node.value)
        )

    numbers = None
    if node.value is not None:
        values = [node.value, *(by_slug[slug].value for slug in node.reads if slug in by_slug)]
        is_rounded = any(value is not None and round_figure(value) != value for value in values)
        numbers = formula(tree, shown, result=_number(node, node.value), is_rounded=is_rounded)
    return WrittenFormula(node.name, node.unit, formula(tree, result=node.slug), numbers)


_CREDIT: Final = "max(0, {output} - {factor} * standard_uncertainty)"
"""What a ledger is credited with of an amount above zero, if the model has a discount."""


def write_credit(batch: Batch, nodes: Sequence[LineageNode]) -> list[WrittenFormula]:
    """Return the formula of the credit, as far as the batch has a discount of its own values."""
    uncertainty = batch.uncertainty
    output = next((node for node in nodes if node.is_primary), None)
    if output is None or uncertainty is None or (credit := uncertainty.credit) is None:
        return []
    unit = batch.primary_output.unit
    if credit.computed_amount <= 0:
        return []
    tree = parse(_CREDIT.format(output=output.slug, factor=plain(round_figure(credit.factor))))
    numbers = {
        output.slug: plain(round_figure(credit.computed_amount)),
        "standard_uncertainty": plain(round_figure(uncertainty.standard_uncertainty)),
    }
    return [
        WrittenFormula(
            "Credited amount",
            unit,
            formula(tree, result="credited_amount"),
            formula(
                tree,
                lambda name: number(numbers[name.text]),
                result=number(plain(round_figure(credit.credited_amount))),
                is_rounded=True,
            ),
        )
    ]


def _number(node: LineageNode, value: Decimal) -> Markup:
    text = plain(round_figure(value)).replace("-", MINUS)
    return Markup('<mn><a href="#node-{}" title="{}">{}</a></mn>').format(
        node.slug, f"{node.name}: {plain(value)} {node.unit}", text
    )


# The lineage of a batch: as one picture, and level by level from the result down to readings and draws.


BOXES_MAX: Final = 60
"""Boxes of a picture; a larger lineage is read level by level."""


@dataclass(frozen=True, slots=True)
class LineageLevel:
    """A node with its inputs; a repeated node is only named."""

    node: LineageNode
    below: Sequence["LineageLevel"]
    is_repeated: bool = False


def build_levels(nodes: Sequence[LineageNode]) -> list[LineageLevel]:
    """The outputs, the one that the ledger keeps first, with all that lies below each."""
    by_slug = {node.slug: node for node in nodes}
    seen_slugs: set[str] = set()
    tops = sorted((node for node in nodes if node.is_output), key=lambda node: not node.is_primary)
    return [_level(node, by_slug, seen_slugs) for node in tops]


def _level(node: LineageNode, by_slug: Mapping[str, LineageNode], seen_slugs: set[str]) -> LineageLevel:
    if node.slug in seen_slugs:
        return LineageLevel(node, (), is_repeated=True)
    seen_slugs.add(node.slug)
    below = [_level(by_slug[slug], by_slug, seen_slugs) for slug in node.reads if slug in by_slug]
    return LineageLevel(node, below)


def lineage_picture(batch: Batch, nodes: Sequence[LineageNode], place: Callable[[str], str]) -> Markup | None:
    """Readings and draws on the left, the batch on the right; None where it is too large to be read.

    `place` gives the address of a batch that was drawn from.
    """
    boxes: list[Box] = []
    edges: list[GraphEdge] = []
    for node in nodes:
        boxes.append(_box(node))
        edges += [GraphEdge(slug, node.slug) for slug in node.reads]
        if node.input is not None:
            key = f"events of {node.slug}"
            count = node.input.event_count
            events = plural(count, "event")
            boxes.append(Box(key, node.input.event_type.replace("-", " "), events, "", f"#node-{node.slug}"))
            edges.append(GraphEdge(key, node.slug))
        for draw in node.draws:
            key = f"draw {draw.batch_id}"
            if all(box.key != key for box in boxes):
                shown = brief(draw.amount, draw.unit)
                boxes.append(Box(key, draw.tracking_id, shown, "chosen", place(draw.batch_id)))
            edges.append(GraphEdge(key, node.slug))
    if len(boxes) > BOXES_MAX:
        return None
    return graph(boxes, edges, alt_text=f"Provenance of {batch.tracking_id}")


def _box(node: LineageNode) -> Box:
    value = brief(node.value, node.unit)
    if node.element_count is not None:
        value = plural(node.element_count, "value") + (
            f", {unit_text(node.unit)}" if node.unit != "1" else ""
        )
    kind = "chosen" if node.is_primary else "waits" if node.skipped_input else ""
    return Box(node.slug, node.name, value, kind, f"#node-{node.slug}")


# The batches of a project, the newest slots first.


_DAYS: Final = {"from": "filter[start_time][geq]", "until": "filter[end_time][leq]"}
"""Fields in which times are typed, and the filters that they are."""


_QUERY: Final = partial(list_query, sort="-start_time", times=_DAYS, groupings=batch_groupings({}))
"""The newest batches first."""


@page(
    "/projects/{project_id}/batches",
    permission="production_accounting:read",
    of=list_project_batches,
    query_of=_QUERY,
)
async def batches(visit: Visit) -> View | Redirect:
    """Batches of a project with what remains of them."""
    path = visit.url("batches")
    if default := await open_default_view(visit, "batches", path):
        return default
    listed_batches, remarks = await ask_list(visit, list_project_batches, _QUERY(visit))
    ledgers = await visit.ask(list_project_ledgers, (("page_size", LEDGERS_SHOWN), ("sort", "name")))
    names = {ledger.id: ledger.name for ledger in ledgers.data}
    tools = build_tools(
        visit.query, BATCH_COLUMNS, batch_groupings(names), listed_batches.data, visit.moments, remarks
    )
    return view(
        "ledgers/batches.html",
        "Batches",
        call=path,
        has_csv=True,
        batches=listed_batches.data,
        list=ListView(path, visit.query, listed_batches.info, tools.group_sort),
        ledgers=ledgers.data,
        names=names,
        tools=tools,
        views=await read_views(visit, "batches", path),
    )


# One batch: its result, how it came about, what was drawn of it, and the story of its run.


BATCH_PATH: Final = "/projects/{project_id}/batches/{batch_id}"

EVENTS_LOOKED_AT: Final = "100"
"""Events of one type whose evidence is shown with a batch."""

ADJUSTING_SHOWN: Final = "100"
"""Batches in the history of a calculation."""


async def batch(visit: Visit) -> View | Redirect:
    """A batch with its equation, its lineage and its story."""
    batch_record = await visit.ask(get_batch)
    if elsewhere := find_own_project_url(visit, batch_record):
        return Redirect(elsewhere)
    ledger = await visit.ask(get_ledger, ledger_id=batch_record.ledger_id)
    nodes = (await visit.ask(get_lineage)).nodes if batch_record.model is not None else []
    home = visit.frame.home
    run = await _run(visit, batch_record)
    use = _add_up(run)
    bar = stacked_bar(
        [("drawn", use.drawn + use.reported), ("remaining", use.remaining)],
        alt_text=f"{use.drawn} withdrawn, {use.reported} in reports, {use.remaining} remaining",
    )
    uncertainty = batch_record.uncertainty
    crumbs = (("Ledgers", f"{home}/ledgers"), (ledger.name, f"{home}/ledgers/{ledger.id}"))
    return view(
        "ledgers/batch.html", batch_record.tracking_id, call=f"/batches/{batch_record.id}", crumbs=crumbs,
        batch=batch_record, ledger=ledger, run=run, bar=bar, use=use,
        amounts=_amounts_around(run, batch_record),
        equations=_write_equations(batch_record, run, nodes), levels=build_levels(nodes), reasons=REASONS,
        picture=lineage_picture(batch_record, nodes, find_record_url) if nodes else None,
        draws=[(node, draw) for node in nodes for draw in node.draws], settles=_can_be_settled(batch_record),
        evidences=await _evidences(visit, batch_record, nodes), place=find_record_url, records=home,
        all_digits=False, budget=draw_budget(uncertainty.budget if uncertainty else ()),
        effect_place=effect_places(home),
        trials=await read_trials(visit, list_batch_uncertainty_runs) if batch_record.uncertainty else None,
        trials_usual=TRIALS_DEFAULT,
    )  # fmt: skip


def _write_equations(
    batch_record: Batch, run: Sequence[Batch], nodes: Sequence[LineageNode]
) -> list[WrittenFormula]:
    """The formulas of a batch; that of its credit only where the batch has the values that it shows."""
    is_of_its_values = batch_record.adjusts is not None or len(run) == 1
    credit = write_credit(batch_record, nodes) if is_of_its_values else []
    return [*credit, *write_formulas(nodes)]


@form(f"{BATCH_PATH}/uncertainty_runs", permission="production_accounting:write", error_page=batch)
async def run_batch_trials(visit: Visit) -> Redirect:
    """Start trials of a batch with as many as the form says."""
    return await start_trials(visit, start_batch_uncertainty_run, page="batches/{batch_id}")


@dataclass(frozen=True, slots=True)
class UseOfRun:
    """What became of the batches of one calculation together, in the unit of the ledger."""

    drawn: Decimal
    reported: Decimal
    remaining: Decimal


def _add_up(run: Sequence[Batch]) -> UseOfRun:
    return UseOfRun(
        _total(one.amount for batch_record in run for one in batch_record.allocations),
        _total(one.amount for batch_record in run for one in batch_record.report_allocations),
        _total(batch_record.ledger_balance for batch_record in run),
    )


def _amounts_around(run: Sequence[Batch], batch_record: Batch) -> tuple[Decimal, Decimal]:
    """What the calculation amounted to before a batch of it was posted, and after."""
    until = [one.primary_output.value for one in run if one.numeric_id <= batch_record.numeric_id]
    return _total(until[:-1]), _total(until)


def _total(amounts: Iterable[Decimal]) -> Decimal:
    """A sum without the zeros that end it."""
    return Decimal(plain(exact_total(amounts)))


@form(f"{BATCH_PATH}/settle", permission="production_accounting:write", error_page=batch, computes=True)
async def settle(visit: Visit) -> Redirect:
    """Regenerate the period of a batch that is out of date."""
    batch_record: Batch = await visit.ask(get_batch)
    end = max(batch_record.end_time, Instant.of(batch_record.start_time + MILLISECOND))
    body = {"start_time": batch_record.start_time.text, "end_time": end.text}
    task = await visit.do(create_batch_generation, body, ledger_id=batch_record.ledger_id)
    return Redirect(
        f"/projects/{batch_record.project_id}/ledgers/{batch_record.ledger_id}/generations/{task.id}"
    )


def _can_be_settled(batch_record: Batch) -> bool:
    """Whether its slot computed anew would settle it; not while all that is stale is what it draws from."""
    reasons = {reason.reason for reason in batch_record.stale_reasons}
    return batch_record.model is not None and bool(reasons - {UPSTREAM_STALE})


async def _run(visit: Visit, batch_record: Batch) -> Sequence[Batch]:
    """All batches of the run on the ledger, in the order in which they were made."""
    if batch_record.model_run is None:
        return [batch_record]
    query = (
        ("filter[model_run_id]", batch_record.model_run.id),
        ("page_size", ADJUSTING_SHOWN),
        ("sort", "id"),
    )
    listed_batches = await visit.ask(list_ledger_batches, query, ledger_id=batch_record.ledger_id)
    return list(listed_batches.data)


async def _evidences(
    visit: Visit, batch_record: Batch, nodes: Sequence[LineageNode]
) -> list[tuple[Any, Any]]:
    """Evidence on the events that the batch was made of, with its event."""
    if not visit.may("data_collection:read"):
        return []
    event_ids = {row.event_id for node in nodes if node.input for row in node.input.rows}
    event_ids |= {row.event.id for row in batch_record.input_data if row.event.id}
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
        listed_events = await visit.ask(list_events, query)
        evidences += [
            (event, evidence)
            for event in listed_events.data
            if event.id in event_ids
            for evidence in event.evidences
        ]
    return evidences


# Delete batches: the impact and what blocks the deletion are shown first; the form asks for the reason.
#
# The page carries the deletion out, looks at it and undoes it. Only its form asks for the deletion.


REASON_NEEDED: Final = "Reason must not be empty. It is stored permanently in the audit log."


@page(f"{BATCH_PATH}/delete", permission="production_accounting:write", computes=True, tries=True)
async def deletion(visit: Visit) -> View | Redirect:
    """What deleting a batch would change, tried and undone."""
    return await _show_deletion(visit, tries=True)


async def deletion_again(visit: Visit) -> View | Redirect:
    """The same form once it was refused; without a trial, for its transaction only reads."""
    return await _show_deletion(visit, tries=False)


@form(f"{BATCH_PATH}/delete", permission="production_accounting:write", error_page=deletion_again)
async def delete_batches(visit: Visit) -> Redirect:
    """Ask for the deletion of the batch, and of those that were named with it."""
    batch_record: Batch = await visit.ask(get_batch)
    reason = visit.text("reason")
    if not reason:
        raise Invalid([Problem(REASON_NEEDED, "reason", "required")])
    body = {"batch_ids": _with_others(batch_record, visit.texts("with")), "reason": reason}
    task = await visit.do(create_batch_deletion, body, ledger_id=batch_record.ledger_id)
    return Redirect(f"{visit.frame.home}/async_tasks/{task.id}", "Deletion started.")


async def _show_deletion(visit: Visit, *, tries: bool) -> View | Redirect:
    batch_record: Batch = await visit.ask(get_batch)
    if elsewhere := find_own_project_url(visit, batch_record):
        return Redirect(elsewhere)
    ledger = await visit.ask(get_ledger, ledger_id=batch_record.ledger_id)
    together = visit.texts("with") or tuple(value for name, value in visit.query if name == "with")
    batch_ids = _with_others(batch_record, together)
    trial, problems = (
        await _try_deletion(visit, batch_record, batch_ids) if tries else (None, list(visit.problems))
    )
    home = visit.frame.home
    also = [record for problem in problems for record in problem.records if record.startswith("bat_")]
    return view(
        "ledgers/deletion.html", "Delete", call=f"/batches/{batch_record.id}", method="DELETE",
        crumbs=(
            ("Ledgers", f"{home}/ledgers"), (ledger.name, f"{home}/ledgers/{ledger.id}"),
            (batch_record.tracking_id, f"{home}/batches/{batch_record.id}"),
        ),
        batch=batch_record, named=batch_ids, trial=trial, problems=problems, identity=identity, tried=tries,
        project=project_number(visit.path["project_id"]), path=f"{home}/batches/{batch_record.id}",
        also=[name for name in dict.fromkeys(also) if name not in batch_ids],
    )  # fmt: skip


async def _try_deletion(
    visit: Visit, batch_record: Batch, batch_ids: Sequence[str]
) -> tuple[DeletionTrial | None, list[Problem]]:
    """Return the impact of the deletion, or what blocks it."""
    try:
        task = await visit.do(
            create_batch_deletion, {"batch_ids": [*batch_ids]}, ledger_id=batch_record.ledger_id
        )
    except (Invalid, Conflict) as refusal:
        return None, list(refusal.problems)
    numbers = [key.key for batch_id in batch_ids if (key := identity.parse("batch", batch_id)) is not None]
    project = project_number(visit.path["project_id"])
    return await try_deletion(visit.tx, project, numbers, task.id), []


def _with_others(batch_record: Batch, together: Sequence[str]) -> list[str]:
    return list(dict.fromkeys([batch_record.id, *together]))


PAGES = [
    *batches,
    *page(BATCH_PATH, permission="production_accounting:read", of=get_batch)(batch),
    *settle,
    *run_batch_trials,
    *deletion,
    *delete_batches,
]
