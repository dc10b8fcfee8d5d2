"""The entries that a generation posts, on ledgers and on the deficits of runs."""

from collections.abc import Callable, Sequence

from weighbridge.accounting.books.runs import RunIdentity
from weighbridge.accounting.planning.entries import ProposedEntries
from weighbridge.accounting.planning.plan import NewBatch
from weighbridge.accounting.posting.posted import Posted
from weighbridge.core.ledger.posting import Key
from weighbridge.db.engine import Write


async def insert_entries(
    tx: Write, project: int, task_id: int, proposed: ProposedEntries, posted: Sequence[Posted]
) -> None:
    """Write down entries, by the numbers that new runs and batches have by now.

    All carry one time, which is taken while their ledgers are locked: on a ledger, entries are posted in
    the order of their times, so what is read as of a time does not change later.
    """
    number = _numbers(posted)
    posted_at = await tx.value("SELECT clock_timestamp()")
    rows = [
        (one.ledger, number(one.batch), one.kind, one.amount, one.effective_at, number(one.posted_by),
         number(one.run), one.node)
        for one in proposed.entries
    ]  # fmt: skip
    await tx.execute(
        """
        INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                    run_id, node, async_task_id, posted_at)
        SELECT %s, ledger_id, batch_id, kind, amount, effective_at, posted_by, run_id, node, %s, %s
          FROM unnest(%s::integer[], %s::bigint[], %s::text[], %s::numeric[], %s::timestamptz[],
                      %s::bigint[], %s::bigint[], %s::text[])
               WITH ORDINALITY AS entry (ledger_id, batch_id, kind, amount, effective_at, posted_by, run_id,
                                         node, position)
         ORDER BY position
        """,
        (project, task_id, posted_at, *_columns(rows, 8)),
    )
    short = [
        (one.ledger, number(one.run), number(one.posted_by), one.amount, one.effective_at)
        for one in proposed.deficit_entries
    ]
    await tx.execute(
        """
        INSERT INTO deficit_entries (project_id, ledger_id, run_id, posted_by, amount, effective_at,
                                     async_task_id, posted_at)
        SELECT %s, ledger_id, run_id, posted_by, amount, effective_at, %s, %s
          FROM unnest(%s::integer[], %s::bigint[], %s::bigint[], %s::numeric[], %s::timestamptz[])
               WITH ORDINALITY AS entry (ledger_id, run_id, posted_by, amount, effective_at, position)
         ORDER BY position
        """,
        (project, task_id, posted_at, *_columns(short, 5)),
    )


def _numbers(posted: Sequence[Posted]) -> Callable[[Key], int]:
    """The number of what a plan names: a new batch, a run that had no batches, or what has a number."""
    batches = {one.difference.batch: one.batch_id for one in posted}
    runs = {one.difference.run.identity: one.run_id for one in posted}

    def number(name: Key) -> int:
        if isinstance(name, NewBatch):
            return batches[name]
        if isinstance(name, RunIdentity):
            return runs[name]
        assert isinstance(name, int), name  # noqa: S101 - there is nothing else that a plan names
        return name

    return number


def _columns(rows: Sequence[Sequence[object]], width: int) -> list[list[object]]:
    return [[row[column] for row in rows] for column in range(width)]
