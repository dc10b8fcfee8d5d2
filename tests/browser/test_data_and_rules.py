"""Pages of data points, gaps, models and rules: everybody can use them, and what moves in them moves."""

import json
import re
from functools import partial

import pytest
from playwright.sync_api import expect
from tests.browser.site import ending, keep_shot, refuse_sideways, refuse_violations
from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given.approvals import pending
from tests.given.feeds import Feeding
from tests.given.gaps import filling, report, stack
from tests.given.requests import RULE
from tests.given.rule_evaluation import calibration, results, work
from tests.given.rule_evaluation import rule as given_rule

from weighbridge.core.collection.evidence import EVIDENCE_BYTES_MAX

NAMES = [
    ("data-points", "/projects/{project}/data_points?of=delivery/mass&span=all"),
    ("data-point", "/projects/{project}/data_points/{data_point}"),
    ("correction", "/projects/{project}/data_points/{data_point}/correct?value=7"),
    ("gap-types", "/projects/{project}/gaps"),
    ("gaps", "/projects/{project}/event_types/{event_type}/gaps"),
    ("evidence", "/projects/{project}/events/{event}/evidences/{evidence}"),
    ("event", "/projects/{project}/events/{event}"),
    ("rules", "/projects/{project}/rules"),
    ("rule", "/projects/{project}/rules/{rule}"),
    ("rule-editor", "/projects/{project}/rules/{rule}/edit"),
    ("results", "/projects/{project}/rule_results"),
    ("result", "/projects/{project}/rule_results/{data_point_result}"),
    ("models", "/projects/{project}/models"),
    ("model", "/projects/{project}/models/{model}"),
    ("model-editor", "/projects/{project}/models/{model}/edit"),
    ("model-beginnings", "/projects/{project}/models/new"),
    ("model-example", "/projects/{project}/models/new?example=biochar-plant/net-removal"),
    ("simulate", "/projects/{project}/models/{model}/simulate"),
    ("proposals", "/projects/{project}/proposals"),
    ("feeds", "/projects/{project}/data_feeds"),
    ("feed", "/projects/{project}/data_feeds/{data_feed}"),
    ("feed-types", "/projects/{project}/data_feeds/new"),
    ("feed-new", "/projects/{project}/data_feeds/new?event_type_id={event_type}"),
    ("feed-edit", "/projects/{project}/data_feeds/{data_feed}/edit"),
    ("uploads", "/projects/{project}/data_feeds/{data_feed}/uploads"),
    ("upload", "/projects/{project}/data_feeds/{data_feed}/uploads/{upload}"),
    ("invalid_rows", "/projects/{project}/data_feeds/{data_feed}/uploads/{upload}/invalid_rows"),
]


@pytest.mark.parametrize(("name", "address"), NAMES)
def test_everybody_can_use_the_page_of(ada, world, name, address):
    ada.look(address.format_map(world.ids), shot=name)


def test_the_chart_takes_the_place_of_the_picture_and_is_zoomed_by_drawing_over_it(ada, world):
    address = NAMES[0][1].format_map(world.ids)
    with ada.at(address) as page:
        chart = page.locator("#chart .u-over")
        chart.wait_for()
        box = chart.bounding_box()
        page.mouse.move(box["x"] + 100, box["y"] + 50)
        page.mouse.down()
        page.mouse.move(box["x"] + 300, box["y"] + 60, steps=4)
        page.mouse.up()

        page.wait_for_url("**from=**")


def test_a_rule_is_tried_while_it_is_typed(ada, world):
    with ada.at(f"/projects/{world.ids['project']}/rules/new") as page:
        page.get_by_role("textbox", name="Name", exact=True).fill("Heavy")
        page.locator("[name=effective_from]").fill("2025-01-01T00:00")
        page.locator("[name=tried_from]").fill("2025-01-01T00:00")
        page.locator("[name=tried_until]").fill("2025-03-01T00:00")
        page.get_by_label("Fails when").fill(RULE["expression"])

        page.get_by_text("evaluated").wait_for()


