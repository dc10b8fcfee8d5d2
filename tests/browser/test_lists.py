"""Lists as people use them: columns, groups and saved views, wide and narrow, with scripts and without."""

import re

import pytest
from playwright.sync_api import expect
from tests.browser.site import refuse_sideways, refuse_violations
from tests.given import accounting as given_accounting

WIDTHS = pytest.mark.parametrize("width", [390, 1280])


@pytest.fixture
def events(api, account):
    plant = given_accounting.plant(api, account.drain)
    for day in (1, 2, 2):
        plant.deliver(10, day, tracking_id=f"LORRY-00{day}")
    return f"/projects/{plant.project['id']}/events"


def heads(page):
    return [text.split("\n")[0].strip() for text in page.locator("thead th").all_inner_texts()]


@WIDTHS
def test_somebody_chooses_columns_groups_rows_and_comes_back_to_the_view(person, events, width):
    with person.at(events, width=width) as page:
        page.locator("#tools-columns summary").click()
        page.get_by_label("Tracking ID", exact=True).last.check()
        page.get_by_role("columnheader", name="Tracking ID").wait_for()
        assert page.locator("#tools-columns").get_attribute("open") is not None
        page.get_by_label("Values", exact=True).uncheck()
        page.get_by_role("columnheader", name="Values").wait_for(state="detached")
        page.get_by_label("Group by").select_option("day")
        page.locator("tr.of-rows").first.wait_for()
        expect(page).to_have_url(re.compile("columns=event,time,place,state,tracking_id"))
        refuse_sideways(page, width)
        refuse_violations(page)

        page.get_by_text("Save this view").click()
        page.get_by_label("Name").fill("Lorries by day")
        page.get_by_role("button", name="Save view").click()
        page.get_by_role("link", name="Lorries by day").wait_for()

        page.goto(events)
        expect(page.locator("tr.of-rows")).to_have_count(0)
        page.get_by_role("link", name="Lorries by day").click()
        page.locator("tr.of-rows").first.wait_for()
        assert [text.split()[-5] for text in page.locator("tr.of-rows").all_inner_texts()] == ["2", "1"]
        assert heads(page) == ["Event", "Time", "Asset or location", "State", "Tracking ID"]
        refuse_sideways(page, width)


@WIDTHS
def test_columns_groups_and_views_need_no_script(person, events, width):
    with person.at(events, width=width, javascript=False) as page:
        page.locator("#tools-columns summary").click()
        page.get_by_label("Tracking ID", exact=True).last.check()
        page.get_by_label("Group by").select_option("type")
        page.locator("form.tools").get_by_role("button", name="Apply").click()
        assert "Tracking ID" in heads(page)
        expect(page.locator("tr.of-rows")).to_have_count(1)

        page.get_by_label("Tracking ID", exact=True).first.fill("LORRY-002")
        page.locator("form.filters").get_by_role("button", name="Apply").click()
        assert "Tracking ID" in heads(page)
        expect(page.locator("tr.of-rows")).to_contain_text("2 events on this page")

        page.get_by_text("Save this view").click()
        page.get_by_label("Name").fill("Second lorry")
        page.get_by_label("open the list with it").check()
        page.get_by_role("button", name="Save view").click()
        page.goto(events)
        expect(page).to_have_url(re.compile(r"view=\d+"))
        expect(page.locator("tr.of-rows")).to_contain_text("2 events on this page")


def test_everybody_can_use_a_list_with_views_and_columns(person, events):
    with person.at(f"{events}?group=day") as page:
        page.get_by_text("Save this view").click()
        page.get_by_label("Name").fill("By day")
        page.get_by_role("button", name="Save view").click()
        page.get_by_role("link", name="By day").wait_for()
        address = page.url.removeprefix(person.site.server.address)
        page.get_by_role("link", name="Edit view").click()
        page.get_by_role("heading", name="Edit view").wait_for()
        form = page.url.removeprefix(person.site.server.address)
    person.look(address, shot="list_with_view")
    person.look(form, shot="view_form")
