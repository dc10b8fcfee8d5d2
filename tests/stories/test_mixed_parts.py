"""Stories that mix parts, held against an oracle that knows the documents alone.

When a story has ended, every event counts in one run or is named; each ledger comes to what its events say;
`weighbridge verify` finds nothing; and every report's bundle, and one of all that each ledger has left, holds
by both checkers and states what its batches come to.
"""

import os
from collections.abc import Iterator
from decimal import Decimal
from random import Random

import pytest
from tests.given import bundles
from tests.given.second_checker import find_node, run_second_checker
from tests.server import Server
from tests.stories.telling import Book, Story

from weighbridge.accounting.posting.waiting_events import update_marked
from weighbridge.collection.evidence_files import open_store
from weighbridge.core.bundle.books import list_reported_runs
from weighbridge.exchange.changes import number_all
from weighbridge.verification import verify

STORIES = int(os.environ.get("STORIES", "10"))
STEPS = int(os.environ.get("STEPS", "14"))
SEED = int(os.environ.get("SEED", "1"))

VERIFIED_TOGETHER = 10
"""Stories that are verified at once, for verifying looks at all that a database has."""


@pytest.fixture
def service(lone_server) -> Iterator[Server]:
    """A service whose database has the stories of one test: verifying takes longer with each of them."""
    with lone_server() as server:
        yield server


@pytest.mark.parametrize("first", range(SEED, SEED + STORIES, VERIFIED_TOGETHER))
def test_whatever_happens_the_books_say_what_the_documents_promise(service, first):
    bundles.CHECKED.clear()
    for seed in range(first, min(first + VERIFIED_TOGETHER, SEED + STORIES)):
        story = Story(service.account(), Random(seed))  # noqa: S311 - a seed tells a story again
        try:
            story.tell(STEPS)
            check(story, service)
        except AssertionError as error:
            lines = "\n  ".join(story.told)
            raise AssertionError(f"SEED={seed} STORIES=1\n  {lines}\n{error}") from error

    check_twice(first)
    store = open_store(service.settings.evidence_url, service.settings.data_dir)
    found = service.run(verify(service.database, store))
    broken = {one.rule: one.violations[:3] for one in found.checks if one.violations}
    assert not broken, f"SEED={first} STORIES={VERIFIED_TOGETHER}: {broken}"


def check(story: Story, service: Server) -> None:
    """Hold what the service says at the end of a story against what has happened in it."""
    tasks = story.end()
    named: dict[str, int] = {}
    for book, task in zip(story.books, tasks, strict=True):
        if task is None or task["state"] != "complete":
            said = "" if task is None else task["error_message"]
            assert book.source is not None, f"{book.name} cannot be generated: {said}"
            continue
        named[book.name] = check_produced(story, book, task["result"])
        check_balance(story, book)
    for report in story.reports:
        check_report(story, report)
    for book in story.books:
        check_draft(story, book)
    check_what_waits(story, service, named)


def check_produced(story: Story, book: Book, result: dict) -> int:
    """What a ledger produced is what its events come to, less those it names; gives how many it names."""
    named = [one for one in result["not_counted"] if one["event_type"] == book.event_type]
    events = events_of(story, book.event_type)
    ids = {event for one in named for event in one["events"]}
    count = sum(one["event_count"] for one in named)
    if count > len(ids):  # a generation lists the first few of each reason
        ids = events.keys() - counted_events(story, book)
    assert count == len(ids), named
    expected = sum((value for id_, value in events.items() if id_ not in ids), Decimal(0)) * book.factor
    produced = sum((Decimal(str(one["primary_output"]["value"])) for one in book.plant.batches()), Decimal(0))
    assert produced == expected, f"{book.name} produced {produced}, and its events come to {expected}"
    return len(ids)


def counted_events(story: Story, book: Book) -> set[str]:
    """The events that the newest batch of each run of a ledger says that it read."""
    newest = {one["model_run"]["id"]: one["id"] for one in book.plant.batches(sort="id")}
    found: set[str] = set()
    for batch in newest.values():
        rows = story.api.get(f"/batches/{batch}/input_data", {"page_size": "200"}).expect(200)
        assert rows.info["next_page"] is None
        found |= {row["event"]["id"] for row in rows.data}
    return found


