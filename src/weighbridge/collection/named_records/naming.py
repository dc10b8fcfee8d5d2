"""Names: each once in its project, and fixed once batches depend on it."""

from collections.abc import Sequence

from psycopg.sql import SQL, Identifier

from weighbridge.accounting.books.locks import hold_off_generations
from weighbridge.collection.named_records.kind import NamedKind
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write


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
) -> list[Problem]:
    """What is wrong with giving a record another name: with the name, or else with changing it at all."""
    problems = await problems_of_new_name(tx, kind, project, name)
    if problems or not await fixed_names(tx, kind, project, [number]):
        return problems
    return [Problem(kind.fixed, f"{kind.noun}.name", "in_use")]


async def fixed_names(tx: Write, kind: NamedKind, project: int, numbers: Sequence[int]) -> set[int]:
    """Which of the records keep their names; no generation begins to depend on one until the end."""
    await hold_off_generations(tx, project)
    rows = await tx.tuples(
        f"SELECT number FROM unnest(%(numbers)s::integer[]) AS asked (number) WHERE {kind.read_by}",
        {"project": project, "numbers": list(numbers)},
    )
    return {number for (number,) in rows}
