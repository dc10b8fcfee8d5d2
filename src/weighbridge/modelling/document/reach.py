"""The reach of a static input: until when it counts, and which model versions with batches read its slug.

In: static inputs that were added. Out: the traces that tell whose runs they make stale.
"""

from collections.abc import Mapping
from typing import Any, Final, LiteralString

import msgspec

from weighbridge.core.model import StaticInput
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.platform.changes import AddedStaticInput, InputsHeld


class Stretch(msgspec.Struct, frozen=True):
    """A static input that was added, and from when until when it counts."""

    number: int
    slug: str
    start: Instant
    end: Instant | None


async def stretches(
    tx: Read, project: int, condition: LiteralString, values: Mapping[str, Any]
) -> list[Stretch]:
    """The stretches of the static inputs `s` of a project for which a condition holds."""
    return await tx.rows(Stretch, _STRETCHES.format(condition), {"project": project, **values})


async def reach_of(tx: Read, held: InputsHeld, added: Stretch) -> AddedStaticInput:
    """The trace of a static input, by the documents of the versions whose batches the transaction sees."""
    at_slots, at_events = [], []
    for model, document in await tx.tuples(_MODELS, (held.project,)):
        readers = [
            node.body
            for node in (await tx.in_thread(read_model, document)).nodes
            if isinstance(node.body, StaticInput) and node.body.slug == added.slug
        ]
        at_slots += [model] * any(body.at is None for body in readers)
        at_events += [model] * any(body.at is not None for body in readers)
    return AddedStaticInput(held, added.number, added.start, added.end, at_slots, at_events)


_STRETCHES: Final = """
    SELECT s.id, s.slug, s.effective_from,
           (SELECT min(later.effective_from) FROM static_inputs later
             WHERE later.project_id = s.project_id AND later.slug = s.slug
               AND (later.asset_id, later.feedstock_id, later.location_id)
                   IS NOT DISTINCT FROM (s.asset_id, s.feedstock_id, s.location_id)
               AND later.effective_from > s.effective_from)
      FROM static_inputs s WHERE s.project_id = %(project)s AND {} ORDER BY s.id
"""
_MODELS: Final = """
    SELECT m.id, m.document FROM models m
     WHERE m.id IN (SELECT model_id FROM batches WHERE project_id = %s AND deleted_at IS NULL)
"""
