"""GET /projects/{project_id}/events. Seed, Filtering and paging: filters of events."""

from tests.given import collection as given

MASS = given.number("mass")


def listed(api, project, query=()):
    return [event["id"] for event in api.get(f"/projects/{project['id']}/events", query).expect(200).data]


def at(api, project, day, **fields):
    return given.event(
        api, project, start_time=f"2025-01-{day:02d}T00:00:00Z", values={"mass": day}, **fields
    )["id"]


def test_the_list_goes_by_time_whatever_the_order_of_arrival(api):
    project = given.measuring(api, MASS)

    third, first, second = at(api, project, 3), at(api, project, 1), at(api, project, 2)

    assert listed(api, project) == [first, second, third]
    assert listed(api, project, {"sort": "-start_time"}) == [third, second, first]


def test_the_list_shows_events_as_they_are_shown_alone(api):
    project = given.measuring(api, MASS, given.text("note"))
    event = given.event(api, project, values={"mass": 1, "note": "dry"})

    assert api.get(f"/projects/{project['id']}/events").data == [event]


def test_the_list_leaves_out_other_projects(api):
    project, other = given.measuring(api, MASS), given.measuring(api, MASS)
    mine = at(api, project, 1)
    at(api, other, 1)

    assert listed(api, project) == [mine]


def test_events_are_found_by_the_id_the_number_and_the_slug_of_their_type(api):
    project = given.project(api)
    delivery = given.event_type(api, project, slug="delivery", data_point_types=[MASS])
    given.event_type(api, project, slug="reading", data_point_types=[MASS])
    wanted = at(api, project, 1, event_type="delivery")
    at(api, project, 1, event_type="reading")
    number = delivery["data_point_types"][0]["nexus_event_type_id"]

    for query in (
        {"filter[event_type_id][eq]": delivery["id"]},
        {"filter[event_type_id]": delivery["id"]},
        {"filter[nexus_event_type_id]": str(number)},
        {"filter[slug][eq]": "delivery"},
    ):
        assert listed(api, project, query) == [wanted], query


def test_events_are_found_by_any_of_their_locations(api):
    project = given.measuring(api, MASS)
    yard, kiln = given.location(api, project), given.location(api, project)
    both, one = at(api, project, 1, locations=[yard, kiln]), at(api, project, 2, locations=[kiln])
    at(api, project, 3)

    assert listed(api, project, {"filter[location_id][eq]": kiln["id"]}) == [both, one]
    assert listed(api, project, {"filter[location_id]": yard["id"]}) == [both]


def test_events_are_found_by_tracking_id_and_client_reference(api):
    project = given.measuring(api, MASS)
    first = at(api, project, 1, tracking_id="T-1", client_reference="r-1")
    second = at(api, project, 2, tracking_id="T-1", client_reference="r-2")
    at(api, project, 3, tracking_id="t-1")

    assert listed(api, project, {"filter[tracking_id]": "T-1"}) == [first, second]
    assert listed(api, project, {"filter[client_reference]": "r-2"}) == [second]


def test_bounds_of_time_include_their_own_instant(api):
    project = given.measuring(api, MASS)
    days = [at(api, project, day) for day in (1, 2, 3, 4)]

    query = {
        "filter[start_time][geq]": "2025-01-02T01:00:00+01:00",
        "filter[start_time][leq]": "2025-01-03T00:00:00Z",
    }

    assert listed(api, project, query) == days[1:3]


def test_filters_narrow_one_another(api):
    project = given.measuring(api, MASS)
    at(api, project, 1, tracking_id="T-1")
    wanted = at(api, project, 2, tracking_id="T-1")
    at(api, project, 2, tracking_id="T-2")

    query = {"filter[tracking_id]": "T-1", "filter[start_time][geq]": "2025-01-02T00:00:00Z"}

    assert listed(api, project, query) == [wanted]


def test_the_total_of_events_is_known_however_many_there_are(api):
    project = given.measuring(api, MASS)
    body = [given.event_body(values={"mass": 1})] * 5001
    path = f"/projects/{project['id']}/events"
    totals = []
    for _ in range(2):
        stored = given.events(api, project, body)
        info = api.get(path, {"page_size": "1", "filter[slug]": "delivery"}).info
        assert api.get(path, {"page_size": "1"}).info["total_items"] == info["total_items"]
        totals.append((info["total_items"], info["total_is_estimate"]))

    api.delete(f"{path}/{stored[0]['id']}").expect(204)
    info = api.get(path, {"page_size": "1"}).info

    assert totals == [(5001, False), (10_002, False)]
    assert (info["total_items"], info["total_is_estimate"]) == (10_001, False)


