"""Draws: a run takes what it needs from the batches of another ledger, and keeps what it holds."""

from dataclasses import replace
from decimal import Decimal

from tests.given import accounting, chain
from tests.given.accounting import JANUARY, MASS, QUARTER
from tests.given.chain import FEBRUARY, MARCH

from weighbridge import worker

PARTITIONING = MASS.replace("aggregate: sum", "aggregate: sum, partitions: true")


def delivered(api, drain, *masses, **fields):
    """An inventory with so much delivered in each month from January on."""
    plant = chain.inventory(api, drain, **fields)
    for month, mass in enumerate(masses, start=1):
        plant.deliver(mass, f"2025-{month:02d}-05T00:00:00Z")
    plant.generate(QUARTER)
    return plant


def test_a_run_draws_from_the_oldest_batches_and_lowers_their_balance(api, drain):
    deliveries = delivered(api, drain, 10, 10, 10)
    production = chain.link(deliveries)
    chain.produce(production, 7, "2025-03-10T00:00:00Z")

    preview = production.preview(QUARTER)
    result = production.generate(QUARTER)

    assert [entry["count"] for entry in preview] == [1]
    assert result["created"] == 1
    assert production.credits() == {"2025-03": 7}
    assert chain.balances(deliveries) == {"2025-01": 0, "2025-02": 6, "2025-03": 10}
    assert deliveries.balance() == 16


def test_a_second_generation_draws_nothing_more(api, drain):
    deliveries = delivered(api, drain, 10, 10)
    production = chain.link(deliveries)
    chain.produce(production, 2, "2025-01-10T00:00:00Z")
    chain.produce(production, 3, "2025-02-10T00:00:00Z")
    production.generate(QUARTER)

    again = production.generate(QUARTER)

    assert (again["created"], again["adjusted"], again["unchanged"]) == (0, 0, 2)
    assert production.count(QUARTER) == 0
    assert deliveries.balance() == 10


def test_a_run_that_needs_more_keeps_its_draws_and_adds(api, drain):
    deliveries = delivered(api, drain, 10, 10)
    production = chain.link(deliveries)
    chain.produce(production, 2, "2025-02-10T00:00:00Z")
    production.generate(QUARTER)

    chain.produce(production, 4, "2025-02-11T00:00:00Z")
    result = production.generate(QUARTER)

    assert result["adjusted"] == 1
    assert chain.balances(deliveries) == {"2025-01": 0, "2025-02": 8}


def test_a_run_that_needs_less_returns_what_it_drew_last(api, drain, sql):
    deliveries = delivered(api, drain, 10, 10)
    production = chain.link(deliveries)
    chain.produce(production, 5, "2025-02-10T00:00:00Z")
    late = chain.produce(production, 2, "2025-02-11T00:00:00Z")
    production.generate(QUARTER)
    assert chain.balances(deliveries) == {"2025-01": 0, "2025-02": 6}

    accounting.void(sql, late)
    production.generate(QUARTER)

    assert chain.balances(deliveries) == {"2025-01": 0, "2025-02": 10}


def test_a_run_whose_data_left_returns_all_that_it_drew(api, drain, sql):
    deliveries = delivered(api, drain, 10, 10)
    production = chain.link(deliveries)
    only = chain.produce(production, 5, "2025-02-10T00:00:00Z")
    production.generate(QUARTER)

    accounting.void(sql, only)
    production.generate(QUARTER)

    assert chain.balances(deliveries) == {"2025-01": 10, "2025-02": 10}
    assert production.balance() == 0


def test_a_batch_whose_slot_starts_when_the_runs_slot_ends_is_not_drawn(api, drain):
    deliveries = delivered(api, drain, 1, 10)
    production = chain.link(deliveries)
    chain.produce(production, 2)

    (entry,) = production.preview(JANUARY)

    assert entry["problems"] == [
        "2025-01: Node 'drawn' needs 4 t of 'Deliveries', and 1 t is there to draw: 3 t too little."
    ]
    assert production.failure(JANUARY) == entry["problems"][0]
    assert deliveries.balance() == 11


