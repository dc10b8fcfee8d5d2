"""Events in one table, as they are, against events partitioned by month: what the hot statements cost.

Both tables have the columns, checks and indexes of `events`, and no triggers. A key of a partitioned table
has to contain what it is partitioned by, so (project_id, id) and (project_id, client_reference) are no keys
of the one by month; what refers to events, and a client reference that is used once, need a table of keys
beside it, one row for each event, which whoever writes events writes too. Events of three projects lie over
five years; every statement is prepared; the plans of pages are the generic ones and by one index, as the
product's are.

    python benchmarks/bench_partitions.py [EVENTS ...]
"""

import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg
from service import median, now

from weighbridge.db.embedded.instance import server
from weighbridge.db.migration import migrate

SIZES: Final = (1_000_000, 10_000_000)
MONTHS: Final = 60
PROJECTS: Final = (1, 2, 3)
START: Final = datetime(2020, 1, 1, tzinfo=UTC)
ROWS_OF_A_COPY: Final = 1000
COPIES: Final = 60
TIMES: Final = 60
SUMS: Final = 12
WARM: Final = 6
"""As often a statement is asked before it is timed: from then on psycopg has it prepared."""
COLUMNS: Final = (
    "project_id, id, event_type_id, start_time, end_time, tracking_id, location_ids, numbers, is_complete"
)
TYPES: Final = ("int4", "int8", "int4", "timestamptz", "timestamptz", "text", "int4[]", "numeric[]", "bool")

_FILL = """
    INSERT INTO {table} (project_id, id, event_type_id, start_time, end_time, tracking_id, location_ids,
                         numbers, is_complete, created_at, updated_at)
    SELECT 1 + n %% 3, n, 1 + n %% 3, moment, moment + interval '1 minute', 'T-' || n / 60,
           ARRAY[1], ARRAY[11.898 + n %% 977, 0.32663, 1018.7, (n %% 613) / 8.0, 83.675], n %% 50 <> 0,
           moment + interval '1 minute', moment + interval '1 minute'
      FROM (SELECT n, '2020-01-01Z'::timestamptz + n * (interval '1826 days' / %(count)s) AS moment
              FROM generate_series(0, %(count)s - 1) AS n) AS made
"""
_PAGE = "SELECT * FROM {table} WHERE project_id = %s ORDER BY {order} LIMIT 21"
_BEHIND = """
    SELECT * FROM {table} WHERE project_id = %s AND (start_time, id) > (%s, %s)
     ORDER BY start_time, id LIMIT 21
"""
_SUMS = """
    SELECT tracking_id IS NULL, count(*), sum(numbers[1]), sum(numbers[2]), sum(numbers[3]), sum(numbers[4]),
           sum(numbers[5])
      FROM {table} WHERE project_id = %s AND event_type_id = 1 AND start_time >= %s AND start_time < %s
     GROUP BY 1
"""
_OF_LISTS = """
    SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off;
    SET plan_cache_mode = force_generic_plan; SET synchronous_commit = off
"""


def main() -> None:
    sizes = [int(one) for one in sys.argv[1:]] or list(SIZES)
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="weighbridge-bench-") as folder, server(Path(folder)) as url:
            migrate(url)
            with psycopg.connect(url, autocommit=True) as connection:
                _compared(connection, size)


def _compared(connection: psycopg.Connection[Any], size: int) -> None:
    _make(connection)
    for table in ("flat", "monthly"):
        _fill(connection, table, size)
    flat, monthly = (_measured(connection, table, size) for table in ("flat", "monthly"))
    for name, of_flat in flat.items():
        ratio = monthly[name] / of_flat
        print(
            f"{size:,} events: {name}: one table {of_flat:.3f}, by month {monthly[name]:.3f}, "
            f"ratio {ratio:.2f}", flush=True,
        )  # fmt: skip


def _make(connection: psycopg.Connection[Any]) -> None:
    """The tables: their columns and checks; indexes follow when they are filled."""
    like = "LIKE events INCLUDING DEFAULTS INCLUDING CONSTRAINTS"
    connection.execute(f"CREATE TABLE flat ({like})")
    connection.execute(f"CREATE TABLE monthly ({like}) PARTITION BY RANGE (start_time)")
    for number in range(MONTHS + 1):
        first, after = (_month(one) for one in (number, number + 1))
        connection.execute(
            f"CREATE TABLE monthly_{number} PARTITION OF monthly FOR VALUES FROM ('{first}') TO ('{after}')"
        )
    connection.execute(
        "CREATE TABLE event_keys (project_id integer, id bigint, start_time timestamptz(3) NOT NULL,"
        " client_reference text)"
    )


def _fill(connection: psycopg.Connection[Any], table: str, size: int) -> None:
    started = now()
    connection.execute(_FILL.format(table=table), {"count": size})
    definitions = connection.execute(
        "SELECT indexdef FROM pg_indexes WHERE tablename = 'events' ORDER BY indexname"
    ).fetchall()
    for (definition,) in definitions:
        name = definition.split(" INDEX ")[1].split(" ON ")[0]
        made = definition.replace(f" INDEX {name} ", " INDEX ").replace("events USING", f"{table} USING")
        made = made.replace("public.", "")
        if table == "monthly" and "UNIQUE" in made:
            made = made.replace("UNIQUE ", "")
        connection.execute(made)
    if table == "monthly":
        connection.execute("INSERT INTO event_keys SELECT project_id, id, start_time FROM monthly")
        connection.execute("ALTER TABLE event_keys ADD PRIMARY KEY (project_id, id)")
        connection.execute(
            "CREATE UNIQUE INDEX ON event_keys (project_id, client_reference)"
            " WHERE client_reference IS NOT NULL"
        )
        connection.execute("VACUUM ANALYZE event_keys")
    connection.execute(f"VACUUM ANALYZE {table}")
    print(f"{size:,} events put into {table} in {now() - started:.0f} s", flush=True)


