"""Define the records of ledgers, of the instruments that credit system ledgers, and of ledger statements."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Final

import msgspec

from weighbridge.core.identity import Link
from weighbridge.core.ledger.allocation import DIMENSIONS, HALF_EVEN, LedgerRounding
from weighbridge.core.ledger.conditions import LEDGER_CONDITIONS
from weighbridge.core.ledger.instrument import GENERATION_TECHS, PRESETS
from weighbridge.core.ledger.posting import SCALE_DEFAULT, SCALE_MAX
from weighbridge.core.time.calendar import CADENCES, Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import Line, Name, NodeSlug, UnitText, between, one_of

# What a ledger looks like on the wire.


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
    name: Annotated[str, Sent(Name, write=str.strip, is_later=True)]
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
    open_liability: Decimal
    """What its claims owe their receivers, in its unit: the sum over its accepted reports in force."""
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
    asset_category: Annotated[str | None, Sent(Name, is_later=True)]
    """What its batches are, in the project's own words, such as `feedstock`; null when not said."""
    display_places: Annotated[int | None, Sent(Annotated[int, between(0, SCALE_MAX)], is_later=True)]
    """To how many decimals pages round its amounts, at most its scale; null for six significant digits. All
    answers of the interface have every digit."""
    not_counted_yet: NotCountedYet | None
    """The events that wait for a generation, as workers found them some seconds ago at the most; null where
    none does."""
    stale_batch_count: int
    """How many of its batches are out of date."""
    pending_proposal_count: int
    """How many corrections wait for approval that its batches would follow."""
    conditions: list[Annotated[str, one_of(LEDGER_CONDITIONS)]]
    """What holds of its batches, the most urgent first; `up_to_date` when nothing before it does, and
    `no_batches` when it has none.
    """
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
    display_places: Annotated[int, between(0, SCALE_MAX)] | None = None
    """To how many decimals pages round its amounts, at most its scale; six significant digits without it."""
    scale: Annotated[int, between(0, SCALE_MAX)] = SCALE_DEFAULT
    rounding: LedgerRounding = HALF_EVEN
    """How it rounds; with `down` no total exceeds what was computed, and draws round up. It never changes."""
    system_ledger_type: Annotated[Line, one_of(PRESETS)] | None = None
    """Makes a system ledger, which instruments credit instead of a model."""


LEDGER_BODIES: Final = RequestBodies(
    Ledger,
    "ledger",
    "/ledgers",
    extra={
        "model_id": Sent(
            str,
            is_later=True,
            change_meaning="The model that it runs, once and for all; only while it has none.",
        ),
        "output": Sent(
            NodeSlug,
            is_later=True,
            change_meaning=(
                "With a model, the output of it that the ledger keeps; its primary output when left out."
            ),
        ),
    },
    about_change="What a caller may change of a ledger; what is left out stays.",
)
"""The body that changes one; those that make one differ in where they name the project."""


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


# What an instrument looks like on the wire.


class Instrument(msgspec.Struct, frozen=True):
    """One instrument, and what is left of it; its id is that of its batch."""

    id: str
    """The friendly id of its batch: bat_ and 24 hexadecimal digits."""
    project_id: str
    ledger_id: str
    external_id: Annotated[str, Sent(Line, write=str.strip)]
    """The number that its registry gave it, once in the ledger."""
    name: Annotated[str | None, Sent(Line)]
    """What people call it; null when not said."""
    amount: Annotated[
        Decimal,
        Sent(
            Decimal,
            meaning=(
                "What it credits its ledger with, in the ledger's unit; above zero, with no more decimals "
                "than the ledger's `scale`."
            ),
        ),
    ]
    """What it credits its ledger with, in `unit`."""
    unit: str
    """The unit of its ledger, such as `kWh`."""
    balance: Decimal
    """What is left of it, in `unit`."""
    geography: Annotated[str | None, Sent(Line)]
    """Where the energy or fuel was made, such as `US-CA`; null when not said."""
    generation_tech: Annotated[
        Annotated[str, one_of(GENERATION_TECHS)] | None,
        Sent(Annotated[Line, one_of(GENERATION_TECHS)]),
    ]
    """How the energy behind a renewable energy credit was made; null when not said."""
    issued_on: Annotated[date | None, Sent(date)]
    """The day on which the registry issued it, such as `2025-01-31`; null when not said."""
    purchased_on: Annotated[date | None, Sent(date)]
    """The day on which it was bought, such as `2025-02-14`; null when not said."""
    mass: Annotated[Decimal | None, Sent(Decimal)]
    """The mass of the fuel, in t; null when not said."""
    energy_intensity: Annotated[Decimal | None, Sent(Decimal)]
    """The emissions of the fuel by its energy, in g{CO2e}/MJ; null when not said."""
    lower_heating_value: Annotated[Decimal | None, Sent(Decimal)]
    """The lower heating value of the fuel, in MJ/kg; null when not said."""
    start_time: Instant
    """The day that it counts from: that of issue, or else that of its entry, in the project's time zone."""
    end_time: Instant
    """The end of that day."""
    created_at: Instant
    updated_at: Instant


