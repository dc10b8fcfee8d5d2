"""Whoever is shut out leaves nothing that lets somebody in (`update_user`, `use_link`); their
tokens and links to reports are listed, and ended or handed over (`reassign_token`, `reassign_report_link`).
"""

import re

import pytest
from tests.given import reports
from tests.given.people import Visitor, actor_of, email_of, visitor
from tests.server import Account, Caller, Server

from weighbridge.platform.users import erase_person, make_user_link

_LINK = re.compile(r"/(join\?key=[\w.-]+)")
ISSUED = {"name": "historian", "permissions": ["production_accounting:write"]}
PASSWORD = "another password of the tests"  # noqa: S105 - of no real person


@pytest.fixture
def administrator(account: Account) -> Visitor:
    return visitor(account)


@pytest.fixture
def leaving(account: Account) -> str:
    """The address of an administrator who is about to be shut out."""
    return email_of(account)


def number_of(account: Account, email: str) -> int:
    return actor_of(account, email).user_id


def link_shown(answer) -> str:
    [link, *_] = _LINK.findall(answer.expect(200).text)
    return f"/{link}"


def shut_out(administrator: Visitor, account: Account, email: str, **typed: str) -> None:
    administrator.post(f"/people/{number_of(account, email)}", {"role": "reader", **typed}).expect(303)


def join(server: Server, link: str, status: int) -> None:
    key = link.partition("key=")[2]
    Visitor(server).get(link).expect(200 if status == 303 else status)
    typed = {"key": key, "name": "Ben", "password": PASSWORD, "again": PASSWORD}
    Visitor(server).post("/join", typed).expect(status)


def test_an_invitation_ends_with_the_administrator_who_made_it(server, account, administrator, leaving):
    somebody = Visitor(server).sign_in(leaving)
    typed = {"email": "ben-1@plant.example", "role": "administrator"}
    link = link_shown(somebody.post("/people/invite", typed))

    shut_out(administrator, account, leaving)

    join(server, link, 404)
    assert "ben-1@plant.example" not in administrator.get("/people").text


def test_an_invitation_ends_with_what_its_maker_may_give(server, account, administrator, leaving):
    somebody = Visitor(server).sign_in(leaving)
    typed = {"email": "ben-2@plant.example", "role": "administrator"}
    link = link_shown(somebody.post("/people/invite", typed))

    lesser = {
        "role": "own",
        "permissions": ["administration:write", "data_collection:write"],
        "may_sign_in": "1",
    }
    administrator.post(f"/people/{number_of(account, leaving)}", lesser).expect(303)

    join(server, link, 404)
    other = {"email": "ben-3@plant.example", "role": "collector"}
    join(server, link_shown(somebody.post("/people/invite", other)), 303)


def test_a_link_for_another_password_ends_when_its_user_may_do_more_than_its_maker(
    server, account, administrator
):
    clerk = visitor(account, "administration:write", "data_collection:read")
    email = email_of(account, "data_collection:read")
    link = link_shown(clerk.post(f"/people/{number_of(account, email)}/password"))

    more = {"role": "administrator", "may_sign_in": "yes"}
    administrator.post(f"/people/{number_of(account, email)}", more).expect(303)

    join(server, link, 404)


@pytest.mark.parametrize("kind", ["password", "sign_in"])
def test_links_that_were_made_for_whoever_is_shut_out_end_too(server, account, administrator, leaving, kind):
    number = number_of(account, leaving)

    async def make() -> str:
        async with server.database.write() as tx:
            return await make_user_link(tx, account.actor, number, kind)

    secret = server.run(make())
    shut_out(administrator, account, leaving)
    shut_out(administrator, account, leaving, may_sign_in="yes")

    path = "/enter" if kind == "sign_in" else "/join"
    Visitor(server).get(f"{path}?key={secret}").expect(404)


def test_an_invitation_ends_with_whoever_is_forgotten(server, account, leaving):
    somebody = Visitor(server).sign_in(leaving)
    typed = {"email": "ben-4@plant.example", "role": "administrator"}
    link = link_shown(somebody.post("/people/invite", typed))

    async def erase() -> None:
        async with server.database.write() as tx:
            await erase_person(tx, account.actor, leaving)

    server.run(erase())

    join(server, link, 404)


