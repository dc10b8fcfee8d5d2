"""Who gives permissions of single projects, by tokens, invitations and groups: nobody more than their own."""

import re

import pytest
from tests.given.people import PASSWORD, Visitor, actor_of, email_of, visitor
from tests.given.requests import PROVIDER
from tests.platform.project_roles.conftest import within

ADMINISTERS = "administration:write"
LINK = """
    INSERT INTO provider_people (account_id, user_id, provider_id, subject, groups)
    VALUES (%s, %s, %s, 's', '{operators}') RETURNING user_id
"""


def asked(*permissions):
    return {"api_token": {"name": "Scale", "permissions": [*permissions]}}


def test_a_token_of_one_project_is_made_and_shown_with_it(api, mine):
    held = within(mine, "data_collection:write")

    made = api.post("/api_tokens", asked(*held)).expect(201).body

    assert made["permissions"] == held
    assert api.get("/api_tokens", {"sort": "-id"}).data[0]["permissions"] == held


@pytest.mark.parametrize(
    ("permission", "message"),
    [
        ("administration:read@{}", "The permission 'administration:read@"),
        ("data_collection:read@", "The permission 'data_collection:read@'"),
        ("data_collection:read@1", "The permission 'data_collection:read@1'"),
        ("data_collection:look@{}", "The permission 'data_collection:look@"),
        ("data_collection:read@prj_" + "0" * 24, "The permission 'data_collection:read@prj_0"),
        ("data_collection:read@{}@{}", "The permission 'data_collection:read@"),
    ],
)
def test_a_permission_that_there_is_not_in_a_project_is_refused(api, mine, permission, message):
    project = mine.project["id"]

    refused = api.post("/api_tokens", asked(permission.format(project, project))).expect(422)

    assert refused.errors[0]["message"].startswith(message)


def test_a_project_of_another_account_is_no_project(api, server):
    other = server.account().caller().post("/projects", {"project": {"name": "P"}}).expect(201).body["id"]

    refused = api.post("/api_tokens", asked(f"data_collection:read@{other}")).expect(422)

    assert refused.errors[0]["message"] == (f"api_token.permissions: {other!r} is no project of the account.")


def test_nobody_gives_a_token_more_than_they_hold_in_the_project(account, mine, theirs):
    administrator = account.caller(ADMINISTERS, *within(mine, "data_collection:write"))

    administrator.post("/api_tokens", asked(*within(mine, "data_collection:read"))).expect(201)
    for beyond in (
        within(theirs, "data_collection:read"),
        within(mine, "data_rules:read"),
        ["data_collection:read"],
    ):
        refused = administrator.post("/api_tokens", asked(*beyond)).expect(403)
        assert refused.errors[0]["code"] == "permission_missing"


def test_nobody_revokes_or_hands_over_a_token_that_may_do_more_in_a_project(account, api, mine, theirs):
    held = api.post("/api_tokens", asked(*within(theirs, "data_collection:read"))).expect(201).body["id"]
    administrator = account.caller(ADMINISTERS, *within(mine))
    somebody = email_of(account, "data_collection:read")

    administrator.delete(f"/api_tokens/{held}").expect(403)
    handed = {"api_token": {"user_email": somebody}}
    administrator.patch(f"/api_tokens/{held}", handed).expect(403)


def test_nobody_acts_on_somebody_who_may_do_more_in_a_project(account, mine, theirs):
    administrator = visitor(account, ADMINISTERS, *within(mine))
    equal = actor_of(account, email_of(account, *within(mine, "data_rules:write"))).user_id
    above = actor_of(account, email_of(account, *within(theirs, "data_collection:read"))).user_id
    administrator.get("/people").expect(200)

    refused = administrator.post(f"/people/{above}/password").expect(403)
    administrator.post(f"/people/{equal}/password").expect(200)

    assert f"data_collection:read@{theirs.project['id']}" in refused.text


def test_a_person_has_roles_by_project_and_sees_nothing_else(account, mine, theirs):
    email = email_of(account, "data_collection:read")
    number = actor_of(account, email).user_id
    administrator, person = visitor(account), Visitor(account.server).sign_in(email)
    administrator.get(f"/people/{number}").expect(200)

    roles = {"role": "none", f"role_in_{mine.project['id']}": "reader", "may_sign_in": "yes"}
    administrator.post(f"/people/{number}", roles).expect(303)

    assert person.get(f"/projects/{mine.project['id']}/events").status == 200
    assert person.get(f"/projects/{theirs.project['id']}/events").status == 404
    assert theirs.project["name"] not in person.get("/projects").text
    shown = administrator.get("/people").expect(200).text
    assert "Reader of 1 project" in shown
    [written] = account.sql(
        "SELECT after -> 'permissions' FROM audit_log WHERE account_id = %s AND action = 'user.update'",
        account.id,
    )
    assert {*written[0]} == {
        *within(mine, "data_collection:read", "data_rules:read", "production_accounting:read")
    }


