"""The source ledgers of a model: which ledgers of the project its nodes draw from or look at.

Resolving finds each by its name and checks that it can be drawn from; every node that cannot be served is
named at once.
"""

from collections.abc import Iterator, Mapping

import msgspec

from weighbridge.core.engine.source_ledger import SourceLedgerView
from weighbridge.core.ledger.instrument import PRESETS
from weighbridge.core.ledger.rounding import LedgerRounding
from weighbridge.core.model import Available, Model, Node, Upstream
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.unit import Unit, compatible, parse_unit
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.modelling.document.ledger_circles import crediting_models, problem_of_circle
from weighbridge.modelling.document.yaml_text import read_model

DrawingNode = tuple[Node, Upstream | Available]


class _LedgerRow(msgspec.Struct, frozen=True):
    number: int
    name: str
    unit: str
    scale: int
    rounding: LedgerRounding
    family: int | None
    system_type: str | None
    document: str | None


async def resolve_source_ledgers(
    tx: Read, project: int, family: int, model: Model
) -> dict[str, SourceLedgerView]:
    """The source ledgers of a model's nodes, by node; raise Invalid naming each node that has none."""
    drawing = [(node, node.body) for node in model.nodes if isinstance(node.body, Upstream | Available)]
    if not drawing:
        return {}
    rows = await tx.rows(
        _LedgerRow,
        """
        SELECT l.id, l.name, l.unit, l.scale, l.rounding, l.family_id, l.system_ledger_type, m.document
          FROM ledgers l
          LEFT JOIN model_families f ON f.id = l.family_id
          LEFT JOIN models m ON m.id = f.active_model_id
         WHERE l.project_id = %s AND l.name = ANY (%s)
        """,
        (project, sorted({body.ledger for _, body in drawing})),
    )
    ledgers = {row.name: row for row in rows}
    outputs = await tx.in_thread(lambda: {row.name: _outputs(row) for row in rows})
    problems = [problem for one in drawing for problem in _problems(one, family, ledgers, outputs)]
    if not problems:
        problems = problem_of_circle(family, await crediting_models(tx, project), "ledger_id")
    if problems:
        raise Invalid(problems)
    return {
        node.slug: _source_ledger(body, ledgers[body.ledger], outputs[body.ledger]) for node, body in drawing
    }


def _outputs(ledger: _LedgerRow) -> dict[str, Unit]:
    """The units of what a ledger's batches come to, by its preset or its active model."""
    if ledger.system_type is not None:
        return PRESETS[ledger.system_type].attributes
    if ledger.document is None:
        return {}
    return {node.slug: node.unit for node in read_model(ledger.document).outputs}


def _source_ledger(
    body: Upstream | Available, ledger: _LedgerRow, outputs: Mapping[str, Unit]
) -> SourceLedgerView:
    attributes = body.attributes if isinstance(body, Upstream) else {}
    return SourceLedgerView(
        ledger=ledger.number,
        name=ledger.name,
        unit=parse_unit(ledger.unit),
        scale=ledger.scale,
        attributes={slug: unit or outputs[slug] for slug, unit in attributes.items()},
        rounding=ledger.rounding,
    )


def _problems(
    drawing: DrawingNode,
    family: int,
    ledgers: Mapping[str, _LedgerRow],
    outputs: Mapping[str, Mapping[str, Unit]],
) -> Iterator[Problem]:
    """Why a node cannot draw from the ledger that it names."""
    node, body = drawing
    if (ledger := ledgers.get(body.ledger)) is None:
        yield _problem(
            node, f"draws from {body.ledger!r}, which is no ledger of the project", "unknown_ledger"
        )
        return
    if ledger.family == family:
        yield _problem(node, f"draws from {body.ledger!r}, which its own model credits", "own_ledger")
    unit = parse_unit(ledger.unit)
    if not compatible(unit, node.unit):
        yield _problem(node, f"is in {node.unit}, and {body.ledger!r} is kept in {unit}", "unit")
    for slug, written in body.attributes.items() if isinstance(body, Upstream) else ():
        known = outputs[ledger.name].get(slug)
        if known is None:
            have = ", ".join(outputs[ledger.name]) or "none"
            yield _problem(
                node,
                f"brings along {slug!r}, and the outputs of {body.ledger!r} are {have}",
                "unknown_output",
            )
        elif written is not None and not compatible(known, written):
            yield _problem(
                node, f"brings along {slug!r} in {written}, and {body.ledger!r} has it in {known}", "unit"
            )


def _problem(node: Node, what: str, code: str) -> Problem:
    return Problem(f"Node {node.slug!r} {what}.", "ledger_id", code)
