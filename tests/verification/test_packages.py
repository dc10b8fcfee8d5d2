"""Methodology packages in `weighbridge verify`: their files and cases, and what was installed of them."""

import asyncio
import hashlib
import io

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.given import collection as given
from tests.given import packages
from tests.server import Server
from tests.verification.mutations import COLUMNS, TABLES, Examiner, is_listed, mutations, unshown

from weighbridge.collection.evidence_files import open_store
from weighbridge.db.engine import Database
from weighbridge.packages.contents import build
from weighbridge.packages.describing import recompute_package
from weighbridge.sandbox.work import SandboxLimits
from weighbridge.verification import INSTALLED, PACKED, verify
from weighbridge.verification.packages import check_package_files

OF_PACKAGES = ("methodology_packages", "package_installations", "package_locks", "package_parts")


@pytest.fixture
def server(migrated_database, tmp_path):
    """A service with a project that has a package and another one, which that needs."""
    with Server(migrated_database, data_dir=tmp_path) as server:
        account = server.account()
        api = account.caller()
        *_, needing = [packages.upload(api, files) for files in packages.requiring()]
        packages.install(api, given.project(api), needing).expect(201)
        account.drain()
        server.api = api
        yield server


def found(server, *statements):
    """What verification says of packages after the owner of the database has changed it."""
    with psycopg.connect(make_conninfo(server.database.url, user="postgres")) as connection:
        connection.execute("SET session_replication_role = replica")
        for statement in statements:
            assert connection.execute(statement).rowcount > 0, statement
    store = open_store(server.settings.evidence_url, server.settings.data_dir)

    async def run():
        async with Database(server.database.url, connections_max=2) as database:
            return await verify(database, store)

    checks = {check.rule: check.violations for check in asyncio.run(run()).checks}
    return [*checks[PACKED], *checks[INSTALLED]]


def test_packages_hold_until_their_rows_or_files_are_changed(server):
    assert found(server) == []


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            "UPDATE methodology_packages SET licence = 'CC0-1.0' WHERE name = 'energy'",
            "its licence is not what its file says",
        ),
        (
            "UPDATE methodology_packages SET contents = replace(contents, '0.2', '0.3')",
            "its contents is not what its file says",
        ),
        ("UPDATE methodology_packages SET file_sha256 = sha256('other')", "energy 0.1.0, kept as"),
        (
            "UPDATE methodology_packages SET version = '2.0.0' WHERE name = 'transport'",
            "it needs transport >=1.0.0 <2.0.0, and is locked with 2.0.0",
        ),
        ("DELETE FROM package_locks", "it needs transport >=1.0.0 <2.0.0, which it is not locked with"),
        ("DELETE FROM package_parts WHERE key = 'trip'", "it lacks the event_type 'trip'"),
        ("UPDATE package_parts SET key = 'ship' WHERE key = 'trip'", "no part of it is event_type 'ship'"),
        (
            "UPDATE package_parts SET record = 'mdl_000000000000000000000000' WHERE kind = 'model'",
            "mdl_000000000000000000000000 is no model of its project, and is its 'emissions'",
        ),
        ("UPDATE package_installations SET name = 'x' WHERE name = 'energy'", "it is called x"),
    ],
)  # fmt: skip
def test_what_was_changed_is_named(server, statement, sentence):
    assert sentence in "\n".join(found(server, statement))


def test_every_change_of_their_tables_is_found_or_listed(server):
    store = open_store(server.settings.evidence_url, server.settings.data_dir)
    changes = [
        one
        for one in mutations(server.sql(TABLES), server.sql(COLUMNS))
        if one.table in OF_PACKAGES and not is_listed(one, unshown())
    ]

    async def examine():
        async with Database(
            make_conninfo(server.database.url, user="postgres"), connections_max=2
        ) as database:
            examiner = Examiner(database, store)
            return {one.name: await examiner.found(one) for one in changes}

    outcomes = asyncio.run(examine())
    assert {one.table for one in changes} == {*OF_PACKAGES}
    assert {name for name, said in outcomes.items() if said is None or said.startswith("-")} == set()


def test_a_case_that_does_not_hold_any_more_is_named():
    failing = packages.small(emissions=("emissions: 2}", "emissions: 3}"))

    assert recompute_package(build(packages.small()).content).failed == ()
    assert recompute_package(build(failing).content).failed == ("emissions",)


RULE = """\
rules:
  - name: A long trip
    expression: "{{{{energy}}}} > 10"
    event_type_id: trip
    effective_from: 2020-01-01T00:00:00Z
    source: standard, 4.2
    cases:
      - name: eleven
        source: standard, 4.2
        slots: [{{values: {{energy: 11}}}}]
        expect: [{{slot: 1, alert: {alert}}}]
"""
"""A rule about events of a type that another package brings."""


def test_rules_about_events_of_a_required_package_are_computed_with_it():
    transport, needing = packages.requiring()
    required = [build(transport).content]
    holds, fails = (
        build(needing | {"rules.yaml": RULE.format(alert=alert).encode()}).content
        for alert in ("true", "false")
    )

    assert recompute_package(holds, required).failed == ()
    assert recompute_package(fails, required).failed == ("A long trip",)
    assert recompute_package(fails).failed == ()


def exchange(server, content, version):
    """The statement that makes other bytes the file of a package, which the store has then."""
    key = hashlib.sha256(content).hexdigest()[:32]
    store = open_store(server.settings.evidence_url, server.settings.data_dir)
    asyncio.run(store.put_file(key, io.BytesIO(content)))
    return (
        f"UPDATE methodology_packages SET storage_key = '{key}', size_bytes = {len(content)},"
        f" file_sha256 = '\\x{hashlib.sha256(content).hexdigest()}' WHERE version = '{version}'"
    )


def test_verification_computes_such_rules_with_what_the_package_requires(server):
    _, needing = packages.requiring()
    manifest = needing["package.yaml"].replace(b"0.1.0", b"0.2.0")
    sent, other = (
        build(needing | {"package.yaml": manifest, "rules.yaml": RULE.format(alert=alert).encode()}).content
        for alert in ("true", "false")
    )
    packages.send(server.api, sent).expect(201)

    assert found(server) == []
    assert [one.rpartition(": ")[2] for one in found(server, exchange(server, other, "0.2.0"))] == [
        "a case of A long trip does not come to what it expects"
    ]


def test_a_file_that_takes_longer_than_reading_one_may_take_is_named(server):
    slots = "[{count: 50000, values: {energy: 11}}]"
    case = f"      - {{name: many, source: standard, slots: {slots}, expect: [{{slot: 1, alert: true}}]}}\n"
    files = packages.small("transport", event_types=("Fuel bill", "Trip"), package=("0.1.0", "1.2.0"))
    rules = RULE.format(alert="true").partition("      - name: eleven")[0] + 40 * case
    found(server, exchange(server, build(files | {"rules.yaml": rules.encode()}).content, "1.2.0"))
    store = open_store(server.settings.evidence_url, server.settings.data_dir)

    async def check():
        async with Database(server.database.url, connections_max=2) as database, database.read() as tx:
            return await check_package_files(tx, store, SandboxLimits(cpu_seconds=1))

    [said] = [one for one in asyncio.run(check()) if "transport" in one]
    assert "The package cannot be read: it takes more time than reading it may take" in said
