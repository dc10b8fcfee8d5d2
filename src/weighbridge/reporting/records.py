"""Records of reporting: registries and methodologies, reports with their bundles, and links that open one.

A secret of a registry and the address of a link are in the answer that makes them alone.
"""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.accounting.records.batches import UncertaintyLine
from weighbridge.accounting.records.uncertainty import AmountUncertainty
from weighbridge.core.identity import Link, ResourceAddress
from weighbridge.core.report import (
    OPTIONAL_REQUIREMENTS,
    AdapterName,
    ChangeCause,
    DeliveryStep,
    OtherVersions,
    ReportStatus,
)
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import (
    ADDRESS_MAX,
    Description,
    Line,
    Name,
    at_most,
    between,
    id_of,
    one_of,
    several,
)
from weighbridge.platform.records import AsyncTask, HandedOver, TokenUser

TIMEOUT_SECONDS: Final = 30
TRIES: Final = 8
POLL_SECONDS: Final = 300

TIMEOUT_SECONDS_MAX: Final = 120
"""Seconds that one request to a registry may take."""

TRIES_MAX: Final = 20
"""Tries of one submission."""

POLL_SECONDS_MAX: Final = 86_400
"""Seconds between two questions for a decision."""


_Address = Annotated[str, at_most(ADDRESS_MAX)]


class Registry(msgspec.Struct, frozen=True):
    """Where reports go."""

    id: int
    """The number of the registry, by which methodologies and submissions name it."""
    name: Annotated[str, Sent(Line, write=str.strip)]
    """What people call it, such as `Registry of removals`; once in the account."""
    adapter: Annotated[str, one_of(AdapterName), Sent(Annotated[Line, one_of(AdapterName)], is_fixed=True)]
    """How reports get there: `http` posts them, `isometric_certify` makes them records of Isometric Certify,
    `file` keeps them for people to hand on."""
    address: Annotated[
        str | None,
        Sent(_Address, change=_Address, meaning="Where a report is posted; required unless it is `file`."),
    ]
    """Where a report is posted, such as `https://registry.example/submissions`, or the base of the interface
    of Isometric Certify; null for `file`."""
    status_address: Annotated[
        str | None,
        Sent(
            _Address,
            change=_Address,
            meaning=(
                "Where it is asked for by its key, with `{key}` in it; "
                "left out, the address, a slash and the key."
            ),
        ),
    ]
    """Where it is asked for by its key, which stands for `{key}`; null unless the adapter is `http`."""
    secret_headers: list[str]
    """The names of headers that are sent along; what they say is never shown."""
    timeout_seconds: Annotated[
        int,
        Sent(
            Annotated[int, between(1, TIMEOUT_SECONDS_MAX)],
            default=TIMEOUT_SECONDS,
            meaning="From 1 to 120.",
        ),
    ]
    """How long one request may take, to the end of its answer."""
    tries: Annotated[
        int,
        Sent(Annotated[int, between(1, TRIES_MAX)], default=TRIES, meaning="From 1 to 20."),
    ]
    """How often a submission is tried before its task fails."""
    poll_seconds: Annotated[
        int | None,
        Sent(
            Annotated[int, between(1, POLL_SECONDS_MAX)],
            default=UNSET,
            meaning="From 1 to 86,400; 300 when left out, null where people write decisions down.",
        ),
    ]
    """How often it is asked for its decision on a report; null where people write that down."""
    created_at: Instant
    updated_at: Instant


REGISTRY_BODIES: Final = RequestBodies(
    Registry,
    "registry",
    "/registries",
    leading=("name", "adapter", "address", "status_address", "headers"),
    extra={
        "headers": Sent(
            dict[str, str],
            default={},
            meaning="Headers that prove who calls, such as `Authorization`; they are kept and never shown.",
            change_meaning=(
                "All headers that prove who calls, instead of those that it has. Required with another "
                "address where it has any: those that are kept are not sent there."
            ),
        )
    },
    about_new="What a caller sends to make a registry.",
    about_change="What a caller may change of a registry; what is left out stays.",
)


