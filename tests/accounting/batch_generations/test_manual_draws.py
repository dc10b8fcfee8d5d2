"""Draws by hand: the caller names the sources, the runs of the request share them, and they stay."""

from decimal import Decimal

import pytest
from tests.given import accounting, chain
from tests.given.accounting import JANUARY, MASS, QUARTER

from weighbridge.accounting.records.model_runs import BATCH_AMOUNTS_MAX
from weighbridge.core import identity

BY_HAND = chain.PRODUCED + chain.upstream("select: manual") + chain.USED
PARTITIONING = "aggregate: sum, partitions: true"


def by_hand(api, drain, *masses, nodes=BY_HAND, scale=6, **fields):
    """A ledger of so much delivered in each month, its batches, and a ledger that draws from it by hand."""
    deliveries = chain.inventory(api, drain, scale=scale)
    for month, mass in enumerate(masses, start=1):
        deliveries.deliver(mass, f"2025-{month:02d}-05T00:00:00Z")
    deliveries.generate(QUARTER)
    sources = [batch["id"] for batch in deliveries.batches()]
    return deliveries, sources, chain.link(deliveries, nodes, output="used", **fields)


def output_of(batch):
    """The id of the data point that a batch credits; its model has one node."""
    key = identity.parse("batch", batch)
    return identity.of("data_point", key.project, key.key, 1, identity.Owner.BATCH)


def amount(batch, value, **fields):
    return {"batch_id": batch, "primary_output_amount": Decimal(value)} | fields


def test_a_named_amount_is_drawn_from_the_named_batch(api, drain):
    deliveries, (_, february), production = by_hand(api, drain, 10, 10)
    chain.produce(production, 1, "2025-02-10T00:00:00Z")

    result = production.generate(QUARTER, batch_amounts=[amount(february, "2.5")])

    assert (result["created"], result["left_out"]) == (1, [])
    assert production.credits() == {"2025-02": Decimal("2.5")}
    assert chain.balances(deliveries) == {"2025-01": 10, "2025-02": Decimal("7.5")}


def test_an_amount_is_the_total_of_the_generation_and_is_divided_evenly_over_its_runs(api, drain):
    nodes = BY_HAND.replace("aggregate: sum", PARTITIONING)
    deliveries, (source,), production = by_hand(
        api, drain, 10, nodes=nodes, scale=1, partition_type="feedstock"
    )
    for name in ("Straw", "Wood", "Bark"):
        chain.produce(production, 1, feedstock_id=production.feedstock(name))

    production.generate(batch_amounts=[amount(source, 1)])

    assert production.credits() == {
        "2025-01 Bark": Decimal("0.4"),
        "2025-01 Straw": Decimal("0.3"),
        "2025-01 Wood": Decimal("0.3"),
    }
    assert deliveries.balance() == 9


def test_an_amount_whose_parts_have_more_digits_than_a_number_holds_is_refused_by_name(api, drain):
    nodes = BY_HAND.replace("aggregate: sum", PARTITIONING)
    _, (source,), production = by_hand(api, drain, 10**15, nodes=nodes, scale=20, partition_type="feedstock")
    for name in ("Straw", "Wood", "Bark"):
        chain.produce(production, 1, feedstock_id=production.feedstock(name))

    task = production.finish(batch_amounts=[amount(source, 10**15)])

    assert task["state"] == "failed"
    assert task["error_message"] == (
        f"{source} was named as a source, and what is drawn of it cannot be divided:"
        " A part cut at 20 places has 35 digits, and a number holds 34."
    )


def test_the_same_request_again_changes_nothing_and_what_runs_hold_stays_without_one(api, drain):
    deliveries, (source,), production = by_hand(api, drain, 10)
    chain.produce(production, 1)
    request = [amount(source, 10)]
    production.generate(batch_amounts=request)

    again = production.generate(batch_amounts=request)
    without = production.generate()

    assert (again["created"], again["adjusted"], again["unchanged"]) == (0, 0, 1)
    assert (without["created"], without["adjusted"], without["unchanged"]) == (0, 0, 1)
    assert deliveries.balance() == 0


def test_another_request_replaces_what_the_runs_hold(api, drain):
    deliveries, (january, february), production = by_hand(api, drain, 10, 10)
    chain.produce(production, 1, "2025-02-10T00:00:00Z")
    production.generate(QUARTER, batch_amounts=[amount(january, 4)])

    production.generate(QUARTER, batch_amounts=[amount(february, 6)])

    assert chain.balances(deliveries) == {"2025-01": 10, "2025-02": 4}
    assert production.balance() == 6


