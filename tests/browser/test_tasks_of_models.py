"""A model is written, tried and given to a ledger by what stands on the screen, on a desk and on a phone."""

import re

import pytest
from playwright.sync_api import expect
from tests.browser.site import ending
from tests.browser.test_tasks import WAYS, go
from tests.given import collection as given

from .site import refuse_sideways, refuse_violations


def open_kind(page, kind):
    """Open the form of a kind of part; it is open already where it was used last."""
    part = page.locator(f"#part-of-{kind}")
    if part.get_attribute("open") is None:
        part.locator("summary").click()
    return part


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_write_and_try_a_model(api, person, width, javascript):
    project = given.project(api)
    given.event_type(
        api, project, slug="diesel-delivery", name="Diesel delivery",
        data_point_types=[given.number("volume", unit="L")],
    )  # fmt: skip

    with person.at(f"/projects/{project['id']}", width=width, javascript=javascript) as page:
        go(page, width, "Models")
        page.get_by_role("link", name=re.compile("^(New|Create) model$")).first.click()
        page.get_by_label("Name", exact=True).fill("Diesel")
        page.get_by_role("button", name="Begin empty").click()
        page.get_by_text("Add an input").wait_for()

        part = open_kind(page, "input")
        part.get_by_label("What is measured").select_option(label="Diesel delivery: Volume, L")
        part.get_by_label("Name").fill("Diesel burnt")
        part.get_by_role("button", name="Add input").click()
        page.get_by_text("Part diesel_burnt added.").wait_for()

        part = open_kind(page, "formula")
        part.get_by_label("Formula").fill('diesel_burnt * quantity(2.68, "kg{CO2e}/L")')
        part.get_by_label("Name").fill("Emissions")
        part.get_by_label("Mark as output").check()
        if javascript:
            part.get_by_text("It comes to kg CO₂e.").wait_for()
            refuse_violations(page)
        part.get_by_role("button", name="Add formula").click()
        page.get_by_text("Part emissions added.").wait_for()
        page.get_by_text("valid", exact=True).wait_for()
        refuse_sideways(page, width)
        page.get_by_role("button", name="Create model").click()
        page.get_by_text("Model created.").wait_for()

        page.get_by_role("link", name="Simulate", exact=True).click()
        page.get_by_label("Diesel burnt, in L").fill("100")
        page.get_by_role("button", name="Calculate").click()
        page.locator(".result").get_by_text("268").wait_for()
        page.get_by_label("Name of a test case").fill("a hundred litres, by hand")
        page.get_by_role("button", name="Keep this as a test case").click()
        page.get_by_text("Save the document to keep it.").wait_for()
        page.get_by_label("Activate this version").check()
        page.get_by_role("button", name="Save as version 2").click()
        page.get_by_text("Version 2 created.").wait_for()

        go(page, width, "Ledgers")
        page.get_by_role("link", name="New ledger").click()
        page.get_by_label("Name", exact=True).fill("Emissions")
        page.get_by_label("Unit", exact=True).fill("kg{CO2e}")
        page.get_by_label("Model", exact=True).select_option(label="Diesel, version 2")
        page.get_by_role("button", name="Create ledger").click()
        page.get_by_role("heading", name="Emissions", exact=True).wait_for()

    [ledger] = api.get(f"/projects/{project['id']}/ledgers").body["data"]
    assert (ledger["output"], ledger["latest_model"]["name"]) == ("emissions", "Diesel")


def test_a_name_is_clicked_into_a_formula_and_a_part_renamed_in_place(api, person):
    project = given.project(api)
    given.event_type(
        api, project, slug="diesel-delivery", name="Diesel delivery",
        data_point_types=[given.number("volume", unit="L")],
    )  # fmt: skip
    begin = (
        f"/projects/{project['id']}/models/new?begin=empty&name=Diesel&cadence=monthly&partition_type=time"
    )

    with person.at(begin, expects=(422,)) as page:
        part = open_kind(page, "input")
        part.get_by_label("What is measured").select_option(label="Diesel delivery: Volume, L")
        part.get_by_role("button", name="Add input").click()
        page.get_by_text("Part volume added.").wait_for()
        part = open_kind(page, "formula")
        part.get_by_label("Formula").fill("2 * ")
        part.get_by_role("button", name="volume", exact=True).click()
        part.get_by_text("It comes to L.").wait_for()
        part.get_by_label("Name").fill("Twice")
        part.get_by_role("button", name="Add formula").click()
        page.get_by_text("Part twice added.").wait_for()

        parts = page.locator("#parts")
        parts.get_by_label("Part", exact=True).select_option("volume")
        parts.get_by_role("button", name="Remove part").click()
        page.get_by_text("volume cannot be removed while it is read by twice.").first.wait_for()
        parts.get_by_label("New slug").fill("fuel")
        parts.get_by_role("button", name="Rename part").click()
        page.get_by_text("Part volume is now fuel.").wait_for()
        assert "formula: 2 * fuel" in page.get_by_label("Model document").input_value()
        text = page.get_by_label("Model document")
        text.fill(text.input_value() + "\n  - {slug: day, constant: 1, unit: d}\n")
        parts.get_by_role("cell", name="day", exact=True).wait_for()
        page.locator('#names [data-insert="day"]').wait_for(state="attached")
        expect(page).to_have_url(ending(begin.rsplit("/", 1)[1]))
