"""Read rule results, and check those that a request names: whether they exist and may be decided on.

Invariant: every problem with a request is reported at once, with the field that names the result.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, LiteralString

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.collection.measurements.annotations import (
    AROUND_FINDINGS,
    DATA_POINT_RESULT,
    FINDING,
    OF_DATA_POINTS,
)
from weighbridge.core import identity
from weighbridge.core.problem import Problem
from weighbridge.core.rule import states as moves
from weighbridge.core.rule.definition import Severity
from weighbridge.core.rule.states import ApprovalState, ProposalTrigger, ResultStatus, ResultTrigger
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Index,
    Listing,
    ListRequest,
    Source,
    among,
    read_int4,
    read_key,
    read_moment,
    read_page,
)
from weighbridge.db.row import Column, either_of, row_of, unless_null
from weighbridge.db.statements import Literal
from weighbridge.errors import NotFound
from weighbridge.quality.records.rule_results import (
    ModelRunResult,
    RuleResult,
    RuleResultPage,
)

# Read rule results: of a rule, of a project, and whether those of a page of batches ask for attention.
#
# The results of a rule that was removed are kept and not shown.


KINDS: Final = ("data_point_result", "model_run_result")
"""The kinds of rule results, as their ids tell them."""

_FILTERS: Final = {
    "status": Filter("r.status", among(ResultStatus), ", ".join(ResultStatus)),
    "severity": Filter("r.severity", among(Severity), ", ".join(Severity)),
    "approval_state": Filter("r.approval_state", among(ApprovalState), ", ".join(ApprovalState)),
    "rule_version": Filter("r.rule_version", read_int4, "a version's number"),
    "evaluated_at": Filter("r.evaluated_at", read_moment, MOMENT, BOUNDS),
    "created_at": Filter("r.created_at", read_moment, MOMENT, BOUNDS),
}
_SORTS: Final[dict[str, LiteralString]] = {
    "id": "r.id",
    "evaluated_at": "r.evaluated_at",
    "created_at": "r.created_at",
    "status": "r.status",
}

_INDEXES: Final = (
    Index("evaluated_at", "evaluated_at", is_range=True),
    Index("created_at", "created_at", is_range=True),
    *(Index("id", name) for name in ("approval_state", "status", "severity", "rule_version")),
)
_ORDERS: Final = (Index("id"), Index("evaluated_at"), Index("created_at"))

RULE_RESULTS: Final = Listing(
    sorts=_SORTS,
    default_sort="-id",
    key=("r.id",),
    filters=_FILTERS,
    plain={"status": ("status", "eq")},
    indexes=(*_INDEXES, *_ORDERS),
)
"""The results of one rule."""

PROJECT_RULE_RESULTS: Final = Listing(
    sorts=_SORTS,
    default_sort="-id",
    key=("r.id",),
    filters={**_FILTERS, "rule_id": Filter("r.rule_id", read_key("rule"), "an id rule_…")},
    plain={"status": ("status", "eq")},
    indexes=(*_INDEXES, Index("id", "rule_id"), *_ORDERS),
)
"""The results of every rule of a project."""

_OF_DATA_POINTS: Final = f"""
    SELECT d.*, NULL::bigint AS batch_id, NULL::bigint AS model_run_id, NULL::text[] AS node_ids
      FROM ({OF_DATA_POINTS}) d
"""
_OF_MODEL_RUNS: Final = """
    SELECT project_id, id, rule_id, rule_version, status, checked_value AS value, error_message,
           evaluated_at, created_at, closed_at, superseded_by_version, dismissed_at, dismissed_by,
           dismissal_reason, NULL::bigint AS event_id, NULL::smallint AS position,
           NULL::text AS approval_state, NULL::jsonb AS proposed_correction,
           NULL::timestamptz AS rejected_at, NULL::integer AS rejected_by,
           NULL::text AS rejection_reason, NULL::timestamptz AS approved_at,
           NULL::integer AS approved_by, NULL::text AS approval_comment, NULL::integer AS event_type_id,
           NULL::integer AS asset_id, NULL::timestamptz AS slot_start, NULL::timestamptz AS slot_end,
           NULL::jsonb AS proposed_event, severity,
           batch_id, model_run_id, node_ids
      FROM model_run_results
