"""Gaps: expected slots of a meter, one after another, that lack a valid value, and what stands around them.

A gap runs from one valid slot to the next, over slots in which nothing is expected; within the range
that is asked for it is whole, and beyond it may go on. Nothing is stored. Permission: data collection;
the account needs the feature `data_capture_rate`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.annotations import correction_summaries
from weighbridge.collection.measurements.event_records import METER_ASSET, METER_LOCATION
from weighbridge.collection.measurements.values import BOOLEANS, NUMBERS, TEXTS
from weighbridge.collection.records.events import Substitution
from weighbridge.core import identity
from weighbridge.core.platform.settings import Feature
from weighbridge.core.problem import Problem
from weighbridge.core.rule.states import ApprovalState
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid, Malformed
from weighbridge.http.endpoints.endpoint import ReadCall, get
from weighbridge.platform.feature_flags import need_feature
from weighbridge.platform.tenancy import project_of
from weighbridge.quality.records.availability import FilledSlot, Gap, GapBorder, Gaps, ProposedSlot
from weighbridge.quality.slots.capture import (
    DETAIL_DAYS_MAX,
    END,
    CaptureQuestion,
    ExpectedMeter,
    asked_time,
    build_question,
    expected_meters,
    keys_of,
    multirange,
    refuse_over_a_quarter,
    seen_slots,
)

# Find gaps: stretches between the valid slots of a meter.


GAP_SLOTS_MAX: Final = 1_000_000
"""Slots of all meters together that gaps are looked for in."""

GAPS_MAX: Final = 500
"""Gaps that one answer lists."""

FILLED_MAX: Final = 20
"""Filled slots of a gap that its record holds; it counts all."""


class _Found(NamedTuple):
    """A gap as the database finds it: its meter by index, its slots by when they begin, events by number."""

    meter: int
    first: datetime
    last: datetime
    slots: int
    missing: int
    imputed: int
    substituted: int
    before: int | None
    after: int | None
    filled: Sequence[int] | None


@dataclass(frozen=True, slots=True)
class _Beside:
    """An event beside or inside a gap."""

    friendly: str
    start: Instant
    is_imputed: bool
    values: dict[str, Decimal | str | bool]
    substitutions: dict[str, Substitution]

    @property
    def border(self) -> GapBorder:
        return GapBorder(self.friendly, self.start, self.values)

    @property
    def filled(self) -> FilledSlot:
        source = "imputed" if self.is_imputed else "substituted"
        return FilledSlot(self.friendly, self.start, source, self.values, self.substitutions)


class _Span(NamedTuple):
    """Where a gap lies: its meter, 0 for a key that it does not have, and its slots, the end exclusive."""

    asset: int
    location: int
    start: datetime
    end: datetime


class _Proposed(NamedTuple):
    """How many values wait for approval in a gap, and the first of them."""

    pending: int
    first: list[ProposedSlot]


_NOTHING_PROPOSED: Final = _Proposed(0, [])


def _gap(
    question: CaptureQuestion,
    meter: ExpectedMeter,
    found: _Found,
    beside: Mapping[int, _Beside],
    proposed: _Proposed,
) -> Gap:
    project = question.project
    return Gap(
        asset_id=None if meter.asset is None else identity.of("asset", project, meter.asset),
        location_id=None if meter.location is None else identity.of("location", project, meter.location),
        name=meter.name,
        start_time=Instant.of(found.first),
        end_time=_end_of(question, found),
        slots=found.slots,
        missing=found.missing,
        imputed=found.imputed,
        substituted=found.substituted,
        before=None if found.before is None else beside[found.before].border,
        after=None if found.after is None else beside[found.after].border,
        filled=[beside[event].filled for event in found.filled or ()],
        pending_count=proposed.pending,
        proposed=proposed.first,
    )


def _end_of(question: CaptureQuestion, found: _Found) -> Instant:
    """When the last slot of a gap ends."""
    return question.slots.start(question.slots.holding(found.last) + 1)


async def _read_proposals(
    tx: Read, question: CaptureQuestion, meters: Sequence[ExpectedMeter], gaps: Sequence[_Found]
) -> Mapping[int, _Proposed]:
    """What waits for approval in the gaps, by their place; of each the first, in order of time."""
    spans = [
        _Span(
            meters[gap.meter].asset or 0, meters[gap.meter].location or 0, gap.first, _end_of(question, gap)
        )
        for gap in gaps
    ]
    if not spans:
        return {}
    values: dict[str, Any] = {
        "project": question.project,
        "event_type": question.event_type,
        "pending": ApprovalState.PENDING,
        "limit": FILLED_MAX,
        "assets": [span.asset for span in spans],
        "locations": [span.location for span in spans],
        "starts": [span.start for span in spans],
        "ends": [span.end for span in spans],
    }
    found: dict[int, _Proposed] = {}
    for place, pending, result, rule, event, start, slug, value in await tx.tuples(_PENDING, values):
        slot = ProposedSlot(
            rule_result_id=identity.of("data_point_result", question.project, result),
            rule_id=identity.of("rule", question.project, rule),
            event_id=None if event is None else identity.of("event", question.project, event),
            start_time=Instant.of(start),
            data_point_slug=slug,
            to_value=value,
        )
        found.setdefault(place - 1, _Proposed(pending, [])).first.append(slot)
    return found


async def _list_findings(
    tx: Read, question: CaptureQuestion, meters: Sequence[ExpectedMeter]
) -> list[_Found]:
    seen, values = seen_slots(question, _EVENTS)
    values |= keys_of(meters) | {
        "unexpected": [multirange(question.slots, meter.unexpected) for meter in meters],
        "filled": FILLED_MAX,
        "limit": GAPS_MAX + 1,
    }
    slots: Composable = SQL("unnest(%(starts)s::timestamptz[])")
    if question.slots.step is not None:
        slots = SQL("generate_series(%(first)s, %(last)s - %(step)s::interval, %(step)s::interval)")
    found = await tx.rows(_Found, SQL(_GAPS).format(seen=seen, slots=slots), values)
    if len(found) > GAPS_MAX:
        message = f"The range has more than {GAPS_MAX} gaps; ask for a shorter one."
        raise Invalid([Problem(message, END, "too_many")])
    return found


async def _read_neighbours(tx: Read, question: CaptureQuestion, gaps: Sequence[_Found]) -> dict[int, _Beside]:
    """The events that stand beside gaps and inside them, by their numbers."""
    named = {event for gap in gaps for event in (gap.before, gap.after, *(gap.filled or ())) if event}
    if not named:
        return {}
    points, rows = await tx.several(
        (_POINTS, (question.project, question.event_type)), (_EVENTS_NAMED, (question.project, sorted(named)))
    )
    read: list[tuple[str, Callable[[Sequence[Any]], Any]]] = [
        (slug, _reader(position, _COLUMNS[kind])) for slug, position, kind in points
    ]
    filled = {event for gap in gaps for event in gap.filled or ()}
    summaries = await correction_summaries(tx, question.project, filled)
    slugs = {position: slug for slug, position, _ in points}
    found: dict[int, dict[str, Substitution]] = {}
    for (event, position), summary in summaries.items():
        if summary.substitution is not None and position in slugs:
            found.setdefault(event, {})[slugs[position]] = summary.substitution
    return {
        row[0]: _Beside(
            identity.of("event", question.project, row[0]),
            Instant.of(row[1]),
            row[2],
            {slug: value for slug, value_in in read if (value := value_in(row)) is not None},
            found.get(row[0], {}),
        )
        for row in rows
    }


def _reader(position: int, column: int) -> Callable[[Sequence[Any]], Any]:
    def value_in(row: Sequence[Any]) -> Any:
        values = row[column]
        return values[position - 1] if len(values) >= position else None

    return value_in


_COLUMNS: Final = {"number": 3, "string": 4, "boolean": 5}
"""Where a row of an event has its values, by their type."""

_POINTS: Final = """
    SELECT slug, position, value_type FROM data_point_types WHERE project_id = %s AND event_type_id = %s
     ORDER BY position
