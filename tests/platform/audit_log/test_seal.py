"""Design, Audit: a sealer numbers the visible unsealed rows and chains them, and no writer waits."""

import asyncio

import pytest
from tests.given import collection as given

from weighbridge.db import locks
from weighbridge.platform.audit_tree import seal, seal_account
from weighbridge.reporting.bundle.builder import seal_all


@pytest.fixture
def sealed(server, account):
    """Seals what the account has written; gives the number of rows."""

    async def run():
        async with server.database.write() as tx:
            return await seal_account(tx, account.id)

    return lambda: server.run(run())


def numbers(sql, account):
    return sql(
        """
        SELECT s.number, a.id FROM audit_seals s JOIN audit_log a ON a.id = s.audit_id
         WHERE s.account_id = %s ORDER BY s.number
        """,
        account.id,
    )


def test_rows_are_numbered_from_one_in_the_order_of_their_ids(api, account, sql, sealed):
    given.project(api)
    given.project(api)

    count = sealed()

    found = numbers(sql, account)
    assert [number for number, _ in found] == list(range(1, count + 1))
    assert [audit_id for _, audit_id in found] == sorted(audit_id for _, audit_id in found)


def test_sealing_again_seals_only_what_is_new(api, sealed):
    given.project(api)
    sealed()
    given.project(api)

    assert (sealed(), sealed()) == (1, 0)


def test_each_account_has_a_chain_of_its_own(server, api, account, sql, sealed):
    other = server.account()
    given.project(other.caller())
    given.project(api)

    sealed()

    assert numbers(sql, account)[0][0] == 1
    assert numbers(sql, other) == []


def test_a_row_that_commits_late_is_sealed_when_it_is_there(server, api, account, sql, sealed):
    with server.transaction() as connection:
        connection.execute(
            """
            INSERT INTO audit_log (account_id, request_id, action, object) VALUES (%s, 'r', 'late.write', 'x')
            """,
            (account.id,),
        )
        given.project(api)
        before = sealed()

    assert (before > 0, sealed()) == (True, 1)
    last = sql(
        """
        SELECT a.action FROM audit_seals s JOIN audit_log a ON a.id = s.audit_id
         WHERE s.account_id = %s ORDER BY s.number DESC LIMIT 1
        """,
        account.id,
    )
    assert last == [("late.write",)]


def test_a_second_sealer_leaves_the_account_to_the_first(server, api, account, sealed):
    given.project(api)
    with server.transaction() as connection:
        connection.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"audit_log:seal:{account.id}",)
        )
        assert sealed() == 0

    assert sealed() > 0


def test_every_account_that_waits_is_sealed(lone_server):
    with lone_server() as server:
        for _ in range(2):
            given.project(server.account().caller())

        assert server.run(seal(server.database)) >= 2
        assert server.sql("SELECT count(*) FROM audit_unsealed") == [(0,)]
        assert server.sql("SELECT count(DISTINCT account_id) FROM audit_seals") == [(2,)]


def test_a_bundle_waits_for_a_sealer_at_work(server, api, account, sql):
    given.project(api)

    async def seal_beside_another():
        async with server.database.write() as other:
            await other.execute(*locks.hold(locks.audit_seal(account.id)))
            sealing = asyncio.create_task(seal_all(server.database, account.id))
            waiting = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)"
            while not sealing.done() and not await other.value(waiting):
                pass
        await sealing

    server.run(seal_beside_another())

    assert sql("SELECT 1 FROM audit_unsealed WHERE account_id = %s", account.id) == []
