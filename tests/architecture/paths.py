"""The files that the documents name for a path are the files that run, and as many as they state.

ARCHITECTURE.md has three paths, docs/explanation/path-of-a-value.md a table of walks and the stages of a
value. Each walk runs once before it is traced, so the trace is of a warm service. The worker's part runs on
the server's loop. Sandboxes, which read files, are processes of their own and are not traced.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest
from tests.architecture.source import ROOT
from tests.databases import database
from tests.given import accounting, approvals, reports, rule_evaluation
from tests.given import collection as given
from tests.given.feeds import Feeding
from tests.given.people import visitor
from tests.given.tracing import tracing
from tests.server import Account, Caller, Server

from weighbridge.collection.evidence_files import open_store
from weighbridge.exchange.watched_places import poll_places

ARCHITECTURE: Final = ROOT / "ARCHITECTURE.md"
VALUE: Final = ROOT / "docs" / "explanation" / "path-of-a-value.md"

CHANGE_MAX: Final = Decimal("0.1")
"""By which share a path may grow or shrink before its page has to be written again."""

BACKGROUND: Final = {"supervisor/loop_watch.py"}
"""Files that run all the time, whatever a request does."""

Walk = Callable[[], object]
"""What is traced; everything that it needs was arranged before."""


@dataclass(frozen=True, slots=True)
class Site:
    """A service that may watch a folder, and a new account of it."""

    server: Server
    folder: Path
    account: Account
    api: Caller

    def plant(self) -> accounting.Plant:
        """A plant with a model of one node."""
        return accounting.plant(self.api, self.account.drain)


def one_event(site: Site) -> Walk:
    plant = site.plant()
    plant.deliver(1)
    return lambda: plant.deliver(5)


def many_events(site: Site) -> Walk:
    plant = site.plant()
    bodies = [given.event_body(event_type="delivery", values={"mass": mass}) for mass in range(1, 101)]
    return lambda: given.events(site.api, plant.project, bodies)


def generation(site: Site) -> Walk:
    plant = site.plant()
    plant.deliver(5)
    return plant.generate


def correction(site: Site) -> Walk:
    plant, result = _proposed_correction(site)

    def walk() -> None:
        approvals.approve(site.api, plant.project, result).expect(200)
        plant.generate()

    return walk


def approval_click(site: Site) -> Walk:
    plant, result = _proposed_correction(site)
    path = approvals.path(plant.project, result)
    person = visitor(site.account)
    person.get(path).expect(200)
    return lambda: person.post(f"{path}/approve").expect(303)


def empty_name(site: Site) -> Walk:
    path = f"/projects/{given.project(site.api)['id']}/feedstocks"
    return lambda: site.api.post(path, {"feedstock": {"name": ""}}).expect(422)


def restatement(site: Site) -> Walk:
    claims = reports.claims(site.api, site.account.drain, 5)
    original = reports.accepted(claims, claims.report(4))
    return lambda: reports.accepted(claims, claims.report(3, supersedes=original["id"]))


def file_to_entry(site: Site) -> Walk:
    plant, take_file = _watched_file(site)

    def walk() -> None:
        take_file()
        plant.generate()

    return walk


def file_to_bundle(site: Site) -> Walk:
    plant, take_file = _watched_file(site)
    claims = reports.Claims(plant)

    def walk() -> None:
        take_file()
        plant.generate()
        reports.submitted(claims, claims.report(1))

    return walk


def _proposed_correction(site: Site) -> tuple[accounting.Plant, str]:
    """A plant with a batch, and a rule's proposal to correct the delivery that it was made of."""
    plant = site.plant()
    plant.deliver(30)
    plant.generate()
    rule = rule_evaluation.calibration(site.api, plant.project, requires_approval=True)
    rule_evaluation.work(site.account)
    [result] = rule_evaluation.results(site.api, rule)
    return plant, result["id"]


