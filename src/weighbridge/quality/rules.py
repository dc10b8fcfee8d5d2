"""Data rules: expressions that say what is wrong with a data point or a model run, evaluated over a
project.

Where the expression is true there is an alert; a rule never blocks a write. What decides a result is a
version, which never changes. Permission: data rules.
"""

from functools import partial
from typing import Any, Final

import msgspec
from msgspec import Struct
from psycopg.sql import SQL

from weighbridge.collection.measurements.corrections import undo_rule
from weighbridge.core import identity
from weighbridge.core.identity import Link
from weighbridge.core.platform.permission import Actor
from weighbridge.core.platform.settings import Feature
from weighbridge.core.problem import Problem
from weighbridge.core.rule import RuleTarget
from weighbridge.core.rule.definition import Purpose, Severity
from weighbridge.core.rule.states import RunKind
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    Filter,
    Listing,
    ListRequest,
    Page,
    among,
    list_request,
    read_key,
    read_page,
)
from weighbridge.db.row import Column, Derived, row_of, unless_null
from weighbridge.db.statements import Literal, jsonb
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, ask, delete, get, patch, post
from weighbridge.platform import changes
from weighbridge.platform.feature_flags import need_feature
from weighbridge.platform.tenancy import find, need, of_key, plain_key_named, project_named
from weighbridge.quality.evaluation import period_evaluation
from weighbridge.quality.evaluation.period_evaluation import queue_run
from weighbridge.quality.records.rule_examples import EXAMPLES
from weighbridge.quality.records.rule_results import (
    RulePreview,
    RulePreviewBody,
    RuleRunsNoOptions,
    UndoneCorrections,
)
from weighbridge.quality.records.rules import (
    EVALUATIONS,
    RULE_BODIES,
    Rule,
    RuleVersion,
    SavedRule,
)
from weighbridge.quality.rule_corrections import take_back_approvals, withdraw_all_proposals
from weighbridge.quality.rule_validation import problems_of_frame, validate_rule
from weighbridge.quality.rule_versions import SEVERITY, WINDOW_METERS, StoredVersion, newest_version

# Read rules and their versions as the interface shows them, and find the rule that a path names.
#
# A rule that was removed is found nowhere.


RULES: Final = Listing(
    sorts={"id": "u.id", "name": "u.name", "created_at": "u.created_at", "updated_at": "u.updated_at"},
    default_sort="id",
    key=("u.id",),
    filters={
        "name": Filter("u.name", str, "a name"),
        "target": Filter("v.target", among(RuleTarget), ", ".join(RuleTarget)),
        "evaluation": Filter("u.evaluation", among(EVALUATIONS), ", ".join(EVALUATIONS)),
        "purpose": Filter("v.purpose", among(Purpose), ", ".join(Purpose)),
        "severity": Filter(SEVERITY, among(Severity), ", ".join(Severity)),
        "event_type_id": Filter("v.event_type_id", read_key("event_type"), "an id et_…"),
        "asset_id": Filter("v.asset_id", read_key("asset"), "an id ast_…"),
    },
)

RULE_VERSIONS: Final = Listing(
    sorts={"version": "v.version", "created_at": "v.created_at"}, default_sort="-version", key=("v.version",)
)

_VERSIONS: Final = """
    rules u
    JOIN rule_versions v ON (v.project_id, v.rule_id) = (u.project_id, u.id)
    LEFT JOIN event_types t ON (t.project_id, t.id) = (v.project_id, v.event_type_id)
    LEFT JOIN assets a ON (a.project_id, a.id) = (v.project_id, v.asset_id)
    LEFT JOIN model_families f ON f.id = v.family_id
    LEFT JOIN models m ON m.id = f.active_model_id
"""
_NEWEST: Final = "u.deleted_at IS NULL AND v.version = u.latest_version"


def _address(project: str, rule: str) -> Link:
    return Link(f"/projects/{project}/rules/{rule}")


