"""GET /feature_flags. Seed, Other operations: every flag affecting the API, false for those that are off."""

import pytest
from tests.given import collection as given

from weighbridge.core.platform.settings import FEATURES, SWITCHED_ON


def test_features_are_on_unless_switched_off_and_footprints_are_off_until_switched_on(api):
    assert api.get("/feature_flags").expect(200).body == {
        "rules_engine": True,
        "data_capture_rate": True,
        "approval_of_own": True,
        "footprint_exchange": False,
    }


def test_every_feature_is_listed(api):
    assert set(api.get("/feature_flags").body) == set(FEATURES)


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_that_is_off_is_false(api, account, sql, feature):
    sql("INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, %s, false)", account.id, feature)

    found = api.get("/feature_flags").body

    assert {name for name, is_on in found.items() if not is_on} == {feature, *SWITCHED_ON}


def test_an_account_has_its_own_flags(stranger, account, sql):
    sql("INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'rules_engine', false)", account.id)

    assert stranger.get("/feature_flags").body["rules_engine"] is True


@pytest.mark.parametrize("field", [{"cadence_amount": 1}, {"cadence_unit": "hour"}])
def test_a_cadence_is_refused_without_the_data_capture_rate(api, account, sql, field):
    sql(
        "INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'data_capture_rate', false)",
        account.id,
    )
    project = given.project(api)
    plain = {"name": "Meter", "data_point_types": []}
    path = f"/projects/{project['id']}/event_types"

    made = api.post(path, {"event_type": plain}).expect(201).body
    [name] = field
    refused = [
        api.post(path, {"event_type": plain | {"name": "Other"} | field}),
        api.patch(f"{path}/{made['id']}", {"event_type": field}),
    ]

    for answer in refused:
        assert {
            "message": (
                f"{name} is for accounts with the data capture rate feature, which is off for this one."
            ),
            "field": f"{name}",
            "code": "feature_off",
        } in answer.expect(422).errors


def test_a_cadence_that_is_there_stays_and_can_be_cleared_without_the_data_capture_rate(api, account, sql):
    project = given.project(api)
    path = f"/projects/{project['id']}/event_types"
    body = {"name": "Meter", "cadence_amount": 1, "cadence_unit": "hour", "data_point_types": []}
    made = api.post(path, {"event_type": body}).expect(201).body
    sql(
        "INSERT INTO feature_flags (account_id, name, is_on) VALUES (%s, 'data_capture_rate', false)",
        account.id,
    )

    renamed = api.patch(f"{path}/{made['id']}", {"event_type": {"name": "Power meter"}}).expect(200).body
    cleared = {"cadence_amount": None, "cadence_unit": None}

    assert renamed["cadence_unit"] == "hour"
    assert api.patch(f"{path}/{made['id']}", {"event_type": cleared}).expect(200).body["cadence_unit"] is None