def test_other_sources_of_the_same_amount_make_an_adjusting_batch_of_zero(api, drain):
    deliveries, (january, february), production = by_hand(api, drain, 10, 10)
    chain.produce(production, 1, "2025-02-10T00:00:00Z")
    production.generate(QUARTER, batch_amounts=[amount(january, 4)])

    production.generate(QUARTER, batch_amounts=[amount(february, 4)])

    assert [batch["primary_output"]["value"] for batch in production.batches()] == [4, 0]
    assert chain.balances(deliveries) == {"2025-01": 10, "2025-02": 6}


def test_a_run_that_holds_nothing_is_reported_and_left_out(api, drain):
    _, (source,), production = by_hand(api, drain, 10)
    chain.produce(production, 1)
    left_out = [{"slot": "2025-01", "partition": None, "nodes": ["drawn"]}]

    (entry,) = production.preview()
    result = production.generate()

    assert (entry["count"], entry["left_out"], entry["problems"]) == (0, left_out, [])
    assert (result["created"], result["left_out"]) == (0, left_out)
    assert production.preview(batch_amounts=[amount(source, 1)])[0]["count"] == 1


def test_a_run_whose_node_is_optional_runs_without_sources(api, drain):
    nodes = chain.PRODUCED + chain.upstream("select: manual", more="\n    optional: true") + chain.USED
    _, _, production = by_hand(api, drain, 10, nodes=nodes)
    chain.produce(production, 1)

    production.generate()

    assert production.credits() == {"2025-01": 0}


def test_an_empty_list_takes_the_sources_away_again(api, drain):
    deliveries, (source,), production = by_hand(api, drain, 10)
    chain.produce(production, 1)
    production.generate(batch_amounts=[amount(source, 4)])

    result = production.generate(batch_amounts=[])

    assert [run["slot"] for run in result["left_out"]] == ["2025-01"]
    assert deliveries.balance() == 10
    assert production.balance() == 0


def test_an_allocation_group_tells_two_nodes_apart(api, drain):
    nodes = (
        chain.PRODUCED
        + chain.upstream("select: manual, allocation_group: heat", slug="burnt")
        + chain.upstream("select: manual", slug="drawn")
        + chain.USED.replace("sum(drawn)", "sum(drawn) + 2 * sum(burnt)")
    )
    _, (source,), production = by_hand(api, drain, 10, nodes=nodes)
    chain.produce(production, 1)

    refused = production.start(batch_amounts=[amount(source, 1)]).expect(422).error
    production.generate(
        batch_amounts=[
            amount(source, 1, allocation_group="drawn"),
            amount(source, 2, allocation_group="heat"),
        ]
    )

    assert refused == {
        "message": "batch_amounts[0] needs an allocation_group: drawn, heat draw from 'Deliveries'.",
        "field": "batch_amounts[0].allocation_group",
        "code": "required",
    }
    assert production.credits() == {"2025-01": 5}


def test_a_run_that_is_named_for_one_node_and_not_for_another_is_refused(api, drain):
    nodes = (
        chain.PRODUCED
        + chain.upstream("select: manual, allocation_group: heat", slug="burnt")
        + chain.upstream("select: manual", slug="drawn")
        + chain.USED
    )
    _, (source,), production = by_hand(api, drain, 10, nodes=nodes)
    chain.produce(production, 1)

    (entry,) = production.preview(batch_amounts=[amount(source, 1, allocation_group="heat")])

    assert entry["problems"] == ["2025-01 was named for some of its nodes and not for drawn."]


def test_more_than_a_batch_holds_is_refused_naming_batch_balance_and_amount(api, drain):
    _, (source,), production = by_hand(api, drain, 10)
    chain.produce(production, 1)
    request = [amount(source, "10.5")]
    message = f"10.5 t of {source} were named, and it holds 10 t: 0.5 t too much."

    refused = production.start(batch_amounts=request).expect(422).error

    assert (refused["message"], refused["field"], refused["code"]) == (message, "batch_amounts[0]", "balance")
    assert production.preview(batch_amounts=request)[0]["problems"] == [message]


def test_an_output_of_a_batch_is_drawn_whole(api, drain):
    deliveries, (source, other), production = by_hand(api, drain, 10, 7)
    chain.produce(production, 1, "2025-02-10T00:00:00Z")
    production.generate(QUARTER, batch_amounts=[amount(source, 4)])
    outputs = [output_of(batch) for batch in (source, other)]

    production.generate(QUARTER, data_point_ids=outputs)
    again = production.generate(QUARTER, data_point_ids=outputs)

    assert chain.balances(deliveries) == {"2025-01": 0, "2025-02": 0}
    assert production.balance() == 17
    assert again["adjusted"] == 0


