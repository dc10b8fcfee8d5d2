"""The table of records that have forms: what of each is typed, and the operations that take it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from weighbridge.accounting.ledgers import create_ledger_of_project, get_ledger
from weighbridge.accounting.records.ledgers import NewLedger
from weighbridge.collection.asset_custom_fields import create_asset_custom_field, list_asset_custom_fields
from weighbridge.collection.assets import create_asset, delete_asset, get_asset, update_asset
from weighbridge.collection.calibrations import (
    create_calibration,
    delete_calibration,
    get_calibration,
    update_calibration,
)
from weighbridge.collection.event_types import (
    create_event_type,
    delete_event_type,
    get_event_type,
    update_event_type,
)
from weighbridge.collection.events import list_events
from weighbridge.collection.evidence import create_evidence, list_newest_evidence
from weighbridge.collection.feedstocks import (
    create_feedstock,
    delete_feedstock,
    get_feedstock,
    update_feedstock,
)
from weighbridge.collection.locations import create_location, delete_location, get_location, update_location
from weighbridge.collection.named_records.nouns import ASSETS, FEEDSTOCKS, LOCATIONS
from weighbridge.collection.outages import create_outage, delete_outage, get_outage, update_outage
from weighbridge.collection.records.calibrations import CALIBRATION_BODIES
from weighbridge.collection.records.data_points import EVENT_TYPE_BODIES
from weighbridge.collection.records.projects import (
    CUSTOM_FIELD_BODIES,
    OUTAGE_BODIES,
)
from weighbridge.core.ledger.allocation import DOWN, HALF_EVEN
from weighbridge.core.ledger.posting import SCALE_DEFAULT
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.footprints.footprint_partners import (
    create_footprint_partner,
    get_footprint_partner,
    update_footprint_partner,
)
from weighbridge.footprints.footprint_products import (
    create_footprint_product,
    get_footprint_product,
    update_footprint_product,
)
from weighbridge.http.messages.body import Form, Upload
from weighbridge.http.messages.operation import Endpoint
from weighbridge.modelling.records import STATIC_INPUT_BODIES
from weighbridge.modelling.static_inputs import create_static_input, get_static_input
from weighbridge.platform.identity_providers import (
    create_identity_provider,
    delete_identity_provider,
    get_identity_provider,
    update_identity_provider,
)
from weighbridge.platform.tenancy import project_named
from weighbridge.reporting.methodologies import create_methodology, get_methodology
from weighbridge.reporting.registries import create_registry, get_registry, update_registry
from weighbridge.web.forms.fields import ANSWERS, FieldDeclaration, FormField, declared_fields, fields_of
from weighbridge.web.forms.footprint_forms import PARTNER_FIELDS, PRODUCT_FIELDS, build_product, show_product
from weighbridge.web.forms.provider_form import PROVIDER_FIELDS, build_provider, show_provider
from weighbridge.web.forms.reporting_forms import (
    METHODOLOGY_FIELDS,
    REGISTRY_FIELDS,
    build_methodology,
    build_registry,
)
from weighbridge.web.framework.visit import Visit

Extended = Callable[[Visit, Sequence[FormField]], Awaitable[Sequence[FormField]]]

_CUSTOM_FIELDS: Final = (("page_size", "100"), ("sort", "label"))
_CUSTOM_KINDS: Final = {"text": "line", "number": "number", "boolean": "answer", "date": "date"}


@dataclass(frozen=True, slots=True)
class FileOfRecord:
    """A file that may come with a new record, in the same form."""

    words: str
    """What the file is."""
    upload_form: Form
    attach: Callable[[Visit, Mapping[str, Any]], Awaitable[dict[str, Any]]]
    """Keeps the file of the visit, and gives what was typed with it; it may raise Invalid."""
    of: str
    """The name of a field that says where the file belongs."""
    of_words: str


@dataclass(frozen=True, slots=True)
class RecordForm:
    """What the forms of one kind of record are made of."""

    noun: str
    """What a body calls the record, and the word for it."""
    folder: str
    """Below which folder of its project its pages are."""
    fields: Sequence[FormField]
    create: Endpoint
    get: Endpoint | None = None
    update: Endpoint | None = None
    delete: Endpoint | None = None
    about: str = ""
    """What people should know before they type, in a sentence."""
    keeps: str = ""
    """What cannot be changed or removed later, in a sentence."""
    extended: Extended | None = None
    """Adds the fields that a project has of its own."""
    record_links: Sequence[tuple[str, str]] = ()
    """Where to go on from a record: words, and an address below the project with its id."""
    list_links: Sequence[tuple[str, str]] = ()
    """Where to go on from their list: words, and an address below the project."""
    values_by: str = ""
    """The filter by which its static inputs are listed on its page; empty where it has none."""
    writes: str = "data_collection:write"
    is_of_account: bool = False
    """Whether the account has them, and no project does."""
    file: "FileOfRecord | None" = None
    """The file that may come with a new record."""
    build: Callable[[Mapping[str, Any]], dict[str, Any]] = dict
    """Makes the body of the interface of what was typed, where they differ; it may raise Invalid."""
    show: Callable[[Any], Any] = lambda record: record
    """Makes of a record what its fields show, where they differ: what `build` makes a body of."""

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
    custom_fields = (await visit.ask(list_asset_custom_fields, _CUSTOM_FIELDS)).data
    custom_form_fields = [
        FormField(custom_field.label, custom_field.label, kind, choices=ANSWERS if kind == "answer" else ())
        for custom_field in custom_fields
        for kind in (_CUSTOM_KINDS[custom_field.value_type],)
    ]
    return [
        replace(field, fields=custom_form_fields) if field.name == "custom_fields" else field
        for field in fields
        if custom_form_fields or field.name != "custom_fields"
    ]


EVIDENCE_OFFERED_MAX: Final = 200
"""Files and links that a form offers by their names, the newest; where there are more, a number is typed."""


async def _with_evidence(visit: Visit, fields: Sequence[FormField]) -> Sequence[FormField]:
    """The fields of a calibration, its certificate chosen by name among what the project's events have."""
    project = await project_named(visit.reading, visit.actor, visit.path["project_id"])
    found = await list_newest_evidence(visit.reading, project, EVIDENCE_OFFERED_MAX + 1)
    if not found or len(found) > EVIDENCE_OFFERED_MAX:
        return fields
    choices = [
        (
            str(one.number),
            f"{one.name}, of {one.event_type} on {visit.moments.local(one.start_time):%Y-%m-%d}",
        )
        for one in found
    ]
    return [
        replace(field, choices=choices, help="a file or link of an event")
        if field.name == "evidence_id"
        else field
        for field in fields
    ]


