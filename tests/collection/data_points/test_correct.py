"""PATCH a data point: a new value is a correction beside the captured one."""

from decimal import Decimal

import pytest
from tests.given import collection as given

MASS = given.number("mass")


@pytest.fixture
def project(api):
    return given.measuring(api, MASS, given.text("note"), given.boolean("dry"))


@pytest.fixture
def point(project):
    """Finds the data point of a slug of an event."""

    def find(event, slug="mass"):
        [found] = [one for one in event["data_points"] if one["slug"] == slug]
        return f"/projects/{project['id']}/data_points/{found['id']}"

    return find


def correct(api, path, value, **fields):
    return api.patch(path, {"data_point": {"value": value} | fields})


def test_a_corrected_value_counts_and_the_captured_one_stays_beside_it(api, project, point):
    event = given.event(api, project, values={"mass": Decimal("12.50")})

    corrected = correct(api, point(event), 13, reason="Misread scale").expect(200).body

    assert (corrected["value"], corrected["raw_value"]) == (13, Decimal("12.50"))
    assert (corrected["corrections_count"], corrected["substituted"], corrected["imputed"]) == (
        1,
        False,
        False,
    )
    assert corrected["substitution"] is None
    assert api.get(point(event)).expect(200).body == corrected
    whole = api.get(f"/projects/{project['id']}/events/{event['id']}").body
    [mass] = whole["data_points"]
    assert (mass["value"], mass["raw_value"], mass["corrections_count"]) == (13, Decimal("12.50"), 1)
    year = {"slug": "mass", "start_time": "2025-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:00Z"}
    listed = api.get(f"/projects/{project['id']}/data_points", {"sort": "-value"} | year).data
    assert listed == [corrected]


def test_texts_and_booleans_are_corrected_alike(api, project, point):
    event = given.event(api, project, values={"mass": 1, "note": "wet", "dry": False})

    note = correct(api, point(event, "note"), "damp").expect(200).body
    dry = correct(api, point(event, "dry"), value=True).expect(200).body

    assert (note["value"], note["raw_value"]) == ("damp", "wet")
    assert (dry["value"], dry["raw_value"]) == (True, False)
    whole = api.get(f"/projects/{project['id']}/events/{event['id']}").body
    assert [one["value"] for one in whole["data_points"]] == [1, "damp", True]
    assert [one["raw_value"] for one in whole["data_points"]] == [1, "wet", False]


def test_a_second_correction_supersedes_the_first(api, project, point):
    event = given.event(api, project, values={"mass": 1})
    correct(api, point(event), 2).expect(200)

    corrected = correct(api, point(event), 3).expect(200).body

    assert (corrected["value"], corrected["raw_value"], corrected["corrections_count"]) == (3, 1, 2)
    history = api.get(point(event) + "/corrections").data
    assert [(one["from_value"], one["to_value"], one["state"]) for one in history] == [
        (1, 2, "superseded"),
        (2, 3, "in_force"),
    ]


def test_the_captured_value_can_be_put_back_by_a_correction(api, project, point):
    event = given.event(api, project, values={"mass": 1})
    correct(api, point(event), 2).expect(200)

    corrected = correct(api, point(event), 1).expect(200).body

    assert (corrected["value"], corrected["raw_value"], corrected["corrections_count"]) == (1, 1, 2)


@pytest.mark.parametrize("same", [Decimal("12.5"), Decimal("12.50"), Decimal("12.500"), Decimal("1.25E1")])
def test_the_held_value_adds_nothing(api, sql, project, point, same):
    event = given.event(api, project, values={"mass": Decimal("12.50")})
    before = api.get(point(event)).body

    answer = correct(api, point(event), same, reason="Again").expect(200).body

    assert answer == before
    assert api.get(point(event) + "/corrections").data == []
    assert audited(sql, project, "data_point.correct") == []


def test_a_corrected_value_sent_again_adds_nothing(api, sql, project, point):
    event = given.event(api, project, values={"mass": 1})
    corrected = correct(api, point(event), 2).expect(200).body

    assert correct(api, point(event), 2).expect(200).body == corrected
    assert len(audited(sql, project, "data_point.correct")) == 1


def test_every_digit_of_a_correction_is_kept(api, project, point):
    event = given.event(api, project, values={"mass": 1})
    value = Decimal("0.1234567890123456789012345678901234")

    assert correct(api, point(event), value).expect(200).body["value"] == value
    assert api.get(point(event) + "/corrections").data[0]["to_value"] == value


@pytest.mark.parametrize(
    "refused",
    [
        ("mass", None, "data_point.value of 'mass' is null; it takes a number."),
        ("mass", "12", "data_point.value of 'mass' is the string '12'; it takes a number."),
        ("mass", "", "data_point.value of 'mass' is blank; it takes a number."),
        ("mass", True, "data_point.value of 'mass' is the boolean true; it takes a number."),
        ("note", None, "data_point.value of 'note' is null; it takes a string."),
        ("note", "  ", "data_point.value of 'note' is blank; it takes a string."),
        ("note", 7, "data_point.value of 'note' is the number 7; it takes a string."),
        ("dry", None, "data_point.value of 'dry' is null; it takes a boolean."),
        ("dry", {}, "data_point.value of 'dry' is an object; it takes a boolean."),
    ],
)
def test_null_blank_and_other_types_are_refused(api, project, point, refused):
    slug, value, said = refused
    event = given.event(api, project, values={"mass": 1, "note": "wet", "dry": False})

    error = correct(api, point(event, slug), value).expect(422).error

    assert error == {"message": said, "field": "value", "code": "invalid"}
    assert api.get(point(event, slug) + "/corrections").data == []


