"""Keys of a page never act while somebody fills in a form, and a form that opens is typed into at once."""

import re
import string

import pytest
from playwright.sync_api import expect
from tests.browser.site import WIDTHS, ending
from tests.given import accounting as given_accounting
from tests.given.approvals import pending
from tests.given.rule_evaluation import calibration, results, work
from tests.web.conftest import PAGES, address_in
from tests.web.test_every_page import FILES, OF_ITS_USER, OPEN

GIVEN_UP = 503
"""What an impact is answered that nobody waits for any more."""

ALPHABET = string.ascii_lowercase + string.digits + "/?"

_TYPE = """
    keys => {
        const press = (node, key) =>
            node.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
        for (const details of document.querySelectorAll('details')) details.open = true;
        const fields = [...document.querySelectorAll(
            'main input:not([type=hidden], [type=file]), main textarea, main select')]
            .filter(field => field.checkVisibility() && !field.disabled);
        const texts = fields.filter(
            field => field.matches('textarea, input:not([type=checkbox], [type=radio])'));
        for (const field of fields) {
            field.focus();
            for (const key of keys) press(field, key);
            if (texts.includes(field)) document.execCommand('insertText', false, keys);
        }
        document.activeElement.blur();
        if (texts.some(field => field.form && !field.form.matches('[data-live], [role=search]')))
            for (const key of keys) press(document.body, key);
        return fields.length;
    }
"""
"""Types into each field of a page, then beside them, where something stands typed that was not sent.

It types within the page, which is a hundred times as quick as key by key from outside.
"""


_HOLD = "key => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, repeat: true, bubbles: true}))"


@pytest.fixture
def proposal(account):
    """The address of a proposal that waits, and the caller who can ask what became of it."""
    api = account.caller()
    plant = given_accounting.plant(api, account.drain)
    plant.deliver(30)
    made = calibration(api, plant.project, requires_approval=True)
    work(account)
    [found] = results(api, made)
    return api, made, f"/projects/{plant.project['id']}/rule_results/{found['id']}"


def leaves(request):
    """Whether a request leads away from its page; lists and checks of what is typed stay on it."""
    return request.is_navigation_request()


def has_fields(page, address):
    """Whether the main part of a page has anything to type into: the others need not be opened for that."""
    main = page.request.get(address).text().partition("<main")[2]
    return re.search(r"<(input(?![^>]*type=.(hidden|file))|textarea|select)\b", main) is not None


def test_a_reason_is_typed_where_the_form_opened_and_decides_nothing(person, proposal):
    api, rule, address = proposal
    with person.at(address, expects=(GIVEN_UP,)) as page:
        page.keyboard.press("r")
        page.keyboard.type("already weighed at the gate")

        expect(page.get_by_label("Reason")).to_have_value("already weighed at the gate")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.type(ALPHABET)
        page.wait_for_timeout(0)

        expect(page).to_have_url(ending(address))
        assert pending(api, rule) == 1
        with page.expect_navigation():
            page.get_by_role("button", name="Reject proposal").click()

    assert pending(api, rule) == 0
    [decided] = results(api, rule)
    assert decided["rejection_reason"] == "already weighed at the gate"


def test_escape_closes_the_form_and_the_keys_act_again(person, proposal):
    api, rule, address = proposal
    with person.at(address, expects=(GIVEN_UP,)) as page:
        page.keyboard.press("r")
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        page.wait_for_url(lambda url: not url.endswith(address))

    assert pending(api, rule) == 0


def test_a_key_that_is_held_down_decides_nothing(person, proposal):
    api, rule, address = proposal
    with person.at(address, expects=(GIVEN_UP,)) as page:
        page.evaluate(_HOLD, "a")
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()

    assert pending(api, rule) == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_the_alphabet_typed_into_every_field_of_every_page_does_nothing_but_fill_it(ada, world, width):
    typed = 0
    paths = [path for path, _ in PAGES if path not in FILES | OPEN and OF_ITS_USER not in path]
    addresses = [address_in(world, path) for path in paths]
    with ada.at("/projects", width=width) as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if leaves(request) else None)
        for address in (one for one in addresses if has_fields(page, one)):
            page.goto(address, wait_until="domcontentloaded")
            asked.clear()
            typed += page.evaluate(_TYPE, ALPHABET)
            assert page.locator("dialog[open]").count() == 0, address
            assert asked == [], address

    assert typed > 100
