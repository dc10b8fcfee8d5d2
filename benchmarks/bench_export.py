"""The files of a project's data points, against bare `COPY TO` of the same values.

The baseline is what a user with a database would write: values, slugs, names, units, tracking ids and the
four times of each value, as CSV. The figures are CSV, JSON Lines and Parquet as the worker writes them: rows
from the database, formula guards, friendly ids, the file and its digest.

    python benchmarks/bench_export.py [EVENTS]
"""

import asyncio
import hashlib
import resource
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from loaded import Loaded, analyse, load
from service import median, now, service

from weighbridge.collection.data_points_queries import DATA_POINTS
from weighbridge.core.platform.tasks import ExportFormat
from weighbridge.db.engine import Database
from weighbridge.db.lists.listing import list_request
from weighbridge.exchange.export.files import write_file
from weighbridge.exchange.export.selected_tables import build_data_points_table

EVENTS = 200_000
TIMES = 3
GOALS = {ExportFormat.CSV: 0.5, ExportFormat.JSON_LINES: None, ExportFormat.PARQUET: 0.3}

BARE = """
    COPY (SELECT e.id, v.position, t.slug, t.name, t.unit, v.number, v.text, v.boolean, et.slug,
                 e.tracking_id, e.start_time, e.end_time, e.created_at, e.updated_at
            FROM events e
           CROSS JOIN LATERAL unnest(e.numbers, e.texts, e.booleans)
             WITH ORDINALITY AS v (number, text, boolean, position)
            JOIN event_types et ON (et.project_id, et.id) = (e.project_id, e.event_type_id)
            JOIN data_point_types t
              ON (t.project_id, t.event_type_id, t.position) = (e.project_id, e.event_type_id, v.position)
           WHERE e.project_id = {} AND v.number IS NOT NULL ORDER BY e.start_time, e.id, v.position)
      TO STDOUT (FORMAT csv, HEADER)
"""


def main() -> None:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    with service(api_processes=1) as running:
        project = load(running, "Exported", events, 10**9)
        analyse(running)
        asyncio.run(_compared(running.database_url, project))


async def _compared(url: str, project: Loaded) -> None:
    taken: dict[str, list[float]] = {}
    async with Database(url, connections_max=1) as database:
        for _ in range(TIMES):
            with TemporaryDirectory() as folder:
                taken.setdefault("bare", []).append(await _bare(database, project, Path(folder)))
            for export_format in GOALS:
                with TemporaryDirectory() as folder:
                    seconds = await _exported(database, project, export_format, Path(folder))
                    taken.setdefault(export_format, []).append(seconds)
    bare = median(taken["bare"])
    print(f"bare COPY TO of {project.events * 5:,} values: {bare:.2f} s")
    for export_format, goal in GOALS.items():
        ratio = bare / median(taken[export_format])
        said = f" (goal: at least {goal})" if goal else ""
        print(f"{export_format}: {ratio:.2f} of the rate of bare COPY TO{said}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"the exporting process took {peak} MB at most")


async def _bare(database: Database, project: Loaded, folder: Path) -> float:
    started = now()
    async with database.read() as tx:
        with (folder / "bare").open("wb") as file:
            async for block in tx.copied(BARE.format(project.number)):
                file.write(block)
    return now() - started


async def _exported(database: Database, project: Loaded, export_format: ExportFormat, folder: Path) -> float:
    started = now()
    rows, target = folder / "rows", folder / "file"
    table = build_data_points_table(project.number, list_request([], DATA_POINTS))
    async with database.read() as tx:
        with rows.open("wb") as file:
            async for block in table.csv(tx, guards=export_format is ExportFormat.CSV):
                file.write(block)
    await asyncio.to_thread(write_file, export_format, rows, table.columns, target)
    with target.open("rb") as file:
        hashlib.file_digest(file, "sha256")
    return now() - started


if __name__ == "__main__":
    main()
