"""Generate batches: choose a period, check its inputs, preview the result, then follow the task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.batch_generations import (
    create_batch_generation,
    generate_impact,
    generate_preview,
)
from weighbridge.accounting.batches import get_batch
from weighbridge.accounting.ledgers import get_ledger, list_project_ledgers, list_required_inputs
from weighbridge.accounting.records.impact import GenerationImpact
from weighbridge.accounting.records.ledgers import Ledger, RequiredInput
from weighbridge.accounting.records.model_runs import GenerationResult, Preview
from weighbridge.accounting.tracing.ledger_activity import OfferedLot, read_holdings, read_lots
from weighbridge.collection.events import list_events
from weighbridge.core import identity
from weighbridge.core.identity import Key
from weighbridge.core.number import plain
from weighbridge.core.platform.tasks import TaskState
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import MILLISECOND, Instant
from weighbridge.db.statements import as_record
from weighbridge.errors import Conflict, Invalid, Malformed, NotFound
from weighbridge.modelling.static_inputs import list_static_inputs
from weighbridge.platform.async_tasks import get_async_task
from weighbridge.platform.tenancy import project_number
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.ledgers import LEDGERS_SHOWN, list_active_models
from weighbridge.web.pages.period import (
    DRAW,
    GenerationRequest,
    build_period_strip,
    read_generation_request,
    suggest_period,
)
from weighbridge.web.pages.records import find_own_project_url

# What the model of a ledger needs for a period, input by input: what is there, and what is missing.


_ONE: Final = ("page_size", "1")


@dataclass(frozen=True, slots=True)
class InputInPeriod:
    """An input that the model needs, and what there is of it in the period."""

    input: RequiredInput
    count: int | None = None
    """Events in the period, or values that hold by its beginning; None where nobody looked."""
    is_estimate: bool = False
    value: Decimal | None = None
    """The value of a static input that holds, or what remains of a ledger."""
    unit: str = ""
    skips: str = ""
    """The number of its data point type, by which it is set aside; empty where it cannot be."""
    is_skipped: bool = False

    @property
    def is_missing(self) -> bool:
        """Whether there is nothing of it, and it is not set aside."""
        return self.count == 0 and not self.is_skipped


async def list_inputs_in_period(
    visit: Visit, inputs: Sequence[RequiredInput], request: GenerationRequest, ledgers: Mapping[str, Ledger]
) -> list[InputInPeriod]:
    """What there is of each input in the period that was asked for."""
    types = {(input_.subcategory, input_.slug): str(input_.id) for input_ in inputs if input_.id > 0}
    inputs_in_period: list[InputInPeriod] = []
    for input_ in inputs:
        if input_.category == "ledger":
            balance = sum(
                (ledgers[ledger.id].balance for ledger in input_.output_of_ledgers if ledger.id in ledgers),
                Decimal(0),
            )
            unit = input_.output_of_ledgers[0].unit if input_.output_of_ledgers else ""
            inputs_in_period.append(
                InputInPeriod(input_, len(input_.output_of_ledgers), value=Decimal(plain(balance)), unit=unit)
            )
        elif not visit.may("data_collection:read") or request.start is None or request.end is None:
            inputs_in_period.append(_skippable(InputInPeriod(input_), types, request))
        elif input_.category == "event":
            inputs_in_period.append(
                _skippable(await _events(visit, input_, request.start, request.end), types, request)
            )
        else:
            inputs_in_period.append(await _static_input(visit, input_, request.start))
    return inputs_in_period


def _skippable(
    need: InputInPeriod, types: Mapping[tuple[str, str], str], request: GenerationRequest
) -> InputInPeriod:
    number = types.get((need.input.subcategory, need.input.slug), "")
    if need.input.category != "event":
        return need
    return InputInPeriod(
        need.input,
        need.count,
        need.is_estimate,
        skips=number,
        is_skipped=number in request.skipped and bool(number),
    )


async def _events(visit: Visit, required_input: RequiredInput, start: Instant, end: Instant) -> InputInPeriod:
    query = (
        ("filter[slug]", required_input.subcategory),
        ("filter[start_time][geq]", start.text),
        ("filter[start_time][leq]", Instant.of(end - MILLISECOND).text),
        _ONE,
    )
    info = (await visit.ask(list_events, query)).info
    return InputInPeriod(required_input, info.total_items, info.total_is_estimate)


async def _static_input(visit: Visit, required_input: RequiredInput, start: Instant) -> InputInPeriod:
    query = (
        ("filter[slug]", required_input.slug),
        ("filter[effective_from][leq]", start.text),
        ("sort", "-effective_from"),
        _ONE,
    )
    listed_inputs = await visit.ask(list_static_inputs, query)
    newest = listed_inputs.data[0] if listed_inputs.data and required_input.subcategory == "project" else None
    return InputInPeriod(
        required_input,
        listed_inputs.info.total_items,
        value=newest.value if newest else None,
        unit=(newest and newest.unit) or "",
    )


# Draws by hand on the form of a generation: the lots that can be named, and how much of each.


LOTS_SHOWN: Final = 40
"""Batches with something left that one node is offered, the newest; others are named by their ids."""


@dataclass(frozen=True, slots=True)
class ManualLot:
    """A batch that can be drawn from, with its field."""

    lot: OfferedLot
    batch_id: str
    ledger: str
    unit: str
    held: Decimal | None
    """What the runs of the period draw of it already."""
    field: str
    typed: str


@dataclass(frozen=True, slots=True)
class ManualWithdrawals:
    """One node that draws what is named."""

    input: RequiredInput
    group: str
    lots: Sequence[ManualLot] = ()
    is_cut: bool = False
    """Whether there are more lots than are shown."""

    @property
    def holds(self) -> bool:
        """Whether the period draws something for it already."""
        return any(lot.held for lot in self.lots)


async def list_manual_withdrawals(
    visit: Visit, ledger: Ledger, inputs: Sequence[RequiredInput], request: GenerationRequest
) -> list[ManualWithdrawals]:
    """The nodes that draw by hand, each with the lots of its ledgers."""
    manual = [
        (input_, group) for input_ in inputs if input_.is_manual_select for group in input_.allocation_groups
    ]
    if not manual:
        return []
    key = Key(project_number(visit.path["project_id"]), ledger.numeric_id)
    holdings: dict[str, dict[int, Decimal]] = {}
    if request.start is not None and request.end is not None:
        nodes = [group.node for _, group in manual]
        for holding in await read_holdings(visit.reading, key, nodes, request.start, request.end):
            holdings.setdefault(holding.node, {})[holding.batch] = holding.amount
    return [
        await _node(
            visit, ManualWithdrawals(required_input, group.name), holdings.get(group.node, {}), request
        )
        for required_input, group in manual
    ]


async def _node(
    visit: Visit, node: ManualWithdrawals, holdings: Mapping[int, Decimal], request: GenerationRequest
) -> ManualWithdrawals:
    """The node with its lots: those that it holds, those named, and the newest with something left."""
    project = project_number(visit.path["project_id"])
    sources = {identity.number("ledger", ledger.id): ledger for ledger in node.input.output_of_ledgers}
    typed = {draw.batch: draw.text for draw in request.draws or () if draw.group == node.group}
    typed_numbers = {
        key.key for text in typed if (key := identity.parse("batch", text)) and key.project == project
    }
    lots = await read_lots(visit.reading, project, list(sources), [*holdings, *typed_numbers], LOTS_SHOWN + 1)
    shown_lots: list[ManualLot] = []
    for lot in lots:
        if len(shown_lots) >= LOTS_SHOWN and lot.number not in {*holdings, *typed_numbers}:
            continue
        batch_id, holds = identity.of("batch", project, lot.number), holdings.get(lot.number)
        text = typed.get(batch_id, "") if request.draws is not None else plain(holds) if holds else ""
        source = sources[lot.ledger]
        field = f"{DRAW}{node.group}:{batch_id}"
        shown_lots.append(ManualLot(lot, batch_id, source.name, source.unit, holds, field, text))
    return replace(node, lots=shown_lots, is_cut=len(shown_lots) < len(lots))


# Make batches: choose a period, see what would come of it, then watch the task, then the result.


PATH: Final = "/projects/{project_id}/ledgers/{ledger_id}/generations"

BATCHES_SHOWN: Final = 50
"""Batches of a result that are shown one by one; all are counted."""


async def generate(visit: Visit) -> View | Redirect:
    """The form, and below it what generation would do once a period is chosen."""
    return await _show_form(visit, None)


@page(f"{PATH}/impact", permission="production_accounting:read", computes=True, tries=True)
async def generation_impact(visit: Visit) -> View | Redirect:
    """The same, with what all ledgers and reports further down would come to; it is tried and undone."""
    request = read_generation_request(visit)
    problems: list[Problem] = []
    body = request.body(problems) if request.is_chosen else {}
    try:
        impact = await visit.do(generate_impact, body) if body and not problems else None
    except (Invalid, Malformed, Conflict):
        impact = None  # the form says why
    if visit.is_partial and impact is not None:  # the page has its preview already
        return view("ledgers/generation_impact.html", "Impact", impact=impact)
    return await _show_form(visit, impact)


async def _show_form(visit: Visit, impact: GenerationImpact | None) -> View | Redirect:
    ledger: Ledger = await visit.ask(get_ledger)
    if elsewhere := find_own_project_url(visit, ledger):
        return Redirect(elsewhere)
    request = read_generation_request(visit)
    inputs = (await visit.ask(list_required_inputs)).data if ledger.latest_model is not None else []
    listed_ledgers = await visit.ask(list_project_ledgers, (("page_size", LEDGERS_SHOWN), ("sort", "name")))
    ledgers: dict[str, Ledger] = {ledger_.id: ledger_ for ledger_ in listed_ledgers.data}
    preview, problems = await _preview(visit, request)
    usual = None if request.is_chosen else await suggest_period(visit, ledger, inputs)
    usual_request = request if usual is None else replace(request, start=usual.start, end=usual.end)
    path = f"{visit.frame.home}/ledgers/{ledger.id}/generations"
    return view(
        "ledgers/generate.html", "Generate batches",
        crumbs=_crumbs(visit, ledger), ledger=ledger, preview=preview, problems=problems, asked=request,
        path=path, call=f"/ledgers/{ledger.id}/generate_preview", method="POST", usual=usual,
        period={
            "from": request.values.get("from") or visit.moments.field(usual_request.start),
            "until": request.values.get("until") or visit.moments.field(usual_request.end),
        },
        needs=await list_inputs_in_period(visit, inputs, usual_request, ledgers),
        manual=await list_manual_withdrawals(visit, ledger, inputs, request),
        strip=await build_period_strip(visit, ledger, request, path),
        models=[] if ledger.latest_model else await list_active_models(visit),
        others=[ledger_.name for ledger_ in ledgers.values() if _shares_model(ledger_, ledger)],
        makes=_count_batches(preview), impact=impact,
    )  # fmt: skip


@form(PATH, permission="production_accounting:write", error_page=generate, computes=True)
async def start_generation(visit: Visit) -> Redirect:
    """Start it, and go where its progress is."""
    request = read_generation_request(visit)
    problems: list[Problem] = []
    body = request.body(problems)
    if problems:
        raise Invalid(problems)
    task = await visit.do(create_batch_generation, body)
    return Redirect(f"{visit.frame.home}/ledgers/{visit.path['ledger_id']}/generations/{task.id}")


async def _preview(visit: Visit, request: GenerationRequest) -> tuple[Preview | None, list[Problem]]:
    """What generation would do; or what is wrong with what was asked for."""
    problems = list(visit.problems)
    if not request.is_chosen or problems:
        return None, request.at_fields(problems)
    body = request.body(problems)
    if problems:
        return None, problems
    try:
        return await visit.do(generate_preview, body), []
    except (Invalid, Malformed, Conflict) as refusal:
        return None, request.at_fields(refusal.problems)


@page(f"{PATH}/{{task_id}}", permission="production_accounting:read", of=get_async_task)
async def generation(visit: Visit) -> View:
    """How far a generation is, and what came of it."""
    ledger = await visit.ask(get_ledger)
    task = await visit.ask(get_async_task)
    if task.args.get("ledger_id") != ledger.numeric_id:
        raise NotFound("async_task", visit.path["task_id"])
    is_over = task.state not in {TaskState.PENDING, TaskState.RUNNING}
    result = as_record(task.result, GenerationResult) if task.state == TaskState.COMPLETE else None
    batch_ids = result.batches if result is not None else []
    return view(
        "ledgers/generation.html", "Generation", call=f"/async_tasks/{task.id}",
        crumbs=_crumbs(visit, ledger),
        ledger=ledger, task=task, is_over=is_over, result=result, made=len(batch_ids),
        batches=[await visit.ask(get_batch, batch_id=batch_id) for batch_id in batch_ids[:BATCHES_SHOWN]],
        again=_range_of(visit, task.args),
    )  # fmt: skip


def _crumbs(visit: Visit, ledger: Ledger) -> tuple[tuple[str, str], ...]:
    home = visit.frame.home
    return ("Ledgers", f"{home}/ledgers"), (ledger.name, f"{home}/ledgers/{ledger.id}")


def _range_of(visit: Visit, args: dict[str, Any]) -> dict[str, str]:
    """The period of a task as the fields of the form take it; empty where the task does not say."""
    texts = [args.get(name) for name in ("start_time", "end_time")]
    if not all(isinstance(text, str) for text in texts):
        return {}
    first, last = (visit.moments.field(Instant.of(Instant.fromisoformat(str(text)))) for text in texts)
    return {"from": first, "until": last}


def _count_batches(preview: Preview | None) -> int:
    """Batches that would be made; none while anything would fail the generation."""
    if preview is None or any(partition_preview.problems for partition_preview in preview.data):
        return 0
    return sum(partition_preview.count for partition_preview in preview.data)


def _shares_model(other: Ledger, ledger: Ledger) -> bool:
    """Whether another ledger is credited by the same model."""
    if other.latest_model is None or ledger.latest_model is None or other.id == ledger.id:
        return False
    return other.latest_model.id == ledger.latest_model.id


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="production_accounting:read", computes=True)(generate),
    *generation_impact,
    *start_generation,
    *generation,
]
