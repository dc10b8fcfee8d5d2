"""Shifts: in which cells a worker is at work, and when it begins and ends there.

To be at work in a cell costs connections, and looks at a dozen tables each second (`rounds.py`, the queue).
So a worker is always at work in the first cell, and in another one while something there is due. Of all
cells that lie at one place it asks this together, twice a second. Once an hour each cell has a short shift
all the same, one after the other: what nobody announces, such as answers that are too old, is tidied then.

Invariants: a cell with work that is due is worked in within a second of a free worker; none is left while a
task there is unfinished; a place that does not answer holds up no other.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import Any, Final

import structlog
from psycopg import Error
from psycopg.sql import SQL
from psycopg_pool import PoolTimeout

from weighbridge.core.platform.cell import CELLS_MAX, FIRST, Cell
from weighbridge.db.engine import Database

ASK_SECONDS: Final = 0.5
"""How often a worker asks in which cells something is due."""

QUIET_SECONDS: Final = 60.0
"""How long it stays in a cell in which nothing is due any more: people come back within a minute."""

TURN_SECONDS: Final = 10.0
"""How long it stays in one in which nothing was due when it came."""

TURN_EVERY_SECONDS: Final = 3600.0
"""How often it comes to such a cell."""

log = structlog.get_logger()

# What the rounds of a cell and its queue would find to do. Changes that have a number already are left out:
# whoever gave them theirs is at work in the cell for a while, and tells webhooks and ledgers of them.
_DUE: Final = """
    SELECT {number} WHERE
           EXISTS (SELECT FROM {cell}.async_tasks WHERE state IN ('pending', 'running'))
        OR EXISTS (SELECT FROM {cell}.unnumbered_changes)
        OR EXISTS (SELECT FROM {cell}.audit_unsealed)
        OR EXISTS (SELECT FROM {cell}.unplaced_moments)
        OR EXISTS (SELECT FROM {cell}.waiting_marks)
        OR EXISTS (SELECT FROM {cell}.rule_dirty_ranges)
        OR EXISTS (SELECT FROM {cell}.roll_up_marks)
        OR EXISTS (SELECT FROM {cell}.webhook_lanes WHERE holder IS NOT NULL OR due_at <= now())
        OR EXISTS (SELECT FROM {cell}.report_reviews WHERE next_at <= now())
        OR EXISTS (SELECT FROM {cell}.audit_refusals WHERE minute < date_trunc('minute', now()))
        OR EXISTS (SELECT FROM {cell}.report_link_uses WHERE minute < date_trunc('minute', now()))
        OR EXISTS (SELECT FROM {cell}.data_feeds WHERE watch IS NOT NULL)
        OR EXISTS (SELECT FROM {cell}.provider_people WHERE next_at <= now())
"""


# Where the operator names witnesses: heads that none of them has been asked to cosign for so many seconds.
_WITNESSED: Final = """
        OR EXISTS (SELECT FROM {cell}.audit_witnesses w
                    WHERE w.asked_at <= now() - interval '{seconds} seconds'
                      AND (w.failure IS NOT NULL OR w.size < (SELECT max(s.number) FROM {cell}.audit_seals s
                                                               WHERE s.account_id = w.account_id)))
