"""The baseline is the schema of 1.0.0: databases that releases made are adopted, and older ones refused."""

from importlib.resources import files

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests import databases
from tests.given.dumps import dumped_schema, statements_of
from tools.stored_release.folders import DUMP, STEPS, kept_sums, released

from weighbridge.db.embedded.instance import RUNNING_ROLE
from weighbridge.db.migration import migrate, rehearse
from weighbridge.db.roles import DatabaseUrls, grant_running_role, read_revision_of, revisions
from weighbridge.errors import Refusal

BASELINE = revisions()[0]
QUEUE = STEPS / "0051_baseline" / "queue.sql"
PLACE = "far_away"


def load(url, statements):
    """Make the schema of a dump in an empty database."""
    with psycopg.connect(url) as connection:
        connection.execute("SET LOCAL check_function_bodies = off")
        connection.execute(statements)


def reloaded(postgres, url):
    """The schema of a database as it is after a dump and a load, which brackets some conditions otherwise."""
    with databases.database(postgres) as copy:
        load(copy, dumped_schema(url))
        return dumped_schema(copy)


def bring(url, revision="head"):
    """Migrate, and let the running role use the tables, as the service does at its start."""
    migrate(url, revision)
    grant_running_role(DatabaseUrls(make_conninfo(url, user=RUNNING_ROLE), url))


def revision_at(folder):
    """The step that a released version was at."""
    return max(name[:4] for name in kept_sums(folder))


def test_the_first_release_is_at_the_baseline():
    assert revision_at(released()[0]) == BASELINE


RELEASED = pytest.mark.parametrize("folder", released(), ids=lambda folder: folder.name)


@RELEASED
def test_a_released_schema_is_that_of_its_step(empty_database, folder):
    bring(empty_database, revision_at(folder))

    assert dumped_schema(empty_database, with_comments=False) == statements_of(folder / DUMP)


@RELEASED
def test_a_database_that_a_release_made_becomes_the_same_as_a_new_one(postgres, empty_database, folder):
    with databases.database(postgres) as kept:
        load(kept, statements_of(folder / DUMP))
        with psycopg.connect(kept) as connection:
            connection.execute("INSERT INTO alembic_version VALUES (%s)", (revision_at(folder),))

        for url in (kept, empty_database):
            bring(url)

        assert read_revision_of(kept) == revisions()[-1]
        assert reloaded(postgres, kept) == reloaded(postgres, empty_database)


def test_every_table_has_a_sentence(migrated_database):
    with psycopg.connect(migrated_database) as connection:
        found = connection.execute("""
            SELECT relname, obj_description(oid, 'pg_class') FROM pg_class
             WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
        """).fetchall()

    assert [name for name, sentence in found if not sentence or not sentence.endswith(".")] == []
    assert len(found) > 100


@pytest.fixture
def elsewhere(empty_database):
    """The URL of an empty schema that is not `public`."""
    with psycopg.connect(empty_database) as connection:
        connection.execute(f"CREATE SCHEMA {PLACE}")
    return make_conninfo(empty_database, options=f"-c search_path={PLACE}")


def test_the_tables_may_be_in_any_schema(elsewhere, newest):
    migrate(elsewhere)

    there = dumped_schema(elsewhere).replace(f"CREATE SCHEMA {PLACE};\n", "")
    # One function keeps the search path that it was made with.
    here = dumped_schema(newest).replace("""TO '$user', 'public'""", "TO 'public'")
    assert sorted(there.replace(PLACE, "public").splitlines()) == sorted(here.splitlines())


def test_the_queue_is_as_the_library_makes_it(postgres):
    steps = sorted(
        path for path in files("procrastinate").joinpath("sql", "migrations").iterdir()
        if path.name.endswith(".sql")
    )  # fmt: skip
    with databases.database(postgres) as ours, databases.database(postgres) as theirs:
        with psycopg.connect(ours, autocommit=True) as connection:
            connection.execute(QUEUE.read_text())
        with psycopg.connect(theirs, autocommit=True) as connection:
            for path in steps:
                connection.execute(path.read_text())

        assert dumped_schema(ours, with_comments=False) == dumped_schema(theirs)


def unreleased(url):
    """A database of a step that no release had."""
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num varchar(32) PRIMARY KEY)")
        connection.execute("INSERT INTO alembic_version VALUES ('0043')")
        connection.execute("CREATE TABLE accounts (id integer)")
    return dumped_schema(url)


@pytest.mark.parametrize("work", [migrate, rehearse])
def test_a_database_of_a_step_before_the_first_release_is_refused_and_stays(empty_database, work):
    before = unreleased(empty_database)

    with pytest.raises(Refusal) as refusal:
        work(empty_database)

    assert str(refusal.value) == (
        "The database is at revision 0043, which no released version made; the first one that can be migrated"
        f" is {BASELINE}, that of 1.0.0. Nothing was changed."
    )
    assert len(refusal.value.problems) == 1
    assert (dumped_schema(empty_database), read_revision_of(empty_database)) == (before, "0043")
