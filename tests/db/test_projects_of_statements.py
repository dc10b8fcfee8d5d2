"""Statements name the project of the rows that they meet: each costs what the project has, not what all have.

What the service asks while it answers every reading operation, writes of each kind and their tasks is read
from the log of its database. What cannot name one project is named here, keys and references included.
"""

from collections.abc import Iterator

import pytest
from tests.databases import database
from tests.given.requests import EVENT, OPERATIONS, World, content_of, required_query, sent, world_of
from tests.given.statements import recorded, unbound
from tests.server import Server

WRITES = (
    "create_events", "update_event", "correct_data_point", "revert_data_point", "create_asset",
    "import_assets", "create_location", "create_feedstock", "create_outage", "create_static_input",
    "create_evidence", "create_model_version", "activate_model", "create_model_run", "update_inputs",
    "generate_preview", "create_batch_generation", "create_instrument", "create_ledger_of_project",
    "create_rule", "preview_rule", "update_rule", "dismiss", "undo_corrections", "reverse_rule_run",
    "create_upload", "compare_over_period", "make_report_bundle", "update_report", "create_report_link",
    "delete_asset", "void_event", "delete_rule",
)  # fmt: skip
"""Writes whose effects meet the tables of projects, in this order."""

HOT = (
    'COPY "events"',
    "UPDATE events",
    "INSERT INTO batches",
    "INSERT INTO batch_inputs",
    "INSERT INTO ledger_entries",
    "INSERT INTO corrections",
    "INSERT INTO data_point_results",
)
"""What has to be among them, or nothing was learned."""

CROSSING = {
    "list_model_runs": {"model_runs", "batches"},
    "compare_over_period": {"ledgers"},
    "given": {"footprints", "ledgers"},  # what is arranged first activates a version
    "get_footprint": {"footprints"},
    "list_footprints": {"footprints"},
}
"""Operations with statements that name no project, because a model may serve all projects of an account, and
because partners ask for the footprints of an account."""

WITHOUT_PROJECT = {
    "data_feed_uploads_task_id_key": "a task has one upload",
    "data_feed_uploads_report_key_key": "keys of stored files are random; the key only detects errors",
    "data_feeds_one_watches": "in the whole service, only one feed watches a folder",
    "report_submissions_storage_key_key": "as for `report_key`",
    "report_submissions_key": "the idempotency key of a submission is random",
    "report_links_pkey": "links are looked up by their number",
    "report_links_secret_hash_key": "a secret is random; the key only detects errors",
    "report_link_uses_pkey": "is part of the link",
    "evidence_storage_key_key": "as for `report_key`",
    "report_bundles_storage_key_key": "as for `report_key`",
    "engagements to report_links": "as for `report_links_pkey`",
    "engagement_findings to report_links": "as for `report_links_pkey`",
    "rule_runs_pkey": "rule runs are numbered over the whole service",
    "rule_runs_of_task": "a task has one run",
    "footprints_pkey": "partners ask for the footprints of an account",
    "footprints_number_key": "as for `footprints_pkey`",
}
"""Unique keys and references of the rows of projects that do not name the project, and why."""

_OF_PROJECTS = """
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'project_id'
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnotnull
"""
_UNIQUE = f"""
    SELECT i.indexrelid::regclass::text FROM pg_index i
     WHERE i.indisunique AND i.indrelid IN (SELECT to_regclass(relname) FROM ({_OF_PROJECTS}) AS t)
       AND NOT EXISTS (SELECT FROM pg_attribute a
                        WHERE (a.attrelid, a.attname) = (i.indrelid, 'project_id')
                          AND a.attnum = ANY (i.indkey))
"""
_REFERENCES = f"""
    SELECT k.conrelid::regclass || ' to ' || k.confrelid::regclass FROM pg_constraint k
     WHERE k.contype = 'f' AND k.conparentid = 0
       AND k.confrelid IN (SELECT to_regclass(relname) FROM ({_OF_PROJECTS}) AS t)
       AND NOT EXISTS (SELECT FROM pg_attribute a
                        WHERE (a.attrelid, a.attname) = (k.conrelid, 'project_id')
                          AND a.attnum = ANY (k.conkey))
"""

