"""`weighbridge model check`, `model trials` and `weighbridge openapi`: documents, without a service."""

import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from cyclopts import App, Parameter

from weighbridge.commands.options import Json

if TYPE_CHECKING:
    from rich.console import Console

    from weighbridge.core.engine import CaseResult
    from weighbridge.core.engine.case_trials import CaseTrials
    from weighbridge.core.model import Case, Equation, Model
    from weighbridge.modelling.documents import DocumentReport

File = Annotated[Path, Parameter(help="The YAML file of the model.")]

model = App(name="model", help="Models: the documents that say how measurements become results.")


@model.command
def check(file: File, /, *, as_json: Json = False) -> None:
    """Check a document, run its cases and show their equations with the values filled in.

    Exits with 1 when the document has a flaw, each named with line and column, or a case fails.

    Example: `weighbridge model check biochar.yaml`
    """
    from weighbridge.modelling.documents import check_document

    report = check_document(_read(file))
    if as_json:
        sys.stdout.write(_json(report))
    else:
        _show(file, report)
    if not report.is_passed:
        sys.exit(1)


@model.command
def trials(
    file: File,
    /,
    *,
    case: Annotated[str, Parameter(help="The name of the case; the first one by default.")] = "",
    count: Annotated[int, Parameter(help="How many trials.")] = 100_000,
    seed: Annotated[int, Parameter(help="The seed of the draws: the same gives the same digits.")] = 0,
) -> None:
    """Repeat a case of a document with values that are drawn anew in each trial (JCGM 101).

    Shows mean, standard uncertainty and both intervals of each node that the case names, next to first order.

    Example: `weighbridge model trials certificates-to-tonne.yaml --count 100000`
    """
    from weighbridge.core.engine.case_trials import run_case_trials
    from weighbridge.errors import Refusal
    from weighbridge.modelling.documents import check_document

    report = check_document(_read(file))
    if report.model is None or not report.is_valid:
        raise Refusal(f"{_summary(report)} `weighbridge model check {file}` says why.")
    cases = [one for one in report.model.cases if not case or one.name == case]
    if not cases:
        raise Refusal(f"The document has no case {case!r}." if case else "The document has no cases.")
    ran = run_case_trials(report.model, cases[0], count, seed)
    if ran.problems:
        raise Refusal(" ".join(problem.message for problem in ran.problems))
    for line in _describe_trials(report.model, cases[0], ran):
        sys.stdout.write(f"{line}\n")


_VERDICTS: Final = {
    True: "is confirmed", False: "is not confirmed", None: "needs more trials to be confirmed",
}  # fmt: skip
"""What trials say of first order."""


def _describe_trials(model: "Model", case: "Case", ran: "CaseTrials") -> Iterator[str]:
    """What trials came to, node by node, next to first order (JCGM 101:2008, 8)."""
    from weighbridge.core.engine import try_out
    from weighbridge.core.engine.trials import list_given
    from weighbridge.core.model import prepare
    from weighbridge.core.number import plain
    from weighbridge.core.uncertainty.trial_summary import compare_with_first_order

    first_order = try_out(prepare(model), list_given(case), tuple(ran.summaries))
    for slug, summary in ran.summaries.items():
        unit, found = f" {model.node(slug).unit.text}".rstrip(), summary.distributed
        yield f"{slug}: {summary.trials} trials, {summary.without_result} without a result"
        if found is None:
            continue
        mean, spread = plain(round(found.mean, 9)), plain(round(found.standard_uncertainty, 9))
        yield f"  mean {mean}{unit}, standard uncertainty {spread}{unit}"
        for name, interval in (("symmetric", found.symmetric), ("shortest", found.shortest)):
            low, high = plain(round(interval.low, 9)), plain(round(interval.high, 9))
            yield f"  {plain(summary.probability * 100)} %: {low} to {high}{unit}, {name}"
        estimate = first_order.values[slug]
        if first_order.uncertainties is None or not isinstance(estimate, Decimal):
            continue
        combined = first_order.uncertainties[slug].combine()
        expanded = combined.compute_expanded_uncertainty(summary.probability)
        compared = compare_with_first_order(estimate, combined.standard_uncertainty, expanded, found)
        verdict = _VERDICTS[compared.is_passed]
        yield (
            f"  first order: {plain(round(estimate, 9))}{unit}, standard uncertainty"
            f" {plain(round(combined.standard_uncertainty, 9))}{unit}; it {verdict} within"
            f" {plain(compared.tolerance)}{unit}"
        )


