"""Archives of events that are rolled up from others, and change with their readings."""

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.roll_ups import hours, minutes, minutes_of, read, roll_up

NODES = """
  - slug: co2
    input: {event_type: stack-hour, data_point_type: co2, aggregate: sum, coverage: any}
    unit: kg
    output: true
"""


@pytest.fixture
def plant(api, drain):
    """A plant whose batches are made of hours, and those of minutes."""
    project = given.project(api)
    minutes(api, project)
    hours(api, project, [("co2", "sum", "co2")])
    made = accounting.model(api, project, accounting.document(NODES, primary_output="co2"))
    return accounting.Plant(api, drain, project, made, accounting.ledger(api, project, made, unit="kg"))


def correct_minute(plant, time, value):
    asked = {"filter[start_time][eq]": f"2025-01-01T{time}:00Z", "filter[slug][eq]": "stack-minute"}
    [minute] = plant.api.get(f"/projects/{plant.project['id']}/events", asked).data
    point = f"/projects/{plant.project['id']}/data_points/{minute['data_points'][0]['id']}"
    plant.api.patch(point, {"data_point": {"value": value}}).expect(200)


def test_each_batch_is_made_again_of_what_it_saw_of_an_hour(plant, write, verify):
    read(plant.api, plant.project, minutes_of(10, [1, 2]))
    plant.generate()
    correct_minute(plant, "10:00", 5)
    plant.generate()
    write()

    found = verify()

    assert (found["batches"], found["violations"], found["uncovered"]) == (2, [], [])


def test_an_hour_that_was_rolled_up_anew_is_named_as_such(account, plant, write, check):
    read(plant.api, plant.project, minutes_of(10, [1, 2]))
    roll_up(account)
    write()
    correct_minute(plant, "10:00", 5)
    roll_up(account)

    [month] = check()

    assert (month["altered"], len(month["changed"])) == ([], 2)
    assert any(" changed since: rolled up anew at " in said for said in month["changed"])
    assert any(" changed since: correction " in said for said in month["changed"])
