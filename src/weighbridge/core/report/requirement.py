"""Submission requirements: what must hold of a report before it is sent off.

Some hold for every report; a methodology may ask for more by their names.
"""

from enum import StrEnum
from typing import Final


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
