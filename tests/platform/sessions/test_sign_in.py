"""People sign in with an address and a password (`sign_in`, `begin_session`, `recognise_session`), and out of
one session (`end_session`) or of all (`end_all_sessions`).
"""

import psycopg
import pytest
from tests.given.people import PASSWORD, Visitor, actor_of, email_of, visitor
from tests.server import Account, Server

from weighbridge.platform.authentication import (
    ATTEMPTS_OF_ADDRESS_MAX,
    ATTEMPTS_OF_USER_MAX,
    SignInAttempt,
)
from weighbridge.platform.users import make_user_link

COUNTED = 5
TRIED_BEFORE = "UPDATE sign_in_attempts SET attempts = attempts + %s WHERE key = %s RETURNING attempts"
"""Adds attempts past the service, at which those of one address have a pace of a few in a second."""


def of_links(address: str) -> bytes:
    """The key under which attempts by links from an address are counted."""
    return SignInAttempt.by_link("any", address).of_address


@pytest.fixture
def email(account: Account) -> str:
    return email_of(account)


def test_a_person_signs_in_and_comes_back_to_the_page_that_was_asked_for(server: Server, email: str):
    somebody = Visitor(server)

    asked = somebody.get("/projects?page_size=5").expect(303)
    assert asked.headers["location"] == "/sign_in?next=/projects%3Fpage_size%3D5"

    came = somebody.post(
        "/sign_in", {"email": email.upper(), "password": PASSWORD, "next": "/projects?page_size=5"}
    )
    assert came.expect(303).headers["location"] == "/projects?page_size=5"
    somebody.get("/projects").expect(200)


def test_the_cookie_is_for_this_service_alone_and_no_script_reads_it(server: Server, email: str):
    answer = Visitor(server).post("/sign_in", {"email": email, "password": PASSWORD})

    [cookie] = [one for one in answer.headers.get_list("set-cookie") if "session" in one]
    assert cookie.startswith("weighbridge_session=")
    assert {part.strip() for part in cookie.split(";")} >= {"HttpOnly", "SameSite=Lax", "Path=/"}


def test_the_database_holds_neither_the_password_nor_the_secret_of_the_session(server: Server, email: str):
    somebody = Visitor(server).sign_in(email)

    [(kept,)] = server.sql("SELECT password_hash FROM users WHERE email = %s", email)
    assert kept.startswith("$argon2id$")
    assert PASSWORD not in kept
    secret = somebody.cookies["weighbridge_session"]
    found = server.sql("SELECT 1 FROM sessions WHERE encode(secret_hash, 'escape') LIKE %s", f"%{secret}%")
    assert not found


def test_a_wrong_password_and_an_unknown_address_are_refused_alike(server: Server, email: str):
    wrong = Visitor(server).post("/sign_in", {"email": email, "password": "another password"}).expect(401)
    unknown = Visitor(server).post("/sign_in", {"email": "no@body.example", "password": PASSWORD}).expect(401)

    assert "The address or the password is wrong." in wrong.text
    assert "The address or the password is wrong." in unknown.text
    assert email in wrong.text, "what was typed stays"


def test_whoever_guesses_has_to_wait_even_with_the_right_password(server: Server, email: str):
    somebody = Visitor(server)
    for _ in range(ATTEMPTS_OF_USER_MAX):
        somebody.post("/sign_in", {"email": email, "password": "a wrong password"}).expect(401)

    refused = somebody.post("/sign_in", {"email": email, "password": PASSWORD}).expect(429)

    assert "too many attempts" in refused.text


def test_signing_in_forgets_the_attempts_before(server: Server, email: str):
    for _ in range(2):
        for _ in range(ATTEMPTS_OF_USER_MAX - 1):
            Visitor(server).post("/sign_in", {"email": email, "password": "a wrong one"}).expect(401)
        Visitor(server).sign_in(email)


def test_signing_out_ends_this_session_and_no_other(server: Server, email: str):
    here, there = Visitor(server).sign_in(email), Visitor(server).sign_in(email)
    kept = dict(here.cookies)

    here.post("/sign_out").expect(303)

    here.cookies = kept
    here.get("/me").expect(303)
    there.get("/me").expect(200)


