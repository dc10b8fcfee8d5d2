"""Lists as files: `start_export` by `response_mode`, `get_export`, `download_export`,
`download_ledger_batches`.
"""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from python_calamine import CalamineWorkbook
from tests.given import accounting
from tests.given import collection as given
from tests.server import Caller, Server

from weighbridge.collection.evidence_files import open_store, sweep
from weighbridge.exchange.exports import remove_expired

FORMATS = ("csv", "json", "jsonl", "parquet", "xlsx")
LONG = Decimal("12345678901234567890.123456789")
HOSTILE = ("=1+1", "+49 30", "-5 remarks", "@here", "\tx", "\uff1d1")


@pytest.fixture
def plant(api):
    """A weighed delivery and a moist one, each with a note."""
    plant = given.measuring(api, given.number("wet_mass"), given.text("driver"), given.boolean("is_dry"))
    given.event(
        api,
        plant,
        start_time="2025-03-01T10:00:00.250Z",
        values={
            "wet_mass": Decimal("12345678901234567890.123456789"),
            "driver": 'Eva "E", Berg',
            "is_dry": True,
        },
        notes="line one\nline two",
        tracking_id="T-1",
    )
    given.event(api, plant, start_time="2025-03-02T10:00:00Z", values={"wet_mass": Decimal("-0.50")})
    return plant


@dataclass(frozen=True)
class Exporting:
    """Someone who has lists written to files and reads them."""

    server: Server
    api: Caller
    drain: Callable[[], None]
    folder: Path

    def export(self, path, export_format="csv", **query):
        """The summary of a list and its export, once its file is there."""
        asked = {"response_mode": "summary_with_export", "export_format": export_format} | query
        summary = self.api.get(path, asked).expect(200).body
        self.drain()
        return summary, self.api.get(f"/exports/{summary['export']['id']}").expect(200).body

    def content(self, made):
        """The bytes of a file, by its link alone."""
        answer = self.server.anyone.get(link(self.server, made)).expect(200)
        assert len(answer.content) == made["file_size_bytes"]
        return answer.content

    def rows(self, path, export_format="csv", **query):
        """The rows of a list's file."""
        _, made = self.export(path, export_format, **query)
        return table(self.content(made), export_format, self.folder)


@pytest.fixture
def exporting(server, api, drain, tmp_path):
    return Exporting(server, api, drain, tmp_path)


def link(server, made):
    return made["download_url"].removeprefix(f"{server.address}/api/v1")


def table(content, export_format, tmp_path):
    """The rows of a file as records of texts."""
    if export_format == "csv":
        return [*csv.DictReader(io.StringIO(content.decode()))]
    if export_format == "json":
        return json.loads(content, parse_float=Decimal)
    if export_format == "jsonl":
        return [json.loads(line, parse_float=Decimal) for line in content.splitlines()]
    path = tmp_path / "file"
    path.write_bytes(content)
    if export_format == "parquet":
        return pq.read_table(path).to_pylist()
    names, *rows = CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).to_python()
    return [dict(zip(names, row, strict=True)) for row in rows]


def test_a_summary_has_the_count_and_samples_and_no_pages(api, plant):
    path = f"/projects/{plant['id']}/events"

    summary = api.get(path, {"response_mode": "summary", "sort": "-start_time"}).expect(200).body

    assert summary.keys() == {"count", "count_is_estimate", "samples", "response_mode"}
    assert (summary["count"], summary["response_mode"]) == (2, "summary")
    assert summary["samples"] == api.get(path, {"sort": "-start_time"}).data
    assert api.get(path, {"response_mode": "default"}).body == api.get(path).body


@pytest.mark.parametrize("export_format", FORMATS)
def test_a_list_of_data_points_is_the_same_in_every_format(api, exporting, plant, export_format):
    path = f"/projects/{plant['id']}/data_points"

    summary, made = exporting.export(path, export_format)
    rows = table(exporting.content(made), export_format, exporting.folder)

    assert (summary["count"], made["rows"], made["format"]) == (4, 4, export_format)
    points = api.get(path).data
    assert [row["id"] for row in rows] == [point["id"] for point in points]
    assert [row["event_id"] for row in rows] == [point["event"]["id"] for point in points]
    assert [row["slug"] for row in rows] == ["wet_mass", "driver", "is_dry", "wet_mass"]
    assert [row["unit"] or None for row in rows] == ["t", None, None, "t"]
    assert {row["value_source"] for row in rows} == {"captured"}
    assert [row["text_value"] or None for row in rows] == [None, 'Eva "E", Berg', "true", None]
    assert Decimal(rows[0]["value"]) == LONG
    assert Decimal(str(rows[3]["value"])) == Decimal("-0.50")


