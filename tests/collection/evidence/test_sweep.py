"""Files that no row names are swept, and no others."""

import os
from datetime import UTC, datetime, timedelta

import pytest
from tests.collection.evidence import files

from weighbridge.collection.evidence_files import EvidenceStore, open_store, sweep

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
ORPHAN = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def folder(server):
    return server.folder / "evidence"


@pytest.fixture
def store(server) -> EvidenceStore:
    return open_store(None, server.folder)


@pytest.fixture
def aged(folder):
    """Gives a file of the store the age that it has at noon."""

    def age(key, hours):
        moment = (NOON - timedelta(hours=hours)).timestamp()
        os.utime(folder / key, (moment, moment))

    return age


def test_a_file_that_no_row_names_is_removed_after_a_day(server, store, folder, aged):
    (folder / ORPHAN).write_bytes(files.PDF)
    aged(ORPHAN, 25)

    swept = server.run(sweep([server.database], store, NOON))

    assert swept == [ORPHAN]
    assert not (folder / ORPHAN).exists()


def test_a_younger_file_may_belong_to_a_request_under_way_and_stays(server, store, folder, aged):
    (folder / ORPHAN).write_bytes(files.PDF)
    aged(ORPHAN, 23)

    assert server.run(sweep([server.database], store, NOON)) == []
    assert (folder / ORPHAN).exists()
    (folder / ORPHAN).unlink()


def test_a_file_that_a_row_names_stays_however_old_it_is(server, store, api, path, aged):
    made = api.upload(path, "Ticket.pdf", files.PDF).expect(201).body
    [(key,)] = server.sql("SELECT storage_key FROM evidence WHERE id = %s", made["id"])
    aged(key, 100_000)

    assert server.run(sweep([server.database], store, NOON)) == []
    below_prefix = made["url"].removeprefix(f"{server.address}/api/v1")
    assert api.get(below_prefix).expect(200).content == files.PDF


def test_a_file_with_a_name_that_is_not_ours_stays(server, store, folder, aged):
    (folder / "notes.txt").write_text("by hand")
    aged("notes.txt", 1_000)

    assert server.run(sweep([server.database], store, NOON)) == []
    assert (folder / "notes.txt").exists()
    (folder / "notes.txt").unlink()
