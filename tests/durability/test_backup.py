"""Backup and restore: taken by the service while it works, and restored as it was at any moment."""

import asyncio
import hashlib
import io
import re
import shutil
import socket
import tarfile
import threading
from contextlib import contextmanager
from datetime import timedelta
from types import SimpleNamespace

import httpx2
import psycopg
import pytest
from msgspec.structs import replace
from tests.durability.load import Caller, under_load
from tests.durability.processes import until
from tests.durability.remote import Site
from tests.durability.test_metrics import sent
from tests.given import collection as given
from tests.given import footprints, packages

from weighbridge.backup.base_backup import BackupSource, CopiedFiles, prune
from weighbridge.backup.log_shipping import BackupPlan, back_up, find_reach, follow, name_slot, stop_shipping
from weighbridge.backup.restore import restore
from weighbridge.backup.target import (
    MANIFEST,
    BackupPart,
    BackupTarget,
    last_backup,
    list_shipped,
    manifests,
    overdue,
    written,
)
from weighbridge.collection.evidence_files import open_objects, open_store
from weighbridge.commands.backup import backup
from weighbridge.commands.backup import restore as restore_folder
from weighbridge.commands.verify import verify as verify_folder
from weighbridge.db.embedded.instance import attach_server, server
from weighbridge.db.engine import Database
from weighbridge.errors import Refusal
from weighbridge.settings import Settings
from weighbridge.verification import verify

TICKET = b"%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj\n%%EOF\n"


def quiet(_phase, _done, _total):
    """Hear nothing of the progress."""


@contextmanager
def source_of(data_dir, secret_keys=None):
    with attach_server(data_dir) as running:
        evidence, _ = open_objects(None, data_dir)
        key = data_dir / "audit-key.pem"
        yield BackupSource(running, evidence, Settings(data_dir=data_dir), key, secret_keys)


def attach(address, token, event):
    answer = httpx2.post(
        f"{address}/api/v1/events/{event['id']}/evidence",
        headers={"authorization": f"Bearer {token}"},
        files={"file": ("ticket.pdf", TICKET, "application/pdf")},
        timeout=30,
    )
    assert answer.status_code == 201, answer.text


@pytest.fixture(scope="module")
def plant(shared_folder, shared_dir):
    """A plant whose service backs itself up while it is measured, generated and deleted.

    One event came before a moment and another after it; of the first there is evidence.
    """
    site, place = Site(shared_folder, shared_dir), shared_folder / "backups"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    remote = site.serve(
        WEIGHBRIDGE_BACKUP_URL=str(place), WEIGHBRIDGE_BACKUP_SECONDS="1", WEIGHBRIDGE_METRICS_PORT=str(port)
    )
    site.work(1)
    until(lambda: last_backup(shared_dir), what="the service has backed itself up")
    target = BackupTarget.open_target(str(place))
    caller = Caller(site, remote, 7)
    project = given.measuring(remote, given.number("mass"))
    with under_load([caller]):
        threading.Event().wait(1)  # of load
        before = given.event(remote, project, values={"mass": 1})
        attach(f"http://{remote._place[0]}:{remote._place[1]}", site.token, before)
        packages.install(remote, project, packages.take(remote, "silicon-carbide")).expect(201)
        remote.post("/footprint_products", {"footprint_product": footprints.PRODUCT}).expect(201)
        remote.post("/footprint_partners", {"footprint_partner": footprints.PARTNER}).expect(201)
        [(moment,)] = site.sql("SELECT clock_timestamp()")
        after = given.event(remote, project, values={"mass": 2})
        back_up_once = shared_folder / "once"
        with source_of(shared_dir) as source:
            once = back_up(source, BackupTarget.open_target(str(back_up_once)), None)
        with source_of(shared_dir, shared_dir / "secret-keys") as source:
            back_up(source, BackupTarget.open_target(str(shared_folder / "with_keys")), None)
    site.quiet(caller.works.number)
    [(end,)] = site.sql("SELECT clock_timestamp()")
    until(lambda: (reach := find_reach(target, 1)) and reach.until > end, what="all is shipped")
    _, _, page = sent(port, "/metrics")
    site.stop_all()
    yield SimpleNamespace(
        site=site, dir=shared_dir, place=place, with_keys=shared_folder / "with_keys",
        target=target, once=back_up_once, taken=once, page=page,
        caller=caller, before=before, after=after, moment=moment, end=end, log=site.log.read_text(),
    )  # fmt: skip
    site.close()


