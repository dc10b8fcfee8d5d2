"""GET /models/{model_id}/model_runs: the runs of one version, alone and behind batches, in one list."""

import pytest
from tests.given import accounting
from tests.given.accounting import MASS, QUARTER, document


@pytest.fixture
def plant(api, drain):
    return accounting.plant(api, drain)


def run(plant, event, *, start="2025-01-01T00:00:00Z", end="2025-02-01T00:00:00Z", model=None):
    """A run by itself over the mass of an event; gives its id."""
    [point] = plant.api.get(f"/projects/{plant.project['id']}/events/{event}").body["data_points"]
    body = {"start_time": start, "end_time": end, "data_point_ids": [point["id"]]}
    path = f"/models/{(model or plant.model)['id']}/model_runs"
    return plant.api.post(path, {"model_run": body}).expect(201).body["id"]


def runs(plant, model=None, **query):
    filters = {key.replace("__", "[", 1).replace("__", "][") + "]" * ("__" in key): value
               for key, value in query.items()}  # fmt: skip
    return plant.api.get(f"/models/{(model or plant.model)['id']}/model_runs", filters).expect(200)


def test_runs_that_stand_alone_and_runs_behind_batches_stand_in_one_list_by_time(plant):
    first = plant.deliver(1)
    plant.deliver(2, "2025-02-02T00:00:00Z")
    alone = run(plant, first, start="2025-01-01T01:00:00Z")
    batches = plant.generate(QUARTER)["batches"]

    found = runs(plant).data

    assert [one["batch_id"] for one in found] == [batches[0], None, batches[1]]
    assert found[1]["id"] == alone
    assert [one["calculations"][0]["value"] for one in found] == [1, 1, 2]


def test_the_list_is_that_of_the_version_in_the_path(plant):
    second = accounting.version(plant.api, plant.model, document(MASS), activate=True)
    event = plant.deliver(1)
    mine = run(plant, event, model=second)

    assert [one["id"] for one in runs(plant, second).data] == [mine]
    assert runs(plant).data == []


def test_runs_are_filtered_by_time_and_state(plant):
    early, late = plant.deliver(1), plant.deliver(1, day=20)
    first = run(plant, early, end="2025-01-10T00:00:00Z")
    second = run(plant, late, start="2025-01-15T00:00:00Z")

    def ids(**query):
        return [one["id"] for one in runs(plant, **query).data]

    assert ids(filter__start_time__geq="2025-01-02T00:00:00Z") == [second]
    assert ids(filter__start_time__leq="2025-01-01T00:00:00Z") == [first]
    assert ids(filter__end_time__leq="2025-01-10T00:00:00Z") == [first]
    assert ids(filter__state="complete") == [first, second]
    assert ids(filter__state__eq="failed") == []


def test_a_state_that_no_run_has_is_refused(plant):
    path = f"/models/{plant.model['id']}/model_runs"

    error = plant.api.get(path, {"filter[state][eq]": "done"}).expect(400).error

    assert error["message"].endswith("state takes complete or failed or processing.")


@pytest.mark.parametrize("sort", ["id", "-start_time", "end_time,-id", "-created_at", "state", "updated_at"])
def test_pages_and_cursors_walk_both_kinds_without_gap_or_repetition(plant, sort):
    event = plant.deliver(1)
    plant.deliver(2, "2025-02-02T00:00:00Z")
    plant.generate(QUARTER)
    for _ in range(3):
        run(plant, event)
    everything = [one["id"] for one in runs(plant, sort=sort).data]

    pages = [runs(plant, sort=sort, page_size="2", page=str(page)) for page in (1, 2, 3)]
    walked, cursor = [], {}
    while cursor is not None:
        page = runs(plant, page_size="2", **({"sort": sort} | cursor))
        walked += [one["id"] for one in page.data]
        marked = page.info["next_cursor"]
        cursor = {"cursor": marked} if marked else None

    assert len(set(everything)) == 5
    assert [one["id"] for page in pages for one in page.data] == everything
    assert walked == everything
    assert pages[0].info["total_items"] == 5


def test_a_model_without_runs_has_an_empty_list(plant):
    assert runs(plant).data == []


def test_listing_runs_takes_production_accounting_read(plant, account):
    caller = account.caller("data_collection:write")

    caller.get(f"/models/{plant.model['id']}/model_runs").expect(403)
