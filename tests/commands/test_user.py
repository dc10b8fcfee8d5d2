"""`weighbridge user`: people are invited, listed, let in and shut out where the service runs.

With the actions that nothing else calls: `add_user_without_password`, `withdraw_invitation`.
"""

import re

import pytest
from tests.given.people import PASSWORD, Visitor, email_of
from tests.server import Account, Server

from weighbridge.core.platform.permission import ROLES

JOIN = re.compile(r"http://127\.0\.0\.1:8080(/join\?key=a\d+\.[\w-]{43})\n")
ENTER = re.compile(r"http://127\.0\.0\.1:8080(/enter\?key=a\d+\.[\w-]{43})\n")
OTHER = "another password of the tests"


@pytest.fixture
def user(weighbridge, account_name):
    """Runs `weighbridge user …` on the test's account."""
    return lambda *words: weighbridge("user", *words, "--account", account_name)


@pytest.fixture
def ada(account: Account) -> str:
    """The address of an administrator."""
    return email_of(account)


def test_whoever_is_invited_joins_by_the_link_that_is_printed(user, server: Server, account: Account):
    email = f"invited-{account.id}@plant.example"

    [link] = JOIN.findall(user("add", "--email", email, "--role", "reader").expect(0).out)

    assert f"{email}  Reader, invited\n" in user("list").expect(0).out
    somebody = Visitor(server)
    somebody.post(
        "/join", {"key": link.partition("key=")[2], "password": OTHER, "again": OTHER, "name": "Rea"}
    ).expect(303)
    assert "Rea" in somebody.get("/me").expect(200).text
    assert f"{email}  Reader, signs in, last signed in 2" in user("list").expect(0).out


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_every_role_can_be_given(user, account: Account, role):
    email = f"{role.name}-{account.id}@plant.example"

    user("add", "--email", email, "--role", role.name).expect(0)

    assert f"{email}  {role.title}, invited\n" in user("list").expect(0).out


def test_an_invitation_that_is_taken_back_lets_nobody_in(user, server: Server, account: Account):
    email = f"invited-{account.id}@plant.example"
    [link] = JOIN.findall(user("add", "--email", email, "--role", "reader").expect(0).out)

    assert (
        user("remove", "--email", email.upper()).expect(0).out == f"{email.upper()} is invited no longer.\n"
    )

    Visitor(server).get(link).expect(404)


def test_somebody_is_let_in_at_once_by_a_link_that_works_once(user, server: Server, account: Account):
    email = f"visitor-{account.id}@plant.example"
    words = ("--email", email, "--permission", "data_collection:read", "--name", "Vis Nord", "--at-once")

    [link] = ENTER.findall(user("add", *words).expect(0).out)

    visitor = Visitor(server)
    assert visitor.get(f"{link}&next=/me").expect(303).headers["location"] == "/me"
    assert "Vis Nord" in visitor.get("/me").expect(200).text
    Visitor(server).get(link).expect(404)


def test_a_link_for_another_password_is_made_by_address(user, server: Server, ada: str):
    [link] = JOIN.findall(user("link", "--email", ada.upper()).expect(0).out)

    key = link.partition("key=")[2]
    Visitor(server).post("/join", {"key": key, "password": OTHER, "again": OTHER}).expect(303)
    Visitor(server).sign_in(ada, OTHER)


def test_a_link_that_signs_in_leaves_the_password(user, server: Server, ada: str):
    [link] = ENTER.findall(user("link", "--email", ada, "--sign-in").expect(0).out)

    Visitor(server).get(link).expect(303)
    Visitor(server).sign_in(ada, PASSWORD)


def test_whoever_is_removed_is_signed_out_and_may_come_back_with_another_role(
    user, server: Server, account: Account, ada: str
):
    email_of(account)  # somebody else administers
    visitor = Visitor(server).sign_in(ada)

    assert user("remove", "--email", ada).expect(0).out == f"{ada} signs in no longer.\n"

    visitor.get("/me").expect(303)
    Visitor(server).post("/sign_in", {"email": ada, "password": PASSWORD}).expect(401)
    assert user("change", "--email", ada, "--role", "reader").expect(0).out == f"{ada}: Reader.\n"
    Visitor(server).sign_in(ada).get("/people").expect(403)


def test_the_last_who_administers_is_not_removed(user, ada: str):
    done = user("remove", "--email", ada).expect(1)

    assert done.err == "The account must have an administrator. Grant the role to another user first.\n"


def test_the_list_as_json_holds_no_secret(user, ada: str):
    [one] = [one for one in user("list", "--json").expect(0).json if one["email"] == ada]

    assert one.keys() == {"email", "name", "role", "permissions", "state", "signed_in_at"}
    assert (one["role"], one["state"]) == ("Administrator", "signs in")


@pytest.mark.usefixtures("ada")
def test_where_somebody_signs_in_there_is_no_first_person(weighbridge):
    done = weighbridge("user", "first").expect(1)

    assert done.err == (
        "Somebody signs in already; they invite others, and so does `weighbridge user add`.\n"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("link", "--email", "x@plant.example"), "Nobody of the account signs in as x@plant.example.\n"),
        (
            ("add", "--email", "x@plant.example"),
            "Give the person either --role and --project-role, or --permission at least once.\n",
        ),
        (
            ("add", "--email", "nobody", "--role", "reader"),
            "email is 'nobody'; it takes an address such as ada@plant.example.\n",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(user, words, said):
    assert user(*words).expect(1).err == said


@pytest.mark.parametrize(
    "words", ["reader", "prj_1=reader", "{}=administrator", "{}=visitor", "{}", "prj_" + "0" * 24 + "=reader"]
)
def test_a_role_in_a_project_that_is_none_is_refused(user, api, words):
    project = api.post("/projects", {"project": {"name": "Plant"}}).expect(201).body["id"]

    refused = user("add", "--email", "rea@plant.example", "--project-role", words.format(project))

    assert "project" in refused.expect(1).err


def test_roles_and_single_permissions_are_not_given_at_once(user):
    words = ("--project-role", "prj_" + "0" * 24 + "=reader", "--permission", "data_collection:read")

    refused = user("add", "--email", "rea@plant.example", *words)

    assert "Give the person either --role and --project-role, or --permission" in refused.expect(1).err