@pytest.mark.parametrize("javascript", [True, False])
@pytest.mark.parametrize("width", [380, 1280])
def test_a_rule_with_tiers_is_made_by_fields_alone(api, person, width, javascript):
    project = stack(api)
    home = f"/projects/{project['id']}"
    with person.at(f"{home}/rules/new", width=width, javascript=javascript) as page:

        def choose(name, words, then):
            page.locator(f"[name='{name}']").select_option(label=words)
            if not javascript:
                page.locator(f"button[value='{name}']").click()
            page.locator(f"[name='{then}']").wait_for()

        page.get_by_role("textbox", name="Name", exact=True).fill("Fill the stack")
        page.get_by_label("Fails when").fill("{{so2}} < 0")
        page.locator("[name=effective_from]").fill("2025-01-01T00:00")
        choose("purpose", "substitute invalid values", "correction.tiers[0].method")
        page.locator("[name='correction.tiers[0].when']").fill("availability() >= 0.9")
        page.locator("[name='correction.tiers[0].code']").fill("06")
        choose("correction.tiers[0].method", "a percentile of a window", "correction.tiers[0].p")
        page.locator("[name='correction.tiers[0].p']").fill("90")
        page.locator("[name='correction.tiers[0].definition']").select_option("nearest_rank")
        choose(
            "correction.tiers[0].window.kind",
            "rolling: up to the record",
            "correction.tiers[0].window.members",
        )
        page.locator("[name='correction.tiers[0].window.members']").fill("720")
        page.locator("button[value='correction.tiers']").click()
        page.locator("[name='correction.tiers[1].when']").wait_for()
        page.locator("[name='correction.tiers[1].method']").select_option("linear")
        if javascript:
            refuse_violations(page)
            refuse_sideways(page, width)
        page.get_by_role("button", name="Create rule").click()
        page.wait_for_url("**/rules/rule_*")

    [made] = api.get(f"{home}/rules").data
    assert made["correction"]["tiers"] == [
        {"when": "availability() >= 0.9", "code": "06", "method": "percentile", "p": 90,
         "definition": "nearest_rank",
         "window": {"kind": "rolling", "members": 720, "include_current": False}},
        {"method": "linear", "without_after": "wait"},
    ]  # fmt: skip


def test_a_meter_with_gaps_and_corrections_is_charted(account, api, person):
    project = stack(api)
    filling(api, project, {"method": "mean_before_after"})
    filling(api, project, {"method": "mean_before_after"}, purpose="impute", name="Impute")
    day = "10 11 13 12 14 !40 15 13 12 - - 11 10 9 11 12 13 14 16 15 13 12 11 10"
    events = report(api, project, " ".join([day] * 6))
    home = f"/projects/{project['id']}"
    point = api.get(f"{home}/events/{events[8]}").body["data_points"][0]["id"]
    body = {"data_point": {"value": 22, "reason": "Read from the log"}}
    api.patch(f"{home}/data_points/{point}", body).expect(200)
    outage = {
        "reason": "Calibration",
        "start_time": "2025-01-03T00:00:00Z",
        "end_time": "2025-01-03T12:00:00Z",
    }
    api.post(f"{home}/outages", {"outage": outage}).expect(201)
    work(account)
    [kind] = api.get(f"{home}/event_types").data

    person.look(f"{home}/data_points?of=hour/so2&span=week", shot="chart")
    person.look(
        f"{home}/event_types/{kind['id']}/gaps?from=2025-01-01T00:00&until=2025-01-03T00:00", shot="gap-list"
    )
    text = person.read_without_javascript(f"{home}/data_points?of=hour/so2&span=week")
    assert "substituted" in text


