"""`weighbridge archive check`: what differs between archive and database, and what explains it."""

import re

import pytest
from tests.commands.archive.given import files, forge, forge_column, put_manifest

from weighbridge.core import identity


def test_an_event_that_moves_to_another_month_changes_both(write, check, plant, deliveries):
    write()
    body = {"event": {"start_time": "2025-02-03T00:00:00Z", "end_time": "2025-02-03T00:00:00Z"}}
    plant.api.patch(f"/projects/{plant.project['id']}/events/{deliveries[1]}", body).expect(200)

    january, february = check()
    assert january["changed"][0].startswith(f"event {deliveries[1]} starts at another time, by correction ")
    assert february["changed"][0].startswith(f"event {deliveries[1]} started at another time")
    assert write() == [("2025-01", "written", 2), ("2025-02", "written", 2)]
    assert [one["changed"] for one in check()] == [[], []]


def test_late_data_and_new_evidence_are_named_by_the_check(write, check, plant, deliveries):
    write()
    late = plant.deliver("9", "2025-01-20T00:00:00Z")
    link = {"type": "url", "url": "https://example.org/a", "name": "Lab sheet"}
    plant.api.post(f"/events/{deliveries[2]}/evidence", {"evidence": link}).expect(201)

    january, february = check()

    assert january["changed"][0].startswith(f"event {late} came later, at ")
    assert february["changed"] == [f"event {deliveries[2]} changed since: evidence attached since"]
    assert [one["altered"] for one in (january, february)] == [[], []]
    assert write() == [("2025-01", "written", 2), ("2025-02", "written", 2)]


def test_a_renamed_data_point_type_is_told_once_and_makes_another_version(write, check, plant, sql):
    plant.deliver("1", "2025-01-10T00:00:00Z")
    write()
    sql(
        "UPDATE data_point_types SET name = 'Wet mass' WHERE project_id = %s AND slug = 'mass'",
        plant.project["numeric_id"],
    )

    [month] = check()

    assert (month["altered"], month["changed"]) == ([], [])
    assert "Wet mass" in month["renamed"][0]
    assert len(month["renamed"]) == 1


@pytest.mark.parametrize(
    "tampering",
    [
        (
            "UPDATE events SET numbers = '{{2.6}}' WHERE id = {}",
            "what was captured of mass was '2.5' and is '2.6'",
        ),
        ("UPDATE events SET numbers = '{{2.500}}' WHERE id = {}", "was '2.5' and is '2.500'"),
        ("UPDATE events SET tracking_id = 'X' WHERE id = {}", "tracking_id was nothing and is 'X'"),
        (
            "UPDATE events SET voided_at = now(), updated_at = now() WHERE id = {}",
            "voided_at was nothing and is",
        ),
        ("UPDATE events SET updated_at = now() WHERE id = {}", "updated_at differ"),
        ("UPDATE events SET start_time = start_time - '1 day'::interval WHERE id = {}", "by no correction"),
        ("DELETE FROM events WHERE id = {}", "is not in the database"),
    ],
)
def test_a_row_that_was_altered_past_the_triggers_is_found(write, check, deliveries, behind, tampering):
    statement, said = tampering
    write()
    behind(statement.format(identity.parse("event", deliveries[1]).key))

    months = check(code=1)

    altered = [sentence for sentence in months[0]["altered"] if said in sentence]
    assert altered, months
    assert all(sentence.startswith(f"event {deliveries[1]}") for sentence in altered)
    assert all(sentence.endswith("altered behind the service's back") for sentence in altered)
    assert months[1]["altered"] == []


def test_a_row_that_was_put_in_past_the_service_is_found(write, check, deliveries, behind):
    write()
    behind(
        """
        INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete,
                            created_at, updated_at)
        SELECT project_id, id + 1000000, event_type_id, start_time, end_time, '{7}', true,
               created_at, created_at
          FROM events WHERE id = %s
        """,
        identity.parse("event", deliveries[0]).key,
    )

    [month, _] = check(code=1)

    assert [sentence.partition(" is not")[2] for sentence in month["altered"]] == [
        " in the archive: altered behind the service's back"
    ]


@pytest.mark.usefixtures("deliveries")
def test_a_file_that_was_altered_is_found(write, check, place):
    write()
    [file] = files(place, "2025-01")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)

    january, february = check(code=1)

    assert "was altered: its SHA-256 is not" in january["altered"][0]
    assert february["altered"] == []


@pytest.mark.usefixtures("deliveries")
def test_files_that_were_forged_with_their_manifest_are_not_those_that_were_noted(write, check, place):
    write()
    forge(place, "2025-01", mass="2.6")

    january, _ = check(code=1)

    assert any("is not the one that was noted" in sentence for sentence in january["altered"])
    assert any("what was captured of mass was '2.6' and is '2.5'" in one for one in january["altered"])


STRANGE = {
    "no file": ({"files": []}, "is not a manifest of an archive"),
    "a file elsewhere": (
        {"files": [{"name": "../../../../etc/passwd", "sha256": "0" * 64, "size": 5}]},
        "names a file that is not named by its SHA-256: '../../../../etc/passwd'.",
    ),
    "another month": ({"month": "2025-02"}, "is the manifest of"),
    "a month outside": ({"month": "../x"}, "is the manifest of"),
    "another project": ({"project": "prj_1d81f5cf72e721f70653b286"}, "is the manifest of"),
    "another version": ({"version": 8}, "is the manifest of"),
    "no moment": ({"made_at": "yesterday"}, "was made at 'yesterday', which is not a timestamp."),
    "less than nothing": ({"rows": -1}, "is not a manifest of an archive"),
    "more than can be": ({"rows": 10**30}, "is not a manifest of an archive"),
}


@pytest.mark.usefixtures("deliveries")
@pytest.mark.parametrize("strange", STRANGE)
def test_a_manifest_that_no_run_wrote_is_told_and_keeps_no_month_from_being_checked(
    write, check, archive, place, strange
):
    fields, said = STRANGE[strange]
    write()
    put_manifest(place, "2025-01", fields)

    january, february = check(code=1)

    assert said in january["altered"][0]
    assert february["altered"] == []
    for done in (archive("verify", code=1), archive("write", "--through", "2025-12", code=1)):
        assert said in done.err


@pytest.mark.usefixtures("deliveries")
@pytest.mark.parametrize("column", ["event_type", "captured_fields", "data_points"])
def test_a_file_that_no_service_wrote_is_refused(write, archive, plant, place, column):
    plant.generate()
    write()
    forge_column(place, "2025-01", column, {"data_points": None}.get(column, "{strange"))

    done = archive("verify", code=1)

    assert re.search("not of the form of its manifest|no service wrote", done.err)


@pytest.mark.usefixtures("deliveries")
def test_a_version_that_was_not_noted_is_taken_for_ours_only_with_the_very_file(write, check, place):
    write()
    put_manifest(place, "2025-01", {})
    forge_column(place, "2025-01", "tracking_id", "forged", version=8)

    states = write()

    assert states == [("2025-01", "written", 9), ("2025-02", "unchanged", 1)]
    assert [one["altered"] for one in check()] == [[], []]
