"""Records of modelling: versions of models, what comes of their documents, and static inputs.

Documents are validated, compared and simulated; the records say what is sent for that and what is answered.
"""

from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.collection.records.uncertainty import StatedUncertainty, read_stated, to_canonical
from weighbridge.core.identity import Link
from weighbridge.core.ledger.allocation import DIMENSIONS
from weighbridge.core.model import NODE_KINDS, OUTSIDE_KINDS, Aggregate
from weighbridge.core.time.calendar import CADENCES, Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.db.lists.listing import MOMENT, Filter, read_key, read_moment
from weighbridge.http.text import NEEDED, Line, Moment, Name, NewSlug, UnitText, at_most, between, one_of

DOCUMENT_LENGTH_MAX: Final = 256 * 1024
"""The longest document, in characters."""

VERSION_LABEL_LENGTH_MAX: Final = 255
DESCRIPTION_LENGTH_MAX: Final = 500
ORDER_MAX: Final = 2**31 - 1
"""How far from zero the order of a model may be."""

Yaml = Annotated[str, at_most(DOCUMENT_LENGTH_MAX)]
"""A document in the model language."""

Label = Annotated[str, at_most(VERSION_LABEL_LENGTH_MAX)]
"""What people call a version."""


class Model(msgspec.Struct, frozen=True):
    """One version of a model."""

    id: str
    project_id: str | None
    """The friendly id of the project that it belongs to; null for a model of all projects."""
    name: Annotated[str, Sent(Name, write=str.strip, is_later=True)]
    """What the document calls the model, or what it was renamed to, such as `Biochar storage`."""
    version: int
    """Which version of the model it is, counted from 1."""
    version_label: str | None
    """What people call the version, such as `After the audit`, up to 255 characters; null when nothing."""
    description: Annotated[str | None, Sent(Annotated[str, at_most(DESCRIPTION_LENGTH_MAX)], is_later=True)]
    """What people write about the version, up to 500 characters; null when there is nothing."""
    is_latest: bool
    """Whether no later version of the model was saved."""
    is_active: bool
    """Whether generations run this version of the model."""
    cadence: Annotated[str, one_of(CADENCES)]
    """What cuts time into slots, each of which is computed for itself."""
    partition_type: Annotated[str, one_of(DIMENSIONS)]
    """What cuts a slot into partitions, each of which makes one batch; `time` does not cut it."""
    order: Annotated[int, Sent(Annotated[int, between(-ORDER_MAX, ORDER_MAX)], is_later=True)]
    """Where the version stands in a list that is sorted by `order`; the smaller goes first."""
    sha256: str
    """The SHA-256 of the model in its canonical form, as 64 hexadecimal digits: what it computes."""
    created_at: Instant
    updated_at: Instant
    ui_url: Link | None
    """Where the version opens in the web app; null for a model of all projects."""


class NewModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a model: its document, and the project when it belongs to one."""

    yaml: Yaml
    project_id: str | int | None = None
    """The project that it belongs to, as `prj_…` or its number; left out, all projects may run it."""


class NewModelBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /models."""

    model: NewModel


MODEL_BODIES: Final = RequestBodies(
    Model,
    "model",
    "/models",
    leading=("name", "order"),
    about_change=("What a caller sends to change how a version is shown; what is left out stays as it is."),
)


class VersionLabel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The label of a version, which is required; null or an empty text clears it."""

    version_label: Annotated[Label | UnsetType | None, NEEDED] = UNSET
    """What people call the version, up to 255 characters; null or an empty text clears it."""


class VersionLabelBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /models/{model_id}/version_label."""

    model: VersionLabel


class NewVersion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make the next version of a model."""

    yaml: Yaml
    version_label: Label | None = None
    """What people call the version, up to 255 characters."""
    description: Annotated[str, at_most(DESCRIPTION_LENGTH_MAX)] | None = None
    """What people write about the version, up to 500 characters."""
    activate: bool = False
    """Whether generations are to run it from now on."""


class Activation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /models/{model_id}/activate, which may be left out."""


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document to look at; nothing is stored."""

    yaml: Yaml


class DocumentOfProject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A document to look at, and the project whose event types and ledgers it may name."""

    yaml: Yaml
    project_id: str | int | None = None
    """The project whose event types and ledgers it may name, as `prj_…` or its number."""


INPUT_TYPES: Final = ("numeric",)
"""What values models take."""


class Complaint(msgspec.Struct, frozen=True):
    """One thing about a document: a sentence, where it stands, the node it is about and its kind."""

    message: str
    """What is wrong, in a sentence."""
    line: int
    """The line of the document, from 1."""
    column: int
    """The column of the line, from 1."""
    node: str | None
    """The slug of the node that it is about; null when it is about none."""
    code: str