@pytest.mark.parametrize("export_format", FORMATS)
def test_events_have_a_column_for_each_value(api, exporting, plant, export_format):
    path = f"/projects/{plant['id']}/events"

    first, second = exporting.rows(path, export_format)

    assert [first["id"], second["id"]] == [event["id"] for event in api.get(path).data]
    assert first["notes"] == "line one\nline two"
    assert (first["value.driver"], second["value.driver"] or None) == ('Eva "E", Berg', None)
    assert str(first["value.is_dry"]).lower() == "true"
    assert Decimal(first["value.wet_mass"]) == LONG
    assert (first["tracking_id"], second["tracking_id"] or None) == ("T-1", None)
    if export_format == "xlsx":
        assert first["start_time"].isoformat() == "2025-03-01T10:00:00.250000"  # a date, shown with a Z
    elif export_format != "parquet":
        assert first["start_time"] == "2025-03-01T10:00:00.250Z"


def test_an_export_keeps_to_the_filters_and_the_order_of_its_list(exporting, plant):
    query = {"filter[start_time][geq]": "2025-03-02T00:00:00Z", "sort": "-start_time"}
    points, events = f"/projects/{plant['id']}/data_points", f"/projects/{plant['id']}/events"

    values = [row["value"] for row in exporting.rows(points, slug="wet_mass", sort="-start_time")]

    assert values == ["-0.50", str(LONG)]
    assert len(exporting.rows(events, **query)) == 1


def test_a_corrected_value_says_so_beside_the_captured_one(api, exporting, plant):
    path = f"/projects/{plant['id']}/data_points"
    heavy = api.get(path, {"slug": "wet_mass"}).data[1]
    api.patch(f"{path}/{heavy['id']}", {"data_point": {"value": 3, "reason": "misread"}}).expect(200)

    row = exporting.rows(path, slug="wet_mass")[1]

    assert (row["value"], row["raw_value"], row["value_source"]) == ("3", "-0.50", "manual")


def test_no_text_becomes_a_formula_and_no_number_is_touched(api, exporting):
    plant = given.measuring(api, given.text("driver"), given.number("net"))
    for index, text in enumerate(HOSTILE):
        values = {"driver": text, "net": Decimal(-1)}
        given.event(api, plant, start_time=f"2025-03-01T1{index}:00:00Z", values=values)
    path = f"/projects/{plant['id']}/events"

    of_csv, of_lines = exporting.rows(path), exporting.rows(path, "jsonl")

    assert [row["value.driver"] for row in of_csv] == [f"'{text}" for text in HOSTILE]
    assert {row["value.net"] for row in of_csv} == {"-1"}
    assert [row["value.driver"] for row in of_lines] == [*HOSTILE]


def test_every_list_that_is_named_is_written_to_a_file(api, drain, exporting):
    plant = accounting.plant(api, drain)
    plant.deliver(1)
    plant.generate()
    inside = (
        "events",
        "event_types",
        "data_points",
        "feedstocks",
        "locations",
        "models",
        "ledgers",
        "batches",
    )
    paths = ["/projects", "/batches", "/ledgers", "/feedstocks", "/models", "/locations"]
    paths += [f"/projects/{plant.project['id']}/{noun}" for noun in inside]

    of_batches = [
        f"/{kind}/{one['id']}/batches"
        for kind, one in (("projects", plant.project), ("ledgers", plant.ledger))
    ]
    for path in [*paths, *of_batches]:
        written = {row["id"] for row in exporting.rows(path)}
        assert written >= {one["id"] for one in api.get(path).data}, path


