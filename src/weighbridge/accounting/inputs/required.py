"""What a ledger's model needs to run."""

from collections.abc import Mapping

from weighbridge.accounting.ledgers.records import AllocationGroup, RequiredInput, SourceLedger
from weighbridge.core.identity import ids
from weighbridge.core.model import Input, Model, Node, Upstream
from weighbridge.db.engine import Read


async def required_inputs(tx: Read, project: int, model: Model) -> list[RequiredInput]:
    """The inputs of a model, with the data point types and ledgers of a project that serve them."""
    rows = await tx.tuples(
        """
        SELECT et.slug, dpt.slug, dpt.id FROM data_point_types dpt
          JOIN event_types et ON (et.project_id, et.id) = (dpt.project_id, dpt.event_type_id)
         WHERE dpt.project_id = %s
        """,
        (project,),
    )
    numbers = {(event_type, slug): number for event_type, slug, number in rows}
    ledgers = await _ledgers(tx, project, model)
    return [required for node in model.nodes if (required := _required(node, numbers, ledgers)) is not None]


async def _ledgers(tx: Read, project: int, model: Model) -> dict[str, SourceLedger]:
    """The ledgers of the project that the model draws from, by name."""
    names = {node.body.ledger for node in model.nodes if isinstance(node.body, Upstream)}
    rows = await tx.tuples(
        "SELECT id, name, unit FROM ledgers WHERE project_id = %s AND name = ANY (%s)",
        (project, sorted(names)),
    )
    return {name: SourceLedger(ids.of("ledger", project, number), name, unit) for number, name, unit in rows}


def _required(
    node: Node, numbers: Mapping[tuple[str, str], int], ledgers: Mapping[str, SourceLedger]
) -> RequiredInput | None:
    match node.body:
        case Input(event_type=event_type, data_point_type=slug):
            return RequiredInput(
                id=numbers.get((event_type, slug), 0),
                name=node.label,
                slug=slug,
                unit=str(node.unit),
                value_type="number",
                category="event",
                subcategory=event_type,
                is_manual_select=False,
                allocation_groups=[],
                output_of_ledgers=[],
            )
        case Upstream(ledger=name, is_manual=is_manual):
            return RequiredInput(
                id=0,
                name=node.label,
                slug=node.slug,
                unit=str(node.unit),
                value_type="number",
                category="ledger",
                subcategory=name,
                is_manual_select=is_manual,
                allocation_groups=[
                    AllocationGroup(group, node.slug) for group in [node.allocation_group] if group
                ],
                output_of_ledgers=[ledgers[name]] if name in ledgers else [],
            )
    return None