INSTRUMENT_BODIES: Final = RequestBodies(
    Instrument,
    "instrument",
    "/ledgers/{ledger_id}/instruments",
    leading=("external_id", "amount"),
    about_new=(
        "What a caller sends to credit a system ledger; which fields it takes depends on the ledger's kind."
    ),
)


# What a statement looks like on the wire.


STEP_KINDS: Final = (
    "delivered", "delivered_late", "corrected", "approved", "voided", "inputs_changed", "generated",
    "regenerated", "deleted", "entered", "withdrawn", "returned", "reserved", "released", "reported",
    "restated",
)  # fmt: skip
"""What moves the balance of a ledger, or leads to that."""


class StandingAt(msgspec.Struct, frozen=True):
    """How a partition stands at a moment: one of the two is zero."""

    balance: Decimal
    """What was produced less what was drawn, in the ledger's unit, if that is above nothing."""
    deficit: Decimal
    """What was drawn less what was produced, in the ledger's unit, if that is above nothing."""


class DrawnIn(msgspec.Struct, frozen=True):
    """What the runs of a partition drew from another ledger, less what they gave back."""

    ledger: str
    """The friendly id of the ledger that was drawn from."""
    name: str
    """What that ledger is called."""
    unit: str
    """The unit of that ledger, such as `t`."""
    amount: Decimal
    """How much was drawn, in `unit`."""


class PartitionStatement(msgspec.Struct, frozen=True):
    """One partition: opening, plus produced, less drawn out, is closing, deficits counted below zero."""

    partition: str | None
    opening: StandingAt
    """How it stood at the start of the period."""
    produced: Decimal
    """What the runs whose slots end in the period come to, in the ledger's unit; below zero where they take
    back.
    """
    of_which_fallen: Decimal
    """The part of it by which batches lost and were given back what runs turned out not to have made."""
    drawn_in: list[DrawnIn]
    """From other ledgers, in their units; it is no part of the sum."""
    drawn_out: Decimal
    """What others drew and reports took, less what they gave back, in the ledger's unit."""
    of_which_reported: Decimal
    """The part of it that reports hold, reserved or posted, less what they gave back."""
    closing: StandingAt
    """How it stood at the end of the period."""


class Statement(msgspec.Struct, frozen=True):
    """A ledger's statement over a period, which has what counts after its start and up to its end."""

    ledger: str
    """The friendly id of the ledger."""
    unit: str
    """The unit of the ledger, such as `t`."""
    start_time: Instant
    """The start of the period: what counts after it is in the statement."""
    end_time: Instant
    """The end of the period: what counts up to it is in the statement."""
    as_of: Instant | None
    """Read by what had been posted at this time; null for all that was posted by now."""
    data: list[PartitionStatement]
    """One entry for each partition of the ledger."""


class BalanceStep(msgspec.Struct, frozen=True):
    """One step by which the balance of a ledger moved, or one that led to such a step."""

    number: int
    """The row of the audit log with which it became known."""
    known_at: Instant
    """From which time on it was known."""
    kind: Annotated[str, one_of(STEP_KINDS)]
    """What happened; what leads to a generation, such as `delivered` or `corrected`, moves nothing itself."""
    action: str | None
    """The action of that row, such as `batch_generation.finish`; null for what the service did by itself."""
    object: str | None
    """What the action was done to, as in the audit log; null for what the service did by itself."""
    user_name: str | None
    """Who did it; null for what the service did by itself."""
    record_count: int
    """How many events or batches the step is about."""
    record_ids: list[str]
    """Their friendly ids, up to 10."""
    amount: Decimal
    """By how much it moved the balance, in the ledger's unit."""
    deficit_amount: Decimal
    """By how much it moved the deficit."""
    balance: Decimal
    """The balance after the step."""
    deficit: Decimal
    """The deficit after the step."""


class BalanceAtRow(msgspec.Struct, frozen=True):
    """What a ledger held and was short of, as known at a row of the audit log."""

    number: int
    """The row of the audit log; 0 before the first."""
    known_at: Instant | None
    """From which time on it was known; null before the first row."""
    balance: Decimal
    """What the ledger held."""
    deficit: Decimal
    """What it was short of."""


class BalanceSteps(msgspec.Struct, frozen=True):
    """The steps from what was known of a ledger at one row of the audit log to what was known at another."""

    ledger: str
    """The friendly id of the ledger."""
    unit: str
    """The unit of the ledger, such as `t`."""
    opening: BalanceAtRow
    """What was known at the first row."""
    closing: BalanceAtRow
    """What was known at the last row: the opening balance and all amounts."""
    data: list[BalanceStep]
    """The steps, in the order in which they became known."""
