"""What goes in and out of a comparison of two versions over a period."""

from decimal import Decimal
from typing import Annotated, Final

import msgspec

from weighbridge.core.time.instant import Instant
from weighbridge.http.openapi.schemas import friendly_id
from weighbridge.http.text import Moment
from weighbridge.modelling.models.records import ModelName

_MODEL_ID: Final = msgspec.Meta(
    description="The friendly id of another version of the model; without it, the active one.",
    extra_json_schema={key: friendly_id("model")[key] for key in ("pattern", "examples")},
)


class ComparedPeriod(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a comparison: the period, and the version that is compared with."""

    start_time: Moment
    """The start of the period, inclusive; slots of which at least half lies in it are compared."""
    end_time: Moment
    """The end of the period, exclusive."""
    against: Annotated[str, _MODEL_ID] | None = None


class ComparedNode(msgspec.Struct, frozen=True):
    """A node of a run that comes to something else, has another unit, or is in one version only."""

    slug: str
    """The slug of the node."""
    name: str
    """The label of the node, in the version that is asked about where that has it."""
    value_before: Decimal | list[Decimal] | None
    """What it comes to by the version compared with, in `unit_before`; null where there is no value."""
    value_after: Decimal | list[Decimal] | None
    """What it comes to by the version that is asked about, in `unit_after`; null where there is no value."""
    unit_before: str | None
    """Its unit in the version compared with; null where that has no such node."""
    unit_after: str | None
    """Its unit in the version that is asked about; null where that has no such node."""


class ComparedBatch(msgspec.Struct, frozen=True):
    """What a run comes to on one ledger by either version."""

    ledger_id: str
    primary_output_before: Decimal | None
    """What it comes to by the version compared with; null where that makes no such batch."""
    primary_output_after: Decimal | None
    """What it comes to by the version that is asked about; null where that makes no such batch."""
    unit: str
    """The unit of the ledger."""


class ComparedRun(msgspec.Struct, frozen=True):
    """A slot and partition that the versions do not agree on."""

    project_id: str
    partition: str | None
    """What the partition is called; null for a model without partitions."""
    start_time: Instant
    """The start of the slot, inclusive."""
    end_time: Instant
    """The end of the slot, exclusive."""
    batches: list[ComparedBatch]
    """The ledgers on which it comes to something else, in their order."""
    nodes: list[ComparedNode]
    """The nodes that differ, in the order of the version that is asked about, then those it does not have."""


class ComparedLedger(msgspec.Struct, frozen=True):
    """What all runs of the period come to on one ledger by either version."""

    ledger_id: str
    name: str
    """What the ledger is called."""
    batch_count: int
    """How many of its batches would come to something else, appear or vanish."""
    primary_output_before: Decimal | None
    """The sum by the version compared with; null where that cannot credit the ledger."""
    primary_output_after: Decimal
    """The sum by the version that is asked about."""
    unit: str
    """The unit of the ledger."""


class ComparedVersions(msgspec.Struct, frozen=True):
    """What a version would have come to over a period, against another one, on the data as they are now."""

    model: ModelName
    """The version that is asked about."""
    against: ModelName
    """The version that it is compared with."""
    start_time: Instant
    """The start of the period, inclusive."""
    end_time: Instant
    """The end of the period, exclusive."""
    ledgers: list[ComparedLedger]
    """Every ledger that runs the model."""
    runs: list[ComparedRun]
    """The runs that differ, by project, slot and partition."""
    problems_before: list[str]
    """What would fail a generation by the version compared with, each in a sentence."""
    problems_after: list[str]
    """What would fail a generation by the version that is asked about, each in a sentence."""
