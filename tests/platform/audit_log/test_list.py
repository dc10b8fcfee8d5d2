"""GET /audit_log: every write, with its place in the sealed chain."""

from tests.given import collection as given

from weighbridge.platform.audit_tree import seal_account


def seal(server, account):
    async def run():
        async with server.database.write() as tx:
            await seal_account(tx, account.id)

    server.run(run())


def test_a_write_is_listed_with_actor_object_and_what_it_made(api):
    project = given.project(api, name="North")

    (row,) = api.get("/audit_log", {"filter[action][eq]": "project.create"}).data

    assert (row["object"], row["project_id"]) == (project["id"], project["id"])
    assert row["after"]["name"] == "North"
    assert (row["before"], row["number"], row["hash"]) == (None, None, None)


def test_a_sealed_write_has_its_number_and_hash(server, api, account):
    given.project(api)
    seal(server, account)

    (row,) = api.get("/audit_log", {"filter[action][eq]": "project.create"}).data

    assert row["number"] > 0
    assert len(bytes.fromhex(row["hash"])) == 32


def test_a_reader_follows_the_log_by_number(server, api, account):
    for _ in range(3):
        given.project(api)
    seal(server, account)

    rows = api.get("/audit_log", {"sort": "number", "filter[number][geq]": "2"}).data

    assert [row["number"] for row in rows] == list(range(2, 2 + len(rows)))


def test_what_one_person_wrote_in_a_time_is_listed(api):
    given.project(api, name="North")
    [row] = api.get("/audit_log", {"filter[action]": "project.create"}).data
    day = {"filter[at][geq]": row["at"], "filter[at][leq]": row["at"]}

    assert row in api.get("/audit_log", {"filter[user_id]": str(row["user_id"])} | day).data
    assert api.get("/audit_log", {"filter[user_id]": str(row["user_id"] + 1)} | day).data == []
    assert row not in api.get("/audit_log", {"filter[at][geq]": "2999-01-01T00:00:00Z"}).data


def test_the_writes_to_one_kind_of_record_are_listed(api):
    made = given.project(api, name="South")
    given.event_type(api, made)

    kinds = {row["action"] for row in api.get("/audit_log", {"filter[kind]": "event_type"}).data}

    assert kinds == {"event_type.create"}
    assert api.get("/audit_log", {"filter[kind]": "event_typ"}).data == []


def test_another_accounts_writes_are_not_listed(api, stranger):
    given.project(stranger)

    assert api.get("/audit_log", {"filter[action][eq]": "project.create"}).data == []


def test_reading_the_log_needs_administration(account):
    caller = account.caller("data_collection:write")

    caller.get("/audit_log").expect(403)
