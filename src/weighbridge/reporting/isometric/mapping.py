"""Mappings to Isometric Certify, as data: which of the registry's records ours become.

    {"project": {"id": "prj_…", "name": "Biochar plant"},
     "removal_template": {"id": "rmt_…", "name": "Biochar removal"},
     "components": [{"id": "rtc_…", "name": "Carbon stored",
                     "inputs": [{"input_key": "co2e", "source": "node", "slug": "stored", "unit": "kgCO2e",
                                 "own_unit": "kg{CO2e}", "type": "DERIVED"}]}]}

Ids of the registry stand with the names that it had for them when they were chosen. Ours are slugs of event
types, data points, nodes and static inputs, and friendly ids of ledgers, feedstocks and locations.

Invariant: a mapping without flaws names every record that a plan needs of the registry.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from weighbridge.core.problem import Problem
from weighbridge.core.unit import UnitError, parse_unit

FIELD: Final = "registry_mapping.contents"

LINES_MAX: Final = 200
"""Lines of each list of a mapping."""

_Text = Annotated[str, Meta(min_length=1, max_length=255)]
_Id = Annotated[str, Meta(min_length=20, max_length=37)]
"""An id as the registry writes them."""


class DatapointType(StrEnum):
    """What kind of value a data point of the registry is."""

    CONSTANT = "CONSTANT"
    STANDARD_PUBLISHED_VALUE = "STANDARD_PUBLISHED_VALUE"
    REPORTED = "REPORTED"
    ASSUMPTION = "ASSUMPTION"
    DERIVED = "DERIVED"


class ValueOrigin(StrEnum):
    """Where the value of an input comes from."""

    NODE = "node"
    """A node or an output of the batch, by its slug."""
    STATIC_INPUT = "static_input"
    """A static input that the batch read, by its slug."""
    AMOUNT = "amount"
    """What the report takes of the run."""


class SubmissionType(StrEnum):
    """The kinds of time series that the registry takes."""

    PYROLYSIS = "biochar_pyrolysis_reactor_facility_time_series"
    DAC_STORAGE = "dac_storage_site_time_series"
    DAC_FACILITY = "dac_facility_time_series"
    WASTEWATER = "wae_wastewater_treatment_plant_facility_time_series"


class AllocationStrategy(StrEnum):
    """How the registry spreads what a component of a project emits over its removals."""

    ESTIMATED_PROJECT_TONNAGE = "ESTIMATED_PROJECT_TONNAGE"
    MANUAL = "MANUAL"
    CUSTOM_TIME_PERIOD = "CUSTOM_TIME_PERIOD"
    ESTIMATED_PROJECT_LIFETIME = "ESTIMATED_PROJECT_LIFETIME"


MEASUREMENT_TYPES: Final = (
    "biochar_production_batch",
    "biochar_soil",
    "pyrolysis_reactor",
    "ew_soil",
    "ew_porewater",
    "ew_field_biomass",
    "ew_mineral_feedstock",
    "ew_ion_exchange_resin",
)
"""What samples are of, in the registry's words."""


class RegistryRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record of the registry, as it was chosen."""

    id: _Id
    name: str = ""


class MappedInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An input of a component, and the value of ours that it takes."""

    input_key: _Text
    source: ValueOrigin
    unit: _Text
    """As the registry writes it."""
    slug: str = ""
    """Of the node or the static input; empty for the amount."""
    own_unit: str | None = None
    """The unit of ours that means the same; None where the value is sent in its own unit."""
    type: DatapointType = DatapointType.DERIVED
    is_list: bool = False
    """Whether the input takes a list of data points."""
    name: str = ""
    """What the data point is called; that of the node where it is empty."""
    evidence_ids: Annotated[list[int], Meta(max_length=LINES_MAX)] = []
    """Evidence of the project that the value is from, in addition to that of its events."""


