"""What a model version looks like on the wire, and what callers send about one."""

from decimal import Decimal
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.identity.link import Link
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Moment

VERSION_LABEL_LENGTH_MAX: Final = 255
DESCRIPTION_LENGTH_MAX: Final = 500


class Model(msgspec.Struct, frozen=True):
    """One version of a model."""

    id: str
    project_id: str | None
    name: str
    version: int
    version_label: str | None
    description: str | None
    is_latest: bool
    is_active: bool
    cadence: str
    partition_type: str
    order: int
    sha256: str
    created_at: Instant
    updated_at: Instant
    ui_url: Link | None


class NewModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a model: its document, and the project when it belongs to one."""

    yaml: str
    project_id: str | int | None = None


class NewModelBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /models."""

    model: NewModel


class ModelChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to change how a version is shown; what is left out stays as it is."""

    name: str | UnsetType = UNSET
    order: int | UnsetType = UNSET
    description: str | UnsetType | None = UNSET


class ModelChangeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /models/{model_id}."""

    model: ModelChange


class VersionLabel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The label of a version, which is required; null or an empty text clears it."""

    version_label: str | UnsetType | None = UNSET


class VersionLabelBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /models/{model_id}/version_label."""

    model: VersionLabel


class NewVersion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make the next version of a model."""

    yaml: str
    version_label: str | None = None
    description: str | None = None
    activate: bool = False


class Activation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /models/{model_id}/activate, which may be left out."""


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document to look at; nothing is stored."""

    yaml: str


class DocumentOfProject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document to look at, and the project whose event types and ledgers it may name."""

    yaml: str
    project_id: str | int | None = None


class Complaint(msgspec.Struct, frozen=True):
    """One thing about a document: a sentence, where it stands, the node it is about and its kind."""

    message: str
    line: int
    column: int
    node: str | None
    code: str


class Validation(msgspec.Struct, frozen=True):
    """What a look at a document found; it could be saved when it is valid."""

    valid: bool
    errors: list[Complaint]
    warnings: list[Complaint]


class Change(msgspec.Struct, frozen=True):
    """One key whose value differs; null where it is not there."""

    key: str
    before: Any
    after: Any


class ChangedNode(msgspec.Struct, frozen=True):
    """A node that both versions have, and what about it differs."""

    slug: str
    changes: list[Change]


class Difference(msgspec.Struct, frozen=True):
    """What differs between two versions: nodes by their slugs, and everything that stands outside nodes."""

    before: str
    after: str
    added: list[str]
    removed: list[str]
    changed: list[ChangedNode]
    settings: list[Change]


class ModelName(msgspec.Struct, frozen=True):
    """Which version an answer is about."""

    id: str
    name: str
    version: int


class SchemaInput(msgspec.Struct, frozen=True):
    """One value that a model takes from outside."""

    slug: str
    node: str
    name: str
    type: str
    unit: str
    description: str | None
    kind: str
    event_type: str | None
    aggregate: str | None
    is_array: bool
    is_required: bool
    default: Decimal | None


class SchemaOutput(msgspec.Struct, frozen=True):
    """One value that a model gives; `id` is its place among the outputs, from 1."""

    id: int
    slug: str
    name: str
    unit: str
    ghg: str | None
    lca_role: str | None
    category: str | None
    is_primary: bool


class Simulation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Values to compute a model with.

    `inputs` are numbers or lists of numbers by the slug of a node or of its data point type, in the unit
    of the node. `partition` and `durations` (hours of each event, by node) are for formulas that ask for
    them.
    """

    inputs: dict[str, Any]
    start_time: Moment
    end_time: Moment
    partition: dict[str, str] = {}
    durations: dict[str, Any] = {}


class Schema(msgspec.Struct, frozen=True):
    """What a model takes and gives, and an example of a simulation."""

    model: ModelName
    required_inputs: list[SchemaInput]
    outputs: list[SchemaOutput]
    operators: list[str]
    functions: list[str]
    example_simulation: Simulation


class NodeValue(msgspec.Struct, frozen=True):
    """What a node came to; a formula stands as it is written and with its values filled in."""

    slug: str
    name: str
    kind: str
    unit: str
    value: Decimal | list[Decimal] | None
    equation: str | None
    filled: str | None
    result: str
    is_output: bool


class Simulated(msgspec.Struct, frozen=True):
    """What a simulation came to; nothing of it is stored."""

    model: ModelName
    start_time: Instant
    end_time: Instant
    primary_output: NodeValue
    nodes: list[NodeValue]
