"""Names: each once in its project, and fixed once batches depend on it."""

from collections.abc import Sequence

from psycopg.sql import SQL, Identifier

from weighbridge.collection.named_records.kind import NamedKind
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.platform import changes


async def problems_of_new_name(tx: Read, kind: NamedKind, project: int, name: str) -> list[Problem]:
    """What is wrong with the name that a record is to have."""
    field = f"{kind.noun}.name"
    if wrong := problem_of_name(name, kind.a_noun, field):
        return [wrong]
    statement = SQL("SELECT true FROM {} WHERE project_id = %s AND name = %s").format(Identifier(kind.table))
    if await tx.value(statement, (project, name)):
        return [Problem(f"The project has {kind.a_noun.lower()} {name!r} already.", field, "taken")]
    return []


async def problems_of_renaming(
    tx: Write, kind: NamedKind, project: int, number: int, name: str
) -> tuple[list[Problem], changes.GenerationsHeldOff | None]:
    """What is wrong with giving a record another name: with the name, or else with changing it at all.

    Where nothing is wrong with the name, no generation begins to depend on the old one until the end.
    """
    if problems := await problems_of_new_name(tx, kind, project, name):
        return problems, None
    held = await changes.hold_off_generations(tx, project)
    if not await fixed_names(tx, kind, held, [number]):
        return [], held
    return [Problem(kind.fixed, f"{kind.noun}.name", "in_use")], held


async def fixed_names(
    tx: Read, kind: NamedKind, held: changes.GenerationsHeldOff, numbers: Sequence[int]
) -> set[int]:
    """Which of the records keep their names, because batches depend on them."""
    rows = await tx.tuples(
        f"SELECT number FROM unnest(%(numbers)s::integer[]) AS sent (number) WHERE {kind.read_by}",
        {"project": held.project, "numbers": list(numbers)},
    )
    return {number for (number,) in rows}