def test_what_the_requested_runs_hold_counts_as_free(api, drain):
    deliveries, (source,), production = by_hand(api, drain, 10)
    chain.produce(production, 1)
    production.generate(batch_amounts=[amount(source, 8)])

    production.generate(batch_amounts=[amount(source, 9)])

    assert deliveries.balance() == 1


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("0", "batch_amounts[0].primary_output_amount is 0; what is drawn is above zero."),
        ("-1", "batch_amounts[0].primary_output_amount is -1; what is drawn is above zero."),
        ("0.25", "batch_amounts[0].primary_output_amount is 0.25; 'Deliveries' keeps 1 decimals."),
    ],
)
def test_an_amount_that_cannot_be_drawn_is_refused(api, drain, value, message):
    _, (source,), production = by_hand(api, drain, 10, scale=1)
    chain.produce(production, 1)

    assert production.start(batch_amounts=[amount(source, value)]).expect(422).error["message"] == message


def test_a_batch_that_is_not_there_and_one_of_another_ledger_are_refused_together(api, drain):
    deliveries, (source,), production = by_hand(api, drain, 10)
    chain.produce(production, 1)
    production.generate(batch_amounts=[amount(source, 1)])
    (own,) = production.batches()
    unknown = "bat_000000000000000000000000"

    refused = production.start(batch_amounts=[amount(unknown, 1), amount(own["id"], 1)]).expect(422)

    assert [error["message"] for error in refused.errors] == [
        f"batch_amounts[0] names '{unknown}', which is no batch of the project.",
        (
            f"batch_amounts[1] names {own['id']} of 'Production', and no node of the model draws from that"
            " ledger by hand."
        ),
    ]
    assert deliveries.balance() == 9


def test_a_batch_of_another_account_is_no_batch_of_the_project(api, drain, server):
    _, _, production = by_hand(api, drain, 10)
    chain.produce(production, 1)
    account = server.account()
    others, (foreign,), _ = by_hand(account.caller(), account.drain, 10)

    refused = production.start(batch_amounts=[amount(foreign, 1)]).expect(422)

    assert refused.error["code"] == "unknown"
    assert others.balance() == 10


def test_a_batch_is_named_once_for_a_node(api, drain):
    _, (source,), production = by_hand(api, drain, 10)
    chain.produce(production, 1)

    refused = production.start(batch_amounts=[amount(source, 1), amount(source, 2)]).expect(422)

    assert refused.error["message"] == f"batch_amounts[1] names {source} a second time for the same node."


def test_amounts_that_no_run_can_draw_fail_the_generation(api, drain):
    _, (source,), production = by_hand(api, drain, 10)

    (entry,) = production.preview(JANUARY, batch_amounts=[amount(source, 1)])

    assert entry["problems"] == [f"{source} was named as a source, and no run of the range can draw from it."]


def test_a_matching_node_divides_over_the_runs_of_the_same_feedstock(api, drain):
    mass = MASS.replace("aggregate: sum", PARTITIONING)
    deliveries = chain.inventory(api, drain, mass, partition_type="feedstock")
    straw, wood = deliveries.feedstock("Straw"), deliveries.feedstock("Wood")
    deliveries.deliver(10, feedstock_id=straw)
    deliveries.generate()
    (source,) = deliveries.batches()
    nodes = BY_HAND.replace("select: manual", "select: manual, match: [feedstock]")
    production = chain.link(
        deliveries, nodes.replace("aggregate: sum", PARTITIONING), output="used", partition_type="feedstock"
    )
    chain.produce(production, 1, feedstock_id=straw)
    chain.produce(production, 1, feedstock_id=wood)

    result = production.generate(batch_amounts=[amount(source["id"], 3)])

    assert production.credits() == {"2025-01 Straw": 3}
    assert [run["partition"] for run in result["left_out"]] == ["Wood"]


def test_a_model_that_draws_only_by_hand_needs_no_data(api, drain):
    nodes = chain.upstream("select: manual") + chain.USED
    deliveries, (source, _), production = by_hand(api, drain, 10, 10, nodes=nodes)

    result = production.generate(accounting.JANUARY, batch_amounts=[amount(source, 4)])

    assert result["created"] == 1
    assert production.credits() == {"2025-01": 4}
    assert deliveries.balance() == 16


