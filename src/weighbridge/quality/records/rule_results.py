"""Define the records of rule runs and rule results: previews, decisions on proposals, and the impact of a
change.
"""

from decimal import Decimal
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from weighbridge.accounting.records.batches import StaleReason
from weighbridge.accounting.records.impact import GenerationImpact
from weighbridge.collection.records.events import DataPointResult, ProposedCorrection, ProposedEvent
from weighbridge.core.rule.definition import Purpose, Severity
from weighbridge.core.rule.states import ApprovalState, ResultStatus, RunKind, RunState
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.listing import Info
from weighbridge.http.text import (
    Description,
    Moment,
    friendly_id,
    one_of,
    several,
    shown_as,
)
from weighbridge.quality.records.rules import RULE_BODIES

# What an impact looks like on the wire, whatever the change is that it is of.


class BatchMadeStale(msgspec.Struct, frozen=True):
    """A batch that the change would leave stale until its slot is generated again."""

    batch_id: str
    """The friendly id of the batch: the newest of its run on the ledger."""
    ledger_id: str
    reasons: list[StaleReason]
    """Why it would be stale; reasons that it has already are not repeated."""
    tracking_id: str
    """What people call the batch."""
    ledger_name: str
    """What the ledger is called."""


class FollowingRule(msgspec.Struct, frozen=True):
    """An automatic rule that corrects unasked, and that would evaluate what the change touches."""

    rule_id: str
    name: str
    """What the rule is called."""
    purpose: Annotated[str, one_of(Purpose)]
    """What the rule is for: adjust, substitute or impute."""


class Impact(GenerationImpact, frozen=True):
    """What would change if a change were made and what it touches generated again."""

    stale_batches: list[BatchMadeStale]
    """The batches that would be stale until they are generated again, and those that draw from them."""
    following_rules: list[FollowingRule]
    """Automatic rules that correct unasked and would evaluate the changed events afterwards.

    What they would correct is in no figure here, so other figures may come of it.
    """


NO_IMPACT = Impact(
    batches=[], ledgers=[], reports=[], deficits=[], problems=[], not_followed=[], stale_batches=[],
    following_rules=[],
)  # fmt: skip
"""That of a change which touches nothing."""


# What a rule result looks like on the wire, one kind for each kind of record.


RESULTS_MAX: Final = 1000
"""Rule results in one dismissal, at most, each counted once."""

PROPOSALS_MAX: Final = 100
"""Proposals in one approval or rejection, at most, each counted once."""

_RESULT_ID: Final = msgspec.Meta(
    description="The friendly id of a rule result, dpres_… or mrres_….",
    extra_json_schema={"examples": friendly_id("data_point_result")["examples"]},
)
_ResultIds: TypeAlias = Annotated[list[Annotated[str, _RESULT_ID]], several(RESULTS_MAX)]
_ProposalIds: TypeAlias = Annotated[list[Annotated[str, _RESULT_ID]], several(PROPOSALS_MAX)]