_VERSIONED: Final = (
    Column("expression", "v.expression"),
    Column("data_point", "v.data_point"),
    Column("event_type", "t.slug"),
    Column(
        "event_type_id", ("u.project_id", "v.event_type_id"), unless_null(partial(identity.of, "event_type"))
    ),
    Column("asset", "a.name"),
    Column("asset_id", ("u.project_id", "v.asset_id"), unless_null(partial(identity.of, "asset"))),
    Column("model", "m.name"),
    Column("model_id", "m.id", unless_null(partial(identity.of, "model", 0))),
    Column("window", "v.rule_window"),
    Column("window_member_scope", "v.window_member_scope"),
    Column("window_meters", WINDOW_METERS),
    Column("purpose", "v.purpose"),
    Column("severity", SEVERITY),
    Column("correction", "v.correction"),
    Column("tables", "v.tables"),
    Column("priority", "v.priority"),
    Column("requires_approval", "v.requires_approval"),
)
"""What decides a result, of whatever target."""

RULE: Final = row_of(
    Rule,
    Column("id", ("u.project_id", "u.id"), partial(identity.of, "rule")),
    Column("project_id", "u.project_id", partial(identity.of, "project")),
    Column("name", "u.name"),
    Column("version", "v.version"),
    Column(
        "status",
        "CASE WHEN now() < u.effective_from THEN 'scheduled' WHEN now() >= u.effective_to THEN 'ended'"
        " ELSE 'active' END",
    ),
    Column("target", "v.target"),
    *_VERSIONED,
    Column("message", "u.message"),
    Column("evaluation", "u.evaluation"),
    Column(
        "pending_count",
        "(SELECT count(*) FROM data_point_results r WHERE r.project_id = u.project_id AND r.rule_id = u.id"
        " AND r.approval_state = 'pending')",
    ),
    Column("effective_from", "u.effective_from"),
    Column("effective_to", "u.effective_to"),
    Column("created_at", "u.created_at"),
    Column("updated_at", "u.updated_at"),
    Derived("ui_url", ("project_id", "id"), _address),
)

RULE_VERSION: Final = row_of(
    RuleVersion,
    Column("version", "v.version"),
    *_VERSIONED,
    Column("created_at", "v.created_at"),
)


async def read_rule(tx: Read, project: int, number: int) -> Rule:
    """One rule, as its newest version has it."""
    of_project = SQL("{} AND u.project_id = %s AND u.id = %s").format(SQL(_NEWEST))
    return await find(tx, RULE, _VERSIONS, of_project, (project, number))


async def select_rule_versions(
    tx: Read, project: int, number: int, request: ListRequest
) -> Page[RuleVersion]:
    """Every version of a rule, newest first."""
    of_rule = SQL("u.project_id = {} AND u.id = {}").format(Literal(project), Literal(number))
    return await read_page(tx, RULE_VERSION, RULE_VERSIONS, request, source=_VERSIONS, where=[of_rule])


async def project_with_rules(tx: Read, actor: Actor, text: str) -> int:
    """The project that a path names, of an account that has the rules engine."""
    await need_feature(tx, actor.account_id, Feature.RULES_ENGINE)
    return await project_named(tx, actor, text)


async def rule_named(tx: Read, actor: Actor, friendly: str) -> tuple[int, int]:
    """The project and number of the rule that a path names, of an account that has the rules engine."""
    await need_feature(tx, actor.account_id, Feature.RULES_ENGINE)
    key = plain_key_named("rule", friendly)
    of_account = SQL("{} AND deleted_at IS NULL").format(of_key(actor, "project_id", "id"))
    await need(tx, "rules", of_account, (key.project, key.key))
    return key.project, key.key


# Make rules, change and remove them, try them, and undo what they corrected.


