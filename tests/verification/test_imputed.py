"""Verification names every imputed event that stands where something was captured, or without a slot."""

import pytest
from tests.given import accounting
from tests.given.gaps import filling, report, stack
from tests.given.rule_evaluation import work

BESIDE = "no imputed event is in its meter's slot with a captured one"
VALUES = "every value is what was captured, or what the correction in force says"
SLOT = "every imputed event has a slot, and is voided when it is withdrawn from there, and not before"

SUM = """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
    output: true
"""
CAPTURED = """
    WITH captured AS MATERIALIZED (
        SELECT e.project_id, (SELECT max(id) + 1 FROM events), e.event_type_id, {start}, {end},
               e.asset_id, e.location_ids, e.numbers, e.texts, true
          FROM events e
         CROSS JOIN (SELECT start_time FROM events WHERE is_imputed AND voided_at IS NULL) AS made
         WHERE NOT e.is_imputed ORDER BY e.id LIMIT 1)
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, asset_id, location_ids, numbers,
                        texts, is_complete)
    SELECT * FROM captured
"""


@pytest.fixture(scope="module")
def making():
    return made


def made(server):
    """Two hours without an event are filled; then one of them is captured after all."""
    account = server.account()
    api = account.caller()
    project = stack(api)
    filling(api, project, {"method": "mean_before_after"}, purpose="impute")
    report(api, project, "10 - 14 - 16")
    work(account)
    text = accounting.document(SUM, cadence="daily", primary_output="emission")
    model = accounting.model(api, project, text)
    ledger = accounting.ledger(api, project, model, name="Emissions")
    plant = accounting.Plant(api, account.drain, project, model, ledger)
    plant.generate(accounting.QUARTER)
    report(api, project, "11", first=2)
    plant.generate(accounting.QUARTER)
    work(account)
    return plant.batches()


def test_books_with_imputed_hours_are_sound(books):
    assert books.violations() == {}


def test_a_captured_hour_beside_the_imputed_one_is_named(books):
    books.break_by(CAPTURED.format(start="made.start_time", end="made.start_time + interval '1 hour'"))

    [sentence] = books.violations()[BESIDE]

    assert "it was imputed, but its slot has 1 captured events" in sentence


@pytest.mark.parametrize("away", ["- interval '1 millisecond'", "+ interval '1 hour'"])
def test_a_captured_event_before_or_after_the_slot_stands_beside_nothing(books, away):
    books.break_by(CAPTURED.format(start=f"made.start_time {away}", end=f"made.start_time {away}"))

    assert BESIDE not in books.violations()


def test_an_imputed_hour_that_counts_again_after_one_was_captured_is_named(books):
    books.break_by("UPDATE events SET voided_at = NULL WHERE is_imputed AND voided_at IS NOT NULL")

    found = books.violations()

    assert len(found[BESIDE]) == 1
    [sentence] = found[SLOT]
    assert sentence.endswith("it is imputed, and by its slot imputed and voided")


def test_a_captured_hour_that_is_said_to_be_imputed_is_named(books):
    books.break_by("UPDATE events SET is_imputed = true WHERE id = (SELECT min(id) FROM events)")

    [sentence] = books.violations()[SLOT]

    assert sentence.endswith("it is imputed, and by its slot not imputed")


def test_an_imputed_hour_that_is_said_to_be_captured_is_named(books):
    books.break_by("UPDATE events SET is_imputed = false WHERE is_imputed AND voided_at IS NULL")

    [sentence] = books.violations()[SLOT]

    assert sentence.endswith("it is captured, and by its slot imputed")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE corrections SET to_value = '999' WHERE event_id = {imputed}",
        "UPDATE events SET corrected_numbers = '{{999}}' WHERE id = {imputed}",
        "UPDATE events SET corrected_numbers = NULL WHERE id = {imputed}",
    ],
)
def test_a_value_of_an_imputed_hour_that_is_not_its_corrections_is_named(books, change):
    """Nothing was captured of it: its value is that of the correction alone."""
    imputed = "(SELECT id FROM events WHERE is_imputed AND voided_at IS NULL)"
    books.break_by(change.format(imputed=imputed))

    [sentence] = books.violations()[VALUES]

    assert ": a value is " in sentence
    assert "and by its corrections it is " in sentence
