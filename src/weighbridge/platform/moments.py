"""Give each writing transaction its place in the audit log, from which on what it wrote is known.

A transaction that writes records has a moment; its rows name it. When its audit row is sealed, which happens
after its commit, the moment gets the number of that row. A pass of a rule or a roll-up has no audit row. What
it wrote follows from rows that are sealed by then, so it becomes known with the newest of them.

An answer as of a row of the log is the same whenever it is asked for, because nothing is placed at or before
a number for which an answer was given: `answered_moments` has the newest of these, and the newest time. So
such a pass may have to wait for the next row, and that row is dated after the time that was asked for.

Invariants: whoever places moments, or closes a number by an answer, holds the lock of the account's sealer.
What a transaction of a pass read has a place at or before the pass's own.
"""

from collections.abc import Sequence
from typing import Final

from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.db.statements import moments, numbers
from weighbridge.platform.records import SealedRow

_UNPLACED: Final = "SELECT moment FROM unplaced_moments WHERE account_id = %s"
_OF_ROWS: Final = """
    SELECT moment, audit_id FROM audit_unsealed
     WHERE account_id = %s AND audit_id = ANY (%s::bigint[]) AND moment IS NOT NULL
"""
_BEFORE: Final = """
    SELECT (SELECT greatest(max(known_at), (SELECT a.known_at + interval '1 millisecond'
                                              FROM answered_moments a WHERE a.account_id = %(account)s))
              FROM (SELECT known_at FROM audit_times WHERE account_id = %(account)s
                     ORDER BY number DESC LIMIT 1) AS newest),
           (SELECT coalesce(greatest(newest.last_moment, (SELECT max(m.moment) FROM audit_moments m
                     WHERE m.account_id = %(account)s AND m.number >= newest.number)), 0)
              FROM (SELECT max(number) AS number, max(last_moment) AS last_moment
                      FROM (SELECT number, last_moment FROM audit_times WHERE account_id = %(account)s
                             ORDER BY number DESC LIMIT 1) AS last) AS newest)
"""
_ADD_TIMES: Final = """
    INSERT INTO audit_times (account_id, number, known_at, last_moment)
    SELECT %s, number, known_at, last_moment
      FROM unnest(%s::bigint[], %s::timestamptz[], %s::bigint[]) AS dated (number, known_at, last_moment)
    ON CONFLICT DO NOTHING
"""
_PLACE: Final = """
    INSERT INTO audit_moments (account_id, is_logged, moment, number)
    SELECT %s, %s, moment, number FROM unnest(%s::bigint[], %s::bigint[]) AS placed (moment, number)
    ON CONFLICT DO NOTHING
"""
_REMOVE: Final = "DELETE FROM unplaced_moments WHERE account_id = %s AND moment = ANY (%s::bigint[])"


async def list_unplaced_moments(tx: Read, account: int) -> list[int]:
    """The moments of transactions that wait for their place; asked for before the rows that are sealed."""
    return [moment for (moment,) in await tx.tuples(_UNPLACED, (account,))]


async def place_moments(tx: Write, account: int, rows: Sequence[SealedRow]) -> None:
    """Place the transactions of audit rows that are about to be sealed, and date the rows."""
    ids = numbers(row.id for row in rows)
    found = await tx.tuples(_OF_ROWS, (account, ids))
    if not found:
        return
    [(earliest, last_moment)] = await tx.tuples(_BEFORE, {"account": account})
    moment_of = {audit_id: moment for moment, audit_id in found}
    placed: dict[int, int] = {}
    known_at: list[Instant] = []
    last_moments: list[int] = []
    for row in rows:
        earliest = row.at if earliest is None or row.at >= earliest else earliest
        known_at.append(earliest)
        last_moments.append(last_moment)
        if row.id in moment_of:
            placed[moment_of[row.id]] = row.number
            last_moment = max(last_moment, moment_of[row.id])
    dated = numbers(row.number for row in rows)
    tx.later(_ADD_TIMES, (account, dated, moments(known_at), numbers(last_moments)))
    tx.later(_PLACE, (account, True, numbers(placed), numbers(placed.values())))
    tx.later(_REMOVE, (account, numbers(placed)))


async def place_unlogged_moments(tx: Write, account: int, unplaced: Sequence[int], newest: int) -> None:
    """Place transactions without an audit row with the newest row, or after one that was answered for."""
    if not unplaced:
        return
    answered = await tx.value("SELECT number FROM answered_moments WHERE account_id = %s", (account,))
    number = newest if answered is None else max(newest, answered + 1)
    tx.later(_PLACE, (account, False, numbers(unplaced), numbers([number] * len(unplaced))))
    tx.later(_REMOVE, (account, numbers(unplaced)))
