"""The stored versions of rules, and what a version needs to be evaluated: names, program, data and period.

Only the newest version of a rule is evaluated; older ones keep their results. A rule for model runs may name
the nodes of the model's active version.

Invariants: a deleted rule has no stored version. A requested period ends after it starts, and no period
begins before the year 1. Only event types that the rule fits are watched. Each name of a rule is read with
one kind of value, for every event type.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.collection.measurements.values import ValueColumn
from weighbridge.core.expression import PLAIN, TEXT, TRUTH
from weighbridge.core.expression.tree import Name
from weighbridge.core.identity import few_suggestions
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.rule import (
    MemberScope,
    Rule,
    RuleProgram,
    RuleTarget,
    Vocabulary,
    WindowMeters,
    check_correction,
    check_rule,
    choose_default_meters,
    compile_rule,
    read_rule,
)
from weighbridge.core.rule.definition import FILLS_GAPS, Purpose, Severity, find_expression
from weighbridge.core.rule.substitution import (
    GapFilling,
    GapProgram,
    check_filling,
    check_operating_source,
    compile_filling,
    read_filling,
)
from weighbridge.core.time.calendar import CadenceSlots, Instant
from weighbridge.db.engine import Read
from weighbridge.db.row import Column, row_of
from weighbridge.errors import Invalid, NotFound
from weighbridge.modelling.documents import read_model

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
    severity: str
    correction: dict[str, Any] | None
    tables: dict[str, Any] | None
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
"""The meters of a version's window; versions that 1.0.0 stored name none, and have the default ones."""

SEVERITY: Final = f"coalesce(v.severity, '{Severity.FAIL}')"
"""The severity of what a version finds; versions that older releases stored name none, and find alerts."""

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
    Column("severity", SEVERITY),
    Column("correction", "v.correction"),
    Column("tables", "v.tables"),
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
    """The actor who saved a version, responsible for the corrections of a run that nobody requested."""
    [(account, user)] = await tx.tuples(
        """
        SELECT u.account_id, u.id FROM rule_versions v JOIN users u ON u.id = v.user_id
         WHERE v.project_id = %s AND v.rule_id = %s AND v.version = %s
        """,
        (version.project, version.rule, version.version),
    )
    return Actor(account, user, None, frozenset(), f"rule_run_{run}")


# A period determines the records that a rule is evaluated over: those that start in it.
#
# It comes from a request, from the data that changed, or from the time for which a version is effective.
#
# Invariants: a period of a request has an end after its start; none begins before the year 1.


Period = tuple[Instant, Instant | None]
"""From its start on and before its end; None has no end."""

EARLIEST: Final = Instant.of(Instant.fromisoformat("0001-01-01T00:00:00+00:00"))
"""No record starts before it."""


def requested_period(start_time: datetime, end_time: datetime) -> tuple[Instant, Instant]:
    """Start and end of a period; raise Invalid when the end is not after the start."""
    start, end = Instant.of(start_time), Instant.of(end_time)
    if end <= start:
        message = f"end_time must be later than start_time, but is {end.text}."
        raise Invalid([Problem(message, "end_time", "invalid")])
    return start, end


def effective_period(version: StoredVersion, start: Instant | None, end: Instant | None) -> Period | None:
    """The part of a period in which the rule is effective; None when there is none."""
    first = version.effective_from if start is None else max(start, version.effective_from)
    ends = [moment for moment in (end, version.effective_to) if moment is not None]
    last = min(ends, default=None)
    return None if last is not None and last <= first else (first, last)


# The names that rules can use: the data points of an event type, the nodes of a model.
#
# A rule for model runs names the nodes of the model's active version.


_TYPES = {"number": PLAIN, "string": TEXT, "boolean": TRUTH}


