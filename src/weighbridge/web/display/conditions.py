"""The words and tones of the conditions of batches: lists, pages and strips of periods name them alike."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from weighbridge.core.ledger.conditions import NO_BATCHES, BatchCondition


class Shown(NamedTuple):
    """How a condition is shown."""

    words: str
    tone: str
    """Of the mark: good, waits or quiet."""
    swatch: str
    """The class of its periods in a strip."""


CONDITIONS: Final[Mapping[str, Shown]] = {
    BatchCondition.STALE: Shown("out of date", "waits", "stale"),
    BatchCondition.NOT_COUNTED_YET: Shown("not counted yet", "waits", "waiting"),
    BatchCondition.WAITING_FOR_APPROVAL: Shown("waiting for approval", "waits", "pending"),
    BatchCondition.UP_TO_DATE: Shown("up to date", "good", "fresh"),
    BatchCondition.REPORTED: Shown("reported", "quiet", "reported"),
    NO_BATCHES: Shown("no batches yet", "quiet", "never"),
}
