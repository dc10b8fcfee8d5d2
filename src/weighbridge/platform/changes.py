"""What a write leaves behind: one call, `changes.record`, that no writing action does without.

A write says who did what to which object, with the record before and after. By the action's name it also says
what it changed, as values that are called traces: events, values of events, a static input, a model run,
batches. From these follow the row of the audit log, the marks by which automatic rules find what they have
not looked at, and the staleness of batches (`staleness.py`), all in the write's own transaction.

    inputs = staleness.announce(tx, project)              before values change that batches were made of
    held = await staleness.hold_off_generations(tx, project)   before asking what generations may not outrun
    ... the write itself ...
    changes.record(tx, actor, changes.StoredEvents([number]), action="event.void", target=..., before=...)

What comes before the write gives a value that `record`, or a trace that goes into it, asks for afterwards.
Machinery that writes in portions leaves traces by `changes.leave`; the action that it works for records.
`AUDIT_ROW_OF_EVENT` and `MARK_OF_EVENT` do the same within the one statement that stores a single event.

Events are marked by the period in which they start, one mark for each event type that a write touches. By
the same call readings are marked that are not rolled up yet. What is left travels with the next statement or
the commit, and costs no round trip. Quality and accounting read and clear the marks.

Invariants: `record` rejects an action that is not in the table `OBLIGATIONS`, and one that lacks a trace that
it owes, so a writer cannot forget anything. A change that no mark tells of was committed before any automatic
rule of its project could miss it: a writer holds a lock, shared with all writers, from before it looks for
rules until it commits, and the first evaluation of a rule waits until it had that lock for itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, LiteralString, NamedTuple, Protocol, Self

from weighbridge.core.platform.permission import Actor
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Command, Write
from weighbridge.db.statements import jsonb
from weighbridge.platform.staleness import (
    AddedStaticInput,
    CalibratedStretch,
    ChangedValues,
    GenerationsHeldOff,
    RestatedTypes,
    ServiceBounds,
    list_stretch_columns,
    mark_calibrated_runs,
    mark_metered_runs,
)

# A trace: something that a write changed, from which follows what it leaves behind beside its audit row.
#
# Invariants: what it leaves is one or more statements whose answers nobody needs, so it costs no round
# trip.


class Trace(Protocol):
    """One kind of things that writes change."""

    def statements(self, project: int) -> Iterator[Command]:
        """What to run in the write's transaction, in this order."""
        ...


# Marks: what automatic rules have not looked at yet.


_MARK_EVENTS: Final[LiteralString] = "mark_events({})::text"
"""The call that leaves events to the automatic rules of their project, if it has any: its number, and arrays
of event types, first and last starts. Its result is empty; as one of type void a cluster would not take it
out of a statement of several parts."""


class Mark(NamedTuple):
    """Events of a type that start from one moment to another, both included."""

    event_type: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True)
class NewEvents:
    """Events that were stored just now, as their types and the times at which they start."""

    marks: tuple[Mark, ...]

    @classmethod
    def of(cls, events: Iterable[tuple[int, datetime]]) -> Self:
        """Events, each given by its type and start: one mark for each type."""
        starts: dict[int, list[datetime]] = {}
        for event_type, start in events:
            starts.setdefault(event_type, []).append(start)
        return cls(
            tuple(
                Mark(event_type, Instant.of(min(times)), Instant.of(max(times)))
                for event_type, times in starts.items()
            )
        )

    def statements(self, project: int) -> Iterator[Command]:
        """Leave the events to the automatic rules."""
        if self.marks:
            types, first, last = zip(*self.marks, strict=True)
            yield _MARK_NEW_EVENTS, (project, [*types], [*first], [*last])


@dataclass(frozen=True, slots=True)
class StoredEvents:
    """Events that were there before, where they stand now.

    An event whose time changes is left behind twice: before the change, and after it.
    """

    numbers: Sequence[int]

    def statements(self, project: int) -> Iterator[Command]:
        """Leave the events to the automatic rules."""
        if self.numbers:
            yield _MARK_STORED_EVENTS, (project, [*self.numbers])


