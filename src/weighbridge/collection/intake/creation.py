"""Store new events, all of a request or none, and count them against the daily quota.

One event is stored in one statement where everything it names is remembered; many are stored after one
lookup. The response is built without reading the events back.

Invariants: the short path stores exactly what the long path would store; in doubt it stores nothing and
the long path is taken. The event type is locked from the comparison to the end of the transaction.
"""

import hashlib
from collections.abc import Sequence
from datetime import UTC
from decimal import Decimal
from operator import itemgetter
from typing import Any, Final

from msgspec import UNSET, structs
from msgspec.structs import asdict, replace
from psycopg.errors import ForeignKeyViolation

from weighbridge.collection.intake.checking import (
    EVENT_COLUMNS,
    INSERT_EVENT,
    INSERT_STATED_EVENT,
    PROBLEMS_MAX,
    STATED_COLUMNS,
    Intake,
    Stated,
    add_stated,
    copy_row,
    take_in,
)
from weighbridge.collection.intake.client_references import (
    Discrepancy,
    held_events,
    sent_differences,
    with_references,
)
from weighbridge.collection.intake.lookup import ResolvedNames, look_up, recall, remember
from weighbridge.collection.measurements.event_records import EventRow, assemble_event
from weighbridge.collection.named_records.nouns import LOCATION_ROW
from weighbridge.collection.records.events import (
    LOCATIONS_MAX,
    BulkInfo,
    Event,
    EventReceipts,
    NewEvent,
    NewEventsBody,
)
from weighbridge.collection.records.uncertainty import list_stated_fields
from weighbridge.concurrency import Turns
from weighbridge.core import identity
from weighbridge.core.collection.correction import hash_event_row, hash_event_rows
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.settings import check_quota
from weighbridge.core.proof import compute_root
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Write
from weighbridge.db.statements import canonical, jsonb
from weighbridge.errors import Invalid, TooManyRequests
from weighbridge.http.endpoints.endpoint import ShortCall
from weighbridge.platform import changes
from weighbridge.platform.authentication import TOKEN_STANDS
from weighbridge.platform.changes import AUDIT_ROW_OF_EVENT, MARK_OF_EVENT
from weighbridge.platform.tenancy import project_number

# The quota of events that an account stores in a day.
#
# While there is one, each request counts its events before it stores them, in its own transaction: what is
# refused or rolled back is not counted. Requests of one account then wait for each other's commit.


_COUNT: Final = """
    INSERT INTO account_days AS d (account_id, day, events) VALUES (%s, current_date, %s)
    ON CONFLICT (account_id) DO UPDATE SET day = excluded.day,
        events = excluded.events + CASE WHEN d.day = excluded.day THEN d.events ELSE 0 END
    RETURNING events
"""
"""Days are those of UTC, which is the zone of every session."""

# Apart: a node of a cluster asks no clock in RETURNING, and an INSERT in a WITH has it call every other one.
_SECONDS_LEFT: Final = "SELECT ceil(extract(epoch FROM current_date + 1 - now()))::integer"


async def count_day(tx: Write, actor: Actor, count: int) -> None:
    """Count new events of the account; raise TooManyRequests when they are more than it may store today."""
    allowed = tx.quotas.events_a_day
    if not allowed:
        return
    events = await tx.value(_COUNT, (actor.account_id, count))
    if events > allowed:
        problem = check_quota("events of today", events - count, count, allowed)
        seconds_left = await tx.value(_SECONDS_LEFT)
        raise TooManyRequests([problem], retry_after_seconds=max(1, seconds_left))


# Store new events, all of a request or none: one with its whole record for an answer, many with receipts.
#
# What events name is looked up and held as it is in one round trip, everything is checked in memory, and
# one event goes to the database together with its audit row and the commit; its answer is made of what was
# looked up and sent, without reading it back.


EVENTS_OF_A_STEP: Final = 32
"""Events that are worked on before others may get their turn; each has 1 MB at most."""


async def store_one(tx: Write, actor: Actor, project: int, sent: NewEvent) -> Event:
    """Store one event; NotFound when the account has no such project."""
    names, keys, intake = await _check_events(tx, actor, project, [sent], "event")
    await count_day(tx, actor, 1)
    remember(tx.memory, names)
    stated = intake.stated.get(keys[0])
    if stated:
        tx.later(INSERT_STATED_EVENT, (*intake.rows[0], jsonb(stated)))
    else:
        tx.later(INSERT_EVENT, intake.rows[0])
    assert names.moment is not None  # noqa: S101 - the event type was found
    event = build_event(keys[0], sent, names, names.moment, stated)
    leaf = hash_event_row(copy_row(intake.rows[0]), list_stated_fields(stated))
    changes.record(
        tx,
        actor,
        _new([sent], names),
        action="event.create",
        target=event.id,
        project_id=project,
        after=structs.asdict(event) | {"leaf": leaf.hex()},
    )
    return event


