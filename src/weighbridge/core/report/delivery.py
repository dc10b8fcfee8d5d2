"""Delivery: the steps by which a report is handed on, and what they make certain.

Each step is written down, that of sending before anything leaves. Whoever reads the steps knows whether the
receiver may have the report: it may from the moment that sending was written down, unless that very attempt
ended with the certainty that nothing arrived.

>>> step = DeliveryStep
>>> may_have_been_received([step.SENDING, step.NOT_SENT])
False
>>> may_have_been_received([step.SENDING, step.UNANSWERED, step.SENDING, step.REFUSED])
True

Invariants: what may have been received stays so until somebody decides; a step that is missing, because the
process died, counts as one without an answer.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final


class DeliveryStep(StrEnum):
    """What was done, or what came of it."""

    SENDING = "sending"
    """It is about to be handed on: from here on the receiver may have it."""

    RECEIVED = "received"
    """The receiver says that it has it."""

    REFUSED = "refused"
    """The receiver answered that it does not take it."""

    NOT_SENT = "not_sent"
    """Nobody took up the connection; nothing left."""

    UNANSWERED = "unanswered"
    """It may have been received: no answer came, or one that says nothing."""

    ABSENT = "absent"
    """Asked for it, the receiver says that it does not know it; what is still on its way may arrive."""


NOTHING_ARRIVED: Final = (DeliveryStep.REFUSED, DeliveryStep.NOT_SENT)
"""Steps after which it is certain that the attempt before them brought nothing."""


def may_have_been_received(steps: Sequence[DeliveryStep]) -> bool:
    """Whether the receiver may have a report that was handed on in these steps."""
    for index, step in enumerate(steps):
        if step is DeliveryStep.RECEIVED:
            return True
        ended = next((one for one in steps[index + 1 :] if one is not DeliveryStep.ABSENT), None)
        if step is DeliveryStep.SENDING and ended not in NOTHING_ARRIVED:
            return True
    return False
