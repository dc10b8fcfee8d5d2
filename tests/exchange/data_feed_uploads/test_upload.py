"""Files of data feeds: `create_upload`, `get_upload`, `list_uploads`, `download_bad_rows`, and what they do:
`keep_sent`, `upload_again`, `remove_old_files`.
"""

import gzip
from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given.feeds import Feeding
from tests.given.sealing import seal_rows_of

from weighbridge.collection.evidence_files import open_store
from weighbridge.exchange.data_feed_uploads import remove_old_files

COUNTS = ("rows", "stored", "already_there", "incomplete", "bad_rows")
TWO = "start_time,mass,driver\n2025-01-01T06:00:00Z,1.50,Eva\n2025-01-01T07:00:00Z,2,\n"


@pytest.fixture
def feeding(account):
    return Feeding(account)


def counts(upload):
    return tuple(upload[name] for name in COUNTS)


def test_each_row_of_a_file_becomes_an_event(feeding):
    feed = feeding.feed()

    upload = feeding.upload(feed, TWO)

    assert (upload["state"], upload["progress"], upload["error_message"]) == ("complete", 100, None)
    assert counts(upload) == (2, 2, 0, 0, 0)
    assert upload["mapping"] == {"start_time": "start_time", "mass": "mass", "driver": "driver"}
    assert (upload["first_start"], upload["last_end"]) == (
        "2025-01-01T06:00:00.000Z",
        "2025-01-01T07:00:00.000Z",
    )
    assert feeding.values() == [
        ("2025-01-01T06:00:00.000Z", {"mass": Decimal("1.50"), "driver": "Eva"}),
        ("2025-01-01T07:00:00.000Z", {"mass": 2}),
    ]


def test_a_bad_row_refuses_the_file_and_every_one_is_told(feeding):
    feed = feeding.feed()

    upload = feeding.upload(
        feed,
        "start_time,mass,driver\n"
        "2025-01-01T06:00:00Z,1,\n"
        "2025-02-30T06:00:00Z,1,\n"
        "2025-01-01T08:00:00Z,=1+1,\n"
        "2025-01-01T09:00:00Z,2,a,b\n",
    )

    assert (upload["state"], counts(upload)) == ("failed", (4, 0, 0, 0, 3))
    assert upload["error_message"] == (
        "3 of 4 rows are bad, so nothing was stored. The first is row 3: column 'start_time': start_time: "
        "'2025-02-30T06:00:00Z' is not a time such as 2025-01-31T06:00:00Z. "
        "All are in bad_rows.csv of the upload."
    )
    assert feeding.events() == []
    assert feeding.bad_rows(feed, upload) == [
        {
            "row": "3",
            "column": "start_time",
            "value": "2025-02-30T06:00:00Z",
            "reason": "start_time: '2025-02-30T06:00:00Z' is not a time such as 2025-01-31T06:00:00Z",
            "stored": "",
            "field": "",
            "event_id": "",
        },
        {
            "row": "4",
            "column": "mass",
            "value": "'=1+1",
            "reason": "'=1+1' is not a decimal number",
            "stored": "",
            "field": "",
            "event_id": "",
        },
        {
            "row": "5",
            "column": "",
            "value": "",
            "reason": "it has 4 cells, but the header has 3",
            "stored": "",
            "field": "",
            "event_id": "",
        },
    ]
    assert [one["row"] for one in upload["problems"]] == [3, 4, 5]


def test_a_feed_may_skip_bad_rows(feeding):
    feed = feeding.feed(bad_rows="skip")

    upload = feeding.upload(feed, TWO + "yesterday,3,\n")

    assert (upload["state"], counts(upload)) == ("complete", (3, 2, 0, 0, 1))
    assert len(feeding.events()) == 2
    assert feeding.bad_rows(feed, upload)[0]["row"] == "4"


def test_a_cell_with_a_nul_is_a_bad_row_as_any_other(feeding):
    feed = feeding.feed(bad_rows="skip")

    upload = feeding.upload(feed, TWO + "yester\0day,3,\n")

    assert (upload["state"], counts(upload)) == ("complete", (3, 2, 0, 0, 1))
    assert upload["problems"][0]["value"] == "yester\N{SYMBOL FOR NULL}day"


def test_rows_that_were_skipped_are_stored_once_they_are_good(feeding):
    feed = feeding.feed(bad_rows="skip", columns=[{"column": "area", "field": "location"}])
    content = "start_time,mass,area\n2025-01-01T06:00:00Z,1,North\n2025-01-01T07:00:00Z,2,\n"
    first = feeding.upload(feed, content)
    given.location(feeding.api, feeding.plant, name="North")

    again = feeding.upload(feed, content)

    assert (counts(first), counts(again)) == ((2, 1, 0, 0, 1), (2, 1, 1, 0, 0))
    assert [[place["name"] for place in event["locations"]] for event in feeding.events()] == [["North"], []]


