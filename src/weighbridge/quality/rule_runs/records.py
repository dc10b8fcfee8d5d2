"""What a rule run looks like on the wire."""

from decimal import Decimal

import msgspec

from weighbridge.core.time.instant import Instant
from weighbridge.http.text import Moment


class RuleRun(msgspec.Struct, frozen=True):
    """One evaluation of a version of a rule over a period; without a bound it has none on that side.

    `corrections` counts those that it wrote, `withdrawn` those of its rule that it took back.
    """

    id: int
    rule_id: str
    rule_version: int
    rule_name: str
    kind: str
    state: str
    start_time: Instant | None
    end_time: Instant | None
    evaluated: int
    alerts: int
    corrections: int
    withdrawn: int
    proposals: int
    created_at: Instant
    started_at: Instant | None
    finished_at: Instant | None
    duration_seconds: Decimal | None
    reversed_at: Instant | None
    error_message: str | None
    async_task_id: int | None


class RunResult(msgspec.Struct, frozen=True):
    """What a rule run came to: as its task ends with it, and as the audit log keeps it."""

    rule_run_id: int
    evaluated: int
    alerts: int
    corrections: int
    withdrawn: int
    proposals: int


class NewRuleRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /rules/{rule_id}/rule_runs: the period to evaluate again."""

    start_time: Moment
    end_time: Moment


class RuleRunsNoOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a reversal, which may be left out."""
