"""Fields that a mapping may name: what a report states, by paths such as `report.amount`.

Invariant: every field has a value of its kind, or none, in every report that is submitted.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class FieldKind(StrEnum):
    """What the value of a field is."""

    TEXT = "text"
    NUMBER = "number"
    """An exact number; where it has a unit, another field says which."""
    MOMENT = "moment"
    """A time in UTC, to the millisecond."""


EACH: Final = "inclusions"
"""What a mapping may repeat a part for: the batches that a report takes from, oldest first."""

OF_REPORT: Final[Mapping[str, FieldKind]] = {
    "report.id": FieldKind.TEXT,
    "report.name": FieldKind.TEXT,
    "report.report_type": FieldKind.TEXT,
    "report.amount": FieldKind.NUMBER,
    "report.unit": FieldKind.TEXT,
    "report.start_time": FieldKind.MOMENT,
    "report.end_time": FieldKind.MOMENT,
    "report.effective_at": FieldKind.MOMENT,
    "report.supersedes": FieldKind.TEXT,
    "report.measured_share": FieldKind.NUMBER,
    "project.id": FieldKind.TEXT,
    "project.name": FieldKind.TEXT,
    "ledger.id": FieldKind.TEXT,
    "ledger.name": FieldKind.TEXT,
    "methodology.name": FieldKind.TEXT,
    "methodology.version": FieldKind.TEXT,
}
"""Fields that stand once."""

OF_INCLUSION: Final[Mapping[str, FieldKind]] = {
    "inclusion.number": FieldKind.NUMBER,
    "inclusion.batch_id": FieldKind.TEXT,
    "inclusion.tracking_id": FieldKind.TEXT,
    "inclusion.start_time": FieldKind.MOMENT,
    "inclusion.end_time": FieldKind.MOMENT,
    "inclusion.amount": FieldKind.NUMBER,
    "inclusion.unit": FieldKind.TEXT,
}
"""Fields of each batch, within a part that is repeated."""

UNITS: Final[Mapping[str, str]] = {
    "report.amount": "report.unit",
    "inclusion.amount": "inclusion.unit",
}
"""Fields that say in what unit others are."""
