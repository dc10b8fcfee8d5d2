"""Define the records of models: versions, and requests to create, change, label and activate them."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.identity.ids import Link
from weighbridge.core.ledger.allocation import DIMENSIONS
from weighbridge.core.time.cadence import CADENCES
from weighbridge.core.time.instant import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import NEEDED, Name, at_most, between, one_of
from weighbridge.modelling.records.documents import (
    LENGTH_MAX,
)

VERSION_LABEL_LENGTH_MAX: Final = 255
DESCRIPTION_LENGTH_MAX: Final = 500
ORDER_MAX: Final = 2**31 - 1
"""How far from zero the order of a model may be."""

Yaml = Annotated[str, at_most(LENGTH_MAX)]
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
    first=("name", "order"),
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
