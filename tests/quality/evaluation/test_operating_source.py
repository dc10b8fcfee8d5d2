"""Hours in which a unit did not run, as events of another type say: not missing, counted or filled."""

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import collection as given
from tests.given.gaps import BEGIN, body, filling, hours, report, stack
from tests.given.rule_evaluation import change, correct, work

MEAN = {"method": "mean_before_after"}
RUNNING = {"operating_from": {"event_type": "unit", "where": "{{output}} > 0"}}
SHORT = {
    "tiers": [
        {"when": "gap_slots() <= 2", "code": "06", **MEAN},
        {"code": "10", "method": "maximum", "window": {"kind": "rolling", "members": 100}},
    ],
    **RUNNING,
}


def with_units(api, **fields):
    """A project of stacks, whose units report their output for any stretch of time."""
    project = stack(api)
    unit = {"name": "Unit", "slug": "unit", "expected_locations": "none"} | fields
    points = [given.number("output", unit="MW", required=False)]
    path = f"/projects/{project['id']}/event_types"
    api.post(path, {"event_type": unit | {"data_point_types": points}}).expect(201)
    return project


def moment(hour):
    return (BEGIN + timedelta(hours=hour)).strftime("%Y-%m-%dT%H:%M:%SZ")


def output(first, last, value, **fields):
    """A unit's output from one hour on and before another, both counted from 1."""
    return given.event_body(
        event_type="unit", start_time=moment(first - 1), end_time=moment(last - 1),
        values={} if value is None else {"output": value}, **fields,
    )  # fmt: skip


def found(api, project, **query):
    """The value of each hour with its code, where a rule gave it."""
    of_stacks = {"filter[slug][eq]": "hour"} | query
    return {
        number: (point["value"], (point["substitution"] or {}).get("code"))
        for number, point in hours(api, project, **of_stacks).items()
        if point["value_source"] != "captured"
    }


def test_hours_in_which_the_unit_did_not_run_are_no_part_of_a_gap(api, account):
    """Of six hours without a valid value four are idle, so the gap is of two."""
    project = with_units(api)
    filling(api, project, SHORT)
    filling(api, project, SHORT, purpose="impute", name="Impute")
    given.events(api, project, [output(1, 4, 90), output(4, 8, 0), output(8, 12, 90)])
    report(api, project, "10 90 !5 - !7 - - - 20")
    work(account)

    assert found(api, project) == {3: (55, "06"), 8: (55, "06")}


def test_a_late_word_of_the_unit_takes_back_what_was_filled(api, account):
    project = with_units(api)
    filling(api, project, SHORT, purpose="impute", name="Impute")
    report(api, project, "10 90 - - - - 20")
    work(account)
    assert found(api, project) == dict.fromkeys(range(3, 7), (90, "10"))

    [idle] = given.events(api, project, [output(4, 6, 0)])
    work(account)
    work(account)
    assert found(api, project) == {3: (55, "06"), 6: (55, "06")}

    point = api.get(f"/projects/{project['id']}/events/{idle['id']}").body
    correct(api, project, point, 40)
    work(account)
    work(account)
    assert found(api, project) == dict.fromkeys(range(3, 7), (90, "10"))


def test_a_unit_speaks_for_its_own_meter_and_one_without_a_meter_for_all(api, account):
    project = with_units(api)
    east, west = (given.asset(api, project, name=name)["id"] for name in ("East", "West"))
    filling(api, project, {**MEAN, **RUNNING})
    for asset in (east, west):
        report(api, project, "10 !5 !5 20", asset_id=asset)
    given.events(api, project, [output(2, 3, 0, asset_id=east), output(3, 4, 0)])
    work(account)

    assert found(api, project, **{"filter[asset_id][eq]": east}) == {}
    assert found(api, project, **{"filter[asset_id][eq]": west}) == {2: (15, None)}


