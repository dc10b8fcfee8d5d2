"""Which locks a generation takes: a model in a project is run once at a time, because its ledgers share runs.

A generation also locks its ledgers and those that it draws from, so two that draw from one ledger, or one
that draws and one that credits, come one after the other.
"""

from collections.abc import Mapping, Sequence

from weighbridge.core.model import Available, Input, Model, Upstream
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Conflict


async def lock_names(tx: Read, project: int, models: Mapping[int, Sequence[Model]]) -> list[str]:
    """The locks of a generation, in their order, by the model families that run and their versions."""
    every = [model for versions in models.values() for model in versions]
    drawn = {
        node.body.ledger
        for model in every
        for node in model.nodes
        if isinstance(node.body, Upstream | Available)
    }
    rows = await tx.tuples(
        """
        SELECT id FROM ledgers
         WHERE project_id = %s AND (family_id = ANY (%s) OR name = ANY (%s)) ORDER BY id
        """,
        (project, sorted(models), sorted(drawn)),
    )
    families = [locks.generation(project, family) for family in sorted(models)]
    kinds = {node.body.event_type for model in every for node in model.nodes if isinstance(node.body, Input)}
    events = [locks.events(project, kind) for kind in sorted(kinds)]
    return families + events + [locks.ledger(project, number) for (number,) in rows]


async def hold_ledger(tx: Write, project: int, number: int) -> None:
    """Keep generations away from a ledger until the transaction ends, and others who post by hand waiting.

    Raises Conflict while a generation works with the ledger.
    """
    is_free = await tx.value(*locks.try_share([locks.ledger(project, number)]))
    if not is_free:
        raise Conflict("A task works with the ledger just now; try again when it has ended.")
    await tx.execute(
        "SELECT FROM ledgers WHERE project_id = %s AND id = %s FOR NO KEY UPDATE", (project, number)
    )
