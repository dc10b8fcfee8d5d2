"""Findings: the effect of open ones against materiality, and what may be concluded."""

from decimal import Decimal

import pytest

from weighbridge.core.engagement.findings import (
    COUNTING,
    ENGAGEMENT_MOVES,
    FINDING_MOVES,
    Conclusion,
    CountedFinding,
    EngagementState,
    FindingKind,
    FindingState,
    Materiality,
    compute_effect,
    explain_conclusion,
)


def finding(amount, state=FindingState.OPEN, kind=FindingKind.ERROR):
    return CountedFinding(kind, state, None if amount is None else Decimal(amount))


def effect_of(*findings, total=100, percent="5", amount=None):
    materiality = Materiality(percent and Decimal(percent), amount and Decimal(amount))
    return compute_effect(findings, Decimal(total), materiality)


@pytest.mark.parametrize("state", FindingState)
def test_open_and_answered_findings_count(state):
    assert effect_of(finding("-2.5", state)).absolute == (Decimal("2.5") if state in COUNTING else 0)


def test_findings_that_offset_each_other_do_not_hide_each_other():
    effect = effect_of(finding(-4), finding(4))

    assert (effect.signed, effect.absolute, effect.is_material) == (0, 8, True)


def test_an_effect_equal_to_the_threshold_is_not_material():
    assert not effect_of(finding(5)).is_material
    assert effect_of(finding("5.0000000001")).is_material


@pytest.mark.parametrize(
    ("percent", "amount", "threshold"), [("5", None, "5"), (None, "3", "3"), ("5", "3", "3"), ("2", "3", "2")]
)
def test_of_two_thresholds_the_smaller_one_applies(percent, amount, threshold):
    assert effect_of(percent=percent, amount=amount).threshold == Decimal(threshold)


def test_a_percentage_is_of_the_size_of_the_total():
    assert effect_of(total="-0.3", percent="0.7").threshold == Decimal("0.0021")


@pytest.mark.parametrize(
    ("effect", "is_drawn", "conclusion", "is_possible"),
    [
        (effect_of(), True, Conclusion.UNMODIFIED, True),
        (effect_of(finding(6)), True, Conclusion.UNMODIFIED, False),
        (effect_of(finding(6)), True, Conclusion.MODIFIED, True),
        (effect_of(finding(6)), True, Conclusion.ADVERSE, True),
        (effect_of(finding(None, kind=FindingKind.REQUEST)), True, Conclusion.UNMODIFIED, False),
        (effect_of(), False, Conclusion.UNMODIFIED, False),
        (effect_of(), False, Conclusion.ADVERSE, False),
        (effect_of(), False, Conclusion.DISCLAIMER, True),
    ],
)
def test_conclusions_that_are_possible(effect, is_drawn, conclusion, is_possible):
    assert [*explain_conclusion(conclusion, effect, is_drawn=is_drawn)] == [] or not is_possible
    assert bool([*explain_conclusion(conclusion, effect, is_drawn=is_drawn)]) is not is_possible


def test_withdrawn_findings_and_ended_engagements_do_not_move():
    assert not [state for state, _ in FINDING_MOVES if state is FindingState.WITHDRAWN]
    assert {state for state, _ in ENGAGEMENT_MOVES} == {EngagementState.OPEN}
