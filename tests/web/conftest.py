"""What tests of pages share: an account with one record of each kind, and the addresses of every page."""

import re
from collections.abc import Iterator

import pytest
from tests.given.requests import World, kind_of, world_of
from tests.server import Server

from weighbridge.contents import SLICES
from weighbridge.http.openapi.parameters import names_in
from weighbridge.web.pages import contents

_TYPED = re.compile(r":\w+\}")

KINDS = {"record_id": "event", "user_id": "user", "task_id": "task", "token_id": "token"}
"""What an id of a path names, where the name does not say it."""


def shown_pages() -> Iterator[tuple[str, str]]:
    """Each path at which a page is read, with the permission that it asks for; data of a page left out."""
    for handler in contents.routes(SLICES):
        if "page" in handler.opt and "GET" in handler.http_methods:
            for path in sorted(handler.paths):
                if not path.endswith((".json", ".csv")):
                    yield _TYPED.sub("}", path), handler.opt["page"].permission


PAGES = sorted({*shown_pages()})


def address_in(world: World, path: str) -> str:
    """The address of a page of the world's own records."""
    return path.format_map({name: world.ids[KINDS.get(name, kind_of(name))] for name in names_in(path)})


def world_with_user(server: Server) -> World:
    """An account with one record of each kind, and the number of a user."""
    made = world_of(server)
    [(user, *_)] = server.sql(
        "SELECT id FROM users WHERE account_id = %s ORDER BY id LIMIT 1", made.account.id
    )
    return World(made.account, {**made.ids, "user": user}, made.callers)


@pytest.fixture(scope="package")
def world(server: Server) -> World:
    """An account with one record of each kind, and the number of a user."""
    return world_with_user(server)
