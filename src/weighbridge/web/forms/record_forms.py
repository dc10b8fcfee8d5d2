"""The table of records that have forms: what of each is typed, and the operations that take it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from litestar.handlers import HTTPRouteHandler

from weighbridge.collection.asset_custom_fields import create_asset_custom_field, list_asset_custom_fields
from weighbridge.collection.assets import create_asset, delete_asset, get_asset, update_asset
from weighbridge.collection.event_types import (
    create_event_type,
    delete_event_type,
    get_event_type,
    update_event_type,
)
from weighbridge.collection.feedstocks import (
    create_feedstock,
    delete_feedstock,
    get_feedstock,
    update_feedstock,
)
from weighbridge.collection.locations import create_location, delete_location, get_location, update_location
from weighbridge.collection.named_records.nouns import ASSETS, FEEDSTOCKS, LOCATIONS
from weighbridge.collection.outages import create_outage, delete_outage, get_outage, update_outage
from weighbridge.collection.records.data_points import NewEventType
from weighbridge.collection.records.projects import NewAssetCustomField, NewOutage
from weighbridge.modelling.records.static_inputs import NewStaticInput
from weighbridge.modelling.static_inputs import create_static_input, get_static_input
from weighbridge.web.forms.fields import ANSWERS, FormField, Said, declared_fields, fields_of
from weighbridge.web.framework.visit import Visit

Extended = Callable[[Visit, Sequence[FormField]], Awaitable[Sequence[FormField]]]

_CUSTOM_FIELDS: Final = (("page_size", "100"), ("sort", "label"))
_CUSTOM_KINDS: Final = {"text": "line", "number": "number", "boolean": "answer", "date": "date"}


@dataclass(frozen=True, slots=True)
class RecordForm:
    """What the forms of one kind of record are made of."""

    noun: str
    """What a body calls the record, and the word for it."""
    folder: str
    """Below which folder of its project its pages are."""
    fields: Sequence[FormField]
    create: HTTPRouteHandler
    get: HTTPRouteHandler | None = None
    update: HTTPRouteHandler | None = None
    delete: HTTPRouteHandler | None = None
    about: str = ""
    """What people should know before they type, in a sentence."""
    keeps: str = ""
    """What cannot be changed or removed later, in a sentence."""
    extended: Extended | None = None
    """Adds the fields that a project has of its own."""
    beside: Sequence[tuple[str, str]] = ()
    """Where to go on from a record: words, and an address below the project with its id."""
    around: Sequence[tuple[str, str]] = ()
    """Where to go on from their list: words, and an address below the project."""
    values_by: str = ""
    """The filter by which its static inputs are listed on its page; empty where it has none."""
    writes: str = "data_collection:write"

    @property
    def words(self) -> str:
        """The noun as people say it."""
        return self.noun.replace("_", " ")

    @property
    def title(self) -> str:
        """What their list is called."""
        return self.folder.replace("_", " ").capitalize()


async def _with_custom_fields(visit: Visit, fields: Sequence[FormField]) -> Sequence[FormField]:
    """The fields of an asset with those that the project has added."""
    found = (await visit.ask(list_asset_custom_fields, _CUSTOM_FIELDS)).data
    own = [
        FormField(one.label, one.label, kind, choices=ANSWERS if kind == "answer" else ())
        for one in found
        for kind in (_CUSTOM_KINDS[one.value_type],)
    ]
    return [
        replace(one, fields=own) if one.name == "custom_fields" else one
        for one in fields
        if own or one.name != "custom_fields"
    ]


_DATA_POINT_TYPE: Final = (
    Said("name", "Name"),
    Said("value_type", "Is a", choices={"string": "text", "boolean": "yes or no"}),
    Said("unit", "Unit"),
    Said("required", "Required"),
    Said("slug", "Slug", is_fixed=True),
)

_ROLL_UP: Final = (
    Said(
        "event_type", "Made of readings of", "its events are then made by the service", of="event_type_slug"
    ),
    Said(
        "valid_share_min",
        "Least valid share",
        "above 0 and at most 1, such as 0.75; empty: any valid reading will do",
    ),
    Said(
        "data_points",
        "Each value is",
        fields=(
            Said("data_point", "Data point (slug)"),
            Said("aggregate", "Is the"),
            Said("source", "Of the reading (slug)"),
        ),
    ),
)

_EVENT_TYPE: Final = (
    Said("name", "What people call it", "such as Diesel delivery"),
    Said(
        "slug",
        "Slug",
        "events are sent and models read by it; made from the name when empty; never changes",
        is_fixed=True,
    ),
    Said("data_point_types", "What its events carry", "", fields=_DATA_POINT_TYPE, lines=4),
    Said("description", "Description", ""),
    Said("expected_locations", "Locations that an event names"),
    Said("requires_tracking_id", "Events need a tracking id", ""),
    Said("reusable_in_batches", "One event may feed several batches", ""),
    Said("cadence_amount", "One is expected every", "a whole number; empty: nothing is expected"),
    Said("cadence_unit", "Minutes, hours, days and so on", ""),
    Said("valid_when", "Counts as valid when", "such as quality = 'good'; empty: when it is complete"),
    Said("rolled_up_from", "Rolled up", "", fields=_ROLL_UP),
)

_ADDRESS: Final = tuple(
    Said(name, label, "")
    for name, label in (
        ("name", "Addressee"), ("street_address_1", "Street and number"), ("street_address_2", "Second line"),
        ("postal_code", "Postal code"), ("city", "Town"), ("state", "State or region"),
        ("country", "Country"),
    )
)  # fmt: skip

_OF_WHAT: Final = (
    Said("asset_id", "Asset", "empty: of every one", of="asset"),
    Said("location_id", "Location", "empty: of every one", of="location"),
)

RECORD_FORMS: Final = (
    RecordForm(
        "event_type",
        "event_types",
        fields_of(NewEventType, _EVENT_TYPE),
        create_event_type,
        get_event_type,
        update_event_type,
        delete_event_type,
        about="An event type says what one measurement is: what it carries, in which units, how often.",
        keeps="What events carry keeps its meaning: its slug and, once there are events, its kind and unit.",
        beside=(("Type in an event", "events/new?event_type_id={id}"), ("Gaps", "event_types/{id}/gaps")),
    ),
    RecordForm(
        "location",
        "locations",
        declared_fields(LOCATIONS, address=_ADDRESS),
        create_location,
        get_location,
        update_location,
        delete_location,
        keeps="Its name is fixed once batches were made of its events.",
        values_by="location_id",
        beside=(
            ("Declare an outage", "outages/new?location_id={id}"),
            ("New static input", "static_inputs/new?location_id={id}"),
        ),
    ),
    RecordForm(
        "feedstock",
        "feedstocks",
        declared_fields(FEEDSTOCKS),
        create_feedstock,
        get_feedstock,
        update_feedstock,
        delete_feedstock,
        keeps="Its name is fixed once batches were made of its events.",
        values_by="feedstock_id",
        beside=(("New static input", "static_inputs/new?feedstock_id={id}"),),
    ),
    RecordForm(
        "asset",
        "assets",
        declared_fields(ASSETS),
        create_asset,
        get_asset,
        update_asset,
        delete_asset,
        keeps="Its name is fixed once batches were made of its events.",
        extended=_with_custom_fields,
        around=(("Custom fields", "asset_custom_fields"),),
        values_by="asset_id",
        beside=(
            ("Its events", "events?filter[asset_id]={id}"),
            ("Declare an outage", "outages/new?asset_id={id}"),
            ("New static input", "static_inputs/new?asset_id={id}"),
        ),
    ),
    RecordForm(
        "asset_custom_field",
        "asset_custom_fields",
        fields_of(NewAssetCustomField, (Said("label", "Label"), Said("value_type", "Its values are"))),
        create_asset_custom_field,
        about="A custom field is one more field of all assets of the project.",
    ),
    RecordForm(
        "outage",
        "outages",
        fields_of(
            NewOutage,
            (
                Said("reason", "Why nothing is measured", "such as Calibration of the analyser", kind="text"),
                Said("start_time", "From", ""),
                Said("end_time", "until", "empty: while it lasts"),
                *_OF_WHAT,
                Said("event_type_id", "Event type", "empty: of every one", of="event_type"),
                Said("evidence_url", "Where the proof is", "a link, such as to a page of the logbook"),
            ),
        ),
        create_outage,
        get_outage,
        update_outage,
        delete_outage,
        about="In an outage nothing is expected, so that its slots are no gaps.",
    ),
    RecordForm(
        "static_input",
        "static_inputs",
        fields_of(
            NewStaticInput,
            (
                Said("slug", "Slug", "the name that models read it by, such as grid-factor"),
                Said("value", "Value", ""),
                Said("unit", "Unit", "such as kg{CO2e}/kWh; empty: a plain number"),
                Said("effective_from", "Holds from", ""),
                *_OF_WHAT,
                Said("feedstock_id", "Feedstock", "empty: of every one", of="feedstock"),
            ),
        ),
        create_static_input,
        get_static_input,
        about="It holds from a moment on, until a later value of the same slug supersedes it.",
        keeps="It is never changed; type the next value, with the moment from which that holds.",
    ),
)
"""Every kind of record that is typed in by the common forms."""
