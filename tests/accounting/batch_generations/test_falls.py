"""A run that comes to less takes back what it credited; what is gone is an open deficit of its partition."""

import pytest
from tests.given import accounting, chain
from tests.given.stories import told


def test_a_negative_first_result_takes_from_the_other_slots_of_its_partition(api, drain, sql):
    told(sql, accounting.plant(api, drain)).story(
        """
        2025-01 deliver 5  | generate | credit 2025-01 5 on 2025-02-01
        2025-02 deliver -2 | generate | fall 2025-01 -2 on 2025-03-01
                                      | batches hold 3 0  remaining 3  deficit 0
                                      | 2025-02 adds -2  2025-02 comes to -2
        """
    )


def test_what_a_fall_finds_nowhere_is_named_as_an_open_deficit(api, drain, sql):
    told(sql, accounting.plant(api, drain)).story(
        """
        2025-01 deliver -2 | preview  | short of 2  problems 0
                           | generate | short of 2  remaining 0  deficit 2
        """
    )


def test_a_deficit_names_the_partition_that_is_short(api, drain, sql):
    told(sql, accounting.plant(api, drain, partition_type="feedstock")).story(
        """
        2025-01 deliver -2 Straw | 2025-01 deliver 9 Wood | generate | short of Straw 2
                                                                     | remaining 9  deficit 2
        """
    )


def test_a_credit_settles_the_deficit_of_its_partition_at_once(api, drain, sql):
    told(sql, accounting.plant(api, drain)).story(
        """
        2025-01 deliver -2 | generate |
        2025-03 deliver 5  | generate | short of nothing  remaining 3  deficit 0
                                      | credit 2025-03 5 on 2025-04-01
                                      | fall 2025-03 -2 on 2025-04-01
        """
    )


def test_a_run_that_rises_again_gives_back_what_it_took_before_it_credits(api, drain, sql):
    told(sql, accounting.plant(api, drain)).story(
        """
        2025-01 deliver 5 | 2025-02 deliver -2 | generate | remaining 3
        2025-02 deliver 6                      | generate | remaining 9  deficit 0
                                                          | rise 2025-01 2 on 2025-03-01
                                                          | credit 2025-02 4 on 2025-03-01
        """
    )


def test_a_run_that_rises_closes_its_own_deficit_first(api, drain, sql):
    told(sql, accounting.plant(api, drain)).story(
        """
        2025-01 deliver -2  | generate |
        2025-01 deliver 1.5 | generate | remaining 0    deficit 0.5
        2025-01 deliver 1   | generate | remaining 0.5  deficit 0
        """
    )


def test_what_was_drawn_already_cannot_fall_and_stays_open(api, drain, sql):
    told(sql, accounting.plant(api, drain)).story(
        """
        2025-01 deliver 5       | generate | draw 4 from 2025-01 | remaining 1  drawn 4
        remove 2025-01 delivery | generate | short of 4  remaining 0  deficit 4  drawn 4  produced 0
        generate                           | adjusted 0
        """
    )


def test_within_a_generation_credits_post_before_falls(api, drain, sql):
    told(sql, accounting.plant(api, drain)).story(
        """
        2025-01 deliver -2 | 2025-03 deliver 5 | generate | short of nothing  remaining 3  deficit 0
        """
    )


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_the_order_in_which_data_arrived_does_not_matter(api, drain, sql, order):
    arrivals = ("2025-01 deliver 4", "2025-02 deliver 3", "2025-03 deliver -5")

    told(sql, accounting.plant(api, drain)).story(
        "\n".join([*(arrivals[index] for index in order), "generate | batches hold 0 2 0"])
    )


def test_generating_in_parts_ends_with_the_same_balance_and_deficit(api, drain, sql):
    told(sql, accounting.plant(api, drain)).story(
        """
        2025-01 deliver -5 | 2025-02 deliver 3 | generate 2025-01 | remaining 0  deficit 5
        generate | remaining 0  deficit 2  batches hold 0 0
        preview  | count 0
        """
    )


def test_a_draw_that_is_given_back_settles_what_its_source_is_short_of(api, drain, sql):
    deliveries = chain.inventory(api, drain)
    told(sql, deliveries, chain.link(deliveries)).story(
        """
        2025-01 deliver 10        | generate            | produced 10  remaining 10
        2025-01 produce 2         | generate Production | drawn 4  remaining 6  Production remaining 2
        remove 2025-01 delivery   | 2025-01 deliver 1 | generate | drawn 4  remaining 0  deficit 3
        remove 2025-01 production | 2025-01 produce 1.25 | preview Production | short of 1.5
        generate Production       | short of 1.5  drawn 2.5  remaining 0  deficit 1.5
        delete the last batch of Production | deficit 3  remaining 0
        """
    )
