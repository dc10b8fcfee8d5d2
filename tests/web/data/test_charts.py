"""Charts of several series: what the address names is drawn and listed alike, over the same range."""

import re
from html import unescape

import pytest
from tests.given import collection as given
from tests.given.gaps import report, stack
from tests.given.people import visitor

HOURS = "of=hour/so2&from=2025-01-01T00:00&until=2025-01-01T06:00"


@pytest.fixture
def ada(account):
    return visitor(account)


def words(answer):
    """What a page says, without its marks."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", answer.expect(200).text)))


@pytest.fixture
def plant(api):
    """Two stacks that report hourly, and a boiler whose values have three other units."""
    project = stack(api, expected_locations="none")
    first, second = (given.asset(api, project, name=name)["id"] for name in ("North", "South"))
    report(api, project, "10 11 12 13 14 15", asset_id=first)
    report(api, project, "50 51 52 53 54 55", asset_id=second)
    quantities = [("heat", "kWh"), ("steam", "m3"), ("soot", "t")]
    types = [given.number(slug, unit=unit, required=False) for slug, unit in quantities]
    given.event_type(
        api, project, name="Boiler", slug="boiler", data_point_types=[*types, given.text("shift")]
    )
    given.event(
        api, project, event_type="boiler", start_time="2025-01-01T02:00:00Z", values={"heat": 900, "soot": 2}
    )
    return f"/projects/{project['id']}/data_points", first, second


def legend(answer):
    """The series that a page names below its chart, each with its latest value."""
    entries = re.findall(r"<li data-key=.*?</li>", answer.expect(200).text, re.DOTALL)
    return [unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", one))).strip() for one in entries]


def test_a_second_series_is_drawn_named_listed_and_told_to_the_script_and_is_removed_again(ada, plant):
    path, first, second = plant
    address = f"{HOURS}&meter={first}&also=hour/so2@{second}"

    page = ada.get(f"{path}?{address}")
    told = ada.get(f"{path}/series.json?{address}").expect(200).body

    assert legend(page) == [
        "So2 · hour · North latest 15 t Remove", "So2 · hour · South latest 55 t Remove",
    ]  # fmt: skip
    assert re.findall(r'<path[^>]* class="(line[^"]*)"', page.text) == ["line", "line also-1"]
    assert [one["name"] for one in told["series"]] == ["So2 · hour · North", "So2 · hour · South"]
    assert (told["axes"], [one["axis"] for one in told["series"]]) == (["t"], [0, 0])
    assert words(page).count("6 of 6 values") == 2
    [*removals] = map(unescape, re.findall(r'href="([^"]+)"[^>]*aria-label="Remove', page.text))
    assert legend(ada.get(removals[0])) == ["So2 · hour · South latest 55 t"]
    assert legend(ada.get(removals[1])) == ["So2 · hour · North latest 15 t"]


def test_another_unit_has_an_axis_to_the_right_and_a_third_is_refused_in_words(ada, plant):
    path, *_ = plant
    address = f"{HOURS}&also=boiler/heat&also=boiler/soot&also=boiler/steam"

    page = ada.get(f"{path}?{address}")
    told = ada.get(f"{path}/series.json?{address}").expect(200).body

    assert re.findall(r'class="axis unit"[^>]*>([^<]+)<', page.text) == ["t", "kWh"]
    assert [(one["key"], one["axis"]) for one in told["series"]] == [
        ("hour/so2", 0), ("boiler/heat", 1), ("boiler/soot", 0),
    ]  # fmt: skip
    assert "Steam · Boiler is in m3, and the chart has axes for t and kWh already" in words(page)


def test_a_chart_shows_four_series_and_numbers_only(ada, plant):
    path, first, second = plant
    further = [f"hour/so2@{first}", f"hour/so2@{second}", "hour/load", "boiler/soot", "boiler/shift"]

    page = ada.get(f"{path}?{HOURS}&{'&'.join(f'also={one}' for one in further)}")

    assert len(legend(page)) == 4
    assert "A chart shows 4 series at most; remove one to add Soot · Boiler." in words(page)
    assert "Shift · Boiler has no numbers, so it is not in the chart." in words(page)
    assert "Add a series" not in words(page)


def test_a_series_is_added_by_a_form_and_is_in_the_address(ada, plant):
    path, first, second = plant

    sent = ada.get(f"{path}?of=hour/so2&meter={first}&span=all&add=hour/so2&add_meter={second}").expect(303)

    assert sent.headers["location"].endswith(
        f"?of=hour%2Fso2&meter={first}&also=hour%2Fso2%40{second}&span=all"
    )
    assert len(legend(ada.get(sent.headers["location"]))) == 2


@pytest.mark.parametrize("also", ["hour/none", "none/so2", "hour/so2@ast_1", "hour/so2@evt_1", "hour"])
def test_a_series_of_no_such_name_or_meter_is_not_found(ada, plant, also):
    path, *_ = plant

    ada.get(f"{path}?{HOURS}&also={also}").expect(404)
    ada.get(f"{path}/series.json?{HOURS}&also={also}").expect(404)


def test_a_meter_of_another_account_is_not_found(server, ada, plant):
    path, *_ = plant
    other = server.account().caller()
    strange = given.asset(other, given.project(other))["id"]

    ada.get(f"{path}?{HOURS}&also=hour/so2@{strange}").expect(404)


def test_a_range_is_moved_by_its_own_width_and_doubled_without_scripts(ada, plant):
    path, *_ = plant

    def beside(address, name):
        page = ada.get(address).expect(200).text
        return unescape(re.search(rf'href="([^"]+)" data-beside="{name}"', page)[1])

    def fields(address):
        return re.findall(r'type="datetime-local" name="\w+" value="([^"]+)"', ada.get(address).text)

    shown = f"{path}?{HOURS}"
    assert fields(beside(shown, "later")) == ["2025-01-01T06:00", "2025-01-01T12:00"]
    assert fields(beside(shown, "out")) == ["2024-12-31T21:00", "2025-01-01T09:00"]
    month = f"{path}?of=hour/so2&from=2025-01-01T00:00&until=2025-02-01T00:00"
    assert fields(beside(month, "later")) == ["2025-02-01T00:00", "2025-03-01T00:00"]
    assert fields(beside(beside(month, "later"), "earlier")) == ["2025-01-01T00:00", "2025-02-01T00:00"]


@pytest.mark.parametrize("span", ["last_24_h", "today", "yesterday", "this_month", "last_month", "this_year"])
def test_a_range_by_the_clock_is_named_in_the_address_and_holds_for_table_chart_and_data(ada, plant, span):
    path, *_ = plant
    address = f"of=hour/so2&span={span}"

    page = ada.get(f"{path}?{address}")

    assert f'span={span}" aria-current="true">{span.replace("_", " ")}</a>' in page.text
    assert "No values in this range" in words(page)
    assert ada.get(f"{path}.json?{address}").expect(200).data == []
    told = ada.get(f"{path}/series.json?{address}").expect(200).body
    assert told["series"][0]["times"] == []