def test_a_word_without_a_length_is_about_its_slot(api, account):
    project = with_units(api, cadence_amount=1, cadence_unit="hour")
    filling(api, project, {**MEAN, **RUNNING})
    report(api, project, "10 !5 !5 !5 20")
    given.events(api, project, [output(3, 3, 0), output(4, 4, None)])
    work(account)

    # What the unit does not say, it was operating.
    assert found(api, project) == {2: (15, None), 4: (15, None)}


def test_a_slot_is_idle_only_if_all_of_it_is(api, account):
    project = with_units(api)
    filling(api, project, {**MEAN, **RUNNING})
    report(api, project, "10 !5 20")
    half = output(2, 3, 0) | {"end_time": "2025-01-01T01:30:00Z"}
    given.events(api, project, [half])
    work(account)
    assert found(api, project) == {2: (15, None)}

    rest = output(2, 3, 0) | {"start_time": "2025-01-01T01:30:00Z"}
    given.events(api, project, [rest])
    work(account)
    work(account)
    assert found(api, project) == {}


@pytest.mark.parametrize(
    ("source", "field", "said"),
    [
        ({"event_type": "boiler", "where": "{{output}} > 0"}, "event_type", "no event type of the project"),
        ({"event_type": "no slug", "where": "{{output}} > 0"}, "event_type", "is the slug of an event type"),
        ({"event_type": "unit", "where": "{{outputs}} > 0"}, "where", "did you mean {{output}}?"),
        ({"event_type": "unit", "where": "{{output}} + 1"}, "where", "must be true or false"),
        ({"event_type": "unit"}, "where", "is an expression, as a text"),
        ({"event_type": "unit", "where": "{{output}} > 0", "for": 1}, "for", "is no part of operating_from"),
    ],
)
def test_a_source_that_does_not_fit_is_refused_by_its_field(api, source, field, said):
    project = with_units(api)
    rule = {
        "name": "Fill", "expression": "{{so2}} < 0", "effective_from": "2020-01-01T00:00:00Z",
        "purpose": "substitute", "correction": {**MEAN, "operating_from": source},
    }  # fmt: skip

    [problem] = api.post(f"/projects/{project['id']}/rules", {"rule": rule}).expect(422).errors

    assert problem["field"] == f"correction.operating_from.{field}"
    assert said in problem["message"]


def test_a_rule_whose_source_is_gone_fills_nothing_more(api, account):
    project = with_units(api)
    rule = filling(api, project, {**MEAN, **RUNNING})
    [unit] = [one for one in api.get(f"/projects/{project['id']}/event_types").data if one["slug"] == "unit"]
    api.delete(f"/projects/{project['id']}/event_types/{unit['id']}").expect(204)
    report(api, project, "10 !5 20")
    work(account)

    assert found(api, project) == {}
    assert change(api, rule, correction=MEAN)["version"] == 2


WORDS = st.sampled_from(["-", "!7", "10", "20", "40"])
OUTPUTS = st.lists(st.tuples(st.integers(1, 10), st.integers(1, 5), st.sampled_from([0, 50])), max_size=5)


@for_all(st.lists(WORDS, min_size=3, max_size=10), OUTPUTS, st.randoms(use_true_random=False))
@settings(
    max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_in_whatever_order_hours_and_outputs_arrive_gaps_are_filled_the_same(account, words, outputs, order):
    bodies = [body(number, word) for number, word in enumerate(words, start=1) if word != "-"]
    bodies += [output(first, first + length, value) for first, length, value in outputs]
    api = account.caller()
    results = []
    for portion in (len(bodies) or 1, 2):
        project = with_units(api)
        if portion == 2:
            order.shuffle(bodies)
        for purpose in ("substitute", "impute"):
            filling(api, project, SHORT, purpose=purpose, name=purpose)
        for first in range(0, len(bodies), portion):
            given.events(api, project, bodies[first : first + portion])
            work(account)
            work(account)
        results.append(found(api, project))

    assert results[0] == results[1]
    assert all(isinstance(value, Decimal) for value, _ in results[0].values())
