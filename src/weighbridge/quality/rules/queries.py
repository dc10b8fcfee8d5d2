"""Read rules and their versions as the interface shows them, and find the rule that a path names.

A rule that was removed is found nowhere.
"""

from typing import Any, Final

from psycopg.sql import SQL

from weighbridge.collection.projects.queries import project_named
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule import RuleTarget
from weighbridge.core.rule.correction import Purpose
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, Page, Wanted, among, page_of
from weighbridge.db.literal import Literal
from weighbridge.errors import NotFound
from weighbridge.platform.feature_flags.queries import need_feature
from weighbridge.quality.rules.records import EVALUATIONS, Rule, RuleVersion


def _event_type_number(text: str) -> int:
    key = ids.parse("event_type", text)
    if key is None:
        raise ValueError(text)
    return key.key


RULES: Final = Listing(
    sorts={"id": "u.id", "name": "u.name", "created_at": "u.created_at", "updated_at": "u.updated_at"},
    default_sort="id",
    key=("u.id",),
    filters={
        "name": Filter("u.name", str, "a name"),
        "target": Filter("v.target", among(RuleTarget), ", ".join(RuleTarget)),
        "evaluation": Filter("u.evaluation", among(EVALUATIONS), ", ".join(EVALUATIONS)),
        "purpose": Filter("v.purpose", among(Purpose), ", ".join(Purpose)),
        "event_type_id": Filter("v.event_type_id", _event_type_number, "an id et_…"),
    },
)

RULE_VERSIONS: Final = Listing(
    sorts={"version": "v.version", "created_at": "v.created_at"}, default_sort="-version", key=("v.version",)
)

_VERSIONS: Final = """
    rules u
    JOIN rule_versions v ON (v.project_id, v.rule_id) = (u.project_id, u.id)
    LEFT JOIN event_types t ON (t.project_id, t.id) = (v.project_id, v.event_type_id)
    LEFT JOIN model_families f ON f.id = v.family_id
    LEFT JOIN models m ON m.id = f.active_model_id
"""
_NEWEST: Final = "u.deleted_at IS NULL AND v.version = u.latest_version"
_COLUMNS: Final = """
    u.project_id, u.id, u.name, v.version,
    CASE WHEN now() < u.effective_from THEN 'scheduled' WHEN now() >= u.effective_to THEN 'ended'
         ELSE 'active' END AS status,
    v.target, v.expression, v.data_point, t.slug, v.event_type_id, m.name AS model, m.id AS model_number,
    u.message, u.evaluation, v.rule_window, v.window_member_scope, v.purpose, v.correction, v.priority,
    v.requires_approval,
    (SELECT count(*) FROM data_point_results r
      WHERE r.project_id = u.project_id AND r.rule_id = u.id AND r.approval_state = 'pending') AS pending,
    u.effective_from, u.effective_to, u.created_at, u.updated_at
"""
_VERSION_COLUMNS: Final = """
    v.project_id, v.version, v.expression, v.data_point, t.slug, v.event_type_id, m.name AS model,
    m.id AS model_number, v.rule_window, v.window_member_scope, v.purpose, v.correction, v.priority,
    v.requires_approval, v.created_at
"""


async def list_rules(tx: Read, project: int, query: Wanted) -> Page[Rule]:
    """The rules of a project, each as its newest version has it."""
    here = SQL("u.project_id = {} AND {}").format(Literal(project), SQL(_NEWEST))
    return await page_of(tx, _rule, RULES, query, columns=_COLUMNS, source=_VERSIONS, where=[here])


async def get_rule(tx: Read, project: int, number: int) -> Rule:
    """One rule, as its newest version has it."""
    rule = await tx.row(
        _rule,
        f"SELECT {_COLUMNS} FROM {_VERSIONS} WHERE {_NEWEST} AND u.project_id = %s AND u.id = %s",
        (project, number),
    )
    if rule is None:
        raise NotFound
    return rule


async def list_versions(tx: Read, project: int, number: int, query: Wanted) -> Page[RuleVersion]:
    """Every version of a rule, newest first."""
    of_rule = SQL("u.project_id = {} AND u.id = {}").format(Literal(project), Literal(number))
    return await page_of(
        tx, _version, RULE_VERSIONS, query,
        columns=_VERSION_COLUMNS, source=_VERSIONS, where=[of_rule],
    )  # fmt: skip


async def project_with_rules(tx: Read, actor: Actor, text: str) -> int:
    """The project that a path names, of an account that has the rules engine."""
    await need_feature(tx, actor.account_id, Feature.RULES_ENGINE)
    return await project_named(tx, actor, text)


async def rule_named(tx: Read, actor: Actor, friendly: str) -> tuple[int, int]:
    """The project and number of the rule that a path names, of an account that has the rules engine."""
    await need_feature(tx, actor.account_id, Feature.RULES_ENGINE)
    key = ids.parse("rule", friendly)
    if key is None or key != ids.Key(key.project, key.key):
        raise NotFound
    is_there = await tx.value(
        """
        SELECT true FROM rules
         WHERE project_id = (SELECT id FROM projects WHERE id = %s AND account_id = %s) AND id = %s
           AND deleted_at IS NULL
        """,
        (key.project, actor.account_id, key.key),
    )
    if is_there is None:
        raise NotFound
    return key.project, key.key


def _rule(
    project: int, number: int, name: str, version: int, status: str, target: str, expression: str,
    data_point: str | None, event_type: str | None, event_type_number: int | None, model: str | None,
    model_number: int | None, message: str | None, evaluation: str, window: dict[str, Any] | None,
    scope: str, purpose: str, correction: dict[str, Any] | None, priority: int,
    requires_approval: bool, pending: int,  # noqa: FBT001 - a row by position
    effective_from: Instant, effective_to: Instant | None, created: Instant, updated: Instant,
) -> Rule:  # fmt: skip
    friendly = ids.of("rule", project, number)
    return Rule(
        id=friendly,
        project_id=ids.of("project", project),
        name=name,
        version=version,
        status=status,
        target=target,
        expression=expression,
        data_point=data_point,
        event_type=event_type,
        event_type_id=None if event_type_number is None else ids.of("event_type", project, event_type_number),
        model=model,
        model_id=None if model_number is None else ids.of("model", 0, model_number),
        message=message,
        evaluation=evaluation,
        window=window,
        window_member_scope=scope,
        purpose=purpose,
        correction=correction,
        priority=priority,
        requires_approval=requires_approval,
        pending_count=pending,
        effective_from=effective_from,
        effective_to=effective_to,
        created_at=created,
        updated_at=updated,
        ui_url=Link(f"/projects/{ids.of('project', project)}/rules/{friendly}"),
    )


def _version(
    project: int, version: int, expression: str, data_point: str | None, event_type: str | None,
    event_type_number: int | None, model: str | None, model_number: int | None,
    window: dict[str, Any] | None, scope: str, purpose: str, correction: dict[str, Any] | None,
    priority: int, requires_approval: bool, created: Instant,  # noqa: FBT001 - a row by position
) -> RuleVersion:  # fmt: skip
    return RuleVersion(
        version,
        expression,
        data_point,
        event_type,
        None if event_type_number is None else ids.of("event_type", project, event_type_number),
        model,
        None if model_number is None else ids.of("model", 0, model_number),
        window,
        scope,
        purpose,
        correction,
        priority,
        requires_approval,
        created,
    )
