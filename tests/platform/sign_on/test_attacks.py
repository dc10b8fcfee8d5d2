"""What a provider, or somebody on the way, may send that signs nobody in."""

import threading
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from tests.given.canaille import leave, path_of
from tests.given.hostile_provider import (
    CLIENT,
    hostile_provider,
    sign_by_another_key,
    sign_by_nothing,
    sign_by_the_public_key,
)
from tests.given.people import Visitor, email_of

from weighbridge.core.platform.sign_on import AGE_SECONDS_MAX, SKEW_SECONDS


@pytest.fixture
def hostile():
    with hostile_provider() as provider:
        yield provider


@pytest.fixture
def connect_to(api):
    """Make an identity provider of the account."""

    def make(issuer, **fields):
        said = {
            "name": f"Provider {fields.pop('named', '')}".strip(), "issuer": issuer, "client_id": CLIENT,
            "client_secret": "word", "domains": ["plant.example"],
            "roles": [{"group": "operators", "role": "collector"}],
        } | fields  # fmt: skip
        return api.post("/identity_providers", {"identity_provider": said}).expect(201).body

    return make


def come_back(somebody, provider, hostile, **changed):
    """Go to the provider and come back with a code; what it says may be changed by then."""
    asked = {name: values[0] for name, values in parse_qs(urlsplit(leave(somebody, provider)).query).items()}
    hostile.claims.setdefault("nonce", asked["nonce"])
    query = {"code": "code", "state": asked["state"]} | changed
    said = {name: value for name, value in query.items() if value is not None}
    return somebody.get(f"{urlsplit(provider['redirect_uri']).path}?{urlencode(said)}")


def refusal(answer):
    """Why nobody was signed in."""
    assert answer.status in (401, 409), answer.text
    assert "weighbridge_session" not in str(answer.headers.get_list("set-cookie"))
    return answer.text


def test_an_honest_answer_signs_in_and_has_proved_the_code_verifier(server, connect_to, hostile):
    come_back(Visitor(server), connect_to(hostile.issuer), hostile).expect(303)

    [asked] = hostile.asked
    assert len(asked["code_verifier"]) == 43
    assert asked["grant_type"] == "authorization_code"


def since(seconds):
    """A time so many seconds from when it is asked."""
    return lambda: int(time.time()) + seconds


