"""Records of Isometric Certify: mappings, what a registry has, calls, and what became of a statement."""

from typing import Annotated, Any, Final

import msgspec

from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import one_of
from weighbridge.platform.records import AsyncTask
from weighbridge.reporting.isometric.plan import StepKind

CATALOGUE_KINDS: Final = (
    "project",
    "removal_template",
    "component_blueprint",
    "feedstock_type",
    "storage_location",
    "facility",
    "monitoring_requirement",
)
"""What a mapping chooses from."""


class RegistryMapping(msgspec.Struct, frozen=True):
    """Which records of a registry those of a project become, for the reports of a ledger."""

    id: int
    """The number of the mapping."""
    project_id: str
    registry_id: Annotated[int, Sent(int, is_fixed=True)]
    """The number of the registry, one with the adapter `isometric_certify`."""
    ledger_id: Annotated[str, Sent(str, of="ledger", is_fixed=True)]
    """The ledger whose reports are written by it."""
    contents: Annotated[
        dict[str, Any],
        Sent(dict[str, Any], is_json=True),
    ]
    """The registry's project, removal template and components, with the values of ours that they take."""
    created_at: Instant
    updated_at: Instant


REGISTRY_MAPPING_BODIES: Final = RequestBodies(
    RegistryMapping,
    "registry_mapping",
    "/projects/{project_id}/registry_mappings",
    about_new="What a caller sends to make a mapping.",
    about_change="What a caller may change of a mapping; what is left out stays.",
)


class CatalogueRecord(msgspec.Struct, frozen=True):
    """A record of a registry that a mapping may name."""

    kind: Annotated[str, one_of(CATALOGUE_KINDS)]
    """What it is there."""
    record_id: str
    """The id or the key that the registry has for it."""
    parent: str
    """The registry's id of the project that it is in; empty for what all projects have."""
    name: str
    """What it is called there."""
    contents: dict[str, Any]
    """What a mapping needs of it: components of a template with their inputs, inputs of a blueprint."""
    read_at: Instant
    """When it was read there."""


class CatalogueReading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /registries/{registry_id}/catalogue, which may be left out."""


class StartedCatalogue(msgspec.Struct, frozen=True):
    """The answer to a reading that was asked for: it is under way."""

    registry_id: int
    """The number of the registry that is read."""
    async_task_id: int
    """The number of the task that reads."""
    async_task: AsyncTask


class CatalogueResult(msgspec.Struct, frozen=True):
    """The result of a finished reading."""

    registry_id: int
    """The number of the registry that was read."""
    records: int
    """How many records were read."""


class RegistryCall(msgspec.Struct, frozen=True):
    """A call of a registry on behalf of a report, and what came back."""

    id: int
    """The number of the call."""
    report_id: str
    async_task_id: int | None
    """The number of the task that called."""
    reference: str | None
    """The reference of what it makes; null for calls that read."""
    method: str
    """The method of the request, such as `POST`."""
    path: str
    """The path below the address of the registry, or the address of a file without its signature."""
    body: str | None
    """What was sent, without secrets of links; null where nothing was."""
    sent_at: Instant
    """When it was written down, before it left."""
    answered_at: Instant | None
    """When its answer was written down; null while there is none."""
    http_status: int | None
    """The status of the answer; null where none came."""
    answer: str | None
    """The first 10,000 characters of the answer, or why there is none."""


class RegistryFinding(msgspec.Struct, frozen=True):
    """A number that the registry has otherwise than it was sent."""

    reference: str
    """The reference of the record there."""
    field: str
    """The field of the record, such as `quantity.magnitude`."""
    sent: str
    """What was sent, with all its digits."""
    received: str | None
    """What came back; null where nothing did."""
    found_at: Instant
    """When it was found."""


class RegistryState(msgspec.Struct, frozen=True):
    """A state of a statement, as it was first read."""

    status: str
    """In the words of the registry, such as `AWAITING_VERIFICATION`."""
    said_at: Instant
    """When it was first read."""


class RegistryStatement(msgspec.Struct, frozen=True):
    """What became of a report at Isometric Certify."""

    report_id: str
    registry_id: int | None
    """The number of the registry; null for a report that was not sent to one with this adapter."""
    statement_id: str | None
    """What the registry calls the statement; null until it was submitted."""
    status: str | None
    """The state of the statement that was read last; null until it was asked for."""
    history: list[RegistryState]
    """Every state that was read, in order."""
    record_counts: dict[str, int]
    """How many records the registry has of the report, by their kinds."""
    findings: list[RegistryFinding]
    """Numbers that the registry has otherwise than they were sent."""


STATEMENT_KIND: Final = "ghg_statement"
"""The kind of the statement among the records of a report."""

KINDS: Final = (*StepKind, STATEMENT_KIND)
