"""A Canaille that runs, and an identity provider of an account that it is."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from tests.given import canaille
from tests.given.canaille import SECRET, Canaille
from tests.server import Caller

_clients = count(1)


@pytest.fixture(scope="session")
def running() -> Iterator[Canaille]:
    """One Canaille for all tests; each has people of its own."""
    if canaille.MISSING:
        pytest.skip(canaille.MISSING)
    with canaille.canaille() as started:
        yield started


@pytest.fixture
def name() -> str:
    """A person whom no other test has."""
    return f"ada{next(_clients)}"


@pytest.fixture
def connect(running: Canaille, api: Caller) -> Callable[..., dict[str, Any]]:
    """Make an identity provider of the account, which Canaille knows as a client."""

    def make(**fields: Any) -> dict[str, Any]:
        client = f"weighbridge-{next(_clients)}"
        said = {
            "name": f"Canaille {client}",
            "issuer": running.issuer,
            "client_id": client,
            "client_secret": SECRET,
            "domains": ["plant.example"],
            "roles": [
                {"group": "operators", "role": "collector"},
                {"group": "office", "role": "reader"},
                {"group": "owners", "role": "administrator"},
            ],
        } | fields
        made: dict[str, Any] = api.post("/identity_providers", {"identity_provider": said}).expect(201).body
        running.do("client", id=client, secret=SECRET, redirect_uri=made["redirect_uri"])
        return made

    return make