@dataclass(frozen=True, slots=True)
class ChangedOutages:
    """Stretches of time for which something else is expected of meters, by the number of an event type.

    Without an event type all are meant, without an end all that comes behind. Slots are expected as a whole,
    so a stretch reaches back over the slot in which it begins.
    """

    stretches: Sequence[tuple[int | None, datetime, datetime | None]]

    def statements(self, project: int) -> Iterator[Command]:
        """Leave the events of those times to the automatic rules that fill gaps or count missed slots."""
        kinds, starts, ends = zip(*self.stretches, strict=True)
        yield locks.share_rule_marks(project)
        values = {"project": project, "kinds": [*kinds], "starts": [*starts], "ends": [*ends]}
        yield _MARK_OUTAGES, values


@dataclass(frozen=True, slots=True)
class ChangedService:
    """A meter that says otherwise when it was in service: an asset, or a location of events without one."""

    held: GenerationsHeldOff
    noun: str
    number: int
    before: ServiceBounds
    after: ServiceBounds

    def statements(self, project: int) -> Iterator[Command]:
        """Mark the batches that used data of the meter, and leave its events to rules that fill gaps."""
        yield mark_metered_runs(project, self.noun, self.number, self.before, self.after)
        # What fills gaps looks at the slots of the whole series.
        yield from ChangedOutages([(None, _LONG_AGO, None)]).statements(project)


@dataclass(frozen=True, slots=True)
class ChangedCalibration:
    """A calibration that was added, changed or removed, with what it was about and what it is about now."""

    held: GenerationsHeldOff
    record: str
    stretches: Sequence[CalibratedStretch]
    is_known_otherwise: bool = True
    """Whether readings are better or worse known than before; if not, only rules look at them again."""

    def statements(self, project: int) -> Iterator[Command]:
        """Mark the batches that used its readings, and leave these to rules that ask for calibrations."""
        if self.is_known_otherwise:
            yield mark_calibrated_runs(project, self.record, self.stretches)
        yield locks.share_rule_marks(project)
        yield _MARK_CALIBRATED_EVENTS, {"project": project, **list_stretch_columns(self.stretches)}


@dataclass(frozen=True, slots=True)
class ChangedBatches:
    """Batches that were made or deleted."""

    numbers: Sequence[int]

    def statements(self, project: int) -> Iterator[Command]:
        """Leave the runs behind the batches to the automatic rules."""
        # Without asking for rules: a generation reads a snapshot that is older than its commit.
        if self.numbers:
            yield _MARK_BATCHES, (project, [*self.numbers])


@dataclass(frozen=True, slots=True)
class ChangedModelRun:
    """A model run that was made by itself, or deleted."""

    number: int

    def statements(self, project: int) -> Iterator[Command]:
        """Leave the run to the automatic rules."""
        yield _MARK_MODEL_RUN, (project, self.number)


_LONG_AGO: Final = datetime(1, 1, 1, tzinfo=UTC)

