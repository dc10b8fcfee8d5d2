"""Rows whose events the project has already with other values: told of, or corrected, and never passed over.

The facts are those of uploads; what a field counts as is `collection.intake.client_references.differences`.
"""

from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given.feeds import Feeding

from weighbridge.platform.audit_tree import seal

COUNTS = ("rows", "stored", "already_there", "differing", "corrected", "bad_rows")
TWO = "start_time,mass,driver\n2025-01-01T06:00:00Z,1.50,Eva\n2025-01-01T07:00:00Z,2,\n"


@pytest.fixture
def feeding(account):
    return Feeding(account)


def counts(upload):
    return tuple(upload[name] for name in COUNTS)


def change(feeding, feed, **fields):
    feeding.api.patch(f"{feeding.path}/data_feeds/{feed['id']}", {"data_feed": fields}).expect(200)


def correct(feeding, event, **fields):
    feeding.api.patch(f"{feeding.path}/events/{event['id']}", {"event": fields}).expect(200)


def corrections(feeding, event):
    path = f"{feeding.path}/events/{event['id']}/corrections"
    return feeding.api.get(path).expect(200).data


def test_a_row_that_differs_from_its_event_is_told_with_both_values_and_the_event_stays(feeding):
    feed = feeding.feed(client_reference="time", bad_rows="skip")
    feeding.upload(feed, TWO)
    [first, _] = feeding.events()

    upload = feeding.upload(feed, TWO.replace("1.50", "1.75") + "2025-01-01T08:00:00Z,3,\n")

    assert (upload["state"], counts(upload)) == ("complete", (3, 1, 1, 1, 0, 0))
    reason = (
        f"mass is '1.50' in the project and '1.75' in the file; mend the file, correct the event "
        f"{first['id']}, or let on_difference of the data feed be correct"
    )
    told = {
        "row": 2, "column": "mass", "value": "1.75", "reason": reason, "stored": "1.50", "field": "mass",
        "event_id": first["id"],
    }  # fmt: skip
    assert upload["problems"] == [told]
    assert feeding.bad_rows(feed, upload) == [{**told, "row": "2"}]
    assert [values["mass"] for _, values in feeding.values()] == [Decimal("1.50"), 2, 3]


def test_a_file_that_contradicts_the_books_is_refused_whole_where_a_bad_row_refuses_it(feeding):
    feed = feeding.feed(client_reference="time")
    feeding.upload(feed, TWO)

    upload = feeding.upload(feed, TWO.replace(",2,", ",2.1,") + "2025-01-01T08:00:00Z,3,\n")

    assert (upload["state"], counts(upload)) == ("failed", (3, 0, 1, 1, 0, 0))
    assert upload["error_message"].startswith(
        "1 of 3 rows differ from the events that the project has, so nothing was stored. The first is row 3: "
        "column 'mass': mass is '2' in the project and '2.1' in the file; "
    )
    assert len(feeding.events()) == 2


def test_the_same_values_in_other_digits_and_units_differ_in_nothing(feeding):
    feed = feeding.feed(client_reference="time")
    feeding.upload(feed, TWO)
    change(feeding, feed, columns=[{"column": "kilos", "field": "mass", "unit": "kg"}])

    upload = feeding.upload(
        feed,
        "start_time,kilos,driver\n2025-01-01T07:00:00.000+01:00,1500.00,Eva\n2025-01-01T07:00:00Z,2e3,\n",
    )

    assert counts(upload) == (2, 0, 2, 0, 0, 0)
    assert upload["problems"] == []


def test_an_event_that_a_person_corrected_since_agrees_with_the_file_that_brought_it(feeding):
    feed = feeding.feed(client_reference="time")
    feeding.upload(feed, TWO)
    [first, second] = feeding.events()
    correct(feeding, first, data_points=[{"slug": "mass", "value": 9}])
    correct(
        feeding, second, start_time="2025-01-01T07:30:00Z", tracking_id="T-1",
        data_points=[{"slug": "driver", "value": "Ali"}], notes="late",
    )  # fmt: skip

    again = feeding.upload(feed, TWO + "\n")
    mended = feeding.upload(feed, TWO.replace("1.50", "9.0"))
    other = feeding.upload(feed, TWO.replace("1.50", "8"))

    assert counts(again) == (2, 0, 2, 0, 0, 0)
    assert counts(mended) == (2, 0, 2, 0, 0, 0)
    assert counts(other) == (2, 0, 1, 1, 0, 0)
    assert (other["problems"][0]["stored"], other["problems"][0]["value"]) == ("9", "8")


