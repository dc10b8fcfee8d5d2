"""What the steps of a delivery make certain."""

import pytest

from weighbridge.core.report import DeliveryStep, may_have_been_received

SENDING, RECEIVED, REFUSED, NOT_SENT, UNANSWERED, ABSENT = DeliveryStep


@pytest.mark.parametrize(
    ("steps", "may"),
    [
        ([], False),
        ([SENDING], True),
        ([SENDING, NOT_SENT], False),
        ([SENDING, REFUSED], False),
        ([SENDING, UNANSWERED], True),
        ([SENDING, RECEIVED], True),
        ([SENDING, UNANSWERED, ABSENT], True),
        ([SENDING, UNANSWERED, ABSENT, SENDING, REFUSED], True),
        ([SENDING, NOT_SENT, SENDING, REFUSED], False),
        ([SENDING, ABSENT, SENDING, NOT_SENT], True),
        ([SENDING, NOT_SENT, SENDING], True),
    ],
)
def test_what_was_sent_may_have_been_received_until_that_attempt_says_otherwise(steps, may):
    assert may_have_been_received(steps) is may
