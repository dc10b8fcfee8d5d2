"""Store one event in one statement: it asks whether all that was remembered still holds, and commits.

The event is checked by the vocabulary that the process remembers. What is stored is what the long way
(`creation.py`) would have stored; where anything is in doubt, nothing is, and the long way is taken.

Invariants: the event type is held from before it is compared until the end, so nobody redefines or removes
what the row is written for: a change under way is waited for, and the row as it left it is compared.
"""

from datetime import UTC
from operator import itemgetter
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import asdict, replace
from psycopg.errors import ForeignKeyViolation

from weighbridge.collection.events.records import Event, NewEvent, NewEventsBody
from weighbridge.collection.intake.checking import EVENT_COLUMNS, copy_row, take_in
from weighbridge.collection.intake.creation import answer_of
from weighbridge.collection.intake.lookup import ResolvedNames
from weighbridge.collection.intake.vocabulary import recall
from weighbridge.collection.tenancy.project import project_number
from weighbridge.core.collection.event_leaf import leaves_of_rows
from weighbridge.core.time.instant import Instant
from weighbridge.db.json import jsonb
from weighbridge.http.shortcut import ShortCall
from weighbridge.platform.authentication.presumption import TOKEN_STANDS
from weighbridge.platform.changes.one_event import AUDIT_ROW_OF_EVENT, MARK_OF_EVENT

# Locations and tags need no hold here: the keys of the row hold them, and refuse one that is gone.
_STORE: Final = f"""
    WITH held AS (
        SELECT FROM event_types
         WHERE project_id = %(project)s AND id = %(event_type)s AND revision = %(revision)s
           AND EXISTS (SELECT FROM projects WHERE id = %(project)s AND account_id = %(account)s)
           AND ARRAY(SELECT revision FROM locations
                      WHERE project_id = %(project)s AND id = ANY (%(locations)s::integer[])
                      ORDER BY id) = %(location_revisions)s::integer[]
           AND (%(feedstock)s::integer IS NULL OR EXISTS (
                SELECT FROM feedstocks WHERE project_id = %(project)s AND id = %(feedstock)s::integer
                                         AND revision = %(feedstock_revision)s::integer))
           AND (%(asset)s::integer IS NULL OR EXISTS (
                SELECT FROM assets WHERE project_id = %(project)s AND id = %(asset)s::integer
                                     AND revision = %(asset_revision)s::integer))
           AND (%(client_reference)s::text IS NULL OR NOT EXISTS (
                SELECT FROM events WHERE project_id = %(project)s
                                     AND client_reference = %(client_reference)s::text))
           AND {TOKEN_STANDS}
           FOR KEY SHARE OF event_types
    ), stored AS (
        INSERT INTO events ({EVENT_COLUMNS})
        SELECT %(project)s, %(key)s, %(event_type)s, %(start_time)s::timestamptz, %(end_time)s::timestamptz,
               %(tracking_id)s::text, %(feedstock)s::integer, %(asset)s::integer,
               %(client_reference)s::text, %(notes)s::text, %(locations)s::integer[], %(numbers)s::numeric[],
               %(texts)s::text[], %(booleans)s::boolean[], %(is_complete)s::boolean
          FROM held
        RETURNING created_at
    ), audited AS (
        {AUDIT_ROW_OF_EVENT}
    )
    SELECT created_at, {MARK_OF_EVENT} FROM stored
"""

_ROW: Final = (
    "project", "key", "event_type", "start_time", "end_time", "tracking_id", "feedstock", "asset",
    "client_reference", "notes", "locations", "numbers", "texts", "booleans", "is_complete",
)  # fmt: skip
"""The parameters for the columns of an event, in their order."""

_NOT_YET: Final = Instant(1, 1, 1, tzinfo=UTC)
"""Stands for the moment of storing until the database has said when that was."""


async def store_event(call: ShortCall, body: NewEventsBody) -> Event | None:
    """Store the one event of the body; None when nothing was stored and it has to be looked at anew."""
    is_counted = call.database.quotas.events_a_day > 0  # with the others of the day, on the long way
    if body.event is UNSET or body.events is not UNSET or is_counted:
        return None
    sent, project = body.event, project_number(call.path["project_id"])
    names = recall(call.database.memory, project, sent)
    key = call.database.event_keys.take_held()
    if names is None or key is None:
        return None
    intake = take_in([sent], [key], names.vocabulary, "event")
    if intake.problems:
        return None
    event = answer_of(key, sent, names, _NOT_YET)
    [leaf] = leaves_of_rows([copy_row(intake.rows[0])])
    values = {
        **call.presumed.values,
        **dict(zip(_ROW, intake.rows[0], strict=True)),
        **_revisions(sent, names),
        "request_id": call.presumed.actor.request_id,
        "id": event.id,
        "after": jsonb(asdict(event) | {"leaf": leaf.hex()}),
    }
    try:
        stored = await call.database.single(_STORE, values)
    except ForeignKeyViolation:  # a location or tag went away after the statement began to look
        return None
    if stored is None:
        return None
    return replace(event, created_at=stored[0], updated_at=stored[0])


def _revisions(sent: NewEvent, names: ResolvedNames) -> dict[str, Any]:
    """How often what the event names had changed when it was looked up; of locations in their order."""
    locations, feedstock, asset = (names.records[noun] for noun in ("location", "feedstock", "asset"))
    of_locations = [str(row[-1]) for row in sorted(locations.values(), key=itemgetter(1))]
    return {
        "revision": names.kinds[sent.event_type].revision,
        "location_revisions": f"{{{','.join(of_locations)}}}",
        "feedstock_revision": next((row[-1] for row in feedstock.values()), None),
        "asset_revision": next((row[-1] for row in asset.values()), None),
    }
