"""The paths below /pact: tokens, footprints by criteria and page by page, events, and their errors."""

import json

import pytest
from tests.given.footprints import event, token_of
from tests.given.footprints import host as make_host

OTHER = {
    "product_ids": ["urn:gtin:5695872369587"],
    "geography": "FR-IDF",
    "company_ids": ["urn:company:other"],
}
NOBODY = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def three(account):
    """A host with footprints of three batches, the last of another product."""
    host = make_host(account, 10, 20, 30)
    product, other = host.product(), host.product(name="Other", **OTHER)
    batches = host.plant.batches()
    made = [host.make(product, batch_id=batches[n]["id"]) for n in (0, 1)]
    return host, [*made, host.make(other, batch_id=batches[2]["id"])]


def ids(answer):
    return [one["id"] for one in answer.expect(200).body["data"]]


def test_a_client_reads_what_was_made_as_it_is_shown(three):
    host, made = three
    caller = host.pact(host.client())

    assert caller.get("/3/footprints").body == {"data": [one["content"] for one in made]}
    assert caller.get(f"/3/footprints/{made[1]['id']}").body == {"data": made[1]["content"]}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("productId=URN:GTIN:4712345060507", [0, 1]),
        ("productId=urn:gtin:4712345060507&productId=urn:gtin:5695872369587", [0, 1, 2]),
        ("companyId=urn:company:other", [2]),
        ("geography=de", [0, 1]),
        ("geography=FR-IDF", [2]),
        ("geography=FR", []),
        ("classification=urn:pact:productclassification:un-cpc:3413", [0, 1, 2]),
        ("validOn=2025-02-15T00:00:00Z", [0]),
        ("validAfter=2025-02-01T00:00:00Z", [1, 2]),
        ("validBefore=2028-03-01T00:00:00Z", [0]),
        ("status=active", [0, 1, 2]),
        ("status=Deprecated", []),
        ("status=Other", []),
        ("productId=urn:gtin:4712345060507&companyId=urn:company:other", []),
        ("unknown=1&limit=2", [0, 1]),
        ("limit=0", []),
    ],
)
def test_footprints_are_found_by_each_criterion(three, query, found):
    host, made = three

    assert ids(host.pact(host.client()).get(f"/3/footprints?{query}")) == [made[n]["id"] for n in found]


def test_a_page_leads_to_the_next_whatever_is_made_meanwhile(three):
    host, made = three
    caller = host.pact(host.client())

    first = caller.get("/3/footprints?geography=DE&geography=FR-IDF&limit=2", host="plant.example")
    link = first.headers["link"]
    assert link.startswith("<http://plant.example/pact/3/footprints?")
    assert {"geography=DE", "geography=FR-IDF", "limit=2"} < set(
        link.split("?")[1].partition(">")[0].split("&")
    )
    assert link.endswith('>; rel="next"')
    newest = host.make({"id": made[0]["product_id"]}, batch_id=made[0]["batch_id"])
    rest = caller.get(link[1:].partition(">")[0].partition("/pact")[2])

    assert ids(first) + ids(rest) == [one["id"] for one in [*made, newest]]
    assert "link" not in rest.headers


@pytest.mark.parametrize(
    "query", ["limit=-1", "limit=1&limit=2", "cursor=a", "validOn=soon", "validAfter=2025-01-01"]
)
def test_what_a_query_cannot_say_is_refused_in_the_words_of_pact(host, query):
    answer = host.pact(host.client()).get(f"/3/footprints?{query}")

    assert answer.expect(400).body["code"] == "BadRequest"
    assert set(answer.body) == {"code", "message"}


def test_a_wrong_secret_a_revoked_client_and_a_feature_that_is_off_open_nothing(host, account):
    client = host.client()
    caller = host.pact(client)
    wrong = token_of(account, client | {"client_secret": "wrong"})
    assert wrong.expect(401).body["error"] == "invalid_client"
    assert token_of(account, client, authorization="Basic !").expect(401).headers["www-authenticate"]
    stranger = f"pact-{account.id}-{'0' * 16}"
    assert token_of(account, client | {"client_id": stranger}).status == 401

    def switch(*, is_on):
        host.api.patch("/feature_flags", {"feature_flags": {"footprint_exchange": is_on}}).expect(200)

    switch(is_on=False)
    assert caller.get("/3/footprints").expect(401).body["code"] == "BadRequest"
    assert token_of(account, client).status == 401
    switch(is_on=True)
    caller.get("/3/footprints").expect(200)
    host.api.delete(f"/footprint_clients/{client['id']}").expect(204)

    assert caller.get("/3/footprints").status == 401
    assert token_of(account, client).status == 401
    assert host.api.get(f"/footprint_clients/{client['id']}").body["revoked_at"]


def test_a_token_of_a_client_opens_nothing_else_and_other_tokens_nothing_here(host, server):
    caller = host.pact(host.client())

    answer = server.request(
        "GET", "/api/v1/footprints", (), None, {"authorization": f"Bearer {caller.token}"}
    )
    assert answer.status == 401
    caller.token = host.api.token
    assert caller.get("/3/footprints").status == 401


def test_footprints_of_another_account_are_not_found(host, server):
    made = host.make(host.product())
    other = make_host(server.other_account())
    caller = other.pact(other.client())

    assert caller.get(f"/3/footprints/{made['id']}").expect(404).body["code"] == "NotFound"
    assert ids(caller.get("/3/footprints")) == []
    other.api.get(f"/footprints/{made['id']}").expect(404)


