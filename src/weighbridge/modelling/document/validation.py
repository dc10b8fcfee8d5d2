"""Validation of a document: every flaw with its line and column, and what is unusual though no flaw.

A document is valid when it could be saved: its structure, names, units and its own cases hold. Warnings say
what keeps it from being of use as it stands.
"""

from collections.abc import Iterator

from weighbridge.core.engine import CaseResult
from weighbridge.core.model import (
    Flaw,
    Model,
    Surroundings,
    ancestors,
    show,
    unknown_event_types,
)
from weighbridge.core.model.document.source import SourceMark
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.modelling.document.surroundings import surroundings_of
from weighbridge.modelling.document.yaml_text import DocumentReport, check_document
from weighbridge.modelling.models.records import Complaint, Validation


async def validate(tx: Read, project: int | None, text: str) -> Validation:
    """Say everything that is wrong with a document, and what is unusual about it; nothing is stored."""
    surroundings = await surroundings_of(tx, project, text, is_final=False)
    # Checking units and running the document's own cases can take longer than other requests may wait.
    report = await tx.in_thread(check_document, text, surroundings)
    errors = [*report.flaws, *(_failure(result) for result in report.cases if not result.is_passed)]
    warnings = [] if report.model is None else [*_warnings(report.model, surroundings)]
    return Validation(not errors, [_complaint(one) for one in errors], [_complaint(one) for one in warnings])


async def read_valid(tx: Read, project: int | None, text: str, field: str) -> Model:
    """The model of a document that can be saved; Invalid with every flaw and every case that fails."""
    surroundings = await surroundings_of(tx, project, text, is_final=False)
    report = await tx.in_thread(check_document, text, surroundings)
    problems = problems_of(report, field)
    if problems or report.model is None:
        raise Invalid(problems)
    return report.model


def problems_of(report: DocumentReport, field: str) -> list[Problem]:
    """Why a document cannot be saved, as problems of the field that carries it."""
    failures = [_failure(result) for result in report.cases if not result.is_passed]
    return [
        *(flaw.problem(field) for flaw in report.flaws),
        *(Problem(failure.message, field, failure.code) for failure in failures),
    ]


def _failure(result: CaseResult) -> Flaw:
    """Say what a case of the document expects and what comes of it instead."""
    wrong = result.error or "; ".join(
        f"{one.slug} should be {show(one.expected, one.unit)} and is {show(one.actual, one.unit)}"
        for one in result.comparisons
        if not one.is_met
    )
    message = f"Case {result.case.name!r}: {wrong.removesuffix('.')}."
    return Flaw(message, result.case.mark, None, "case_failed")


def _warnings(model: Model, surroundings: Surroundings) -> Iterator[Flaw]:
    yield from unknown_event_types(model, surroundings)
    if not model.cases:
        message = "The document has no cases, so nothing shows that it computes what the methodology says."
        yield Flaw(message, SourceMark(), None, "no_cases")
    targets = [node.slug for node in (*model.outputs, *model.partitioning)]
    used = ancestors(model, tuple(targets))
    for node in model.nodes:
        if node.slug not in used:
            message = f"{node.slug} is no output and no output needs it."
            yield Flaw(message, node.mark, node.slug, "unused")


def _complaint(flaw: Flaw) -> Complaint:
    return Complaint(flaw.message, flaw.line, flaw.column, flaw.node, flaw.code)