"""


async def find_due(database: Database, cells: Sequence[Cell], witness_seconds: int | None = None) -> set[int]:
    """The numbers of the cells in which something is due, of several that lie at one place.

    Those on a node are asked one after the other: no statement there may meet more than one cell. Witnesses
    are asked every so many seconds, if there are any.
    """
    if cells[0].node is None:
        async with database.read() as tx:
            return {number for (number,) in await tx.tuples(_ask_of(witness_seconds, *cells))}
    answers = [await database.in_cell(cell).single(_ask_of(witness_seconds, cell)) for cell in cells]
    return {number for row in answers if row is not None for number in row}


@lru_cache(maxsize=2 * CELLS_MAX)
def _ask_of(witness_seconds: int | None, *cells: Cell) -> SQL:
    """The question for several cells; their names are of letters, digits and underscores alone."""
    each = _DUE if witness_seconds is None else _DUE + _WITNESSED
    parts = [
        each.format(number=cell.number, cell=f'"{cell.schema}"', seconds=witness_seconds) for cell in cells
    ]
    return SQL(" UNION ALL ".join(parts))


Begin = Callable[[Cell, asyncio.Event], Coroutine[Any, Any, None]]
"""Works in a cell until the event is set, and then finishes what is in hand."""


@dataclass(slots=True)
class Shift:
    """Being at work in a cell: since when nothing has been due there, and after how long of that it ends."""

    cell: Cell
    work: asyncio.Task[None]
    ending: asyncio.Event
    quiet_since: float
    stays_seconds: float


class Shifts:
    """The shifts of one worker; for one event loop."""

    def __init__(
        self,
        database: Database,
        begin: Begin,
        clock: Callable[[], float] = monotonic,
        *,
        witness_seconds: int | None = None,
    ) -> None:
        self._database = database
        self._witness_seconds = witness_seconds
        self._begin_work = begin
        self._clock = clock
        self._shifts: dict[int, Shift] = {}
        self._ended_at: dict[int, float] = {}
        self._asking: dict[str | None, asyncio.Task[set[int]]] = {}
        self._due: dict[str | None, set[int]] = {}

    @property
    def at_work(self) -> list[int]:
        """The numbers of the cells in which there is a shift now."""
        return sorted(self._shifts)

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """What runs; a shift that fails is over."""
        return [shift.work for shift in self._shifts.values()]

    async def update(self, known: Sequence[Cell]) -> None:
        """Begin and end shifts by what was found due; raises what a shift failed of."""
        self._ask([cell for cell in known if cell.number])
        now = self._clock()
        due = {FIRST.number}.union(*self._due.values())
        for number, shift in [*self._shifts.items()]:
            if shift.work.done():
                shift.work.result()
                del self._shifts[number]
                self._ended_at[number] = now
            elif number in due:
                shift.quiet_since, shift.stays_seconds = now, QUIET_SECONDS
            elif now - shift.quiet_since >= shift.stays_seconds:
                shift.ending.set()
        for cell in known:
            await self._follow(cell, now)
            if cell.number in due:
                self._begin(cell, now, QUIET_SECONDS)
        self._take_turn(known, now)

    async def answered(self) -> None:
        """Wait until every place has said what is due there, or that it cannot be asked."""
        if self._asking:
            await asyncio.wait(self._asking.values())

    async def end(self) -> None:
        """Ask no more, and finish what is in hand in every cell."""
        for asking in self._asking.values():
            asking.cancel()
        for shift in self._shifts.values():
            shift.ending.set()
        await asyncio.gather(*self._asking.values(), return_exceptions=True)
        await asyncio.gather(*self.tasks)

    def _begin(self, cell: Cell, now: float, stays_seconds: float) -> None:
        if cell.number not in self._shifts:
            ending = asyncio.Event()
            work = asyncio.create_task(self._begin_work(cell, ending))
            self._shifts[cell.number] = Shift(cell, work, ending, now, stays_seconds)

    async def _follow(self, cell: Cell, now: float) -> None:
        """Finish what is in hand where a cell has moved from, and go on where it is now."""
        shift = self._shifts.get(cell.number)
        if shift is not None and shift.cell != cell:
            shift.work.cancel()
            await asyncio.wait([shift.work])
            del self._shifts[cell.number]
            self._begin(cell, now, QUIET_SECONDS)

    def _take_turn(self, known: Iterable[Cell], now: float) -> None:
        """Begin the shift of the cell that has waited longest for one, if no other is there for its turn."""
        if any(shift.stays_seconds == TURN_SECONDS for shift in self._shifts.values()):
            return
        waited = {
            cell: now - self._ended_at.get(cell.number, float("-inf"))
            for cell in known
            if cell.number not in self._shifts
        }
        longest = max(waited, key=lambda cell: waited[cell], default=FIRST)
        if waited.get(longest, 0) >= TURN_EVERY_SECONDS:
            self._begin(longest, now, TURN_SECONDS)

    def _ask(self, cells: Iterable[Cell]) -> None:
        """Collect what was answered, and ask again; a place that has not answered yet is not asked twice."""
        by_node: dict[str | None, list[Cell]] = {}
        for cell in cells:
            by_node.setdefault(cell.node, []).append(cell)
        for node, task in [*self._asking.items()]:
            if task.done():
                del self._asking[node]
                self._due[node] = _answer_of(task)
        for gone in self._due.keys() - by_node.keys():
            del self._due[gone]
        for node in by_node.keys() - self._asking.keys():
            question = find_due(self._database, by_node[node], self._witness_seconds)
            self._asking[node] = asyncio.create_task(question)


def _answer_of(asking: asyncio.Task[set[int]]) -> set[int]:
    """The cells in which something is due; none where the place does not answer."""
    try:
        return asking.result()
    except (Error, PoolTimeout, OSError) as error:
        log.info("round_gave_way", reason=str(error).partition("\n")[0])
        return set()
