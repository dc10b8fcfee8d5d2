"""Events and their data points as they were known at a row of the audit log (`as_of`)."""

from datetime import timedelta

from tests.given import collection as given


def clock(api):
    [(now,)] = api.server.sql("SELECT clock_timestamp()")
    return now


def newest(api) -> str:
    """The number of the newest row of the audit log."""
    return api.get("/ledgers", {"as_of": clock(api).isoformat()}).expect(200).headers["as-of-number"]


def ids(answer):
    return [one["id"] for one in answer.expect(200).data]


def measuring(api):
    """A project whose events have a mass."""
    return given.measuring(api, given.number("mass"))


def deliver(api, project, mass, day=1, **fields):
    time = f"2025-01-{day:02}T12:00:00Z"
    return given.event(api, project, start_time=time, values={"mass": mass}, **fields)


def test_an_event_is_not_known_before_it_was_delivered(api):
    project = measuring(api)
    before = newest(api)
    event = deliver(api, project, 2)
    after = newest(api)
    path = f"/projects/{project['id']}/events"

    assert ids(api.get(path, {"as_of": before})) == []
    assert ids(api.get(path, {"as_of": after})) == [event["id"]]
    api.get(f"{path}/{event['id']}", {"as_of": before}).expect(404)
    assert api.get(f"{path}/{event['id']}", {"as_of": after}).expect(200).body == event


def test_a_corrected_value_is_what_it_was_before(api):
    project = measuring(api)
    event = deliver(api, project, 2)
    before = newest(api)
    [point] = event["data_points"]
    home = f"/projects/{project['id']}"
    path = f"{home}/data_points/{point['id']}"
    api.patch(path, {"data_point": {"value": 3, "reason": "weighed again"}}).expect(200)

    assert api.get(path, {"as_of": before}).expect(200).body["value"] == 2
    assert api.get(f"{home}/events/{event['id']}", {"as_of": before}).expect(200).body == event
    assert api.get(path, {"as_of": newest(api)}).expect(200).body["value"] == 3
    assert api.get(f"{path}/corrections", {"as_of": before}).expect(200).data == []


def test_a_voided_event_is_known_before_it_was_voided(api):
    project = measuring(api)
    event = deliver(api, project, 2)
    before = newest(api)
    path = f"/projects/{project['id']}/events"
    api.delete(f"{path}/{event['id']}").expect(204)

    assert ids(api.get(path, {"as_of": before})) == [event["id"]]
    assert ids(api.get(path, {"as_of": newest(api)})) == []


def test_filters_find_what_events_were_then(api):
    project = measuring(api)
    event = deliver(api, project, 2, tracking_id="lot 1")
    before = newest(api)
    path = f"/projects/{project['id']}/events"
    change = {"event": {"tracking_id": "lot 2", "reason": "mislabelled"}}
    api.patch(f"{path}/{event['id']}", change).expect(200)

    first, second = {"filter[tracking_id]": "lot 1"}, {"filter[tracking_id]": "lot 2"}

    assert ids(api.get(path, first | {"as_of": before})) == [event["id"]]
    assert ids(api.get(path, second | {"as_of": before})) == []
    assert ids(api.get(path, second)) == [event["id"]]


def test_names_are_those_of_then(api):
    project = measuring(api)
    place = given.location(api, project, name="Yard")
    event = deliver(api, project, 2, locations=[{"id": place["id"]}])
    before = newest(api)
    home = f"/projects/{project['id']}"
    api.patch(f"{home}/locations/{place['id']}", {"location": {"name": "Dock"}}).expect(200)

    [then] = api.get(f"{home}/events", {"as_of": before}).expect(200).data

    assert then == event


def test_a_list_that_is_walked_by_cursor_stays_at_its_row(api):
    project = measuring(api)
    events = [deliver(api, project, 2, day) for day in (1, 2, 3)]
    before = newest(api)
    path = f"/projects/{project['id']}/events"
    page = api.get(path, {"as_of": before, "page_size": "2"}).expect(200)
    api.delete(f"{path}/{events[2]['id']}").expect(204)
    deliver(api, project, 2, 4)
    cursor = page.info["next_cursor"]

    rest = api.get(path, {"cursor": cursor, "page_size": "2"}).expect(200)

    assert [one["id"] for one in (*page.data, *rest.data)] == [one["id"] for one in events]
    assert rest.headers["as-of-number"] == before
    error = api.get(path, {"cursor": cursor, "as_of": newest(api)}).expect(400).error
    assert (error["field"], error["code"]) == ("cursor", "conflict")


