"""One CSV file through a feed, beside COPY into a copy of `events`, and beside pandas with SQLAlchemy.

All three in one run on one server. The feed is timed from the moment at which the worker takes the task up to
its end. COPY sends the same rows as ready text in one transaction to a table with the keys, indexes and
triggers of `events`. pandas reads the file, and writes it with SQLAlchemy to a table without any.

    python benchmarks/bench_csv.py [ROWS]
"""

import io
import re
import sys
from typing import Any

import pandas as pd
import psycopg
from bench_feeds import _fed, _gzipped, _is_worker
from psycopg import sql
from service import Service, descendants, now, peak_memory_mb, service
from sqlalchemy import create_engine

ROWS = 1_000_000
GOAL = 0.35
COPY_BYTES = 1_048_576
PANDAS_ROWS = 1_000
"""Rows of one statement of pandas."""


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    content = _gzipped(rows)
    with service(api_processes=1, with_worker=True) as running:
        _fed(running, "Warm", _gzipped(min(rows, 20_000)), "warm.csv.gz")
        worker = next(pid for pid in descendants(running.process.pid) if _is_worker(pid))
        fed = _fed(running, "File", content, "log.csv.gz")
        print(
            f"feed: {rows:,} rows, {fed:,.0f} rows/s, at most {peak_memory_mb(worker):.0f} MB of the worker"
        )
        copied = _copied(running, rows)
        print(f"COPY into a copy of events, ready rows: {copied:,.0f} rows/s")
        written = _written_by_pandas(running, content, min(rows, 200_000))
        print(f"pandas with SQLAlchemy: {written:,.0f} rows/s")
        print(f"csv: {fed / copied:.2f} of COPY (goal: {GOAL}), {fed / written:.2f} of pandas")


def _copied(running: Service, rows: int) -> float:
    """The rate at which the rows that the feed stored are copied into a table like theirs."""
    with psycopg.connect(running.database_url) as connection:
        columns = _make_copy_of_events(connection)
        [(project,)] = connection.execute(_PROJECT, (rows,)).fetchall()
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        ready = io.BytesIO()
        select = sql.SQL("COPY (SELECT {} FROM events WHERE project_id = {}) TO STDOUT")
        with connection.cursor() as cursor, cursor.copy(select.format(names, project)) as copy:
            for block in copy:
                ready.write(block)
        connection.commit()
        ready.seek(0)
        started = now()
        statement = sql.SQL("COPY copy_of_events ({}) FROM STDIN").format(names)
        with connection.cursor() as cursor, cursor.copy(statement) as copy:
            while block := ready.read(COPY_BYTES):
                copy.write(block)
        connection.commit()
        return rows / (now() - started)


_PROJECT = "SELECT project_id FROM events GROUP BY project_id HAVING count(*) = %s ORDER BY 1 DESC LIMIT 1"
_KEYS = """
    SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'events'::regclass AND contype = 'f'
"""
_TRIGGERS = """
    SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'events'::regclass AND NOT tgisinternal
"""
_COLUMNS = """
    SELECT attname FROM pg_attribute WHERE attrelid = 'events'::regclass AND attnum > 0 AND NOT attisdropped
       AND attgenerated = '' ORDER BY attnum
"""
_ON_EVENTS = re.compile(r" ON (?:\w+\.)?events ")


def _make_copy_of_events(connection: psycopg.Connection[Any]) -> list[str]:
    """A table with the keys, indexes and triggers of `events`; gives the columns that are stored."""
    connection.execute("CREATE TABLE copy_of_events (LIKE events INCLUDING ALL)")
    for (key,) in connection.execute(_KEYS).fetchall():
        connection.execute(f"ALTER TABLE copy_of_events ADD {key}")
    for (trigger,) in connection.execute(_TRIGGERS).fetchall():
        connection.execute(_ON_EVENTS.sub(" ON copy_of_events ", trigger, count=1))
    connection.commit()
    listed = connection.execute(_COLUMNS)
    return [name for (name,) in listed.fetchall()]


def _written_by_pandas(running: Service, content: bytes, rows: int) -> float:
    """The rate at which pandas reads the file and writes its rows to a table of plain columns."""
    engine = create_engine(running.database_url.replace("postgresql://", "postgresql+psycopg://", 1))
    started = now()
    frame = pd.read_csv(io.BytesIO(content), compression="gzip", parse_dates=["start_time"], nrows=rows)
    with engine.begin() as connection:
        frame.to_sql("read_by_pandas", connection, index=False, method="multi", chunksize=PANDAS_ROWS)
    return rows / (now() - started)


if __name__ == "__main__":
    main()
