"""Accounts and users are made by actions of the command line."""

import pytest

from weighbridge.core.platform.permission import ALL_PERMISSIONS
from weighbridge.errors import Conflict, NotFound
from weighbridge.platform.users import administrator_of, create_account, ensure_user


def do(server, action, *values, **fields):
    async def alone():
        async with server.database.write() as tx:
            return await action(tx, *values, **fields)

    return server.run(alone())


def test_a_new_account_has_an_administrator_who_may_do_everything(server, sql):
    actor = do(server, create_account, name="Biochar Nord", request_id="cli")

    assert actor.permissions == set(ALL_PERMISSIONS)
    assert sql("SELECT account_id, email, name FROM users WHERE id = %s", actor.user_id) == [
        (actor.account_id, "administrator", "administrator")
    ]
    assert sql("SELECT action, object FROM audit_log WHERE account_id = %s", actor.account_id) == [
        ("account.create", str(actor.account_id))
    ]


def test_the_name_of_an_account_is_taken_once(server):
    do(server, create_account, name="Taken", request_id="cli")

    with pytest.raises(Conflict, match="There is an account 'Taken' already"):
        do(server, create_account, name="Taken", request_id="cli")


def test_the_default_account_is_made_when_it_is_first_asked_for_and_stays(server):
    first, second = (do(server, administrator_of, "default", "cli") for _ in range(2))

    assert (first.account_id, first.user_id) == (second.account_id, second.user_id)


def test_callers_who_ask_for_the_default_account_at_once_get_the_same(server):
    actors = server.together(lambda: do(server, administrator_of, "default", "cli"), times=4)

    assert len({actor.account_id for actor in actors}) == 1


def test_another_account_is_not_made_by_asking(server):
    with pytest.raises(NotFound, match="There is no account 'nobody'"):
        do(server, administrator_of, "nobody", "cli")


def test_a_user_is_made_once_for_an_account(server, account):
    first, second = (do(server, ensure_user, account.id, "ada@acme.test") for _ in range(2))
    other = do(server, ensure_user, server.account().id, "ada@acme.test")

    assert first == second
    assert other != first
