"""What a ledger looks like on the wire."""

from decimal import Decimal

import msgspec

from weighbridge.core.identity.link import Link
from weighbridge.core.ledger.posting import SCALE_DEFAULT
from weighbridge.core.ledger.rounding import HALF_EVEN, LedgerRounding
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Line


class LedgerModel(msgspec.Struct, frozen=True):
    """The active version of the model that a ledger runs."""

    id: str
    name: str


class Ledger(msgspec.Struct, frozen=True):
    """One ledger."""

    id: str
    numeric_id: int
    """The number by which the `args` of tasks name it."""
    project_id: str
    name: str
    unit: str
    scale: int
    rounding: LedgerRounding
    balance: Decimal
    deficit: Decimal
    system_ledger_type: str | None
    partition_type: str | None
    cadence: str | None
    latest_model: LedgerModel | None
    output: str | None
    asset_category: str | None
    warnings: list[str]
    """What rounding may cost, where that is more than the shares of its model."""
    created_at: Instant
    updated_at: Instant
    ui_url: Link


class PartitionDeficit(msgspec.Struct, frozen=True):
    """What was drawn from a partition of a ledger beyond what it had produced, until it is settled."""

    ledger: str
    partition: str | None
    start_time: Instant | None
    """The start of the slot with whose end it opened; null when it did not open with a slot's end."""
    end_time: Instant
    """The end of that slot: the moment from which on so much is short."""
    settled_at: Instant | None
    """The moment at which later slots had produced as much; null while it is open."""
    amount: Decimal


class Deficits(msgspec.Struct, frozen=True):
    """The answer: not a page, for what is short is meant to be put right."""

    data: list[PartitionDeficit]


class AllocationGroup(msgspec.Struct, frozen=True):
    """The name under which batch_amounts reach a node that draws what the caller names."""

    name: str
    node: str


class SourceLedger(msgspec.Struct, frozen=True):
    """A ledger that an input comes from."""

    id: str
    name: str
    unit: str


class RequiredInput(msgspec.Struct, frozen=True):
    """One input that a ledger's model needs: data points of events, a static input, or draws of a ledger."""

    id: int
    """Its own: the number of its data point type, or of anything else a number below zero."""
    name: str
    slug: str
    unit: str
    value_type: str
    category: str
    """`event`, `static_input` or `ledger`."""
    subcategory: str
    """The event type's slug; what a static input has a value for each of, or `project`; the ledger's name."""
    is_manual_select: bool
    allocation_groups: list[AllocationGroup]
    output_of_ledgers: list[SourceLedger]


class RequiredInputs(msgspec.Struct, frozen=True):
    """The answer: not a page, for a model has few inputs."""

    data: list[RequiredInput]


class NewLedger(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a ledger; the project stands here or in the path."""

    name: str
    unit: str | None = None
    """Required, unless the kind of a system ledger gives it."""
    project_id: str | int | None = None
    model_id: str | None = None
    output: str | None = None
    asset_category: str | None = None
    scale: int = SCALE_DEFAULT
    rounding: LedgerRounding = HALF_EVEN
    """`down`: no total exceeds what was computed, and what is drawn rounds up. It never changes."""
    system_ledger_type: Line | None = None
    """Makes a system ledger, which instruments credit instead of a model."""


class LedgerChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller may change of a ledger; what is left out stays."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    asset_category: str | msgspec.UnsetType | None = msgspec.UNSET
    model_id: str | msgspec.UnsetType = msgspec.UNSET
    """The model that it runs, once and for all; only while it has none."""
    output: str | msgspec.UnsetType = msgspec.UNSET
    """With a model, the output of it that the ledger keeps; its primary output when left out."""


class LedgerChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /ledgers/{ledger_id}."""

    ledger: LedgerChange


class NewLedgerBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /ledgers and POST /projects/{project_id}/ledgers."""

    ledger: NewLedger
