"""Calibrations that end: the overview names them while data arrive, and lists say in how many days."""

import re
from datetime import UTC, datetime, timedelta

from tests.given import collection as given
from tests.given.people import visitor

from weighbridge.core.time.calendar import Instant


def days_from_now(days):
    return Instant.of(datetime.now(UTC) + timedelta(days=days)).text


def calibrate(api, project, asset, name, *, until, since=-400):
    [kind] = api.get(f"/projects/{project['id']}/event_types").data
    body = {
        "name": name, "asset_id": asset, "event_type_id": kind["id"], "data_point_type": "mass",
        "valid_from": days_from_now(since), "valid_until": None if until is None else days_from_now(until),
        "uncertainty": {"standard": 1},
    }  # fmt: skip
    return api.post(f"/projects/{project['id']}/calibrations", {"calibration": body}).expect(201).body


def test_the_overview_names_calibrations_that_end_while_data_arrive(api, account):
    project = given.measuring(api, given.number("mass"))
    home = f"/projects/{project['id']}"
    ends = {"Expired": -10, "Ending": 12, "Idle": -200, "Holding": 100, "Open": None}
    for name, until in ends.items():
        last = -300 if name == "Idle" else -1
        asset = given.asset(api, project, name=name)["id"]
        given.event(api, project, start_time=days_from_now(last), values={"mass": 1}, asset_id=asset)
        calibrate(api, project, asset, f"Certificate {name}", until=until)
    renewed = given.asset(api, project, name="Renewed")["id"]
    given.event(api, project, start_time=days_from_now(-1), values={"mass": 1}, asset_id=renewed)
    calibrate(api, project, renewed, "Certificate Former", until=-20)
    calibrate(api, project, renewed, "Certificate Newer", until=300, since=-20)

    overview = visitor(account).get(home).expect(200).text
    listed = visitor(account).get(f"{home}/calibrations").expect(200).text

    assert re.findall(r"Certificate (\w+)</b>", overview) == ["Expired", "Ending"]
    assert "readings of mass arrive without one" in overview
    assert listed.count(">expired</span>") == 3
    assert re.findall(r"expires in ([\w\u202f ]+)<", listed) == ["12 days", "100 days", "300 days"]
