"""The stored OpenAPI document is the served one, and what it takes away from clients does not go unsaid."""

import gzip
import json
import shutil
import subprocess
import sys
from copy import deepcopy
from types import SimpleNamespace
from typing import Any

import pytest
from tools import openapi_changes
from tools.openapi_changes import Change, breaking, unnamed

from weighbridge.contents import SLICES
from weighbridge.core.identity import API_PREFIX
from weighbridge.http.openapi import document as openapi

WEIGHT = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "unit": {"type": "string", "enum": ["t", "kg"]},
        "mass": {"type": "number"},
        "note": {"type": ["string", "null"]},
    },
    "required": ["id", "unit"],
}
NEW_WEIGHT = {
    "type": "object",
    "properties": {
        "mass": {"type": "number"},
        "unit": {"type": "string", "enum": ["t", "kg"]},
        "note": {"type": ["string", "null"], "maxLength": 100},
        "places": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["mass"],
    "additionalProperties": False,
}
LIST = {
    "parameters": [{"name": "unit", "in": "query", "schema": {"type": "string", "enum": ["t", "kg"]}}],
    "responses": {
        "200": {
            "content": {
                "application/json": {
                    "schema": {"type": "array", "items": {"$ref": "#/components/schemas/Weight"}}
                }
            }
        },
        "404": {"$ref": "#/components/responses/NotFound"},
    },
}
CREATE = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewWeight"}}},
    },
    "responses": {
        "201": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Weight"}}}}
    },
}
DOCUMENT = {
    "paths": {"/weights": {"get": LIST, "post": CREATE}, "/scales": {"get": {"responses": {}}}},
    "components": {
        "schemas": {"Weight": WEIGHT, "NewWeight": NEW_WEIGHT},
        "responses": {"NotFound": {"description": "No such record."}},
    },
}
GONE = object()
ANSWERED = ("components", "schemas", "Weight")
SENT = ("components", "schemas", "NewWeight")
LISTED = ("paths", "/weights", "get")
CREATED = ("paths", "/weights", "post")


