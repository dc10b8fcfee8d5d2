"""What a ledger's model needs to run."""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from weighbridge.accounting.ledgers.records import AllocationGroup, RequiredInput, SourceLedger
from weighbridge.core.identity import ids
from weighbridge.core.model import Input, Model, Node, StaticInput, Upstream
from weighbridge.db.engine import Read

NO_TYPE: Final = 0
"""The number of no data point type."""


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
    return _told_apart(_required(node, numbers, ledgers) for node in model.nodes)


def _told_apart(inputs: Iterable[RequiredInput | None]) -> list[RequiredInput]:
    """The inputs of the nodes of a model, each with an id of its own.

    That of a data point type is the type's number, for the first node that reads it. What else there is has
    the position of its node in the model, below zero, where no type has its number.
    """
    told: dict[int, RequiredInput] = {}
    for position, one in enumerate(inputs, start=1):
        if one is not None:
            number = -position if one.id in {NO_TYPE, *told} else one.id
            told[number] = msgspec.structs.replace(one, id=number)
    return [*told.values()]


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
                id=numbers.get((event_type, slug), NO_TYPE),
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
        case StaticInput(slug=slug, by=by):
            return RequiredInput(
                id=NO_TYPE,
                name=node.label,
                slug=slug,
                unit=str(node.unit),
                value_type="number",
                category="static_input",
                subcategory=by or "project",
                is_manual_select=False,
                allocation_groups=[],
                output_of_ledgers=[],
            )
        case Upstream(ledger=name, is_manual=is_manual):
            return RequiredInput(
                id=NO_TYPE,
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
