"""Define the records of events: their data points, locations, evidence and rule results, and changes to
them.
"""

from decimal import Decimal
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.collection.records.projects import Location
from weighbridge.collection.records.uncertainty import StatedUncertainty
from weighbridge.core.collection.custom_field import TEXT_LENGTH_MAX
from weighbridge.core.collection.evidence import LINK_LENGTH_MAX
from weighbridge.core.identity import Link, ResourceAddress
from weighbridge.core.ledger.allocation import ValueSource
from weighbridge.core.rule.definition import Severity
from weighbridge.core.rule.states import ApprovalState, ResultStatus
from weighbridge.core.rule.substitution.definition import METHOD_NAMES
from weighbridge.core.time.calendar import Instant
from weighbridge.http.text import Moment, Name, Slug, at_most, one_of, several, shown_as

# What evidence looks like on the wire.


EvidenceType = Literal["file", "url"]
LINKED: Final[tuple[EvidenceType, ...]] = ("url",)
"""The types that come as JSON."""


class EventEvidence(msgspec.Struct, frozen=True):
    """A file or link inside its event."""

    id: int
    """The number of the file or link."""
    type: EvidenceType
    """Whether it is a file that is kept here, or a link."""
    url: ResourceAddress
    name: str
    """What people call it: of a file its file name, such as `ticket-4711.pdf`."""


class Evidence(EventEvidence, frozen=True, omit_defaults=True):
    """One file or link of an event; size in bytes, content type and SHA-256 are those of a file."""

    size: int | UnsetType = UNSET
    """How many bytes the file has; left out for a link."""
    content_type: str | UnsetType = UNSET
    """The media type of the file, such as `application/pdf`; left out for a link."""
    sha256: str | UnsetType = UNSET
    """The SHA-256 of the file, as 64 hexadecimal digits; left out for a link."""


class NewEvidence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A link to attach; its type is url, said as `type` or as `evidence_type`."""

    url: Annotated[str, at_most(LINK_LENGTH_MAX)]
    """Where the link leads, beginning with `https://` or `http://`."""
    name: Name
    """What people call it, such as `Laboratory report`."""
    type: Annotated[str, one_of(LINKED)] | UnsetType = UNSET
    """Always `url`; a file comes as `multipart/form-data`."""
    evidence_type: Annotated[str, one_of(LINKED)] | UnsetType = UNSET
    """Another name for `type`, which clients of the public interface send."""


class NewEvidenceBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /events/{event_id}/evidence for a link; a file comes as multipart/form-data."""

    evidence: NewEvidence


class StoredFile(msgspec.Struct, frozen=True):
    """A file in the store, and what is written down of it."""

    key: str
    name: str
    size: int
    content_type: str
    sha256: bytes


class ProposedCorrection(msgspec.Struct, frozen=True):
    """The correction that a rule proposes for a value."""

    from_value: Decimal | str | bool | None
    """The value in force when it was proposed."""
    to_value: Decimal | str | bool
    """What it would become."""
    substitution: dict[str, Any] | None = None
    """How a value that fills a gap was found: method, tier, code, window, members, length of the gap."""


class ProposedEvent(msgspec.Struct, frozen=True):
    """The event that a rule makes for a slot of a meter in which none came, once someone approves it."""

    event_type_id: str
    """The friendly id of the event type whose cadence has the slot."""
    slot_start: Instant
    """When the slot begins, and the event would."""
    slot_end: Instant
    """When the slot ends, exclusive."""
    end_time: Instant
    """When the event would end: with its slot, or at its start where the meter's events are moments."""
    asset_id: str | None
    """The friendly id of the asset that is the meter; null when none is."""
    location_ids: list[str]
    """The friendly ids of the locations that it would have."""
    feedstock_id: str | None
    """The friendly id of the feedstock that the events beside it share; null when they share none."""
    tracking_id: str | None
    """The tracking id that the events beside it share; null when they share none."""


