"""What the specification of the interface says is in the OpenAPI document, and shown by tests that run."""

import ast
import json
from functools import cache

import pytest
from tests.architecture.source import ROOT
from tests.given.cases import tried_together
from tools import conformance
from tools.conformance import Row

from weighbridge.core.identity import API_PREFIX

SAID = [one.id for one in (*conformance.fields(), *conformance.operations(), *conformance.rules())]
SHOWN = sorted({test for row in conformance.rows() for test in row.shown_by})


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


def kinds(schema):
    """The types that a field may have, as the specification writes them."""
    if "$ref" in schema:
        return {"object"}
    if "anyOf" in schema:
        return set().union(*map(kinds, schema["anyOf"]))
    types = schema.get("type", "any")
    found = {types} if isinstance(types, str) else set(types)
    return {"date-time" if one == "string" and schema.get("format") == "date-time" else one for one in found}


@tried_together("test", SHOWN, under=lambda test: test.partition("::")[0])
def test_what_shows_a_statement_is_a_test_that_runs(test):
    path, name = test.split("::")

    assert functions(path).get(f"test_{name}") is False, f"tests/{path}.py has no such test, or skips it"


def test_all_that_the_specification_says_is_shown_by_tests():
    assert conformance.shortcomings(SAID, conformance.rows()) == []


@pytest.mark.parametrize(
    ("said", "shown", "problem"),
    [
        (["Report.ui_url"], [], "No row covers Report.ui_url."),
        ([], [Row(("Report.ui_url",), ("a::b",))], "The specification has no Report.ui_url."),
        (["a", "a"], [Row(("a",), ("a::b",))], "a is the id of 2 statements."),
        (["a"], [Row(("a",), ())], "The row of a names no test."),
    ],
)
def test_what_is_not_covered_or_not_said_is_named(said, shown, problem):
    assert conformance.shortcomings(said, shown) == [problem]


@tried_together("field", conformance.fields(), under=lambda field: field.id.partition(".")[0])
def test_a_field_of_the_specification_is_in_the_document_with_its_type(field):
    described = document()["components"]["schemas"][field.record]["properties"]

    assert field.name in described
    named = field.type.removesuffix("?")
    assert named == "any" or named in kinds(described[field.name])
    assert not field.type.endswith("?") or "null" in kinds(described[field.name])


@pytest.mark.parametrize("operation", sorted({one.heading for one in conformance.operations()}))
def test_an_operation_of_the_specification_is_there(operation):
    method, path = operation.split()

    assert method.lower() in document()["paths"][f"{API_PREFIX}{path}"]


@tried_together(("operation", "status"), conformance.statuses())
def test_a_status_of_the_specification_is_among_the_answers_of_its_operation(operation, status):
    method, path = operation.split()

    assert str(status) in document()["paths"][f"{API_PREFIX}{path}"][method.lower()]["responses"]
