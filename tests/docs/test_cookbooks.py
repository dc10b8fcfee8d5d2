"""The programs of the cookbooks do what they say, on a running service."""

import importlib.util
import re
import threading
from decimal import Decimal

import pytest
from tests.architecture.source import ROOT
from tests.given import accounting as given_accounting
from tests.given import alerts as given_alerts
from tests.given import collection as given
from tests.given import reports as given_reports
from tests.given.rule_evaluation import work

from weighbridge.client import Client

FOLDER = ROOT / "docs" / "cookbooks"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.fixture
def client(server, api):
    with Client(server.address, token=api.token) as client:
        yield client


def program(name):
    """The main function of a cookbook."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main


def beside_a_worker(account, work, *args):
    """What a program gives whose tasks are carried out while it waits."""
    results = []
    thread = threading.Thread(target=lambda: results.append(work(*args)))
    thread.start()
    while thread.is_alive():
        account.drain()
        thread.join(0.05)
    return results[0]


def test_the_page_names_every_program():
    page = (FOLDER / "README.md").read_text()

    assert sorted(name for name in PROGRAMS if f"`{name}.py" in page) == PROGRAMS
    assert PROGRAMS


def test_readings_are_sent_every_night_and_none_twice(client, api, tmp_path):
    plant = given.measuring(api, given.number("mass"), expected_locations="one")
    place = given.location(api, plant)
    log = tmp_path / "scale.csv"
    log.write_text("start_time,mass\n2026-01-01T00:00:00Z,1.10\n2026-01-01T01:00:00Z,2.20\n")
    sync = program("sync_readings")
    asked = (client, plant["id"], "delivery", place["id"], str(log))

    first = sync(*asked)
    log.write_text(log.read_text() + "2026-01-01T02:00:00Z,3.30\n")
    second, third = sync(*asked), sync(*asked)

    masses = [event.data_points[0].value for event in client.events.list(plant["id"], sort="start_time")]
    assert (first, second, third) == (2, 1, 0)
    assert masses == [Decimal("1.10"), Decimal("2.20"), Decimal("3.30")]


def test_a_log_with_offsets_and_empty_cells_is_sent_to_its_end(client, api, tmp_path):
    points = (given.number("mass"), given.number("ash", required=False), given.text("driver", required=False))
    plant = given.measuring(api, *points, expected_locations="one")
    place = given.location(api, plant)
    log = tmp_path / "scale.csv"
    log.write_text("start_time,mass,ash,driver\n2026-01-01T00:00:00-05:00,1.10,,12\n")
    asked = (client, plant["id"], "delivery", place["id"], str(log))

    first = program("sync_readings")(*asked)
    log.write_text(log.read_text() + "2026-01-01T00:10:00-05:00,2,0.50,\n")
    second = program("sync_readings")(*asked)

    events = client.events.list(plant["id"], sort="start_time")
    values = [{point.slug: point.value for point in event.data_points} for event in events]
    assert (first, second) == (1, 1)
    assert values == [{"mass": Decimal("1.10"), "driver": "12"}, {"mass": 2, "ash": Decimal("0.50")}]


def test_batches_are_generated_after_a_look(client, api, account, capsys):
    plant = given_accounting.plant(api, account.drain)
    plant.deliver(5)

    made = beside_a_worker(
        account, program("generate_batches"), client, plant.ledger["id"], *given_accounting.JANUARY
    )

    assert made == [batch["id"] for batch in plant.batches()]
    assert "1 batches, of which 0 adjust" in capsys.readouterr().out


def test_what_is_in_the_way_of_a_generation_is_told(client, api, account):
    plant = given_accounting.plant(api, account.drain, given_accounting.MASS + given_accounting.FAILS_AT_ZERO)
    plant.deliver(0)

    with pytest.raises(SystemExit, match=re.escape(plant.failure())):
        program("generate_batches")(client, plant.ledger["id"], *given_accounting.JANUARY)


def test_alerts_are_dismissed_once(client, api, account):
    plant = given.measuring(api, given.number("mass"))
    rule = given_alerts.rule(api, plant, evaluation="automatic")
    for mass in (50, 60):
        given.event(api, plant, values={"mass": mass})
    work(account)
    dismiss = program("dismiss_alerts")

    counts = [dismiss(client, plant["id"], rule["id"], "Known shutdown") for _ in range(2)]

    assert counts == [2, 0]


def test_small_proposals_are_approved_and_large_ones_left(client, api, account):
    plant = given_accounting.plant(api, account.drain)
    small, large = plant.deliver(50, 1), plant.deliver(1000, "2025-02-02T00:00:00Z")
    plant.generate(given_accounting.QUARTER)
    rule = given_alerts.calibration(api, plant.project, requires_approval=True, evaluation="automatic")
    work(account)

    approved, left = program("approve_proposals")(client, plant.project["id"], rule["id"], "2")

    assert (len(approved), len(left)) == (1, 1)
    assert [client.events.get(plant.project["id"], each).data_points[0].value for each in (small, large)] == [
        51,
        1000,
    ]


def test_a_report_is_submitted(client, api, account):
    claims = given_reports.claims(api, account.drain, 5)

    report = beside_a_worker(
        account, program("submit_report"), client, claims.plant.project["id"], "March", claims.batch()
    )

    assert client.reports.get(report).status == "submitted"


def test_changes_are_printed_once_whatever_stops_in_between(client, api, tmp_path):
    plant = given.measuring(api, given.number("mass"))
    position = tmp_path / "position"
    follow = program("follow_changes")
    ids = [given.event(api, plant, values={"mass": 1})["id"] for _ in range(3)]

    seen = []
    for _ in range(3):
        changes = follow(client, str(position))
        one = next(change for change in changes if change.kind == "event")
        seen.append(one.id)
        position.write_text(one.cursor)
        changes.close()

    assert seen == ids
