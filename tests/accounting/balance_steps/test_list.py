"""GET /ledgers/{ledger_id}/balance_steps (`list_balance_steps`)."""

from decimal import Decimal

import pytest
from tests.given import accounting, bundles
from tests.given import collection as given


def newest(api) -> str:
    """The number of the newest row of the audit log."""
    return api.get("/ledgers", {"as_of": clock(api)}).expect(200).headers["as-of-number"]


def clock(api) -> str:
    [(now,)] = api.server.sql("SELECT clock_timestamp()")
    return now.isoformat()


def steps(api, plant, **query):
    return api.get(f"/ledgers/{plant.ledger['id']}/balance_steps", query).expect(200).body


def short(answer):
    return [(one["kind"], one["amount"], one["balance"]) for one in answer["data"]]


@pytest.fixture
def plant(api, drain):
    return accounting.plant(api, drain)


def test_a_late_delivery_and_the_generation_that_counts_it_are_steps(api, plant):
    plant.deliver(2)
    plant.generate()
    since = newest(api)
    late = plant.deliver("0.5")
    plant.generate()

    answer = steps(api, plant, since=since)

    assert (answer["opening"]["balance"], answer["closing"]["balance"]) == (2, Decimal("2.5"))
    assert short(answer) == [("delivered_late", 0, 2), ("regenerated", Decimal("0.5"), Decimal("2.5"))]
    assert answer["data"][0]["record_ids"] == [late]
    assert [one["action"] for one in answer["data"]] == ["event.create", "batch_generation.finish"]


def test_a_correction_is_a_step_before_what_it_moved(api, plant):
    first = plant.deliver(2)
    plant.generate()
    since = newest(api)
    home = f"/projects/{plant.project['id']}"
    [point] = api.get(f"{home}/events/{first}").body["data_points"]
    body = {"data_point": {"value": 1, "reason": "weighed again"}}
    api.patch(f"{home}/data_points/{point['id']}", body).expect(200)
    plant.generate()

    answer = steps(api, plant, since=since)

    assert short(answer) == [("corrected", 0, 2), ("regenerated", -1, 1)]
    assert answer["data"][0]["user_name"] is not None


def test_what_a_report_takes_and_what_a_deletion_undoes_are_steps(api, plant, drain):
    plant.deliver(2)
    since = newest(api)
    plant.generate()
    draft = bundles.report_of(api, plant.ledger)
    api.post(f"/reports/{draft['id']}/submit", {}).expect(202)
    drain()
    api.post(f"/reports/{draft['id']}/accept", {}).expect(200)
    plant.deliver(3, "2025-01-20T00:00:00Z")
    plant.generate()
    [_, added] = plant.batches()
    api.delete(f"/batches/{added['id']}").expect(202)
    drain()

    answer = steps(api, plant, since=since)

    assert short(answer) == [
        ("generated", 2, 2), ("reserved", -2, 0), ("released", 2, 2), ("reported", -2, 0),
        ("delivered_late", 0, 0), ("regenerated", 3, 3), ("deleted", -3, 0),
    ]  # fmt: skip


def test_steps_between_two_rows_add_up_to_what_was_known_at_both(api, plant):
    numbers = []
    for mass in ("1.25", "0.5", "3"):
        plant.deliver(mass)
        plant.generate()
        numbers.append(newest(api))
    path = f"/ledgers/{plant.ledger['id']}"

    answer = steps(api, plant, since=numbers[0], as_of=numbers[1])

    assert (
        answer["opening"]["balance"]
        == api.get(path, {"as_of": numbers[0]}).body["balance"]
        == Decimal("1.25")
    )
    assert (
        answer["closing"]["balance"]
        == api.get(path, {"as_of": numbers[1]}).body["balance"]
        == Decimal("1.75")
    )
    assert sum(one["amount"] for one in answer["data"]) == Decimal("0.5")


def test_a_row_after_the_last_one_or_no_row_is_refused(api, plant):
    path, number = f"/ledgers/{plant.ledger['id']}/balance_steps", int(newest(api))

    for since in (str(number + 1000), "yesterday", ""):
        assert api.get(path, {"since": since}).expect(400).error["field"] == "since"
    assert (
        api.get(path, {"since": str(number), "as_of": str(number - 1)}).expect(400).error["field"] == "since"
    )
    assert api.get(path, {"since": str(number)}).expect(200).body["data"] == []


def test_the_ledger_of_another_account_is_not_found(api, stranger):
    ledger = accounting.ledger(api, given.project(api))

    stranger.get(f"/ledgers/{ledger['id']}/balance_steps", {"since": "0"}).expect(404)