class MethodologyModel(msgspec.Struct, frozen=True):
    """A model that implements a methodology: the versions that it names, or any."""

    id: str
    name: str
    """What the model is called, such as `Biochar storage`."""
    version: int
    """The version that was named when the methodology was made."""
    versions: list[int]
    """The versions of the model that implement the methodology; empty when any does."""
    version_ids: list[str]
    """The ids of these versions, in their order; batches name them as their model."""


def _without_repetition(words: list[str]) -> list[str]:
    return list(dict.fromkeys(words))


class Methodology(msgspec.Struct, frozen=True):
    """The rules that reports of one kind follow, in one version."""

    id: int
    """The number of the methodology, by which reports name it."""
    name: Annotated[str, Sent(Line, write=str.strip)]
    """What the methodology is called, such as `Biochar carbon removal`; once in each version."""
    version: Annotated[str, Sent(Line, write=str.strip)]
    """The version as its owner writes it, such as `2.1`."""
    report_type: Annotated[str, Sent(Line, write=str.strip)]
    """The type of the reports that follow it, such as `quarterly`."""
    models: list[MethodologyModel]
    """The models that implement it; reports take batches of no other. Empty when any model may."""
    other_versions: Annotated[
        str,
        one_of(OtherVersions),
        Sent(Annotated[Line, one_of(OtherVersions)], default=OtherVersions.REFUSE.value),
    ]
    """What becomes of a report with batches of other versions: `refuse` its submission, or `note` them."""
    submission_requirements: Annotated[
        list[Annotated[str, one_of(OPTIONAL_REQUIREMENTS)]],
        Sent(list[Annotated[Line, one_of(OPTIONAL_REQUIREMENTS)]], default=[], write=_without_repetition),
    ]
    """What must hold of a report before it is sent off, beside what must always hold."""
    measured_share_min: Annotated[Decimal | None, Sent(Decimal)]
    """How much of what a report takes has to be measured, from 0 to 1; null where it asks for none."""
    registry_id: Annotated[
        int | None,
        Sent(int, meaning="The registry that its reports go to, unless a submission names another one."),
    ]
    """The number of the registry that its reports go to; null where people hand them on."""
    mapping: Annotated[
        dict[str, Any] | None,
        Sent(
            dict[str, Any],
            meaning="How its reports are written: `format`, `template` and, if they are checked, `schema`.",
        ),
    ]
    """How its reports are written; null for plain JSON, and in lists."""
    created_at: Instant


METHODOLOGY_BODIES: Final = RequestBodies(
    Methodology,
    "methodology",
    "/methodologies",
    leading=("name", "version", "report_type", "model_ids", "model_versions"),
    extra={
        "model_ids": Sent(list[str], default=[], meaning="The models that implement it, such as `mod_…`."),
        "model_versions": Sent(
            dict[str, list[int]],
            default={},
            meaning=(
                "By an id in `model_ids` the versions of the model that implement it, such as"
                ' `{"mod_…": [2, 3]}`; any version of a model that is not in it.'
            ),
        ),
    },
    about_new="What a caller sends to make a methodology.",
)


WITHOUT_REGISTRY: Final = (AdapterName.FILE,)
"""The adapters that hand a report on without a registry; `file` keeps it for people to fetch."""

INCLUSIONS_INLINE: Final = 100
"""Inclusions that stand in each report of a list; one report by itself has all."""

REPORT_BATCHES_MAX: Final = 10_000
"""Batches that one report takes from."""


class Inclusion(msgspec.Struct, frozen=True):
    """What a report takes from one batch."""

    batch_id: str
    tracking_id: str
    """What people call the batch, after its slot and partition; for an instrument its external id."""
    start_time: Instant
    """The start of the batch's slot, inclusive."""
    end_time: Instant
    """The end of the batch's slot, exclusive."""
    amount: Decimal
    """How much the report takes, in `unit`."""
    unit: str
    """The unit of the batch's ledger, such as `t`."""
    accepted_amount: Decimal | None
    """How much of it the receiver accepted; null until the report is accepted."""