"""
_EVENTS_NAMED: Final = f"""
    SELECT e.id, e.start_time, e.is_imputed, {NUMBERS}, {TEXTS}, {BOOLEANS}
      FROM events e WHERE e.project_id = %s AND e.id = ANY (%s::bigint[])
"""

# In the order of their times; of the same times by what their senders call them.
_EVENTS: Final = """,
    array_agg(v.id ORDER BY v.start_time, v.end_time, v.tracking_id, v.client_reference)
        FILTER (WHERE v.is_valid) AS valid_events,
    (array_agg(v.id ORDER BY v.start_time, v.end_time, v.tracking_id, v.client_reference)
        FILTER (WHERE v.is_substituted OR v.is_imputed))[1] AS filling"""

# Slots between two valid ones have the same number of valid slots before them, which is their `stretch`; each
# stretch but the first begins with the valid slot that stands before its gap.
_GAPS: Final = """
    WITH meter AS MATERIALIZED (
        SELECT number - 1 AS number, asset, location, unexpected::tstzmultirange AS unexpected
          FROM unnest(%(assets)s::integer[], %(locations)s::integer[], %(unexpected)s::text[])
               WITH ORDINALITY AS meter (asset, location, unexpected, number)),
    seen AS ({seen}),
    expected AS (
        SELECT m.number, one.slot, s.valid_events, s.filling,
               coalesce(s.is_valid, false) AS is_valid, coalesce(s.is_received, false) AS is_received,
               coalesce(s.is_imputed, false) AS is_imputed,
               coalesce(s.is_substituted, false) AS is_substituted,
               count(*) FILTER (WHERE s.is_valid) OVER (PARTITION BY m.number ORDER BY one.slot) AS stretch
          FROM meter m CROSS JOIN {slots} AS one (slot)
          LEFT JOIN seen s ON (s.asset, s.location, s.slot) = (m.asset, m.location, one.slot)
         WHERE NOT one.slot <@ m.unexpected),
    stretches AS (
        SELECT number, stretch,
               min(slot) FILTER (WHERE NOT is_valid) AS first_slot,
               max(slot) FILTER (WHERE NOT is_valid) AS last_slot,
               count(*) FILTER (WHERE NOT is_valid) AS slots,
               count(*) FILTER (WHERE NOT is_received) AS missing,
               count(*) FILTER (WHERE is_imputed AND NOT is_received) AS imputed,
               count(*) FILTER (WHERE is_substituted AND NOT is_valid) AS substituted,
               (array_agg(valid_events[cardinality(valid_events)]) FILTER (WHERE is_valid))[1] AS before,
               (array_agg(valid_events[1]) FILTER (WHERE is_valid))[1] AS beginning,
               (array_agg(filling ORDER BY slot) FILTER (WHERE NOT is_valid AND filling IS NOT NULL))
                   [1:%(filled)s] AS filled
          FROM expected GROUP BY number, stretch),
    beside AS (
        SELECT *, lead(beginning) OVER (PARTITION BY number ORDER BY stretch) AS after FROM stretches)
    SELECT number, first_slot, last_slot, slots, missing, imputed, substituted, before, after, filled
      FROM beside WHERE slots > 0
     ORDER BY first_slot, number LIMIT %(limit)s
