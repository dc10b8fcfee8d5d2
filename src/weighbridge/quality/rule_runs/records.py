"""What a rule run looks like on the wire."""

from decimal import Decimal
from typing import Annotated

import msgspec

from weighbridge.core.rule.run import RunKind, RunState
from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Moment, one_of


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
