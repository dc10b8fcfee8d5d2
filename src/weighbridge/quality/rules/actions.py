"""Make rules, change and remove them, try them, and undo what they corrected."""

from typing import Any, Final

import msgspec
from msgspec import UNSET

from weighbridge.collection.measurements.corrections import undo_rule
from weighbridge.core.identity import ids
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.rule.run import RunKind
from weighbridge.core.time.instant import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Write
from weighbridge.db.json import jsonb
from weighbridge.errors import Invalid
from weighbridge.platform import changes
from weighbridge.quality.correction.proposals import take_back_approvals, withdraw_all_proposals
from weighbridge.quality.definition.validation import problems_of_frame, validated
from weighbridge.quality.evaluation.queue import queue_run
from weighbridge.quality.rules import queries
from weighbridge.quality.rules.records import NewRule, Rule, RuleChange, SavedRule, UndoneCorrections
from weighbridge.quality.versions.stored_version import StoredVersion, newest_version

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
    "correction",
    "priority",
    "requires_approval",
)
"""What decides a result: a change of any of it is another version."""

_VERSIONED_ON_WIRE: Final = frozenset({*VERSIONED, "event_type_id", "asset_id", "model_id"})
_EVALUATED: Final = ("evaluation", "effective_from", "effective_to")
"""What decides which records are evaluated; a change of it makes no version."""


async def create_rule(tx: Write, actor: Actor, project: int, request: NewRule) -> SavedRule:
    """Make a rule and, when it is automatic, queue the evaluation of all that it is effective for."""
    draft = await validated(tx, actor, project, request)
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
    made = await queries.get_rule(tx, project, number)
    changes.record(tx, actor, action="rule.create", target=made.id, project_id=project, after=made)
    return await _saved(tx, actor, made, version, is_affected=True)


async def update_rule(tx: Write, actor: Actor, project: int, number: int, request: RuleChange) -> SavedRule:
    """Change a rule; what decides a result makes another version, and results stay with the one they have."""
    await tx.execute("SELECT FROM rules WHERE project_id = %s AND id = %s FOR UPDATE", (project, number))
    before = await newest_version(tx, project, number)
    shown = await queries.get_rule(tx, project, number)
    changed = await _changed(tx, actor, before, shown, request)
    if changed.name != before.name:
        await _check_name(tx, project, changed.name, number)
    is_new = _differs(changed, before, VERSIONED)
    version = msgspec.structs.replace(changed, rule=number, version=before.version + is_new)
    if version == before:
        return await _saved(tx, actor, shown, version, is_affected=False)
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
    after = await queries.get_rule(tx, project, number)
    changes.record(
        tx, actor, action="rule.update", target=after.id, project_id=project, before=shown, after=after
    )
    is_affected = is_new or _differs(version, before, _EVALUATED)
    return await _saved(tx, actor, after, version, is_affected=is_affected)


async def delete_rule(tx: Write, actor: Actor, project: int, number: int) -> None:
    """Remove a rule; its alerts and proposals go with it, and what it corrected stays."""
    await tx.execute("SELECT FROM rules WHERE project_id = %s AND id = %s FOR UPDATE", (project, number))
    before = await queries.get_rule(tx, project, number)
    await withdraw_all_proposals(tx, project, number)
    await tx.execute(
        "UPDATE rules SET deleted_at = now(), updated_at = now() WHERE project_id = %s AND id = %s",
        (project, number),
    )
    changes.record(tx, actor, action="rule.delete", target=before.id, project_id=project, before=before)


async def undo_corrections(tx: Write, actor: Actor, project: int, number: int) -> UndoneCorrections:
    """Revert every correction of a rule that stands, of every version; the rule and its alerts stay."""
    await tx.execute(*locks.hold(locks.rule(project, number)))
    result = UndoneCorrections(*await undo_rule(tx, actor, project, number))
    await take_back_approvals(tx, project, number)
    if result.corrections:
        rule = ids.of("rule", project, number)
        changes.record(
            tx, actor, action="rule.undo_corrections", target=rule, project_id=project, after=result
        )
    return result


async def _changed(
    tx: Write, actor: Actor, before: StoredVersion, shown: Rule, request: RuleChange
) -> StoredVersion:
    """The rule with the change. What decides a result is checked again only when it was sent."""
    sent = {name: value for name, value in msgspec.structs.asdict(request).items() if value is not UNSET}
    whole = NewRule(**({name: getattr(shown, name) for name in NewRule.__struct_fields__} | sent))
    if _VERSIONED_ON_WIRE.isdisjoint(sent):
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
    return await validated(tx, actor, before.project, whole)


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
                                   window_meters, purpose, correction, priority, requires_approval, user_id)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            version.project, version.rule, version.version, version.target, version.expression,
            version.data_point, version.event_type, version.asset, version.family, jsonb(version.window),
            version.window_member_scope, version.window_meters, version.purpose, jsonb(version.correction),
            version.priority, version.requires_approval, actor.user_id,
        ),
    )  # fmt: skip


async def _saved(
    tx: Write, actor: Actor, rule: Rule, version: StoredVersion, *, is_affected: bool
) -> SavedRule:
    """The answer to a change, with the evaluation that it queues when the rule is automatic."""
    run = None
    if is_affected and version.evaluation == "automatic":
        period = (version.effective_from, version.effective_to)
        _, run = await queue_run(tx, actor, version, RunKind.BACKFILL, period)
    fields: dict[str, Any] = msgspec.structs.asdict(rule)
    return SavedRule(**fields, backfill_enqueued=run is not None, rule_run_id=run)