VERSIONED: Final = (
    "expression",
    "data_point",
    "event_type",
    "asset",
    "family",
    "window",
    "window_member_scope",
    "window_meters",
    "purpose",
    "severity",
    "correction",
    "tables",
    "priority",
    "requires_approval",
)
"""What decides a result: a change of any of it is another version."""

_VERSIONED_ON_WIRE: Final = frozenset({*VERSIONED, "event_type_id", "asset_id", "model_id"})
_EVALUATED: Final = ("evaluation", "effective_from", "effective_to")
"""What decides which records are evaluated; a change of it makes no version."""


async def insert_rule(tx: Write, actor: Actor, project: int, body: Struct) -> SavedRule:
    """Make a rule of a project; an automatic one is evaluated for all that it is effective for."""
    draft = await validate_rule(tx, actor, project, RULE_BODIES.created(body))
    await _check_name(tx, project, draft.name, 0)
    number: int = await tx.value(
        """
        INSERT INTO rules (project_id, name, message, evaluation, effective_from, effective_to,
                           latest_version)
        VALUES (%s, %s, %s, %s, %s, %s, 1) RETURNING id
        """,
        (
            project, draft.name, draft.message, draft.evaluation, draft.effective_from, draft.effective_to,
        ),
    )  # fmt: skip
    version = msgspec.structs.replace(draft, rule=number, version=1)
    await _add_version(tx, actor, version)
    made = await read_rule(tx, project, number)
    changes.record(tx, actor, action="rule.create", target=made.id, project_id=project, after=made)
    return await _build_saved_rule(tx, actor, made, version, is_affected=True)


async def remove_rule(tx: Write, actor: Actor, project: int, number: int) -> None:
    """Remove a rule with its alerts; values that it corrected stay corrected."""
    await tx.execute("SELECT FROM rules WHERE project_id = %s AND id = %s FOR UPDATE", (project, number))
    before = await read_rule(tx, project, number)
    await withdraw_all_proposals(tx, project, number)
    await tx.execute(
        "UPDATE rules SET deleted_at = now(), updated_at = now() WHERE project_id = %s AND id = %s",
        (project, number),
    )
    changes.record(tx, actor, action="rule.delete", target=before.id, project_id=project, before=before)


