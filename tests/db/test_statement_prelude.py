"""What is asked before a statement goes out with it, and what it gave is given to nobody who is refused."""

from collections.abc import Awaitable, Callable

import pytest
from tests.server import Server

from weighbridge.db.engine import Read
from weighbridge.errors import NotFound, Unauthorized

YES, NO = "SELECT WHERE %s = 1", "SELECT WHERE %s = 2"
_SORTING = "SELECT current_setting('enable_sort')"


def _read(server: Server, work: Callable[[Read], Awaitable[object]]) -> object:
    async def reading() -> object:
        async with server.database.read() as tx:
            return await work(tx)

    return server.run(reading())


def test_the_first_question_that_has_no_row_is_the_one_that_is_heard(server: Server) -> None:
    async def work(tx: Read) -> object:
        tx.require(YES, [1], Unauthorized("asked first"))
        tx.beforehand("set_config('enable_sort', 'off', true)", "1 = 2")
        tx.require(NO, [1], NotFound("project", "asked second"))
        tx.require(NO, [1], Unauthorized("asked last"))
        return await tx.value("SELECT 5")

    with pytest.raises(NotFound):
        _read(server, work)


def test_what_is_set_beforehand_holds_for_the_statements_after_it_and_for_no_other_transaction(
    server: Server,
) -> None:
    async def work(tx: Read) -> object:
        tx.require(YES, [1], Unauthorized("no"))
        tx.beforehand("set_config('enable_sort', 'off', true)")
        return [await tx.value(_SORTING), await tx.value(_SORTING)]

    async def later(tx: Read) -> object:
        return await tx.value(_SORTING)

    assert _read(server, work) == ["off", "off"]
    assert _read(server, later) == "on"


def test_a_question_that_no_statement_follows_is_asked_at_the_end(server: Server) -> None:
    async def work(tx: Read) -> object:
        tx.require(NO, [1], NotFound("project", "7"))
        return await tx.settle()

    with pytest.raises(NotFound):
        _read(server, work)
