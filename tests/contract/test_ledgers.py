"""Seed, Ledger and Required input: a test for each sentence."""

import re

from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, POWER_EVENLY

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


def test_ledgers_are_listed_under_data_with_every_field_of_a_ledger(api, drain):
    plant = accounting.plant(api, drain)

    (ledger,) = api.get("/ledgers").expect(200).data

    assert re.fullmatch("lgr_[0-9a-f]{24}", ledger["id"])
    assert (ledger["name"], ledger["unit"], ledger["system_ledger_type"]) == ("Deliveries", "t", None)
    assert (ledger["partition_type"], ledger["cadence"], ledger["asset_category"]) == (
        "time",
        "monthly",
        None,
    )
    assert ledger["latest_model"] == {"id": plant.model["id"], "name": plant.model["name"]}
    assert re.fullmatch(TIME, ledger["created_at"])
    assert re.fullmatch(TIME, ledger["updated_at"])
    assert ledger["ui_url"].endswith(f"/projects/{plant.project['id']}/ledgers/{ledger['id']}")


def test_the_latest_model_is_null_when_none_is_linked(api):
    assert accounting.ledger(api, given.project(api))["latest_model"] is None


def test_a_required_input_has_its_fields(api, drain):
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY)

    inputs = api.get(f"/ledgers/{plant.ledger['id']}/required_inputs").expect(200).data

    assert [(one["slug"], one["unit"], one["value_type"]) for one in inputs] == [
        ("mass", "t", "number"),
        ("energy", "kWh", "number"),
    ]
    for one in inputs:
        assert set(one) == {
            "id", "name", "slug", "unit", "value_type", "category", "subcategory", "is_manual_select",
            "allocation_groups", "output_of_ledgers",
        }  # fmt: skip
        assert type(one["id"]) is int
        assert (one["is_manual_select"], one["allocation_groups"], one["output_of_ledgers"]) == (
            False,
            [],
            [],
        )


def test_a_ledger_is_made_for_a_project_by_its_friendly_or_its_numeric_id(api):
    project = given.project(api)

    for name, key in (("One", "id"), ("Two", "numeric_id")):
        body = {"ledger": {"project_id": project[key], "name": name, "unit": "t"}}
        assert api.post("/ledgers", body).expect(201).body["project_id"] == project["id"]


def test_an_unknown_project_returns_the_message_project_not_found(api):
    body = {"ledger": {"project_id": "prj_unknown", "name": "One", "unit": "t"}}

    assert api.post("/ledgers", body).expect(404).error["message"] == "Project not found"
