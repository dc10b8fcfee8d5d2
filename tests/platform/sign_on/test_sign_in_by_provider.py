"""People sign in by an identity provider that nobody here wrote (Canaille)."""

from tests.given.canaille import leave, path_of, sign_in
from tests.given.people import PASSWORD, Visitor, email_of
from tests.server import Server


def test_somebody_new_signs_in_with_the_role_of_their_group(server: Server, running, connect, name):
    email = running.add(name, "operators")
    provider = connect()
    somebody = Visitor(server)

    arrived = sign_in(somebody, provider, running, name).expect(303)

    assert arrived.headers["location"] == "/me"
    page = somebody.get("/me").expect(200)
    assert email in page.text
    assert "data_collection:write" in page.text
    assert "data_rules:write" not in page.text
    assert f"You sign in with {provider['name']}" in page.text


def test_whoever_comes_again_is_the_same_person_whatever_their_address_is_by_then(
    server: Server, account, running, connect, name
):
    running.add(name, "operators")
    provider = connect()
    sign_in(Visitor(server), provider, running, name).expect(303)

    sign_in(Visitor(server), provider, running, name).expect(303)

    linked = account.sql(
        "SELECT count(*), min(subject) FROM provider_people WHERE account_id = %s", account.id
    )
    assert linked == [(1, name)]
    sessions = account.sql("SELECT count(*) FROM sessions WHERE account_id = %s", account.id)
    assert sessions == [(2,)]


def test_whoever_is_in_no_group_with_a_role_is_refused_with_a_sentence(
    server: Server, running, connect, name
):
    running.add(name, "visitors")

    refused = sign_in(Visitor(server), connect(), running, name).expect(401)

    assert "You are in no group that has a role here." in refused.text
    assert "set-cookie" not in refused.headers


def test_an_address_that_is_not_verified_or_of_another_domain_is_refused(
    server: Server, running, connect, name
):
    running.add(f"unverified-{name}", "operators")
    running.add(f"other-{name}", "operators", domain="elsewhere.example")
    provider = connect()

    unverified = sign_in(Visitor(server), provider, running, f"unverified-{name}").expect(401)
    elsewhere = sign_in(Visitor(server), provider, running, f"other-{name}").expect(401)

    assert "has not verified your e-mail address" in unverified.text
    assert "not of a domain that the account has named" in elsewhere.text


def test_a_person_who_is_there_is_linked_and_signs_in_with_a_password_no_longer(
    server: Server, account, running, connect, name
):
    email_of(account)  # an administrator who stays
    email = email_of(account, "data_collection:read")
    running.do("add", name=name, email=email, groups=["office"])
    by_password = Visitor(server).sign_in(email)

    sign_in(Visitor(server), connect(), running, name).expect(303)

    by_password.get("/me").expect(303)
    refused = Visitor(server).post("/sign_in", {"email": email, "password": PASSWORD}).expect(401)
    assert "You sign in by the identity provider of your account" in refused.text
    [(permissions,)] = account.sql("SELECT permissions FROM users WHERE email = %s", email)
    assert set(permissions) == {"data_collection:read", "data_rules:read", "production_accounting:read"}


def test_whoever_keeps_a_password_is_signed_in_by_no_provider(
    server: Server, account, running, connect, name
):
    email = email_of(account)
    account.sql("UPDATE users SET keeps_password = true WHERE email = %s RETURNING id", email)
    running.do("add", name=name, email=email, groups=["owners"])

    refused = sign_in(Visitor(server), connect(), running, name).expect(401)

    assert "You keep a password, so sign in with it" in refused.text
    Visitor(server).sign_in(email)


def test_the_last_administrator_with_a_password_is_not_linked(
    server: Server, account, running, connect, name
):
    email = email_of(account)
    running.do("add", name=name, email=email, groups=["owners"])

    refused = sign_in(Visitor(server), connect(), running, name).expect(409)

    assert "must have an administrator who signs in with a password" in refused.text
    Visitor(server).sign_in(email)


def test_nobody_is_linked_who_may_do_more_than_the_groups_give(
    server: Server, account, running, connect, name
):
    email_of(account)
    email = email_of(account)
    running.do("add", name=name, email=email, groups=["office"])
    provider = connect(roles=[{"group": "office", "role": "reader"}])

    refused = sign_in(Visitor(server), provider, running, name).expect(409)

    assert "You may do more than any group of the identity provider gives" in refused.text
    Visitor(server).sign_in(email)


def test_whoever_was_shut_out_stays_out(server: Server, account, running, connect, name):
    email = running.add(name, "operators")
    provider = connect()
    sign_in(Visitor(server), provider, running, name).expect(303)
    account.sql("UPDATE users SET disabled_at = now() WHERE email = %s RETURNING id", email)

    refused = sign_in(Visitor(server), provider, running, name).expect(401)

    assert "You may not sign in" in refused.text


def test_a_provider_is_found_by_the_domain_and_by_the_address_of_the_account(server: Server, connect, name):
    provider = connect(domains=[f"{name}.example"])
    somebody = Visitor(server)

    by_domain = somebody.post("/sign_in/provider", {"email": f"new@{name}.example"}).expect(200)
    page = somebody.get(provider["sign_in_url"].removeprefix(server.settings.address)).expect(200)
    unknown = somebody.post("/sign_in/provider", {"email": f"new@no-{name}.example"}).expect(422)

    assert "Continue to" in by_domain.text
    assert f"Sign in with {provider['name']}" in page.text
    assert "No account has an identity provider for this e-mail address." in unknown.text


def test_an_answer_is_taken_once_and_in_the_browser_that_asked(server: Server, running, connect, name):
    running.add(name, "operators")
    provider = connect()
    somebody, another = Visitor(server), Visitor(server)
    back = path_of(running.answer(leave(somebody, provider), name))

    foreign = another.get(back).expect(401)
    somebody.get(back).expect(303)
    again = somebody.get(back).expect(401)

    for refused in (foreign, again):
        assert "This way to sign in has ended, or began in another browser." in refused.text
        assert "set-cookie" not in refused.headers


def test_nothing_leads_elsewhere_after_signing_in(server: Server, running, connect, name):
    running.add(name, "operators")
    provider, somebody = connect(), Visitor(server)
    url = leave(somebody, provider, after="//evil.example/")

    arrived = somebody.get(path_of(running.answer(url, name))).expect(303)

    assert arrived.headers["location"] == "/"


def test_the_database_keeps_secrets_and_refresh_tokens_encrypted_and_of_ways_only_hashes(
    server: Server, account, running, connect, name
):
    running.add(name, "operators")
    provider, somebody = connect(), Visitor(server)
    sign_in(somebody, provider, running, name).expect(303)
    url = leave(somebody, provider)

    kept = account.sql(
        "SELECT encrypted FROM identity_provider_secrets WHERE provider_id = %s", provider["id"]
    )
    tokens = account.sql("SELECT encrypted FROM provider_refresh_tokens WHERE account_id = %s", account.id)
    ways = account.sql(
        "SELECT secret_hash, browser_hash FROM provider_sign_ins WHERE account_id = %s", account.id
    )

    assert len(kept) == len(tokens) == len(ways) == 1
    assert b"word-of-canaille" not in kept[0][0]
    [state] = [part.partition("=")[2] for part in url.split("&") if part.startswith("state=")]
    assert all(state.encode() not in bytes(one) for one in ways[0])
