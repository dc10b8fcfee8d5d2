"""Stories of several ledgers, with corrections, deletions and instruments; and how they are told."""

from dataclasses import replace

import pytest
from tests.given import accounting, chain, instruments
from tests.given.stories import rows_of, told


def test_what_is_delivered_and_used_of_a_feedstock_and_then_corrected(api, drain, sql):
    nodes = accounting.MASS.replace("aggregate: sum", "aggregate: sum, partitions: true")
    deliveries = chain.inventory(api, drain, nodes, partition_type="feedstock")
    production = chain.link(deliveries, chain.drawing(", match: [feedstock]"), partition_type="feedstock")
    told(sql, deliveries, production).story(
        """
        2025-01 deliver 10 Wood chips | 2025-01 deliver 20 Straw | generate | produced 30  remaining 30
        2025-02 produce 2 Wood chips | generate Production | drawn 4  remaining 26
                                                           | 2025-01 Wood chips holds 6
                                                           | Production 2025-02 Wood chips holds 2
                                                           | draw 2025-01 -4 on 2025-03-01
        correct 2025-01 delivery to 3 | generate | 2025-01 Straw holds 3  2025-01 Straw comes to 3
                                                 | produced 13  remaining 9  deficit 0
        delete the last batch of Production      | drawn 0  remaining 13  Production remaining 0
        """
    )


def test_what_is_claimed_of_an_instrument(api, drain, sql):
    plant, ledger = instruments.certified(api, drain)
    told(sql, replace(plant, ledger=ledger), plant).story(
        """
        Certificates enter 1000 | remaining 1000
        2025-01 produce 2 | generate Green | drawn 200  remaining 800  Green produced 200
        """
    )


def test_a_number_that_the_ledger_does_not_say_is_told_with_its_row(api, drain, sql):
    teller = told(sql, accounting.plant(api, drain))

    with pytest.raises(AssertionError) as failure:
        teller.story(
            """
            2025-01 deliver 5 | generate | remaining 4  produced 5  batches hold 5 0
                                         | credit 2025-01 4 on 2025-02-01
            """
        )

    assert str(failure.value).splitlines() == [
        "The ledgers say otherwise:",
        "2025-01 deliver 5 | generate | remaining 4  produced 5  batches hold 5 0",
        "    remaining 4: it is remaining 5",
        "2025-01 deliver 5 | generate | remaining 4  produced 5  batches hold 5 0",
        "    batches hold 5 0: it is batches hold 5",
        "2025-01 deliver 5 | generate | remaining 4  produced 5  batches hold 5 0",
        "    ['credit 2025-01 4 on 2025-02-01']: posted on Deliveries was ['credit 2025-01 5 on 2025-02-01']",
    ]


def test_what_a_story_cannot_tell_is_refused(api, drain, sql):
    teller = told(sql, accounting.plant(api, drain))

    with pytest.raises(ValueError, match="'2025-01 borrow 5' is nothing that a story can tell"):
        teller.story("2025-01 borrow 5")
    with pytest.raises(ValueError, match="'wealth 5' is nothing that a ledger says"):
        teller.story("generate | wealth 5")


def test_a_row_goes_on_in_the_rows_in_which_nothing_happens():
    [first, second, third] = rows_of(
        """
        2025-01  deliver 10 | generate | remaining 10  deficit 0
                                       | produced 10
                            | generate | remaining 10
        generate
        """
    )

    assert first.steps == ["2025-01 deliver 10", "generate"]
    assert first.expectations == ["remaining 10", "deficit 0", "produced 10"]
    assert (second.steps, second.expectations) == (["generate"], ["remaining 10"])
    assert (third.steps, third.expectations) == (["generate"], [])
