"""What generation computes is what the definitions of the model language say, on any data."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from tests.given import collection as given
from tests.given import inputs as given_inputs
from tests.given.inputs import nodes_of, recomputed

from weighbridge.core.engine.slot_computation import prorate_value
from weighbridge.core.model import Aggregate
from weighbridge.core.model.aggregates import Reading, aggregate_readings
from weighbridge.core.number import EXACT
from weighbridge.core.time.calendar import Instant, Interval

START = datetime(2025, 1, 1, tzinfo=UTC)
RANGE = ("2025-01-01T00:00:00Z", "2025-01-03T00:00:00Z")
SLOTS = [
    Interval(Instant.of(START + timedelta(days=day)), Instant.of(START + timedelta(days=day + 1)))
    for day in (0, 1)
]
ONE_BY_ONE = [one for one in Aggregate if one is not Aggregate.VALUES]
DIVIDED = (Aggregate.SUM, Aggregate.TIME_WEIGHTED)
WHOLE = ("report", "start", "end")


def nodes(options):
    """Every aggregate of the deliveries, and all of them as one output."""
    read = "".join(
        f"""
  - slug: {name}_{straddle}
    input: {{event_type: delivery, data_point_type: mass, aggregate: {name}, straddle: {straddle},
      share: repeat, coverage: any{options}}}
    unit: {"1" if name is Aggregate.COUNT else "t"}
    optional: true
"""
        for name, straddle in combinations()
    )
    return f"""
  - slug: runs
    input: {{event_type: delivery, data_point_type: mass, aggregate: sum, straddle: prorate, coverage: any}}
    unit: t
    output: true
{read}"""


def combinations() -> Iterator[tuple[Aggregate, str]]:
    for name in ONE_BY_ONE:
        yield from ((name, straddle) for straddle in WHOLE)
    yield from ((name, "prorate") for name in DIVIDED)


def events(chance):
    """Events of two days and the nights around them: some with a length, some of the same moment."""
    for place in range(chance.randrange(12, 40)):
        start = START + timedelta(hours=chance.randrange(-12, 60))
        length = chance.choice([0, 0, 0, 3, 10, 30])
        yield given.event_body(
            event_type="delivery",
            start_time=Instant.of(start).text,
            end_time=Instant.of(start + timedelta(hours=length)).text,
            tracking_id=chance.choice([None, "A", "B", "a"]),
            client_reference=f"r{place}",
            values={"mass": Decimal(chance.randrange(-5_000, 9_000)) / chance.choice([1, 7, 1000])},
        )


def readings_of(bodies):
    """The readings in the order in which they count."""

    def place(body):
        tracking_id = body["tracking_id"]
        return (
            body["start_time"],
            body["end_time"],
            tracking_id is None,
            tracking_id or "",
            body["client_reference"],
        )

    return [
        Reading(
            Interval(
                Instant.of(datetime.fromisoformat(body["start_time"])),
                Instant.of(datetime.fromisoformat(body["end_time"])),
            ),
            body["data_points"][0]["value"],
        )
        for body in sorted(bodies, key=place)
    ]


def has(slot, time, straddle):
    """Whether a slot has an event, by its times."""
    match straddle:
        case "start":
            return slot.start <= time.start < slot.end
        case "end":
            return (
                slot.start <= time.start < slot.end if time.is_reading else slot.start < time.end <= slot.end
            )
        case "prorate":
            return slot.touches(time)
    return slot.holds(time)


def expected(name, straddle, readings, slot):
    """The value of an aggregate by its definition."""
    if name is Aggregate.DELTA:
        return aggregate_readings(name, [one for one in readings if one.time.end <= slot.end], slot)
    found = [one for one in readings if has(slot, one.time, straddle)]
    if name is Aggregate.TIME_WEIGHTED:
        before = [one for one in readings if one.time.is_reading and one.time.start < slot.start]
        found = [*before[-1:], *found]
    elif straddle == "prorate":
        found = [Reading(one.time, prorate_value(one.value, one.time, slot)) for one in found]
    return (
        aggregate_readings(name, found, slot) if found or name in {Aggregate.SUM, Aggregate.COUNT} else None
    )


@pytest.mark.parametrize("seed", range(4))
def test_every_aggregate_and_straddle_is_what_its_definition_says(api, drain, server, seed):
    chance = random.Random(seed)  # noqa: S311 - the same data in every run
    plant = given_inputs.plant(api, drain, nodes(""), primary_output="runs", cadence="daily")
    bodies = list(events(chance))
    given.events(api, plant.project, chance.sample(bodies, len(bodies)))

    plant.generate(RANGE)

    readings = readings_of(bodies)
    for number, slot in enumerate(SLOTS):
        found = nodes_of(plant, number)
        wanted = {
            f"{name}_{straddle}": expected(name, straddle, readings, slot)
            for name, straddle in combinations()
        }
        got = {slug: node["value"] for slug, node in found.items() if slug != "runs"}
        assert got == {slug: value for slug, value in wanted.items() if value is not None}
    assert recomputed(server, plant) == []


@pytest.mark.parametrize("seed", range(2))
def test_shares_of_every_amount_sum_to_it_and_all_else_is_repeated(api, drain, server, seed):
    chance = random.Random(seed)  # noqa: S311 - the same data in every run
    kinds = {"sum": "even", "count": "even", "delta": "even", "last": "repeat", "median": "repeat"}
    read = "".join(
        f"""
  - slug: {name}
    input: {{event_type: bill, data_point_type: energy, aggregate: {name}, share: {share}}}
    unit: {"1" if name == "count" else "kWh"}
"""
        for name, share in kinds.items()
    )
    mass = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
"""
    plant = given_inputs.plant(api, drain, mass + read, primary_output="mass", partition_type="feedstock")
    for place, name in enumerate(("Ash", "Birch", "Cane")):
        given.event(
            api, plant.project, event_type="delivery", start_time="2025-01-10T00:00:00Z",
            values={"mass": place + 1}, feedstock_id=plant.feedstock(name),
        )  # fmt: skip
    values = [Decimal(chance.randrange(1, 10**9)) / 7 for _ in range(5)]
    for day, value in enumerate(values):
        moment = Instant.of(START + timedelta(days=day - 1)).text
        given.event(api, plant.project, event_type="bill", start_time=moment, values={"energy": value})

    plant.generate()

    found = [nodes_of(plant, number) for number in range(3)]
    parts = {name: [one[name]["value"] for one in found] for name in kinds}
    wholes = {name: {one[name]["whole"] for one in found} for name in kinds}
    inside = values[1:]
    rises = [late - early if late >= early else late for early, late in pairwise(values[1:])]
    assert parts["last"] == [values[-1]] * 3
    assert len(set(parts["median"])) == 1
    for name, whole in {"sum": sum(inside), "count": Decimal(4), "delta": sum(rises)}.items():
        exact = Decimal(0)
        for part in parts[name]:
            exact = EXACT.add(exact, part)
        assert wholes[name] == {exact}
        assert abs(exact - whole) < Decimal("1e-17")
    assert recomputed(server, plant) == []
