"""`weighbridge archive write`: each month as a file, and again when it changed, whatever stopped a run."""

import asyncio
import json
import re
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import psycopg
import pyarrow.parquet as pq
import pytest
from tests.commands.archive.given import DIGITS_34, correct, files, plant_many, rows, values
from tests.given import collection as given

from weighbridge.archive.months import CalendarMonth
from weighbridge.archive.rows import COLUMNS, OF_DATA_POINTS
from weighbridge.archive.writer import ArchiveRequest, write_months
from weighbridge.backup.target import BackupTarget
from weighbridge.core import identity
from weighbridge.db import locks
from weighbridge.db.engine import Database

GUIDE = Path(__file__).parents[3] / "docs" / "howto" / "archive-old-months.md"
WAIT_SECONDS = 60


@pytest.mark.usefixtures("deliveries")
def test_each_month_in_utc_is_a_file_with_the_very_digits(write, place, sql, plant):
    assert write() == [("2025-01", "written", 1), ("2025-02", "written", 1)]

    held = [values(row)["mass"] for row in rows(place, "2025-01")]
    stored = sql(
        "SELECT numbers[1]::text FROM events WHERE project_id = %s ORDER BY start_time LIMIT 2",
        plant.project["numeric_id"],
    )
    assert held == [text for (text,) in stored]
    assert [Decimal(text) for text in held] == [Decimal(DIGITS_34), Decimal("2.5")]
    assert len(rows(place, "2025-02")) == 1


def test_an_event_is_told_with_all_that_belongs_to_it(api, plant, write, place):
    kind = given.event_type(
        api, plant.project, slug="sample", expected_locations="one",
        data_point_types=[
            given.number("moisture", unit="%", required=False), given.text("lab"), given.boolean("is_dry"),
            given.text("remark"),
        ],
    )  # fmt: skip
    hall = given.location(api, plant.project, name="Hall")
    straw = given.feedstock(api, plant.project, name="Straw")
    made = given.event(
        api, plant.project, event_type="sample", start_time="2025-03-01T10:00:00.123Z", locations=[hall],
        values={"moisture": Decimal("12.50"), "lab": 'a "quoted" \\ text\nof two lines', "is_dry": False},
        feedstock_id=straw["id"], client_reference="LIMS-7", notes="ünï", tracking_id="T 1",
    )  # fmt: skip
    link = {"type": "url", "url": "https://example.org/a", "name": "Lab sheet"}
    api.post(f"/events/{made['id']}/evidence", {"evidence": link}).expect(201)

    write()

    [row] = rows(place, "2025-03")
    assert row["id"] == made["id"]
    assert row["start_time"] == datetime(2025, 3, 1, 10, 0, 0, 123000, UTC)
    assert (row["event_type"], row["tracking_id"], row["client_reference"]) == ("sample", "T 1", "LIMS-7")
    assert (row["feedstock_id"], row["location_ids"], row["notes"]) == (straw["id"], [hall["id"]], "ünï")
    assert [(one["slug"], one["value_type"], one["value"], one["unit"]) for one in row["data_points"]] == [
        ("moisture", "number", "12.50", "%"),
        ("lab", "string", 'a "quoted" \\ text\nof two lines', None),
        ("is_dry", "boolean", "false", None),
    ]
    assert [(one["type"], one["name"], one["url"]) for one in row["evidence"]] == [
        ("url", "Lab sheet", "https://example.org/a")
    ]
    [manifest] = files(place, "2025-03", "manifest")
    said = json.loads(manifest.read_text())
    types = {one["slug"]: one for one in said["vocabulary"]["event_types"]}
    assert types["sample"]["id"] == kind["id"]
    assert [point["unit"] for point in types["sample"]["data_points"]] == ["%", None, None, None]
    assert said["vocabulary"]["feedstocks"] == [{"id": straw["id"], "name": "Straw"}]


def test_what_is_stated_of_a_single_value_is_in_the_archive(api, plant, write, check, place):
    body = {
        "event_type": "delivery", "start_time": "2025-04-01T10:00:00Z",
        "data_points": [{"slug": "mass", "value": 2, "uncertainty": {"standard": Decimal("0.010")}}],
    }  # fmt: skip
    api.post(f"/projects/{plant.project['id']}/events", {"event": body}).expect(201)
    given.event(api, plant.project, values={"mass": 3}, start_time="2025-04-02T10:00:00Z")

    write()

    assert [row["uncertainties"] for row in rows(place, "2025-04")] == ['{"1": {"standard": 0.010}}', None]
    [april] = check()
    assert (april["altered"], april["changed"]) == ([], [])