_EVENT_OF_FILE: Final = "event_of_file"


async def _attach_certificate(visit: Visit, typed: Mapping[str, Any]) -> dict[str, Any]:
    """Attach the file to the event that was named, else to the newest one that the meter measured."""
    event = visit.text(_EVENT_OF_FILE).strip()
    if not event:
        of_meter = [("filter[asset_id]", str(typed["asset_id"]))] if typed.get("asset_id") else []
        query = (
            ("filter[event_type_id]", str(typed.get("event_type_id", ""))),
            *of_meter,
            ("sort", "-start_time"),
            ("page_size", "1"),
        )
        newest = (await visit.ask(list_events, query)).data if typed.get("event_type_id") else []
        if not newest:
            message = "Name the event that the file belongs to: the meter has none yet."
            raise Invalid([Problem(message, _EVENT_OF_FILE, "required")])
        event = newest[0].id
    kept = await visit.keep(create_evidence, event_id=event)
    return {**typed, "evidence_id": kept.id}


@asynccontextmanager
async def _keep_certificate(files: Any, upload: Upload) -> AsyncIterator[Any]:
    """Keep the file under its own name: the texts beside it are those of the calibration."""
    received = create_evidence.operation.form
    assert received is not None, "evidence comes as a file"  # noqa: S101
    async with received.received(files, replace(upload, texts={})) as stored:
        yield stored


def _build_certificate_form() -> Form:
    form = create_evidence.operation.form
    assert form is not None, "evidence comes as a file"  # noqa: S101
    return replace(form, texts={}, received=_keep_certificate, further_texts_max=TEXTS_WITH_FILE_MAX)


TEXTS_WITH_FILE_MAX: Final = 500
"""Fields that may come with a file in one form."""

_PERCENTILES: Final = (
    FieldDeclaration("low", "Lower value", ""),
    FieldDeclaration("high", "Upper value", ""),
    FieldDeclaration("probability", "Probability between them", "such as 0.95"),
)