class ReportAllocation(msgspec.Struct, frozen=True):
    """What a report holds of its ledger, reserved or posted."""

    id: int
    """The number of the allocation."""
    amount: Decimal
    """The sum of its inclusions, in `unit`; once it is accepted, of what was accepted of them."""
    unit: str
    """The unit of the ledger, such as `t`."""
    created_at: Instant
    """When it was reserved."""


class ReportMove(msgspec.Struct, frozen=True):
    """Who or what said that a report is in a state, and when."""

    status: Annotated[str, one_of(ReportStatus)]
    """The state that the report came to."""
    said_at: Instant
    """When it was said."""
    said_by: str
    """The name of the user who said it, or on whose behalf the adapter did."""
    adapter: str | None
    """The adapter that said it; null when a person did."""
    reason: str | None
    """Why, in a sentence; null when nobody gave a reason."""
    reference: str | None
    """What the receiver calls the report, or where it was put; null when not said."""
    amount: Decimal | None
    """How much the receiver accepted, in the ledger's unit; null for every state but `complete`."""


class RunRestated(msgspec.Struct, frozen=True):
    """What two reports take differently of the batches of one run."""

    batch_ids: list[str]
    """The batches of the run that either report takes from."""
    before: Decimal
    """How much the earlier report takes, in the ledger's unit."""
    after: Decimal
    """How much this one takes."""
    change: Decimal
    """How much more that is; below zero where it is less."""
    causes: list[Annotated[str, one_of(ChangeCause)]]
    """Why: what became of the run since, or that another amount was chosen."""


class ReportChanges(msgspec.Struct, frozen=True):
    """What a report says otherwise than an earlier one of its chain."""

    compared_with: str
    """The last report of the chain that was accepted before, or else the one that is restated."""
    change: Decimal
    """How much more this report states, in the ledger's unit; below zero where it is less."""
    liability_change: Decimal
    """How much more it owes, in the ledger's unit; below zero where it is less."""
    data: list[RunRestated]
    """Run by run, what is taken differently."""


class Report(msgspec.Struct, frozen=True):
    """One report."""

    id: str
    numeric_id: int
    project_id: Annotated[
        str, Sent(str | int, is_fixed=True, meaning="The project, as `prj_…` or its number.")
    ]
    name: Annotated[str, Sent(Name, write=str.strip)]
    """What people call the report, such as `First quarter of 2025`."""
    report_type: Annotated[str, Sent(Line, write=str.strip)]
    """What kind of report it is, in the words of its receiver, such as `quarterly`."""
    status: Annotated[str, one_of(ReportStatus)]
    """Where the report stands."""
    methodology_id: Annotated[int | None, Sent(int)]
    """The number of the methodology that it follows; null when it names none."""
    ledger_id: str | None
    """The ledger of its batches; null while it has none."""
    start_time: Instant | None
    """The start of its period, that of the first slot of its batches; null while it has none."""
    end_time: Instant | None
    """The end of its period, that of the last slot of its batches; null while it has none."""
    inclusions: list[Inclusion]
    """What it takes from which batches, oldest first; in a list the first 100 of them."""
    inclusion_count: int
    """From how many batches it takes."""
    amount: Decimal
    """What it states, in its ledger's unit: what it takes of batches, less `liability`."""
    liability: Annotated[Decimal | None, Sent(Decimal)]
    """What the claim owes its receiver, in its ledger's unit, where the truth is below zero; null for
    nothing. Only a restatement of what was once accepted owes something."""
    liability_reason: Annotated[str | None, Sent(Description)]
    """Why it owes that; null where it owes nothing."""
    accepted_amount: Decimal | None
    """How much its receiver accepted, in its ledger's unit; null until it is accepted."""
    allocation: ReportAllocation | None
    """What it holds, reserved or posted; null for one that is a draft or holds nothing any more."""
    effective_at: Instant | None
    """The moment from which on its amounts count; null for a draft."""
    supersedes: Annotated[
        str | None,
        Sent(
            Annotated[str, id_of("report")],
            is_fixed=True,
            meaning=(
                "The report that it restates, such as `rpt_…`; "
                "without batches it begins with those of that one."
            ),
        ),
    ]
    """The report that it restates; null when it restates none."""
    superseded_by: str | None
    """The report that restates it, a draft perhaps; null when there is none."""
    predecessors: list[Annotated[str, id_of("report")]]
    """The accepted reports that were merged into it, or the one that was split; empty for all others."""
    successors: list[Annotated[str, id_of("report")]]
    """The report that it was merged into, or those that it was split into; empty for all others."""
    summary_of_changes: ReportChanges | None
    """What it says otherwise than before; null for one that restates nothing, and in lists."""
    history: list[ReportMove]
    """Every state that it came to, in order; empty for a draft."""
    alerted_batch_count: int
    """How many of its batches have an alert on their runs."""
    warned_batch_count: int
    """How many of its batches have a warning on their runs, which keeps no report back."""
    stale_batch_count: int
    """Behind how many of its batches the data have changed, or another batch has been posted since."""
    waiting_batch_count: int
    """In the slots of how many of its batches events wait for a generation to look at them."""
    pending_proposal_count: int
    """How many corrections wait for approval that its batches would follow."""
    other_version_batch_count: int
    """How many of its batches were made by no version that its methodology names; zero if that names none."""
    created_at: Instant
    updated_at: Instant
    ui_url: Link


