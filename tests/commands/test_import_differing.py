"""`weighbridge import` of rows whose events are there with other values: told of, or corrected on demand."""

import pytest
from tests.given import collection as given

HEADER = "Time,Steam mass,State"
ROWS = "2025-01-01T00:00Z,12.50,open\n2025-01-01T01:00Z,0.1,shut\n2025-01-01T02:00Z,7,open\n"
CONTENT = f"{HEADER}\n{ROWS}"
MENDED = CONTENT.replace("12.50", "12.75") + "2025-01-01T03:00Z,8,open\n"
COUNTS = ("rows", "stored", "already_there", "differing", "corrected", "bad_rows")


def counts(done):
    return tuple(done.json[name] for name in COUNTS)


@pytest.fixture
def service(server, api):
    """What the way through the service takes from the environment."""
    return {"WEIGHBRIDGE_URL": server.address, "WEIGHBRIDGE_TOKEN": api.token}


@pytest.fixture
def through(service, account_name, weighbridge, plant, request):
    """Imports a log straight into the database or through the service, always under one name."""

    def run(way, content, *options):
        log = request.getfixturevalue("tmp_path") / "log.csv"
        log.write_text(content)
        words = (
            "import", log, "--project", plant["id"], "--event-type", "delivery", "--map", "Time=start_time",
            "--reference", "boiler", "--json",
        )  # fmt: skip
        if way == "service":
            request.getfixturevalue("working")
            return weighbridge(*words, *options, **service)
        return weighbridge(*words, *options, "--account", account_name)

    return run


@pytest.fixture
def values(api, plant):
    """The values of the plant's events, the earliest first."""

    def read():
        found = api.get(f"/projects/{plant['id']}/events", {"sort": "start_time"}).expect(200).data
        return [
            {point["slug"]: str(point["value"]) for point in event["data_points"]} | {"id": event["id"]}
            for event in found
        ]

    return read


@pytest.mark.parametrize("way", ["database", "service"])
def test_rows_that_differ_are_told_and_the_others_are_stored(through, values, way):
    through(way, CONTENT).expect(0)

    done = through(way, MENDED).expect(1)

    assert counts(done) == (4, 1, 2, 1, 0, 0)
    assert "1 events stored, 2 there already, 1 there already with other values" in done.err
    [told] = done.json["problems"]
    assert told["line"] == 2
    [reason] = told["reasons"]
    assert "'Steam mass'" in reason
    assert "'12.50'" in reason
    assert "'12.75'" in reason
    stays = f"correct the event {values()[0]['id']}, or let on_difference of the data feed be correct"
    assert stays in reason
    assert "--on-difference gives on_difference" in done.err
    assert [one["steam-mass"] for one in values()] == ["12.50", "0.1", "7", "8"]


@pytest.mark.parametrize("way", ["database", "service"])
def test_events_are_corrected_on_demand_with_the_file_as_their_reason(through, values, api, plant, way):
    through(way, CONTENT).expect(0)

    done = through(way, MENDED, "--on-difference", "correct").expect(0)
    again = through(way, MENDED).expect(0)

    assert (counts(done), counts(again)) == ((4, 1, 2, 1, 1, 0), (4, 0, 4, 0, 0, 0))
    first, *_ = values()
    assert first["steam-mass"] == "12.75"
    [made] = api.get(f"/projects/{plant['id']}/events/{first['id']}/corrections").expect(200).data
    assert made["reason"].startswith("The file log.csv says so, upload ")


def test_a_dry_run_tells_what_would_be_corrected(through, values):
    through("database", CONTENT).expect(0)

    reported = through("database", MENDED, "--dry-run").expect(1)
    corrected = through("database", MENDED, "--dry-run", "--on-difference", "correct").expect(0)

    assert (counts(reported), counts(corrected)) == ((4, 0, 2, 1, 0, 0), (4, 0, 2, 1, 1, 0))
    assert "would be corrected to what the file says" in corrected.err
    assert [one["steam-mass"] for one in values()] == ["12.50", "0.1", "7"]


@pytest.mark.parametrize("way", ["database", "service"])
def test_what_a_person_corrected_since_is_left_to_them(through, values, api, plant, way):
    through(way, CONTENT).expect(0)
    change = {
        "event": {"data_points": [{"slug": "steam-mass", "value": 99}, {"slug": "state", "value": "on"}]}
    }
    api.patch(f"/projects/{plant['id']}/events/{values()[0]['id']}", change).expect(200)

    through(way, CONTENT).expect(0)
    done = through(way, CONTENT.replace("12.50,open", "12.50,off"), "--on-difference", "correct").expect(0)

    assert counts(done) == (3, 0, 2, 1, 1, 0)
    assert (values()[0]["steam-mass"], values()[0]["state"]) == ("99", "off")


def test_sending_an_event_again_says_what_differs(api, plant):
    sent = given.event_body(values={"steam-mass": 1, "state": "open"}, client_reference="T-1")
    [there] = given.events(api, plant, [sent])
    other = sent | {"data_points": [{"slug": "steam-mass", "value": 2}]}

    answer = api.post(f"/projects/{plant['id']}/events", {"events": [other]}).expect(422)
    one = api.post(f"/projects/{plant['id']}/events", {"event": other}).expect(422)
    same = api.post(f"/projects/{plant['id']}/events", {"events": [sent]}).expect(422)

    told = [(each["code"], each["field"], each["records"]) for each in answer.body["errors"]]
    assert told == [
        ("taken", "events[0].client_reference", [there["id"]]),
        ("differs", "events[0].data_points[0].value", [there["id"]]),
    ]
    assert answer.body["errors"][1]["message"] == (
        f"events[0].data_points[0].value of 'steam-mass' is '2', and '1' in the event {there['id']} that has "
        "its client_reference."
    )
    assert [each["code"] for each in one.body["errors"]] == ["taken", "differs"]
    assert [each["code"] for each in same.body["errors"]] == ["taken"]


def test_each_of_two_events_under_a_known_reference_says_what_differs_of_its_own(api, plant):
    sent = given.event_body(values={"steam-mass": 1, "state": "open"}, client_reference="T-1")
    given.events(api, plant, [sent])
    mass = sent | {"data_points": [{"slug": "steam-mass", "value": 2}]}
    state = sent | {"data_points": [{"slug": "state", "value": "shut"}, {"slug": "steam-mass", "value": 1}]}

    answer = api.post(f"/projects/{plant['id']}/events", {"events": [mass, state]}).expect(422)

    assert [each["field"] for each in answer.body["errors"] if each["code"] == "differs"] == [
        "events[0].data_points[0].value",
        "events[1].data_points[0].value",
    ]


def test_an_event_of_another_type_under_a_known_reference_differs_in_its_type(api, plant):
    given.event_type(api, plant, slug="other")
    given.event(api, plant, event_type="other", client_reference="T-1")

    answer = api.post(
        f"/projects/{plant['id']}/events",
        {"event": given.event_body(values={"steam-mass": 1}, client_reference="T-1")},
    ).expect(422)

    assert [(each["code"], each["field"]) for each in answer.body["errors"]] == [
        ("taken", "client_reference"),
        ("differs", "event_type"),
    ]
