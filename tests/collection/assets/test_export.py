"""GET /projects/{project_id}/assets/spreadsheet. ASVS 1.2.10: a text that begins like a formula is quoted,
a typed number never is.
"""

from tests.given import collection as given


def export(api, project):
    return api.get(f"/projects/{project['id']}/assets/spreadsheet").expect(200)


def test_the_columns_are_the_standard_ones_and_then_the_custom_fields_by_label(api):
    project = given.project(api)
    given.custom_field(api, project, "Power (kW)", "number")
    given.custom_field(api, project, "Leased", "boolean")

    answer = export(api, project)

    assert answer.text == "\ufeffid,name,asset_type,serial_number,description,Leased,Power (kW)\r\n"


def test_it_begins_with_the_mark_by_which_spreadsheet_programs_know_utf_8(api):
    project = given.project(api)
    given.asset(api, project, name="Größe 木材")

    answer = export(api, project)

    assert answer.content.startswith(b"\xef\xbb\xbfid,name,")
    assert "Größe 木材" in answer.text


def test_each_asset_has_a_line_in_the_order_in_which_it_was_made(api):
    project = given.project(api)
    given.custom_field(api, project, "Power", "number")
    truck = given.asset(api, project, name="Truck 7", asset_type="truck")
    kiln = given.asset(
        api, project, name='Kiln "A", west', description="two\nlines", custom_fields={"Power": 5}
    )

    lines = export(api, project).text.split("\r\n")

    assert lines[1:] == [
        f"{truck['id']},Truck 7,truck,,,",
        f'{kiln["id"]},"Kiln ""A"", west",,,"two\nlines",5',
        "",
    ]


def test_texts_that_begin_like_a_formula_are_quoted_and_numbers_are_not(api):
    project = given.project(api)
    given.custom_field(api, project, "=Owner")
    given.custom_field(api, project, "Balance", "number")
    given.asset(
        api,
        project,
        name="@kiln",
        serial_number="-7",
        description="\t=1+1",
        custom_fields={"=Owner": "\uff1d1", "Balance": -7},
    )

    header, line, _ = export(api, project).text.split("\r\n")

    assert header.endswith(",'=Owner,Balance")
    assert line.split(",")[1:] == ["'@kiln", "", "'-7", "'\t=1+1", "'\uff1d1", "-7"]


def test_it_is_a_file_to_save(api):
    answer = export(api, given.project(api, name="Plant North"))

    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith('attachment; filename="plant-north_assets_2')


def test_more_assets_than_are_read_at_once_are_all_there(api):
    project = given.project(api)
    text = "name\r\n" + "".join(f"Meter {number:04}\r\n" for number in range(2_345))
    api.send(
        "POST",
        f"/projects/{project['id']}/assets/spreadsheet",
        content=text.encode(),
        headers={"content-type": "text/csv"},
    ).expect(200)

    lines = export(api, project).text.splitlines()

    assert [line.split(",")[1] for line in lines[1:]] == [f"Meter {number:04}" for number in range(2_345)]
