"""Which columns a list shows and how its rows are grouped: its address says both, its data do not change."""

import re
from urllib.parse import quote

import pytest
from tests.given import accounting as given_accounting
from tests.given.people import visitor


@pytest.fixture
def reader(account):
    return visitor(account)


@pytest.fixture
def plant(api, account):
    return given_accounting.plant(api, account.drain)


def heads(page):
    """The column headers of the list on a page."""
    table = page[page.index("<thead>") : page.index("</thead>")]
    cells = re.findall(r"<th scope=\"col\"[^>]*>(.*?)</th>", table, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in cells]


def groups(page):
    """The headings of groups with what they count."""
    found = re.findall(r'<tr class="of-rows"><th[^>]*>(.*?)</th>', page, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in found]


def test_a_list_shows_the_columns_of_its_address(plant, reader):
    plant.deliver(10)
    events = f"/projects/{plant.project['id']}/events"

    assert heads(reader.get(events).expect(200).text) == [
        "Event", "Time", "Values", "Asset or location", "State",
    ]  # fmt: skip
    chosen = reader.get(f"{events}?columns=created,event,time").expect(200).text
    assert heads(chosen) == ["Event", "Time", "Created"]
    as_sent_by_a_form = reader.get(f"{events}?columns=event&columns=time&columns=created").expect(200).text
    assert heads(as_sent_by_a_form) == ["Event", "Time", "Created"]
    assert "columns=event,time,created&amp;sort=" in as_sent_by_a_form
    assert heads(reader.get(f"{events}?columns=state").expect(200).text) == ["Event", "State"]


def test_columns_that_a_list_does_not_have_are_named(plant, reader):
    plant.deliver(10)
    events = f"/projects/{plant.project['id']}/events"

    page = reader.get(f"{events}?columns=time,{quote('<b>colour')}&group=smell").expect(200).text

    assert heads(page) == ["Event", "Time"]
    assert "Columns that this list does not have were ignored: &lt;b&gt;colour." in page
    assert "This list cannot be grouped by smell." in page


def test_events_of_one_type_show_data_points_as_columns(plant, reader):
    plant.deliver(10)
    events = f"/projects/{plant.project['id']}/events"
    slug = reader.get(f"{events}.json").expect(200).body["data"][0]["slug"]

    page = reader.get(f"{events}?filter[slug]={slug}&columns=event,point.mass").expect(200).text
    assert heads(page) == ["Event", "Mass t"]
    assert '<data class="fig" value="10"' in page
    of_all_types = reader.get(f"{events}?columns=event,point.mass").expect(200).text
    assert "were ignored: point.mass." in of_all_types


def test_the_data_of_a_list_do_not_depend_on_its_columns(plant, reader):
    plant.deliver(10)
    events = f"/projects/{plant.project['id']}/events"

    for suffix in (".csv", ".json"):
        usual = reader.get(f"{events}{suffix}").expect(200).text
        assert reader.get(f"{events}{suffix}?columns=time&group=type").expect(200).text == usual


def test_events_are_grouped_by_day_type_and_asset(plant, reader):
    for day in (1, 2, 2):
        plant.deliver(10, day)
    events = f"/projects/{plant.project['id']}/events"

    by_day = reader.get(f"{events}?group=day").expect(200).text
    assert [heading.split()[-5:] for heading in groups(by_day)] == [
        ["2025", "2", "events", "on", "this", "page"][1:],
        ["2025", "1", "event", "on", "this", "page"][1:],
    ]
    [by_type] = groups(reader.get(f"{events}?group=type").expect(200).text)
    assert by_type.endswith("3 events on this page")
    assert groups(reader.get(f"{events}?group=asset").expect(200).text) == ["No asset 3 events on this page"]


def test_groups_count_the_rows_of_their_page_only(plant, reader):
    for day in (1, 2, 2):
        plant.deliver(10, day)
    events = f"/projects/{plant.project['id']}/events"

    first = reader.get(f"{events}?group=day&page_size=2").expect(200).text
    assert [heading[-22:] for heading in groups(first)] == [" 2 events on this page"]
    following = re.search(r'href="([^"]+)" rel="next"', first)[1].replace("&amp;", "&")
    assert "group=day" in following
    assert [heading[-21:] for heading in groups(reader.get(following).expect(200).text)] == [
        " 1 event on this page"
    ]


def test_groups_follow_one_another_whatever_order_is_wanted(plant, reader):
    """Grouped by day and sorted by when it was stored, a list has each day once on all of its pages."""
    for day in (2, 1, 2, 1):
        plant.deliver(10, day)
    address = f"/projects/{plant.project['id']}/events?group=day&sort=created_at&page_size=2"

    seen = []
    while address:
        page = reader.get(address).expect(200).text
        seen += [heading.partition(" 2025")[0] for heading in groups(page)]
        found = re.search(r'href="([^"]+)" rel="next"', page)
        address = found[1].replace("&amp;", "&") if found else ""
    assert len(seen) == len({*seen}) == 2


def test_batches_are_grouped_by_ledger_and_month(plant, reader):
    plant.deliver(10)
    plant.generate()
    batches = f"/projects/{plant.project['id']}/batches"

    [by_month] = groups(reader.get(f"{batches}?group=month&columns=batch,credited").expect(200).text)
    assert by_month.endswith("2025 1 batch on this page")
    [by_ledger] = groups(reader.get(f"{batches}?group=ledger").expect(200).text)
    assert by_ledger == f"{plant.ledger['name']} 1 batch on this page"


@pytest.mark.parametrize("name", ["reports", "rules", "data_points", "assets", "locations"])
def test_every_list_takes_columns_of_its_address(plant, reader, api, name):
    plant.deliver(10)
    home = f"/projects/{plant.project['id']}"
    api.post(f"{home}/assets", {"asset": {"name": "Shredder"}}).expect(201)
    api.post(f"{home}/locations", {"location": {"name": "Yard"}}).expect(201)

    page = reader.get(f"{home}/{name}?columns=nonsense").expect(200).text

    # The page of reports has a form with tables of its own.
    page = re.sub(r"<fieldset.*?</fieldset>", "", page, flags=re.DOTALL)
    if "<thead>" in page:
        assert len(heads(page)) == 1
        assert "were ignored: nonsense." in page


def test_a_plain_list_offers_every_plain_field(plant, reader, api):
    home = f"/projects/{plant.project['id']}"
    api.post(f"{home}/assets", {"asset": {"name": "Shredder"}}).expect(201)

    page = reader.get(f"{home}/assets?columns=name,updated_at").expect(200).text

    assert heads(page) == ["Name", "Updated at"]
    assert 'data-column="created_at"' in page