_MARK_NEW_EVENTS: Final = f"SELECT {_MARK_EVENTS}".format(
    "%s, %s::integer[], %s::timestamptz[], %s::timestamptz[]"
)
_MARK_STORED_EVENTS: Final = """
    SELECT mark_events(changed.project_id, array_agg(changed.event_type_id), array_agg(changed.first),
                       array_agg(changed.last))
      FROM (SELECT e.project_id, e.event_type_id, min(e.start_time) AS first, max(e.start_time) AS last
              FROM events e
             WHERE e.project_id = %s AND e.id = ANY (%s)
             GROUP BY e.project_id, e.event_type_id) AS changed
     GROUP BY changed.project_id
"""
_MARK_OUTAGES: Final = """
    WITH made AS MATERIALIZED (
        SELECT t.project_id, t.id,
               greatest('0001-01-01 00:00Z', outage.start_time - t.cadence_amount * CASE t.cadence_unit
                   WHEN 'minute' THEN interval '1 minute' WHEN 'hour' THEN interval '1 hour'
                   WHEN 'day' THEN interval '2 days' WHEN 'week' THEN interval '8 days'
                   ELSE interval '32 days' END) AS first,
               coalesce(outage.end_time, greatest(outage.start_time, (SELECT max(e.start_time) FROM events e
                  WHERE (e.project_id, e.event_type_id) = (t.project_id, t.id)))) AS last
          FROM event_types t
          JOIN unnest(%(kinds)s::integer[], %(starts)s::timestamptz[], %(ends)s::timestamptz[])
               AS outage (event_type_id, start_time, end_time) ON t.id = coalesce(outage.event_type_id, t.id)
         WHERE t.project_id = %(project)s AND t.cadence_unit IS NOT NULL
           AND EXISTS (SELECT FROM rules u
                         JOIN rule_versions v
                           ON (v.project_id, v.rule_id, v.version) = (u.project_id, u.id, u.latest_version)
                        WHERE u.project_id = t.project_id AND u.evaluation = 'automatic'
                          AND u.deleted_at IS NULL AND (v.purpose IN ('substitute', 'impute')
                               OR concat(v.expression, v.correction) ~~* '%%missed_slots%%')))
    INSERT INTO rule_dirty_ranges (project_id, event_type_id, start_time, end_time)
    SELECT * FROM made
"""
# A calibration is the latest of its meter until the next one begins, so long do rules look at it. Its drift
# is from the one before, and the next one's is from it: rules that ask for drift look from the one before to
# the one after the next.
_MARK_CALIBRATED_EVENTS: Final = """
    WITH made AS MATERIALIZED (
        SELECT DISTINCT t.project_id, t.event_type_id,
               coalesce((SELECT max(c.valid_from) FROM calibrations c
                          WHERE (c.project_id, c.data_point_type_id) = (t.project_id, t.id)
                            AND c.asset_id IS NOT DISTINCT FROM stretch.asset_id
                            AND c.valid_from < stretch.start_time AND asked.drift),
                        stretch.start_time) AS first,
               coalesce((SELECT (array_agg(c.valid_from ORDER BY c.valid_from))[1 + asked.drift::integer]
                                - interval '1 millisecond'
                           FROM calibrations c
                          WHERE (c.project_id, c.data_point_type_id) = (t.project_id, t.id)
                            AND c.asset_id IS NOT DISTINCT FROM stretch.asset_id
                            AND c.valid_from > stretch.start_time),
                        greatest(stretch.start_time, (
                            SELECT max(e.start_time) FROM events e
                             WHERE (e.project_id, e.event_type_id) = (t.project_id, t.event_type_id)))
               ) AS last
          FROM unnest(%(types)s::integer[], %(points)s::text[], %(assets)s::integer[],
                      %(starts)s::timestamptz[], %(ends)s::timestamptz[])
               AS stretch (event_type_id, slug, asset_id, start_time, end_time)
          JOIN data_point_types t ON (t.project_id, t.event_type_id, t.slug)
                                   = (%(project)s, stretch.event_type_id, stretch.slug)
         CROSS JOIN LATERAL (
               SELECT bool_or(concat(v.expression, v.correction, v.rule_window) ~~* '%%calibration_drift%%')
                      AS drift
                 FROM rules u
                 JOIN rule_versions v
                   ON (v.project_id, v.rule_id, v.version) = (u.project_id, u.id, u.latest_version)
                WHERE u.project_id = t.project_id AND u.evaluation = 'automatic'
                  AND u.deleted_at IS NULL AND coalesce(v.event_type_id, t.event_type_id) = t.event_type_id
                  AND concat(v.expression, v.correction, v.rule_window)
                      ~~* ANY ('{%%is_calibrated%%,%%calibration_%%}')) AS asked
         WHERE asked.drift IS NOT NULL)
    INSERT INTO rule_dirty_ranges (project_id, event_type_id, start_time, end_time)
    SELECT * FROM made
"""
_MARK_BATCHES: Final = """
    INSERT INTO rule_dirty_ranges (project_id, batch_id) SELECT %s, unnest(%s::bigint[])
"""
_MARK_MODEL_RUN: Final = "INSERT INTO rule_dirty_ranges (project_id, model_run_id) VALUES (%s, %s)"


# The row that a write leaves in the audit log: who did what to which object, and the record around it.


INSERT_AUDIT_ROW: Final[LiteralString] = """
    INSERT INTO audit_log (account_id, project_id, user_id, token_id, request_id, action, object, before,
                           after)"""
"""What comes behind gives the row, by VALUES or by SELECT."""