LIES = {
    "another audience": ({"aud": "another"}, "for another service"),
    "a list without us": ({"aud": ["one", "two"]}, "for another service"),
    "made for another": ({"azp": "another"}, "made for another service"),
    "expired": ({"iat": since(-500), "exp": since(-SKEW_SECONDS - 5)}, "has expired"),
    "made long ago": ({"iat": since(-AGE_SECONDS_MAX - 60)}, "has expired"),
    "of a time to come": ({"iat": since(SKEW_SECONDS + 600), "exp": since(9_000)}, "of a time to come"),
    "without end": ({"exp": None}, "does not say when"),
    "true for a time": ({"exp": True}, "does not say when"),
    "of another issuer": ({"iss": "https://elsewhere.example"}, "names another issuer"),
    "another nonce": ({"nonce": "another"}, "belongs to another attempt"),
    "about nobody": ({"sub": None}, "does not say whom it is about"),
    "unverified": ({"email_verified": False}, "has not verified"),
    "verified by a word": ({"email_verified": "yes"}, "has not verified"),
    "without address": ({"email": None}, "does not say which e-mail address"),
    "two addresses": ({"email": "eve@evil.example@plant.example"}, "does not say which e-mail address"),
    "a domain below": ({"email": "eve@evil.plant.example"}, "not of a domain"),
    "no group": ({"groups": "visitors"}, "in no group that has a role"),
    "a group as an object": ({"groups": {"operators": True}}, "in no group that has a role"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_token_that_says_something_else_signs_nobody_in(server, connect_to, hostile, lie):
    claims, sentence = LIES[lie]
    hostile.identify(**{name: value() if callable(value) else value for name, value in claims.items()})

    assert sentence in refusal(come_back(Visitor(server), connect_to(hostile.issuer), hostile))


@pytest.mark.parametrize("forge", [sign_by_another_key, sign_by_the_public_key, sign_by_nothing, str])
def test_a_token_that_the_provider_has_not_signed_signs_nobody_in(server, connect_to, hostile, forge):
    hostile.sign = forge

    text = refusal(come_back(Visitor(server), connect_to(hostile.issuer), hostile))

    assert "is not signed by one of its keys" in text


def test_keys_that_are_too_many_or_too_long_are_not_read(server, connect_to, hostile):
    provider = connect_to(hostile.issuer)
    hostile.keys = {"keys": [{"kty": "RSA", "n": "A", "e": "AQAB"}] * 101}
    many = refusal(come_back(Visitor(server), provider, hostile))
    hostile.keys = b'{"keys": [' + b" " * 5_000_000 + b"]}"
    huge = refusal(come_back(Visitor(server), provider, hostile))
    hostile.keys = {"keys": [{"kty": "oct", "k": "c2VjcmV0"}, {"kty": "RSA", "n": "AQAB" * 30, "e": "AQAB"}]}
    weak = refusal(come_back(Visitor(server), provider, hostile))

    assert "no list of at most 100 keys" in many
    assert "bytes or more" in huge
    assert "publishes no key by which it signs" in weak


def test_an_answer_of_another_provider_is_not_taken_for_that_of_the_one_that_was_asked(
    server, connect_to, hostile
):
    with hostile_provider() as honest:
        mine, theirs = connect_to(honest.issuer, named="one"), connect_to(hostile.issuer, named="two")
        somebody = Visitor(server)
        state = parse_qs(urlsplit(leave(somebody, theirs)).query)["state"][0]

        mixed = somebody.get(
            f"{urlsplit(mine['redirect_uri']).path}?{urlencode({'code': 'c', 'state': state})}"
        )

        assert "This way to sign in has ended" in refusal(mixed)
        assert honest.asked == hostile.asked == [], "no code and no verifier goes anywhere"


def test_whoever_names_themselves_in_answers_has_to(server, connect_to, hostile):
    hostile.document["authorization_response_iss_parameter_supported"] = True
    provider = connect_to(hostile.issuer)

    silent = refusal(come_back(Visitor(server), provider, hostile))
    another = refusal(come_back(Visitor(server), provider, hostile, iss="https://elsewhere.example"))

    assert "came from another identity provider" in silent
    assert "came from another identity provider" in another
    hostile.identify()
    come_back(Visitor(server), provider, hostile, iss=hostile.issuer).expect(303)


def test_the_same_subject_of_another_issuer_is_another_person(server, account, connect_to, hostile):
    come_back(Visitor(server), connect_to(hostile.issuer, named="one"), hostile).expect(303)
    with hostile_provider() as foreign:
        foreign.identify(email=hostile.email)

        refused = come_back(Visitor(server), connect_to(foreign.issuer, named="two"), foreign)

        assert "Another person of an identity provider signs in with your e-mail address." in refusal(refused)
    assert account.sql("SELECT count(*) FROM provider_people WHERE account_id = %s", account.id) == [(1,)]


def test_nobody_is_signed_in_as_somebody_else_by_a_link(server, connect_to, hostile):
    provider, attacker = connect_to(hostile.issuer), Visitor(server)
    back = path_of(leave(attacker, provider))
    state = parse_qs(urlsplit(back).query)["state"][0]
    victim = Visitor(server)
    leave(victim, provider)

    led = victim.get(f"{urlsplit(provider['redirect_uri']).path}?{urlencode({'code': 'c', 'state': state})}")
    begun = victim.post("/sign_in/provider", {"email": "eve@plant.example"}, sec_fetch_site="cross-site")

    assert "began in another browser" in refusal(led)
    assert begun.status == 403, "another site begins nothing"


def test_a_refusal_shows_nothing_that_the_other_side_wrote(server, connect_to, hostile):
    answer = come_back(
        Visitor(server),
        connect_to(hostile.issuer),
        hostile,
        code=None,
        error="<script>",
        error_description="x",
    )

    assert "did not sign you in (another reason)" in refusal(answer)
    assert "<script>&" not in answer.text


def test_a_provider_that_says_what_it_is_not_is_not_used(server, connect_to, hostile):
    provider = connect_to(hostile.issuer)
    for change, sentence in (
        ({"issuer": "https://elsewhere.example"}, "of another issuer than the one that was stated"),
        ({"token_endpoint": "http://elsewhere.example/token"}, "no token_endpoint of https"),
        ({"jwks_uri": None}, "no jwks_uri of https"),
        ({"code_challenge_methods_supported": ["plain"]}, "no code challenge by S256"),
        ({"token_endpoint_auth_methods_supported": ["none"]}, "takes no client secret"),
    ):
        before, hostile.document = hostile.document, hostile.document | change
        answer = Visitor(server).post(
            "/sign_in/provider", {"provider": provider["redirect_uri"].split("/")[-2]}
        )
        hostile.document = before
        assert sentence in refusal(answer)


# Back-channel logout.


def post_logout(server, provider, token):
    path = urlsplit(provider["logout_uri"]).path
    content = urlencode({"logout_token": token}).encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    return server.request("POST", path, (), content, headers)


def test_a_provider_ends_the_session_that_it_names_and_no_other(server, connect_to, hostile):
    provider, here, there = connect_to(hostile.issuer), Visitor(server), Visitor(server)
    for somebody, session in ((here, "first"), (there, "second")):
        hostile.identify(sid=session)
        come_back(somebody, provider, hostile).expect(303)

    post_logout(server, provider, hostile.logout_token(sid="first")).expect(200)
    here.get("/me").expect(303)
    there.get("/me").expect(200)

    post_logout(server, provider, hostile.logout_token()).expect(200)
    there.get("/me").expect(303)


def test_what_is_no_logout_token_of_the_provider_ends_nothing(server, connect_to, hostile):
    provider, somebody = connect_to(hostile.issuer), Visitor(server)
    come_back(somebody, provider, hostile).expect(303)
    other = hostile.logout_token(sub="somebody-else")

    for token in (
        hostile.sign(hostile.claims),
        hostile.logout_token(nonce="one"),
        hostile.logout_token(aud="another"),
        hostile.logout_token(iss="https://elsewhere.example"),
        hostile.logout_token(events={}),
        hostile.logout_token(jti=None),
        hostile.logout_token(sub=None),
        hostile.logout_token(exp=int(time.time()) - 600),
        sign_by_another_key({"sub": "subject-1"}),
        "",
    ):
        post_logout(server, provider, token).expect(400)
    post_logout(server, provider, other).expect(200)
    post_logout(server, provider, other).expect(400)

    somebody.get("/me").expect(200)


def test_a_person_of_the_account_is_not_taken_over_by_the_address(server, account, connect_to, hostile):
    email_of(account)
    email = email_of(account)
    hostile.identify(email=email.upper())

    refused = refusal(come_back(Visitor(server), connect_to(hostile.issuer), hostile))

    assert "You may do more than any group of the identity provider gives" in refused


def test_a_provider_that_does_not_answer_keeps_nobody_from_signing_in_otherwise(server, connect_to, hostile):
    provider = connect_to(hostile.issuer)
    chosen = {"provider": provider["redirect_uri"].split("/")[-2]}
    hostile.answers.clear()
    waiting = [
        threading.Thread(target=Visitor(server).post, args=("/sign_in/provider", chosen)) for _ in "ab"
    ]
    for one in waiting:
        one.start()
    hostile.called.wait()

    page = Visitor(server).get("/sign_in")
    still_waiting = [one.is_alive() for one in waiting]
    hostile.answers.set()
    for one in waiting:
        one.join()

    assert (page.status, still_waiting) == (200, [True, True])
