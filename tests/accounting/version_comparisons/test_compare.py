"""POST /models/{id}/compare: what a version would have come to over a past period, against another."""

from decimal import Decimal

import pytest
from tests.given import accounting as given_accounting
from tests.given.accounting import MASS, document, version
from tests.given.chain import WEIGHED, WORTH, drawing, inventory, link, produce
from tests.given.reports import Claims

PERIOD = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-03-01T00:00:00Z"}
QUARTER = "2025-01-01T00:00:00Z", "2025-04-01T00:00:00Z"

DRIED = """
  - slug: wet
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: mass
    formula: wet * 0.9
    unit: t
    output: true
"""
IN_KILOGRAMS = MASS.replace("unit: t", "unit: kg")
BY_FEEDSTOCK = {"partition_type": "feedstock"}


@pytest.fixture
def plant(api, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver(50)
    plant.deliver(20, day="2025-02-03T00:00:00Z")
    return plant


def newer(api, plant, nodes, **settings):
    return version(api, plant.model, document(nodes, **settings))


def compare(api, model, **fields):
    return api.post(f"/models/{model['id']}/compare", PERIOD | fields)


def tables(api):
    """How many rows every table of the database holds."""
    names = api(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY 1"
    )
    return {name: api(f'SELECT count(*) FROM "{name}"') for (name,) in names}


def test_a_comparison_tells_what_a_new_version_would_change(api, plant):
    plant.generate(QUARTER)
    dried = newer(api, plant, DRIED)

    said = compare(api, dried).expect(200).body

    ledger = plant.ledger["id"]
    assert said["model"] == {"id": dried["id"], "name": "Deliveries", "version": 2}
    assert said["against"] == {"id": plant.model["id"], "name": "Deliveries", "version": 1}
    assert said["ledgers"] == [
        {
            "ledger_id": ledger,
            "name": plant.ledger["name"],
            "batch_count": 2,
            "primary_output_before": 70,
            "primary_output_after": 63,
            "unit": "t",
        }
    ]
    assert said["runs"][0] == {
        "project_id": plant.project["id"],
        "partition": None,
        "start_time": "2025-01-01T00:00:00.000Z",
        "end_time": "2025-02-01T00:00:00.000Z",
        "batches": [
            {
                "ledger_id": ledger,
                "primary_output_before": 50,
                "primary_output_after": 45,
                "unit": "t",
            }
        ],
        "nodes": [
            {
                "slug": "wet",
                "name": "wet",
                "value_before": None,
                "value_after": 50,
                "unit_before": None,
                "unit_after": "t",
            },
            {
                "slug": "mass",
                "name": "mass",
                "value_before": 50,
                "value_after": 45,
                "unit_before": "t",
                "unit_after": "t",
            },
        ],
    }
    assert [one["start_time"][:7] for one in said["runs"]] == ["2025-01", "2025-02"]
    assert (said["problems_before"], said["problems_after"]) == ([], [])


def test_a_comparison_leaves_nothing_and_activating_comes_to_what_was_said(api, plant, sql):
    plant.generate(QUARTER)
    dried = newer(api, plant, DRIED)
    before = tables(sql)

    [ledger] = compare(api, dried).expect(200).body["ledgers"]

    assert tables(sql) == before
    api.post(f"/models/{dried['id']}/activate", {}).expect(200)
    plant.generate(QUARTER, model_version="latest")
    assert sum(one["primary_output"]["value"] for one in plant.batches()) == ledger["primary_output_after"]


def test_a_version_compared_with_itself_or_an_equal_one_differs_in_nothing(api, plant):
    plant.generate(QUARTER)
    same = newer(api, plant, MASS.lstrip("\n"))

    for said in (compare(api, plant.model), compare(api, same, against=plant.model["id"])):
        assert said.expect(200).body["runs"] == []
        assert said.body["ledgers"][0]["primary_output_after"] == 70


def test_a_period_that_was_never_generated_is_compared_as_well(api, plant):
    said = compare(api, newer(api, plant, DRIED)).expect(200).body

    assert said["ledgers"][0]["batch_count"] == 2


def test_without_against_the_version_that_ledgers_run_is_compared_with(api, plant):
    dried = newer(api, plant, DRIED)
    api.post(f"/models/{dried['id']}/activate", {}).expect(200)

    said = compare(api, plant.model).expect(200).body

    assert said["against"]["id"] == dried["id"]
    assert (said["ledgers"][0]["primary_output_before"], said["ledgers"][0]["primary_output_after"]) == (
        63,
        70,
    )


def test_a_unit_that_changes_is_told_though_the_ledger_comes_to_the_same(api, plant):
    said = compare(api, newer(api, plant, IN_KILOGRAMS)).expect(200).body

    first = said["runs"][0]
    assert first["batches"] == []
    assert [(one["slug"], one["value_before"], one["unit_before"]) for one in first["nodes"]] == [
        ("mass", 50, "t")
    ]
    assert (first["nodes"][0]["value_after"], first["nodes"][0]["unit_after"]) == (50_000, "kg")
    assert said["ledgers"][0]["batch_count"] == 0


def test_partitions_appear_and_vanish(api, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver(50, feedstock_id=plant.feedstock("Wood"))
    plant.deliver(7, feedstock_id=plant.feedstock("Straw"))
    plant.generate()

    said = compare(api, newer(api, plant, MASS, **BY_FEEDSTOCK)).expect(200).body

    assert [
        (
            one["partition"],
            one["batches"][0]["primary_output_before"],
            one["batches"][0]["primary_output_after"],
        )
        for one in said["runs"]
    ] == [(None, 57, None), ("Straw", None, 7), ("Wood", None, 50)]


def test_slots_of_another_cadence_appear_and_vanish(api, plant):
    plant.generate(QUARTER)

    daily = newer(api, plant, MASS, cadence="daily")
    whole = compare(api, daily).expect(200).body
    part = compare(api, daily, end_time="2025-01-20T00:00:00Z")

    assert part.expect(422).error["code"] == "cut_slot"
    amounts = [
        (
            one["start_time"][:10],
            one["batches"][0]["primary_output_before"],
            one["batches"][0]["primary_output_after"],
        )
        for one in whole["runs"]
        if one["batches"]
    ]
    assert ("2025-01-01", 50, None) in amounts
    assert ("2025-01-01", None, 50) in amounts
    assert whole["ledgers"][0]["primary_output_after"] == 70


def test_a_version_that_draws_more_than_there_is_says_so(api, drain):
    deliveries = inventory(api, drain)
    deliveries.deliver(50)
    deliveries.generate()
    production = link(deliveries)
    produce(production, 24)
    production.generate()
    text = drawing().replace("made * 2", "made * 3")
    made = version(api, production.model, document(text, name="Production", primary_output="made"))

    said = compare(api, made).expect(200).body

    drawn = [one for one in said["runs"][0]["nodes"] if one["slug"] == "needed"]
    assert (drawn[0]["value_before"], drawn[0]["value_after"]) == (48, 72)
    assert said["problems_after"] != [] or [one["slug"] for one in said["runs"][0]["nodes"]][-1] == "used"


def test_what_draws_from_the_results_is_compared_down_to_the_reports(api, drain):
    deliveries = inventory(api, drain, WEIGHED)
    production = link(deliveries, WORTH, output="worth")
    deliveries.deliver(50)
    produce(production, 10)
    deliveries.generate(QUARTER)
    production.generate(QUARTER)
    claims = Claims(production)
    report = claims.report(50)
    doubled = newer(api, deliveries, WEIGHED.replace("/ 10", "/ 5"))

    impact = compare(api, doubled).expect(200).body["impact"]

    names = {one["ledger_id"]: one["name"] for one in impact["ledgers"]}
    assert [(names[one["ledger_id"]], one["primary_output_after"]) for one in impact["batches"]] == [
        ("Production", 100)
    ]
    assert [(one["report_id"], one["included"]) for one in impact["reports"]] == [(report["id"], 50)]

    api.post(f"/models/{doubled['id']}/activate", {}).expect(200)
    for plant in (deliveries, production):
        plant.generate(QUARTER, model_version="latest")
    assert production.batches()[-1]["run_total"] == 100


def test_a_version_to_compare_with_that_cuts_slots_is_refused_whatever_draws_from_the_other(api, drain):
    deliveries = inventory(api, drain, WEIGHED)
    production = link(deliveries, WORTH, output="worth")
    deliveries.deliver(50)
    produce(production, 10)
    deliveries.generate(QUARTER)
    production.generate(QUARTER)
    daily = newer(api, deliveries, WEIGHED, cadence="daily")
    doubled = version(api, daily, document(WEIGHED.replace("/ 10", "/ 5")))

    said = compare(api, doubled, against=daily["id"], end_time="2025-01-20T00:00:00Z")

    assert said.expect(422).error["code"] == "cut_slot"


def test_an_old_version_that_could_not_credit_a_ledger_has_no_sum(api, plant):
    other = MASS.replace("slug: mass", "slug: total")
    renamed = newer(api, plant, MASS + other)
    ledger = {"name": "Total", "unit": "t", "model_id": renamed["id"], "output": "total"}
    api.post(f"/models/{renamed['id']}/activate", {}).expect(200)
    api.post(f"/projects/{plant.project['id']}/ledgers", {"ledger": ledger}).expect(201)

    said = compare(api, renamed, against=plant.model["id"]).expect(200).body
    refused = compare(api, plant.model)

    assert [(one["primary_output_before"], one["primary_output_after"]) for one in said["ledgers"]] == [
        (70, 70),
        (None, 70),
    ]
    assert refused.expect(422).error["code"] == "missing_output"


def test_what_would_fail_a_version_is_said(api, drain):
    plant = given_accounting.plant(api, drain, MASS)
    plant.deliver(0)
    fails = newer(api, plant, MASS + given_accounting.FAILS_AT_ZERO)

    said = compare(api, fails).expect(200).body

    assert said["problems_before"] == []
    assert len(said["problems_after"]) == 1


def test_refusals_of_a_comparison(api, drain, plant):
    other = given_accounting.plant(api, drain)
    alone = given_accounting.model(api, plant.project, document(MASS, name="StandaloneRunContext"))

    assert compare(api, plant.model, against=other.model["id"]).expect(422).error["code"] == "other_model"
    assert compare(api, alone).expect(422).error["code"] == "no_ledger"
    assert compare(api, plant.model, end_time=PERIOD["start_time"]).expect(422).error["field"] == "end_time"
    compare(api, plant.model, against="mod_000000000000000000000000").expect(404)
    compare(api, {"id": "mod_000000000000000000000000"}).expect(404)


def test_numbers_keep_their_digits(api, drain):
    plant = given_accounting.plant(api, drain)
    plant.deliver("0.123456")

    said = compare(api, newer(api, plant, DRIED)).expect(200).body

    assert said["runs"][0]["nodes"][1]["value_after"] == Decimal("0.1111104")
