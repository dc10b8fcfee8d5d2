"""Holding off generations: what may not change under one waits for none, and lets none begin.

A generation works on the data as they were when it began. Which events there are, and names and a time zone
that results depend on, may not change meanwhile: such a change is refused while a generation runs, and keeps
others waiting until its own transaction ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from weighbridge.db import locks
from weighbridge.db.engine import Command, Write
from weighbridge.errors import Conflict


@dataclass(frozen=True, slots=True)
class GenerationsHeldOff:
    """No generation of a project runs until the transaction ends; only `hold_off_generations` makes one.

    As a trace it leaves nothing: it shows that what was asked of the batches before the write still holds.
    """

    project: int

    def statements(self, project: int) -> Iterator[Command]:
        """Nothing to leave."""
        assert project == self.project, "generations of another project were held off"  # noqa: S101
        yield from ()


async def hold_off_generations(tx: Write, project: int) -> GenerationsHeldOff:
    """Keep every generation of the project waiting until the transaction ends; Conflict while one runs."""
    if await tx.value(*locks.try_share(await _names(tx, project))) is False:
        raise Conflict(
            "A generation works on the project's data just now; try again when its task has ended."
        )
    return GenerationsHeldOff(project)


async def await_generations(tx: Write, project: int) -> None:
    """Wait until no generation of the project runs, and keep others waiting until the transaction ends.

    Comes first in its transaction, which holds nothing that a generation may wait for.
    """
    await tx.execute(*locks.share_all(await _names(tx, project)))


async def _names(tx: Write, project: int) -> list[str]:
    families = await tx.tuples(
        "SELECT DISTINCT family_id FROM ledgers WHERE project_id = %s AND family_id IS NOT NULL", (project,)
    )
    return [locks.generation(project, family) for (family,) in families]
