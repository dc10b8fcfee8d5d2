"""What becomes of a result in each status, whatever the next evaluation finds: the table, over HTTP.

The expression has no value for 0 and 1 t, is true of 2 and 3 t, and is false of 100 t.
"""

import pytest
from tests.given import alerts as given_alerts
from tests.given import collection as given

EXPRESSION = "(100 / ({{mass}} * ({{mass}} - 1))) > 2"
DISMISS = "dismiss"

CELLS = {
    "a record that passes": ([100], []),
    "a record that fails": ([2], ["fail"]),
    "a record without a value": ([0], ["error"]),
    "a failure that fails again": ([2, 2], ["fail"]),
    "a failure of another value": ([2, 3], ["fail"]),
    "a failure that passes": ([2, 100], ["pass"]),
    "a failure that errs": ([2, 0], ["error"]),
    "a failure that is dismissed": ([2, DISMISS], ["dismissed"]),
    "an error that errs again": ([0, 0], ["error"]),
    "an error of another value": ([0, 1], ["error"]),
    "an error that fails": ([0, 2], ["fail"]),
    "an error that passes": ([0, 100], ["pass"]),
    "an error that is dismissed": ([0, DISMISS], ["dismissed"]),
    "a dismissed failure that fails again": ([2, DISMISS, 2], ["dismissed"]),
    "a dismissed failure of another value": ([2, DISMISS, 3], ["dismissed", "fail"]),
    "a dismissed failure that passes": ([2, DISMISS, 100], ["dismissed"]),
    "a dismissed failure that errs": ([2, DISMISS, 0], ["dismissed", "error"]),
    "a dismissed failure that is dismissed": ([2, DISMISS, DISMISS], ["dismissed"]),
    "a dismissed error that errs again": ([0, DISMISS, 0], ["dismissed"]),
    "a dismissed error of another value": ([0, DISMISS, 1], ["dismissed", "error"]),
    "a dismissed error that fails": ([0, DISMISS, 2], ["dismissed", "fail"]),
    "a dismissed failure that passed and fails as before": ([2, DISMISS, 100, 2], ["dismissed", "fail"]),
    "a pass that passes again": ([2, 100, 100], ["pass"]),
    "a pass that fails": ([2, 100, 2], ["pass", "fail"]),
    "a pass that errs": ([2, 100, 0], ["pass", "error"]),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_result_becomes_what_the_table_says(api, drain, name):
    plant = given.measuring(api, given.number("mass"))
    rule = given_alerts.rule(api, plant, EXPRESSION)
    (first, *others), statuses = CELLS[name]
    event = given.event(api, plant, values={"mass": first})
    point = f"/projects/{plant['id']}/data_points/{event['data_points'][0]['id']}"
    evaluate(api, rule, drain)

    for step in others:
        if step == DISMISS:
            newest = api.get(f"/rules/{rule['id']}/rule_results").data[0]["id"]
            body = {"result_ids": [newest], "reason": "Service"}
            api.post(f"/projects/{plant['id']}/rule_results/bulk_dismiss", body).expect(200)
        else:
            api.patch(point, {"data_point": {"value": step}}).expect(200)
            evaluate(api, rule, drain)

    found = api.get(f"/rules/{rule['id']}/rule_results", {"sort": "id"}).data
    assert [one["status"] for one in found] == statuses


def evaluate(api, rule, drain):
    period = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z"}
    api.post(f"/rules/{rule['id']}/rule_runs", period).expect(202)
    drain()
