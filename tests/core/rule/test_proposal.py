"""Proposals: the table of moves, cell by cell. A decision stays while the rule comes to the same."""

import pytest

from weighbridge.core.rule.states import (
    ApprovalState,
    ProposalTrigger,
    advance_proposal,
    list_proposal_states_before,
    list_proposal_states_changed_by,
)

TABLE = """
              propose    propose_anew    withdraw     take_back    approve       supersede     reject
  None        pending    -               -            -            -             -             -
  pending     pending    -               withdrawn    -            approved      superseded    rejected
  approved    -          pending         -            withdrawn    approved      -             rejected
  rejected    -          pending         -            -            approved      superseded    rejected
  withdrawn   pending    -               -            -            -             -             -
  superseded  pending    -               -            -            superseded    -             -
"""


def cells():
    header, *rows = (line.split() for line in TABLE.strip().splitlines())
    return [(row[0], trigger, after) for row in rows for trigger, after in zip(header, row[1:], strict=True)]


@pytest.mark.parametrize(("before", "trigger", "after"), cells())
def test_a_proposal_moves_as_the_table_says(before, trigger, after):
    state = None if before == "None" else ApprovalState(before)
    if after == "-":
        with pytest.raises(ValueError, match=f"a proposal that is {before} does not {trigger}"):
            advance_proposal(state, ProposalTrigger(trigger))
    else:
        assert advance_proposal(state, ProposalTrigger(trigger)) == after


def test_the_table_is_complete():
    assert {before for before, _, _ in cells()} == {"None", *ApprovalState}
    assert {trigger for _, trigger, _ in cells()} == set(ProposalTrigger)


def test_the_states_before_a_trigger_are_those_that_it_moves():
    assert list_proposal_states_before(ProposalTrigger.PROPOSE) == [
        None,
        "pending",
        "withdrawn",
        "superseded",
    ]
    assert list_proposal_states_before(ProposalTrigger.PROPOSE_ANEW) == ["approved", "rejected"]
    assert list_proposal_states_before(ProposalTrigger.WITHDRAW) == ["pending"]
    assert list_proposal_states_before(ProposalTrigger.APPROVE) == [
        "pending",
        "approved",
        "rejected",
        "superseded",
    ]


def test_the_states_that_a_decision_changes_are_those_that_it_moves_to_another():
    assert list_proposal_states_changed_by(ProposalTrigger.APPROVE) == ["pending", "rejected"]
    assert list_proposal_states_changed_by(ProposalTrigger.REJECT) == ["pending", "approved"]
    assert list_proposal_states_changed_by(ProposalTrigger.SUPERSEDE) == ["pending", "rejected"]
