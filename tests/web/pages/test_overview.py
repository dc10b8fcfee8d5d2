"""The overview says how a project is: what it came to, how complete its data are, what needs a person."""

import re
from html import unescape

import pytest
from tests.given import accounting as given_accounting
from tests.given import chain
from tests.given import collection as given
from tests.given.people import visitor


@pytest.fixture
def reader(account):
    return visitor(account)


def main_of(answer):
    """What stands in the page itself, behind its frame."""
    return answer.expect(200).text.split("<main", 1)[1]


def home(plant):
    return f"/projects/{plant.project['id']}"


def test_a_new_project_says_what_to_do_next(api, reader):
    project = given.project(api)

    shown = main_of(reader.get(f"/projects/{project['id']}"))

    assert "First: Define what is measured" in shown
    assert "curl -X POST" in shown


def test_a_plant_without_batches_offers_to_generate_them(api, account, reader):
    plant = given_accounting.plant(api, account.drain)

    shown = main_of(reader.get(home(plant)))

    assert "Next: Generate the first batches" in shown
    assert f"/ledgers/{plant.ledger['id']}/generations" in shown


def test_the_newest_month_is_told_in_one_sentence_and_a_stale_batch_waits(api, account, reader):
    plant = given_accounting.plant(api, account.drain)
    event = plant.deliver(5)
    plant.generate()
    assert "All batches are up to date." in main_of(reader.get(home(plant)))
    point = api.get(f"{home(plant)}/events/{event}").body["data_points"][0]["id"]
    change = {"data_point": {"value": 6, "reason": "weighed again"}}
    api.patch(f"{home(plant)}/data_points/{point}", change).expect(200)

    shown = main_of(reader.get(home(plant)))

    assert "<b>January 2025:</b>" in shown
    assert "1 batch is out of date" in shown
    assert "data point corrected" in shown
    assert f'href="{home(plant)}/batches/{plant.batches()[0]["id"]}">Review batch</a>' in shown


def test_the_flow_leads_from_event_types_through_models_to_ledgers(api, account, reader):
    first = chain.inventory(api, account.drain)
    chain.link(first)

    shown = main_of(reader.get(home(first)))
    ledgers = main_of(reader.get(f"{home(first)}/ledgers"))

    assert "Data flow from event types through models to ledgers" in shown
    for word in ("delivery", "production", "Deliveries", "Production"):
        assert f"{word}</text>" in shown
    assert "Flows between ledgers" not in ledgers


def test_what_one_ledger_draws_of_another_stands_as_a_flow_and_a_deficit_waits(api, account, reader):
    first = chain.inventory(api, account.drain)
    event = first.deliver(10)
    first.generate()
    second = chain.link(first)
    chain.produce(second, 4)
    second.generate()
    point = api.get(f"{home(first)}/events/{event}").body["data_points"][0]["id"]
    change = {"data_point": {"value": 5, "reason": "weighed again"}}
    api.patch(f"{home(first)}/data_points/{point}", change).expect(200)
    first.generate()

    ledgers = main_of(reader.get(f"{home(first)}/ledgers"))
    shown = main_of(reader.get(home(first)))

    assert "8 t of Deliveries" in ledgers
    assert "deficit" in ledgers
    assert "<b>1 deficit</b>" in shown.replace(' class="short"', "")


def test_the_calendar_counts_the_slots_of_each_day(api, reader):
    project = given.project(api)
    given.event_type(
        api, project, slug="reading", data_point_types=[given.number("power", unit="kWh")],
        cadence_amount=1, cadence_unit="day",
    )  # fmt: skip
    for day in (1, 2, 4):
        given.event(
            api, project, event_type="reading", start_time=f"2025-03-{day:02d}T06:00:00Z", values={"power": 1}
        )

    shown = main_of(reader.get(f"/projects/{project['id']}/completeness"))

    assert "1 Mar 2025: 1 of 1 measured" in shown
    assert "3 Mar 2025: 0 of 1 measured" in shown
    assert shown.count('class="cell full"') == 3
    [third] = re.findall(r'href="([^"]*gaps[^"]*2025-03-03T00%3A00[^"]*)"', shown)
    opened = main_of(reader.get(unescape(third)))
    assert 'value="2025-03-03T00:00"' in opened
    assert 'value="2025-03-04T00:00"' in opened


def test_the_gaps_of_a_year_are_counted_by_event_type_and_month(api, reader):
    project = given.project(api)
    made = given.event_type(
        api, project, slug="reading", data_point_types=[given.number("power", unit="kWh")],
        cadence_amount=1, cadence_unit="day",
    )  # fmt: skip
    for day in (1, 2, 4):
        given.event(
            api, project, event_type="reading", start_time=f"2025-03-{day:02d}T06:00:00Z", values={"power": 1}
        )

    shown = main_of(reader.get(f"/projects/{project['id']}/gaps/year?month=2025-04"))

    assert "April 2025" in shown
    assert 'title="28 of 31 intervals without a reading">28</a>' in re.sub(r"<data[^>]*>|</data>", "", shown)
    [march] = re.findall(r'href="([^"]*gaps[?]from=2025-03-01T00%3A00[^"]*)"', shown)
    opened = main_of(reader.get(unescape(march)))
    assert 'value="2025-04-01T00:00"' in opened
    assert f"/event_types/{made['id']}/gaps" in march
    assert (
        f'hx-get="/projects/{project["id"]}/gaps/year"' in reader.get(f"/projects/{project['id']}/gaps").text
    )


def test_whoever_may_not_read_the_books_sees_no_figures_of_them(api, account):
    plant = given_accounting.plant(api, account.drain)
    plant.deliver(5)
    plant.generate()

    shown = main_of(visitor(account, "data_collection:read").get(home(plant)))

    assert "Ledgers" not in shown
    assert "2025-01" not in shown
