"""Pages of data feeds: made from a sample, read in words, fed with files whose bad rows are told in place."""

import re
from html import unescape

import pytest
from tests.given import collection as given
from tests.given.feeds import Feeding
from tests.given.people import visitor

BOUNDARY = "a-boundary"
LOG = """Zeitstempel;Mass (kg);Fahrer;Wetter
31.01.2025 06:00;1200,5;Jörg;Regen
31.01.2025 07:00;1300,0;Ada;
"""
MAPPED = {
    "name": "Scale house",
    "column": ["Zeitstempel", "Mass (kg)", "Fahrer", "Wetter", ""],
    "field": ["start_time", "mass", "driver", "-", ""],
    "unit": ["", "kg", "", "", ""],
    "time_zone": "Europe/Berlin",
    "time_format": "%d.%m.%Y %H:%M",
    "decimal_mark": ",",
    "delimiter": ";",
    "encoding": "windows-1252",
    "header_line": "1",
    "missing": "n/a, -",
    "client_reference": "time",
    "bad_rows": "refuse_file",
    "on_difference": "report",
    "other_columns": "refuse",
    "formulas": "refuse",
}


@pytest.fixture
def ada(account):
    return visitor(account)


@pytest.fixture
def plant(account):
    return Feeding(account)


def words(answer, status=200):
    """What a page says, without its marks."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", answer.expect(status).text)))


def sent(person, path, name, content, **texts):
    """Send a file as the form of a page does; `name` is what the browser calls it."""
    parts = {"csrf_token": person.word, **texts}
    body = b"".join(
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{text}\r\n'.encode()
        for key, text in parts.items()
    )
    file = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
    return person.upload(path, body + file + content + f"\r\n--{BOUNDARY}--\r\n".encode(), BOUNDARY)


def compared(answer):
    """The rows of the table of differences, each as the texts of its cells."""
    table = re.search(r'class="compared">.*?<tbody>(.*?)</tbody>', answer.expect(200).text, re.DOTALL)[1]
    return [
        [" ".join(unescape(re.sub(r"<[^>]+>", "", cell)).split()) for cell in re.findall(r"<td.*?</td>", row)]
        for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)
    ]


def cells(answer):
    """The cells of the rows that are corrected, by the names of their fields."""
    found = {}
    for tag in re.findall(r"<input [^>]*>|<textarea [^>]*>[^<]*</textarea>", answer.expect(200).text):
        if name := re.search(r'name="(cells-\d+|width)"', tag):
            value = re.search(r'value="([^"]*)"', tag) or re.search(r">\n([^<]*)<", tag)
            found.setdefault(name[1], []).append(unescape(value[1]))
    return found


def feeds(plant):
    return f"{plant.path}/data_feeds"


def new(plant):
    return f"{feeds(plant)}/new?event_type_id={plant.event_type['id']}"


def sample(plant):
    return f"{feeds(plant)}/sample?event_type_id={plant.event_type['id']}"


def fields(answer):
    """What stands in the fields of a form, by their names."""
    found = {}
    for tag in re.findall(r"<input [^>]*>", answer.text):
        if (name := re.search(r'name="(\w+)"', tag)) and name[1] != "csrf_token":
            value = re.search(r'value="([^"]*)"', tag)
            found.setdefault(name[1], []).append(unescape(value[1]) if value else "")
    for name, options in re.findall(r'<select [^>]*name="(\w+)"[^>]*>(.*?)</select>', answer.text, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        found.setdefault(name, []).append(unescape(chosen[1]) if chosen else "")
    return found


def test_a_sample_fills_in_the_form_and_is_kept_nowhere(ada, plant):
    ada.get(new(plant)).expect(200)

    looked = sent(ada, sample(plant), "scale.csv", LOG.encode("windows-1252")).expect(200)

    typed = fields(looked)
    assert typed["column"] == ["Zeitstempel", "Mass (kg)", "Fahrer", "Wetter"]
    assert typed["field"] == ["start_time", "mass", "-", "-"]
    assert typed["unit"][1] == "kg"
    assert (typed["delimiter"], typed["decimal_mark"], typed["encoding"]) == ([";"], [","], ["windows-1252"])
    assert typed["time_format"] == ["%d.%m.%Y %H:%M"]
    assert "31.01.2025 06:00 · 31.01.2025 07:00" in looked.text
    assert plant.api.get(feeds(plant)).data == []


OPEN = 'When;Mass (kg);Driver\n03/04/2025 02:30;1,234;"Max; ""M"""\n30/03/2025 02:30;2,500;=1+1\n'


