"""What tests of archives look at, and do to files and rows."""

import hashlib
import json

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq

from weighbridge.core import identity

DIGITS_34 = "1234567890123456789012.345678901200"


def files(place, month, kind="events"):
    return sorted(place.glob(f"prj_*/{month}/{kind}-*"))


def rows(place, month):
    [file] = files(place, month)
    return pq.read_table(file).to_pylist()


def correct(plant, event, value):
    key = identity.parse("event", event)
    point = identity.of("data_point", key.project, key.key, 1)
    plant.api.patch(
        f"/projects/{plant.project['id']}/data_points/{point}", {"data_point": {"value": value}}
    ).expect(200)


def values(row):
    return {point["slug"]: point["value"] for point in row["data_points"]}


def plant_many(plant, postgres, months):
    """Deliveries of some months, put in past the service, which would take longer."""
    with psycopg.connect(postgres) as connection:
        connection.execute(
            """
            INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
            SELECT t.project_id, 900000000 + t.id * 100000 + n, t.id, at, at, ARRAY[n + 0.25], true
              FROM event_types t, generate_series(1, %s * 200) AS n,
                   LATERAL (SELECT timestamptz '2024-01-01' + n * interval '3.6 hours' AS at) AS moment
             WHERE t.project_id = %s AND t.slug = 'delivery' AND at < '2026-01-01'
            """,
            (months, plant.project["numeric_id"]),
        )


def forge(place, month, mass):
    """Write another mass into the second event of a month, and a manifest that agrees."""
    [file] = files(place, month)
    [manifest] = files(place, month, "manifest")
    table = pq.read_table(file)
    held = table.to_pylist()
    held[1]["data_points"][0]["value"] = mass
    pq.write_table(pa.Table.from_pylist(held, table.schema), file)
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    said = json.loads(manifest.read_text())
    said["files"][0] |= {"name": f"events-{sha256[:32]}.parquet", "sha256": sha256}
    file.rename(file.with_name(said["files"][0]["name"]))
    text = json.dumps(said)
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    manifest.unlink()
    manifest.with_name(f"manifest-000001-{digest}.json").write_text(text)


def put_manifest(place, month, fields, version=7):
    """Put a further version of a month beside its first, with some fields changed."""
    said = json.loads(files(place, month, "manifest")[0].read_text()) | {"version": version} | fields
    text = json.dumps(said)
    digest = hashlib.sha256(text.encode()).hexdigest()[:32]
    folder = files(place, month, "manifest")[0].parent
    (folder / f"manifest-{version:06d}-{digest}.json").write_text(text)


def forge_column(place, month, column, value, version=7):
    """Put a further version of a month, whose manifest agrees with a file of other values in a column."""
    [file] = files(place, month)
    table = pq.read_table(file)
    held = [row | {column: value} for row in table.to_pylist()]
    forged = file.with_name("forged")
    pq.write_table(pa.Table.from_pylist(held, table.schema), forged)
    sha256 = hashlib.sha256(forged.read_bytes()).hexdigest()
    name = f"events-{sha256[:32]}.parquet"
    size = forged.stat().st_size
    forged.rename(forged.with_name(name))
    put_manifest(place, month, {"files": [{"name": name, "sha256": sha256, "size": size}]}, version)
