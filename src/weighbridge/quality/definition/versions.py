"""Read the stored versions of rules, and determine the period over which a version is evaluated.

Only the newest version of a rule is evaluated; older ones keep their results.

Invariants: a deleted rule has no stored version. A requested period ends after it starts, and no period
begins before the year 1.
"""

from datetime import datetime
from typing import Any, Final

import msgspec

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.rule import MemberScope, RuleTarget, WindowMeters, choose_default_meters
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.db.row import Column, row_of
from weighbridge.errors import Invalid, NotFound

# A stored version is a version of a rule as it is evaluated: its texts, and the times it is effective for.
#
# Only the newest version of a rule is evaluated; older ones keep the results that they made.
#
# Invariants: a rule that was removed has no stored version; reading one changes nothing.


class StoredVersion(msgspec.Struct, frozen=True):
    """A version of a rule with what it takes to evaluate it."""

    project: int
    rule: int
    version: int
    name: str
    target: str
    expression: str
    data_point: str | None
    event_type: int | None
    asset: int | None
    family: int | None
    window: dict[str, Any] | None
    window_member_scope: str
    window_meters: str
    purpose: str
    correction: dict[str, Any] | None
    priority: int
    requires_approval: bool
    message: str | None
    evaluation: str
    effective_from: Instant
    effective_to: Instant | None


_OF_ALL: Final = ", ".join(
    f"('{target}', '{scope}')"
    for target in RuleTarget
    for scope in MemberScope
    if choose_default_meters(target, scope) is WindowMeters.ALL
)
WINDOW_METERS: Final = f"""coalesce(
    v.window_meters, CASE WHEN (v.target, v.window_member_scope) IN ({_OF_ALL})
                          THEN '{WindowMeters.ALL}' ELSE '{WindowMeters.OWN}' END)"""
"""The meters of a version's window; those that 1.0.0 stored do not say which, and have the usual ones."""

STORED_VERSION: Final = row_of(
    StoredVersion,
    Column("project", "u.project_id"),
    Column("rule", "u.id"),
    Column("version", "v.version"),
    Column("name", "u.name"),
    Column("target", "v.target"),
    Column("expression", "v.expression"),
    Column("data_point", "v.data_point"),
    Column("event_type", "v.event_type_id"),
    Column("asset", "v.asset_id"),
    Column("family", "v.family_id"),
    Column("window", "v.rule_window"),
    Column("window_member_scope", "v.window_member_scope"),
    Column("window_meters", WINDOW_METERS),
    Column("purpose", "v.purpose"),
    Column("correction", "v.correction"),
    Column("priority", "v.priority"),
    Column("requires_approval", "v.requires_approval"),
    Column("message", "u.message"),
    Column("evaluation", "u.evaluation"),
    Column("effective_from", "u.effective_from"),
    Column("effective_to", "u.effective_to"),
)
_STORED: Final = f"""
    SELECT {STORED_VERSION.columns}
      FROM rules u JOIN rule_versions v ON (v.project_id, v.rule_id) = (u.project_id, u.id)
"""
_NEWEST: Final = "u.deleted_at IS NULL AND v.version = u.latest_version"


async def newest_version(tx: Read, project: int, rule: int) -> StoredVersion:
    """The newest version of a rule, with what it takes to evaluate it."""
    version = await tx.row(
        STORED_VERSION.make, f"{_STORED} WHERE {_NEWEST} AND u.project_id = %s AND u.id = %s", (project, rule)
    )
    if version is None:
        raise NotFound
    return version


async def automatic_versions(tx: Read, project: int, rule: int | None = None) -> list[StoredVersion]:
    """The newest versions of a project's rules that are evaluated whenever data change; or of one of them."""
    return await tx.rows(
        STORED_VERSION.make,
        f"""
        {_STORED} WHERE {_NEWEST} AND u.project_id = %(project)s AND u.evaluation = 'automatic'
           AND (%(rule)s::integer IS NULL OR u.id = %(rule)s) ORDER BY u.id
        """,
        {"project": project, "rule": rule},
    )


async def author_of(tx: Read, version: StoredVersion, run: int) -> Actor:
    """Who saved a version and answers for what a run of it corrects, when nobody asked for the run."""
    [(account, user)] = await tx.tuples(
        """
        SELECT u.account_id, u.id FROM rule_versions v JOIN users u ON u.id = v.user_id
         WHERE v.project_id = %s AND v.rule_id = %s AND v.version = %s
        """,
        (version.project, version.rule, version.version),
    )
    return Actor(account, user, None, frozenset(), f"rule_run_{run}")


# A period says over which records a rule is evaluated: those that start in it.
#
# It comes from a request, from the data that changed, or from the time for which a version is effective.
#
# Invariants: a period of a request has an end behind its start; none begins before the year 1.


Period = tuple[Instant, Instant | None]
"""From its start on and before its end; None has no end."""

EARLIEST: Final = Instant.of(Instant.fromisoformat("0001-01-01T00:00:00+00:00"))
"""No record starts before it."""


def requested_period(start_time: datetime, end_time: datetime) -> tuple[Instant, Instant]:
    """Start and end of a period; raise Invalid when the end is not behind the start."""
    start, end = Instant.of(start_time), Instant.of(end_time)
    if end <= start:
        message = f"end_time is {end.text}, which is not behind start_time."
        raise Invalid([Problem(message, "end_time", "invalid")])
    return start, end


def effective_period(version: StoredVersion, start: Instant | None, end: Instant | None) -> Period | None:
    """The part of a period in which the rule is effective; None when there is none."""
    first = version.effective_from if start is None else max(start, version.effective_from)
    ends = [moment for moment in (end, version.effective_to) if moment is not None]
    last = min(ends, default=None)
    return None if last is not None and last <= first else (first, last)
