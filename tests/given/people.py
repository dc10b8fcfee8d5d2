"""People who sign in: made past the pages, and at the pages with a browser that runs no script."""

import itertools
import re
from collections.abc import Mapping
from typing import Any, Self
from urllib.parse import urlencode

from argon2 import PasswordHasher
from tests.server import Account, Answer, Server

from weighbridge.core.platform.permission import ALL_PERMISSIONS, Actor
from weighbridge.db.cells import Cells
from weighbridge.platform.users import add_user, claim_address

PASSWORD = "a password of the tests"  # noqa: S105 - of no real person
STORED = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
"""What is stored of it. A hash says itself what it costs to compare, and most tests are not about that."""

_numbers = itertools.count(1)
_WORD = re.compile(r'name="csrf_token" value="([0-9a-f]+)"')


class Visitor:
    """Somebody at a browser: it keeps cookies, sends forms with their word, and follows nothing by itself."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.cookies: dict[str, str] = {}
        self.word = ""

    def get(self, path: str, **headers: str) -> Answer:
        """Ask for a page."""
        return self._seen(self.server.request("GET", path, (), None, self._headers(headers)))

    def post(self, path: str, fields: Mapping[str, Any] | None = None, **headers: str) -> Answer:
        """Send a form as one of our own pages would."""
        typed = {"csrf_token": self.word, **(fields or {})}
        usual = {
            "origin": self.server.address,
            "sec-fetch-site": "same-origin",
            "content-type": "application/x-www-form-urlencoded",
        }
        content = urlencode(typed, doseq=True).encode()
        return self._seen(self.server.request("POST", path, (), content, self._headers({**usual, **headers})))

    def upload(self, path: str, content: bytes, boundary: str) -> Answer:
        """Send a form with a file as one of our own pages would."""
        usual = {
            "origin": self.server.address,
            "sec-fetch-site": "same-origin",
            "content-type": f"multipart/form-data; boundary={boundary}",
        }
        return self._seen(self.server.request("POST", path, (), content, self._headers(usual)))

    def sign_in(self, email: str, password: str = PASSWORD) -> Self:
        """Sign in by the form, and learn the word of the session's forms."""
        self.post("/sign_in", {"email": email, "password": password}).expect(303)
        self.get("/me").expect(200)
        return self

    def _headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named |= {"cookie": cookies}
        return {name: value for name, value in named.items() if value}

    def _seen(self, answer: Answer) -> Answer:
        for cookie in answer.headers.get_list("set-cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies.pop(name, None)
            if value and "Max-Age=0" not in cookie:
                self.cookies[name] = value
        if found := _WORD.search(answer.text):
            self.word = found[1]
        return answer


def email_of(account: Account, *permissions: str) -> str:
    """The address of a new person of an account, who may do everything unless permissions are named."""
    email = f"person-{next(_numbers)}@plant.example"

    async def make() -> None:
        connections = account.server.connections
        await claim_address(Cells(connections), connections, email, account.id)
        async with account.database.write() as tx:
            await add_user(
                tx,
                account.actor,
                email=email,
                name="Ada Nord",
                permissions=permissions or ALL_PERMISSIONS,
                password_hash=STORED,
            )

    account.server.run(make())
    return email


def visitor(account: Account, *permissions: str) -> Visitor:
    """Somebody who has signed in."""
    return Visitor(account.server).sign_in(email_of(account, *permissions))


def actor_of(account: Account, email: str) -> Actor:
    """For whom a person's sessions act."""
    [(number, permissions)] = account.server.sql("SELECT id, permissions FROM users WHERE email = %s", email)
    return Actor(account.id, number, None, frozenset(permissions), "given")
