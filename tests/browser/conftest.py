"""One service and one browser for all tests of pages; see `site.py` for what a test does with them.

The browser ends with the last test of its file: as long as it is there, an event loop of its own runs in
this thread, and commands that tests of other folders call begin one themselves.
"""

from collections.abc import Iterator

import pytest
from tests.browser.chromium import chromium
from tests.browser.site import Site, Who, site_of
from tests.given.requests import World
from tests.server import Account, Server
from tests.web.conftest import world_with_user


@pytest.fixture(scope="session")
def world(server: Server) -> World:
    """An account with one record of each kind, and the number of a user."""
    return world_with_user(server)


@pytest.fixture(scope="module")
def site(server: Server) -> Iterator[Site]:
    """The browser, at the service; whoever reads the pages has signed in."""
    with chromium() as browser:
        yield Site(server, browser)


@pytest.fixture(scope="module")
def ada(site: Site, world: World) -> Who:
    """A person of the world's account who may do everything."""
    return site_of(site, world.account)


@pytest.fixture
def person(site: Site, account: Account) -> Who:
    """A person of the test's own account who may do everything."""
    return site_of(site, account)