def changed(way: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """The document with another value at the end of the way, or with nothing there."""
    document: dict[str, Any] = deepcopy(DOCUMENT)
    found: Any = document
    for part in way[:-1]:
        found = found[part]
    if value is GONE:
        del found[way[-1]]
    else:
        found[way[-1]] = value
    return document


def test_the_stored_document_is_the_served_one():
    stored = (openapi_changes.ROOT / openapi_changes.DOCUMENT).read_text()

    assert stored == openapi.written(SLICES, API_PREFIX).decode() + "\n", "it is out of date; run `make docs`"


def test_the_service_takes_nothing_away_from_itself():
    document = json.loads(openapi.written(SLICES, API_PREFIX))

    assert breaking(document, document) == []
    assert breaking(DOCUMENT, DOCUMENT) == []


@pytest.mark.parametrize(
    ("way", "value", "name", "said"),
    [
        (("paths", "/scales"), GONE, "GET /scales", "the operation is gone."),
        (CREATED, GONE, "POST /weights", "the operation is gone."),
        ((*LISTED, "responses", "404"), GONE, "GET /weights 404", "the status is gone."),
        (
            (*LISTED, "responses", "200", "content"), {},
            "GET /weights 200 application/json", "the content type is gone.",
        ),
        ((*LISTED, "parameters"), [], "GET /weights unit", "the parameter is gone."),
        ((*LISTED, "parameters", 0, "required"), True, "GET /weights unit", "the parameter is required now."),
        ((*LISTED, "parameters", 0, "schema", "enum"), ["t"], "GET /weights unit", "no longer takes kg."),
        (
            (*LISTED, "parameters", 0, "schema"), {"type": "integer"},
            "GET /weights unit", "no longer takes string.",
        ),
        ((*ANSWERED, "properties", "unit"), GONE, "Weight.unit", "the field of the answer is gone."),
        ((*ANSWERED, "required"), ["id"], "Weight.unit", "the field may be missing now."),
        ((*ANSWERED, "properties", "mass"), {"type": "string"}, "Weight.mass", "may be string now."),
        (
            (*ANSWERED, "properties", "mass"), {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "Weight.mass", "may be null now.",
        ),
        ((*SENT, "required"), ["mass", "unit"], "NewWeight.unit", "the field is required now."),
        ((*SENT, "properties", "unit"), GONE, "NewWeight.unit", "the field of the request is gone."),
        ((*SENT, "properties", "note", "type"), "string", "NewWeight.note", "no longer takes null."),
        ((*SENT, "properties", "note", "maxLength"), 50, "NewWeight.note", "maxLength is 50 now."),
        ((*SENT, "properties", "note", "pattern"), "^a", "NewWeight.note", "pattern is ^a now."),
        ((*SENT, "properties", "mass", "minimum"), 0.5, "NewWeight.mass", "minimum is 0.5 now."),
        ((*SENT, "properties", "mass", "type"), "integer", "NewWeight.mass", "no longer takes number."),
        ((*SENT, "properties", "unit", "enum"), ["t"], "NewWeight.unit", "no longer takes kg."),
        (
            (*SENT, "properties", "places", "items", "type"), "integer",
            "NewWeight.places[]", "no longer takes string.",
        ),
    ],
)  # fmt: skip
def test_a_breaking_change_is_named_once(way, value, name, said):
    assert breaking(DOCUMENT, changed(way, value)) == [Change(name, said)]


@pytest.mark.parametrize(
    ("way", "value"),
    [
        (("paths", "/scales", "post"), CREATE),
        ((*ANSWERED, "properties", "colour"), {"type": "string"}),
        ((*ANSWERED, "required"), ["id", "unit", "mass"]),
        ((*ANSWERED, "properties", "note", "type"), "string"),
        ((*ANSWERED, "properties", "unit", "enum"), ["t"]),
        ((*SENT, "properties", "colour"), {"type": "string"}),
        ((*SENT, "required"), []),
        ((*SENT, "properties", "note", "maxLength"), 200),
        ((*SENT, "properties", "unit", "enum"), ["t", "kg", "lb"]),
        ((*SENT, "properties", "mass"), {"anyOf": [{"type": "number"}, {"type": "string"}]}),
        ((*CREATED, "requestBody", "required"), False),
        ((*LISTED, "responses", "409"), {"description": "In the way."}),
        ((*ANSWERED, "description"), "A weight."),
    ],
)
def test_what_only_adds_breaks_nothing(way, value):
    assert breaking(DOCUMENT, changed(way, value)) == []


def test_a_new_body_is_required_of_those_who_sent_none():
    old = changed((*CREATED, "requestBody"), GONE)

    assert breaking(old, DOCUMENT) == [Change("POST /weights body", "the body is required now.")]


def test_the_changelog_names_a_change_in_its_unreleased_part_under_breaking():
    change = Change("Weight.unit", "the field of the answer is gone.")
    told = "## [Unreleased]\n\n### Breaking\n\n- `Weight.unit` is gone.\n\n"

    assert unnamed([change], told) == []
    assert unnamed([change], told + "### Added\n\n## [0.1.0]\n") == []
    assert unnamed([change], told.replace("Breaking", "Documented")) == []
    assert unnamed([change], told.replace("Breaking", "Changed")) == [change]
    assert unnamed([change], told.replace("[Unreleased]", "[0.1.0]")) == [change]
    assert unnamed([change], told.replace("`", "")) == [change]
    assert unnamed([change], "# Changelog\n") == [change]


@pytest.mark.parametrize(
    ("new", "code", "said"),
    [
        (DOCUMENT, 0, ""),
        (
            changed((*ANSWERED, "properties", "unit"), GONE),
            1,
            "Weight.unit: the field of the answer is gone.",
        ),
    ],
)
def test_the_command_exits_with_1_on_a_change_that_is_not_named(tmp_path, new, code, said):
    for name, document in (("old.json", DOCUMENT), ("new.json", new)):
        (tmp_path / name).write_text(json.dumps(document))

    run = subprocess.run(
        [sys.executable, openapi_changes.__file__, tmp_path / "old.json", tmp_path / "new.json"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip

    assert (run.returncode, run.stdout.partition("\n")[0]) == (code, said), run.stderr


@pytest.fixture
def checkout(tmp_path):
    """A folder with the tool, an empty changelog and the document, and ways to change and keep it."""

    def write(document):
        (tmp_path / "docs/reference").mkdir(parents=True, exist_ok=True)
        (tmp_path / openapi_changes.DOCUMENT).write_text(json.dumps(document))

    def git(*arguments):
        who = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    def keep(version, document):
        folder = tmp_path / "tests/durability/stored" / version
        folder.mkdir(parents=True)
        (folder / "openapi.json.gz").write_bytes(gzip.compress(json.dumps(document).encode()))

    def check():
        command = [sys.executable, tmp_path / "tools/openapi_changes.py", "--since-release"]
        return subprocess.run(command, check=False, capture_output=True).returncode

    (tmp_path / "tools").mkdir()
    shutil.copy(openapi_changes.__file__, tmp_path / "tools")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n")
    write(DOCUMENT)
    return SimpleNamespace(write=write, git=git, keep=keep, check=check)


def test_without_a_history_there_is_nothing_to_compare_with(checkout):
    assert checkout.check() == 0


def test_before_the_first_release_the_last_commit_is_what_counts(checkout):
    checkout.git("init")
    assert checkout.check() == 0
    checkout.git("add", ".")
    checkout.git("commit", "-m", "first")

    checkout.write(changed(CREATED, GONE))

    assert checkout.check() == 1


def test_after_a_release_its_tag_is_what_counts(checkout):
    checkout.git("init")
    checkout.git("add", ".")
    checkout.git("commit", "-m", "first")
    checkout.git("tag", "v0.1.0")

    checkout.write(changed(CREATED, GONE))
    checkout.git("commit", "-am", "second")

    assert checkout.check() == 1


def test_where_a_checkout_has_no_tags_the_document_kept_with_the_newest_release_is_what_counts(checkout):
    checkout.git("init")
    checkout.keep("1.9.0", changed(CREATED, GONE))
    checkout.keep("1.10.0", DOCUMENT)
    checkout.write(changed(CREATED, GONE))
    checkout.git("add", ".")
    checkout.git("commit", "-m", "first")

    assert checkout.check() == 1

    checkout.keep("1.11.0", changed(CREATED, GONE))
    assert checkout.check() == 0


def test_a_tag_that_names_no_version_is_no_release(checkout):
    checkout.git("init")
    checkout.write(changed(CREATED, GONE))
    checkout.git("add", ".")
    checkout.git("commit", "-m", "first")
    checkout.git("tag", "tried-here")
    checkout.write(DOCUMENT)
    checkout.git("commit", "-am", "second")

    checkout.write(changed(CREATED, GONE))

    assert checkout.check() == 1
