"""Calibrations, /projects/{project_id}/calibrations: entered, changed, removed, and listed."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from tests.given import collection as given

FROM, UNTIL = "2025-01-15T00:00:00Z", "2027-01-15T00:00:00Z"
U_40_KG = {"half_width": 40, "coverage_factor": 2, "unit": "kg"}


@pytest.fixture
def project(api):
    return given.project(api)


@pytest.fixture
def delivery(api, project):
    return given.event_type(api, project, data_point_types=[given.number("mass"), given.text("note")])


@pytest.fixture
def scale(api, project):
    return given.asset(api, project, name="Truck scale")


@pytest.fixture
def enter(api, project, delivery, scale):
    """Enters the calibration of the scale."""

    def _enter(**fields):
        body = {
            "name": "D-K-1", "asset_id": scale["id"], "event_type_id": delivery["id"],
            "data_point_type": "mass", "valid_from": FROM, "valid_until": UNTIL, "uncertainty": U_40_KG,
        } | fields  # fmt: skip
        return api.post(f"/projects/{project['id']}/calibrations", {"calibration": body})

    return _enter


@pytest.fixture
def path(project):
    """The path of a calibration."""

    def _path(calibration):
        return f"/projects/{project['id']}/calibrations/{calibration['id']}"

    return _path


def test_a_calibration_says_how_well_a_meter_measures_and_when(api, project, enter, path):
    scale = given.asset(api, project, name="Other scale")
    made = enter(name=" D-K-1 ", asset_id=scale["id"], notes="By the bureau").expect(201).body

    assert made["id"].startswith("cal_")
    assert (made["name"], made["asset_id"]) == ("D-K-1", scale["id"])
    assert (made["data_point_type"], made["uncertainty"]) == ("mass", U_40_KG)
    assert (made["valid_from"], made["valid_until"]) == (
        "2025-01-15T00:00:00.000Z",
        "2027-01-15T00:00:00.000Z",
    )
    assert (made["evidence_id"], made["evidence"], made["notes"]) == (None, None, "By the bureau")
    assert api.get(path(made)).expect(200).body == made
    assert api.get(f"/projects/{project['id']}/calibrations").expect(200).data == [made]


def test_its_certificate_is_a_file_or_link_of_an_event(api, project, enter, path):
    event = given.event(api, project, values={"mass": 1})
    link = {"type": "url", "url": "https://example.org/d-k-1.pdf", "name": "D-K-1.pdf"}
    attached = api.post(f"/events/{event['id']}/evidence", {"evidence": link}).expect(201).body

    made = enter(evidence_id=attached["id"]).expect(201).body

    assert made["evidence"] == {"id": attached["id"], **link}
    body = {"calibration": {"evidence_id": None}}
    assert api.patch(path(made), body).expect(200).body["evidence"] is None


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({"name": "  "}, "name", "required"),
        ({"valid_until": FROM}, "valid_until", "invalid"),
        ({"asset_id": "ast_" + "0" * 24}, "asset_id", "unknown"),
        ({"event_type_id": "nowhere"}, "event_type_id", "unknown"),
        ({"data_point_type": "ash"}, "data_point_type", "unknown"),
        ({"data_point_type": "note"}, "data_point_type", "invalid"),
        ({"evidence_id": 1}, "evidence_id", "unknown"),
        ({"uncertainty": {"half_width": 40}}, "uncertainty.coverage_factor", "required"),
        ({"uncertainty": U_40_KG | {"unit": "m"}}, "uncertainty.unit", "unit"),
    ],
)
def test_a_calibration_that_cannot_be_is_refused(enter, fields, field, code):
    error = enter(**fields).expect(422).error

    assert (error["field"], error["code"]) == (field, code)


def test_of_a_meter_and_data_point_type_one_holds_at_a_time(api, project, enter, path):
    first = enter().expect(201).body

    error = enter(name="D-K-2", valid_from="2026-01-01T00:00:00Z", valid_until=None).expect(422).error

    assert (error["field"], error["code"], error["records"]) == (
        "valid_from",
        "taken",
        [first["id"]],
    )
    assert "D-K-1" in error["message"]
    second = enter(name="D-K-2", valid_from=UNTIL, valid_until=None).expect(201).body
    enter(name="Without an asset", asset_id=None).expect(201)
    enter(name="Of another", asset_id=given.asset(api, project)["id"]).expect(201)
    longer = {"calibration": {"valid_until": None}}
    assert api.patch(path(first), longer).expect(422).error["records"] == [second["id"]]
    api.delete(path(second)).expect(204)
    assert api.patch(path(first), longer).expect(200).body["valid_until"] is None


def test_of_two_that_come_at_once_one_is_stored(api, project, enter):
    with ThreadPoolExecutor(2) as pool:
        answers = [*pool.map(lambda name: enter(name=name), ("D-K-1", "D-K-2"))]

    assert sorted(answer.status for answer in answers) == [201, 422]
    assert len(api.get(f"/projects/{project['id']}/calibrations").data) == 1


def test_they_are_listed_by_meter_and_by_what_holds_at_a_moment(api, project, enter, scale, delivery):
    old = enter(name="D-K-1").expect(201).body
    new = enter(name="D-K-2", valid_from=UNTIL, valid_until=None).expect(201).body
    other = enter(name="D-K-3", asset_id=None).expect(201).body

    def listed(**filters):
        query = {f"filter[{name}]": value for name, value in filters.items()}
        return [
            one["id"] for one in api.get(f"/projects/{project['id']}/calibrations", query).expect(200).data
        ]

    assert listed(asset_id=scale["id"]) == [old["id"], new["id"]]
    assert listed(event_type_id=delivery["id"]) == [old["id"], new["id"], other["id"]]
    assert listed(in_force_at="2025-01-14T23:59:59Z") == []
    assert listed(in_force_at=FROM) == [old["id"], other["id"]]
    assert listed(in_force_at=UNTIL, asset_id=scale["id"]) == [new["id"]]
    assert listed(in_force_at="2040-01-01T00:00:00Z") == [new["id"]]


def test_a_change_is_audited_with_what_it_said_before(api, enter, path):
    made = enter().expect(201).body

    changed = (
        api.patch(path(made), {"calibration": {"uncertainty": {"standard": Decimal("0.01")}}})
        .expect(200)
        .body
    )

    assert changed["uncertainty"] == {"standard": Decimal("0.01")}
    [row, *_] = api.get("/audit_log", {"sort": "-id"}).data
    assert (row["action"], row["before"]["uncertainty"]) == ("calibration.update", U_40_KG)
    assert api.patch(path(made), {"calibration": {"name": "D-K-1"}}).expect(200).body == changed


def test_what_it_is_about_stays(api, project, enter, path):
    made = enter().expect(201).body
    of_type = f"/projects/{project['id']}/event_types/{made['event_type_id']}"

    kept = api.patch(of_type, {"event_type": {"data_point_types": [{"slug": "note"}]}}).expect(422).error
    assert (kept["field"], kept["code"]) == ("data_point_types", "in_use")
    assert "D-K-1" in kept["message"]
    assert api.delete(of_type).expect(422).error["code"] == "in_use"
    assert (
        api.delete(f"/projects/{project['id']}/assets/{made['asset_id']}").expect(422).error["code"]
        == "in_use"
    )
    api.delete(path(made)).expect(204)
    api.get(path(made)).expect(404)
    api.delete(of_type).expect(204)


def test_what_a_calibration_said_is_read_as_it_was_known(api, enter, path):
    made = enter().expect(201).body
    [(clock,)] = api.server.sql("SELECT clock_timestamp()")
    known = api.get(path(made), {"as_of": clock.isoformat()}).expect(200).headers["as-of-number"]
    api.delete(path(made)).expect(204)

    assert api.get(path(made), {"as_of": known}).expect(200).body == made
