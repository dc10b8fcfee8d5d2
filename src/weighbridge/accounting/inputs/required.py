"""What a ledger's model needs to run."""

from collections.abc import Mapping

import msgspec

from weighbridge.accounting.ledgers import queries
from weighbridge.accounting.ledgers.records import AllocationGroup, RequiredInput, SourceLedger
from weighbridge.core.identity import ids
from weighbridge.core.model import Input, Model, Node, Upstream
from weighbridge.core.platform.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.modelling.document.reading import read_model
from weighbridge.modelling.versions.stored import stored_model


class RequiredInputs(msgspec.Struct, frozen=True):
    """The answer: not a page, for a model has few inputs."""

    data: list[RequiredInput]


async def list_required_inputs(tx: Read, actor: Actor, friendly: str) -> list[RequiredInput]:
    """The inputs of the ledger's active model, with the data point types and ledgers that serve them."""
    ledger = await queries.get_ledger(tx, actor, friendly)
    if ledger.latest_model is None:
        return []
    model = read_model((await stored_model(tx, ids.number("model", ledger.latest_model.id))).document)
    key = ids.parse("ledger", friendly)
    assert key is not None  # noqa: S101 - the ledger was found by it
    rows = await tx.tuples(
        """
        SELECT et.slug, dpt.slug, dpt.id FROM data_point_types dpt
          JOIN event_types et ON (et.project_id, et.id) = (dpt.project_id, dpt.event_type_id)
         WHERE dpt.project_id = %s
        """,
        (key.project,),
    )
    numbers = {(event_type, slug): number for event_type, slug, number in rows}
    sources = await _sources(tx, key.project, model)
    return [required for node in model.nodes if (required := _required(node, numbers, sources)) is not None]


async def _sources(tx: Read, project: int, model: Model) -> dict[str, SourceLedger]:
    """The ledgers of the project that the model draws from, by name."""
    names = {node.body.ledger for node in model.nodes if isinstance(node.body, Upstream)}
    rows = await tx.tuples(
        "SELECT id, name, unit FROM ledgers WHERE project_id = %s AND name = ANY (%s)",
        (project, sorted(names)),
    )
    return {name: SourceLedger(ids.of("ledger", project, number), name, unit) for number, name, unit in rows}


def _required(
    node: Node, numbers: Mapping[tuple[str, str], int], sources: Mapping[str, SourceLedger]
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
        case Upstream(ledger=ledger, is_manual=is_manual):
            return RequiredInput(
                id=0,
                name=node.label,
                slug=node.slug,
                unit=str(node.unit),
                value_type="number",
                category="ledger",
                subcategory=ledger,
                is_manual_select=is_manual,
                allocation_groups=[
                    AllocationGroup(name, node.slug) for name in [node.allocation_group] if name
                ],
                output_of_ledgers=[sources[ledger]] if ledger in sources else [],
            )
    return None
