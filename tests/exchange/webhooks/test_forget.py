"""What is removed because of its age, and what stays although it is old."""

from tests.given import collection as given

from weighbridge.exchange.changes import forget_changes, number_all
from weighbridge.exchange.webhooks import forget_deliveries


async def changes_forgotten(server):
    await number_all(server.database)
    async with server.database.write() as tx:
        return await forget_changes(tx, 0)


async def deliveries_forgotten(server):
    async with server.database.write() as tx:
        return await forget_deliveries(tx)


def test_the_feed_keeps_what_a_webhook_is_still_to_be_told(server, api, plant, hooks):
    receiver = hooks.receiver()
    hooks.make(receiver.url)
    event = given.event(api, plant, values={"mass": 1})["id"]
    server.run(changes_forgotten(server))

    hooks.deliver()

    assert receiver.ids == [event]
    server.run(changes_forgotten(server))
    assert api.get("/changes", {"kind": "event"}).data == []


def test_the_feed_keeps_nothing_for_a_webhook_that_is_disabled(server, api, plant, hooks):
    hooks.make(hooks.receiver().url, is_enabled=False)
    given.event(api, plant, values={"mass": 1})

    server.run(changes_forgotten(server))

    assert api.get("/changes", {"kind": "event"}).data == []


def test_deliveries_that_were_taken_are_kept_for_a_week_and_those_that_failed_for_a_month(
    server, api, hooks, sql
):
    made = hooks.make(hooks.receiver().url)
    age = "UPDATE webhook_deliveries SET ended_at = now() - make_interval(days => %s) WHERE state = %s"
    for state in ("delivered", "failed"):
        api.post(f"/webhooks/{made['id']}/test", {}).expect(201)
        hooks.deliver()
        sql("UPDATE webhook_deliveries SET state = %s WHERE ended_at > now() - interval '1 hour'", state)
        sql(age, 8, state)

    def kept():
        server.run(deliveries_forgotten(server))
        return [one["state"] for one in api.get(f"/webhooks/{made['id']}/deliveries").data]

    assert kept() == ["failed"]
    sql(age, 31, "failed")
    assert kept() == []


def test_a_secret_is_removed_when_it_signs_no_more(server, api, hooks, sql):
    made = hooks.make(hooks.receiver().url)
    api.post(f"/webhooks/{made['id']}/roll_secret", {"overlap_hours": 1}).expect(200)
    server.run(deliveries_forgotten(server))
    assert sql("SELECT count(*) FROM webhook_secrets") == [(2,)]
    sql("UPDATE webhook_secrets SET expires_at = now() - interval '1 hour' WHERE expires_at IS NOT NULL")

    server.run(deliveries_forgotten(server))

    assert sql("SELECT count(*) FROM webhook_secrets") == [(1,)]
