"""Webhooks over HTTP: `create_webhook`, `update_webhook`, `roll_secret`, `try_webhook`, `delete_webhook`, and
`actions.redeliver`.
"""

import hmac
from base64 import b64decode, b64encode

import pytest
from tests.given import collection as given

URL = "https://partner.example/hooks"


def signatures(came):
    return came.headers["webhook-signature"].split()


def signature_by(secret, came):
    key = b64decode(secret.removeprefix("whsec_"))
    signed = f"{came.headers['webhook-id']}.{came.headers['webhook-timestamp']}.".encode() + came.content
    return "v1," + b64encode(hmac.digest(key, signed, "sha256")).decode()


def test_a_webhook_is_read_without_its_secret(api, hooks, plant):
    made = hooks.make(URL, project_id=plant["id"], change_types=["batch"], description="Partner")

    secret = made.pop("secret")
    assert secret.startswith("whsec_")
    assert len(b64decode(secret.removeprefix("whsec_"))) == 32
    assert api.get(f"/webhooks/{made['id']}").body == made
    assert made in api.get("/webhooks").data
    assert (made["project_id"], made["change_types"], made["is_enabled"]) == (plant["id"], ["batch"], True)


def test_a_webhook_is_told_of_all_that_its_maker_may_read_unless_that_is_said(account, hooks):
    maker = account.caller("administration:write", "data_collection:read")

    assert hooks.make(URL, caller=maker)["change_types"] == ["event", "correction", "async_task"]


def test_a_token_has_others_told_only_of_what_it_may_read(account, hooks):
    maker = account.caller("administration:write", "data_collection:read")
    body = {"webhook": {"url": URL, "change_types": ["event", "batch.create", "report"]}}

    refused = maker.post("/webhooks", body).expect(403).error

    assert refused["code"] == "permission_missing"
    assert "production_accounting:read" in refused["message"]
    made = hooks.make(URL, caller=maker, change_types=["event"])
    change = {"webhook": {"change_types": ["rule_result"]}}
    assert "data_rules:read" in maker.patch(f"/webhooks/{made['id']}", change).expect(403).error["message"]


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"url": "ftp://partner.example/"}, "url"), ({"url": "partner.example"}, "url"),
        ({"url": "https://user:word@partner.example/"}, "url"), ({"url": URL + "#a"}, "url"),
        ({"url": URL + "x" * 2_000}, "url"), ({"url": URL, "change_types": []}, "change_types"),
        ({"url": URL, "change_types": ["batch.void"]}, "change_types"),
        ({"url": URL, "description": "\u202eevil"}, "description"),
    ],
)  # fmt: skip
def test_what_no_webhook_can_be_is_refused(api, said, field):
    assert api.post("/webhooks", {"webhook": said}).expect(422).error["field"] == field


def test_an_account_has_so_many_webhooks_and_no_more(api, hooks, account, sql):
    hooks.make(URL)
    sql(
        "INSERT INTO webhooks (account_id, url, change_types, task_types, user_id) SELECT account_id, url,"
        " change_types, task_types, user_id FROM webhooks CROSS JOIN generate_series(1, 99)"
        " WHERE account_id = %s",
        account.id,
    )

    assert api.post("/webhooks", {"webhook": {"url": URL}}).expect(422).error["code"] == "too_many"


def test_an_old_secret_signs_beside_the_new_one_until_the_overlap_is_over(api, plant, hooks, sql):
    receiver = hooks.receiver()
    made = hooks.make(receiver.url)
    path = f"/webhooks/{made['id']}/roll_secret"
    rolled = api.post(path, {"overlap_hours": 1}).expect(200).body
    assert rolled["old_secrets_until"] is not None
    given.event(api, plant, values={"mass": 1})
    hooks.deliver()
    [came] = receiver.received
    assert signatures(came) == [signature_by(rolled["secret"], came), signature_by(made["secret"], came)]

    sql("UPDATE webhook_secrets SET expires_at = now() WHERE expires_at IS NOT NULL")
    given.event(api, plant, values={"mass": 1})
    hooks.deliver()

    assert signatures(receiver.received[1]) == [signature_by(rolled["secret"], receiver.received[1])]
    assert api.get(f"/webhooks/{made['id']}").body["old_secrets_until"] is None


