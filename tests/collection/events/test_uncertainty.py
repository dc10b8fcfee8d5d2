"""How well single values are known: sent with events, changed by PATCH of events and data points."""

from decimal import Decimal

import pytest
from tests.given import collection as given

MASS = given.number("mass")
HALF_WIDTH = {"half_width": Decimal("0.040"), "coverage_factor": 2, "unit": "t"}


@pytest.fixture
def project(api):
    return given.measuring(api, MASS, given.text("note"), given.number("ash", unit="%", required=False))


def stated(value, uncertainty, slug="mass"):
    return {"slug": slug, "value": value, "uncertainty": uncertainty}


def send(api, project, *points, **fields):
    body = given.event_body(**fields) | {"data_points": list(points)}
    return api.post(f"/projects/{project['id']}/events", {"event": body})


def of_slug(event, slug="mass"):
    [found] = [one for one in event["data_points"] if one["slug"] == slug]
    return found


def test_a_value_says_how_well_it_is_known_and_the_others_say_nothing(api, project):
    sent = [stated(20, HALF_WIDTH), {"slug": "ash", "value": 5}]

    made = send(api, project, *sent).expect(201).body

    assert of_slug(made)["uncertainty"] == HALF_WIDTH
    assert "uncertainty" not in of_slug(made, "ash")
    assert api.get(f"/projects/{project['id']}/events/{made['id']}").body == made
    assert api.get(f"/projects/{project['id']}/events").data == [made]
    point = api.get(f"/projects/{project['id']}/data_points/{of_slug(made)['id']}").body
    assert point["uncertainty"] == HALF_WIDTH
    listed = api.get(f"/projects/{project['id']}/data_points", {"slug": "ash"}).data
    assert "uncertainty" not in listed[0]


def test_of_many_events_each_value_may_say_its_own(api, project):
    percentiles = {
        "relative_percentiles": {
            "low": Decimal("0.9"),
            "high": Decimal("1.1"),
            "probability": Decimal("0.95"),
        }
    }
    values = [stated(1, HALF_WIDTH), {"slug": "mass", "value": 2}, stated(3, percentiles)]
    bodies = [
        given.event_body(start_time=f"2025-01-0{day}T00:00:00Z", notes="tab\t and \\")
        | {"data_points": [value]}
        for day, value in enumerate(values, 1)
    ]

    given.events(api, project, bodies)

    listed = api.get(f"/projects/{project['id']}/events", {"sort": "start_time"}).data
    assert [of_slug(one).get("uncertainty") for one in listed] == [HALF_WIDTH, None, percentiles]
    assert [one["notes"] for one in listed] == ["tab\t and \\"] * 3


@pytest.mark.parametrize(
    ("point", "field"),
    [
        (stated(1, {"half_width": -1, "coverage_factor": 2}), "uncertainty.half_width"),
        (stated(1, {"half_width": 1}), "uncertainty.coverage_factor"),
        (stated(1, {"standard": 1, "unit": "m"}), "uncertainty.unit"),
        (stated(1, {}), "uncertainty"),
        (stated(1, {"standard": 1, "relative_standard": 1}), "uncertainty.relative_standard"),
        (stated(1, {"standard": 1, "source": "a\u200bb"}), "uncertainty.source"),
        (stated(1, {"standard": Decimal("1e-200")}), "uncertainty.standard"),
        (stated("wet", {"standard": 1}, "note"), "uncertainty"),
        (stated(None, {"standard": 1}, "ash"), "uncertainty"),
    ],
)  # fmt: skip
def test_a_statement_that_does_not_hold_is_refused_by_its_path(api, project, point, field):
    points = [{"slug": "mass", "value": 1}] * (point["slug"] != "mass")

    error = send(api, project, *points, point).expect(422).error

    assert error["field"] == f"data_points[{len(points)}].{field}"


def test_a_patch_of_the_event_states_it_anew_and_null_takes_it_away(api, project):
    made = send(api, project, stated(20, HALF_WIDTH), {"slug": "ash", "value": 5}).expect(201).body
    path = f"/projects/{project['id']}/events/{made['id']}"

    def change(*points):
        return api.patch(path, {"event": {"data_points": list(points)}}).expect(200).body

    changed = change(stated(20, {"standard": Decimal("0.1")}))
    assert of_slug(changed)["uncertainty"] == {"standard": Decimal("0.1")}
    assert of_slug(changed)["corrections_count"] == 0
    corrected = change(
        {"slug": "mass", "value": 21}, stated(5, {"relative_standard": Decimal("0.02")}, "ash")
    )
    assert of_slug(corrected)["uncertainty"] == {"standard": Decimal("0.1")}
    assert of_slug(corrected, "ash")["uncertainty"] == {"relative_standard": Decimal("0.02")}
    change(stated(21, None))
    bare = change(stated(5, None, "ash"))
    assert [one.get("uncertainty") for one in bare["data_points"]] == [None, None]
    assert api.get(path).body == bare


def test_a_patch_of_the_data_point_needs_no_value(api, project):
    made = send(api, project, {"slug": "mass", "value": 20}).expect(201).body
    path = f"/projects/{project['id']}/data_points/{of_slug(made)['id']}"

    changed = api.patch(path, {"data_point": {"uncertainty": HALF_WIDTH}}).expect(200).body

    assert (changed["value"], changed["uncertainty"], changed["corrections_count"]) == (20, HALF_WIDTH, 0)
    both = api.patch(path, {"data_point": {"value": 21, "uncertainty": {"standard": 1}}}).expect(200).body
    assert (both["value"], both["uncertainty"]) == (21, {"standard": 1})
    assert api.get(path).body == both
    [row, *_] = api.get("/audit_log", {"sort": "-id"}).data
    assert (row["action"], row["after"]["data_point"]["uncertainty"]) == (
        "data_point.correct",
        {"standard": 1},
    )
    assert row["before"]["uncertainty"] == HALF_WIDTH
    assert api.patch(path, {"data_point": {"uncertainty": {"standard": 1}}}).expect(200).body == both
    assert "uncertainty" not in api.patch(path, {"data_point": {"uncertainty": None}}).expect(200).body
    assert api.patch(path, {"data_point": {}}).expect(422).error["code"] == "required"


def test_what_was_stated_before_is_read_as_it_was_known(api, project):
    made = send(api, project, stated(20, HALF_WIDTH)).expect(201).body
    path = f"/projects/{project['id']}/data_points/{of_slug(made)['id']}"
    [(clock,)] = api.server.sql("SELECT clock_timestamp()")
    known = api.get(path, {"as_of": clock.isoformat()}).expect(200).headers["as-of-number"]
    api.patch(path, {"data_point": {"uncertainty": None}}).expect(200)

    then = api.get(path, {"as_of": known}).expect(200).body

    assert then["uncertainty"] == HALF_WIDTH
    assert "uncertainty" not in api.get(path).body