class ModelRunResult(msgspec.Struct, frozen=True):
    """What a version of a rule found in one model run."""

    id: str
    status: Annotated[str, one_of(ResultStatus)]
    """Where the result stands; `pass` for one whose run has passed since."""
    checked_value: str | None
    """The value that was checked, as a text such as `12.5`; null when there was none."""
    error_message: str | None
    """Why the expression has no value for the run; null unless `status` is `error`."""
    rule_id: str
    rule_version: int
    rule_name: str
    severity: Annotated[str, one_of(Severity)]
    """Whether it is an alert, `fail`, or a warning, `warn`, as the rule's version says."""
    message: str | None
    """What the rule says to people; null when it says nothing."""
    node_ids: list[str]
    """The slugs of the nodes that the rule reads."""
    model_run_id: str
    batch_id: str | None
    """The friendly id of the batch that the run made; null for a run that stands alone."""
    evaluated_at: Instant
    """When the run was last evaluated."""
    created_at: Instant
    """When the result was found first."""
    superseded_by_version: int | None
    """The version of the rule that has evaluated the run since; null for a result of the newest."""
    dismissed_at: Instant | None
    dismissed_by: str | None
    dismissal_reason: str | None
    approval_state: Annotated[str, one_of(ApprovalState)] | None = None
    """Always null: rules correct data points, and propose nothing for model runs."""
    proposed_correction: Annotated[dict[str, Any], shown_as(ProposedCorrection)] | None = None
    """Always null, as in every result of a model run."""
    rejected_at: Instant | None = None
    """Always null, as in every result of a model run."""
    rejected_by: str | None = None
    """Always null, as in every result of a model run."""
    rejection_reason: str | None = None
    """Always null, as in every result of a model run."""
    proposed_event: Annotated[dict[str, Any], shown_as(ProposedEvent)] | None = None
    """Always null, as in every result of a model run."""
    approved_at: Instant | None = None
    """Always null, as in every result of a model run."""
    approved_by: str | None = None
    """Always null, as in every result of a model run."""
    approval_comment: str | None = None
    """Always null, as in every result of a model run."""


RuleResult = DataPointResult | ModelRunResult


class RuleResultPage(msgspec.Struct, frozen=True):
    """One page of a list of rule results, of both kinds."""

    data: list[RuleResult]
    info: Info


class Dismissal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a bulk dismissal: results of either kind, and the one reason for all of them."""

    result_ids: _ResultIds
    """The rule results to dismiss, up to 1,000, of either kind."""
    reason: Description
    """Why all of them are dismissed, in a sentence."""


class Dismissed(msgspec.Struct, frozen=True):
    """The results of a bulk dismissal, each once, in the order in which they were named."""

    data: list[RuleResult]
    """The results as they are now, in the order in which they were named."""


class ImpactOfProposal(Impact, frozen=True):
    """What would change if a proposal were approved and what it touches generated again."""

    id: str
    """The friendly id of the rule result that proposes."""
    approval_state: Annotated[str, one_of(ApprovalState)] | None
    """Where the proposal stands; `superseded` when approving it now would apply nothing.

    Only a pending one, and a rejected one, has an impact; null when the result proposes nothing.
    """


class NamedProposals(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of the impact of many: the results whose proposals would be approved."""

    result_ids: _ProposalIds
    """The rule results to be approved, up to 100."""


class ProposalToApprove(msgspec.Struct, frozen=True):
    """A rule result that an impact of many names, and what an approval of it would find."""

    id: str
    """The friendly id of the rule result."""
    approval_state: Annotated[str, one_of(ApprovalState)]
    """Where the proposal stands; `superseded` when approving it now would apply nothing."""


class ImpactOfProposals(Impact, frozen=True):
    """What would change if many proposals were approved together and what they touch generated again."""

    results: list[ProposalToApprove]
    """The results, each once, in the order in which they were named; approved ones have no impact."""


