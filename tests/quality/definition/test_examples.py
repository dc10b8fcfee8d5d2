"""Each of the examples finds what it is for and leaves the rest alone."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from tests.given import accounting as given_accounting
from tests.given import collection as given

from weighbridge.quality.records.rule_examples import EXAMPLES

START = datetime(2025, 1, 1, tzinfo=UTC)
NODES = """
  - slug: biochar_mass
    input: {event_type: delivery, data_point_type: dry-mass, aggregate: sum}
    unit: t
  - slug: removal_measured
    input: {event_type: delivery, data_point_type: removal, aggregate: sum}
    unit: t
  - slug: net_removal
    formula: removal_measured
    unit: t
    output: true
"""

USUAL = [19, 20, 21] * 10
DATA = {
    "range": (
        [{"wet-mass": value} for value in [Decimal("0.4"), Decimal("0.5"), 40, Decimal("40.1")]],
        ["0.4", "40.1"],
    ),
    "spike": ([{"wet-mass": value} for value in [*USUAL, 30, 20]], ["30"]),
    "flat_line": (
        [{"temperature": value} for value in [20, 21, *[22] * 7, 23]],
        ["22"],
    ),
    "missing_slot": (
        [{"temperature": 1}, {"temperature": 2}, None, {"temperature": 4}, {"temperature": 5}],
        ["4"],
    ),
    "ratio": ([{"wet-mass": 20, "dry-mass": value} for value in [19, 20, 21]], ["21"]),
    "monthly_total": ([{"wet-mass": 500}, {"wet-mass": 700}, {"wet-mass": 1}], ["1"]),
    "working_hours": ([{"wet-mass": hour} for hour in range(1, 9)], ["1", "2", "3", "4", "5", "6"]),
    "mostly": ([{"wet-mass": value} for value in [*[30] * 18, 50, 60]], [*["30"] * 18, "50", "60"]),
    "unit_slip": ([{"wet-mass": value} for value in [20, 21, 19, 20000, 20]], ["20000"]),
}
"""The measurements of each hour, and the values that the example alerts on."""


@pytest.fixture
def plant(api):
    project = given.project(api)
    slugs = ("wet-mass", "dry-mass", "temperature", "removal")
    body = {
        "name": "Delivery",
        "slug": "delivery",
        "expected_locations": "none",
        "cadence_amount": 1,
        "cadence_unit": "hour",
        "data_point_types": [given.number(slug, required=False) for slug in slugs],
    }
    api.post(f"/projects/{project['id']}/event_types", {"event_type": body}).expect(201)
    return project


def found(api, project, name, **ids):
    """What the example finds in the past: the values of its alerts, in the order of time."""
    rule = EXAMPLES[name][1]["rule"]
    delivery = api.get(f"/projects/{project['id']}/event_types").data[0]["id"]
    ids = {"event_type_id": delivery} | ids
    rule = rule | {field: value for field, value in ids.items() if field in rule}
    body = {"rule": rule, "start_time": "2025-01-01T00:00:00Z", "end_time": "2025-03-01T00:00:00Z"}
    return api.post(f"/projects/{project['id']}/rules/preview", body).expect(200).data


@pytest.mark.parametrize("name", DATA)
def test_an_example_finds_what_it_is_for(api, plant, name):
    measured, alerts = DATA[name]
    given.events(
        api,
        plant,
        [
            given.event_body(start_time=(START + timedelta(hours=hour)).isoformat(), values=values)
            for hour, values in enumerate(measured)
            if values is not None
        ],
    )

    assert [one["value"] for one in found(api, plant, name)] == alerts


def test_a_meter_is_calibrated_by_two_percent(api, plant):
    given.events(
        api,
        plant,
        [
            given.event_body(start_time=(START + timedelta(hours=hour)).isoformat(), values=values)
            for hour, values in enumerate([{"temperature": 500}, {"wet-mass": 20}, {"temperature": 0}])
        ],
    )

    alerts = found(api, plant, "calibration")

    assert [(one["from_value"], one["to_value"]) for one in alerts] == [(500, 510), (None, None)]


def test_a_delivery_that_was_entered_twice_is_found(api, plant):
    for day, tracking_id in enumerate(["T-1", "T-2", "T-1", "T-3"], start=1):
        given.event(
            api, plant, start_time=f"2025-01-0{day}T00:00:00Z", tracking_id=tracking_id,
            values={"wet-mass": 20},
        )  # fmt: skip

    assert [one["start_time"] for one in found(api, plant, "duplicate")] == ["2025-01-03T00:00:00.000Z"]


def test_an_event_that_was_entered_late_is_found(api, plant, sql):
    late, _ = (given.event(api, plant, values={"wet-mass": 20}) for _ in range(2))
    number = plant["numeric_id"]
    [(start,)] = sql("SELECT DISTINCT start_time FROM events WHERE project_id = %s", number)
    in_time = start + timedelta(hours=48)
    sql("UPDATE events SET created_at = %s WHERE project_id = %s", in_time, number)
    assert found(api, plant, "late_entry") == []
    sql(
        """
        UPDATE events SET created_at = %s
         WHERE project_id = %s AND id = (SELECT min(id) FROM events WHERE project_id = %s)
        """,
        in_time + timedelta(minutes=1), number, number,
    )  # fmt: skip

    assert [one["event_id"] for one in found(api, plant, "late_entry")] == [late["id"]]


def test_a_batch_out_of_proportion_is_found(api, plant, drain):
    [delivery] = api.get(f"/projects/{plant['id']}/event_types").data
    no_cadence = {"cadence_amount": None, "cadence_unit": None}  # two readings cover no slot
    api.patch(f"/projects/{plant['id']}/event_types/{delivery['id']}", {"event_type": no_cadence}).expect(200)
    given.event(api, plant, values={"dry-mass": 2, "removal": 8})
    given.event(api, plant, start_time="2025-02-01T00:00:00Z", values={"dry-mass": 2, "removal": 6})
    model = given_accounting.model(api, plant, given_accounting.document(NODES, primary_output="net_removal"))
    ledger = given_accounting.ledger(api, plant, model)
    body = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-03-01T00:00:00Z"}
    api.post(f"/ledgers/{ledger['id']}/batch_generations", body).expect(202)
    drain()

    [alert] = found(api, plant, "batch_intensity", model_id=model["id"])

    january = api.get(f"/ledgers/{ledger['id']}/batches").data[0]
    assert (alert["batch_id"], alert["model_run_id"]) == (january["id"], january["model_run"]["id"])
