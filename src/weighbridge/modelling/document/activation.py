"""What keeps a version from being activated: its own errors, and ledgers that it could not credit.

A model may be saved before its event types exist. To be activated it must fit every project where ledgers
run it, because from that moment on generation runs it and nothing else.
"""

import msgspec

from weighbridge.core.model import Flaw, Model, ModelError, Surroundings
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.unit import compatible, parse_unit
from weighbridge.db.engine import Read
from weighbridge.modelling.document.ledger_circles import (
    CreditingModel,
    crediting_models,
    problem_of_circle,
    sources_of,
)
from weighbridge.modelling.document.surroundings import surroundings_of
from weighbridge.modelling.document.validation import problems_of
from weighbridge.modelling.document.yaml_text import check_document, read_model
from weighbridge.modelling.versions.stored import StoredModel


class _Ledger(msgspec.Struct, frozen=True):
    """A ledger that runs the model."""

    project: int
    name: str
    unit: str
    output: str


async def problems_of_activation(tx: Read, version: StoredModel) -> list[Problem]:
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
    problems = dict.fromkeys(problems_of(report, "yaml"))
    for project in sorted(one for one in projects if one is not None):
        surroundings = await surroundings_of(tx, project, version.document, is_final=True)
        flaws = await tx.in_thread(_flaws, version.document, surroundings)
        problems |= dict.fromkeys(flaw.problem("yaml") for flaw in flaws)
    if report.model is not None:
        problems |= dict.fromkeys(one for ledger in ledgers if (one := _problem_of(ledger, report.model)))
        for project in sorted({ledger.project for ledger in ledgers}):
            problems |= dict.fromkeys(await _circle(tx, project, version.family, report.model))
    return list(problems)


async def _circle(tx: Read, project: int, family: int, model: Model) -> list[Problem]:
    """That the ledgers of a project would draw from each other in a circle."""
    active = await crediting_models(tx, project)
    version = CreditingModel(family, sources_of(model))
    then = {name: version if one.family == family else one for name, one in active.items()}
    return problem_of_circle(family, then, "yaml")


def _flaws(document: str, surroundings: Surroundings) -> tuple[Flaw, ...]:
    try:
        read_model(document, surroundings)
    except ModelError as error:
        return error.flaws
    return ()


def _problem_of(ledger: _Ledger, model: Model) -> Problem | None:
    """Why a version could not credit a ledger."""
    units = {node.slug: node.unit for node in model.outputs}
    unit = units.get(ledger.output)
    if unit is None:
        message = (
            f"The ledger {ledger.name!r} is credited by {ledger.output!r}; "
            f"this version has the outputs {', '.join(units)}."
        )
        return Problem(message, "output", "missing_output")
    if not compatible(parse_unit(ledger.unit), unit):
        message = (
            f"The ledger {ledger.name!r} is in {ledger.unit}; "
            f"its output {ledger.output!r} is in {unit} in this version, which counts a different thing."
        )
        return Problem(message, "output", "incompatible_unit")
    return None
