"""Rules that ask for the calibration of a meter: none yet, expired, soon to expire; changed certificates."""

import pytest
from tests.given import collection as given
from tests.given.rule_evaluation import days, results, rule, runs, statuses, work

from weighbridge.quality.evaluation.incremental import marked_projects


class Meter:
    """A scale, deliveries that it weighs, and its calibrations, on days of January 2025."""

    def __init__(self, api, project, deliver):
        self.api, self.project, self._deliver = api, project, deliver
        self.asset = given.asset(api, project, name="Scale")["id"]
        [kind] = api.get(f"/projects/{project['id']}/event_types").data
        self.kind = kind["id"]

    def weigh(self, *days, **fields):
        return [self._deliver(10, day, **{"asset_id": self.asset, **fields}) for day in days]

    def calibrate(self, first, last=None, **fields):
        body = {
            "name": f"From {first}", "event_type_id": self.kind, "data_point_type": "mass",
            "asset_id": self.asset, "valid_from": f"2025-01-{first:02}T00:00:00Z",
            "valid_until": None if last is None else f"2025-01-{last:02}T00:00:00Z",
            "uncertainty": {"standard": 20, "unit": "kg"},
        } | fields  # fmt: skip
        path = f"/projects/{self.project['id']}/calibrations"
        made = self.api.post(path, {"calibration": body}).expect(201).body
        return f"{path}/{made['id']}"


@pytest.fixture
def meter(api, project, deliver):
    return Meter(api, project, deliver)


def standing(api, project, made):
    """The days of the readings that a rule alerts on now."""
    return days(api, project, [one for one in results(api, made) if one["status"] == "fail"])


CASES = {
    "never calibrated": ("calibration_age_days() is null", [2]),
    "not calibrated": ("not is_calibrated()", [2, 14, 15, 30]),
    "expired": ("calibration_days_left() <= 0", [14, 15, 30]),
    "ends within two days": ("is_calibrated() and calibration_days_left() <= 2", [12, 13, 24]),
    "calibrated nine days ago or more": ("calibration_age_days() >= 9", [13, 14, 15, 30]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_rule_finds_readings_by_the_calibration_of_their_meter(api, account, project, meter, case):
    expression, expected = CASES[case]
    meter.calibrate(4, 14)
    meter.calibrate(20, 26)
    meter.weigh(2, 4, 12, 13, 14, 15, 21, 24, 30)

    made = rule(api, project, expression, data_point="mass")
    work(account)

    assert standing(api, project, made) == expected


def test_the_calibration_is_that_of_the_meter_and_data_point(api, account, project, meter):
    other = given.asset(api, project, name="Other")["id"]
    meter.calibrate(1)
    meter.calibrate(5, asset_id=None)
    meter.calibrate(1, asset_id=other, data_point_type="ash")
    meter.weigh(2)
    meter.weigh(3, asset_id=other)
    meter.weigh(4, 6, asset_id=None)

    made = rule(api, project, "not is_calibrated()", data_point="mass")
    work(account)

    assert standing(api, project, made) == [3, 4]


def test_findings_end_when_the_certificate_is_entered_and_come_back_with_its_removal(
    api, account, project, meter
):
    meter.weigh(2, 6, 10)
    made = rule(api, project, "not is_calibrated()", data_point="mass")
    work(account)
    assert standing(api, project, made) == [2, 6, 10]

    path = meter.calibrate(5)
    work(account)
    assert standing(api, project, made) == [2]

    until = {"calibration": {"valid_until": "2025-01-08T00:00:00Z"}}
    api.patch(path, until).expect(200)
    work(account)
    assert standing(api, project, made) == [2, 10]

    api.patch(path, {"calibration": {"valid_from": "2025-01-01T00:00:00Z"}}).expect(200)
    work(account)
    assert standing(api, project, made) == [10]

    api.delete(path).expect(204)
    work(account)
    assert sorted(standing(api, project, made)) == [2, 6, 10]


def test_a_changed_certificate_has_the_readings_evaluated_until_the_next_one(api, account, project, meter):
    meter.calibrate(20)
    meter.weigh(2, 6, 10, 22)
    made = rule(api, project, "calibration_days_left() <= 1", data_point="mass")
    work(account)

    meter.calibrate(5, 7)
    work(account)

    assert statuses(api, made) == [("fail", "10"), ("fail", "10")]
    last = runs(api, made)[-1]
    assert (last["evaluated"], last["alerts"]) == (2, 2)
    assert (last["start_time"], last["end_time"]) == ("2025-01-05T00:00:00.000Z", "2025-01-20T00:00:00.000Z")


def test_a_changed_certificate_marks_nothing_where_no_rule_asks(api, account, project, meter):
    meter.weigh(6)
    rule(api, project, "count() > 0", data_point="mass", window={"kind": "rolling", "members": 3})
    work(account)

    meter.calibrate(5)

    assert account.id not in account.server.run(marked_projects(account.server.database))


def test_a_rule_may_adjust_or_count_by_the_calibration(api, account, project, meter):
    meter.calibrate(5, 9)
    stored = meter.weigh(2, 6, 10)
    correction = {"method": "expression", "expression": "if(is_calibrated(), {{mass}}, {{mass}} * 1.1)"}
    rule(api, project, "{{mass}} > 0", name="Adjusts", purpose="adjust", correction=correction)
    window = {"kind": "rolling", "duration": {"value": 30, "unit": "day"}, "where": "is_calibrated()"}
    counting = rule(api, project, "count() >= 1", name="Counts", data_point="mass", window=window)
    work(account)

    path = f"/projects/{project['id']}/events"
    values = [api.get(f"{path}/{one['id']}").body["data_points"][0]["value"] for one in stored]
    assert values == [11, 10, 11]
    assert standing(api, project, counting) == [10]


def test_a_calibration_is_asked_of_numbers_alone(api, project):
    body = {
        "name": "Asks", "expression": "not is_calibrated()", "data_point": "site",
        "effective_from": "2020-01-01T00:00:00Z",
    }  # fmt: skip
    refused = api.post(f"/projects/{project['id']}/rules", {"rule": body}).expect(422)
    [problem] = refused.body["errors"]
    assert problem["field"] == "data_point"
    assert problem["message"].startswith("data_point is 'site', which holds no numbers")
