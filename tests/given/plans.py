"""How the server carries out what reads a list: the plans that EXPLAIN ANALYZE tells, and what they read."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

from psycopg.rows import TupleRow
from psycopg.sql import SQL
from tests.server import Server

from weighbridge.db.engine import Command, Read
from weighbridge.db.lists.page import COUNT_MAX

Result = TypeVar("Result")
Plan = dict[str, Any]

READ_MAX = 10 * 21 + 5 * (COUNT_MAX + 1)
"""Rows that all nodes of a plan may give: a page, and what is looked at to count, at each level."""


class Explained(Read):
    """Reads, and keeps the plan of each statement as it was carried out."""

    plans: list[Plan]

    async def several(self, *commands: Command) -> list[list[TupleRow]]:
        for statement, values in commands:
            if isinstance(statement, str):
                await super().several((statement, values))
            else:
                explained = SQL("EXPLAIN (ANALYZE, FORMAT JSON) {}").format(statement)
                [[(plan,)]] = await super().several((explained, values))
                self.plans.append(plan[0]["Plan"])
        return await super().several(*commands)

    async def lastly(self, *commands: Command) -> list[list[TupleRow]]:
        return await self.several(*commands)


def explained(server: Server, work: Callable[[Read], Awaitable[Result]]) -> tuple[list[Plan], Result]:
    """What reads came to, and the plans by which the server carried them out."""

    async def run() -> tuple[list[Plan], Result]:
        async with server.database.read() as tx:
            reads = Explained(await tx.ready(), tx.memory)
            reads.plans = []
            result = await work(reads)
            return reads.plans, result

    return server.run(run())


def nodes(plan: Plan) -> Iterator[Plan]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from nodes(inner)


def rows_read(plan: Plan) -> float:
    """The rows that all parts of a plan gave or dropped."""
    return sum(
        (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        for node in nodes(plan)
    )
