"""The OpenAPI document says what the endpoints do, and the docs page shows it without a network."""

import hashlib
import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from importlib.resources import files
from typing import Annotated, Any

import msgspec
import pytest
from litestar import Litestar
from litestar.datastructures import State
from litestar.testing import TestClient

from weighbridge.commands.model import openapi as print_document
from weighbridge.contents import SLICES
from weighbridge.core.identity import API_PREFIX, Link
from weighbridge.core.platform.permission import ALL_PERMISSIONS, ANY, LINK
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.listing import Page
from weighbridge.http.caller import Strangers
from weighbridge.http.messages import edge
from weighbridge.http.openapi import document as openapi
from weighbridge.http.openapi import page
from weighbridge.http.openapi.schemas import Schemas

ENDPOINTS = [endpoint for routes in SLICES for endpoint in routes]
STATIC = files("weighbridge.http") / "static"


class Reading(msgspec.Struct):
    """A reading
    of a meter.
    """

    id: str
    event_id: str | None
    value: Decimal | str | bool
    taken_at: Instant
    ui_url: Link


class NewReading(msgspec.Struct, forbid_unknown_fields=True):
    """What a caller sends."""

    value: Any
    taken_at: Annotated[datetime, msgspec.Meta(tz=True)]
    note: Annotated[str, msgspec.Meta(max_length=500)] = ""
    before: Reading | None = None
    also: list[Reading] | msgspec.UnsetType = msgspec.UNSET


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi.document(SLICES, API_PREFIX)


@pytest.fixture
def client() -> Iterator[TestClient[Litestar]]:
    app = Litestar(
        page.routes(SLICES, API_PREFIX), openapi_config=None, exception_handlers=edge.HANDLERS,
        state=State({"strangers": Strangers(), "proxies": ()}),
    )  # fmt: skip
    with TestClient(app) as client:
        yield client


def operations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(path, one) for path, methods in document["paths"].items() for one in methods.values()]


def named(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for _, one in operations(document) if one["operationId"] == name)


def parameters(operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in operation["parameters"] if "name" in one}


def resolved_response(document: dict[str, Any], name: str, status: int) -> dict[str, Any]:
    response: dict[str, Any] = named(document, name)["responses"][str(status)]
    reference = response.get("$ref")
    return document["components"]["responses"][reference.rpartition("/")[2]] if reference else response