def test_a_feed_that_corrects_makes_corrections_that_name_the_file(feeding, server):
    feed = feeding.feed(client_reference="time", on_difference="correct")
    feeding.upload(feed, TWO)
    mended = TWO.replace("1.50", "1.75").replace(",2,\n", ",2,Ali\n")

    upload = feeding.upload(feed, mended, name="mended.csv")
    again = feeding.upload(feed, mended + "\n")

    assert (upload["state"], counts(upload)) == ("complete", (2, 0, 0, 2, 2, 0))
    assert [values for _, values in feeding.values()] == [
        {"mass": Decimal("1.75"), "driver": "Eva"},
        {"mass": 2, "driver": "Ali"},
    ]
    [first, second] = feeding.events()
    [made] = corrections(feeding, first)
    assert (made["from_value"], made["to_value"], made["source"], made["reason"]) == (
        Decimal("1.50"),
        Decimal("1.75"),
        "manual",
        f"The file mended.csv says so, upload {upload['id']} to the data feed Scale",
    )
    assert made["corrected_by"] is not None
    assert [one["reason"].partition("; ")[2] for one in upload["problems"]] == [
        f"the event {first['id']} is corrected to what the file says",
        f"the event {second['id']} is corrected to what the file says",
    ]
    assert (again["state"], counts(again)) == ("complete", (2, 0, 2, 0, 0, 0))
    server.run(seal(server.database))
    [row] = feeding.api.get("/audit_log", {"filter[action][eq]": "event.update_many"}).expect(200).data
    assert row["after"]["count"] == 2


def test_a_file_that_comes_again_does_not_undo_what_a_person_made_of_it(feeding):
    feed = feeding.feed(client_reference="time", on_difference="correct")
    feeding.upload(feed, TWO)
    mended = TWO.replace("1.50", "1.75")
    feeding.upload(feed, mended)
    correct(feeding, feeding.events()[0], data_points=[{"slug": "mass", "value": 1.8}])

    again = feeding.upload(feed, mended + "2025-01-01T08:00:00Z,3,\n")
    newer = feeding.upload(feed, TWO.replace("1.50", "1.9"))

    assert (counts(again), counts(newer)) == ((3, 1, 2, 0, 0, 0), (2, 0, 1, 1, 1, 0))
    assert newer["problems"][0]["stored"] == "1.8"


def test_a_dry_run_tells_what_would_be_corrected_and_corrects_nothing(feeding):
    feed = feeding.feed(client_reference="time", on_difference="correct")
    feeding.upload(feed, TWO)

    dry = feeding.upload(feed, TWO.replace("1.50", "1.75"), dry_run="true")

    assert (dry["state"], counts(dry)) == ("complete", (2, 0, 1, 1, 0, 0))
    assert "would be corrected to what the file says" in dry["problems"][0]["reason"]
    task = feeding.api.get(f"/async_tasks/{dry['async_task_id']}").expect(200).body
    assert task["result"]["corrected"] == 1
    assert feeding.values()[0][1]["mass"] == Decimal("1.50")


def test_times_and_tags_that_a_file_gives_are_compared_and_corrected(feeding):
    for name in ("Spruce", "Pine"):
        given.feedstock(feeding.api, feeding.plant, name=name)
    feed = feeding.feed(
        client_reference="column", on_difference="correct",
        columns=[{"column": "wood", "field": "feedstock"}],
    )  # fmt: skip
    content = (
        "client_reference,start_time,end_time,tracking_id,wood,mass\n"
        "T-1,2025-01-01T06:00:00Z,2025-01-01T07:00:00Z,W1,Spruce,1\n"
    )
    feeding.upload(feed, content)

    upload = feeding.upload(
        feed,
        content.replace("06:00", "06:30").replace("07:00", "07:30").replace("W1,Spruce", "W2,Pine"),
    )

    assert counts(upload) == (1, 0, 0, 1, 1, 0)
    [event] = feeding.events()
    assert (event["start_time"], event["end_time"], event["tracking_id"], event["feedstock"]["name"]) == (
        "2025-01-01T06:30:00.000Z",
        "2025-01-01T07:30:00.000Z",
        "W2",
        "Pine",
    )
    assert {one["column"] for one in upload["problems"]} == {"start_time", "end_time", "tracking_id", "wood"}


def test_what_a_file_says_nothing_about_is_not_compared(feeding):
    feed = feeding.feed(client_reference="column")
    feeding.upload(
        feed, "client_reference,start_time,end_time,mass,notes\nT,2025-01-01T06:00Z,2025-01-01T07:00Z,1,wet\n"
    )

    upload = feeding.upload(feed, "client_reference,start_time,driver\nT,2025-01-01T06:00Z,\n")

    assert counts(upload) == (1, 0, 1, 0, 0, 0)


def test_a_cell_that_is_empty_now_takes_no_value_away(feeding):
    feed = feeding.feed(client_reference="time", on_difference="correct", bad_rows="skip")
    feeding.upload(feed, TWO)

    upload = feeding.upload(feed, TWO.replace("1.50", ""))

    assert counts(upload) == (2, 0, 1, 1, 0, 0)
    assert (upload["problems"][0]["stored"], upload["problems"][0]["value"]) == ("1.50", None)
    assert "a file takes no value away" in upload["problems"][0]["reason"]
    assert feeding.values()[0][1]["mass"] == Decimal("1.50")


