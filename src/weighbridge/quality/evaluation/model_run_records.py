"""The model runs that a rule evaluates: those behind batches, and those that were made by themselves.

Of the batches of a run only the newest is evaluated: it has what the run comes to. All runs of a model are
members of one another's windows.

Invariants: runs come in order of start, end, tracking id, feedstock and asset; deleted runs are neither
evaluated nor members.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from psycopg.sql import SQL, Composable, Identifier

from weighbridge.core.expression.tree import Name
from weighbridge.core.quantity.number import plain
from weighbridge.core.rule import MemberScope, Record, affected, reach
from weighbridge.core.time.instant import MILLISECOND, Instant, Interval
from weighbridge.db.literal import Literal
from weighbridge.platform.changes.newest_batch import IS_NEWEST
from weighbridge.quality.evaluation.event_records import RecordStream
from weighbridge.quality.evaluation.prepared_rule import PreparedRule
from weighbridge.quality.versions.period import Period

_RUNS: Final = SQL(
    """
    SELECT b.id AS key, b.start_time, b.end_time, b.created_at,
           b.id AS batch_id, NULL::bigint AS model_run_id, u.tracking_id, f.name AS feedstock, a.name AS asset
      FROM batches b
      JOIN runs u ON (u.project_id, u.id) = (b.project_id, b.run_id)
      LEFT JOIN feedstocks f ON (f.project_id, f.id) = (u.project_id, u.feedstock_id)
      LEFT JOIN assets a ON (a.project_id, a.id) = (u.project_id, u.asset_id)
     WHERE b.project_id = {project} AND u.family_id = {family} AND {newest}
    UNION ALL
    SELECT -m.id, m.start_time, m.end_time, m.created_at, NULL, m.id, NULL, NULL, NULL
      FROM model_runs m JOIN models v ON v.id = m.model_id
     WHERE m.project_id = {project} AND v.family_id = {family} AND m.deleted_at IS NULL
       AND m.state = 'complete'
    """
)
_VALUE: Final = SQL(
    """
    coalesce((SELECT c.value FROM batch_calculations c
               WHERE (c.project_id, c.batch_id, c.slug) = ({project}, r.batch_id, {slug})),
             (SELECT c.value FROM model_run_calculations c
               WHERE (c.project_id, c.model_run_id, c.slug) = ({project}, r.model_run_id, {slug})))
    """
)


def stream_of_runs(prepared: PreparedRule, period: Period) -> RecordStream:
    """What to read so that every run that starts in the period can be evaluated."""
    start, end = period
    project = Literal(prepared.version.project)
    first = reach(prepared.rule.window, start, prepared.zone)
    statement = SQL(
        """
        SELECT r.key, r.start_time, r.end_time, r.created_at, r.batch_id, r.model_run_id{values}
          FROM ({runs}) r WHERE {times}
         ORDER BY r.start_time, r.end_time, r.tracking_id COLLATE "C", r.feedstock COLLATE "C",
                  r.asset COLLATE "C", r.key
        """
    ).format(
        values=SQL("").join(
            SQL(", {}").format(_value(prepared, name, project)) for name in prepared.program.names
        ),
        runs=_RUNS.format(project=project, family=Literal(prepared.version.family), newest=SQL(IS_NEWEST)),
        times=_times("r", None if first is None else Instant.of(first), end),
    )
    return RecordStream(statement, _record_maker(prepared, start))


def widened_runs(prepared: PreparedRule, changed: Interval) -> Period:
    """Where the runs start whose result may have changed with runs that start in a closed interval."""
    reached = affected(prepared.rule.window, changed, prepared.zone)
    if reached is None:
        return Instant.of(changed.start), None
    return Instant.of(reached.start), Instant.of(reached.end + MILLISECOND)


def covered_runs(period: Period) -> Composable:
    """The condition that a result `o` is about a run that starts in the period."""
    return SQL(
        """
        (EXISTS (SELECT FROM batches b
                  WHERE (b.project_id, b.id) = (o.project_id, o.batch_id) AND {of_batch})
         OR EXISTS (SELECT FROM model_runs m
                     WHERE (m.project_id, m.id) = (o.project_id, o.model_run_id) AND {of_run}))
        """
    ).format(of_batch=_times("b", *period), of_run=_times("m", *period))


def nodes_of(prepared: PreparedRule) -> list[str]:
    """The nodes that a rule reads."""
    return [_slug(name) for name in prepared.rule.own if not prepared.rule.is_tag(name)]


def _record_maker(prepared: PreparedRule, start: Instant) -> Callable[[Sequence[Any]], Record]:
    is_alone = prepared.rule.scope is MemberScope.EVENT
    first = next(
        (index for index, name in enumerate(prepared.program.names) if not prepared.rule.is_tag(name)), None
    )

    def record(row: Sequence[Any]) -> Record:
        key, begin, end, created, batch, run, *values = row
        checked = None if first is None or values[first] is None else plain(values[first])
        return Record(
            key, begin, end, created, key if is_alone else 0, None, begin >= start, tuple(values),
            (batch, run, checked),
        )  # fmt: skip

    return record


def _value(prepared: PreparedRule, name: Name, project: Composable) -> Composable:
    if prepared.rule.is_tag(name):
        return Identifier("r", name.text)
    return _VALUE.format(project=project, slug=Literal(_slug(name)))


def _slug(name: Name) -> str:
    """The slug of a node, which has underscores."""
    return name.path[-1].replace("-", "_")


def _times(alias: str, start: Instant | None, end: Instant | None) -> Composable:
    """The condition that a run starts between two moments; without one, there is no bound on that side."""
    column = Identifier(alias, "start_time")
    bounds: list[Composable] = [SQL("true")]
    if start is not None:
        bounds.append(SQL("{} >= {}").format(column, Literal(start)))
    if end is not None:
        bounds.append(SQL("{} < {}").format(column, Literal(end)))
    return SQL(" AND ").join(bounds)