def test_a_sample_that_can_be_read_in_two_ways_is_asked_about_and_nothing_is_chosen(ada, plant):
    ada.get(new(plant)).expect(200)
    content = "When;Mass (kg)\n03/04/2025 06:00;1,234\n05/06/2025 06:00;2,500\n"

    looked = sent(ada, sample(plant), "scale.csv", content.encode()).expect(200)

    assert "03/04/2025 06:00 may be 3 April 2025 or 4 March 2025. Which is it?" in words(looked)
    assert "1,234 may be 1.234 or 1 234. What is the comma?" in words(looked)
    assert "Times such as 03/04/2025 06:00 have no offset." in words(looked)
    assert re.findall(r'<input type="radio"[^>]*checked', looked.text) == []
    typed = fields(looked)
    assert (typed["time_format"], typed["time_zone"]) == ([""], [""])

    refused = ada.post(f"{feeds(plant)}/new", form_of(looked)).expect(422)
    assert words(refused, 422).count("Order of day and month: the sample does not decide it.") == 2
    assert "Decimal mark: the sample does not decide it. Select one of the answers." in words(refused, 422)
    assert plant.api.get(feeds(plant)).data == []

    answers = {
        "answer_time_format": "%m/%d/%Y %H:%M", "answer_time_zone": "UTC", "answer_decimal_mark": ",",
    }  # fmt: skip
    ada.post(f"{feeds(plant)}/new", form_of(refused) | answers).expect(303)

    [feed] = plant.api.get(feeds(plant)).data
    assert (feed["time_format"], feed["decimal_mark"]) == ("%m/%d/%Y %H:%M", ",")


def test_events_are_previewed_as_they_would_be_stored_once_questions_are_answered(ada, plant):
    ada.get(new(plant)).expect(200)
    looked = sent(ada, sample(plant), "scale.csv", OPEN.encode()).expect(200)
    assert "answer the question above" in words(looked)
    assert "%d/%m/%Y" in fields(looked)["time_format"][0]
    form = form_of(looked)
    form["field"] = ["start_time", "mass", "driver"]
    answers = {"answer_time_zone": "typed", "time_zone": "Europe/Berlin", "answer_decimal_mark": ","}

    shown = ada.post(f"{feeds(plant)}/preview", form | answers).expect(200)

    page = words(shown)
    assert '3 Apr 2025 00:30 Mass 0.001234 t, Driver Max; "M"' in page
    assert "does not exist in Europe/Berlin: the clocks go forward then" in page
    assert plant.api.get(feeds(plant)).data == []


def test_a_clock_that_is_mapped_after_an_answer_opens_the_question_again(ada, plant):
    ada.get(new(plant)).expect(200)
    content = "Datum;Von;Bis;Mass (kg)\n03.04.2026;06:12;06:30;12\n05.04.2026;24:00;24:00;13\n"
    looked = sent(ada, sample(plant), "scale.csv", content.encode()).expect(200)
    form = form_of(looked) | {"answer_time_format": "%d.%m.%Y", "answer_time_zone": "UTC"}
    form["field"] = ["start_time", "start_time", "-", "mass"]

    again = ada.post(f"{feeds(plant)}/preview", form).expect(200)

    assert "03.04.2026 06:12 may be 3 April 2026 or 4 March 2026. Which is it?" in words(again)
    assert "answer the question above" in words(again)
    shown = ada.post(f"{feeds(plant)}/preview", form | {"answer_time_format": "%d.%m.%Y %H:%M"})
    assert "3 Apr 2026 06:12 Mass 0.012 t" in words(shown)
    assert "6 Apr 2026 00:00 Mass 0.013 t" in words(shown)


