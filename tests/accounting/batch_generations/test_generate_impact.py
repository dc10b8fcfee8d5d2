"""POST of generate_impact: what a generation would change, down the ledgers and to the reports."""

import pytest
from tests.given import accounting
from tests.given.accounting import QUARTER
from tests.given.chain import WEIGHED, WORTH, inventory, link, produce
from tests.given.reports import Claims, submitted

from weighbridge.db import locks


class Works:
    """A ledger of deliveries, and one of what is made of them, which is reported."""

    def __init__(self, api, drain):
        self.deliveries = inventory(api, drain, WEIGHED)
        self.production = link(self.deliveries, WORTH, output="worth")
        self.api = api
        self.deliveries.deliver(50)
        produce(self.production, 10)
        self.deliveries.generate(QUARTER)
        self.production.generate(QUARTER)

    def ask(self, plant, period=QUARTER):
        body = {"start_time": period[0], "end_time": period[1]}
        return self.api.post(f"/ledgers/{plant.ledger['id']}/generate_impact", body)

    def outputs(self, answer):
        names = {one.ledger["id"]: one.ledger["name"] for one in (self.deliveries, self.production)}
        return [
            (names[one["ledger_id"]], one["primary_output_before"], one["primary_output_after"])
            for one in answer.expect(200).body["batches"]
        ]


@pytest.fixture
def works(api, drain):
    return Works(api, drain)


def test_what_draws_from_a_changed_batch_is_generated_after_it(works):
    works.deliveries.deliver(10, day=2)

    said = works.ask(works.deliveries)

    assert works.outputs(said) == [("Deliveries", 50, 60), ("Production", 50, 60)]
    assert [one["change"] for one in said.body["ledgers"]] == [10, 10]
    assert (said.body["problems"], said.body["not_followed"]) == ([], [])


def test_it_comes_to_what_the_generations_come_to_and_stores_nothing(works):
    works.deliveries.deliver(10, day=2)
    before = [plant.batches() for plant in (works.deliveries, works.production)]
    said = works.ask(works.deliveries).expect(200).body

    assert [plant.batches() for plant in (works.deliveries, works.production)] == before
    works.deliveries.generate(QUARTER)
    works.production.generate(QUARTER)
    totals = [one.batches()[-1]["run_total"] for one in (works.deliveries, works.production)]
    assert totals == [one["primary_output_after"] for one in said["batches"]]


def test_new_batches_change_nothing_further_down(works):
    works.deliveries.deliver(7, day="2025-02-03T00:00:00Z")

    said = works.ask(works.deliveries)

    assert works.outputs(said) == [("Deliveries", 0, 7)]
    assert said.body["batches"][0]["batch_id"] is None


def test_a_report_that_includes_a_changed_batch_is_named_with_what_it_would_lack(works):
    claims = Claims(works.production)
    report = submitted(claims, claims.report(50))
    works.api.patch(
        f"/projects/{works.deliveries.project['id']}/data_points/{first_point(works)}",
        {"data_point": {"value": 40}},
    ).expect(200)

    said = works.ask(works.deliveries).expect(200).body

    [batch] = [one["id"] for one in works.production.batches()]
    assert said["reports"] == [
        {
            "report_id": report["id"],
            "name": report["name"],
            "status": claims.read(report)["status"],
            "ledger_id": works.production.ledger["id"],
            "batch_ids": [batch],
            "included": 50,
            "primary_output_before": 50,
            "primary_output_after": 40,
            "uncovered": 10,
            "unit": "t",
            "role": None,
            "sign": 1,
        }
    ]
    assert [one["amount"] for one in said["deficits"]] == [10]


def test_a_report_that_claims_nothing_any_more_is_not_touched(works):
    claims = Claims(works.production)
    report = claims.report(20)
    works.deliveries.deliver(10, day=2)

    named = works.ask(works.deliveries).expect(200).body["reports"]
    assert [(one["included"], one["uncovered"]) for one in named] == [(20, 0)]

    works.api.delete(f"/reports/{report['id']}").expect(204)
    assert works.ask(works.deliveries).expect(200).body["reports"] == []


def test_while_a_task_works_with_a_ledger_it_says_what_it_could_not_follow(works, server):
    works.deliveries.deliver(10, day=2)
    project, number = accounting.key_of("ledger", works.deliveries.ledger["id"])

    with server.transaction() as connection:
        connection.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (locks.ledger(project, number),)
        )
        said = works.ask(works.deliveries)

    assert works.outputs(said) == [("Deliveries", 50, 60)]
    [why] = said.body["not_followed"]
    assert why == (
        "A task works with 'Deliveries' just now, so what draws from it is not included; try again when the "
        "task has ended."
    )


def test_a_generation_that_would_fail_changes_nothing(works):
    produce(works.production, 100, day=3)

    said = works.ask(works.production).expect(200).body

    assert said["batches"] == []
    [problem] = said["problems"]
    assert "'drawn' needs 110 t of 'Deliveries'" in problem


def first_point(works):
    """The data point of the first delivery."""
    path = f"/projects/{works.deliveries.project['id']}/events"
    event = works.api.get(path, query={"filter[slug]": "delivery"}).data[0]
    return works.api.get(f"{path}/{event['id']}").expect(200).body["data_points"][0]["id"]
