"""What surrounds every answer: headers that protect a browser, a deadline for bodies, counters."""

import socket
import time

import pytest
from tests.server import Caller, Server

PROTECTING = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@pytest.mark.parametrize("path", ["/projects", "/nothing-here", "/projects?page=0"])
def test_answers_and_refusals_alike_carry_the_protecting_headers(api: Caller, path: str):
    headers = api.get(path).headers

    for name, value in PROTECTING.items():
        assert headers[name] == value


@pytest.mark.parametrize("path", ["/healthz", "/api/v1/projects", "/openapi.json"])
def test_head_is_answered_as_get_is_without_the_body(server: Server, api: Caller, path: str):
    headers = {"authorization": f"Bearer {api.token}"}

    whole = server.request("GET", path, (), None, headers)
    head = server.request("HEAD", path, (), None, headers)

    assert (head.expect(200).content, len(whole.content) > 0) == (b"", True)
    for name in ("content-type", "content-length"):
        assert head.headers[name] == whole.headers[name]


def test_https_is_insisted_on_only_where_people_reach_the_service_by_it(server: Server, api: Caller):
    assert "strict-transport-security" not in api.get("/projects").headers
    with server.again(base_url="https://weighbridge.example") as secured:
        answer = secured.account().caller().get("/projects")
    assert answer.headers["strict-transport-security"].startswith("max-age=")


def test_the_counters_are_not_served_where_accounts_call(server: Server):
    assert server.request("GET", "/metrics", {}, None, {}).status == 404


def test_a_body_that_does_not_arrive_in_time_is_refused_and_its_connection_closed(server: Server):
    with server.again(request_body_seconds=1) as hasty:
        token = hasty.account().caller().token
        host, port = hasty.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as half:
            half.sendall(
                b"POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                b"Content-Length: 1000\r\nAuthorization: Bearer " + token.encode() + b'\r\n\r\n{"project"'
            )
            started = time.monotonic()
            received = b""
            while chunk := half.recv(65536):
                received += chunk

    assert b" 408 " in received
    assert b"did not arrive within 1 seconds" in received
    assert 0.5 < time.monotonic() - started < 5


PLANT = "https://plant.example"


@pytest.fixture(scope="module")
def open_server(server: Server):
    """A service that the pages of one other origin may call."""
    with server.again(cors_origins=(PLANT, "http://localhost:3000")) as service:
        yield service


def cross_origin(answer):
    return {name: value for name, value in answer.headers.items() if name.startswith("access-control-")}


def preflight(server: Server, origin: str, path: str = "/api/v1/projects"):
    headers = {"origin": origin, "access-control-request-method": "POST"}
    return server.request("OPTIONS", path, (), None, headers)


def test_no_other_origin_may_call_unless_a_setting_says_so(server: Server, api: Caller):
    answer = api.send("GET", "/projects", headers={"origin": PLANT}).expect(200)
    asked = preflight(server, PLANT).expect(200)

    assert (cross_origin(answer), cross_origin(asked), "vary" in answer.headers) == ({}, {}, False)


def test_pages_of_an_origin_that_is_set_may_call_and_read_refusals_too(open_server: Server):
    caller = open_server.account().caller()

    for path, status in (("/projects", 200), ("/nowhere", 404), ("/projects?page=0", 400)):
        answer = caller.send("GET", path, headers={"origin": PLANT}).expect(status)

        assert cross_origin(answer)["access-control-allow-origin"] == PLANT
        assert "X-Request-Id" in cross_origin(answer)["access-control-expose-headers"]
        assert answer.headers["vary"] == "Origin"


def test_a_browser_that_asks_first_is_told_methods_and_headers(open_server: Server):
    asked = preflight(open_server, PLANT).expect(204)

    assert asked.text == ""
    assert cross_origin(asked) | {"access-control-expose-headers": ""} == {
        "access-control-allow-origin": PLANT,
        "access-control-allow-methods": "GET, HEAD, POST, PATCH, DELETE, OPTIONS",
        "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, X-Request-Id",
        "access-control-max-age": "600",
        "access-control-expose-headers": "",
    }


@pytest.mark.parametrize("origin", ["https://plant.example.evil", "http://plant.example", "null", ""])
def test_pages_of_any_other_origin_are_told_nothing(open_server: Server, origin: str):
    asked = preflight(open_server, origin).expect(200)
    answer = open_server.account().caller().send("GET", "/projects", headers={"origin": origin}).expect(200)

    assert (cross_origin(asked), cross_origin(answer)) == ({}, {})
    assert answer.headers["vary"] == "Origin"


def test_a_star_lets_pages_of_every_origin_call(server: Server):
    with server.again(cors_origins=("*",)) as service:
        answer = service.account().caller().send("GET", "/projects", headers={"origin": PLANT}).expect(200)

    assert cross_origin(answer)["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    "path",
    [
        "//healthz", "/healthz/", "/%68ealthz", "/./healthz", "/x/../healthz", "/healthz%2F", "/%2e/healthz",
        "/api/v1//projects", "/api/v1/events/%2e%2e/evidence", "/api/v1/projects/", "/api%2Fv1/projects",
    ],
)  # fmt: skip
def test_a_path_has_one_form_and_in_another_there_is_nothing(server: Server, api: Caller, path: str):
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as caller:
        caller.sendall(
            f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {api.token}\r\n"
            "Connection: close\r\n\r\n".encode()
        )
        received = b"".join(iter(lambda: caller.recv(65_536), b""))

    assert received.startswith(b"HTTP/1.1 404 ")
    assert b"There is nothing at this path." in received
