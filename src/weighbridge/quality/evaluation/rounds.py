"""Rounds of evaluations: those of an account one after the other, those of different accounts side by side.

So a rule that takes long delays what its own account's rules find, and nobody else's.

Invariants: no account is evaluated twice at a time; of accounts that wait, the one goes first whose last turn
is longest ago.
"""

import asyncio
from typing import Final

from weighbridge.db.engine import Database
from weighbridge.quality.evaluation.incremental import FailedEvaluation, evaluate_projects, marked_projects

ACCOUNTS_AT_ONCE: Final = 4
"""Accounts whose automatic rules one worker evaluates at the same time."""


class Rounds:
    """The evaluations that a worker has in hand."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._at_work: dict[int, asyncio.Task[list[FailedEvaluation]]] = {}
        self._turns: dict[int, int] = {}
        self._turn = 0

    async def look(self) -> list[FailedEvaluation]:
        """Start the evaluations of accounts that are marked and have none; give what has failed since."""
        marked = await marked_projects(self._database)
        failures = self._finished()
        self._turns = {account: turn for account, turn in self._turns.items() if account in marked}
        waiting = sorted(marked.keys() - self._at_work.keys(), key=lambda one: self._turns.get(one, 0))
        for account in waiting[: ACCOUNTS_AT_ONCE - len(self._at_work)]:
            self._turn += 1
            self._turns[account] = self._turn
            work = evaluate_projects(self._database, account, marked[account])
            self._at_work[account] = asyncio.create_task(work)
        return failures

    async def finish(self) -> list[FailedEvaluation]:
        """Wait for the evaluations in hand; give what has failed."""
        if self._at_work:
            await asyncio.wait(self._at_work.values())
        return self._finished()

    async def stop(self) -> None:
        """End all evaluations; their marks stay."""
        for task in self._at_work.values():
            task.cancel()
        await asyncio.gather(*self._at_work.values(), return_exceptions=True)

    def _finished(self) -> list[FailedEvaluation]:
        """What the evaluations that are over have failed with; raises what none of them is to blame for."""
        over = [account for account, task in self._at_work.items() if task.done()]
        tasks = [self._at_work.pop(account) for account in over]
        return [failure for task in tasks for failure in task.result()]