class DataPointResult(msgspec.Struct, frozen=True):
    """What a version of a rule found in one data point."""

    id: str
    status: Annotated[str, one_of(ResultStatus)]
    """Where the result stands; `pass` for one whose record has passed since."""
    entered_value: str | None
    """The value that was checked, as a text such as `12.5`; null when there was none."""
    error_message: str | None
    """Why the expression has no value for the record; null unless `status` is `error`."""
    rule_id: str
    rule_version: int
    rule_name: str
    severity: Annotated[str, one_of(Severity)]
    """Whether it is an alert, `fail`, or a warning, `warn`, as the rule's version says."""
    message: str | None
    """What the rule says to people, and where it asks for the drift of a meter, between which calibrations of
    which times that is; null when it says nothing.
    """
    event_id: str | None
    """The friendly id of the event; null for a slot in which none came, until someone approves one."""
    data_point_id: str | None
    """The friendly id of the data point; null as long as there is no event."""
    data_point_slug: str
    """The slug of its data point type, such as `wet_mass`."""
    evaluated_at: Instant
    """When the record was last evaluated."""
    created_at: Instant
    """When the result was found first."""
    superseded_by_version: int | None
    """The version of the rule that has evaluated the record since; null for a result of the newest."""
    dismissed_at: Instant | None
    dismissed_by: str | None
    dismissal_reason: str | None
    approval_state: Annotated[str, one_of(ApprovalState)] | None
    """Where the correction stands that the rule proposes; null when it proposes none."""
    proposed_correction: Annotated[dict[str, Any], shown_as(ProposedCorrection)] | None
    """What the value would become; null when nothing is proposed."""
    rejected_at: Instant | None
    """When the proposal was rejected; null unless it was."""
    rejected_by: str | None
    """The name of the user who rejected it; null unless someone did."""
    rejection_reason: str | None
    """Why it was rejected; null unless it was."""
    proposed_event: Annotated[dict[str, Any], shown_as(ProposedEvent)] | None = None
    """The event that is proposed for a slot in which none came; null of a result on a captured event."""
    approved_at: Instant | None = None
    """When the proposal was approved; null unless it was."""
    approved_by: str | None = None
    """The name of the user who approved it; null unless someone did."""
    approval_comment: str | None = None
    """What that user said about it; null when nothing was said."""


# What an event looks like on the wire.


EVENT_STATUSES: Final = ("complete", "incomplete")
"""Whether an event has all that its type requires."""

VALUE_STATUSES: Final = ("complete",)
"""What a data point of an event is: there."""

EVENTS_MAX: Final = 10_000
"""Events in one request, at most."""

REFERENCE_LENGTH_MAX: Final = 255
"""Characters of a tracking id or a client reference."""

REASON_LENGTH_MAX: Final = 1000
"""Characters of the reason of a correction."""

LOCATIONS_MAX: Final = 10
"""Locations of one event, at most."""


