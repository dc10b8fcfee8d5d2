"""What a registry looks like on the wire."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.report.adapter import AdapterName
from weighbridge.core.time.instant import Instant
from weighbridge.http.outgoing.reach import ADDRESS_MAX
from weighbridge.http.text import Line, at_most, between, one_of

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
