"""What becomes of deliveries that are not taken, and of the deliveries to others meanwhile."""

import threading
from ipaddress import ip_address

import pytest
from tests.given import collection as given

HELD_SECONDS = 10
"""How long a slow receiver waits for the good one to be told; less than an attempt may take."""


def deliveries(api, made, **query):
    return api.get(f"/webhooks/{made['id']}/deliveries", query).data


def due_now(sql):
    """Let the pauses of deliveries be over."""
    sql("UPDATE webhook_deliveries SET next_attempt_at = now() WHERE state = 'pending'")
    sql("UPDATE webhook_lanes SET due_at = now()")


def failing_for(sql, days):
    sql("UPDATE webhooks SET failing_since = now() - make_interval(days => %s)", days)


def test_what_is_not_taken_is_sent_again_under_the_same_id_with_the_same_bytes(api, plant, hooks, sql):
    statuses = iter([500, 200])
    receiver = hooks.receiver(lambda _: (next(statuses), {}, b"the disk is full"))
    made = hooks.make(receiver.url)
    given.event(api, plant, values={"mass": 1})
    hooks.deliver()
    [waiting] = deliveries(api, made)
    assert waiting["state"] == "pending"
    assert waiting["attempts"][0]["status"] == 500
    assert waiting["attempts"][0]["answer"] == "the disk is full"
    assert "answered 500" in waiting["attempts"][0]["error"]
    assert api.get(f"/webhooks/{made['id']}").body["failing_since"] is not None

    due_now(sql)
    hooks.deliver()

    [taken] = deliveries(api, made)
    assert (taken["state"], taken["attempt_count"]) == ("delivered", 2)
    first, second = receiver.received
    assert first.content == second.content
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == taken["id"]
    assert api.get(f"/webhooks/{made['id']}").body["failing_since"] is None


def test_a_delivery_that_is_never_taken_has_failed_after_ten_attempts_and_is_seen(api, plant, hooks, sql):
    receiver = hooks.receiver(lambda _: 503)
    made = hooks.make(receiver.url)
    given.event(api, plant, values={"mass": 1})
    for _ in range(12):
        hooks.deliver()
        due_now(sql)

    assert len(receiver.received) == 10
    [failed] = deliveries(api, made, **{"filter[state][eq]": "failed"})
    assert (failed["attempt_count"], failed["next_attempt_at"]) == (10, None)
    assert len(failed["attempts"]) == 10
    assert api.get(f"/webhooks/{made['id']}").body["is_enabled"]


def test_a_delivery_that_fails_holds_up_none_that_come_after_it(api, plant, hooks):
    receiver = hooks.receiver(lambda came: 500 if came.event["data"]["action"] == "void" else 200)
    made = hooks.make(receiver.url)
    event = given.event(api, plant, values={"mass": 1})["id"]
    api.delete(f"/projects/{plant['id']}/events/{event}").expect(204)
    last = given.event(api, plant, values={"mass": 1})["id"]

    hooks.deliver()

    assert receiver.ids == [event, event, last]
    assert [one["state"] for one in deliveries(api, made, sort="id")] == ["delivered", "pending", "delivered"]


def test_a_receiver_that_asks_for_a_pause_has_it(api, plant, hooks, sql):
    hooks.make(hooks.receiver(lambda _: (429, {"Retry-After": "3600"}, b"")).url)
    given.event(api, plant, values={"mass": 1})

    hooks.deliver()

    [(pause,)] = sql("SELECT extract(epoch FROM next_attempt_at - now())::integer FROM webhook_deliveries")
    assert 3500 < pause <= 3600


def test_a_webhook_that_fails_for_five_days_is_disabled_and_says_so(api, plant, hooks, sql):
    receiver = hooks.receiver(lambda _: 500)
    made = hooks.make(receiver.url)
    given.event(api, plant, values={"mass": 1})
    hooks.deliver()
    failing_for(sql, 4)
    due_now(sql)
    hooks.deliver()
    assert api.get(f"/webhooks/{made['id']}").body["is_enabled"]

    failing_for(sql, 5)
    due_now(sql)
    hooks.deliver()

    disabled = api.get(f"/webhooks/{made['id']}").body
    assert not disabled["is_enabled"]
    assert disabled["disabled_reason"] == "No attempt has been taken for 5 days."
    assert disabled["disabled_at"] is not None
    said = api.get("/audit_log", {"filter[action][eq]": "webhook.disable"}).data
    assert [one["object"] for one in said] == [made["id"]]


def test_a_webhook_that_is_enabled_again_loses_nothing(api, plant, hooks, sql):
    receiver = hooks.receiver(lambda _: 410)
    made = hooks.make(receiver.url)
    events = [given.event(api, plant, values={"mass": 1})["id"]]
    hooks.deliver()
    assert api.get(f"/webhooks/{made['id']}").body["disabled_reason"].startswith("The receiver answered 410")
    events.append(given.event(api, plant, values={"mass": 2})["id"])
    due_now(sql)
    hooks.deliver()
    assert len(receiver.received) == 1

    receiver.answer = lambda _: 200
    enabled = api.patch(f"/webhooks/{made['id']}", {"webhook": {"is_enabled": True}}).expect(200).body
    due_now(sql)
    hooks.deliver()

    assert (enabled["disabled_at"], enabled["disabled_reason"]) == (None, None)
    assert receiver.ids == [events[0], *events]
    assert {one["state"] for one in deliveries(api, made)} == {"delivered"}