def test_too_little_names_the_slot_and_the_partition_and_nothing_is_written(api, drain):
    deliveries = chain.inventory(api, drain, PARTITIONING, partition_type="feedstock")
    straw, wood = deliveries.feedstock("Straw"), deliveries.feedstock("Wood")
    deliveries.deliver(100, feedstock_id=wood)
    deliveries.deliver(1, feedstock_id=straw)
    deliveries.generate()
    production = chain.link(deliveries, chain.drawing(", match: [feedstock]"), partition_type="feedstock")
    chain.produce(production, 2, feedstock_id=straw)
    chain.produce(production, 2, feedstock_id=wood)

    assert production.failure() == (
        "2025-01: Node 'drawn' for Straw needs 4 t of 'Deliveries', and 1 t is there to draw: 3 t too little."
    )
    assert chain.balances(deliveries) == {"2025-01 Straw": 1, "2025-01 Wood": 100}
    assert production.batches() == []


def test_a_matching_node_draws_from_batches_of_its_own_feedstock_only(api, drain):
    deliveries = chain.inventory(api, drain, PARTITIONING, partition_type="feedstock")
    straw, wood = deliveries.feedstock("Straw"), deliveries.feedstock("Wood")
    deliveries.deliver(10, feedstock_id=wood)
    deliveries.deliver(20, feedstock_id=straw)
    deliveries.generate()
    production = chain.link(deliveries, chain.drawing(", match: [feedstock]"), partition_type="feedstock")
    chain.produce(production, 2, feedstock_id=straw)
    chain.produce(production, 3, feedstock_id=wood)

    production.generate()

    assert chain.balances(deliveries) == {"2025-01 Straw": 16, "2025-01 Wood": 4}


def test_pro_rata_draws_the_same_part_of_every_batch(api, drain):
    deliveries = delivered(api, drain, 10, 20, scale=0)
    production = chain.link(deliveries, chain.drawing(", order: pro_rata"))
    chain.produce(production, 2, "2025-02-10T00:00:00Z")

    production.generate(QUARTER)

    assert chain.balances(deliveries) == {"2025-01": 9, "2025-02": 17}
    assert production.generate(QUARTER)["adjusted"] == 0


def test_pro_rata_of_more_digits_than_a_number_holds_is_refused_by_name(api, drain):
    deliveries = delivered(api, drain, 10**15, 2 * 10**15, scale=20)
    production = chain.link(deliveries, chain.drawing(", order: pro_rata"))
    chain.produce(production, 5 * 10**14, "2025-02-10T00:00:00Z")

    assert production.failure(QUARTER) == (
        "2025-02: Node 'drawn' cannot draw in proportion:"
        " A part cut at 20 places has 35 digits, and a number holds 34."
    )
    assert deliveries.balance() == 3 * 10**15


def test_a_draw_is_rounded_once_to_the_scale_of_its_ledger_and_the_node_has_what_was_drawn(api, drain):
    deliveries = delivered(api, drain, 10, scale=2)
    production = chain.link(deliveries, output="used")
    chain.produce(production, "1.2345")

    production.generate()

    assert production.credits() == {"2025-01": Decimal("2.47")}
    assert deliveries.balance() == Decimal("7.53")


def test_a_ledger_kept_in_another_unit_is_drawn_in_its_own(api, drain):
    deliveries = delivered(api, drain, 10, unit="kg", scale=0)
    production = chain.link(deliveries, output="used")
    chain.produce(production, "1.0006")

    production.generate()

    assert production.credits() == {"2025-01": Decimal("2.001")}
    assert deliveries.balance() == 7999


def test_an_amount_below_zero_is_refused(api, drain):
    deliveries = delivered(api, drain, 10)
    nodes = chain.drawing().replace("made * 2", "made * -2")
    production = chain.link(deliveries, nodes)
    chain.produce(production, 1)

    assert production.failure() == (
        "2025-01: Node 'drawn' draws 'needed', which is -2 and must not be negative."
    )


def test_later_slots_see_what_earlier_ones_took(api, drain):
    deliveries = delivered(api, drain, 10)
    production = chain.link(deliveries)
    chain.produce(production, 3, "2025-02-10T00:00:00Z")
    chain.produce(production, 3, "2025-03-10T00:00:00Z")

    assert production.failure(QUARTER) == (
        "2025-03: Node 'drawn' needs 6 t of 'Deliveries', and 4 t is there to draw: 2 t too little."
    )