async def vocabularies_of_event_types(tx: Read, project: int) -> dict[int, Vocabulary]:
    """The vocabulary of each event type of a project, by its number."""
    rows = await tx.tuples(
        """
        SELECT et.id, et.slug, et.cadence_unit IS NOT NULL,
               array_agg(t.slug ORDER BY t.position) FILTER (WHERE t.slug IS NOT NULL),
               array_agg(t.value_type ORDER BY t.position) FILTER (WHERE t.slug IS NOT NULL)
          FROM event_types et
          LEFT JOIN data_point_types t ON (t.project_id, t.event_type_id) = (et.project_id, et.id)
         WHERE et.project_id = %s GROUP BY et.id, et.slug, et.cadence_unit ORDER BY et.id
        """,
        (project,),
    )
    return {
        number: Vocabulary(
            f"an event of type {slug!r}",
            {name: _TYPES[kind] for name, kind in zip(slugs or (), kinds or (), strict=True)},
            has_cadence=has_cadence,
            event_type=slug,
        )
        for number, slug, has_cadence, slugs, kinds in rows
    }


async def vocabulary_of_family(tx: Read, family: int) -> Vocabulary:
    """The vocabulary of a model's runs: the nodes of its active version."""
    document: str = await tx.value(
        """
        SELECT m.document FROM model_families f JOIN models m ON m.id = f.active_model_id WHERE f.id = %s
        """,
        (family,),
    )
    model = await tx.in_thread(read_model, document)
    return Vocabulary(
        f"a run of {model.name!r}",
        {node.slug: PLAIN for node in model.nodes},
        {node.slug: node.name for node in model.nodes if node.name is not None},
    )


# A prepared rule is a version with all that evaluating it takes: its program, and where its data are.
#
# Invariants: only event types that the rule fits as they are now are watched; each name of the rule is read
# with one kind of value across all event types.


@dataclass(frozen=True, slots=True)
class EventKind:
    """An event type as rules read it."""

    number: int
    vocabulary: Vocabulary
    columns: Mapping[str, ValueColumn]
    cadence: tuple[int, str] | None

    def column(self, name: Name) -> ValueColumn | None:
        """The column of a name of a rule, if this type has it."""
        slug = self.vocabulary.slug_of(name)
        return None if slug is None else self.columns[slug]


@dataclass(frozen=True, slots=True)
class PreparedRule:
    """A rule that is ready to be evaluated."""

    version: StoredVersion
    rule: Rule
    program: RuleProgram
    zone: ZoneInfo
    watched: tuple[EventKind, ...] = ()
    """The event types whose events are evaluated."""
    around: tuple[EventKind, ...] = ()
    """The event types whose events may be members of a window."""
    filling: GapFilling | None = None
    """How a rule fills gaps that does so."""
    gaps: GapProgram | None = None
    """The same, ready to fill them."""
    operating: EventKind | None = None
    """The event type whose events say when meters were operating, where a rule asks one."""

    @property
    def checked_columns(self) -> dict[int, ValueColumn]:
        """The column of the data point that a result refers to, by event type."""
        checked_name = Name((self.version.data_point or "",), is_verbatim=True)
        columns = {kind.number: kind.column(checked_name) for kind in self.watched}
        return {number: column for number, column in columns.items() if column is not None}

    @property
    def cadences(self) -> dict[int, CadenceSlots]:
        """The slots of the event types that have a cadence."""
        kinds = (*self.watched, *self.around)
        return {
            kind.number: CadenceSlots(*kind.cadence, self.zone) for kind in kinds if kind.cadence is not None
        }

    @property
    def reading(self) -> dict[Name, dict[int, ValueColumn]]:
        """The column of each name in each event type, of the kind of value that the first type has for it."""
        reading = {}
        of_gaps = () if self.gaps is None else self.gaps.names
        for name in (*self.program.names, *of_gaps):
            columns = {
                kind.number: column
                for kind in (*self.watched, *self.around)
                if not self.rule.is_tag(name) and (column := kind.column(name)) is not None
            }
            first = next(iter(columns.values()), None)
            reading[name] = {
                number: column
                for number, column in columns.items()
                if first is not None and column.value_type == first.value_type
            }
        return reading


