"""Roles by project: a permission that ends in the id of a project holds in that project and nowhere else.

The matrix is made from the table of contents of the service, as that of accounts in `test_tenancy.py`: who
has every permission of one project of an account meets each operation, and each place of a request where an
id stands, with records of another project, and learns no more than by records that never were.
With records of their own project they are answered as those who have the permissions of the account.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from itertools import cycle
from typing import Any

import pytest
from tests.contract.test_tenancy import ELSEWHERE, body_places, path_places, path_with, query_places, told
from tests.given.cases import tried_together
from tests.given.requests import (  # fmt: skip
    DOCUMENT,
    OF_AN_ACCOUNT,
    OPERATIONS,
    World,
    content_of,
    kind_of,
    noun_of,
    placed_in,
    required_query,
    sent,
    unknown,
    world_of,
)
from tests.server import Server

from weighbridge.core.platform.permission import ANY, IN_PROJECT, LINK, PROJECT_PERMISSIONS
from weighbridge.http.admission import OF_A_PROJECT
from weighbridge.http.messages.operation import Operation
from weighbridge.http.openapi.parameters import names_in

CALLERS = 10


def is_let_in(operation: Operation) -> bool:
    """Whether an operation is for those whose permissions are of single projects; written apart."""
    names = {*names_in(operation.path)}
    return not operation.permission.startswith("administration:") and (
        operation.spans_projects or operation.permission == ANY or not OF_A_PROJECT.isdisjoint(names)
    )


ASKED = {name: one for name, one in OPERATIONS.items() if one.permission != LINK}
LET_IN = {name: one for name, one in ASKED.items() if is_let_in(one)}
OF_THE_ACCOUNT = [name for name in ASKED if name not in LET_IN]
LISTS = [name for name, one in LET_IN.items() if one.listing is not None and not names_in(one.path)]


def limited_to(world: World) -> World:
    """The same world for callers who have every permission that there is of its project, and no other."""
    project = world.ids["project"]
    held = [f"{permission}{IN_PROJECT}{project}" for permission in PROJECT_PERMISSIONS]
    return replace(world, callers=cycle([world.account.caller(*held) for _ in range(CALLERS)]))


@pytest.fixture(scope="module")
def whole_worlds(server: Server) -> tuple[World, World]:
    """Two projects of an account, one record of each kind in each, and callers who may do everything."""
    first = world_of(server)
    return first, world_of(server, beside=first)


@pytest.fixture(scope="module")
def worlds(whole_worlds: tuple[World, World]) -> tuple[World, World]:
    """The project of the caller, and the one whose records it names, in which it may do nothing."""
    theirs, mine = whole_worlds
    return limited_to(mine), theirs


@pytest.fixture
def written(worlds: tuple[World, World], server: Server):
    """Counts the writes of the account, but for those that say what was refused for want of a permission."""
    statement = "SELECT count(*) FROM audit_log WHERE account_id = %s AND action <> 'write.refuse'"
    return lambda: server.sql(statement, worlds[0].account.id)


def is_shared(kind: str) -> bool:
    """Whether records of a kind are of no project, or of the user whom all tokens here act for."""
    return kind.removesuffix("_number") in OF_AN_ACCOUNT or kind in {"user", "package"}


def test_these_operations_look_after_projects_by_themselves():
    assert sorted(name for name, one in OPERATIONS.items() if one.spans_projects) == [
        "activate_model", "compare_models", "compare_over_period", "create_ledger", "create_model",
        "create_model_run", "create_model_version", "create_report", "download_methodology_package",
        "download_model_document", "get_methodology", "get_methodology_package", "get_model",
        "get_model_schema", "get_registry", "get_rule_run", "list_assets", "list_batches", "list_feedstocks",
        "list_ledgers", "list_library_packages", "list_links_of_account", "list_locations_of_account",
        "list_methodologies", "list_methodology_packages", "list_model_runs", "list_model_versions",
        "list_models", "list_registries", "list_registry_catalogue", "list_reports", "reverse_rule_run",
        "set_version_label", "simulate_model", "update_model", "validate_model_yaml", "validate_yaml",
    ]  # fmt: skip


def test_the_document_says_which_operations_are_for_permissions_of_single_projects():
    said = {
        one["operationId"]: one["x-permission-by-project"]
        for methods in DOCUMENT["paths"].values()
        for one in methods.values()
    }

    assert {name for name, is_said in said.items() if is_said} == {*LET_IN}


@tried_together("name", OF_THE_ACCOUNT, under=noun_of)
def test_what_belongs_to_the_account_takes_a_permission_of_the_account(worlds, written, name):
    mine, _ = worlds
    operation, before = OPERATIONS[name], written()
    body = content_of(operation) if operation.body is not None else None

    answer = sent(operation, mine.path(operation), next(mine.callers), body, required_query(operation, mine))

    needed = operation.permission
    lacks = f"The token lacks the permission {needed}."
    if needed in PROJECT_PERMISSIONS:
        lacks = f"The token has the permission {needed} in single projects; this takes it in the account."
    assert answer.expect(403).errors == [{"message": lacks, "code": "permission_missing"}]
    assert written() == before


def hidden_places() -> list[tuple[str, str, str]]:
    """Each operation and place of its path that may name a record of another project."""
    return [
        (name, place, form)
        for name, place, form in path_places()
        if name in LET_IN and not is_shared(kind_of(place))
    ]


@tried_together(("name", "place", "form"), hidden_places())
def test_another_projects_record_in_a_path_is_not_found(worlds, written, name, place, form):
    mine, theirs = worlds
    before = written()
    operation, kind = OPERATIONS[name], kind_of(place)
    hidden = theirs.ids[kind + form]
    never = unknown(kind, hidden)
    body = content_of(operation) if operation.body is not None else None
    query = required_query(operation, mine)

    answers = [
        (
            sent(
                operation, path_with(operation, place, value, mine, theirs), next(mine.callers), body, query
            ),
            value,
        )
        for value in (hidden, never)
    ]

    assert answers[0][0].expect(404).error["message"] in {"record not found", "Project not found"}
    assert told(*answers[0]) == told(*answers[1])
    assert written() == before


@tried_together(("name", "parameter", "kind"), [one for one in query_places() if one[0] in LET_IN])
def test_another_projects_record_in_a_query_is_as_one_that_never_was(worlds, name, parameter, kind):
    mine, theirs = worlds
    if is_shared(kind):
        return
    operation = OPERATIONS[name]
    numbered = operation.listing is not None and f"{kind}_number" in theirs.ids and kind != "project"
    forms = [theirs.ids[kind], *([theirs.ids[f"{kind}_number"]] if numbered else [])]
    path = mine.path(operation)
    others = {one: text for one, text in required_query(operation, mine).items() if one != parameter}

    for hidden in forms:
        answers = [
            (sent(operation, path, next(mine.callers), None, others | {parameter: str(value)}), value)
            for value in (hidden, unknown(kind, hidden))
        ]

        assert answers[0][0].status == answers[1][0].status
        assert isinstance(hidden, int) or told(*answers[0]) == told(*answers[1])  # 1 may be a page as well
        assert answers[0][0].status in {400, 404, 422} or answers[0][0].expect(200).data == []


@tried_together(("name", "way"), [one for one in body_places() if one[0] in LET_IN])
def test_another_projects_record_in_a_body_is_refused_as_one_that_never_was(worlds, written, name, way):
    mine, theirs = worlds
    kind = kind_of(way[-1], next((part for part in reversed(way[:-1]) if part != "[]"), ""))
    if is_shared(kind):
        return
    operation, before, hidden = OPERATIONS[name], written(), theirs.ids[kind]
    path = mine.path(operation)

    answers = [
        (sent(operation, path, next(mine.callers), placed_in(mine, name, way, value)), value)
        for value in (hidden, unknown(kind, hidden))
    ]

    assert answers[0][0].status in {400, 404, 422}, answers[0][0].text
    assert told(*answers[0]) == told(*answers[1])
    assert written() == before


def texts_of(world: World) -> list[str]:
    """The friendly ids of a world's own records, by which an answer would tell of them."""
    return [
        text
        for kind, text in world.ids.items()
        if isinstance(text, str) and "_" in text and kind not in OF_AN_ACCOUNT
    ]