def test_signing_out_everywhere_ends_every_session(server: Server, email: str):
    here, there = Visitor(server).sign_in(email), Visitor(server).sign_in(email)

    here.post("/sign_out", {"everywhere": "yes"}).expect(303)

    there.get("/me").expect(303)


def test_a_session_that_was_not_used_for_half_a_day_has_ended(server: Server, email: str):
    somebody = Visitor(server).sign_in(email)
    server.sql(
        """
        UPDATE sessions SET used_at = now() - interval '13 hours'
         WHERE user_id = (SELECT id FROM users WHERE email = %s)
        """,
        email,
    )

    somebody.get("/me").expect(303)


def test_a_session_opens_nothing_of_the_interface(account: Account):
    somebody = visitor(account)

    somebody.get("/api/v1/projects").expect(401)


def test_a_form_of_another_site_is_refused(account: Account):
    somebody = visitor(account)

    somebody.post("/sign_out", sec_fetch_site="cross-site").expect(403)
    somebody.post("/sign_out", sec_fetch_site="", origin="https://elsewhere.example").expect(403)
    somebody.post("/sign_out", sec_fetch_site="", origin="").expect(403)
    somebody.get("/me").expect(200)


def test_a_form_without_the_word_of_its_session_is_refused(account: Account):
    somebody = visitor(account)

    somebody.post("/sign_out", {"csrf_token": "0" * 32}).expect(403)
    somebody.get("/me").expect(200)


def test_signing_in_leads_to_no_other_site(server: Server, email: str):
    for elsewhere in ("https://elsewhere.example", "//elsewhere.example", "/\\elsewhere.example"):
        typed = {"email": email, "password": PASSWORD, "next": elsewhere}
        assert Visitor(server).post("/sign_in", typed).expect(303).headers["location"] == "/"


def test_the_audit_log_has_who_signed_in(server: Server, account: Account, email: str):
    Visitor(server).sign_in(email).post("/sign_out", {"everywhere": "yes"})

    actions = server.sql(
        "SELECT action FROM audit_log WHERE account_id = %s AND action LIKE 'session.%%' ORDER BY id",
        account.id,
    )
    assert actions == [("session.begin",), ("session.end_all",)]


def test_nonsense_links_of_somebody_else_shut_no_link(server, account: Account):
    with server.again(trusted_proxies=("127.0.0.1",)) as service:
        link = f"/enter?key={secret_of_link(account)}"

        for number in range(2 * ATTEMPTS_OF_USER_MAX):
            Visitor(service).get(f"/enter?key=nonsense-{number}", x_forwarded_for="203.0.113.7").expect(404)

        Visitor(service).get(link, x_forwarded_for="203.0.113.7").expect(303)


def test_an_address_that_tried_too_many_links_follows_none_and_others_do(server, account: Account):
    with server.again(trusted_proxies=("127.0.0.1",)) as service:
        email, link = email_of(account), f"/enter?key={secret_of_link(account)}"
        for number in range(COUNTED):
            Visitor(service).get(f"/enter?key=guess-{number}", x_forwarded_for="203.0.113.8").expect(404)
        tried_before = ATTEMPTS_OF_ADDRESS_MAX - COUNTED, of_links("203.0.113.8")
        with psycopg.connect(service.urls.migrating) as first_cell:  # which counts for all cells
            [(counted,)] = first_cell.execute(TRIED_BEFORE, tried_before)
        assert counted == ATTEMPTS_OF_ADDRESS_MAX

        Visitor(service).get(link, x_forwarded_for="203.0.113.8").expect(429)
        typed = {"email": email, "password": PASSWORD}
        Visitor(service).post("/sign_in", typed, x_forwarded_for="203.0.113.8").expect(303)
        Visitor(service).get(link, x_forwarded_for="203.0.113.9").expect(303)


def test_one_link_that_names_nothing_is_tried_so_often(server: Server):
    for _ in range(ATTEMPTS_OF_USER_MAX):
        Visitor(server).get("/enter?key=the-same").expect(404)

    Visitor(server).get("/enter?key=the-same").expect(429)


def secret_of_link(account: Account) -> str:
    """The secret of a link that signs somebody in once."""
    number = actor_of(account, email_of(account)).user_id

    async def make() -> str:
        async with account.server.database.write() as tx:
            return await make_user_link(tx, account.actor, number, "sign_in")

    return account.server.run(make())