def test_a_preview_says_what_every_event_lacks(account, ada):
    plant = Feeding(account, expected_locations="one", requires_tracking_id=True)
    ada.get(new(plant)).expect(200)
    content = (
        "Zeitstempel;Mass;Ticket;Ort\n;kg;;\n31.01.2025 06:00;1200,5;A1;Nord\n31.01.2025 07:00;1;A2;Nord\n"
    )
    looked = sent(ada, sample(plant), "scale.csv", content.encode()).expect(200)
    form = form_of(looked) | {"answer_time_zone": "UTC", "units_line": "yes"}
    form["field"] = ["start_time", "mass", "-", "-"]

    lacking = words(ada.post(f"{feeds(plant)}/preview", form))

    assert "Events of type delivery need 1 location. Map a column to location, or set one below." in lacking
    assert "Events of type delivery need a tracking ID. Map a column to tracking ID." in lacking
    assert "31 Jan 2025 06:00 Mass 1.2005 t" in lacking
    form["field"] = ["start_time", "mass", "tracking_id", "-"]
    with_location = form | {"location_id.new.name": "Scale 1"}
    assert "Events of type" not in words(ada.post(f"{feeds(plant)}/preview", with_location))
    form["field"] = ["start_time", "mass", "tracking_id", "location"]
    assert "Events of type" not in words(ada.post(f"{feeds(plant)}/preview", form))


@pytest.mark.parametrize(
    ("decimal_mark", "typed", "missing"),
    [
        (",", "-9999,0", ["-9999,0"]),
        (",", "n/a, -9999,0,-8888", ["n/a", "-9999,0", "-8888"]),
        (",", "-9999, 0", ["-9999", "0"]),
        (".", "-9999,0", ["-9999", "0"]),
    ],
)
def test_a_missing_value_with_a_decimal_comma_stays_one(ada, plant, decimal_mark, typed, missing):
    ada.get(new(plant)).expect(200)

    ada.post(f"{feeds(plant)}/new?event_type_id={plant.event_type['id']}", MAPPED | {
        "event_type_id": plant.event_type["id"], "decimal_mark": decimal_mark, "missing": typed,
    })  # fmt: skip

    [feed] = plant.api.get(feeds(plant)).data
    assert feed["missing"] == missing
    again = fields(ada.get(f"{feeds(plant)}/{feed['id']}/edit"))["missing"][0]
    ada.post(f"{feeds(plant)}/{feed['id']}/edit", MAPPED | {"decimal_mark": decimal_mark, "missing": again})
    assert plant.api.get(f"{feeds(plant)}/{feed['id']}").body["missing"] == missing


def form_of(answer):
    """What the form of a feed sends as it is."""
    typed = fields(answer)
    names = ("column", "field", "unit")
    texts = {name: values[-1] for name, values in typed.items() if name not in (*names, "sample")}
    unchecked = (
        "answer_time_format",
        "answer_time_zone",
        "answer_decimal_mark",
        "units_line",
        "rows_in_order",
        "files_in_order",
    )
    kept = {name: text for name, text in texts.items() if name not in unchecked}
    lists = {name: typed[name] for name in (*names, "sample")}
    return kept | lists | {"name": "Scale house"}


def test_a_feed_is_made_by_the_form_and_says_in_words_what_it_does(ada, plant):
    ada.get(new(plant))
    typed = MAPPED | {"event_type_id": plant.event_type["id"]}

    made = ada.post(f"{feeds(plant)}/new", typed).expect(303)

    [feed] = plant.api.get(feeds(plant)).data
    assert [(one["column"], one["field"], one["unit"]) for one in feed["columns"]] == [
        ("Zeitstempel", "start_time", None), ("Mass (kg)", "mass", "kg"), ("Fahrer", "driver", None),
        ("Wetter", "-", None),
    ]  # fmt: skip
    assert feed["missing"] == ["n/a", "-"]
    page = words(ada.get(made.headers["location"]))
    assert "written as %d.%m.%Y %H:%M, in the time zone Europe/Berlin" in page
    assert "decimal mark: a comma" in page
    assert "CSV in windows-1252, delimited by semicolon" in page
    assert "kg, converted to t" in page
    assert "ignored" in page
    assert 'class="notice"' not in ada.get(made.headers["location"]).text
    assert "Scale house" in words(ada.get(feeds(plant)))