def contents_of(data_dir):
    """What a data directory has: its events, and what verifying it finds."""

    async def look(url):
        async with Database(url, connections_max=2, idle_timeout_seconds=60) as database:
            report = await verify(database, open_store(None, data_dir))
            return [one for check in report.checks for one in check.violations], report.files

    with server(data_dir) as url:
        with psycopg.connect(url) as connection:
            events = connection.execute("SELECT project_id, id FROM events").fetchall()
            tables = connection.execute("SELECT state, count(*) FROM async_tasks GROUP BY 1").fetchall()
        violations, files = asyncio.run(look(url))
    return SimpleNamespace(events=sorted(events), tasks=sorted(tables), violations=violations, files=files)


def values_of(data_dir):
    with server(data_dir) as url, psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT numbers[1] FROM events WHERE project_id = (SELECT max(id) FROM projects) ORDER BY id"
        ).fetchall()
    return [int(number) for (number,) in found]


def test_all_that_was_acknowledged_comes_back_and_holds(plant, folder):
    made = restore(plant.target, folder / "data", until=None, backup=None, report=quiet)

    there, here = contents_of(folder / "data"), contents_of(plant.dir)
    assert there.violations == []
    assert there.events == here.events
    assert there.tasks == here.tasks
    assert there.files == 1
    assert made.files == 2, "evidence, and the file of a package"
    assert made.segments > 0
    assert made.missing_evidence == []
    assert made.until >= plant.end
    assert (folder / "data" / "audit-key.pem").read_bytes() == (plant.dir / "audit-key.pem").read_bytes()


def test_secrets_open_with_their_keys_and_without_them_each_is_named(plant, folder, capsys):
    for place, name in ((plant.with_keys, "with"), (plant.once, "without")):
        restore_folder(str(place), data_dir=folder / name)
    assert capsys.readouterr().out.count("The keys of secrets are not in the backup; put secret-keys") == 1

    verify_folder(data_dir=folder / "with")
    held = capsys.readouterr().out
    with pytest.raises(SystemExit):
        verify_folder(data_dir=folder / "without")
    broken = capsys.readouterr().out
    (folder / "without" / "secret-keys").write_bytes((plant.dir / "secret-keys").read_bytes())
    (folder / "without" / "secret-keys").chmod(0o600)
    verify_folder(data_dir=folder / "without")

    assert held.endswith("Everything holds.\n")
    assert re.search(r"BROKEN +every secret of others .*\n +.*footprint_partner_secrets, row \d+", broken), (
        broken
    )
    assert capsys.readouterr().out.endswith("Everything holds.\n")


def test_a_moment_has_what_was_committed_before_it_and_nothing_later(plant, folder):
    made = restore(plant.target, folder / "data", until=plant.moment, backup=None, report=quiet)

    assert values_of(folder / "data") == [1]
    assert values_of(plant.dir) == [1, 2]
    assert contents_of(folder / "data").violations == []
    assert made.until == plant.moment


def test_one_backup_taken_under_load_is_a_whole_by_itself(plant, folder):
    target = BackupTarget.open_target(str(plant.once))

    made = restore(target, folder / "data", until=None, backup=None, report=quiet)

    assert (made.segments, made.until) == (0, plant.taken.finished_at)
    assert values_of(folder / "data") == [1, 2]
    assert contents_of(folder / "data").violations == []


