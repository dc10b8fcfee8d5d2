"""Make batches: choose a period, see what would come of it, then watch the task, then the result."""

from dataclasses import dataclass
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.batch_generations.records import GenerationResult, Preview
from weighbridge.accounting.batch_generations.routes import create_batch_generation, generate_preview
from weighbridge.accounting.batches.routes import get_batch
from weighbridge.accounting.ledgers.records import Ledger, RequiredInput
from weighbridge.accounting.ledgers.routes import get_ledger, list_required_inputs
from weighbridge.collection.events.routes import list_events
from weighbridge.core.platform.task_state import TaskState
from weighbridge.core.time.instant import MILLISECOND, Instant
from weighbridge.db.json import as_record
from weighbridge.errors import Conflict, Invalid, Malformed, NotFound
from weighbridge.platform.async_tasks.routes import get_async_task
from weighbridge.web.ledgers.rows import year_until
from weighbridge.web.page import form, page
from weighbridge.web.records.plain import own_project
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/ledgers/{ledger_id}/generations"

BATCHES_SHOWN: Final = 50
"""Batches of a result that are shown one by one; all are counted."""

LATEST: Final = "latest"


@dataclass(frozen=True, slots=True)
class InputSeen:
    """A required input, and how many events of its type there are in the period; None where none are read."""

    input: RequiredInput
    events: int | None


async def generate(visit: Visit) -> View | Moved:
    """The form, and below it what generation would do once a period is chosen."""
    ledger = await visit.ask(get_ledger)
    if elsewhere := own_project(visit, ledger):
        return Moved(elsewhere)
    when, given = visit.moments, {name: visit.asked(name) or visit.text(name) for name in ("from", "until")}
    start, end = when.typed(given["from"]), when.typed(given["until"])
    version = visit.asked("model_version") or visit.text("model_version")
    inputs = await visit.ask(list_required_inputs) if ledger.latest_model is not None else None
    preview, problems = None, list(visit.problems)
    if start is not None and end is not None and not problems:
        try:
            preview = await visit.do(generate_preview, _body(start, end, version))
        except (Invalid, Malformed, Conflict) as refusal:
            problems = list(refusal.problems)
    edges = year_until(visit, ())
    return view(
        "ledgers/generate.html", "Generate batches",
        crumbs=_crumbs(visit, ledger), ledger=ledger, preview=preview, problems=problems, version=version,
        asked={
            "from": given["from"] or when.field(edges[-3]),
            "until": given["until"] or when.field(edges[-2]),
        },
        inputs=[await _seen(visit, one, start, end) for one in (inputs.data if inputs else ())],
        is_chosen=start is not None and end is not None, makes=_makes(preview),
    )  # fmt: skip


@form(PATH, permission="production_accounting:write", again=generate, computes=True)
async def start_generation(visit: Visit) -> Moved:
    """Start it, and go where its progress is."""
    start, end = visit.moments.typed(visit.text("from")), visit.moments.typed(visit.text("until"))
    body = _body(start, end, visit.text("model_version"))
    task = await visit.do(create_batch_generation, body)
    return Moved(f"{visit.frame.home}/ledgers/{visit.path['ledger_id']}/generations/{task.id}")


@page(f"{PATH}/{{task_id}}", permission="production_accounting:read", of=get_async_task)
async def generation(visit: Visit) -> View:
    """How far a generation is, and what came of it."""
    ledger = await visit.ask(get_ledger)
    task = await visit.ask(get_async_task)
    if task.args.get("ledger_id") != ledger.numeric_id:
        raise NotFound("async_task", visit.path["task_id"])
    is_over = task.state not in {TaskState.PENDING, TaskState.RUNNING}
    result = as_record(task.result, GenerationResult) if task.state == TaskState.COMPLETE else None
    made = result.batches if result is not None else []
    return view(
        "ledgers/generation.html", "Generation", call=f"/async_tasks/{task.id}",
        crumbs=_crumbs(visit, ledger),
        ledger=ledger, task=task, is_over=is_over, result=result, made=len(made),
        batches=[await visit.ask(get_batch, batch_id=one) for one in made[:BATCHES_SHOWN]],
        again=_range_of(visit, task.args),
    )  # fmt: skip


def _crumbs(visit: Visit, ledger: Ledger) -> tuple[tuple[str, str], ...]:
    home = visit.frame.home
    return ("Ledgers", f"{home}/ledgers"), (ledger.name, f"{home}/ledgers/{ledger.id}")


def _body(start: Instant | None, end: Instant | None, version: str) -> dict[str, Any]:
    body: dict[str, Any] = {"start_time": (start and start.text) or "", "end_time": (end and end.text) or ""}
    return body | ({"model_version": LATEST} if version == LATEST else {})


def _range_of(visit: Visit, args: dict[str, Any]) -> dict[str, str]:
    """The period of a task as the fields of the form take it; empty where the task does not say."""
    texts = [args.get(name) for name in ("start_time", "end_time")]
    if not all(isinstance(one, str) for one in texts):
        return {}
    first, last = (visit.moments.field(Instant.of(Instant.fromisoformat(str(one)))) for one in texts)
    return {"from": first, "until": last}


def _makes(preview: Preview | None) -> int:
    """Batches that would be made; none while anything would fail the generation."""
    if preview is None or any(one.problems for one in preview.data):
        return 0
    return sum(one.count for one in preview.data)


async def _seen(visit: Visit, one: RequiredInput, start: Instant | None, end: Instant | None) -> InputSeen:
    if one.category != "event" or start is None or end is None or not visit.may("data_collection:read"):
        return InputSeen(one, None)
    query = (
        ("filter[slug]", one.subcategory),
        ("filter[start_time][geq]", start.text),
        ("filter[start_time][leq]", Instant.of(end - MILLISECOND).text),
        ("page_size", "1"),
    )
    found = await visit.ask(list_events, query)
    return InputSeen(one, found.info.total_items)


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="production_accounting:read", computes=True)(generate),
    *start_generation,
    *generation,
]
