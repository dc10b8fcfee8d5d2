"""Which months of a project have events, and which of them changed since they were archived."""

from collections.abc import AsyncIterator
from typing import Final

from weighbridge.archive.month import CalendarMonth
from weighbridge.archive.records import ArchivedMonth
from weighbridge.db.engine import Read

_NEXT: Final = "SELECT min(start_time) FROM events WHERE project_id = %s AND start_time >= %s"
_FIRST: Final = "SELECT min(start_time) FROM events WHERE project_id = %s"

# A month that lost an event to another is found by its count, one that got or changed some by their moments.
_IS_AS_IT_WAS: Final = """
    SELECT (SELECT count(*) FROM events
             WHERE project_id = %(project)s AND start_time >= %(start)s AND start_time < %(end)s) = %(rows)s
       AND NOT EXISTS (SELECT FROM events
             WHERE project_id = %(project)s AND start_time >= %(start)s AND start_time < %(end)s
               AND updated_at >= date_trunc('milliseconds', %(seen_until)s::timestamptz))
       AND NOT EXISTS (SELECT FROM evidence v
              JOIN events e ON (e.project_id, e.id) = (v.project_id, v.event_id)
             WHERE v.project_id = %(project)s
               AND v.created_at >= date_trunc('milliseconds', %(seen_until)s::timestamptz)
               AND e.start_time >= %(start)s AND e.start_time < %(end)s)
"""


async def months_with_events(tx: Read, project: int, through: CalendarMonth) -> AsyncIterator[CalendarMonth]:
    """The months up to one in which events of a project start, in order; voided ones count."""
    found = await tx.value(_FIRST, (project,))
    while found is not None and (month := CalendarMonth.of(found)) <= through:
        yield month
        found = await tx.value(_NEXT, (project, month.end))


async def is_as_it_was(tx: Read, project: int, month: CalendarMonth, archived: ArchivedMonth) -> bool:
    """Whether nothing says that a month changed since it was archived."""
    values = {
        "project": project,
        "start": month.start,
        "end": month.end,
        "rows": archived.rows,
        "seen_until": archived.seen_until,
    }
    return bool(await tx.value(_IS_AS_IT_WAS, values))