def test_proposals_are_decided_on_by_what_they_would_change(account, api, drain, person):
    plant = given_accounting.plant(api, drain)
    for day, mass in enumerate((30, 25, 28, 26, 5), start=1):
        plant.deliver(mass, day)
    plant.generate()
    rule = calibration(api, plant.project, requires_approval=True)
    work(account)
    inbox = f"/projects/{plant.project['id']}/proposals"
    assert pending(api, rule) == 4

    with person.at(inbox) as page:
        group = page.get_by_role("checkbox", name=f"Select all of {rule['name']}")
        page.get_by_label("Rule", exact=True).select_option(label=rule["name"])
        page.wait_for_url("**filter**rule_id**")
        group.check()
        expect(page.locator("input[name=result_ids]:checked")).to_have_count(4)
        for box in page.locator("input[name=result_ids]").all()[2:]:
            box.uncheck()
        assert group.evaluate("box => box.indeterminate")
        page.get_by_role("link", name="Calculate").first.click()
        page.get_by_text("Deliveries +0.52 t").wait_for()
        page.get_by_role("button", name="Preview impact").click()
        page.get_by_role("heading", name="Impact of approving 2 proposals").wait_for()
        page.locator("#impact").get_by_text("January 2025").wait_for()
        person.look(page.url.removeprefix(person.site.server.address), shot="inbox-impact")
        page.get_by_role("button", name="Approve selected").click()
        page.get_by_text("2 proposals approved.").wait_for()

        page.locator("input[name=result_ids]").first.check()
        page.get_by_text("Reject selected…").click()
        page.get_by_label("Reason for all selected proposals").fill("The scale was right that day")
        page.get_by_role("button", name="Reject proposals").click()
        page.get_by_text("1 proposal rejected. The values are unchanged.").wait_for()

        page.locator("tbody .time a").first.click()
        page.locator("#impact").get_by_text("January 2025").wait_for()
        page.keyboard.press("a")
        page.wait_for_url("**/proposals")
        page.get_by_text("No pending proposals").wait_for()
    assert pending(api, rule) == 0


def test_alerts_are_dismissed_together_with_one_reason(account, api, drain, person):
    plant = given_accounting.plant(api, drain)
    for day in (1, 2, 3):
        plant.deliver(30, day)
    rule = given_rule(api, plant.project, "{{mass}} > 20")
    work(account)
    with person.at(f"/projects/{plant.project['id']}/rule_results") as page:
        for box in page.get_by_role("checkbox").all():
            box.check()
        page.get_by_text("Dismiss selected…").click()
        page.get_by_label("Reason for all selected results").fill("Known, and mended on Monday")
        page.get_by_role("button", name="Dismiss results").click()
        page.get_by_text("3 results dismissed.").wait_for()

    assert {one["status"] for one in results(api, rule)} == {"dismissed"}


LOG = "Zeitpunkt;Mass (kg);Bemerkung\n31.01.2025 06:00;{0};\n31.01.2025 07:00;1300,5;trocken\n"


def a_file(name, text):
    """A file as a person chooses it."""
    return {"name": name, "mimeType": "text/csv", "buffer": text.encode()}


@pytest.mark.parametrize("javascript", [True, False], ids=["with scripts", "without scripts"])
def test_a_feed_is_made_of_a_sample_and_a_file_with_bad_rows_is_mended_and_sent_again(
    account, person, javascript
):
    plant = Feeding(account)
    shot = "with" if javascript else "without"
    with person.at(f"{plant.path}/data_feeds", javascript=javascript, expects=(422,)) as page:
        page.get_by_role("link", name="New feed").click()
        page.get_by_label("Sample file").set_input_files(a_file("scale.csv", LOG.format("1200,0")))
        page.get_by_role("button", name="Read sample").click()
        page.get_by_text("The sample has 3 columns.").wait_for()
        keep_shot(page, f"feed-sample-{shot}")
        expect(page.get_by_label("Time format", exact=True)).to_have_value("%d.%m.%Y %H:%M")
        page.get_by_role("radio", name="UTC, the time zone of the project").check()
        page.get_by_role("button", name="Create feed").click()

        page.get_by_label("File", exact=True).set_input_files(a_file("log.csv", LOG.format("viel")))
        page.get_by_role("button", name="Validate only").click()
        page.get_by_text("waiting for a worker").wait_for()
        account.drain()
        if not javascript:
            page.get_by_role("link", name="Refresh").click()
        page.get_by_text("1 row is invalid. Nothing is stored yet.").wait_for()
        expect(page.get_by_role("row", name="2 Mass (kg) viel")).to_have_count(1)
        keep_shot(page, f"upload-bad-{shot}")

        page.get_by_label("Corrected file").set_input_files(a_file("log.csv", LOG.format("1250,0")))
        page.get_by_role("button", name="Import file").click()
        page.get_by_text("waiting for a worker").wait_for()
        account.drain()
        if not javascript:
            page.get_by_role("link", name="Refresh").click()
        page.get_by_text("2 events stored.").wait_for()
        if javascript:
            refuse_violations(page)
        keep_shot(page, f"upload-good-{shot}")
        page.locator("dl.facts a[href*='/events?']").click()
        page.get_by_text("2 of 2 events").wait_for()