def test_the_batches_of_one_ledger_are_downloaded_as_csv(server, api, drain, tmp_path):
    plant, other = accounting.plant(api, drain), accounting.plant(api, drain)
    for one in (plant, other):
        one.deliver(7)
        one.generate()
    path = f"/ledgers/{plant.ledger['id']}/batches.csv"

    answer = api.get(path).expect(200)

    [row] = table(answer.content, "csv", tmp_path)
    [batch] = api.get(f"/ledgers/{plant.ledger['id']}/batches").data
    assert (row["id"], row["ledger_id"]) == (batch["id"], plant.ledger["id"])
    assert row["primary_output.value"] == str(batch["primary_output"]["value"])
    assert answer.headers["content-disposition"].startswith("attachment;")
    server.account().caller().get(path).expect(404)


def test_a_link_works_without_a_token_until_it_is_over_and_only_whole(server, api, exporting, plant):
    _, made = exporting.export(f"/projects/{plant['id']}/events")
    path = link(server, made)

    server.anyone.get(path).expect(200)
    server.anyone.get(path[:-1] + ("0" if path[-1] != "0" else "1")).expect(404)
    server.anyone.get(path.partition("?")[0]).expect(404)
    server.sql(
        "UPDATE exports SET expires_at = now() - interval '1 second' WHERE task_id = %s",
        made["async_task_id"],
    )
    server.anyone.get(path).expect(404)
    over = api.get(f"/exports/{made['id']}").expect(200).body
    assert (over["status"], over["download_url"]) == ("expired", None)


def test_a_file_that_is_over_is_removed_and_others_stay(server, exporting, plant):
    made = [exporting.export(f"/projects/{plant['id']}/events")[1] for _ in range(2)]
    server.sql(
        "UPDATE exports SET expires_at = now() - interval '1 second' WHERE task_id = %s",
        made[0]["async_task_id"],
    )

    store = open_store(None, server.folder)
    server.run(remove_expired(server.database, store))
    server.run(sweep([server.database], store, datetime.now(UTC) + timedelta(days=2)))

    kept = {path.name for path in (server.folder / "evidence").iterdir()}
    [(key,)] = server.sql("SELECT storage_key FROM exports WHERE task_id = %s", made[1]["async_task_id"])
    assert key in kept
    assert exporting.content(made[1])


def test_an_export_is_its_accounts_own_and_takes_the_permission_of_its_list(
    server, account, exporting, plant
):
    _, made = exporting.export(f"/projects/{plant['id']}/events")

    server.account().caller().get(f"/exports/{made['id']}").expect(404)
    account.caller("production_accounting:read").get(f"/exports/{made['id']}").expect(403)
    account.caller("data_collection:read").get(f"/exports/{made['id']}").expect(200)


def test_while_a_file_is_made_its_export_is_pending(api, plant):
    asked = {"response_mode": "summary_with_export"}
    started = api.get(f"/projects/{plant['id']}/events", asked).expect(200).body["export"]

    assert started["status"] == "pending"
    assert started["status_url"].endswith(f"/exports/{started['id']}")
    now = api.get(f"/exports/{started['id']}").expect(200).body
    assert (now["status"], now["download_url"], now["rows"]) == ("pending", None, None)


@pytest.mark.parametrize(
    ("path", "query", "said"),
    [
        ("/projects", {"response_mode": "all"}, "response_mode is 'all'; it takes one of default, summary"),
        ("/projects", {"export_format": "csv"}, "export_format goes with response_mode=summary_with_export."),
        (
            "/projects",
            {"response_mode": "summary_with_export", "export_format": "pdf"},
            "export_format is 'pdf'; it takes one of csv, json, jsonl, parquet, xlsx.",
        ),
        (
            "/projects",
            {"response_mode": "summary", "page": "2"},
            "page does not go with response_mode=summary",
        ),
        (
            "/api_tokens",
            {"response_mode": "summary_with_export"},
            "this list is not written to files, it takes default and summary.",
        ),
        ("/projects", {"response_mode": "summary", "sort": "size"}, "sort by 'size' is not possible"),
    ],
)
def test_a_mode_that_does_not_fit_is_refused_by_name(api, path, query, said):
    assert said in api.get(path, query).expect(400).text
