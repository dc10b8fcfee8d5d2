"""An administrator invites people and says what they may do (`invite_user`, `withdraw_invitation`,
`make_link`, `use_link`, `add_user`, `add_user_without_password`, `make_user_link`, `set_password`,
`update_user`); the first one joins by a link of its own (`offer_first_user`).
"""

import re

import pytest
from tests.given.people import PASSWORD, Visitor, actor_of, email_of, visitor
from tests.server import Account, Server

from weighbridge.errors import Conflict
from weighbridge.platform.users import (
    add_user_without_password,
    make_user_link,
    offer_first_user,
    update_user,
)

_LINK = re.compile(r"/(join\?key=[\w.-]+)")
OTHER = "another password of the tests"


@pytest.fixture
def administrator(account: Account) -> Visitor:
    return visitor(account)


def invited(administrator: Visitor, email: str, role: str) -> str:
    shown = administrator.post("/people/invite", {"email": email, "role": role}).expect(200)
    [link, *_] = _LINK.findall(shown.text)
    return f"/{link}"


def join(server: Server, link: str, **typed: str) -> Visitor:
    somebody = Visitor(server)
    somebody.get(link).expect(200)
    key = link.partition("key=")[2]
    somebody.post("/join", {"key": key, "password": OTHER, "again": OTHER, **typed}).expect(303)
    return somebody


def test_whoever_is_invited_joins_with_the_role_that_was_chosen(server: Server, administrator: Visitor):
    link = invited(administrator, "reader-1@plant.example", "reader")

    reader = join(server, link, name="Rea Nord")

    assert "Rea Nord" in reader.get("/me").expect(200).text
    reader.get("/people").expect(403)
    Visitor(server).sign_in("reader-1@plant.example", OTHER)


def test_a_link_works_once(server: Server, administrator: Visitor):
    link = invited(administrator, "reader-2@plant.example", "reader")
    join(server, link)

    Visitor(server).get(link).expect(404)


def test_a_password_is_long_and_typed_twice(server: Server, administrator: Visitor):
    link = invited(administrator, "reader-3@plant.example", "reader")
    key = link.partition("key=")[2]

    refused = Visitor(server).post("/join", {"key": key, "password": "short", "again": "other"}).expect(422)

    assert "The password has 5 characters; it takes 12 to 200." in refused.text
    assert "The two passwords must be the same." in refused.text
    Visitor(server).get(link).expect(200)


def test_nobody_invites_who_may_not_administer(account: Account):
    visitor(account, "administration:read").post("/people/invite", {"email": "x@y.z"}).expect(403)


def test_somebody_who_signs_in_is_not_invited_again(account: Account, administrator: Visitor):
    email = email_of(account)

    refused = administrator.post("/people/invite", {"email": email, "role": "reader"}).expect(409)

    assert f"Somebody signs in as &#39;{email}&#39; already." in refused.text or email in refused.text


def test_a_link_for_another_password_ends_every_session(
    server: Server, account: Account, administrator: Visitor
):
    email = email_of(account)
    elsewhere = Visitor(server).sign_in(email)
    number = actor_of(account, email).user_id

    shown = administrator.post(f"/people/{number}/password").expect(200)
    join(server, f"/{_LINK.findall(shown.text)[0]}")

    elsewhere.get("/me").expect(303)
    Visitor(server).post("/sign_in", {"email": email, "password": PASSWORD}).expect(401)
    Visitor(server).sign_in(email, OTHER)


def test_what_a_person_may_do_counts_from_the_next_page_on(account: Account, administrator: Visitor):
    email = email_of(account)
    somebody = Visitor(account.server).sign_in(email)
    number = actor_of(account, email).user_id

    kept = {"role": "reader", "may_sign_in": "yes"}
    administrator.post(f"/people/{number}", kept).expect(303)
    somebody.get("/people").expect(403)

    administrator.post(f"/people/{number}", {"role": "reader"}).expect(303)
    somebody.get("/me").expect(303)


def test_somebody_is_left_who_administers(account: Account):
    actor = actor_of(account, email_of(account))

    async def give_up() -> None:
        async with account.server.database.write() as tx:
            await update_user(
                tx, actor, actor.user_id, permissions=["data_collection:read"], may_sign_in=True
            )

    with pytest.raises(Conflict, match="The account must have an administrator"):
        account.server.run(give_up())


def test_people_of_another_account_are_not_found(server: Server, administrator: Visitor):
    stranger = server.account()
    number = actor_of(stranger, email_of(stranger)).user_id

    administrator.get(f"/people/{number}").expect(404)
    administrator.post(f"/people/{number}/password").expect(404)
    administrator.post(f"/people/{number}", {"role": "reader", "may_sign_in": "yes"}).expect(404)


def test_the_first_person_is_offered_a_link_only_while_there_is_nobody(account: Account):
    async def offer() -> str | None:
        async with account.server.database.write() as tx:
            return await offer_first_user(tx, account.actor)

    email_of(account)

    assert account.server.run(offer()) is None


def test_an_invitation_is_taken_back_at_the_page_of_people(server: Server, administrator: Visitor):
    link = invited(administrator, "reader-4@plant.example", "reader")

    administrator.post("/people/withdraw", {"email": "reader-4@plant.example"}).expect(303)

    Visitor(server).get(link).expect(404)
    administrator.get("/people").expect(200)  # says so, once
    assert "reader-4@plant.example" not in administrator.get("/people").expect(200).text


def test_an_invitation_of_another_account_is_not_taken_back(server: Server, administrator: Visitor):
    link = invited(administrator, "reader-5@plant.example", "reader")

    visitor(server.account()).post("/people/withdraw", {"email": "reader-5@plant.example"}).expect(404)

    Visitor(server).get(link).expect(200)


def test_a_person_is_made_whose_password_nobody_knows(account: Account):
    email = "nobody-knows@plant.example"

    async def make() -> str:
        async with account.server.database.write() as tx:
            number = await add_user_without_password(
                tx, account.actor, email=email, name="Ada", permissions=["data_collection:read"]
            )
            return await make_user_link(tx, account.actor, number, "sign_in")

    secret = account.server.run(make())

    Visitor(account.server).post("/sign_in", {"email": email, "password": PASSWORD}).expect(401)
    somebody = Visitor(account.server)
    somebody.get(f"/enter?key={secret}").expect(303)
    somebody.get("/me").expect(200)
