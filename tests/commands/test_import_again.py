"""The same import again, after a crash, or twice at once: each row is stored once."""

import gzip
import hashlib
import os
import signal
import subprocess
import sys
from decimal import Decimal

import pytest
from tests.durability.processes import until
from tests.given import collection as given
from tests.server import Server

from weighbridge.commands.importing.direct import DirectService
from weighbridge.commands.importing.run import Order, run
from weighbridge.exchange.tables.table import CsvFile
from weighbridge.settings import Settings

HEADER = "Time,Steam mass,State"
ROWS = "2025-01-01T00:00Z,12.50,open\n2025-01-01T01:00Z,0.1,shut\n2025-01-01T02:00Z,7,open\n"
MANY = 3_000
STORING = "SELECT pid FROM pg_locks WHERE relation = 'events'::regclass AND mode = 'RowExclusiveLock'"


def test_the_same_import_again_stores_nothing_twice(import_file, stored):
    import_file(f"{HEADER}\n{ROWS}").expect(0)

    again = import_file(f"{HEADER}\n{ROWS}").expect(0)

    assert (again.json["stored"], again.json["already_there"]) == (0, 3)
    assert "0 events stored, 3 there already" in again.err
    assert len(stored()) == 3


def test_an_import_goes_on_where_a_crash_ended_it(import_file, stored, api, plant):
    content = f"{HEADER}\n{ROWS}"
    digest = hashlib.sha256(content.encode()).hexdigest()
    given.event(
        api,
        plant,
        values={"steam-mass": Decimal("12.5"), "state": "open"},
        client_reference=f"{digest[:12]}:2",
    )

    done = import_file(content).expect(0)

    assert (done.json["stored"], done.json["already_there"]) == (2, 1)
    assert [reference for (reference,) in stored("client_reference")] == [
        f"{digest[:12]}:{line}" for line in (2, 3, 4)
    ]


def test_a_file_keeps_its_references_when_it_is_gzipped(import_file, stored):
    import_file(f"{HEADER}\n{ROWS}").expect(0)

    again = import_file(gzip.compress(f"{HEADER}\n{ROWS}".encode()), name="log.csv.gz").expect(0)

    assert (again.json["rows"], again.json["already_there"]) == (3, 3)
    assert len(stored()) == 3


def test_without_references_the_same_import_stores_its_events_again(import_file, stored):
    for _ in range(2):
        import_file(f"{HEADER}\n{ROWS}", "--no-references").expect(0)

    assert stored("client_reference") == [(None,)] * 6


def test_a_second_event_type_takes_the_same_file_only_under_another_name(import_file, stored, api, plant):
    given.event_type(api, plant, slug="state", data_point_types=[given.text("state")])
    content = f"{HEADER}\n{ROWS}"
    import_file(content).expect(0)

    refused = import_file(content, "--map", "Steam mass=-", event_type="state").expect(1)

    assert refused.err.splitlines()[1].startswith("Line 2: the project has its client_reference ")
    assert refused.err.splitlines()[1].endswith("on an event of type 'delivery', not 'state'.")
    assert refused.err.splitlines()[-1].endswith(" --reference gives client_reference.")
    import_file(content, "--map", "Steam mass=-", "--reference", "states", event_type="state").expect(0)
    assert len(stored()) == 6


def test_the_rows_of_another_file_are_never_taken_for_those_that_are_there(import_file, stored):
    import_file(f"{HEADER}\n{ROWS}", "--reference", "boiler").expect(0)

    refused = import_file(f"{HEADER}\n{ROWS.replace('-01T', '-02T')}", "--reference", "boiler").expect(1)

    assert refused.err.splitlines()[1] == (
        "Line 2: the project has its client_reference 'boiler:2' on an event that starts at "
        "2025-01-01T00:00:00.000Z, not 2025-01-02T00:00:00.000Z: it came of another file, or of this one "
        "read in another way."
    )
    assert refused.err.splitlines()[-1].endswith(" --reference gives client_reference.")
    assert len(stored()) == 3


def test_a_file_that_was_read_in_a_wrong_zone_before_is_not_taken_for_done(import_file):
    content = f"{HEADER}\n{ROWS.replace('Z,', ',')}"
    import_file(content, "--time-zone", "UTC").expect(0)

    refused = import_file(content, "--time-zone", "Europe/Berlin").expect(1)

    assert "starts at 2025-01-01T00:00:00.000Z, not 2024-12-31T23:00:00.000Z" in refused.err


def test_a_row_whose_time_was_corrected_meanwhile_is_known_again(import_file, api, plant):
    import_file(f"{HEADER}\n{ROWS}").expect(0)
    path = f"/projects/{plant['id']}/events"
    first = api.get(path).data[0]
    api.patch(f"{path}/{first['id']}", {"event": {"start_time": "2024-12-30T00:00:00Z"}}).expect(200)

    assert import_file(f"{HEADER}\n{ROWS}").expect(0).json["already_there"] == 3


