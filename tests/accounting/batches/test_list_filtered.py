"""Filters of batches, and the batches of a project: `list_batches`, `list_project_batches`,
`list_ledger_batches`.
"""

import pytest
from tests.given import accounting, chain
from tests.given import collection as given
from tests.given.accounting import MASS, POWER_EVENLY, QUARTER
from tests.given.on_purpose import broken_on_purpose


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


def paths(plant):
    ledger, project = plant.ledger["id"], plant.project["id"]
    return "/batches", f"/projects/{project}/batches", f"/ledgers/{ledger}/batches"


def found(api, path, **filters):
    query = {f"filter[{name}]": value for name, value in filters.items()}
    return api.get(path, query | {"page_size": "200"}).expect(200).data


def test_the_batches_of_a_project_are_those_of_all_its_ledgers(api, drain, plant):
    accounting.plant(api, drain).deliver(1)
    path = f"/projects/{plant.project['id']}/batches"

    batches = found(api, path)

    assert batches == found(api, "/batches", project_id=plant.project["id"])
    assert len(batches) == 6
    assert found(api, f"/projects/{plant.project['numeric_id']}/batches") == batches


def test_the_batches_of_another_accounts_project_are_not_found(plant, stranger):
    stranger.get(f"/projects/{plant.project['id']}/batches").expect(404)


def test_batches_are_narrowed_to_a_project_by_its_id_and_its_number(api, plant):
    other = given.project(api)

    for key in ("id", "numeric_id"):
        assert len(found(api, "/batches", project_id=str(plant.project[key]))) == 6
        assert found(api, "/batches", project_id=str(other[key])) == []


def test_batches_are_narrowed_to_a_ledger(api, plant):
    assert found(api, "/batches", ledger_id=plant.ledger["id"]) == plant.batches()


def test_batches_are_narrowed_to_a_time(api, plant):
    february = {"[geq]": "2025-02-01T00:00:00Z", "[leq]": "2025-02-28T00:00:00Z"}
    for path in paths(plant):
        for query in (
            {f"filter[start_time]{bound}": moment for bound, moment in february.items()},
            {"filter[start_time]": "2025-02-01T00:00:00Z"},
            {"filter[end_time][eq]": "2025-03-01T00:00:00Z"},
            {
                "filter[end_time][geq]": "2025-02-02T00:00:00Z",
                "filter[end_time][leq]": "2025-03-01T00:00:00Z",
            },
        ):
            batches = api.get(path, query).expect(200).data
            assert {batch["tracking_id"] for batch in batches} == {"2025-02"}, (path, query)


def test_batches_are_narrowed_to_those_made_since_a_time(api, plant):
    before = plant.batches()
    plant.deliver(1, "2025-01-11T00:00:00Z")
    plant.generate()
    adjusting = [batch for batch in plant.batches() if batch["adjusts"]]

    since = {"filter[created_at][geq]": adjusting[0]["created_at"]}

    for path in paths(plant):
        assert api.get(path, since).expect(200).data == adjusting
    until = {"filter[created_at][leq]": before[0]["created_at"], "page_size": "200"}
    assert len(api.get(paths(plant)[0], until).expect(200).data) == 6


def test_batches_are_narrowed_to_a_run_on_all_its_ledgers(api, plant):
    plant.deliver(1, "2025-01-11T00:00:00Z")
    plant.generate(generate_concurrent_ledgers=True)
    run = [batch for batch in found(api, "/batches") if batch["tracking_id"] == "2025-01"]
    assert len(run) == 4

    for batch in run:
        assert found(api, "/batches", model_run_id=batch["model_run"]["id"]) == run
    of_ledger = [batch for batch in run if batch["ledger_id"] == plant.ledger["id"]]
    assert found(api, paths(plant)[2], model_run_id=run[0]["model_run"]["id"]) == of_ledger


def test_a_run_of_another_account_and_one_without_batches_have_none(api, plant, stranger):
    run = plant.batches()[0]["model_run"]["id"]
    deliveries = api.get(f"/projects/{plant.project['id']}/data_points", {"slug": "mass"}).data
    bills = api.get(f"/projects/{plant.project['id']}/data_points", {"slug": "energy"}).data
    body = accounting.range_of(accounting.JANUARY, data_point_ids=[deliveries[0]["id"], bills[0]["id"]])
    made = api.post(f"/models/{plant.model['id']}/model_runs", {"model_run": body}).expect(201).body

    assert stranger.get("/batches", {"filter[model_run_id]": run}).expect(200).data == []
    assert found(api, "/batches", model_run_id=made["id"]) == []


def test_stale_batches_are_found_and_those_that_draw_from_them(api, drain):
    deliveries = chain.inventory(api, drain)
    production = chain.link(deliveries)
    for month in (1, 2):
        deliveries.deliver(10, f"2025-0{month}-02T00:00:00Z")
        chain.produce(production, 1, f"2025-0{month}-03T00:00:00Z")
    deliveries.generate(QUARTER)
    production.generate(QUARTER)
    everywhere = (
        *paths(deliveries)[:2],
        *(f"/ledgers/{one.ledger['id']}/batches" for one in (deliveries, production)),
    )
    for path in everywhere:
        assert found(api, path, is_stale="true") == []

    mass = found(api, f"/projects/{deliveries.project['id']}/data_points", slug="mass")[0]
    change = {"data_point": {"value": 9}}
    api.patch(f"/projects/{deliveries.project['id']}/data_points/{mass['id']}", change).expect(200)

    for path in everywhere:
        batches = found(api, path)
        stale = [batch for batch in batches if batch["is_stale"]]
        assert found(api, path, is_stale="true") == stale, path
        assert found(api, path, is_stale="false") == [one for one in batches if not one["is_stale"]], path
    assert len(found(api, "/batches", is_stale="true")) >= 2


def test_batches_of_an_older_engine_are_stale_and_adjusted_ones_are_not(api, plant, sql):
    plant.deliver(1, "2025-01-11T00:00:00Z")
    plant.generate()
    number = broken_on_purpose(plant.project["numeric_id"])
    sql("UPDATE batches SET engine_revision = 1 WHERE project_id = %s", number)

    stale = found(api, "/batches", is_stale="true")

    assert stale == [batch for batch in found(api, "/batches") if batch["is_stale"]]
    assert len(stale) == 6


@pytest.mark.parametrize(
    ("name", "value", "takes"),
    [
        ("is_stale", "yes", "true or false"),
        ("model_run_id", "bat_1", "an id mr_…, for all batches of its run"),
        ("ledger_id", "7", "an id lgr_…"),
        ("project_id", "lgr_1", "an id prj_… or a project's number"),
        ("start_time", "2025-01-01", "a time with an offset or Z, where + is sent as %2B"),
    ],
)
def test_a_value_that_a_filter_cannot_read_is_refused_with_what_it_takes(api, name, value, takes):
    error = api.get("/batches", {f"filter[{name}]": value}).expect(400).error

    assert (error["field"], error["code"]) == (f"filter[{name}]", "unreadable")
    assert error["message"] == f"filter[{name}] is {value!r}; {name} takes {takes}."
