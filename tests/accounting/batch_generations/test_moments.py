"""A later credit never hides an earlier shortage: what is produced and drawn counts for its moment."""

import pytest
from tests.given import accounting, chain
from tests.given.stories import told


@pytest.fixture
def deliveries(api, drain):
    return chain.inventory(api, drain)


@pytest.fixture
def production(deliveries):
    return chain.link(deliveries)


def test_a_use_before_a_moved_delivery_is_refused(sql, deliveries, production):
    """Ten tonnes of January, five of them used in February, turn out to be of February; the use is undone."""
    teller = told(sql, deliveries, production)
    teller.story(
        """
        2025-01 deliver 10 | 2025-02 produce 2.5   | generate | generate Production | remaining 5
        remove 2025-01 delivery | 2025-02 deliver 10 | generate | generate Production | remaining 5
                                                     | produced 10  2025-01 holds 0  2025-02 holds 5
        correct 2025-02 production to 0 | generate Production   | 2025-01 holds 0  2025-02 holds 10
                                                                | at 2025-02-01 remaining 0 deficit 0
        2025-01 produce 5  | preview Production                 | problems 1
        """
    )
    assert teller.outcome["problems"] == [
        "2025-01: Node 'drawn' needs 10 t of 'Deliveries', and 0 t is there to draw: 10 t too little."
    ]


def test_what_is_given_back_to_a_run_that_fell_is_of_the_batch_that_stood_in_for_it(
    sql, deliveries, production
):
    """The use is undone before it is generated anew: January's batch gives to February's what that lent."""
    told(sql, deliveries, production).story(
        """
        2025-01 deliver 10 | 2025-02 produce 2.5     | generate | generate Production | remaining 5
        remove 2025-01 delivery | 2025-02 deliver 10 | generate | credit 2025-02 10 on 2025-03-01
                                                                | fall 2025-01 -5 on 2025-02-01
                                                                | fall 2025-02 -5 on 2025-03-01
                                                                | 2025-01 holds 0  2025-02 holds 5
        correct 2025-02 production to 0 | generate Production   | return 2025-01 5 on 2025-03-01
                                                                | rise 2025-02 5 on 2025-03-01
                                                                | fall 2025-01 -5 on 2025-02-01
                                                                | 2025-01 holds 0  2025-02 holds 10
        """
    )


def test_a_later_credit_settles_but_does_not_hide_what_was_short_before(sql, deliveries, production):
    told(sql, deliveries, production).story(
        """
        2025-01 deliver 5 | 2025-01 produce 2.5 | generate | generate Production | remaining 0
        correct 2025-01 delivery to 0 | generate | short of 5
        2025-03 deliver 8 | generate             | remaining 3  deficit 0  short of nothing
                                                 | was short of 5 from 2025-02-01 to 2025-04-01
                                                 | at 2025-03-01 remaining 0 deficit 5
                                                 | at 2025-04-01 remaining 3 deficit 0
        2025-02 deliver 6 | generate             | remaining 9  at 2025-02-01 remaining 0 deficit 5
                                                 | at 2025-03-01 remaining 1 deficit 0
                                                 | at 2025-04-01 remaining 9 deficit 0
                                                 | was short of 5 from 2025-02-01 to 2025-03-01
        2025-02 produce 1 | preview Production   | problems 1
        """
    )


def test_what_a_month_took_back_shows_at_its_end(sql, deliveries):
    told(sql, deliveries).story(
        """
        2025-01 deliver -3 | 2025-02 deliver 10 | generate | remaining 7  deficit 0
                                                           | at 2025-02-01 remaining 0 deficit 3
                                                           | at 2025-03-01 remaining 7 deficit 0
                                                           | was short of 3 from 2025-02-01 to 2025-03-01
        """
    )


def test_a_moment_belongs_to_the_slot_that_it_ends(sql, api, drain):
    told(sql, accounting.plant(api, drain)).story(
        """
        2025-01 deliver 4 | generate | at 2025-02-01 remaining 4 deficit 0
                                     | at 2025-01-31 remaining 0 deficit 0
        """
    )


def test_deficits_are_listed_by_partition_and_slot(sql, deliveries, production):
    told(sql, deliveries, production).story(
        """
        2025-01 deliver 5 | 2025-01 produce 2.5 | generate | generate Production | remaining 0
        correct 2025-01 delivery to 0 | 2025-03 deliver 8 | generate | remaining 3
        """
    )

    listed = deliveries.api.get(f"/ledgers/{deliveries.ledger['id']}/deficits").expect(200).body["data"]

    assert listed == [
        {
            "ledger": deliveries.ledger["id"],
            "partition": None,
            "start_time": "2025-01-01T00:00:00.000Z",
            "end_time": "2025-02-01T00:00:00.000Z",
            "settled_at": "2025-04-01T00:00:00.000Z",
            "amount": 5,
        }
    ]


def test_what_is_settled_in_parts_opened_with_the_slot_that_it_opened_with(sql, deliveries, production):
    told(sql, deliveries, production).story(
        """
        2025-01 deliver 5 | 2025-01 produce 2.5 | generate | generate Production | remaining 0
        correct 2025-01 delivery to 0 | 2025-02 deliver 3 | generate | deficit 2  short of 2
                                                          | was short of 3 from 2025-02-01 to 2025-03-01
                                                          | at 2025-02-01 remaining 0 deficit 5
                                                          | at 2025-03-01 remaining 0 deficit 2
        """
    )

    listed = deliveries.api.get(f"/ledgers/{deliveries.ledger['id']}/deficits").expect(200).body["data"]

    assert [(one["start_time"][:7], one["settled_at"], one["amount"]) for one in listed] == [
        ("2025-01", "2025-03-01T00:00:00.000Z", 3),
        ("2025-01", None, 2),
    ]


def test_every_open_deficit_is_named_whatever_is_generated(sql, deliveries, production):
    """Also those of the ledger that is drawn from, in slots that the generation does not touch."""
    told(sql, deliveries, production).story(
        """
        2025-01 deliver 5 | 2025-01 produce 2.5 | generate | generate Production | remaining 0
        correct 2025-01 delivery to 0 | generate | short of 5
        generate 2025-03                         | short of 5
        """
    )
    (named,) = production.generate()["deficits"]

    assert (named["ledger"], named["amount"], named["settled_at"]) == (deliveries.ledger["id"], 5, None)
