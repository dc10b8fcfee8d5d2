"""Partners are called: events until they have arrived or three days are over, footprints read by pages."""

import json
from base64 import b64decode
from contextlib import contextmanager

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.given.footprints import PactCaller, event, listening, token_of
from tests.given.footprints import host as make_host
from tests.given.tls import secure_service

from weighbridge.footprints.footprints_tasks import follow_reports
from weighbridge.footprints.pact.calling import Exchanger, find_next
from weighbridge.http.outgoing import CallReach, OutgoingClient

AMOUNTS = {"fossilGhgEmissions": "node:emitted", "fossilCarbonContent": "1.2345678901"}
THERE = "https://thief.example"
SECRET = "said"  # noqa: S105 - made up


@pytest.fixture
def partner():
    with listening() as made:
        yield made


def test_partners_are_told_of_new_and_of_deprecated_footprints(host, partner):
    host.partner(partner.address)
    host.partner("http://127.0.0.1:9/pact", name="Silent", is_notified=False)
    product = host.product()
    first = host.make(product)
    second = host.make(product)

    host.exchange()

    told = [one["data"]["pfIds"] for one in partner.events]
    assert sorted(told, key=len) == [[first["id"]], [second["id"], first["id"]]]
    assert {one["type"] for one in partner.events} == {"org.wbcsd.pact.ProductFootprint.PublishedEvent.3"}
    token = next(one for one in partner.came if one[0] == "/pact/auth/token")
    sent = next(one for one in partner.came if one[0] == "/pact/3/events")
    assert token[1]["Authorization"].startswith("Basic ")
    assert token[2] == b"grant_type=client_credentials"
    assert sent[1]["Authorization"] == "Bearer given"
    assert sent[1]["Content-Type"] == "application/cloudevents+json"
    assert {call["state"] for call in host.api.get("/footprint_calls").data} == {"delivered"}
    assert "word-nobody-shows" not in json.dumps(host.api.get("/audit_log").data, default=str)


def test_what_does_not_arrive_is_tried_again_until_three_days_are_over(host, partner, sql):
    partner.status = 503
    host.partner(partner.address)
    host.make(host.product())

    def tried(hours):
        """The call after another attempt, so long after it was made."""
        sql(
            "UPDATE footprint_calls SET created_at = now() - make_interval(hours => %s),"
            " next_attempt_at = now() WHERE account_id = %s",
            hours,
            host.account.id,
        )
        host.exchange()
        return host.api.get("/footprint_calls").data[0]

    first, later, last = tried(0), tried(71), tried(72)

    assert (first["state"], first["attempt_count"]) == ("pending", 1)
    assert first["last_error"] == "The partner answered 503 to the event."
    assert (later["state"], later["attempt_count"]) == ("pending", 2)
    assert (last["state"], last["attempt_count"], last["next_attempt_at"]) == ("failed", 3, None)
    assert len({json.dumps(one) for one in partner.events}) == 1


def test_what_a_partner_will_never_take_is_not_sent_again(host, partner):
    partner.status = 400
    host.partner(partner.address)
    host.make(host.product())

    host.exchange()

    [call] = host.api.get("/footprint_calls").data
    assert (call["state"], call["attempt_count"]) == ("failed", 1)


def test_another_address_takes_the_secret_anew(host):
    made = host.partner("https://trader.example/pact/")
    assert made["address"] == "https://trader.example/pact"
    assert made["token_address"].endswith("/pact/auth/token")

    def change(**fields):
        path = f"/footprint_partners/{made['id']}"
        return host.api.patch(path, {"footprint_partner": fields})

    assert change(address=THERE).expect(422).error["field"] == "client_secret"
    assert change(token_address=THERE).expect(422).error["field"] == "client_secret"
    change(address="https://new.example", client_secret=SECRET).expect(200)
    change(is_notified=False).expect(200)


def test_a_secret_is_stored_encrypted_and_used_as_it_was_stated(host, partner, sql):
    made = host.partner(partner.address)
    [(number,)] = sql(
        "SELECT id FROM footprint_partners WHERE account_id = %s AND name = %s", host.account.id, made["name"]
    )
    host.make(host.product())

    host.exchange()

    [(readable, envelope)] = sql(
        "SELECT value, encrypted FROM footprint_partner_secrets WHERE partner_id = %s", number
    )
    token = next(headers for path, headers, _ in partner.came if path == "/pact/auth/token")
    assert b64decode(token["Authorization"].removeprefix("Basic ")).endswith(b":word-nobody-shows")
    assert (readable, b"word-nobody-shows" in bytes(envelope)) == (None, False)


def test_the_next_page_is_at_the_same_host_or_not_followed():
    own = "https://trader.example/pact"

    assert find_next('<https://trader.example/pact/3/footprints?b=2>; rel="next"', own) == (
        "https://trader.example/pact/3/footprints?b=2"
    )
    assert find_next('<https://trader.example/a>; rel="prev"', own) is None
    assert find_next("", own) is None
    for other in ("https://thief.example/a", "http://trader.example/a"):
        with pytest.raises(Exception, match="another host"):
            find_next(f'<{other}>; rel="next"', own)


