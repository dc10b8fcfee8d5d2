"""Stories of three ledgers whose readings are uncertain, held against what the documents promise.

When a story has ended, each run of the first ledger is as uncertain as its deliveries and their certificates
say. For each partition of a ledger that another draws from, the variance of the sum of what remains, and of
what was drawn or reported, is that of what was produced. What a run draws arrives in its output, effect by
effect, and a report of some of what remains has the part of each effect that it takes.
"""

import os
from collections import defaultdict
from decimal import Context, Decimal, localcontext
from random import Random
from typing import Any

import pytest
from tests.given import bundles, inputs
from tests.given.collection import Record
from tests.given.second_checker import find_node, run_second_checker
from tests.stories.telling import Book
from tests.stories.uncertain_story import OF_A_READING, OF_HEAVIEST, OF_LOADS, UncertainStory

STORIES = int(os.environ.get("STORIES", "4"))
STEPS = int(os.environ.get("STEPS", "14"))
SEED = int(os.environ.get("SEED", "101"))

EXACT_TO = Decimal("1e-28")
"""To how large a part of a variance it is computed: to the last of 34 digits, less what additions lose."""

SMALLEST = Decimal("1e-6")
"""What differences are a part of where a variance is smaller, in t2."""

OWN_AMOUNTS = {"Production": "made", "Sales": "sold"}
"""The input of each drawing ledger by which the amount that it draws is uncertain."""

OF_DELIVERIES = ("loads", "scaled", "others", "heaviest")
"""The inputs of the first ledger that read deliveries; each delivery counts once in all of them together."""

Components = dict[tuple[str, str], Decimal]
"""What a standard uncertainty of each effect makes of an amount, through all inputs."""


@pytest.mark.parametrize("seed", range(SEED, SEED + STORIES))
def test_parts_are_as_uncertain_together_as_what_was_produced(account, seed):
    story = UncertainStory(account, Random(seed))  # noqa: S311 - a seed tells a story again
    try:
        story.tell(STEPS)
        unfinished = {}
        for book, task in zip(story.books, story.end(), strict=True):
            if task is None or task["state"] != "complete":
                unfinished[book.name] = task and task["error_message"]
        assert story.books[0].name not in unfinished, unfinished
        with localcontext(Context(prec=60)):
            for source in story.books:
                drawing = [book.name for book in story.books if book.source is source]
                if drawing and unfinished.keys().isdisjoint(drawing):
                    check_parts(story, source)
            for book in story.books[1:]:
                check_arrival(story, book)
            for book in story.books:
                check_report(story, book)
    except AssertionError as error:
        lines = "\n  ".join(story.told)
        raise AssertionError(f"SEED={seed} STORIES=1\n  {lines}\n{error}") from error


@pytest.mark.parametrize("seed", range(SEED, SEED + STORIES))
def test_bundles_and_verify_come_to_what_stories_post(account, seed):
    story = UncertainStory(account, Random(seed))  # noqa: S311 - a seed tells a story again
    try:
        story.tell(STEPS)
        story.end()
        assert inputs.recomputed(account.server, story.books[0].plant) == []
        for book in story.books:
            if any(batch["ledger_balance"] > 0 for batch in book.plant.batches()):
                bundle = bundles.bundle(account, bundles.report_of(story.api, book.plant.ledger))
                assert bundle.faults() == [], book.name
                check_again(bundle)
    except AssertionError as error:
        lines = "\n  ".join(story.told)
        raise AssertionError(f"SEED={seed} STORIES=1\n  {lines}\n{error}") from error


def check_again(bundle: bundles.Bundle) -> None:
    """Have the second checker check a bundle, where there is one."""
    node = find_node()
    if node is not None:
        [found] = run_second_checker(node, [(bundle.content, bundle.key)])
        assert found.faults == []


def check_parts(story: UncertainStory, source: Book) -> None:
    """Hold what a ledger produced against its readings, and its parts against what it produced."""
    project = story.project["numeric_id"]
    produced: dict[Any, list[Components]] = defaultdict(list)
    parts: dict[Any, list[Components]] = defaultdict(list)
    for number, run, ledger, total, written, partition in story.account.sql(_RUNS, project, source.name):
        if written is None:  # of a run that was given up
            assert not total, (number, total)
            continue
        if source is story.books[0]:
            check_readings(story, number, add_up(written, *OF_DELIVERIES))
        components = add_up(written)
        produced[partition].append(components)
        draws = [
            (amount, add_up(columns[0]) if columns else {})
            for amount, columns in story.account.sql(_DRAWS, project, run, ledger)
        ]
        parts[partition] += [drawn for _, drawn in draws]
        if total:  # what remains, or was reported, has its part of each effect
            rest = (total - sum(amount for amount, _ in draws)) / total
            parts[partition].append(scale_components(components, rest))
        elif not draws:
            parts[partition].append(components)
        else:
            produced[partition][-1] = add_components([drawn for _, drawn in draws])
    for partition, whole in produced.items():
        assert_equal(compute_variance(parts[partition]), compute_variance(whole), partition)


