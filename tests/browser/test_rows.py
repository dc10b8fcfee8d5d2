"""Rows of plain lists are changed where they stand, by keyboard as well, wide and narrow."""

import pytest
from playwright.sync_api import expect
from tests.browser.site import ending, refuse_sideways, refuse_violations
from tests.given import collection as given

WIDTHS = pytest.mark.parametrize("width", [390, 1280])


@pytest.fixture
def locations(api):
    project = given.project(api)
    home = f"/projects/{project['id']}/locations"
    for name in ("North yard", "Quay"):
        api.post(home, {"location": {"name": name, "lat": "52.5", "long": "13.4"}}).expect(201)
    return home


@WIDTHS
def test_somebody_changes_a_name_in_its_row_by_keyboard(person, api, locations, width):
    with person.at(locations, width=width, expects=(422,)) as page:
        page.get_by_role("link", name="Edit North yard").focus()
        page.keyboard.press("Enter")
        name = page.get_by_role("textbox", name="Name")
        name.wait_for()
        expect(page.locator("input[name=name]:focus")).to_have_count(1)
        refuse_sideways(page, width)
        refuse_violations(page)
        assert name.bounding_box()["x"] >= 0

        name.fill("South yard")
        page.get_by_label("Latitude").fill("north")
        page.keyboard.press("Enter")
        page.get_by_text("Latitude must be a number").wait_for()
        expect(name).to_have_value("South yard")
        expect(page.locator("input[name=lat]:focus")).to_have_count(1)
        refuse_sideways(page, width)
        refuse_violations(page)

        page.get_by_label("Latitude").fill("-1.5")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Edit South yard").wait_for()
        assert page.get_by_role("link", name="Edit South yard").evaluate(
            "(one) => one === document.activeElement"
        )
        expect(page.locator("tr.editing")).to_have_count(0)
        expect(page.locator("main tbody tr")).to_have_count(2)
    assert [one["name"] for one in api.get(locations, {"sort": "name"}).data] == ["Quay", "South yard"]


@WIDTHS
def test_escape_leaves_a_row_as_it_was_and_two_rows_are_open_at_once(person, api, locations, width):
    with person.at(locations, width=width) as page:
        page.get_by_role("link", name="Edit North yard").click()
        page.get_by_role("link", name="Edit Quay").click()
        page.locator("tr.editing").nth(1).wait_for()
        refuse_violations(page)
        page.get_by_role("textbox", name="Name").nth(1).fill("Pier")
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Edit Quay").wait_for()
        expect(page.locator("tr.editing")).to_have_count(1)
        page.get_by_role("link", name="Cancel").click()
        page.get_by_role("link", name="Edit North yard").wait_for()
    assert [one["name"] for one in api.get(locations, {"sort": "name"}).data] == ["North yard", "Quay"]


def test_a_row_is_changed_where_no_script_runs(person, locations):
    with person.at(f"{locations}?sort=-name", javascript=False) as page:
        page.get_by_role("link", name="Edit Quay").click()
        page.get_by_label("Name").first.fill("Pier")
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_text("Location saved.").wait_for()
        expect(page).to_have_url(ending("/locations?sort=-name"))
        expect(page.locator("main tbody tr a").first).to_have_text("Pier")
