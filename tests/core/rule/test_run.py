"""The states of a rule run: the table of moves, cell by cell."""

import pytest

from weighbridge.core.platform.tasks import TaskState
from weighbridge.core.rule.states import RunState, RunTrigger, advance_run, list_run_states_before

TABLE = """
            attempt  succeed   fail    reverse
  pending   running  -         failed  -
  running   running  complete  failed  -
  complete  -        -         -       reversed
  failed    -        -         -       -
  reversed  -        -         -       reversed
"""


def cells():
    header, *rows = (line.split() for line in TABLE.strip().splitlines())
    return [(row[0], trigger, after) for row in rows for trigger, after in zip(header, row[1:], strict=True)]


@pytest.mark.parametrize(("before", "trigger", "after"), cells())
def test_a_rule_run_moves_as_the_table_says(before, trigger, after):
    if after == "-":
        with pytest.raises(ValueError, match=f"a rule run that is {before} does not {trigger}"):
            advance_run(RunState(before), RunTrigger(trigger))
    else:
        assert advance_run(RunState(before), RunTrigger(trigger)) == after


def test_the_table_is_complete():
    assert {before for before, _, _ in cells()} == set(RunState)
    assert {trigger for _, trigger, _ in cells()} == set(RunTrigger)


@pytest.mark.parametrize("trigger", RunTrigger)
def test_the_states_before_a_trigger_are_those_that_it_moves(trigger):
    assert list_run_states_before(trigger) == [
        before for before, by, after in cells() if by == trigger and after != "-"
    ]


def test_a_run_can_stand_wherever_its_task_can():
    assert set(TaskState) < set(RunState)
