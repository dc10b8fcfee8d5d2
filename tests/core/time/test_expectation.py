"""What is expected of a meter, whoever asks. Design, Capture rate."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.time.calendar import CadenceSlots, Instant, Interval
from weighbridge.core.time.expectation import (
    Expectation,
    ExpectedCadence,
    Service,
    count_expected,
    join_outages,
)

HOURS = CadenceSlots(1, "hour", UTC)


def at(text: str) -> Instant:
    return Instant.of(datetime.fromisoformat(f"2025-01-{text}Z"))


def stretch(start: str, end: str) -> Interval:
    return Interval(at(start), at(end))


DAY = stretch("01T00:00", "02T00:00")
COUNTED = HOURS.begun_in(DAY)


def expected(service: Service = Service(), *outages: tuple[str, str | None]) -> int:  # noqa: B008 - frozen
    given_out = join_outages(((at(start), end and at(end)) for start, end in outages), DAY.end)
    return count_expected(COUNTED, Expectation(service, given_out).unexpected(HOURS, COUNTED))


def test_every_slot_is_expected_of_a_meter_that_says_nothing_of_its_service():
    assert expected() == 24


def test_only_slots_that_an_outage_covers_as_a_whole_are_excused():
    assert expected(Service(), ("01T08:00", "01T10:30")) == 22
    assert expected(Service(), ("01T08:05", "01T08:55")) == 24


def test_outages_that_overlap_or_touch_count_once_and_together():
    assert expected(Service(), ("01T08:00", "01T10:00"), ("01T09:00", "01T11:00")) == 21
    assert expected(Service(), ("01T08:00", "01T08:30"), ("01T08:30", "01T09:00")) == 23
    assert expected(Service(), ("01T08:00", "01T09:00"), ("01T08:00", "01T09:00")) == 23


def test_an_outage_without_an_end_lasts():
    assert expected(Service(), ("01T20:00", None)) == 20


def test_a_slot_is_expected_of_a_meter_that_is_in_service_when_it_begins():
    assert expected(Service(at("01T06:00"), None)) == 18
    assert expected(Service(at("01T06:30"), None)) == 17
    assert expected(Service(None, at("01T06:30"))) == 7
    assert expected(Service(at("02T00:00"), None)) == 0


def test_time_out_of_service_and_in_an_outage_is_left_out_once():
    assert expected(Service(at("01T06:00"), None), ("01T05:00", "01T08:00")) == 16


def test_expected_time_is_the_time_in_service_without_the_outages():
    outages = join_outages([(at("01T08:10"), at("01T08:40")), (at("01T08:30"), at("01T09:00"))], DAY.end)

    assert Expectation(Service(at("01T06:00")), outages).stretches(DAY) == (
        stretch("01T06:00", "01T08:10"),
        stretch("01T09:00", "02T00:00"),
    )


hours = st.integers(-10, 40)


@given(st.lists(st.tuples(hours, st.integers(0, 20))), hours, st.integers(1, 60))
def test_what_is_expected_is_what_counting_slot_by_slot_comes_to(pairs, since, lasting):
    def moment(quarters: int) -> Instant:
        return Instant.of(datetime.fromtimestamp(DAY.start.timestamp() + quarters * 900, UTC))

    service = Service(moment(since), moment(since + lasting))
    outages = [(moment(start), moment(start + length)) for start, length in pairs]
    inside = range(COUNTED.start, COUNTED.start + 6)

    found = Expectation(service, join_outages(outages, DAY.end)).unexpected(HOURS, inside)

    def is_expected(slot: int) -> bool:
        quarters = range(slot * 4, slot * 4 + 4)
        out = {
            quarter
            for start, end in outages
            for quarter in quarters
            if start.timestamp() <= quarter * 900 < end.timestamp()
        }
        begins = HOURS.start(slot)
        return service.start <= begins < service.end and len(out) < 4

    slots = ExpectedCadence(HOURS, Expectation(service, join_outages(outages, DAY.end)))

    assert count_expected(inside, found) == sum(map(is_expected, inside))
    assert [slots.hold(one) for one in COUNTED] == [is_expected(one) for one in COUNTED]
    for first in COUNTED[::5]:
        assert slots.between(first, COUNTED.stop) == sum(map(is_expected, range(first, COUNTED.stop)))
    assert slots.between(COUNTED.stop, COUNTED.start) == 0