def check_readings(story: UncertainStory, batch: int, components: Components) -> None:
    """The variance of a run is that of its deliveries, each for itself and by their certificates."""
    [identity] = [one["id"] for one in story.books[0].plant.batches() if one["numeric_id"] == batch]
    rows = story.api.get(f"/batches/{identity}/input_data", {"page_size": "200"}).expect(200).data
    certificates = [
        one
        for one in story.api.get(f"{story.home}/calibrations", {"page_size": "200"}).data
        if one["event_type_id"] == story.kinds["delivery"]
    ]
    deliveries = []
    for row in {row["event"]["id"]: row for row in rows}.values():
        event = story.api.get(f"{story.home}/events/{row['event']['id']}").body
        if event["slug"] == "delivery":
            value = Decimal(str(row["data_point"]["value"]))
            deliveries.append((value, list_changes(event, value, certificates)))
    assert_equal(compute_variance([components]), combine_deliveries(story, deliveries), identity)


Changes = list[tuple[str, Decimal]]
"""What a standard uncertainty of each effect makes of a delivery; the first is what it has for itself."""


def list_changes(event: Record, value: Decimal, certificates: list[Record]) -> Changes:
    """What makes a delivery uncertain: itself, and the certificate that holds for it."""
    stated = event["data_points"][0].get("uncertainty") or {"standard": OF_A_READING}
    changes = [("", stated.get("standard") or value * stated["relative_standard"])]
    for one in certificates:
        is_asset = one["asset_id"] == (event["asset"] or {}).get("id")
        holds = one["valid_from"] <= event["start_time"] and (
            one["valid_until"] is None or event["start_time"] < one["valid_until"]
        )
        if is_asset and holds:
            changes.append((one["id"], value * one["uncertainty"]["relative_standard"]))
    return changes


def combine_deliveries(story: UncertainStory, deliveries: list[tuple[Decimal, Changes]]) -> Decimal:
    """The variance of a run: each delivery at its rate; of equal heaviest ones the least well known."""
    nodes, independent, shared = story.books[0].nodes, Decimal(0), defaultdict[str, Decimal](Decimal)
    rates = [Decimal(OF_LOADS[nodes])] * len(deliveries)
    if deliveries and nodes in OF_HEAVIEST:

        def weigh(place: int) -> tuple[Decimal, Decimal, Changes]:
            value, changes = deliveries[place]
            return value, sum((size * size for _, size in changes), Decimal(0)), changes

        rates[max(range(len(deliveries)), key=weigh)] += OF_HEAVIEST[nodes]
    for rate, (_, changes) in zip(rates, deliveries, strict=True):
        (_, own), *certified = changes
        independent += (rate * own) ** 2
        for effect, size in certified:
            shared[effect] += rate * size
    return independent + sum((change * change for change in shared.values()), Decimal(0))


def check_arrival(story: UncertainStory, book: Book) -> None:
    """What is used has the effects of what was drawn for it, and those of the amount itself."""
    for number, written, drawn in story.account.sql(_USED, story.project["numeric_id"], book.name):
        arrived = add_up(written, OWN_AMOUNTS[book.name], is_without=True)
        expected = add_components([add_up(columns[0]) for columns in drawn or () if columns])
        for effect in expected.keys() | arrived.keys():
            assert_equal(arrived.get(effect, Decimal(0)), expected.get(effect, Decimal(0)), (number, effect))


