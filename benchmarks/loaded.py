"""Projects that hold many events, put straight into the tables, where requests would take hours.

Every event has five numbers and a location; they are of three types, a minute apart, and last a minute. Of
twenty in a row each has the same tracking id; a feedstock, an asset or a second location has each fourth,
and one in fifty is incomplete. The database knows nothing of what was loaded until `analyse`.
"""

from dataclasses import dataclass
from typing import Any

import psycopg
from service import Service

SLUGS = ("energy", "flow", "pressure", "temperature", "moisture")
KINDS = ("reading", "delivery", "sample")
_LOAD = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, tracking_id, feedstock_id,
                        asset_id, location_ids, numbers, is_complete, created_at, updated_at)
    SELECT %(project)s, %(first)s + n, (%(types)s::integer[])[1 + n %% 3],
           moment, moment + interval '1 minute',
           'T-' || n / 20, CASE n %% 4 WHEN 1 THEN %(feedstock)s::integer END,
           CASE n %% 4 WHEN 2 THEN %(asset)s::integer END,
           CASE n %% 4 WHEN 3 THEN %(places)s::integer[] ELSE (%(places)s::integer[])[1:1] END,
           CASE n %% 50 WHEN 0 THEN ARRAY[11.898]
                        ELSE ARRAY[11.898 + n %% 977, 0.32663, 1018.7, (n %% 613) / 8.0, 83.675] END,
           n %% 50 <> 0, now() + n / 1000 * interval '1 ms', now() + n / 1000 * interval '1 ms'
      FROM (SELECT n, '2000-01-01Z'::timestamptz + n * interval '1 minute' AS moment
              FROM generate_series(%(begin)s, %(end)s - 1) AS n) AS made
"""
PORTION = 250_000


@dataclass(frozen=True)
class Loaded:
    """A project with so many events: its paths, and what some of them are tagged with."""

    events: int
    id: str
    number: int
    tags: dict[str, Any]


def load(running: Service, name: str, count: int, first: int) -> Loaded:
    """Make a project with so many events, whose keys begin at `first`."""
    project = running.call("POST", "/projects", {"project": {"name": name}})
    inside = f"/projects/{project['id']}"
    types = [{"name": slug, "slug": slug, "value_type": "number"} for slug in SLUGS]
    made = [
        running.call(
            "POST",
            f"{inside}/event_types",
            {"event_type": {"name": kind, "slug": kind, "data_point_types": types}},
        )
        for kind in KINDS
    ]
    places = [
        running.call("POST", f"{inside}/locations", {"location": {"name": name}})
        for name in ("Stack", "Yard")
    ]
    feedstock = running.call("POST", f"{inside}/feedstocks", {"feedstock": {"name": "Wood"}})
    asset = running.call("POST", f"{inside}/assets", {"asset": {"name": "Kiln"}})
    values = {
        "project": project["numeric_id"],
        "first": first,
        "types": [one["data_point_types"][0]["nexus_event_type_id"] for one in made],
    }
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE events SET (autovacuum_enabled = false)")
        for table, tag in (("feedstocks", "feedstock"), ("assets", "asset")):
            values[tag] = _first(
                connection, f"SELECT id FROM {table} WHERE project_id = %s", values["project"]
            )
        values["places"] = [
            number
            for (number,) in connection.execute(
                "SELECT id FROM locations WHERE project_id = %s ORDER BY id", (values["project"],)
            )
        ]
        for begin in range(0, count, PORTION):
            portion = {"begin": begin, "end": min(count, begin + PORTION)}
            connection.execute(_LOAD, values | portion)
    tags = {"type": made[0]["id"], "location": places[0]["id"], "second": places[1]["id"]}
    tags |= {"feedstock": feedstock["id"], "asset": asset["id"]}
    return Loaded(count, project["id"], project["numeric_id"], tags)


def analyse(running: Service) -> None:
    """Let the database learn what its tables hold, as it does by itself a while after a load."""
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE events")


def _first(connection: psycopg.Connection, statement: str, value: int) -> int:
    row = connection.execute(statement, (value,)).fetchone()
    assert row is not None
    return int(row[0])
