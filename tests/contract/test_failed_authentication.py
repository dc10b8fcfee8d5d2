"""Whoever tries tokens until one fits has to wait; whoever has one is not locked out by a neighbour."""

import pytest
from prometheus_client import REGISTRY
from tests.server import Caller

from weighbridge.http.limits import (
    FAILED_ADDRESSES_MAX,
    UNKNOWN,
    FailedAuthentications,
    client_address,
    networks,
    seconds_left,
)

WRONG = "wb_live_" + "0" * 38


@pytest.fixture
def strict(server):
    with server.again(failed_authentications_per_minute=3, trusted_proxies=("127.0.0.1",)) as service:
        yield service


def tries(service, token, address="203.0.113.7"):
    return Caller(service, token).send("GET", "/projects", headers={"x-forwarded-for": address})


def test_an_address_whose_tokens_were_refused_has_to_wait(strict, account):
    unknown = account.caller().token
    for _ in range(3):
        tries(strict, WRONG).expect(401)

    refused = tries(strict, WRONG).expect(429)

    assert refused.error["code"] == "too_many_failures"
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    tries(strict, unknown).expect(429)
    tries(strict, unknown, "203.0.113.8").expect(200)


def test_a_token_that_was_accepted_before_is_not_locked_out(strict, account):
    token = account.caller().token
    tries(strict, token).expect(200)
    for _ in range(4):
        tries(strict, WRONG)

    tries(strict, token).expect(200)


def test_a_remembered_token_that_was_revoked_is_refused_all_the_same(strict, account, sql):
    token = account.caller().token
    tries(strict, token).expect(200)
    sql("UPDATE api_tokens SET revoked_at = now() WHERE account_id = %s", account.id)

    assert tries(strict, token).expect(401).error["code"] == "token_revoked"


def test_a_request_without_a_token_is_no_attempt(strict, account):
    for _ in range(5):
        strict.anyone.get("/projects").expect(401)

    tries(strict, account.caller().token).expect(200)


def test_a_refused_token_leaves_a_line_in_the_log_and_a_count_but_no_part_of_itself(strict, warnings):
    tries(strict, WRONG)

    [line] = [line for line in warnings if line["event"] == "authentication_failed"]
    assert (line["client"], line["reason"]) == ("203.0.113.7", "token_unknown")
    assert line["request_id"]
    assert "0000" not in str(line)
    counted = REGISTRY.get_sample_value(
        "weighbridge_authentication_failures_total", {"reason": "token_unknown"}
    )
    assert counted is not None
    assert counted >= 1


def test_the_count_begins_anew_with_each_minute():
    failures = FailedAuthentications(2)
    failures.count("203.0.113.7", "token_unknown", "req", 30)
    failures.count("203.0.113.7", "token_unknown", "req", 40)

    assert failures.is_used_up("203.0.113.7", 59)
    assert not failures.is_used_up("203.0.113.7", 60)
    assert (seconds_left(30), seconds_left(59.9)) == (30, 1)


def test_a_limit_of_zero_lets_everybody_try():
    failures = FailedAuthentications(0)
    failures.count("203.0.113.7", "token_unknown", "req", 0)

    assert not failures.is_used_up("203.0.113.7", 0)


def test_the_memory_is_bounded():
    failures = FailedAuthentications(1)
    for number in range(FAILED_ADDRESSES_MAX + 10):
        failures.count(str(number), "token_unknown", "req", 0)

    assert len(failures) == FAILED_ADDRESSES_MAX
    assert not failures.is_used_up("0", 0)
    assert failures.is_used_up(str(FAILED_ADDRESSES_MAX), 0)


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),  # no trusted proxy: the header is not believed
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["1.2.3.4, 198.51.100.1"], "198.51.100.1"),  # the client wrote the first by itself
        ("10.0.0.1", ["198.51.100.1, 10.0.0.2"], "198.51.100.1"),  # two proxies in a row
        ("10.0.0.1", ["1.2.3.4", "198.51.100.1"], "198.51.100.1"),  # two headers are one list
        ("10.0.0.1", ["198.51.100.1:4711"], "198.51.100.1"),
        ("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::/64"),
        ("10.0.0.1", ["2001:db8::1"], "2001:db8::/64"),
        ("10.0.0.1", ["::ffff:198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["nonsense"], "10.0.0.1"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", [], "10.0.0.1"),
        ("", ["198.51.100.1"], UNKNOWN),
    ],
)
def test_the_client_is_the_last_address_that_is_no_trusted_proxy(peer, forwarded, client):
    headers = [(b"x-forwarded-for", one.encode()) for one in forwarded]
    scope = {"client": (peer, 1), "headers": headers}

    assert client_address(scope, networks(["10.0.0.0/8"])) == client


def test_without_trusted_proxies_the_header_is_not_read():
    scope = {"client": ("10.0.0.1", 1), "headers": [(b"x-forwarded-for", b"198.51.100.1")]}

    assert client_address(scope, ()) == "10.0.0.1"
