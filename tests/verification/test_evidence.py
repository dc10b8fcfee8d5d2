"""Evidence in `weighbridge verify`: a file that is lost or changed is named."""

import asyncio

import pytest
from tests.collection.evidence.files import CSV, PDF
from tests.given import collection as given
from tests.server import Server

from weighbridge.collection.evidence_files import open_store
from weighbridge.db.engine import Database
from weighbridge.verification import KEPT, verify


@pytest.fixture
def kept(migrated_database, tmp_path):
    """A service with two files and a link on one event: its server, the event and the folder of the files."""
    with Server(migrated_database, data_dir=tmp_path) as server:
        api = server.account().caller()
        event = given.event(api, given.measuring(api, given.number("mass")))["id"]
        api.upload(f"/events/{event}/evidence", "ticket.pdf", PDF).expect(201)
        api.upload(f"/events/{event}/evidence", "scale.csv", CSV).expect(201)
        link = {"evidence": {"type": "url", "url": "https://example.org/a", "name": "A"}}
        api.post(f"/events/{event}/evidence", link).expect(201)
        yield server, event, tmp_path / "evidence"


def verified(url, data_dir):
    async def run():
        async with Database(url, connections_max=2) as database:
            return await verify(database, open_store(None, data_dir))

    return asyncio.run(run())


def violations(report):
    return {check.rule: check.violations for check in report.checks if check.violations}


def key_of(server, name):
    ((number, key),) = server.sql("SELECT id, storage_key FROM evidence WHERE name = %s", name)
    return number, key


@pytest.mark.usefixtures("kept")
def test_files_that_are_as_they_came_are_counted(migrated_database, tmp_path):
    report = verified(migrated_database, tmp_path)

    assert (report.files, report.is_clean) == (2, True)


def test_a_file_that_is_missing_is_named(kept, migrated_database, tmp_path):
    server, event, folder = kept
    number, key = key_of(server, "ticket.pdf")
    (folder / key).unlink()

    report = verified(migrated_database, tmp_path)

    lost = f"evidence {number} of {event}, 'ticket.pdf', kept as {key}"
    assert not report.is_clean
    assert violations(report) == {KEPT: [f"{lost}: The file is missing from the store of evidence files."]}


@pytest.mark.parametrize("change", [lambda held: held[:-1] + b"\x00", lambda held: held[:-1]])
def test_a_file_that_was_changed_is_named(kept, migrated_database, tmp_path, change):
    server, event, folder = kept
    number, key = key_of(server, "scale.csv")
    (folder / key).write_bytes(change(CSV))

    (complaint,) = violations(verified(migrated_database, tmp_path))[KEPT]

    assert complaint.startswith(f"evidence {number} of {event}, 'scale.csv', kept as {key}: ")


@pytest.mark.usefixtures("kept")
def test_without_a_store_nothing_is_said_of_files(migrated_database):
    async def run():
        async with Database(migrated_database, connections_max=2) as database:
            return await verify(database)

    report = asyncio.run(run())

    assert report.files == 0
    assert KEPT not in {check.rule for check in report.checks}
