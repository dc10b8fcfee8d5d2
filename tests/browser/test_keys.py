"""Everything is reached by keyboard: palette, rows of a list, keys of a page; and read without scripts."""

import pytest
from playwright.sync_api import expect
from tests.browser.site import site_of
from tests.given import collection as given


@pytest.mark.parametrize("keys", ["/", "Control+k"])
def test_the_palette_finds_a_record_and_opens_it_by_keyboard(ada, world, keys):
    with ada.at(f"/projects/{world.ids['project']}/events") as page:
        page.keyboard.press(keys)
        page.get_by_role("combobox", name="Search pages and records").fill("shredder")
        page.get_by_role("option", name="Shredder").wait_for()
        page.keyboard.press("Enter")

        page.wait_for_url(f"**/assets/{world.ids['asset']}")


def test_the_palette_opens_a_page_by_its_name(ada, world):
    with ada.at(f"/projects/{world.ids['project']}") as page:
        page.keyboard.press("/")
        page.keyboard.type("ledg")
        page.get_by_role("option", name="Ledgers").wait_for()
        page.keyboard.press("Enter")

        page.wait_for_url(f"**/projects/{world.ids['project']}/ledgers")


def test_the_palette_offers_what_may_be_done(ada, world):
    with ada.at(f"/projects/{world.ids['project']}") as page:
        page.keyboard.press("/")
        page.keyboard.type("create ev")
        page.get_by_role("option", name="Create event type").wait_for()
        page.keyboard.press("Enter")

        page.wait_for_url(f"**/projects/{world.ids['project']}/events/new")


def test_the_palette_finds_actions_by_the_beginnings_of_words_in_any_order(ada, world):
    with ada.at(f"/projects/{world.ids['project']}") as page:
        page.keyboard.press("/")
        page.keyboard.type("out cre")
        page.get_by_role("option", name="Create outage").wait_for()
        page.keyboard.press("Enter")

        page.wait_for_url(f"**/projects/{world.ids['project']}/outages/new")


def test_the_palette_finds_a_record_by_its_id(ada, world):
    with ada.at("/projects") as page:
        page.keyboard.press("/")
        page.get_by_role("combobox", name="Search pages and records").fill(world.ids["batch"])
        page.get_by_role("option", name=world.ids["batch"]).wait_for()
        page.keyboard.press("Enter")

        page.wait_for_url(f"**/batches/{world.ids['batch']}")


def options(page):
    """What the palette offers, in its order, with what each is."""
    return [text.split("\n") for text in page.get_by_role("option").all_inner_texts()]


def test_the_palette_leads_to_the_generation_of_a_ledger(ada, world):
    with ada.at(f"/projects/{world.ids['project']}") as page:
        page.keyboard.press("/")
        page.keyboard.type("gen bat")
        page.get_by_role("option", name="Generate batches").first.wait_for()
        page.keyboard.press("Enter")

        page.wait_for_url("**/ledgers/*/generations")


def test_the_palette_prefers_names_in_which_typed_words_begin_words(person, api):
    home = f"/projects/{given.project(api)['id']}"
    for name in ("Unremoved", "Net removal"):
        api.post(f"{home}/feedstocks", {"feedstock": {"name": name}}).expect(201)
    with person.at(home) as page:
        page.keyboard.press("/")
        page.keyboard.type("rem")
        page.get_by_role("option", name="Unremoved").wait_for()
        names = [name for name, *_ in options(page)]
        assert names.index("Net removal") < names.index("Unremoved")
        page.get_by_role("combobox").fill("net rem")
        page.get_by_role("option", name="Net removal").wait_for()
        page.keyboard.press("Enter")
        page.wait_for_url("**/feedstocks/*")


def test_the_palette_offers_the_records_that_this_person_opened(person, site, account, api):
    home = f"/projects/{given.project(api)['id']}"
    made = [
        api.post(f"{home}/feedstocks", {"feedstock": {"name": name}}).expect(201).body
        for name in ("Bark", "Chips")
    ]
    with person.at(home) as page:
        for one in made:
            page.goto(f"{home}/feedstocks/{one['id']}")
        page.goto(home)
        page.keyboard.press("/")
        page.get_by_role("option", name="Bark").wait_for()
        assert [words[0] for words in options(page)][:2] == ["Chips", "Bark"]
        page.keyboard.type("bark")
        page.get_by_text("recent").wait_for()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/feedstocks/{made[0]['id']}")

        page.context.add_cookies(site_of(site, account).cookies)
        page.goto(home)
        page.keyboard.press("/")
        page.get_by_role("option", name="Overview").wait_for()
        expect(page.get_by_text("recent", exact=True)).to_have_count(0)


def test_the_palette_closes_by_escape_and_says_when_nothing_is_called_so(ada, world):
    with ada.at(f"/projects/{world.ids['project']}") as page:
        page.keyboard.press("/")
        page.get_by_role("combobox", name="Search pages and records").fill("zzzz")
        page.get_by_text("No matching pages or records.").wait_for()
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")

        page.get_by_role("combobox", name="Search pages and records").wait_for(state="hidden")


def test_rows_are_walked_and_opened_by_keyboard(ada, world):
    with ada.at(f"/projects/{world.ids['project']}/ledgers") as page:
        page.keyboard.press("j")
        page.locator("tr[aria-selected=true]").wait_for()
        page.keyboard.press("j")
        page.keyboard.press("k")
        page.keyboard.press("Enter")

        page.wait_for_url("**/ledgers/*")


def test_a_question_mark_shows_the_keys_of_the_page(ada, world):
    with ada.at(f"/projects/{world.ids['project']}/events") as page:
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()
        page.get_by_text("Next and previous row").wait_for()
        page.keyboard.press("Escape")

        page.get_by_role("dialog", name="Keyboard shortcuts").wait_for(state="hidden")


@pytest.mark.parametrize(
    "address", ["/projects/{project}/events", "/projects/{project}/batches/{batch}", "/me"]
)
def test_a_page_is_read_where_no_script_runs(ada, world, address):
    assert len(ada.read_without_javascript(address.format_map(world.ids))) > 100


def test_a_record_is_found_where_no_script_runs(ada, world):
    with ada.at(f"/projects/{world.ids['project']}", javascript=False) as page:
        page.get_by_label("Search").fill("shredder")
        page.keyboard.press("Enter")

        page.get_by_role("link", name="Shredder").wait_for()