def _watched_file(site: Site) -> tuple[accounting.Plant, Callable[[], None]]:
    """A plant whose feed watches a folder, and what drops a file there and has it taken in."""
    feeding = Feeding(site.account, site.api)
    folder = site.folder / f"account-{site.account.id}"
    folder.mkdir()
    feeding.feed(watch=str(folder))
    model = accounting.model(site.api, feeding.plant, accounting.document(accounting.MASS))
    ledger = accounting.ledger(site.api, feeding.plant, model)
    settings = site.server.settings
    store = open_store(settings.evidence_url, settings.data_dir)

    def take_file() -> None:
        (folder / "log.csv").write_text("start_time,mass\n2025-01-01T06:00:00Z,1.5\n")
        after_rest = datetime.now(UTC) + timedelta(hours=1)
        looked = site.server.run(poll_places(site.server.database, store, settings, after_rest))
        assert looked.failures == ()
        site.account.drain()

    return accounting.Plant(site.api, site.account.drain, feeding.plant, model, ledger), take_file


WALKS: Final[Mapping[str, Callable[[Site], Walk]]] = {
    "POST of one event": one_event,
    "POST of many events": many_events,
    "A generation": generation,
    "A correction on its way to a ledger entry": correction,
    "Click that approves a correction": approval_click,
    "Feedstock refused for an empty name": empty_name,
    "Restatement of a report, up to its acceptance": restatement,
    "Row of a watched file to ledger entry": file_to_entry,
    "Row of a watched file to proof bundle": file_to_bundle,
}
"""The walks by their names in the documents."""


@dataclass(frozen=True, slots=True)
class Traced:
    """The files of a walk in the order of their first call, and how many functions ran."""

    files: list[str]
    functions: int


@pytest.fixture(scope="module")
def traced(postgres: str, newest: str, tmp_path_factory: Any) -> dict[str, Traced]:
    """What each walk runs."""
    folder = tmp_path_factory.mktemp("watched")
    found = {}
    with (
        database(postgres, newest) as url,
        tracing() as trace,
        Server(url, watched_roots=(str(folder),), api_connections=6) as server,
    ):
        for name, arrange in WALKS.items():
            for _ in range(2):
                account = server.account()
                walk = arrange(Site(server, folder, account, account.caller()))
                with trace.recording():
                    walk()
            found[name] = Traced([file for file in trace.files if file not in BACKGROUND], trace.functions)
    return found


def sections(page: Path) -> dict[str, str]:
    """The text below each heading of a page."""
    parts = re.split(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def named_files(text: str) -> list[str]:
    return re.findall(r"`([\w/]+\.py)`", text)


def within_a_tenth(stated: int, counted: int) -> bool:
    return abs(counted - stated) <= stated * CHANGE_MAX


PATHS: Final = ("POST of many events", "A generation", "A correction on its way to a ledger entry")


@pytest.mark.parametrize("name", PATHS)
def test_a_path_runs_as_many_files_as_the_page_states(traced, name):
    [stated] = re.findall(r"\b(\d+) files\b", sections(ARCHITECTURE)[name])

    counted = len(traced[name].files)

    assert within_a_tenth(int(stated), counted), f"{counted} files run, {stated} are stated"


@pytest.mark.parametrize("name", PATHS)
def test_a_path_runs_every_file_that_the_page_names_for_it(traced, name):
    named = named_files(sections(ARCHITECTURE)[name])

    assert named
    assert [file for file in named if file not in traced[name].files] == []


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_runs_as_many_files_as_the_table_states(traced, name):
    [stated] = re.findall(rf"^\| {re.escape(name)} \|.*\| (\d+) \|$", VALUE.read_text(), re.MULTILINE)

    counted = len(traced[name].files)

    assert within_a_tenth(int(stated), counted), f"{counted} files run, {stated} are stated"


@pytest.mark.parametrize(
    ("stage", "walk"),
    [
        ("The request that brings the value", "POST of many events"),
        ("The request for a generation", "A generation"),
        ("The proposal", "A generation"),
        ("The posting", "A generation"),
    ],
)
def test_a_stage_names_files_in_the_order_in_which_they_first_run(traced, stage, walk):
    steps = re.findall(r"^(?:\d+\.|   ).*$", sections(VALUE)[stage], re.MULTILINE)
    named = named_files("\n".join(steps))
    files = traced[walk].files

    assert named
    assert [file for file in named if file not in files] == []
    assert named == sorted(named, key=files.index)
