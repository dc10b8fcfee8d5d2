"""The locks of generation: a model in a project is run once at a time, because its ledgers share runs.

A generation also locks its ledgers and those that it draws from, so two that draw from one ledger, or one
that draws and one that credits, come one after the other. Models are locked before ledgers and ledgers in
the order of their numbers, so nobody waits in a circle.

A generation works on the data as they were when it began. Whatever may not change under it, such as
which events there are, holds generations off until its own transaction ends, or is refused meanwhile.
"""

from collections.abc import Mapping, Sequence

from weighbridge.core.model import Available, Input, Model, Upstream
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Conflict


def lock_name(project: int, family: int) -> str:
    """The name of the lock that a generation of a model in a project holds."""
    return f"generation:{project}:{family}"


def ledger_lock_name(project: int, ledger: int) -> str:
    """The name of the lock that whoever posts to a ledger holds."""
    return f"ledger:{project}:{ledger}"


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
    families = [lock_name(project, family) for family in sorted(models)]
    kinds = {node.body.event_type for model in every for node in model.nodes if isinstance(node.body, Input)}
    events = [f"events:{project}:{kind}" for kind in sorted(kinds)]
    return families + events + [ledger_lock_name(project, number) for (number,) in rows]


async def hold_off_generations(tx: Write, project: int) -> None:
    """Keep every generation of the project waiting until the transaction ends; Conflict while one runs."""
    families = await tx.tuples(
        "SELECT DISTINCT family_id FROM ledgers WHERE project_id = %s AND family_id IS NOT NULL", (project,)
    )
    is_held = await tx.value(
        """
        SELECT bool_and(pg_try_advisory_xact_lock_shared(hashtextextended(name, 0)))
          FROM unnest(%s::text[]) AS asked (name)
        """,
        ([lock_name(project, family) for (family,) in families],),
    )
    if is_held is False:
        raise Conflict(
            "A generation works on the project's data just now; try again when its task has ended."
        )