def _measured(connection: psycopg.Connection[Any], table: str, size: int) -> dict[str, float]:
    """Milliseconds of each statement, the median; of the table's size, bytes for each event."""
    middle = START + timedelta(days=913)
    page = partial(_page, table)
    one = _EVENT_BY_MONTH if table == "monthly" else _EVENT
    asked: dict[str, tuple[str, Callable[[int], tuple[Any, ...]], int]] = {
        "first page by time": (page("start_time, id"), lambda _: (1,), TIMES),
        "newest by time": (page("start_time DESC, id DESC"), lambda _: (1,), TIMES),
        "page by id": (page("id"), lambda _: (1,), TIMES),
        "newest by change": (page("updated_at DESC, id DESC"), lambda _: (1,), TIMES),
        "page by cursor": (_BEHIND.format(table=table), lambda _: (1, middle, size // 2), TIMES),
        "one event by its key": (one, lambda n: _key(n, size), TIMES),
        "a thousand events by their keys": (
            _EVENTS_BY_MONTH if table == "monthly" else _EVENTS,
            lambda n: (1, [3 * one for one in range(n * 100, n * 100 + 1000)]),
            TIMES // 4,
        ),
    }  # fmt: skip
    sums = _SUMS.format(table=table)
    of_month = _asked(connection, sums, lambda _: (1, middle, middle + timedelta(days=30)), SUMS)
    connection.execute(_OF_LISTS)
    found = {"sums of a month, ms": of_month} | {
        f"{name}, ms": _asked(connection, statement, make, times)
        for name, (statement, make, times) in asked.items()
    }
    tables = (
        [table, "event_keys", *(f"monthly_{n}" for n in range(MONTHS + 1))] if table == "monthly" else [table]
    )
    row = connection.execute(
        "SELECT sum(pg_total_relation_size(t::regclass)) FROM unnest(%s::text[]) t", (tables,)
    ).fetchone()
    assert row is not None
    found["bytes for each event"] = float(row[0]) / size
    found["1,000 events by COPY, ms"] = (
        median([_copied(connection, table, size, n) for n in range(COPIES)]) * 1000
    )
    connection.execute("RESET ALL")
    return found


def _page(table: str, order: str) -> str:
    return _PAGE.format(table=table, order=order)


def _asked(
    connection: psycopg.Connection[Any], statement: str, make: Callable[[int], tuple[Any, ...]], times: int
) -> float:
    taken = []
    for turn in range(WARM + times):
        started = now()
        rows = connection.execute(statement, make(turn), prepare=True).fetchall()
        if turn >= WARM or times < WARM:
            taken.append(now() - started)
        assert rows
    return median(taken) * 1000


def _copied(connection: psycopg.Connection[Any], table: str, size: int, number: int) -> float:
    """The seconds of a transaction that stores a thousand events of the last day."""
    first = 2 * size + number * ROWS_OF_A_COPY
    moment = START + timedelta(days=1825)
    rows = [
        (1, first + index, 1, moment + timedelta(seconds=index), moment + timedelta(seconds=index + 60), "T",
         [1], [Decimal("11.898") + index, Decimal("0.32663"), Decimal("1018.7"), Decimal(index) / 8,
                Decimal("83.675")], True)
        for index in range(ROWS_OF_A_COPY)
    ]  # fmt: skip
    started = now()
    with connection.transaction(), connection.cursor() as cursor:
        with cursor.copy(f"COPY {table} ({COLUMNS}) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(TYPES)
            for row in rows:
                copy.write_row(row)
        if table == "monthly":
            with cursor.copy(
                "COPY event_keys (project_id, id, start_time) FROM STDIN (FORMAT BINARY)"
            ) as copy:
                copy.set_types(("int4", "int8", "timestamptz"))
                for row in rows:
                    copy.write_row((row[0], row[1], row[3]))
    return now() - started


def _key(number: int, size: int) -> tuple[int, int]:
    key = number * (size // (WARM + TIMES)) // 3 * 3
    return 1, key


def _month(number: int) -> str:
    return f"{2020 + number // 12}-{number % 12 + 1:02d}-01Z"


_EVENT = "SELECT * FROM flat WHERE project_id = %s AND id = %s"
_EVENTS = "SELECT * FROM flat WHERE project_id = %s AND id = ANY (%s)"
_EVENT_BY_MONTH = """
    SELECT m.* FROM event_keys k JOIN monthly m USING (project_id, id, start_time)
     WHERE k.project_id = %s AND k.id = %s
"""
_EVENTS_BY_MONTH = """
    SELECT m.* FROM event_keys k JOIN monthly m USING (project_id, id, start_time)
     WHERE k.project_id = %s AND k.id = ANY (%s)
"""

if __name__ == "__main__":
    main()