def test_a_file_that_its_feed_reads_otherwise_now_is_read_again(feeding):
    feed = feeding.feed(bad_rows="skip")
    feeding.upload(feed, TWO)
    change(feeding, feed, columns=[{"column": "mass", "field": "mass", "unit": "kg"}])

    upload = feeding.upload(feed, TWO)

    assert (upload["same_as"], counts(upload)) == (None, (2, 0, 0, 2, 0, 0))
    assert [one["value"] for one in upload["problems"]] == ["0.0015", "0.002"]


def test_a_reference_on_two_rows_corrects_by_the_first_alone(feeding):
    feed = feeding.feed(client_reference="time", on_difference="correct", bad_rows="skip")
    feeding.upload(feed, TWO)

    upload = feeding.upload(feed, TWO.replace("1.50", "1.6") + "2025-01-01T06:00:00Z,1.7,Eva\n")

    assert counts(upload) == (3, 0, 1, 1, 1, 1)
    assert "stands on an earlier row too" in upload["problems"][1]["reason"]
    assert feeding.values()[0][1]["mass"] == Decimal("1.6")


def test_a_voided_event_differs_from_nothing(feeding):
    feed = feeding.feed(client_reference="time")
    feeding.upload(feed, TWO)
    [first, _] = feeding.events()
    feeding.api.delete(f"{feeding.path}/events/{first['id']}").expect(204)

    upload = feeding.upload(feed, TWO.replace("1.50", "7"))

    assert counts(upload) == (2, 0, 2, 0, 0, 0)


def correct_once(feeding, feed, upload, **options):
    body = {"upload": {"of_upload": upload["id"], "on_difference": "correct"} | options}
    made = feeding.api.post(feeding.uploads(feed), body).expect(202).body
    feeding.account.drain()
    return feeding.read(feed, made["id"])


@pytest.mark.parametrize("bad_rows", ["refuse_file", "skip"])
def test_a_file_corrects_its_events_once_where_its_feed_only_reports_them(feeding, bad_rows):
    feed = feeding.feed(client_reference="time", bad_rows=bad_rows)
    feeding.upload(feed, TWO)
    [first, _] = feeding.events()
    reported = feeding.upload(feed, TWO.replace("1.50", "1.75"))

    tried = correct_once(feeding, feed, reported, dry_run=True)
    corrected = correct_once(feeding, feed, reported)
    later = feeding.upload(feed, TWO.replace("1.50", "1.80"))

    assert (tried["state"], tried["on_difference"], tried["differing"]) == ("complete", "correct", 1)
    assert counts(corrected) == (2, 0, 1, 1, 1, 0)
    [correction] = corrections(feeding, first)
    assert f"upload {corrected['id']} to the data feed Scale" in correction["reason"]
    assert (later["on_difference"], later["differing"], later["corrected"]) == (None, 1, 0)
    assert [values["mass"] for _, values in feeding.values()] == [Decimal("1.75"), 2]


def test_a_sent_file_may_report_what_its_feed_would_correct(feeding):
    feed = feeding.feed(client_reference="time", on_difference="correct", bad_rows="skip")
    feeding.upload(feed, TWO)

    upload = feeding.upload(feed, TWO.replace("1.50", "1.75"), on_difference="report")

    assert (upload["on_difference"], upload["differing"], upload["corrected"]) == ("report", 1, 0)
    refused = feeding.api.upload(feeding.uploads(feed), "log.csv", TWO.encode(), on_difference="never")
    assert "on_difference is 'never'; it takes one of report, correct." in refused.expect(422).text
    again = {"upload": {"of_upload": upload["id"], "on_difference": "never"}}
    [error] = feeding.api.post(feeding.uploads(feed), again).expect(422).errors
    assert error["message"] == "upload.on_difference is 'never'; it takes one of report, correct."


def test_a_file_corrects_over_the_correction_of_a_person_once_it_is_told_to(feeding):
    feed = feeding.feed(client_reference="time", bad_rows="skip")
    columns = [{"column": "kg", "field": "mass", "unit": "kg"}]
    of_kilograms = feeding.feed(name="Kilograms", client_reference="time", bad_rows="skip", columns=columns)
    feeding.upload(of_kilograms, "start_time,kg\n2025-01-01T06:00:00Z,1500\n")
    [event] = feeding.events()
    point = next(point for point in event["data_points"] if point["slug"] == "mass")
    change = {"data_point": {"value": 1.6, "reason": "Second weighing"}}
    feeding.api.patch(f"{feeding.path}/data_points/{point['id']}", change).expect(200)

    same = feeding.upload(of_kilograms, "start_time,kg\n2025-01-01T06:00:00Z,1500.0\n")
    other = feeding.upload(of_kilograms, "start_time,kg\n2025-01-01T06:00:00Z,1700\n")

    assert (same["differing"], feed["on_difference"]) == (0, "report")
    [told] = other["problems"]
    assert (told["field"], told["stored"], told["value"]) == ("mass", "1.6", "1.7")
    assert told["event_id"] == event["id"]
    correct_once(feeding, of_kilograms, other)
    assert [values["mass"] for _, values in feeding.values()] == [Decimal("1.7")]
