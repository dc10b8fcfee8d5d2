"""Pages of data points, gaps, models and rules: everybody can use them, and what moves in them moves."""

import pytest
from tests.given import accounting as given_accounting
from tests.given.approvals import pending
from tests.given.gaps import filling, report, stack
from tests.given.requests import RULE
from tests.given.rule_evaluation import calibration, results, work
from tests.given.rule_evaluation import rule as given_rule

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
    ("simulate", "/projects/{project}/models/{model}/simulate"),
    ("proposals", "/projects/{project}/proposals"),
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
        page.get_by_label("What people call it").fill("Heavy")
        page.locator("[name=effective_from]").fill("2025-01-01T00:00")
        page.locator("[name=tried_from]").fill("2025-01-01T00:00")
        page.locator("[name=tried_until]").fill("2025-03-01T00:00")
        page.get_by_label("Wrong when").fill(RULE["expression"])

        page.get_by_text("evaluated").wait_for()


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
        for box in page.get_by_role("checkbox").all()[:2]:
            box.check()
        page.get_by_role("button", name="What would change").click()
        page.get_by_role("heading", name="What approving 2 proposals would change").wait_for()
        page.locator("#impact").get_by_text("January 2025").wait_for()
        person.look(page.url.removeprefix(person.site.server.address), shot="inbox-impact")
        page.get_by_role("button", name="Approve the chosen").click()
        page.get_by_text("2 proposals approved.").wait_for()

        page.get_by_role("checkbox").first.check()
        page.get_by_text("Reject the chosen…").click()
        page.get_by_label("Why all of them are rejected").fill("The scale was right that day")
        page.get_by_role("button", name="Reject", exact=True).click()
        page.get_by_text("1 proposal rejected; the values stay.").wait_for()

        page.get_by_role("link", name="waits").click()
        page.locator("#impact").get_by_text("January 2025").wait_for()
        page.keyboard.press("a")
        page.wait_for_url("**/proposals")
        page.get_by_text("Nothing waits").wait_for()
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
        page.get_by_text("Dismiss the chosen…").click()
        page.get_by_label("Why all of them are dismissed").fill("Known, and mended on Monday")
        page.get_by_role("button", name="Dismiss", exact=True).click()
        page.get_by_text("3 results dismissed.").wait_for()

    assert {one["status"] for one in results(api, rule)} == {"dismissed"}