def test_slots_generated_out_of_order_come_to_the_same_when_they_are_generated_together(api, drain):
    deliveries = delivered(api, drain, 10)
    nodes = (
        chain.PRODUCED
        + """
  - slug: there
    available: Deliveries
    unit: t
  - slug: needed
    formula: min(made * 2, there)
    unit: t
"""
        + chain.upstream("amount: needed")
        + chain.USED
    )
    production = chain.link(deliveries, nodes, output="used")
    chain.produce(production, 3, "2025-02-10T00:00:00Z")
    chain.produce(production, 3, "2025-03-10T00:00:00Z")
    production.generate(MARCH)
    production.generate(FEBRUARY)
    assert production.credits() == {"2025-02": 4, "2025-03": 6}

    production.generate(QUARTER)

    totals = {batch["tracking_id"]: batch["run_total"] for batch in production.batches()}
    assert totals == {"2025-02": 6, "2025-03": 4}
    assert production.count(QUARTER) == 0
    assert deliveries.balance() == 0


def test_what_is_available_is_the_same_for_all_partitions_and_stays_when_generated_again(api, drain):
    deliveries = delivered(api, drain, 12)
    nodes = (
        chain.PRODUCED.replace("aggregate: sum", "aggregate: sum, partitions: true")
        + """
  - slug: there
    available: {ledger: Deliveries}
    unit: t
    output: true
  - slug: needed
    formula: there / 4
    unit: t
"""
        + chain.upstream("amount: needed")
        + chain.USED
    )
    production = chain.link(deliveries, nodes, partition_type="feedstock", output="used")
    chain.produce(production, 1, feedstock_id=production.feedstock("Straw"))
    chain.produce(production, 1, feedstock_id=production.feedstock("Wood"))

    production.generate()

    assert production.credits() == {"2025-01 Straw": 3, "2025-01 Wood": 3}
    assert deliveries.balance() == 6
    assert production.count() == 0


def test_attributes_of_the_sources_travel_along_in_their_units(api, drain):
    nodes = (
        MASS
        + """
  - slug: intensity
    input: {event_type: bill, data_point_type: energy, aggregate: average}
    unit: kWh
    output: true
"""
    )
    deliveries = chain.inventory(api, drain, nodes)
    for month, (mass, energy) in enumerate(((10, 3), (10, 5)), start=1):
        deliveries.deliver(mass, f"2025-{month:02d}-05T00:00:00Z")
        deliveries.bill(energy, f"2025-{month:02d}-05T00:00:00Z")
    deliveries.generate(QUARTER)
    production = chain.link(
        deliveries,
        chain.drawing(", attributes: [intensity]")
        + """
  - slug: burden
    formula: sum(drawn * drawn.intensity)
    unit: t * kWh
    output: true
""",
        output="burden",
        unit="t*kWh",
    )
    chain.produce(production, 6, "2025-02-10T00:00:00Z")

    production.generate(QUARTER)

    assert production.credits() == {"2025-02": 10 * 3 + 2 * 5}


def test_another_attribute_of_a_source_makes_the_consumer_stale_until_it_is_generated_again(api, drain):
    nodes = (
        MASS
        + """
  - slug: intensity
    input: {event_type: bill, data_point_type: energy, aggregate: average}
    unit: kWh
    output: true
"""
    )
    deliveries = chain.inventory(api, drain, nodes)
    deliveries.deliver(10)
    deliveries.bill(3)
    deliveries.generate()
    production = chain.link(
        deliveries,
        chain.drawing(", attributes: [intensity]").replace(
            "sum(drawn)", "sum(drawn * value(drawn.intensity, 'kWh'))"
        ),
        output="used",
    )
    chain.produce(production, 1)
    production.generate()
    assert [batch["is_stale"] for batch in production.batches()] == [False]

    deliveries.bill(5)
    deliveries.generate()
    (first,) = production.batches()
    assert first["is_stale"]
    assert [reason["reason"] for reason in first["stale_reasons"]] == ["source_adjusted"]

    production.generate()

    assert [(batch["run_total"], batch["is_stale"]) for batch in production.batches()] == [
        (8, False),
        (8, False),
    ]
    assert [batch["primary_output"]["value"] for batch in production.batches()] == [6, 2]


