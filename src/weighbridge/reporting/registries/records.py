"""What a registry looks like on the wire."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.report.adapter import AdapterName
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Line, one_of

TIMEOUT_SECONDS: Final = 30
TRIES: Final = 8
POLL_SECONDS: Final = 300


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
    address: str | None = None
    """Where a report is posted; required for `http`."""
    status_address: str | None = None
    """Where it is asked for by its key, with `{key}` in it; left out, the address, a slash and the key."""
    headers: dict[str, str] = {}
    """Headers that prove who calls, such as `Authorization`; they are kept and never shown."""
    timeout_seconds: int = TIMEOUT_SECONDS
    """From 1 to 120."""
    tries: int = TRIES
    """From 1 to 20."""
    poll_seconds: int | UnsetType | None = UNSET
    """From 1 to 86,400; 300 when left out, null where people write decisions down."""


class NewRegistryBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /registries."""

    registry: NewRegistry


class RegistryChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller may change of a registry; what is left out stays."""

    name: Line | UnsetType = UNSET
    address: str | UnsetType = UNSET
    status_address: str | UnsetType = UNSET
    headers: dict[str, str] | UnsetType = UNSET
    """All headers that prove who calls, instead of those that it has."""
    timeout_seconds: int | UnsetType = UNSET
    tries: int | UnsetType = UNSET
    poll_seconds: int | UnsetType | None = UNSET


class RegistryChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /registries/{registry_id}."""

    registry: RegistryChange
