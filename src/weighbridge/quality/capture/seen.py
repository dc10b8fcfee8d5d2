"""What became of each slot that an event fell into, as SQL: one row for each meter and slot.

An event belongs to the slot that holds its start. A substitution stands in an event where one is in force
on a value of it; such a value is no measurement, whatever `valid_when` says.

Invariant: a slot is one row however many events begin in it, and valid when any of them is.
"""

from typing import Any, Final, LiteralString

from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.event_row import METER_ASSET, METER_LOCATION
from weighbridge.core.collection.correction import CorrectionOrigin, CorrectionState
from weighbridge.core.time.cadence_slots import EPOCH
from weighbridge.db.literal import Literal, moments
from weighbridge.quality.capture.question import CaptureQuestion, parameters

SUBSTITUTED: Final[LiteralString] = f"""(e.is_revised AND NOT e.is_imputed AND EXISTS (
    SELECT FROM corrections c
     WHERE (c.project_id, c.event_id) = (e.project_id, e.id) AND c.position > 0
       AND c.state = '{CorrectionState.IN_FORCE}' AND c.source = '{CorrectionOrigin.SUBSTITUTION}'))"""


def valid_event(question: CaptureQuestion) -> Composable:
    """Whether the event `e` is a valid measurement."""
    return valid_measurement(question.valid)


def valid_measurement(valid: Composable) -> Composable:
    """Whether the event `e` is a valid measurement, by the condition of its type."""
    return SQL("(NOT e.is_imputed AND e.is_complete AND {} AND NOT {})").format(valid, SQL(SUBSTITUTED))


def seen_slots(question: CaptureQuestion, more: LiteralString = "") -> tuple[Composable, dict[str, Any]]:
    """A query of every meter and slot in which an event begins, and its parameters."""
    slot, values = _slot(question)
    counted = question.counted
    query = SQL(_SEEN).format(
        asset=SQL(METER_ASSET),
        location=SQL(METER_LOCATION),
        slot=slot,
        valid=valid_event(question),
        substituted=SQL(SUBSTITUTED),
        more=SQL(more),
    )
    bounds = {"first": question.slots.start(counted.start), "last": question.slots.start(counted.stop)}
    return query, parameters(question) | bounds | values


def _slot(question: CaptureQuestion) -> tuple[Composable, dict[str, Any]]:
    """When the slot begins in which the event `e` does."""
    slots = question.slots
    if slots.step is not None:
        binned = SQL("date_bin(%(step)s::interval, e.start_time, {})").format(Literal(EPOCH))
        return binned, {"step": slots.step}
    starts = moments(slots.start(number) for number in question.counted)
    cut = "(%(starts)s::timestamptz[])[width_bucket(e.start_time, %(starts)s::timestamptz[])]"
    return SQL(cut), {"starts": starts}


_SEEN: Final = """
    SELECT v.asset, v.location, v.slot,
           bool_or(NOT v.is_imputed) AS is_received,
           bool_or(v.is_valid) AS is_valid,
           bool_or(v.is_substituted) AS is_substituted,
           bool_or(v.is_imputed) AS is_imputed{more}
      FROM (SELECT e.id, {asset} AS asset, {location} AS location, {slot} AS slot, e.start_time, e.end_time,
                   e.tracking_id, e.client_reference, e.is_imputed, {valid} AS is_valid,
                   {substituted} AS is_substituted
              FROM events e
             WHERE e.project_id = %(project)s AND e.event_type_id = %(event_type)s AND e.voided_at IS NULL
               AND e.start_time >= %(first)s AND e.start_time < %(last)s) AS v
     GROUP BY v.asset, v.location, v.slot
"""
