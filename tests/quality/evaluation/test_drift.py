"""Drift between two calibrations, and the hours after one that failed: findings, and missing data."""

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.gaps import filling, report, stack, values
from tests.given.rule_evaluation import results, rule, work

HOUR = "2025-01-01T{:02}:00:00.000Z"
MEAN = {"method": "mean_before_after", "without_after": "before"}


class Monitor:
    """A stack's monitor of SO2 with a span of 100 ppm, and the errors that its calibrations find."""

    def __init__(self, api):
        self.api, self.project = api, stack(api)
        [kind] = api.get(f"/projects/{self.project['id']}/event_types").data
        self.kind = kind["id"]
        self.asset = given.asset(api, self.project, name="Monitor")["id"]
        self.path = f"/projects/{self.project['id']}/calibrations"

    def calibrate(self, hour, as_found, as_left=0, last=None, **fields):
        body = {
            "name": f"Hour {hour}", "event_type_id": self.kind, "data_point_type": "so2",
            "asset_id": self.asset, "valid_from": HOUR.format(hour),
            "valid_until": None if last is None else HOUR.format(last),
            "uncertainty": {"standard": 1}, "as_found": as_found, "as_left": as_left, "error_unit": "%",
        } | fields  # fmt: skip
        return self.api.post(self.path, {"calibration": body}).expect(201).body

    def measure(self, words):
        return report(self.api, self.project, words, asset_id=self.asset)


@pytest.fixture
def monitor(api):
    return Monitor(api)


def found(api, made, ids):
    """The hours that a rule alerts on now."""
    hours = {event: hour - 1 for hour, event in ids.items()}
    return sorted(hours[one["event_id"]] for one in results(api, made) if one["status"] == "fail")


def test_a_drift_beyond_the_limit_is_found_in_the_time_between_the_two_calibrations(api, account, monitor):
    ids = monitor.measure("10 11 12 13 14 15 16 17")
    monitor.calibrate(1, 0.4, as_left=0.1, last=3)
    monitor.calibrate(3, -2.9, as_left=0.2, last=6)
    monitor.calibrate(6, 1.0)

    made = rule(api, monitor.project, "abs(next_calibration_drift()) > 2.5", data_point="so2")
    work(account)

    assert found(api, made, ids) == [1, 2]


def messages(api, made):
    return {one["message"] for one in results(api, made) if one["status"] != "pass"}


def test_a_finding_says_between_which_calibrations_the_meter_drifted(api, account, monitor):
    monitor.measure("10 11 12 13")
    monitor.calibrate(0, 0, last=1)
    later = monitor.calibrate(2, 6, last=3)
    before = "The drift is between the calibrations 'Hour 0' of 2025-01-01T00:00:00.000Z and 'Hour 2' of"
    between = f"{before} 2025-01-01T02:00:00.000Z."
    ahead = rule(api, monitor.project, "abs(next_calibration_drift()) > 5", data_point="so2", severity="warn")
    behind = rule(api, monitor.project, "calibration_drift() > 5", data_point="so2", message="Too far.")
    other = rule(api, monitor.project, "{{so2}} > 0", data_point="so2", message="Positive.")
    work(account)

    assert messages(api, ahead) == {between}
    assert messages(api, behind) == {f"Too far. {between}"}
    assert messages(api, other) == {"Positive."}
    [first, *_] = api.get(f"/projects/{monitor.project['id']}/events", {"sort": "start_time"}).data
    [so2] = [one for one in first["data_points"] if one["slug"] == "so2"]
    assert [one["message"] for one in so2["rule_results"]] == [between, "Positive."]

    api.patch(f"{monitor.path}/{later['id']}", {"calibration": {"valid_from": HOUR.format(1)}}).expect(200)
    work(account)

    moved = between.replace("T02:", "T01:")
    assert messages(api, behind) == {f"Too far. {moved}"}
    assert [one["status"] for one in results(api, ahead)] == ["fail", "pass"]
    assert messages(api, ahead) == {moved}
    api.delete(f"{monitor.path}/{later['id']}").expect(204)
    work(account)
    assert messages(api, ahead) == messages(api, behind) == set()


def test_hours_out_of_control_last_from_the_failed_calibration_to_the_next_good_one(api, account, monitor):
    """40 CFR 75, appendix B, 2.1.4: more than 5 % of the span is out of control, until a test is passed."""
    monitor.measure("10 11 90 91 14 15")
    monitor.calibrate(0, 1.2, last=2)
    monitor.calibrate(2, 5.6, last=4)
    monitor.calibrate(4, 0.8)

    filling(api, monitor.project, MEAN, expression="abs(calibration_as_found()) > 5")
    work(account)

    assert values(api, monitor.project) == {1: 10, 2: 11, 3: 12.5, 4: 12.5, 5: 14, 6: 15}


def test_an_error_that_is_corrected_moves_findings_and_leaves_batches_as_they_are(
    api, account, drain, monitor
):
    ids = monitor.measure("10 11 12 13 14 15")
    monitor.calibrate(0, 0.1, last=3)
    later = monitor.calibrate(3, 6)
    made = rule(api, monitor.project, "abs(calibration_drift()) > 5", data_point="so2")
    work(account)
    assert found(api, made, ids) == [3, 4, 5]
    nodes = """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
    output: true
"""
    text = accounting.document(nodes, primary_output="emission")
    model = accounting.model(api, monitor.project, text)
    ledger = accounting.ledger(api, monitor.project, model, unit="t")
    plant = accounting.Plant(api, drain, monitor.project, model, ledger)
    plant.generate()

    one = f"{monitor.path}/{later['id']}"
    api.patch(one, {"calibration": {"as_found": 4}}).expect(200)
    work(account)

    assert found(api, made, ids) == []
    assert plant.batches()[0]["stale_reasons"] == []
    assert api.get(one).body["as_found"] == 4


def test_a_certificate_between_two_others_changes_both_drifts(api, account, monitor):
    ids = monitor.measure("10 11 12 13 14 15")
    monitor.calibrate(0, 0, as_left=0, last=2)
    monitor.calibrate(4, 6)
    made = rule(api, monitor.project, "abs(next_calibration_drift()) > 5", data_point="so2")
    work(account)
    assert found(api, made, ids) == [0, 1, 2, 3]

    between = monitor.calibrate(2, 1, as_left=0.5, last=4)
    work(account)
    assert found(api, made, ids) == [2, 3]

    api.delete(f"{monitor.path}/{between['id']}").expect(204)
    work(account)
    assert found(api, made, ids) == [0, 1, 2, 3]


def test_without_an_error_there_is_no_drift_and_different_units_are_said(api, account, monitor):
    ids = monitor.measure("10 11 12")
    monitor.calibrate(0, 0, as_left=None, last=1)
    monitor.calibrate(1, 9, as_left=1, last=2)
    monitor.calibrate(2, 9, error_unit="kg")

    made = rule(api, monitor.project, "calibration_drift() > 5", data_point="so2")
    work(account)

    [wrong] = results(api, made)
    assert (wrong["event_id"], wrong["status"]) == (ids[3], "error")
    assert "'Hour 1' and 'Hour 2' state errors in different units, % and kg" in wrong["error_message"]


def test_a_unit_that_is_none_is_refused(api, monitor):
    body = monitor.calibrate(0, 0)
    change = {"calibration": {"error_unit": "furlongs per"}}

    [error] = api.patch(f"{monitor.path}/{body['id']}", change).expect(422).errors

    assert error["field"] == "error_unit"
