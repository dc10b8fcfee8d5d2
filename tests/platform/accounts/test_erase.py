"""A person is forgotten in one account; tests/commands/test_erase_person.py has what becomes of it."""

import pytest

from weighbridge.errors import NotFound
from weighbridge.platform.users import ensure_user, erase_person

ADA = "ada@plant.example"


def write(server, work):
    async def alone():
        async with server.database.write() as tx:
            return await work(tx)

    return server.run(alone())


def test_the_same_person_in_another_account_stays(server, sql):
    here, there = server.account(), server.account()
    users = [
        write(server, lambda tx, one=one: ensure_user(tx, one.actor.account_id, ADA)) for one in (here, there)
    ]

    assert write(server, lambda tx: erase_person(tx, here.actor, ADA)) == users[0]

    assert sql("SELECT email FROM users WHERE id = ANY (%s) ORDER BY id", users) == [
        (f"erased-{users[0]}",),
        (ADA,),
    ]


def test_saved_views_go_with_the_person_who_was_forgotten(server, sql):
    account = server.account()
    users = [
        write(server, lambda tx, name=name: ensure_user(tx, account.actor.account_id, name))
        for name in (ADA, "bo@plant.example")
    ]
    for user in users:
        sql(
            """
            INSERT INTO saved_views (account_id, user_id, list_name, name, query)
            VALUES (%s, %s, 'events', 'Mine', '')
            """,
            account.id,
            user,
        )

    write(server, lambda tx: erase_person(tx, account.actor, ADA))

    assert sql("SELECT user_id FROM saved_views WHERE account_id = %s", account.id) == [(users[1],)]


def test_a_person_who_was_forgotten_is_not_found_again(server):
    account = server.account()
    first = write(server, lambda tx: ensure_user(tx, account.actor.account_id, ADA))
    write(server, lambda tx: erase_person(tx, account.actor, ADA))

    with pytest.raises(NotFound):
        write(server, lambda tx: erase_person(tx, account.actor, ADA))

    assert write(server, lambda tx: ensure_user(tx, account.actor.account_id, ADA)) != first
