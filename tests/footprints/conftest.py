"""An account that exchanges footprints."""

import pytest
from tests.given.footprints import host as make_host


@pytest.fixture
def host(account):
    return make_host(account)
