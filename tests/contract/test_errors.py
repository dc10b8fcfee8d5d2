"""Seed, Errors: error body `errors`, an array of one or more entries, with `message` always, and `field` and
`code` for field validation errors. Design, section 4: `{"status": "error", "statusCode": N, "errors": [...],
"request_id"}`; wrong shape is 400, a broken rule 422.
"""

import gzip
import re

import pytest
from tests.given import collection as given
from tests.server import BODY_BYTES_MAX

JSON = {"content-type": "application/json"}


def body_of(answer):
    """The body, after making sure that it has the one shape and repeats what the headers say."""
    body = answer.body
    assert set(body) == {"status", "statusCode", "errors", "request_id"}
    assert body["status"] == "error"
    assert body["statusCode"] == answer.status
    assert body["request_id"] == answer.headers["x-request-id"]
    assert body["errors"]
    for error in body["errors"]:
        assert error["message"]
        assert {"message", "code"} <= set(error) <= {"message", "field", "code", "type", "id"}
    assert answer.headers["content-type"] == "application/json"
    return body


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        ("GET", "/nowhere", None, 404),
        ("GET", "/projects/prj_0", None, 404),
        ("PUT", "/projects", None, 405),
        ("DELETE", "/projects", None, 405),
        ("GET", "/projects?page=0", None, 400),
        ("GET", "/projects?filter[colour]=red", None, 400),
        ("POST", "/projects", b"", 400),
        ("POST", "/projects", b"{", 400),
        ("POST", "/projects", b"[]", 400),
        ("POST", "/projects", b"null", 400),
        ("POST", "/projects", b'{"project": {"name": 7}}', 400),
        ("POST", "/projects", b'{"project": {"name": ""}}', 422),
        ("POST", "/projects", b" " * (BODY_BYTES_MAX + 1), 413),
    ],
)
def test_every_refusal_has_one_shape(api, method, path, content, status):
    path, _, query = path.partition("?")
    pairs = [tuple(pair.split("=")) for pair in query.split("&") if pair]

    answer = api.send(method, path, query=pairs, content=content)

    assert answer.status == status, answer.text
    body_of(answer)


def test_a_refusal_without_a_token_has_the_same_shape(anyone):
    body_of(anyone.get("/projects").expect(401))


def test_a_path_outside_the_api_has_the_same_shape(server):
    answer = server.request("GET", "/nowhere", (), None, {})

    assert body_of(answer.expect(404))["errors"] == [
        {"message": "There is nothing at this path.", "code": "no_such_path"}
    ]


def test_a_key_that_is_required_is_named(api):
    error = api.post("/projects", {"project": {}}).expect(400).error

    assert error == {"message": "project.name is required.", "field": "name", "code": "required"}


def test_a_key_that_is_unknown_is_named(api):
    error = api.post("/projects", {"project": {"name": "Plant", "colour": "green"}}).expect(400).error

    assert error == {
        "message": "project.colour is not a field of this request; "
        "project takes name, description, time_zone.",
        "field": "colour",
        "code": "unknown",
    }


def test_an_unknown_key_at_the_top_is_named(api):
    error = api.post("/projects", {"project": {"name": "Plant"}, "dry_run": True}).expect(400).error

    assert (error["field"], error["code"]) == ("dry_run", "unknown")


def test_an_unknown_key_inside_a_list_is_named_with_its_place(api):
    project = given.project(api)
    body = {"events": [given.event_body(), given.event_body(colour="red")]}

    error = api.post(f"/projects/{project['id']}/events", body).expect(400).error

    assert (error["field"], error["code"]) == ("events[1].colour", "unknown")


@pytest.mark.parametrize(
    "key", ["", "`", "a`b", "$", "x - at `$.y`", "x` - at `$.y", "\n", "ключ", "\x7f", "k" * 5000]
)
def test_an_odd_unknown_key_is_refused_too(api, key):
    inside = api.post("/projects", {"project": {"name": "Plant", key: 1}}).expect(400).error
    at_the_top = api.post("/projects", {"project": {"name": "Plant"}, key: 1}).expect(400).error

    assert inside["message"]
    assert at_the_top["message"]


def test_a_wrong_type_says_what_is_expected(api):
    error = api.post("/projects", {"project": {"name": 7}}).expect(400).error

    assert error == {
        "message": "project.name is 7; it takes a text.",
        "field": "name",
        "code": "invalid",
    }


def test_shape_errors_come_one_at_a_time_and_rule_errors_together(api):
    shape = api.post("/projects", {"project": {"name": 7, "time_zone": 7}}).expect(400)
    rules = api.post("/projects", {"project": {"name": "", "time_zone": ""}}).expect(422)

    assert len(shape.errors) == 1
    assert len(rules.errors) == 2


