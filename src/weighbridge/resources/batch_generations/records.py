"""What goes in and out of preview and generation."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec

Moment = Annotated[datetime, msgspec.Meta(tz=True)]


class NewGeneration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of generate_preview and batch_generations."""

    start_time: Moment
    end_time: Moment
    generate_concurrent_ledgers: bool = False
    model_version: Literal["latest"] | None = None
    """`latest` has the active version replace whole slots; without it a slot keeps the version it has."""


class NotCounted(msgspec.Struct, frozen=True):
    """Data in the range that no run uses, and why."""

    reason: str
    event_type: str
    event_count: int
    events: list[str]


class PreviewEntry(msgspec.Struct, frozen=True):
    """What generation would do on one ledger."""

    id: str
    name: str
    count: int
    adjustments: int
    slots: list[str]
    touched_slots: list[str]
    passed_over_slots: list[str]
    not_counted: list[NotCounted]
    problems: list[str]


class Preview(msgspec.Struct, frozen=True):
    """One entry for each ledger that the model runs on."""

    data: list[PreviewEntry]


class GenerationResult(msgspec.Struct, frozen=True):
    """The result of a finished generation task."""

    batches: list[str]
    created: int
    adjusted: int
    unchanged: int
    not_counted: list[NotCounted]
