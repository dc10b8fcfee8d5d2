"""An event to attach to."""

import pytest
from tests.given import collection as given


@pytest.fixture
def project(api):
    """A project whose deliveries have a mass."""
    return given.measuring(api, given.number("mass"))


@pytest.fixture
def event(api, project):
    """A delivery."""
    return given.event(api, project, values={"mass": 12})


@pytest.fixture
def path(event):
    """Where evidence of the event is attached."""
    return f"/events/{event['id']}/evidence"


@pytest.fixture
def place(project, event):
    """Where evidence of the event is read."""
    return f"/projects/{project['id']}/events/{event['id']}/evidences"