def test_more_amounts_than_the_limit_are_refused(api, drain):
    _, (source,), production = by_hand(api, drain, 10)
    chain.produce(production, 1)

    refused = production.start(batch_amounts=[amount(source, 1)] * (BATCH_AMOUNTS_MAX + 1)).expect(422)

    assert refused.error["message"] == "batch_amounts has 10001 entries; at most 10000 can be named."


def newer_version(production, nodes):
    text = accounting.document(nodes, name="Production", primary_output="made")
    newer = accounting.version(production.api, production.model, text)
    production.api.post(f"/models/{newer['id']}/activate", {}).expect(200)


def test_a_run_that_was_made_when_its_model_drew_nothing_stays_until_a_source_is_named(api, drain):
    _, (source,), production = by_hand(
        api, drain, 10, nodes=chain.PRODUCED + "  - {slug: used, formula: made, unit: t, output: true}\n"
    )
    chain.produce(production, 1)
    production.generate()
    newer_version(production, BY_HAND)

    without = production.generate(model_version="latest")
    named = production.generate(model_version="latest", batch_amounts=[amount(source, 5)])

    assert (without["batches"], len(without["left_out"])) == ([], 1)
    assert (named["adjusted"], named["left_out"]) == (1, [])
    assert production.balance() == 5


def test_what_a_node_drew_by_rule_is_its_own_when_it_draws_by_hand(api, drain):
    deliveries, _, production = by_hand(api, drain, 10, nodes=chain.drawing())
    chain.produce(production, 1)
    production.generate()
    newer_version(production, BY_HAND)

    result = production.generate(model_version="latest")

    assert result["left_out"] == []
    assert deliveries.balance() == 8


def test_the_data_of_a_run_that_is_left_out_are_not_shared_with_it(api, drain):
    nodes = BY_HAND.replace("aggregate: sum", PARTITIONING) + accounting.POWER_EVENLY
    _, (source,), production = by_hand(api, drain, 10, nodes=nodes, partition_type="feedstock")
    straw, wood = production.feedstock("Straw"), production.feedstock("Wood")
    chain.produce(production, 1, feedstock_id=straw)
    production.bill(100)
    production.generate(batch_amounts=[amount(source, 1)])
    chain.produce(production, 1, feedstock_id=wood)

    result = production.generate()

    assert [run["partition"] for run in result["left_out"]] == ["Wood"]
    assert [found["event_count"] for found in result["not_counted"]] == [1]
    assert (result["adjusted"], result["unchanged"]) == (0, 1)


def test_what_covers_an_earlier_shortage_is_not_drawn_by_hand_either(api, drain, sql):
    """January's 5 were drawn and turn out to be 0; March's 8 settle that; only then February's 6 come."""
    deliveries = chain.inventory(api, drain)
    wrong = deliveries.deliver(5, "2025-01-05T00:00:00Z")
    deliveries.generate(QUARTER)
    (january,) = [batch["id"] for batch in deliveries.batches()]
    production = chain.link(deliveries, BY_HAND, output="used")
    chain.produce(production, 1, "2025-01-10T00:00:00Z")
    production.generate(QUARTER, batch_amounts=[amount(january, 5)])
    accounting.void(sql, wrong)
    deliveries.deliver(8, "2025-03-05T00:00:00Z")
    deliveries.generate(QUARTER)
    deliveries.deliver(6, "2025-02-05T00:00:00Z")
    deliveries.generate(QUARTER)
    february = next(one["id"] for one in deliveries.batches() if one["tracking_id"] == "2025-02")
    chain.produce(production, 1, "2025-02-10T00:00:00Z")

    refused = production.finish(chain.FEBRUARY, batch_amounts=[amount(february, 6)])

    assert refused["error_message"] == (
        f"6 t of {february} were named, and no more than 1 t may be drawn of its partition from then on:"
        " what was produced later does not cover what is drawn before."
    )


@pytest.mark.parametrize("text", ["2.5", " 7", "NaN"])
def test_an_amount_is_a_number_and_never_a_text(api, drain, text):
    _, (_, february), production = by_hand(api, drain, 10, 10)
    body = {"start_time": QUARTER[0], "end_time": QUARTER[1]}
    amounts = [{"batch_id": february, "primary_output_amount": text}]
    path = f"/ledgers/{production.ledger['id']}/generate_preview"

    error = api.post(path, body | {"batch_amounts": amounts}).expect(400).error

    assert (error["field"], error["code"]) == ("batch_amounts[0].primary_output_amount", "invalid")
    assert error["message"].endswith(f"is {text!r}; it takes a number.")
