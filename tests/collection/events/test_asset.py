"""The asset of an event: `asset_id` going in, `asset` with its name coming out."""

from tests.given import collection as given


def test_an_event_carries_its_asset(api):
    project = given.measuring(api)
    kiln = given.asset(api, project, name="Kiln")

    event = given.event(api, project, asset_id=kiln["id"])

    assert event["asset"] == {"id": kiln["id"], "name": "Kiln"}
    assert api.get(f"/projects/{project['id']}/events").data == [event]
    assert api.get(f"/projects/{project['id']}/events/{event['id']}").body == event


def test_an_event_without_an_asset_says_so(api):
    assert given.event(api, given.measuring(api))["asset"] is None


def test_events_of_a_request_may_be_of_different_assets(api):
    project = given.measuring(api)
    kiln, truck = given.asset(api, project), given.asset(api, project)
    wood = given.feedstock(api, project)
    asked = [{"asset_id": kiln["id"]}, {"feedstock_id": wood["id"]}, {"asset_id": truck["id"]}, {}]

    receipts = given.events(api, project, [given.event_body(**fields) for fields in asked])

    stored = {event["id"]: event for event in api.get(f"/projects/{project['id']}/events").data}
    shown = [stored[receipt["id"]] for receipt in receipts]
    assert [event["asset"] and event["asset"]["id"] for event in shown] == [
        kiln["id"],
        None,
        truck["id"],
        None,
    ]
    assert [event["feedstock"] and event["feedstock"]["id"] for event in shown] == [
        None,
        wood["id"],
        None,
        None,
    ]


def test_an_asset_that_the_project_does_not_have_is_refused(api):
    project = given.measuring(api)
    theirs = given.asset(api, given.project(api))
    path = f"/projects/{project['id']}/events"

    single = api.post(path, {"event": given.event_body(asset_id=theirs["id"])}).expect(422).error
    many = api.post(path, {"events": [given.event_body(), given.event_body(asset_id="ast_1")]}).expect(422)

    assert (single["field"], single["code"]) == ("asset_id", "unknown")
    assert single["message"] == f"event.asset_id is '{theirs['id']}', which is no asset of the project."
    assert many.error["field"] == "events[1].asset_id"


def test_the_asset_may_be_repeated_or_corrected_and_not_taken_away(api):
    project = given.measuring(api)
    kiln, truck = given.asset(api, project), given.asset(api, project)
    event = given.event(api, project, asset_id=kiln["id"])
    path = f"/projects/{project['id']}/events/{event['id']}"

    same = api.patch(path, {"event": {"asset_id": kiln["id"], "notes": "x"}}).expect(200).body
    other = api.patch(path, {"event": {"asset_id": truck["id"]}}).expect(200).body
    none = api.patch(path, {"event": {"asset_id": None}}).expect(422).error

    assert (same["asset"]["id"], other["asset"]["id"]) == (kiln["id"], truck["id"])
    assert (none["field"], none["code"]) == ("asset_id", "invalid")
