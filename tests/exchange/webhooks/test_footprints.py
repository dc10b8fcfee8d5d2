"""Footprints are told in the feed of changes and to webhooks: by their ids, which are not their keys."""

import pytest
from tests.given.footprints import host as make_host


@pytest.fixture
def host(account):
    return make_host(account)


def told(api, cursor, **query):
    page = api.get("/changes", {"after": cursor, "kind": "footprint", **query}).expect(200).body
    return page["cursor"], [(one["action"], one["id"], one["project_id"]) for one in page["data"]]


def test_a_footprint_and_the_one_whose_place_it_takes_are_told(host):
    product, project = host.product(), host.plant.project["id"]
    cursor = host.api.get("/changes", {"after": "latest"}).body["cursor"]

    first = host.make(product)["id"]
    second = host.make(product)["id"]
    host.api.post(f"/footprints/{second}/deprecate", {"reason": "It was wrong."}).expect(200)
    host.api.post(f"/footprints/{second}/deprecate", {"reason": "Once more."}).expect(200)

    _, changes = told(host.api, cursor)
    assert changes == [
        ("create", first, project), ("create", second, project), ("update", first, project),
        ("update", second, project),
    ]  # fmt: skip
    assert [host.read({"id": one})["status"] for _, one, _ in changes[-2:]] == ["Deprecated"] * 2


def test_many_footprints_of_one_transaction_are_told_page_by_page_each_once(account):
    host = make_host(account, *range(1, 8))
    product = host.product()
    made = [host.make(product, batch_id=one["id"])["id"] for one in host.plant.batches()]
    cursor = host.api.get("/changes", {"after": "latest"}).body["cursor"]
    with account.server.transaction() as past:
        past.execute(
            """
            UPDATE footprints SET status = 'Deprecated', deprecated_at = now(), deprecated_reason = 'Late'
             WHERE account_id = %s
            """,
            (account.id,),
        )

    cursor, first = told(host.api, cursor, page_size=4)
    cursor, rest = told(host.api, cursor, page_size=4)

    assert [one for _, one, _ in [*first, *rest]] == made
    assert (len(first), told(host.api, cursor)[1]) == (4, [])


def test_who_may_not_read_footprints_is_not_told_of_them(host, account):
    cursor = host.api.get("/changes", {"after": "latest"}).body["cursor"]
    host.make(host.product())

    assert told(account.caller("data_collection:read"), cursor)[1] == []


def test_a_webhook_names_footprints_by_their_ids(host, hooks):
    receiver = hooks.receiver()
    made = hooks.make(receiver.url, host.api, change_types=["footprint"])
    product = host.product()
    ids = [host.make(product)["id"] for _ in range(3)]

    hooks.deliver()

    sent = [(one.event["type"], one.event["data"]["ids"]) for one in receiver.received]
    assert sent == [
        ("weighbridge.footprint.create", ids[:2]), ("weighbridge.footprint.update", ids[:1]),
        ("weighbridge.footprint.create", ids[2:]), ("weighbridge.footprint.update", ids[1:2]),
    ]  # fmt: skip
    listed = host.api.get(f"/webhooks/{made['id']}/deliveries").data
    assert {one["kind"] for one in listed} == {"footprint"}
