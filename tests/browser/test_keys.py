"""Everything is reached by keyboard: palette, rows of a list, keys of a page; and read without scripts."""

import pytest


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
