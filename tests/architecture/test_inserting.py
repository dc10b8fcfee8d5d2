"""No statement inserts what it reads from a table of the cell itself: a node of a cluster refuses it."""

import pytest
from tests.architecture import inserting
from tests.architecture.source import files

PART = "WITH made AS MATERIALIZED (SELECT id FROM projects)"


@pytest.fixture(scope="module")
def statements():
    """All texts that insert: to find them takes all files, which only who runs these tests shall read."""
    return [found for file in files() for found in inserting.statements_of(file)]


def test_statements_and_functions_are_found(statements):
    assert len(statements) > 100
    assert {"events", "ledger_entries", "rule_dirty_ranges"} <= inserting.tables()
    assert len(inserting.steps()) > 15


def test_no_statement_of_the_program_inserts_what_it_reads_itself(statements):
    assert [one for place, text in statements for one in inserting.refused_in(place, text)] == []


def test_no_function_of_the_database_inserts_what_it_reads_itself():
    assert [*inserting.refused_in_functions(inserting.steps())] == []


def test_no_statement_that_inserts_values_gives_back_what_a_clock_says(statements):
    assert [place for place, text in statements if inserting.returns_clock(text)] == []


@pytest.mark.parametrize(
    ("statement", "is_refused"),
    [
        ("INSERT INTO days (day) VALUES (now()) RETURNING id, ceil(day - now())", True),
        ("INSERT INTO days (day) VALUES (now()) ON CONFLICT DO NOTHING RETURNING current_date", True),
        ("WITH a AS (INSERT INTO days (day) VALUES (1) RETURNING id) SELECT id, now() FROM a", False),
        ("INSERT INTO days (day) VALUES (clock_timestamp()) RETURNING id", False),
    ],
)
def test_a_clock_that_is_given_back_is_found(statement, is_refused):
    assert inserting.returns_clock(statement) == is_refused


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO waiting_marks (project_id) SELECT id FROM projects",
        "insert into waiting_marks\nselect p.id\n  from projects p where p.id > 0 group by p.id",
        "INSERT INTO waiting_marks (project_id) SELECT id FROM unnest(%s) u (id) JOIN projects USING (id)",
        "INSERT INTO waiting_marks (project_id) SELECT (SELECT max(id) FROM projects) WHERE true",
        f"{PART} INSERT INTO waiting_marks (project_id) SELECT id FROM made JOIN projects USING (id)",
        "DELETE FROM batches; INSERT INTO waiting_marks (project_id) SELECT id FROM projects -- all",
        "SELECT format('INSERT INTO waiting_marks SELECT id FROM projects WHERE name = ''%%''')",
    ],
)
def test_a_statement_in_that_form_is_named(statement):
    assert [*inserting.refused_in("a.py:7", statement)] == [
        inserting.Refused("a.py:7", "waiting_marks", "projects")
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO waiting_marks (project_id) VALUES ((SELECT id FROM projects))",
        "INSERT INTO waiting_marks (project_id) SELECT one FROM unnest(%s::integer[]) AS one",
        f"{PART} INSERT INTO waiting_marks (project_id) SELECT * FROM made ON CONFLICT DO NOTHING",
        "INSERT INTO found_here SELECT id FROM projects",
        "-- INSERT INTO waiting_marks SELECT id FROM projects",
        "INSERT INTO waiting_marks (project_id) SELECT x FROM unnest(%s, projects, batches) AS t (x)",
    ],
)
def test_what_reads_before_it_or_no_table_of_the_cell_is_none(statement):
    assert [*inserting.refused_in("a.py:7", statement)] == []


def test_the_last_body_of_a_function_counts():
    function = (
        "CREATE OR REPLACE FUNCTION mark() RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n    IF true THEN\n"
        "        {} INSERT INTO waiting_marks (project_id) SELECT * FROM {};\n    END IF;\nEND $$;"
    )
    mended, planted = function.format(PART, "made"), function.format("", "projects")

    assert [*inserting.refused_in_functions({"1.sql": planted, "2.sql": mended})] == []
    assert [*inserting.refused_in_functions({"1.sql": mended, "2.sql": planted})] == [
        inserting.Refused("2.sql: mark", "waiting_marks", "projects")
    ]
