"""Read on which readings the values rest that rules put in: their sources, and what these state.

A value that a rule put in changes with each of its sources at a weight (`core/rule/substitution/sources.py`).
So a sum changes with a reading by 1 for itself, where it is in the sum, and by the weights with which it is
in others that are. With rates k of a reading by values that were put in, and o by itself, the squares of an
independent error take (o + k)^2 - o^2 = k (k + 2 o) more than the sums of captured values have.

A value whose rule states how well it is known has that in place of its sources; one without sources, such as
a constant, is as well known as its type says a reading is.

Invariants: nothing is read of streams without such values; the statements are sets.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from psycopg.sql import SQL

from weighbridge.accounting.inputs.selection import SelectedEvents
from weighbridge.accounting.inputs.streams import InputStream, ReadValue
from weighbridge.collection.measurements.uncertainties import build_stored
from weighbridge.core.collection.correction import CorrectionOrigin
from weighbridge.core.engine.slot_computation import NEVER_CERTIFIED, Element, FilledBasis, Measure
from weighbridge.core.engine.stated_values import Moments, StatedClass
from weighbridge.core.ledger.allocation import Partition
from weighbridge.core.time.calendar import Interval
from weighbridge.core.uncertainty.statement import Statements
from weighbridge.db.engine import Read
from weighbridge.db.statements import Literal

FILLED: Final = CorrectionOrigin.SUBSTITUTION.value
"""The origin of what a rule put in for another value, or for none."""


class _SumsRow(NamedTuple):
    """The rates of readings that state the same, in a slot and a partition."""

    slot: int
    tracking_id: str | None
    feedstock: str | None
    asset: str | None
    is_of_rule: bool
    stated: Mapping[str, Any] | None
    meter: int | None
    stretch: int | None
    rate: Decimal
    rated: Decimal
    rate_square: Decimal
    rated_square: Decimal


class FilledMoments(NamedTuple):
    """What values that rules put in add to the sums of a group, for one class of statements."""

    slot: int
    tags: Partition
    stated: StatedClass
    moments: Moments


class FilledInput(NamedTuple):
    """A stream with values that rules put in, and how its events are cut to partitions."""

    project: int
    stream: InputStream
    selected: SelectedEvents
    dimensions: Collection[str]


async def read_filled_moments(
    tx: Read, filled: FilledInput, read_value: ReadValue, measure: Measure, bounds: Sequence[datetime]
) -> list[FilledMoments]:
    """Read what the values of an input add that rules put in; the tags are those of its sums."""
    selected, dimensions = filled.selected, filled.dimensions
    position = Literal(read_value.column.position)
    statement = _SUMS.format(
        tracking_id=SQL("e.tracking_id") if "tracking_id" in dimensions else SQL("NULL::text"),
        feedstock=SQL("e.feedstock_id") if "feedstock" in dimensions else SQL("NULL::integer"),
        asset=SQL("e.asset_id") if "asset" in dimensions else SQL("NULL::integer"),
        value=selected.value(read_value.column),
        weight=selected.value(read_value.weight) if read_value.weight else SQL("1::numeric"),
        position=position,
        key=Literal(str(read_value.column.position)),
        batch=selected.batch,
        source=selected.source,
        sources=SQL(SOURCES),
        is_used=selected.uses_correction,
        events=selected.events,
        origin=Literal(FILLED),
    )
    rows = await tx.tuples(statement, {**selected.values, "project": filled.project, "bounds": [*bounds]})
    return [_build_moments(_SumsRow(*row), measure, bounds) for row in rows]


def _build_moments(row: _SumsRow, measure: Measure, bounds: Sequence[datetime]) -> FilledMoments:
    moment = bounds[row.stretch - 1] if row.stretch else None
    stated = None if row.stated is None else (build_stored(row.stated),)
    statements = (
        stated
        if row.is_of_rule and stated is not None
        else _list_of_reading(stated, measure, row.meter, moment)
    )
    return FilledMoments(
        row.slot - 1,
        Partition(tracking_id=row.tracking_id, feedstock=row.feedstock, asset=row.asset),
        StatedClass("", statements),
        Moments(rate=row.rate, rated=row.rated, rate_square=row.rate_square, rated_square=row.rated_square),
    )


def _list_of_reading(
    stated: Statements | None, measure: Measure, meter: int | None, moment: datetime | None
) -> Statements:
    """What a reading states by itself or by its type, and what it shares with others of its meter."""
    shared = tuple(
        period.statement
        for period in measure.calibrations
        if moment is not None and period.asset_number == meter and period.holds_at(moment)
    )
    return (measure.statements if stated is None else stated) + shared


_SUMS: Final = SQL("""
    WITH filled AS MATERIALIZED (
        SELECT slot.number AS slot, {tracking_id} AS tracking_id, {feedstock} AS feedstock_id,
               {asset} AS asset_id, {batch} AS batch_id, e.id AS event_id, {value} AS value,
               {weight} AS factor, c.substitution
          FROM {events}
          JOIN corrections c ON c.project_id = %(project)s AND c.event_id = e.id AND c.field = ''
           AND c.position = {position} AND c.source = {origin} AND {is_used}
         WHERE {value} IS NOT NULL AND NOT coalesce(e.uncertainties ? {key}, false)
    ), rates AS MATERIALIZED (
        SELECT slot, tracking_id, feedstock_id, asset_id, source, value, sum(rate) AS rate,
               max(batch_id) AS batch_id
          FROM (SELECT f.slot, f.tracking_id, f.feedstock_id, f.asset_id, f.batch_id, source.event AS source,
                       source.value, f.factor * source.weight AS rate
                  FROM filled f CROSS JOIN LATERAL {sources} AS source
                 WHERE NOT f.substitution ? 'uncertainty'
                UNION ALL
                SELECT f.slot, f.tracking_id, f.feedstock_id, f.asset_id, f.batch_id, f.event_id, f.value,
                       f.factor
                  FROM filled f
                 WHERE NOT coalesce(f.substitution ?| ARRAY['uncertainty', 'sources'], false)) AS each
         GROUP BY slot, tracking_id, feedstock_id, asset_id, source, value
    ), own AS MATERIALIZED (
        SELECT slot.number AS slot, {tracking_id} AS tracking_id, {feedstock} AS feedstock_id,
               {asset} AS asset_id, e.id AS source, {weight} AS factor
          FROM {events}
         WHERE e.id = ANY (ARRAY(SELECT source FROM rates)) AND {value} IS NOT NULL
           AND e.id <> ALL (ARRAY(SELECT event_id FROM filled))
    ), parts AS (
        SELECT slot.slot, slot.tracking_id, slot.feedstock_id, slot.asset_id, false AS is_of_rule,
               e.uncertainties -> {key} AS stated, e.asset_id AS meter,
               width_bucket(e.start_time, %(bounds)s::timestamptz[]) AS stretch,
               slot.rate, coalesce(own.factor, 0) AS own, slot.value
          FROM rates slot
          LEFT JOIN {source} ON true
          LEFT JOIN own ON own.slot = slot.slot AND own.source = slot.source
           AND (own.tracking_id, own.feedstock_id, own.asset_id)
               IS NOT DISTINCT FROM (slot.tracking_id, slot.feedstock_id, slot.asset_id)
        UNION ALL
        SELECT f.slot, f.tracking_id, f.feedstock_id, f.asset_id, true, f.substitution -> 'uncertainty',
               NULL, NULL, f.factor, 0, f.value
          FROM filled f WHERE f.substitution ? 'uncertainty'
    ), sums AS (
        SELECT slot, tracking_id, feedstock_id, asset_id, is_of_rule, stated, meter, stretch,
               sum(rate) AS rate, sum(rate * value) AS rated, sum(rate * (rate + 2 * own)) AS rate_square,
               sum(rate * (rate + 2 * own) * value * value) AS rated_square
          FROM parts WHERE rate IS NOT NULL
         GROUP BY slot, tracking_id, feedstock_id, asset_id, is_of_rule, stated, meter, stretch
    )
    SELECT sums.slot, sums.tracking_id, feedstocks.name, assets.name, is_of_rule, stated, meter, stretch,
           rate, rated, rate_square, rated_square
      FROM sums
      LEFT JOIN feedstocks ON feedstocks.project_id = %(project)s AND feedstocks.id = sums.feedstock_id
      LEFT JOIN assets ON assets.project_id = %(project)s AND assets.id = sums.asset_id