def test_a_secret_that_leaked_ends_at_once(api, plant, hooks):
    receiver = hooks.receiver()
    made = hooks.make(receiver.url)
    for _ in range(7):
        rolled = api.post(f"/webhooks/{made['id']}/roll_secret", {"overlap_hours": 0}).expect(200).body
    given.event(api, plant, values={"mass": 1})

    hooks.deliver()

    assert signatures(receiver.received[0]) == [signature_by(rolled["secret"], receiver.received[0])]


def test_five_secrets_sign_at_most(api, hooks):
    path = f"/webhooks/{hooks.make(URL)['id']}/roll_secret"
    for _ in range(4):
        api.post(path, {}).expect(200)

    assert api.post(path, {}).expect(422).error["code"] == "too_many"
    assert api.post(path, {"overlap_hours": 169}).expect(422).error["field"] == "overlap_hours"
    assert api.post(path, {"overlap_hours": 0}).expect(200)


def test_an_answer_that_is_repeated_has_no_secret(api):
    body = b'{"webhook": {"url": "https://partner.example/hooks"}}'
    headers = {"Idempotency-Key": "once"}

    first = api.send("POST", "/webhooks", content=body, headers=headers).expect(201).body
    again = api.send("POST", "/webhooks", content=body, headers=headers).expect(201).body

    assert first.pop("secret").startswith("whsec_")
    assert again == first


def test_a_test_of_a_project_and_its_end_are_in_the_audit_log_of_the_project(api, plant, hooks):
    made = hooks.make(URL, project_id=plant["id"])
    api.post(f"/webhooks/{made['id']}/roll_secret", {}).expect(200)
    tried = api.post(f"/webhooks/{made['id']}/test", {}).expect(201).body
    api.delete(f"/webhooks/{made['id']}").expect(204)

    rows = api.get("/audit_log", {"filter[project_id][eq]": plant["id"], "sort": "id"}).data
    done = [row["action"] for row in rows if row["object"] == made["id"]]
    assert done == ["webhook.create", "webhook.roll_secret", "webhook.test", "webhook.delete"]
    assert tried["project_id"] == plant["id"]


def test_a_test_is_sent_once_also_by_a_webhook_that_is_disabled(api, hooks):
    receiver = hooks.receiver(lambda _: 500)
    made = hooks.make(receiver.url, is_enabled=False)
    tried = api.post(f"/webhooks/{made['id']}/test", {}).expect(201).body
    assert (tried["state"], tried["type"]) == ("pending", "weighbridge.webhook.test")

    hooks.deliver()

    [came] = receiver.received
    assert came.event["type"] == "weighbridge.webhook.test"
    assert came.event["data"]["ids"] == [made["id"]]
    after = api.get(f"/webhooks/{made['id']}/deliveries/{tried['id']}").body
    assert (after["state"], after["attempt_count"]) == ("failed", 1)


def test_a_delivery_is_sent_again_when_somebody_asks(api, plant, hooks):
    receiver = hooks.receiver()
    made = hooks.make(receiver.url)
    given.event(api, plant, values={"mass": 1})
    hooks.deliver()
    [delivery] = api.get(f"/webhooks/{made['id']}/deliveries").data

    path = f"/webhooks/{made['id']}/deliveries/{delivery['id']}/redeliver"
    assert api.post(path, {}).expect(200).body["state"] == "pending"
    hooks.deliver()

    first, again = receiver.received
    assert first.content == again.content
    assert api.get(f"/webhooks/{made['id']}/deliveries").data[0]["attempt_count"] == 2


