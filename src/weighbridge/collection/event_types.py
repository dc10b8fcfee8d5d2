"""Event types: the templates of events, with the data point types their events may carry.

A data point type has a position in its event type, by which the values of events stand; a position that
events carry or batches read is never given to another. Slugs are fixed once they are made. An event
type answers to its friendly id only. Permission: data collection.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from psycopg.sql import SQL, Identifier

from weighbridge.collection.event_types_schema import (
    KeptDataPointType,
    ReadingsType,
    Revision,
    forget_roll_up,
    points_rolled_up,
    problems_of_data_point_types,
    problems_of_event_type,
    problems_of_measured_cadence,
    problems_of_new,
    problems_of_roll_up,
    problems_of_valid_when,
    readers_of,
    revise,
    roll_ups_of,
    source_of,
    store_roll_up,
    written_out,
)
from weighbridge.collection.records.data_points import (
    EVENT_TYPE_BODIES,
    DataPointType,
    EventType,
)
from weighbridge.collection.records.uncertainty import StatedUncertainty, read_stated, to_canonical
from weighbridge.core import identity
from weighbridge.core.identity import POSITION_MAX, Link, make_slug
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.settings import Feature
from weighbridge.core.problem import Problem
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import Filter, Listing, ListRequest, Page, list_request, page_of
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.db.statements import Literal, jsonb
from weighbridge.errors import Invalid, NotFound
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.platform import changes, staleness
from weighbridge.platform.feature_flags import is_on
from weighbridge.platform.tenancy import project_of, project_to_read

# Read event types.


EVENT_TYPES: Final = Listing(
    sorts={
        "id": "id",
        "name": "name",
        "slug": "slug",
        "created_at": "created_at",
        "updated_at": "updated_at",
    },
    default_sort="id",
    key=("id",),
    filters={"slug": Filter("slug", str, "a slug")},
    is_exported=True,
)


def _nothing() -> None:
    """What is read for a whole page at once."""


def _page_of_event_type(project: int, number: int) -> Link:
    event_type = identity.of("event_type", project, number)
    return Link(f"/projects/{identity.of('project', project)}/event_types/{event_type}")


EVENT_TYPE_ROW: Final = row_of(
    EventType,
    Column("id", ("project_id", "id"), partial(identity.of, "event_type")),
    Column("slug", "slug"),
    Column("name", "name"),
    Column("description", "description"),
    Column("cadence_amount", "cadence_amount"),
    Column("cadence_unit", "cadence_unit"),
    Column("valid_when", "valid_when"),
    Column("reusable_in_batches", "reusable_in_batches"),
    Column("expected_locations", "expected_locations"),
    Column("requires_tracking_id", "requires_tracking_id"),
    Column("is_static", "false"),
    Column("data_point_types", (), list),
    Column("rolled_up_from", (), _nothing),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
    Column("ui_url", ("project_id", "id"), _page_of_event_type),
)
"""Without its data point types and roll-up, which are read for a whole page at once."""

_POINT_ROW: Final = row_of(
    DataPointType,
    Column("id", "id"),
    Column("slug", "slug"),
    Column("name", "name"),
    Column("value_type", "value_type"),
    Column("unit", "unit"),
    Column("required", "required"),
    Column("uncertainty", "uncertainty", unless_null(read_stated)),
    Column("is_static", "false AS is_static"),
    Column("nexus_event_type_id", "event_type_id"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
)


async def select_event_types(tx: Read, project: int, request: ListRequest) -> Page[EventType]:
    """The event types of a project."""
    of_project = SQL("project_id = {}").format(Literal(project))
    page = await page_of(
        tx, EVENT_TYPE_ROW.make, EVENT_TYPES, request,
        columns=EVENT_TYPE_ROW.columns, source="event_types", where=[of_project],
    )  # fmt: skip
    numbers = [identity.number("event_type", one.id, project) for one in page.data]
    parts = await _read_parts(tx, project, numbers)
    found = [replace(one, **parts[number]) for one, number in zip(page.data, numbers, strict=True)]
    return Page(found, page.info)


async def read_event_type(tx: Read, project: int, friendly: str) -> EventType:
    """One event type by its friendly id, in one message; a number names none."""
    number = identity.number("event_type", friendly, project)
    statement = f"SELECT {EVENT_TYPE_ROW.columns} FROM event_types WHERE project_id = %s AND id = %s"
    event_type: EventType | None
    event_type, parts = await tx.together(
        tx.row(EVENT_TYPE_ROW.make, statement, (project, number)), _read_parts(tx, project, [number])
    )
    if event_type is None:
        raise NotFound
    return replace(event_type, **parts[number])


async def _read_parts(tx: Read, project: int, numbers: Sequence[int]) -> dict[int, dict[str, object]]:
    """Read the data point types and the roll-ups of some event types, as fields by number."""
    rows, roll_ups = await tx.together(
        tx.rows(
            _POINT_ROW.make,
            f"""
            SELECT {_POINT_ROW.columns}
              FROM data_point_types WHERE project_id = %s AND event_type_id = ANY (%s)
             ORDER BY event_type_id, position
            """,
            (project, list(numbers)),
        ),
        roll_ups_of(tx, project, numbers),
    )
    by_type: dict[int, list[DataPointType]] = defaultdict(list)
    for row in rows:
        by_type[row.nexus_event_type_id].append(row)
    return {
        number: {"data_point_types": by_type[number], "rolled_up_from": roll_ups.get(number)}
        for number in numbers
    }


# Make event types, change and remove them.


_STORED: Final = [
    name for name in EVENT_TYPE_BODIES.fields if name not in {"slug", "data_point_types", "rolled_up_from"}
]
"""The fields of its row that may change."""

_INSERT: Final = f"""
    INSERT INTO event_types (project_id, slug, {", ".join(_STORED)})
    VALUES (%s, %s, {", ".join(["%s"] * len(_STORED))}) RETURNING id
