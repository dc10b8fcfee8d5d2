"""Bad rows that are corrected and sent again: each becomes its event, once, however often it is sent.

`get_invalid_rows`, `create_upload` with `rows`.
"""

from decimal import Decimal

import pytest
from tests.given.feeds import Feeding
from tests.given.workbooks import TIME, number, sheet, text, workbook

GOOD = "2025-01-01T06:00:00Z,1,Eva"
BAD = "start_time,mass,driver\n2025-01-01T06:00:00Z,1,Eva\n2025-01-01T07:00:00Z,two,Max\n"


@pytest.fixture
def feeding(account):
    return Feeding(account)


def invalid_rows(feeding, feed, upload):
    return feeding.api.get(f"{feeding.uploads(feed)}/{upload['id']}/invalid_rows").expect(200).body


def send(feeding, feed, upload, *rows, status=202, **options):
    body = {"of_upload": upload["id"], "rows": [{"row": row, "cells": cells} for row, cells in rows]}
    answer = feeding.api.post(feeding.uploads(feed), {"upload": body | options}).expect(status)
    if status != 202:
        return answer
    feeding.account.drain()
    return feeding.read(feed, answer.body["id"])


def masses(feeding):
    return [values["mass"] for _, values in feeding.values()]


@pytest.mark.parametrize("bad_rows", ["skip", "refuse_file"])
@pytest.mark.parametrize("reference", ["row", "time"])
def test_a_corrected_row_is_stored_with_the_rest_of_its_file(feeding, bad_rows, reference):
    feed = feeding.feed(bad_rows=bad_rows, client_reference=reference)
    upload = feeding.upload(feed, BAD)

    given = invalid_rows(feeding, feed, upload)
    assert (given["header"], given["omitted"]) == (["start_time", "mass", "driver"], 0)
    [row] = given["rows"]
    assert (row["row"], row["cells"]) == (3, ["2025-01-01T07:00:00Z", "two", "Max"])
    assert [(one["column"], one["value"]) for one in row["problems"]] == [("mass", "two")]

    corrected = send(feeding, feed, upload, (3, ["2025-01-01T07:00:00Z", "2", "Max"]))

    assert (corrected["state"], corrected["bad_rows"], corrected["corrects"]) == ("complete", 0, upload["id"])
    assert masses(feeding) == [1, 2]


def test_a_row_that_is_sent_again_is_stored_once_and_differs_if_it_says_something_else(feeding):
    feed = feeding.feed(bad_rows="skip")
    upload = feeding.upload(feed, BAD)
    right = (3, ["2025-01-01T07:00:00Z", "2", "Max"])
    first = send(feeding, feed, upload, right)

    again = send(feeding, feed, upload, right)
    other = send(feeding, feed, upload, (3, ["2025-01-01T07:00:00Z", "3", "Max"]))
    original = feeding.upload(feed, BAD)

    assert again["same_as"] == first["id"]
    assert (other["stored"], other["already_there"], other["differing"]) == (0, 1, 1)
    assert (original["stored"], original["already_there"], original["bad_rows"]) == (0, 1, 1)
    assert masses(feeding) == [1, 2]


def test_a_row_that_is_still_bad_is_given_again_as_it_was_typed(feeding):
    feed = feeding.feed()
    upload = feeding.upload(feed, BAD + "never,3,Ada\n")

    right, wrong = (3, ["2025-01-01T07:00:00Z", "2", "Max"]), (4, ["2025-01-01", 'x,\n"y"', "Ada"])
    still = send(feeding, feed, upload, right, wrong)

    [row] = invalid_rows(feeding, feed, still)["rows"]
    assert (row["row"], row["cells"]) == (4, ["2025-01-01", 'x,\n"y"', "Ada"])
    last = send(feeding, feed, still, (4, ["2025-01-01T08:00:00Z", "3", "Ada"]))
    assert (last["state"], last["corrects"]) == ("complete", upload["id"])
    assert masses(feeding) == [1, 2, 3]


def test_a_corrected_upload_is_imported_after_it_was_validated(feeding):
    feed = feeding.feed()
    upload = feeding.upload(feed, BAD)
    tried = send(feeding, feed, upload, (3, ["2025-01-01T07:00:00Z", "2", "Max"]), dry_run=True)
    assert (tried["bad_rows"], masses(feeding)) == (0, [])

    body = {"upload": {"of_upload": tried["id"]}}
    made = feeding.api.post(feeding.uploads(feed), body).expect(202).body
    feeding.account.drain()

    assert feeding.read(feed, made["id"])["stored"] == 2
    assert masses(feeding) == [1, 2]


def test_rows_that_are_counted_for_their_times_keep_their_places(feeding):
    columns = [{"column": "=2025-01-01T00:00:00Z", "field": "start_time"}]
    feed = feeding.feed(columns=columns, duration="1h", bad_rows="skip")
    upload = feeding.upload(feed, "mass,driver\n1,a\ntwo,b\n3,c\n")

    send(feeding, feed, upload, (3, ["2", "b"]))

    assert [(start[11:13], values["mass"]) for start, values in feeding.values()] == [
        ("00", 1), ("01", 2), ("02", 3),
    ]  # fmt: skip


