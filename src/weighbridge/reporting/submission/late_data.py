"""Late data: what was stored or changed in the time of a report and no generation has looked at yet.

In come the batches that a report takes; out go events and slots that a generation has still to settle, on the
report's ledger and on those that its batches draw from. An event that a generation saw and did not count is
not late, and what will count of a late one only a generation can say.

A worked example. A ledger's January and March were generated at noon, and its report takes both batches. A
delivery of 20 January stored at one o'clock is late: January has not seen it. So is any delivery of February,
for no slot has looked at that. One of January that the model's condition leaves out is not.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.stale_reasons import stale_among
from weighbridge.accounting.inputs.streams import Catalogue, InputStream, catalogue_of, matching, streams_of
from weighbridge.accounting.inputs.window import Reach
from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem
from weighbridge.core.report.requirement import Requirement
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.modelling.document.yaml_text import read_model
from weighbridge.modelling.versions.stored import stored_model
from weighbridge.platform.changes.newest_batch import IS_NEWEST


async def late_data(tx: Read, project: int, batches: Sequence[int], most: int) -> list[Problem]:
    """What a report's batches have not seen of their time, naming so many records at most."""
    return [
        *await _late_events(tx, project, batches, most),
        *await _stale_slots(tx, project, batches, most),
    ]


class _LedgerBasis(msgspec.Struct, frozen=True):
    """A ledger that the report rests on, with a model version of it, and the time that both are of."""

    ledger: int
    name: str
    model: int
    start: Instant
    end: Instant


async def _late_events(tx: Read, project: int, batches: Sequence[int], most: int) -> list[Problem]:
    catalogue = await catalogue_of(tx, project)
    late: dict[str, set[int]] = {}
    values = {"project": project, "batches": [*batches]}
    for basis in await tx.rows(_LedgerBasis, _BASIS, values):
        for stream in await _streams(tx, basis.model, catalogue):
            found = await tx.tuples(
                SQL(_LATE).format(
                    stream=matching(stream),
                    reading=matching(stream),
                    window=stream.window.condition,
                    used=SQL(_USED),
                    other=SQL(_USED),
                ),
                {
                    "project": project,
                    "event_type": stream.event_type,
                    "ledger": basis.ledger,
                    "start": basis.start,
                    "end": basis.end,
                    "most": most + 1,
                },
            )
            if found:
                late.setdefault(basis.name, set()).update(number for (number,) in found)
    return [_told(project, ledger, sorted(numbers), most) for ledger, numbers in late.items()]


async def _streams(tx: Read, model: int, catalogue: Catalogue) -> Sequence[InputStream]:
    """What a version reads by its time; what it reads whatever its date is late for no slot."""
    stored = await stored_model(tx, model)
    try:
        streams = streams_of(await tx.in_thread(read_model, stored.document), catalogue).streams
    except Invalid:
        # A version that the project no longer serves generates nothing, and its generation says why.
        return ()
    return [one for one in streams if one.window.reach is not Reach.ANY]


def _told(project: int, ledger: str, numbers: Sequence[int], most: int) -> Problem:
    named = [ids.of("event", project, number) for number in numbers[:most]]
    count = f"More than {most}" if len(numbers) > most else str(len(numbers))
    message = (
        f"{count} events of its time are newer than the batches of {ledger}; generate its period again: "
        f"{', '.join(named)}."
    )
    return Problem(message, None, Requirement.NO_LATE_DATA, tuple(named))


async def _stale_slots(tx: Read, project: int, batches: Sequence[int], most: int) -> list[Problem]:
    """Batches beside those of the report that are stale in its time: their slots are to be generated anew."""
    rows = await tx.tuples(_STALE_BESIDE, {"project": project, "batches": [*batches], "most": most + 1})
    if not rows:
        return []
    named = [ids.of("batch", project, number) for (number,) in rows[:most]]
    count = f"More than {most}" if len(rows) > most else str(len(rows))
    message = f"{count} other batches of its time wait to be generated again: {', '.join(named)}."
    return [Problem(message, None, Requirement.NO_LATE_DATA, tuple(named))]


# A run's newest batch says what it is made of, and by way of draws the runs of other ledgers.
_BASIS: Final = f"""
    WITH RECURSIVE basis (run_id, ledger_id, holder) AS (
        SELECT own.run_id, own.ledger_id, b.id
          FROM batches own
          JOIN batches b ON (b.project_id, b.run_id, b.ledger_id)
                          = (own.project_id, own.run_id, own.ledger_id) AND {IS_NEWEST}
         WHERE own.project_id = %(project)s AND own.id = ANY (%(batches)s) AND own.run_id IS NOT NULL
        UNION
        SELECT source.run_id, source.ledger_id, b.id
          FROM basis
          JOIN batch_draws d ON (d.project_id, d.batch_id) = (%(project)s, basis.holder)
          JOIN batches source ON (source.project_id, source.id) = (d.project_id, d.source_batch_id)
          JOIN batches b ON (b.project_id, b.run_id, b.ledger_id)
                          = (source.project_id, source.run_id, source.ledger_id) AND {IS_NEWEST}
         WHERE source.run_id IS NOT NULL
    )
    SELECT l.id, l.name, b.model_id, min(b.start_time), max(b.end_time)
      FROM basis
      JOIN batches b ON (b.project_id, b.id) = (%(project)s, basis.holder)
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
     WHERE b.model_id IS NOT NULL
     GROUP BY l.id, l.name, b.model_id
     ORDER BY l.id, b.model_id
"""

# Whatever became of an event since, a batch of the ledger that was made of it has seen it.
_USED: Final = """
    EXISTS (SELECT FROM batch_inputs i JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
             WHERE i.project_id = %(project)s AND int8range(i.first_event, i.last_event, '[]') @> e.id
               AND e.id = ANY (i.event_ids) AND b.ledger_id = %(ledger)s AND b.deleted_at IS NULL)
"""

# Times of events are kept to the millisecond, and one may have been rounded down.
_LATE: Final = """
    SELECT e.id FROM generated_slots slot JOIN {stream}
        ON {window} AND e.updated_at >= date_trunc('milliseconds', slot.seen_until)
     WHERE slot.project_id = %(project)s AND slot.ledger_id = %(ledger)s
       AND slot.start_time < %(end)s AND slot.end_time > %(start)s AND NOT {used}
    UNION
    SELECT e.id FROM {reading}
     WHERE e.start_time >= %(start)s AND e.start_time < %(end)s AND NOT {other}
       AND NOT EXISTS (SELECT FROM generated_slots slot
                        WHERE slot.project_id = %(project)s AND slot.ledger_id = %(ledger)s
                          AND slot.start_time <= e.start_time
                          AND (slot.end_time > e.start_time OR slot.end_time = slot.start_time))
     ORDER BY 1 LIMIT %(most)s
"""

_STALE_BESIDE: Final = f"""
    WITH own AS (
        SELECT run_id, ledger_id, start_time, end_time FROM batches
         WHERE project_id = %(project)s AND id = ANY (%(batches)s)
    )
    SELECT b.id FROM batches b
     WHERE b.project_id = %(project)s AND b.ledger_id IN (SELECT ledger_id FROM own)
       AND b.start_time < (SELECT max(end_time) FROM own) AND b.end_time > (SELECT min(start_time) FROM own)
       AND NOT EXISTS (SELECT FROM own WHERE (own.run_id, own.ledger_id) = (b.run_id, b.ledger_id))
       AND (b.project_id, b.id) IN ({stale_among("= %(project)s")})
     ORDER BY b.id LIMIT %(most)s
"""