def test_a_number_out_of_limits_is_refused(api, project, point):
    event = given.event(api, project, values={"mass": 1})

    error = correct(api, point(event), Decimal("1E+101")).expect(422).error

    assert error["field"] == "value"
    assert error["message"].startswith("data_point.value of 'mass' is out of limits: ")


def test_a_reason_that_is_too_long_is_refused(api, project, point):
    event = given.event(api, project, values={"mass": 1})

    error = correct(api, point(event), 2, reason="x" * 1001).expect(422).error

    assert error["message"] == "data_point.reason has 1001 characters; allowed are 1000."


def test_the_audit_has_both_values_and_the_reason(api, sql, project, point):
    event = given.event(api, project, values={"mass": 1})

    correct(api, point(event), 2, reason="Misread").expect(200)

    [(before, after)] = audited(sql, project, "data_point.correct")
    assert before["value"] == 1
    assert (after["data_point"]["value"], after["data_point"]["raw_value"]) == (2, 1)
    assert after["reason"] == "Misread"


def test_who_and_why_stand_in_the_history(api, project, point):
    event = given.event(api, project, values={"mass": 1})

    correct(api, point(event), 2, reason="Misread").expect(200)

    [entry] = api.get(point(event) + "/corrections").expect(200).data
    assert (entry["source"], entry["state"], entry["reason"]) == ("manual", "in_force", "Misread")
    assert (entry["event_id"], entry["data_point_id"]) == (event["id"], event["data_points"][0]["id"])
    assert entry["corrected_by"]
    assert entry["token"]
    assert [entry[name] for name in ("field", "rule_id", "rule_version", "rule_run_id")] == [None] * 4
    assert (entry["reverted_at"], entry["reverted_by"]) == (None, None)


def test_the_history_is_filtered_and_paged(api, project, point):
    event = given.event(api, project, values={"mass": 1})
    for mass in (2, 3, 4):
        correct(api, point(event), mass).expect(200)
    path = point(event) + "/corrections"

    assert [one["to_value"] for one in api.get(path, {"page_size": "2", "sort": "-id"}).data] == [4, 3]
    assert [one["to_value"] for one in api.get(path, {"filter[state][eq]": "in_force"}).data] == [4]
    assert api.get(path, {"filter[source][eq]": "adjustment"}).data == []


def test_a_corrected_event_keeps_its_correction_when_it_is_completed_later(api, project, point):
    event = given.event(api, project, values={"mass": 1})
    correct(api, point(event), 2).expect(200)

    path = f"/projects/{project['id']}/events/{event['id']}"
    whole = api.patch(path, {"event": {"data_points": [{"slug": "note", "value": "wet"}]}}).expect(200).body

    assert [(one["slug"], one["value"], one["raw_value"]) for one in whole["data_points"]] == [
        ("mass", 2, 1),
        ("note", "wet", "wet"),
    ]


def audited(sql, project, action):
    return sql(
        "SELECT before, after FROM audit_log WHERE project_id = %s AND action = %s ORDER BY id",
        project["numeric_id"],
        action,
    )


def test_a_data_point_is_corrected_below_its_event_too(api, project):
    event, other = (given.event(api, project, values={"mass": 12}) for _ in range(2))
    [mass] = event["data_points"]
    inside = f"/projects/{project['id']}/events"

    corrected = correct(api, f"{inside}/{event['id']}/data_points/{mass['id']}", 13).expect(200).body

    assert (corrected["value"], corrected["raw_value"]) == (13, 12)
    assert api.get(f"/projects/{project['id']}/data_points/{mass['id']}").body == corrected
    correct(api, f"{inside}/{other['id']}/data_points/{mass['id']}", 14).expect_not_found(
        "data_point", mass["id"]
    )


def test_what_stands_beside_a_corrected_value_is_told_as_before(api, project, point):
    event = given.event(api, project, values={"mass": Decimal("12.50"), "note": "wet", "dry": False})
    path = f"/projects/{project['id']}/events/{event['id']}"
    before = {one["slug"]: one for one in api.get(path).body["data_points"]}

    correct(api, point(event), 13).expect(200)
    after = {one["slug"]: one for one in api.get(path).body["data_points"]}
    listed = {one["slug"]: one for one in api.get(f"/projects/{project['id']}/events").data[0]["data_points"]}

    assert (before["note"], before["dry"]) == (after["note"], after["dry"])
    assert before["mass"] | {"value": 13, "corrections_count": 1, "corrections_total": 1,
                             "value_source": after["mass"]["value_source"]} == after["mass"]  # fmt: skip
    assert listed == after