def events_of(story: Story, event_type: str) -> dict[str, Decimal]:
    """The value in force of every complete event of a type that was not voided."""
    found: dict[str, Decimal] = {}
    page = 1
    while True:
        query = {"filter[slug]": event_type, "page_size": "200", "page": str(page)}
        answer = story.api.get(f"{story.home}/events", query).expect(200)
        for one in answer.data:
            if one["status"] == "complete":
                found[one["id"]] = Decimal(str(one["data_points"][0]["value"]))
        if answer.info["next_page"] is None:
            return found
        page += 1


def check_balance(story: Story, book: Book) -> None:
    """What remains is what was produced less what others drew and reports hold, or is short by as much."""
    ledger = story.api.get(f"/ledgers/{book.plant.ledger['id']}").expect(200).body
    batches = book.plant.batches()
    drawn = sum(
        (Decimal(str(draw["amount"])) for one in batches for draw in one["downstream_batch_allocations"]),
        Decimal(0),
    )
    held = sum(
        (Decimal(str(hold["amount"])) for one in batches for hold in one["report_allocations"]), Decimal(0)
    )
    produced = sum((Decimal(str(one["primary_output"]["value"])) for one in batches), Decimal(0))
    remains = Decimal(str(ledger["balance"])) - Decimal(str(ledger["deficit"]))
    assert remains == produced - drawn - held, (book.name, remains, produced, drawn, held)


def check_report(story: Story, report: dict) -> None:
    """The bundle of a report that was sent off holds, and states what its parts come to."""
    found = story.api.get(f"/reports/{report['id']}").expect(200).body
    if found["status"] not in {"submitted", "complete", "accepted"}:
        return
    taken = sum(one["amount"] for one in found["inclusions"])
    assert found["amount"] == taken - (found["liability"] or 0), found
    made = bundles.bundle(story.account, found)
    assert made.faults() == [], (found["id"], made.faults())


def check_draft(story: Story, book: Book) -> None:
    """The bundle of all that a ledger has left holds, and the amount is what its batches have left."""
    left = {one["id"]: Decimal(str(one["ledger_balance"])) for one in book.plant.batches()}
    if not any(amount > 0 for amount in left.values()):
        return
    draft = bundles.report_of(story.api, book.plant.ledger)
    amount = sum(left[one["batch_id"]] for one in draft["inclusions"])
    assert Decimal(str(draft["amount"])) == amount, (book.name, draft["amount"], amount)
    checked = bundles.bundle(story.account, draft).check()
    assert [fault.text for fault in checked.faults.listed] == [], draft["id"]
    assert checked.contents is not None
    assert sum(run.taken for run in list_reported_runs(checked.contents)) == amount


def check_twice(first: int) -> None:
    """The second checker finds the bundles of the stories valid, too."""
    node, files = find_node(), [(one.content, one.key) for one in bundles.CHECKED]
    gaps = [list(one.gaps) for one in bundles.CHECKED]
    bundles.CHECKED.clear()
    if node is not None and files:
        checked = run_second_checker(node, files)
        found = [one.faults for one in checked if one.faults]
        assert not found, f"SEED={first} STORIES={VERIFIED_TOGETHER}: {found}"
        assert [one.gaps for one in checked] == gaps


def check_what_waits(story: Story, service: Server, named: dict[str, int]) -> None:
    """After a generation of everything a ledger waits for no events but those that it named."""

    async def look() -> None:
        await number_all(service.database)
        await update_marked(service.database)

    service.run(look())
    for book in story.books:
        ledger = story.api.get(f"/ledgers/{book.plant.ledger['id']}").expect(200).body
        waiting = ledger["not_counted_yet"] or {"event_count": 0}
        if book.name in named:
            assert waiting["event_count"] <= named[book.name], (book.name, waiting, named)