class LocationRef(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A location by its id."""

    id: str
    """The friendly id of the location: loc_ and 24 hexadecimal digits."""


class NewDataPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One measured value."""

    slug: Slug
    """The slug of a data point type of the event's type, such as `wet_mass`."""
    value: Any
    """A number in the unit of its data point type, a text, or true or false, as its type says."""
    uncertainty: StatedUncertainty | UnsetType | None = UNSET
    """How well this value is known, in place of what its data point type states; null takes the statement of
    the value away.
    """


class NewEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """What a caller sends for each event; without end_time it is a reading at start_time."""

    event_type: Slug
    """The slug of the event type, such as `diesel-delivery`."""
    start_time: Moment
    end_time: Moment | None = None
    """When it ended; left out for a reading at `start_time`."""
    tracking_id: Annotated[str, at_most(REFERENCE_LENGTH_MAX)] | None = None
    feedstock_id: str | None = None
    """The feedstock that the event is tagged with, such as `fs_…`."""
    asset_id: str | None = None
    """The asset that the event is tagged with, such as `ast_…`; the meter of its values."""
    client_reference: Annotated[str, at_most(REFERENCE_LENGTH_MAX)] | None = None
    notes: Annotated[str, at_most(TEXT_LENGTH_MAX)] | None = None
    locations: Annotated[list[LocationRef], several(LOCATIONS_MAX)] = []
    """The locations of the event by their ids, up to 10; its first is the meter when it has no asset."""
    data_points: list[NewDataPoint] = []
    """The values that were measured, each of another data point type."""


class NewEventsBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/events: one event, or many of which all or none are stored."""

    event: NewEvent | UnsetType = UNSET
    """One event; its answer is the event."""
    events: Annotated[list[NewEvent], several(EVENTS_MAX)] | UnsetType = UNSET
    """Up to 10,000 events, all or none of which are stored; their answer is a receipt for each."""


class EventChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to complete or correct an event; what is left out stays as it is.

    `reason` stands with each correction that the request makes.
    """

    event_type: Slug | UnsetType = UNSET
    """The slug of the event type, which must be the one it has."""
    start_time: Moment | UnsetType = UNSET
    end_time: Moment | UnsetType | None = UNSET
    tracking_id: Annotated[str, at_most(REFERENCE_LENGTH_MAX)] | UnsetType | None = UNSET
    feedstock_id: str | UnsetType | None = UNSET
    """The feedstock that the event is tagged with, such as `fs_…`; null takes the tag away."""
    asset_id: str | UnsetType | None = UNSET
    """The asset that the event is tagged with, such as `ast_…`; null takes the tag away."""
    client_reference: Annotated[str, at_most(REFERENCE_LENGTH_MAX)] | UnsetType | None = UNSET
    notes: Annotated[str, at_most(TEXT_LENGTH_MAX)] | UnsetType | None = UNSET
    locations: Annotated[list[LocationRef], several(LOCATIONS_MAX)] | UnsetType = UNSET
    """The locations by their ids, in place of all that the event has."""
    data_points: list[NewDataPoint] = []
    """First values, or other values, each of a data point type; the rest stay as they are."""
    reason: Annotated[str, at_most(REASON_LENGTH_MAX)] | None = None
    """Why the event is corrected, up to 1,000 characters; it stands with every correction made."""


class EventChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /projects/{project_id}/events/{event_id}."""

    event: EventChange


class EventReceipt(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a bulk request gets back for each event, in the order sent."""

    id: str
    """The friendly id of the event: evt_ and 24 hexadecimal digits."""
    status: Annotated[str, one_of(EVENT_STATUSES)]
    """Whether the event has every value and tag that its type requires."""
    missing: list[str] = []
    """The slugs of the required data points that it lacks; left out when it lacks none."""


class BulkInfo(msgspec.Struct, frozen=True):
    """How many events a bulk request stored."""

    items: int
    """How many events were stored."""


class EventReceipts(msgspec.Struct, frozen=True):
    """The answer to a bulk request."""

    data: list[EventReceipt]
    """One receipt for each event, in the order sent."""
    info: BulkInfo
    """How many events were stored."""


class Substitution(msgspec.Struct, frozen=True):
    """The correction that put another value in the place of a captured one."""

    id: int
    """The number of the correction."""
    replaced_value: Any
    """The captured value that it stands in the place of."""
    rule_id: str | None
    """The friendly id of the rule that made it; null when a person did."""
    rule_version: int | None
    """The version of that rule, counted from 1; null when a person made it."""
    rule_run_id: int | None
    """The number of the rule run that made it; null when a person did."""
    reason: str | None
    """Why it was made; null when nobody said."""
    created_at: Instant
    method: Annotated[str, one_of(METHOD_NAMES)] | None = None
    """The method by which a gap was filled, such as `percentile`; null where none was."""
    found_by: Annotated[str, one_of(METHOD_NAMES)] | None = None
    """The part of the method that gave the value; null where no gap was filled."""
    tier: int | None = None
    """Which tier of the rule was taken, counted from 1; null where no gap was filled."""
    code: str | None = None
    """The code by which a regime knows the tier; null where it has none."""
    window: dict[str, Any] | None = None
    """The window that the value was found from; null where none was asked."""
    members_used: int | None = None
    """How many values it was found from; null where no gap was filled."""
    availability: Decimal | None = None
    """The share of operating slots with a valid captured value, up to here or in a period that a tier names;
    null where none asks.
    """
    gap_slots: int | None = None
    """How many slots of the whole gap need a value; null where no gap was filled."""


class EventDataPoint(msgspec.Struct, frozen=True):
    """A measured value inside its event; `raw_value` is as captured and never changes."""

    id: str
    slug: str
    """The slug of its data point type, such as `wet_mass`."""
    data_point_type: str
    """What its data point type is called, such as `Wet mass`."""
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
    uncertainty: StatedUncertainty | UnsetType = UNSET
    """How well this value is known, where that was stated of it; left out where its type says so."""


class EventFeedstock(msgspec.Struct, frozen=True):
    """The feedstock that an event is tagged with."""

    id: str
    name: str
    """What the feedstock is called, such as `Wood chips`."""


class EventAsset(msgspec.Struct, frozen=True):
    """The asset that an event is tagged with."""

    id: str
    name: str
    """What the asset is called, such as `Truck scale 2`."""


class EventReadings(msgspec.Struct, frozen=True):
    """The readings that a rolled-up event is made of: those of its source that begin in its time and have
    its tags; list them with the filter `rolled_up_event_id`.
    """

    event_type_id: str
    """The friendly id of the event type of the readings."""
    event_type: str
    """The slug of that event type."""
    start_time: Instant
    """The start of the slot, inclusive: the first moment at which one of the readings may begin."""
    end_time: Instant
    """The end of the slot, exclusive."""
    readings: int
    """How many readings there are, valid or not."""
    valid_readings: int
    """How many of them are valid, and so count."""
    expected_readings: int | None
    """How many readings the cadence of the source expects in the slot; null where it has none."""
    valid_share: Decimal | None
    """The share of the expected readings that its meter has, valid ones only; null where none are."""


class Event(msgspec.Struct, frozen=True):
    """One event with its data points, locations and evidence."""

    id: str
    slug: str
    """The slug of its event type, such as `diesel-delivery`; requests send it as `event_type`."""
    event_type: str
    """What its event type is called, such as `Diesel delivery`."""
    event_type_id: str
    project_id: str
    tracking_id: str | None
    """The text by which events of one lot are known, such as `LOT-7`; null when it has none."""
    client_reference: str | None
    """The sender's own name for the event, once in the project; null when it has none."""
    notes: str | None
    """What people write about the event, up to 10,000 characters; null when there is nothing."""
    start_time: Instant
    """When what was measured began."""
    end_time: Instant
    """When it ended; the start for a reading."""
    status: Annotated[str, one_of(EVENT_STATUSES)]
    """Whether it has every value and tag that its type requires; no run uses one that is `incomplete`."""
    missing: list[str]
    """The slugs of the required data points that it lacks."""
    feedstock: EventFeedstock | None
    asset: EventAsset | None
    data_points: list[EventDataPoint]
    """The values that were measured, in the order of their types."""
    locations: list[Location]
    """The places of the event; the first is the meter when it has no asset."""
    evidences: list[EventEvidence]
    """The files and links that stand behind the event."""
    rolled_up_from: EventReadings | None
    """The readings that the service made it of; null when it was captured."""
    has_rule_alerts: bool
    has_rule_warnings: bool
    created_at: Instant
    updated_at: Instant
    ui_url: Link
