"""A percent sign in a value is a percent sign, however its statement is run."""

import asyncio

import pytest
from psycopg.sql import SQL

from weighbridge.db.engine import Database
from weighbridge.db.statements import Literal

TEXT = "50 %, 100 %%, %s and %(name)s"
SELECTED = SQL("SELECT {}::text AS said").format(Literal(TEXT))


async def once(tx):
    return await tx.value(SELECTED)


async def portioned(tx):
    [[(said,)]] = [rows async for rows in tx.portions(SELECTED, 10)]
    return said


async def copied(tx):
    rows = b"".join([some async for some in tx.copied(SQL("COPY ({}) TO STDOUT").format(SELECTED))])
    return rows.decode().removesuffix("\n")


@pytest.mark.parametrize("run", [once, portioned, copied])
def test_a_value_is_the_same_run_at_once_in_portions_and_as_a_copy(migrated_database, run):
    async def asked():
        async with Database(migrated_database, connections_max=1) as database, database.read() as tx:
            return await run(tx)

    assert asyncio.run(asked()) == TEXT
