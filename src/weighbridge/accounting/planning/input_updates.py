"""Updates: a batch's slot is generated again with inputs that the caller names for the batch.

What is named replaces what stayed with the slot, list by list. Amounts of sources are for the batch's run.
Data points are the complete set of the batch: of the types that they touch, what batches of the slot's other
partitions were made of stays with the slot, so that those do not change.

Invariants: an update that would leave less than was drawn is refused, and one that fails changes nothing.
While its task is at work the batch is `processing`; why it failed is the batch's `error_message`.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Final

from weighbridge.accounting.batch_generations.records import NewGeneration, UpdatedInputs
from weighbridge.accounting.books.runs import RUN_COLUMNS, RUN_TAGS, RunRow
from weighbridge.accounting.planning.scope import Scope
from weighbridge.core.identity import ids
from weighbridge.core.ledger.partition import Account
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import exact_total, plain
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid

_SHORTEST: Final = timedelta(milliseconds=1)
"""How long a range is at least, where the slot is a reading."""


class UpdatedRun(RunRow, frozen=True):
    """The run of a batch that is given other inputs."""

    number: int
    family: int


async def updated_run(tx: Read, ledger: str, batch: int) -> UpdatedRun:
    """The run of a batch of the ledger; raise Invalid when none can be computed again."""
    key = ids.parse("ledger", ledger)
    run = await tx.row(UpdatedRun, _RUN, (key.project, key.key, batch)) if key else None
    if run is None:
        message = "The batch is an instrument or has been deleted; nothing can be computed for it."
        raise Invalid([Problem(message, "batch_id", "no_run")])
    return run


async def generation_for(tx: Read, project: int, run: UpdatedRun, inputs: UpdatedInputs) -> NewGeneration:
    """The generation that gives a run its other inputs."""
    data_points = inputs.data_point_ids
    if data_points:
        data_points = list(dict.fromkeys([*data_points, *await _of_others(tx, project, run, data_points)]))
    return NewGeneration(
        start_time=run.start_time,
        end_time=max(run.end_time, run.start_time + _SHORTEST),
        batch_amounts=inputs.batch_amounts,
        data_point_ids=data_points,
        skipped_data_point_type_ids=inputs.skipped_data_point_type_ids,
    )


async def _of_others(tx: Read, project: int, run: UpdatedRun, named: Sequence[str]) -> list[str]:
    """What the slot's other partitions are made of, of the types that are named."""
    keys = [ids.parse("data_point", text) for text in named]
    mine = [key for key in keys if key and key.project == project and key.owner is ids.Owner.EVENT]
    rows = await tx.tuples(
        _OF_OTHERS,
        {
            "project": project,
            "run": run.number,
            "events": [key.key for key in mine],
            "positions": [key.position for key in mine],
        },
    )
    return [ids.of("data_point", project, event, position) for event, position in rows]


def shortfalls(scopes: Sequence[Scope], deepened: Mapping[Account, Decimal]) -> Iterator[Problem]:
    """Why an update is refused: it would take away what has been drawn already, if only for a while."""
    ledgers = {ledger.number: ledger for scope in scopes for ledger in scope.ledgers}
    for number in sorted({account.ledger for account in deepened} & ledgers.keys()):
        ledger = ledgers[number]
        short = plain(exact_total(more for account, more in deepened.items() if account.ledger == number))
        message = (
            f"With these inputs {ledger.name!r} would be {short} {ledger.unit} short of what was drawn from"
            " it already."
        )
        yield Problem(message, None, "drawn")


_RUN: Final = f"""
    SELECT {RUN_COLUMNS}, r.id, r.family_id
      FROM batches b
      JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
      {RUN_TAGS}
     WHERE b.project_id = %s AND b.ledger_id = %s AND b.id = %s AND b.deleted_at IS NULL
"""
# The newest batch of a run says what the run is made of.
_OF_OTHERS: Final = """
    WITH named AS (
        SELECT DISTINCT e.event_type_id, point.position
          FROM unnest(%(events)s::bigint[], %(positions)s::integer[]) AS point (event_id, position)
          JOIN events e ON e.project_id = %(project)s AND e.id = point.event_id
    ), others AS (
        SELECT DISTINCT ON (b.run_id) b.id
          FROM runs mine
          JOIN runs r ON (r.project_id, r.family_id, r.start_time, r.end_time)
                       = (mine.project_id, mine.family_id, mine.start_time, mine.end_time) AND r.id <> mine.id
           AND r.by_event = mine.by_event AND r.event_id IS NOT DISTINCT FROM mine.event_id
           AND (NOT mine.by_event OR r.tracking_id IS NOT DISTINCT FROM mine.tracking_id)
          JOIN batches b ON (b.project_id, b.run_id) = (r.project_id, r.id) AND b.deleted_at IS NULL
         WHERE mine.project_id = %(project)s AND mine.id = %(run)s
         ORDER BY b.run_id, b.id DESC
    )
    SELECT DISTINCT used.id, named.position
      FROM others
      JOIN batch_input_sets s ON s.project_id = %(project)s AND s.batch_id = others.id
      JOIN named ON named.event_type_id = s.event_type_id AND named.position = ANY (s.positions)
      JOIN batch_inputs i ON (i.project_id, i.batch_id, i.set_number)
                           = (s.project_id, s.batch_id, s.set_number)
      CROSS JOIN unnest(i.event_ids) AS used (id)
     ORDER BY 1, 2
"""