def test_what_is_drawn_goes_down_a_chain_of_three_ledgers(api, drain):
    deliveries = delivered(api, drain, 10, 10)
    production = chain.link(deliveries)
    sold = chain.drawing().replace("event_type: production", "event_type: sale")
    sales = chain.link(production, sold.replace("Deliveries", "Production"), name="Sales", output="used")
    chain.produce(production, 6, "2025-02-10T00:00:00Z")
    production.generate(QUARTER)
    sales.measure("sale", {"mass": 2}, "2025-03-10T00:00:00Z")

    sales.generate(QUARTER)

    assert chain.balances(deliveries) == {"2025-01": 0, "2025-02": 8}
    assert chain.balances(production) == {"2025-02": 2}
    assert chain.balances(sales) == {"2025-03": 4}


def test_a_ledger_that_the_project_does_not_have_is_refused_by_name(api, drain):
    plant = chain.inventory(api, drain)
    production = chain.link(plant, chain.drawing().replace("Deliveries", "Nowhere"))
    chain.produce(production, 1)

    refused = production.start().expect(422)

    assert refused.error["message"] == (
        "Node 'drawn' draws from 'Nowhere', which is no ledger of the project."
    )


def test_a_model_does_not_draw_from_a_ledger_that_it_credits(api, drain):
    production = chain.link(chain.inventory(api, drain))
    circle = accounting.document(
        chain.drawing().replace("Deliveries", "Production"), name="Production", primary_output="made"
    )
    newer = accounting.version(api, production.model, circle)
    api.post(f"/models/{newer['id']}/activate", {}).expect(200)
    chain.produce(production, 1)

    refused = production.start().expect(422)

    assert refused.error["message"] == ("Node 'drawn' draws from 'Production', which its own model credits.")


def test_a_ledger_of_another_kind_of_unit_is_refused(api, drain):
    plant = chain.inventory(api, drain)
    accounting.ledger(api, plant.project, name="Power", unit="kWh")
    production = chain.link(plant, chain.drawing().replace("Deliveries", "Power"))
    chain.produce(production, 1)

    refused = production.start().expect(422)

    assert refused.error["message"] == ("Node 'drawn' is in t, and 'Power' is kept in kWh.")


def test_a_batch_names_the_batches_that_drew_from_it(api, drain, sql):
    deliveries = delivered(api, drain, 10)
    production = chain.link(deliveries)
    chain.produce(production, 2)
    late = chain.produce(production, 1)
    production.generate()
    accounting.void(sql, late)
    production.generate()

    (source,) = deliveries.batches()
    newest = production.batches()[-1]

    assert source["allocations"] == source["downstream_batch_allocations"]
    assert source["allocations"] == [
        {
            "amount": 4,
            "unit": "t",
            "batch_id": newest["id"],
            "ledger_id": production.ledger["id"],
            "tracking_id": "2025-01",
        }
    ]
    assert newest["allocations"] == []


def test_the_lineage_of_a_batch_leads_to_its_sources(api, drain):
    deliveries = delivered(api, drain, 10, 10)
    production = chain.link(deliveries)
    chain.produce(production, 6, "2025-02-10T00:00:00Z")
    production.generate(QUARTER)
    (batch,) = production.batches()

    lineage = api.get(f"/batches/{batch['id']}/lineage").expect(200).body

    drawn = {node["slug"]: node for node in lineage["nodes"]}["drawn"]
    assert drawn["elements"] == [10, 2]
    assert [(draw["batch_id"], draw["tracking_id"], draw["amount"]) for draw in drawn["draws"]] == [
        (source["id"], source["tracking_id"], amount)
        for source, amount in zip(deliveries.batches(), (10, 2), strict=True)
    ]


