"""What a project knows of the things that a model document names: event types, ledgers and their outputs.

Invariants: a data point type has the unit that its events carry; an output of a ledger has the unit that the
ledger's active model, or a system ledger's preset, gives it; a model outside projects has no surroundings.
"""

from typing import Final

from weighbridge.core.expression import PLAIN, TEXT, TRUTH, Type, number
from weighbridge.core.ledger.instrument import PRESETS
from weighbridge.core.model import ALONE, ModelError, Surroundings, Upstream, parse_model
from weighbridge.core.quantity.unit import Unit, parse_unit
from weighbridge.db.engine import Read
from weighbridge.modelling.document.yaml_text import read_model, read_source

_PLAIN_TYPES: Final = {"number": PLAIN, "string": TEXT, "boolean": TRUTH}


async def surroundings_of(tx: Read, project: int | None, text: str, *, is_final: bool) -> Surroundings:
    """What the project knows of all that a document may name.

    Unless they are final, event types that the project lacks may come later and are no flaws.
    """
    if project is None:
        return ALONE
    rows = await tx.tuples(
        """
        SELECT et.slug, dpt.slug, dpt.value_type, dpt.unit
          FROM event_types et
          JOIN data_point_types dpt ON (dpt.project_id, dpt.event_type_id) = (et.project_id, et.id)
         WHERE et.project_id = %s ORDER BY et.id, dpt.position
        """,
        (project,),
    )
    data_points = {(event_type, slug): _type(kind, unit) for event_type, slug, kind, unit in rows}
    return Surroundings(data_points, is_final=is_final, attributes=await _attributes(tx, project, text))


async def _attributes(tx: Read, project: int, text: str) -> dict[tuple[str, str], Unit]:
    """The units of the outputs of the ledgers that the document draws from, by ledger and node."""
    ledgers = await tx.in_thread(_ledgers_drawn, text)
    if not ledgers:
        return {}
    rows = await tx.tuples(
        """
        SELECT l.name, l.system_ledger_type, m.document
          FROM ledgers l
          LEFT JOIN model_families f ON f.id = l.family_id
          LEFT JOIN models m ON m.id = f.active_model_id
         WHERE num_nonnulls(l.system_ledger_type, m.document) > 0 AND l.project_id = %s AND l.name = ANY (%s)
        """,
        (project, ledgers),
    )
    units: dict[tuple[str, str], Unit] = {}
    for ledger, system_type, document in rows:
        if system_type is not None:
            units |= {(ledger, slug): unit for slug, unit in PRESETS[system_type].attributes.items()}
            continue
        outputs = (await tx.in_thread(read_model, document)).outputs
        units |= {(ledger, node.slug): node.unit for node in outputs}
    return units


def _ledgers_drawn(text: str) -> list[str]:
    """The ledgers whose outputs a document names; none when it cannot be read."""
    try:
        model, _ = parse_model(read_source(text))
    except ModelError:
        return []
    bodies = () if model is None else (node.body for node in model.nodes)
    return sorted({body.ledger for body in bodies if isinstance(body, Upstream) and body.attributes})


def _type(value_type: str, unit: str | None) -> Type:
    return number(parse_unit(unit)) if unit else _PLAIN_TYPES[value_type]
