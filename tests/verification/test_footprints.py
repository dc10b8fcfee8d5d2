"""Footprints in `weighbridge verify`: against the audit log, and each made again of what it rests on."""

import asyncio
from decimal import Decimal

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.given import footprints, reports
from tests.given.reports import Claims
from tests.server import Server
from tests.verification.mutations import COLUMNS, TABLES, Examiner, is_listed, mutations, unshown

from weighbridge.db.engine import Database
from weighbridge.verification.footprints import check_footprints

SHARED = {"amounts": {"fossilGhgEmissions": "amount", "fossilCarbonContent": "0"}}


@pytest.fixture
def server(migrated_database):
    with Server(migrated_database) as server:
        yield server


@pytest.fixture
def host(account):
    return footprints.host(account)


def found(server, *statements):
    """What verification says of footprints after the owner of the database has changed something."""
    with psycopg.connect(make_conninfo(server.database.url, user="postgres")) as connection:
        connection.execute("SET session_replication_role = replica")
        for statement in statements:
            assert connection.execute(statement).rowcount > 0, statement

    async def run():
        async with Database(server.database.url, connections_max=2) as database, database.read() as tx:
            return await check_footprints(tx)

    return asyncio.run(run())


def test_footprints_hold_whatever_became_of_product_batch_and_report_since(host, server):
    claims, first = Claims(host.plant), host.product(comment="By the producer.")
    measured = host.product(name="Other", states_primary_data_share=True, **SHARED)
    report = reports.accepted(claims, claims.report(4))
    for product in (first, measured):
        host.make(product, comment="Of January.")
        host.make(product, report_id=report["id"])
    change = {"footprint_product": {"declared_amount": Decimal("2.5"), "mass_per_declared_unit": 3}}
    host.api.patch(f"/footprint_products/{first['id']}", change).expect(200)
    host.plant.deliver(30, 3)
    host.plant.generate()
    again = host.make(first)
    reports.accepted(claims, claims.report(5, supersedes=report["id"]))
    host.exchange()
    host.api.post(f"/footprints/{again['id']}/deprecate", {"reason": "It is made no more."}).expect(200)

    assert len(host.api.get("/footprints").data) == 7
    assert found(server) == []


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            """
            UPDATE footprints SET content = replace(content, '0.35', '0.34');
            UPDATE audit_log SET after = replace(after::text, '"0.35"', '"0.34"')::jsonb
             WHERE action = 'footprint.create'
            """,
            "made again, pcf.fossilGhgEmissions differ",
        ),
        ("UPDATE footprints SET content = replace(content, '0.35', '0.34')", "content differ from what"),
        ("UPDATE batch_calculations SET value = value * 2 WHERE slug = 'emitted'", "pcf.fossilGhgEmissions"),
        ("UPDATE footprint_products SET valid_months = 3", "valid_months differ from what the log says"),
        ("UPDATE footprints SET preceding = '{}'", "preceding_ids"),
        ("UPDATE footprints SET status = 'Active', deprecated_at = NULL", "is not a chain of earlier"),
        ("DELETE FROM footprints", "the log has it, but the database does not"),
        ("DELETE FROM audit_log WHERE action = 'footprint.create'", "but the log does not"),
        ("UPDATE received_footprints SET content = '{}'", "its content has another digest"),
    ],
)  # fmt: skip
def test_what_was_changed_is_named(host, server, statement, sentence):
    footprints.exchanged(host)

    assert sentence in "\n".join(found(server, *statement.split(";")))


def test_every_change_of_their_tables_is_found_or_listed(host, server):
    footprints.exchanged(host)
    changes = [
        one
        for one in mutations(server.sql(TABLES), server.sql(COLUMNS))
        if "footprint" in one.table and not is_listed(one, unshown())
    ]

    async def examine():
        owner = make_conninfo(server.database.url, user="postgres")
        async with Database(owner, connections_max=2) as database:
            examiner = Examiner(database, None)
            return {one.name: await examiner.found(one) for one in changes}

    outcomes = asyncio.run(examine())
    assert {one.table for one in changes} == {
        "footprints", "footprint_products", "footprint_partners", "footprint_clients", "received_footprints",
    }  # fmt: skip
    assert {name for name, said in outcomes.items() if said is None or said.startswith("-")} == set()