class ReasonForOne(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body by which one rule result is dismissed, or its proposal rejected."""

    reason: Description
    """Why, in a sentence."""


class Approval(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of an approval, which may be left out."""

    comment: Description | None = None
    """What there is to say about it, in a sentence; null when there is nothing."""


class BulkApproval(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a bulk approval: the results whose proposals are approved."""

    result_ids: _ProposalIds
    """The rule results to approve, up to 100."""
    comment: Description | None = None
    """What there is to say about all of them, in a sentence; null when there is nothing."""


class BulkRejection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a bulk rejection: the results whose proposals are rejected, and the one reason for all."""

    result_ids: _ProposalIds
    """The rule results to reject, up to 100."""
    reason: Description
    """Why all of them are rejected, in a sentence."""


class DecidedResults(msgspec.Struct, frozen=True):
    """The results of a bulk approval or rejection, each once, in the order in which they were named."""

    data: list[RuleResult]
    """The results as they are now, in the order in which they were named."""


# What a rule run looks like on the wire.


class RuleRun(msgspec.Struct, frozen=True):
    """One evaluation of a version of a rule over a period; without a bound it has none on that side.

    `corrections` counts those that it wrote, `withdrawn` those of its rule that it took back.
    """

    id: int
    """The number of the run."""
    rule_id: str
    rule_version: int
    rule_name: str
    kind: Annotated[str, one_of(RunKind)]
    """Why it was made: data changed, the rule did, or someone asked."""
    state: Annotated[str, one_of(RunState)]
    """Where the run stands; `reversed` when its corrections were taken back."""
    start_time: Instant | None
    """The start of the period, inclusive; null when it has no bound on that side."""
    end_time: Instant | None
    """The end of the period, exclusive; null when it has no bound on that side."""
    evaluated: int
    alerts: int
    """How many of them the rule alerts on."""
    corrections: int
    """How many corrections it wrote."""
    withdrawn: int
    """How many corrections of its rule it took back, because the rule does not say so any more."""
    proposals: int
    """How many corrections it proposed, or proposed anew."""
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None
    duration_seconds: Decimal | None
    """How long it took, in seconds; null until it has ended."""
    reversed_at: Instant | None
    """When it was reversed; null unless it was."""
    error_message: str | None
    async_task_id: int | None
    """The number of the task that carries it out; null for a run that followed a change of data."""


class RunResult(msgspec.Struct, frozen=True):
    """What a rule run came to: as its task ends with it, and as the audit log keeps it."""

    rule_run_id: int
    """The number of the run."""
    evaluated: int
    """Records that were evaluated."""
    alerts: int
    """Those that fail."""
    corrections: int
    """Corrections that were written."""
    withdrawn: int
    """Corrections of the rule that were taken back, because it does not say so any more."""
    proposals: int
    """Corrections that were proposed, or proposed anew."""


class NewRuleRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /rules/{rule_id}/rule_runs: the period to evaluate again."""

    start_time: Moment
    """The start of the period to evaluate, inclusive."""
    end_time: Moment
    """The end of the period to evaluate, exclusive."""


class RuleRunsNoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a reversal, which may be left out."""


class RulePreviewBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/rules/preview: a rule, and the period to try it over."""

    rule: RULE_BODIES.new  # type: ignore[name-defined] # it is derived
    """The rule to try, as it would be made."""
    start_time: Moment
    """The start of the period to try it over, inclusive."""
    end_time: Moment
    """The end of that period, exclusive."""


class UndoneCorrections(msgspec.Struct, frozen=True):
    """How many corrections of a rule were reverted, and how many values changed by that."""

    corrections: int
    """How many corrections were reverted."""
    changed_values: int
    """How many values are not what they were before."""


class RulePreviewAlert(msgspec.Struct, frozen=True):
    """A record that a rule would alert on: an event's data point, or a model run.

    Where the rule would correct the value, or propose it, `to_value` is what it would be.
    """

    event_id: str | None
    """The friendly id of the event; null for a model run."""
    data_point_id: str | None
    """The friendly id of the data point; null for a model run."""
    model_run_id: str | None
    """The friendly id of the model run; null for a data point."""
    batch_id: str | None
    """The friendly id of the batch that the run made; null for a data point or a run that stands alone."""
    start_time: Instant
    """The start of the event or the run."""
    value: str | None
    """The value that was checked, as a text such as `12.5`; null when there was none."""
    error_message: str | None
    """Why the expression has no value for the record; null when it has one."""
    from_value: Decimal | str | bool | None
    """The value in force; null unless the rule would correct it."""
    to_value: Decimal | str | bool | None
    """What the value would become; null unless the rule would correct it."""


class RulePreview(msgspec.Struct, frozen=True):
    """What a rule would come to over a period: how many records, how many alerts, and the first of them.

    `corrections` counts the values that it would correct; with approval these are `proposals`.
    """

    evaluated: int
    alerts: int
    """How many of them the rule would alert on."""
    corrections: int
    """How many values it would correct."""
    proposals: int
    """How many corrections it would propose."""
    data: list[RulePreviewAlert]
    """The first of the records that it would alert on."""
