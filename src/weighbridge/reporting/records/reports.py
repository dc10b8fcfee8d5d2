"""Reports: what they take of batches, what became of them, and how they are merged and split."""

from decimal import Decimal
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.accounting.records.batches import UncertaintyLine
from weighbridge.accounting.records.uncertainty import AmountUncertainty
from weighbridge.core.identity import Link
from weighbridge.core.report import (
    ChangeCause,
    ReportStatus,
)
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import (
    Description,
    Line,
    Name,
    id_of,
    one_of,
    several,
)

INCLUSIONS_INLINE: Final = 100
"""Inclusions that stand in each report of a list; one report by itself has all."""

REPORT_BATCHES_MAX: Final = 10_000
"""Batches that one report takes from."""

REPORT_LEDGERS_MAX: Final = 20
"""Ledgers that one report takes of, each in a role of its methodology."""


class Inclusion(msgspec.Struct, frozen=True):
    """What a report takes from one batch."""

    batch_id: str
    ledger_id: str
    """The ledger of the batch."""
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


class ReportLedger(msgspec.Struct, frozen=True):
    """A ledger that a report of several takes of: it counts toward what is claimed, or is deducted."""

    role: str
    """What the ledger is for in the report, as its methodology calls it, such as `removal`."""
    ledger_id: str
    sign: int
    """The sign: 1 where it counts toward the claim, -1 where it is deducted."""
    unit: str
    """The unit of the ledger, such as `kg`."""
    amount: Decimal
    """How much the report takes of its batches, in `unit`."""
    accepted_amount: Decimal | None
    """How much of that the receiver accepted; null until the report is accepted."""
    counted: Decimal
    """What `amount` counts for in the amount of the report: with its sign, in the first ledger's unit."""
    accepted_counted: Decimal | None
    """What `accepted_amount` counts for; null until the report is accepted."""


class NamedReportLedger(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The ledger that plays a role of the methodology in a report."""

    role: Line
    """The role, as the methodology calls it, such as `removal`."""
    ledger_id: Annotated[str, id_of("ledger")]


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
    ledger_id: str
    """The ledger of these batches."""


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
    """The ledger of its batches; null while it has none. Of several ledgers the first one."""
    ledgers: list[ReportLedger]
    """The ledgers that it takes of with what each counts for, in the order of its methodology; empty for a
    report of one ledger."""
    start_time: Instant | None
    """The start of its period, that of the first slot of its batches; null while it has none."""
    end_time: Instant | None
    """The end of its period, that of the last slot of its batches; null while it has none."""
    inclusions: list[Inclusion]
    """What it takes from which batches, oldest first; in a list the first 100 of them."""
    inclusion_count: int
    """From how many batches it takes."""
    amount: Decimal
    """What it states, in its ledger's unit: what it takes of batches, less `liability`; of several ledgers
    the sum of what each counts for, in the unit of the first."""
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
TakenBatches = Annotated[list[TakenBatch], several(REPORT_BATCHES_MAX)]

REPORT_BODIES: Final = RequestBodies(
    Report,
    "report",
    "/reports",
    leading=("name", "report_type", "project_id", "methodology_id", "ledgers", "batch_ids", "batches"),
    extra={
        "ledgers": Sent(
            Annotated[list[NamedReportLedger], several(REPORT_LEDGERS_MAX)],
            default=UNSET,
            meaning="The ledger of each role, where its methodology has several ledgers.",
            change_meaning="The ledger of each role, instead of those that it has.",
        ),
        "batch_ids": Sent(
            _BatchIds,
            default=UNSET,
            meaning="The batches of which it takes all that remains, up to 10,000, such as `bat_…`.",
            change_meaning=("The batches of which it takes all that remains, instead of those that it has."),
        ),
        "batches": Sent(
            TakenBatches,
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
    batches: TakenBatches | UnsetType = UNSET
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