def test_rows_may_bring_references_of_their_own(import_file, stored):
    content = "Time,Steam mass,Ticket\n2025-01-01T00:00Z,1,T-1\n2025-01-01T01:00Z,2,T-2\n"
    import_file(content, "--map", "Ticket=client_reference").expect(0)

    moved = content.replace("T00:00Z", "T00:30Z")
    again = import_file(f"{moved}2025-01-01T02:00Z,3,T-3\n", "--map", "Ticket=client_reference").expect(1)

    assert tuple(again.json[one] for one in ("stored", "already_there", "differing")) == (1, 1, 1)
    assert again.json["problems"][0]["line"] == 2
    assert (
        "start_time is '2025-01-01T00:00:00.000Z' in the project and '2025-01-01T00:30:00.000Z'" in again.err
    )
    assert stored("client_reference") == [("T-1",), ("T-2",), ("T-3",)]


def test_a_reference_that_stands_on_two_rows_is_refused(import_file, stored):
    content = "Time,Steam mass,Ticket\n2025-01-01T00:00Z,1,T-1\n2025-01-01T01:00Z,2,T-1\n"

    done = import_file(content, "--map", "Ticket=client_reference").expect(1)

    assert done.err.splitlines()[1] == "Line 3: its client_reference 'T-1' stands on an earlier row too."
    assert stored() == []


def test_a_file_is_one_transaction_with_one_row_in_the_audit_log(import_file, sql, plant):
    import_file(f"{HEADER}\n{ROWS}").expect(0)

    assert sql(
        """
        SELECT action, after ->> 'stored' FROM audit_log
         WHERE project_id = %s AND action IN ('event.create_many', 'data_feed_upload.finish') ORDER BY id
        """,
        plant["numeric_id"],
    ) == [("data_feed_upload.finish", "3")]


def test_the_same_command_finds_its_feed_and_other_options_have_another(import_file, api, plant):
    for options in ((), (), ("--reference", "boiler")):
        import_file(f"{HEADER}\n{ROWS}", *options)

    feeds = api.get(f"/projects/{plant['id']}/data_feeds").data
    uploads = [api.get(f"/projects/{plant['id']}/data_feeds/{feed['id']}/uploads").data for feed in feeds]

    assert [len(of_feed) for of_feed in uploads] == [2, 1]
    assert [one["same_as"] for one in uploads[0]] == [uploads[0][1]["id"], None]


def test_a_feed_that_was_changed_since_is_not_taken_for_that_of_the_command(import_file, api, plant):
    import_file(f"{HEADER}\n{ROWS}").expect(0)
    path = f"/projects/{plant['id']}/data_feeds"
    [feed] = api.get(path).data
    api.patch(f"{path}/{feed['id']}", {"data_feed": {"decimal_mark": ",", "bad_rows": "skip"}}).expect(200)

    refused = import_file(f"{HEADER}\n{ROWS}").expect(1)
    api.patch(f"{path}/{feed['id']}", {"data_feed": {"name": "Boiler house"}}).expect(200)

    assert refused.err.startswith(f"The data feed {feed['name']!r} is that of this import, and was changed")
    assert "decimal_mark, bad_rows" in refused.err
    assert import_file(f"{HEADER}\n{ROWS}").expect(0).json["already_there"] == 3


def test_two_imports_of_one_file_at_the_same_time_store_each_row_once(
    postgres, plant, account_name, tmp_path, stored
):
    path = tmp_path / "log.csv"
    path.write_text("Steam mass\n" + "1.5\n" * 600)
    order = Order(
        CsvFile(path), plant["id"], "delivery", start="2025-01-01T00:00Z", settings={"duration": "1h"}
    )
    settings = Settings(data_dir=tmp_path / "data")

    def import_it():
        with DirectService(postgres, settings, account_name) as service:
            return run(order, service, lambda *_: None)

    first, second = Server.together(import_it, 2)

    assert first.stored + second.stored == 600
    assert first.already_there + second.already_there == 600
    assert len(stored()) == 600


@pytest.fixture
def long_import(plant, account_name, postgres, tmp_path):
    """The words of an import of many rows, and what its program takes from the environment."""
    path = tmp_path / "log.csv"
    path.write_text("Steam mass\n" + "1.5\n" * MANY)
    words = (
        "import", str(path), "--project", plant["id"], "--event-type", "delivery", "--account", account_name,
        "--start", "2025-01-01T00:00Z", "--every", "1m", "--json",
    )  # fmt: skip
    return words, {
        "WEIGHBRIDGE_DATABASE_URL": postgres,
        "WEIGHBRIDGE_DATA_DIR": str(tmp_path / "data"),
        "WEIGHBRIDGE_LEASE_SECONDS": "2",
    }


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_an_import_that_was_ended_stores_nothing_and_the_same_again_stores_all(
    weighbridge, long_import, plant, server, ending
):
    words, variables = long_import
    count = "SELECT count(*) FROM events WHERE project_id = %s"

    with (
        server.transaction() as holder,
        subprocess.Popen([sys.executable, "-m", "weighbridge", *words], env=os.environ | variables) as first,
    ):
        holder.execute("LOCK TABLE events IN SHARE MODE")  # it ends in the middle, as it waits for this
        server.await_blocked()
        first.send_signal(ending)
        try:
            first.wait(60)
        finally:
            first.kill()  # one that does not end fails this test, and keeps nobody waiting
    until(lambda: not server.sql(STORING), what="the session of the import has ended")

    assert server.sql(count, plant["numeric_id"]) == [(0,)]
    again = weighbridge(*words, **variables).expect(0).json
    assert (again["rows"], again["stored"] + again["already_there"]) == (MANY, MANY)
    assert server.sql(count, plant["numeric_id"]) == [(MANY,)]