_UNCERTAINTY: Final = (
    FieldDeclaration("half_width", "Half width", "of the interval around the value: U of a certificate"),
    FieldDeclaration("coverage_factor", "Coverage factor", "k of the certificate, such as 2"),
    FieldDeclaration("unit", "Unit", "empty: that of the value"),
    FieldDeclaration("distribution", "Distribution", ""),
    FieldDeclaration("relative_half_width", "Relative half width", "as a part of the value: 0.005 is 0.5 %"),
    FieldDeclaration("standard", "Standard uncertainty", "a standard deviation, if known itself"),
    FieldDeclaration("relative_standard", "Relative standard uncertainty", "as a part of the value"),
    FieldDeclaration("percentiles", "Percentiles", "of a lognormal distribution", fields=_PERCENTILES),
    FieldDeclaration(
        "relative_percentiles", "Relative percentiles", "as parts of the value", fields=_PERCENTILES
    ),
    FieldDeclaration("degrees_of_freedom", "Degrees of freedom", "empty: infinite"),
    FieldDeclaration("effect", "Effect", "name of an error that values share; empty: none"),
    FieldDeclaration("source", "Source", "such as data sheet of the analyser"),
)

_DATA_POINT_TYPE: Final = (
    FieldDeclaration("name", "Name"),
    FieldDeclaration("value_type", "Type", choices={"string": "text", "boolean": "yes or no"}),
    FieldDeclaration("unit", "Unit"),
    FieldDeclaration("required", "Required"),
    FieldDeclaration("slug", "Slug", is_fixed=True),
    FieldDeclaration("uncertainty", "Uncertainty", "", fields=_UNCERTAINTY),
)

_ROLL_UP: Final = (
    FieldDeclaration(
        "event_type",
        "Event type of the readings",
        "the service then creates the events",
        of="event_type_slug",
    ),
    FieldDeclaration(
        "valid_share_min",
        "Minimum valid share",
        "above 0 and at most 1, such as 0.75; empty: at least one valid reading",
    ),
    FieldDeclaration(
        "data_points",
        "Values",
        fields=(
            FieldDeclaration("data_point", "Data point (slug)"),
            FieldDeclaration("aggregate", "Aggregate"),
            FieldDeclaration("source", "Data point of the readings (slug)"),
        ),
    ),
)

_EVENT_TYPE: Final = (
    FieldDeclaration("name", "Name", "such as Diesel delivery"),
    FieldDeclaration(
        "slug",
        "Slug",
        "used in requests and models; empty: derived from the name; cannot be changed later",
        is_fixed=True,
    ),
    FieldDeclaration("data_point_types", "Data points", "", fields=_DATA_POINT_TYPE, lines=4),
    FieldDeclaration("description", "Description", ""),
    FieldDeclaration("expected_locations", "Locations of an event", usual="none"),
    FieldDeclaration("requires_tracking_id", "Events require a tracking ID", ""),
    FieldDeclaration("reusable_in_batches", "Several batches may use one event", ""),
    FieldDeclaration("cadence_amount", "Cadence", "one event every so many units; empty: none expected"),
    FieldDeclaration("cadence_unit", "Unit of the cadence", ""),
    FieldDeclaration("valid_when", "Valid if", "such as quality = 'good'; empty: if it is complete"),
    FieldDeclaration("rolled_up_from", "Roll-up", "", fields=_ROLL_UP),
)

_ADDRESS: Final = tuple(
    FieldDeclaration(name, label, "")
    for name, label in (
        ("name", "Addressee"), ("street_address_1", "Street and number"), ("street_address_2", "Second line"),
        ("postal_code", "Postal code"), ("city", "City"), ("state", "State or region"),
        ("country", "Country"),
    )
)  # fmt: skip

_ROUNDINGS: Final = {HALF_EVEN: "half to even", DOWN: "down: totals never exceed the calculated value"}

_LEDGER: Final = (
    FieldDeclaration("name", "Name", "models refer to the ledger by this name"),
    FieldDeclaration("unit", "Unit", "such as t, kWh or t{CO2e}; fixed for a ledger of instruments"),
    FieldDeclaration("model_id", "Model", "can be assigned later, once", of="active_model"),
    FieldDeclaration("output", "Output", "slug of the model output to credit; empty: the primary output"),
    FieldDeclaration("scale", "Decimals", f"empty: {SCALE_DEFAULT}; cannot be changed later"),
    FieldDeclaration("display_places", "Decimals shown on pages", "empty: six significant digits"),
    FieldDeclaration("rounding", "Rounding", "", kind="choice", choices=_ROUNDINGS),
    FieldDeclaration("asset_category", "Asset category", "in your own words, such as feedstock"),
    FieldDeclaration(
        "system_ledger_type",
        "Credited by instruments",
        "certificates and similar records that are not measured; empty: no, by a model",
    ),
)

