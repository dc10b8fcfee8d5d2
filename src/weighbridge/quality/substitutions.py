"""Substitutions: the values that rules put into the gaps of an event type, and how each of them was found.

A value stands here while it is in force: one that a person, an adjustment or the captured event has
taken the place of does not. Nothing is stored. Permission: data collection; the account needs the
feature `data_capture_rate`.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final, LiteralString

from psycopg.sql import SQL

from weighbridge.collection.measurements.event_records import METER_ASSET, METER_LOCATION
from weighbridge.core import identity
from weighbridge.core.collection.capture import SLOTS_OF_METER_MAX
from weighbridge.core.collection.correction import CorrectionOrigin, CorrectionState
from weighbridge.core.ledger.allocation import ValueSource
from weighbridge.core.platform.settings import Feature
from weighbridge.core.time.calendar import CadenceSlots, Instant
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import (
    Filter,
    Listing,
    Page,
    among,
    list_request,
    read_int4,
    read_key,
    read_page,
)
from weighbridge.db.row import Column, Row, row_of, unless_null
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, get
from weighbridge.platform.feature_flags import need_feature
from weighbridge.platform.tenancy import project_of
from weighbridge.quality.records.availability import FILLED_SOURCES, FilledValue
from weighbridge.quality.slots.capture import (
    DETAIL_DAYS_MAX,
    END,
    START,
    asked_time,
    build_question,
    refuse_over_a_quarter,
)

# List the values that rules put into gaps, each with the slot of the cadence that it is in.


_VALUE_SOURCE: Final[LiteralString] = (
    f"CASE WHEN e.is_imputed THEN '{ValueSource.IMPUTED}' ELSE '{ValueSource.SUBSTITUTED}' END"
)

SUBSTITUTIONS: Final = Listing(
    sorts={"start_time": "e.start_time", "id": "c.id", "slug": "t.slug"},
    default_sort="start_time",
    key=("c.id",),
    filters={
        "slug": Filter("t.slug", str, "the slug of a data point type"),
        "value_source": Filter(_VALUE_SOURCE, among(FILLED_SOURCES), ", ".join(FILLED_SOURCES)),
        "asset_id": Filter(METER_ASSET, read_key("asset"), "an id ast_…"),
        "location_id": Filter(METER_LOCATION, read_key("location"), "an id loc_…"),
        "rule_id": Filter("c.rule_id", read_key("rule"), "an id rule_…"),
        "tier": Filter("(c.substitution ->> 'tier')::integer", read_int4, "a tier's number"),
        "code": Filter("c.substitution ->> 'code'", str, "the code of a tier"),
    },
    is_exported=True,
)
"""The values that rules put into the gaps of one event type, in a range that bounds how many there are."""

_SOURCE: Final[LiteralString] = f"""events e
      JOIN corrections c ON (c.project_id, c.event_id) = (e.project_id, e.id) AND c.position > 0
       AND c.state = '{CorrectionState.IN_FORCE}' AND c.source = '{CorrectionOrigin.SUBSTITUTION}'
       AND c.substitution IS NOT NULL
      JOIN data_point_types t ON (t.project_id, t.event_type_id, t.position)
                               = (e.project_id, e.event_type_id, c.position)
      LEFT JOIN assets a ON (a.project_id, a.id) = (e.project_id, e.asset_id)
      LEFT JOIN locations l ON e.asset_id IS NULL
       AND (l.project_id, l.id) = (e.project_id, e.location_ids[1])"""


async def select_substitutions(
    tx: Read, project: int, event_type: str, query: Sequence[tuple[str, str]]
) -> Page[FilledValue]:
    """The substituted and imputed values of an event type in slots that begin in the range of the query."""
    request = list_request([pair for pair in query if pair[0] not in {START, END}], SUBSTITUTIONS)
    time, _ = asked_time(query)
    question = await build_question(tx, project, event_type, time, slots_max=SLOTS_OF_METER_MAX)
    refuse_over_a_quarter(question)
    slots, counted = question.slots, question.counted
    of_range = SQL("""
        (e.project_id, e.event_type_id) = ({project}, {event_type}) AND e.voided_at IS NULL AND e.is_revised
        AND e.start_time >= {first} AND e.start_time < {last}
    """).format(
        project=Literal(project),
        event_type=Literal(question.event_type),
        first=Literal(slots.start(counted.start)),
        last=Literal(slots.start(counted.stop)),
    )
    return await read_page(tx, _row(slots), SUBSTITUTIONS, request, source=_SOURCE, where=[of_range])


def _row(slots: CadenceSlots) -> Row[FilledValue]:
    """The table of a filled value, by the slots of its event type."""
    found = "c.substitution"
    return row_of(
        FilledValue,
        Column("id", "c.id"),
        Column("event_id", ("e.project_id", "e.id"), partial(identity.of, "event")),
        Column("data_point_id", ("e.project_id", "e.id", "c.position"), partial(identity.of, "data_point")),
        Column("slug", "t.slug"),
        Column("asset_id", ("e.project_id", "a.id"), unless_null(partial(identity.of, "asset"))),
        Column("location_id", ("e.project_id", "l.id"), unless_null(partial(identity.of, "location"))),
        Column("name", "coalesce(a.name, l.name)"),
        Column("start_time", "e.start_time", Instant.of),
        Column("slot_start_time", "e.start_time", partial(_slot_edge, slots, 0)),
        Column("slot_end_time", "e.start_time", partial(_slot_edge, slots, 1)),
        Column("value_source", _VALUE_SOURCE),
        Column("value", "(c.to_value #>> '{}')::numeric"),
        Column("captured_value", "e.numbers[c.position]"),
        Column("rule_id", ("e.project_id", "c.rule_id"), partial(identity.of, "rule")),
        Column("rule_version", "c.rule_version"),
        Column("rule_run_id", "c.rule_run_id"),
        *(Column(name, found, _filling_reader(name)) for name in _SAID),
        Column("created_at", "c.created_at", Instant.of),
    )


_SAID: Final = (
    "method", "found_by", "tier", "code", "window", "members_used", "availability", "gap_slots",
)  # fmt: skip
"""What a substitution says of how its value was found."""


def _filling_reader(name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda found: found[name]


def _slot_edge(slots: CadenceSlots, further: int, moment: datetime) -> Instant:
    """When the slot begins that so many slots follow up on the one that holds a moment."""
    return slots.start(slots.holding(moment) + further)


# Paths of substitutions.


@get(
    "/projects/{project_id}/event_types/{event_type_id}/capture_rate/substitutions",
    permission="data_collection:read",
    returns=Page[FilledValue],
    listing=SUBSTITUTIONS,
    refuses=(Invalid,),
    query={
        "start_time": "The moment at which the range begins: slots that begin earlier are not in it.",
        "end_time": f"When it ends, at most {DETAIL_DAYS_MAX} days later: slots from then on are not in it.",
    },
)
async def list_substitutions(call: ReadCall) -> Page[FilledValue]:
    """List every value that a rule put into a gap of an event type, with tier, code and how it was found.

    Values in force count, of slots that begin in the range and have ended, expected or not: those that
    stand in the place of a captured value that is not to count, and those of events that a rule made where
    none was captured.
    """
    await need_feature(call.tx, call.actor.account_id, Feature.DATA_CAPTURE_RATE)
    return await select_substitutions(call.tx, await project_of(call), call.path["event_type_id"], call.query)


ROUTES = [list_substitutions]