def test_what_is_wrong_with_a_column_is_said_beside_it_and_all_that_was_typed_stays(ada, plant):
    ada.get(new(plant))
    wrong = MAPPED | {
        "event_type_id": plant.event_type["id"], "column": ["", "Time", "Mass (m3)"],
        "field": ["", "start_time", "mass"], "unit": ["", "", "m3"], "header_line": "first",
    }  # fmt: skip

    refused = ada.post(f"{feeds(plant)}/new", wrong)

    assert refused.status in {400, 422}
    typed = fields(refused)
    assert typed["column"] == ["", "Time", "Mass (m3)"]
    assert typed["header_line"] == ["", "first"]  # of a sample, and of the feed
    assert 'role="alert"' in refused.text
    mended = ada.post(f"{feeds(plant)}/new", wrong | {"header_line": "1"}).expect(422)
    row = re.search(r'<tr class="wrong">.*?</tr>', mended.text, re.DOTALL)[0]
    assert 'value="Mass (m3)"' in row
    assert plant.api.get(feeds(plant)).data == []


def test_a_feed_is_changed_where_it_stands(ada, plant):
    feed = plant.feed(delimiter="\t", columns=[{"column": "When", "field": "start_time"}])
    path = f"{feeds(plant)}/{feed['id']}"

    typed = fields(ada.get(f"{path}/edit").expect(200))
    assert typed["delimiter"] == ["tab"]
    assert typed["column"][0] == "When"
    ada.post(f"{path}/edit", typed | {"name": "Laboratory"}).expect(303)

    after = plant.api.get(path).body
    assert after["name"] == "Laboratory"
    assert {name: after[name] for name in ("delimiter", "columns", "time_zone")} == {
        name: feed[name] for name in ("delimiter", "columns", "time_zone")
    }


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", b"", "The file must not be empty."),
        ("book.xls", b"\xd0\xcf\x11\xe0 old", "save it as XLSX"),
        ("broken.xlsx", b"PK\x03\x04 broken", "broken.xlsx"),
        ("zipped.csv.gz", b"\x1f\x8b broken", "cannot be read"),
        ("blank.csv", b"\n\n\n", "its first line must name the columns"),
    ],
)
def test_a_sample_that_is_no_table_is_refused_in_a_sentence(ada, plant, name, content, said):
    ada.get(new(plant))

    assert said in words(sent(ada, sample(plant), name, content), 422)


def test_a_file_is_tried_and_its_bad_rows_are_told_by_line_column_and_what_came(account, ada, plant):
    path = f"{feeds(plant)}/{plant.feed()['id']}"
    ada.get(path)
    bad = b"start_time,mass,driver,is_dry\n2025-01-31T06:00:00Z,much,Ada,yes\nnever,2,Ada,no\n"

    there = sent(ada, f"{path}/uploads", "log.csv", bad, dry_run="true").expect(303).headers["location"]
    waiting = ada.get(there).expect(200).text
    assert "waiting for a worker" in waiting
    assert 'hx-trigger="every 1s"' in waiting
    account.drain()

    page = words(ada.get(there))
    assert "2 rows are invalid. Nothing is stored yet." in page
    rows = re.findall(r"<tr><td class=\"num\">.*?</tr>", ada.get(there).text, re.DOTALL)
    assert [unescape(re.sub(r"\s+|<[^>]+>", " ", row)).split()[:3] for row in rows] == [
        ["2", "mass", "much"], ["3", "start_time", "never"],
    ]  # fmt: skip
    assert "much" in ada.get(f"{there}/bad_rows").expect(200).text
    assert plant.events() == []


