"""POST /reports (`create_report`). Seed, Other operations; reference facts, 2.8."""

import re
from decimal import Decimal

import pytest
from tests.given import accounting, reports
from tests.given import collection as given


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def named(answer):
    """The fields and codes of a refusal."""
    return [(error["field"], error["code"]) for error in answer.expect(422).errors]


def test_a_report_begins_as_a_draft_that_takes_all_that_remains_of_its_batches(claims):
    january, february = claims.plant.batches()

    made = claims.ask(batch_ids=[february["id"], january["id"]]).expect(201).body

    assert re.fullmatch("rpt_[0-9a-f]{24}", made["id"])
    assert (made["name"], made["report_type"], made["status"]) == ("First quarter", "quarterly", "draft")
    assert (made["project_id"], made["ledger_id"]) == (
        claims.plant.project["id"],
        claims.plant.ledger["id"],
    )
    assert [(one["batch_id"], one["amount"], one["unit"]) for one in made["inclusions"]] == [
        (january["id"], 5, "t"),
        (february["id"], 3, "t"),
    ]
    assert (made["amount"], made["inclusion_count"], made["allocation"]) == (8, 2, None)
    assert (made["start_time"], made["end_time"]) == ("2025-01-01T00:00:00.000Z", "2025-03-01T00:00:00.000Z")
    assert (made["alerted_batch_count"], made["stale_batch_count"]) == (0, 0)
    assert claims.read(made) == made


def test_a_draft_reserves_nothing(claims):
    claims.report(5, 3)

    claims.report(5, 3)

    assert claims.balances() == [5, 3]
    assert [batch["report_allocations"] for batch in claims.plant.batches()] == [[], []]


def test_the_project_is_named_by_its_id_or_its_number(claims):
    by_number = claims.ask(project_id=claims.plant.project["numeric_id"]).expect(201).body

    assert by_number["project_id"] == claims.plant.project["id"]
    assert (by_number["ledger_id"], by_number["inclusions"], by_number["amount"]) == (None, [], 0)


def test_a_project_that_is_not_there_is_not_found(claims):
    for project in ("prj_0", 2_000_000_000, "nonsense"):
        answer = claims.ask(project_id=project).expect(404)
        assert answer.error["message"] == "Project not found"


def test_a_report_takes_so_much_of_each_batch_as_its_caller_says(claims):
    made = claims.report("1.5", "0.25")

    assert [one["amount"] for one in made["inclusions"]] == [Decimal("1.5"), Decimal("0.25")]


def test_more_than_remains_is_refused_by_batch_and_by_partition(claims):
    january = claims.batch()

    answer = claims.ask(batches=[{"batch_id": january, "amount": 80912}]).expect(422)

    assert [(error["field"], error["code"], error["records"]) for error in answer.errors] == [
        ("batches", "not_remaining", [january]),
        ("batches", "not_remaining", [january]),
    ]
    assert answer.errors[0]["message"] == (
        f"Of the batch {january} 5 remains, and the report takes 80912, which is 80907 more."
    )


@pytest.mark.parametrize(
    ("amount", "code"),
    [(0, "invalid"), (-1, "invalid"), (Decimal("0.0000001"), "invalid"), (Decimal("1e150"), "invalid")],
)
def test_an_amount_that_the_ledger_cannot_hold_is_refused(claims, amount, code):
    answer = claims.ask(batches=[{"batch_id": claims.batch(), "amount": amount}])

    assert named(answer) == [("batches[0].amount", code)]


def test_batches_are_of_one_ledger_of_the_project(api, drain, claims):
    other = reports.claims(api, drain, 2)
    system = given.project(api)

    assert named(claims.ask(batch_ids=[other.batch()])) == [("batch_ids", "unknown")]
    assert named(claims.ask(batch_ids=[claims.batch(), "bat_0"])) == [("batch_ids", "unknown")]
    assert named(claims.ask(project_id=system["id"], batch_ids=[claims.batch()])) == [
        ("batch_ids", "unknown")
    ]


def test_batches_of_two_ledgers_make_no_report(claims):
    plant = claims.plant
    text = accounting.document(
        "  - slug: billed\n    input: {event_type: bill, data_point_type: energy, aggregate: sum}\n"
        "    unit: kWh\n    output: true\n",
        name="Bills",
        primary_output="billed",
    )
    model = accounting.model(plant.api, plant.project, text)
    ledger = accounting.ledger(plant.api, plant.project, model, name="Bills", unit="kWh")
    plant.bill(7)
    accounting.Plant(plant.api, plant.drain, plant.project, model, ledger).generate()
    [billed] = plant.batches(ledger)

    answer = claims.ask(batch_ids=[claims.batch(), billed["id"]])

    assert named(answer) == [("batch_ids", "several_ledgers")]


def test_a_batch_is_named_once_and_in_one_way(claims):
    january = claims.batch()
    taken = {"batch_id": january, "amount": 1}

    assert named(claims.ask(batches=[taken, taken])) == [("batches", "twice")]
    assert named(claims.ask(batches=[taken], batch_ids=[january])) == [("batches", "conflict")]


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"name": ""}, "name", "required"),
        ({"report_type": " "}, "report_type", "required"),
        ({"methodology_id": 4711}, "methodology_id", "unknown"),
        ({"methodology_id": 10**30}, "methodology_id", "unknown"),
        ({"supersedes": "rpt_0"}, "supersedes", "unknown"),
    ],
)
def test_what_a_report_cannot_be_made_of_is_named(claims, fields, field, code):
    assert named(claims.ask(**fields)) == [(field, code)]


def test_a_report_names_its_methodology(claims):
    new = {"name": "Removal", "version": "1", "report_type": "quarterly"}
    methodology = claims.plant.api.post("/methodologies", {"methodology": new}).expect(201).body

    assert (
        claims.ask(methodology_id=methodology["id"]).expect(201).body["methodology_id"] == methodology["id"]
    )


def test_a_draft_is_not_restated(claims):
    draft = claims.report(1)

    assert named(claims.ask(supersedes=draft["id"])) == [("supersedes", "not_restatable")]
