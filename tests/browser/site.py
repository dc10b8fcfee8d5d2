"""What tests of pages share: people who have signed in, pages that are watched, and looks at them.

A page that is opened here fails the test for any error in the console, any request to another host and any
request that is refused, unless the test says that it expects one. `look` opens an address once, shows it at
the widths and in the colours that people use, and fails for any serious violation that axe-core finds.

    def test_the_list_of_events_can_be_used_by_everybody(ada, world):
        ada.look(f"/projects/{world.ids['project']}/events")
"""

import itertools
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page, Response, expect
from tests.given.people import actor_of, email_of
from tests.server import Account, Server

from weighbridge.platform.authentication import begin_session

AXE = Path(__file__).parents[1] / "vendored" / "axe.min.js"
WIDTHS = (380, 1280)
COLOURS = ("light", "dark")
HEIGHT = 900
SERIOUS = {"serious", "critical"}
LOOK_SECONDS = 30
expect.set_options(timeout=LOOK_SECONDS * 1000)
"""What a page comes to is waited for: a busy machine takes longer than a person would notice."""

_RULES = "{type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']}"

_COLOURS_ALONE = "{type: 'rule', values: ['color-contrast', 'link-in-text-block']}"
"""What is different where only the colours are."""

_PLAIN = "/healthz"
"""Where the first page of each browser stays: the process that it has is that of the pages after it."""

_STORED = "local_storage,indexeddb,websql,service_workers,cache_storage"

_VIOLATIONS = """
    async () => {
        const found = await axe.run(document, {runOnly: %s, resultTypes: ['violations']});
        return found.violations;
    }
"""
"""What breaks no rule is neither written down nor sent."""


def ending(address: str) -> re.Pattern[str]:
    """What fits every URL that ends with an address."""
    return re.compile(re.escape(address) + "$")


