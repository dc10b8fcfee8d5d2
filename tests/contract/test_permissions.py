"""Seed, Authentication: every request sends the API token in the `Authorization` header; tokens carry
permissions by area; tokens expire. Design, section 4: 401 without a usable token, 403 for a missing
permission (message names it), 404 also for another account's records.
"""

import pytest
from tests.given import collection as given

from weighbridge.core.platform.token import assemble

READS = [
    "/projects", "/projects/{p}", "/projects/{p}/event_types", "/projects/{p}/event_types/{et}",
    "/projects/{p}/locations", "/feedstocks", "/projects/{p}/feedstocks", "/projects/{p}/events",
    "/projects/{p}/events/{evt}", "/projects/{p}/data_points",
]  # fmt: skip

WRITES = {
    "/projects": ("administration:write", {"project": {"name": "Plant"}}),
    "/projects/{p}/event_types": (
        "data_collection:write",
        {"event_type": {"name": "New", "data_point_types": []}},
    ),
    "/projects/{p}/locations": ("data_collection:write", {"location": {"name": "Yard"}}),
    "/projects/{p}/feedstocks": ("data_collection:write", {"feedstock": {"name": "Wood"}}),
    "/projects/{p}/events": ("data_collection:write", {"event": given.event_body()}),
}


@pytest.fixture
def known(api):
    """The ids of one record of each kind, by the short names that the paths above use."""
    project = given.project(api)
    event_type = given.event_type(api, project)
    return {"p": project["id"], "et": event_type["id"], "evt": given.event(api, project)["id"]}


def test_a_request_without_a_token_is_refused(anyone):
    answer = anyone.get("/projects").expect(401)

    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert (
        answer.error["message"] == "The request carries no token; send it as Authorization: Bearer <token>."
    )


@pytest.mark.parametrize(
    "header",
    [
        "", "Bearer", "Basic dXNlcjpwYXNz", "Bearer wb_live_", "Bearer x", "x" * 5000,
        "Bearer " + assemble("0" * 32)[:-1] + "?", "Bearer " + assemble("0" * 32) + "0", "Bearer null",
        "Bearer " + assemble("0" * 32).upper(), "bearer\t" + assemble("0" * 32),
    ],
)  # fmt: skip
def test_a_malformed_token_is_refused(anyone, header):
    answer = anyone.send("GET", "/projects", headers={"authorization": header}).expect(401)

    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_header_that_is_not_ascii_is_refused(anyone):
    anyone.send("GET", "/projects", headers={"authorization": "Bearer wb_live_ümlaut".encode()}).expect(401)


def test_a_well_formed_token_that_was_never_made_is_refused(anyone):
    headers = {"authorization": f"Bearer {assemble('0' * 32)}"}

    answer = anyone.send("GET", "/projects", headers=headers).expect(401)

    assert answer.error["message"] == "The token is not one of this service."


def test_an_expired_token_is_refused(account):
    answer = account.expired_caller().get("/projects").expect(401)

    assert answer.error["message"] == "The token has expired."
    assert answer.headers["www-authenticate"] == 'Bearer error="invalid_token"'


def test_a_revoked_token_is_refused(api, account, sql):
    api.get("/projects").expect(200)

    sql("UPDATE api_tokens SET revoked_at = now() WHERE account_id = %s", account.id)

    assert api.get("/projects").expect(401).error["message"] == "The token has been revoked."


def test_a_token_that_never_expires_is_accepted(api, account, sql):
    sql("UPDATE api_tokens SET expires_at = NULL WHERE account_id = %s", account.id)

    api.get("/projects").expect(200)


@pytest.mark.parametrize("form", ["{}", "Bearer {}", "bearer {}", "BEARER   {}"])
def test_a_token_is_accepted_bare_and_as_bearer(api, anyone, form):
    anyone.send("GET", "/projects", headers={"authorization": form.format(api.token)}).expect(200)


def test_a_refused_token_is_refused_before_the_path_tells_anything(anyone, known):
    anyone.get(f"/projects/{known['p']}").expect(401)
    anyone.get("/projects/prj_0").expect(401)


@pytest.mark.parametrize("path", READS)
def test_reading_collected_data_takes_the_permission_to_read_it(account, known, path):
    others = account.caller("production_accounting:write", "data_rules:write", "administration:write")

    answer = others.get(path.format(**known)).expect(403)
    account.caller("data_collection:read").get(path.format(**known)).expect(200)

    assert answer.error["message"] == "The token lacks the permission data_collection:read."


@pytest.mark.parametrize("path", WRITES)
def test_writing_takes_the_permission_to_write(account, known, path):
    permission, body = WRITES[path]
    area = permission.partition(":")[0]
    readers = ("data_collection:read", "production_accounting:read", "data_rules:read", "administration:read")

    answer = account.caller(*readers).post(path.format(**known), body).expect(403)
    account.caller(f"{area}:write").post(path.format(**known), body).expect(201)

    assert answer.error["message"] == f"The token lacks the permission {permission}."


@pytest.mark.parametrize("path", READS)
def test_permission_to_write_includes_reading(account, known, path):
    account.caller("data_collection:write").get(path.format(**known)).expect(200)


def test_tasks_take_production_accounting(account):
    account.caller("production_accounting:read").get("/async_tasks").expect(200)

    error = account.caller("data_collection:write").get("/async_tasks").expect(403).error

    assert error["message"] == "The token lacks the permission production_accounting:read."


def test_a_refused_writer_changes_nothing(account, known, api):
    account.caller("data_collection:read").post(
        f"/projects/{known['p']}/locations", {"location": {"name": "Yard"}}
    ).expect(403)

    assert api.get(f"/projects/{known['p']}/locations").data == []


@pytest.mark.parametrize("path", [path for path in READS if "{p}" in path])
def test_another_accounts_records_are_not_found_to_read(stranger, known, path):
    assert stranger.get(path.format(**known)).expect(404).errors == [{"message": "record not found"}]


@pytest.mark.parametrize("path", [path for path in WRITES if "{p}" in path])
def test_another_accounts_project_is_not_found_to_write_to(stranger, known, path):
    _, body = WRITES[path]

    assert stranger.post(path.format(**known), body).expect(404).errors == [{"message": "record not found"}]
