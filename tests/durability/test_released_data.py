"""What a released version stored: the present one rehearses the upgrade, starts on it and says the same.

`stored/VERSION/` is the demonstration with one record of each kind as that version left it, and what its
interface said; `make stored-release` wrote it.
"""

import json
import shutil
from types import SimpleNamespace

import psycopg
import pytest
from tests.durability.real_service import Service
from tests.given.command_line import run_command
from tools.stored_release.answers import answers
from tools.stored_release.folders import (
    ANSWERS,
    DUMP,
    EVIDENCE,
    KEY,
    kept_sums,
    read_packed,
    released,
    sums_of_steps,
)

from weighbridge.client import Client
from weighbridge.db.embedded.instance import attach_server
from weighbridge.db.roles import newest_revision, read_revision_of

KINDS = {
    *(
        "accounts",
        "users",
        "api_tokens",
        "projects",
        "event_types",
        "data_point_types",
        "locations",
        "feedstocks",
    ),
    *("assets", "asset_custom_fields", "static_inputs", "events", "corrections", "evidence", "outages"),
    *(
        "roll_ups",
        "imputations",
        "rules",
        "rule_versions",
        "rule_runs",
        "models",
        "model_runs",
        "ledgers",
        "runs",
    ),
    *("batches", "ledger_entries", "instruments", "reports", "report_links", "report_bundles"),
    *("methodologies", "registries", "webhooks", "webhook_deliveries", "changes", "data_feeds", "exports"),
    *("feature_flags", "audit_log", "audit_seals", "async_tasks"),
}
"""Tables in which a released version has left at least one record."""


def filled_tables(url):
    with psycopg.connect(url) as connection:
        tables = connection.execute("""
            SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        """).fetchall()
        return {
            name for (name,) in tables
            if connection.execute(f"SELECT EXISTS (SELECT FROM {name})").fetchone() == (True,)
        }  # fmt: skip


@pytest.fixture(scope="module", params=released(), ids=lambda folder: folder.name)
def upgraded(request, shared_folder, made_once):
    """The data of a version, upgraded by the service that runs on them, and what was found on the way."""
    kept, data_dir = request.param, shared_folder / request.param.name
    shutil.copytree(made_once, data_dir)
    with attach_server(data_dir) as running:
        options = ("--no-owner", "--exit-on-error")
        done = running.location.run("pg_restore", f"--dbname={running.url}", *options, str(kept / DUMP))
        assert done.returncode == 0, done.stdout
        filled, before = filled_tables(running.url), read_revision_of(running.url)
    shutil.copytree(kept / EVIDENCE, data_dir / EVIDENCE)
    shutil.copy(kept / KEY, data_dir / KEY)
    (data_dir / KEY).chmod(0o600)
    rehearsed = json.loads(run_command("migrate", "--dry-run", "--json", data_dir=data_dir))
    service = Service(data_dir, "", log=shared_folder / "log", options=("--no-worker",))
    # Commands refuse a database that is not at their step, and the service brings it there when it starts.
    service.token = run_command("token", "create", "--name", "later", "--all", data_dir=data_dir)
    yield SimpleNamespace(
        data_dir=data_dir, kept=kept, filled=filled, before=before, rehearsed=rehearsed, service=service
    )
    service.close()


def says_the_same(old, new):
    """Whether an answer says what it said, perhaps with more fields."""
    if isinstance(old, dict):
        return isinstance(new, dict) and all(
            name in new and says_the_same(one, new[name]) for name, one in old.items()
        )
    if isinstance(old, list):
        return isinstance(new, list) and len(old) == len(new) and all(map(says_the_same, old, new))
    return old == new


def test_the_rehearsal_names_every_step_from_there_and_fails_in_none(upgraded):
    newer = {name[:4] for name in sums_of_steps() if name[:4] > upgraded.before}

    assert upgraded.before == max(name[:4] for name in kept_sums(upgraded.kept))
    assert [step["revision"] for step in upgraded.rehearsed["steps"]] == sorted(newer)
    assert upgraded.rehearsed["failure"] is None


def test_the_service_says_of_all_that_was_stored_what_the_released_version_said(upgraded):
    kept = read_packed(upgraded.kept / ANSWERS)

    with Client(upgraded.service.address, token=upgraded.service.token) as client:
        now = answers(client, kept)

    assert [path for path, said in kept.items() if not says_the_same(said, now[path])] == []
    balances = [said["balance"] for path, said in kept.items() if set(said) >= {"balance", "unit"}]
    assert len(balances) > 3


def test_everything_holds(upgraded):
    said = run_command("verify", data_dir=upgraded.data_dir)

    assert "Everything holds." in said


def test_the_data_have_one_record_of_each_kind(upgraded):
    assert upgraded.filled >= KINDS


def test_the_database_is_at_the_newest_step(upgraded):
    with attach_server(upgraded.data_dir) as running:
        assert read_revision_of(running.url) == newest_revision()


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ({"balance": "1"}, {"balance": "1", "label": None}, True),
        ({"balance": "1"}, {"balance": "2"}, False),
        ({"balance": "1"}, {"label": None}, False),
        ([{"id": "a"}], [{"id": "a", "label": None}], True),
        ([{"id": "a"}], [], False),
        ([{"id": "a"}], [{"id": "a"}, {"id": "b"}], False),
        ({"unit": None}, {"unit": "t"}, False),
    ],
)
def test_an_answer_may_grow_and_says_the_same(old, new, same):
    assert says_the_same(old, new) is same