_OF_WHAT: Final = (
    FieldDeclaration("asset_id", "Asset", "empty: all", of="asset"),
    FieldDeclaration("location_id", "Location", "empty: all", of="location"),
)

RECORD_FORMS: Final = (
    RecordForm(
        "event_type",
        "event_types",
        fields_of(EVENT_TYPE_BODIES.new, _EVENT_TYPE),
        create_event_type,
        get_event_type,
        update_event_type,
        delete_event_type,
        about="An event type defines the data points of its events, their units and their cadence.",
        keeps="Slugs cannot be changed later; types and units only while there are no events.",
        record_links=(("New event", "events/new?event_type_id={id}"), ("Show gaps", "event_types/{id}/gaps")),
    ),
    RecordForm(
        "location",
        "locations",
        declared_fields(LOCATIONS, address=_ADDRESS),
        create_location,
        get_location,
        update_location,
        delete_location,
        keeps="The name cannot be changed once batches use its events.",
        values_by="location_id",
        record_links=(
            ("Declare outage", "outages/new?location_id={id}"),
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
        keeps="The name cannot be changed once batches use its events.",
        values_by="feedstock_id",
        record_links=(("New static input", "static_inputs/new?feedstock_id={id}"),),
    ),
    RecordForm(
        "asset",
        "assets",
        declared_fields(ASSETS),
        create_asset,
        get_asset,
        update_asset,
        delete_asset,
        keeps="The name cannot be changed once batches use its events.",
        extended=_with_custom_fields,
        list_links=(("Custom fields", "asset_custom_fields"),),
        values_by="asset_id",
        record_links=(
            ("Show events", "events?filter[asset_id]={id}"),
            ("Declare outage", "outages/new?asset_id={id}"),
            ("Show calibrations", "calibrations?filter[asset_id]={id}"),
            ("New calibration", "calibrations/new?asset_id={id}"),
            ("New static input", "static_inputs/new?asset_id={id}"),
        ),
    ),
    RecordForm(
        "asset_custom_field",
        "asset_custom_fields",
        fields_of(
            CUSTOM_FIELD_BODIES.new,
            (FieldDeclaration("label", "Label"), FieldDeclaration("value_type", "Value type")),
        ),
        create_asset_custom_field,
        about="A custom field is an additional field of all assets of the project.",
    ),
    RecordForm(
        "outage",
        "outages",
        fields_of(
            OUTAGE_BODIES.new,
            (
                FieldDeclaration("reason", "Reason", "such as Calibration of the analyser", kind="text"),
                FieldDeclaration("start_time", "Start time", ""),
                FieldDeclaration("end_time", "End time", "empty: not ended yet"),
                *_OF_WHAT,
                FieldDeclaration("event_type_id", "Event type", "empty: all", of="event_type"),
                FieldDeclaration("evidence_url", "URL of the evidence", "such as a page of the logbook"),
            ),
        ),
        create_outage,
        get_outage,
        update_outage,
        delete_outage,
        about="During an outage no data are expected, so its intervals are not gaps.",
    ),
    RecordForm(
        "calibration",
        "calibrations",
        fields_of(
            CALIBRATION_BODIES.new,
            (
                FieldDeclaration("name", "Name", "such as the number of the certificate"),
                FieldDeclaration("asset_id", "Asset", "empty: events without an asset", of="asset"),
                FieldDeclaration("event_type_id", "Event type", "", of="event_type"),
                FieldDeclaration(
                    "data_point_type", "Data point", "type a part of its name, or its slug", of="data_point"
                ),
                FieldDeclaration("valid_from", "Valid from", ""),
                FieldDeclaration("valid_until", "Valid until", "empty: no end"),
                FieldDeclaration("as_found", "Error as found", "reading minus reference, before adjusting"),
                FieldDeclaration("as_left", "Error as left", "reading minus reference, after adjusting"),
                FieldDeclaration("error_unit", "Unit of the errors", "empty: that of the data point"),
                FieldDeclaration("uncertainty", "Uncertainty", "", fields=_UNCERTAINTY, is_open=True),
                FieldDeclaration(
                    "evidence_id", "Certificate", "the number of a file of an event; or select a file below"
                ),
                FieldDeclaration("notes", "Notes", "", kind="text"),
            ),
        ),
        create_calibration,
        get_calibration,
        update_calibration,
        delete_calibration,
        extended=_with_evidence,
        file=FileOfRecord(
            "certificate",
            _build_certificate_form(),
            _attach_certificate,
            _EVENT_OF_FILE,
            "Event of the file (ID); empty: the newest event of the meter",
        ),
        about="A calibration states how well a meter measures while its certificate holds.",
        keeps="Batches of the meter's readings become stale when a calibration changes.",
    ),
    RecordForm(
        "static_input",
        "static_inputs",
        fields_of(
            STATIC_INPUT_BODIES.new,
            (
                FieldDeclaration("slug", "Slug", "name used in models, such as grid-factor"),
                FieldDeclaration("value", "Value", ""),
                FieldDeclaration("unit", "Unit", "such as kg{CO2e}/kWh; empty: no unit"),
                FieldDeclaration("effective_from", "Effective from", ""),
                *_OF_WHAT,
                FieldDeclaration("feedstock_id", "Feedstock", "empty: all", of="feedstock"),
                FieldDeclaration("uncertainty", "Uncertainty", "", fields=_UNCERTAINTY),
            ),
        ),
        create_static_input,
        get_static_input,
        about="A static input is effective from a time until a later value of the same slug supersedes it.",
        keeps="A static input cannot be changed. Enter a new value with the time from which it is effective.",
    ),
    RecordForm(
        "ledger",
        "ledgers",
        fields_of(NewLedger, _LEDGER),
        create_ledger_of_project,
        get_ledger,
        about="A ledger records the production, the withdrawals and the balance of one quantity.",
        keeps="Unit, decimals and rounding cannot be changed later, and a model only while there is none.",
        writes="production_accounting:write",
    ),
    RecordForm(
        "registry",
        "registries",
        REGISTRY_FIELDS,
        create_registry,
        get_registry,
        update_registry,
        about="A registry receives reports. Methodologies and submissions name it.",
        keeps="To change an address, enter the secret headers again: they are not sent to a new address.",
        writes="production_accounting:write",
        is_of_account=True,
        build=build_registry,
    ),
    RecordForm(
        "methodology",
        "methodologies",
        METHODOLOGY_FIELDS,
        create_methodology,
        get_methodology,
        about="A methodology defines what reports of one kind include, and how they are written.",
        keeps="A methodology cannot be changed. Create another version instead.",
        list_links=(("Registries", "registries"),),
        writes="production_accounting:write",
        is_of_account=True,
        build=build_methodology,
    ),
    RecordForm(
        "footprint_product",
        "footprint_products",
        PRODUCT_FIELDS,
        create_footprint_product,
        get_footprint_product,
        update_footprint_product,
        about="A product defines how footprints follow from batches and reports.",
        keeps="A change is for footprints to come; those that were made stay as they are.",
        list_links=(("New footprint", "footprints/new"),),
        writes="production_accounting:write",
        is_of_account=True,
        build=build_product,
        show=show_product,
    ),
    RecordForm(
        "footprint_partner",
        "footprint_partners",
        PARTNER_FIELDS,
        create_footprint_partner,
        get_footprint_partner,
        update_footprint_partner,
        about="A partner's host is where its footprints are read and events are sent.",
        keeps="To change an address, enter the secret again: it is not sent to a new address.",
        list_links=(("Calls", "footprint_calls"), ("Received footprints", "received_footprints")),
        writes="production_accounting:write",
        is_of_account=True,
    ),
    RecordForm(
        "identity_provider",
        "identity_providers",
        PROVIDER_FIELDS,
        create_identity_provider,
        get_identity_provider,
        update_identity_provider,
        delete_identity_provider,
        about="People of its domains sign in at an identity provider, with the roles of their groups there.",
        keeps="To change the issuer, enter the secret again: everybody who is linked is released then.",
        list_links=(("People", "people"),),
        writes="administration:write",
        is_of_account=True,
        build=build_provider,
        show=show_provider,
    ),
)
"""Every kind of record that is typed in by the common forms."""
