"""Nobody acts on somebody who may do more than themselves: every operation and form that touches people,
tokens, links or roles, for every pair of what two users may do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import pytest
from tests.given.cases import tried_together
from tests.given.people import Visitor, actor_of, email_of
from tests.given.requests import OPERATIONS
from tests.server import Account, Answer, Caller, Server

from weighbridge.core.platform.permission import ALL_PERMISSIONS, LINK, ROLES, Actor
from weighbridge.platform.api_tokens import create_token
from weighbridge.platform.users import invite_user
from weighbridge.web.pages import contents

ADMINISTERS = "administration:write"
ACTING = {
    "administration alone": (ADMINISTERS,),
    "and reads data": (ADMINISTERS, "data_collection:read"),
    "and writes data": (ADMINISTERS, "data_collection:write"),
    "all but rules": (ADMINISTERS, "data_collection:write", "production_accounting:write"),
    "everything": ALL_PERMISSIONS,
}
"""What whoever acts may do; who may not administer is refused already for that."""

ACTED_ON = {role.name: role.permissions for role in ROLES} | {one: (one,) for one in ALL_PERMISSIONS}

_LINK = """
    WITH given (account_id, user_id) AS (VALUES (%s::integer, %s::integer)),
    made AS (
        INSERT INTO identity_providers
               (account_id, name, issuer, client_id, domains, groups_claim, roles, is_required)
        SELECT account_id, 'One', 'https://one.example', 'us', '{one.example}', 'groups', '[]', false
          FROM given
        ON CONFLICT (account_id, name) DO UPDATE SET name = 'One' RETURNING id)
    INSERT INTO provider_people (account_id, user_id, provider_id, subject, groups)
    SELECT account_id, user_id, id, 'subject-' || user_id, '{}' FROM given CROSS JOIN made
    ON CONFLICT DO NOTHING RETURNING user_id
"""

_numbers = count(1)


def covers(actor: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Written from the meaning of permissions: write of an area includes read, and so does approve."""
    held = {*actor, *(one.partition(":")[0] + ":read" for one in actor)}
    return {*other} <= held


@dataclass(frozen=True)
class Pair:
    """Somebody who acts, at the pages and by a token, and what somebody else may do."""

    account: Account
    person: Visitor
    caller: Caller
    own: str
    """The address of who acts."""
    other: tuple[str, ...]

    def user(self) -> tuple[int, str]:
        """A person who may do so much: number and address."""
        email = email_of(self.account, *self.other)
        return actor_of(self.account, email).user_id, email

    def linked(self) -> int:
        """The number of a person who signs in by an identity provider."""
        number, _ = self.user()
        self.account.sql(_LINK, self.account.id, number)
        return number

    def invited(self) -> str:
        """The address of somebody who is invited to do so much."""
        email = f"invited-{next(_numbers)}@plant.example"

        async def invite() -> None:
            async with self.account.server.database.write() as tx:
                await invite_user(tx, self.account.actor, email, self.other)

        self.account.server.run(invite())
        return email

    def token(self, *permissions: str) -> int:
        """The number of a token that may do so much, of a user of its own."""
        name = f"held-{next(_numbers)}"

        async def make() -> None:
            async with self.account.server.database.write() as tx:
                await create_token(
                    tx, self.account.actor, user_id=self.account.actor.user_id, name=name,
                    permissions=list(permissions or self.other), lifetime_days=90,
                )  # fmt: skip

        self.account.server.run(make())
        [(number,)] = self.account.server.sql("SELECT id FROM api_tokens WHERE name = %s", name)
        return number

    @property
    def chosen(self) -> dict[str, object]:
        return {"role": "own", "permissions": list(self.other)}


def make_token_for_another(pair: Pair) -> Answer:
    body = {"name": "t", "permissions": ["administration:read"], "user_email": pair.user()[1]}
    return pair.caller.post("/api_tokens", {"api_token": body})


def hand_over(pair: Pair, number: int, email: str) -> Answer:
    return pair.caller.patch(f"/api_tokens/{number}", {"api_token": {"user_email": email}})


