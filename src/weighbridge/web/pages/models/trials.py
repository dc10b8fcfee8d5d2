"""Try a version of a model: compute it once from typed values, and keep the result as a test case.

Nothing is stored; a test case is added to the document in the editor, where it is saved as the next version.
"""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final
from zoneinfo import ZoneInfo

from weighbridge.core.model import Model, ModelError, list_required_features
from weighbridge.core.model.editing import EditError
from weighbridge.core.model.writing import Fields, Written
from weighbridge.core.number import round_to
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Interval, count_days, count_hours
from weighbridge.errors import Invalid
from weighbridge.modelling import editing
from weighbridge.modelling.models import get_model_schema, simulate_model
from weighbridge.modelling.records import Schema, Simulated
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.models.editor import show_editor, with_document
from weighbridge.web.pages.models.versions import ONE, build_version_context, read_document, read_version

INPUT: Final = "input:"
"""What the name of a field for an input begins with; its node follows."""


async def simulate_version(visit: Visit) -> View | Redirect:
    """A version with fields for all that it takes from outside."""
    return await _show_simulation(visit, None)


@form(
    f"{ONE}/simulate", permission="production_accounting:read", error_page=simulate_version, computes=True,
    asks=True,
)  # fmt: skip
async def run_simulation(visit: Visit) -> View | Redirect:
    """Compute the version once from what was typed; nothing is stored."""
    return await _show_simulation(visit, await visit.do(simulate_model, await _read_simulation(visit)))


@form(
    f"{ONE}/cases", permission="production_accounting:write", error_page=simulate_version, computes=True,
    asks=True,
)  # fmt: skip
async def keep_case(visit: Visit) -> View | Redirect:
    """Add what was computed to the document as a test case, and show the document; nothing is stored."""
    body = await _read_simulation(visit)
    result: Simulated = await visit.do(simulate_model, body)
    text, model = await read_document(visit)
    name = visit.text("case_name")
    try:
        _check_name(name, model)
        edited = await visit.reading.in_thread(
            editing.add_case, text, _build_case(name, visit, model, body, result)
        )
    except (EditError, ModelError) as refusal:
        problem = Problem(str(refusal), "case_name", "invalid")
        shown = await _show_simulation(visit, result, (problem,))
        return replace(shown, status=422) if isinstance(shown, View) else shown
    notice = f"Test case {name!r} added. Save the document to keep it."
    return await show_editor(with_document(visit, edited, "case_name"), None, notice=notice)


def _check_name(name: str, model: Model) -> None:
    if not name:
        raise EditError("Give the test case a name.")
    if any(case.name == name for case in model.cases):
        raise EditError(f"The document has a test case {name!r} already; give this one another name.")


CASE_PLACES: Final = 12
"""Decimal places of the results of a test case; further digits are not compared."""


def _build_case(name: str, visit: Visit, model: Model, body: dict[str, Any], result: Simulated) -> Fields:
    """The keys of a test case: what was typed, and what the outputs came to."""
    features = list_required_features(model)
    results = {node.slug: node.value for node in result.nodes if node.is_output and node.value is not None}
    expect = {slug: _round(value) for slug, value in results.items()}
    case: dict[str, Written] = {"name": name, "inputs": body["inputs"], "expect": expect}
    if expect != results:
        case["places"] = Decimal(CASE_PLACES)
    if "partition_name" in features:
        case["partition"] = body["partition"]
    if body["durations"]:
        case["durations"] = body["durations"]
    slot = Interval(result.start_time, result.end_time)
    if "function:period_days" in features:
        case["period_days"] = count_days(slot, ZoneInfo(visit.frame.zone))
    if "function:period_hours" in features:
        case["period_hours"] = count_hours(slot)
    return case


def _round(value: Decimal | list[Decimal]) -> Decimal | list[Decimal]:
    if isinstance(value, list):
        return [round_to(element, CASE_PLACES) for element in value]
    return round_to(value, CASE_PLACES)


async def _read_simulation(visit: Visit) -> dict[str, Any]:
    """What was typed, as the interface takes it."""
    schema: Schema = await visit.ask(get_model_schema)
    problems: list[Problem] = []
    start, end = (visit.moments.typed(visit.text(name)) for name in ("from", "until"))
    if start is None or end is None:
        problems.append(Problem("The period must have a start and an end.", "from", "required"))
    inputs = {
        input_.node: _numbers(input_.node, text, problems)
        for input_ in schema.required_inputs
        if (text := visit.text(f"{INPUT}{input_.node}"))
    }
    if problems or start is None or end is None:
        raise Invalid(problems)
    partition = {name: visit.text(f"partition:{name}") for name in schema.example_simulation.partition}
    return {
        "inputs": inputs, "start_time": start.text, "end_time": end.text, "partition": partition,
        "durations": schema.example_simulation.durations,
    }  # fmt: skip


async def _show_simulation(visit: Visit, result: Any, problems: Sequence[Problem] = ()) -> View | Redirect:
    model_record = await read_version(visit)
    if isinstance(model_record, Redirect):
        return model_record
    schema: Schema = await visit.ask(get_model_schema)
    example = schema.example_simulation

    def shown(node: str, slug: str) -> str:
        if visit.typed:
            return visit.text(f"{INPUT}{node}")
        value = example.inputs.get(node, example.inputs.get(slug))
        return ", ".join(str(item) for item in value) if isinstance(value, list) else str(value or "")

    moments = visit.moments
    return view(
        "models/simulate.html",
        "Simulate",
        call=f"/models/{model_record.id}/schema",
        schema=schema,
        result=result,
        problems=problems or visit.problems,
        case_name=visit.text("case_name"),
        may_keep=visit.may("production_accounting:write") and model_record.is_latest,
        shown=shown,
        partition={
            name: visit.text(f"partition:{name}") if visit.typed else value
            for name, value in example.partition.items()
        },
        slot=(
            visit.text("from") or moments.field(example.start_time),
            visit.text("until") or moments.field(example.end_time),
        ),
        **build_version_context(visit, model_record, "simulate"),
    )


def _numbers(node: str, text: str, problems: list[Problem]) -> Decimal | list[Decimal] | None:
    """A number, or a list of them with commas between."""
    try:
        numbers = [Decimal(number_text.strip()) for number_text in text.split(",")]
    except InvalidOperation:
        message = f"{node} must be a number or numbers separated by commas, but is {text!r}."
        problems.append(Problem(message, f"{INPUT}{node}", "invalid"))
        return None
    return numbers if "," in text else numbers[0]


PAGES = [
    *page(f"{ONE}/simulate", permission="production_accounting:read", of=get_model_schema, computes=True)(
        simulate_version
    ),
    *run_simulation,
    *keep_case,
]
