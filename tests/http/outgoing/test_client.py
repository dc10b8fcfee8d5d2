"""What the service asks of addresses that its users name, against sockets of this machine."""

import asyncio
import socket
import ssl
import time
from ipaddress import ip_address

import pytest
from tests.http.outgoing.other_side import OK, other_side

from weighbridge.http.outgoing import (
    ANSWER_BYTES_MAX,
    CallReach,
    NoAnswer,
    NotSent,
    OutgoingClient,
    OutgoingRequest,
    OutOfReach,
)

HERE = CallReach.of(["127.0.0.0/8"])
LOOPBACK = (
    "127.0.0.1", "localhost", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.1", "127.0.1",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
    "[::1]", "[::]", "0", "0.0.0.0", "017700000001", "0x7f.1", "[::127.0.0.1]",  # noqa: S104
)  # fmt: skip


def send(address, reach=HERE, seconds=5.0, content=b"", headers=None, **options):
    async def run():
        async with OutgoingClient(reach, **options) as client:
            request = OutgoingRequest("POST", address, headers or {}, content, seconds)
            return await client.send(request)

    return asyncio.run(run())


def resolving(*rounds):
    """A name server that answers with one list of addresses after the other."""
    answers = iter(rounds)

    async def resolve(*_):
        return [ip_address(text) for text in next(answers)]

    return resolve


def test_an_answer_comes_back_with_status_headers_and_content():
    with other_side() as side:
        answer = send(
            f"http://127.0.0.1:{side.port}/reports?a=b", content=b"{}", headers={"Idempotency-Key": "k"}
        )

    assert (answer.status, answer.headers["content-length"], answer.content) == (200, "2", b"ok")
    [head] = side.received
    assert head.startswith("POST /reports?a=b HTTP/1.1\r\n")
    assert f"Host: 127.0.0.1:{side.port}\r\n" in head
    assert "Idempotency-Key: k\r\n" in head


@pytest.mark.parametrize("host", LOOPBACK)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_this_machine_is_out_of_reach_however_it_is_written(host, scheme):
    with other_side() as side, pytest.raises(NotSent):
        send(f"{scheme}://{host}:{side.port}/", CallReach())

    assert side.received == []


def test_a_name_that_means_another_address_a_moment_later_leads_where_it_was_checked():
    with other_side() as side:
        resolve = resolving(["127.0.0.1"], ["10.0.0.1"])
        answer = send(f"http://registry.example:{side.port}/", resolve=resolve)

    assert answer.status == 200
    assert f"Host: registry.example:{side.port}\r\n" in side.received[0]


def test_a_name_with_one_address_out_of_reach_is_not_called():
    with other_side() as side, pytest.raises(OutOfReach) as refused:
        send(f"http://registry.example:{side.port}/", resolve=resolving(["127.0.0.1", "10.0.0.1"]))

    assert side.received == []
    assert str(refused.value) == (
        "registry.example may not be called without TLS: http reaches the networks that "
        "WEIGHBRIDGE_OUTGOING_NETWORKS names, and nothing else."
    )


def test_a_redirect_is_an_answer_and_is_not_followed():
    with other_side() as inner:
        location = f"http://127.0.0.1:{inner.port}/"
        to = f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"
        with other_side(to.encode()) as side:
            answer = send(f"http://127.0.0.1:{side.port}/")

    assert answer.status == 302
    assert inner.received == []


def test_of_several_addresses_the_next_is_tried_when_one_takes_up_no_connection():
    with other_side() as side:
        answer = send(f"http://registry.example:{side.port}/", resolve=resolving(["127.0.0.2", "127.0.0.1"]))

    assert answer.content == b"ok"


def test_when_nobody_takes_up_the_connection_nothing_was_sent():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    with pytest.raises(NotSent, match="Could not connect to"):
        send(f"http://127.0.0.1:{port}/")


def test_a_name_that_nobody_knows_is_not_called():
    with pytest.raises(NotSent, match="no name that can be resolved"):
        send("https://registry.invalid/")


@pytest.mark.parametrize(
    "answer",
    [
        lambda _: None,
        lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"),
        lambda connection: connection.sendall(b"no HTTP at all\r\n\r\n"),
    ],
    ids=["closed", "cut short", "garbled"],
)
def test_a_connection_that_ends_without_a_whole_answer_may_have_been_received(answer):
    with other_side(answer) as side, pytest.raises(NoAnswer):
        send(f"http://127.0.0.1:{side.port}/")


def test_an_answer_that_comes_drop_by_drop_ends_in_its_time():
    def drip(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(1000):
            connection.sendall(b".")
            time.sleep(0.02)

    begun = time.monotonic()
    with other_side(drip) as side, pytest.raises(NoAnswer, match=r"within 0\.3 seconds"):
        send(f"http://127.0.0.1:{side.port}/", seconds=0.3)

    assert time.monotonic() - begun < 3


def test_of_a_long_answer_no_more_is_read_than_it_may_have():
    def pour(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        while True:
            connection.sendall(b"." * 65_536)

    with other_side(pour) as side:
        assert len(send(f"http://127.0.0.1:{side.port}/").content) == ANSWER_BYTES_MAX


def test_over_tls_the_other_side_proves_the_name_and_not_the_address(certified):
    trusted = ssl.create_default_context(cafile=certified.file)
    with other_side(OK, certified.context) as side:
        address = f"https://registry.example:{side.port}/"
        answer = send(address, resolve=resolving(["127.0.0.1"]), trusted=trusted)
        with pytest.raises(NotSent):
            send(address.replace("registry", "other"), resolve=resolving(["127.0.0.1"]), trusted=trusted)

    assert answer.content == b"ok"


def test_a_certificate_that_nobody_vouches_for_is_not_trusted(certified):
    with other_side(OK, certified.context) as side, pytest.raises(NotSent):
        send(f"https://registry.example:{side.port}/", resolve=resolving(["127.0.0.1"]))

    assert side.received == []
