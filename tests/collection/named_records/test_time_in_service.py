"""Assets and locations say from when to when they are in service; both are told in every answer."""

import pytest
from tests.given import collection as given

FROM, UNTIL = "2024-05-31T00:00:00.000Z", "2025-05-31T00:00:00.000Z"


@pytest.fixture(params=["asset", "location"])
def noun(request):
    return request.param


def create(api, project, noun, **fields):
    return api.post(f"/projects/{project['id']}/{noun}s", {noun: {"name": "Meter"} | fields})


def change(api, project, noun, record, **fields):
    return api.patch(f"/projects/{project['id']}/{noun}s/{record['id']}", {noun: fields})


def service(record):
    return record["in_service_from"], record["in_service_until"]


def test_the_time_in_service_is_kept_and_shown(api, noun):
    project = given.project(api)

    made = create(
        api, project, noun, in_service_from="2024-05-31T02:00:00+02:00", in_service_until=UNTIL
    ).expect(201).body  # fmt: skip

    path = f"/projects/{project['id']}/{noun}s"
    assert service(made) == (FROM, UNTIL)
    assert service(api.get(f"{path}/{made['id']}").expect(200).body) == (FROM, UNTIL)
    assert [service(one) for one in api.get(path).expect(200).data] == [(FROM, UNTIL)]


def test_each_end_is_changed_by_itself_and_null_takes_it_away(api, noun):
    project = given.project(api)
    made = create(api, project, noun).expect(201).body

    begun = change(api, project, noun, made, in_service_from=FROM).expect(200).body
    ended = change(api, project, noun, made, in_service_until=UNTIL).expect(200).body
    again = change(api, project, noun, made, in_service_until=None).expect(200).body

    assert [service(one) for one in (made, begun, ended, again)] == [
        (None, None), (FROM, None), (FROM, UNTIL), (FROM, None),
    ]  # fmt: skip
    rows = api.get("/audit_log", {"filter[object]": made["id"]}).expect(200).data
    assert len(rows) == 4


def test_what_is_the_same_moment_is_no_change(api, noun):
    project = given.project(api)
    made = create(api, project, noun, in_service_from=FROM).expect(201).body

    same = change(api, project, noun, made, in_service_from="2024-05-31T02:00:00.0004+02:00").expect(200).body

    assert same["updated_at"] == made["updated_at"]


@pytest.mark.parametrize(("start", "end"), [(UNTIL, FROM), (FROM, FROM)])
def test_service_ends_after_it_begins(api, noun, start, end):
    project = given.project(api)
    made = create(api, project, noun, name="Other", in_service_until=end).expect(201).body

    answers = [
        create(api, project, noun, in_service_from=start, in_service_until=end).expect(422),
        change(api, project, noun, made, in_service_from=start).expect(422),
    ]

    for answer in answers:
        [error] = answer.errors
        assert (error["field"], error["code"]) == ("in_service_until", "invalid")
        assert error["message"] == (
            f"{noun}.in_service_until is {end}, which is not after in_service_from, {start}."
        )


def test_a_moment_outside_of_what_can_be_told_is_refused(api, noun):
    project = given.project(api)

    [error] = create(api, project, noun, in_service_from="0001-01-01T00:00:00+02:00").expect(422).errors

    assert error["field"] == "in_service_from"


def test_a_moment_without_an_offset_is_refused(api, noun):
    project = given.project(api)

    create(api, project, noun, in_service_from="2024-05-31T00:00:00").expect(400)
