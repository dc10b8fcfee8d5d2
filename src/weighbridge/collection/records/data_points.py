"""Define the records of event types with their data point types, and of data points with their
corrections.
"""

from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.collection.records.events import (
    EVENT_STATUSES,
    REASON_LENGTH_MAX,
    VALUE_STATUSES,
    DataPointResult,
    Substitution,
)
from weighbridge.collection.records.uncertainty import StatedUncertainty, read_stated, to_canonical
from weighbridge.core.collection.capture import AGGREGATES
from weighbridge.core.collection.correction import ORIGINS_SHOWN, CorrectionState
from weighbridge.core.identity import Link
from weighbridge.core.ledger.allocation import ValueSource
from weighbridge.core.number import JsonNumber
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import (
    Description,
    Line,
    Name,
    NewSlug,
    Slug,
    UnitText,
    at_most,
    between,
    one_of,
    several,
)

# What an event type looks like on the wire.


VALUE_TYPES: Final = ("number", "string", "boolean")
EXPECTED_LOCATIONS: Final = {"none": 0, "one": 1, "two": 2}
"""How many locations an event of the type names at least."""

CADENCE_UNITS: Final = ("minute", "hour", "day", "week", "month")
CADENCE_AMOUNT_MAX: Final = 1_000_000
"""Of its unit, how many the cadence of an event type has at most."""

DATA_POINT_TYPES_MAX: Final = 1000

VALID_WHEN_LENGTH_MAX: Final = 1_000
"""The longest condition by which events are valid, in characters."""

_Condition = Annotated[str, msgspec.Meta(max_length=VALID_WHEN_LENGTH_MAX)]
_ValueType = Annotated[str, one_of(VALUE_TYPES)]
_CadenceUnit = Annotated[str, one_of(CADENCE_UNITS)]
_Locations = Annotated[str, one_of(EXPECTED_LOCATIONS)]


class RolledUpValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one value of a rolled-up event is made of."""

    data_point: Line
    """The slug of a data point type of the rolled-up event type."""
    aggregate: Annotated[str, one_of(AGGREGATES)]
    """What it is of the valid readings of its slot, as models define it."""
    source: Line | None = None
    """The slug of the data point type of the readings; the same as `data_point` when left out."""


class RollUp(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """From which readings the events of a type are made, slot by slot of its cadence."""

    event_type: Slug
    """The slug of the event type of the readings, of the same project."""
    data_points: list[RolledUpValue]
    """What each data point of the event type is made of; none is left out."""
    valid_share_min: JsonNumber | None = None
    """The least share of the expected readings of a slot that has to be valid, above 0 and at most 1; below
    it the event is `incomplete`. Null: any valid reading will do.
    """


class DataPointType(msgspec.Struct, frozen=True):
    """One kind of value that events of the type carry."""

    id: int
    """The number of the data point type, as `skipped_data_point_type_ids` takes it."""
    slug: Annotated[
        str,
        Sent(
            NewSlug,
            default=None,
            meaning="The name that events, models and rules will use; made from `name` when left out.",
        ),
    ]
    """The name that events, models and rules use for it, such as `wet_mass`; it never changes."""
    name: Annotated[str, Sent(Name)]
    """What people call it, such as `Wet mass`."""
    value_type: Annotated[_ValueType, Sent(_ValueType)]
    """What its values are."""
    unit: Annotated[
        str | None,
        Sent(
            UnitText,
            meaning="The unit of its numbers, such as `kg`; only with `value_type` `number`.",
        ),
    ]
    """The unit of its numbers, such as `kg`; null for texts, for true or false, and for plain numbers."""
    required: Annotated[bool, Sent(bool, default=True)]
    """Whether an event without it is `incomplete`."""
    uncertainty: Annotated[
        StatedUncertainty | None,
        Sent(
            StatedUncertainty,
            write=to_canonical,
            read=read_stated,
            is_json=True,
            meaning="How well its values are known, where nothing else is stated; only of numbers.",
        ),
    ]
    """How well each of its values is known, unless the value says otherwise; null when not stated."""
    is_static: bool
    nexus_event_type_id: int
    """The number of its event type."""
    created_at: Instant
    updated_at: Instant


DATA_POINT_TYPE_BODIES: Final = RequestBodies(
    DataPointType,
    "data_point_type",
    "",
    leading=("name", "value_type"),
    about_new="What a caller sends for each data point type.",
)
"""A new one, as it is sent inside an event type."""


class DataPointTypeChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A data point type that the event type is to have: one it has already, by its slug, or a new one."""

    slug: Slug | None = None
    """The one that is meant, if the event type has it already; of a new one, the slug it will have."""
    name: Name | UnsetType = UNSET
    value_type: _ValueType | UnsetType = UNSET
    unit: UnitText | UnsetType | None = UNSET
    required: bool | UnsetType = UNSET
    uncertainty: StatedUncertainty | UnsetType | None = UNSET
    """How well its values are known, in place of what was stated before; null takes that away."""


