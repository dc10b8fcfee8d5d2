"""A feature flag switches a part of the service off for an account; every feature is on unless it was.

Invariants: what a feature made while it was on stays when it is switched off, and is there again when it is
switched on.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Feature(StrEnum):
    """A part of the service that an account may do without."""

    RULES_ENGINE = "rules_engine"
    DATA_CAPTURE_RATE = "data_capture_rate"
    APPROVAL_OF_OWN = "approval_of_own"


FEATURES: Final[Mapping[Feature, str]] = {
    Feature.RULES_ENGINE: "Data rules, their results and runs; without it, records show no alerts.",
    Feature.DATA_CAPTURE_RATE: "How often an event type is measured, and how much of that was captured.",
    Feature.APPROVAL_OF_OWN: "Approving what one's own rule or data proposed; without it others do.",
}
"""What each feature is."""

REFUSALS: Final[Mapping[Feature, str]] = {
    Feature.RULES_ENGINE: "Rules engine feature is not enabled",
    Feature.DATA_CAPTURE_RATE: "Data capture rate feature is not enabled",
    Feature.APPROVAL_OF_OWN: "In this account somebody else approves what one's own rule or data proposed",
}
"""What a caller reads whose account has the feature off."""
