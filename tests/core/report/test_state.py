"""The states of a report and the moves between them, each cell of the table."""

import pytest

from weighbridge.core.report import MOVES, RESERVING, ReportStatus, ReportTrigger, advance, may

TABLE = """
            submit      deliver    fail    accept    reject    supersede   withdraw   succeed
draft       submitting  -          -       -         -         -           -          complete
submitting  -           submitted  failed  -         -         -           -          -
submitted   -           -          -       complete  rejected  superseded  withdrawn  -
complete    -           -          -       -         -         superseded  withdrawn  -
rejected    -           -          -       -         -         -           -          -
failed      submitting  -          -       -         rejected  -           withdrawn  -
superseded  -           -          -       -         -         -           -          -
withdrawn   -           -          -       -         -         -           -          -
"""


def cells():
    head, *rows = [line.split() for line in TABLE.strip().splitlines()]
    return [(row[0], trigger, to) for row in rows for trigger, to in zip(head, row[1:], strict=True)]


@pytest.mark.parametrize(("status", "trigger", "to"), cells())
def test_a_report_moves_as_the_table_says(status, trigger, to):
    cell = ReportStatus(status), ReportTrigger(trigger)

    if to == "-":
        assert not may(*cell)
        with pytest.raises(ValueError, match=f"a report that is {status} does not {trigger}"):
            advance(*cell)
    else:
        assert may(*cell)
        assert advance(*cell) == to


def test_the_table_has_every_state_and_trigger():
    assert len(cells()) == len(ReportStatus) * len(ReportTrigger)
    assert {(status, trigger) for status, trigger, to in cells() if to != "-"} == {*MOVES}


def test_what_holds_a_reserve_is_between_submission_and_decision():
    assert {*RESERVING} == {"submitting", "submitted", "failed"}