def test_a_good_file_is_stored_after_it_was_tried_and_leads_to_its_events(account, ada, plant):
    path = f"{feeds(plant)}/{plant.feed(duration='1h')['id']}"
    ada.get(path)
    good = (
        b"start_time,mass,driver,is_dry\n2025-01-31T06:00:00Z,1,Ada,true\n2025-01-31T07:00:00Z,2,Ada,true\n"
    )

    tried = sent(ada, f"{path}/uploads", "log.csv", good, dry_run="true").headers["location"]
    account.drain()
    assert "Import 2 events" in words(ada.get(tried))
    stored = ada.post(f"{tried}/again", {"dry_run": "false"}).expect(303).headers["location"]
    account.drain()

    shown = ada.get(stored).expect(200).text
    assert "2 events stored." in words(ada.get(stored))
    [events] = re.findall(r'<dt>Events</dt><dd><a href="([^"]+)"', shown)
    assert len(re.findall(r"<tr>\s*<td><a href=\"[^\"]+/events/evt_", ada.get(unescape(events)).text)) == 2
    assert "log.csv" in words(ada.get(f"{path}/uploads"))
    assert "Delete feed" not in ada.get(path).text


def test_rows_that_differ_from_what_is_stored_are_shown_with_both_values(account, ada, plant):
    feed = plant.feed(client_reference="time", bad_rows="skip")
    path = f"{feeds(plant)}/{feed['id']}"
    plant.upload(feed, "start_time,mass\n2025-01-31T06:00:00Z,1\n2025-01-31T07:00:00Z,2\n")
    ada.get(path)
    mended = b"start_time,mass\n2025-01-31T06:00:00Z,1\n2025-01-31T07:00:00Z,2.5\n2025-01-31T08:00:00Z,3\n"

    there = sent(ada, f"{path}/uploads", "log.csv", mended, dry_run="false").headers["location"]
    account.drain()
    tried = sent(ada, f"{path}/uploads", "log.csv", mended, dry_run="true").headers["location"]
    change = {"data_feed": {"on_difference": "correct"}}
    plant.api.patch(path, change).expect(200)
    account.drain()

    page = words(ada.get(there))
    assert "1 row differs from the stored event, which is unchanged." in page
    assert compared(ada.get(there))[0][2:6] == ["Mass t", "2", "2.5", "+0.5"]
    [event] = [event["id"] for event in plant.events() if event["start_time"][11:13] == "07"]
    assert f'/events/{event}"' in ada.get(there).text
    assert "Correct 1 event" in words(ada.get(tried))
    assert "the stored event is corrected to the values in the file" in words(ada.get(path))


def test_a_file_is_refused_in_words_on_the_page_of_its_feed(ada, plant):
    path = f"{feeds(plant)}/{plant.feed()['id']}"
    ada.get(path)

    assert "The file is empty." in words(sent(ada, f"{path}/uploads", "log.csv", b""), 422)
    assert "Select a file." in words(ada.post(f"{path}/uploads"), 422)


def test_a_feed_without_files_is_removed(ada, plant):
    path = f"{feeds(plant)}/{plant.feed()['id']}"
    ada.get(path)

    ada.post(f"{path}/delete").expect(303)

    assert plant.api.get(feeds(plant)).data == []


def test_who_may_only_read_is_offered_nothing_that_writes_and_another_account_finds_no_feed(
    account, server, plant
):
    path = f"{feeds(plant)}/{plant.feed()['id']}"
    reader = visitor(account, "data_collection:read")

    shown = reader.get(path).expect(200).text
    assert "Edit feed" not in shown
    assert '<form method="post" action="/projects' not in shown
    reader.post(f"{path}/uploads").expect(403)
    stranger = visitor(server.account())
    stranger.get(path).expect(404)
    stranger.get(f"{path}/uploads").expect(404)
    stranger.post(f"{path}/edit", MAPPED).expect(404)


def test_a_project_without_event_types_is_told_what_comes_first(api, ada):
    project = given.project(api)

    assert "No event types yet" in words(ada.get(f"/projects/{project['id']}/data_feeds/new"))
    assert "No feeds yet" in words(ada.get(f"/projects/{project['id']}/data_feeds"))