class EventType(msgspec.Struct, frozen=True):
    """One event type with its data point types, in their order."""

    id: str
    slug: Annotated[
        str,
        Sent(
            NewSlug,
            default=None,
            is_fixed=True,
            meaning="The name that events are sent with and models use; made from `name` when left out.",
        ),
    ]
    """The name that events are sent with and models use, such as `diesel-delivery`; it never changes."""
    name: Annotated[str, Sent(Name, write=str.strip)]
    """What people call it, such as `Diesel delivery`."""
    description: Annotated[str | None, Sent(Description)]
    cadence_amount: Annotated[int | None, Sent(Annotated[int, between(1, CADENCE_AMOUNT_MAX)])]
    """How many `cadence_unit`s lie between two of its events; null when nothing is expected."""
    cadence_unit: Annotated[_CadenceUnit | None, Sent(_CadenceUnit)]
    """The unit of its cadence; null when nothing is expected."""
    valid_when: Annotated[str | None, Sent(_Condition)]
    """When an event counts as valid for the capture rate, such as `quality = 'good'`; null: when complete."""
    reusable_in_batches: Annotated[bool, Sent(bool, default=False)]
    """Whether one event may feed runs of several batches of a model."""
    expected_locations: Annotated[_Locations, Sent(_Locations, default="one")]
    """How many locations an event of the type names at least."""
    requires_tracking_id: Annotated[bool, Sent(bool, default=False)]
    """Whether an event of the type is refused without a tracking id."""
    is_static: bool
    data_point_types: Annotated[
        list[DataPointType],
        Sent(
            Annotated[list[DATA_POINT_TYPE_BODIES.new], several(DATA_POINT_TYPES_MAX)],
            default=[],
            change=Annotated[list[DataPointTypeChange], several(DATA_POINT_TYPES_MAX)],
            change_meaning=(
                "All that the event type is to have, in their order; one that is not among them is removed."
            ),
        ),
    ]
    """The quantities that its events carry, in their order."""
    rolled_up_from: Annotated[
        RollUp | None,
        Sent(
            RollUp,
            meaning=(
                "The readings that its events are to be made of; "
                "it needs a cadence, whose slots they are made for."
            ),
            change_meaning=(
                "The readings that its events are to be made of, in place of what was said before; "
                "all are made anew."
            ),
        ),
    ]
    """The readings that its events are made of, by the service; null when people and devices write them."""
    created_at: Instant
    updated_at: Instant
    ui_url: Link


EVENT_TYPE_BODIES: Final = RequestBodies(
    EventType,
    "event_type",
    "/projects/{project_id}/event_types",
    leading=("name", "data_point_types"),
    leading_in_change=("name",),
    about_new="What a caller sends to make an event type.",
    about_change=(
        "What a caller sends to change an event type; what is left out stays as it is. "
        "`data_point_types` lists all that the event type is to have."
    ),
)


# What a data point looks like on the wire, in a list of its project.


class DataPointEvent(msgspec.Struct, frozen=True):
    """The event that carries a data point."""

    project_id: str
    id: str
    slug: str
    """The slug of its event type, such as `diesel-delivery`."""
    tracking_id: str | None
    """The tracking id of the event, such as `LOT-7`; null when it has none."""
    start_time: Instant
    """When what was measured began."""
    end_time: Instant
    """When it ended; the start for a reading."""


class DataPoint(msgspec.Struct, frozen=True):
    """One measured value; `raw_value` is as captured and never changes, `value` is as corrected."""

    id: str
    slug: str
    """The slug of its data point type, such as `wet_mass`."""
    data_point_type: str
    """What its data point type is called, such as `Wet mass`."""
    value_type: Annotated[str, one_of(VALUE_TYPES)]
    """What the value is."""
    value: Decimal | str | bool
    """The value in force, as corrected; a number in its `unit`, with every digit."""
    raw_value: Decimal | str | bool | None
    unit: str | None
    """The unit of a number, such as `kg`; null for a text, true or false, or a plain number."""
    status: Annotated[str, one_of(VALUE_STATUSES)]
    """Always `complete`: what has no value is no data point."""
    substituted: bool
    imputed: bool
    substitution: Substitution | None
    value_source: Annotated[str, one_of(ValueSource)]
    corrections_count: int
    corrections_total: int
    rule_results: list[DataPointResult]
    event: DataPointEvent
    created_at: Instant
    """When its event was stored."""
    updated_at: Instant
    """When its event was last changed or corrected."""
    uncertainty: StatedUncertainty | UnsetType = UNSET
    """How well this value is known, where that was stated of it; left out where its type says so."""


