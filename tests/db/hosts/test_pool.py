"""Connections find the host that takes writes, and those to a host that was lost are not used again."""

import asyncio
from contextlib import suppress

import psycopg
import pytest
from psycopg import OperationalError
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier

from weighbridge.db.engine import Database, primary_conninfo, replica_conninfo

OWN_NUMBER = "SELECT pg_backend_pid()"


@pytest.mark.parametrize(
    ("url", "session", "seconds"),
    [
        ("postgresql://db1/weighbridge", None, "10"),
        ("postgresql://db1,db2/weighbridge", "read-write", "3"),
        ("postgresql://db1,db2/weighbridge?target_session_attrs=any&connect_timeout=7", "any", "7"),
    ],
)
def test_of_several_hosts_a_connection_goes_to_the_one_that_takes_writes(url, session, seconds):
    parts = conninfo_to_dict(primary_conninfo(url))

    assert (parts.get("target_session_attrs"), str(parts["connect_timeout"])) == (session, seconds)
    assert int(parts["tcp_user_timeout"]) == 10_000
    assert primary_conninfo(primary_conninfo(url)) == primary_conninfo(url)


def test_a_replica_is_a_host_that_follows_and_vanishes_sooner():
    parts = conninfo_to_dict(replica_conninfo("postgresql://db1,db2/weighbridge"))

    assert (parts["host"], parts["target_session_attrs"]) == ("db1,db2", "standby")
    assert int(parts["tcp_user_timeout"]) == 3_000


def test_after_a_connection_was_lost_no_older_one_is_used(migrated_database):
    async def run():
        async with Database(migrated_database, connections_max=3) as database:
            async with database.read() as one, database.read() as two:
                older = {await one.value(OWN_NUMBER), await two.value(OWN_NUMBER)}
            with suppress(OperationalError):
                async with database.read() as lost:
                    end(migrated_database, await lost.value(OWN_NUMBER))
                    await lost.value(OWN_NUMBER)
            async with database.read() as one, database.read() as two:
                newer = {await one.value(OWN_NUMBER), await two.value(OWN_NUMBER)}
            return older, newer

    older, newer = asyncio.run(run())
    assert len(older) == len(newer) == 2
    assert not older & newer


def end(url, number):
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (number,))


def test_a_host_that_takes_no_writes_any_more_is_left_and_found_again(migrated_database):
    named = Identifier(conninfo_to_dict(migrated_database)["dbname"])

    def let(statement):
        with psycopg.connect(migrated_database, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute(SQL(statement).format(named))

    async def write(database):
        async with database.write() as tx:
            await tx.execute("INSERT INTO database_histories VALUES (99) ON CONFLICT DO NOTHING")
            return await tx.value(OWN_NUMBER)

    async def run():
        let("ALTER DATABASE {} SET default_transaction_read_only = on")
        async with Database(migrated_database, connections_max=1) as database:
            with pytest.raises(OperationalError, match="takes no writes any more"):
                await write(database)
            let("ALTER DATABASE {} RESET default_transaction_read_only")
            return await write(database)

    assert asyncio.run(run()) > 0
