"""Seed, States and transitions, Async task: the table of moves, cell by cell."""

import pytest

from weighbridge.core.platform.tasks import TaskState, Trigger, advance, states_before

TABLE = """
            attempt  succeed   fail    cancel
  pending   running  -         failed  failed
  running   running  complete  failed  failed
  complete  -        -         -       -
  failed    -        -         -       -
"""


def cells():
    header, *rows = (line.split() for line in TABLE.strip().splitlines())
    return [(row[0], trigger, after) for row in rows for trigger, after in zip(header, row[1:], strict=True)]


@pytest.mark.parametrize(("before", "trigger", "after"), cells())
def test_a_task_moves_as_the_table_says(before, trigger, after):
    if after == "-":
        with pytest.raises(ValueError, match=f"a task that is {before} does not {trigger}"):
            advance(TaskState(before), Trigger(trigger))
    else:
        assert advance(TaskState(before), Trigger(trigger)) == after


def test_the_table_is_complete():
    assert {before for before, _, _ in cells()} == set(TaskState)
    assert {trigger for _, trigger, _ in cells()} == set(Trigger)


@pytest.mark.parametrize("trigger", Trigger)
def test_the_states_before_a_trigger_are_those_that_it_moves(trigger):
    assert states_before(trigger) == [
        before for before, by, after in cells() if by == trigger and after != "-"
    ]
