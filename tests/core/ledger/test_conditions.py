"""The conditions of a batch, in their order."""

import itertools

from weighbridge.core.ledger.conditions import BatchCondition, list_conditions, list_ledger_conditions


def conditions(*, stale=False, waiting=0, pending=0, reported=False):
    return list_conditions(
        is_stale=stale, waiting_event_count=waiting, pending_proposal_count=pending, is_reported=reported
    )


def test_a_ledger_without_batches_is_not_up_to_date():
    def of_ledger(**changed):
        usual = {"has_batches": True, "is_stale": False, "waiting_event_count": 0}
        return list_ledger_conditions(**usual | changed, pending_proposal_count=0)

    assert of_ledger() == ["up_to_date"]
    assert of_ledger(has_batches=False) == ["no_batches"]
    assert of_ledger(has_batches=False, waiting_event_count=3) == ["not_counted_yet"]


def test_a_batch_is_up_to_date_when_nothing_speaks_against_it():
    assert conditions() == ["up_to_date"]
    assert conditions(reported=True) == ["up_to_date", "reported"]


def test_the_most_urgent_condition_comes_first():
    assert conditions(stale=True, waiting=3, pending=1, reported=True) == [
        "stale",
        "not_counted_yet",
        "waiting_for_approval",
        "reported",
    ]


def test_whatever_holds_the_conditions_are_in_one_order_and_one_says_how_the_data_stand():
    order = list(BatchCondition)
    for stale, waiting, pending, reported in itertools.product((False, True), repeat=4):
        found = conditions(stale=stale, waiting=int(waiting), pending=int(pending), reported=reported)
        assert found == sorted(found, key=order.index)
        assert (BatchCondition.UP_TO_DATE in found) == (not (stale or waiting or pending))
