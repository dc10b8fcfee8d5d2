"""What the description of the interface promises is in the OpenAPI document, and shown by tests that run."""

import ast
import json
from functools import cache

import pytest
from tests.architecture.source import ROOT
from tools import conformance

from weighbridge.core.identity.link import API_PREFIX

SHOWN = sorted(
    {
        test
        for row in (*conformance.records(), *conformance.operations(), *conformance.rules())
        for test in row.shown_by
    }
)


@cache
def functions(path):
    """The tests of a file by name, each with whether it is marked to be skipped."""
    tree = ast.parse((ROOT / "tests" / f"{path}.py").read_text())
    return {
        node.name: any("skip" in ast.unparse(mark) for mark in node.decorator_list)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }


@cache
def document():
    return json.loads((ROOT / "docs" / "reference" / "openapi.json").read_text())


@pytest.mark.parametrize("test", SHOWN)
def test_what_shows_a_promise_is_a_test_that_runs(test):
    path, name = test.split("::")

    assert functions(path).get(f"test_{name}") is False, f"tests/{path}.py has no such test, or skips it"


def test_every_promise_is_shown_by_a_test():
    rows = (*conformance.records(), *conformance.operations(), *conformance.rules())

    assert [row for row in rows if not row.shown_by] == []


@pytest.mark.parametrize("record", conformance.records(), ids=lambda record: record.schema)
def test_a_record_has_the_fields_that_are_promised(record):
    described = document()["components"]["schemas"][record.schema]["properties"]

    assert set(record.names) <= set(described)


@pytest.mark.parametrize("operation", sorted({row.heading for row in conformance.operations()}))
def test_an_operation_that_is_promised_is_there(operation):
    method, path = operation.split()

    assert method.lower() in document()["paths"][f"{API_PREFIX}{path}"]
