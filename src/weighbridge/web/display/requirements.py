"""The words of the requirements of reports: forms of methodologies and drafts name them alike."""

from collections.abc import Mapping
from typing import Final

from weighbridge.core.report import Requirement

REQUIREMENT_NAMES: Final[Mapping[Requirement, str]] = {
    Requirement.HAS_BATCHES: "It contains at least one batch",
    Requirement.BATCHES_THERE: "No batch was deleted",
    Requirement.AMOUNTS_REMAIN: "Its amounts are available",
    Requirement.NOT_BELOW_ZERO: "It deducts no more than it claims",
    Requirement.DEDUCTED_WHOLE: "It deducts all that remains to be deducted",
    Requirement.NO_PENDING_PROPOSALS: "No correction of its data is pending approval",
    Requirement.NOT_STALE: "Its batches are up to date",
    Requirement.NO_LATE_DATA: "All data of its period are included in batches",
    Requirement.NO_OPEN_DEFICITS: "Its period has no deficit",
    Requirement.OF_ITS_MODELS: "Its batches use models of its methodology",
    Requirement.OF_ITS_VERSIONS: "Its batches use versions that its methodology names",
    Requirement.NO_OPEN_ALERTS: "Its data have no open alerts",
    Requirement.MEASURED_ENOUGH: "Its primary data share is sufficient",
    Requirement.HAS_EVIDENCE: "Each batch has evidence",
}
"""What each requirement asks, as pages say it."""
