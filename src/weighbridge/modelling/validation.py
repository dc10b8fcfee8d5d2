"""Validate a document, and check whether a version can be activated.

A document is valid when it could be saved: its structure, names, units and test cases are correct.
Warnings name what makes it unusable as it is. A model may be saved before its event types exist; to be
activated it must fit every project where ledgers run it.
"""

from collections.abc import Iterator

import msgspec

from weighbridge.core.engine import CaseResult
from weighbridge.core.model import (
    DocumentFlaw,
    Model,
    ModelError,
    Surroundings,
    find_ancestors,
    find_unknown_event_types,
    show,
)
from weighbridge.core.model.definition import SourceMark
from weighbridge.core.problem import Problem
from weighbridge.core.unit import are_compatible, parse_unit
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.modelling.documents import (
    CreditingModel,
    DocumentReport,
    StoredModel,
    check_circle,
    check_document,
    list_source_ledgers,
    read_crediting_models,
    read_model,
    read_surroundings,
)
from weighbridge.modelling.records import Complaint, Validation

# Validation of a document: every flaw with its line and column, and what is unusual though no flaw.
#
# A document is valid when it could be saved: its structure, names, units and its own cases hold. Warnings
# say what keeps it from being of use as it stands.


async def validate(tx: Read, project: int | None, text: str) -> Validation:
    """Say everything that is wrong with a document, and what is unusual about it; nothing is stored."""
    surroundings = await read_surroundings(tx, project, text, is_final=False)
    # Checking units and running the document's own cases can take longer than other requests may wait.
    report = await tx.in_thread(check_document, text, surroundings)
    errors = [*report.flaws, *(_build_case_error(result) for result in report.cases if not result.is_passed)]
    warnings = [] if report.model is None else [*_list_warnings(report.model, surroundings)]
    return Validation(
        not errors,
        [_build_complaint(error) for error in errors],
        [_build_complaint(warning) for warning in warnings],
    )


async def read_valid(tx: Read, project: int | None, text: str, field: str) -> Model:
    """The model of a document that can be saved; Invalid with every flaw and every case that fails."""
    surroundings = await read_surroundings(tx, project, text, is_final=False)
    report = await tx.in_thread(check_document, text, surroundings)
    problems = list_problems(report, field)
    if problems or report.model is None:
        raise Invalid(problems)
    return report.model


def list_problems(report: DocumentReport, field: str) -> list[Problem]:
    """Why a document cannot be saved, as problems of the field that carries it."""
    failures = [_build_case_error(result) for result in report.cases if not result.is_passed]
    return [
        *(flaw.problem(field) for flaw in report.flaws),
        *(Problem(failure.message, field, failure.code) for failure in failures),
    ]


def _build_case_error(result: CaseResult) -> DocumentFlaw:
    """Say what a case of the document expects and what comes of it instead."""
    wrong = result.error or "; ".join(
        f"{comparison.slug} should be {show(comparison.expected, comparison.unit)}"
        f" and is {show(comparison.actual, comparison.unit)}"
        for comparison in result.comparisons
        if not comparison.is_met
    )
    message = f"Case {result.case.name!r}: {wrong.removesuffix('.')}."
    return DocumentFlaw(message, result.case.mark, None, "case_failed")


def _list_warnings(model: Model, surroundings: Surroundings) -> Iterator[DocumentFlaw]:
    yield from find_unknown_event_types(model, surroundings)
    if not model.cases:
        message = "The document has no cases, so nothing shows that it computes what the methodology says."
        yield DocumentFlaw(message, SourceMark(), None, "no_cases")
    targets = [node.slug for node in (*model.outputs, *model.partitioning)]
    used = find_ancestors(model, tuple(targets))
    for node in model.nodes:
        if node.slug not in used:
            message = f"{node.slug} is no output and no output needs it."
            yield DocumentFlaw(message, node.mark, node.slug, "unused")


def _build_complaint(flaw: DocumentFlaw) -> Complaint:
    return Complaint(flaw.message, flaw.line, flaw.column, flaw.node, flaw.code)


# What keeps a version from being activated: its own errors, and ledgers that it could not credit.
#
# A model may be saved before its event types exist. To be activated it must fit every project where ledgers
# run it, because from that moment on generation runs it and nothing else.


class _Ledger(msgspec.Struct, frozen=True):
    """A ledger that runs the model."""

    project: int
    name: str
    unit: str
    output: str


async def check_activation(tx: Read, version: StoredModel) -> list[Problem]:
    """Why a version cannot become the one that ledgers run; empty when it can."""
    ledgers = await tx.rows(
        _Ledger,
        """
        SELECT project_id, name, unit, output FROM ledgers WHERE family_id = %s ORDER BY project_id, id
        """,
        (version.family,),
    )
    projects = {version.project, *(ledger.project for ledger in ledgers)}
    # The cases depend on no project, so they are run once.
    report = await tx.in_thread(check_document, version.document)
    problems = dict.fromkeys(list_problems(report, "yaml"))
    for project in sorted(one for one in projects if one is not None):
        surroundings = await read_surroundings(tx, project, version.document, is_final=True)
        flaws = await tx.in_thread(_list_flaws, version.document, surroundings)
        problems |= dict.fromkeys(flaw.problem("yaml") for flaw in flaws)
    if report.model is not None:
        problems |= dict.fromkeys(one for ledger in ledgers if (one := _check_ledger(ledger, report.model)))
        for project in sorted({ledger.project for ledger in ledgers}):
            problems |= dict.fromkeys(await _check_circle(tx, project, version.family, report.model))
    return list(problems)


async def _check_circle(tx: Read, project: int, family: int, model: Model) -> list[Problem]:
    """That the ledgers of a project would draw from each other in a circle."""
    active = await read_crediting_models(tx, project)
    version = CreditingModel(family, list_source_ledgers(model))
    then = {name: version if one.family == family else one for name, one in active.items()}
    return check_circle(family, then, "yaml")


def _list_flaws(document: str, surroundings: Surroundings) -> tuple[DocumentFlaw, ...]:
    try:
        read_model(document, surroundings)
    except ModelError as error:
        return error.flaws
    return ()


def _check_ledger(ledger: _Ledger, model: Model) -> Problem | None:
    """Why a version could not credit a ledger."""
    units = {node.slug: node.unit for node in model.outputs}
    unit = units.get(ledger.output)
    if unit is None:
        message = (
            f"The ledger {ledger.name!r} is credited by {ledger.output!r}; "
            f"this version has the outputs {', '.join(units)}."
        )
        return Problem(message, "output", "missing_output")
    if not are_compatible(parse_unit(ledger.unit), unit):
        message = (
            f"The ledger {ledger.name!r} is in {ledger.unit}; "
            f"its output {ledger.output!r} is in {unit} in this version, which counts a different thing."
        )
        return Problem(message, "output", "incompatible_unit")
    return None
