"""Nobody locks an account out of itself, nobody gives by a group what they may not do, and secrets stay put:
create_identity_provider, update_identity_provider, delete_identity_provider, release_user.
"""

import asyncio

import pytest
from tests.given.people import PASSWORD, Visitor, actor_of, email_of, visitor
from tests.given.requests import PROVIDER

from weighbridge.errors import Conflict
from weighbridge.platform.users import get_user, update_user

LINK = """
    INSERT INTO provider_people (account_id, user_id, provider_id, subject, groups)
    VALUES (%s, %s, %s, 's', '{operators}') RETURNING user_id
"""
KEEPS = "UPDATE users SET keeps_password = true WHERE email = %s RETURNING id"


def made(api, **fields):
    return api.post("/identity_providers", {"identity_provider": PROVIDER | fields}).expect(201).body


def test_a_record_never_shows_its_secret(account, api):
    provider = made(api)

    shown = api.get(f"/identity_providers/{provider['id']}").expect(200)

    assert "client_secret" not in shown.body
    assert PROVIDER["client_secret"] not in shown.text
    rows = account.sql("SELECT after::text FROM audit_log WHERE account_id = %s", account.id)
    assert all(PROVIDER["client_secret"] not in (text or "") for (text,) in rows)


def test_another_issuer_takes_its_secret_anew(api):
    provider = made(api)
    path = f"/identity_providers/{provider['id']}"

    refused = api.patch(path, {"identity_provider": {"issuer": "https://other.example"}}).expect(422)
    api.patch(path, {"identity_provider": {"issuer": "https://other.example", "client_secret": "w"}}).expect(
        200
    )

    assert "the secret is not sent to another one" in refused.error["message"]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"issuer": "http://id.plant.example"}, "issuer"),
        ({"issuer": "https://id.plant.example?x=1"}, "issuer"),
        ({"issuer": "https://me:word@id.plant.example"}, "issuer"),
        ({"domains": []}, "domains"),
        ({"domains": ["*"]}, "domains[0]"),
        ({"domains": ["ada@plant.example"]}, "domains[0]"),
        ({"roles": [{"group": "a", "role": "reader"}] * 201}, "roles"),
        ({"roles": [{"group": "", "role": "reader"}]}, "roles[0].group"),
        ({"client_secret": ""}, "client_secret"),
    ],
)
def test_what_is_no_provider_is_refused_by_field(api, fields, named):
    refused = api.post("/identity_providers", {"identity_provider": PROVIDER | fields}).expect(422)

    assert refused.errors[0]["field"] == named, refused.text


def test_nobody_gives_by_a_group_what_they_may_not_do(account, api):
    provider = made(api, roles=[{"group": "owners", "role": "administrator"}])
    lesser = account.caller("administration:write", "data_collection:read")
    path = f"/identity_providers/{provider['id']}"

    for refused in (
        lesser.post("/identity_providers", {"identity_provider": PROVIDER | {"name": "Other"}}),
        lesser.patch(path, {"identity_provider": {"roles": [{"group": "a", "role": "collector"}]}}),
        lesser.delete(path),
    ):
        assert "Nobody gives by a group what they may not do themselves" in refused.expect(403).text


def test_passwords_are_not_switched_off_while_nobody_keeps_theirs(server, account, api):
    email_of(account)
    provider = made(api)
    path = f"/identity_providers/{provider['id']}"
    by_password = {"identity_provider": {"is_required": True}}

    refused = api.patch(path, by_password).expect(409)
    at_once = {"identity_provider": PROVIDER | {"name": "Other", "is_required": True}}
    api.post("/identity_providers", at_once).expect(409)

    assert "must have an administrator who signs in with a password" in refused.text
    keeper, other = email_of(account), email_of(account)
    account.sql(KEEPS, keeper)
    somebody = Visitor(server).sign_in(other)
    api.patch(path, by_password).expect(200)
    somebody.get("/me").expect(303)
    Visitor(server).sign_in(keeper)
    answer = Visitor(server).post("/sign_in", {"email": other, "password": PASSWORD}).expect(401)
    assert "You sign in by the identity provider of your account" in answer.text