def test_a_line_of_empty_cells_below_a_table_is_a_blank_line(feeding):
    upload = feeding.upload(feeding.feed(), f"{TWO},,\n, ,\n\n2025-01-01T08:00:00Z,3,\n,,\n,,,,\n")

    assert (upload["state"], counts(upload)) == ("complete", (3, 3, 0, 0, 0))
    assert upload["problems"] == []


def test_a_file_without_bad_rows_has_no_file_of_them(feeding):
    feed = feeding.feed()

    upload = feeding.upload(feed, TWO)

    path = f"{feeding.uploads(feed)}/{upload['id']}/bad_rows.csv"
    feeding.api.get(path).expect(404)


def test_a_dry_run_comes_to_what_the_upload_comes_to_and_stores_nothing(feeding):
    feed = feeding.feed(bad_rows="skip")

    dry = feeding.upload(feed, TWO + "never,1,\n", dry_run="true")

    assert (dry["state"], counts(dry)) == ("complete", (3, 0, 0, 0, 1))
    assert feeding.events() == []
    body = {"upload": {"of_upload": dry["id"]}}
    real = feeding.api.post(feeding.uploads(feed), body).expect(202).body
    feeding.account.drain()
    after = feeding.read(feed, real["id"])
    assert counts(after) == (3, 2, 0, 0, 1)
    assert [after[one] for one in ("rows", "bad_rows", "first_start", "last_end", "problems")] == [
        dry[one] for one in ("rows", "bad_rows", "first_start", "last_end", "problems")
    ]


def test_the_same_file_twice_adds_nothing_and_says_so(feeding):
    feed = feeding.feed()
    first = feeding.upload(feed, TWO)

    again = feeding.upload(feed, TWO, name="renamed.csv")
    zipped = feeding.upload(feed, gzip.compress(TWO.encode()), name="log.csv.gz")

    assert (again["same_as"], zipped["same_as"]) == (first["id"], first["id"])
    assert (again["state"], counts(again)) == ("complete", (0, 0, 0, 0, 0))
    assert len(feeding.events()) == 2
    assert [one["file_name"] for one in feeding.api.get(feeding.uploads(feed)).data] == [
        "log.csv.gz",
        "renamed.csv",
        "log.csv",
    ]


def test_files_that_overlap_are_told_apart_by_time(feeding):
    feed = feeding.feed(client_reference="time")
    later = TWO + "2025-01-01T08:00:00Z,3,\n"
    feeding.upload(feed, TWO)

    upload = feeding.upload(feed, later)

    assert counts(upload) == (3, 1, 2, 0, 0)
    assert [values["mass"] for _, values in feeding.values()] == [Decimal("1.50"), 2, 3]


def test_two_rows_of_one_time_are_one_event_and_a_bad_row(feeding):
    feed = feeding.feed(client_reference="time", bad_rows="skip")

    upload = feeding.upload(feed, TWO + "2025-01-01T06:00:00+00:00,9,\n")

    assert counts(upload) == (3, 2, 0, 0, 1)
    assert "stands on an earlier row too" in upload["problems"][0]["reason"]


def test_a_column_may_say_what_an_event_is_known_by(feeding):
    feed = feeding.feed(client_reference="column")
    content = "start_time,mass,client_reference\n2025-01-01T06:00:00Z,1,T-1\n"
    feeding.upload(feed, content)

    upload = feeding.upload(feed, content.replace(",1,", ",1.0,"))

    assert counts(upload) == (1, 0, 1, 0, 0)
    assert [event["client_reference"] for event in feeding.events()] == ["T-1"]


def test_numbers_are_converted_to_the_last_digit_from_the_unit_of_their_column(feeding):
    feed = feeding.feed(columns=[{"column": "Gross", "field": "mass", "unit": "lb"}], bad_rows="skip")

    feeding.upload(feed, "start_time,Gross\n2025-01-01T06:00:00Z,12345678901.7\n")

    [(_, values)] = feeding.values()
    assert values == {"mass": Decimal("5599905.752281100029")}


def test_a_feed_names_zone_mark_encoding_and_where_the_table_begins(feeding):
    feed = feeding.feed(
        columns=[
            {"column": "Datum", "field": "start_time"},
            {"column": "Uhrzeit", "field": "start_time"},
            {"column": "Masse", "field": "mass"},
            {"column": "Fahrer", "field": "driver"},
        ],
        time_zone="Europe/Berlin", time_format="%d.%m.%Y %H:%M", decimal_mark=",", delimiter=";",
        encoding="windows-1252", header_line=3, duration="1h", missing=["k.A."], other_columns="leave_out",
    )  # fmt: skip
    content = (
        "Export der Waage\n\nDatum;Uhrzeit;Masse;Fahrer;Wetter\n"
        "01.07.2025;06:00;1,250;Jörg;heiß\n01.07.2025;07:00;2;k.A.;\n"
    )

    upload = feeding.upload(feed, content.encode("windows-1252"))

    assert counts(upload) == (2, 2, 0, 0, 0)
    assert feeding.values() == [
        ("2025-07-01T04:00:00.000Z", {"mass": Decimal("1.250"), "driver": "Jörg"}),
        ("2025-07-01T05:00:00.000Z", {"mass": 2}),
    ]
    assert feeding.events()[0]["end_time"] == "2025-07-01T05:00:00.000Z"


