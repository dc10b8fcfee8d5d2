"""What a rule result looks like on the wire, one kind for each kind of record."""

from typing import Annotated, Final

import msgspec

from weighbridge.collection.measurements.findings import DataPointResult
from weighbridge.core.time.instant import Instant
from weighbridge.db.listing import Info
from weighbridge.http.openapi_schemas import friendly_id
from weighbridge.http.text import Description

RESULTS_MAX: Final = 1000
"""Rule results in one dismissal, at most, each counted once."""

_RESULT_ID: Final = msgspec.Meta(
    description="The friendly id of a rule result, dpres_… or mrres_….",
    extra_json_schema={"examples": friendly_id("data_point_result")["examples"]},
)


class ModelRunResult(msgspec.Struct, frozen=True):
    """What a version of a rule found in one model run."""

    id: str
    status: str
    checked_value: str | None
    error_message: str | None
    rule_id: str
    rule_version: int
    rule_name: str
    message: str | None
    node_ids: list[str]
    model_run_id: str
    batch_id: str | None
    evaluated_at: Instant
    created_at: Instant
    dismissed_at: Instant | None
    dismissed_by: str | None
    dismissal_reason: str | None


RuleResult = DataPointResult | ModelRunResult


class RuleResultPage(msgspec.Struct, frozen=True):
    """One page of a list of rule results, of both kinds."""

    data: list[RuleResult]
    info: Info


class Dismissal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a bulk dismissal: results of either kind, and the one reason for all of them."""

    result_ids: list[Annotated[str, _RESULT_ID]]
    reason: Description


class Dismissed(msgspec.Struct, frozen=True):
    """The results of a bulk dismissal, each once, in the order in which they were named."""

    data: list[RuleResult]