"""
_PENDING: Final = f"""
    WITH gap AS (
        SELECT * FROM unnest(%(assets)s::integer[], %(locations)s::integer[], %(starts)s::timestamptz[],
                             %(ends)s::timestamptz[])
                      WITH ORDINALITY AS gap (asset, location, first, until, place)),
    waiting AS (
        SELECT r.id, r.rule_id, r.position, r.proposed_correction, r.asset_id AS asset,
               r.location_id AS location, r.slot_start AS start, NULL::bigint AS event
          FROM data_point_results r
         WHERE r.project_id = %(project)s AND r.event_type_id = %(event_type)s
           AND r.approval_state = %(pending)s AND r.slot_start IS NOT NULL
        UNION ALL
        SELECT r.id, r.rule_id, r.position, r.proposed_correction, {METER_ASSET},
               {METER_LOCATION}, e.start_time, e.id
          FROM data_point_results r JOIN events e ON (e.project_id, e.id) = (r.project_id, r.event_id)
         WHERE r.project_id = %(project)s AND e.event_type_id = %(event_type)s AND e.voided_at IS NULL
           AND r.approval_state = %(pending)s AND r.slot_start IS NULL),
    placed AS (
        SELECT g.place, w.*, count(*) OVER (PARTITION BY g.place) AS count,
               row_number() OVER (PARTITION BY g.place ORDER BY w.start, w.id) AS number
          FROM gap g
          JOIN waiting w ON (w.asset, w.location) = (g.asset, g.location)
           AND w.start >= g.first AND w.start < g.until)
    SELECT p.place, p.count, p.id, p.rule_id, p.event, p.start, t.slug, p.proposed_correction -> 'to_value'
      FROM placed p
      JOIN data_point_types t ON (t.project_id, t.event_type_id, t.position)
                               = (%(project)s, %(event_type)s, p.position)
     WHERE p.number <= %(limit)s ORDER BY p.place, p.number