"""
_SOURCE: Final = f"({_OF_DATA_POINTS} UNION ALL {_OF_MODEL_RUNS}) r {AROUND_FINDINGS}"

_OF_RULE: Final = Source(
    f"({_OF_DATA_POINTS}) AS r", "r.*", AROUND_FINDINGS, others=(f"({_OF_MODEL_RUNS}) AS r",), name="r"
)


def _model_run_id(project: int, batch: int | None, model_run: int | None) -> str:
    owner = identity.Owner.MODEL_RUN if batch is None else identity.Owner.BATCH
    return identity.of("model_run", project, batch or model_run or 0, owner=owner)


MODEL_RUN_RESULT: Final = row_of(
    ModelRunResult,
    Column("id", ("r.project_id", "r.id"), partial(identity.of, "model_run_result")),
    *FINDING,
    Column("checked_value", "r.value"),
    Column("node_ids", "r.node_ids"),
    Column("model_run_id", ("r.project_id", "r.batch_id", "r.model_run_id"), _model_run_id),
    Column("batch_id", ("r.project_id", "r.batch_id"), unless_null(partial(identity.of, "batch"))),
)

RULE_RESULT: Final = either_of("r.position", MODEL_RUN_RESULT, DATA_POINT_RESULT)
"""A result of either kind: one that is of no data point is of a model run."""


async def list_project_rule_results(tx: Read, project: int, request: ListRequest) -> RuleResultPage:
    """The results of a project's rules, of both kinds: what each rule has, merged."""
    rules = [SQL("project_id = {} AND deleted_at IS NULL").format(Literal(project))]
    rules += [
        SQL("id = {}").format(Literal(rule)) for name, _, rule in request.conditions if name == "rule_id"
    ]
    source = replace(_OF_RULE, owners=SQL("SELECT id FROM rules WHERE {}").format(SQL(" AND ").join(rules)))
    of_each = SQL("r.project_id = {} AND r.rule_id = owner.id").format(Literal(project))
    return await _page(tx, PROJECT_RULE_RESULTS, request, source, of_each)


async def list_rule_results(tx: Read, project: int, rule: int, request: ListRequest) -> RuleResultPage:
    """The results of one rule, of every version."""
    of_rule = SQL("r.project_id = {} AND r.rule_id = {}").format(Literal(project), Literal(rule))
    return await _page(tx, RULE_RESULTS, request, _OF_RULE, of_rule)


async def rule_results_named(tx: Read, project: int, keys: Sequence[int]) -> list[RuleResult]:
    """The results of these keys, in the order of the keys."""
    statement = SQL("""
        SELECT {} FROM {}
         WHERE r.project_id = %(project)s AND r.id = ANY (%(keys)s) ORDER BY array_position(%(keys)s, r.id)
    """).format(SQL(RULE_RESULT.columns), SQL(_SOURCE))
    return await tx.rows(RULE_RESULT.make, statement, {"project": project, "keys": list(keys)})


class Measured(msgspec.Struct, frozen=True):
    """What a value is of that a rule found fault with: when, of which meter, in which unit."""

    start_time: Instant
    end_time: Instant
    tracking_id: str | None
    """What the event is called by people, such as a delivery note; null for an interval without data."""
    asset: str | None
    """What the meter is called; null for an event of none."""
    unit: str | None


_MEASURED: Final = f"""
    SELECT r.id, coalesce(e.start_time, r.slot_start), coalesce(e.end_time, r.slot_end), e.tracking_id,
           a.name, t.unit
      FROM data_point_results r {AROUND_FINDINGS}
      LEFT JOIN assets a ON (a.project_id, a.id) = (r.project_id, coalesce(e.asset_id, r.asset_id))
     WHERE r.project_id = %s AND r.id = ANY (%s)
"""


async def read_measured(tx: Read, results: Iterable[str]) -> dict[str, Measured]:
    """What the values are of that results of one project are about, by their ids; those of runs have none."""
    keys = {key: result for result in results if (key := identity.parse("data_point_result", result))}
    if not keys:
        return {}
    project = next(iter(keys)).project
    rows = await tx.tuples(_MEASURED, (project, [key.key for key in keys]))
    return {
        keys[identity.Key(project, key)]: Measured(Instant.of(start), Instant.of(end), *others)
        for key, start, end, *others in rows
    }


async def rule_result_named(tx: Read, project: int, friendly: str) -> RuleResult:
    """The result of a project that a path names, of either kind; NotFound when there is none."""
    key = result_key(project, friendly)
    found = [] if key is None else await rule_results_named(tx, project, [key])
    if [one.id for one in found] != [friendly]:
        raise NotFound
    return found[0]


def result_key(project: int, friendly: str) -> int | None:
    """The key in the id of a result of the project; None for any other text."""
    kind = identity.kind_of(friendly)
    key = identity.parse(kind, friendly) if kind in KINDS else None
    return None if key is None or key != identity.Key(project, key.key) else key.key


