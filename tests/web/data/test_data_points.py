"""Pages of data points: over time with every mark, one with its history, a correction after its impact."""

import re
from decimal import Decimal
from html import unescape

import pytest
from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given.gaps import filling, report, stack
from tests.given.people import visitor
from tests.given.rule_evaluation import calibration, work

MONTH = "from=2025-01-01T00:00&until=2025-02-01T00:00"


@pytest.fixture
def plant(api, drain):
    return given_accounting.plant(api, drain)


@pytest.fixture
def ada(account):
    return visitor(account)


def home(plant):
    return f"/projects/{plant.project['id']}"


def words(answer):
    """What a page says, without its marks."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", answer.expect(200).text)))


def charted(ada, address):
    """The series that the script of a chart draws."""
    return ada.get(address).expect(200).body["series"]


@pytest.fixture
def mass(api, plant):
    """The mass of a delivery of 30 t, credited, as its data point."""
    event = plant.deliver(30, day=3)
    plant.generate()
    return api.get(f"{home(plant)}/events/{event}").body["data_points"][0]


def test_the_chart_has_every_value_and_marks_what_was_corrected_and_why(api, ada, plant, mass):
    plant.deliver(25, day=5)
    api.patch(
        f"{home(plant)}/data_points/{mass['id']}", {"data_point": {"value": 28, "reason": "Second weighing"}}
    ).expect(200)
    outage = {
        "reason": "Calibration",
        "start_time": "2025-01-10T00:00:00Z",
        "end_time": "2025-01-12T00:00:00Z",
    }
    api.post(f"{home(plant)}/outages", {"outage": outage}).expect(201)

    [series] = charted(ada, f"{home(plant)}/data_points/series.json?of=delivery/mass&{MONTH}")

    assert [Decimal(one) for one in series["high"]] == [28, 25]
    assert [one and Decimal(one) for one in series["captured"]] == [30, None]
    [pin] = series["pins"]
    assert (pin["source"], pin["reason"], Decimal(pin["captured"])) == ("manual", "Second weighing", 30)
    assert [one["reason"] for one in series["outages"]] == ["Calibration"]


def test_without_a_script_the_page_has_a_picture_and_the_values_as_a_table(ada, plant, mass):
    page = ada.get(f"{home(plant)}/data_points?of=delivery/mass&{MONTH}").expect(200).text

    assert 'class="picture trace wide"' in page
    assert mass["id"] in page
    assert "30" in words(ada.get(f"{home(plant)}/data_points?of=delivery/mass&{MONTH}"))


def test_a_range_without_values_says_so(ada, plant):
    plant.deliver(30)
    address = f"{home(plant)}/data_points?of=delivery/mass&from=2024-01-01T00:00&until=2024-02-01T00:00"

    assert "No values in this range" in words(ada.get(address))


def test_many_values_are_cut_into_their_extremes_and_no_spike_is_lost(server, ada, plant):
    plant.deliver(5)
    server.sql(
        """
        WITH made AS MATERIALIZED (
            SELECT e.project_id, 1000000000 + n, e.event_type_id, t, t,
                   ARRAY[CASE n WHEN 4321 THEN 900 ELSE 10 END], true
              FROM (SELECT * FROM events WHERE project_id = %s ORDER BY id LIMIT 1) e,
                   generate_series(1, 20000) n,
                   LATERAL (SELECT timestamptz '2025-01-01 00:00Z' + n * interval '2 minutes') AS l (t))
        INSERT INTO events (project_id, id, event_type_id, start_time, end_time, numbers, is_complete)
        SELECT * FROM made
        """,
        plant.project["numeric_id"],
    )

    [series] = charted(ada, f"{home(plant)}/data_points/series.json?of=delivery/mass&{MONTH}")

    assert series["is_cut"]
    assert 1_000 <= len(series["times"]) <= 1_201
    assert max(Decimal(one) for one in series["high"]) == 900
    assert min(Decimal(one) for one in series["low"]) == 5


def test_rules_that_would_follow_a_correction_are_named_with_its_impact(api, ada, plant, mass):
    calibration(api, plant.project, name="Scale reads low")

    seen = words(ada.get(f"{home(plant)}/data_points/{mass['id']}/correct?value=28&reason=Second+weighing"))

    assert "These automatic rules will evaluate the data afterwards" in seen
    assert "Scale reads low (adjust)." in seen


def test_a_correction_is_made_after_its_impact_was_seen_and_can_be_reverted(api, ada, plant, mass):
    path = f"{home(plant)}/data_points/{mass['id']}"

    seen = words(ada.get(f"{path}/correct?value=28&reason=Second+weighing"))
    assert "30 → 28" in seen
    assert "1 batch would be out of date" in seen
    assert Decimal(api.get(path).body["value"]) == 30

    ada.post(f"{path}/correct", {"value": "28", "reason": "Second weighing"}).expect(303)
    assert Decimal(api.get(path).body["value"]) == 28
    page = words(ada.get(path))
    assert "Second weighing" in page
    assert "captured 30" in page

    ada.post(f"{path}/revert").expect(303)
    assert Decimal(api.get(path).body["value"]) == 30


def test_what_is_no_number_is_said_and_stays_in_the_field(ada, plant, mass):
    path = f"{home(plant)}/data_points/{mass['id']}"

    looked = ada.get(f"{path}/correct?value=many").expect(200).text
    assert 'role="alert"' in looked
    assert 'value="many"' in looked
    ada.post(f"{path}/correct", {"value": "many"}).expect(422)


def test_a_data_point_names_the_batches_that_were_made_of_it(ada, plant, mass):
    [batch] = plant.batches()

    assert batch["id"] in ada.get(f"{home(plant)}/data_points/{mass['id']}").expect(200).text


def test_who_may_not_write_corrects_nothing_and_another_account_sees_nothing(account, server, plant, mass):
    path = f"{home(plant)}/data_points/{mass['id']}"
    reader = visitor(account, "data_collection:read")

    assert "Save correction" not in reader.get(path).expect(200).text
    reader.get(f"{path}/correct?value=1").expect(403)
    visitor(server.account()).get(path).expect(404)


def test_a_project_without_event_types_teaches_what_belongs_here(api, ada):
    project = given.project(api)

    assert "No data points yet" in words(ada.get(f"/projects/{project['id']}/data_points"))


@pytest.fixture
def stacks(account, api):
    """Two stacks that report hourly: of one a bad value is substituted and an hour imputed, one is out."""
    project = stack(api, expected_locations="none")
    first, second = (given.asset(api, project, name=name)["id"] for name in ("North", "South"))
    filling(api, project, {"method": "mean_before_after"})
    filling(api, project, {"method": "mean_before_after"}, purpose="impute", name="Impute")
    report(api, project, "10 !99 12 - 14 15", asset_id=first)
    report(api, project, "50 51 52 53 - -", asset_id=second)
    outage = {
        "reason": "Repair", "asset_id": second,
        "start_time": "2025-01-01T04:00:00Z", "end_time": "2025-01-01T05:00:00Z",
    }  # fmt: skip
    api.post(f"/projects/{project['id']}/outages", {"outage": outage}).expect(201)
    work(account)
    return f"/projects/{project['id']}/data_points", first, second


HOURS = "of=hour/so2&from=2025-01-01T00:00&until=2025-01-01T06:00"


def slots(answer):
    """What the strips below a chart say of each stretch, by meter."""
    found = re.findall(r'<svg class="strip".*?</svg>', answer.expect(200).text, re.DOTALL)
    return [[unescape(said) for said in re.findall(r"<title>(.*?)</title>", one)] for one in found]


def test_the_slots_below_a_chart_say_of_each_meter_what_was_captured_filled_out_and_missing(ada, stacks):
    path, *_ = stacks

    north, south = slots(ada.get(f"{path}?{HOURS}"))

    assert north[0] == "Intervals of North: 4 of 6 captured, 1 substituted, 1 imputed, 0 missing"
    assert [one.rpartition(", ")[2] for one in north[1:]] == [
        "1 captured", "1 substituted", "1 captured", "1 imputed", "2 captured",
    ]  # fmt: skip
    assert [one.rpartition(", ")[2] for one in south[1:]] == [
        "4 captured", "1 in an outage or out of service", "1 missing",
    ]  # fmt: skip


def test_a_chart_is_narrowed_to_a_meter_with_its_table_and_its_data(ada, stacks):
    path, first, second = stacks
    series = f"{path.removesuffix('data_points')}data_points/series.json?{HOURS}"

    def highs(address):
        [series] = charted(ada, address)
        return sorted(Decimal(one) for one in series["high"])

    assert highs(f"{series}&meter={second}") == [50, 51, 52, 53]
    assert highs(series) == sorted([*highs(f"{series}&meter={first}"), 50, 51, 52, 53])
    page = ada.get(f"{path}?{HOURS}&meter={second}")
    assert [one[0] for one in slots(page)] == [
        "Intervals of South: 4 of 5 captured, 0 substituted, 0 imputed, 1 missing"
    ]
    assert "4 of 4 values" in words(page)
    assert f'<option value="{second}" selected>South</option>' in page.text
    listed = ada.get(f"{path}.json?{HOURS}&meter={second}").expect(200).data
    assert {Decimal(one["value"]) for one in listed} == {50, 51, 52, 53}


def test_a_meter_that_is_none_is_not_found(ada, stacks):
    path, *_ = stacks

    ada.get(f"{path}?{HOURS}&meter=evt_1").expect(404)
    ada.get(f"{path}?{HOURS}&meter=many").expect(404)


def test_a_range_of_too_many_slots_is_counted_apart_and_keeps_its_chart(ada, stacks):
    path, *_ = stacks
    years = "of=hour/so2&from=2005-01-01T00:00&until=2025-02-01T00:00"

    page = ada.get(f"{path}?{years}")
    north, _ = slots(ada.get(f"{path}/strips?{years}"))

    assert "Count the expected intervals" in words(page)
    assert 'class="picture trace wide"' in page.text
    assert north[0].startswith("Intervals of North: 4 of ")
    assert "744 intervals" in north[-1]


def test_a_range_of_more_slots_than_are_counted_says_so(ada, stacks):
    path, *_ = stacks

    page = words(ada.get(f"{path}?of=hour/so2&from=0901-01-01T00:00&until=2025-02-01T00:00"))

    assert "Select a shorter range to see them" in page


def test_the_page_of_an_event_says_who_captured_it_by_hand_or_in_bulk(account, ada, plant):
    points = [{"slug": "mass", "value": 5}]
    body = {"event_type": "delivery", "start_time": "2025-01-02T00:00:00Z", "data_points": points}
    one = plant.deliver(30)
    [many] = plant.api.post(f"{home(plant)}/events", {"events": [body]}).expect(201).data
    [(author,)] = account.sql("SELECT name FROM users WHERE id = %s", account.actor.user_id)

    for event in (one, many["id"]):
        assert f"captured by {author}" in words(ada.get(f"{home(plant)}/events/{event}"))