async def change_rule(tx: Write, actor: Actor, project: int, number: int, change: Struct) -> SavedRule:
    """Change a rule; what decides a result makes another version, and results stay with the one they have."""
    await tx.execute("SELECT FROM rules WHERE project_id = %s AND id = %s FOR UPDATE", (project, number))
    before = await newest_version(tx, project, number)
    shown = await read_rule(tx, project, number)
    changed = await _apply_change(tx, actor, before, shown, change)
    if changed.name != before.name:
        await _check_name(tx, project, changed.name, number)
    is_new = _differs(changed, before, VERSIONED)
    version = msgspec.structs.replace(changed, rule=number, version=before.version + is_new)
    if version == before:
        return await _build_saved_rule(tx, actor, shown, version, is_affected=False)
    if is_new:
        await withdraw_all_proposals(tx, project, number)
        await _add_version(tx, actor, version)
    await tx.execute(
        """
        UPDATE rules SET name = %s, message = %s, evaluation = %s, effective_from = %s, effective_to = %s,
                         latest_version = %s, updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (
            version.name, version.message, version.evaluation, version.effective_from, version.effective_to,
            version.version, project, number,
        ),
    )  # fmt: skip
    after = await read_rule(tx, project, number)
    changes.record(
        tx, actor, action="rule.update", target=after.id, project_id=project, before=shown, after=after
    )
    is_affected = is_new or _differs(version, before, _EVALUATED)
    return await _build_saved_rule(tx, actor, after, version, is_affected=is_affected)


async def _apply_change(
    tx: Write, actor: Actor, before: StoredVersion, shown: Rule, change: Struct
) -> StoredVersion:
    """The rule with the change. What decides a result is checked again only when it was sent."""
    whole = RULE_BODIES.changed(shown, change)
    if _VERSIONED_ON_WIRE.isdisjoint(RULE_BODIES.sent(change)):
        if problems := [*problems_of_frame(whole)]:
            raise Invalid(problems)
        until = whole.effective_to
        return msgspec.structs.replace(
            before,
            name=whole.name.strip(),
            message=(whole.message or "").strip() or None,
            evaluation=whole.evaluation,
            effective_from=Instant.of(whole.effective_from),
            effective_to=None if until is None else Instant.of(until),
        )
    return await validate_rule(tx, actor, before.project, whole)


def _differs(one: StoredVersion, other: StoredVersion, names: tuple[str, ...]) -> bool:
    return any(getattr(one, name) != getattr(other, name) for name in names)


async def _check_name(tx: Write, project: int, name: str, number: int) -> None:
    """Refuse a name that another rule has; one at a time, so that two cannot take it at once."""
    await tx.execute(*locks.hold(locks.rule_names(project)))
    if await tx.value(
        """
        SELECT true FROM rules WHERE project_id = %s AND name = %s AND id <> %s AND deleted_at IS NULL
        """,
        (project, name, number),
    ):
        raise Invalid([Problem(f"The project has a rule {name!r} already.", "name", "taken")])


async def _add_version(tx: Write, actor: Actor, version: StoredVersion) -> None:
    await tx.execute(
        """
        INSERT INTO rule_versions (project_id, rule_id, version, target, expression, data_point,
                                   event_type_id, asset_id, family_id, rule_window, window_member_scope,
                                   window_meters, purpose, severity, correction, tables, priority,
                                   requires_approval, user_id)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            version.project, version.rule, version.version, version.target, version.expression,
            version.data_point, version.event_type, version.asset, version.family, jsonb(version.window),
            version.window_member_scope, version.window_meters, version.purpose, version.severity,
            jsonb(version.correction), jsonb(version.tables), version.priority,
            version.requires_approval, actor.user_id,
        ),
    )  # fmt: skip


async def _build_saved_rule(
    tx: Write, actor: Actor, rule: Rule, version: StoredVersion, *, is_affected: bool
) -> SavedRule:
    """The answer to a change, with the evaluation that it queues when the rule is automatic."""
    run = None
    if is_affected and version.evaluation == "automatic":
        period = (version.effective_from, version.effective_to)
        _, run = await queue_run(tx, actor, version, RunKind.BACKFILL, period)
    fields: dict[str, Any] = msgspec.structs.asdict(rule)
    return SavedRule(**fields, backfill_enqueued=run is not None, rule_run_id=run)


# Paths of data rules.


_READ = "data_rules:read"
_WRITE = "data_rules:write"
_OF_PROJECT = "/projects/{project_id}/rules"
_ONE = "/rules/{rule_id}"


@get(_OF_PROJECT, permission=_READ, returns=Page[Rule], listing=RULES)
async def list_rules(call: ReadCall) -> Page[Rule]:
    """List a project's data rules, each as its newest version has it."""
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    request = list_request(call.query, RULES)
    here = SQL("u.project_id = {} AND {}").format(Literal(project), SQL(_NEWEST))
    return await read_page(call.tx, RULE, RULES, request, source=_VERSIONS, where=[here])


@post(
    _OF_PROJECT,
    permission=_WRITE,
    body=RULE_BODIES.new_body,
    returns=SavedRule,
    examples=EXAMPLES,
    computes=True,
)
async def create_rule(call: WriteCall, body: Struct) -> SavedRule:
    """Create a data rule: where its expression is true, there is an alert.

    With the purpose `adjust` it also puts what its `correction` comes to beside the captured value, or with
    `requires_approval` holds that as a proposal. It reads what was captured, or what people put in its place,
    and never what a rule has written.

    An automatic rule is evaluated at once for all that it is effective for, past records included, and from
    then on whenever data change; `rule_run_id` is the run that does it. A rule on demand is evaluated when
    `POST /rules/{rule_id}/rule_runs` asks for it.
    """
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    return await insert_rule(call.tx, call.actor, project, body)


