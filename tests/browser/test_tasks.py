"""Tasks that a person does from the first page on, by what stands on the screen, on a desk and on a phone."""

import re
from decimal import Decimal

import pytest
from playwright.sync_api import expect
from tests.browser.site import keep_shot, refuse_sideways, refuse_violations
from tests.given import accounting as given_accounting
from tests.given import chain
from tests.given import collection as given
from tests.given.feeds import Feeding
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
        page.get_by_role("textbox", name="Name 1", exact=True).fill("Volume")
        page.get_by_role("combobox", name="Unit 1", exact=True).fill("L")
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
        expect(page.get_by_role("button", name="Create project")).to_have_count(0)


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
        expect(impact).to_contain_text("\N{MINUS SIGN}10")
        page.get_by_role("button", name="Save correction").click()
        page.get_by_text("Read wrongly").wait_for()

    assert [batch["conditions"] for batch in deliveries.batches()] == [["stale"]]


def choose_file(page, label, name, text):
    """Choose a file as a person does."""
    file = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    page.get_by_label(label, exact=True).set_input_files(file)


def wait_for_rows(page, account, javascript):
    """Have the task of the file that was sent carried out."""
    page.get_by_text("waiting for a worker").wait_for()
    account.drain()
    if not javascript:
        page.get_by_role("link", name="Refresh").click()
    page.locator("dl.counts").wait_for()


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_a_csv_with_a_bad_row_is_corrected_in_the_page(account, person, width, javascript):
    plant = Feeding(account)
    rows = '2025-01-31T06:00:00Z;1,5;Ada\n2025-01-31T07:00:00Z;{0};"Eva;\nMax"\n2025-01-31T08:00:00Z;3,5;\n'
    log = "Start;Mass;Driver\n" + rows
    with person.at(plant.path, width=width, javascript=javascript) as page:
        go(page, width, "Feeds")
        page.get_by_role("link", name="New feed").click()
        choose_file(page, "Sample file", "scale.csv", log.format("2,5"))
        page.get_by_role("button", name="Read sample").click()
        page.get_by_role("heading", name="Events as they would be stored").wait_for()
        expect(page.locator("main")).to_contain_text("31 Jan 2025 07:00")
        page.get_by_role("button", name="Create feed").click()

        choose_file(page, "File", "log.csv", log.format("zwei"))
        page.get_by_role("button", name="Import file").click()
        wait_for_rows(page, account, javascript)
        page.get_by_role("link", name="Correct invalid rows").click()
        page.get_by_text("'zwei' is not a decimal number.").wait_for()
        if javascript:
            refuse_violations(page)
            refuse_sideways(page, width)
        keep_shot(page, f"invalid-rows-{width}")
        page.get_by_label("Mass of line 3").fill("2,5")
        page.get_by_role("button", name="Send corrected rows").click()
        wait_for_rows(page, account, javascript)
        page.get_by_text("3 events stored.").wait_for()
        page.locator("dl.facts a[href*='/events?']").click()
        page.get_by_text("3 of 3 events").wait_for()

    assert [values["mass"] for _, values in plant.values()] == [
        Decimal("1.5"),
        Decimal("2.5"),
        Decimal("3.5"),
    ]


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_dates_that_can_be_read_in_two_ways_are_asked_about(account, person, width, javascript):
    plant = Feeding(account)
    log = "Start,Mass\n03/04/2025 06:00,1.5\n05/06/2025 06:00,2.5\n"
    address = f"{plant.path}/data_feeds/new"
    with person.at(address, width=width, javascript=javascript, expects=(422,)) as page:
        choose_file(page, "Sample file", "scale.csv", log)
        page.get_by_role("button", name="Read sample").click()
        page.get_by_text("03/04/2025 06:00 may be 3 April 2025 or 4 March 2025.").wait_for()
        expect(page.locator("input[type=radio]:checked")).to_have_count(0)
        if javascript:
            refuse_violations(page)
            refuse_sideways(page, width)
        keep_shot(page, f"asked-{width}")
        page.get_by_role("button", name="Create feed").click()
        page.get_by_text("Order of day and month: the sample does not decide it.").first.wait_for()

        page.get_by_role("radio", name="Month, day, year").check()
        page.get_by_role("radio", name="UTC, the time zone of the project").check()
        page.get_by_role("button", name="Update preview").click()
        page.get_by_role("cell", name="6 May 2025 06:00").wait_for()
        keep_shot(page, f"answered-{width}")
        page.get_by_role("button", name="Create feed").click()
        choose_file(page, "File", "log.csv", log)
        page.get_by_role("button", name="Import file").click()
        wait_for_rows(page, account, javascript)
        page.get_by_text("2 events stored.").wait_for()

    assert [start for start, _ in plant.values()] == ["2025-03-04T06:00:00.000Z", "2025-05-06T06:00:00.000Z"]