@contextmanager
def exchanging(account, service):
    """What carries out the calls of an account that trusts the certificate of a service."""

    async def carry_out():
        mistakes = []
        await follow_reports(account.database, account.server.address)
        async with OutgoingClient(CallReach.of(("127.0.0.0/8",)), trusted=service.trusted) as client:
            await Exchanger(account.database, client, lease_seconds=30, tell=mistakes.append).settle()
        assert not mistakes, mistakes

    yield lambda: account.server.run(carry_out())


def test_a_second_service_reads_from_the_first_over_tls_the_same_digits(host, server, tmp_path):
    product = host.product(amounts=AMOUNTS)
    host.make(product)
    host.make(product)
    reader = server.other_account()
    api = reader.caller()
    client = host.client()
    with secure_service(server, tmp_path) as service, exchanging(reader, service) as exchange:
        said = {
            "name": "Plant One", "address": f"{service.address}/pact", "client_id": client["client_id"],
            "client_secret": client["client_secret"],
        }  # fmt: skip
        partner = api.post("/footprint_partners", {"footprint_partner": said}).expect(201).body
        call = {"footprint_call": {"partner_id": partner["id"], "kind": "read"}}
        asked = api.post("/footprint_calls", call).expect(201).body
        exchange()

        assert api.get(f"/footprint_calls/{asked['id']}").body["state"] == "delivered"
        received = api.get("/received_footprints?sort=id").data
        ours = host.api.get("/footprints?sort=created_at").data
        assert [one["content"] for one in received] == [one["content"] for one in ours]
        assert received[1]["content"]["precedingPfIds"] == [received[0]["footprint_id"]]
        assert [one["findings"] for one in received] == [[], []]

        [named] = {one["id"] for one in ours if one["status"] == "Active"}
        call["footprint_call"]["footprint_ids"] = [named]
        api.post("/footprint_calls", call).expect(201)
        exchange()
        assert len(api.get("/received_footprints").data) == 2


def test_a_thousand_footprints_are_listed_filtered_and_pushed(account, server, tmp_path):
    host = make_host(account)
    made = host.make(host.product())
    account.sql(
        """
        INSERT INTO footprints (account_id, id, product_id, project_id, batch_id, content, preceding,
                                product_ids, company_ids, classifications, geographies, valid_from,
                                valid_until, user_id)
        SELECT f.account_id, new.id, product_id, project_id, batch_id,
               replace(content, f.id::text, new.id::text), preceding, ARRAY['urn:n:' || new.n], company_ids,
               classifications, geographies, valid_from, valid_until, user_id
          FROM footprints f CROSS JOIN generate_series(2, 1000) AS series (n)
          CROSS JOIN LATERAL (SELECT gen_random_uuid() AS id, series.n) AS new
         WHERE account_id = %s RETURNING id
        """,
        account.id,
    )
    client = host.client()
    caller = host.pact(client)
    listed, path = [], "/3/footprints?status=Active&limit=300"
    while path:
        answer = caller.get(path).expect(200)
        listed += [one["id"] for one in answer.body["data"]]
        path = answer.headers.get("link", "")[1:].partition(">")[0].partition("/pact")[2]

    assert (len(listed), len(set(listed)), listed[0]) == (1_000, 1_000, made["id"])
    assert [len(caller.get(f"/3/footprints?productId=urn:n:{n}").body["data"]) for n in (2, 1_000)] == [1, 1]

    reader = server.other_account()
    api = reader.caller()
    with secure_service(server, tmp_path) as service, exchanging(reader, service) as exchange:
        said = {
            "name": "Plant One", "address": f"{service.address}/pact", "client_id": client["client_id"],
            "client_secret": client["client_secret"],
        }  # fmt: skip
        partner = api.post("/footprint_partners", {"footprint_partner": said}).expect(201).body
        call = {"footprint_call": {"partner_id": partner["id"], "kind": "read"}}
        api.post("/footprint_calls", call).expect(201)
        exchange()
    stored = reader.sql("SELECT footprint_id FROM received_footprints WHERE account_id = %s", reader.id)
    assert {one for (one,) in stored} == set(listed)

    api.patch("/feature_flags", {"feature_flags": {"footprint_exchange": True}}).expect(200)
    second = api.post("/footprint_clients", {"footprint_client": {"name": "P"}}).expect(201).body
    pushed = PactCaller(reader, token_of(reader, second).body["access_token"])
    contents = [
        one["content"] for page in range(1, 6)
        for one in host.api.get(f"/footprints?page_size=200&page={page}").data
    ]  # fmt: skip
    pushed.send(event("RequestFulfilled", {"requestEventId": "r", "pfs": contents})).expect(200)
    assert len(reader.sql("SELECT 1 FROM received_footprints WHERE account_id = %s", reader.id)) == 2_000
    forget(server, made["id"])


def forget(server, kept):
    """Remove the footprints that were made past the service, which the log does not have."""
    with psycopg.connect(make_conninfo(server.owner_url, user="postgres")) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(
            "DELETE FROM footprints WHERE product_ids[1] LIKE 'urn:n:%%' AND id <> %s", (kept,)
        )