def test_rows_are_corrected_in_the_page_until_all_are_valid(account, ada, plant):
    feed = plant.feed(client_reference="row", columns=[{"column": "kg", "field": "mass", "unit": "kg"}])
    path = f"{feeds(plant)}/{feed['id']}"
    ada.get(path)
    content = (
        b'start_time,kg,driver\n2025-01-31T06:00:00Z,1000,Ada\n2025-01-31T07:00:00Z,much,"Eva,\nMax"\n'
        b"never,3000,=1+1\n2025-01-31T09:00:00Z,4000,Ada,more\n"
    )
    there = sent(ada, f"{path}/uploads", "log.csv", content, dry_run="false").headers["location"]
    account.drain()
    assert 'href="' + there + '/invalid_rows"' in ada.get(there).text

    form = ada.get(f"{there}/invalid_rows")
    typed = cells(form)
    assert typed == {
        "width": ["3"], "cells-3": ["2025-01-31T07:00:00Z", "much", "Eva,\nMax"],
        "cells-5": ["never", "3000", "=1+1"], "cells-6": ["2025-01-31T09:00:00Z", "4000", "Ada", "more"],
    }  # fmt: skip
    assert "'much' is not a decimal number." in words(form)
    assert "Line 6: it has 4 cells, but the header has 3." in words(form)

    typed["cells-3"][1], typed["cells-6"][3] = "2000", ""
    still = ada.post(f"{there}/invalid_rows", typed | {"dry_run": "false"}).expect(303).headers["location"]
    account.drain()
    assert plant.events() == []
    typed = cells(ada.get(f"{still}/invalid_rows"))
    assert typed == {"width": ["3"], "cells-5": ["never", "3000", "=1+1"]}
    typed["cells-5"][0] = "2025-01-31T08:00:00Z"
    last = ada.post(f"{still}/invalid_rows", typed | {"dry_run": "false"}).expect(303).headers["location"]
    account.drain()

    assert "4 events stored." in words(ada.get(last))
    assert "whose file was read with corrected rows" in words(ada.get(last))
    assert "No rows to correct here" in words(ada.get(f"{last}/invalid_rows"))
    assert [values for _, values in plant.values()] == [
        {"mass": 1, "driver": "Ada"}, {"mass": 2, "driver": "Eva,\nMax"}, {"mass": 3, "driver": "=1+1"},
        {"mass": 4, "driver": "Ada"},
    ]  # fmt: skip


def test_stored_events_are_corrected_to_a_file_by_a_button(account, ada, plant):
    feed = plant.feed(client_reference="time", columns=[{"column": "until", "field": "end_time"}])
    path = f"{feeds(plant)}/{feed['id']}"
    plant.upload(feed, "start_time,until,mass\n2025-01-31T06:00:00Z,2025-01-31T07:00:00Z,2\n")
    ada.get(path)
    other = b"start_time,until,mass\n2025-01-31T06:00:00Z,2025-01-31T08:30:00Z,1.75\n"
    there = sent(ada, f"{path}/uploads", "log.csv", other, dry_run="false").headers["location"]
    account.drain()

    assert [row[2:] for row in compared(ada.get(there))] == [
        ["end time", "31 Jan 2025 07:00", "31 Jan 2025 08:30", "1 h 30 min later"],
        ["Mass t", "2", "1.75", "\N{MINUS SIGN}0.25"],
    ]  # fmt: skip
    assert "Correct stored events to the file" in words(ada.get(there))
    body = {"on_difference": "correct", "dry_run": "false"}
    corrected = ada.post(f"{there}/again", body).expect(303).headers["location"]
    account.drain()

    assert "1 event corrected to the values in the file." in words(ada.get(corrected))
    assert "Correct stored events to the file" not in words(ada.get(corrected))
    results = {row[-1].partition(" is ")[2] for row in compared(ada.get(corrected))}
    assert results == {"corrected to what the file says"}


def test_who_may_only_read_corrects_no_rows(account, plant):
    feed = plant.feed()
    upload = plant.upload(feed, "start_time,mass\nnever,1\n")
    there = f"{feeds(plant)}/{feed['id']}/uploads/{upload['id']}"
    reader = visitor(account, "data_collection:read")

    assert "Correct invalid rows" not in words(reader.get(there))
    reader.get(f"{there}/invalid_rows").expect(403)
    reader.post(f"{there}/invalid_rows", {"width": "2", "cells-2": ["2025-01-01", "1"]}).expect(403)
