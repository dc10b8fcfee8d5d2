"""What tests of rules start from: a project that measures deliveries, and what puts one there."""

import pytest
from tests.given import collection as given


@pytest.fixture
def project(api):
    return given.measuring(api, given.number("mass"), given.number("ash", required=False), given.text("site"))


@pytest.fixture
def deliver(api, project):
    """Stores a delivery of so much on a day of January 2025."""

    def make(mass, day=1, **fields):
        values = {"mass": mass} | {name: fields.pop(name) for name in ("ash", "site") if name in fields}
        return given.event(api, project, start_time=f"2025-01-{day:02}T00:00:00Z", values=values, **fields)

    return make
