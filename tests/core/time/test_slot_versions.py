"""Which version of a model computes which slots. Design, Slots and versions."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from weighbridge.core.time.calendar import EventSlot, Instant, Interval, Selection, find_slot, select
from weighbridge.core.time.slot_versions import GeneratedSlot, Version, assign

MONTHLY = Version(1, "monthly")
NEWER = Version(2, "monthly")
DAILY = Version(3, "daily")
BY_EVENT = Version(4, "event")


def day(month, number):
    return Instant(2025, month, number, tzinfo=UTC)


def month(number):
    return Interval(day(number, 1), day(number + 1, 1))


def a_day(month, number):
    return Interval(day(month, number), Instant.of(day(month, number) + timedelta(days=1)))


QUARTER = Interval(day(1, 1), day(4, 1))


def assigned(active, generated, wanted, *, is_replacing=False):
    kept = {one.slot for one in generated if one.slot in select(one.version.cadence, wanted, UTC).selected}
    chosen = select(active.cadence, wanted, UTC)
    return assign(active, chosen, generated, kept, is_replacing=is_replacing)


def test_slots_never_generated_belong_to_the_active_version():
    assert assigned(NEWER, [], QUARTER).slots == {2: (month(1), month(2), month(3))}


def test_a_generated_slot_keeps_its_version():
    found = assigned(NEWER, [GeneratedSlot(month(2), MONTHLY)], QUARTER)

    assert found.slots == {1: (month(2),), 2: (month(1), month(3))}


def test_a_replacement_takes_generated_slots_too():
    found = assigned(NEWER, [GeneratedSlot(month(2), MONTHLY)], QUARTER, is_replacing=True)

    assert found.slots == {2: (month(1), month(2), month(3))}
    assert found.replaced == ()


def test_days_leave_a_generated_month_alone_and_say_so():
    found = assigned(DAILY, [GeneratedSlot(month(1), MONTHLY)], Interval(day(1, 30), day(2, 3)))

    assert found.slots == {3: (a_day(2, 1), a_day(2, 2))}
    assert found.of_other_cadence == (a_day(1, 30), a_day(1, 31))


def test_a_month_that_the_range_selects_is_computed_by_its_own_version_beside_the_days():
    found = assigned(DAILY, [GeneratedSlot(month(1), MONTHLY)], Interval(day(1, 1), day(2, 2)))

    assert found.slots == {1: (month(1),), 3: (a_day(2, 1),)}


def test_days_that_cover_a_generated_month_replace_it():
    found = assigned(DAILY, [GeneratedSlot(month(1), MONTHLY)], month(1), is_replacing=True)

    assert (found.replaced, found.cut, len(found.slots[3])) == ((month(1),), (), 31)


def test_days_that_cover_a_part_of_a_generated_month_would_cut_it():
    wanted = Interval(day(1, 10), day(1, 20))

    found = assigned(DAILY, [GeneratedSlot(month(1), MONTHLY)], wanted, is_replacing=True)

    assert (found.replaced, found.cut) == ((), (month(1),))


def test_a_month_replaces_the_days_inside_it():
    found = assigned(MONTHLY, [GeneratedSlot(a_day(1, 5), DAILY)], month(1), is_replacing=True)

    assert (found.slots, found.replaced) == ({1: (month(1),)}, (a_day(1, 5),))


def test_slots_of_events_may_overlap_one_another():
    version = Version(1, "event")
    long, short = (EventSlot(day(1, 1), day(1, 9), event=1), EventSlot(day(1, 3), day(1, 4), event=2))

    found = assign(
        version, Selection((long, short), ()), [GeneratedSlot(long, version)], {long}, is_replacing=False
    )

    assert found.slots == {1: (long, short)}


def test_slots_of_events_are_left_to_a_generated_month():
    slot = EventSlot(day(1, 3), day(1, 4), event=2)
    month_of_january = GeneratedSlot(month(1), MONTHLY)

    found = assign(Version(9, "event"), Selection((slot,), ()), [month_of_january], set(), is_replacing=False)

    assert (found.slots, found.of_other_cadence) == ({}, (slot,))


def reading(month, number):
    """A slot of an event without length."""
    return EventSlot(day(month, number), day(month, number), event=7)


def test_a_reading_at_the_start_of_a_generated_month_is_left_to_the_month():
    slot = reading(2, 1)

    found = assign(
        BY_EVENT, Selection((slot,), ()), [GeneratedSlot(month(2), MONTHLY)], set(), is_replacing=False
    )

    assert (found.slots, found.of_other_cadence) == ({}, (slot,))


def test_a_month_is_left_to_a_generated_reading_at_its_start_but_not_to_one_at_its_end():
    def free(slot):
        chosen = Selection((month(2),), ())
        return assign(MONTHLY, chosen, [GeneratedSlot(slot, BY_EVENT)], set(), is_replacing=False).slots

    assert free(reading(2, 1)) == {}
    assert free(reading(3, 1)) == {1: (month(2),)}


def test_a_month_replaces_a_generated_reading_at_its_start():
    slot = reading(2, 1)

    found = assign(
        MONTHLY, Selection((month(2),), ()), [GeneratedSlot(slot, BY_EVENT)], set(), is_replacing=True
    )

    assert found.replaced == (slot,)


def test_events_replace_the_generated_months_of_the_range_whole_and_cut_no_other():
    chosen = Selection((reading(1, 5), reading(3, 2)), ())
    generated = [GeneratedSlot(month(number), MONTHLY) for number in (1, 2, 3)]

    found = assign(BY_EVENT, chosen, generated, {month(1), month(2)}, is_replacing=True)

    assert (found.replaced, found.cut) == ((month(1), month(2)), (month(3),))


CADENCES = ("daily", "weekly", "monthly", "quarterly")
days = st.integers(0, 200).map(
    lambda number: Instant.of(datetime(2025, 1, 1, tzinfo=UTC) + timedelta(number))
)
ranges = st.tuples(days, days).filter(lambda two: two[0] != two[1]).map(lambda two: Interval(*sorted(two)))


@settings(deadline=None, max_examples=examples(50))
@given(history=st.lists(st.tuples(st.sampled_from(CADENCES), ranges), max_size=4), wanted=ranges)
def test_no_instant_is_ever_accounted_for_twice(history, wanted):
    generated: list[GeneratedSlot] = []
    for number, (cadence, asked) in enumerate(history, start=1):
        found = assigned(Version(number, cadence), generated, asked)
        fresh = set(found.slots.get(number, ())) - {one.slot for one in generated}
        generated += [GeneratedSlot(slot, Version(number, cadence)) for slot in fresh]

    slots = sorted(one.slot for one in generated)

    assert all(one.end <= other.start for one, other in pairwise(slots))
    assert set(assigned(Version(9, "monthly"), generated, wanted).slots.get(9, ())) <= set(
        select("monthly", wanted, UTC).selected
    )


def test_a_week_that_its_data_have_left_holds_no_time():
    emptied = GeneratedSlot(a_day(1, 5), DAILY, is_in_force=False)

    found = assigned(MONTHLY, [emptied], QUARTER)

    assert found.slots == {1: (month(1), month(2), month(3))}
    assert (found.replaced, found.of_other_cadence) == ((a_day(1, 5),), ())


def test_an_emptied_day_beside_days_in_force_is_computed_by_its_version():
    days = [GeneratedSlot(a_day(1, 4), DAILY), GeneratedSlot(a_day(1, 5), DAILY, is_in_force=False)]

    found = assigned(MONTHLY, days, month(1))

    assert found.slots == {3: (a_day(1, 4), a_day(1, 5))}
    assert found.of_other_cadence == (month(1),)


def test_of_slots_in_force_that_share_time_those_of_the_active_version_stay():
    found = assigned(DAILY, [GeneratedSlot(month(1), NEWER), GeneratedSlot(a_day(1, 5), DAILY)], a_day(1, 5))

    assert (found.slots, found.replaced, found.overlapping) == ({3: (a_day(1, 5),)}, (month(1),), (month(1),))


def test_a_slot_that_is_none_of_its_versions_cadence_gives_way():
    stray = GeneratedSlot(a_day(1, 5), NEWER, is_whole=False)

    found = assigned(MONTHLY, [stray, GeneratedSlot(month(1), NEWER)], month(1))

    assert (found.slots, found.replaced) == ({2: (month(1),)}, (a_day(1, 5),))


def test_time_that_a_slot_of_another_cadence_leaves_of_one_is_open():
    weekly = Version(5, "weekly")

    found = assigned(weekly, [GeneratedSlot(month(1), MONTHLY)], Interval(day(2, 1), day(2, 17)))

    assert found.touched == (Interval(day(1, 27), day(2, 3)),)
    assert found.open_time == (Interval(day(2, 1), day(2, 3)),)


def test_an_event_that_moved_gives_way_to_a_month_and_to_no_other_event():
    moved = GeneratedSlot(reading(2, 10), BY_EVENT, has_moved=True)

    by_month = assign(MONTHLY, select("monthly", month(2), UTC), [moved], set(), is_replacing=False)
    newer = Version(9, "event")
    by_event = assign(newer, Selection((moved.slot,), ()), [moved], {moved.slot}, is_replacing=False)

    assert (by_month.slots, by_month.replaced) == ({1: (month(2),)}, (moved.slot,))
    assert (by_event.slots, by_event.replaced) == ({4: (moved.slot,)}, ())


@settings(max_examples=examples(200))
@given(data=st.data())
def test_no_two_slots_of_an_assignment_share_time(data):
    """Whatever was generated, in force or not: what is computed and what stands have each instant once."""
    cadences = ("daily", "weekly", "monthly", "quarterly")
    versions = [Version(number, cadence) for number, cadence in enumerate(cadences, start=1)]
    slots = data.draw(
        st.lists(
            st.builds(
                lambda version, at, is_in_force: GeneratedSlot(
                    find_slot(version.cadence, day(1, 1) + timedelta(days=at), UTC), version, is_in_force
                ),
                st.sampled_from(versions),
                st.integers(0, 89),
                st.booleans(),
            ),
            max_size=12,
            unique_by=lambda one: one.slot,
        )
    )
    active = data.draw(st.sampled_from(versions))

    found = assigned(active, slots, QUARTER)

    taken = sorted([*found.computed, *found.standing, *found.open_time])
    assert all(one.end <= following.start for one, following in pairwise(taken))
    in_force = {one.slot for one in slots if one.is_in_force}
    assert in_force <= {*found.computed, *found.standing, *found.replaced}
