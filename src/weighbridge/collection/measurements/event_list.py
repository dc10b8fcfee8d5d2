"""What lists of events and of their data points share: which events an end lets a list leave out unread.

Invariant: what is implied leaves out no event that meets the condition.
"""

from typing import Final

from psycopg.sql import SQL, Composable, Literal

from weighbridge.db.listing import ListRequest

_LONGEST: Final = SQL("""
    e.start_time >= {}::timestamptz - (SELECT coalesce(max(longest), interval '0') FROM event_counts
                                        WHERE project_id = {})
""")


def implied_by(project: int, request: ListRequest) -> tuple[Composable, ...]:
    """What bounds of an end say of the start: it is not after the end, nor longer before than the longest."""
    implied: list[Composable] = []
    for name, comparator, value in request.conditions:
        if name == "end_time" and comparator != "geq":
            implied.append(SQL("e.start_time <= {}").format(Literal(value)))
        if name == "end_time" and comparator != "leq":
            implied.append(_LONGEST.format(Literal(value), Literal(project)))
    return tuple(implied)