def test_a_quality_is_kept_as_a_text_beside_the_value(account):
    feeding = Feeding(account)
    columns = [{"column": "status", "field": "driver"}]
    feed = feeding.feed(columns=columns)

    feeding.upload(feed, "start_time,mass,status\n2025-01-01T06:00:00Z,1,Bad\n2025-01-01T07:00:00Z,1,192\n")

    assert [values["driver"] for _, values in feeding.values()] == ["Bad", "192"]


def test_what_the_feed_names_for_all_rows_gives_way_to_what_a_row_names(feeding):
    api, plant = feeding.api, feeding.plant
    kiln, other = given.asset(api, plant, name="Kiln 1"), given.asset(api, plant, name="Kiln 2")
    wood = given.feedstock(api, plant)
    feed = feeding.feed(asset_id=kiln["id"], feedstock_id=wood["id"])

    feeding.upload(feed, "start_time,mass,asset\n2025-01-01T06:00:00Z,1,\n2025-01-01T07:00:00Z,1,Kiln 2\n")

    assert [event["asset"]["id"] for event in feeding.events()] == [kiln["id"], other["id"]]
    assert {event["feedstock"]["id"] for event in feeding.events()} == {wood["id"]}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("start_time,mass,driver,x\n", "The column 'x' is not mapped"),
        ("mass\n1\n", "No column gives start_time"),
        ("start_time;mass\n", "is another delimiter needed?"),
        (b"start_time,mass\n\xff\xfe\n", "is not in utf-8"),
        (b"\xd0\xcf\x11\xe0rest", "save it as XLSX"),
        ('start_time,mass\n"2025', "is not readable as CSV"),
        (gzip.compress(b"start_time,mass\n", mtime=0)[:-4], "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(feeding, content, said):
    upload = feeding.upload(feeding.feed(), content)

    assert upload["state"] == "failed"
    assert said in upload["error_message"]
    assert upload["rows"] is None


def test_an_upload_without_a_file_or_of_an_unknown_one_is_refused(feeding):
    feed = feeding.feed()
    path = feeding.uploads(feed)

    assert feeding.api.upload(path, "log.csv", b"").expect(422).error["field"] == "file"
    feeding.api.upload(path, "log.csv", b"x", dry_run="maybe").expect(422)
    feeding.api.post(path, {"upload": {"of_upload": 4711}}).expect(404)


def test_events_of_a_file_are_audited_as_one_write(feeding, server):
    feed = feeding.feed()

    upload = feeding.upload(feed, TWO)

    server.run(seal_rows_of(server.database, feeding.account.id))
    rows = feeding.api.get("/audit_log", {"filter[action][eq]": "data_feed_upload.finish"}).expect(200).data
    ids = [event["id"] for event in feeding.events()]
    assert [(one["object"], one["after"]["stored"], one["after"]["ids"]) for one in rows] == [
        (str(upload["id"]), 2, [[ids[0], ids[-1]]])
    ]


def test_a_cancelled_upload_leaves_nothing(feeding):
    feed = feeding.feed()
    made = feeding.api.upload(feeding.uploads(feed), "log.csv", TWO.encode()).expect(202).body

    feeding.api.post(f"/async_tasks/{made['async_task_id']}/cancel", {}).expect(200)
    feeding.account.drain()

    assert feeding.read(feed, made["id"])["state"] == "failed"
    assert feeding.events() == []


def test_files_of_uploads_are_removed_when_they_are_old(feeding, server, sql):
    feed = feeding.feed(bad_rows="skip")
    old, new = feeding.upload(feed, TWO + "x,1,\n"), feeding.upload(feed, TWO)
    [(key, report)] = sql("SELECT storage_key, report_key FROM data_feed_uploads WHERE id = %s", old["id"])
    sql(
        "UPDATE async_tasks SET created_at = now() - interval '31 days', started_at = now() - "
        "interval '31 days', finished_at = now() - interval '31 days' WHERE id = %s",
        old["async_task_id"],
    )
    files = open_store(server.settings.evidence_url, server.settings.data_dir)

    server.run(remove_old_files(server.database, files))

    kept = {path.name for path in (server.folder / "evidence").iterdir()}
    assert not {key, report} & kept
    body = {"upload": {"of_upload": old["id"]}}
    assert "no longer stored" in feeding.api.post(feeding.uploads(feed), body).expect(422).error["message"]
    feeding.api.post(feeding.uploads(feed), {"upload": {"of_upload": new["id"]}}).expect(202)