def test_the_manifest_has_the_sum_of_every_part_and_says_what_is_not_in_it(plant):
    folder = plant.once
    one = plant.taken

    for part in (*one.parts, one.evidence, one.audit_key):
        content = (folder / part.path).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (part.size, part.sha256)
        assert (folder / part.path).stat().st_mode & 0o077 == 0
    assert one.evidence_files == 2, "the evidence, and the file of a package"
    assert one.not_included == [
        "Settings come from WEIGHBRIDGE_* variables, which are kept where the service is started.",
        (
            f"{plant.dir / 'secret-keys'} is not included: without it nobody opens the secrets of"
            " registries, webhooks and partners. Keep a copy of it in another place."
        ),
    ]
    assert manifests(BackupTarget.open_target(str(folder))) == [one]


def test_the_counters_tell_when_the_last_backup_was_taken(plant):
    last = last_backup(plant.dir)

    assert "\nweighbridge_last_backup_timestamp_seconds " in plant.page
    assert "\nweighbridge_backup_reaches_timestamp_seconds " in plant.page
    assert '"event": "backup_taken"' in plant.log
    assert "backup_failed" not in plant.log
    assert overdue(plant.dir, last.reaches, last.reaches + timedelta(hours=48), 48) is None
    assert overdue(plant.dir, last.reaches, last.reaches + timedelta(hours=49), 48).startswith(
        "backups reach"
    )
    assert overdue(plant.place, last.reaches, last.reaches + timedelta(hours=49), 48) == (
        "no backup was ever taken"
    )


def copied(plant, folder, of=None):
    """A copy of what backups were written to, to break."""
    return BackupTarget.open_target(str(shutil.copytree(of or plant.place, folder / "broken")))


def test_a_part_that_was_changed_is_refused_and_nothing_can_be_started_there(plant, folder):
    target = copied(plant, folder)
    [one] = manifests(target)
    part = folder / "broken" / one.parts[0].path
    content = bytearray(part.read_bytes())
    content[1000] ^= 1
    part.write_bytes(content)

    with pytest.raises(Refusal, match="part-00000 was altered"):
        restore(target, folder / "data", until=None, backup=None, report=quiet)
    with pytest.raises(Refusal, match="has not come to its end"), attach_server(folder / "data"):
        pass


@pytest.mark.parametrize("change", ["lost", "shortened"])
def test_a_file_that_is_not_as_the_server_noted_is_named(plant, folder, change):
    """Whoever writes another part can write its sum as well: the server's own list tells what is missing."""
    target = copied(plant, folder, of=plant.once)
    [one] = manifests(target)
    packed = b"".join((folder / "broken" / part.path).read_bytes() for part in one.parts)
    repacked = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(packed)) as before,
        tarfile.open(fileobj=repacked, mode="w:gz", compresslevel=1) as to,
    ):
        for file in before:
            content = before.extractfile(file).read() if file.isfile() else b""
            if file.name == "global/pg_filenode.map":
                if change == "lost":
                    continue
                content, file.size = content[:-1], file.size - 1
            to.addfile(file, io.BytesIO(content))
    part = BackupPart(one.parts[0].path, repacked.tell(), hashlib.sha256(repacked.getvalue()).hexdigest())
    target.put(part.path, repacked.getvalue())
    target.put(f"{one.folder}/{MANIFEST}", written(replace(one, parts=[part])))

    with pytest.raises(Refusal, match=r"1 files differ: global/pg_filenode\.map\."):
        restore(target, folder / "data", until=None, backup=None, report=quiet)


def test_a_moment_behind_a_gap_of_the_log_is_refused(plant, folder):
    target = copied(plant, folder)
    name = sorted(list_shipped(target))[-3]
    next((folder / "broken" / "wal").glob(f"{name}.*")).unlink()

    with pytest.raises(Refusal, match="without a gap"):
        restore(target, folder / "data", until=plant.end, backup=None, report=quiet)


