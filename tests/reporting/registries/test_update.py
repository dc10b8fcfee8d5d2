"""PATCH /registries/{registry_id} (`update_registry`)."""

NEW = {
    "name": "Registry",
    "adapter": "http",
    "address": "https://registry.example/a",
    "headers": {"Authorization": "Bearer secret-word"},
}


def test_what_is_left_out_stays_and_headers_are_taken_as_a_whole(api, sql):
    made = api.post("/registries", {"registry": NEW}).expect(201).body
    path = f"/registries/{made['id']}"

    change = {"registry": {"tries": 3, "poll_seconds": None}}
    after = api.patch(path, change).expect(200).body
    assert (after["tries"], after["poll_seconds"], after["address"]) == (3, None, NEW["address"])
    assert after["secret_headers"] == ["Authorization"]

    answer = api.patch(path, {"registry": {"headers": {"X-Key": "secret-other"}}}).expect(200)
    assert answer.body["secret_headers"] == ["X-Key"]
    assert sql("SELECT header, value FROM registry_secrets WHERE registry_id = %s", made["id"]) == [
        ("X-Key", "secret-other")
    ]
    assert "secret-" not in answer.text


def test_a_change_that_a_registry_cannot_have_leaves_it_as_it_was(api):
    made = api.post("/registries", {"registry": NEW}).expect(201).body
    path = f"/registries/{made['id']}"

    change = {"registry": {"status_address": "https://registry.example/a", "tries": 0}}
    errors = api.patch(path, change).expect(422).errors

    assert [error["field"] for error in errors] == ["status_address", "tries"]
    assert api.get(path).body == made
