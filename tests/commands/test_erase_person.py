"""`weighbridge account erase-person`: a person is forgotten, and the books still tell who did what apart."""

import pytest
from tests.given import collection as given
from tests.given.sealing import seal_rows_of
from tests.server import Caller

from weighbridge.verification.audit_tree import check_trees

ADA = "ada@plant.example"


@pytest.fixture
def ada(api):
    """A caller whose token acts for Ada."""
    token = {"name": "Ada's laptop", "permissions": ["data_collection:write", "administration:write"]}
    made = api.post("/api_tokens", {"api_token": token | {"user_email": ADA}}).expect(201).body
    return Caller(api.server, made["token"])


def test_nothing_that_changes_tells_the_person_any_more(weighbridge, ada, account, account_name, sql):
    given.project(ada)
    [(user,)] = sql("SELECT id FROM users WHERE account_id = %s AND email = %s", account.id, ADA)

    done = weighbridge("account", "erase-person", "--email", ADA, "--account", account_name, "--json").expect(
        0
    )

    assert done.json == {"user_id": user}
    assert sql("SELECT email, name FROM users WHERE id = %s", user) == [(f"erased-{user}", f"erased-{user}")]
    told = sql("SELECT api_tokens::text FROM api_tokens WHERE account_id = %s", account.id)
    assert not [row for (row,) in told if "Ada" in row]


def test_the_audit_log_tells_by_the_same_number_who_did_what_and_its_chain_holds(
    weighbridge, ada, account, account_name, sql
):
    given.project(ada)
    weighbridge("account", "erase-person", "--email", ADA, "--account", account_name).expect(0)

    [(user,)] = sql(
        "SELECT user_id FROM audit_log WHERE account_id = %s AND action = 'project.create'", account.id
    )
    [(erased, after)] = sql(
        "SELECT object, after FROM audit_log WHERE account_id = %s AND action = 'user.erase'", account.id
    )
    assert erased == str(user)
    assert len(after["revoked_tokens"]) == 1

    async def complaints():
        assert await seal_rows_of(account.server.database, account.id) > 0
        async with account.server.database.read() as tx:
            return (await check_trees(tx))[1]

    assert account.server.run(complaints()) == []


def test_the_tokens_of_the_person_and_those_they_issued_open_nothing(weighbridge, ada, api, account_name):
    body = {
        "api_token": {"name": "other", "permissions": ["data_collection:read"], "user_email": "b@x.example"}
    }
    issued = Caller(api.server, ada.post("/api_tokens", body).expect(201).body["token"])

    weighbridge("account", "erase-person", "--email", ADA, "--account", account_name).expect(0)

    for caller in (ada, issued):
        assert caller.get("/projects").expect(401).error["code"] == "token_revoked"
    api.get("/projects").expect(200)


@pytest.mark.usefixtures("ada")
def test_a_revoked_token_leaves_no_address_in_the_audit_log(api, account, sql):
    [number] = [one["id"] for one in api.get("/api_tokens").data if one["user"]["email"] == ADA]

    api.delete(f"/api_tokens/{number}").expect(204)

    rows = sql("SELECT audit_log::text FROM audit_log WHERE account_id = %s", account.id)
    assert not [row for (row,) in rows if ADA in row]


@pytest.mark.parametrize(
    ("email", "said"),
    [
        ("nobody@plant.example", "The account has no user with the address nobody@plant.example.\n"),
        ("administrator", "'administrator' stands for the commands of this service and is no person.\n"),
    ],
)
def test_who_cannot_be_forgotten_is_refused(weighbridge, account_name, email, said):
    done = weighbridge("account", "erase-person", "--email", email, "--account", account_name).expect(1)

    assert done.err == said
