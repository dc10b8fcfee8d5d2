"""PATCH /feature_flags: an administrator switches features; what is left out stays."""

import pytest
from tests.given import accounting as given_accounting
from tests.given.rule_evaluation import calibration, results, work

from weighbridge.core.platform.settings import SWITCHED_ON


def switch(api, **flags):
    return api.patch("/feature_flags", {"feature_flags": flags})


def test_what_is_left_out_stays(api):
    switch(api, data_capture_rate=False).expect(200)

    flags = switch(api, approval_of_own=False).expect(200).body

    assert flags == {
        "rules_engine": True, "data_capture_rate": False, "approval_of_own": False,
        "footprint_exchange": False,
    }  # fmt: skip
    assert api.get("/feature_flags").body == flags


def test_results_are_there_again_with_their_feature(api, account):
    plant = given_accounting.plant(api, account.drain)
    plant.deliver(30)
    rule = calibration(api, plant.project, requires_approval=True)
    work(account)
    [before] = results(api, rule)

    switch(api, rules_engine=False).expect(200)
    refused = api.get(f"/projects/{plant.project['id']}/rules").expect(403).errors
    switch(api, rules_engine=True).expect(200)

    assert [error["code"] for error in refused] == ["feature_off"]
    assert results(api, rule) == [before]


def test_the_audit_log_names_each_switch_once(api):
    switch(api, data_capture_rate=False).expect(200)
    switch(api, data_capture_rate=False).expect(200)

    rows = api.get("/audit_log", {"filter[action]": "feature_flag.switch"}).data
    assert [row["object"] for row in rows] == ["data_capture_rate"]


@pytest.mark.parametrize("flags", [{"gravity": True}, {"rules_engine": "off"}, {"rules_engine": None}])
def test_other_flags_and_values_are_refused(api, flags):
    assert api.patch("/feature_flags", {"feature_flags": flags}).status in {400, 422}
    found = api.get("/feature_flags").body
    assert {name for name, is_on in found.items() if not is_on} == {*SWITCHED_ON}
