"""POST /registries (`create_registry`), GET /registries and /registries/{registry_id}."""

import pytest

NEW = {
    "name": "Registry of removals",
    "adapter": "http",
    "address": "https://registry.example/submissions",
    "headers": {"Authorization": "Bearer secret-word", "X-Client": "secret-client"},
}


def make(api, **fields):
    return api.post("/registries", {"registry": NEW | fields})


def named(answer):
    """The fields and codes of a refusal."""
    return [(error["field"], error["code"]) for error in answer.expect(422).errors]


def test_a_registry_has_addresses_and_names_of_headers_and_shows_nothing_of_what_they_say(api, sql):
    answer = make(api).expect(201)

    made = answer.body
    assert made["status_address"] == "https://registry.example/submissions/{key}"
    assert made["secret_headers"] == ["Authorization", "X-Client"]
    assert (made["timeout_seconds"], made["tries"], made["poll_seconds"]) == (30, 8, 300)
    assert "secret-" not in answer.text
    assert api.get(f"/registries/{made['id']}").expect(200).body == made
    assert api.get("/registries").expect(200).data == [made]
    assert sql("SELECT FROM audit_log WHERE coalesce(after, '{}')::text LIKE %s", "%secret-%") == []


def test_a_registry_of_files_is_a_name(api):
    made = api.post("/registries", {"registry": {"name": "Web upload", "adapter": "file"}}).expect(201).body

    assert (made["address"], made["status_address"], made["poll_seconds"]) == (None, None, None)


@pytest.mark.parametrize(
    ("fields", "places"),
    [
        ({"name": " "}, [("name", "required")]),
        ({"adapter": "pigeon"}, [("adapter", "invalid")]),
        ({"address": None}, [("address", "required")]),
        ({"address": "registry"}, [("address", "invalid"), ("status_address", "invalid")]),
        (
            {"address": "https://a:b@registry.example/"},
            [("address", "invalid"), ("status_address", "invalid")],
        ),
        ({"status_address": "https://registry.example/"}, [("status_address", "invalid")]),
        ({"timeout_seconds": 0, "tries": 21}, [("timeout_seconds", "invalid"), ("tries", "invalid")]),
        ({"poll_seconds": 10**12}, [("poll_seconds", "invalid")]),
        ({"headers": {"Host": "a"}}, [("headers", "invalid")]),
        ({"headers": {"idempotency-KEY": "a"}}, [("headers", "invalid")]),
        ({"headers": {"A b": "a"}}, [("headers", "invalid")]),
        ({"headers": {"A": "a\r\nB: b"}}, [("headers", "invalid")]),
        ({"headers": {"A": "a", "a": "b"}}, [("headers", "invalid")]),
        ({"headers": {f"A{n}": "a" for n in range(11)}}, [("headers", "too_many")]),
        (
            {"adapter": "file", "poll_seconds": 5},
            [("address", "invalid"), ("status_address", "invalid"), ("poll_seconds", "invalid"),
             ("headers", "invalid")],
        ),
    ],
)  # fmt: skip
def test_what_a_registry_cannot_be_is_named_and_what_headers_say_is_not_repeated(api, fields, places):
    answer = make(api, **fields)

    assert named(answer) == places
    assert "secret-" not in answer.text


def test_a_name_is_given_once(api):
    make(api).expect(201)

    assert named(make(api)) == [("name", "taken")]