def test_an_order_that_no_index_gives_is_made_of_few_enough_events(api):
    project = given.measuring(api, MASS)
    for day in (1, 2):
        start = f"2025-01-0{day}T00:00:00Z"
        given.events(api, project, [given.event_body(start_time=start, values={"mass": 1})] * 5001)
    path = f"/projects/{project['id']}/events"

    refused = api.get(path, {"sort": "-end_time"}).expect(422).error
    narrowed = api.get(path, {"sort": "-end_time", "filter[start_time][geq]": "2025-01-02T00:00:00Z"})

    assert (refused["field"], refused["code"]) == ("sort", "too_many")
    assert "at most 10,000 records" in refused["message"]
    assert "start_time, id, friendly_id, updated_at" in refused["message"]
    assert narrowed.expect(200).info["total_items"] == 5001


def test_events_are_found_by_status(api):
    project = given.measuring(api, MASS)
    complete = at(api, project, 1)
    path = f"/projects/{project['id']}/events"
    body = given.event_body(start_time="2025-01-02T00:00:00Z", values={})
    incomplete = api.post(path, {"event": body}).expect(201).body["id"]

    assert listed(api, project, {"filter[status]": "complete"}) == [complete]
    assert listed(api, project, {"filter[status][eq]": "incomplete"}) == [incomplete]
    error = api.get(path, {"filter[status]": "pending"}).expect(400).error
    assert error["message"] == "filter[status] is 'pending'; status takes complete or incomplete."

    api.patch(f"{path}/{incomplete}", {"event": {"data_points": [{"slug": "mass", "value": 2}]}}).expect(200)
    assert listed(api, project, {"filter[status]": "incomplete"}) == []


def test_events_are_found_by_the_time_of_their_last_change(api):
    project = given.measuring(api, MASS)
    path = f"/projects/{project['id']}/events"
    first, second = at(api, project, 1), at(api, project, 2)
    made = api.get(f"{path}/{second}").expect(200).body["updated_at"]
    change = {"event": {"data_points": [{"slug": "mass", "value": 7}]}}
    changed = api.patch(f"{path}/{first}", change).expect(200).body["updated_at"]
    assert changed > made

    assert listed(api, project, {"filter[updated_at][geq]": changed}) == [first]
    assert listed(api, project, {"filter[updated_at][leq]": made}) == [second]
    assert listed(api, project, {"filter[updated_at]": changed}) == [first]
    assert listed(api, project, {"filter[updated_at][geq]": made, "filter[updated_at][leq]": changed}) == [
        first,
        second,
    ]


def test_the_next_page_shows_what_has_been_renamed_since_the_page_before(api):
    project = given.measuring(api, MASS)
    place = given.location(api, project, name="Yard")
    given.event(api, project, values={"mass": 1}, locations=[{"id": place["id"]}])
    event_type = api.get(f"/projects/{project['id']}/event_types").data[0]
    shown = api.get(f"/projects/{project['id']}/events").data[0]
    assert (shown["locations"][0]["name"], shown["event_type"]) == ("Yard", event_type["name"])

    api.patch(f"/projects/{project['id']}/locations/{place['id']}", {"location": {"name": "Quay"}}).expect(
        200
    )
    api.patch(
        f"/projects/{project['id']}/event_types/{event_type['id']}", {"event_type": {"name": "Weighing"}}
    ).expect(200)

    [shown] = api.get(f"/projects/{project['id']}/events").data
    assert (shown["locations"][0]["name"], shown["event_type"]) == ("Quay", "Weighing")


def test_the_next_page_shows_events_of_other_types_and_places_than_the_page_before(api):
    project = given.measuring(api, MASS)
    first = given.event(api, project, values={"mass": 1})
    assert api.get(f"/projects/{project['id']}/events").data == [first]

    given.event_type(api, project, slug="sample", data_point_types=[given.text("note")])
    place = given.location(api, project, name="Yard")
    later = given.event(
        api, project, event_type="sample", values={"note": "dry"}, locations=[{"id": place["id"]}]
    )

    for _ in range(2):
        assert api.get(f"/projects/{project['id']}/events", {"sort": "id"}).data == [first, later]


def test_the_next_page_shows_what_people_and_files_have_to_do_with_events_since(api):
    project = given.measuring(api, MASS)
    event = given.event(api, project, values={"mass": 1})
    path = f"/projects/{project['id']}/events"
    assert api.get(path).data == [event]

    api.post(
        f"/events/{event['id']}/evidence",
        {"evidence": {"type": "url", "url": "https://plant.example/slip", "name": "Slip"}},
    ).expect(201)
    assert api.get(path).data[0]["evidences"][0]["name"] == "Slip"
    assert api.get(path).data == [api.get(f"{path}/{event['id']}").body]

    point = event["data_points"][0]["id"]
    api.patch(f"/projects/{project['id']}/data_points/{point}", {"data_point": {"value": 2}}).expect(200)
    for _ in range(2):
        [shown] = api.get(path).data
        assert (shown["data_points"][0]["value"], shown["data_points"][0]["raw_value"]) == (2, 1)
        assert shown["data_points"][0]["corrections_count"] == 1