READS = [name for name, one in LET_IN.items() if one.method == "GET" and name not in ELSEWHERE]


@tried_together("name", READS, under=noun_of)
def test_no_reading_tells_of_another_projects_records(worlds, name):
    mine, theirs = worlds
    operation = OPERATIONS[name]

    answer = sent(operation, mine.path(operation), next(mine.callers), None, required_query(operation, mine))

    assert [one for one in texts_of(theirs) if one in answer.text] == []


@pytest.mark.parametrize("name", [one for one in LISTS if "project_id" in OPERATIONS[one].listing.filters])
def test_a_list_over_all_projects_has_and_counts_those_in_reach(whole_worlds, worlds, name):
    mine, _ = worlds
    operation, query = OPERATIONS[name], {"page_size": 100}
    of_project = {"filter[project_id][eq]": mine.ids["project"]}

    seen = next(mine.callers).get(operation.path, query).expect(200)
    there = next(whole_worlds[1].callers).get(operation.path, query | of_project).expect(200)

    assert without_shared(seen.data) == without_shared(there.data) != []
    assert len(seen.data) == seen.body["info"]["total_items"]


def without_shared(rows: list[Any]) -> list[Any]:
    """The records that are of a project."""
    return [row for row in rows if row.get("project_id", "") is not None]


@tried_together("name", READS, under=noun_of)
def test_with_the_permissions_of_its_project_a_reading_is_as_with_those_of_the_account(
    whole_worlds, worlds, name
):
    mine, whole = worlds[0], whole_worlds[1]
    operation = OPERATIONS[name]
    if name in {"list_async_tasks", "list_changes"} or name in LISTS:
        return  # of which those of the project are compared elsewhere
    path, query = mine.path(operation), required_query(operation, mine)

    limited, full = (sent(operation, path, next(one.callers), None, query) for one in (mine, whole))

    if name == "get_export":  # made by another token
        limited.expect(404)
    elif name in {"list_model_runs", "list_saved_views"} or "text/plain" in full.headers["content-type"]:
        assert limited.status == full.status
    else:
        assert told(limited) == told(full)


OF_THE_USER = {"create_saved_view", "update_saved_view", "delete_saved_view"}
"""Writes of what the user has, for whom all tokens here act, in whatever project."""


def writes_in(world: World) -> Iterator[tuple[str, int, str]]:
    """What comes of each write of the operations of projects, one after the other, in a world."""
    for name, operation in LET_IN.items():
        if operation.method == "GET" or name in OF_THE_USER:
            continue
        body = deepcopy(content_of(operation)) if operation.body is not None else None
        if name in {"create_ledger", "create_report", "create_model"}:
            [record] = body.values()
            record["project_id"] = world.ids["project"]
        answer = sent(operation, world.path(operation), next(world.callers), body)
        yield name, answer.status, answer.text


def test_with_the_permissions_of_its_project_writes_are_as_with_those_of_the_account(whole_worlds, server):
    first, _ = whole_worlds
    whole, limited = world_of(server, beside=first), limited_to(world_of(server, beside=first))

    for (name, status, text), (_, limited_status, limited_text) in zip(
        writes_in(whole), writes_in(limited), strict=True
    ):
        assert limited_status == status, (name, text, limited_text)