async def store_many(tx: Write, actor: Actor, project: int, sent: Sequence[NewEvent]) -> EventReceipts:
    """Store many events; NotFound when the account has no such project."""
    names, keys, intake = await _check_events(tx, actor, project, sent, "events")
    await count_day(tx, actor, len(sent))
    sha256, root, texts = await _digests_and_texts(sent, intake)
    await tx.copy("events", STATED_COLUMNS if intake.stated else EVENT_COLUMNS, texts)
    count = len(keys)
    summary = {"count": count, "ids": list_id_spans(project, keys), "sha256": sha256, "root": root}
    changes.record(
        tx,
        actor,
        _new(sent, names),
        action="event.create_many",
        target=f"{count} events",
        project_id=project,
        after=summary,
    )
    return EventReceipts(intake.receipts, BulkInfo(count))


async def _check_events(
    tx: Write, actor: Actor, project: int, sent: Sequence[NewEvent], field: str
) -> tuple[ResolvedNames, list[int], Intake]:
    """Look up what the events name, give them keys and check them all; only good rows come back."""
    references = {event.client_reference for event in sent if event.client_reference}
    names = await look_up(
        tx,
        actor,
        project,
        slugs={event.event_type for event in sent},
        named={
            "location": {
                location.id
                for event in sent
                if len(event.locations) <= LOCATIONS_MAX
                for location in event.locations
            },
            "feedstock": {event.feedstock_id for event in sent if event.feedstock_id is not None},
            "asset": {event.asset_id for event in sent if event.asset_id is not None},
        },
        references=references,
    )
    keys = await tx.take_event_keys(len(sent))
    intake = await _taken_in(sent, keys, names, field)
    is_good = not intake.problems
    unlike = await _unlike(tx, project, sent, names) if names.namesakes and is_good else {}
    if problems := with_references(intake.problems, sent, names.namesakes, project, field, unlike=unlike):
        raise Invalid(problems)
    return names, keys, intake


async def _unlike(
    tx: Write, project: int, sent: Sequence[NewEvent], names: ResolvedNames
) -> dict[int, list[Discrepancy]]:
    """The differences of valid events from those with the same references, by index."""
    stored_events = await held_events(tx, project, list(names.namesakes))
    discrepancies: dict[int, list[Discrepancy]] = {}
    turns = Turns()
    for index, event in enumerate(sent):
        stored_event = stored_events.get(event.client_reference or "")
        if stored_event is not None and (
            event_discrepancies := sent_differences(event, stored_event, names.vocabulary)
        ):
            discrepancies[index] = event_discrepancies
        if index % EVENTS_OF_A_STEP == 0:
            await turns.next()
    return discrepancies


async def _taken_in(
    sent: Sequence[NewEvent], keys: Sequence[int], names: ResolvedNames, field: str
) -> Intake:
    """Check the events, some in each turn."""
    intake_of_all = Intake([], [], [])
    turns = Turns()
    for first in range(0, len(sent), EVENTS_OF_A_STEP):
        step = slice(first, first + EVENTS_OF_A_STEP)
        intake = take_in(sent[step], keys[step], names.vocabulary, field, before=first)
        intake_of_all.rows.extend(intake.rows)
        intake_of_all.receipts.extend(intake.receipts)
        intake_of_all.problems.extend(intake.problems)
        intake_of_all.stated.update(intake.stated)
        if len(intake_of_all.problems) > PROBLEMS_MAX:
            break
        await turns.next()
    return intake_of_all


async def _digests_and_texts(sent: Sequence[NewEvent], intake: Intake) -> tuple[str, str, list[str]]:
    """The SHA-256 of the request's canonical JSON, the root over its events' leaves, and its rows as texts to
    copy; some in each turn.
    """
    digest = hashlib.sha256(b'{"events":[')
    texts: list[str] = []
    leaves: list[bytes] = []
    turns = Turns()
    for first in range(0, len(sent), EVENTS_OF_A_STEP):
        step = slice(first, first + EVENTS_OF_A_STEP)
        digest.update(b"," * (first > 0) + canonical(sent[step])[1:-1])
        rows = intake.rows[step]
        of_step = [copy_row(row) for row in rows]
        if not intake.stated:
            leaves += hash_event_rows(of_step)
        else:
            leaves += [
                hash_event_row(text, list_stated_fields(intake.stated.get(row[1])))
                for text, row in zip(of_step, rows, strict=True)
            ]
            of_step = [
                add_stated(text, intake.stated.get(row[1])) for text, row in zip(of_step, rows, strict=True)
            ]
        texts.append("".join(of_step))
        await turns.next()
    digest.update(b"]}")
    return digest.hexdigest(), compute_root(leaves).hex(), texts


def _new(sent: Sequence[NewEvent], names: ResolvedNames) -> changes.NewEvents:
    """The events by their types and starts."""
    numbers = {slug: schema.number for slug, schema in names.vocabulary.schemas.items()}
    return changes.NewEvents.of((numbers[event.event_type], event.start_time) for event in sent)