def test_what_the_feed_forgot_while_a_webhook_was_disabled_is_counted(api, plant, hooks, sql):
    receiver = hooks.receiver()
    made = hooks.make(receiver.url, is_enabled=False)
    given.event(api, plant, values={"mass": 1})
    given.event(api, plant, values={"mass": 2})
    api.get("/changes")
    account = sql("SELECT account_id FROM webhooks")[0][0]
    sql("INSERT INTO change_horizons SELECT account_id, max(number) FROM changes GROUP BY account_id"
        " HAVING account_id = %s", account)  # fmt: skip
    sql("DELETE FROM changes WHERE account_id = %s", account)
    api.patch(f"/webhooks/{made['id']}", {"webhook": {"is_enabled": True}}).expect(200)
    kept = given.event(api, plant, values={"mass": 3})["id"]

    hooks.deliver()

    assert receiver.ids == [kept]
    assert api.get(f"/webhooks/{made['id']}").body["lost_entries"] == 2


def test_receivers_that_are_slow_dead_or_broken_hold_up_nobody_else(api, plant, hooks, server):
    told, held = threading.Event(), []

    def slow(_):
        held.append(told.wait(HELD_SECONDS))
        return 200

    def quick(_):
        told.set()
        return 200

    good = hooks.receiver(quick)
    slow_one, broken = hooks.receiver(slow), hooks.receiver(lambda _: 500)
    makes = [hooks.make(slow_one.url) for _ in range(5)]
    makes += [hooks.make("http://127.0.0.1:1/dead"), hooks.make(broken.url)]
    hooks.make(good.url, caller=(other := server.account().caller()))
    elsewhere = given.measuring(other, given.number("mass"))
    event = given.event(api, plant, values={"mass": 1})["id"]
    of_other = given.event(other, elsewhere, values={"mass": 1})["id"]

    hooks.deliver()

    assert good.ids == [of_other]
    assert held == [True] * 5, "the good one was told while the slow ones had not answered"
    assert slow_one.ids == [event] * 5
    states = [deliveries(api, made)[0]["state"] for made in makes]
    assert states == ["delivered"] * 5 + ["pending"] * 2
    [dead] = deliveries(api, makes[5])
    assert "Could not connect to" in dead["attempts"][0]["error"]


def test_what_a_turn_takes_from_the_feed_it_sends(api, plant, hooks):
    receiver = hooks.receiver()
    for _ in range(10):
        hooks.make(receiver.url)
    event = given.event(api, plant, values={"mass": 1})["id"]

    hooks.look_once(lambda: receiver.until(lambda came: len(came) == 10, "each webhook was told"))

    assert receiver.ids == [event] * 10


def test_a_redirect_is_not_followed(api, plant, hooks):
    private = hooks.receiver()
    redirecting = hooks.receiver(lambda _: (307, {"Location": private.url}, b""))
    made = hooks.make(redirecting.url)
    given.event(api, plant, values={"mass": 1})

    hooks.deliver()

    assert private.received == []
    assert deliveries(api, made)[0]["attempts"][0]["status"] == 307


@pytest.mark.parametrize("url", ["http://127.0.0.1:{}/", "http://localhost:{}/", "https://169.254.169.254/",
                                 "https://[::ffff:10.0.0.1]/", "https://2130706433/"])  # fmt: skip
def test_what_is_private_is_out_of_reach(api, plant, hooks, url):
    receiver = hooks.receiver()
    made = hooks.make(url.format(receiver.url.split(":")[2].split("/")[0]))
    given.event(api, plant, values={"mass": 1})

    hooks.deliver(networks=())

    assert receiver.received == []
    [attempt] = deliveries(api, made)[0]["attempts"]
    assert attempt["status"] is None
    assert "may not be called" in attempt["error"]


def test_a_name_that_means_something_private_at_a_second_look_is_called_where_it_was_checked(
    api, plant, hooks
):
    private = hooks.receiver()
    port = private.url.split(":")[2].split("/")[0]
    answers = iter(["192.0.2.1", "127.0.0.1"])  # no network has the first one
    asked = []

    async def resolve(host, _):
        asked.append(host)
        return [ip_address(next(answers))]

    made = hooks.make(f"http://rebound.example:{port}/")
    given.event(api, plant, values={"mass": 1})

    hooks.deliver(networks=("192.0.2.0/24",), resolve=resolve)

    assert (asked, private.received) == (["rebound.example"], [])
    assert "Could not connect to" in deliveries(api, made)[0]["attempts"][0]["error"]


def test_of_a_long_answer_only_the_beginning_is_kept(api, plant, hooks):
    made = hooks.make(hooks.receiver(lambda _: (500, {}, b"\x00" + b"x" * 500_000)).url)
    given.event(api, plant, values={"mass": 1})

    hooks.deliver()

    answer = deliveries(api, made)[0]["attempts"][0]["answer"]
    assert answer == "\N{REPLACEMENT CHARACTER}" + "x" * 999


def test_what_a_webhook_cannot_take_waits_in_the_feed(api, plant, hooks, sql):
    receiver = hooks.receiver(lambda _: 500)
    made = hooks.make(receiver.url)
    hook_number = sql("SELECT id FROM webhooks")[0][0]
    given.event(api, plant, values={"mass": 1})
    hooks.deliver()
    sql(
        "INSERT INTO webhook_deliveries (webhook_id, kind, action, keys, changed_at, next_attempt_at)"
        " SELECT %s, 'webhook', 'test', '{}', now(), now() + interval '1 day' FROM generate_series(1, 999)",
        hook_number,
    )
    late = given.event(api, plant, values={"mass": 1})["id"]
    hooks.deliver()
    assert api.get(f"/webhooks/{made['id']}").body["pending_deliveries"] == 1_000
    receiver.answer = lambda _: 200
    sql("DELETE FROM webhook_deliveries WHERE kind = 'webhook'")
    due_now(sql)

    hooks.deliver()

    assert receiver.ids[-1] == late
