"""Lists of the client as columns: digits, mixed columns, times, nulls and units, as the service's files."""

import asyncio
import io
import re
import subprocess
import sys
from contextlib import chdir
from datetime import UTC, datetime
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv
from tests.architecture.source import ROOT
from tests.given import accounting as given_accounting
from tests.given import collection as given

from weighbridge.client import AsyncClient, Client, tabulate
from weighbridge.client.frames import Column, Kind, Table
from weighbridge.client.made.records import Project

PAGE = ROOT / "docs" / "howto" / "use-the-python-client.md"
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LONG = Decimal("1.000000000000000000000000000000001")
WIDE, SMALL = Decimal(1234567890123456789012345678901234), Decimal("0.1234567890123456789012345678901234")
"""34 digits each; a column of both needs 68."""
LEDGERED = Decimal("1234567890123456789012345678.123456")


@pytest.fixture
def client(server, api):
    with Client(server.address, token=api.token) as client:
        yield client


@pytest.fixture
def plant(api):
    plant = given.measuring(
        api, given.number("mass", unit="t"), given.number("energy", unit="kWh", required=False),
        given.text("grade"), given.boolean("is_dry"),
    )  # fmt: skip
    first = {"mass": LONG, "energy": WIDE, "grade": "A", "is_dry": True}
    given.event(api, plant, start_time="2025-03-01T10:00:00.250Z", values=first, notes="line one\nline two")
    given.event(
        api, plant, start_time="2025-03-02T10:00:00Z", values={"mass": Decimal("-0.50"), "grade": "1"}
    )
    given.event(api, plant, start_time="2025-03-03T10:00:00Z", values={"mass": 7, "energy": SMALL})
    return plant


def test_values_of_events_are_columns_with_every_digit_and_their_unit(client, plant):
    table = client.events.list(plant["id"], sort="start_time").to_arrow()

    field = table.schema.field
    assert (field("value.mass").type, field("value.energy").type) == (
        pa.decimal128(38, 33),
        pa.decimal256(76, 34),
    )
    assert (field("value.is_dry").type, field("value.grade").type) == (pa.bool_(), pa.string())
    assert field("start_time").type == pa.timestamp("ms", tz="UTC")
    assert (field("value.mass").metadata, field("value.energy").metadata) == (
        {b"unit": b"t"},
        {b"unit": b"kWh"},
    )
    assert table["value.mass"].to_pylist() == [LONG, Decimal("-0.50"), 7]
    assert table["value.energy"].to_pylist() == [WIDE, None, SMALL]
    assert table["value.is_dry"].to_pylist() == [True, None, None]
    assert table["start_time"].to_pylist()[0] == datetime(2025, 3, 1, 10, 0, 0, 250_000, tzinfo=UTC)


def test_a_value_that_may_be_anything_has_a_column_of_numbers_and_one_of_texts(client, plant):
    table = client.data_points.list(plant["id"]).to_arrow()

    rows = {(row["slug"], row["value"], row["text_value"]) for row in table.to_pylist()}
    assert rows == {
        ("mass", LONG, None), ("energy", WIDE, None), ("grade", None, "A"), ("is_dry", None, "true"),
        ("mass", Decimal("-0.50"), None), ("grade", None, "1"), ("mass", 7, None), ("energy", SMALL, None),
    }  # fmt: skip
    assert table.schema.field("value").type == pa.decimal256(76, 34)


@pytest.mark.parametrize("export_format", ["csv", "parquet"])
def test_the_columns_are_those_of_the_files_of_the_service(client, account, plant, export_format):
    with account.working():
        events = client.events.list(plant["id"], sort="start_time")
        points = client.data_points.list(plant["id"])
        files = events.export(export_format, progress=False), points.export(export_format, progress=False)

    assert files[0].name.endswith(f".{export_format}")
    for file, listed in zip(files, (events, points), strict=True):
        ours = listed.to_arrow()
        shared = [
            name for name in read(file.content, export_format).column_names if name in ours.column_names
        ]
        assert len(shared) >= 8
        assert {"value.mass", "value.energy", "value.grade", "value.is_dry"} <= {*shared} or {
            "value", "text_value", "unit", "raw_value",
        } <= {*shared}  # fmt: skip
        theirs = read(file.content, export_format, ours.schema)
        for name in shared:
            assert theirs[name].type == ours[name].type, name
            assert theirs[name].to_pylist() == ours[name].to_pylist(), name


def read(content, export_format, schema=None):
    """A file as a table of Arrow; of CSV the cells by the types of a schema."""
    if export_format == "parquet":
        return pq.read_table(io.BytesIO(content))
    types = {field.name: field.type for field in schema or ()}
    wide = {name: kind for name, kind in types.items() if pa.types.is_decimal256(kind)}
    table = csv.read_csv(
        io.BytesIO(content),
        parse_options=csv.ParseOptions(newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types={**types, **dict.fromkeys(wide, pa.string())},
            null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False,
        ),
    )  # fmt: skip
    for name, kind in wide.items():
        if name in table.column_names:
            table = table.set_column(table.column_names.index(name), name, table[name].cast(kind))
    return table