def test_a_night_on_which_clocks_go_back_is_decided_by_the_rows_around_a_corrected_one(feeding):
    feed = feeding.feed(time_zone="Europe/Berlin", rows_in_order=True, bad_rows="skip")
    rows = ["2025-10-26 01:30,1", "2025-10-26 02:30,two", "2025-10-26 02:30,3", "2025-10-26 03:30,4"]
    upload = feeding.upload(feed, "start_time,mass\n" + "\n".join(rows) + "\n")

    send(feeding, feed, upload, (3, ["2025-10-26 02:30", "2"]))

    assert [(start[:16], values["mass"]) for start, values in feeding.values()] == [
        ("2025-10-25T23:30", 1), ("2025-10-26T00:30", 2), ("2025-10-26T01:30", 3), ("2025-10-26T02:30", 4),
    ]  # fmt: skip


def test_a_row_of_other_length_is_filled_up_and_one_of_a_windows_encoding_takes_any_character(feeding):
    feed = feeding.feed(
        delimiter=";", encoding="windows-1252", decimal_mark=",", units_line=True, header_line=2
    )
    content = "Scale\nstart_time;mass;driver\n;kg;\n2025-01-01T06:00:00Z;1500,5\n".encode("windows-1252")
    upload = feeding.upload(feed, content)
    [row] = invalid_rows(feeding, feed, upload)["rows"]
    assert row["cells"] == ["2025-01-01T06:00:00Z", "1500,5", ""]

    send(feeding, feed, upload, (4, ["2025-01-01T06:00:00Z", "1500,5", "Łukasz =1+1"]))

    [(_, values)] = feeding.values()
    assert (values["mass"], values["driver"]) == (Decimal("1.5005"), "Łukasz =1+1")


def test_a_workbook_keeps_the_values_that_nobody_changed(feeding):
    feed = feeding.feed(decimal_mark=",", time_format="%d.%m.%Y %H:%M")
    header = [text("start_time"), text("mass"), text("is_dry")]
    upload = feeding.upload(
        feed, workbook(sheet([header, [number(45_688.25, TIME), number("1.5"), text("perhaps")]])), "log.xlsx"
    )
    [row] = invalid_rows(feeding, feed, upload)["rows"]
    assert row["cells"] == ["2025-01-31T06:00:00", "1.5", "perhaps"]

    send(feeding, feed, upload, (2, [*row["cells"][:2], "yes"]))

    assert feeding.values() == [("2025-01-31T06:00:00.000Z", {"mass": Decimal("1.5"), "is_dry": True})]


def test_what_is_too_long_to_edit_is_counted_and_not_given(feeding):
    feed = feeding.feed(bad_rows="skip")
    long = f"never,1,{'x' * 100_000}\n" * 3
    upload = feeding.upload(feed, "start_time,mass,driver\n" + long + "never,2,Eva\n" * 100)

    given = invalid_rows(feeding, feed, upload)

    assert upload["bad_rows"] == 103
    assert (len(given["rows"]), given["omitted"]) == (98, 5)
    assert [row["row"] for row in given["rows"]][:3] == [2, 5, 6]


def test_a_nul_is_shown_by_its_sign_and_no_row_brings_one(feeding):
    feed = feeding.feed(bad_rows="skip")
    upload = feeding.upload(feed, "start_time,mass,driver\nnever,1,a\0b\n")
    [row] = invalid_rows(feeding, feed, upload)["rows"]
    assert row["cells"][2] == "a\N{SYMBOL FOR NULL}b"

    refused = send(feeding, feed, upload, (2, ["2025-01-01T06:00:00Z", "1", "a\0b"]), status=400)

    assert "upload.rows[0].cells[2] holds a NUL character" in refused.error["message"]


def test_a_row_that_the_file_does_not_have_is_bad_and_one_is_corrected_once(feeding):
    feed = feeding.feed(bad_rows="skip")
    upload = feeding.upload(feed, BAD)
    cells = ["2025-01-01T07:00:00Z", "2", "Max"]

    beyond = send(feeding, feed, upload, (3, cells), (9, cells))
    twice = send(feeding, feed, upload, (3, cells), (3, cells), status=422)

    assert [(one["row"], one["reason"]) for one in beyond["problems"]] == [
        (9, "it was corrected, but no row of the file begins on this line")
    ]
    assert "which is corrected twice" in twice.error["message"]
    assert masses(feeding) == [1, 2]


def test_an_upload_without_bad_rows_has_none_to_correct(feeding):
    feed = feeding.feed()
    upload = feeding.upload(feed, f"start_time,mass,driver\n{GOOD}\n")

    assert invalid_rows(feeding, feed, upload) == {"header": [], "rows": [], "omitted": 0}
