"""GET /batches and GET /ledgers/{ledger_id}/batches (`list_batches`, `list_ledger_batches`). Seed, Batch."""

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import MASS, POWER_EVENLY, QUARTER


@pytest.fixture
def plant(api, drain):
    """Three months of deliveries and bills, credited to a ledger each."""
    plant = accounting.plant(api, drain, MASS + POWER_EVENLY)
    accounting.ledger(api, plant.project, plant.model, name="Power", unit="kWh", output="power")
    for month in (1, 2, 3):
        plant.deliver(month, f"2025-0{month}-10T00:00:00Z")
        plant.bill(10 * month, f"2025-0{month}-10T00:00:00Z")
    plant.generate(QUARTER, generate_concurrent_ledgers=True)
    return plant


def tracking_ids(answer):
    return [batch["tracking_id"] for batch in answer.expect(200).data]


def test_a_ledger_lists_its_own_batches_by_time(plant):
    found = [(batch["tracking_id"], batch["primary_output"]["value"]) for batch in plant.batches()]

    assert found == [("2025-01", 1), ("2025-02", 2), ("2025-03", 3)]


def test_all_batches_of_the_account_are_listed_by_time(api, plant):
    found = api.get("/batches").expect(200).data

    assert [(batch["tracking_id"], batch["primary_output"]["unit"]) for batch in found] == [
        (month, unit) for month in ("2025-01", "2025-02", "2025-03") for unit in ("t", "kWh")
    ]
    assert {batch["project_id"] for batch in found} == {plant.project["id"]}


def test_a_list_shows_batches_as_they_are_shown_alone(api, plant):
    for batch in plant.batches():
        assert api.get(f"/batches/{batch['id']}").expect(200).body == batch


def test_the_newest_batches_come_first_when_asked(api, plant):
    path = f"/ledgers/{plant.ledger['id']}/batches"
    plant.deliver(1, "2025-01-11T00:00:00Z")
    plant.generate(QUARTER)

    answer = api.get(path, {"sort": "-created_at"})

    assert tracking_ids(answer) == ["2025-01", "2025-03", "2025-02", "2025-01"]
    assert answer.data[0]["adjusts"] == answer.data[3]["id"]


@pytest.mark.parametrize("sort", ["start_time", "end_time", "tracking_id", "id", "friendly_id", "created_at"])
def test_batches_are_sorted_in_both_directions(api, plant, sort):
    path = f"/ledgers/{plant.ledger['id']}/batches"

    assert tracking_ids(api.get(path, {"sort": sort})) == ["2025-01", "2025-02", "2025-03"]
    assert tracking_ids(api.get(path, {"sort": f"-{sort}"})) == ["2025-03", "2025-02", "2025-01"]


@pytest.mark.parametrize("path", ["/batches", "/ledgers/{ledger}/batches"])
@pytest.mark.parametrize("name", ["filter[state]", "filter[state][eq]"])
def test_a_batch_list_does_not_accept_a_filter_by_state(api, plant, path, name):
    error = api.get(path.format(ledger=plant.ledger["id"]), {name: "complete"}).expect(400).error

    assert error["field"] == name
    assert "state is not a field to filter by" in error["message"]


def test_batches_are_found_by_id_and_tracking_id(api, plant):
    path = f"/ledgers/{plant.ledger['id']}/batches"
    february = plant.batches()[1]

    for query in (
        {"filter[id][eq]": february["id"]},
        {"filter[friendly_id]": february["id"]},
        {"filter[tracking_id]": "2025-02"},
    ):
        assert api.get(path, query).expect(200).data == [february], query


def test_all_batches_are_narrowed_to_a_project(api, plant):
    other = given.project(api)

    assert len(api.get("/batches", {"filter[project_id]": str(plant.project["numeric_id"])}).data) == 6
    assert api.get("/batches", {"filter[project_id]": str(other["numeric_id"])}).data == []


def test_pages_cover_the_batches_without_gap_or_overlap(api, plant):
    path = f"/ledgers/{plant.ledger['id']}/batches"

    pages = [api.get(path, {"page_size": "2", "page": str(page)}) for page in (1, 2)]

    assert [tracking_ids(page) for page in pages] == [["2025-01", "2025-02"], ["2025-03"]]
    assert pages[0].info["total_items"] == 3


def test_another_account_sees_none_of_them(plant, stranger):
    assert stranger.get("/batches").expect(200).data == []
    assert (
        stranger.get(f"/ledgers/{plant.ledger['id']}/batches").expect(404).error["message"]
        == "record not found"
    )