class Validation(msgspec.Struct, frozen=True):
    """What a look at a document found; it could be saved when it is valid."""

    valid: bool
    """Whether the document could be saved."""
    errors: list[Complaint]
    """What keeps it from being saved, from top to bottom."""
    warnings: list[Complaint]
    """What may be a mistake, from top to bottom, though it could be saved."""


class Change(msgspec.Struct, frozen=True):
    """One key whose value differs; null where it is not there."""

    key: str
    """The key of the document, such as `formula`."""
    before: Any
    """Its value in the version before; null where it is not there."""
    after: Any
    """Its value in the version after; null where it is not there."""


class ChangedNode(msgspec.Struct, frozen=True):
    """A node that both versions have, and what about it differs."""

    slug: str
    """The slug of the node."""
    changes: list[Change]
    """The keys of the node whose values differ."""


class Difference(msgspec.Struct, frozen=True):
    """What differs between two versions: nodes by their slugs, and everything that stands outside nodes."""

    before: str
    """The friendly id of the version that is compared from."""
    after: str
    """The friendly id of the version that is compared to."""
    added: list[str]
    """The slugs of the nodes that only the version after has."""
    removed: list[str]
    """The slugs of the nodes that only the version before has."""
    changed: list[ChangedNode]
    """The nodes that both have and that differ."""
    settings: list[Change]
    """What differs outside of nodes, such as `cadence`."""


class ModelName(msgspec.Struct, frozen=True):
    """Which version an answer is about."""

    id: str
    """The friendly id of the version: mod_ and 24 hexadecimal digits."""
    name: str
    """What the model is called."""
    version: int
    """Which version of the model it is, counted from 1."""


class SchemaInput(msgspec.Struct, frozen=True):
    """One value that a model takes from outside."""

    slug: str
    """What it is called outside the model: the slug of its data point type, static input or node."""
    node: str
    """The slug of the node that reads it."""
    name: str
    """The label of the node."""
    type: Annotated[str, one_of(INPUT_TYPES)]
    """Always `numeric`: models compute with numbers."""
    unit: str
    """The unit of the node, to which what it reads is converted, such as `t`."""
    description: str | None
    """What the document says about the node; null when it says nothing."""
    kind: Annotated[str, one_of(OUTSIDE_KINDS)]
    """What the node reads."""
    event_type: str | None
    """The slug of the event type whose data points it reads; null when it reads none."""
    aggregate: Annotated[str, one_of(Aggregate)] | None
    """How several data points become one value; null when it reads none."""
    is_array: bool
    """Whether it takes a value for each event or draw, as a list, in place of one."""
    is_required: bool
    """Whether the model cannot be computed without it."""
    default: Decimal | None
    """The value that stands in where there are no data, in `unit`; null when none does."""


class SchemaOutput(msgspec.Struct, frozen=True):
    """One value that a model gives; `id` is its place among the outputs, from 1."""

    id: int
    """Its place among the outputs of the model, from 1."""
    slug: str
    """The slug of the node."""
    name: str
    """The label of the node."""
    unit: str
    """The unit of the output, such as `t{CO2e}`."""
    ghg: str | None
    lca_role: str | None
    category: str | None
    """The category that the document tags the node with; null when it has no such tag."""
    is_primary: bool
    """Whether it is the primary output, which ledgers keep unless they name another."""