@ask(
    _OF_PROJECT + "/preview",
    permission=_READ,
    body=RulePreviewBody,
    returns=RulePreview,
    of_one_snapshot=True,
)
async def preview_rule(call: ReadCall, body: RulePreviewBody) -> RulePreview:
    """Say what a rule would find and correct in a period, without storing anything.

    The rule need not be there yet. `data` has the first 100 alerts, in the order of time, each with the value
    that it would correct and what to; `alerts` counts all of them, `corrections` or `proposals` those that
    would be corrected.
    """
    project = await project_with_rules(call.tx, call.actor, call.path["project_id"])
    return await period_evaluation.preview_rule(call.tx, call.actor, project, body)


@get(_ONE, permission=_READ, returns=Rule)
async def get_rule(call: ReadCall) -> Rule:
    """Read one data rule, as its newest version has it."""
    project, number = await rule_named(call.tx, call.actor, call.path["rule_id"])
    return await read_rule(call.tx, project, number)


@patch(
    _ONE,
    permission=_WRITE,
    body=RULE_BODIES.change_body,
    returns=SavedRule,
    example={"rule": {"expression": "{{wet-mass}} > 30"}},
    computes=True,
)
async def update_rule(call: WriteCall, body: Struct) -> SavedRule:
    """Change a data rule; a change of what decides a result makes another version.

    Name, message, evaluation and the time for which it is effective make none. Results stay with the version
    that made them. `backfill_enqueued` says whether the change queued an evaluation; false for a rule on
    demand. Shortening the time stops the rule and keeps past alerts. Evaluating another version, or another
    time, replaces or withdraws what the rule corrected and does not say any more.
    """
    project, number = await rule_named(call.tx, call.actor, call.path["rule_id"])
    return await change_rule(call.tx, call.actor, project, number, body)


@delete(_ONE, permission=_WRITE)
async def delete_rule(call: WriteCall) -> None:
    """Remove a data rule with its alerts; values that it corrected stay corrected."""
    project, number = await rule_named(call.tx, call.actor, call.path["rule_id"])
    await remove_rule(call.tx, call.actor, project, number)


@post(
    _ONE + "/undo_corrections",
    permission=_WRITE,
    body=RuleRunsNoOptions,
    returns=UndoneCorrections,
    status=200,
)
async def undo_corrections(call: WriteCall, _: RuleRunsNoOptions) -> UndoneCorrections:
    """Revert every correction that a rule wrote; its alerts stay. The body may be left out.

    The same version of the rule does not write them again.
    """
    project, number = await rule_named(call.tx, call.actor, call.path["rule_id"])
    tx, actor = call.tx, call.actor
    await tx.execute(*locks.hold(locks.rule(project, number)))
    result = UndoneCorrections(*await undo_rule(tx, actor, project, number))
    await take_back_approvals(tx, project, number)
    if result.corrections:
        rule = identity.of("rule", project, number)
        changes.record(
            tx, actor, action="rule.undo_corrections", target=rule, project_id=project, after=result
        )
    return result


@get(_ONE + "/versions", permission=_READ, returns=Page[RuleVersion], listing=RULE_VERSIONS)
async def list_rule_versions(call: ReadCall) -> Page[RuleVersion]:
    """List the versions of a data rule, newest first."""
    project, number = await rule_named(call.tx, call.actor, call.path["rule_id"])
    request = list_request(call.query, RULE_VERSIONS)
    return await select_rule_versions(call.tx, project, number, request)


ROUTES = [
    list_rules,
    create_rule,
    preview_rule,
    get_rule,
    update_rule,
    delete_rule,
    undo_corrections,
    list_rule_versions,
]