@pytest.mark.parametrize("depth", [1_000, 100_000, 1_000_000])
@pytest.mark.parametrize("bracket", [b"[", b'{"value":'])
def test_deep_nesting_is_refused(api, bracket, depth):
    project = given.measuring(api, given.number("mass"))
    start = (
        b'{"event": {"event_type": "delivery", "start_time": "2025-01-01T00:00:00Z", '
        b'"data_points": [{"slug": "mass", "value": '
    )
    content = (start + bracket * depth)[:BODY_BYTES_MAX]

    answer = api.post(f"/projects/{project['id']}/events", content)

    assert body_of(answer.expect(400))


@pytest.mark.parametrize("text", [b"\xff\xfe", b"\xc3\x28", b"\xed\xa0\x80", b"\\ud800", b"\xf4\x90\x80\x80"])
def test_text_that_is_not_utf_8_is_refused(api, text):
    answer = api.post("/projects", b'{"project": {"name": "' + text + b'"}}')

    assert body_of(answer.expect(400))


@pytest.mark.parametrize(
    "body", [b'{"project": {"name": "a"}} {}', b"{'project': 1}", b'{"project": {"name": "a"},}']
)
def test_what_only_resembles_json_is_refused(api, body):
    assert "not valid JSON" in api.post("/projects", body).expect(400).error["message"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            b'\xef\xbb\xbf{"project": {"name": "a"}}',
            "The body begins with a byte order mark; send JSON as UTF-8 without one.",
        ),
        ('{"project": {"name": "Köln"}}'.encode("latin-1"), "The body is not UTF-8: byte 24 does not fit."),
        ('{"project": {"name": "a"}}'.encode("utf-16"), "The body is not UTF-8: byte 1 does not fit."),
        (b"", "The body is empty; this request needs a JSON object."),
        (b'{"project": NaN}', "The body is not valid JSON: invalid character (byte 12)."),
    ],
)
def test_a_body_that_is_no_json_is_refused_with_the_reason(api, body, said):
    assert api.post("/projects", body).expect(400).error == {"message": said, "code": "malformed"}


TIME = "it takes a time with an offset or Z, as in 2025-01-01T00:00:00Z."
POINT = "events[0].data_points[0]"
WITH_UNIT = given.event_body() | {"data_points": [{"slug": "mass", "value": 1, "unit": "t"}]}


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ([], "The body is a list; it takes an object."),
        (
            given.event_body(),
            (
                "event_type is not a field of this request (did you mean event.event_type?);"
                " the body takes event, events."
            ),
        ),
        ({"events": {}}, "events is an object; it takes a list."),
        ({"event": given.event_body(event_type=None)}, "event.event_type is null; it takes a text."),
        ({"event": given.event_body(tracking_id=5.5)}, "event.tracking_id is 5.5; it takes a text or null."),
        (
            {"events": [given.event_body(), given.event_body(start_time="01.02.2025 00:15")]},
            f"events[1].start_time is '01.02.2025 00:15'; {TIME}",
        ),
        ({"event": given.event_body(start_time=1735689600)}, f"event.start_time is 1735689600; {TIME}"),
        (
            {"events": [WITH_UNIT]},
            f"{POINT}.unit is not a field of this request; {POINT} takes slug, value, uncertainty.",
        ),
    ],
)
def test_a_wrong_shape_says_what_came_and_what_is_taken(api, sent, said):
    project = given.project(api)

    assert api.post(f"/projects/{project['id']}/events", sent).expect(400).error["message"] == said


def test_a_word_that_is_none_of_those_taken_is_refused_with_them(api):
    asked = {"start_time": "2025-01-01T00:00:00Z", "end_time": "2025-02-01T00:00:00Z", "model_version": "new"}

    error = api.post("/ledgers/lgr_0/generate_preview", asked).expect(400).error

    assert error["message"] == "model_version is 'new'; it takes 'latest'."


def test_a_decimal_comma_in_a_text_is_shown_as_it_came(api):
    project = given.project(api)
    place = {"location": {"name": "Gate", "lat": "52,5"}}

    error = api.post(f"/projects/{project['id']}/locations", place).expect(400).error

    assert error["message"] == "location.lat is '52,5'; it takes a number."


def test_a_packed_body_is_refused_by_its_encoding(api):
    packed = gzip.compress(b'{"project": {"name": "a"}}')

    answer = api.send("POST", "/projects", content=packed, headers={"content-encoding": "gzip"})

    assert answer.expect(415).error["message"] == (
        "The content encoding is gzip; this request takes a body as it is."
    )


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/projects", {"project": {"name": "a\0b"}}, "name"),
        ("/projects", {"project": {"name": "a", "description": "\0"}}, "description"),
        ("{p}/feedstocks", {"feedstock": {"name": "\0"}}, "name"),
        ("{p}/locations", {"location": {"name": "a", "address": {"city": "\0"}}}, "address.city"),
        ("{p}/event_types", {"event_type": {"name": "a\0", "data_point_types": []}}, "name"),
        ("{p}/events", {"event": given.event_body(event_type="\0")}, "event_type"),
        ("{p}/events", {"events": [given.event_body(), given.event_body(notes="\0")]}, "events[1].notes"),
        ("{p}/events", {"event": given.event_body(client_reference="\0")}, "client_reference"),
        ("{p}/events", {"event": given.event_body(values={"note": "a\0"})}, "data_points[0].value"),
    ],
)
def test_a_nul_character_is_refused_wherever_it_stands(api, path, body, field):
    project = given.measuring(api, given.text("note"))

    answer = api.post(path.format(p=f"/projects/{project['id']}"), body)

    assert answer.status in {400, 422}, answer.text
    assert answer.error["field"] == field
    assert "NUL" in answer.error["message"]