def audit_row(
    actor: Actor, *, action: str, target: str, project_id: int | None, before: Any, after: Any
) -> Command:
    """The statement that writes the row; the records become JSON."""
    return (
        f"{INSERT_AUDIT_ROW} VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
        (
            actor.account_id, project_id, actor.user_id or None, actor.token_id, actor.request_id, action,
            target, jsonb(before), jsonb(after),
        ),
    )  # fmt: skip


# What each action owes beside its audit row: the table of all actions that are recorded.
#
# An action that corrects values of events, one by one or by a rule, owes nothing here: corrections are
# written in one place, `collection/measurements/corrections.py`, which leaves the traces portion by
# portion.
#
# Invariants: `record` takes no action that is not in the table, and none without what it owes.


class ForgottenError(Exception):
    """An action was recorded without something that it owes, or that it has no business with."""


@dataclass(frozen=True, slots=True)
class Always:
    """A trace that the action always leaves."""

    kind: type[Trace]


@dataclass(frozen=True, slots=True)
class Changing:
    """A trace that the action leaves when a field of the record has changed."""

    field: str
    kind: type[Trace]


@dataclass(frozen=True, slots=True)
class OptionalTrace:
    """A trace that the action may leave, which nothing in the record tells."""

    kind: type[Trace]


Obligation = Always | Changing | OptionalTrace

_NOTHING: Final[tuple[Obligation, ...]] = ()
_OF_RESTATED: Final = (OptionalTrace(GenerationsHeldOff), OptionalTrace(ChangedValues))
_OF_CALIBRATION: Final = (Always(GenerationsHeldOff), Always(ChangedCalibration))
_OF_SERVICE: Final = (
    Changing("in_service_from", ChangedService),
    Changing("in_service_until", ChangedService),
)