def build_event(
    key: int, sent: NewEvent, names: ResolvedNames, moment: Instant, stated: Stated | None = None
) -> Event:
    """The event as reading it back would give it, when it was stored at the moment."""
    return assemble_event(
        replace(_build_row(key, sent, names, moment), uncertainties=stated),
        names.kinds[sent.event_type].meanings,
        [LOCATION_ROW.make(*names.records["location"][location.id][:-1]) for location in sent.locations],
        [],
    )


def _build_row(key: int, sent: NewEvent, names: ResolvedNames, moment: Instant) -> EventRow:
    """The row of an event as reading it back would give it."""
    vocabulary = names.vocabulary
    schema = vocabulary.schemas[sent.event_type]
    arrays: dict[str, list[Any]] = {"number": [], "string": [], "boolean": []}
    for point in sent.data_points:
        if point.value is None:
            continue
        column = schema.columns[point.slug]
        array = arrays[column.value_type]
        array += [None] * (column.position - len(array))
        array[column.position - 1] = _as_read(point.value) if column.value_type == "number" else point.value
    start = Instant.of(sent.start_time)
    return EventRow(
        project=vocabulary.project,
        number=key,
        event_type=schema.number,
        slug=sent.event_type,
        name=names.kinds[sent.event_type].name,
        tracking_id=sent.tracking_id,
        client_reference=sent.client_reference,
        notes=sent.notes,
        start_time=start,
        end_time=start if sent.end_time is None else Instant.of(sent.end_time),
        is_complete=schema.required <= {point.slug for point in sent.data_points},
        feedstock=None if sent.feedstock_id is None else vocabulary.feedstocks[sent.feedstock_id],
        feedstock_name=None
        if sent.feedstock_id is None
        else names.records["feedstock"][sent.feedstock_id][2],
        asset=None if sent.asset_id is None else vocabulary.assets[sent.asset_id],
        asset_name=None if sent.asset_id is None else names.records["asset"][sent.asset_id][2],
        location_ids=[vocabulary.locations[location.id] for location in sent.locations],
        numbers=arrays["number"],
        texts=arrays["string"],
        booleans=arrays["boolean"],
        created_at=moment,
        updated_at=moment,
    )


def _as_read(value: Decimal | int) -> Decimal:
    """A number as the database gives it back: without exponent, and zero without a sign."""
    number = Decimal(value)
    return Decimal(format(number or number.copy_abs(), "f"))


def list_id_spans(project: int, keys: Sequence[int]) -> list[list[str]]:
    """Runs of consecutive event keys as pairs of first and last id."""
    starts = [index for index, key in enumerate(keys) if index == 0 or key != keys[index - 1] + 1]
    ends = [*(start - 1 for start in starts[1:]), len(keys) - 1]
    return [
        [identity.of("event", project, keys[start]), identity.of("event", project, keys[end])]
        for start, end in zip(starts, ends, strict=True)
    ]


# Store one event in one statement: it asks whether all that was remembered still holds, and commits.
#
# The event is checked by the vocabulary that the process remembers. What is stored is what the long way
# (`creation.py`) would have stored; where anything is in doubt, nothing is, and the long way is taken.
#
# Invariants: the event type is held from before it is compared until the end, so nobody redefines or
# removes what the row is written for: a change under way is waited for, and the row as it left it is
# compared.


# Locations and tags need no hold here: the keys of the row hold them, and refuse one that is gone.
_STORE: Final = f"""
    WITH held AS (
        SELECT id FROM event_types
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
        INSERT INTO events ({", ".join(EVENT_COLUMNS)})
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
"""A placeholder for the time of storing, until the database returns it."""


async def store_event(call: ShortCall, body: NewEventsBody) -> Event | None:
    """Store the one event of the body; None when nothing was stored and it must be checked again."""
    is_counted = call.database.quotas.events_a_day > 0  # with the others of the day, on the long way
    if body.event is UNSET or body.events is not UNSET or is_counted:
        return None
    sent, project = body.event, project_number(call.path["project_id"])
    names = recall(call.database.memory, project, sent)
    key = call.database.event_keys.take_held()
    if names is None or key is None:
        return None
    intake = take_in([sent], [key], names.vocabulary, "event")
    if intake.problems or intake.stated:  # what is stated of values goes the long way
        return None
    event = build_event(key, sent, names, _NOT_YET)
    [leaf] = hash_event_rows([copy_row(intake.rows[0])])
    values = {
        **call.cached.values,
        **dict(zip(_ROW, intake.rows[0], strict=True)),
        **_revisions(sent, names),
        "request_id": call.cached.actor.request_id,
        "id": event.id,
        "after": jsonb(asdict(event) | {"leaf": leaf.hex()}),
    }
    try:
        stored_row = await call.database.single(_STORE, values)
    except ForeignKeyViolation:  # a location or tag went away after the statement began to look
        return None
    if stored_row is None:
        return None
    return replace(event, created_at=stored_row[0], updated_at=stored_row[0])


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
