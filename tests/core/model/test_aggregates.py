"""Aggregates: what the readings of a slot come to, exactly and in any grouping."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from weighbridge.core.model import Aggregate
from weighbridge.core.model.aggregates import (
    AGGREGATES,
    Reading,
    aggregate_readings,
    compute_weighted_average,
)
from weighbridge.core.time.calendar import Interval
from weighbridge.core.time.expectation import Meter

NO_METER = Meter()
DAY = Interval(datetime(2025, 1, 2, tzinfo=UTC), datetime(2025, 1, 3, tzinfo=UTC))


def at(day, hour, value, weight=None, meter=NO_METER):
    moment = datetime(2025, 1, day, hour, tzinfo=UTC)
    weighed = None if weight is None else Decimal(weight)
    return Reading(Interval(moment, moment), Decimal(value), weighed, meter)


def lasting(start, end, value):
    return Reading(
        Interval(datetime(2025, 1, *start, tzinfo=UTC), datetime(2025, 1, *end, tzinfo=UTC)), Decimal(value)
    )


READINGS = [at(2, 0, "3"), at(2, 6, "1"), at(2, 12, "2.5"), at(2, 18, "1")]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("sum", Decimal("7.5")),
        ("average", Decimal("1.875")),
        ("time_weighted", Decimal("1.875")),
        ("min", Decimal(1)),
        ("max", Decimal(3)),
        ("count", Decimal(4)),
        ("first", Decimal(3)),
        ("last", Decimal(1)),
        ("median", Decimal("1.75")),
        ("values", (Decimal(3), Decimal(1), Decimal("2.5"), Decimal(1))),
    ],
)
def test_readings_are_aggregated(kind, expected):
    assert aggregate_readings(Aggregate(kind), READINGS, DAY) == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("sum", Decimal(0)),
        ("count", Decimal(0)),
        ("values", ()),
        ("average", None),
        ("min", None),
        ("delta", None),
    ],
)
def test_without_readings_only_sums_counts_and_arrays_have_a_value(kind, expected):
    assert aggregate_readings(Aggregate(kind), [], DAY) == expected


def test_every_aggregate_has_a_definition():
    assert set(AGGREGATES) == set(Aggregate)
    assert all(definition.doc.endswith(".") for definition in AGGREGATES.values())


def test_a_weighted_average_is_rounded_once():
    readings = [at(2, 0, "0.1", weight="1"), at(2, 1, "0.4", weight="2")]

    assert aggregate_readings(Aggregate.AVERAGE, readings, DAY) == Decimal("0.3")
    assert compute_weighted_average([at(2, 0, "1", weight="0")]) is None
    with pytest.raises(ValueError, match="the weight of every reading"):
        compute_weighted_average([at(2, 0, "1", weight="1"), at(2, 1, "1")])


def test_an_event_weighs_as_long_as_it_lasts_inside_the_slot():
    readings = [lasting((1, 0), (2, 6), 100), lasting((2, 6), (2, 12), 20), lasting((2, 12), (4, 0), 10)]

    assert aggregate_readings(Aggregate.TIME_WEIGHTED, readings, DAY) == Decimal(35)


def test_a_reading_stands_until_the_next_one():
    readings = [at(1, 12, "8"), at(2, 6, "4"), at(2, 18, "0")]

    assert aggregate_readings(Aggregate.TIME_WEIGHTED, readings, DAY) == Decimal(4)


def test_a_totaliser_counts_from_the_last_reading_before_the_slot():
    readings = [at(1, 0, "100"), at(1, 23, "110"), at(2, 8, "130"), at(3, 0, "150"), at(3, 1, "999")]

    assert aggregate_readings(Aggregate.DELTA, readings, DAY) == Decimal(40)


def test_a_totaliser_that_began_again_counts_from_zero():
    readings = [at(2, 0, "990"), at(2, 6, "999"), at(2, 12, "5"), at(2, 18, "20")]

    assert aggregate_readings(Aggregate.DELTA, readings, DAY) == Decimal(29)


def test_a_totaliser_that_begins_in_the_slot_counts_from_its_first_reading():
    assert aggregate_readings(Aggregate.DELTA, [at(2, 6, "1"), at(2, 12, "2")], DAY) == Decimal(1)


@pytest.mark.parametrize("readings", [[at(1, 6, "1")], [at(2, 6, "1")]])
def test_a_totaliser_with_one_reading_has_no_value(readings):
    assert aggregate_readings(Aggregate.DELTA, readings, DAY) is None


def test_what_totalisers_count_is_judged_meter_by_meter_and_added():
    east, west = Meter("East"), Meter(None, "West")
    readings = [
        at(1, 0, "100", meter=east), at(2, 3, "9000", meter=west), at(2, 6, "110", meter=east),
        at(2, 12, "9005", meter=west), at(2, 18, "7", meter=east), at(2, 20, "1"),
    ]  # fmt: skip

    assert aggregate_readings(Aggregate.DELTA, readings, DAY) == Decimal(10 + 7 + 5)


def test_a_reading_stands_until_the_next_one_of_its_meter():
    east, west = Meter("East"), Meter("West")
    readings = [at(1, 0, "8", meter=east), at(2, 0, "4", meter=west), at(2, 12, "0", meter=west)]

    assert aggregate_readings(Aggregate.TIME_WEIGHTED, readings, DAY) == Decimal(5)
