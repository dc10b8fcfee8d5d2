"""Rate limits: so many requests a minute for each token, said on every answer."""

import pytest
from tests.server import Caller, Server

from weighbridge.http.limits import RateLimiter


@pytest.fixture(scope="module")
def strict(server: Server):
    """A service that allows five requests a minute."""
    with server.again(rate_limit_per_minute=5) as strict:
        yield strict


def test_every_answer_says_how_many_requests_are_left(api: Caller):
    first, second = api.get("/projects"), api.get("/projects")

    assert first.headers["ratelimit-limit"] == "1000"
    assert int(second.headers["ratelimit-remaining"]) == int(first.headers["ratelimit-remaining"]) - 1
    assert int(first.headers["ratelimit-reset"]) % 60 == 0


def test_a_token_that_has_used_up_its_requests_gets_429_and_when_to_come_back(strict: Server):
    caller = strict.account().caller()
    answers = [caller.get("/projects") for _ in range(12)]

    refused = [answer for answer in answers if answer.status == 429]
    assert len(refused) >= 2
    assert 1 <= int(refused[-1].headers["retry-after"]) <= 60
    assert refused[-1].headers["ratelimit-remaining"] == "0"


def test_one_token_does_not_use_up_the_requests_of_another(strict: Server):
    account = strict.account()
    busy, other = account.caller(), account.caller()
    for _ in range(12):
        busy.get("/projects")

    other.get("/projects").expect(200)


def test_a_request_without_a_token_is_told_the_limit_too(anyone: Caller):
    assert anyone.get("/projects").expect(401).headers["ratelimit-limit"] == "1000"


@pytest.mark.parametrize("path", ["/api/v1/nothing-here", "/api/v1/projects", "/healthz", "/openapi.json"])
def test_answers_that_no_token_is_counted_for_tell_the_limit_too(server: Server, path: str):
    told = server.request("POST" if path.endswith("projects") else "GET", path, (), None, {})
    wrong = server.request("DELETE", path, (), None, {})

    for answer in (told, wrong):
        assert (answer.headers["ratelimit-limit"], answer.headers["ratelimit-remaining"]) == ("1000", "1000")


def test_two_processes_count_together(server: Server):
    one, other = RateLimiter(100, clock=lambda: 6000.0), RateLimiter(100, clock=lambda: 6000.0)
    token_id = 2_000_000_001

    async def admitted() -> int:
        count = 0
        for turn in range(300):
            limiter = one if turn % 2 else other
            allowance = await limiter.admit(server.database, token_id)
            count += not allowance.is_used_up
        return count

    assert 100 <= server.run(admitted()) <= 110


def test_a_new_minute_begins_with_the_whole_limit(server: Server):
    now = [6000.0]
    limiter = RateLimiter(10, clock=lambda: now[0])
    token_id = 2_000_000_002

    async def spend() -> bool:
        for _ in range(11):
            allowance = await limiter.admit(server.database, token_id)
        return allowance.is_used_up

    assert server.run(spend())
    now[0] = 6060.0
    assert not server.run(limiter.admit(server.database, token_id)).is_used_up


def test_a_limit_of_zero_lets_everything_through(server: Server):
    limiter = RateLimiter(0)

    allowance = server.run(limiter.admit(server.database, 1))

    assert not allowance.is_used_up
    assert allowance.headers == {}


def test_what_has_no_token_yet_has_the_whole_limit():
    assert RateLimiter(7, clock=lambda: 0.0).untouched().headers == {
        "RateLimit-Limit": 7,
        "RateLimit-Remaining": 7,
        "RateLimit-Reset": 60,
    }
