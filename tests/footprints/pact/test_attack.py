"""What strangers and other partners try below /pact: refused in the words of PACT, and leaving nothing."""

import json
from base64 import b64encode

import pytest
from tests.given.footprints import event
from tests.given.footprints import host as make_host

NUMBER_0 = "\x00"
NESTED = 100_000
JSON = "application/json"


def raw(data):
    """An event whose data are JSON as it is written here."""
    return json.dumps(event("RequestFulfilled", "DATA")).replace('"DATA"', data).encode()


def fulfilled(footprint):
    return raw(f'{{"requestEventId": "r", "pfs": [{footprint}]}}')


@pytest.fixture
def caller(host):
    return host.pact(host.client())


@pytest.mark.parametrize("token", ["", "no token", "wb_1_" + "0" * 40, "é", "Bearer"])
def test_without_a_token_of_a_client_nothing_is_read(host, caller, token):
    made = host.make(host.product())
    caller.token = token

    for path in ("/3/footprints", f"/3/footprints/{made['id']}"):
        assert caller.get(path).expect(401).body["code"] == "BadRequest"
    caller.send(event("Published", {"pfIds": [made["id"]]})).expect(401)
    assert host.api.get("/footprint_events").data == []


def test_a_token_ends_after_its_hour(host, caller):
    caller.get("/3/footprints").expect(200)
    host.account.sql(
        "UPDATE footprint_tokens SET expires_at = now() WHERE account_id = %s RETURNING id", host.account.id
    )

    assert caller.get("/3/footprints").expect(401).headers["www-authenticate"] == "Bearer"


def test_what_another_account_has_is_not_named_to_its_client(host, server):
    made = host.make(host.product())
    other = make_host(server.other_account())
    there = other.pact(other.client(partner_id=other.partner("https://trader.example/pact")["id"]))

    assert there.get(f"/3/footprints?productId={made['content']['productIds'][0]}").body == {"data": []}
    there.send(event("RequestCreated", {"productId": made["content"]["productIds"]})).expect(200)
    [call] = other.api.get("/footprint_calls").data
    assert call["kind"] == "request_rejected"


@pytest.mark.parametrize(
    "query",
    [
        "productId=%00",
        "companyId=a%00b",
        "validOn=0001-01-01T00:00:00%2B14:00",
        "validBefore=9999-12-31T23:59:59-14:00",
        "&".join(f"productId=urn:gtin:{n}" for n in range(201)),
        "cursor=9999999999999999999",
        "limit=99999999999",
    ],
    ids=lambda query: query[:40],
)
def test_a_query_that_cannot_be_meant_is_refused(caller, query):
    assert caller.get(f"/3/footprints?{query}").expect(400).body["code"] == "BadRequest"


@pytest.mark.parametrize(
    "query", ["status=%00", "geography=%FF%FE", "productId=" + "a" * 20_000, "geography=%ED%A0%80"],
    ids=lambda query: query[:20],
)  # fmt: skip
def test_a_query_that_nothing_meets_finds_nothing(host, caller, query):
    host.make(host.product())

    assert caller.get(f"/3/footprints?{query}").expect(200).body == {"data": []}


@pytest.mark.parametrize(
    "body",
    [
        fulfilled('{"id": "a", "pcf": NaN}'),
        fulfilled('{"id": "a", "comment": "\\ud800"}'),
        fulfilled('{"id": "a\\u0000"}'),
        fulfilled('{"id": "a", "pcf": ' + "[" * NESTED + "]" * NESTED + "}"),
        fulfilled('{"id": "a", "pcf": ' + '{"a":' * 990 + "1" + "}" * 990 + "}"),
        b"\xff\xfe",
        raw('{"requestEventId": "r", "pfs": [' + ",".join(['{"id": "a"}'] * 1_001) + "]}"),
    ],
    ids=["not a number", "half a character", "number 0", "deep", "less deep", "no UTF-8", "too many"],
)
def test_an_event_that_nobody_can_store_is_refused_and_leaves_nothing(host, caller, body):
    assert caller.send(body).expect(400).body["code"] == "BadRequest"
    assert host.api.get("/footprint_events").data == []
    assert host.api.get("/received_footprints").data == []


@pytest.mark.parametrize("value", ["\ud800", NUMBER_0], ids=["half a character", "number 0"])
def test_a_request_by_texts_that_nobody_can_store_is_refused(host, value):
    caller = host.pact(host.client(partner_id=host.partner("https://trader.example/pact")["id"]))

    caller.send(event("RequestCreated", {"productId": [value]})).expect(400)

    assert host.api.get("/footprint_calls").data == []


def test_numbers_of_others_are_kept_with_all_their_digits(host, caller):
    digits = "0.12345678901234567890123456789"

    caller.send(fulfilled(f'{{"id": "a", "extensions": [{{"data": {digits}}}], "big": 1{"0" * 40}}}')).expect(
        200
    )

    answer = host.api.get("/received_footprints")
    assert f'"data":{digits}' in answer.text.replace(" ", "")
    assert f'"big":1{"0" * 40}' in answer.text.replace(" ", "")


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"&".join([b"grant_type=client_credentials"] * 50), 400), (b"a" * 20_000, 413), (b"\xff=\xff", 400)],
    ids=["many fields", "long", "no text"],
)
def test_a_request_for_a_token_is_small(server, body, status):
    basic = b64encode(b"pact-1-0000000000000000:secret").decode()
    headers = {"authorization": f"Basic {basic}", "content-type": "application/x-www-form-urlencoded"}

    server.request("POST", "/pact/auth/token", (), body, headers).expect(status)


@pytest.mark.parametrize("number", ["9999999999", "2147483648", "0"])
def test_a_client_id_of_an_account_that_there_cannot_be_is_unknown(server, number):
    basic = b64encode(f"pact-{number}-0000000000000000:secret".encode()).decode()
    headers = {"authorization": f"Basic {basic}", "content-type": "application/x-www-form-urlencoded"}

    answer = server.request("POST", "/pact/auth/token", (), b"grant_type=client_credentials", headers)

    assert answer.expect(401).body["error"] == "invalid_client"
