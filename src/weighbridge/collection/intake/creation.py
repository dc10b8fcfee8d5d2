"""Store new events, all of a request or none: one with its whole record for an answer, many with receipts.

What events name is looked up and held as it is in one round trip, everything is checked in memory, and
one event goes to the database together with its audit row and the commit; its answer is made of what was
looked up and sent, without reading it back.
"""

import hashlib
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from msgspec import structs

from weighbridge.collection.events.records import (
    LOCATIONS_MAX,
    BulkInfo,
    Event,
    EventReceipts,
    NewEvent,
)
from weighbridge.collection.intake.checking import (
    COPY_EVENTS,
    INSERT_EVENT,
    PROBLEMS_MAX,
    EventTexts,
    Intake,
    copy_row,
    take_in,
)
from weighbridge.collection.intake.client_references import with_references
from weighbridge.collection.intake.day_quota import count_day
from weighbridge.collection.intake.lookup import ResolvedNames, look_up
from weighbridge.collection.intake.sent_again import Discrepancy, held_events, sent_differences
from weighbridge.collection.intake.vocabulary import remember
from weighbridge.collection.measurements.event_record import assembled
from weighbridge.collection.measurements.event_row import EventRow
from weighbridge.collection.named_records.location import LOCATION_ROW
from weighbridge.core.collection.event_leaf import leaves_of_rows
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.proof.merkle import root_of
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Write
from weighbridge.db.json import canonical
from weighbridge.errors import Invalid
from weighbridge.http.arrival.turns import Turns
from weighbridge.platform import changes

EVENTS_OF_A_STEP: Final = 32
"""Events that are worked on before others may get their turn; each has 1 MB at most."""


async def store_one(tx: Write, actor: Actor, project: int, sent: NewEvent) -> Event:
    """Store one event; NotFound when the account has no such project."""
    names, keys, intake = await _checked(tx, actor, project, [sent], "event")
    await count_day(tx, actor, 1)
    remember(tx.memory, names)
    tx.later(INSERT_EVENT, intake.rows[0])
    assert names.moment is not None  # noqa: S101 - the event type was found
    event = answer_of(keys[0], sent, names, names.moment)
    [leaf] = leaves_of_rows([copy_row(intake.rows[0])])
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
    names, keys, intake = await _checked(tx, actor, project, sent, "events")
    await count_day(tx, actor, len(sent))
    sha256, root, texts = await _digests_and_texts(sent, intake.rows)
    await tx.copy(COPY_EVENTS, texts)
    count = len(keys)
    summary = {"count": count, "ids": spans_of(project, keys), "sha256": sha256, "root": root}
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


async def _checked(
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
    """What good events say otherwise than those that have their references, by their places."""
    held = await held_events(tx, project, list(names.namesakes))
    found: dict[int, list[Discrepancy]] = {}
    turns = Turns()
    for index, event in enumerate(sent):
        there = held.get(event.client_reference or "")
        if there is not None and (unlike := sent_differences(event, there, names.vocabulary)):
            found[index] = unlike
        if index % EVENTS_OF_A_STEP == 0:
            await turns.next()
    return found


async def _taken_in(
    sent: Sequence[NewEvent], keys: Sequence[int], names: ResolvedNames, field: str
) -> Intake:
    """Check the events, some in each turn."""
    whole = Intake([], [], [])
    turns = Turns()
    for first in range(0, len(sent), EVENTS_OF_A_STEP):
        some = slice(first, first + EVENTS_OF_A_STEP)
        intake = take_in(sent[some], keys[some], names.vocabulary, field, before=first)
        whole.rows.extend(intake.rows)
        whole.receipts.extend(intake.receipts)
        whole.problems.extend(intake.problems)
        if len(whole.problems) > PROBLEMS_MAX:
            break
        await turns.next()
    return whole


async def _digests_and_texts(
    sent: Sequence[NewEvent], rows: Sequence[EventTexts]
) -> tuple[str, str, list[str]]:
    """The SHA-256 of the request's canonical JSON, the root over its events' leaves, and its rows as texts to
    copy; some in each turn.
    """
    digest = hashlib.sha256(b'{"events":[')
    texts: list[str] = []
    leaves: list[bytes] = []
    turns = Turns()
    for first in range(0, len(sent), EVENTS_OF_A_STEP):
        some = slice(first, first + EVENTS_OF_A_STEP)
        digest.update(b"," * (first > 0) + canonical(sent[some])[1:-1])
        of_step = [copy_row(row) for row in rows[some]]
        texts.append("".join(of_step))
        leaves += leaves_of_rows(of_step)
        await turns.next()
    digest.update(b"]}")
    return digest.hexdigest(), root_of(leaves).hex(), texts


def _new(sent: Sequence[NewEvent], names: ResolvedNames) -> changes.NewEvents:
    """The events by their types and starts."""
    numbers = {slug: schema.number for slug, schema in names.vocabulary.schemas.items()}
    return changes.NewEvents.of((numbers[event.event_type], event.start_time) for event in sent)


def answer_of(key: int, sent: NewEvent, names: ResolvedNames, moment: Instant) -> Event:
    """The event as reading it back would give it, when it was stored at the moment."""
    return assembled(
        _stored(key, sent, names, moment),
        names.kinds[sent.event_type].meanings,
        [LOCATION_ROW.make(*names.records["location"][location.id][:-1]) for location in sent.locations],
        [],
    )


def _stored(key: int, sent: NewEvent, names: ResolvedNames, moment: Instant) -> EventRow:
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


def spans_of(project: int, keys: Sequence[int]) -> list[list[str]]:
    """Runs of consecutive event keys as pairs of first and last id."""
    starts = [index for index, key in enumerate(keys) if index == 0 or key != keys[index - 1] + 1]
    ends = [*(start - 1 for start in starts[1:]), len(keys) - 1]
    return [
        [ids.of("event", project, keys[start]), ids.of("event", project, keys[end])]
        for start, end in zip(starts, ends, strict=True)
    ]
