"""OPTIONS tells what a path takes: `Allow`, and a body with each method; no token is needed."""

import re

import pytest
from tests.given.requests import DOCUMENT, OPERATIONS
from tests.server import Server

from weighbridge.core.identity import API_PREFIX

PATHS = list(dict.fromkeys(operation.path for operation in OPERATIONS.values()))


def asked(server: Server, path: str):
    return server.request("OPTIONS", API_PREFIX + path, (), None, {}).expect(200)


def test_a_path_tells_each_method_with_what_it_takes(server: Server):
    answer = asked(server, "/projects")

    assert answer.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    assert answer.body == {
        "path": "/api/v1/projects",
        "methods": [
            {
                "method": "GET",
                "operation": "list_projects",
                "summary": "List the account's projects",
                "permission": "any",
                "query": answer.body["methods"][0]["query"],
                "body": [],
            },
            {
                "method": "POST",
                "operation": "create_project",
                "summary": "Create a project",
                "permission": "administration:write",
                "query": [],
                "body": ["application/json"],
            },
        ],
    }
    assert {"page", "page_size", "sort", "cursor"} <= set(answer.body["methods"][0]["query"])


@pytest.mark.parametrize("path", PATHS)
def test_every_path_tells_its_methods(server: Server, path: str):
    answer = asked(server, re.sub(r"{[a-z_]+}", "x", path))

    methods = [one["method"] for one in answer.body["methods"]]
    assert [one.lower() for one in methods] == list(DOCUMENT["paths"][API_PREFIX + path])
    assert answer.body["path"] == API_PREFIX + path
    assert set(methods) < set(answer.headers["allow"].split(", "))


def test_a_path_outside_of_the_interface_tells_its_methods_only(server: Server):
    answer = server.request("OPTIONS", "/healthz", (), None, {}).expect(204)

    assert "GET" in answer.headers["allow"]


def test_there_is_nothing_to_tell_of_a_path_that_is_not_there(server: Server):
    answer = server.request("OPTIONS", f"{API_PREFIX}/nowhere", (), None, {}).expect(404)

    assert answer.error["code"] == "no_such_path"
