"""Seed, Batch (as listed on a ledger): a test for each sentence."""

import re
from decimal import Decimal

import pytest
from tests.given import accounting

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.fixture
def plant(api, drain):
    plant = accounting.plant(api, drain)
    plant.deliver("1.25", "2025-01-02T00:00:00Z")
    plant.deliver(2, "2025-02-02T00:00:00Z")
    plant.generate(accounting.QUARTER)
    return plant


def test_a_batch_of_a_ledger_has_every_field(api, plant):
    batch = api.get(f"/ledgers/{plant.ledger['id']}/batches").expect(200).data[0]

    assert re.fullmatch("bat_[0-9a-f]{24}", batch["id"])
    assert isinstance(batch["tracking_id"], str)
    for field in ("start_time", "end_time", "created_at"):
        assert re.fullmatch(TIME, batch[field]), field
    assert batch["state"] == "complete"
    assert batch["ledger_balance"] == Decimal("1.25")
    assert batch["ui_url"].endswith(f"/projects/{plant.project['id']}/batches/{batch['id']}")


def test_the_primary_output_has_an_integer_id_a_name_a_unit_and_a_value(plant):
    output = plant.batches()[0]["primary_output"]

    assert set(output) == {"id", "name", "unit", "value"}
    assert type(output["id"]) is int
    assert (output["name"], output["unit"], output["value"]) == ("mass", "t", Decimal("1.25"))


def test_amounts_are_written_as_json_numbers(api, plant):
    text = api.get(f"/ledgers/{plant.ledger['id']}/batches").text

    assert re.search(r'"ledger_balance":1\.25\b', text)
    assert re.search(r'"value":1\.25\b', text)


def test_input_data_rows_carry_the_fixed_field_set(plant):
    (row,) = plant.batches()[0]["input_data"]

    assert set(row) == {"data_point", "event"}
    assert {"substituted", "imputed", "raw_value", "substitution"} <= set(row["data_point"])
    assert set(row["event"]) == {"project_id", "id"}


def test_evidence_rule_results_and_full_events_are_no_part_of_a_row(plant):
    (row,) = plant.batches()[0]["input_data"]

    assert set(row["data_point"]) == {
        "id", "slug", "unit", "value", "raw_value", "substituted", "imputed", "substitution",
    }  # fmt: skip


def test_full_events_are_read_from_their_own_path_by_the_ids_of_the_row(api, plant):
    event = plant.batches()[0]["input_data"][0]["event"]

    assert (
        api.get(f"/projects/{event['project_id']}/events/{event['id']}").expect(200).body["id"] == event["id"]
    )


def test_a_leading_minus_sorts_batches_descending(api, plant):
    path = f"/ledgers/{plant.ledger['id']}/batches"

    newest = [batch["created_at"] for batch in api.get(path, {"sort": "-created_at"}).expect(200).data]

    assert newest == sorted(newest, reverse=True)
    assert api.get(path, {"sort": "-start_time"}).data == plant.batches()[::-1]


def test_a_batch_list_does_not_accept_a_filter_by_state(api, plant):
    for path in (f"/ledgers/{plant.ledger['id']}/batches", "/batches"):
        api.get(path, {"filter[state]": "complete"}).expect(400)
