"""Make batches: choose a period, see what would come of it, then watch the task, then the result."""

from dataclasses import replace
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.batch_generations.records import GenerationResult, Preview
from weighbridge.accounting.batch_generations.routes import create_batch_generation, generate_preview
from weighbridge.accounting.batches.routes import get_batch
from weighbridge.accounting.ledgers.records import Ledger
from weighbridge.accounting.ledgers.routes import get_ledger, list_project_ledgers, list_required_inputs
from weighbridge.core.platform.task_state import TaskState
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.db.json import as_record
from weighbridge.errors import Conflict, Invalid, Malformed, NotFound
from weighbridge.platform.async_tasks.routes import get_async_task
from weighbridge.web.ledgers.asked import GenerationAsked, asked_of
from weighbridge.web.ledgers.by_hand import by_hand
from weighbridge.web.ledgers.ledgers import models_offered
from weighbridge.web.ledgers.needs import needs_of
from weighbridge.web.ledgers.rows import LEDGERS_SHOWN
from weighbridge.web.ledgers.strip import strip_of
from weighbridge.web.ledgers.usual import usual_period
from weighbridge.web.page import form, page
from weighbridge.web.records.plain import own_project
from weighbridge.web.visit import Moved, View, Visit, view

PATH: Final = "/projects/{project_id}/ledgers/{ledger_id}/generations"

BATCHES_SHOWN: Final = 50
"""Batches of a result that are shown one by one; all are counted."""


async def generate(visit: Visit) -> View | Moved:
    """The form, and below it what generation would do once a period is chosen."""
    ledger: Ledger = await visit.ask(get_ledger)
    if elsewhere := own_project(visit, ledger):
        return Moved(elsewhere)
    asked = asked_of(visit)
    inputs = (await visit.ask(list_required_inputs)).data if ledger.latest_model is not None else []
    listed = await visit.ask(list_project_ledgers, (("page_size", LEDGERS_SHOWN), ("sort", "name")))
    ledgers: dict[str, Ledger] = {one.id: one for one in listed.data}
    preview, problems = await _previewed(visit, asked)
    usual = None if asked.is_chosen else await usual_period(visit, ledger, inputs)
    within = asked if usual is None else replace(asked, start=usual.start, end=usual.end)
    path = f"{visit.frame.home}/ledgers/{ledger.id}/generations"
    return view(
        "ledgers/generate.html", "Generate batches",
        crumbs=_crumbs(visit, ledger), ledger=ledger, preview=preview, problems=problems, asked=asked,
        path=path, call=f"/ledgers/{ledger.id}/generate_preview", method="POST", usual=usual,
        period={
            "from": asked.values.get("from") or visit.moments.field(within.start),
            "until": asked.values.get("until") or visit.moments.field(within.end),
        },
        needs=await needs_of(visit, inputs, within, ledgers),
        manual=await by_hand(visit, ledger, inputs, asked), strip=await strip_of(visit, ledger, asked, path),
        models=[] if ledger.latest_model else await models_offered(visit),
        others=[one.name for one in ledgers.values() if _is_beside(one, ledger)],
        makes=_makes(preview),
    )  # fmt: skip


@form(PATH, permission="production_accounting:write", again=generate, computes=True)
async def start_generation(visit: Visit) -> Moved:
    """Start it, and go where its progress is."""
    asked = asked_of(visit)
    problems: list[Problem] = []
    body = asked.body(problems)
    if problems:
        raise Invalid(problems)
    task = await visit.do(create_batch_generation, body)
    return Moved(f"{visit.frame.home}/ledgers/{visit.path['ledger_id']}/generations/{task.id}")


async def _previewed(visit: Visit, asked: GenerationAsked) -> tuple[Preview | None, list[Problem]]:
    """What generation would do; or what is wrong with what was asked for."""
    problems = list(visit.problems)
    if not asked.is_chosen or problems:
        return None, asked.at_fields(problems)
    body = asked.body(problems)
    if problems:
        return None, problems
    try:
        return await visit.do(generate_preview, body), []
    except (Invalid, Malformed, Conflict) as refusal:
        return None, asked.at_fields(refusal.problems)


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


def _is_beside(one: Ledger, ledger: Ledger) -> bool:
    """Whether another ledger is credited by the same model."""
    if one.latest_model is None or ledger.latest_model is None or one.id == ledger.id:
        return False
    return one.latest_model.id == ledger.latest_model.id


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(PATH, permission="production_accounting:read", computes=True)(generate),
    *start_generation,
    *generation,
]