OBLIGATIONS: Final[Mapping[str, tuple[Obligation, ...]]] = {
    "account.create": _NOTHING,
    "account.move": _NOTHING,
    "user.erase": _NOTHING,
    "user.create": _NOTHING,
    "user.invite": _NOTHING,
    "user.make_link": _NOTHING,
    "user.set_password": _NOTHING,
    "user.update": _NOTHING,
    "user.link": _NOTHING,
    "user.release": _NOTHING,
    "user.govern": _NOTHING,
    "user.end_access": _NOTHING,
    "identity_provider.create": _NOTHING,
    "identity_provider.update": _NOTHING,
    "identity_provider.delete": _NOTHING,
    "user.withdraw_invitation": _NOTHING,
    "session.begin": _NOTHING,
    "session.end": _NOTHING,
    "session.end_all": _NOTHING,
    "session.end_by_provider": _NOTHING,
    "api_token.create": _NOTHING,
    "api_token.revoke": _NOTHING,
    "api_token.reassign": _NOTHING,
    "feature_flag.switch": _NOTHING,
    "saved_view.create": _NOTHING,
    "saved_view.update": _NOTHING,
    "saved_view.delete": _NOTHING,
    "async_task.cancel": _NOTHING,
    "async_task.fail": _NOTHING,
    "project.create": _NOTHING,
    "project.update": (Changing("time_zone", GenerationsHeldOff),),
    "event_type.create": _NOTHING,
    "event_type.update": (OptionalTrace(GenerationsHeldOff), OptionalTrace(RestatedTypes)),
    "event_type.delete": _NOTHING,
    "location.create": _NOTHING,
    "location.update": (Changing("name", GenerationsHeldOff), *_OF_SERVICE),
    "location.delete": _NOTHING,
    "feedstock.create": _NOTHING,
    "feedstock.update": (Changing("name", GenerationsHeldOff),),
    "feedstock.delete": _NOTHING,
    "asset.create": _NOTHING,
    "asset.update": (Changing("name", GenerationsHeldOff), *_OF_SERVICE),
    "asset.delete": _NOTHING,
    "asset.import": (OptionalTrace(GenerationsHeldOff),),
    "export.create": _NOTHING,
    "webhook.create": _NOTHING,
    "webhook.update": _NOTHING,
    "webhook.delete": _NOTHING,
    "webhook.roll_secret": _NOTHING,
    "webhook.test": _NOTHING,
    "webhook.redeliver": _NOTHING,
    "webhook.disable": _NOTHING,
    "data_feed.create": _NOTHING,
    "data_feed.update": _NOTHING,
    "data_feed.delete": _NOTHING,
    "data_feed_upload.create": _NOTHING,
    "data_feed_upload.finish": (OptionalTrace(NewEvents),),
    "outage.create": (Always(ChangedOutages),),
    "outage.update": (Always(ChangedOutages),),
    "outage.delete": (Always(ChangedOutages),),
    "agent.register": _NOTHING,
    "agent.update": _NOTHING,
    "agent.browse": _NOTHING,
    "agent.map": _NOTHING,
    "agent.delete": _NOTHING,
    "calibration.create": _OF_CALIBRATION,
    "calibration.update": (OptionalTrace(GenerationsHeldOff), OptionalTrace(ChangedCalibration)),
    "calibration.delete": _OF_CALIBRATION,
    "asset_custom_field.create": _NOTHING,
    "asset_custom_field.delete": _NOTHING,
    "event.create": (Always(NewEvents),),
    "event.create_many": (Always(NewEvents),),
    "event.update": (Always(StoredEvents), Changing("locations", ChangedValues), *_OF_RESTATED),
    "event.update_many": (Always(StoredEvents),),
    "event.void": (Always(GenerationsHeldOff), Always(StoredEvents)),
    "event.complete_many": _NOTHING,
    "data_point.correct": _OF_RESTATED,
    "data_point.revert": _NOTHING,
    "evidence.create": _NOTHING,
    "model.create": _NOTHING,
    "model.create_version": _NOTHING,
    "model.update": _NOTHING,
    "model.set_version_label": _NOTHING,
    "model.activate": _NOTHING,
    "static_input.create": (Always(AddedStaticInput),),
    "ledger.create": _NOTHING,
    "ledger.update": _NOTHING,
    "ledger.delete": _NOTHING,
    "instrument.create": _NOTHING,
    "batch_generation.start": _NOTHING,
    "batch_generation.finish": (Always(ChangedBatches),),
    "batch.update_inputs": _NOTHING,
    "batch_deletion.start": _NOTHING,
    "batch_deletion.finish": (Always(ChangedBatches),),
    "uncertainty_run.start": _NOTHING,
    "uncertainty_run.finish": _NOTHING,
    "model_run.create": (Always(ChangedModelRun),),
    "model_run.delete": (Always(ChangedModelRun),),
    "rule.create": _NOTHING,
    "rule.update": _NOTHING,
    "rule.delete": _NOTHING,
    "rule.correct": _NOTHING,
    "rule.undo_corrections": _NOTHING,
    "rule_run.start": _NOTHING,
    "rule_run.finish": _NOTHING,
    "rule_run.reverse": _NOTHING,
    "rule_result.dismiss": _NOTHING,
    "rule_result.bulk_dismiss": _NOTHING,
    "rule_result.approve": _NOTHING,
    "rule_result.bulk_approve": _NOTHING,
    "rule_result.reject": _NOTHING,
    "rule_result.bulk_reject": _NOTHING,
    "registry.create": _NOTHING,
    "registry.update": _NOTHING,
    "registry.read_catalogue": _NOTHING,
    "registry_mapping.create": _NOTHING,
    "registry_mapping.update": _NOTHING,
    "registry_mapping.delete": _NOTHING,
    "methodology.create": _NOTHING,
    "methodology_package.create": _NOTHING,
    "methodology_package.delete": _NOTHING,
    "package_installation.create": _NOTHING,
    "package_installation.upgrade": _NOTHING,
    "package_installation.delete": _NOTHING,
    "footprint_product.create": _NOTHING,
    "footprint_product.update": _NOTHING,
    "footprint.create": _NOTHING,
    "footprint.deprecate": _NOTHING,
    "footprint_client.create": _NOTHING,
    "footprint_client.revoke": _NOTHING,
    "footprint_client.update": _NOTHING,
    "footprint_partner.create": _NOTHING,
    "footprint_partner.update": _NOTHING,
    "footprint_call.create": _NOTHING,
    "footprint_call.finish": _NOTHING,
    "footprint_event.receive": _NOTHING,
    "report.create": _NOTHING,
    "report.update": _NOTHING,
    "report.delete": _NOTHING,
    "report.submit": _NOTHING,
    "report.start_bundle": _NOTHING,
    "report.keep_bundle": _NOTHING,
    "report.seal_bundle": _NOTHING,
    "report.deliver": _NOTHING,
    "report.accept": _NOTHING,
    "report.reject": _NOTHING,
    "report.withdraw": _NOTHING,
    "report.merge": _NOTHING,
    "report.split": _NOTHING,
    "report_link.create": _NOTHING,
    "report_link.revoke": _NOTHING,
    "report_link.reassign": _NOTHING,
    "engagement.create": _NOTHING,
    "engagement.draw": _NOTHING,
    "engagement.conclude": _NOTHING,
    "engagement.withdraw": _NOTHING,
    "finding.create": _NOTHING,
    "finding.answer": _NOTHING,
    "finding.decide": _NOTHING,
    "archive.write": _NOTHING,
}
"""What every action leaves beside its audit row; a new action says here what it changes."""