@pytest.mark.parametrize(
    ("hours", "said"), [(-1, "reaches back to"), (1, "without a gap")], ids=["too early", "too late"]
)
def test_a_moment_that_no_backup_has_is_refused(plant, folder, hours, said):
    with pytest.raises(Refusal, match=said):
        restore(
            plant.target, folder / "data", until=plant.end + timedelta(hours=hours), backup=None, report=quiet
        )
    assert not (folder / "data").exists()


def test_a_folder_that_has_something_is_left_alone(plant, folder):
    (folder / "data").mkdir()
    (folder / "data" / "kept").touch()

    with pytest.raises(Refusal, match="is not empty"):
        restore(plant.target, folder / "data", until=None, backup=None, report=quiet)


def test_evidence_that_the_target_lost_is_named(plant, folder):
    target = copied(plant, folder, of=plant.once)
    [(key, sha256)] = [
        (key, sha256)
        for key, (sha256, _) in CopiedFiles(target).known.items()
        if sha256 == hashlib.sha256(TICKET).hexdigest()
    ]
    (folder / "broken" / "evidence" / f"{key}.{sha256}").unlink()

    made = restore(target, folder / "data", until=None, backup=None, report=quiet)

    assert made.missing_evidence == [key]


def test_the_newest_stay_with_what_they_need_and_a_restored_one_goes_on(plant, folder):
    """A restored database has a timeline of its own, so following begins with a base backup there."""
    target = copied(plant, folder)
    [first] = manifests(target)
    restore(target, folder / "data", until=plant.moment, backup=None, report=quiet)
    with source_of(folder / "data") as source:
        follow(source, target, BackupPlan(24, 1), lambda: None, rounds=2)
        [second] = manifests(target)
        assert (first.timeline, second.timeline) == (1, 2)
        assert {name[:8] for name in list_shipped(target)} == {"00000002"}
        assert [*CopiedFiles(target).known] != []
        assert prune(target, 1, second.finished_at) == []
        with psycopg.connect(source.server.superuser_url) as connection:
            kept = connection.execute("SELECT slot_name FROM pg_replication_slots").fetchall()
        assert kept == [(name_slot(target),)]
        assert stop_shipping(source, target)
        assert not stop_shipping(source, target)
    restore(target, folder / "again", until=None, backup=None, report=quiet)
    assert values_of(folder / "again") == [1]


def test_two_databases_do_not_share_a_place(plant, fresh_dir):
    with source_of(fresh_dir) as source, pytest.raises(Refusal, match="another database"):
        back_up(source, plant.target, None)


def test_the_commands_say_what_is_there_and_what_came_back(plant, folder, capsys):
    backup(str(plant.place), listed=True)
    listed = capsys.readouterr().out
    restore_folder(str(plant.once), data_dir=folder / "data")
    restored = capsys.readouterr().out

    [one] = manifests(plant.target)
    assert listed.startswith(f"{one.id}  whole at ")
    assert "Later changes, on timeline 1, were copied until " in listed
    assert f"the backup {plant.taken.id} and 0 segments of the log, 2 files." in restored
    assert ", 1 evidence, " in restored
    with pytest.raises(Refusal, match="it takes a time with an offset"):
        restore_folder(str(plant.once), data_dir=folder / "other", until="yesterday")
    with pytest.raises(Refusal, match="There is no folder"):
        restore_folder(str(folder / "nothing"), data_dir=folder / "other")


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"DATABASE_URL": "postgresql://db/weighbridge"}, "such as pgBackRest"),
        ({"BACKUP_URL": ""}, "Name a folder or a URL"),
        ({"BACKUP_URL": "ftp://somewhere/else"}, "The place of backups is 'ftp://somewhere/else'"),
    ],
    ids=["a database of its own", "no place", "a place of no kind"],
)
def test_what_cannot_be_backed_up_is_told(folder, monkeypatch, variables, said):
    monkeypatch.setenv("WEIGHBRIDGE_BACKUP_URL", str(folder / "backups"))
    for name, text in variables.items():
        monkeypatch.setenv(f"WEIGHBRIDGE_{name}", text)

    with pytest.raises(Refusal, match=said):
        backup(data_dir=folder / "data")
