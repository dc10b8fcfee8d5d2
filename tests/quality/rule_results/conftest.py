"""What tests of decisions start from: a rule that needs approval, and what makes it propose."""

import pytest
from tests.given.approvals import of_event
from tests.given.rule_evaluation import calibration, work


@pytest.fixture
def proposing(api, project):
    """A rule that raises deliveries of more than 20 t by two percent, once a person approves it."""
    return calibration(api, project, requires_approval=True)


@pytest.fixture
def propose(api, account, proposing, deliver):
    """Makes a delivery for which the rule proposes; gives the event and the id of the result."""

    def make(mass=50, day=1, **values):
        event = deliver(mass, day, **values)
        work(account)
        return event, of_event(api, proposing, event)

    return make
