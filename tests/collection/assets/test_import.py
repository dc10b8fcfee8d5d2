"""POST /projects/{project_id}/assets/spreadsheet: all lines are taken, or none."""

import re
from decimal import Decimal
from string import ascii_letters

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import accounting as given_accounting
from tests.given import collection as given

from weighbridge.core.identity import find_unseen_character

ID = re.compile(rb"ast_[0-9a-f]{24}")
STARTS = "'=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
texts = st.text(
    st.sampled_from(STARTS + '",; ' + ascii_letters)
    | st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    min_size=1,
    max_size=30,
).filter(str.strip)
lines = texts.map(lambda text: "".join(filter(str.isprintable, text))).filter(
    lambda text: text.strip() and find_unseen_character(text) is None
)
"""Texts of one line, such as names are; a name keeps no spaces around it."""
numbers = st.builds(
    lambda digits, exponent: Decimal(digits).scaleb(exponent),
    st.integers(-(10**34) + 1, 10**34 - 1),
    st.integers(-40, 20),
)


def path(project):
    return f"/projects/{project['id']}/assets/spreadsheet"


def send(api, project, text, kind="text/csv"):
    content = text if isinstance(text, bytes) else text.encode()
    return api.send("POST", path(project), content=content, headers={"content-type": kind})


def assets(api, project):
    return api.get(f"/projects/{project['id']}/assets", {"page_size": "200"}).data


def content(api, project):
    """What the spreadsheet can change of each asset."""
    return [
        {name: value for name, value in asset.items() if name != "updated_at"}
        for asset in assets(api, project)
    ]


def test_lines_of_new_names_make_assets(api):
    project = given.project(api)

    answer = send(api, project, "name,asset_type\r\nKiln 1,kiln\r\nTruck 7,\r\n").expect(200)

    assert answer.body == {"created": 2, "updated": 0, "unchanged": 0}
    assert [(asset["name"], asset["asset_type"]) for asset in assets(api, project)] == [
        ("Kiln 1", "kiln"),
        ("Truck 7", None),
    ]


def test_a_line_changes_the_asset_of_its_id_or_else_of_its_name(api):
    project = given.project(api)
    kiln = given.asset(api, project, name="Kiln", serial_number="1")
    truck = given.asset(api, project, name="Truck", serial_number="2")
    same = given.asset(api, project, name="Meter", serial_number="3")

    answer = send(
        api, project, f"id,name,serial_number\n{kiln['id']},Oven,11\n,Truck,12\n{same['id']},Meter,3\n"
    ).expect(200)

    assert answer.body == {"created": 0, "updated": 2, "unchanged": 1}
    assert [(asset["id"], asset["name"], asset["serial_number"]) for asset in assets(api, project)] == [
        (kiln["id"], "Oven", "11"),
        (truck["id"], "Truck", "12"),
        (same["id"], "Meter", "3"),
    ]


def test_a_column_that_is_left_out_stays_and_a_blank_cell_takes_the_value_away(api):
    project = given.project(api)
    given.custom_field(api, project, "Owner")
    given.custom_field(api, project, "Power", "number")
    given.asset(
        api,
        project,
        name="Kiln",
        asset_type="kiln",
        serial_number="1",
        custom_fields={"Owner": "Ada", "Power": 5},
    )

    send(api, project, "name,serial_number,Owner\nKiln,,\n").expect(200)

    [kiln] = assets(api, project)
    assert (kiln["asset_type"], kiln["serial_number"]) == ("kiln", None)
    assert kiln["custom_fields"] == {"Power": 5}


def test_custom_fields_are_read_by_their_types(api):
    project = given.project(api)
    for label, value_type in {
        "Owner": "text",
        "Power": "number",
        "Leased": "boolean",
        "Since": "date",
    }.items():
        given.custom_field(api, project, label, value_type)

    send(api, project, "name,Owner,Power,Leased,Since\nKiln,0042,-1.50,TRUE,2024-02-29\n").expect(200)

    [kiln] = assets(api, project)
    assert kiln["custom_fields"] == {
        "Leased": True, "Owner": "0042", "Power": Decimal("-1.50"), "Since": "2024-02-29",
    }  # fmt: skip


def test_two_assets_can_exchange_their_names(api):
    project = given.project(api)
    first, second = given.asset(api, project, name="A"), given.asset(api, project, name="B")

    send(api, project, f"id,name\n{first['id']},B\n{second['id']},A\n,C\n").expect(200)

    assert [asset["name"] for asset in assets(api, project)] == ["B", "A", "C"]


def test_a_new_asset_can_take_the_name_that_another_gives_up(api):
    project = given.project(api)
    kiln = given.asset(api, project, name="Kiln")

    # The name is still that of the first asset when the second line is read, so it needs a line of its own.
    send(api, project, f"id,name\n{kiln['id']},Old kiln\n").expect(200)
    send(api, project, "name\nKiln\n").expect(200)

    assert [asset["name"] for asset in assets(api, project)] == ["Old kiln", "Kiln"]


