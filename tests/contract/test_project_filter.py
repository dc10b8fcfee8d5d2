"""Seed, Filtering: `filter[project_id]` takes a project's id and its number, on every list that has it."""

import pytest
from tests.given.requests import OPERATIONS, World, world_of
from tests.server import Server

HAVING = [
    name
    for name, operation in OPERATIONS.items()
    if operation.listing is not None and "project_id" in operation.listing.filters
]


@pytest.fixture(scope="module")
def world(server: Server) -> World:
    return world_of(server)


def test_there_are_such_lists():
    assert {
        "list_batches", "list_ledgers", "list_models", "list_assets", "list_feedstocks", "list_async_tasks",
        "list_audit_log",
    } <= {*HAVING}  # fmt: skip


@pytest.mark.parametrize("name", HAVING)
def test_a_project_is_named_by_its_id_and_by_its_number(world, name):
    operation = OPERATIONS[name]
    caller, path = next(world.callers), world.path(operation)
    project = caller.get(f"/projects/{world.ids['project']}").expect(200).body

    for comparator in ("", "[eq]"):
        by_id, by_number, of_none = (
            caller.get(path, {f"filter[project_id]{comparator}": value, "page_size": "200"}).expect(200)
            for value in (project["id"], str(project["numeric_id"]), "999999999")
        )
        assert by_id.data == by_number.data != []
        assert of_none.data == []


@pytest.mark.parametrize("name", HAVING)
def test_anything_else_is_refused_with_what_it_takes(world, name):
    path = world.path(OPERATIONS[name])

    error = next(world.callers).get(path, {"filter[project_id]": "bat_1"}).expect(400).error

    assert (error["field"], error["code"]) == ("filter[project_id]", "unreadable")
    assert error["message"].endswith("project_id takes an id prj_… or a project's number.")