async def prepared_rule(tx: Read, version: StoredVersion) -> PreparedRule:
    """Prepare a version for the current data of its project."""
    rule, problems = read_rule(
        version.expression,
        version.window,
        version.window_member_scope,
        version.target,
        find_expression(version.purpose, version.correction),
        version.tables,
    )
    filling = None
    if version.purpose in FILLS_GAPS and version.correction is not None:
        filling, wrong = read_filling(version.correction)
        problems += wrong
    if rule is None or problems:
        raise Invalid(problems)
    zone = ZoneInfo(await tx.value("SELECT time_zone FROM projects WHERE id = %s", (version.project,)))
    program = compile_rule(rule, zone=zone)
    if rule.target is RuleTarget.MODEL_RUN:
        return PreparedRule(version, rule, program, zone)
    kinds = await _event_kinds(tx, version.project)
    watched = _list_watched_types(version, rule, kinds, filling)
    around = kinds if rule.scope is MemberScope.PROJECT and rule.window is not None else watched
    gaps = None if filling is None else compile_filling(filling)
    operating = None if filling is None else _find_operating_kind(filling, kinds)
    if filling is not None and filling.operating_from is not None and operating is None:
        watched = []
    return PreparedRule(version, rule, program, zone, tuple(watched), tuple(around), filling, gaps, operating)


def _find_operating_kind(filling: GapFilling, kinds: Sequence[EventKind]) -> EventKind | None:
    """The event type that says when meters were operating; None where no rule asks, or none fits any more."""
    source = filling.operating_from
    vocabularies = {kind.vocabulary.event_type: kind.vocabulary for kind in kinds}
    if source is None or check_operating_source(filling, vocabularies):
        return None
    return next(kind for kind in kinds if kind.vocabulary.event_type == source.event_type)


@few_suggestions()
def _list_watched_types(
    version: StoredVersion, rule: Rule, kinds: Sequence[EventKind], filling: GapFilling | None
) -> list[EventKind]:
    vocabularies = [kind.vocabulary for kind in kinds]
    checked_name = Name((version.data_point or "",), is_verbatim=True)
    fitting = [
        kind
        for kind in kinds
        if version.event_type in {None, kind.number}
        and kind.column(checked_name) is not None
        and not check_rule(rule, kind.vocabulary, vocabularies)
        and not check_correction(rule, kind.vocabulary, vocabularies, version.data_point or "")
        and (filling is None or _has_series(version, filling, kind))
    ]
    # A name that is a number in one type and a text in another is read as in the first.
    return [kind for kind in fitting if _reads_alike(rule, kind, fitting[0])]


def _has_series(version: StoredVersion, filling: GapFilling, kind: EventKind) -> bool:
    """Whether the gaps of an event type can be filled; without a cadence no slot lacks its event."""
    has_slots = kind.cadence is not None or version.purpose == Purpose.SUBSTITUTE
    return has_slots and not check_filling(filling, kind.vocabulary, version.data_point or "")


def _reads_alike(rule: Rule, kind: EventKind, first: EventKind) -> bool:
    for name in rule.names:
        column, first_column = kind.column(name), first.column(name)
        if column is not None and first_column is not None and column.value_type != first_column.value_type:
            return False
    return True


async def _event_kinds(tx: Read, project: int) -> list[EventKind]:
    vocabularies = await vocabularies_of_event_types(tx, project)
    rows = await tx.tuples(
        """
        SELECT et.id, et.cadence_amount, et.cadence_unit,
               coalesce(array_agg(t.slug) FILTER (WHERE t.slug IS NOT NULL), '{}'),
               coalesce(array_agg(t.position::integer) FILTER (WHERE t.slug IS NOT NULL), '{}'),
               coalesce(array_agg(t.value_type) FILTER (WHERE t.slug IS NOT NULL), '{}')
          FROM event_types et
          LEFT JOIN data_point_types t ON (t.project_id, t.event_type_id) = (et.project_id, et.id)
         WHERE et.project_id = %s GROUP BY et.id, et.cadence_amount, et.cadence_unit ORDER BY et.id
        """,
        (project,),
    )
    return [
        EventKind(
            number,
            vocabularies[number],
            {
                slug: ValueColumn(position, value_type)
                for slug, position, value_type in zip(slugs, positions, types, strict=True)
            },
            None if unit is None else (amount, unit),
        )
        for number, amount, unit, slugs, positions, types in rows
    ]
