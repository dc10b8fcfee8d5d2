"""Pages of ledgers and batches say what the books say, to whoever may read them and to nobody else."""

import re

import pytest
from tests.given import accounting as given_accounting
from tests.given import chain
from tests.given.accounting import JANUARY
from tests.given.people import visitor
from tests.given.reports import Claims, submitted

DRY = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: dry
    formula: mass * 3 / 4
    unit: t
    output: true
"""


@pytest.fixture
def plant(api, account):
    """A plant with a delivery of 10 t and its batch of January, 7.5 t dry."""
    made = given_accounting.plant(api, account.drain, DRY, primary_output="dry")
    made.deliver(10)
    made.generate()
    return made


@pytest.fixture
def reader(account):
    return visitor(account)


def home(plant):
    return f"/projects/{plant.project['id']}"


def of_batch(plant, number=0):
    return f"{home(plant)}/batches/{plant.batches()[number]['id']}"


def main_of(answer):
    """What stands in the page itself, behind its frame."""
    return answer.expect(200).text.split("<main", 1)[1]


def words_of(markup):
    """The text of a page, with one space between words."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", markup))


def test_ledgers_stand_with_their_balance_and_year(plant, reader):
    shown = main_of(reader.get(f"{home(plant)}/ledgers"))

    assert 'value="7.5"' in shown
    assert "up to date" in shown
    assert "Production of Deliveries by month, February 2024 \N{EN DASH} January 2025" in shown


def test_a_ledger_says_how_it_stood_at_the_end_of_each_month(plant, reader):
    shown = main_of(reader.get(f"{home(plant)}/ledgers/{plant.ledger['id']}"))

    assert "end of January 2025: 7.5 t" in shown
    assert "end of December 2024: 0 t" in shown
    assert plant.batches()[0]["id"] in shown


def test_a_batch_shows_its_equation_in_words_and_with_its_numbers(plant, reader):
    shown = main_of(reader.get(of_batch(plant)))

    assert "<mi>dry</mi><mo>=</mo>" in shown
    assert '<mn><a href="#node-mass" title="mass: 10 t">10</a></mn>' in shown
    assert 'id="node-mass"' in shown
    assert "version 1" in shown


def test_a_stale_batch_says_why_and_is_settled_by_one_button(plant, account, reader):
    late = plant.deliver(2)
    plant.generate()
    point = plant.api.get(f"{home(plant)}/events/{late}").body["data_points"][0]["id"]
    change = {"data_point": {"value": 4, "reason": "weighed again"}}
    plant.api.patch(f"{home(plant)}/data_points/{point}", change).expect(200)
    address = of_batch(plant, 1)
    assert "a value that it used was corrected" in main_of(reader.get(address))

    moved = reader.post(f"{address}/settle").expect(303).headers["location"]
    assert "waiting for a worker" in main_of(reader.get(moved))
    account.drain()

    ended = main_of(reader.get(moved))
    assert "complete" in ended
    assert "is out of date" not in main_of(reader.get(address))
    assert [batch["primary_output"]["value"] for batch in plant.batches()] == [7.5, 1.5, 1.5]
    story = main_of(reader.get(of_batch(plant)))
    assert story.count(">adjusted</a>") == 2
    assert 'value="10.5"' in story


def test_a_batch_that_draws_says_of_what_and_waits_for_a_stale_source(api, account, reader):
    first = chain.inventory(api, account.drain)
    event = first.deliver(10)
    first.generate()
    second = chain.link(first)
    chain.produce(second, 4)
    second.generate()
    point = api.get(f"{home(first)}/events/{event}").body["data_points"][0]["id"]
    change = {"data_point": {"value": 9, "reason": "weighed again"}}
    api.patch(f"{home(first)}/data_points/{point}", change).expect(200)

    shown = main_of(reader.get(of_batch(second)))

    drawn = shown.split("Withdrawals from other batches", 1)[1].split("</table>")[0]
    assert first.batches()[0]["id"] in drawn
    assert 'value="8"' in drawn
    assert "Regenerate that batch first" in shown
    assert "/settle" not in shown
    assert "/settle" in main_of(reader.get(of_batch(first)))


def test_the_first_batch_of_a_run_says_that_its_newest_is_stale(plant, reader):
    event = plant.deliver(2)
    plant.generate()
    point = plant.api.get(f"{home(plant)}/events/{event}").body["data_points"][0]["id"]
    change = {"data_point": {"value": 4, "reason": "weighed again"}}
    plant.api.patch(f"{home(plant)}/data_points/{point}", change).expect(200)

    shown = main_of(reader.get(of_batch(plant, 0)))

    assert "adjusted later" in shown
    assert f'/batches/{plant.batches()[-1]["id"]}">the newest batch</a> has the current values' in shown
    assert "The newest batch of this calculation is out of date" in shown


def test_each_batch_of_a_run_says_what_it_posted_of_the_one_result(plant, reader):
    [event] = plant.api.get(f"{home(plant)}/events").data
    point = event["data_points"][0]["id"]
    plant.api.patch(f"{home(plant)}/data_points/{point}", {"data_point": {"value": 8}}).expect(200)
    plant.generate()

    first, second = (words_of(main_of(reader.get(of_batch(plant, number)))) for number in (0, 1))

    assert "This is the current result, after all adjustments. This batch first posted 7.5 t." in first
    assert "7.5 t when this batch was posted" in first
    assert "This batch changed it from 7.5 by \N{MINUS SIGN}1.5 t." in second
    assert "6 t when this batch was posted" in second
    for page in (first, second):
        assert "6 remaining" in page
        assert "total 6" in page