def test_every_column_of_events_is_in_the_archive(sql):
    columns = sql(
        "SELECT column_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name = 'events'"
    )

    # `known_from` says since when this version of a row is known: a month is archived as it is known now.
    held = {column.stored for column in COLUMNS.values()} | OF_DATA_POINTS | {"project_id", "known_from"}
    assert {name for (name,) in columns} == held - {None}


@pytest.mark.usefixtures("deliveries")
def test_a_month_that_did_not_change_is_left_alone(write, place, sql, plant):
    write()
    written = {file: file.stat().st_mtime_ns for file in place.rglob("*.*")}

    assert write() == [("2025-01", "unchanged", 1), ("2025-02", "unchanged", 1)]

    assert {file: file.stat().st_mtime_ns for file in place.rglob("*.*")} == written
    told = sql(
        "SELECT action FROM audit_log WHERE project_id = %s AND action = 'archive.write'",
        plant.project["numeric_id"],
    )
    assert len(told) == 2


@pytest.mark.usefixtures("deliveries")
def test_late_data_make_another_version_beside_the_older_one(write, place, plant, archive):
    write()
    [first] = files(place, "2025-01")
    plant.deliver("9", "2025-01-20T00:00:00Z")

    assert write() == [("2025-01", "written", 2), ("2025-02", "unchanged", 1)]

    assert first in files(place, "2025-01")
    assert sorted(pq.read_metadata(file).num_rows for file in files(place, "2025-01")) == [2, 3]
    listed = [json.loads(line) for line in archive("list", "--json").out.splitlines()]
    assert [(one["month"], one["version"], one["rows"]) for one in listed] == [
        ("2025-01", 1, 2), ("2025-01", 2, 3), ("2025-02", 1, 1),
    ]  # fmt: skip


def test_a_correction_stands_beside_what_was_captured(write, check, place, plant, deliveries):
    write()
    correct(plant, deliveries[1], Decimal("2.75"))

    [month, other] = check()
    assert (month["altered"], other["changed"]) == ([], [])
    [said] = month["changed"]
    assert said.startswith(f"event {deliveries[1]} changed since: correction ")
    assert "(manual, in force)" in said

    assert write()[0] == ("2025-01", "written", 2)
    newest = max(files(place, "2025-01"), key=lambda file: file.stat().st_mtime_ns)
    [point] = pq.read_table(newest).to_pylist()[1]["data_points"]
    assert (point["value"], point["captured"], point["correction_source"]) == ("2.75", "2.5", "manual")
    assert [one["changed"] for one in check()] == [[], []]


@pytest.mark.usefixtures("deliveries")
def test_a_manifest_that_was_altered_is_refused(write, check, archive, place):
    write()
    [file] = files(place, "2025-01", "manifest")
    file.write_text(file.read_text().replace('"rows": 2', '"rows": 3'))

    for done in (archive("verify", code=1), archive("write", "--through", "2025-12", code=1)):
        assert "its SHA-256 differs from its name" in done.err
    january, february = check(code=1)
    assert "its SHA-256 differs from its name" in january["altered"][0]
    assert not february["altered"]


@pytest.mark.usefixtures("deliveries")
def test_a_month_that_is_gone_from_the_place_is_missed_and_written_again(write, check, place):
    write()
    shutil.rmtree(files(place, "2025-01")[0].parent)

    january, february = check(code=1)

    assert january["altered"] == [f"version 1 was written to {place}, and is not there"]
    assert february["altered"] == []
    assert write() == [("2025-01", "written", 2), ("2025-02", "unchanged", 1)]
    assert [one["altered"] for one in check()] == [[], []]


@pytest.mark.usefixtures("deliveries")
def test_a_file_without_a_manifest_is_not_taken_for_a_month(write, check, place, archive):
    write(through="2025-01")
    elsewhere = place.with_name("elsewhere")
    shutil.copytree(place, elsewhere)
    files(elsewhere, "2025-01", "manifest")[0].unlink()

    assert "has no month" in archive("check", code=1, to=elsewhere).err
    assert write(through="2025-01", to=elsewhere) == [("2025-01", "written", 1)]
    assert [one["altered"] for one in check(to=elsewhere)] == [[]]