def test_a_value_is_corrected_after_its_impact_was_seen(account, person):
    plant = given_accounting.plant(account.caller(), account.drain)
    event = plant.deliver(30, day=3)
    plant.generate()
    with person.at(f"/projects/{plant.project['id']}/events/{event}") as page:
        page.get_by_role("link", name="Correct", exact=True).first.click()
        page.get_by_label("Correct value, in t").fill("28")
        page.get_by_label("Reason").fill("Second weighing")
        page.get_by_role("button", name="Preview impact").click()

        page.get_by_text("1 batch would be out of date").wait_for()
        refuse_violations(page)
        keep_shot(page, "correction-impact")
        page.get_by_role("button", name="Save correction").click()

        page.get_by_text("Value corrected. Batches that use the earlier value are out of date.").wait_for()
        page.get_by_text("Second weighing").wait_for()
        page.go_back()
    assert plant.batches()[0]["is_stale"]


@pytest.mark.parametrize("javascript", [True, False])
def test_what_is_typed_after_a_preview_is_what_is_saved(account, person, javascript):
    plant = given_accounting.plant(account.caller(), account.drain)
    event = plant.deliver(30, day=3)
    home = f"/projects/{plant.project['id']}"
    with person.at(f"{home}/events/{event}/edit", javascript=javascript) as page:
        page.get_by_label("mass", exact=False).first.fill("28")
        page.get_by_role("button", name="Preview impact").last.click()
        page.get_by_role("button", name="Save correction").wait_for()
        page.get_by_label("mass", exact=False).first.fill("27")
        page.get_by_role("button", name="Save correction").click()
        page.get_by_text("Event corrected").wait_for()

    [point] = plant.api.get(f"{home}/events/{event}").body["data_points"]
    assert point["value"] == 27


PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
)


def test_a_picture_is_attached_and_seen_and_what_only_says_that_it_is_one_is_refused_in_words(
    ada, world, tmp_path
):
    address = f"/projects/{world.ids['project']}/events/{world.ids['event']}"
    large = tmp_path / "scan.png"
    with large.open("wb") as file:
        file.write(PNG)
        file.truncate(len(PNG) + EVIDENCE_BYTES_MAX)
    with ada.at(address, expects=(413, 415)) as page:
        page.get_by_label("Evidence file").set_input_files(large)
        page.get_by_role("button", name="Attach file").click()
        page.get_by_role("alert").get_by_text(f"more than {EVIDENCE_BYTES_MAX:,} bytes").wait_for()

        hostile = {"name": "ticket.png", "mimeType": "image/png", "buffer": b"<script>alert(1)</script>"}
        page.get_by_label("Evidence file").set_input_files(hostile)
        page.get_by_role("button", name="Attach file").click()
        page.get_by_role("alert").get_by_text("its content is not one").wait_for()

        picture = {"name": "ticket.png", "mimeType": "image/png", "buffer": PNG}
        page.get_by_label("Evidence file").set_input_files(picture)
        page.get_by_role("button", name="Attach file").click()
        page.get_by_text("ticket.png attached.").wait_for()
        seen = page.get_by_role("img", name="ticket.png")
        seen.scroll_into_view_if_needed()
        page.wait_for_function("one => one.complete && one.naturalWidth === 1", arg=seen.element_handle())


MINUTES = 40_000
ZOOMS = 5
MANY = """
    INSERT INTO events (project_id, id, event_type_id, asset_id, start_time, end_time, numbers, is_complete)
    SELECT e.project_id, 1000000000 + n, e.event_type_id, e.asset_id, t, t, ARRAY[10 + n %% 17], true
      FROM (SELECT * FROM events WHERE project_id = %s ORDER BY id LIMIT 1) e, generate_series(1, %s) n,
           LATERAL (SELECT timestamptz '2025-01-01 00:00Z' + n * interval '1 minute') AS l (t)
"""
TASK_MS_MAX = 50
"""From here on people feel that a page is busy: a long task, by W3C Long Tasks."""


