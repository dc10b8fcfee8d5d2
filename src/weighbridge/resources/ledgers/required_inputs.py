"""What a ledger's model needs to run."""

import msgspec

from weighbridge.core import ids
from weighbridge.core.model import Input, Model
from weighbridge.core.permission import Actor
from weighbridge.db.engine import Read
from weighbridge.resources.ledgers import queries
from weighbridge.resources.ledgers.records import RequiredInput
from weighbridge.resources.models.document import read_model
from weighbridge.resources.models.queries import model_number, stored_model


class RequiredInputs(msgspec.Struct, frozen=True):
    """The answer: not a page, for a model has few inputs."""

    data: list[RequiredInput]


async def list_required_inputs(tx: Read, actor: Actor, friendly: str) -> list[RequiredInput]:
    """The inputs of the ledger's active model, with the data point types of the project that serve them."""
    ledger = await queries.get_ledger(tx, actor, friendly)
    if ledger.latest_model is None:
        return []
    model = read_model((await stored_model(tx, model_number(ledger.latest_model.id))).document)
    key = ids.parse(ids.PREFIXES["ledger"], friendly)
    assert key is not None  # noqa: S101 - the ledger was found by it
    rows = await tx.tuples(
        """
        SELECT et.slug, dpt.slug, dpt.id FROM data_point_types dpt
          JOIN event_types et ON (et.project_id, et.id) = (dpt.project_id, dpt.event_type_id)
         WHERE dpt.project_id = %s
        """,
        (key.project,),
    )
    return _required(model, {(event_type, slug): number for event_type, slug, number in rows})


def _required(model: Model, numbers: dict[tuple[str, str], int]) -> list[RequiredInput]:
    return [
        RequiredInput(
            id=numbers.get((node.body.event_type, node.body.data_point_type), 0),
            name=node.label,
            slug=node.body.data_point_type,
            unit=str(node.unit),
            value_type="number",
            category="event",
            subcategory=node.body.event_type,
            is_manual_select=False,
            allocation_groups=[],
            output_of_ledgers=[],
        )
        for node in model.nodes
        if isinstance(node.body, Input)
    ]
