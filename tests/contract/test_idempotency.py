"""Idempotency-Key: one effect however often a request is sent, and the same answer each time."""

import threading

import pytest
from tests.given import collection as given
from tests.server import Caller, Server

from weighbridge.http import idempotency

KEY = {"Idempotency-Key": "delivery-4711"}


def body(name: str = "Plant") -> dict:
    return {"project": {"name": name}}


def test_a_repeated_request_gets_the_first_answer_and_has_no_second_effect(api: Caller):
    first = api.send("POST", "/projects", content=b'{"project": {"name": "Plant"}}', headers=KEY)
    again = api.send("POST", "/projects", content=b'{"project": {"name": "Plant"}}', headers=KEY)

    assert first.expect(201).text == again.expect(201).text
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert api.get("/projects").info["total_items"] == 1


def test_the_same_key_with_another_body_is_refused(api: Caller):
    api.send("POST", "/projects", content=b'{"project": {"name": "One"}}', headers=KEY).expect(201)

    error = (
        api.send("POST", "/projects", content=b'{"project": {"name": "Two"}}', headers=KEY).expect(422).error
    )

    assert (error["field"], error["code"]) == ("Idempotency-Key", "reused")


def test_a_refusal_is_not_stored_so_the_mended_request_may_use_the_key(api: Caller):
    api.send("POST", "/projects", content=b'{"project": {"name": ""}}', headers=KEY).expect(422)

    api.send("POST", "/projects", content=b'{"project": {"name": "Mended"}}', headers=KEY).expect(201)


def test_a_key_belongs_to_its_path_and_to_its_token(api: Caller, stranger: Caller):
    project = given.project(api)
    content = b'{"feedstock": {"name": "Wood"}}'
    api.send("POST", f"/projects/{project['id']}/feedstocks", content=content, headers=KEY).expect(201)

    api.send("POST", "/projects", content=b'{"project": {"name": "Plant"}}', headers=KEY).expect(201)
    stranger.send("POST", "/projects", content=b'{"project": {"name": "Theirs"}}', headers=KEY).expect(201)


def test_twins_that_are_sent_at_once_have_one_effect(api: Caller):
    project = given.project(api)
    path = f"/projects/{project['id']}/feedstocks"
    answers = []

    def send() -> None:
        answers.append(api.send("POST", path, content=b'{"feedstock": {"name": "Wood"}}', headers=KEY))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {answer.expect(201).text for answer in answers} == {answers[0].text}
    assert api.get(path).info["total_items"] == 1


@pytest.mark.parametrize("key", ["k" * 256, "tab\there"])
def test_a_key_that_is_too_long_or_not_printable_is_refused(api: Caller, key: str):
    api.send(
        "POST", "/projects", content=b'{"project": {"name": "P"}}', headers={"Idempotency-Key": key}
    ).expect(400)


def test_a_key_is_forgotten_after_a_day(api: Caller, sql):
    api.send("POST", "/projects", content=b'{"project": {"name": "Plant"}}', headers=KEY).expect(201)
    sql(
        "UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = %s",
        KEY["Idempotency-Key"],
    )

    api.send("POST", "/projects", content=b'{"project": {"name": "Plant again"}}', headers=KEY).expect(201)

    assert api.get("/projects").info["total_items"] == 2


def test_answers_that_are_too_old_to_be_repeated_are_removed(api: Caller, server: Server, sql):
    api.send("POST", "/projects", content=b'{"project": {"name": "Old"}}', headers=KEY).expect(201)
    fresh = {"Idempotency-Key": "fresh"}
    api.send("POST", "/projects", content=b'{"project": {"name": "New"}}', headers=fresh).expect(201)
    sql(
        "UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = %s",
        KEY["Idempotency-Key"],
    )

    async def forget() -> int:
        async with server.database.write() as tx:
            return await idempotency.forget(tx)

    assert server.run(forget()) >= 1
    assert sql("SELECT key FROM idempotency_keys WHERE key IN ('fresh', %s)", KEY["Idempotency-Key"]) == [
        ("fresh",)
    ]


def test_the_answer_to_a_question_is_repeated_too(api: Caller):
    path, content = "/models/yaml_validate", b'{"yaml": "model: 1"}'

    first = api.send("POST", path, content=content, headers=KEY).expect(200)
    again = api.send("POST", path, content=content, headers=KEY).expect(200)

    assert first.text == again.text
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    other = api.send("POST", path, content=b'{"yaml": "model: 2"}', headers=KEY).expect(422)
    assert other.error["code"] == "reused"