"""


# Paths of gaps.


@get(
    "/projects/{project_id}/event_types/{event_type_id}/gaps",
    permission="data_collection:read",
    returns=Gaps,
    refuses=(Invalid,),
    query={
        "start_time": "The moment at which the range begins: slots that begin earlier are not in it.",
        "end_time": f"When it ends, at most {DETAIL_DAYS_MAX} days later: slots from then on are not in it.",
    },
    computes=True,
)
async def list_gaps(call: ReadCall) -> Gaps:
    """List where an event type's meters lack valid values, and what stands before, after and in the gaps.

    A gap is expected slots of one meter, one after another, in which nothing was captured or nothing valid.
    Slots that outages cover, or out of service, neither count in it nor end it. It is told as far as it lies
    in the range; a range with more than 500 is refused.
    """
    await need_feature(call.tx, call.actor.account_id, Feature.DATA_CAPTURE_RATE)
    tx, project = call.tx, await project_of(call)
    time, rest = asked_time(call.query)
    if rest:
        name = rest[0][0]
        raise Malformed(
            [Problem(f"{name} is no parameter of gaps; they take start_time and end_time.", name, "unknown")]
        )
    question = await build_question(tx, project, call.path["event_type_id"], time, slots_max=GAP_SLOTS_MAX)
    refuse_over_a_quarter(question)
    meters = await expected_meters(tx, question)
    if (count := len(meters) * len(question.counted)) > GAP_SLOTS_MAX:
        message = (
            f"{len(meters):,} meters have {count:,} slots in the range, over {GAP_SLOTS_MAX:,} together."
        )
        raise Invalid([Problem(message, END, "too_long")])
    found = await _list_findings(tx, question, meters)
    beside = await _read_neighbours(tx, question, found)
    proposed = await _read_proposals(tx, question, meters, found)
    return Gaps(
        event_type_id=identity.of("event_type", project, question.event_type),
        start_time=Instant.of(time.start),
        end_time=Instant.of(time.end),
        data=[
            _gap(question, meters[one.meter], one, beside, proposed.get(place, _NOTHING_PROPOSED))
            for place, one in enumerate(found)
        ],
    )


ROUTES = [list_gaps]