async def _page(
    tx: Read, listing: Listing, request: ListRequest, source: Source, where: Composable
) -> RuleResultPage:
    page = await read_page(tx, RULE_RESULT, listing, request, source=source, where=[where])
    return RuleResultPage(page.data, page.info)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person says to a proposal: yes, perhaps with a comment, or no with a reason."""

    trigger: ProposalTrigger
    reason: str | None = None
    comment: str | None = None

    @property
    def done(self) -> str:
        """What a proposal is afterwards."""
        return moves.advance_proposal(ApprovalState.PENDING, self.trigger).value

    @property
    def changes(self) -> list[ApprovalState]:
        """The states of the proposals that it changes."""
        return moves.list_proposal_states_changed_by(self.trigger)


@dataclass(frozen=True, slots=True)
class NamedResults:
    """The results that a request names, each once, with the field of each for its problems."""

    project: int
    fields: Mapping[str, str | None]
    keys: Mapping[str, int]
    """The keys of those that may be results of the project, by their ids."""

    def describe(self, one: str) -> str:
        """What a problem with a result begins with."""
        field = self.fields[one]
        return f"The rule result is {one!r}" if field is None else f"{field} is {one!r}"


def name_results(project: int, result_ids: Sequence[str]) -> NamedResults:
    """The results of a list, each by the first place where it stands."""
    places = {one: place for place, one in reversed([*enumerate(result_ids)])}
    fields = {one: f"result_ids[{places[one]}]" for one in dict.fromkeys(result_ids)}
    return _name_fields(project, fields)


def name_result(project: int, result_id: str) -> NamedResults:
    """The one result that a path names."""
    return _name_fields(project, {result_id: None})


def _name_fields(project: int, fields: Mapping[str, str | None]) -> NamedResults:
    found = {result_id: result_key(project, result_id) for result_id in fields}
    return NamedResults(
        project, fields, {result_id: key for result_id, key in found.items() if key is not None}
    )


def problems_of_reason(reason: str | None) -> Iterator[Problem]:
    """A decision that takes a reason needs one."""
    if reason is not None and not reason.strip():
        yield Problem("reason must not be blank. Say why.", "reason", "required")


def problems_of_comment(comment: str | None) -> Iterator[Problem]:
    """A comment that is made says something."""
    if comment is not None and not comment.strip():
        yield Problem("comment must not be blank. Say something, or leave it out.", "comment", "required")


def problems_of_number(named: NamedResults, most: int, does: str) -> Iterator[Problem]:
    number = len(named.fields)
    if not number:
        yield Problem("result_ids is empty; name at least one rule result.", "result_ids", "required")
    if number > most:
        yield Problem(
            f"result_ids names {number:,} rule results; one request {does} at most {most:,}.",
            "result_ids",
            "too_many",
        )


def problems_of_results(named: NamedResults, statuses: Mapping[str, str]) -> Iterator[Problem]:
    movable = moves.list_statuses_before(ResultTrigger.DISMISSED)
    for one, field in named.fields.items():
        status = statuses.get(one)
        if status is None:
            yield Problem(f"{named.describe(one)}, which is no rule result of the project.", field, "unknown")
        elif status not in movable:
            yield Problem(f"{named.describe(one)}, which passes; there is nothing to dismiss.", field, status)


def problems_of_proposals(
    named: NamedResults, states: Mapping[str, str | None], decision: Decision, final: Collection[int]
) -> Iterator[Problem]:
    """What keeps results from a decision, by the states of their proposals; those of `final` stay decided."""
    movable = moves.list_proposal_states_before(decision.trigger)
    for one, field in named.fields.items():
        if one not in states:
            yield Problem(f"{named.describe(one)}, which is no rule result of the project.", field, "unknown")
        elif (state := states[one]) is None:
            message = (
                f"{named.describe(one)}, which never held a proposal; there is nothing to {decision.trigger}."
            )
            yield Problem(message, field, "never_pending")
        elif state not in movable:
            message = (
                f"{named.describe(one)}, whose proposal is {state}. "
                f"It must be {' or '.join(decision.changes)} to be {decision.done}."
            )
            yield Problem(message, field, "decided")
        elif state in decision.changes and named.keys[one] in final:
            message = (
                f"{named.describe(one)}, whose proposal is {state} and whose result is closed or dismissed. "
                "Only a decision on an open result is reversed."
            )
            yield Problem(message, field, "decided")


BATCHES_NAMED_MAX: Final = 20
"""Batches that a refusal to reverse an approval names; it says how many there are."""


def describe_use(batch_count: int) -> str:
    """Why an approval stays, of whose correction so many batches were made."""
    batches = "1 batch was" if batch_count == 1 else f"{batch_count:,} batches were"
    return (
        f"{batches} generated from its correction. An approval is reversed only while no batch is left that "
        "was generated from it."
    )


def problems_of_use(named: NamedResults, used: Mapping[int, Sequence[str]]) -> Iterator[Problem]:
    """Approvals that are not reversed, because batches were made of what was approved."""
    for one, key in named.keys.items():
        if batches := used.get(key):
            message = f"{named.describe(one)}, whose proposal is approved. {describe_use(len(batches))}"
            records = tuple(batches[:BATCHES_NAMED_MAX])
            yield Problem(message, named.fields[one], "decision_used", records)


def problems_of_own(named: NamedResults, own: Collection[int]) -> Iterator[Problem]:
    for one, key in named.keys.items():
        if key in own:
            message = (
                f"{named.describe(one)}, which your rule or data proposed. Another user has to approve it."
            )
            yield Problem(message, named.fields[one], "own_proposal")
