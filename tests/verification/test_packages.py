"""Methodology packages in `weighbridge verify`: their files and cases, and what was installed of them."""

import asyncio

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
from weighbridge.verification import INSTALLED, PACKED, verify

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
