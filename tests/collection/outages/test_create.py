"""Outages, /projects/{project_id}/outages: declared, changed, removed, and listed."""

import pytest
from tests.given import collection as given

START, END = "2025-01-05T08:00:00Z", "2025-01-05T10:30:00Z"


@pytest.fixture
def project(api):
    return given.project(api)


def declare(api, project, **fields):
    body = {"reason": "Calibration", "start_time": START, "end_time": END} | fields
    return api.post(f"/projects/{project['id']}/outages", {"outage": body})


def change(api, project, outage, **fields):
    return api.patch(f"/projects/{project['id']}/outages/{outage['id']}", {"outage": fields})


def test_an_outage_says_which_meter_was_out_when_and_why(api, project):
    kiln = given.asset(api, project)
    sent = {
        "reason": " Calibration of the analyser ",
        "asset_id": kiln["id"],
        "evidence_url": "https://example.org/logbook/7",
    }

    made = declare(api, project, **sent).expect(201).body

    assert made["reason"] == "Calibration of the analyser"
    assert (made["asset_id"], made["location_id"], made["event_type_id"]) == (kiln["id"], None, None)
    assert (made["start_time"], made["end_time"]) == ("2025-01-05T08:00:00.000Z", "2025-01-05T10:30:00.000Z")
    assert made["evidence_url"] == "https://example.org/logbook/7"
    assert api.get(f"/projects/{project['id']}/outages/{made['id']}").expect(200).body == made
    assert api.get(f"/projects/{project['id']}/outages").expect(200).data == [made]


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"reason": "  "}, "reason", "required"),
        ({"reason": "a\u200bb"}, "reason", "invalid"),
        ({"end_time": START}, "end_time", "invalid"),
        ({"end_time": "2025-01-05T07:59:00Z"}, "end_time", "invalid"),
        ({"evidence_url": "ftp://example.org"}, "evidence_url", "invalid"),
        ({"asset_id": "ast_" + "0" * 24}, "asset_id", "unknown"),
        ({"location_id": "nowhere"}, "location_id", "unknown"),
        ({"event_type_id": "delivery"}, "event_type_id", "unknown"),
    ],
)
def test_what_cannot_be_is_refused_whether_it_is_declared_or_changed(api, project, fields, field, code):
    made = declare(api, project).expect(201).body

    for answer in (declare(api, project, **fields), change(api, project, made, **fields)):
        assert (answer.expect(422).error["field"], answer.error["code"]) == (field, code)


def test_an_asset_and_a_location_are_two_meters_and_no_outage_is_of_both(api, project):
    named = {
        "asset_id": given.asset(api, project)["id"],
        "location_id": given.location(api, project)["id"],
    }

    assert declare(api, project, **named).expect(422).error["code"] == "conflict"


def test_an_outage_ends_later_and_the_audit_log_keeps_what_it_said(api, project, sql):
    made = declare(api, project, end_time=None).expect(201).body
    assert made["end_time"] is None

    ended = change(api, project, made, end_time=END, reason="Repair").expect(200).body
    again = change(api, project, made, end_time=END, reason="Repair").expect(200).body

    assert (ended["end_time"], ended["reason"]) == ("2025-01-05T10:30:00.000Z", "Repair")
    assert again == ended
    assert sql(
        "SELECT before ->> 'reason', after ->> 'reason' FROM audit_log"
        " WHERE action = 'outage.update' AND project_id = %s",
        project["numeric_id"],
    ) == [("Calibration", "Repair")]


def test_an_outage_that_is_removed_is_gone_and_the_audit_log_has_it(api, project, sql):
    made = declare(api, project).expect(201).body
    path = f"/projects/{project['id']}/outages/{made['id']}"

    api.delete(path).expect(204)

    api.get(path).expect(404)
    api.delete(path).expect(404)
    assert sql(
        "SELECT before ->> 'reason' FROM audit_log WHERE action = 'outage.delete' AND project_id = %s",
        project["numeric_id"],
    ) == [("Calibration",)]


def test_what_an_outage_names_stays(api, project):
    records = {
        "assets": given.asset(api, project),
        "locations": given.location(api, project),
        "event_types": given.event_type(api, project),
    }
    for kind, record in records.items():
        declare(api, project, **{f"{kind.removesuffix('s')}_id": record["id"]}).expect(201)

    for kind, record in records.items():
        refused = api.delete(f"/projects/{project['id']}/{kind}/{record['id']}").expect(422)
        assert refused.error["code"] == "in_use"


def test_outages_are_found_by_their_times(api, project):
    for day in ("01", "02", "03"):
        declare(api, project, start_time=f"2025-02-{day}T00:00:00Z", end_time=f"2025-02-{day}T06:00:00Z")

    found = api.get(
        f"/projects/{project['id']}/outages",
        {"filter[end_time][geq]": "2025-02-02T00:00:00Z", "sort": "-start_time"},
    ).expect(200)

    assert [one["start_time"][:10] for one in found.data] == ["2025-02-03", "2025-02-02"]
