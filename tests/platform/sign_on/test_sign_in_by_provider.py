"""People sign in by an identity provider that nobody here wrote."""

from tests.given.canaille import leave, path_of, sign_in
from tests.given.people import Visitor, email_of
from tests.server import Server


def test_somebody_new_signs_in_with_the_role_of_their_group(server: Server, account, running, connect, name):
    email = running.add(name, "operators")
    provider = connect()
    somebody = Visitor(server)

    arrived = sign_in(somebody, provider, running, name).expect(303)

    assert arrived.headers["location"] == "/me"
    page = somebody.get("/me").expect(200)
    assert email in page.text
    assert "data_collection:write" in page.text
    assert "data_rules:write" not in page.text