def test_amounts_are_rounded_to_what_their_ledger_shows_with_all_digits_below(plant, reader):
    plant.deliver("0.12345", 2)
    plant.generate()
    path = f"{home(plant)}/ledgers/{plant.ledger['id']}"
    assert 'value="7.592588"' in reader.get(path).expect(200).text

    settings = {"name": "Deliveries", "asset_category": "chips", "display_places": "2"}
    reader.post(f"{path}/settings", settings).expect(303)

    ledger = plant.api.get(f"/ledgers/{plant.ledger['id']}").body
    assert (ledger["display_places"], ledger["asset_category"]) == (2, "chips")
    assert str(ledger["balance"]) == "7.592588"
    for page in (home(plant), f"{home(plant)}/ledgers", path, f"{home(plant)}/batches"):
        shown = main_of(reader.get(page))
        figures = re.findall(r'<data class="fig rounded[^>]* title="7\.592588 t"[^>]*>(.*?)</data>', shown)
        assert {words_of(figure) for figure in figures} <= {"7.59"}, page
    assert "7.59" in words_of(main_of(reader.get(home(plant))))


@pytest.mark.parametrize(
    ("places", "sentence"),
    [
        ("7", "display_places is 7; it must be at most the ledger&#39;s scale, 6."),
        ("-1", "display_places must be a whole number of decimals, but is &#39;-1&#39;."),
        ("9" * 5_000, "display_places must be a whole number of decimals"),
    ],
)
def test_a_ledger_shows_no_more_decimals_than_it_has(plant, reader, places, sentence):
    path = f"{home(plant)}/ledgers/{plant.ledger['id']}/settings"

    refused = reader.post(path, {"name": "Deliveries", "display_places": places}).expect(422).text

    assert sentence in refused
    assert plant.api.get(f"/ledgers/{plant.ledger['id']}").body["display_places"] is None


def test_generation_is_previewed_then_followed_to_its_batches(plant, account, reader):
    plant.deliver(4, "2025-02-10T12:00:00Z")
    path = f"{home(plant)}/ledgers/{plant.ledger['id']}/generations"
    period = {"from": "2025-02-01T00:00", "until": "2025-03-01T00:00"}

    seen = main_of(reader.get(f"{path}?from={period['from']}&until={period['until']}"))
    assert "2025-02" in seen
    assert "1 event" in seen
    assert "Generate 1 batch<" in seen
    assert len(plant.batches()) == 1

    moved = reader.post(path, period).expect(303).headers["location"]
    account.drain()
    assert 'value="3"' in main_of(reader.get(moved))
    assert "No batches to generate" in main_of(
        reader.get(f"{path}?from={period['from']}&until={period['until']}")
    )


def test_a_period_without_what_the_model_needs_says_what_is_missing(plant, reader):
    path = f"{home(plant)}/ledgers/{plant.ledger['id']}/generations"

    assert "no events in the period" in main_of(
        reader.get(f"{path}?from=2025-05-01T00:00&until=2025-06-01T00:00")
    )


def test_a_period_that_ends_before_it_begins_is_refused_on_the_form(plant, reader):
    path = f"{home(plant)}/ledgers/{plant.ledger['id']}/generations"

    shown = reader.post(path, {"from": "2025-03-01T00:00", "until": "2025-02-01T00:00"})

    assert shown.status == 422
    assert "2025-03-01T00:00" in shown.text


def test_a_ledger_is_made_by_its_form(plant, reader):
    path = f"{home(plant)}/ledgers/new"

    assert reader.post(path, {"name": "", "unit": "t"}).status == 422
    moved = reader.post(path, {"name": "Chips", "unit": "t", "model_id": ""}).expect(303)

    assert "Chips" in main_of(reader.get(moved.headers["location"]))


def test_pages_of_ledgers_are_there_for_whoever_may_read_the_books_of_the_account(plant, server, account):
    ledger, batch = f"{home(plant)}/ledgers/{plant.ledger['id']}", of_batch(plant)
    addresses = [f"{home(plant)}/ledgers", ledger, f"{ledger}/generations", batch, f"{home(plant)}/batches"]
    without = visitor(account, "data_collection:read")
    stranger = visitor(server.account())

    assert {without.get(one).status for one in addresses} == {403}
    assert {stranger.get(one).status for one in addresses} == {404}


def test_who_may_only_read_finds_no_button_that_writes(plant, account):
    plant.deliver(1)
    reader = visitor(account, "production_accounting:read")

    assert '<form method="post"' not in main_of(reader.get(f"{home(plant)}/ledgers"))
    assert reader.post(f"{home(plant)}/ledgers/new", {"name": "A", "unit": "t"}).status == 403


def test_the_list_of_batches_is_filtered_by_its_address(plant, reader):
    path = f"{home(plant)}/batches"

    assert plant.batches()[0]["id"] in main_of(reader.get(path))
    assert "No matching batches" in main_of(reader.get(f"{path}?from={JANUARY[1][:16]}"))
    assert reader.get(f"{path}.csv").expect(200).text.startswith("id,")


def test_a_picture_of_flows_never_adds_amounts_of_two_units(api, account, reader):
    deliveries = chain.inventory(api, account.drain)
    production = chain.link(deliveries, chain.PRODUCED, unit="kg")
    deliveries.deliver(10)
    chain.produce(production, 3)
    for plant in (deliveries, production):
        plant.generate()
        claims = Claims(plant)
        submitted(claims, claims.report(2))

    shown = main_of(reader.get(f"/projects/{deliveries.project['id']}/ledgers"))

    for end in ("in reports", "remaining"):
        assert f">{end}, t</text>" in shown
        assert f">{end}, kg</text>" in shown
