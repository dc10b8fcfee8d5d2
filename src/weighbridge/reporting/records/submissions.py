"""Submissions of reports: what is sent, what became of it, and what a registry decides; bundles with them."""

from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.report import (
    AdapterName,
    DeliveryStep,
    ReportStatus,
)
from weighbridge.core.time.calendar import Instant
from weighbridge.http.text import (
    Description,
    Line,
    one_of,
)
from weighbridge.platform.records import AsyncTask
from weighbridge.reporting.records.reports import TakenBatches

WITHOUT_REGISTRY: Final = (AdapterName.FILE,)
"""The adapters that hand a report on without a registry; `file` keeps it for people to fetch."""


class ReportSubmission(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /reports/{report_id}/submit, which may be left out."""

    adapter: Annotated[Line, one_of(WITHOUT_REGISTRY)] | UnsetType = UNSET
    """Sent as `file` it is kept for people to fetch, whatever its methodology says."""
    registry_id: int | UnsetType = UNSET
    """The number of the registry that it goes to, instead of the one that its methodology names."""


class BundleOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /reports/{report_id}/bundle, which may be left out."""

    redact: bool = False
    """Whether evidence is left out, and stands in the bundle by its digests alone."""


class StartedBundle(msgspec.Struct, frozen=True):
    """The answer to a bundle that was asked for: it is being made."""

    id: str
    """The friendly id of the report."""
    async_task_id: int
    """The number of the task that makes it."""
    async_task: AsyncTask


class SubmittedReport(msgspec.Struct, frozen=True):
    """The answer to a submission: the report is on its way."""

    id: str
    status: Annotated[str, one_of(ReportStatus)]
    """Where the report stands: `submitting`."""
    async_task_id: int
    """The number of the task that sends it off."""
    async_task: AsyncTask


class SubmissionResult(msgspec.Struct, frozen=True):
    """The result of a finished submission."""

    report: str
    """The friendly id of the report."""
    reference: str
    """What the receiver calls it, or where it was put."""
    sha256: str
    """The SHA-256 of what was sent, as 64 hexadecimal digits."""


class NoticeResult(msgspec.Struct, frozen=True):
    """The result of telling a registry what became of a claim."""

    report_id: str
    """The friendly id of the report that is told of."""
    reference: str | None
    """What the registry calls the claim; null when it does not know it."""
    is_known: bool
    """Whether the registry knows the claim; it may not know one whose submission failed."""


class SubmissionStep(msgspec.Struct, frozen=True):
    """One step of handing a report on, or what came of it."""

    step: Annotated[str, one_of(DeliveryStep)]
    """What was done: `sending` stands before anything leaves, the others say what came of it."""
    said_at: Instant
    """When it was written down."""
    http_status: int | None
    """The status that the registry answered with; null where it did not answer."""
    detail: str | None
    """What the registry or the service says of it; null when nothing."""


class StoredSubmission(msgspec.Struct, frozen=True):
    """What is kept of a report's submission, and how far it came."""

    report_id: str
    adapter: Annotated[str, one_of(AdapterName)] | None
    """Who hands it on; null while nothing is kept to be handed on."""
    registry_id: int | None
    """The number of the registry that it goes to; null where people hand it on."""
    key: str | None
    """The key under which the registry takes it once: a UUID; null while nothing is kept."""
    media_type: str | None
    """What kind of file is handed on, such as `application/json`; null while nothing is kept."""
    size_bytes: int | None
    """How long the file is; null while nothing is kept."""
    sha256: str | None
    """The SHA-256 of the file, as 64 hexadecimal digits; null while nothing is kept."""
    may_have_been_received: bool
    """Whether its receiver may have it; false is certain."""
    steps: list[SubmissionStep]
    """The steps that were taken, oldest first; empty where people hand it on."""


class Acceptance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /reports/{report_id}/accept, which may be left out."""

    reason: Description | None = None
    """What the receiver says of it, such as `Issued after the audit of May`; needed where it accepts less."""
    reference: Line | None = None
    """What the receiver calls it, such as the number of the issuance."""
    amount: Decimal | UnsetType = UNSET
    """How much it accepts, in the ledger's unit, where that is less than the report claims: shared over the
    batches in proportion to what is claimed of each."""
    batches: TakenBatches | UnsetType = UNSET
    """How much it accepts of which batches, instead of `amount`; of those that are left out nothing."""


class ReportRejection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /reports/{report_id}/reject."""

    reason: Description
    """Why, in a sentence that stays with the report."""
    reference: Line | None = None
    """What the receiver calls the decision."""


class ReportWithdrawal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /reports/{report_id}/withdraw."""

    reason: Description
    """Why the claim is taken back, in a sentence that stays with the report."""
    reference: Line | None = None
    """What the receiver calls the withdrawal, such as the number of a cancellation."""


# Previews.


PREVIEW_CHARACTERS_MAX: Final = 20_000
"""Characters of a file that a preview shows."""

ROUNDINGS_INLINE: Final = 1_000
"""Rounded numbers that a preview lists."""


class PreviewRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /reports/{report_id}/submission/preview."""

    mapping: dict[str, Any] | UnsetType = UNSET
    """The mapping that is tried, as a methodology has it."""
    methodology_id: int | UnsetType = UNSET
    """The number of the methodology whose mapping is tried; without both, of the report's own."""


class PreviewProblem(msgspec.Struct, frozen=True):
    """Something that keeps a report from being sent by a mapping."""

    message: str
    """What is wrong, in a sentence."""
    field: str | None
    """Where: a place of the mapping, such as `mapping.template.total.$unit`, a field, or a place of the
    document; null where it is about the file as a whole."""


class RoundedNumber(msgspec.Struct, frozen=True):
    """A number that is written with fewer digits than it has."""

    place: str
    """Where it stands in the file, such as `goods[0].mass`, `Report/Good[1]/Mass` or `Sheet!B3`."""
    field: str
    """The field that it is of, such as `report.amount`."""
    exact: Decimal
    """What it is, in the unit that is written; of a quotient to 34 digits."""
    written: Decimal
    """What the file has instead."""
    difference: Decimal
    """What rounding added."""


class ReportPreview(msgspec.Struct, frozen=True):
    """What a report would be sent as."""

    report_id: str
    media_type: str | None
    """What kind of file it would be; null where the mapping cannot be used."""
    size_bytes: int | None
    """How long the file would be; null likewise."""
    text: str | None
    """Its beginning; of a spreadsheet its cells, one to a line. Null likewise."""
    is_cut: bool
    """Whether the file goes on after its beginning."""
    problems: list[PreviewProblem]
    """What keeps it from being sent; empty when it may be."""
    roundings: list[RoundedNumber]
    """The numbers that were rounded, in the order of the file."""
    rounding_count: int
    """How many there are; the first 1,000 are listed."""
