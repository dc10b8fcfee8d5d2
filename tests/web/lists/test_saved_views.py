"""Saved views on the pages of lists: links above the list, the default, forms, and views that went stale."""

import re

import pytest
from tests.given import accounting as given_accounting
from tests.given.people import visitor


@pytest.fixture
def reader(account):
    return visitor(account)


@pytest.fixture
def plant(api, account):
    return given_accounting.plant(api, account.drain)


@pytest.fixture
def home(plant):
    plant.deliver(10)
    return f"/projects/{plant.project['id']}"


def save(reader, home, **fields):
    """Save a view of the events by the form; gives the address that the form leads to."""
    typed = {"list": "events", "name": "By day", "query": "group=day&columns=event,time"} | fields
    return reader.post(f"{home}/saved_views", typed).expect(303).headers["location"]


def views(page):
    """The saved views above a list, the one that is shown in brackets."""
    shown = page[page.index('aria-label="Saved views"') :]
    shown = shown[: shown.index("</ul>")]
    found = re.findall(r'<li><a href="[^"]*"( aria-current="true")?>([^<]*)</a>', shown)
    return [f"[{name}]" if current else name for current, name in found]


def test_a_view_is_saved_and_shown_above_its_list(reader, home):
    events = f"{home}/events"
    assert "Save this view" not in reader.get(events).expect(200).text
    assert "Save this view" in reader.get(f"{events}?group=day").expect(200).text

    address = save(reader, home)

    shown = reader.get(address).expect(200).text
    assert "View By day saved." in shown
    assert views(shown) == ["All", "[By day]"]
    assert 'class="of-rows"' in shown
    assert views(reader.get(f"{events}?view=all").expect(200).text) == ["[All]", "By day"]
    assert "Saved views" in reader.get(f"{home}/batches").expect(200).text
    assert "By day" not in reader.get(f"{home}/batches").expect(200).text


def test_a_refused_name_is_said_at_the_field_with_what_was_typed(reader, home):
    save(reader, home)

    again = reader.post(f"{home}/saved_views", {"list": "events", "name": "By day", "query": "group=type"})

    page = again.expect(422).text
    assert page.count("There is a view &#39;By day&#39; of this list already.") == 2
    assert 'name="query" value="group=type"' in page


def test_the_default_opens_however_many_views_there_are_before_it(reader, home):
    for number in range(60):
        save(reader, home, name=f"View {number:02d}")
    save(reader, home, name="Z", is_default="yes")

    opened = reader.get(f"{home}/events").expect(303).headers["location"]

    assert views(reader.get(opened).expect(200).text)[-1] == "[Z]"


def test_the_default_opens_where_the_address_has_no_query(reader, home):
    address = save(reader, home, is_default="yes")

    assert reader.get(f"{home}/events").expect(303).headers["location"] == address
    assert views(reader.get(f"{home}/events?view=all").expect(200).text) == ["[All]", "By day"]
    reader.get(f"{home}/events?group=type").expect(200)
    reader.get(f"{home}/batches").expect(200)
    assert reader.get(f"{home}/events.json").expect(200).body["data"]


def test_a_view_is_renamed_changed_and_deleted(reader, home):
    address = save(reader, home)
    number = re.search(r"view=(\d+)", address)[1]

    changed = reader.get(f"{home}/events?group=type&view={number}").expect(200).text
    assert "Save changes to By day" in changed
    assert "Save changes" not in reader.get(address).expect(200).text
    reader.post(f"{home}/saved_views/{number}/query", {"query": "group=type"}).expect(303)
    assert "Save changes" not in reader.get(f"{home}/events?group=type&view={number}").expect(200).text

    reader.get(f"{home}/saved_views/{number}/edit").expect(200)
    renamed = {"name": "By type", "is_default": "yes"}
    reader.post(f"{home}/saved_views/{number}/edit", renamed).expect(303)
    assert reader.get(f"{home}/events").expect(303).headers["location"].endswith(f"group=type&view={number}")

    reader.post(f"{home}/saved_views/{number}/delete").expect(303)
    assert "View By type deleted." in reader.get(f"{home}/events?view=all").expect(200).text
    assert "By type" not in reader.get(f"{home}/events").expect(200).text


def test_a_view_that_asks_for_what_no_longer_exists_says_so(reader, home):
    gone = save(reader, home, query="filter[colour]=red&sort=smell&columns=event,taste&group=day")

    page = reader.get(gone).expect(200).text

    assert "The list is shown without a part of this view, which no longer exists:" in page
    assert "Colour is not a field to filter by" in page
    assert "Columns that this list does not have were ignored: taste." in page
    assert 'class="of-rows"' in page
    reader.get(f"{home}/events?filter[colour]=red").expect(400)


def test_a_view_of_an_event_type_that_was_deleted_opens(reader, home):
    gone = save(reader, home, query="filter[slug]=long-gone&filter[asset_id]=ast_000000000000000000000000")

    reader.get(gone).expect(200)


def test_views_of_others_are_no_pages(account, reader, home, server):
    number = re.search(r"view=(\d+)", save(reader, home))[1]

    for other in (visitor(account), visitor(server.account())):
        other.get(f"{home}/events?view={number}")
        other.get(f"{home}/saved_views/{number}/edit").expect(404)
        other.post(f"{home}/saved_views/{number}/edit", {"name": "Mine"}).expect(404)
        other.post(f"{home}/saved_views/{number}/query", {"query": ""}).expect(404)
        other.post(f"{home}/saved_views/{number}/delete").expect(404)
    assert "By day" not in visitor(account).get(f"{home}/events?group=day").expect(200).text
    assert "[By day]" in views(reader.get(f"{home}/events?view={number}").expect(200).text)


def test_a_view_leads_nowhere_else(reader, home):
    """What is saved is a query: whatever it says, its link stays on the list."""
    address = save(reader, home, query="//evil.example/?x=1&view=all&cursor=abc")

    assert address.startswith(f"{home}/events?")
    assert "cursor" not in address
    reader.get(address).expect(200)