def test_headers_of_other_programs_are_read(api):
    project = given.project(api)
    given.custom_field(api, project, "=Owner")

    send(api, project, b'\xef\xbb\xbf"Name", Serial_Number ,\'=Owner\r\nKiln,1,Ada\r\n,,\r\n\r\n').expect(200)

    [kiln] = assets(api, project)
    assert (kiln["name"], kiln["serial_number"], kiln["custom_fields"]) == ("Kiln", "1", {"=Owner": "Ada"})


def test_unknown_columns_are_refused_by_name_with_those_there_are(api):
    project = given.project(api)
    given.custom_field(api, project, "Power", "number")

    error = send(api, project, "name,Colour,Weight\nKiln,red,5\n").expect(422).error

    assert (error["field"], error["code"]) == ("header", "unknown")
    assert error["message"] == (
        "The asset spreadsheet has no column 'Colour', 'Weight'; "
        "it has 'id', 'name', 'asset_type', 'serial_number', 'description', 'Power'."
    )


@pytest.mark.parametrize(("wrong", "named"), [(100, 100), (101, 101)])
def test_of_more_than_a_hundred_problems_the_first_are_named_and_it_is_said_that_there_are_more(
    api, wrong, named
):
    errors = send(api, given.project(api), "name\n" + "a,b\n" * wrong).expect(422).errors

    assert len(errors) == named
    assert errors[99]["message"] == "Line 101 has 2 cells, but the header has 1."
    assert (errors[-1].get("code") == "more") is (wrong > 100)


@pytest.mark.parametrize("mark", [";", "\t"])
def test_cells_that_are_separated_otherwise_are_refused_by_what_separates_them(api, mark):
    error = send(api, given.project(api), f"name{mark}Power\nKiln{mark}2,5\n").expect(422).error

    assert (error["field"], error["code"]) == ("header", "invalid")
    assert error["message"] == (
        f"The first line is one cell, {f'name{mark}Power'!r}; separate cells by commas, not {mark!r}."
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [("name,Name\nKiln,Kiln\n", "conflict"), ("serial_number\n1\n", "required"), ("", "required")],
)
def test_a_header_that_leads_nowhere_is_refused(api, text, code):
    assert send(api, given.project(api), text).expect(422).error["code"] == code


def test_every_bad_line_is_named_and_nothing_is_stored(api):
    project = given.project(api)
    given.custom_field(api, project, "Power", "number")
    given.custom_field(api, project, "Since", "date")
    kiln = given.asset(api, project, name="Kiln")
    text = (
        "id,name,description,Power,Since\n"
        ",Good,,1,2025-01-31\n"
        ',"Bad\nname","a\nb",many,31.1.\n'
        ",,x,,\n"
        "ast_0,Known,,,\n"
        f"{kiln['id']},Kiln,,,\n"
        f"{kiln['id']},Oven,,,\n"
        ",Good,,,\n"
        ",Short\n"
    )

    answer = send(api, project, text).expect(422)

    assert [(error["field"], error["code"]) for error in answer.errors] == [
        ("lines[3].name", "invalid"),
        ("lines[3].Power", "invalid"),
        ("lines[3].Since", "invalid"),
        ("lines[6].name", "required"),
        ("lines[7].id", "unknown"),
        ("lines[9].id", "taken"),
        ("lines[10].name", "taken"),
        ("lines[11]", "invalid"),
    ]
    assert answer.errors[0]["message"].startswith("lines[3].name holds U+000A, a character that is not seen")
    assert answer.errors[1]["message"] == (
        "Line 3, column 'Power': it is no number: 'many' is not a decimal number."
    )
    assert answer.errors[6]["message"] == "Line 10, column 'name': it is 'Good', as in line 2."
    assert assets(api, project) == [kiln]


def test_a_name_that_another_asset_has_is_refused(api):
    project = given.project(api)
    kiln = given.asset(api, project, name="Kiln")
    given.asset(api, project, name="Truck")

    error = send(api, project, f"id,name\n{kiln['id']},Truck\n").expect(422).error

    assert (error["field"], error["code"]) == ("lines[2].name", "taken")


def test_an_id_of_another_project_is_unknown(api):
    project = given.project(api)
    theirs = given.asset(api, given.project(api))

    error = send(api, project, f"id,name\n{theirs['id']},Kiln\n").expect(422).error

    assert (error["field"], error["code"]) == ("lines[2].id", "unknown")


def test_a_name_that_batches_depend_on_is_fixed(api, drain):
    plant = given_accounting.plant(api, drain, partition_type="asset")
    kiln = given.asset(api, plant.project, name="Kiln")
    plant.deliver(5, asset_id=kiln["id"])
    plant.generate()

    error = send(api, plant.project, f"id,name\n{kiln['id']},Oven\n").expect(422).error

    assert (error["field"], error["code"]) == ("lines[2].name", "in_use")


