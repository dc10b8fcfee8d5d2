"""Tasks that a person does from the first page on, by what stands on the screen, on a desk and on a phone."""

import re

import pytest
from tests.given import accounting as given_accounting
from tests.given import chain
from tests.given import collection as given
from tests.given.people import PASSWORD

DESK, PHONE = 1280, 390
WAYS = [pytest.param(DESK, True, id="desk"), pytest.param(PHONE, False, id="phone-without-scripts")]


def go(page, width, name):
    """Follow a link of the navigation, which a phone shows by its menu."""
    if width == PHONE:
        page.get_by_role("link", name="Menu").click()
    link = re.compile(rf"^{name}( \d+\+?)?$")  # some are followed by how many records wait
    page.get_by_role("navigation", name="Navigation").get_by_role("link", name=link).click()


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_a_newcomer_sets_up_a_project_an_event_type_and_a_delivery(person, width, javascript):
    with person.at("/", width=width, javascript=javascript) as page:
        page.goto("/projects")
        page.get_by_label("Name").fill("Plant East")
        page.get_by_label("Time zone").fill("Europe/Berlin")
        page.get_by_role("button", name="Create project").click()
        page.get_by_role("heading", name="Plant East").wait_for()

        go(page, width, "Event types")
        page.get_by_role("link", name="Create event type").first.click()
        page.get_by_label("Name", exact=False).first.fill("Diesel delivery")
        page.get_by_label("Name 1", exact=True).fill("Volume")
        page.get_by_label("Unit 1", exact=True).fill("L")
        page.get_by_role("button", name="Create event type").last.click()

        page.get_by_role("link", name="New event").click()
        page.get_by_label("Start time").fill("2025-03-30T06:15")
        page.get_by_label("Volume").fill("1200.50")
        page.get_by_role("button", name="Create event", exact=True).last.click()
        page.get_by_role("heading", name="Diesel delivery").wait_for()

        shown = page.locator("main").inner_text()
        assert "1\N{NARROW NO-BREAK SPACE}200.50" in shown or "1200.50" in shown
        assert "30 Mar 2025 06:15" in shown


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_somebody_is_invited_with_limited_rights_and_joins(person, width, javascript):
    email = f"grace-{width}@plant.example"
    with person.at("/people", width=width, javascript=javascript) as page:
        page.get_by_label("E-mail").fill(email)
        page.get_by_role("radio", name=re.compile("^Reader")).check()
        page.get_by_role("button", name="Create invitation link").click()
        link = page.locator(".once code").inner_text()

    with person.site.page(width=width, javascript=javascript) as page:
        page.goto(link)
        page.get_by_label("Name").fill("Grace")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_label("Repeat the password").fill(PASSWORD)
        page.get_by_role("button", name="Accept invitation").click()
        page.goto("/projects")
        page.get_by_role("heading", name="Projects", exact=True).wait_for()
        assert page.get_by_role("button", name="Create project").count() == 0


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_an_administrator_finds_who_changed_what(api, drain, person, width, javascript):
    plant = given_accounting.plant(api, drain)
    event = api.get(f"/projects/{plant.project['id']}/events/{plant.deliver(30)}").body
    point = event["data_points"][0]["id"]
    change = {"data_point": {"value": 28, "reason": "Second weighing"}}
    api.patch(f"/projects/{plant.project['id']}/data_points/{point}", change).expect(200)

    with person.at("/", width=width, javascript=javascript) as page:
        go(page, width, "Audit")
        page.get_by_role("heading", name="Audit").wait_for()
        page.get_by_label("Action", exact=True).fill("data_point.correct")
        page.get_by_label("From", exact=True).fill("2020-01-01T00:00")
        page.get_by_role("button", name="Apply").click()
        page.locator("details.written summary").click()
        differences = page.locator("details.written tbody tr").all_inner_texts()

    assert "Value\t30\t28" in differences
    assert "Reason\t\N{EN DASH}\tSecond weighing" in differences


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_the_gap_in_a_year_is_found(api, person, width, javascript):
    project = given.project(api)
    given.event_type(
        api, project, slug="reading", name="Reading", data_point_types=[given.number("power", unit="kWh")],
        cadence_amount=1, cadence_unit="day",
    )  # fmt: skip
    days = [f"2025-{month:02d}-{day:02d}" for month in (3, 4) for day in range(1, 31)]
    events = [
        {
            "event_type": "reading",
            "start_time": f"{day}T06:00:00Z",
            "data_points": [{"slug": "power", "value": 1}],
        }
        for day in days
        if day not in {"2025-03-12", "2025-03-13"}
    ]
    api.post(f"/projects/{project['id']}/events", {"events": events}).expect(201)

    with person.at(f"/projects/{project['id']}", width=width, javascript=javascript) as page:
        go(page, width, "Gaps")
        if not javascript:
            page.get_by_role("link", name="Count the gaps of a year").click()
        march = page.get_by_role("row", name="Reading").last.get_by_role("link", name="3", exact=True)
        march.click()
        page.get_by_role("heading", name="Gaps of Reading").wait_for()
        page.get_by_role("heading", name="12 Mar 2025 \N{EN DASH} 13 Mar 2025").wait_for()


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_a_weighing_is_corrected_once_its_impact_is_seen(api, drain, person, width, javascript):
    deliveries = chain.inventory(api, drain, chain.WEIGHED)
    production = chain.link(deliveries, chain.WORTH, output="worth")
    event = deliveries.deliver(50, tracking_id="LORRY-001")
    chain.produce(production, 10)
    deliveries.generate()
    production.generate()
    home = f"/projects/{deliveries.project['id']}"
    [point] = api.get(f"{home}/events/{event}").body["data_points"]

    with person.at(f"{home}/data_points/{point['id']}", width=width, javascript=javascript) as page:
        page.get_by_label("Correct value", exact=False).fill("40")
        page.get_by_label("Reason", exact=True).fill("Read wrongly")
        page.get_by_role("button", name="Preview impact").click()
        impact = page.locator("#impact")
        impact.get_by_role("link", name="Production", exact=True).first.wait_for()
        assert "\N{MINUS SIGN}10" in impact.inner_text()
        page.get_by_role("button", name="Save correction").click()
        page.get_by_text("Read wrongly").wait_for()

    assert [batch["conditions"] for batch in deliveries.batches()] == [["stale"]]
