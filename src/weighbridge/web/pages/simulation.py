"""A version tried out: simulated with own inputs, and compared with another over a past period."""

import difflib
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.accounting.records.model_runs import ComparedVersions
from weighbridge.accounting.version_comparisons import compare_over_period
from weighbridge.core.problem import Problem
from weighbridge.errors import Conflict, Invalid, Malformed
from weighbridge.modelling.document.stored import find_owned_model
from weighbridge.modelling.models import (
    compare_models,
    get_model,
    get_model_schema,
    list_model_versions,
    simulate_model,
)
from weighbridge.modelling.records.documents import Schema
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.models import around, model_of

ONE: Final = "/projects/{project_id}/models/{model_id}"

INPUT: Final = "input:"
"""What the name of a field for an input begins with; its node follows."""

VERSIONS_OFFERED: Final = (("page_size", "100"), ("sort", "-version"))
"""Versions that a comparison offers."""

LINES_AROUND: Final = 2
"""Lines that a difference shows around each that changed."""


async def simulate_version(visit: Visit) -> View | Redirect:
    """A version with fields for all that it takes from outside."""
    return await _simulation(visit, None)


@form(
    f"{ONE}/simulate", permission="production_accounting:read", again=simulate_version, computes=True,
    asks=True,
)  # fmt: skip
async def run_simulation(visit: Visit) -> View | Redirect:
    """Compute the version once from what was typed; nothing is stored."""
    schema: Schema = await visit.ask(get_model_schema)
    problems: list[Problem] = []
    start, end = (visit.moments.typed(visit.text(name)) for name in ("from", "until"))
    if start is None or end is None:
        problems.append(Problem("The slot needs a start and an end.", "from", "required"))
    inputs = {
        one.node: _numbers(one.node, text, problems)
        for one in schema.required_inputs
        if (text := visit.text(f"{INPUT}{one.node}"))
    }
    if problems or start is None or end is None:
        raise Invalid(problems)
    partition = {name: visit.text(f"partition:{name}") for name in schema.example_simulation.partition}
    body = {
        "inputs": inputs, "start_time": start.text, "end_time": end.text, "partition": partition,
        "durations": schema.example_simulation.durations,
    }  # fmt: skip
    return await _simulation(visit, await visit.do(simulate_model, body))


async def _simulation(visit: Visit, result: Any) -> View | Redirect:
    found = await model_of(visit)
    if isinstance(found, Redirect):
        return found
    schema: Schema = await visit.ask(get_model_schema)
    example = schema.example_simulation

    def shown(node: str, slug: str) -> str:
        if visit.typed:
            return visit.text(f"{INPUT}{node}")
        value = example.inputs.get(node, example.inputs.get(slug))
        return ", ".join(str(one) for one in value) if isinstance(value, list) else str(value or "")

    moments = visit.moments
    return view(
        "models/simulate.html", "Simulate", call=f"/models/{found.id}/schema", schema=schema, result=result,
        shown=shown, partition={
            name: visit.text(f"partition:{name}") if visit.typed else value
            for name, value in example.partition.items()
        },
        slot=(
            visit.text("from") or moments.field(example.start_time),
            visit.text("until") or moments.field(example.end_time),
        ),
        **around(visit, found, "simulate"),
    )  # fmt: skip


def _numbers(node: str, text: str, problems: list[Problem]) -> Decimal | list[Decimal] | None:
    """A number, or a list of them with commas between."""
    try:
        numbers = [Decimal(one.strip()) for one in text.split(",")]
    except InvalidOperation:
        said = f"{node} is {text!r}; it takes a number, or numbers with commas between them."
        problems.append(Problem(said, f"{INPUT}{node}", "invalid"))
        return None
    return numbers if "," in text else numbers[0]


@page(f"{ONE}/changes", permission="production_accounting:read", of=get_model, computes=True)
async def model_changes(visit: Visit) -> View | Redirect:
    """What differs between two versions, and what one would have changed over a past period."""
    found = await model_of(visit)
    if isinstance(found, Redirect):
        return found
    versions = (await visit.ask(list_model_versions, VERSIONS_OFFERED)).data
    other = next((one for one in versions if one.id == visit.asked("from")), None)
    other = other or next((one for one in versions if one.is_active and one.id != found.id), None)
    other = other or next((one for one in versions if one.id != found.id), None)
    difference = lines = compared = None
    problems: tuple[Problem, ...] = ()
    if other is not None:
        difference = await visit.ask(compare_models, (("to", found.id),), model_id=other.id)
        lines = [*_lines(await _document(visit, other.id), await _document(visit, found.id))]
        compared, problems = await _compared(visit, other.id)
    return view(
        "models/changes.html", "Compare", call=f"/models/{found.id}", versions=versions,
        other=other, difference=difference, lines=lines, compared=compared, refused=problems,
        period=(visit.asked("start"), visit.asked("end")), **around(visit, found, "changes"),
    )  # fmt: skip


async def _compared(visit: Visit, against: str) -> tuple[ComparedVersions | None, tuple[Problem, ...]]:
    start, end = (visit.moments.typed(visit.asked(name)) for name in ("start", "end"))
    if start is None or end is None:
        return None, ()
    body = {"start_time": start.text, "end_time": end.text, "against": against}
    try:
        return await visit.do(compare_over_period, body), ()
    except (Invalid, Malformed, Conflict) as refusal:
        return None, tuple(refusal.problems)


async def _document(visit: Visit, model: str) -> str:
    return (await find_owned_model(visit.reading, visit.actor, model)).document


def _lines(before: str, after: str) -> Iterator[tuple[str, str]]:
    """The lines that differ, with some around them: kind and text."""
    kinds = {"+": "added", "-": "removed", "@": "place"}
    unified = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=LINES_AROUND)
    for at, line in enumerate(unified):
        if at > 1:
            yield kinds.get(line[:1], "same"), line


PAGES: Final[list[HTTPRouteHandler]] = [
    *page(f"{ONE}/simulate", permission="production_accounting:read", of=get_model_schema, computes=True)(
        simulate_version
    ),
    *run_simulation,
    *model_changes,
]