@dataclass(slots=True)
class Seen:
    """What went wrong on a page."""

    host: str
    expects: frozenset[int] = frozenset()
    wrong: list[str] = field(default_factory=list)

    @contextmanager
    def watching(self, page: Page) -> Iterator[None]:
        """Note what goes wrong on a page until the block ends."""
        watched: dict[Any, Callable[[Any], None]] = {
            "console": lambda said: self._said(said.type, said.text),
            "pageerror": lambda error: self.wrong.append(f"error: {error}"),
            "request": lambda request: self._asked(request.url),
            "response": lambda response: self._answered(response),  # noqa: PLW0108 - it is marked
        }
        for event, note in watched.items():
            page.on(event, note)
        try:
            yield
        finally:
            for event, note in watched.items():
                page.remove_listener(event, note)

    def _said(self, kind: str, text: str) -> None:
        is_expected = any(f"status of {status}" in text for status in self.expects)
        if kind in {"error", "warning"} and not is_expected:
            self.wrong.append(f"console: {text}")

    def _asked(self, url: str) -> None:
        if urlsplit(url).scheme in {"http", "https", "ws", "wss"} and urlsplit(url).netloc != self.host:
            self.wrong.append(f"asks another host: {url}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.expects:
            self.wrong.append(f"{response.status}: {response.url}")

    def check(self) -> None:
        assert not self.wrong, "\n".join(self.wrong)


class Site:
    """The service as browsers see it."""

    def __init__(self, server: Server, browser: Browser) -> None:
        self.server = server
        self.browser = browser
        self._looking: Page | None = None
        self._spare: dict[tuple[int, str, bool], BrowserContext] = {}

    @contextmanager
    def page(
        self,
        *,
        cookies: Any = (),
        width: int = 1280,
        colours: str = "light",
        javascript: bool = True,
        expects: tuple[int, ...] = (),
    ) -> Iterator[Page]:
        """A page in a browser of its own, watched until the block ends.

        The browser is one that was emptied after another test, if there is one: it is quicker to start in.
        """
        kind = (width, colours, javascript)
        context = self._spare.pop(kind, None) or self._context(width, colours, javascript=javascript)
        try:
            yield from self._watched(context.new_page(), cookies, expects)
        except BaseException:
            context.close()
            raise
        if kind in self._spare:
            context.close()
        else:
            self._empty(context)
            self._spare[kind] = context

    def _empty(self, context: BrowserContext) -> None:
        """Leave nothing of a test in its browser but files that any test may load."""
        [first, *others] = context.pages
        for page in others:
            page.close()
        session = context.new_cdp_session(first)
        session.send("Storage.clearDataForOrigin", {"origin": self.server.address, "storageTypes": _STORED})
        session.detach()
        context.clear_cookies()

    @contextmanager
    def look(self, cookies: Any, expects: tuple[int, ...] = ()) -> Iterator[Page]:
        """The page that all looks share: it keeps its process, styles and scripts from one to the next."""
        if self._looking is None:
            self._looking = self._context(WIDTHS[-1], COLOURS[0]).new_page()
        page = self._looking
        page.goto("about:blank")  # nothing of the look before is heard any more
        page.context.clear_cookies()
        yield from self._watched(page, cookies, expects)

    def _context(self, width: int, colours: str, *, javascript: bool = True) -> BrowserContext:
        context = self.browser.new_context(
            base_url=self.server.address,
            viewport={"width": width, "height": HEIGHT},
            color_scheme="dark" if colours == "dark" else "light",
            java_script_enabled=javascript,
            bypass_csp=False,
            locale="en-GB",
        )
        context.set_default_timeout(LOOK_SECONDS * 1000)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.new_page().goto(_PLAIN)
        return context

    def _watched(self, page: Page, cookies: Any, expects: tuple[int, ...]) -> Iterator[Page]:
        if cookies:
            page.context.add_cookies(cookies)
        seen = Seen(urlsplit(self.server.address).netloc, frozenset(expects))
        with seen.watching(page):
            yield page
        seen.check()


@dataclass(frozen=True, slots=True)
class Who:
    """A person who has signed in."""

    site: Site
    email: str
    secret: str
    number: int

    @property
    def cookies(self) -> list[dict[str, str]]:
        """What the person's browser holds."""
        return [{"name": "weighbridge_session", "value": self.secret, "url": self.site.server.address}]

    @contextmanager
    def at(self, address: str, **options: Any) -> Iterator[Page]:
        """A page at an address, watched until the block ends; options as of `Site.page`."""
        with self.site.page(cookies=self.cookies, **options) as page:
            page.goto(address)
            yield page

    def look(self, address: str, *, shot: str = "", expects: tuple[int, ...] = ()) -> None:
        """Open an address and show it at each width and in both colours; fail for what keeps anybody out.

        With the name of a shot, each is kept as a picture in the folder that SHOTS names, opened anew for it.
        """
        shoots = bool(shot and os.environ.get("SHOTS"))
        with self.site.look(self.cookies, expects) as page:
            page.emulate_media(color_scheme="light")
            page.goto(address)
            page.evaluate(AXE.read_text())
            for width, colours in itertools.product(WIDTHS, COLOURS):
                page.set_viewport_size({"width": width, "height": HEIGHT})
                page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
                if shoots:
                    page.reload()
                    page.evaluate(AXE.read_text())
                refuse_violations(page, _RULES if colours == COLOURS[0] else _COLOURS_ALONE)
                refuse_sideways(page, width)
                keep_shot(page, f"{shot}-{width}-{colours}" if shot else "")

    def read_without_javascript(self, address: str) -> str:
        """The text of a page where no script runs."""
        with self.at(address, javascript=False) as page:
            return page.locator("main").inner_text()


def site_of(site: Site, account: Account, *permissions: str) -> Who:
    """A person of an account who has signed in, and may do everything unless permissions are named."""
    email = email_of(account, *permissions)
    actor = actor_of(account, email)

    async def begin() -> str:
        async with site.server.database.write() as tx:
            return await begin_session(tx, actor, "a browser of the tests")

    return Who(site, email, site.server.run(begin()), actor.user_id)


def refuse_violations(page: Page, rules: str = _RULES) -> None:
    """Fail for any serious violation that axe-core finds on the page as it is."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    violations = page.evaluate(_VIOLATIONS % rules)
    serious = [
        f"{one['id']} ({one['impact']}): {one['help']}\n  "
        + "\n  ".join(node["html"][:200] + " | " + node["failureSummary"] for node in one["nodes"][:4])
        for one in violations
        if one["impact"] in SERIOUS
    ]
    assert not serious, f"{page.url}\n" + "\n".join(serious)


def refuse_sideways(page: Page, width: int) -> None:
    """Fail when the page as a whole has to be moved sideways."""
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, f"{page.url} is {wide} pixels wide on a screen of {width}"


def keep_shot(page: Page, name: str) -> None:
    """Keep a picture of the page, where a folder for pictures is named."""
    folder = os.environ.get("SHOTS")
    if folder and name:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
