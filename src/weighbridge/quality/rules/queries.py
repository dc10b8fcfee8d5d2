"""Read rules and their versions as the interface shows them, and find the rule that a path names.

A rule that was removed is found nowhere.
"""

from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.collection.tenancy.project import project_named
from weighbridge.core.identity import ids
from weighbridge.core.identity.link import Link
from weighbridge.core.platform.feature_flag import Feature
from weighbridge.core.platform.permission import Actor
from weighbridge.core.rule import RuleTarget
from weighbridge.core.rule.correction import Purpose
from weighbridge.db.engine import Read
from weighbridge.db.listing import Filter, Listing, ListRequest, Page, among, read_key, read_page
from weighbridge.db.literal import Literal
from weighbridge.db.row import Column, Derived, row_of, unless_null
from weighbridge.platform.feature_flags.queries import need_feature
from weighbridge.platform.tenancy.scope import find, need, of_key, plain_key_named
from weighbridge.quality.rules.records import EVALUATIONS, Rule, RuleVersion
from weighbridge.quality.versions.stored_version import WINDOW_METERS

RULES: Final = Listing(
    sorts={"id": "u.id", "name": "u.name", "created_at": "u.created_at", "updated_at": "u.updated_at"},
    default_sort="id",
    key=("u.id",),
    filters={
        "name": Filter("u.name", str, "a name"),
        "target": Filter("v.target", among(RuleTarget), ", ".join(RuleTarget)),
        "evaluation": Filter("u.evaluation", among(EVALUATIONS), ", ".join(EVALUATIONS)),
        "purpose": Filter("v.purpose", among(Purpose), ", ".join(Purpose)),
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
    Column("event_type_id", ("u.project_id", "v.event_type_id"), unless_null(partial(ids.of, "event_type"))),
    Column("asset", "a.name"),
    Column("asset_id", ("u.project_id", "v.asset_id"), unless_null(partial(ids.of, "asset"))),
    Column("model", "m.name"),
    Column("model_id", "m.id", unless_null(partial(ids.of, "model", 0))),
    Column("window", "v.rule_window"),
    Column("window_member_scope", "v.window_member_scope"),
    Column("window_meters", WINDOW_METERS),
    Column("purpose", "v.purpose"),
    Column("correction", "v.correction"),
    Column("priority", "v.priority"),
    Column("requires_approval", "v.requires_approval"),
)
"""What decides a result, of whatever target."""

RULE: Final = row_of(
    Rule,
    Column("id", ("u.project_id", "u.id"), partial(ids.of, "rule")),
    Column("project_id", "u.project_id", partial(ids.of, "project")),
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


async def list_rules(tx: Read, project: int, request: ListRequest) -> Page[Rule]:
    """The rules of a project, each as its newest version has it."""
    here = SQL("u.project_id = {} AND {}").format(Literal(project), SQL(_NEWEST))
    return await read_page(tx, RULE, RULES, request, source=_VERSIONS, where=[here])


async def get_rule(tx: Read, project: int, number: int) -> Rule:
    """One rule, as its newest version has it."""
    of_project = SQL("{} AND u.project_id = %s AND u.id = %s").format(SQL(_NEWEST))
    return await find(tx, RULE, _VERSIONS, of_project, (project, number))


async def list_versions(tx: Read, project: int, number: int, request: ListRequest) -> Page[RuleVersion]:
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
