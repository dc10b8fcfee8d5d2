"""Every answer of the OpenAPI document has an example, and each holds for the schema beside it."""

import json
from typing import Any

import jsonschema_rs
import pytest

from weighbridge.contents import SLICES
from weighbridge.core.identity import API_PREFIX
from weighbridge.http.openapi import document

DOCUMENT: dict[str, Any] = json.loads(document.written(SLICES, API_PREFIX))
COMPONENTS = DOCUMENT["components"]


def answers():
    """Every JSON content with a schema: the answers that went well, and the shared refusals."""
    for path in DOCUMENT["paths"].values():
        for operation in path.values():
            for status, answer in operation["responses"].items():
                content = answer.get("content", {}).get("application/json", {})
                if "schema" in content:
                    yield pytest.param(content, id=f"{operation['operationId']}-{status}")
    for name, answer in COMPONENTS["responses"].items():
        yield pytest.param(answer["content"]["application/json"], id=name)


def example_of(content):
    if "example" in content:
        return content["example"]
    [example] = content["examples"].values()
    if "$ref" in example:
        example = COMPONENTS["examples"][example["$ref"].removeprefix("#/components/examples/")]
    return example["value"]


@pytest.mark.parametrize("content", [*answers()])
def test_an_answer_is_shown_by_an_example_that_holds_for_its_schema(content):
    schema = {"components": COMPONENTS, **content["schema"]}

    faults = jsonschema_rs.validator_for(schema, validate_formats=True).iter_errors(example_of(content))

    assert [(one.message, one.instance_path) for one in faults] == []
