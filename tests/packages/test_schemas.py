"""The schemas by which editors complete the files of a package agree with what the check takes."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from weighbridge.core.model.parsing import CASE_KEYS, INPUT_KEYS, MODEL_KEYS, NODE_KEYS
from weighbridge.core.model.schema import write_model_schema
from weighbridge.packages.contents import MODELS_FOLDER
from weighbridge.packages.schemas import write_reference, write_schemas
from weighbridge.packages.skeleton import write_skeleton

ROOT = Path(__file__).parents[2]
SCHEMAS = {name: json.loads(content) for name, content in write_schemas().items()}
FILES = sorted((ROOT / "packages").glob("*/**/*.yaml"))
MODELS = sorted([*(ROOT / "examples").glob("*.yaml"), *(ROOT / "packages").glob(f"*/{MODELS_FOLDER}/*.yaml")])


class EditorLoader(yaml.SafeLoader):
    """YAML as editors read it, by the schema of YAML 1.2: a time is a text."""


EditorLoader.yaml_implicit_resolvers = {
    letter: [resolver for resolver in resolvers if resolver[0] != "tag:yaml.org,2002:timestamp"]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read(text):
    return yaml.load(text, EditorLoader)  # noqa: S506 - a safe loader


def schema_of(name: str) -> dict:
    folder, *inner = name.split("/")
    return SCHEMAS[f"{folder if inner else folder.removesuffix('.yaml')}.json"]


def problems_of(schema: dict, document: object) -> list[str]:
    return [error.message for error in jsonschema_rs.validator_for(schema).iter_errors(document)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_of_the_library_fits_its_schema(path):
    name = str(path.relative_to(ROOT / "packages").relative_to(path.relative_to(ROOT / "packages").parts[0]))

    assert problems_of(schema_of(name), read(path.read_text())) == []


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_every_model_fits_the_schema_and_with_an_unknown_key_none_does(path):
    schema, document = write_model_schema(), read(path.read_text())

    assert problems_of(schema, document) == []
    document["nodes"][0]["unti"] = "t"
    assert problems_of(schema, document) != []


@pytest.mark.parametrize("name", [name for name in write_skeleton("soda-ash") if name.endswith(".yaml")])
def test_every_file_of_a_new_package_fits_the_schema_that_its_first_line_names(name):
    reference = write_reference(name).removeprefix("# yaml-language-server: $schema=").strip()

    assert Path(reference).name in SCHEMAS
    assert reference.count("../") == name.count("/")
    assert problems_of(schema_of(name), read(write_skeleton("soda-ash")[name])) == []


@pytest.mark.parametrize("name", ["pages.md", "samples/fuel-bill.csv"])
def test_what_is_no_yaml_has_no_schema(name):
    assert write_reference(name) == ""


def test_the_schema_of_models_has_the_keys_that_the_reader_takes_each_with_a_sentence():
    schema = write_model_schema()
    node = schema["properties"]["nodes"]
    case = schema["properties"]["cases"]["anyOf"][0]["items"]
    read = node["items"]["properties"]["input"]["anyOf"][0]

    for keys, mapping in (
        (MODEL_KEYS, schema), (NODE_KEYS, node["items"]), (CASE_KEYS, case), (INPUT_KEYS, read),
    ):  # fmt: skip
        assert tuple(mapping["properties"]) == keys
        assert all(of_key["description"] for of_key in mapping["properties"].values())


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("package.yaml", {"name": "Soda Ash"}),
        ("sources.yaml", {"sources": [{"key": "a", "title": "A"}]}),
        ("event_types.yaml", {"event_types": [{"name": "Bill", "data_point_type": []}]}),
        ("ledgers.yaml", {"ledgers": [{"name": "Emissions", "unit": "t"}]}),
        ("static_inputs.yaml", {"static_inputs": [{"slug": "factor", "value": "high"}]}),
        ("rules.yaml", {"rules": [{"name": "Range", "kind": "guess"}]}),
    ],
)
def test_what_the_check_refuses_by_its_form_the_schema_refuses(name, document):
    assert problems_of(schema_of(name), document) != []
