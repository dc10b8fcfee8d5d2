"""Months of events as Parquet: bytes, rows a second and memory, beside a bare COPY of the same rows to CSV.

A project has so many events of five numbers in the first three months of 2025, in a database of its own; one
in fifty is incomplete, of twenty in a row each has the same tracking id. The command runs as a program, so
that its memory is its own. What it reads with, a row as JSON, is timed by itself too.

    python benchmarks/bench_archive.py [EVENTS ...]
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg.sql import SQL, Composable

from weighbridge.archive.months import ArchivedPoint, ArchivedType, ArchivedVocabulary, CalendarMonth
from weighbridge.archive.rows import rows_statement
from weighbridge.db.embedded.instance import server
from weighbridge.db.migration import migrate

SIZES: Final = (100_000, 1_000_000)
SLUGS: Final = ("energy", "flow", "pressure", "temperature", "moisture")
MONTHS: Final = (CalendarMonth(2025, 1), CalendarMonth(2025, 2), CalendarMonth(2025, 3))

_PROJECT: Final = """
    WITH account AS (INSERT INTO accounts (name) VALUES ('Plant') RETURNING id),
         project AS (INSERT INTO projects (account_id, name) SELECT id, 'Plant' FROM account RETURNING id)
    INSERT INTO event_types (project_id, slug, name) SELECT id, 'reading', 'Reading' FROM project
    RETURNING project_id, id
"""
_POINTS: Final = """
    INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type, unit)
    SELECT %s, %s, place, slug, slug, 'number', 't'
      FROM unnest(%s::text[]) WITH ORDINALITY AS one (slug, place)
"""
_FILL: Final = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, tracking_id, numbers,
                        is_complete)
    SELECT %(project)s, n, %(kind)s, moment, moment, 'T-' || n / 20,
           CASE n %% 50 WHEN 0 THEN ARRAY[11.898]
                        ELSE ARRAY[11.898 + n %% 977, 0.32663, 1018.7, (n %% 613) / 8.0, 83.675] END,
           n %% 50 <> 0
      FROM (SELECT n, '2025-01-01Z'::timestamptz + n * (interval '90 days' / %(count)s) AS moment
              FROM generate_series(0, %(count)s - 1) AS n) AS made
"""


@dataclass(frozen=True)
class Run:
    """A database with so many events of a project, and what the baseline took."""

    size: int
    connection: psycopg.Connection[Any]
    url: str
    project: int
    vocabulary: ArchivedVocabulary

    def copied(self, statements: list[Composable]) -> tuple[float, int]:
        """How long COPY takes, and how many bytes come."""
        begun, size = time.perf_counter(), 0
        for statement in statements:
            with self.connection.cursor().copy(statement) as stream:
                size += sum(len(block) for block in stream)
        return time.perf_counter() - begun, size

    def commanded(self, *words: str) -> tuple[float, int]:
        """How long a command takes, its start with it, and the most memory that it had, in bytes."""
        begun = time.perf_counter()
        command = [sys.executable, "-m", "weighbridge", "archive", *words]
        environment = os.environ | {"WEIGHBRIDGE_DATABASE_URL": self.url}
        running = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(running.pid, 0)
        assert status == 0, words
        return time.perf_counter() - begun, usage.ru_maxrss * 1024

    def say(self, name: str, *figures: str) -> None:
        print(f"{self.size:,} events: {name}: {', '.join(figures)}", flush=True)

    def bytes_of_each(self, held: int) -> str:
        return f"{held / self.size:.1f} bytes for each"

    def rate(self, seconds: float, baseline: float) -> str:
        return f"{self.size / seconds:,.0f} rows a second, {seconds / baseline:.2f} times the baseline's time"


def main() -> None:
    for size in [int(one) for one in sys.argv[1:]] or SIZES:
        with tempfile.TemporaryDirectory(prefix="weighbridge-bench-") as folder:
            place = Path(folder)
            with server(place / "data") as url:
                migrate(url)
                with psycopg.connect(url, autocommit=True) as connection:
                    _measure(_filled(connection, url, size), place / "archive")


def _filled(connection: psycopg.Connection[Any], url: str, size: int) -> Run:
    [(project, kind)] = connection.execute(_PROJECT).fetchall()
    connection.execute(_POINTS, (project, kind, [*SLUGS]))
    connection.execute(_FILL, {"project": project, "kind": kind, "count": size})
    connection.execute("VACUUM ANALYZE events")
    points = [ArchivedPoint(place, slug, slug, "number", "t") for place, slug in enumerate(SLUGS, 1)]
    vocabulary = ArchivedVocabulary([ArchivedType("", kind, "reading", "Reading", points)], [], [], [])
    return Run(size, connection, url, project, vocabulary)


def _measure(run: Run, place: Path) -> None:
    [(of_table,)] = run.connection.execute("SELECT pg_total_relation_size('events')").fetchall()
    run.say("table with its indexes", run.bytes_of_each(of_table))
    copy = SQL("COPY (SELECT * FROM events ORDER BY start_time, id) TO STDOUT (FORMAT csv)")
    baseline, held = run.copied([copy])
    run.say("bare COPY to CSV (baseline)", run.bytes_of_each(held), run.rate(baseline, baseline))
    seconds, held = run.copied([rows_statement(run.project, month, run.vocabulary) for month in MONTHS])
    run.say("COPY of rows as JSON", run.bytes_of_each(held), run.rate(seconds, baseline))
    of_project = ("--project", str(run.project))
    write = ("write", *of_project, "--through", MONTHS[-1].text, "--to", str(place))
    seconds, memory = run.commanded(*write)
    held = sum(file.stat().st_size for file in place.rglob("*.parquet"))
    share = f"{held / of_table:.3f} of the table"
    run.say("archive write", run.bytes_of_each(held), share, run.rate(seconds, baseline), _at_most(memory))
    for name, words in (("write, unchanged", write), ("check", ("check", str(place), *of_project))):
        seconds, memory = run.commanded(*words)
        run.say(f"archive {name}", run.rate(seconds, baseline), _at_most(memory))


def _at_most(memory: int) -> str:
    return f"at most {memory / 1e6:,.0f} MB"


if __name__ == "__main__":
    main()