""")
SOURCES: Final = """
    (SELECT source.event::bigint AS event, source.place,
            (f.substitution -> 'sources' -> 'values' ->> (source.place - 1)::integer)::numeric AS value,
            coalesce((f.substitution -> 'sources' -> 'weights' ->> (source.place - 1)::integer)::numeric,
                     1.0000000000000000000000000000000000000000
                     / jsonb_array_length(f.substitution -> 'sources' -> 'events')) AS weight
       FROM jsonb_array_elements_text(f.substitution -> 'sources' -> 'events')
            WITH ORDINALITY AS source (event, place))
"""
"""The sources of a correction `f`: event, place, value then, and weight."""


# Elements: each value that a rule put in, with its sources.


class _FilledSourceRow(NamedTuple):
    """A source of a value that a rule put in, or that value alone, whose rule states how well it is known."""

    slot: int
    event: int
    stated_by_rule: Mapping[str, Any] | None
    source: int | None
    weight: Decimal | None
    start: datetime | None
    asset: str | None
    stated: Mapping[str, Any] | None
    value: Decimal | None


FilledElements = Mapping[tuple[int, int], Mapping[int, FilledBasis]]
"""By slot, as groups are, and event, and by the index of the value."""


async def read_filled_elements(
    tx: Read, project: int, stream: InputStream, selected: SelectedEvents
) -> FilledElements:
    """Read on what the values of a stream rest that rules put in."""
    found: dict[tuple[int, int], dict[int, FilledBasis]] = {}
    for index, column in enumerate(stream.columns):
        if column.value_type != "number":
            continue
        position = Literal(column.position)
        statement = _ELEMENTS.format(
            events=selected.events,
            position=position,
            key=Literal(str(column.position)),
            is_used=selected.uses_correction,
            origin=Literal(FILLED),
            batch=selected.batch,
            source=selected.source,
            sources=SQL(SOURCES),
        )
        for row in map(
            _FilledSourceRow._make, await tx.tuples(statement, {**selected.values, "project": project})
        ):
            of_event = found.setdefault((row.slot - 1, row.event), {})
            basis = of_event.get(index, FilledBasis())
            of_event[index] = _add_source(basis, row, index, len(stream.columns))
    return found


def _add_source(value: FilledBasis, row: _FilledSourceRow, index: int, count: int) -> FilledBasis:
    if row.stated_by_rule is not None:
        return FilledBasis(statements=(build_stored(row.stated_by_rule),))
    if row.source is None or row.value is None or row.weight is None:
        return value
    start = row.start or NEVER_CERTIFIED
    source = Element(
        event=row.source,
        rank=0,
        time=Interval(start, start),
        values=tuple(row.value if place == index else None for place in range(count)),
        asset=row.asset,
        stated=tuple(
            (build_stored(row.stated),) if place == index and row.stated else None for place in range(count)
        ),
    )
    return FilledBasis((*value.sources, (source, row.weight)))


_ELEMENTS: Final = SQL("""
    WITH filled AS MATERIALIZED (
        SELECT DISTINCT slot.number, e.id AS event_id, {batch} AS batch_id, c.substitution
          FROM {events}
          JOIN corrections c ON c.project_id = %(project)s AND c.event_id = e.id AND c.field = ''
           AND c.position = {position} AND c.source = {origin} AND {is_used}
         WHERE c.substitution ?| ARRAY['uncertainty', 'sources']
    ), slot AS (
        SELECT f.number, f.event_id, f.batch_id, f.substitution -> 'uncertainty' AS stated,
               source.event AS source, source.place, source.value, source.weight
          FROM filled f LEFT JOIN LATERAL {sources} AS source ON NOT f.substitution ? 'uncertainty'
    )
    SELECT slot.number, slot.event_id, slot.stated, slot.source, slot.weight, e.start_time, a.name,
           e.uncertainties -> {key}, slot.value
      FROM slot
      LEFT JOIN {source} ON true
      LEFT JOIN assets a ON a.project_id = %(project)s AND a.id = e.asset_id
     ORDER BY slot.number, slot.event_id, slot.place
""")