"""
_UPDATE: Final = f"""
    UPDATE event_types SET {" = %s, ".join(_STORED)} = %s, updated_at = now()
     WHERE project_id = %s AND id = %s
"""


def _list_stored(event_type: EventType) -> list[Any]:
    return [getattr(event_type, name) for name in _STORED]


async def insert_event_type(tx: Write, actor: Actor, project: int, body: Struct) -> EventType:
    """Make an event type with its data point types; Invalid with everything that is wrong with it."""
    new = EVENT_TYPE_BODIES.created(body)
    has_capture_rate = await is_on(tx, actor.account_id, Feature.DATA_CAPTURE_RATE)
    source = await source_of(tx, project, new, None)
    problems = [
        *problems_of_event_type(new),
        *problems_of_measured_cadence(EVENT_TYPE_BODIES.sent(body), has_capture_rate=has_capture_rate),
        *problems_of_data_point_types(new.data_point_types),
        *problems_of_valid_when(new),
        *problems_of_roll_up(new, source),
    ]
    slug = new.slug or make_slug(new.name)
    if not problems and await tx.value(
        "SELECT true FROM event_types WHERE project_id = %s AND slug = %s", (project, slug)
    ):
        problems.append(
            Problem(f"The project has an event type {slug!r} already.", "event_type.slug", "taken")
        )
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(_INSERT, (project, slug, *_list_stored(new)))
    await _add_data_point_types(tx, project, number, new.data_point_types)
    if new.rolled_up_from is not None:
        await store_roll_up(tx, project, number, written_out(new.rolled_up_from), source)
    made = await read_event_type(tx, project, identity.of("event_type", project, number))
    changes.record(tx, actor, action="event_type.create", target=made.id, project_id=project, after=made)
    return made


async def change_event_type(
    tx: Write, actor: Actor, project: int, friendly: str, change: Struct
) -> EventType:
    """Change an event type; what events carry keeps its meaning.

    What is required from now on holds for events that are stored from now on; what no longer is required
    completes the events that lacked nothing else.
    """
    sent = EVENT_TYPE_BODIES.sent(change)
    if "rolled_up_from" in sent:
        # Two that are rolled up from each other would wait for each other's rows.
        await tx.execute(*locks.hold(locks.roll_ups(project)))
    number, before = await _lock_event_type(tx, project, friendly)
    has_capture_rate = await is_on(tx, actor.account_id, Feature.DATA_CAPTURE_RATE)
    revision = revise(before, change)
    desired = revision.desired
    source = await source_of(tx, project, desired, number)
    problems = [
        *problems_of_new(revision, sent),
        *problems_of_event_type(desired),
        *problems_of_measured_cadence(sent, has_capture_rate=has_capture_rate),
        *problems_of_data_point_types(desired.data_point_types),
        *problems_of_valid_when(desired),
        *problems_of_roll_up(desired, source),
    ]
    if problems := problems or await _problems_of_use(tx, project, number, revision):
        raise Invalid(problems)
    if not revision.is_change:
        return before
    traces = await _trace_restated(tx, project, friendly, number, revision)
    await tx.execute(_UPDATE, (*_list_stored(desired), project, number))
    await _change_schema(tx, project, number, revision, source)
    after = await read_event_type(tx, project, friendly)
    changes.record(
        tx, actor, *traces, action="event_type.update", target=after.id, project_id=project, before=before,
        after=after,
    )  # fmt: skip
    if revision.is_loosened:
        await _complete_events(tx, actor, project, number, after)
    return after


async def _trace_restated(
    tx: Write, project: int, friendly: str, number: int, revision: Revision
) -> Sequence[staleness.GenerationsHeldOff | staleness.RestatedTypes]:
    """What it leaves that values are known otherwise than before; Conflict while a generation runs."""
    if not revision.restated:
        return ()
    held = await staleness.hold_off_generations(tx, project)
    points = [one.id for one in revision.restated]
    return held, staleness.RestatedTypes(held, friendly, number, points)


async def _lock_event_type(tx: Write, project: int, friendly: str) -> tuple[int, EventType]:
    """The number and record of an event type that nobody else changes, and of which nobody stores events."""
    number = identity.number("event_type", friendly, project)
    await tx.execute(
        "SELECT FROM event_types WHERE project_id = %s AND id = %s FOR UPDATE", (project, number)
    )
    return number, await read_event_type(tx, project, friendly)


async def _problems_of_use(tx: Write, project: int, number: int, revision: Revision) -> list[Problem]:
    """What cannot be removed or mean something else, because events carry it or batches read it."""
    redefined = [one for one in revision.kept if one.is_redefined]
    numbers = [one.id for one in revision.removed] + [one.was.id for one in redefined]
    if problems := await _problems_of_roll_ups(tx, project, number, revision, numbers):
        return problems
    if problems := await _problems_of_calibrations(tx, project, numbers):
        return problems
    if not numbers:
        return []
    rows = await tx.tuples(
        """
        SELECT t.id FROM data_point_types t
         WHERE t.project_id = %(project)s AND t.id = ANY (%(numbers)s)
           AND (EXISTS (SELECT FROM events e
                         WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s
                           AND (e.numbers[t.position] IS NOT NULL OR e.texts[t.position] IS NOT NULL
                                OR e.booleans[t.position] IS NOT NULL))
                OR EXISTS (SELECT FROM batch_input_sets s
                            WHERE s.project_id = %(project)s AND s.event_type_id = %(event_type)s
                              AND t.position = ANY (s.positions)))
        """,
        {"project": project, "event_type": number, "numbers": numbers},
    )
    used = {one for (one,) in rows}
    return [
        Problem(
            f"event_type.data_point_types leaves out {one.slug!r}, which events carry; it stays.",
            "event_type.data_point_types",
            "in_use",
        )
        for one in revision.removed
        if one.id in used
    ] + [_problem_of_redefinition(one) for one in redefined if one.was.id in used]


async def _problems_of_roll_ups(
    tx: Write, project: int, number: int, revision: Revision, points: Sequence[int]
) -> list[Problem]:
    """What cannot change because events are rolled up, or are captured and cannot be rolled up any more."""
    read = await points_rolled_up(tx, project, points)
    slugs = {one.id: one.slug for one in revision.was.data_point_types}
    problems = [
        Problem(
            f"Events of type {reader!r} are rolled up from {slugs[point]!r}; it stays as it is.",
            "event_type.data_point_types",
            "in_use",
        )
        for point, reader in read.items()
    ]
    if revision.was.cadence_unit is not None and revision.desired.cadence_unit is None:
        problems += [
            Problem(
                f"Events of type {reader!r} are rolled up by the cadence of {revision.was.slug!r}; it stays.",
                "event_type.cadence_unit",
                "in_use",
            )
            for reader in await readers_of(tx, project, number)
        ]
    was, desired = revision.was.rolled_up_from, revision.desired.rolled_up_from
    if (was is None) != (desired is None) and await tx.value(
        "SELECT EXISTS (SELECT FROM events WHERE project_id = %s AND event_type_id = %s)", (project, number)
    ):
        made = "written by people and devices" if was is None else f"rolled up from {was.event_type!r}"
        message = (
            f"The project has events of type {revision.was.slug!r}, voided ones included, that were {made}; "
        )
        problems.append(Problem(f"{message}make another event type.", "event_type.rolled_up_from", "in_use"))
    return problems


async def _problems_of_calibrations(tx: Write, project: int, points: Sequence[int]) -> list[Problem]:
    """Data point types that calibrations are about, whose values go on meaning what they mean."""
    rows = await tx.tuples(
        """
        SELECT data_point_type, min(name) FROM calibrations
         WHERE project_id = %s AND data_point_type_id = ANY (%s) GROUP BY data_point_type
        """,
        (project, list(points)),
    ) if points else []  # fmt: skip
    return [
        Problem(
            f"The calibration {name!r} is about {slug!r}; it stays as it is.",
            "event_type.data_point_types",
            "in_use",
        )
        for slug, name in rows
    ]


def _problem_of_redefinition(kept: KeptDataPointType) -> Problem:
    name = "value_type" if kept.was.value_type != kept.desired.value_type else "unit"
    field = f"event_type.data_point_types[{kept.index}].{name}"
    return Problem(
        f"{field} is {getattr(kept.desired, name)!r}, but events carry {kept.was.slug!r} as "
        f"{getattr(kept.was, name)!r}; add another data point type instead.",
        field,
        "in_use",
    )


async def _change_schema(
    tx: Write, project: int, number: int, revision: Revision, source: ReadingsType | None
) -> None:
    """Change the data point types, and what they are made of."""
    was, desired = revision.was.rolled_up_from, revision.desired.rolled_up_from
    if is_made_anew := was != desired:
        await forget_roll_up(tx, project, number, values_only=desired is not None)
    await _change_data_point_types(tx, project, number, revision)
    if is_made_anew and desired is not None:
        await store_roll_up(tx, project, number, desired, source)


async def _change_data_point_types(tx: Write, project: int, number: int, revision: Revision) -> None:
    if revision.removed:
        await tx.execute(
            "DELETE FROM data_point_types WHERE project_id = %s AND id = ANY (%s)",
            (project, [one.id for one in revision.removed]),
        )
    for one in revision.kept:
        if one.is_changed:
            await tx.execute(
                """
                UPDATE data_point_types
                   SET name = %s, value_type = %s, unit = %s, required = %s, uncertainty = %s,
                       updated_at = now()
                 WHERE project_id = %s AND id = %s
                """,
                (
                    one.desired.name.strip(), one.desired.value_type, one.desired.unit, one.desired.required,
                    _stored(one.desired.uncertainty), project, one.was.id,
                ),
            )  # fmt: skip
    if revision.added:
        await _add_data_point_types(tx, project, number, revision.added)


async def _add_data_point_types(tx: Write, project: int, number: int, new: Sequence[DataPointType]) -> None:
    """Write down data point types at positions that none has had before."""
    first: int = await tx.value(
        "SELECT next_position FROM event_types WHERE project_id = %s AND id = %s", (project, number)
    )
    if first + len(new) - 1 > POSITION_MAX:
        raise Invalid(
            [
                Problem(
                    "The event type has had so many data point types that no position is left; make another.",
                    "event_type.data_point_types",
                    "too_many",
                )
            ]
        )
    await tx.execute(
        """
        INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type, unit,
                                      required, uncertainty)
        SELECT %s, %s, place + %s - 1, slug, name, value_type, unit, required, uncertainty
          FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::boolean[], %s::jsonb[])
               WITH ORDINALITY AS sent (slug, name, value_type, unit, required, uncertainty, place)
         ORDER BY place
        """,
        (
            project,
            number,
            first,
            [one.slug or make_slug(one.name) for one in new],
            [one.name.strip() for one in new],
            [one.value_type for one in new],
            [one.unit for one in new],
            [one.required for one in new],
            [_stored(one.uncertainty) for one in new],
        ),
    )


def _stored(stated: StatedUncertainty | None) -> Any:
    return None if stated is None else jsonb(to_canonical(stated))


async def _complete_events(tx: Write, actor: Actor, project: int, number: int, event_type: EventType) -> None:
    """Complete the events that lack nothing that is required any more."""
    completed = await tx.execute(
        """
        UPDATE events e SET is_complete = true, updated_at = now()
         WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s AND NOT e.is_complete
           AND e.readings IS NULL
           AND NOT EXISTS (SELECT FROM data_point_types t
                            WHERE t.project_id = %(project)s AND t.event_type_id = %(event_type)s
                              AND t.required
                              AND e.numbers[t.position] IS NULL AND e.texts[t.position] IS NULL
                              AND e.booleans[t.position] IS NULL)
        """,
        {"project": project, "event_type": number},
    )
    if completed:
        changes.record(
            tx,
            actor,
            action="event.complete_many",
            target=f"{completed} events",
            project_id=project,
            after={"count": completed, "event_type": event_type.id},
        )


_USES: Final = (
    ("events", "The project has events of type {slug!r}, voided ones included; the type stays."),
    ("rule_versions", "Data rules, removed ones included, watch events of type {slug!r}; the type stays."),
    ("outages", "Outages name the type {slug!r}; it stays."),
    ("data_feeds", "Data feeds make events of type {slug!r}; it stays."),
    ("calibrations", "Calibrations name the type {slug!r}; it stays."),
)
"""What may name an event type, table by table, and what is said where it does."""


async def remove_event_type(tx: Write, actor: Actor, project: int, friendly: str) -> None:
    """Remove an event type that nothing uses; Invalid with what does."""
    number, before = await _lock_event_type(tx, project, friendly)
    for table, sentence in _USES:
        statement = SQL("SELECT EXISTS (SELECT FROM {} WHERE project_id = %s AND event_type_id = %s)")
        if await tx.value(statement.format(Identifier(table)), (project, number)):
            raise Invalid([Problem(sentence.format(slug=before.slug), code="in_use")])
    if readers := await readers_of(tx, project, number):
        named = ", ".join(map(repr, readers))
        message = f"Events of type {named} are rolled up from {before.slug!r}; the type stays."
        raise Invalid([Problem(message, code="in_use")])
    await forget_roll_up(tx, project, number)
    await tx.execute(
        "DELETE FROM data_point_types WHERE project_id = %s AND event_type_id = %s", (project, number)
    )
    await tx.execute("DELETE FROM event_types WHERE project_id = %s AND id = %s", (project, number))
    changes.record(tx, actor, action="event_type.delete", target=before.id, project_id=project, before=before)


# Paths of event types.


_PATH = "/projects/{project_id}/event_types"
_ONE = _PATH + "/{event_type_id}"


@get(_PATH, permission="data_collection:read", returns=Page[EventType], listing=EVENT_TYPES)
async def list_event_types(call: ReadCall) -> Page[EventType]:
    """List a project's event types; their slugs are what events are posted with."""
    return await select_event_types(call.tx, project_to_read(call), list_request(call.query, EVENT_TYPES))


