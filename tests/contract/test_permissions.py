"""Seed, Authentication: every request sends the API token in the `Authorization` header; tokens carry
permissions by area; tokens expire. Design, section 4: 401 without a usable token, 403 for a missing
permission (message names it), 404 also for another account's records.
"""

from typing import Any

import pytest
from tests.given.cases import tried_together
from tests.given.requests import (
    OPERATIONS,
    World,
    content_of,
    kind_of,
    noun_of,
    required_query,
    sent,
    unknown,
    world_of,
)
from tests.server import Caller, Server

from weighbridge.core.platform.permission import ALL_PERMISSIONS, ANY, LINK, assemble_token
from weighbridge.http.messages.operation import Operation
from weighbridge.http.openapi.parameters import names_in

NEEDING = [name for name, operation in OPERATIONS.items() if operation.permission not in {ANY, LINK}]
FOR_ANY = [name for name, operation in OPERATIONS.items() if operation.permission == ANY]
READS = [name for name, operation in OPERATIONS.items() if operation.permission.endswith(":read")]


def nowhere(operation: Operation, world: World) -> str:
    """The path of an operation with ids that no record has."""
    kinds = {name: kind_of(name) for name in names_in(operation.path)}
    return operation.path.format_map({name: unknown(kind, world.ids[kind]) for name, kind in kinds.items()})


@pytest.fixture(scope="module")
def world(server: Server) -> World:
    return world_of(server)


@pytest.fixture(scope="module")
def callers(world: World) -> dict[str, Caller]:
    """By permission, someone who has it alone; behind a minus sign, someone who has every other one."""
    alone = {one: world.account.caller(one) for one in ALL_PERMISSIONS}
    without = {
        f"-{one}": world.account.caller(*[other for other in ALL_PERMISSIONS if not includes(other, one)])
        for one in ALL_PERMISSIONS
    }
    return alone | without


def includes(held: str, needed: str) -> bool:
    """Whether one permission is the other, or is to write, approve or verify where the other is to read."""
    return held in {
        needed,
        *(needed.replace(":read", f":{level}") for level in ("write", "approve", "verify")),
    }


def asked(operation: Operation) -> Any:
    return content_of(operation) if operation.body is not None else None


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
        "Bearer " + assemble_token(1, "0" * 32)[:-1] + "?", "Bearer " + assemble_token(1, "0" * 32) + "0",
        "Bearer null",
        "Bearer " + assemble_token(1, "0" * 32).upper(), "bearer\t" + assemble_token(1, "0" * 32),
    ],
)  # fmt: skip
def test_a_malformed_token_is_refused(anyone, header):
    answer = anyone.send("GET", "/projects", headers={"authorization": header}).expect(401)

    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_header_that_is_not_ascii_is_refused(anyone):
    anyone.send("GET", "/projects", headers={"authorization": "Bearer wb_live_ümlaut".encode()}).expect(401)


def test_a_well_formed_token_that_was_never_made_is_refused(anyone):
    headers = {"authorization": f"Bearer {assemble_token(1, '0' * 32)}"}

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


@tried_together("name", OPERATIONS, under=noun_of)
def test_without_a_token_no_operation_tells_anything(anyone, world, name):
    operation = OPERATIONS[name]

    status = 404 if operation.permission == LINK else 401  # the link is the key
    sent(operation, world.path(operation), anyone, asked(operation)).expect(status)
    sent(operation, nowhere(operation, world), anyone, asked(operation)).expect(status)


@tried_together("name", NEEDING, under=noun_of)
def test_an_operation_is_refused_without_its_permission_and_nothing_changes(callers, world, sql, name):
    operation = OPERATIONS[name]
    written = "SELECT count(*) FROM audit_log WHERE account_id = %s"
    before = sql(written, world.account.id)

    answer = sent(operation, world.path(operation), callers[f"-{operation.permission}"], asked(operation))

    assert answer.expect(403).errors == [
        {"message": f"The token lacks the permission {operation.permission}.", "code": "permission_missing"}
    ]
    assert sql(written, world.account.id) == before


@tried_together("name", NEEDING, under=noun_of)
def test_an_operation_takes_no_other_permission_than_its_own(callers, world, name):
    assert_is_let_in(OPERATIONS[name], callers[OPERATIONS[name].permission], world)


def test_any_token_has_its_projects_flags_tasks_views_changes_and_proofs():
    assert sorted(FOR_ANY) == [
        "cancel_async_task", "create_saved_view", "delete_saved_view", "get_async_task",
        "get_audit_consistency", "get_audit_head", "get_audit_key", "get_audit_keys", "get_audit_proof",
        "get_cosigned_head", "get_export", "get_feature_flags", "get_project", "get_saved_view",
        "issue_ticket", "list_async_tasks", "list_changes", "list_projects", "list_saved_views",
        "update_saved_view",
    ]  # fmt: skip


@pytest.mark.parametrize("name", FOR_ANY)
@pytest.mark.parametrize("permission", ALL_PERMISSIONS)
def test_an_operation_for_any_token_takes_each(callers, world, name, permission):
    assert_is_let_in(OPERATIONS[name], callers[permission], world)


@tried_together("name", READS, under=noun_of)
def test_permission_to_write_includes_reading(callers, world, name):
    writing = OPERATIONS[name].permission.replace(":read", ":write")

    assert_is_let_in(OPERATIONS[name], callers[writing], world)


def assert_is_let_in(operation: Operation, caller: Caller, world: World) -> None:
    """Ask for what is not there: whoever may ask is told so, or without an id in the path, answered."""
    path, query = nowhere(operation, world), required_query(operation, world)

    answer = sent(operation, path, caller, asked(operation), query)

    assert answer.status not in {401, 403}, answer.text
    assert not names_in(operation.path) or answer.status == 404, answer.text
