"""Tokens are made by an action of the command line. Seed, Authentication and Limits: lifetimes and
permissions.
"""

import re
from datetime import timedelta

import pytest
from tests.server import Caller

from weighbridge.errors import Invalid
from weighbridge.platform.api_tokens import create_token


def create(account, **fields):
    async def alone():
        async with account.server.database.write() as tx:
            return await create_token(
                tx,
                account.actor,
                **{
                    "user_id": account.actor.user_id,
                    "name": "meter",
                    "permissions": ["data_collection:read"],
                    "lifetime_days": 90,
                }
                | fields,
            )

    return account.server.run(alone())


def test_a_new_token_opens_what_it_permits(account, server):
    token = create(account, permissions=["data_collection:read"])

    assert re.fullmatch("wb_live_[0-9A-Za-z]{1,6}_[0-9A-Za-z]{38}", token)
    Caller(server, token).get("/projects").expect(200)
    Caller(server, token).post("/projects", {"project": {"name": "Plant"}}).expect(403)


def test_every_token_is_another(account):
    assert create(account) != create(account)


@pytest.mark.parametrize("days", [30, 60, 90, 180, 365])
def test_a_token_lives_as_long_as_was_chosen(account, sql, days):
    create(account, lifetime_days=days)

    assert sql("SELECT expires_at - created_at FROM api_tokens WHERE account_id = %s", account.id) == [
        (timedelta(days=days),)
    ]


def test_a_token_may_live_for_ever(account, sql):
    create(account, lifetime_days=None)

    assert sql("SELECT expires_at FROM api_tokens WHERE account_id = %s", account.id) == [(None,)]


@pytest.mark.parametrize("days", [0, -1, 1, 89, 366, 3650])
def test_another_lifetime_is_refused(account, days):
    with pytest.raises(
        Invalid, match=f"A token lives 30, 60, 90, 180, 365 days or for ever, not {days} days"
    ):
        create(account, lifetime_days=days)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"permissions": ["everything"]}, "The permission 'everything' does not exist"),
        ({"permissions": ["data_collection"]}, "The permission 'data_collection' does not exist"),
        ({"permissions": []}, "permissions must name at least one permission"),
        ({"name": " "}, "A token needs a name"),
    ],
)
def test_a_token_that_makes_no_sense_is_refused(account, fields, message):
    with pytest.raises(Invalid, match=message):
        create(account, **fields)


def test_the_secret_is_stored_nowhere(account, sql):
    token = create(account)
    secret = token.removeprefix("wb_live_")

    rows = sql("SELECT api_tokens::text FROM api_tokens WHERE account_id = %s", account.id)
    rows += sql("SELECT audit_log::text FROM audit_log WHERE account_id = %s", account.id)

    assert len(rows) >= 2
    assert not [row for (row,) in rows if secret in row or token in row]


def test_making_a_token_leaves_an_audit_row(account, sql):
    create(
        account, name="meter", permissions=["data_collection:write", "data_collection:read"], lifetime_days=30
    )

    assert sql(
        "SELECT after FROM audit_log WHERE account_id = %s AND action = 'api_token.create'", account.id
    ) == [
        (
            {
                "name": "meter",
                "permissions": ["data_collection:read", "data_collection:write"],
                "lifetime_days": 30,
            },
        )
    ]