def test_the_last_who_keeps_a_password_goes_on_keeping_it(account, api):
    keeper = email_of(account)
    account.sql(KEEPS, keeper)
    made(api, is_required=True)
    somebody = Visitor(account.server).sign_in(keeper)
    number = actor_of(account, keeper).user_id
    somebody.get(f"/people/{number}").expect(200)

    refused = somebody.post(f"/people/{number}", {"role": "administrator", "may_sign_in": "yes"}).expect(409)

    assert "must have an administrator who signs in with a password" in refused.text
    Visitor(account.server).sign_in(keeper)


def test_of_two_who_give_up_their_password_at_once_one_is_refused(account, api):
    keepers = [actor_of(account, email_of(account)) for _ in range(2)]
    account.sql("UPDATE users SET keeps_password = true WHERE account_id = %s RETURNING id", account.id)
    made(api, is_required=True)

    async def give_up(keeper):
        try:
            async with account.database.write() as tx:
                user = await get_user(tx, keeper, keeper.user_id)
                await update_user(
                    tx, keeper, user.id, permissions=user.permissions, may_sign_in=True, keeps_password=False
                )
        except Conflict:
            return "refused"
        return "done"

    async def both():
        return await asyncio.gather(*(give_up(keeper) for keeper in keepers))

    outcomes = account.server.run(both())

    assert sorted(outcomes) == ["done", "refused"]
    left = account.sql(
        "SELECT count(*) FROM users WHERE account_id = %s AND keeps_password AND password_hash IS NOT NULL",
        account.id,
    )
    assert left == [(1,)]


def test_another_role_of_a_linked_person_is_refused_and_whoever_is_released_needs_a_password(account, api):
    provider, email = made(api), email_of(account, "data_collection:write")
    number = actor_of(account, email).user_id
    account.sql(LINK, account.id, number, provider["id"])
    administrator = visitor(account)
    administrator.get(f"/people/{number}").expect(200)

    other = {"role": "reader", "may_sign_in": "yes"}
    refused = administrator.post(f"/people/{number}", other).expect(409)
    administrator.post(f"/people/{number}/password").expect(409)
    administrator.post(f"/people/{number}/release").expect(303)
    administrator.post(f"/people/{number}", other).expect(303)

    assert "follows from their groups at Plant directory" in refused.text


def test_deleting_a_provider_releases_its_people(account, api):
    provider, email = made(api), email_of(account, "data_collection:write")
    account.sql(LINK, account.id, actor_of(account, email).user_id, provider["id"])

    api.delete(f"/identity_providers/{provider['id']}").expect(204)

    assert account.sql("SELECT 1 FROM provider_people WHERE account_id = %s", account.id) == []
    Visitor(account.server).sign_in(email)


def test_roles_of_groups_that_change_count_at_once(account, api):
    provider, email = made(api), email_of(account, "data_collection:write")
    account.sql(LINK, account.id, actor_of(account, email).user_id, provider["id"])

    roles = [{"group": "operators", "role": "reader"}]
    api.patch(f"/identity_providers/{provider['id']}", {"identity_provider": {"roles": roles}}).expect(200)

    [(permissions,)] = account.sql("SELECT permissions FROM users WHERE email = %s", email)
    assert set(permissions) == {"data_collection:read", "data_rules:read", "production_accounting:read"}


def test_a_provider_is_typed_in_and_rows_left_empty_give_nobody_a_role(account, api):
    administrator = visitor(account)
    page = administrator.get("/identity_providers/new").expect(200)
    typed = {name: text for name, text in PROVIDER.items() if isinstance(text, str)}
    rows = {
        "roles[0].group": "operators",
        "roles[0].role": "collector",
        "roles[1].group": "",
        "roles[1].role": "reader",
    }

    administrator.post("/identity_providers/new", typed | {"domains": "plant.example"} | rows).expect(303)

    assert 'name="roles[0].group"' in page.text
    [made_one] = api.get("/identity_providers").expect(200).data
    assert made_one["roles"] == [{"group": "operators", "role": "collector", "project_id": None}]
