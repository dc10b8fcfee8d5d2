"""What storing one event leaves behind, as parts of the one statement that stores it.

The parts say the same as `record` with `NewEvents`; here they are joined to the write, so that all of it is
one round trip. The statement has the row that was stored as `stored`, with its `created_at`.

Parameters: `account`, `project`, `user`, `token`, `request_id` of the audit row, `id` and `after` of the
event, whose times the statement knows alone; `event_type` and `start_time` of the mark.
"""

from typing import Final

from weighbridge.platform.changes.audit_row import INSERT_AUDIT_ROW
from weighbridge.platform.changes.rule_marks import MARK_EVENTS

_AT: Final = """to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""

AUDIT_ROW_OF_EVENT: Final = f"""{INSERT_AUDIT_ROW}
        SELECT %(account)s, %(project)s, %(user)s, %(token)s, %(request_id)s::text, 'event.create',
               %(id)s::text, NULL,
               %(after)s::jsonb || jsonb_build_object('created_at', {_AT}, 'updated_at', {_AT})
          FROM stored"""
"""The body of a common table expression that leaves the audit row."""

MARK_OF_EVENT: Final = MARK_EVENTS.format(
    """%(project)s::integer, ARRAY[%(event_type)s::integer],
                       ARRAY[%(start_time)s::timestamptz], ARRAY[%(start_time)s::timestamptz]"""
)
"""The expression that leaves the event to the automatic rules, to be selected from `stored`."""