def test_more_than_10_000_lines_are_refused_and_10_000_are_taken(api):
    project = given.project(api)
    lines = "name\n" + "".join(f"Meter {number}\n" for number in range(10_000))

    error = send(api, project, lines + "One more\n").expect(422).error
    answer = send(api, project, lines).expect(200)

    assert error["code"] == "too_many"
    assert "10,000" in error["message"]
    assert answer.body == {"created": 10_000, "updated": 0, "unchanged": 0}


def test_any_number_of_blank_lines_at_the_end_costs_next_to_nothing(api):
    lines = "name,serial_number\nKiln,7\nOven,\n" + ",\r\n" * 1_000_000

    answer = send(api, given.project(api), lines).expect(200)

    assert answer.body == {"created": 2, "updated": 0, "unchanged": 0}


@pytest.mark.parametrize("blank", ["\n", "\r\n", " ,\n"])
def test_more_blank_lines_between_the_others_than_anybody_needs_are_refused(api, blank):
    lines = "name,serial_number\nKiln,7\n" + blank * 10_001 + "Oven,8\n"

    error = send(api, given.project(api), lines).expect(422).error

    assert error["message"] == "The spreadsheet has more than 10,000 blank lines; leave them out."
    assert (error["field"], error["code"]) == ("lines[10003]", "too_many")


def test_a_quoted_cell_that_ends_in_blank_lines_stays_as_it_is(api):
    project = given.project(api)

    send(api, project, 'name,description\nKiln,"of\n\nbrick,\n\n"\n').expect(200)

    [asset] = assets(api, project)
    assert asset["description"] == "of\n\nbrick,\n\n"


@pytest.mark.parametrize("text", ['name\n"Kiln\n', 'name\n"Kiln"x\n', 'name\n"' + "x" * 140_000 + '"\n'])
def test_what_is_no_csv_is_refused_with_its_line(api, text):
    error = send(api, given.project(api), text).expect(422).error

    assert error["message"].startswith("Line 2 is not CSV: ")


def test_a_body_that_is_no_text_of_utf_8_is_refused(api):
    project = given.project(api)

    latin = send(api, project, "name\nÖfen\n".encode("latin-1")).expect(400).error
    null = send(api, project, "name\nKi\0ln\n").expect(400).error
    send(api, project, "{}", kind="application/json").expect(415)

    assert latin["message"] == "The body is not UTF-8: byte 6 does not fit."
    assert null["message"] == "Line 2 of the body holds a NUL character, which no text may."


def test_an_import_leaves_one_row_in_the_audit(api, account, sql):
    project = given.project(api)
    kiln = given.asset(api, project, name="Kiln")
    send(api, project, "name,serial_number\nKiln,1\nTruck,2\n").expect(200)
    send(api, project, "name,serial_number\nKiln,1\nTruck,2\n").expect(200)

    rows = sql(
        """
        SELECT object, after -> 'updated', jsonb_array_length(after -> 'created'), length(after ->> 'sha256')
          FROM audit_log WHERE account_id = %s AND action = 'asset.import'
        """,
        account.id,
    )

    assert rows == [("2 assets", [kiln["id"]], 1, 64)]


def test_a_repetition_with_the_same_key_is_answered_as_the_first_was(api):
    project = given.project(api)
    headers = {"content-type": "text/csv", "idempotency-key": "import-1"}

    answers = [
        api.send("POST", path(project), content=b"name\nKiln\n", headers=headers).expect(200)
        for _ in range(2)
    ]

    assert [answer.body["created"] for answer in answers] == [1, 1]
    assert answers[1].headers["idempotency-replayed"] == "true"


@settings(
    max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@for_all(st.lists(st.tuples(lines, texts, texts, numbers, st.booleans(), st.dates()), min_size=1, max_size=4))
def test_what_was_downloaded_and_sent_back_changes_nothing_and_rebuilds_everything(api, rows):
    project, copy = given.project(api), given.project(api)
    for label, value_type in {"=text": "text", "Number": "number", "Yes": "boolean", "Day": "date"}.items():
        given.custom_field(api, project, label, value_type)
        given.custom_field(api, copy, label, value_type)
    for index, (name, description, value, number, yes, day) in enumerate(rows):
        given.asset(
            api,
            project,
            name=f"{name[:20]}{index}",
            description=description,
            custom_fields={"=text": value, "Number": number, "Yes": yes, "Day": day.isoformat()},
        )
    before = content(api, project)
    file = api.get(path(project)).expect(200).content

    back = send(api, project, file).expect(200).body
    send(api, copy, ID.sub(b"", file)).expect(200)

    assert back == {"created": 0, "updated": 0, "unchanged": len(rows)}
    assert content(api, project) == before
    kept = ("name", "description", "custom_fields")
    assert [[one[name] for name in kept] for one in content(api, copy)] == [
        [one[name] for name in kept] for one in before
    ]
