"""Stories that are read again: at the end everything is answered as it was answered after each step.

After a step the newest row of the audit log is noted, with the answers to plain readings. At the end each of
them is asked again as of that row and has to say the same, but for the fields that `MAY_DIFFER` lists.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import pytest
from tests.server import Account, Caller, Server
from tests.stories.telling import Story

from weighbridge.exchange.changes import number_all
from weighbridge.platform.audit_tree import seal

STORIES = int(os.environ.get("STORIES", "2"))
STEPS = int(os.environ.get("STEPS", "6"))
SEED = int(os.environ.get("SEED", "1"))

MAY_DIFFER: Final = {
    "evaluated_at": "a rule that finds the same again keeps no version",
    "not_counted_yet": "a worker works it out again and again, and what it said before is not kept",
    "waiting_event_count": "the same, for a slot",
    "state": "whether a batch is being computed with other inputs is what its task says now",
    "total_items": "the count that is kept of events is that of now; a longer list is estimated",
    "total_is_estimate": "the same",
    "total_pages": "the same",
}
"""Fields in which an answer as of a row may differ from the answer then, and why."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a plain reading answered when a row of the log was the newest."""

    number: int
    path: str
    query: tuple[tuple[str, str], ...]
    body: Any


@pytest.fixture
def service(lone_server) -> Iterator[Server]:
    """A service of this test's own: its log has the rows of the stories alone."""
    with lone_server() as server:
        yield server


@pytest.mark.parametrize("seed", range(SEED, SEED + STORIES))
def test_what_was_answered_after_each_step_is_answered_as_of_it(service, seed):
    story = Story(service.account(), Random(seed))  # noqa: S311 - a seed tells a story again
    noted: list[Reading] = []

    story.begin()
    for _ in range(STEPS):
        story.tell_one()
        noted += read_everything(story, newest_row(service, story.account))

    different: list[str] = []
    while noted and not different:
        different = compare(story.account.caller(), noted[:500])
        noted = noted[500:]
    assert not different, f"SEED={seed}\n" + "\n".join([*story.told, *different])


def newest_row(service: Server, account: Account) -> int:
    """The number of the newest row of the log, once everything that was committed has its place."""
    service.run(number_all(account.database))
    service.run(seal(account.database))
    [(number,)] = account.sql("SELECT max(number) FROM audit_seals WHERE account_id = %s", account.id)
    return int(number)


def read_everything(story: Story, number: int) -> list[Reading]:
    """The answers to lists of each kind, by some filters and orders, and to some records of each."""
    # A token has a number of requests a minute.
    api, home, longest = story.account.caller(), story.home, ("page_size", "200")
    lists: list[tuple[str, tuple[tuple[str, str], ...]]] = [
        (f"{home}/events", (longest,)),
        (f"{home}/events", (("page_size", "3"), ("sort", "-start_time"))),
        (f"{home}/events", (longest, ("filter[slug]", "delivery"))),
        (f"{home}/events", (longest, ("sort", "updated_at"))),
        (f"{home}/data_points", (longest,)),
        (f"{home}/data_points", (longest, ("filter[slug]", "mass"))),
        (f"{home}/batches", (longest,)),
        ("/batches", (longest, ("filter[is_stale]", "true"))),
        ("/ledgers", (longest, ("sort", "name"))),
        ("/ledgers", (longest, ("effective_at", "2025-02-01T00:00:00Z"))),
        (f"{home}/rule_results", (longest,)),
    ]
    for book in story.books:
        ledger = f"/ledgers/{book.plant.ledger['id']}"
        lists += [
            (ledger, ()),
            (f"{ledger}/batches", (longest, ("sort", "-created_at"))),
            (f"{ledger}/deficits", ()),
        ]
    answers = [Reading(number, path, query, api.get(path, query).expect(200).body) for path, query in lists]
    single = [
        f"{path.partition('?')[0]}/{record['id']}"
        for path, list_ in ((f"{home}/events", answers[0]), (f"{home}/rule_results", answers[10]))
        for record in list_.body["data"][-1:]
    ]
    single += [f"{home}/data_points/{one['id']}" for one in answers[4].body["data"][-2:]]
    single += [f"{home}/data_points/{one['id']}/corrections" for one in answers[4].body["data"][-2:]]
    for batch in answers[6].body["data"][-1:]:
        single += [
            f"/batches/{batch['id']}",
            f"/batches/{batch['id']}/input_data",
            f"/batches/{batch['id']}/lineage",
        ]
    answers += [Reading(number, path, (), api.get(path).expect(200).body) for path in single]
    return answers


def compare(api: Caller, noted: list[Reading]) -> list[str]:
    """Where the first answer that differs from the answer then does so; a line for each place."""
    for reading in noted:
        answer = api.get(reading.path, (*reading.query, ("as_of", str(reading.number))))
        where = f"{reading.path} {dict(reading.query)} as of {reading.number}"
        if answer.status != 200:
            return [f"{where}: {answer.status} {answer.body}"]
        if lines := [f"{where}{line}" for line in differences(reading.body, answer.body)]:
            return lines
    return []


def differences(then: Any, now: Any, place: str = "") -> Iterator[str]:
    """The places at which two answers differ, without fields that may."""
    if isinstance(then, dict) and isinstance(now, dict):
        for name in then.keys() | now.keys():
            if name == "next_cursor" and then.get(name) and now.get(name):
                yield from differences(then[name], str(now[name]).partition(".")[2], f"{place}.{name}")
            elif name not in MAY_DIFFER:
                yield from differences(then.get(name), now.get(name), f"{place}.{name}")
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for index, (one, other) in enumerate(zip(then, now, strict=True)):
            yield from differences(one, other, f"{place}[{index}]")
    elif then != now:
        yield f"{place}: {str(then)[:300]} then, {str(now)[:300]} now"
