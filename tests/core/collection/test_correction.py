"""Corrections: which one is in force, and every cell of the state table."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.collection.correction import (
    FIELDS,
    NOT_REVERTED,
    PRECEDENCE,
    Claim,
    CorrectionOrigin,
    CorrectionState,
    CorrectionTrigger,
    advance,
    determine_value_source,
    find_prevailing_claim,
    states_before,
)

MOVES = {
    (CorrectionState.SUPERSEDED, CorrectionTrigger.PREVAIL): CorrectionState.IN_FORCE,
    (CorrectionState.SUPERSEDED, CorrectionTrigger.GIVE_WAY): CorrectionState.SUPERSEDED,
    (CorrectionState.SUPERSEDED, CorrectionTrigger.REVERT): CorrectionState.REVERTED,
    (CorrectionState.IN_FORCE, CorrectionTrigger.PREVAIL): CorrectionState.IN_FORCE,
    (CorrectionState.IN_FORCE, CorrectionTrigger.GIVE_WAY): CorrectionState.SUPERSEDED,
    (CorrectionState.IN_FORCE, CorrectionTrigger.REVERT): CorrectionState.REVERTED,
    (CorrectionState.REVERTED, CorrectionTrigger.PREVAIL): None,
    (CorrectionState.REVERTED, CorrectionTrigger.GIVE_WAY): None,
    (CorrectionState.REVERTED, CorrectionTrigger.REVERT): None,
}


def test_the_cells_are_all_there():
    assert set(MOVES) == {(state, trigger) for state in CorrectionState for trigger in CorrectionTrigger}


@pytest.mark.parametrize(("state", "trigger"), [cell for cell, to in MOVES.items() if to is not None])
def test_a_correction_moves_as_the_table_says(state, trigger):
    assert advance(state, trigger) is MOVES[state, trigger]


@pytest.mark.parametrize("trigger", CorrectionTrigger)
def test_a_reverted_correction_stays_reverted(trigger):
    with pytest.raises(ValueError, match=f"a correction that is reverted does not {trigger}"):
        advance(CorrectionState.REVERTED, trigger)


def test_what_can_be_reverted_is_in_force_or_superseded():
    assert sorted(states_before(CorrectionTrigger.REVERT)) == ["in_force", "superseded"]


def test_what_stands_is_what_can_be_reverted():
    assert set(NOT_REVERTED) == set(states_before(CorrectionTrigger.REVERT))


def test_without_corrections_none_is_in_force():
    assert find_prevailing_claim([]) is None


def test_people_go_before_adjustments_before_substitutions_before_completions():
    assert PRECEDENCE == ("manual", "adjustment", "substitution", "completion")
    claims = [Claim(number, source, 1) for number, source in enumerate(reversed(CorrectionOrigin), start=1)]
    for order in permutations(claims):
        assert find_prevailing_claim(order).source is CorrectionOrigin.MANUAL
    assert find_prevailing_claim(claims[:3]).source is CorrectionOrigin.ADJUSTMENT
    assert find_prevailing_claim(claims[:2]).source is CorrectionOrigin.SUBSTITUTION


def test_a_value_has_the_source_of_what_is_in_force():
    assert [determine_value_source(origin, is_imputed=False) for origin in CorrectionOrigin] == [
        "manual", "adjusted", "substituted", "captured",
    ]  # fmt: skip
    assert determine_value_source(None, is_imputed=False) == "captured"
    assert determine_value_source(None, is_imputed=True) == "imputed"
    assert determine_value_source(CorrectionOrigin.MANUAL, is_imputed=True) == "manual"


def test_within_a_source_the_smaller_priority_goes_first_even_when_it_is_older():
    older, newer = Claim(1, CorrectionOrigin.ADJUSTMENT, 1), Claim(2, CorrectionOrigin.ADJUSTMENT, 2)

    assert find_prevailing_claim([newer, older]) is older


def test_within_a_priority_the_newest_goes_first():
    older, newer = Claim(1, CorrectionOrigin.MANUAL), Claim(2, CorrectionOrigin.MANUAL)

    assert find_prevailing_claim([older, newer]) is newer


def test_five_fields_of_an_event_can_be_corrected():
    assert FIELDS == ("start_time", "end_time", "tracking_id", "feedstock_id", "asset_id")


CLAIMS = st.lists(
    st.builds(Claim, st.integers(1, 50), st.sampled_from(CorrectionOrigin), st.integers(0, 3)),
    unique_by=lambda claim: claim.number,
    min_size=1,
)


@given(CLAIMS, st.randoms(use_true_random=False))
def test_what_is_in_force_does_not_depend_on_the_order_of_arrival(claims, random):
    shuffled = random.sample(claims, len(claims))

    assert find_prevailing_claim(shuffled) == find_prevailing_claim(claims)


@given(CLAIMS)
def test_taking_away_one_that_is_not_in_force_changes_nothing(claims):
    winner = find_prevailing_claim(claims)

    for other in claims:
        if other != winner:
            assert find_prevailing_claim([claim for claim in claims if claim != other]) == winner
