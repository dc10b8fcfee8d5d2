"""The lock of generation: one generation at a time runs a model in a project, because its ledgers share runs.

A generation works on the data as they were when it began. Whatever may not change under it, such as
which events there are, holds generations off until its own transaction ends, or is refused meanwhile.
"""

from weighbridge.db.engine import Write
from weighbridge.errors import Conflict


def lock_name(project: int, family: int) -> str:
    """The name of the lock that a generation of a model in a project holds."""
    return f"generation:{project}:{family}"


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