def refuse_forgotten(action: str, traces: Sequence[Trace], before: Any, after: Any) -> None:
    """Raise ForgottenError unless these are the traces that the action owes."""
    owed = OBLIGATIONS.get(action)
    if owed is None:
        raise ForgottenError(f"{action} is not in the table of actions; say there what it leaves behind.")
    left = {type(trace) for trace in traces}
    if missing := {*_needed(owed, before, after)} - left:
        raise ForgottenError(f"{action} leaves no {_names(missing)}, which it owes.")
    if strange := left - {obligation.kind for obligation in owed}:
        raise ForgottenError(f"{action} leaves {_names(strange)}, which the table of actions does not say.")


def _needed(owed: Sequence[Obligation], before: Any, after: Any) -> Iterator[type[Trace]]:
    for obligation in owed:
        is_changed = isinstance(obligation, Changing) and getattr(before, obligation.field) != getattr(
            after, obligation.field
        )
        if is_changed or isinstance(obligation, Always):
            yield obligation.kind


def _names(kinds: set[type[Trace]]) -> str:
    return " or ".join(sorted(kind.__name__ for kind in kinds))


# Record a write: its audit row, and everything else that has to be known of it.


def record(
    tx: Write,
    actor: Actor,
    *traces: Trace | None,
    action: str,
    target: str,
    project_id: int | None = None,
    before: Any = None,
    after: Any = None,
) -> None:
    """Write down that the actor did something to an object, and leave what follows from what it changed.

    None stands for a trace that this time there is not. Raises ForgottenError when the action is unknown, or
    lacks a trace that it owes: a mistake in the code, never in a request.
    """
    traces_left = [trace for trace in traces if trace is not None]
    refuse_forgotten(action, traces_left, before, after)
    tx.later(
        *audit_row(actor, action=action, target=target, project_id=project_id, before=before, after=after)
    )
    # The feed of changes is told by triggers on the tables of what it tells of.
    if traces_left:
        assert project_id is not None, f"{action} changes records of a project"  # noqa: S101
        leave(tx, project_id, *traces_left)


def leave(tx: Write, project: int, *traces: Trace) -> None:
    """Leave traces of a part of a write, where machinery works in portions; its caller records the whole."""
    for trace in traces:
        for statement, values in trace.statements(project):
            tx.later(statement, values)


# What storing one event leaves behind, as parts of the one statement that stores it.
#
# The parts say the same as `record` with `NewEvents`; here they are joined to the write, so that all of it
# is one round trip. The statement has the row that was stored as `stored`, with its `created_at`.
#
# Parameters: `account`, `project`, `user`, `token`, `request_id` of the audit row, `id` and `after` of the
# event, whose times the statement knows alone; `event_type` and `start_time` of the mark.


_AT: Final = """to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""

AUDIT_ROW_OF_EVENT: Final = f"""{INSERT_AUDIT_ROW}
        SELECT %(account)s, %(project)s, %(user)s, %(token)s, %(request_id)s::text, 'event.create',
               %(id)s::text, NULL,
               %(after)s::jsonb || jsonb_build_object('created_at', {_AT}, 'updated_at', {_AT})
          FROM stored"""
"""The body of a common table expression that leaves the audit row."""

MARK_OF_EVENT: Final = _MARK_EVENTS.format(
    """%(project)s::integer, ARRAY[%(event_type)s::integer],
                       ARRAY[%(start_time)s::timestamptz], ARRAY[%(start_time)s::timestamptz]"""
)
"""The expression that leaves the event to the automatic rules, to be selected from `stored`."""
