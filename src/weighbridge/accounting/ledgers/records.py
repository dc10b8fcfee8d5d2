"""What a ledger looks like on the wire."""

from decimal import Decimal
from typing import Annotated, Final

import msgspec

from weighbridge.core.identity.link import Link
from weighbridge.core.ledger.instrument import PRESETS
from weighbridge.core.ledger.partition import DIMENSIONS
from weighbridge.core.ledger.posting import SCALE_DEFAULT, SCALE_MAX
from weighbridge.core.ledger.rounding import HALF_EVEN, LedgerRounding
from weighbridge.core.time.cadence import CADENCES
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Line, Name, NodeSlug, UnitText, between, one_of

INPUT_CATEGORIES: Final = ("event", "static_input", "ledger")
"""What the inputs of a model are read from."""

INPUT_VALUE_TYPES: Final = ("number",)
"""What values models take."""


class LedgerModel(msgspec.Struct, frozen=True):
    """The active version of the model that a ledger runs."""

    id: str
    name: str
    """What the model is called, such as `Biochar storage`."""


class NotCountedYet(msgspec.Struct, frozen=True):
    """Events in the time of a ledger that no generation has looked at since they were stored or changed."""

    event_count: int
    """How many there are, up to 1,000. What counts of them only a generation can say."""
    is_more: bool
    """Whether there are more than that."""
    start_time: Instant
    """The start of the earliest of them."""
    end_time: Instant
    """The end of the latest of them."""


class Ledger(msgspec.Struct, frozen=True):
    """One ledger."""

    id: str
    numeric_id: int
    project_id: str
    name: str
    """What people call it, once in the project, such as `Wood chips on stock`; models draw from it by that.
    """
    unit: str
    """The unit of its amounts, such as `t`; `dimensionless` for plain numbers."""
    scale: int
    """How many decimals its amounts have."""
    rounding: LedgerRounding
    """How it rounds a run's total to its scale."""
    balance: Decimal
    """What is left of its batches, in its unit, at the times that the query names or now."""
    deficit: Decimal
    """What was drawn of it beyond what it had produced, in its unit; zero when nothing was."""
    system_ledger_type: Annotated[str, one_of(PRESETS)] | None
    """The kind of instruments that credit it; null for a ledger that runs a model."""
    partition_type: Annotated[str, one_of(DIMENSIONS)] | None
    """What the active version cuts a slot into, each part of which makes one batch; null without a model."""
    cadence: Annotated[str, one_of(CADENCES)] | None
    """What the active version cuts time into; null without a model."""
    latest_model: LedgerModel | None
    """The active version of the model that it runs; null while it has none."""
    output: str | None
    """The slug of the output of the model that it keeps; null while it has no model."""
    asset_category: str | None
    """What its batches are, in the project's own words, such as `feedstock`; null when not said."""
    not_counted_yet: NotCountedYet | None
    """The events that wait for a generation, as workers found them some seconds ago at the most; null where
    none does."""
    warnings: list[str]
    """What rounding may cost, where that is more than the shares of its model."""
    created_at: Instant
    updated_at: Instant
    ui_url: Link


class PartitionDeficit(msgspec.Struct, frozen=True):
    """What was drawn from a partition of a ledger beyond what it had produced, until it is settled."""

    ledger: str
    """The friendly id of the ledger."""
    partition: str | None
    start_time: Instant | None
    """The start of the slot with whose end it opened; null when it did not open with a slot's end."""
    end_time: Instant
    """The end of that slot: the moment from which on so much is short."""
    settled_at: Instant | None
    """The moment at which later slots had produced as much; null while it is open."""
    amount: Decimal
    """How much is short, in the ledger's unit."""


class Deficits(msgspec.Struct, frozen=True):
    """The answer: not a page, for what is short is meant to be put right."""

    data: list[PartitionDeficit]
    """Every deficit of the ledger by partition and slot, those that are settled included."""


class AllocationGroup(msgspec.Struct, frozen=True):
    """The name under which batch_amounts reach a node that draws what the caller names."""

    name: str
    """The name, as `allocation_group` takes it, such as `biomass`."""
    node: str
    """The slug of the node that draws by it."""


class SourceLedger(msgspec.Struct, frozen=True):
    """A ledger that an input comes from."""

    id: str
    name: str
    """What the ledger is called, such as `Wood chips on stock`."""
    unit: str
    """The unit of its amounts, such as `t`."""


class RequiredInput(msgspec.Struct, frozen=True):
    """One input that a ledger's model needs: data points of events, a static input, or draws of a ledger."""

    id: int
    """Its own: the number of its data point type, or of anything else a number below zero."""
    name: str
    """What people call it: the label of the node that reads it."""
    slug: str
    """The slug of the data point type or static input that it reads, or of the node that draws."""
    unit: str
    """The unit of the node, to which what it reads is converted, such as `t`."""
    value_type: Annotated[str, one_of(INPUT_VALUE_TYPES)]
    """Always `number`: models compute with numbers."""
    category: Annotated[str, one_of(INPUT_CATEGORIES)]
    """What the input is read from."""
    subcategory: str
    """The event type's slug; what a static input has a value for each of, or `project`; the ledger's name."""
    is_manual_select: bool
    """Whether it draws what the caller names in `batch_amounts`, and nothing else."""
    allocation_groups: list[AllocationGroup]
    """The names by which `batch_amounts` reach it; empty unless it draws by hand."""
    output_of_ledgers: list[SourceLedger]
    """The ledgers that it draws from; empty when it draws from none."""


class RequiredInputs(msgspec.Struct, frozen=True):
    """The answer: not a page, for a model has few inputs."""

    data: list[RequiredInput]
    """One entry for each input, in the order of the model's nodes."""


class NewLedger(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a ledger of the project in the path."""

    name: Name
    unit: UnitText | None = None
    """Required, unless the kind of a system ledger gives it."""
    project_id: str | int | None = None
    """The project, as `prj_…` or its number; the one in the path when left out."""
    model_id: str | None = None
    """The version of the model that credits it, such as `mod_…`; it can be given later, once."""
    output: NodeSlug | None = None
    """The slug of the output of the model that it keeps; its primary output when left out."""
    asset_category: Name | None = None
    scale: Annotated[int, between(0, SCALE_MAX)] = SCALE_DEFAULT
    rounding: LedgerRounding = HALF_EVEN
    """How it rounds; with `down` no total exceeds what was computed, and draws round up. It never changes."""
    system_ledger_type: Annotated[Line, one_of(PRESETS)] | None = None
    """Makes a system ledger, which instruments credit instead of a model."""


class LedgerChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller may change of a ledger; what is left out stays."""

    name: Name | msgspec.UnsetType = msgspec.UNSET
    asset_category: Name | msgspec.UnsetType | None = msgspec.UNSET
    model_id: str | msgspec.UnsetType = msgspec.UNSET
    """The model that it runs, once and for all; only while it has none."""
    output: NodeSlug | msgspec.UnsetType = msgspec.UNSET
    """With a model, the output of it that the ledger keeps; its primary output when left out."""


class LedgerChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /ledgers/{ledger_id}."""

    ledger: LedgerChange


class NewLedgerOfAccount(NewLedger, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a caller sends to make a ledger, with the project that it is made in."""

    project_id: str | int
    """The project, as `prj_…` or its number."""


class NewLedgerBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/ledgers."""

    ledger: NewLedger


class NewLedgerOfAccountBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /ledgers."""

    ledger: NewLedgerOfAccount