def test_a_webhook_that_was_removed_is_told_nothing(api, plant, hooks):
    receiver = hooks.receiver()
    made = hooks.make(receiver.url)
    given.event(api, plant, values={"mass": 1})
    api.delete(f"/webhooks/{made['id']}").expect(204)

    hooks.deliver()

    assert receiver.received == []
    api.get(f"/webhooks/{made['id']}").expect(404)
    api.get(f"/webhooks/{made['id']}/deliveries").expect(404)


def test_a_webhook_is_changed(api, plant, hooks):
    made = hooks.make(URL)
    change = {"url": URL + "/2", "project_id": plant["id"], "is_enabled": False, "change_types": ["batch"]}

    changed = api.patch(f"/webhooks/{made['id']}", {"webhook": change}).expect(200).body

    assert {name: changed[name] for name in change} == change
    assert changed["disabled_reason"] == "It was disabled by a request."
    cleared = api.patch(f"/webhooks/{made['id']}", {"webhook": {"project_id": None}}).expect(200).body
    assert cleared["project_id"] is None
    assert cleared["change_types"] == ["batch"]


def test_the_project_of_a_webhook_is_one_of_the_account(api, stranger):
    theirs = given.project(stranger)["id"]

    api.post("/webhooks", {"webhook": {"url": URL, "project_id": theirs}}).expect(404)


@pytest.mark.parametrize("change", [{"url": "https://elsewhere.example/hooks"}, {"project_id": None}])
def test_who_has_others_told_of_more_may_read_that(account, hooks, plant, change):
    made = hooks.make(URL, project_id=plant["id"], change_types=["event", "batch", "report"])
    clerk = account.caller("administration:write", "data_collection:read")

    refused = clerk.patch(f"/webhooks/{made['id']}", {"webhook": change}).expect(403).error

    assert "production_accounting:read" in refused["message"]
    clerk.patch(f"/webhooks/{made['id']}", {"webhook": {"description": "Look"}}).expect(200)


STATED = "whsec_" + b64encode(b"b" * 32).decode()
ELSEWHERE = "https://elsewhere.example/hooks"


def test_another_host_takes_the_secret_of_the_receiver_there(api, hooks):
    made = hooks.make(URL, change_types=["batch"])
    path = f"/webhooks/{made['id']}"

    error = api.patch(path, {"webhook": {"url": ELSEWHERE}}).expect(422).error

    assert (error["field"], error["code"]) == ("secret", "required")
    assert "from 'partner.example' to 'elsewhere.example'" in error["message"]
    assert api.get(path).body["url"] == URL
    changed = api.patch(path, {"webhook": {"url": ELSEWHERE, "secret": STATED}}).expect(200)
    assert (changed.body["url"], changed.body["old_secrets_until"]) == (ELSEWHERE, None)
    assert STATED not in changed.text


def test_on_the_same_host_a_webhook_keeps_its_secrets(api, hooks):
    made = hooks.make(URL, change_types=["batch"])

    api.patch(f"/webhooks/{made['id']}", {"webhook": {"url": URL + "/other"}}).expect(200)


def test_what_is_stated_signs_alone_from_then_on(api, hooks):
    receiver = hooks.receiver()
    made = hooks.make(receiver.url)

    api.patch(f"/webhooks/{made['id']}", {"webhook": {"secret": STATED}}).expect(200)
    api.post(f"/webhooks/{made['id']}/test", {}).expect(201)
    hooks.deliver()

    [came] = receiver.received
    assert signatures(came) == [signature_by(STATED, came)]


@pytest.mark.parametrize("text", ["word", "whsec_", "whsec_" + b64encode(b"short").decode(), STATED[6:]])
def test_a_secret_that_is_none_is_refused_without_being_repeated(api, hooks, text):
    made = hooks.make(URL, change_types=["batch"])

    error = api.patch(f"/webhooks/{made['id']}", {"webhook": {"secret": text}}).expect(422).error

    assert (error["field"], error["code"]) == ("secret", "invalid")
    assert text not in error["message"].replace("whsec_ and base64", "") or text == "whsec_"