def test_an_escaped_backslash_before_u0000_is_no_nul(api):
    project = api.post("/projects", rb'{"project": {"name": "C:\\u0000"}}').expect(201).body

    assert project["name"] == r"C:\u0000"


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "text/json", ""]
)
def test_a_body_of_another_content_type_is_refused(api, content_type):
    answer = api.send(
        "POST", "/projects", content=b'{"project": {"name": "a"}}', headers={"content-type": content_type}
    )

    assert body_of(answer.expect(415))
    assert "application/json" in answer.error["message"]


@pytest.mark.parametrize(
    "content_type", ["application/json", "Application/JSON", "application/json; charset=utf-8"]
)
def test_json_is_known_by_its_content_type_however_it_is_written(api, content_type):
    body = b'{"project": {"name": "a"}}'

    api.send("POST", "/projects", content=body, headers={"content-type": content_type}).expect(201)


def test_a_method_that_a_path_does_not_take_is_refused_with_those_it_takes(api):
    answer = api.delete("/projects").expect(405)

    assert answer.error["message"] == "This path does not take this method."
    assert {"GET", "POST"} <= set(re.split(r",\s*", answer.headers["allow"]))


def test_a_record_that_does_not_exist_says_so(api):
    project = given.project(api)

    for path, kind, named in (
        ("/projects/prj_0", "project", "prj_0"),
        (f"/projects/{project['id']}/events/evt_0", "event", "evt_0"),
        ("/async_tasks/999999999", "async_task", "999999999"),
        ("/projects/prj_0/events/evt_0", "project", "prj_0"),
    ):
        api.get(path).expect_not_found(kind, named)


def test_an_id_of_any_length_is_repeated_in_short(api):
    assert api.get(f"/projects/{'p' * 5000}").expect(404).error["id"] == f"{'p' * 59}…"


def test_a_refusal_without_a_usable_token_says_which_by_its_code(anyone, account):
    caller = account.caller("data_collection:read")
    caller.token = f"{caller.token[:-1]}{'a' if caller.token[-1] != 'a' else 'b'}"

    codes = [
        one.get("/projects").expect(401).error["code"] for one in (anyone, caller, account.expired_caller())
    ]

    assert codes == ["token_missing", "token_unknown", "token_expired"]


def test_a_refusal_by_permission_has_a_code(account):
    reader = account.caller("data_collection:read")

    error = reader.post("/projects", {"project": {"name": "Plant"}}).expect(403).error

    assert error["code"] == "permission_missing"


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        (
            {"project": {"nmae": "Plant"}},
            "project.nmae is not a field of this request (did you mean name?); ",
        ),
        ({"project": {"name": "Plant", "timeZone": "UTC"}}, "(did you mean time_zone?)"),
        ({"Project": {"name": "Plant"}}, "(did you mean project?)"),
        ({"name": "Plant"}, "name is not a field of this request (did you mean project.name?); "),
    ],
)
def test_an_unknown_field_is_answered_with_the_one_that_was_meant(api, body, hint):
    assert hint in api.post("/projects", body).expect(400).error["message"]


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("/projects?page_sise=5", "page_sise is not a parameter of this list (did you mean page_size?)."),
        (
            "/audit_log?action=report.create",
            "action is not a parameter of this list (did you mean filter[action]?).",
        ),
        ("/feedstocks?filter[nmae]=a", "nmae is not a field to filter by (did you mean name?); "),
        ("/projects?sort=-createdAt", "sort by '-createdAt' is not possible (did you mean created_at?); "),
        (
            "/ledgers/lgr_0/statement?startTime=1&end_time=2025-01-01T00:00:00Z",
            "startTime is not a parameter of this request (did you mean start_time?), which takes ",
        ),
    ],
)
def test_an_unknown_parameter_is_answered_with_the_one_that_was_meant(api, path, hint):
    assert api.get(path).expect(400).errors[0]["message"].startswith(hint)


def test_many_unknown_parameters_are_named_without_looking_for_each(api):
    names = [f"filter[{'x' * 30}{index}]" for index in range(400)]

    errors = api.get("/projects", dict.fromkeys([*names, "filter[nmae]"], "1")).expect(400).errors

    assert (len(errors), "did you mean" in errors[-1]["message"]) == (401, False)