class Simulation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Values to compute a model with.

    `inputs` are numbers or lists of numbers by the slug of a node or of its data point type, in the unit
    of the node. `partition` and `durations` (hours of each event, by node) are for formulas that ask for
    them.
    """

    inputs: dict[str, Any]
    """Numbers, or lists of numbers, by the slug of the node or of its data point type, in the unit of the
    node.
    """
    start_time: Moment
    """The start of the slot that is computed, inclusive."""
    end_time: Moment
    """The end of the slot that is computed, exclusive."""
    partition: dict[str, Line] = {}
    """The values of the partition for formulas that read them, such as `{"feedstock": "Wood chips"}`."""
    durations: dict[str, Any] = {}
    """How many hours each event lasted, as a list by the slug of the node, for formulas that ask."""
    uncertainties: dict[str, StatedUncertainty] = {}
    """How well the values of a node are known, by its slug, in place of what the document states of them."""


class Schema(msgspec.Struct, frozen=True):
    """What a model takes and gives, and an example of a simulation."""

    model: ModelName
    required_inputs: list[SchemaInput]
    """What the model takes from outside, node by node."""
    outputs: list[SchemaOutput]
    """What the model gives."""
    operators: list[str]
    """What formulas can do beside calling functions, such as `add`."""
    functions: list[str]
    """The functions that formulas can call, such as `coalesce`."""
    example_simulation: Simulation
    """A body for `simulate` that names every input: a case of the document, or else ones."""


class NodeUncertainty(msgspec.Struct, frozen=True):
    """How uncertain an output is, to first order, in its unit."""

    standard_uncertainty: Decimal
    """The combined standard uncertainty."""
    degrees_of_freedom: Decimal | None
    """By the Welch-Satterthwaite formula; null when they are infinitely many or not defined."""
    coverage_probability: Decimal
    """That of the interval, as the model asks for it."""
    low: Decimal
    """The low end of the interval about the value."""
    high: Decimal
    """The high end of the interval about the value."""
    credited_amount: Decimal | None
    """What a ledger would be credited with, before it rounds; null for an output without a discount."""


class NodeValue(msgspec.Struct, frozen=True):
    """What a node came to; a formula stands as it is written and with its values filled in."""

    slug: str
    """The slug of the node."""
    name: str
    """The label of the node."""
    kind: Annotated[str, one_of(NODE_KINDS.values())]
    """What gives the node its value."""
    unit: str
    """The unit of the node, such as `t{CO2e}`."""
    value: Decimal | list[Decimal] | None
    """What it came to, in `unit`: a number, a list for an array, or null for an optional node without data.
    """
    equation: str | None
    """The formula as it is written, such as `net = gross - tare`; null for a node without a formula."""
    filled: str | None
    """The formula with its values filled in, such as `net = 31.2 t - 14.9 t`; null without a formula."""
    result: str
    """What it came to as people read it, such as `16.3 t`."""
    is_output: bool
    uncertainty: NodeUncertainty | None
    """How uncertain it is; null for other nodes than outputs, and if the model does not ask for it."""


class Simulated(msgspec.Struct, frozen=True):
    """What a simulation came to; nothing of it is stored."""

    model: ModelName
    start_time: Instant
    """The start of the slot that was computed, inclusive."""
    end_time: Instant
    """The end of the slot that was computed, exclusive."""
    primary_output: NodeValue
    """The primary output, which ledgers keep unless they name another."""
    nodes: list[NodeValue]
    """Every node of the model, in the order of the document."""


def _trim(unit: str) -> str | None:
    return unit.strip() or None


class StaticInput(msgspec.Struct, frozen=True):
    """A value that holds from a moment on, for the project or for what it names."""

    id: int
    """The number of the value."""
    project_id: str
    slug: Annotated[str, Sent(NewSlug, filter=Filter("slug", str, "a slug"), is_sorted=True)]
    """The name that models read it by, such as `grid_factor`."""
    value: Annotated[Decimal, Sent(Decimal)]
    """The value, in its `unit`."""
    unit: Annotated[str | None, Sent(UnitText, write=_trim)]
    """The unit of the value, such as `kg{CO2e}/kWh`; null for a plain number."""
    effective_from: Annotated[
        Instant,
        Sent(
            Moment,
            write=Instant.of,
            filter=Filter("effective_from", read_moment, MOMENT, ("eq", "geq", "leq")),
            is_sorted=True,
        ),
    ]
    """From when it holds, inclusive, until a later one of the same slug and keys."""
    asset_id: Annotated[
        str | None,
        Sent(str, of="asset", filter=Filter("asset_id", read_key("asset"), "an id ast_…")),
    ]
    """The friendly id of the asset that it holds for; null when it holds for every asset or none."""
    feedstock_id: Annotated[
        str | None,
        Sent(str, of="feedstock", filter=Filter("feedstock_id", read_key("feedstock"), "an id fs_…")),
    ]
    """The friendly id of the feedstock that it holds for; null when it holds for every feedstock."""
    location_id: Annotated[
        str | None,
        Sent(str, of="location", filter=Filter("location_id", read_key("location"), "an id loc_…")),
    ]
    """The friendly id of the location that it holds for; null when it holds for every location."""
    uncertainty: Annotated[
        StatedUncertainty | None,
        Sent(StatedUncertainty, write=to_canonical, read=read_stated, is_json=True),
    ]
    """How well the value is known; null when not stated."""
    created_at: Instant


STATIC_INPUT_BODIES: Final = RequestBodies(
    StaticInput,
    "static_input",
    "/projects/{project_id}/static_inputs",
    leading=("slug", "value", "effective_from"),
    about_new="What a caller sends to add a value; without a unit it is a plain number.",
)
