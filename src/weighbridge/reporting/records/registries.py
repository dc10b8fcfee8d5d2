"""Registries and methodologies as the interface shows and takes them."""

from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.report.state import OPTIONAL_REQUIREMENTS, AdapterName
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import ADDRESS_MAX, Line, at_most, between, one_of

TIMEOUT_SECONDS: Final = 30
TRIES: Final = 8
POLL_SECONDS: Final = 300

TIMEOUT_SECONDS_MAX: Final = 120
"""Seconds that one request to a registry may take."""

TRIES_MAX: Final = 20
"""Tries of one submission."""

POLL_SECONDS_MAX: Final = 86_400
"""Seconds between two questions for a decision."""


class Registry(msgspec.Struct, frozen=True):
    """Where reports go."""

    id: int
    """The number of the registry, by which methodologies and submissions name it."""
    name: str
    """What people call it, such as `Registry of removals`; once in the account."""
    adapter: Annotated[str, one_of(AdapterName)]
    """How reports get there: `http` posts them, `file` keeps them for people to hand on."""
    address: str | None
    """Where a report is posted, such as `https://registry.example/submissions`; null for `file`."""
    status_address: str | None
    """Where it is asked for by its key, which stands for `{key}`; null for `file`."""
    secret_headers: list[str]
    """The names of headers that are sent along; what they say is never shown."""
    timeout_seconds: int
    """How long one request may take, to the end of its answer."""
    tries: int
    """How often a submission is tried before its task fails."""
    poll_seconds: int | None
    """How often it is asked for its decision on a report; null where people write that down."""
    created_at: Instant
    updated_at: Instant


class NewRegistry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a registry."""

    name: Line
    adapter: Annotated[Line, one_of(AdapterName)]
    address: Annotated[str, at_most(ADDRESS_MAX)] | None = None
    """Where a report is posted; required for `http`."""
    status_address: Annotated[str, at_most(ADDRESS_MAX)] | None = None
    """Where it is asked for by its key, with `{key}` in it; left out, the address, a slash and the key."""
    headers: dict[str, str] = {}
    """Headers that prove who calls, such as `Authorization`; they are kept and never shown."""
    timeout_seconds: Annotated[int, between(1, TIMEOUT_SECONDS_MAX)] = TIMEOUT_SECONDS
    """From 1 to 120."""
    tries: Annotated[int, between(1, TRIES_MAX)] = TRIES
    """From 1 to 20."""
    poll_seconds: Annotated[int, between(1, POLL_SECONDS_MAX)] | UnsetType | None = UNSET
    """From 1 to 86,400; 300 when left out, null where people write decisions down."""


class NewRegistryBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /registries."""

    registry: NewRegistry


class RegistryChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller may change of a registry; what is left out stays."""

    name: Line | UnsetType = UNSET
    address: Annotated[str, at_most(ADDRESS_MAX)] | UnsetType = UNSET
    status_address: Annotated[str, at_most(ADDRESS_MAX)] | UnsetType = UNSET
    headers: dict[str, str] | UnsetType = UNSET
    """All headers that prove who calls, instead of those that it has. Required with another address where it
    has any: those that are kept are not sent there."""
    timeout_seconds: Annotated[int, between(1, TIMEOUT_SECONDS_MAX)] | UnsetType = UNSET
    tries: Annotated[int, between(1, TRIES_MAX)] | UnsetType = UNSET
    poll_seconds: Annotated[int, between(1, POLL_SECONDS_MAX)] | UnsetType | None = UNSET


class RegistryChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /registries/{registry_id}."""

    registry: RegistryChange


class MethodologyModel(msgspec.Struct, frozen=True):
    """A model that implements a methodology; any version of it does."""

    id: str
    name: str
    """What the model is called, such as `Biochar storage`."""
    version: int
    """The version that was named when the methodology was made."""


class Methodology(msgspec.Struct, frozen=True):
    """The rules that reports of one kind follow, in one version."""

    id: int
    """The number of the methodology, by which reports name it."""
    name: str
    """What the methodology is called, such as `Biochar carbon removal`; once in each version."""
    version: str
    """The version as its owner writes it, such as `2.1`."""
    report_type: str
    """The type of the reports that follow it, such as `quarterly`."""
    models: list[MethodologyModel]
    """The models that implement it; reports take batches of no other. Empty when any model may."""
    submission_requirements: list[Annotated[str, one_of(OPTIONAL_REQUIREMENTS)]]
    """What must hold of a report before it is sent off, beside what must always hold."""
    measured_share_min: Decimal | None
    """How much of what a report takes has to be measured, from 0 to 1; null where it asks for none."""
    registry_id: int | None
    """The number of the registry that its reports go to; null where people hand them on."""
    mapping: dict[str, Any] | None
    """How its reports are written; null for plain JSON, and in lists."""
    created_at: Instant


class NewMethodology(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a methodology."""

    name: Line
    version: Line
    report_type: Line
    model_ids: list[str] = []
    """The models that implement it, such as `mod_…`."""
    submission_requirements: list[Annotated[Line, one_of(OPTIONAL_REQUIREMENTS)]] = []
    measured_share_min: Decimal | None = None
    registry_id: int | None = None
    """The registry that its reports go to, unless a submission names another one."""
    mapping: dict[str, Any] | None = None
    """How its reports are written: `format`, `template` and, if they are checked, `schema`."""


class NewMethodologyBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /methodologies."""

    methodology: NewMethodology
