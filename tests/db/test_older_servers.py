"""The older versions of PostgreSQL that are promised: each is migrated, and says the same of one story."""

import asyncio
import socket
import struct
import threading
from contextlib import contextmanager
from decimal import Decimal

import psycopg
import pytest
from tests.given import works as given_works
from tests.given.accounting import QUARTER
from tests.given.older_servers import COPIES, PROGRAMS_OF_17, older_server
from tests.given.rule_evaluation import calibration, work
from tests.migrations.test_migrations import schema_of
from tests.server import Server

from weighbridge.db.embedded.instance import database
from weighbridge.db.embedded.location import WHEEL_MAJOR
from weighbridge.db.engine import Database
from weighbridge.db.migration import migrate
from weighbridge.errors import Refusal
from weighbridge.settings import POSTGRESQL_MIN, Settings
from weighbridge.verification import verify


def promised(version):
    """A version of the server; that of npm is left out where the tools of others cannot be installed."""
    is_missing = version == 17 and not PROGRAMS_OF_17.is_dir()
    return pytest.param(version, marks=pytest.mark.skipif(is_missing, reason="make packages installs it"))


@pytest.fixture(scope="module", params=[promised(version) for version in COPIES])
def older(request, tmp_path_factory):
    """The URL of a migrated database on a server of an older version."""
    with older_server(tmp_path_factory.mktemp("older"), request.param) as url:
        with psycopg.connect(url) as connection:
            assert connection.info.server_version // 10_000 == request.param
        migrate(url)
        yield url


def test_every_version_from_the_one_that_is_promised_to_the_embedded_one_is_run():
    assert [*COPIES, WHEEL_MAJOR] == [*range(POSTGRESQL_MIN, WHEEL_MAJOR + 1)]


def test_the_migrations_define_the_same_on_older_versions_and_on_the_embedded_one(older, newest):
    # Since 18 each NOT NULL is a constraint with a name; it stands with its column as well.
    found = [{line for (line,) in schema_of(url) if " NOT NULL " not in line} for url in (older, newest)]

    assert found[0] == found[1]


def test_a_story_of_three_ledgers_ends_the_same_on_older_versions(older, server):
    with Server(older) as service:
        told = [story(one.account()) for one in (service, server)]

    assert told[0] == told[1]
    assert told[0]["totals"]["Carbon"] == {"2025-01 Straw": Decimal("1.6"), "2025-02 Straw": Decimal("1.6")}
    assert asyncio.run(violations(older)) == []


def test_a_server_that_is_older_is_refused_in_a_sentence_and_nothing_is_asked_of_it():
    with announcing("15.3") as (port, asked):
        settings = Settings(database_url=f"postgresql://weighbridge@127.0.0.1:{port}/weighbridge")

        with pytest.raises(Refusal) as refusal, database(settings):
            pass

    assert [problem.message for problem in refusal.value.problems] == [
        "The server of WEIGHBRIDGE_DATABASE_URL is PostgreSQL 15; must be 16 or newer. Nothing was changed."
    ]
    assert asked == []


def story(account):
    """Deliveries, biochar and carbon through a correction, a rule, a report and a deletion; how they end."""
    works = given_works.works(account.caller(), account.drain)
    kinds = works.api.get(f"/projects/{works.project['id']}/event_types", {"page_size": "50"}).data
    [delivery] = [kind["id"] for kind in kinds if kind["slug"] == "delivery"]
    heavy, less = "{{amount}} > 45", "{{amount}} * 0.98"
    weighing = calibration(works.api, works.project, heavy, less, event_type_id=delivery)
    for month in (1, 2):
        works.measure("delivery", month, Decimal(20), "Straw")
        works.measure("production", month, Decimal(5), "Straw")
        works.measure("application", month, Decimal(2), "Straw")
    works.measure("delivery", 1, Decimal(50), "Wood")
    works.read("North", 3, Decimal("0.1"))
    works.read("North", 40, Decimal("33.3"))
    work(account)
    tasks = [works.generate(name) for name in ("Deliveries", "Biochar", "Carbon")]
    works.correct(works.events[5], Decimal(1))
    tasks += [works.generate("Carbon"), works.generate("Deliveries", QUARTER)]
    batches = works.batches("Carbon")
    taken = [{"batch_id": batches[0]["id"], "amount": 1}]
    fields = {"name": "January", "report_type": "monthly", "project_id": works.project["id"]}
    report = works.api.post("/reports", {"report": fields | {"batches": taken}}).expect(201).body
    works.api.post(f"/reports/{report['id']}/submit", {}).expect(202)
    tasks.append(works.ended(works.delete([batches[-1]["id"]])))
    return {
        "report": works.api.get(f"/reports/{report['id']}").body["status"],
        "states": [(task["state"], task["error_message"]) for task in tasks],
        "totals": works.totals(),
        "results": [
            (one["status"], one["entered_value"])
            for one in works.api.get(f"/rules/{weighing['id']}/rule_results").data
        ],
        "events": works.api.get(f"/projects/{works.project['id']}/events").info["total_items"],
    }


async def violations(url):
    """What verifying the whole database finds."""
    async with Database(url, connections_max=2) as opened:
        report = await verify(opened)
    return [violation for check in report.checks for violation in check.violations]


@contextmanager
def announcing(version):
    """A server that says that it is of a version and keeps what it is asked; gives its port and that."""
    asked = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        greeter = threading.Thread(target=_greet, args=(listening, version, asked))
        greeter.start()
        yield listening.getsockname()[1], asked
        greeter.join(10)


def _greet(listening, version, asked):
    connection, _ = listening.accept()
    with connection, connection.makefile("rb") as received:
        while (code := _startup(received)) != 196_608:  # requests for TLS and GSSAPI come first
            assert code in {80877103, 80877104}
            connection.sendall(b"N")
        parameter = b"server_version\0" + version.encode() + b"\0"
        connection.sendall(
            b"R" + struct.pack("!II", 8, 0)
            + b"S" + struct.pack("!I", 4 + len(parameter)) + parameter
            + b"Z" + struct.pack("!I", 5) + b"I"
        )  # fmt: skip
        while (kind := received.read(1)) not in {b"", b"X"}:
            [size] = struct.unpack("!I", received.read(4))
            asked.append(kind + received.read(size - 4))


def _startup(received):
    size, code = struct.unpack("!II", received.read(8))
    received.read(size - 8)
    return code
