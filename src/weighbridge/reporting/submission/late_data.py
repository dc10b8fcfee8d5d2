"""Late data: what was stored or changed in the time of a report and no generation has looked at yet.

`find_upstream` gives the batches that a report rests on, to the first ledger of the chain; `late_data`
gives the events and slots that a generation has still to settle on all of their ledgers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, LiteralString

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.runs import select_sharing_time, select_stale
from weighbridge.accounting.inputs.event_slots import ModelSlots, read_border_events, read_streams_by_time
from weighbridge.accounting.inputs.streams import Reach, read_catalogue, select_matching
from weighbridge.accounting.posting.waiting_events import USED
from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem
from weighbridge.core.report.state import Requirement
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.modelling.document.stored import find_stored_model
from weighbridge.platform.changes.staleness import IS_NEWEST

# What a report rests on: the runs of its batches, and by way of their draws those of other ledgers.
#
# In come the batches that a report takes; out go those of which its claim is made, to the first ledger of
# the chain. The newest batch of a run says what the run is made of, so draws are followed from there.
#
# A worked example. A report takes a batch of net removal, whose run drew from two batches of biochar, which
# drew from one batch of feedstock: it rests on four batches of three ledgers. A correction of a feedstock
# delivery that waits for approval waits behind the report.


BASIS: Final[LiteralString] = f"""
    RECURSIVE basis (run_id, ledger_id, holder) AS (
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
"""
"""The runs that batches rest on, as a table `basis`: each with its ledger and its newest batch."""


@dataclass(frozen=True, slots=True)
class UpstreamBasis:
    """The batches and ledgers of other runs that a report rests on."""

    batches: tuple[int, ...]
    """The newest batch of each run that the report's runs draw from, however far up."""
    ledgers: tuple[int, ...]
    """The ledgers of those batches."""


async def find_upstream(tx: Read, project: int, batches: Sequence[int]) -> UpstreamBasis:
    """Find what the batches of a report rest on beyond their own runs."""
    rows = await tx.tuples(_UPSTREAM, {"project": project, "batches": [*batches]})
    return UpstreamBasis(tuple(batch for batch, _ in rows), tuple(sorted({ledger for _, ledger in rows})))


_UPSTREAM: Final = f"""
    WITH {BASIS}
    SELECT holder, ledger_id FROM basis
     WHERE (run_id, ledger_id) NOT IN (
           SELECT run_id, ledger_id FROM batches
            WHERE project_id = %(project)s AND id = ANY (%(batches)s) AND run_id IS NOT NULL)
     ORDER BY holder
"""


# Late data: what was stored or changed in the time of a report and no generation has looked at yet.
#
# In come the batches that a report takes; out go events and slots that a generation has still to settle, on
# the report's ledger and on those that its batches draw from. An event that a generation saw and did not
# count is not late, and what will count of a late one only a generation can say.
#
# A worked example. A ledger's January and March were generated at noon, and its report takes both batches.
# A delivery of 20 January stored at one o'clock is late: January has not seen it. So is any delivery of
# February, for no slot has looked at that. One of January that the model's condition leaves out is not.


async def late_data(tx: Read, project: int, batches: Sequence[int], most: int) -> list[Problem]:
    """What a report's batches have not seen of their time, naming so many records at most."""
    basis = await tx.rows(_LedgerBasis, _BASIS, {"project": project, "batches": [*batches]})
    return [
        *await _late_events(tx, project, basis, most),
        *await _stale_slots(tx, project, batches, most),
        *await _sharing_slots(tx, project, basis, most),
        *await _events_at_borders(tx, project, basis, most),
    ]


class _LedgerBasis(msgspec.Struct, frozen=True):
    """A ledger that the report rests on, with a model version of it, and the time of all its batches."""

    ledger: int
    name: str
    model: int
    start: Instant
    end: Instant


async def _late_events(tx: Read, project: int, bases: Sequence[_LedgerBasis], most: int) -> list[Problem]:
    catalogue = await read_catalogue(tx, project)
    newer: dict[str, set[int]] = {}
    unseen: dict[str, set[int]] = {}
    for basis in bases:
        document = (await find_stored_model(tx, basis.model)).document
        for stream in await read_streams_by_time(tx, document, catalogue):
            found = await tx.tuples(
                SQL(_LATE).format(
                    stream=select_matching(stream), window=stream.window.condition, used=SQL(USED)
                ),
                {
                    "project": project,
                    "event_type": stream.event_type,
                    "ledger": basis.ledger,
                    "start": basis.start,
                    "end": basis.end,
                    "prorated": stream.window.reach is Reach.MEETING,
                    "most": most + 1,
                },
            )
            for number, is_unseen in found:
                (unseen if is_unseen else newer).setdefault(basis.name, set()).add(number)
    return [
        *(_problem(project, _NEWER.format(ledger), sorted(found), most) for ledger, found in newer.items()),
        *(_problem(project, _UNSEEN.format(ledger), sorted(found), most) for ledger, found in unseen.items()),
    ]


def _problem(project: int, fact: str, numbers: Sequence[int], most: int) -> Problem:
    """That events of the report's time are late, the first of them by name."""
    named = [ids.of("event", project, number) for number in numbers[:most]]
    count = f"More than {most}" if len(numbers) > most else str(len(numbers))
    message = f"{count} events of its time {fact}: {', '.join(named)}."
    return Problem(message, None, Requirement.NO_LATE_DATA, tuple(named))


_NEWER: Final = "are newer than the batches of {}; generate its period again"
_BETWEEN_VERSIONS: Final = (
    "lie across a boundary between slots of two versions of the model of {}, and count {} than once by input"
    " {!r}; generate all of these slots with model_version latest"
)
_UNSEEN: Final = (
    "lie, all or in part, in time that {} has no slot for; generate that time, by a version of another"
    " cadence where a slot in force reaches into the active one's"
)


async def _stale_slots(tx: Read, project: int, batches: Sequence[int], most: int) -> list[Problem]:
    """Batches beside those of the report that are stale in its time: their slots are to be generated anew."""
    rows = await tx.tuples(_STALE_BESIDE, {"project": project, "batches": [*batches], "most": most + 1})
    if not rows:
        return []
    named = [ids.of("batch", project, number) for (number,) in rows[:most]]
    count = f"More than {most}" if len(rows) > most else str(len(rows))
    message = f"{count} other batches of its time wait to be generated again: {', '.join(named)}."
    return [Problem(message, None, Requirement.NO_LATE_DATA, tuple(named))]


async def _sharing_slots(tx: Read, project: int, bases: Sequence[_LedgerBasis], most: int) -> list[Problem]:
    """Slots of its ledgers that share time, so that data of it count twice, such as 1.0.0 has left some."""
    problems = []
    for ledger in {basis.ledger: basis for basis in bases}.values():
        values = {"project": project, "ledger": ledger.ledger, "start": ledger.start, "end": ledger.end}
        rows = await tx.tuples(_SHARING, values)
        if rows:
            named = [ids.of("batch", project, batch) for _, _, batch, *_ in rows[:most]]
            message = (
                f"Slots of {ledger.name} share time with others, so that data count twice; generate its"
                f" period again: {', '.join(named)}."
            )
            problems.append(Problem(message, None, Requirement.NO_LATE_DATA, tuple(named)))
    return problems


async def _events_at_borders(
    tx: Read, project: int, bases: Sequence[_LedgerBasis], most: int
) -> list[Problem]:
    """Events across the border of two versions of its ledgers that these do not count once, together."""
    problems = []
    for ledger in {basis.ledger: basis for basis in bases}.values():
        slots = ModelSlots(project, [ledger.ledger])
        for found in await read_border_events(tx, slots, (ledger.start, ledger.end)):
            fact = _BETWEEN_VERSIONS.format(ledger.name, "more" if found.is_more else "less", found.node)
            problems.append(_problem(project, fact, found.events, most))
    return problems


# A change of version may leave time between the slots of both, so it is the ledger's time that is looked at.
_BASIS: Final = f"""
    WITH {BASIS}
    SELECT l.id, l.name, b.model_id,
           min(min(b.start_time)) OVER of_ledger, max(max(b.end_time)) OVER of_ledger
      FROM basis
      JOIN batches b ON (b.project_id, b.id) = (%(project)s, basis.holder)
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
     WHERE b.model_id IS NOT NULL
     GROUP BY l.id, l.name, b.model_id
    WINDOW of_ledger AS (PARTITION BY l.id)
     ORDER BY l.id, b.model_id
"""

_SHARING: Final = select_sharing_time(
    "b.project_id = %(project)s AND b.ledger_id = %(ledger)s AND b.start_time < %(end)s"
    " AND b.end_time >= %(start)s"
)

# Times of events are kept to the millisecond, and one may have been rounded down. Of an event that is
# prorated every part is to be seen, though a batch has another part of it.
_LATE: Final = """
    WITH seen AS MATERIALIZED (
        SELECT * FROM generated_slots slot
         WHERE slot.project_id = %(project)s AND slot.ledger_id = %(ledger)s
           AND slot.start_time < %(end)s AND slot.end_time > %(start)s
    ), gap AS MATERIALIZED (
        SELECT lower(part) AS start_time, upper(part) AS end_time
          FROM unnest(tstzmultirange(tstzrange(%(start)s, %(end)s)) - (
                   SELECT coalesce(range_agg(tstzrange(start_time, end_time)), '{{}}') FROM seen)) AS part
    )
    SELECT e.id, false FROM seen AS slot JOIN {stream}
        ON {window} AND e.updated_at >= date_trunc('milliseconds', slot.seen_until) AND NOT {used}
    UNION
    SELECT e.id, true FROM gap AS slot JOIN {stream}
        ON ({window} OR e.start_time >= slot.start_time AND e.start_time < slot.end_time)
       AND (%(prorated)s OR NOT {used})
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
       AND (b.project_id, b.id) IN ({select_stale("= %(project)s")})
     ORDER BY b.id LIMIT %(most)s
"""