UNKNOWN_BATCHES_INLINE: Final = 100
"""Batches of unknown uncertainty that are named; the others are counted."""


class ReportUncertainty(msgspec.Struct, frozen=True):
    """How uncertain what a report states is, with what its batches share, in its ledger's unit."""

    report_id: str
    unit: str | None
    """The unit of the ledger; null while the report has none."""
    stated: AmountUncertainty | None
    """Of `amount` of the report; null where a batch is of unknown uncertainty, and without batches."""
    accepted: AmountUncertainty | None
    """Of `accepted_amount` of the report; null where `stated` is and until it is accepted."""
    compared_with: str | None
    """The report that `summary_of_changes` compares it with; null for one that restates nothing."""
    before: AmountUncertainty | None
    """How uncertain what counts of that report is, as it was sent; null where that is not known."""
    is_coverage_probability_shared: bool | None
    """Whether all models ask for the probability of the interval; if not, it is the largest that one does."""
    unknown_batch_count: int
    """How many batches are of unknown uncertainty: instruments, and those whose model does not ask for it."""
    unknown_batches: list[str]
    """The first 100 of these batches."""
    budget: list[UncertaintyLine]
    """What `stated` is made of, the largest share first; 50 lines at most."""
    budget_count: int
    """How many lines the whole budget has."""


class TakenBatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A batch and how much of it a report takes."""

    batch_id: str
    amount: Decimal
    """In the unit of the batch's ledger; above zero, with no more decimals than the ledger's `scale`."""


_BatchIds = Annotated[list[str], several(REPORT_BATCHES_MAX)]
_Batches = Annotated[list[TakenBatch], several(REPORT_BATCHES_MAX)]

REPORT_BODIES: Final = RequestBodies(
    Report,
    "report",
    "/reports",
    leading=("name", "report_type", "project_id", "methodology_id", "batch_ids", "batches"),
    extra={
        "batch_ids": Sent(
            _BatchIds,
            default=UNSET,
            meaning="The batches of which it takes all that remains, up to 10,000, such as `bat_…`.",
            change_meaning=("The batches of which it takes all that remains, instead of those that it has."),
        ),
        "batches": Sent(
            _Batches,
            default=UNSET,
            meaning="The batches from which it takes so much, up to 10,000; instead of `batch_ids`.",
            change_meaning="The batches from which it takes so much, instead of those that it has.",
        ),
    },
    about_new=(
        "What a caller sends to make a report: batches whole by their ids, or with amounts, or none yet."
    ),
    about_change="What a caller may change of a draft; what is left out stays.",
)


MERGED_REPORTS_MAX: Final = 100
"""Reports that are merged at once."""

SPLIT_PARTS_MIN: Final = 2
"""Reports that one is split into at least."""

SPLIT_PARTS_MAX: Final = 100
"""Reports that one is split into at once."""


class ReportMerge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /reports/{report_id}/merge."""

    report_ids: Annotated[list[str], several(MERGED_REPORTS_MAX - 1, least=1)]
    """The other accepted reports that become one with it, up to 99, such as `rpt_…`."""
    name: Name
    """What people call the one that takes their place."""
    reason: Description
    """Why, in a sentence that stays with all of them."""
    report_type: Line | UnsetType = UNSET
    """What kind of report it is; left out, the kind of the report in the path."""
    reference: Line | None = None
    """What the receiver calls the new report."""


class ReportPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of the reports that a report is split into: `batches`, `amount`, or neither for the rest."""

    name: Name
    """What people call it."""
    amount: Decimal | UnsetType = UNSET
    """How much it takes, in the ledger's unit: shared over the batches in proportion to what is left of
    each."""
    batches: _Batches | UnsetType = UNSET
    """How much it takes of which batches, instead of `amount`."""


class ReportSplit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /reports/{report_id}/split."""

    parts: Annotated[list[ReportPart], several(SPLIT_PARTS_MAX, least=SPLIT_PARTS_MIN)]
    """The reports that take its place, 2 to 100; together they take all that it holds."""
    reason: Description
    """Why, in a sentence that stays with all of them."""
    reference: Line | None = None
    """What the receiver calls the split."""


class SplitReports(msgspec.Struct, frozen=True):
    """The answer to a split: the reports that took the place of the one that was split."""

    parts: list[Report]
    """In the order in which they were named."""


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
    batches: _Batches | UnsetType = UNSET
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


LINK_SECONDS_MIN: Final = 60
"""How long a link to a report lives at least, in seconds."""

LINK_SECONDS_MAX: Final = 366 * 86_400
"""How long a link to a report lives at most, in seconds."""

LINK_SECONDS_DEFAULT: Final = 30 * 86_400
"""How long a link to a report lives unless it is said, in seconds."""

STANDING_LINKS_MAX: Final = 100
"""Links of one report that are open at the same time, at most."""


class LinkStatus(StrEnum):
    """Whether a link opens its report."""

    OPEN = "open"
    EXPIRED = "expired"
    REVOKED = "revoked"


class ReportLink(msgspec.Struct, frozen=True):
    """A link that opens a report to whoever has its address."""

    id: int
    """The number of the link, by which it is revoked."""
    report_id: str
    name: Annotated[
        str,
        Sent(Name, write=str.strip, meaning="Whom or what it is for, such as `Verifier, first review`."),
    ]
    """Whom or what the link is for, in the words of whoever made it."""
    is_of_verifier: Annotated[
        bool, Sent(bool, default=False, meaning="Whether its holder may act as the verifier.")
    ]
    """Whether its holder may act as the verifier: draw samples, record findings, and conclude engagements."""
    status: Annotated[str, one_of(LinkStatus)]
    """Whether it opens the report: `open`, or over because it has `expired` or was `revoked`."""
    use_count: int
    """How often it was used; uses after its end count too."""
    last_used_at: Instant | None
    """When it was used last; null for one that never was."""
    created_by: str
    """The name of the user who made it."""
    created_at: Instant
    expires_at: Instant
    """When it stops opening the report."""
    revoked_at: Instant | None
    revoked_by: str | None
    """The name of the user who revoked it; null unless someone did."""
    user: TokenUser
    """Who answers for it: who made it, unless it was handed over."""


class IssuedReportLink(ReportLink, frozen=True):
    """A new link with its address, which is shown this once."""

    url: ResourceAddress | UnsetType = UNSET
    """The address that opens the report; it is shown this once. The answer to a request that is repeated with
    its Idempotency-Key has none."""


class HandedOverLinkBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of PATCH /reports/{report_id}/links/{link_id}."""

    link: HandedOver


REPORT_LINK_BODIES: Final = RequestBodies(
    ReportLink,
    "link",
    "/reports/{report_id}/links",
    extra={
        "expires_in": Sent(
            Annotated[int, between(LINK_SECONDS_MIN, LINK_SECONDS_MAX)],
            default=LINK_SECONDS_DEFAULT,
            meaning="How long it opens the report, in seconds: 60 to 31,622,400, which are 366 days.",
        )
    },
    about_new="What a caller sends to make a link.",
)
