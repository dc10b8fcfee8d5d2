"""Two plants of an account, each in a project of its own, and callers who are limited to one."""

from collections.abc import Callable

import pytest
from tests.given import accounting
from tests.given.accounting import Plant
from tests.server import Account, Caller

from weighbridge.core.platform.permission import IN_PROJECT, PROJECT_PERMISSIONS

LimitedCaller = Callable[..., Caller]


def within(plant: Plant, *permissions: str) -> list[str]:
    """Permissions in the project of a plant; all that there are, where none is named."""
    return [f"{one}{IN_PROJECT}{plant.project['id']}" for one in permissions or PROJECT_PERMISSIONS]


@pytest.fixture
def mine(api: Caller, account: Account) -> Plant:
    """The plant that limited callers may work in."""
    return accounting.plant(api, account.drain)


@pytest.fixture
def theirs(api: Caller, account: Account) -> Plant:
    """Another plant of the account."""
    return accounting.plant(api, account.drain)


@pytest.fixture
def limited(account: Account, mine: Plant) -> Caller:
    """A caller who may do everything in one project, and nothing in any other."""
    return account.caller(*within(mine))