def inside(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from inside(part)


def test_the_document_is_openapi_3_1_of_interface_version_1_1_0(document):
    assert document["openapi"] == "3.1.0"
    assert document["info"]["title"] == "Weighbridge"
    assert document["info"]["version"] == "1.1.0"


def test_every_endpoint_is_described_once_below_the_prefix(document):
    described = {(path, method) for path, methods in document["paths"].items() for method in methods}
    served = {
        ("/api/v1" + endpoint.operation.path, endpoint.operation.method.lower()) for endpoint in ENDPOINTS
    }
    assert described == served
    assert len(ENDPOINTS) == len(served)


def test_every_reference_leads_somewhere(document):
    references = {one["$ref"] for one in inside(document) if isinstance(one.get("$ref"), str)}
    assert references
    for reference in references:
        found: Any = document
        for part in reference.removeprefix("#/").split("/"):
            found = found[part]
        assert found


def test_operation_ids_are_unique(document):
    names = [one["operationId"] for _, one in operations(document)]
    assert len(names) == len(set(names))


def test_every_operation_says_what_it_does_under_a_tag_that_is_described(document):
    tags = {tag["name"]: tag["description"] for tag in document["tags"]}
    assert all(tags.values())
    for _, operation in operations(document):
        assert operation["tags"][0] in tags
        assert operation["summary"]
        assert operation["responses"]


def test_every_operation_names_a_permission_that_exists_in_its_description_too(document):
    for _, operation in operations(document):
        permission = operation["x-permission"]
        assert permission in {*ALL_PERMISSIONS, ANY, LINK}
        said = {ANY: "Any token", LINK: "It takes no token"}.get(permission, permission)
        assert said in operation["description"]
        assert (operation.get("security") == []) == (permission == LINK)


def test_every_parameter_of_a_path_is_declared_and_no_other(document):
    for path, operation in operations(document):
        declared = [one["name"] for one in operation.get("parameters", []) if one.get("in") == "path"]
        assert declared == re.findall(r"\{(\w+)\}", path)


def test_no_operation_declares_a_parameter_twice(document):
    for _, operation in operations(document):
        found = [one.get("name") or one["$ref"] for one in operation.get("parameters", [])]
        assert len(found) == len(set(found))


def test_every_request_that_may_be_sent_again_declares_its_key(document):
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            declared = {"$ref": "#/components/parameters/idempotency_key"} in operation.get("parameters", [])
            is_by_link = operation["x-permission"] == LINK
            assert declared is (method in {"post", "patch"} and not is_by_link), (method, path)


def test_every_list_that_gives_a_cursor_takes_one(document):
    for endpoint in ENDPOINTS:
        listing = endpoint.operation.listing
        if listing is not None:
            declared = named(document, endpoint.operation.name)["parameters"]
            assert ({"$ref": "#/components/parameters/cursor"} in declared) is bool(listing.key)


def test_the_headers_that_answers_have_are_those_that_are_declared(document, api, account):
    usual = {"content-type", "content-length", "date", "server"}
    usual |= {name.decode() for name, _ in edge.SECURITY_HEADERS}
    body, key = b'{"project": {"name": "Plant"}}', {"idempotency-key": "once"}

    made, again = [api.send("POST", "/projects", content=body, headers=key) for _ in range(2)]
    refused = account.caller("data_rules:read").post("/projects", body)

    for answer in (made.expect(201), again.expect(201), refused.expect(403)):
        declared = resolved_response(document, "create_project", answer.status)["headers"]
        assert set(answer.headers) - usual <= {name.lower() for name in declared}
        assert {"x-request-id", "ratelimit-limit"} <= set(answer.headers)


def test_every_schema_requires_only_properties_that_it_has(document):
    for schema in document["components"]["schemas"].values():
        assert set(schema["required"]) <= set(schema["properties"])


def test_every_answer_carries_the_request_id(document):
    answers = [one for _, operation in operations(document) for one in operation["responses"].values()]
    for answer in [*answers, *document["components"]["responses"].values()]:
        assert "$ref" in answer or answer["headers"]["X-Request-Id"] == {
            "$ref": "#/components/headers/X-Request-Id"
        }


def test_every_refusal_that_can_be_is_in_the_one_shape(document):
    assert set(named(document, "create_project")["responses"]) == {
        "201", "400", "401", "403", "404", "408", "409", "413", "415", "422", "429", "500", "503",
    }  # fmt: skip
    assert set(named(document, "list_projects")["responses"]) == {
        "200", "400", "401", "403", "429", "500", "503",
    }  # fmt: skip
    assert {"409", "422"} <= set(named(document, "delete_event_type")["responses"])
    assert "404" in named(document, "get_project")["responses"]
    for response in document["components"]["responses"].values():
        content = response["content"]["application/json"]
        assert content["schema"] == {"$ref": "#/components/schemas/ErrorBody"}
        assert msgspec.convert(content["example"], edge.ErrorBody).status == "error"


def test_a_token_goes_with_or_without_bearer(document):
    assert document["security"] == [{"bearer": []}, {"token": []}]
    schemes = document["components"]["securitySchemes"]
    assert (schemes["bearer"]["type"], schemes["bearer"]["scheme"]) == ("http", "bearer")
    assert (schemes["token"]["type"], schemes["token"]["in"], schemes["token"]["name"]) == (
        "apiKey", "header", "Authorization",
    )  # fmt: skip


def test_a_project_in_a_path_is_a_friendly_id_or_a_number(document):
    schema = parameters(named(document, "get_project"))["project_id"]["schema"]
    assert schema["pattern"] == "^(prj_[0-9a-f]{24}|[0-9]+)$"
    assert all(re.search(schema["pattern"], example) for example in schema["examples"])


def test_an_event_type_in_a_path_is_a_friendly_id_only(document):
    schema = parameters(named(document, "get_event_type"))["event_type_id"]["schema"]
    assert schema["pattern"] == "^et_[0-9a-f]{24}$"


def test_a_task_in_a_path_is_a_number(document):
    schema = parameters(named(document, "get_async_task"))["task_id"]["schema"]
    assert schema == {"type": "integer", "minimum": 1}


def test_a_list_declares_its_pages_order_filters_and_plain_parameters(document):
    operation = named(document, "list_data_points")
    assert {"$ref": "#/components/parameters/page"} in operation["parameters"]
    assert {"$ref": "#/components/parameters/page_size"} in operation["parameters"]
    found = parameters(operation)
    assert {"-start_time", "start_time"} <= set(found["sort"]["schema"]["items"]["enum"])
    assert "Left out, it is start_time" in found["sort"]["description"]
    assert found["filter[slug][eq]"]["schema"] == {"type": "string"}
    assert found["filter[start_time][geq]"]["schema"] == {"type": "string", "format": "date-time"}
    assert "filter[slug][geq]" not in found
    assert found["start_time"]["description"] == "Stands for `filter[start_time][geq]`; give one of the two."


def test_the_limits_of_a_page_are_those_of_the_service(document):
    schema = document["components"]["parameters"]["page_size"]["schema"]
    assert schema == {"type": "integer", "minimum": 1, "maximum": 200}


def test_started_work_links_to_its_task(document):
    answer = named(document, "create_batch_generation")["responses"]["202"]
    assert answer["links"]["get_async_task"]["operationId"] == "get_async_task"
    assert answer["links"]["get_async_task"]["parameters"] == {"task_id": "$response.body#/id"}
    assert {"Location", "Retry-After"} <= set(answer["headers"])


def test_the_example_of_a_body_stands_beside_its_schema(document):
    content = named(document, "create_batch_generation")["requestBody"]["content"]["application/json"]
    assert set(content["example"]) == {"start_time", "end_time"}


def test_examples_of_bodies_are_accepted_by_the_endpoints():
    for operation in (endpoint.operation for endpoint in ENDPOINTS):
        if operation.example is not None:
            assert msgspec.convert(operation.example, operation.body)


def test_a_page_of_records_has_a_name_of_its_own():
    schemas = Schemas()
    assert schemas.of(Page[Reading]) == {"$ref": "#/components/schemas/PageOfReading"}
    assert schemas.components["PageOfReading"]["properties"]["data"]["items"] == {
        "$ref": "#/components/schemas/Reading"
    }


def test_an_answer_holds_exact_numbers_utc_times_and_links():
    schemas = Schemas()
    schemas.of(Reading)
    reading = schemas.components["Reading"]
    assert reading["description"] == "A reading of a meter."
    assert reading["required"] == ["id", "event_id", "value", "taken_at", "ui_url"]
    found = reading["properties"]
    assert found["value"]["type"] == ["number", "string", "boolean"]
    assert "exact decimal" in found["value"]["description"]
    assert (found["taken_at"]["format"], found["taken_at"]["examples"]) == (
        "date-time",
        ["2025-01-01T00:00:00.000Z"],
    )
    assert found["ui_url"]["format"] == "uri"
    assert found["event_id"]["type"] == ["string", "null"]
    assert found["event_id"]["description"] == "The friendly id of the event: evt_ and 24 hexadecimal digits."


def test_of_a_record_that_is_only_sent_every_field_is_required_but_those_that_may_be_left_out():
    schemas = Schemas()
    schemas.of(NewReading)

    assert schemas.components["NewReading"]["required"] == ["value", "taken_at", "note", "before"]


def test_a_body_takes_no_other_fields_and_requires_those_without_a_default():
    schemas = Schemas(records_read=[NewReading])
    schemas.of(NewReading)
    body = schemas.components["NewReading"]
    assert body["additionalProperties"] is False
    assert body["required"] == ["value", "taken_at"]
    found = body["properties"]
    assert found["value"]["type"] == ["number", "string", "boolean"]
    assert found["taken_at"]["description"] == "A time with an offset or Z."
    assert found["note"] == {"type": "string", "maxLength": 500, "default": ""}
    assert found["before"] == {
        "anyOf": [{"$ref": "#/components/schemas/Reading"}, {"type": "null"}],
        "default": None,
        "description": "A reading of a meter.",
    }
    assert found["also"] == {"type": "array", "items": {"$ref": "#/components/schemas/Reading"}}


def test_one_of_two_records_is_either_schema():
    assert Schemas().of(Reading | NewReading) == {
        "anyOf": [{"$ref": "#/components/schemas/Reading"}, {"$ref": "#/components/schemas/NewReading"}]
    }


def test_two_records_of_one_name_stay_apart():
    schemas = Schemas()
    other = msgspec.defstruct("Reading", [("name", str)], module="weighbridge.quality.records.rule_runs")
    assert schemas.of(Reading) == {"$ref": "#/components/schemas/Reading"}
    assert schemas.of(other) == {"$ref": "#/components/schemas/RuleRunsReading"}


def test_the_document_is_the_same_bytes_each_time():
    assert openapi.written(SLICES, API_PREFIX) == openapi.written(SLICES, API_PREFIX)


def test_the_command_prints_or_writes_what_the_service_answers(client, capsys, tmp_path):
    print_document()
    print_document(output=tmp_path / "openapi.json")
    answered = client.get("/openapi.json").text
    assert capsys.readouterr().out == answered + "\n"
    assert (tmp_path / "openapi.json").read_text(encoding="utf-8") == answered + "\n"


def test_the_document_is_answered_as_json(client):
    answer = client.get("/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["openapi"] == "3.1.0"


def test_a_copy_that_is_still_the_same_is_not_sent_again(client):
    tag = client.get("/openapi.json").headers["etag"]
    answer = client.get("/openapi.json", headers={"If-None-Match": tag})
    assert (answer.status_code, answer.content) == (304, b"")
    assert client.get("/openapi.json", headers={"If-None-Match": '"older"'}).status_code == 200


def test_the_page_lets_the_browser_load_nothing_but_from_this_service(client):
    answer = client.get("/docs")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["connect-src"] == "'self'"
    assert "http" not in answer.headers["content-security-policy"]


def test_the_page_names_only_files_that_this_service_has(client):
    named_files = re.findall(r'(?:src|href)="(/[^"]*)"', client.get("/docs").text)
    assert "/docs/assets/scalar.js" in named_files
    for path in named_files:
        assert client.get(path).status_code == 200
    assert "://" not in client.get("/docs").text


def test_a_file_of_the_page_has_its_type_and_may_be_kept(client):
    answer = client.get("/docs/assets/docs.js")
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert answer.headers["cache-control"] == "public, max-age=3600"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_page_switches_off_all_that_would_call_another_host():
    script = (STATIC / "docs.js").read_text()
    for setting in (
        "agent: { disabled: true }",
        "mcp: { disabled: true }",
        "telemetry: false",
        "withDefaultFonts: false",
    ):
        assert setting in script


def test_no_other_file_is_served(client):
    for name in ("README.md", "scalar.LICENSE.txt", "docs.html", "..%2Fdocs.py", "nothing.js"):
        assert client.get(f"/docs/assets/{name}").status_code == 404


def test_the_vendored_file_is_the_one_that_its_readme_names():
    digest = hashlib.sha256((STATIC / "scalar.js").read_bytes()).hexdigest()
    assert digest in (STATIC / "README.md").read_text()
    assert (STATIC / "scalar.LICENSE.txt").is_file()