def test_replacing_slots_of_another_cadence_returns_what_they_drew(api, drain):
    deliveries = delivered(api, drain, 10)
    production = chain.link(deliveries)
    chain.produce(production, 2, "2025-01-10T00:00:00Z")
    production.generate(QUARTER)
    quarterly = accounting.document(
        chain.drawing().replace("made * 2", "made * 3"),
        name="Production",
        cadence="quarterly",
        primary_output="made",
    )
    newer = accounting.version(api, production.model, quarterly)
    api.post(f"/models/{newer['id']}/activate", {}).expect(200)

    production.generate(QUARTER, model_version="latest")

    assert chain.balances(production) == {"2025-01": 0, "2025-Q1": 2}
    assert chain.balances(deliveries) == {"2025-01": 4}


def test_a_ledger_that_falls_below_what_was_drawn_leaves_the_draws_and_opens_a_deficit(api, drain, sql):
    deliveries = chain.inventory(api, drain)
    withdrawn = deliveries.deliver(10)
    deliveries.generate()
    production = chain.link(deliveries)
    chain.produce(production, 3)
    production.generate()
    accounting.void(sql, withdrawn)
    deliveries.deliver(1)

    deliveries.generate()

    assert production.generate()["adjusted"] == 0
    assert sum(chain.balances(deliveries).values()) == 0
    ledger = api.get(f"/ledgers/{deliveries.ledger['id']}").expect(200).body
    assert ledger["deficit"] == 5


def test_two_generations_at_once_never_draw_more_than_there_is(api, drain, server):
    deliveries = delivered(api, drain, 10)
    sold = chain.drawing().replace("event_type: production", "event_type: sale")
    production, sales = chain.link(deliveries), chain.link(deliveries, sold, name="Sales")
    chain.produce(production, 3)
    sales.measure("sale", {"mass": 3})
    tasks = [link.start().expect(202).body["id"] for link in (production, sales)]
    waiting = iter(tasks)

    server.together(lambda: server.run(worker.attempt_task(server.database, next(waiting))), 2)

    states = sorted(api.get(f"/async_tasks/{task}").expect(200).body["state"] for task in tasks)
    assert states == ["complete", "failed"]
    assert deliveries.balance() == 4
    drain()


def test_concurrent_ledgers_share_the_draws_of_their_run(api, drain):
    deliveries = delivered(api, drain, 10)
    production = chain.link(deliveries)
    burdens = accounting.ledger(
        api, production.project, production.model, name="Used", unit="t", output="used"
    )
    chain.produce(production, 2)

    production.generate(generate_concurrent_ledgers=True)
    again = production.generate(generate_concurrent_ledgers=True)

    assert production.credits() == {"2025-01": 2}
    assert production.credits(burdens) == {"2025-01": 4}
    assert deliveries.balance() == 6
    assert again["unchanged"] == 2


def test_a_source_without_the_attribute_is_named(api, drain):
    nodes = (
        MASS
        + """
  - slug: intensity
    input: {event_type: bill, data_point_type: energy, aggregate: average}
    unit: kWh
    optional: true
    output: true
"""
    )
    deliveries = delivered(api, drain, 10, nodes=nodes)
    production = chain.link(deliveries, chain.drawing(", attributes: [intensity]"))
    chain.produce(production, 1)

    assert production.failure() == (
        "2025-01: Node 'drawn' draws from '2025-01' of 'Deliveries', which has no value of 'intensity'."
    )


def test_an_attribute_that_the_source_has_no_output_for_is_refused(api, drain):
    production = chain.link(delivered(api, drain, 10), chain.drawing(", attributes: [energy]"))

    refused = production.start().expect(422)

    assert refused.error["message"] == (
        "Node 'drawn' brings along 'energy', and the outputs of 'Deliveries' are mass."
    )


def test_what_a_run_of_another_ledger_gives_back_asks_for_that_ledger_to_be_generated_too(api, drain, sql):
    deliveries = delivered(api, drain, 10)
    production = chain.link(deliveries)
    burdens = accounting.ledger(
        api, production.project, production.model, name="Used", unit="t", output="used"
    )
    only = chain.produce(production, 2)
    replace(production, ledger=burdens).generate()
    accounting.void(sql, only)

    assert production.failure() == (
        "Node 'drawn' gives back what it drew, and its run has batches on other ledgers of the model only;"
        " ask for generate_concurrent_ledgers."
    )
    production.generate(generate_concurrent_ledgers=True)

    assert deliveries.balance() == 10