def check_report(story: UncertainStory, book: Book) -> None:
    """A draft of a part of what remains has that part of each effect."""
    amounts = {
        one["id"]: cut(Decimal(str(one["ledger_balance"])), story.random.choice(("1", "0.5")))
        for one in book.plant.batches()
        if one["ledger_balance"] > 0 and story.random.random() < 0.8
    }
    if not amounts:
        return
    batches = [{"batch_id": batch, "amount": amount} for batch, amount in amounts.items()]
    body = {"name": "What remains", "report_type": "quarterly", "project_id": story.project["id"]}
    draft = story.api.post("/reports", {"report": body | {"batches": batches}}).expect(201).body
    found = story.api.get(f"/reports/{draft['id']}/uncertainty").expect(200).body
    rows = story.account.sql(_RUN_OF_BATCH, story.project["numeric_id"], book.name)
    of_batch = {batch: (total, written) for batch, total, written in rows}
    taken = []
    for one in book.plant.batches():
        if one["id"] in amounts:
            total, written = of_batch[one["numeric_id"]]
            if not total or written is None:
                assert found["stated"] is None
                return
            taken.append(scale_components(add_up(written), amounts[one["id"]] / total))
    assert_equal(found["stated"]["standard_uncertainty"] ** 2, compute_variance(taken), draft["id"])


def assert_equal(found: Decimal, expected: Decimal, of: object) -> None:
    """To the last decimal of first order."""
    assert abs(found - expected) <= EXACT_TO * max(abs(expected), SMALLEST), (of, found, expected)


def cut(amount: Decimal, part: str) -> Decimal:
    """A part of an amount, to the places that a ledger keeps, and never nothing."""
    return round(amount * Decimal(part), 6) or amount


def add_up(written: Record, *inputs: str, is_without: bool = False) -> Components:
    """The components that are written, each effect through all inputs, or through some or all but these."""
    return {
        (name, owner): sum(
            (
                Decimal(change)
                for one, change in by_input.items()
                if not inputs or (one in inputs) != is_without
            ),
            Decimal(0),
        )
        for name, owner, _, by_input in written["components"]
    }


def scale_components(components: Components, part: Decimal) -> Components:
    """The components of a part."""
    return {effect: change * part for effect, change in components.items()}


def add_components(parts: list[Components]) -> Components:
    """The components of a sum."""
    changes: Components = defaultdict(Decimal)
    for part in parts:
        for effect, change in part.items():
            changes[effect] += change
    return changes


def compute_variance(parts: list[Components]) -> Decimal:
    """The variance of a sum: what one effect does in several parts adds up before it is squared."""
    return sum((change * change for change in add_components(parts).values()), Decimal(0))


_RUNS = """
    SELECT b.id, b.run_id, b.ledger_id, b.total, c.uncertainty,
           concat_ws('|', r.tracking_id, r.feedstock_id, r.asset_id)
      FROM batches b JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
      JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
      JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary
     WHERE b.project_id = %s AND l.name = %s AND b.deleted_at IS NULL AND NOT EXISTS (
           SELECT FROM batches n WHERE (n.project_id, n.run_id, n.ledger_id)
                                     = (b.project_id, b.run_id, b.ledger_id)
              AND n.id > b.id AND n.deleted_at IS NULL)
     ORDER BY b.id
"""
_DRAWS = """
    SELECT d.amount, d.uncertainties
      FROM batch_draws d JOIN batches s ON (s.project_id, s.id) = (d.project_id, d.source_batch_id)
      JOIN batches b ON (b.project_id, b.id) = (d.project_id, d.batch_id)
     WHERE d.project_id = %s AND s.run_id = %s AND s.ledger_id = %s AND b.deleted_at IS NULL
       AND NOT EXISTS (
           SELECT FROM batches n WHERE (n.project_id, n.run_id, n.ledger_id)
                                     = (b.project_id, b.run_id, b.ledger_id)
              AND n.id > b.id AND n.deleted_at IS NULL)
"""
_USED = """
    SELECT b.id, c.uncertainty, (
           SELECT jsonb_agg(d.uncertainties) FROM batch_draws d
            WHERE (d.project_id, d.batch_id) = (b.project_id, b.id))
      FROM batches b JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
      JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.slug = 'used'
     WHERE b.project_id = %s AND l.name = %s AND b.deleted_at IS NULL AND c.uncertainty IS NOT NULL
"""
_RUN_OF_BATCH = """
    SELECT b.id, newest.total, newest.uncertainty
      FROM batches b JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
     CROSS JOIN LATERAL (
           SELECT n.total, c.uncertainty
             FROM batches n
             JOIN batch_calculations c ON (c.project_id, c.batch_id) = (n.project_id, n.id) AND c.is_primary
            WHERE (n.project_id, n.run_id, n.ledger_id) = (b.project_id, b.run_id, b.ledger_id)
              AND n.deleted_at IS NULL
            ORDER BY n.id DESC LIMIT 1) AS newest
     WHERE b.project_id = %s AND l.name = %s AND b.deleted_at IS NULL
"""
