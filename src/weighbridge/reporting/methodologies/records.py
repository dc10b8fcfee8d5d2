"""What a methodology looks like on the wire."""

from decimal import Decimal
from typing import Annotated, Any

import msgspec

from weighbridge.core.report.requirement import OPTIONAL_REQUIREMENTS
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Line, one_of


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