@pytest.mark.usefixtures("deliveries")
def test_a_month_that_was_written_and_not_noted_is_found(write, check, place):
    write(through="2025-01")
    elsewhere = place.with_name("elsewhere")
    shutil.copytree(place, elsewhere)

    assert [one["altered"] for one in check(code=1, to=elsewhere)] == [
        ["the database knows nothing of the month's being archived there"]
    ]
    assert write(through="2025-01", to=elsewhere) == [("2025-01", "found", 1)]
    assert [one["altered"] for one in check(to=elsewhere)] == [[]]
    assert len(files(elsewhere, "2025-01")) == len(files(elsewhere, "2025-01", "manifest")) == 1


def test_a_run_that_is_killed_is_ended_by_the_next_one(write, check, place, plant, postgres):
    plant_many(plant, postgres, months=24)
    command = [
        sys.executable, "-m", "weighbridge", "archive", "write", "--project", plant.project["id"],
        "--through", "2025-12", "--to", str(place),
    ]  # fmt: skip
    environment = {"PYTHONPATH": ":".join(sys.path), "WEIGHBRIDGE_DATABASE_URL": postgres}
    running = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    until = time.monotonic() + WAIT_SECONDS
    while len([*place.glob("prj_*/*/manifest-*")]) < 3 and time.monotonic() < until:
        assert running.poll() is None
        time.sleep(0.002)
    running.send_signal(signal.SIGKILL)
    running.wait()
    whole = len([*place.glob("prj_*/*/manifest-*")])
    assert 3 <= whole < 24

    states = [state for _, state, _ in write()]

    assert states.count("unchanged") in {whole, whole - 1}
    assert len(states) == 24
    assert all(not one["altered"] and not one["changed"] for one in check())


@pytest.mark.usefixtures("deliveries")
def test_a_second_run_on_a_project_is_refused_while_the_first_writes(write, archive, place, plant, postgres):
    number = identity.parse("project", plant.project["id"]).project
    with psycopg.connect(postgres) as first:
        first.execute(*locks.hold(locks.archive_write(number)))

        refused = archive("write", "--through", "2025-12", code=1)

        assert refused.err == (
            f"Another run is writing months of {plant.project['id']}; run this again when it has ended.\n"
        )
        assert not [*place.rglob("*.json")]
    assert [state for _, state, _ in write()] == ["written", "written"]


@pytest.mark.usefixtures("deliveries")
def test_of_two_runs_at_once_one_writes_each_month_once(write, check, place, plant, postgres):
    plant_many(plant, postgres, months=12)
    command = [
        sys.executable, "-m", "weighbridge", "archive", "write", "--project", plant.project["id"],
        "--through", "2025-12", "--to", str(place),
    ]  # fmt: skip
    environment = {"PYTHONPATH": ":".join(sys.path), "WEIGHBRIDGE_DATABASE_URL": postgres}
    runs = [subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) for _ in range(2)]
    for run in runs:
        run.wait(WAIT_SECONDS)

    write()

    months = [path.parent.name for path in place.glob("prj_*/*/manifest-*")]
    assert len(months) == len({*months})
    assert all(not one["altered"] and not one["changed"] for one in check())


@pytest.mark.usefixtures("deliveries")
def test_a_run_keeps_others_out_although_the_server_ends_what_idles(account, plant, place, postgres):
    async def write_slowly():
        async with Database(postgres, connections_max=2, idle_timeout_seconds=1) as database:
            project = identity.parse("project", plant.project["id"]).project
            through = CalendarMonth.read("2025-12", "The month")
            request = ArchiveRequest(account.actor, project, through)
            states = []
            async for month in write_months(database, BackupTarget.open_target(str(place)), request):
                states.append(month.state)
                await asyncio.sleep(1.2)  # longer than the server lets a transaction idle here
            return states

    assert asyncio.run(write_slowly()) == ["written", "written"]


def test_the_program_of_the_guide_reads_a_month(write, plant, tmp_path, monkeypatch, capsys):
    made = plant.deliver(DIGITS_34, "2025-12-10T00:00:00Z")
    write()
    [program, *_] = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)

    exec(compile(program, GUIDE.name, "exec"), {})  # noqa: S102 - what readers of the guide run

    assert capsys.readouterr().out == f"{made} 2025-12-10 00:00:00+00:00 mass {Decimal(DIGITS_34)} t\n"


def test_a_month_is_not_archived_before_it_has_settled(archive):
    done = archive("write", "--through", f"{datetime.now(UTC):%Y-%m}", code=1)

    assert "cannot be archived yet" in done.err
    assert "it takes a month such as 2025-12" in archive("write", "--through", "2025-13", code=1).err


def test_a_project_without_old_events_says_so(archive):
    done = archive("write", "--through", "2024-12")

    assert done.out == "The project has no events up to the end of 2024-12.\n"
    assert archive("list").out == "No month was archived.\n"
