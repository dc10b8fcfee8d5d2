"""One pass over sliding windows finds what the definitions say, record by record and member by member."""

from datetime import timedelta
from decimal import Decimal
from statistics import median
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.rule.records import at, rule_of
from tests.examples import examples

from weighbridge.core.number import CONTEXT
from weighbridge.core.rule import Evaluation, Record, compile_rule
from weighbridge.core.rule.functions import Ordered
from weighbridge.core.time.calendar import find_slot

BERLIN = ZoneInfo("Europe/Berlin")
BEGIN = at("2025-03-20T00:00:00Z")

values = st.none() | st.integers(-3, 3).map(Decimal)
steps = st.sampled_from([0, 1, 5, 30])
rows = st.lists(st.tuples(steps, values, st.sampled_from("ab"), st.booleans()), max_size=25)
windows = st.one_of(
    st.fixed_dictionaries(
        {"kind": st.just("rolling"), "members": st.integers(1, 5), "include_current": st.booleans()}
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("rolling"),
            "duration": st.fixed_dictionaries(
                {"value": st.sampled_from([1, 6, 40]), "unit": st.just("hour")}
            ),
            "include_current": st.booleans(),
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("calendar"),
            "unit": st.sampled_from(["day", "week", "month"]),
            "value": st.integers(1, 3),
            "extent": st.sampled_from(["to_date", "whole_period"]),
        }
    ),
)
conditions = st.sampled_from([{}, {"where": "{{mass}} >= 0"}])


def history(drawn):
    hour, records = 0, []
    for key, (step, value, group, is_target) in enumerate(drawn):
        hour += step
        moment = BEGIN + timedelta(hours=hour)
        records.append(Record(key, moment, moment, moment, group, None, is_target, (value,)))
    return records


def members_of(record, records, window):
    """The members of one record's window, by the words of the definition."""
    same = [other for other in records if other.group == record.group]
    if "where" in window:
        same = [other for other in same if other.values[0] is not None and other.values[0] >= 0]
    if window["kind"] == "calendar":
        cadence = {"day": "daily", "week": "weekly", "month": "monthly"}[window["unit"]]
        last = first = find_slot(cadence, record.start, BERLIN)
        for _ in range(window["value"] - 1):
            first = find_slot(cadence, first.start - timedelta(seconds=1), BERLIN)
        inside = [other for other in same if first.start <= other.start < last.end]
        return inside if window["extent"] == "whole_period" else [m for m in inside if m.key <= record.key]
    is_current = window["include_current"]
    before = [other for other in same if other.key < record.key or (is_current and other.key == record.key)]
    if "members" in window:
        return before[-window["members"] :]
    earliest = record.start - timedelta(hours=window["duration"]["value"])
    return [other for other in before if other.start >= earliest]


def naive(record, members):
    """What the expression below comes to for one record."""
    own, given_values = record.values[0], [m.values[0] for m in members if m.values[0] is not None]
    if own is None or not given_values:
        return False
    mean = CONTEXT.divide(sum(given_values), Decimal(len(given_values)))
    return (
        own > mean
        or own < median(given_values)
        or (own == max(given_values) and len(members) > 3)
        or (own == min(given_values) and given_values.count(own) == 2)
    )


EXPRESSION = """
    {{mass}} > avg({{mass}}) or {{mass}} < median({{mass}})
    or {{mass}} = max({{mass}}) and count() > 3
    or {{mass}} = min({{mass}}) and count_same({{mass}}) = 2
"""


@settings(max_examples=examples(200), deadline=None)
@given(rows, windows, conditions, st.integers(1, 7))
def test_one_pass_agrees_with_the_definition_record_by_record(drawn, window, condition, portion):
    records, asked = history(drawn), window | condition
    evaluation = Evaluation(compile_rule(rule_of(EXPRESSION, asked)), BERLIN)

    found = []
    for first in range(0, len(records), portion):
        found += evaluation.take(records[first : first + portion])
    found += evaluation.finish()

    expected = [one.key for one in records if one.is_target and naive(one, members_of(one, records, asked))]
    assert sorted(finding.record.key for finding in found) == expected
    assert evaluation.evaluated == sum(one.is_target for one in records)


def test_ranks_hold_in_a_bag_of_many_chunks():
    bag, numbers = Ordered(), [Decimal(number * 7919 % 4001) for number in range(4000)]
    for number in numbers:
        bag.add(number)
    for number in numbers[:2500]:
        bag.remove(number)

    left = sorted(numbers[2500:])
    assert [bag[rank] for rank in range(len(bag))] == left
