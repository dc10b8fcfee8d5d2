"""Slots in force on a ledger, and those of them that share time, of which no books may have any.

A slot is in force on a ledger while a run of it counts something there (`fingerprint`). While no two share
time, an event that lies in a slot counts in that one alone. Slots of events may share time with one another,
for each has its own event; those of tracking ids likewise.
"""

from typing import Final, LiteralString

from weighbridge.accounting.books.fingerprint import COUNTS
from weighbridge.platform.changes.newest_batch import IS_NEWEST

IN_FORCE: Final[LiteralString] = f"(b.run_id IS NOT NULL AND {COUNTS} AND {IS_NEWEST})"
"""Whether a batch `b` is the newest of its run on its ledger and was made of data."""

SPAN: Final[LiteralString] = """
    tstzrange({0}.start_time, greatest({0}.end_time, {0}.start_time + interval '1 millisecond'))
"""
"""The time of a slot, of a table with its bounds; a reading holds its own instant."""

# Of two slots that share time the later one is told. What comes before it in time may reach into it: of slots
# of one kind of event only those of another kind, or cut by a clock.
SHARING_TIME: Final[LiteralString] = f"""
    WITH slot AS (
        SELECT b.project_id, b.ledger_id, r.family_id, r.start_time, upper({SPAN.format("r")}) AS end_time,
               CASE WHEN NOT r.by_event THEN 'time' WHEN r.event_id IS NULL THEN 'tracking_id'
                    ELSE 'event' END AS kind,
               min(b.id) AS batch_id
          FROM batches b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
         WHERE %condition% AND {IN_FORCE}
         GROUP BY 1, 2, 3, 4, 5, 6
    ), reaching AS (
        SELECT *,
               max(end_time) FILTER (WHERE kind = 'time') OVER earlier AS time_end,
               max(end_time) FILTER (WHERE kind = 'event') OVER earlier AS event_end,
               max(end_time) FILTER (WHERE kind = 'tracking_id') OVER earlier AS tracking_end
          FROM slot
        WINDOW earlier AS (PARTITION BY project_id, ledger_id, family_id
                           ORDER BY start_time, end_time, kind, batch_id
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    )
    SELECT project_id, ledger_id, batch_id, start_time, end_time FROM reaching
     WHERE greatest(time_end, CASE WHEN kind <> 'event' THEN event_end END,
                    CASE WHEN kind <> 'tracking_id' THEN tracking_end END) > start_time
"""


def sharing_time(condition: LiteralString) -> LiteralString:
    """A batch of each slot in force that shares time with an earlier one, of batches `b` of a condition."""
    return SHARING_TIME.replace("%condition%", condition)
