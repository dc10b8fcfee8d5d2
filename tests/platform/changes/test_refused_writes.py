"""Writes that were refused leave rows too: one for each token, operation and minute."""

import pytest
from tests.given import collection as given
from tests.given import reports
from tests.given.counted import merge_minutes

from weighbridge.platform.audit_log import PATH_LENGTH_MAX, log_refusals


@pytest.fixture
def told(server, account, sql):
    """What the audit log tells of refusals once their minute is over."""

    async def tell():
        async with server.database.write() as tx:
            await log_refusals(tx)

    def rows():
        sql("UPDATE audit_refusals SET minute = (SELECT minute - interval '1 hour')")
        server.run(tell())
        return sql(
            """
            SELECT user_id, token_id, request_id, object, after FROM audit_log
             WHERE account_id = %s AND action = 'write.refuse' ORDER BY id
            """,
            account.id,
        )

    return rows


def test_a_write_without_the_permission_leaves_a_row(account, told):
    reader = account.caller("data_collection:read")
    reader.post("/projects", {"project": {"name": "North"}}).expect(403)

    [(user, token, request_id, target, after)] = told()

    assert (user, target) == (account.actor.user_id, "create_project")
    assert token is not None
    assert request_id.startswith("req_")
    assert {name: after[name] for name in ("method", "path", "status", "code", "refusals")} == {
        "method": "POST", "path": "/api/v1/projects", "status": 403, "code": "permission_missing",
        "refusals": 1,
    }  # fmt: skip
    assert after["first_at"] == after["last_at"]


def test_repeats_of_one_token_and_operation_share_a_row(account, told):
    first, second = account.caller("data_collection:read"), account.caller("data_collection:read")
    for _ in range(20):
        first.post("/projects", {"project": {"name": "North"}}).expect(403)
    first.post("/models", {"model": {"yaml": ""}}).expect(403)
    second.post("/projects", {"project": {"name": "North"}}).expect(403)

    rows = merge_minutes(told(), "refusals")

    assert [(row[3], row[4]["refusals"]) for row in rows] == [
        ("create_project", 20), ("create_model", 1), ("create_project", 1),
    ]  # fmt: skip
    assert rows[0][1] == rows[1][1] != rows[2][1]


def test_refusals_of_the_running_minute_wait_for_its_end(server, account, sql, told):
    account.caller("data_collection:read").post("/projects", {"project": {"name": "North"}}).expect(403)
    sql("UPDATE audit_refusals SET minute = now() + interval '1 hour'")

    async def tell():
        async with server.database.write() as tx:
            return await log_refusals(tx)

    assert server.run(tell()) == 0
    sql("UPDATE audit_refusals SET minute = now()")
    assert len(told()) == 1


def test_reading_and_asking_without_the_permission_leaves_no_row(account, told):
    caller = account.caller("administration:read")
    caller.get("/models").expect(403)
    caller.post("/models/yaml_validate", {"yaml": ""}).expect(403)

    assert told() == []


def test_a_request_without_a_token_that_is_known_leaves_no_row(server, told):
    server.anyone.post("/projects", {"project": {"name": "North"}}).expect(401)

    assert told() == []


def test_what_a_caller_makes_up_is_cut(account, told):
    reader = account.caller("data_collection:read")
    reader.patch(f"/projects/{'x' * 2000}", {"project": {"name": "North"}}).expect(403)

    [(*_, after)] = told()

    assert len(after["path"]) == PATH_LENGTH_MAX


def test_an_administrator_finds_who_tried_what(api, account, told):
    account.caller("data_collection:read").post("/projects", {"project": {"name": "North"}}).expect(403)
    told()

    (row,) = api.get("/audit_log", {"filter[action][eq]": "write.refuse"}).data

    assert (row["object"], row["before"], row["after"]["refusals"]) == ("create_project", None, 1)


def test_a_refused_write_is_told_however_the_database_is_then(account, api, server, told):
    given.project(api)
    server.change_form("ALTER TABLE audit_refusals RENAME TO audit_refusals_away")
    try:
        account.caller("data_collection:read").post("/projects", {"project": {"name": "N"}}).expect(403)
    finally:
        server.change_form("ALTER TABLE audit_refusals_away RENAME TO audit_refusals")

    assert told() == []


def test_a_submission_that_does_not_meet_its_requirements_leaves_a_row_and_repeats_share_it(
    account, drain, told
):
    claims = reports.claims(account.caller(), drain, 10)
    report = claims.report()
    path = f"/reports/{report['id']}/submit"
    claims.plant.api.post(path, {}).expect(422)
    claims.plant.api.post(path, {}).expect(422)
    claims.plant.api.patch(f"/reports/{report['id']}", {"report": {"name": " "}}).expect(422)
    account.caller("production_accounting:read").post(path, {}).expect(403)

    said = [(target, {name: after[name] for name in ("path", "status", "code", "refusals")})
            for _, _, _, target, after in merge_minutes(told(), "refusals")]  # fmt: skip

    row = {"path": f"/api/v1{path}"}
    assert said == [
        ("submit_report", row | {"status": 422, "code": "requirements", "refusals": 2}),
        ("submit_report", row | {"status": 403, "code": "permission_missing", "refusals": 1}),
    ]