Statements = dict[str, set[str]]


@pytest.fixture(scope="module")
def said(postgres: str, newest: str) -> Iterator[tuple[Statements, frozenset[str]]]:
    """What a service said to its database by what it did, and the tables of projects there."""
    with database(postgres, newest) as url, recorded(url) as record:
        record.during("given")
        world = world_of(record.server)
        reads = [name for name, operation in OPERATIONS.items() if operation.method == "GET"]
        for name in (*reads, *WRITES):
            record.during(name)
            ask(world, name)
            if name == "create_events":
                events = [EVENT | {"start_time": f"2025-02-0{day}T00:00:00Z"} for day in range(1, 10)]
                path = world.path(OPERATIONS[name])
                next(world.callers).post(path, {"events": events}).expect(201)
            world.account.drain()
        yield record.read(), frozenset(table for (table,) in record.server.sql(_OF_PROJECTS))


def ask(world: World, name: str) -> None:
    operation = OPERATIONS[name]
    body = None if operation.body is None else content_of(operation)
    answer = sent(
        operation, world.path(operation), next(world.callers), body, required_query(operation, world)
    )
    assert answer.status < 500, answer.text


def test_statements_name_the_project_of_the_rows_they_meet(said):
    statements, tables = said

    found: dict[str, set[str]] = {}
    for doing, those in statements.items():
        # What is known then is put under the names of the tables in the same statements as are sent without.
        for one in (one for one in those if "weighbridge.then_" not in one):
            if tables_of_none := unbound(one, tables):
                found[doing] = found.get(doing, set()) | tables_of_none

    assert found == CROSSING


def test_every_kind_of_hot_statement_was_read(said):
    statements, _ = said
    everything = "\n".join(one for those in statements.values() for one in those)

    assert sum(map(len, statements.values())) > 1000
    for begin in HOT:
        assert begin in everything, begin


@pytest.mark.parametrize(
    ("statement", "of_none"),
    [
        ("SELECT * FROM events WHERE project_id = $1 AND id = $2", set()),
        ("SELECT * FROM events WHERE id = $1", {"events"}),
        ("SELECT * FROM events e WHERE (e.project_id, e.id) = ($1, $2)", set()),
        ("SELECT * FROM events e JOIN runs r ON r.project_id = e.project_id WHERE e.id = $1",
         {"events", "runs"}),
        ("SELECT * FROM events JOIN runs USING (project_id) WHERE runs.project_id = 7", set()),
        ("SELECT x.id FROM (SELECT * FROM events) AS x WHERE x.project_id = $1", set()),
        ("SELECT x.id FROM (SELECT id FROM events) AS x WHERE x.project_id = $1", {"events"}),
        ("SELECT 1 FROM runs r WHERE r.project_id = $1 AND EXISTS (SELECT FROM events e WHERE e.id = r.id)",
         {"events"}),
        ("WITH x AS (SELECT project_id FROM runs WHERE project_id = $1) DELETE FROM events", {"events"}),
        ("INSERT INTO events (project_id, id) SELECT project_id, id FROM runs WHERE id = $1", {"runs"}),
        ("INSERT INTO events (id) VALUES ($1)", {"events"}),
        ("UPDATE events SET notes = $1 WHERE id = $2 AND project_id IS NOT NULL", {"events"}),
        ("COPY events (project_id, id) FROM STDIN", set()),
    ],
)  # fmt: skip
def test_a_statement_without_a_project_is_noticed(statement, of_none):
    assert unbound(statement, frozenset({"events", "runs"})) == of_none


def test_keys_and_references_of_the_rows_of_projects_name_the_project(server: Server):
    apart = {name for (name,) in server.sql(_UNIQUE)} | {name for (name,) in server.sql(_REFERENCES)}

    assert apart == WITHOUT_PROJECT.keys()