@pytest.mark.parametrize(
    ("proxies", "status"), [((), 403), (("10.0.0.0/8",), 403), (("127.0.0.0/8",), 200)], ids=str
)
def test_where_people_come_by_https_a_trusted_proxy_alone_says_that_somebody_does(
    host, server, proxies, status
):
    client = host.client()
    with server.again(base_url="https://plant.example", trusted_proxies=proxies) as secure:

        class There:
            id = host.account.id
            server = secure

        plain = token_of(There, client)
        assert plain.expect(403).body["code"] == "AccessDenied"
        token_of(There, client, **{"x-forwarded-proto": "https"}).expect(status)


def test_a_request_is_answered_by_what_meets_it_or_that_nothing_does(three):
    host, made = three
    partner = host.partner("https://trader.example/pact")
    caller = host.pact(host.client(partner_id=partner["id"]))

    asked = {"productId": ["urn:gtin:4712345060507"], "comment": "For this year."}
    caller.send(event("RequestCreated", asked)).expect(200)
    caller.send(event("RequestCreated", asked)).expect(200)
    caller.send(event("RequestCreated", {"productId": ["urn:pact:null"]}, id="event-2")).expect(200)

    rejected, fulfilled = host.api.get("/footprint_calls").data
    assert (fulfilled["kind"], rejected["kind"]) == ("request_fulfilled", "request_rejected")
    assert fulfilled["content"]["data"] == {
        "requestEventId": "event-1", "pfs": [one["content"] for one in made[:2]],
    }  # fmt: skip
    assert rejected["content"]["data"] == {
        "requestEventId": "event-2",
        "error": {"code": "NotFound", "message": "No footprint meets the request."},
    }
    stored = host.api.get("/footprint_events").data
    assert [one["event_id"] for one in stored] == ["event-2", "event-1"]


def test_a_client_is_given_its_partner_later_and_keeps_its_token(host):
    client = host.client()
    caller = host.pact(client)
    asked = event("RequestCreated", {"productId": ["urn:gtin:4712345060507"]})
    caller.send(asked).expect(400)
    partner = host.partner("https://trader.example/pact")
    path = f"/footprint_clients/{client['id']}"

    def change(**fields):
        return host.api.patch(path, {"footprint_client": fields})

    changed = change(partner_id=partner["id"], name="Trader").expect(200).body

    assert (changed["partner_id"], changed["name"]) == (partner["id"], "Trader")
    caller.send(asked).expect(200)
    assert change(partner_id=partner["id"] + 1_000_000).expect(422).error["field"] == "partner_id"
    host.api.delete(path).expect(204)
    assert change(name="Again").expect(422).error["message"] == "The client was revoked; create another one."


def test_what_fulfils_a_request_is_stored_once_as_it_came_with_what_is_wrong(host, sql):
    caller = host.pact(host.client())
    sent = {
        "id": "e7u1639i", "pcf": {"pcfExcludingBiogenicUptake": "0.384", "fossilGhgEmissions": "0.35"},
        "extra": {"b": 1.50, "a": None},
    }  # fmt: skip

    caller.send(event("RequestFulfilled", {"requestEventId": "r", "pfs": [sent]})).expect(200)
    caller.send(event("RequestFulfilled", {"requestEventId": "r", "pfs": [sent]}, id="again")).expect(200)

    [stored] = host.api.get("/received_footprints").data
    assert stored["content"] == sent
    difference = [one["difference"] for one in stored["findings"] if one["code"] == "sum"]
    assert [str(one) for one in difference] == ["-0.034"]
    with pytest.raises(Exception, match="never changes"):
        sql("UPDATE received_footprints SET content = '{}' WHERE id = %s", stored["id"])


@pytest.mark.parametrize(
    "sent",
    [
        b"{",
        b"[]",
        event("Published", {"pfIds": ["urn:gtin:4712345060507"]}),
        event("Published", {"pfIds": []}),
        event("Unknown", {}),
        event("Published", {"pfIds": [NOBODY]}, specversion="0.3"),
        event("Published", {"pfIds": [NOBODY]}, id=""),
        event("Published", {"pfIds": [NOBODY]}, source=None),
        event("Published", {"pfIds": [NOBODY]}, time="today"),
        event("Published", None),
        event("RequestCreated", {"validOn": "soon"}),
        event("RequestCreated", {"productId": ["urn:a:b"]}),
        event("RequestFulfilled", {"requestEventId": "r", "pfs": []}),
        event("RequestFulfilled", {"requestEventId": "r", "pfs": [{}]}),
        event("RequestFulfilled", {"pfs": [{"id": "a"}]}),
        event("RequestRejected", {"requestEventId": "r", "error": "no"}),
        event("RequestRejected", {"requestEventId": "r", "error": {"code": "a\x00", "message": "b"}}),
    ],
    ids=lambda sent: sent.decode() if isinstance(sent, bytes) else json.dumps(sent["data"])[:40],
)
def test_an_event_that_pact_does_not_allow_is_refused_and_leaves_nothing(host, sent):
    answer = host.pact(host.client()).send(sent)

    assert answer.expect(400).body["code"] == "BadRequest"
    assert host.api.get("/footprint_events").data == []


def test_an_event_of_another_media_type_is_refused(host):
    sent = event("Published", {"pfIds": [NOBODY]})

    host.pact(host.client()).send(sent, **{"content-type": "application/json"}).expect(400)
