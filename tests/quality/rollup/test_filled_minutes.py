"""Hours of minutes that rules have filled or moved, and what batches of those hours rest on."""

import pytest
from tests.accounting.batches.test_measured_share import shares
from tests.given import accounting
from tests.given import collection as given
from tests.given.roll_ups import events_of, hours, minutes, minutes_of, read, roll_up
from tests.given.rule_evaluation import calibration, rule, work

NODES = """
  - slug: co2
    input: {event_type: stack-hour, data_point_type: co2, aggregate: sum, coverage: any}
    unit: kg
    output: true
"""
MEAN = {"method": "mean_before_after"}


@pytest.fixture
def project(api):
    return given.project(api)


def summary(hour):
    point = next(one for one in hour["data_points"] if one["slug"] == "co2")
    said = hour["rolled_up_from"]
    return point["value"], point["value_source"], said["readings"], said["valid_readings"]


@pytest.mark.parametrize(
    ("purpose", "said"),
    [("substitute", (7, "captured", 4, 3)), ("impute", (-2, "captured", 5, 4))],
)
def test_minutes_that_a_rule_has_filled_are_in_no_hour(api, account, project, purpose, said):
    """1, 2, -9, none, 4: a rule fills one of the two gaps, and the hour is made of what was measured."""
    kind = minutes(api, project)
    hourly = hours(api, project, [("co2", "sum", "co2")])
    rule(
        api, project, "{{co2}} < 0", purpose=purpose, data_point="co2", correction=MEAN,
        event_type_id=kind["id"],
    )  # fmt: skip
    read(api, project, {"10:00": 1, "10:01": 2, "10:02": -9, "10:04": 4})
    work(account)
    roll_up(account)

    [hour] = events_of(api, project, hourly)

    assert summary(hour) == said


def test_minutes_that_were_moved_or_read_again_count_and_the_hour_does_not_say_so(
    api, account, drain, project
):
    """What docs/explanation/measured-share.md says of rolled-up events: the minutes say it, not the hour."""
    kind = minutes(api, project)
    hours(api, project, [("co2", "sum", "co2")])
    text = accounting.document(NODES, primary_output="co2")
    model = accounting.model(api, project, text)
    plant = accounting.Plant(api, drain, project, model, accounting.ledger(api, project, model, unit="kg"))
    calibration(api, project, "{{co2}} > 50", "{{co2}} / 10", data_point="co2", event_type_id=kind["id"])
    read(api, project, minutes_of(10, [1, 100]))
    work(account)
    roll_up(account)

    plant.generate()

    (batch,) = plant.batches()
    assert (batch["run_total"], shares(batch)) == (11, {"captured": 1})
    (row,) = batch["input_data"]
    asked = {"filter[rolled_up_event_id][eq]": row["event"]["id"], "sort": "start_time"}
    found = api.get(f"/projects/{project['id']}/events", asked).expect(200).data
    assert [one["data_points"][0]["value_source"] for one in found] == ["captured", "adjusted"]
