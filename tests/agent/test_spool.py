"""The spool: what it was given is there once, in its order, until the service has it or a person decides."""

import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from weighbridge.agent.readings import RefusedReading, Tags, make_reading
from weighbridge.agent.spool import Handover, SpoolDatabase, SpoolFullError
from weighbridge.errors import Refusal

MOMENT = datetime(2026, 1, 5, tzinfo=UTC)


def reading(number, *, mass=None):
    values = {"mass": number if mass is None else mass}
    return make_reading(f"plc/{number}", Tags("scale"), MOMENT + timedelta(minutes=number), values)


def fill(spool):
    """Keep readings until there is no room; gives how many there are."""
    for number in range(10_000):
        try:
            spool.keep(Handover([reading(number)]), MOMENT)
        except SpoolFullError:
            return number
    raise AssertionError("the spool takes more than its size")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "below" / "spool.db"


@pytest.fixture
def spool(path):
    with SpoolDatabase(path, 10_000_000) as spool:
        yield spool


def test_what_is_handed_over_again_is_there_once_and_leaves_in_its_order(spool):
    assert spool.keep(Handover([reading(2), reading(1)]), MOMENT) == 2
    assert spool.keep(Handover([reading(1), reading(3)]), MOMENT) == 1

    assert [one.reference for one in spool.oldest(2)] == ["plc/2", "plc/1"]
    spool.settle([one.id for one in spool.oldest(2)], {}, MOMENT)
    assert spool.keep(Handover([reading(1), reading(2)]), MOMENT) == 0
    assert [one.reference for one in spool.oldest(9)] == ["plc/3"]


def test_every_commit_is_synced_to_the_disk(spool):
    assert spool._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert spool._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_second_reading_of_one_name_is_set_apart_and_not_sent_again(spool):
    spool.keep(Handover([reading(1)]), MOMENT)

    spool.keep(Handover([reading(1, mass=99), reading(1, mass=99)]), MOMENT)

    assert spool.waiting() == (1, MOMENT, 1)
    assert spool.retry(MOMENT) == 0
    assert spool.waiting() == (1, MOMENT, 1)


def test_what_the_service_refused_waits_again_when_a_person_says_so(spool):
    spool.keep(Handover([reading(1), reading(2)], [RefusedReading("plc/x", "It is no JSON.", b"{")]), MOMENT)
    first, _ = spool.oldest(2)
    spool.settle([], {first.id: "It has no event type."}, MOMENT)
    assert spool.waiting() == (1, MOMENT, 2)

    assert spool.retry(MOMENT) == 1

    assert [one.reference for one in spool.oldest(9)] == ["plc/2", "plc/1"]
    assert spool.discard() == 1
    assert spool.waiting() == (2, MOMENT, 0)


def test_a_spool_of_its_size_takes_no_reading_and_gives_room_for_what_the_service_has(path):
    with SpoolDatabase(path, 200_000) as spool:
        kept = fill(spool)
        assert path.stat().st_size < 250_000

        spool.settle([one.id for one in spool.oldest(kept // 2)], {}, MOMENT)

        assert spool.keep(Handover([reading(kept)]), MOMENT) == 1


def test_on_a_full_disk_nothing_is_lost_and_nothing_else_is_raised(spool):
    (pages,) = spool._connection.execute("PRAGMA page_count").fetchone()
    spool._connection.execute(f"PRAGMA max_page_count = {pages + 1}")

    kept = fill(spool)

    assert [one.reference for one in spool.oldest(9_999)] == [f"plc/{number}" for number in range(kept)]
    with pytest.raises(SpoolFullError):
        spool.note("source/plc", {"state": "x" * 100_000}, MOMENT)


def test_a_position_never_goes_back(spool):
    for minutes in (5, 9, 3):
        spool.keep(Handover(positions={("plc", "Kiln"): MOMENT + timedelta(minutes=minutes)}), MOMENT)

    assert spool.positions("plc") == {"Kiln": MOMENT + timedelta(minutes=9)}
    assert spool.positions("other") == {}


@pytest.mark.usefixtures("spool")
def test_two_agents_never_share_a_spool(path):
    with pytest.raises(Refusal, match=r"is in use by another agent\."):
        SpoolDatabase(path, 1_000_000)


def test_nothing_of_what_is_handed_over_is_kept_when_one_part_of_it_cannot_be(spool):
    wrong = Handover([reading(1)], packets=[("plc", None, b"")])

    with pytest.raises(sqlite3.IntegrityError):
        spool.keep(wrong, MOMENT)

    assert spool.oldest(9) == []


def test_a_file_that_is_no_spool_is_refused(path):
    path.parent.mkdir()
    path.write_text("something else, and long enough to be looked at" * 100)

    with pytest.raises(Refusal, match=r"cannot be opened"):
        SpoolDatabase(path, 1_000_000)