class OutputDataPointOfRun(msgspec.Struct, frozen=True):
    """What an output of a model run came to, with the fields of a measured value; it belongs to no event.

    `value` is a list where the node is an array, and null where an optional node had no data. It is computed:
    nothing was captured, and it is never corrected. `batch_id` is null for a run that stands alone.
    """

    id: str
    """The friendly id of the output: `odp_` and 24 hexadecimal digits."""
    slug: str
    """The slug of the node."""
    data_point_type: str
    """The label of the node."""
    value_type: Annotated[str, one_of(("number",))]
    """Always `number`, as the values of nodes are."""
    value: Decimal | list[Decimal] | None
    """What it came to, in `unit`: a number, a list for an array, or null for an optional node without data.
    """
    raw_value: None
    """Always null: nothing was captured."""
    unit: str
    """The unit of the node, such as `t{CO2e}`."""
    status: Annotated[str, one_of(EVENT_STATUSES)]
    """Whether the node came to something."""
    substituted: bool
    imputed: bool
    """Always false: it was computed."""
    substitution: None
    """Always null: nothing stands in its place."""
    value_source: None
    """Always null: it was computed."""
    corrections_count: int
    corrections_total: int
    rule_results: list[DataPointResult]
    event: None
    """Always null: it belongs to no event."""
    model_run_id: str
    """The friendly id of the run that it is an output of."""
    batch_id: str | None
    """The friendly id of the batch that the run made; null for a run that stands alone."""
    start_time: Instant
    """The start of the period that the run computes, inclusive."""
    end_time: Instant
    """The end of that period, exclusive."""
    created_at: Instant
    updated_at: Instant


class DataPointChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to correct a data point: a value, or how well it is known, or both."""

    value: Any = UNSET
    """The value that is to count: a number in the unit of its type, a text, or true or false, as its type
    says; left out, it stays.
    """
    uncertainty: StatedUncertainty | UnsetType | None = UNSET
    """How well the value is known, in place of what its type states; null takes the statement away."""
    reason: Annotated[str, at_most(REASON_LENGTH_MAX)] | None = None
    """Why it is corrected, up to 1,000 characters; it stands with the correction."""


class DataPointChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}/data_points/{data_point_id}."""

    data_point: DataPointChange


class NoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a revert, which may be left out."""


class Correction(msgspec.Struct, frozen=True):
    """One correction: of a data point, or of a field of the event itself.

    `source` is manual, adjustment or substitution; `state` is in_force, superseded or reverted. Either a
    person reverted it, or the run of its rule that found it to apply no more.
    """

    id: int
    """The number of the correction."""
    event_id: str
    data_point_id: str | None
    """The friendly id of the data point that was corrected; null for a field of the event itself."""
    field: str | None
    """The field of the event that was corrected, such as `start_time`; null for a data point."""
    from_value: Any
    """The value that was in force before."""
    to_value: Any
    """The value that it sets; null where it clears a field of the event."""
    source: Annotated[str, one_of(ORIGINS_SHOWN)]
    """Where it comes from: a person, or a rule."""
    state: Annotated[str, one_of(CorrectionState)]
    """Whether it is in force, waits beneath another, or was reverted."""
    reason: str | None
    """Why it was made; null when nobody said."""
    rule_id: str | None
    """The friendly id of the rule that made it; null when a person did."""
    rule_version: int | None
    """The version of that rule, counted from 1; null when a person made it."""
    rule_run_id: int | None
    """The number of the rule run that made it; null when a person did."""
    corrected_by: str
    """The name of the user in whose name it was made."""
    token: str | None
    """The name of the token that the request carried; null when there was none."""
    created_at: Instant
    reverted_at: Instant | None
    """When it was reverted; null while it was not."""
    reverted_by: str | None
    """The name of the user who reverted it; null while it was not."""
    reverted_by_rule_run_id: int | None
    """The number of the rule run that found it to apply no more; null unless one did."""
