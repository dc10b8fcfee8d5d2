"""PATCH /registries/{registry_id} (`update_registry`)."""

import pytest

from weighbridge.reporting.submission.sending import read_called_registry

NEW = {
    "name": "Registry",
    "adapter": "http",
    "address": "https://registry.example/a",
    "headers": {"Authorization": "Bearer secret-word"},
}


@pytest.fixture
def read_headers(server):
    """Reads what is sent to a registry as proof, as a worker does."""

    async def read(number):
        async with server.database.read() as tx:
            return (await read_called_registry(tx, number)).headers

    return lambda number: server.run(read(number))


def test_what_is_left_out_stays_and_headers_are_taken_as_a_whole(api, read_headers):
    made = api.post("/registries", {"registry": NEW}).expect(201).body
    path = f"/registries/{made['id']}"

    change = {"registry": {"tries": 3, "poll_seconds": None}}
    after = api.patch(path, change).expect(200).body
    assert (after["tries"], after["poll_seconds"], after["address"]) == (3, None, NEW["address"])
    assert after["secret_headers"] == ["Authorization"]

    answer = api.patch(path, {"registry": {"headers": {"X-Key": "secret-other"}}}).expect(200)
    assert answer.body["secret_headers"] == ["X-Key"]
    assert read_headers(made["id"]) == {"X-Key": "secret-other"}
    assert "secret-" not in answer.text


def test_a_change_that_a_registry_cannot_have_leaves_it_as_it_was(api):
    made = api.post("/registries", {"registry": NEW}).expect(201).body
    path = f"/registries/{made['id']}"

    change = {"registry": {"status_address": "https://registry.example/a", "tries": 0}}
    errors = api.patch(path, change).expect(422).errors

    assert [error["field"] for error in errors] == ["headers", "status_address", "tries"]
    assert api.get(path).body == made


ELSEWHERE = "https://elsewhere.example/a"


@pytest.mark.parametrize(
    "moved",
    [
        {"address": ELSEWHERE},
        {"status_address": ELSEWHERE + "/{key}"},
        {"address": "https://registry.example/b"},
        {"address": ELSEWHERE, "name": "Another", "tries": 3},
    ],
)
def test_what_proves_who_calls_goes_to_no_address_that_was_named_without_it(api, account, moved):
    made = api.post("/registries", {"registry": NEW}).expect(201).body
    other = account.caller("production_accounting:write")

    error = other.patch(f"/registries/{made['id']}", {"registry": moved}).expect(422).error

    assert (error["field"], error["code"]) == ("headers", "required")
    assert "secret-word" not in error["message"]
    assert api.get(f"/registries/{made['id']}").body == made


def test_another_address_takes_headers_that_are_stated_with_it_or_none(api, sql):
    made = api.post("/registries", {"registry": NEW}).expect(201).body
    path = f"/registries/{made['id']}"

    with_none = {"registry": {"address": ELSEWHERE, "headers": {}}}
    after = api.patch(path, with_none).expect(200).body
    assert (after["address"], after["secret_headers"]) == (ELSEWHERE, [])
    assert not sql("SELECT 1 FROM registry_secrets WHERE registry_id = %s", made["id"])

    assert api.patch(path, {"registry": {"address": NEW["address"]}}).expect(200).body["address"]


def test_the_address_that_it_has_asks_for_nothing(api):
    made = api.post("/registries", {"registry": NEW}).expect(201).body

    same = {"registry": {"address": NEW["address"], "tries": 4}}
    after = api.patch(f"/registries/{made['id']}", same).expect(200).body

    assert after["secret_headers"] == ["Authorization"]