def test_zooming_a_long_chart_never_holds_the_browser_up(api, server, person):
    project = given.measuring(
        api, given.number("power", unit="kW"), slug="minute", cadence_amount=1, cadence_unit="minute"
    )
    asset = given.asset(api, project)["id"]
    given.event(api, project, event_type="minute", values={"power": 1}, asset_id=asset)
    server.sql(MANY, project["numeric_id"], MINUTES)
    address = f"/projects/{project['id']}/data_points?of=minute/power&meter={asset}&span=all"
    with person.at(address) as page:
        page.locator("#chart .u-over").wait_for()

        busy = [longest_task_of_a_zoom(page) for _ in range(ZOOMS)]
        expect(page).to_have_url(re.compile(f"meter={asset}"))

    # What a zoom costs the page, it costs it each time.
    assert 0 < min(busy) < TASK_MS_MAX, f"tasks of {busy} milliseconds of processor time"


def longest_task_of_a_zoom(page):
    """Draw over the middle of the chart, and wait for chart and table; milliseconds of processor time."""
    box = page.locator("#chart .u-over").bounding_box()
    browser = page.context.browser
    browser.start_tracing(page=page, categories=["toplevel"])
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + 50)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 60, steps=8)
    with page.expect_response("**/series.json?*"), page.expect_response("**/data_points?*"):
        page.mouse.up()
    page.wait_for_load_state("networkidle")
    return longest_task(json.loads(browser.stop_tracing())["traceEvents"])


def longest_task(events):
    """The longest task of a page's main thread: other processes of a busy machine do not count."""
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    return max(
        event.get("tdur", 0) / 1000
        for event in events
        if event["name"] == "ThreadControllerImpl::RunTask" and (event["pid"], event["tid"]) in mains
    )


@pytest.mark.parametrize("page_of", ["events", "data_points", "gaps"])
def test_the_fields_of_a_filter_bar_are_of_one_height(ada, world, page_of):
    home = f"/projects/{world.ids['project']}"
    address = (
        f"{home}/event_types/{world.ids['event_type']}/gaps" if page_of == "gaps" else f"{home}/{page_of}"
    )
    with ada.at(address) as page:
        heights = page.locator(".filters").first.evaluate(
            "bar => [...bar.querySelectorAll('input, select, button')].map(one => one.offsetHeight)"
        )

    assert len(heights) >= 3
    assert len({*heights}) == 1


def test_a_record_in_the_drawer_has_an_address_and_gives_the_focus_back(api, drain, person):
    plant = given_accounting.plant(api, drain)
    event = plant.deliver(30)
    events = f"/projects/{plant.project['id']}/events"

    with person.at(events) as page:
        title = page.title()
        page.get_by_role("link", name="Delivery").click()
        drawer = page.get_by_role("complementary", name="Record")
        drawer.get_by_role("heading", name="History").wait_for()
        assert page.title() == title
        expect(page).to_have_url(ending(f"#record={events}/{event}"))

        page.reload()
        drawer.get_by_role("heading", name="History").wait_for()
        drawer.get_by_role("button", name="Close", exact=True).click()
        expect(drawer).to_be_hidden()
        expect(page).to_have_url(ending(events))

        link = page.get_by_role("link", name="Delivery")
        for leave in (partial(page.keyboard.press, "Escape"), page.locator("h1").first.click):
            link.click()
            drawer.get_by_role("heading", name="History").wait_for()
            leave()
            expect(drawer).to_be_hidden()
            expect(link).to_be_focused()


def test_keys_of_a_single_character_are_switched_off_and_on_again(api, drain, person):
    plant = given_accounting.plant(api, drain)
    plant.deliver(30)

    with person.at(f"/projects/{plant.project['id']}/events") as page:
        page.keyboard.press("?")
        page.get_by_label("Switch off keys of a single character in this browser").check()
        page.keyboard.press("Escape")
        page.locator("#keys").wait_for(state="hidden")
        page.reload()
        page.keyboard.press("j")
        page.keyboard.press("?")
        expect(page.locator("tr[aria-selected=true]")).to_have_count(0)
        expect(page.locator("dialog[open]")).to_have_count(0)

        page.locator(".person summary").click()
        page.get_by_role("button", name="Keyboard shortcuts").click()
        page.get_by_label("Switch off keys of a single character in this browser").uncheck()
        page.keyboard.press("Escape")
        page.locator("#keys").wait_for(state="hidden")
        expect(page.locator(".person summary")).to_be_focused()
        page.keyboard.press("j")
        expect(page.locator("tr[aria-selected=true]")).to_have_count(1)
