"""What a rule result looks like on the wire, one kind for each kind of record."""

from typing import Annotated, Any, Final, TypeAlias

import msgspec

from weighbridge.collection.measurements.findings import DataPointResult, ProposedCorrection, ProposedEvent
from weighbridge.core.rule.proposal import ApprovalState
from weighbridge.core.rule.result import ResultStatus
from weighbridge.core.time.instant import Instant
from weighbridge.db.listing import Info
from weighbridge.http.openapi.schemas import friendly_id
from weighbridge.http.text import Description, one_of, several, shown_as
from weighbridge.quality.impact.answer import Impact

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

    Only a pending one has an impact; null when the result proposes nothing.
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
    """The results, each once, in the order in which they were named; only the pending ones have an impact."""


class ReasonForOne(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body by which one rule result is dismissed, or its proposal rejected."""

    reason: Description
    """Why, in a sentence."""


class ApprovalNoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of an approval, which may be left out."""


class BulkApproval(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a bulk approval: the results whose proposals are approved."""

    result_ids: _ProposalIds
    """The rule results to approve, up to 100."""


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
