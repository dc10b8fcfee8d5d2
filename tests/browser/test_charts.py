"""Charts of several series in a browser: with scripts and without, by mouse and by keys, at both widths."""

import re

import pytest
from playwright.sync_api import expect
from tests.given import collection as given
from tests.given.gaps import filling, report, stack
from tests.given.rule_evaluation import work

DAY = "of=hour/so2&from=2025-01-01T00:00&until=2025-01-02T00:00"


@pytest.fixture
def stacks(account, api):
    """Two stacks that report hourly, with gaps, an outage, filled values and one that was corrected."""
    project = stack(api, expected_locations="none")
    home = f"/projects/{project['id']}"
    first, second = (given.asset(api, project, name=name)["id"] for name in ("North", "South"))
    filling(api, project, {"method": "mean_before_after"})
    filling(api, project, {"method": "mean_before_after"}, purpose="impute", name="Impute")
    report(api, project, "10 !99 12 - 14 15 16 17 18 19 20", asset_id=first)
    events = report(api, project, "50 51 52 53 - - - - - 54 55", asset_id=second)
    outage = {
        "reason": "Repair", "asset_id": second,
        "start_time": "2025-01-01T04:00:00Z", "end_time": "2025-01-01T09:00:00Z",
    }  # fmt: skip
    api.post(f"{home}/outages", {"outage": outage}).expect(201)
    work(account)
    point = api.get(f"{home}/events/{events[3]}").body["data_points"][0]["id"]
    body = {"data_point": {"value": 58, "reason": "Read from the log"}}
    api.patch(f"{home}/data_points/{point}", body).expect(200)
    return f"{home}/data_points", first, second


@pytest.mark.parametrize("width", [380, 1280])
@pytest.mark.parametrize("javascript", [True, False])
def test_a_series_is_added_and_removed_with_scripts_and_without(person, stacks, width, javascript):
    path, first, _ = stacks
    with person.at(f"{path}?{DAY}&meter={first}", width=width, javascript=javascript) as page:
        page.get_by_text("Add a series").click()
        page.locator("#f-add").select_option(label="So2, t")
        page.locator("#f-add-meter").select_option(label="South")
        page.get_by_role("button", name="Add", exact=True).click()

        page.wait_for_url("**also=**")
        series = page.get_by_role("list", name="Series").get_by_role("listitem")
        expect(series).to_have_count(2)
        expect(series.nth(1)).to_contain_text("South latest 55 t")
        expect(page.get_by_role("rowheader", name="South")).to_have_count(1)
        if javascript:
            page.locator("#chart .u-over").wait_for()
        else:
            assert page.locator("#chart path.also-1").count() > 0

        page.get_by_role("link", name="Remove So2 · hour · South").click()
        page.wait_for_url(re.compile("^((?!also=).)*$"))
        expect(page.get_by_role("list", name="Series").get_by_role("listitem")).to_have_count(1)


@pytest.mark.parametrize("javascript", [True, False])
def test_a_range_is_doubled_and_moved(person, stacks, javascript):
    path, *_ = stacks
    with person.at(f"{path}?{DAY}", javascript=javascript) as page:
        page.get_by_role("link", name="Zoom out").click()
        page.wait_for_url("**from=2024-12-31T12**")
        expect(page.get_by_label("Until", exact=True)).to_have_value("2025-01-02T12:00")

        page.get_by_role("link", name="Later").click()
        page.wait_for_url("**from=2025-01-02T12**")


def test_zooming_keeps_the_series_and_what_leads_out_of_it(person, stacks):
    path, _, second = stacks
    with person.at(f"{path}?{DAY}&also=hour/so2@{second}") as page:
        chart = page.locator("#chart .u-over")
        chart.wait_for()
        box = chart.bounding_box()
        page.mouse.move(box["x"] + 100, box["y"] + 50)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60, steps=4)
        with page.expect_response("**/series.json?*"), page.expect_response("**/data_points?*"):
            page.mouse.up()

        page.wait_for_url("**also=**from=2025-01-01T0**")
        begins = page.get_by_label("From", exact=True).input_value()
        page.get_by_role("link", name="Remove So2 · hour · South").click()
        page.wait_for_url(re.compile("^((?!also=).)*$"))
        expect(page.get_by_label("From", exact=True)).to_have_value(begins)


def test_the_values_under_the_cursor_are_named_with_their_states_by_keys(person, stacks):
    path, first, second = stacks
    with person.at(f"{path}?{DAY}&meter={first}&also=hour/so2@{second}") as page:
        page.locator("#chart .u-over").wait_for()
        readings = page.locator("[data-reading]")
        said = page.locator("[data-announced]")
        page.locator("#chart").focus()

        def press(key):
            page.keyboard.press(key)
            return readings.all_inner_texts()

        assert press("ArrowRight") == ["10 t, captured", "50 t, captured"]
        assert press("ArrowRight") == ["11 t, substituted", "51 t, captured"]
        assert press("ArrowRight") == ["12 t, captured", "58 t, adjusted"]
        assert press("ArrowRight") == ["13 t, imputed", "53 t, captured"]
        assert press("ArrowRight") == ["14 t, captured", "outage"]
        expect(said).to_contain_text("1 Jan 2025")
        expect(said).to_contain_text("So2 · hour · South outage")
        assert press("ArrowLeft") == ["13 t, imputed", "53 t, captured"]
        assert press("End") == ["20 t, captured", "55 t, captured"]
        assert press("Escape") == ["latest 20 t", "latest 55 t"]
        expect(said).to_have_text("")


def test_a_gap_is_missing_under_the_pointer(api, person):
    project = stack(api)
    report(api, project, "10 11 - - - - - 12 13")
    with person.at(f"/projects/{project['id']}/data_points?{DAY}") as page:
        chart = page.locator("#chart .u-over")
        chart.wait_for()
        box = chart.bounding_box()

        page.mouse.move(box["x"] + box["width"] * 4.2 / 24, box["y"] + 80)
        page.get_by_text("missing", exact=True).first.wait_for()
        page.mouse.move(box["x"] + box["width"] * 1.05 / 24, box["y"] + 80)
        page.get_by_text("11 t, captured").wait_for()
        expect(page.locator("[data-when]")).to_contain_text("1 Jan 2025")


def test_values_of_all_meters_at_one_moment_are_named_by_their_extremes(person, stacks):
    path, *_ = stacks
    with person.at(f"{path}?{DAY}") as page:
        page.locator("#chart .u-over").wait_for()
        page.locator("#chart").focus()
        page.keyboard.press("ArrowRight")

        assert page.locator("[data-reading]").all_inner_texts() == ["10 – 50 t, captured"]  # noqa: RUF001 - a dash, as in print


def test_everybody_can_use_a_chart_of_several_series(person, stacks):
    path, first, second = stacks
    address = f"{DAY}&meter={first}&also=hour/so2@{second}&also=hour/load"

    person.look(f"{path}?{address}", shot="chart-of-several")
    person.look(f"{path}?of=hour/so2&from=2024-12-01T00:00&until=2025-03-01T00:00", shot="strip-by-day")
