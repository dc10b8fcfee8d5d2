"""Slots behind the last event of a meter, filled up to the end of a rule's time once it has passed."""

import pytest
from tests.given import collection as given
from tests.given.gaps import body, filling, hours, report, stack
from tests.given.rule_evaluation import change, correct, work

LAST = {"method": "mean_before_after", "without_after": "before", "without_before": "first_after"}
TO_END = LAST | {"fill_to_end": True}
"""40 CFR 98.355(c): the "before" value where no "after" value came by the end of the year."""

SIX = "2025-01-01T06:00:00Z"


def found(api, project):
    return {number: (point["value"], point["value_source"]) for number, point in hours(api, project).items()}


def fill(api, account, words, correction=TO_END, **fields):
    project = stack(api)
    said = {"purpose": "impute", "effective_to": SIX} | fields
    rule = filling(
        api, project, correction, **{name: value for name, value in said.items() if value is not None}
    )
    report(api, project, words)
    work(account)
    return project, rule


def test_the_slots_after_the_last_event_take_the_value_before_them(api, account):
    project, _ = fill(api, account, "10 20 - 40")

    assert found(api, project) == {
        1: (10, "captured"), 2: (20, "captured"), 3: (30, "imputed"), 4: (40, "captured"),
        5: (40, "imputed"), 6: (40, "imputed"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("correction", "fields"),
    [(LAST, {}), (TO_END, {"effective_to": "2999-01-01T00:00:00Z"}), (TO_END, {"effective_to": None})],
)
def test_they_wait_unless_the_time_of_a_rule_that_says_so_has_passed(api, account, correction, fields):
    project, _ = fill(api, account, "10 20", correction, **fields)

    assert found(api, project) == {1: (10, "captured"), 2: (20, "captured")}


def test_what_is_corrected_and_what_comes_late_fill_them_anew(api, account):
    project, _ = fill(api, account, "10 20 30 40")

    point = hours(api, project)[4]["event"]
    correct(api, project, point, 44)
    work(account)
    assert [found(api, project)[number] for number in (5, 6)] == [(44, "imputed"), (44, "imputed")]

    given.events(api, project, [body(6, "50")])
    work(account)
    assert [found(api, project)[number] for number in (5, 6)] == [(47, "imputed"), (50, "captured")]


def test_an_end_that_is_set_when_it_has_passed_fills_them(api, account):
    project, rule = fill(api, account, "10 20", effective_to=None)
    assert len(found(api, project)) == 2

    change(api, rule, effective_to=SIX)
    work(account)

    assert [found(api, project)[number] for number in (3, 6)] == [(20, "imputed"), (20, "imputed")]


def test_slots_of_an_outage_at_the_end_are_not_expected(api, account):
    project = stack(api)
    given.outage(api, project, start_time="2025-01-01T04:00:00Z")
    filling(api, project, TO_END, purpose="impute", effective_to=SIX)
    report(api, project, "10 20")
    work(account)

    assert sorted(found(api, project)) == [1, 2, 3, 4]
