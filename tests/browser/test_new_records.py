"""What a form needs and lacks is made in place, on wide and narrow screens, with scripts or without."""

import pytest
from playwright.sync_api import expect
from tests.browser.site import AXE, WIDTHS, keep_shot, refuse_sideways, refuse_violations
from tests.given import collection as given


@pytest.fixture
def project(account):
    return given.project(account.caller())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("has_scripts", [True, False])
def test_an_outage_is_declared_for_equipment_that_nobody_has_entered_yet(
    person, account, project, width, has_scripts
):
    home = f"/projects/{project['id']}"
    refused = (422,)
    with person.at(f"{home}/outages/new", width=width, javascript=has_scripts, expects=refused) as page:
        page.get_by_label("Reason").fill("Calibration")
        page.get_by_text("New asset", exact=True).click()
        page.get_by_text("More fields").first.click()
        page.get_by_label("Serial number").fill("K-7")
        page.get_by_label("Start time").fill("2025-02-20T00:00")
        page.get_by_role("button", name="Create outage").click()

        page.locator('[id="wrong-asset_id.new.name"]').wait_for()
        expect(page.get_by_label("Reason")).to_have_value("Calibration")
        expect(page.get_by_label("Serial number")).to_have_value("K-7")
        refuse_sideways(page, width)
        if has_scripts:
            page.evaluate(AXE.read_text())
            refuse_violations(page)
            keep_shot(page, f"new-record-{width}")
        page.locator('[id="field-asset_id.new.name"]').fill("Kiln")
        page.get_by_role("button", name="Create outage").click()
        page.get_by_text("Outage created.").wait_for()

    api = account.caller()
    [asset] = api.get(f"{home}/assets").data
    [outage] = api.get(f"{home}/outages").data
    assert (asset["name"], asset["serial_number"], outage["asset_id"]) == ("Kiln", "K-7", asset["id"])
