"""The spool: what it was given is there once, in its order, until the service has it or a person decides."""

import asyncio
import re
import sqlite3
import subprocess
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta

import pytest

from weighbridge.agent.readings import RefusedReading, Tags, make_reading
from weighbridge.agent.spool import SPOOL_VERSION, Handover, SpoolDatabase, SpoolFullError, opened_spool
from weighbridge.agent.status import read_status
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


@pytest.fixture
def tiny_disk(tmp_path):
    """A folder on a disk of 4 MB, where this machine lets us have one."""
    mounted = tmp_path / "disk"
    mounted.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(mounted)], check=False)
    if done.returncode != 0:
        pytest.skip("this machine lets us mount no disk")
    yield mounted
    subprocess.run(["umount", "--lazy", str(mounted)], check=True)


def test_a_tiny_disk_that_is_full_again_and_again_loses_and_doubles_nothing(tiny_disk):
    async def story():
        kept, left, reasons = 0, [], []
        async with opened_spool(tiny_disk / "spool.db", 1_000) as spool:
            while len(reasons) < 5:
                full = await keep_from(spool, kept, kept + 50)
                if full is None:
                    kept += 50
                else:
                    reasons.append(full)
                    left += await let_go(spool)
            return kept, left + await let_go(spool), reasons

    kept, left, reasons = asyncio.run(story())

    assert left == [f"plc/{number}" for number in range(kept)]
    assert kept > 5 * 1_000
    assert {*reasons} == {"the disk of the spool is full"}


def test_a_disk_that_another_program_fills_lets_readings_go_and_takes_none(tiny_disk):
    async def story():
        async with opened_spool(tiny_disk / "spool.db", 1_000) as spool:
            await keep_from(spool, 0, 500)
            filler = take_all(tiny_disk)
            kept = 500
            while await keep_from(spool, kept, kept + 500) is None:
                kept += 500
            take_all(tiny_disk, "another")
            left = await let_go(spool)
            refused = await keep_from(spool, 90_000, 90_001)
            filler.unlink()
            return kept, left, refused, await keep_from(spool, 90_000, 90_001)

    kept, left, refused, taken = asyncio.run(story())

    assert left == [f"plc/{number}" for number in range(kept)]
    assert (refused, taken) == ("the disk of the spool is full", None)


def test_an_agent_that_starts_on_a_full_disk_sends_what_it_has(tiny_disk):
    async def story():
        async with opened_spool(tiny_disk / "spool.db", 1_000) as spool:
            await keep_from(spool, 0, 500)
            take_all(tiny_disk)
        take_all(tiny_disk, "rest")
        async with opened_spool(tiny_disk / "spool.db", 1_000) as spool:
            return await let_go(spool)

    assert len(asyncio.run(story())) == 500


async def keep_from(spool, begin, end):
    """Keep readings; gives why they were not kept, None where they were."""
    try:
        await spool.keep(Handover([reading(number) for number in range(begin, end)]))
    except SpoolFullError as full:
        return str(full)
    return None


async def let_go(spool):
    """Let everything leave, as the service has it; gives the names in their order."""
    left = []
    while batch := await spool.oldest(1_000):
        await spool.settle([one.id for one in batch], {})
        left += [one.reference for one in batch]
    return left


def take_all(folder, name="filler"):
    """Take every byte that is left."""
    path = folder / name
    with path.open("wb", buffering=0) as file:
        for size in (65_536, 4_096):
            with suppress(OSError):
                while file.write(bytes(size)):
                    pass
    return path


def test_a_spool_of_a_newer_agent_is_not_opened(path):
    with SpoolDatabase(path, 10_000_000) as spool:
        spool.keep(Handover([reading(1)]), MOMENT)
    with closing(sqlite3.connect(path)) as newer:
        newer.execute(f"PRAGMA user_version = {SPOOL_VERSION + 1}")

    told = f"The spool {path} has version 2, and this agent reads up to 1: a newer agent wrote it."
    for opening in (lambda: SpoolDatabase(path, 10_000_000), lambda: read_status(path, MOMENT)):
        with pytest.raises(Refusal, match=re.escape(told)):
            opening()

    with closing(sqlite3.connect(path)) as newer:
        newer.execute(f"PRAGMA user_version = {SPOOL_VERSION}")
    with SpoolDatabase(path, 10_000_000) as spool:
        assert spool.waiting()[0] == 1


def test_a_spool_without_a_version_is_one_of_this_agent(path):
    with SpoolDatabase(path, 10_000_000) as spool:
        spool.keep(Handover([reading(1)]), MOMENT)
    with closing(sqlite3.connect(path)) as older:
        older.execute("PRAGMA user_version = 0")

    with SpoolDatabase(path, 10_000_000) as spool:
        assert spool.waiting()[0] == 1
    with closing(sqlite3.connect(path)) as opened:
        assert opened.execute("PRAGMA user_version").fetchone() == (SPOOL_VERSION,)