def test_only_a_cursor_that_has_a_row_looks_back(api):
    """A point in another parameter is none of the cursor."""
    project = measuring(api)
    for day in (1, 2, 3):
        deliver(api, project, 2, day)
    path = f"/projects/{project['id']}/events"
    query = {"page_size": "1", "filter[start_time][geq]": "2025-01-01T00:00:00.000Z"}
    first = api.get(path, query).expect(200)

    second = api.get(path, query | {"cursor": first.info["next_cursor"]}).expect(200)

    assert "as-of-number" not in second.headers
    assert "." not in second.info["next_cursor"]


def test_a_value_that_names_the_parameter_does_not_look_back(api):
    project = measuring(api)
    deliver(api, project, 2, tracking_id="as_of")

    found = api.get(f"/projects/{project['id']}/events", {"filter[tracking_id]": "as_of"}).expect(200)

    assert len(found.data) == 1
    assert "as-of-number" not in found.headers


def test_the_parameter_may_be_percent_encoded(api):
    project = measuring(api)
    before = newest(api)
    deliver(api, project, 2)

    found = api.get(f"/projects/{project['id']}/events?as%5Fof={before}").expect(200)

    assert found.data == []
    assert found.headers["as-of-number"] == before


def test_a_time_means_the_newest_row_then(api):
    project = measuring(api)
    path = f"/projects/{project['id']}/events"
    first = deliver(api, project, 2)
    between = clock(api)
    known = api.get(path, {"as_of": between.isoformat()}).expect(200)
    second = deliver(api, project, 2, 2)

    assert ids(known) == ids(api.get(path, {"as_of": between.isoformat()})) == [first["id"]]
    assert (
        known.headers["as-of-number"] == api.get(path, {"as_of": between.isoformat()}).headers["as-of-number"]
    )
    assert known.headers["as-of-time"] <= between.isoformat()
    assert ids(api.get(path, {"as_of": clock(api).isoformat()})) == [first["id"], second["id"]]
    assert ids(api.get(path, {"as_of": "2020-01-01T00:00:00Z"})) == []


def test_what_is_neither_a_row_nor_a_past_time_is_refused(api):
    project = measuring(api)
    path, number = f"/projects/{project['id']}/events", int(newest(api))
    later = (clock(api) + timedelta(hours=1)).isoformat()

    for wrong in ("", "yesterday", "-1", "2025-01-01", "2025-01-01T00:00:00", later, str(number + 1000)):
        error = api.get(path, {"as_of": wrong}).expect(400).error
        assert (error["field"], error["code"]) == ("as_of", "invalid"), wrong
    error = api.get(path, {"as_of": str(number), "response_mode": "summary"}).expect(400).error
    assert (error["field"], error["code"]) == ("response_mode", "conflict")


def test_a_request_that_does_not_look_back_refuses_it(api):
    project = measuring(api)

    for path in ("/models", f"/projects/{project['id']}", f"/projects/{project['id']}/assets"):
        assert api.get(path, {"as_of": "1"}).expect(400).error["field"] == "as_of"


def test_rows_are_those_of_the_account(api, stranger):
    project = measuring(api)
    deliver(api, project, 2)
    number = newest(api)

    stranger.get(f"/projects/{project['id']}/events", {"as_of": "1"}).expect(404)
    for _ in range(int(number) + 1):
        given.project(stranger)
    beyond = newest(stranger)
    assert int(beyond) > int(newest(api))
    assert api.get("/ledgers", {"as_of": beyond}).expect(400).error["field"] == "as_of"


def test_a_token_without_the_permission_is_refused(account, api):
    project = measuring(api)

    account.caller("data_rules:read").get(f"/projects/{project['id']}/events", {"as_of": "1"}).expect(403)