def test_an_administrator_of_the_account_always_remains(account, mine):
    [(number,)] = account.sql(
        "SELECT id FROM users WHERE account_id = %s AND email = %s", account.id, email := email_of(account)
    )
    administrator = Visitor(account.server).sign_in(email)
    administrator.get(f"/people/{number}").expect(200)

    roles = {"role": "none", f"role_in_{mine.project['id']}": "member", "may_sign_in": "yes"}
    refused = administrator.post(f"/people/{number}", roles).expect(409)

    assert "must have an administrator" in refused.text
    administrator.get("/people").expect(200)


def test_whoever_is_invited_to_a_project_joins_with_its_role(account, mine, theirs):
    administrator, email = visitor(account), f"invited-{account.id}@plant.example"
    administrator.get("/people").expect(200)

    shown = administrator.post(
        "/people/invite",
        {"email": email, "role": "none", f"role_in_{mine.project['id']}": "collector"},
    ).expect(200)

    [key, *_] = re.findall(r"/join\?key=([\w.-]+)", shown.text)
    somebody = Visitor(account.server)
    typed = {"key": key, "password": PASSWORD, "again": PASSWORD, "name": "Rea"}
    somebody.post("/join", typed).expect(303)
    assert somebody.get(f"/projects/{mine.project['id']}/events").status == 200
    assert somebody.get(f"/projects/{theirs.project['id']}").status == 404


def test_an_invitation_ends_once_its_maker_holds_less_in_the_project(account, mine):
    email, maker = f"invited-{account.id}@plant.example", email_of(account, ADMINISTERS, *within(mine))
    administrator = Visitor(account.server).sign_in(maker)
    administrator.get("/people").expect(200)
    role = {"email": email, "role": "none", f"role_in_{mine.project['id']}": "collector"}
    administrator.post("/people/invite", role).expect(200)
    open_links = "SELECT count(*) FROM access_links WHERE account_id = %s AND kind = 'join'"
    assert account.sql(open_links, account.id) == [(1,)]
    assert email in administrator.get("/people").text

    account.sql(
        "UPDATE users SET permissions = %s WHERE account_id = %s AND email = %s RETURNING id",
        [ADMINISTERS, *within(mine, "data_collection:read")],
        account.id,
        maker,
    )

    assert email not in administrator.get("/people").expect(200).text


def test_a_group_gives_a_role_in_a_project(account, api, mine):
    roles = [
        {"group": "operators", "role": "member", "project_id": mine.project["id"]},
        {"group": "office", "role": "reader"},
    ]
    made = api.post("/identity_providers", {"identity_provider": PROVIDER | {"roles": roles}}).expect(201)
    email = email_of(account, "data_collection:write")
    account.sql(LINK, account.id, actor_of(account, email).user_id, made.body["id"])

    # The groups that the provider last said of its people give what the roles say, from now on.
    roles[0]["role"] = "collector"
    path = f"/identity_providers/{made.body['id']}"
    api.patch(path, {"identity_provider": {"roles": roles}}).expect(200)

    assert actor_of(account, email).permissions == {*within(mine, "data_collection:write")}
    assert made.body["roles"][1] == {"group": "office", "role": "reader", "project_id": None}


@pytest.mark.parametrize(
    ("role", "project", "code"),
    [
        ("administrator", "{}", "invalid"),
        ("reader", "prj_" + "0" * 24, "unknown"),
        ("reader", "1", "unknown"),
    ],
)
def test_a_group_has_no_role_in_a_project_that_is_none(api, mine, role, project, code):
    roles = [{"group": "a", "role": role, "project_id": project.format(mine.project["id"])}]

    refused = api.post("/identity_providers", {"identity_provider": PROVIDER | {"roles": roles}}).expect(422)

    assert refused.errors[0]["field"] == "roles[0].project_id"
    assert refused.errors[0]["code"] == code


def test_nobody_gives_by_a_group_more_than_they_hold_in_the_project(account, mine, theirs):
    administrator = account.caller(ADMINISTERS, *within(mine))
    roles = [{"group": "a", "role": "reader", "project_id": theirs.project["id"]}]

    administrator.post("/identity_providers", {"identity_provider": PROVIDER | {"roles": roles}}).expect(403)
