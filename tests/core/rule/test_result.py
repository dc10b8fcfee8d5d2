"""Seed, States and transitions, Rule result; design, section 5, Rules: the table of moves, cell by cell."""

import pytest

from weighbridge.core.rule.states import (
    ALERTS,
    CLOSES,
    REOPENS,
    RESULT_MOVES,
    ResultStatus,
    ResultTrigger,
    advance_result,
    list_statuses_before,
    list_statuses_changed_by,
    list_statuses_closed_by,
    list_statuses_open_to,
)

TABLE = """
             fails      fails_anew  passes     errs       errs_anew  is_dismissed
  fail       fail       fail        pass       error      error      dismissed
  error      fail       fail        pass       error      error      dismissed
  dismissed  dismissed  dismissed   dismissed  dismissed  dismissed  dismissed
  pass       -          -           -          -          -          -
"""

CLOSING = """
             fails      fails_anew  passes     errs       errs_anew  is_dismissed
  fail       open       open        closed     open       open       open
  error      open       open        closed     open       open       open
  dismissed  open       closed      closed     open       closed     open
"""


def cells(table):
    header, *rows = (line.split() for line in table.strip().splitlines())
    return [(row[0], trigger, after) for row in rows for trigger, after in zip(header, row[1:], strict=True)]


@pytest.mark.parametrize(("before", "trigger", "after"), cells(TABLE))
def test_a_result_moves_as_the_table_says(before, trigger, after):
    if after == "-":
        with pytest.raises(ValueError, match=f"a result that is {before} does not change when it {trigger}"):
            advance_result(ResultStatus(before), ResultTrigger(trigger))
    else:
        assert advance_result(ResultStatus(before), ResultTrigger(trigger)) == after


def test_the_table_is_complete():
    assert {before for before, _, _ in cells(TABLE)} == set(ResultStatus)
    assert {trigger for _, trigger, _ in cells(TABLE)} == set(ResultTrigger)


@pytest.mark.parametrize(("before", "trigger", "after"), cells(CLOSING))
def test_a_result_is_closed_when_it_passes_or_fails_anew_after_it_was_dismissed(before, trigger, after):
    assert ((ResultStatus(before), ResultTrigger(trigger)) in CLOSES) == (after == "closed")


@pytest.mark.parametrize("trigger", ResultTrigger)
def test_the_statuses_before_a_trigger_are_those_that_it_moves(trigger):
    assert sorted(list_statuses_before(trigger)) == sorted(
        before for before, by, after in cells(TABLE) if by == trigger and after != "-"
    )


def test_a_dismissal_changes_alerts_and_nothing_else():
    assert set(list_statuses_changed_by(ResultTrigger.DISMISSED)) == set(ALERTS) == {"fail", "error"}


def test_every_move_to_pass_closes_the_result():
    passing = {move for move, after in RESULT_MOVES.items() if after is ResultStatus.PASS}

    assert passing < CLOSES


def test_only_a_dismissed_result_that_fails_or_errs_anew_leaves_another_one():
    assert {("dismissed", "fails_anew"), ("dismissed", "errs_anew")} == REOPENS < CLOSES


@pytest.mark.parametrize("trigger", ResultTrigger)
def test_the_statuses_that_a_trigger_closes_are_those_of_the_table(trigger):
    closed = [before for before, by, after in cells(CLOSING) if by == trigger and after == "closed"]

    assert list_statuses_closed_by(trigger) == [status for status in ResultStatus if status in closed]


def test_a_failure_is_followed_by_every_alert_and_by_no_dismissal():
    for trigger in (
        ResultTrigger.FAILS,
        ResultTrigger.FAILS_ANEW,
        ResultTrigger.ERRS,
        ResultTrigger.ERRS_ANEW,
    ):
        assert list_statuses_open_to(trigger) == ["fail", "error"]
    assert list_statuses_open_to(ResultTrigger.PASSES) == []