def test_batches_and_what_nests_in_them_are_as_in_their_file(client, api, account):
    plant = given_accounting.plant(api, account.drain)
    plant.deliver(LEDGERED)
    plant.generate(given_accounting.JANUARY)
    listed = client.batches.list_of_ledger(plant.ledger["id"])
    with account.working():
        theirs = pq.read_table(io.BytesIO(listed.export(progress=False).content))

    ours = listed.to_arrow()

    assert ours["primary_output.value"].to_pylist() == [LEDGERED]
    assert ours.schema.field("primary_output.value").metadata == {b"unit": b"t"}
    shared = [name for name in theirs.column_names if name in ours.column_names]
    assert {"id", "state", "primary_output.value", "start_time"} <= {*shared}
    for name in shared:
        assert theirs[name].to_pylist() == ours[name].to_pylist(), name


def test_pandas_keeps_decimals_whose_sum_is_exact(client, plant):
    frame = client.events.list(plant["id"], sort="start_time").to_pandas()

    assert frame["value.mass"].sum() == Decimal("7.500000000000000000000000000000001")
    assert frame["value.energy"].tolist()[0] == WIDE
    assert frame["value.energy"].isna().tolist() == [False, True, False]
    assert str(frame["start_time"].dtype) == "timestamp[ms, tz=UTC][pyarrow]"
    assert frame.attrs["units"] == {"value.mass": "t", "value.energy": "kWh"}
    assert not [name for name, kind in frame.dtypes.items() if "float" in str(kind)]


def test_polars_keeps_38_digits_and_gives_more_as_texts(client, plant):
    frame = client.events.list(plant["id"], sort="start_time").to_polars()

    assert frame["value.mass"].to_list() == [LONG, Decimal("-0.50"), 7]
    assert frame["value.energy"].to_list() == [str(WIDE), None, str(SMALL)]
    assert frame["start_time"].to_list()[0] == datetime(2025, 3, 1, 10, 0, 0, 250_000, tzinfo=UTC)
    assert not [kind for kind in frame.dtypes if "Float" in str(kind)]


def test_a_binary_float_is_made_for_those_who_name_what_it_loses(client, plant):
    table = client.events.list(plant["id"], sort="start_time").to_arrow(numbers="float_of_15_digits")

    assert table["value.mass"].to_pylist() == [1.0, -0.5, 7.0]


def test_an_empty_list_has_the_columns_of_its_records(client, plant):
    table = client.events.list(plant["id"], tracking_id="none").to_arrow()

    assert table.num_rows == 0
    assert table.schema.field("start_time").type == pa.timestamp("ms", tz="UTC")


def test_records_that_somebody_has_are_a_table_too(client, plant):
    project = client.projects.get(plant["id"])

    table = tabulate([project]).to_arrow()

    assert table["id"].to_pylist() == [plant["id"]]
    assert tabulate([], Project).to_arrow().column_names == table.column_names
    assert tabulate([]).to_arrow().num_columns == 0


def test_numbers_beyond_all_decimals_of_arrow_are_texts():
    numbers = [Decimal(10**50 + 1), Decimal("1E-40"), None, Decimal("-2.5E+3")]

    table = Table([Column("mass", Kind.NUMBER, numbers)]).to_arrow()

    assert table["mass"].to_pylist() == ["1" + "0" * 49 + "1", "0." + "0" * 39 + "1", None, "-2500"]


def test_the_same_is_awaited(server, api, account, plant):
    async def story():
        async with AsyncClient(server.address, token=api.token) as client:
            events = client.events.list(plant["id"], sort="start_time")
            frames = await events.to_arrow(), await events.to_pandas(), await events.to_polars()
            return frames, await events.export("csv", progress=False)

    with account.working():
        (table, pandas, polars), file = asyncio.run(story())

    assert table["value.mass"].to_pylist() == [*pandas["value.mass"]] == polars["value.mass"].to_list()
    assert str(LONG).encode() in file.content


def test_the_page_about_the_client_does_what_it_prints(client, account, api, plant, tmp_path):
    ledger = given_accounting.plant(api, account.drain).ledger["id"]
    told = PAGE.read_text().partition("## Lists as data frames")[2].partition("## Send many events")[0]
    blocks = [block.replace("prj_…", plant["id"]) for block in PYTHON.findall(told)]
    (tmp_path / "exports").mkdir()
    names = {"weighbridge": client, "chosen": [ledger]}

    with account.working(), chdir(tmp_path):
        for block in blocks:
            exec(block, names)  # noqa: S102 - as a reader would

    [file] = (tmp_path / "exports").iterdir()
    assert (len(blocks), file.suffix) == (3, ".xlsx")


def test_the_client_loads_none_of_these_libraries_by_itself():
    code = "import sys, weighbridge.client; print({'pyarrow', 'pandas', 'polars', 'numpy'} & {*sys.modules})"

    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "set()\n"
    )