def _read(file: Path) -> str:
    from weighbridge.errors import Refusal

    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise Refusal(f"The file {file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise Refusal(
            f"The file {file} is not UTF-8: the byte at {error.start} is part of no character."
        ) from None


def _show(file: Path, report: "DocumentReport") -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    if report.model is not None:
        console.print(report.model.name, style="bold")
    for flaw in report.flaws:
        console.print(f"{file}:{flaw.line}:{flaw.column}: {flaw.message}", style="red")
    for number, result in enumerate(report.cases, 1):
        _show_case(console, f"Case {number} of {len(report.cases)}", result)
    console.print()
    console.print(_summary(report), style="bold green" if report.is_passed else "bold red")


def _show_case(console: "Console", location: str, result: "CaseResult") -> None:
    console.print()
    console.print(f"{location}: {result.case.name}", style="bold")
    if result.case.source:
        console.print(f"  {' '.join(result.case.source.split())}", style="dim")
    for equation in result.equations:
        first, *more_lines = _lines(equation)
        console.print(f"  {first}", style="cyan")
        for line in more_lines:
            console.print(f"  {line}")
    for sentence, is_met in _outcomes(result):
        console.print(f"  {'ok' if is_met else 'FAILED'}  {sentence}", style="green" if is_met else "red")


def _lines(equation: "Equation") -> Iterator[str]:
    """The equation as written, with its values where they change it, and its result, one below the other."""
    margin = " " * len(equation.slug)
    yield equation.written
    if equation.filled != equation.written:
        yield f"{margin}{equation.filled.removeprefix(equation.slug)}"
    yield f"{margin} = {equation.result}"


def _outcomes(result: "CaseResult") -> Iterator[tuple[str, bool]]:
    from weighbridge.core.model import show

    if result.error is not None:
        yield result.error, False
    for comparison in result.comparisons:
        places = "" if result.case.places is None else f" at {result.case.places} places"
        expected, actual = (
            show(comparison.expected, comparison.unit),
            show(comparison.actual, comparison.unit),
        )
        if comparison.is_met:
            yield f"{comparison.slug} is {expected}{places}, as expected", True
        else:
            yield f"{comparison.slug} is {actual}{places}; expected {expected}", False


def _summary(report: "DocumentReport") -> str:
    if not report.is_valid:
        return f"The document is refused: {_count(len(report.flaws), 'flaw')}."
    if not report.cases:
        return "The document is valid; it has no cases."
    failed = sum(not result.is_passed for result in report.cases)
    if failed:
        return f"The document is valid, but {failed} of {_count(len(report.cases), 'case')} failed."
    return f"The document is valid and passes: {_count(len(report.cases), 'case')}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _json(report: "DocumentReport") -> str:
    import msgspec

    from weighbridge.core.model import hash_model

    fields = {
        "name": report.model and report.model.name,
        "sha256": report.model and hash_model(report.model),
        "is_valid": report.is_valid,
        "is_passed": report.is_passed,
        "flaws": [
            {
                "line": flaw.line,
                "column": flaw.column,
                "node": flaw.node,
                "code": flaw.code,
                "message": flaw.message,
            }
            for flaw in report.flaws
        ],
        "cases": [_json_case(result) for result in report.cases],
    }
    return msgspec.json.Encoder(decimal_format="number").encode(fields).decode() + "\n"


def _json_case(result: "CaseResult") -> dict[str, Any]:
    return {
        "name": result.case.name,
        "source": result.case.source,
        "is_passed": result.is_passed,
        "error": result.error,
        "equations": [
            {
                "node": equation.slug,
                "written": equation.written,
                "filled": equation.filled,
                "result": equation.result,
            }
            for equation in result.equations
        ],
        "comparisons": [
            {
                "node": comparison.slug,
                "unit": comparison.unit.text,
                "expected": comparison.expected,
                "actual": comparison.actual,
                "is_met": comparison.is_met,
            }
            for comparison in result.comparisons
        ],
    }


Output = Annotated[Path | None, Parameter(help="The file to write; standard output by default.")]


def openapi(*, output: Output = None) -> None:
    """Print the OpenAPI document that the service answers at /openapi.json.

    It needs no database and is the same bytes each time.

    Example: `weighbridge openapi --output openapi.json`
    """
    from weighbridge.contents import SLICES
    from weighbridge.core.identity import API_PREFIX
    from weighbridge.http.openapi.document import written

    text = written(SLICES, API_PREFIX).decode() + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")
