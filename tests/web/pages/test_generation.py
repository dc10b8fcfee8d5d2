"""The form of a generation: what is missing, what is set aside, slots at a glance, draws that people name."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from tests.given import accounting as given_accounting
from tests.given import chain
from tests.given.people import visitor
from tests.given.reports import Claims, submitted

JANUARY = "from=2025-01-01T00:00&until=2025-02-01T00:00"

BY_HAND = chain.PRODUCED + chain.upstream("select: manual") + chain.USED

WITH_FACTOR = """
  - slug: wet
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: factor
    static_input: grid-factor
    unit: "1"
  - slug: mass
    formula: wet * factor
    unit: t
    output: true
"""


@pytest.fixture
def reader(account):
    return visitor(account)


@pytest.fixture
def plant(api, account):
    return given_accounting.plant(api, account.drain)


@pytest.fixture
def production(api, account):
    """A ledger that draws by hand from a stock with a lot of 10 t, and a production of 4 t in January."""
    first = chain.inventory(api, account.drain)
    first.deliver(10)
    first.generate()
    second = chain.link(first, BY_HAND)
    chain.produce(second, 4)
    return first, second


def path_of(plant):
    return f"/projects/{plant.project['id']}/ledgers/{plant.ledger['id']}/generations"


def words(answer):
    """What a page says behind its frame, without its marks."""
    text = answer.expect(200).text.split("<main", 1)[1]
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text)))


def main_of(answer):
    return answer.expect(200).text.split("<main", 1)[1]


def hidden(text):
    """The fields that the form which starts the generation carries."""
    form = text.rsplit('<form method="post"', 1)[1]
    return {
        name: unescape(value)
        for name, value in re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form)
    }


def test_slots_stand_side_by_side_never_generated_up_to_date_or_stale(plant, api, reader):
    event = plant.deliver(5)
    plant.deliver(3, "2025-02-10T12:00:00Z")
    assert "2025-01: never generated" in main_of(reader.get(path_of(plant)))
    plant.generate()
    shown = main_of(reader.get(path_of(plant)))
    assert "2025-01: 1 batch up to date" in shown
    assert "2025-02: never generated" in shown
    home = f"/projects/{plant.project['id']}"
    point = api.get(f"{home}/events/{event}").body["data_points"][0]["id"]
    api.patch(f"{home}/data_points/{point}", {"data_point": {"value": 6, "reason": "again"}}).expect(200)

    shown = main_of(reader.get(path_of(plant)))

    assert "2025-01: 1 of 1 batch out of date" in shown
    assert (
        'href="'
        + path_of(plant)
        + '?from=2025-01-01T00%3A00&amp;until=2025-02-01T00%3A00" class="waits">1 period out of date'
        in shown
    )


def test_an_input_without_data_is_set_aside_by_its_box(plant, api, reader):
    asked = f"{path_of(plant)}?{JANUARY}"
    assert "no events in the period" in words(reader.get(asked))
    number = api.get(f"/ledgers/{plant.ledger['id']}/required_inputs").data[0]["id"]

    shown = main_of(reader.get(f"{asked}&skip={number}"))

    assert ">excluded<" in shown
    assert re.search(rf'name="skip" value="{number}"[^>]* checked>', shown)


def test_a_static_input_that_holds_no_value_yet_is_missing(api, account, reader):
    plant = given_accounting.plant(api, account.drain, WITH_FACTOR, is_model_of_project=False)
    plant.deliver(2)
    asked = f"{path_of(plant)}?{JANUARY}"
    assert "no value is effective at the start of the period" in words(reader.get(asked))

    value = {"slug": "grid-factor", "value": 3, "effective_from": "2024-01-01T00:00:00Z"}
    api.post(f"/projects/{plant.project['id']}/static_inputs", {"static_input": value}).expect(201)

    assert "no value is effective" not in words(reader.get(asked))


def test_draws_by_hand_are_named_lot_by_lot_and_drawn(production, account, reader):
    first, second = production
    lot = first.batches()[0]["id"]
    asked = f"{path_of(second)}?{JANUARY}&by_hand=/"
    assert "no source is selected for drawn" in words(reader.get(asked))

    shown = main_of(reader.get(f"{asked}&draw:drawn:{lot}=7.5"))
    assert "Generate 1 batch<" in shown
    moved = reader.post(path_of(second), hidden(shown)).expect(303).headers["location"]
    account.drain()

    assert "complete" in words(reader.get(moved))
    assert chain.balances(first) == {"2025-01": 2.5}
    again = main_of(reader.get(f"{path_of(second)}?{JANUARY}"))
    assert f'name="draw:drawn:{lot}" value="7.5"' in again
    assert "No batches to generate" in again


def test_draws_that_were_named_for_one_period_are_not_taken_for_another(production, reader):
    first, second = production
    lot = first.batches()[0]["id"]
    february = f"from=2025-02-01T00:00&until=2025-03-01T00:00&by_hand={JANUARY[5:21]}/{JANUARY[-16:]}"

    shown = main_of(reader.get(f"{path_of(second)}?{february}&draw:drawn:{lot}=7.5"))

    assert f'name="draw:drawn:{lot}" value=""' in shown


@pytest.mark.parametrize(
    ("typed", "says"),
    [("much", "must be a number"), ("11", "it holds 10 t"), ("-1", "above zero")],
)
def test_an_amount_that_cannot_be_drawn_is_said_at_its_lot(production, reader, typed, says):
    first, second = production
    lot = first.batches()[0]["id"]

    shown = main_of(reader.get(f"{path_of(second)}?{JANUARY}&by_hand=/&draw:drawn:{lot}={typed}"))

    assert says in unescape(shown)
    assert f'value="{typed}"' in shown


def test_draws_are_taken_back_by_emptying_their_fields(production, account, reader):
    first, second = production
    lot = first.batches()[0]["id"]
    second.generate(batch_amounts=[{"batch_id": lot, "primary_output_amount": 7}])
    period = "2025-01-01T00:00/2025-02-01T00:00"

    shown = main_of(reader.get(f"{path_of(second)}?{JANUARY}&by_hand={period}&held=yes&draw:drawn:{lot}="))
    reader.post(path_of(second), hidden(shown)).expect(303)
    account.drain()

    assert chain.balances(first) == {"2025-01": 10}


def test_a_ledger_without_a_model_is_given_one_and_its_batches_are_generated(api, reader, plant):
    bare = given_accounting.ledger(api, plant.project, name="Stock")
    other = given_accounting.model(
        api, plant.project, given_accounting.document(given_accounting.MASS, name="Second")
    )
    home = f"/projects/{plant.project['id']}/ledgers/{bare['id']}"
    assert "Assign model" in words(reader.get(home))
    assert "Assign model" in words(reader.get(f"{home}/generations"))

    refused = reader.post(f"{home}/model", {"model_id": other["id"], "output": "nothing"})
    assert refused.status == 422
    assert "nothing" in refused.text
    moved = reader.post(f"{home}/model", {"model_id": other["id"], "output": ""}).expect(303)

    assert "Model Second assigned to Stock." in words(reader.get(moved.headers["location"]))
    assert api.get(f"/ledgers/{bare['id']}").body["latest_model"]["id"] == other["id"]


def test_a_ledger_is_made_with_its_decimals_rounding_and_category(api, plant, reader):
    path = f"/projects/{plant.project['id']}/ledgers"
    new = {"name": "Oil", "unit": "kg", "scale": "three", "rounding": "down", "asset_category": "oil"}
    form = f"{path}/new"
    reader.get(form).expect(200)
    refused = reader.post(form, new).expect(422).text
    assert "Decimals must be a number" in refused
    assert 'id="wrong-scale"' in refused

    reader.post(form, new | {"scale": "3"}).expect(303)

    [made] = [one for one in api.get(path).data if one["name"] == "Oil"]
    assert (made["scale"], made["rounding"], made["asset_category"]) == (3, "down", "oil")


def test_ledgers_of_one_model_are_credited_together_when_asked(api, account, reader):
    plant = given_accounting.plant(
        api,
        account.drain,
        given_accounting.MASS + "\n  - slug: half\n    formula: mass / 2\n    unit: t\n    output: true\n",
    )
    given_accounting.ledger(api, plant.project, plant.model, name="Half", output="half")
    plant.deliver(4)
    assert "Also credit Half" in words(reader.get(path_of(plant)))

    assert "Generate 1 batch<" in main_of(reader.get(f"{path_of(plant)}?{JANUARY}"))
    assert "Generate 2 batches<" in main_of(reader.get(f"{path_of(plant)}?{JANUARY}&together=yes"))


def test_the_form_begins_with_what_is_complete_since_the_last_batch(plant, reader):
    plant.deliver(5)
    first = main_of(reader.get(path_of(plant)))
    plant.generate()

    shown = main_of(reader.get(path_of(plant)))

    assert 'name="from" value="2025-01-01T00:00"' in first
    assert "No batches yet: from the first data" in first
    assert 'name="from" value="2025-02-01T00:00"' in shown
    assert "From the end of the last batch" in shown


def test_the_form_begins_with_the_last_period_where_every_one_has_batches(plant, reader):
    now = datetime.now(UTC)
    this = now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    last = (this - timedelta(days=1)).replace(day=1)
    plant.deliver(5, f"{last + timedelta(days=2):%Y-%m-%dT%H:%M:%SZ}")
    plant.generate((f"{last:%Y-%m-%dT%H:%M:%SZ}", f"{this:%Y-%m-%dT%H:%M:%SZ}"))

    shown = main_of(reader.get(path_of(plant)))

    assert f'name="from" value="{last:%Y-%m-%dT%H:%M}"' in shown
    assert f'name="until" value="{this:%Y-%m-%dT%H:%M}"' in shown
    assert "Every complete month has batches" in shown


def test_a_generation_that_adjusts_says_that_it_made_nothing_new(plant, reader):
    event = plant.deliver(5)
    plant.generate()
    point = plant.api.get(f"/projects/{plant.project['id']}/events/{event}").body["data_points"][0]["id"]
    change = {"data_point": {"value": 4, "reason": "weighed again"}}
    plant.api.patch(f"/projects/{plant.project['id']}/data_points/{point}", change).expect(200)
    preview = words(reader.get(f"{path_of(plant)}?{JANUARY}"))
    plant.generate()
    task = plant.api.get("/async_tasks?sort=-id").data[0]["id"]

    made = words(reader.get(f"{path_of(plant)}/{task}"))

    assert re.search(r"Deliveries012025-01", preview), preview
    assert re.search(r"Unchanged Deliveries010", made), made


def test_the_preview_leads_down_to_the_last_ledger_and_report(api, account, reader):
    deliveries = chain.inventory(api, account.drain, chain.WEIGHED)
    production = chain.link(deliveries, chain.WORTH, output="worth")
    event = deliveries.deliver(50)
    chain.produce(production, 10)
    deliveries.generate()
    production.generate()
    claims = Claims(production)
    report = submitted(claims, claims.report(50))
    home = f"/projects/{deliveries.project['id']}"
    [point] = api.get(f"{home}/events/{event}").body["data_points"]
    api.patch(f"{home}/data_points/{point['id']}", {"data_point": {"value": 40}}).expect(200)
    path = f"{home}/ledgers/{deliveries.ledger['id']}/generations"

    form = reader.get(f"{path}?{JANUARY}").text
    shown = unescape(reader.get(f"{path}/impact?{JANUARY}").text)

    assert f'hx-get="{path}/impact?' in form
    assert f'/ledgers/{production.ledger["id"]}">Production</a>' in shown
    assert f'/batches/{production.batches()[0]["id"]}"' in shown
    assert f'/reports/{report["id"]}">{report["name"]}</a>' in shown
    assert "more than its batches come to" in shown
    assert [batch["run_total"] for batch in deliveries.batches()] == [50]


def test_the_impact_that_a_page_fetches_comes_without_another_preview(plant, reader):
    plant.deliver(50)
    path = f"/projects/{plant.project['id']}/ledgers/{plant.ledger['id']}/generations"

    part = reader.get(f"{path}/impact?{JANUARY}", **{"hx-request": "true"}).expect(200).text

    assert 'id="impact"' in part
    assert "hx-get" not in part
    assert 'id="preview"' not in part
    assert 'id="preview"' in reader.get(f"{path}/impact?{JANUARY}").expect(200).text