LONG = """Report of the boiler house

tag;time;value
mass;25.10.2026 23:00;1.204,5
mass;26.10.2026 04:00;1.300,0
driver;25.10.2026 23:00;Ann
driver;26.10.2026 04:00;Bob
Total;;2.504,5
"""


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_a_long_file_with_a_title_and_a_total_becomes_a_feed_that_tells_of_the_night(
    account, person, width, javascript
):
    plant = Feeding(account)
    with person.at(f"{plant.path}/data_feeds/new", width=width, javascript=javascript) as page:
        choose_file(page, "Sample file", "boiler.csv", LONG)
        page.get_by_role("button", name="Read sample").click()
        page.get_by_text("Times such as 25.10.2026 23:00 have no offset.").wait_for()
        page.get_by_role("radio", name="Another time zone").check()
        page.get_by_label("Time zone of times without an offset").fill("Europe/Berlin")
        page.get_by_role("button", name="Update preview").click()
        page.get_by_text("come twice, and rows with them are invalid.").first.wait_for()
        expect(page.get_by_label("Tag column of a long file")).to_have_value("tag")
        expect(page.get_by_label("Rows to skip")).to_have_value("Total*")
        expect(page.get_by_label("Header line", exact=True).last).to_have_value("3")
        if javascript:
            refuse_violations(page)
            refuse_sideways(page, width)
        keep_shot(page, f"long-{width}")
        page.get_by_role("button", name="Create feed").click()
        choose_file(page, "File", "boiler.csv", LONG)
        page.get_by_role("button", name="Import file").click()
        wait_for_rows(page, account, javascript)
        page.get_by_text("2 events stored.").wait_for()

    assert [(start, values["driver"]) for start, values in plant.values()] == [
        ("2026-10-25T22:00:00.000Z", "Ann"),
        ("2026-10-26T03:00:00.000Z", "Bob"),
    ]


@pytest.mark.parametrize(("width", "javascript"), WAYS)
def test_rows_that_differ_are_compared_and_correct_their_events(account, person, width, javascript):
    plant = Feeding(account)
    feed = plant.feed(client_reference="time")
    plant.upload(feed, "start_time,mass\n2025-01-31T06:00:00Z,2\n")
    [event] = plant.events()
    with person.at(f"{plant.path}/data_feeds/{feed['id']}", width=width, javascript=javascript) as page:
        choose_file(page, "File", "log.csv", "start_time,mass\n2025-01-31T06:00:00Z,1.75\n")
        page.get_by_role("button", name="Import file").click()
        wait_for_rows(page, account, javascript)
        page.get_by_role("heading", name="Differences").wait_for()
        [cells] = [row.split("\t") for row in page.locator("table.compared tbody tr").all_inner_texts()]
        assert cells[3:] == ["2", "1.75", "\N{MINUS SIGN}0.25"]
        expect(page.locator(f"table.compared a[href$='/events/{event['id']}']")).to_have_count(1)
        if javascript:
            refuse_violations(page)
            refuse_sideways(page, width)
        keep_shot(page, f"differences-{width}")
        page.get_by_role("button", name="Correct stored events to the file").click()
        wait_for_rows(page, account, javascript)
        page.get_by_text("1 event corrected to the values in the file.").wait_for()

    assert [values["mass"] for _, values in plant.values()] == [Decimal("1.75")]
