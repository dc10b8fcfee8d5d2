"""Outdated rules: those whose stored results are not what an evaluation would find now, of the same data.

A version of the service may find something else by the same rule. What it would store is found out by storing
it, in a transaction that is undone.

Invariants: nothing stays of it; a rule is looked at where it has been evaluated, and nowhere else.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from weighbridge.core.identity import ids
from weighbridge.core.rule.run import RunCounts, RunKind, RunState
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Database
from weighbridge.errors import Invalid
from weighbridge.quality.evaluation.over_period import evaluate, hold_rule
from weighbridge.quality.evaluation.prepared_rule import prepared_rule
from weighbridge.quality.versions.period import EARLIEST, Period
from weighbridge.quality.versions.stored_version import author_of, newest_version


@dataclass(frozen=True, slots=True)
class OutdatedRule:
    """A rule of which an evaluation would change something."""

    rule_id: str
    project_id: str
    name: str
    version: int
    evaluation: str
    evaluated_from: Instant | None
    """The start of the time that it has been evaluated for; None without a bound."""
    evaluated_until: Instant | None
    alerts: int
    """How many alerts it would have in that time."""
    changes: int
    """How many results, corrections and proposals would not be what they are."""


@dataclass(frozen=True, slots=True)
class _Evaluated:
    """A rule, and the time that its newest version was evaluated for; None without a bound."""

    project: int
    rule: int
    start: datetime | None
    end: datetime | None

    @property
    def period(self) -> Period:
        """That time as an evaluation takes it."""
        start, end = self.start, self.end
        return EARLIEST if start is None else Instant.of(start), None if end is None else Instant.of(end)


async def outdated_rules(database: Database) -> AsyncIterator[OutdatedRule]:
    """The rules that look at more than single records, and of which an evaluation would change something."""
    async with database.read() as tx:
        evaluated = [_Evaluated(*row) for row in await tx.tuples(_EVALUATED)]
    for one in evaluated:
        if (found := await _outdated(database, one)) is not None:
            yield found


async def _outdated(database: Database, one: _Evaluated) -> OutdatedRule | None:
    """What an evaluation of a rule would change; None for nothing."""
    async with database.trial() as tx:
        await hold_rule(tx, one.project, one.rule)
        version = await newest_version(tx, one.project, one.rule)
        try:
            prepared = await prepared_rule(tx, version)
        except Invalid:  # it does not fit its data any more, so it finds nothing
            return None
        if prepared.gaps is None and prepared.rule.is_about_itself:
            return None
        run: int = await tx.value(
            _BEGIN_RUN, (one.project, one.rule, version.version, RunKind.RE_EVALUATION, RunState.RUNNING)
        )
        actor = await author_of(tx, version, run)
        counts: RunCounts = await evaluate(tx, actor, prepared, one.period, run)
        if not counts.changed:
            return None
        return OutdatedRule(
            ids.of("rule", one.project, one.rule),
            ids.of("project", one.project),
            version.name,
            version.version,
            version.evaluation,
            None if one.start is None else Instant.of(one.start),
            None if one.end is None else Instant.of(one.end),
            counts.alerts,
            counts.changed,
        )


# An automatic rule follows its data, whatever its runs were asked for.
_EVALUATED: Final = """
    SELECT u.project_id, u.id,
           CASE WHEN u.evaluation = 'on_demand' AND count(r.start_time) = count(*) THEN min(r.start_time) END,
           CASE WHEN u.evaluation = 'on_demand' AND count(r.end_time) = count(*) THEN max(r.end_time) END
      FROM rules u
      JOIN rule_runs r ON (r.project_id, r.rule_id, r.rule_version)
                        = (u.project_id, u.id, u.latest_version) AND r.state = 'complete'
     WHERE u.deleted_at IS NULL
     GROUP BY u.project_id, u.id ORDER BY u.project_id, u.id
"""
_BEGIN_RUN: Final = """
    INSERT INTO rule_runs (project_id, rule_id, rule_version, kind, state, started_at)
    VALUES (%s, %s, %s, %s, %s, clock_timestamp()) RETURNING id
"""
