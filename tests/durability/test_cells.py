"""A cell is added to a service at work, and serves the accounts that are made in it from then on."""

import json
import subprocess
import sys
from decimal import Decimal

import psycopg
import pytest
from tests.durability.processes import environment
from tests.durability.real_service import CLI, Service
from tests.durability.remote import Remote
from tests.given import accounting
from tests.given.command_line import run_command

from weighbridge.db.embedded.instance import attach_server


def token_of(account, data_dir):
    return run_command("token", "create", "--name", "all", "--all", "--account", account, data_dir=data_dir)


@pytest.fixture(scope="module")
def service(shared_dir, shared_folder):
    """A service at work, to which a cell is added with an account in it."""
    made = Service(shared_dir, "", log=shared_folder / "log")
    made.token = token_of("default", shared_dir)
    first = plant_of(made, made.token)
    first.deliver(5)
    added = json.loads(run_command("cells", "add", "north", "--json", data_dir=shared_dir))
    assert added == {"number": 1, "name": "north", "node": None}
    run_command("account", "create", "--name", "Northern", "--cell", "north", data_dir=shared_dir)
    made.first = first
    yield made
    made.close()


def plant_of(service, token):
    """A plant whose deliveries are credited, driven from outside; its tasks are the worker's."""
    api = Remote(service.address, token)
    asking = Service.__new__(Service)
    asking.address, asking.token, asking.log = service.address, token, service.log

    def await_tasks():
        for task in api.get("/async_tasks", {"page_size": "100"}).body["data"]:
            asking.finished(task["id"])

    return accounting.plant(api, await_tasks)


def test_a_cell_is_added_while_the_service_works_and_serves_new_accounts(service, shared_dir):
    first = service.first

    second = plant_of(service, token_of("Northern", shared_dir))
    second.deliver(12)
    second.deliver(30, 2)
    first.generate()
    second.generate()

    assert [batch["ledger_balance"] for batch in first.batches()] == [Decimal(5)]
    assert [batch["ledger_balance"] for batch in second.batches()] == [Decimal(42)]
    listed = json.loads(run_command("cells", "list", "--json", data_dir=shared_dir))
    assert [(cell["name"], cell["accounts"], cell["is_open"]) for cell in listed] == [
        ("first", 1, True), ("north", 1, True),
    ]  # fmt: skip
    verified = json.loads(run_command("verify", "--json", data_dir=shared_dir))
    assert (verified["is_clean"], verified["batches"]) == (True, 2)
    assert sorted(head["account"] for head in verified["audit_heads"]) == [1, 2**25]
    assert verified["checks"][-1]["violations"] == []


@pytest.mark.usefixtures("service")
def test_the_default_account_is_in_the_directory_of_a_service_that_has_never_run(migrated_dir):
    run_command("migrate", data_dir=migrated_dir)
    run_command("cells", "add", "north", data_dir=migrated_dir)
    token_of("default", migrated_dir)

    verified = json.loads(run_command("verify", "--json", data_dir=migrated_dir))

    assert verified["checks"][-1]["violations"] == []


@pytest.mark.usefixtures("service")
def test_a_rehearsal_of_the_steps_is_of_each_cell(shared_dir):
    rehearsed = json.loads(run_command("migrate", "--dry-run", "--json", data_dir=shared_dir))

    assert {name: cell["failure"] for name, cell in rehearsed["cells"].items()} == {
        "first": None,
        "north": None,
    }


def test_what_the_directory_does_not_name_is_found(shared_dir):
    link = run_command(
        "user", "add", "--email", "ada@plant.example", "--role", "reader", "--at-once",
        "--account", "Northern", data_dir=shared_dir,
    )  # fmt: skip
    assert "/enter?key=a33554432." in link
    run_command("verify", data_dir=shared_dir)

    with attach_server(shared_dir) as running, psycopg.connect(running.url) as owner:
        owner.execute("UPDATE weighbridge_directory.accounts SET cell = 0 WHERE name = 'Northern'")

    done = subprocess.run(
        [sys.executable, *CLI, "verify", "--data-dir", str(shared_dir)],
        capture_output=True, text=True, check=False, timeout=60, env=environment(),
    )  # fmt: skip
    assert done.returncode == 1
    assert "cell north: account 33554432 is 'Northern' there, and in the directory" in done.stdout
