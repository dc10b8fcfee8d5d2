"""What lists of events and of their data points share: which events an end lets a list leave out unread.

Invariant: what is implied leaves out no event that meets the condition.
"""

from typing import Final

from psycopg.sql import SQL, Composable, Literal

from weighbridge.db.listing import ListRequest, start_implied

_LONGEST: Final = """
    (SELECT coalesce(max(longest), interval '0') FROM event_counts WHERE project_id = {})
"""


def implied_by(project: int, request: ListRequest) -> tuple[Composable, ...]:
    """What bounds of an end say of the start of events."""
    return start_implied(request, "e.start_time", SQL(_LONGEST).format(Literal(project)))
