"""A report's state says who has it, and what of its amounts: nothing, reserved, or posted.

A draft reserves nothing. Whoever submits it reserves its amounts; they stay reserved until the receiver has
decided, and while it is not certain that nothing was received. What is accepted is posted, what is rejected
is given back. A report that is restated is superseded: by the submission of the next one while it waits
itself, by its acceptance once it is complete.

Invariants: there is no other move than those listed; of a chain at most one report holds amounts reserved,
and at most one states what is posted.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final


class ReportStatus(StrEnum):
    """Where a report stands."""

    DRAFT = "draft"
    SUBMITTING = "submitting"
    SUBMITTED = "submitted"
    COMPLETE = "complete"
    REJECTED = "rejected"
    FAILED = "failed"
    SUPERSEDED = "superseded"


class ReportTrigger(StrEnum):
    """What moves a report."""

    SUBMIT = "submit"
    """A person sends it off, or sends off again what failed on its way."""

    DELIVER = "deliver"
    """The adapter says that it was received."""

    FAIL = "fail"
    """The adapter cannot say that it was received, nor that it was not."""

    ACCEPT = "accept"
    """The receiver accepts it."""

    REJECT = "reject"
    """The receiver rejects it, or it is certain that nothing was received."""

    SUPERSEDE = "supersede"
    """A report that restates it takes its place."""


MOVES: Final = {
    (ReportStatus.DRAFT, ReportTrigger.SUBMIT): ReportStatus.SUBMITTING,
    (ReportStatus.FAILED, ReportTrigger.SUBMIT): ReportStatus.SUBMITTING,
    (ReportStatus.SUBMITTING, ReportTrigger.DELIVER): ReportStatus.SUBMITTED,
    (ReportStatus.SUBMITTING, ReportTrigger.FAIL): ReportStatus.FAILED,
    (ReportStatus.SUBMITTED, ReportTrigger.ACCEPT): ReportStatus.COMPLETE,
    (ReportStatus.SUBMITTED, ReportTrigger.REJECT): ReportStatus.REJECTED,
    (ReportStatus.FAILED, ReportTrigger.REJECT): ReportStatus.REJECTED,
    (ReportStatus.SUBMITTED, ReportTrigger.SUPERSEDE): ReportStatus.SUPERSEDED,
    (ReportStatus.COMPLETE, ReportTrigger.SUPERSEDE): ReportStatus.SUPERSEDED,
}
"""From a state, by a trigger, to a state."""

RESERVING: Final = (ReportStatus.SUBMITTING, ReportStatus.SUBMITTED, ReportStatus.FAILED)
"""States in which a report holds its amounts reserved."""

RESTATABLE: Final = (ReportStatus.SUBMITTED, ReportStatus.COMPLETE, ReportStatus.REJECTED)
"""States in which the last report of a chain may be restated."""


def may(status: ReportStatus, trigger: ReportTrigger) -> bool:
    """Whether a trigger moves a report that stands there."""
    return (status, trigger) in MOVES


def advance(status: ReportStatus, trigger: ReportTrigger) -> ReportStatus:
    """The state after the trigger; raises ValueError for a move that the table does not list."""
    try:
        return MOVES[status, trigger]
    except KeyError:
        raise ValueError(f"a report that is {status} does not {trigger}") from None


# Adapters by their names, how a report gets to its receiver; and the formats that it is written in.


class AdapterName(StrEnum):
    """How a report gets to its receiver."""

    FILE = "file"
    """It is kept for people, who fetch it and hand it on."""

    HTTP = "http"
    """It is posted to the address of a registry."""


class ReportFormat(StrEnum):
    """What a report is written as."""

    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"
    XML = "xml"


MEDIA_TYPES: Final = {
    ReportFormat.JSON: "application/json",
    ReportFormat.CSV: "text/csv; charset=utf-8",
    ReportFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ReportFormat.XML: "application/xml",
}
"""What each format is called on its way."""


# Delivery: the steps by which a report is handed on, and what they make certain.
#
# Each step is written down, that of sending before anything leaves. Whoever reads the steps knows whether
# the receiver may have the report: it may from the moment that sending was written down, unless that very
# attempt ended with the certainty that nothing arrived.
#
# >>> step = DeliveryStep
# >>> may_have_been_received([step.SENDING, step.NOT_SENT])
# False
# >>> may_have_been_received([step.SENDING, step.UNANSWERED, step.SENDING, step.REFUSED])
# True
#
# Invariants: what may have been received stays so until somebody decides; a step that is missing, because
# the process died, counts as one without an answer.


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


# Submission requirements: what must hold of a report before it is sent off.
#
# Some hold for every report; a methodology may ask for more by their names.


class Requirement(StrEnum):
    """What must hold; each is the code of the refusal that names it."""

    HAS_BATCHES = "no_batches"
    """The report takes from at least one batch."""

    BATCHES_THERE = "batch_gone"
    """None of its batches was deleted."""

    AMOUNTS_REMAIN = "not_remaining"
    """What it takes remains, at every moment from the latest slot's end on."""

    NO_PENDING_PROPOSALS = "pending_proposals"
    """No correction of the data behind it waits for approval."""

    NOT_STALE = "stale_batches"
    """Its batches stand on the data as they are."""

    NO_LATE_DATA = "late_data"
    """No data of its time wait for a generation to look at them."""

    NO_OPEN_DEFICITS = "open_deficits"
    """At no moment of its period more was drawn of its ledger than produced."""

    OF_ITS_MODELS = "another_model"
    """Its batches were made by models that implement its methodology."""

    NO_OPEN_ALERTS = "open_alerts"
    """No alert stands on the data or the runs behind it."""

    MEASURED_ENOUGH = "measured_share"
    """Of what it takes, as much was measured as its methodology asks for."""

    HAS_EVIDENCE = "no_evidence"
    """Each of its batches has evidence on an event that it was made of."""


OPTIONAL_REQUIREMENTS: Final = {
    "no_open_alerts": Requirement.NO_OPEN_ALERTS,
    "evidence": Requirement.HAS_EVIDENCE,
}
"""What a methodology may ask for, by name."""