@post(
    _PATH,
    permission="data_collection:write",
    body=EVENT_TYPE_BODIES.new_body,
    returns=EventType,
    example={
        "event_type": {
            "name": "Kiln temperature",
            "cadence_amount": 1,
            "cadence_unit": "hour",
            "expected_locations": "none",
            "data_point_types": [{"name": "Temperature", "value_type": "number", "unit": "degC"}],
        }
    },
)
async def create_event_type(call: WriteCall, body: Struct) -> EventType:
    """Create an event type with its data point types."""
    return await insert_event_type(call.tx, call.actor, await project_of(call), body)


@get(_ONE, permission="data_collection:read", returns=EventType)
async def get_event_type(call: ReadCall) -> EventType:
    """Read one event type by its friendly id."""
    return await read_event_type(call.tx, project_to_read(call), call.path["event_type_id"])


@patch(_ONE, permission="data_collection:write", body=EVENT_TYPE_BODIES.change_body, returns=EventType)
async def update_event_type(call: WriteCall, body: Struct) -> EventType:
    """Change an event type; the meaning of the values that events carry is fixed.

    `data_point_types`, where it is sent, lists all that the event type is to have: those it has by their
    slugs, new ones with name and value type. One that events carry can be renamed and made required or
    not, and cannot be left out. What becomes required holds for events stored from then on.
    """
    project = await project_of(call)
    named = call.path["event_type_id"]
    return await change_event_type(call.tx, call.actor, project, named, body)


@delete(_ONE, permission="data_collection:write")
async def delete_event_type(call: WriteCall) -> None:
    """Remove an event type that has no events."""
    await remove_event_type(call.tx, call.actor, await project_of(call), call.path["event_type_id"])


ROUTES = [list_event_types, create_event_type, get_event_type, update_event_type, delete_event_type]
