"""`weighbridge token create`."""

import pytest
from psycopg.conninfo import make_conninfo
from tests.server import Caller

from weighbridge.core.platform.permission import ALL_PERMISSIONS, is_well_formed
from weighbridge.db.embedded.instance import RUNNING_ROLE

EVERY_PERMISSION = sorted(ALL_PERMISSIONS)


def test_a_token_can_be_made_before_the_service_has_ever_run(program, tmp_path):
    command = ("token", "create", "--data-dir", tmp_path / "d", "--name", "ci", "--all")

    made = program(*command, database=False).expect(0)

    assert is_well_formed(made.out.removesuffix("\n"))
    assert made.err == ""


def test_the_token_works_with_the_permissions_it_was_given(weighbridge, server, account_name):
    done = weighbridge(
        "token", "create", "--name", "meter", "--account", account_name,
        "--permission", "data_collection:read", "--permission", "data_rules:read",
    ).expect(0)  # fmt: skip

    caller = Caller(server, done.out.strip())
    caller.get("/projects").expect(200)
    assert caller.post("/projects", {"project": {"name": "New"}}).expect(403).error["message"] == (
        "The token lacks the permission administration:write."
    )


def test_json_says_what_the_token_may_do_and_until_when(weighbridge, account_name, sql):
    done = weighbridge(
        "token", "create", "--name", " ci ", "--account", account_name, "--all", "--json"
    ).expect(0)

    assert sorted(done.json) == ["expires_at", "name", "permissions", "token"]
    assert done.json["name"] == "ci"
    assert done.json["permissions"] == EVERY_PERMISSION
    ((stored, days),) = sql(
        """
        SELECT to_char(t.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
               extract(day FROM t.expires_at - t.created_at)::integer
          FROM api_tokens t JOIN accounts a ON a.id = t.account_id WHERE a.name = %s
        """,
        account_name,
    )
    assert done.json["expires_at"] == stored
    assert days == 90


def test_where_the_running_role_may_not_use_the_tables_the_way_on_is_said(weighbridge, migrated_database):
    running = make_conninfo(migrated_database, user=RUNNING_ROLE)

    refused = weighbridge(
        "token", "create", "--name", "ci", "--all", WEIGHBRIDGE_DATABASE_URL=running
    ).expect(1)  # fmt: skip

    assert refused.err == (
        "The role of WEIGHBRIDGE_DATABASE_URL may not use the tables:"
        " permission denied for table alembic_version."
        " Run `weighbridge migrate`, which lets it.\n"
    )

    weighbridge("migrate", WEIGHBRIDGE_MIGRATION_DATABASE_URL=migrated_database).expect(0)
    weighbridge("token", "create", "--name", "ci", "--all").expect(0)


@pytest.mark.parametrize("days", [30, 60, 90, 180, 365])
def test_a_token_lives_as_many_days_as_are_asked_for(weighbridge, account_name, sql, days):
    weighbridge(
        "token", "create", "--name", "ci", "--account", account_name, "--all", "--expires", days
    ).expect(0)

    found = sql(
        """
        SELECT extract(day FROM expires_at - api_tokens.created_at)::integer
          FROM api_tokens JOIN accounts ON accounts.id = account_id WHERE accounts.name = %s
        """,
        account_name,
    )
    assert found == [(days,)]


def test_a_token_that_never_expires_says_so(weighbridge, account_name):
    done = weighbridge(
        "token", "create", "--name", "ci", "--account", account_name, "--all", "--expires", "never", "--json"
    ).expect(0)

    assert done.json["expires_at"] is None


def test_another_lifetime_is_refused_with_the_choices(weighbridge):
    done = weighbridge("token", "create", "--name", "ci", "--all", "--expires", "7").expect(1)

    assert done.err == "--expires is '7'; it takes 30, 60, 90, 180, 365 or never.\n"


def test_every_wrong_permission_is_refused_with_the_allowed_ones(weighbridge):
    done = weighbridge(
        "token", "create", "--name", "ci", "--permission", "data:all", "--permission", "events:write"
    ).expect(1)

    allowed = (
        "production_accounting:read, production_accounting:write, production_accounting:verify, "
        "data_collection:read, data_collection:write, data_rules:read, data_rules:write, data_rules:approve, "
        "administration:read, administration:write, and except for administration each followed by @ and the"
        " id of a project"
    )
    assert done.err == (
        f"The permission 'data:all' does not exist; there are {allowed}.\n"
        f"The permission 'events:write' does not exist; there are {allowed}.\n"
    )
    assert done.out == ""


def test_a_token_without_permissions_is_refused(weighbridge):
    done = weighbridge("token", "create", "--name", "ci").expect(1)

    assert done.err.startswith("A token needs --permission, at least once, or --all; there are")


def test_a_token_acts_for_the_user_that_is_named(weighbridge, account_name, sql):
    weighbridge(
        "token", "create", "--name", "lab", "--account", account_name, "--all", "--user", "ada@plant.example"
    ).expect(0)

    found = sql(
        """
        SELECT u.email, u.name FROM api_tokens t JOIN users u ON u.id = t.user_id
          JOIN accounts a ON a.id = t.account_id WHERE a.name = %s
        """,
        account_name,
    )
    assert found == [("ada@plant.example", "ada")]


def test_without_an_account_it_acts_in_the_default_account(weighbridge, sql):
    weighbridge("token", "create", "--name", "of the default", "--all").expect(0)

    found = sql(
        """
        SELECT a.name, u.email FROM api_tokens t JOIN users u ON u.id = t.user_id
          JOIN accounts a ON a.id = t.account_id WHERE t.name = 'of the default'
        """
    )
    assert found == [("default", "administrator")]


def test_an_account_that_does_not_exist_is_named(weighbridge):
    done = weighbridge("token", "create", "--name", "ci", "--all", "--account", "nowhere").expect(1)

    assert done.err == "There is no account 'nowhere'.\n"


def test_a_database_of_another_version_is_left_as_it_is(weighbridge, empty_database):
    import psycopg  # noqa: PLC0415 - one test needs it

    with psycopg.connect(empty_database) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num text)")
        connection.execute("INSERT INTO alembic_version VALUES ('0001')")

    done = weighbridge(
        "token", "create", "--name", "ci", "--all", WEIGHBRIDGE_DATABASE_URL=empty_database
    ).expect(1)

    assert done.err.startswith("The database is at revision 0001, and this version needs ")
    assert done.err.endswith("run `weighbridge migrate`.\n")
