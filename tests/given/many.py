"""Lists that are long: a batch of a plant many times over, a day apart, and runs of its model beside them.

They are copied past generation, which takes its time; a list shows them like those that it made.
"""

from tests.given.accounting import QUARTER, Plant
from tests.given.lone import Connection, Lone, copied

FIRST = "2030-01-01T00:00:00Z"
"""When the first copy starts, behind all that was generated."""

_RUNS = """
    INSERT INTO runs (project_id, family_id, start_time, end_time, tracking_id)
    SELECT b.project_id, r.family_id, moment, moment + interval '1 day', 'T-' || n / 20
      FROM first_batch b JOIN runs r ON (r.project_id, r.id) = (b.project_id, b.run_id)
     CROSS JOIN LATERAL (SELECT n, %(first)s::timestamptz + n * interval '1 day' AS moment
                           FROM generate_series(%(from)s, %(to)s - 1) AS n) AS made
"""
_BATCHES = """
    INSERT INTO batches (project_id, ledger_id, run_id, model_id, model_sha256, tracking_id, start_time,
                         end_time, total, credited, balance, share_scale, fingerprint, async_task_id,
                         engine_revision, created_at)
    SELECT b.project_id, b.ledger_id, r.id, b.model_id, b.model_sha256, r.tracking_id, r.start_time,
           r.end_time, b.total, b.credited, b.balance, b.share_scale, b.fingerprint, b.async_task_id,
           b.engine_revision, '2080-01-01Z'::timestamptz - (r.start_time - %(first)s::timestamptz)
      FROM first_batch b
      JOIN runs r ON r.project_id = b.project_id
       AND r.start_time >= %(first)s::timestamptz + %(from)s * interval '1 day'
     ORDER BY r.start_time
"""
_CALCULATIONS = """
    INSERT INTO batch_calculations (project_id, batch_id, position, slug, name, unit, value, is_output,
                                    is_primary)
    SELECT o.project_id, o.id, c.position, c.slug, c.name, c.unit, c.value, c.is_output, c.is_primary
      FROM first_batch b
      JOIN batch_calculations c ON (c.project_id, c.batch_id) = (b.project_id, b.id) AND c.is_primary
      JOIN batches o ON o.project_id = b.project_id
       AND o.start_time >= %(first)s::timestamptz + %(from)s * interval '1 day'
"""
_MODEL_RUNS = """
    INSERT INTO model_runs (project_id, model_id, start_time, end_time, state, error_message)
    SELECT b.project_id, b.model_id, moment, moment + interval '1 day',
           CASE n %% 100 WHEN 0 THEN 'failed' ELSE 'complete' END, CASE n %% 100 WHEN 0 THEN 'No data.' END
      FROM first_batch b
     CROSS JOIN LATERAL (SELECT n, %(first)s::timestamptz + n * interval '1 day' AS moment
                           FROM generate_series(%(from)s, %(to)s - 1) AS n) AS made
"""
_TABLES = ("runs", "batches", "batch_calculations", "model_runs")


def many_batches(lone: Lone, plant: Plant, rows: int) -> None:
    """So many batches and runs of a plant more, and some for other projects."""
    plant.deliver(1)
    plant.generate(QUARTER)
    project = plant.project["numeric_id"]

    def load(connection: Connection, begin: int, end: int) -> None:
        connection.execute(
            "CREATE TEMPORARY TABLE first_batch ON COMMIT DROP AS SELECT * FROM batches WHERE project_id = %s"
            " ORDER BY id LIMIT 1",
            (project,),
        )
        for statement in (_RUNS, _BATCHES, _CALCULATIONS, _MODEL_RUNS):
            connection.execute(statement, {"first": FIRST, "from": begin, "to": end})

    lone.fill(rows, load, copied(project, *_TABLES), *_TABLES)