@pytest.fixture
def left(api, account, drain, leaving) -> dict:
    """What an administrator leaves: a token, and a link to a report that was made by it."""
    token = api.post("/api_tokens", {"api_token": ISSUED | {"user_email": leaving}}).expect(201).body
    report = reports.claims(api, drain, 5).report(4)
    own = Caller(account.server, token["token"])
    path = f"/reports/{report['id']}/links"
    link = own.post(path, {"link": {"name": "Verifier"}}).expect(201).body
    return {"token": token, "own": own, "link": link, "path": f"{path}/{link['id']}"}


def test_what_is_left_of_whoever_is_shut_out_is_listed(api, account, administrator, leaving, left):
    shut_out(administrator, account, leaving)

    of_user = {"filter[user_id][eq]": str(number_of(account, leaving))}
    [token] = api.get("/api_tokens", of_user).expect(200).data
    [link] = api.get("/report_links", {**of_user, "filter[status][eq]": "open"}).expect(200).data
    assert (token["id"], token["user"]["email"]) == (left["token"]["id"], leaving)
    assert (link["id"], link["user"]["email"]) == (left["link"]["id"], leaving)
    assert token["user"]["disabled_at"] == link["user"]["disabled_at"] is not None
    shown = administrator.get(f"/people/{number_of(account, leaving)}").expect(200).text
    assert "historian" in shown
    assert left["link"]["report_id"] in shown


def test_a_token_and_a_link_are_handed_over(api, account, leaving, left, anyone):
    shut_out(visitor(account), account, leaving)
    heir = email_of(account)

    token = api.patch(f"/api_tokens/{left['token']['id']}", {"api_token": {"user_email": heir}}).expect(200)
    link = api.patch(left["path"], {"link": {"user_email": heir}}).expect(200)

    assert token.body["user"]["email"] == link.body["user"]["email"] == heir
    assert token.body["permissions"] == left["token"]["permissions"]
    left["own"].get("/reports").expect(200)
    anyone.get(left["link"]["url"].partition("/api/v1")[2]).expect(200)
    of_user = {"filter[user_id][eq]": str(number_of(account, leaving))}
    assert api.get("/api_tokens", of_user).data == api.get("/report_links", of_user).data == []
    rows = account.server.sql(
        "SELECT action, after -> 'user' ->> 'id' FROM audit_log WHERE account_id = %s AND action LIKE %s",
        account.id, "%.reassign",
    )  # fmt: skip
    assert sorted(rows) == [
        ("api_token.reassign", str(number_of(account, heir))),
        ("report_link.reassign", str(number_of(account, heir))),
    ]


def test_the_page_of_a_person_hands_over_and_ends(api, account, leaving, left, anyone):
    administrator = visitor(account)
    home, heir = f"/people/{number_of(account, leaving)}", email_of(account)
    link = {"report": left["link"]["report_id"], "link": str(left["link"]["id"])}

    administrator.post(f"{home}/hand_over", {"token": str(left["token"]["id"]), "email": heir}).expect(303)
    administrator.post(f"{home}/end", link).expect(303)

    [token] = api.get("/api_tokens", {"filter[user_id][eq]": str(number_of(account, heir))}).data
    assert token["id"] == left["token"]["id"]
    anyone.get(left["link"]["url"].partition("/api/v1")[2]).expect(410)


@pytest.mark.parametrize("named", ["nobody@plant.example", "shut out", "stranger"])
def test_nothing_is_handed_over_to_somebody_who_may_not_act(api, account, administrator, left, named):
    heir = named
    if named == "shut out":
        heir = email_of(account)
        shut_out(administrator, account, heir)
    if named == "stranger":
        stranger = account.server.account()
        heir = email_of(stranger)

    of_token = api.patch(f"/api_tokens/{left['token']['id']}", {"api_token": {"user_email": heir}})
    of_link = api.patch(left["path"], {"link": {"user_email": heir}})

    assert of_token.expect(422).error["field"] == of_link.expect(422).error["field"] == "user_email"


def test_users_whose_addresses_differ_in_case_alone_are_named_as_they_are_spelled(api):
    low, high = (
        api.post("/api_tokens", {"api_token": ISSUED | {"user_email": email}}).expect(201).body
        for email in ("eve@plant.example", "Eve@plant.example")
    )
    assert low["user"]["id"] != high["user"]["id"]
    path = f"/api_tokens/{low['id']}"

    refused = api.patch(path, {"api_token": {"user_email": "EVE@plant.example"}}).expect(422).error
    taken = api.patch(path, {"api_token": {"user_email": "Eve@plant.example"}}).expect(200).body

    assert refused["message"] == (
        "api_token.user_email is 'EVE@plant.example', which is the address of 2 users: "
        "eve@plant.example and Eve@plant.example."
    )
    assert taken["user"] == high["user"]
