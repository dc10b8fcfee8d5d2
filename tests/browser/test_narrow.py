"""Every page on the screen of a telephone: it never moves sideways as a whole,
and what is wider than it has a box that fingers and keys move.
"""

import pytest
from tests.browser.site import HEIGHT, refuse_sideways, refuse_violations
from tests.given import chain
from tests.given import collection as given
from tests.given.cases import tried_together
from tests.web.conftest import PAGES, address_in
from tests.web.test_every_page import FILES, OPEN, section_of

WIDTH = 390

SHOWN = [path for path, _ in PAGES if path not in OPEN | FILES]

CUT = """
    () => {
        const moves = (node) => ["auto", "scroll"].includes(getComputedStyle(node).overflowX);
        const isInBox = (node) => {
            for (let outer = node.parentElement; outer !== document.body; outer = outer.parentElement) {
                if (moves(outer)) return true;
            }
            return false;
        };
        const width = document.documentElement.clientWidth;
        return [...document.querySelectorAll("body *")].filter((node) =>
            node.getBoundingClientRect().right > width + 1 && node.getBoundingClientRect().height > 0 &&
            node.checkVisibility({ visibilityProperty: true }) && !isInBox(node)
        ).map((node) => node.outerHTML.slice(0, 200));
    }
"""
"""What stands beyond the right edge of the screen and in no box that can be moved."""

UNNAMED_BOXES = """
    () => [...document.querySelectorAll("main .table, main .scroll")].filter((node) =>
        node.scrollWidth > node.clientWidth + 1 &&
        !(node.tabIndex === 0 && node.role === "region" && node.ariaLabel && !node.ariaLabel.includes("<"))
    ).map((node) => node.outerHTML.slice(0, 200))
"""
"""Boxes to be moved sideways that no key reaches, or that no reader of the screen announces."""


def ends_of(page, table):
    """Where the cells of a table's own rows end; a table within a cell has a box of its own."""
    ends = "(cells) => cells.map((cell) => cell.getBoundingClientRect().right)"
    return page.locator(f"{table} > tbody > tr > td").evaluate_all(ends)


@tried_together("path", SHOWN, under=section_of)
def test_a_page_fits_on_a_narrow_screen(ada, world, path):
    with ada.site.look(ada.cookies, expects=(404,)) as page:
        page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        page.goto(address_in(world, path))

        refuse_sideways(page, WIDTH)
        assert page.evaluate(CUT) == []
        assert page.evaluate(UNNAMED_BOXES) == []


@pytest.mark.parametrize(
    ("address", "table"),
    [("/projects/{project}/audit_log", "#rows table.stacked"), ("/projects/{project}", "table.stacked")],
)
def test_rows_of_such_a_page_are_read_whole_without_moving_their_box(ada, world, address, table):
    with ada.at(address.format_map(world.ids), width=WIDTH) as page:
        page.locator(f"{table} > tbody > tr").first.wait_for()
        assert max(ends_of(page, table)) <= WIDTH
        refuse_violations(page)


def test_values_of_a_write_that_are_wider_than_the_screen_move_in_a_box_of_their_own(person, account):
    api = account.caller()
    project = given.project(api)
    meters = [given.number(f"reading-of-meter-{number}") for number in range(6)]
    made = given.event_type(api, project, slug="wide", data_point_types=meters)
    path = f"/projects/{project['id']}"
    api.patch(f"{path}/event_types/{made['id']}", {"event_type": {"name": "Meters"}}).expect(200)

    with person.at(f"{path}/audit_log", width=WIDTH) as page:
        for summary in page.locator(".written > summary").all():
            summary.click()

        assert max(ends_of(page, ".written table")) > WIDTH
        assert max(ends_of(page, "#rows table.stacked")) <= WIDTH
        refuse_sideways(page, WIDTH)
        assert page.evaluate(CUT) == []
        assert page.evaluate(UNNAMED_BOXES) == []


@pytest.fixture
def drawn(account):
    """The page of a batch that draws from another."""
    first = chain.inventory(account.caller(), account.drain)
    first.deliver(40)
    first.generate()
    second = chain.link(first, output="used")
    chain.produce(second, 4)
    second.generate()
    return f"/projects/{first.project['id']}/batches/{second.batches()[0]['id']}"


def test_a_batch_says_what_it_draws_without_moving_a_box_and_its_graph_begins_at_its_result(person, drawn):
    with person.at(drawn, width=WIDTH) as page:
        assert max(ends_of(page, ".stacked")) <= WIDTH
        graph = page.locator(".card.scroll.from-end")
        box, chosen = graph.bounding_box(), graph.locator(".chosen").last.bounding_box()

        assert box["x"] <= chosen["x"]
        assert chosen["x"] + chosen["width"] <= box["x"] + box["width"]
        assert box["y"] <= chosen["y"] <= box["y"] + box["height"] <= box["y"] + 402
        refuse_violations(page)