class MappedComponent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A component of the removal template."""

    id: _Id
    inputs: Annotated[list[MappedInput], Meta(max_length=LINES_MAX)]
    name: str = ""


class MappedFeedstock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A feedstock of ours, and the feedstock type that it is there."""

    feedstock_id: _Text
    feedstock_type: RegistryRecord


class MappedLocation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A location of ours, and the storage location that it is there."""

    location_id: _Text
    storage_location: RegistryRecord


class MappedValue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A data point of an event type, and the property that it measures in the registry's words."""

    data_point: _Text
    quantity_kind: _Text
    unit: _Text
    qualifier: str | None = None
    own_unit: str | None = None


class MappedFeedstockBatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Events that are deliveries of feedstock there."""

    event_type: _Text
    mass: _Text
    """The data point."""
    unit: _Text
    own_unit: str | None = None


class MappedProductionBatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ledger whose runs are production batches there."""

    ledger_id: _Text
    facility: RegistryRecord
    unit: _Text
    own_unit: str | None = None


class MappedMeasure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A data point of an event, and the unit that its value is sent in."""

    data_point: _Text
    unit: _Text
    own_unit: str | None = None


class MappedApplication(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Events that are applications of biochar there."""

    event_type: _Text
    arrival: MappedMeasure
    """The mass of the truck when it arrives."""
    departure: MappedMeasure
    """The mass of the truck when it leaves."""
    rate: MappedMeasure
    """How much was spread on an area, on average."""
    storage_location: RegistryRecord | None = None
    """Where it is stored that was spread at no location, or at one that is not mapped."""


class MappedProjectInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An input of a component of the project, and the static input that it takes."""

    input_key: _Text
    slug: _Text
    unit: _Text
    own_unit: str | None = None
    type: DatapointType = DatapointType.ASSUMPTION
    is_list: bool = False


class MappedProjectComponent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A component that is of the project as a whole, such as the building of a plant, by a blueprint."""

    blueprint_key: _Text
    name: Annotated[str, Meta(min_length=1, max_length=100)]
    """What it is called; there is one of this name and blueprint."""
    activity_started_on: date
    activity_completed_on: date
    """The last day of what emitted; static inputs are taken as they hold on it."""
    inputs: Annotated[list[MappedProjectInput], Meta(min_length=1, max_length=LINES_MAX)]
    allocation_strategy: AllocationStrategy = AllocationStrategy.ESTIMATED_PROJECT_LIFETIME


class MappedSample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Events that are measurement samples there."""

    event_type: _Text
    measurement_type: _Text
    values: Annotated[list[MappedValue], Meta(min_length=1, max_length=LINES_MAX)]


class MappedSensor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A data point whose readings come from a sensor there."""

    event_type: _Text
    value: MappedValue
    facility: RegistryRecord | None = None
    storage_location: RegistryRecord | None = None


class MappedColumn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A data point, and the column of the file that has its readings."""

    data_point: _Text
    column: _Text


class MappedSeries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An event type whose readings are sent as a time series."""

    event_type: _Text
    submission_type: SubmissionType
    columns: Annotated[list[MappedColumn], Meta(min_length=1, max_length=LINES_MAX)]
    time_column: _Text = "timestamp"
    facility: RegistryRecord | None = None
    storage_location: RegistryRecord | None = None


class CertifyMapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a project and its registry have in common."""

    project: RegistryRecord
    removal_template: RegistryRecord
    components: Annotated[list[MappedComponent], Meta(max_length=LINES_MAX)]
    feedstock_type: RegistryRecord | None = None
    """That of the removals of runs without a feedstock."""
    feedstocks: Annotated[list[MappedFeedstock], Meta(max_length=LINES_MAX)] = []
    locations: Annotated[list[MappedLocation], Meta(max_length=LINES_MAX)] = []
    feedstock_batches: MappedFeedstockBatch | None = None
    production_batches: MappedProductionBatch | None = None
    applications: MappedApplication | None = None
    project_components: Annotated[list[MappedProjectComponent], Meta(max_length=LINES_MAX)] = []
    samples: Annotated[list[MappedSample], Meta(max_length=LINES_MAX)] = []
    sensors: Annotated[list[MappedSensor], Meta(max_length=LINES_MAX)] = []
    series: Annotated[list[MappedSeries], Meta(max_length=LINES_MAX)] = []


def read_mapping(contents: Mapping[str, Any]) -> tuple[CertifyMapping | None, list[Problem]]:
    """Read the contents of a mapping; None with everything that is wrong with them."""
    try:
        mapping = msgspec.convert(contents, CertifyMapping)
    except msgspec.ValidationError as error:
        said, _, place = str(error).partition(" - at `$")
        field = FIELD + place.rstrip("`")
        return None, [Problem(f"{field}: {said.rstrip('.')}.", field, "invalid")]
    problems = [*_list_flaws(mapping)]
    return (None if problems else mapping), problems


def _list_flaws(mapping: CertifyMapping) -> Iterator[Problem]:
    if not mapping.components:
        message = f"{FIELD}.components is empty; a removal has at least one component with an input."
        yield Problem(message, f"{FIELD}.components", "required")
    yield from _list_repeated("components", [one.id for one in mapping.components])
    yield from _list_repeated("feedstocks", [one.feedstock_id for one in mapping.feedstocks])
    yield from _list_repeated("locations", [one.location_id for one in mapping.locations])
    for place, component in enumerate(mapping.components):
        at = f"{FIELD}.components[{place}].inputs"
        for index, one in enumerate(component.inputs):
            if one.source is not ValueOrigin.AMOUNT and not one.slug:
                message = f"{at}[{index}].slug is empty; name the {one.source.replace('_', ' ')}."
                yield Problem(message, f"{at}[{index}].slug", "required")
    yield from _list_flaws_of_activities(mapping)
    for field, own_unit in _list_own_units(mapping):
        try:
            parse_unit(own_unit)
        except UnitError as error:
            yield Problem(f"{FIELD}.{field}: {error}", f"{FIELD}.{field}", "invalid")


def _list_flaws_of_activities(mapping: CertifyMapping) -> Iterator[Problem]:
    """What is wrong with applications and components of the project."""
    if mapping.applications is not None and mapping.production_batches is None:
        message = (
            f"{FIELD}.applications names a production batch of each, and {FIELD}.production_batches is empty."
        )
        yield Problem(message, f"{FIELD}.production_batches", "required")
    names = [f"{one.blueprint_key}, {one.name}" for one in mapping.project_components]
    yield from _list_repeated("project_components", names)
    for place, component in enumerate(mapping.project_components):
        if component.activity_started_on > component.activity_completed_on:
            at = f"{FIELD}.project_components[{place}].activity_completed_on"
            message = f"{at} is {component.activity_completed_on}, before {component.activity_started_on}."
            yield Problem(message, at, "invalid")


def _list_repeated(name: str, keys: Sequence[str]) -> Iterator[Problem]:
    for key in dict.fromkeys(keys):
        if keys.count(key) > 1:
            yield Problem(f"{FIELD}.{name} names {key} more than once.", f"{FIELD}.{name}", "twice", (key,))


def _list_own_units(mapping: CertifyMapping) -> Iterator[tuple[str, str]]:
    """The units of ours that a mapping names, each with the field that does."""
    return _walk_own_units("", msgspec.to_builtins(mapping))


def _walk_own_units(place: str, part: Any) -> Iterator[tuple[str, str]]:
    if isinstance(part, Mapping):
        if part.get("own_unit"):
            yield f"{place}.own_unit", part["own_unit"]
        for name, one in part.items():
            yield from _walk_own_units(f"{place}.{name}" if place else name, one)
    elif isinstance(part, list):
        for at, one in enumerate(part):
            yield from _walk_own_units(f"{place}[{at}]", one)
