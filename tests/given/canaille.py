"""Canaille, an identity provider of others, in a process of its own on a loopback port.

`make packages` installs it into `.venv/foreign/canaille`, an environment apart, since its packages are none
that the product or its tests need. A test that needs it is left out where it is missing, with a sentence.
"""

import json
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import httpx2
from tests.given.people import Visitor
from tests.server import Answer

PYTHON: Final = Path(__file__).parents[2] / ".venv/foreign/canaille/bin/python"
MISSING: Final = (
    ""
    if PYTHON.exists()
    else "Canaille is not installed (`make packages`, with a package index), so nobody signs in by a real "
    "identity provider"
)
"""Why a test is left out; empty where it is not."""

PASSWORD: Final = "correct horse battery staple"  # noqa: S105 - of no real person
SECRET: Final = "word-of-canaille-for-weighbridge"  # noqa: S105 - of no real client
SECONDS_MAX: Final = 60.0
_HIDDEN: Final = re.compile(r'<input[^>]*type="hidden"[^>]*>')
_ATTRIBUTE: Final = re.compile(r'(name|value)="([^"]*)"')


class Canaille:
    """A Canaille that runs: its issuer, and what is done to its people."""

    def __init__(self, process: "subprocess.Popen[str]", issuer: str) -> None:
        self.issuer = issuer
        self._process = process

    def do(self, what: str, **said: Any) -> Any:
        """Have something done to a person, a group or a client."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": what, **said}) + "\n")
        self._process.stdin.flush()
        return self._read()["done"]

    def add(self, name: str, *groups: str, domain: str = "plant.example") -> str:
        """A new person in groups; their address."""
        email = f"{name}@{domain}"
        self.do("add", name=name, email=email, groups=groups)
        return email

    def browser(self) -> httpx2.Client:
        """A browser that has not been at Canaille yet."""
        return httpx2.Client(follow_redirects=False, trust_env=False, timeout=SECONDS_MAX)

    def answer(self, url: str, name: str) -> str:
        """Sign in at the page that people are sent to, as a person would; where that sends them back."""
        with self.browser() as browser:
            return self.answer_in(browser, url, name)

    def answer_in(self, browser: httpx2.Client, url: str, name: str) -> str:
        """The same in a browser that may have signed in before."""
        for _ in range(12):
            page = browser.get(url)
            if page.is_redirect:
                url = urljoin(url, page.headers["location"])
                if not url.startswith(self.issuer):
                    return url
                continue
            assert page.status_code == 200, page.text
            typed = _hidden(page.text) | {"login": name, "password": PASSWORD}
            sent = browser.post(str(page.url), data=typed)
            assert sent.is_redirect, sent.text
            url = urljoin(str(page.url), sent.headers["location"])
            if not url.startswith(self.issuer):
                return url
        raise AssertionError(url)

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "Canaille has ended"
        read: dict[str, Any] = json.loads(line)
        return read


def _hidden(page: str) -> dict[str, str]:
    fields = [dict(_ATTRIBUTE.findall(one)) for one in _HIDDEN.findall(page)]
    return {one["name"]: one.get("value", "") for one in fields if "name" in one}


@contextmanager
def canaille() -> Iterator[Canaille]:
    """A Canaille with nobody in it."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(__file__).with_name("canaille_process.py")
    command = [str(PYTHON), "-P", str(program), str(port)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            running = Canaille(process, f"http://127.0.0.1:{port}")
            assert running._read() == {"ready": True}
            yield running
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(SECONDS_MAX)


def path_of(url: str) -> str:
    """The path and the query of an address of the service."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


_CONTINUE: Final = re.compile(r'<a href="([^"]+)">Continue')


def leave(somebody: Visitor, provider: dict[str, Any], after: str = "/me") -> str:
    """Choose a provider on the page to sign in; where the browser is sent."""
    key = provider["redirect_uri"].split("/")[-2]
    page = somebody.post("/sign_in/provider", {"provider": key, "next": after}).expect(200)
    found = _CONTINUE.search(page.text)
    assert found, page.text
    return found[1].replace("&amp;", "&")


def sign_in(somebody: Visitor, provider: dict[str, Any], running: Canaille, name: str) -> Answer:
    """Sign in by a provider, as a person would; the last answer of the service."""
    back = running.answer(leave(somebody, provider), name)
    return somebody.get(path_of(back))