ACTS: dict[str, tuple[Callable[[Pair], Answer], ...]] = {
    "create_api_token": (
        make_token_for_another,
        lambda pair: pair.caller.post(
            "/api_tokens", {"api_token": {"name": "t", "permissions": list(pair.other)}}
        ),
    ),
    "reassign_api_token": (
        lambda pair: hand_over(pair, pair.token(), pair.own),
        lambda pair: hand_over(pair, pair.token("administration:read"), pair.user()[1]),
    ),
    "revoke_api_token": (lambda pair: pair.caller.delete(f"/api_tokens/{pair.token()}"),),
    "page_invite_person": (
        lambda pair: pair.person.post(
            "/people/invite", {"email": f"new-{next(_numbers)}@plant.example", **pair.chosen}
        ),
        lambda pair: pair.person.post(
            "/people/invite",
            {"email": pair.invited(), "role": "own", "permissions": ["administration:read"]},
        ),
    ),
    "page_revoke_invitation": (lambda pair: pair.person.post("/people/withdraw", {"email": pair.invited()}),),
    "page_release_person": (lambda pair: pair.person.post(f"/people/{pair.linked()}/release"),),
    "page_update_person": (
        lambda pair: pair.person.post(
            f"/people/{pair.user()[0]}",
            {"role": "own", "permissions": ["administration:read"], "may_sign_in": "yes"},
        ),
        lambda pair: pair.person.post(
            f"/people/{pair.user()[0]}", {"role": "own", "permissions": ["administration:read"]}
        ),
    ),
    "page_offer_password": (lambda pair: pair.person.post(f"/people/{pair.user()[0]}/password"),),
    "page_make_token": (
        lambda pair: pair.person.post(
            "/api_tokens", {"name": "t", "permissions": list(pair.other), "days": "30"}
        ),
    ),
    "page_revoke_api_token": (lambda pair: pair.person.post(f"/api_tokens/{pair.token()}/revoke"),),
    "page_end": (
        lambda pair: pair.person.post(f"/people/{pair.user()[0]}/end", {"token": pair.token()}),
    ),
    "page_transfer_credential": (
        lambda pair: pair.person.post(
            f"/people/{pair.user()[0]}/hand_over",
            {"token": pair.token("administration:read"), "email": pair.user()[1]},
        ),
    ),
}  # fmt: skip
"""By the name of each operation or form, what it does to somebody who may do so much."""

OF_REPORTS = {"create_report_link", "reassign_report_link", "revoke_report_link"}
"""They touch links that open less than the permission for them does: who has it lacks nothing."""


def touching() -> set[str]:
    """The names of all that writes to people, tokens, links or roles, from the tables of contents."""
    words = ("people", "token", "link", "invite", "role", "user", "password")
    operations = {
        name
        for name, one in OPERATIONS.items()
        if one.writes and one.permission != LINK and any(word in one.path for word in words)
    }
    forms = {
        handler.opt["page"].name
        for handler in contents.routes(())
        if "page" in handler.opt and handler.opt["page"].permission == ADMINISTERS
        and any(word in handler.opt["page"].path for word in words)
    }  # fmt: skip
    return operations | forms


@pytest.fixture(scope="module")
def account(server: Server) -> Account:
    return server.account()


@pytest.fixture(scope="module")
def acting(account: Account) -> dict[str, tuple[Visitor, Caller, str]]:
    """For each set of permissions, a person who has it, a token of theirs with as much, and their address."""

    def made(permissions: tuple[str, ...]) -> tuple[Visitor, Caller, str]:
        email = email_of(account, *permissions)
        person = Visitor(account.server).sign_in(email)
        number = actor_of(account, email).user_id
        actor = Actor(account.id, number, None, frozenset(permissions), "given")
        return person, Account(account.server, actor, account.cell).caller(*permissions), email

    return {name: made(permissions) for name, permissions in ACTING.items()}


def test_every_operation_and_form_that_touches_people_tokens_links_or_roles_is_in_the_table():
    assert touching() == {*ACTS} | OF_REPORTS


@pytest.mark.parametrize("name", ACTING)
@pytest.mark.parametrize("act", ACTS)
@tried_together("other", ACTED_ON, under=lambda _: "each")
def test_nobody_acts_on_somebody_who_may_do_more(account, acting, act, name, other):
    person, caller, own = acting[name]
    person.get("/me").expect(200)
    pair = Pair(account, person, caller, own, ACTED_ON[other])

    for does in ACTS[act]:
        answer = does(pair)
        if covers(ACTING[name], pair.other):
            assert answer.status in {200, 201, 204, 303}, answer.text
        else:
            assert answer.status == 403, answer.text
