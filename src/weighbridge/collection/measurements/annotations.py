"""Read what is shown with values: rule findings, alerts, summaries of corrections, and the history of
corrections.

The statements call a finding `r`, its rule `u` and its event `e`.

Invariants: findings of a deleted rule are stored but not shown. Only those of the newest version of
each rule are shown, and none while the feature is off. A completion is part of the captured value, not
a correction.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Final

import msgspec
from psycopg.sql import SQL, Composable

from weighbridge.collection.records.data_points import Correction
from weighbridge.collection.records.events import (
    DataPointResult,
    Substitution,
)
from weighbridge.core import identity
from weighbridge.core.collection.correction import (
    BY_RULES,
    NOT_REVERTED,
    ORIGINS_SHOWN,
    CorrectionOrigin,
    CorrectionState,
)
from weighbridge.core.platform.settings import Feature
from weighbridge.core.rule.definition import Severity
from weighbridge.core.rule.states import ALERTS, ResultStatus
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Filter, Listing, ListRequest, Page, among, page_of
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.db.statements import Literal

# Findings: what rules found in values, as it is shown with them.
#
# That a value has findings is a fact about the value, so the record and the reads are here; the rules that
# write the rows belong to quality. The statements speak of a finding as `r`, of its rule as `u` and of its
# event as `e`.
#
# Invariants: the findings of a rule that was removed are kept and not shown; with a value stand those of
# the newest version of each rule only, and none while the feature is off.


OF_DATA_POINTS: Final = """
    SELECT project_id, id, rule_id, rule_version, status, entered_value AS value, error_message,
           evaluated_at, created_at, closed_at, superseded_by_version, dismissed_at, dismissed_by,
           dismissal_reason, event_id, position, approval_state, proposed_correction, rejected_at,
           rejected_by, rejection_reason, approved_at, approved_by, approval_comment, event_type_id, asset_id,
           slot_start, slot_end, proposed_event, severity
      FROM data_point_results
"""
"""The findings of rules in data points."""

AROUND_FINDINGS: Final = """
    JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL
    LEFT JOIN events e ON (e.project_id, e.id) = (r.project_id, r.event_id)
    LEFT JOIN data_point_types t
      ON (t.project_id, t.event_type_id, t.position)
       = (r.project_id, coalesce(r.event_type_id, e.event_type_id), r.position)
    LEFT JOIN users d ON d.id = r.dismissed_by
    LEFT JOIN users j ON j.id = r.rejected_by
    LEFT JOIN users g ON g.id = r.approved_by
"""
"""The rows with the names that are shown with a finding."""

SHOWN: Final = """
    r.closed_at IS NULL AND r.rule_version = u.latest_version
    AND NOT EXISTS (SELECT FROM projects p JOIN feature_flags g ON g.account_id = p.account_id
                     WHERE p.id = %(project)s AND g.name = %(feature)s AND NOT g.is_on)
"""
"""Whether a finding is shown with its record; it names the project and the feature of rules."""

HAS_RESULTS: Final = """
    EXISTS (SELECT FROM data_point_results r
             WHERE (r.project_id, r.event_id) = (e.project_id, e.id) AND r.closed_at IS NULL)
"""
"""Whether there may be something to show with an event `e`: a page without it asks no further."""


_CERTIFICATE: Final = "name, to_char(c.valid_from AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"

_DRIFTS: Final = f"""
    CASE WHEN r.status IN ('{ResultStatus.FAIL}', '{ResultStatus.DISMISSED}') THEN
        (SELECT jsonb_agg(jsonb_build_array(p.before, p.after) ORDER BY p.began)
           FROM rule_versions v
           JOIN LATERAL (
                SELECT jsonb_build_array(c.{_CERTIFICATE}) AS after, c.valid_from AS began,
                       lag(jsonb_build_array(c.{_CERTIFICATE})) OVER of_meter AS before,
                       lag(c.valid_from) OVER of_meter AS began_before,
                       lead(c.valid_from) OVER of_meter AS ended
                  FROM calibrations c
                 WHERE (c.project_id, c.event_type_id, c.data_point_type_id)
                     = (t.project_id, t.event_type_id, t.id)
                   AND coalesce(c.asset_id, 0) = coalesce(e.asset_id, 0)
                WINDOW of_meter AS (ORDER BY c.valid_from)) p ON p.began_before IS NOT NULL
          WHERE (v.project_id, v.rule_id, v.version) = (r.project_id, r.rule_id, r.rule_version)
            AND (v.expression ~* '\\mcalibration_drift\\s*\\(' AND p.began <= e.start_time
                 AND (p.ended > e.start_time OR p.ended IS NULL)
                 OR v.expression ~* '\\mnext_calibration_drift\\s*\\(' AND p.began > e.start_time
                 AND p.began_before <= e.start_time))
    END
"""
"""The pairs of calibrations whose drift a rule asks for at an event, each with its name and its start.

They are those of `quality.evaluation.calibrated`. A result that is closed has none: calibrations may have
changed since.
"""


def _build_message(message: str | None, drifts: Sequence[Sequence[Sequence[str]]] | None) -> str | None:
    """What a rule says to people, and behind it between which calibrations a meter drifted."""
    sentences = [
        f"The drift is between the calibrations {before!r} of {start} and {after!r} of {end}."
        for (before, start), (after, end) in drifts or ()
    ]
    return " ".join([*([] if message is None else [message]), *sentences]) or None


FINDING: Final = (
    Column("status", "r.status"),
    Column("error_message", "r.error_message"),
    Column("rule_id", ("r.project_id", "r.rule_id"), partial(identity.of, "rule")),
    Column("rule_version", "r.rule_version"),
    Column("rule_name", "u.name"),
    Column("severity", "r.severity"),
    Column("message", ("u.message", _DRIFTS), _build_message),
    Column("evaluated_at", "r.evaluated_at"),
    Column("created_at", "r.created_at"),
    Column("superseded_by_version", "r.superseded_by_version"),
    Column("dismissed_at", "r.dismissed_at"),
    Column("dismissed_by", "d.name"),
    Column("dismissal_reason", "r.dismissal_reason"),
)
"""The content of a finding in a record of any kind."""

_EVENT: Final = ("r.project_id", "r.event_id")


def _proposed_event(
    project: int, event_type: int, asset: int, slot: Sequence[datetime], described: dict[str, Any] | None
) -> dict[str, Any] | None:
    """The event of a slot as it is shown; none while nothing was ever proposed for it."""
    if described is None:
        return None
    (start, end), feedstock = slot, described["feedstock_id"]
    return {
        "event_type_id": identity.of("event_type", project, event_type),
        "slot_start": Instant.of(start),
        "slot_end": Instant.of(end),
        "end_time": described["end_time"],
        "asset_id": identity.of("asset", project, asset) if asset else None,
        "location_ids": [
            identity.of("location", project, location) for location in described["location_ids"]
        ],
        "feedstock_id": None if feedstock is None else identity.of("feedstock", project, feedstock),
        "tracking_id": described["tracking_id"],
    }


_SLOT: Final = ("r.event_type_id", "r.asset_id", "ARRAY[r.slot_start, r.slot_end]", "r.proposed_event")

DATA_POINT_RESULT: Final = row_of(
    DataPointResult,
    Column("id", ("r.project_id", "r.id"), partial(identity.of, "data_point_result")),
    *FINDING,
    Column("entered_value", "r.value"),
    Column("event_id", _EVENT, unless_null(partial(identity.of, "event"))),
    Column("data_point_id", (*_EVENT, "r.position"), unless_null(partial(identity.of, "data_point"))),
    Column("data_point_slug", "coalesce(t.slug, '')"),
    Column("approval_state", "r.approval_state"),
    Column("proposed_correction", "r.proposed_correction"),
    Column("rejected_at", "r.rejected_at"),
    Column("rejected_by", "j.name"),
    Column("rejection_reason", "r.rejection_reason"),
    Column("proposed_event", ("r.project_id", *_SLOT), _proposed_event),
    Column("approved_at", "r.approved_at"),
    Column("approved_by", "g.name"),
    Column("approval_comment", "r.approval_comment"),
)


async def results_of_events(
    tx: Read, project: int, events: Sequence[int]
) -> dict[tuple[int, int], list[DataPointResult]]:
    """The results to show with the data points of a page of events, by event and position.

    Those of the newest version of each rule that fail or are dismissed; none while the feature is off.
    """
    if not events:
        return {}
    rows = await tx.tuples(
        f"""
        SELECT r.event_id, r.position, {DATA_POINT_RESULT.columns}
          FROM ({OF_DATA_POINTS}) r {AROUND_FINDINGS}
         WHERE r.project_id = %(project)s AND r.event_id = ANY (%(records)s) AND {SHOWN}
         ORDER BY r.id
        """,
        {"project": project, "records": list(events), "feature": Feature.RULES_ENGINE},
    )
    results: dict[tuple[int, int], list[DataPointResult]] = {}
    for event, position, *row in rows:
        results.setdefault((event, position), []).append(DATA_POINT_RESULT.make(*row))
    return results


def is_alert(result: DataPointResult) -> bool:
    """Whether a result asks for someone's attention, and may keep a report back."""
    return result.status in ALERTS and result.severity == Severity.FAIL


def is_warning(result: DataPointResult) -> bool:
    """Whether a result is only to be known."""
    return result.status in ALERTS and result.severity == Severity.WARN


# Alerts: the results of rules that are shown with a record and ask for someone's attention.
#
# A statement speaks of the result as `r` and of its rule as `u`, and takes the parameters project and
# `PARAMETERS`.
#
# Invariant: whoever says that a record has alerts means results that `findings.SHOWN` shows, and of these
# the ones whose status is among `ALERTS` and whose severity is `fail`; those of the severity `warn` are
# warnings, which are counted apart and keep nothing back.


WITH_RULE: Final = "JOIN rules u ON (u.project_id, u.id) = (r.project_id, r.rule_id) AND u.deleted_at IS NULL"

IS_OPEN: Final = f"r.status = ANY (%(alerts)s) AND {SHOWN}"
"""Whether a result is an alert or a warning."""

IS_ALERT: Final = f"{IS_OPEN} AND r.severity = '{Severity.FAIL}'"

PARAMETERS: Final[Mapping[str, Any]] = {"feature": Feature.RULES_ENGINE, "alerts": sorted(ALERTS)}


# Summaries of corrections: how often each value of an event was corrected, and by whom it is now.
#
# Events that were never revised have none, and are not asked about.


class CorrectionSummary(msgspec.Struct, frozen=True):
    """The corrections of one value."""

    corrections_count: int = 0
    """How many are in force or below one that is."""
    corrections_total: int = 0
    """How many were ever made."""
    origin: CorrectionOrigin | None = None
    """The origin of the one in force."""
    substitution: Substitution | None = None
    """The one in force, when a rule made it."""


UNCORRECTED = CorrectionSummary()

CorrectionSummaries = dict[tuple[int, int], CorrectionSummary]
"""By event and position; absent values were never corrected."""


async def correction_summaries(
    tx: Read, project: int, revised_events: Collection[int]
) -> CorrectionSummaries:
    """The corrections of the values of some events that were revised."""
    if not revised_events:
        return {}
    rows = await tx.tuples(
        """
        SELECT c.event_id, c.position, count(*) FILTER (WHERE c.state = ANY (%s)), count(*),
               max(c.source) FILTER (WHERE c.state = %s),
               max(c.id) FILTER (WHERE c.state = %s AND c.source = ANY (%s))
          FROM corrections c
         WHERE c.project_id = %s AND c.event_id = ANY (%s) AND c.position > 0 AND c.source <> %s
         GROUP BY c.event_id, c.position
        """,
        (
            list(NOT_REVERTED),
            CorrectionState.IN_FORCE,
            CorrectionState.IN_FORCE,
            list(BY_RULES),
            project,
            list(revised_events),
            CorrectionOrigin.COMPLETION,
        ),
    )
    numbers = {number for *_, number in rows if number is not None}
    substitutions = await substitutions_numbered(tx, project, numbers)
    return {
        (event, position): CorrectionSummary(
            count, total, None if origin is None else CorrectionOrigin(origin), substitutions.get(number)
        )
        for event, position, count, total, origin, number in rows
    }


BASIS_OF_SUBSTITUTE: Final = ("sources", "uncertainty")
"""Keys of a stored substitution that say on which readings a value rests, and how well it is known."""


async def substitutions_numbered(tx: Read, project: int, numbers: Collection[int]) -> dict[int, Substitution]:
    """Corrections as data points show them, by their numbers."""
    if not numbers:
        return {}
    return {
        number: Substitution(number, replaced, rule_id(project, rule), *columns, **(method or {}))
        for number, replaced, rule, *columns, method in await tx.tuples(
            """
            SELECT id, from_value, rule_id, rule_version, rule_run_id, reason, created_at,
                   substitution - %s::text[]
              FROM corrections
             WHERE project_id = %s AND id = ANY (%s)
            """,
            ([*BASIS_OF_SUBSTITUTE], project, list(numbers)),
        )
    }


def rule_id(project: int, number: int | None) -> str | None:
    """The friendly id of a rule, if there is one."""
    return None if number is None else identity.of("rule", project, number)


# History: every correction that was ever made of a value or of an event, those that were reverted included.
#
# A completion gave a first value; it is part of what was captured and no correction.


CORRECTIONS: Final = Listing(
    sorts={"id": "c.id", "created_at": "c.created_at"},
    default_sort="id",
    key=("c.id",),
    filters={
        "source": Filter("c.source", among(ORIGINS_SHOWN), ", ".join(ORIGINS_SHOWN)),
        "state": Filter("c.state", among(CorrectionState), ", ".join(CorrectionState)),
    },
)

_KINDS: Final = {"feedstock_id": "feedstock", "asset_id": "asset"}
"""Fields that name a record: by its number in the database, and by its id outside."""


def _format_field(project: int, field: str, value: Any) -> Any:
    """The value of a field in a correction, as the API shows it."""
    kind = _KINDS.get(field)
    return value if kind is None or value is None else identity.of(kind, project, value)


def _data_point_id(project: int, event: int, position: int) -> str | None:
    return identity.of("data_point", project, event, position) if position else None


def _field(position: int, field: str) -> str | None:
    """The field of the event itself that was corrected, if it was one."""
    return None if position else field


CORRECTION: Final = row_of(
    Correction,
    Column("id", "c.id"),
    Column("event_id", ("c.project_id", "c.event_id"), partial(identity.of, "event")),
    Column("data_point_id", ("c.project_id", "c.event_id", "c.position"), _data_point_id),
    Column("field", ("c.position", "c.field"), _field),
    Column("from_value", ("c.project_id", "c.field", "c.from_value"), _format_field),
    Column("to_value", ("c.project_id", "c.field", "c.to_value"), _format_field),
    Column("source", "c.source"),
    Column("state", "c.state"),
    Column("reason", "c.reason"),
    Column("rule_id", ("c.project_id", "c.rule_id"), unless_null(partial(identity.of, "rule"))),
    Column("rule_version", "c.rule_version"),
    Column("rule_run_id", "c.rule_run_id"),
    Column("corrected_by", "u.name"),
    Column("token", "t.name"),
    Column("created_at", "c.created_at"),
    Column("reverted_at", "c.reverted_at"),
    Column("reverted_by", "reverter.name"),
    Column("reverted_by_rule_run_id", "c.reverted_by_run"),
)

_JOINED: Final = """
    corrections c
    JOIN users u ON u.id = c.user_id
    LEFT JOIN api_tokens t ON t.id = c.token_id
    LEFT JOIN users reverter ON reverter.id = c.reverted_by
"""


async def corrections_of_event(tx: Read, project: int, event: int, request: ListRequest) -> Page[Correction]:
    """The corrections of one event: its data points, and its own times and tags."""
    return await _page(tx, project, event, request, SQL("true"))


async def corrections_of_data_point(
    tx: Read, project: int, event: int, position: int, request: ListRequest
) -> Page[Correction]:
    """The corrections of one data point."""
    return await _page(tx, project, event, request, SQL("c.position = {}").format(Literal(position)))


async def _page(
    tx: Read, project: int, event: int, request: ListRequest, where: Composable
) -> Page[Correction]:
    of_event = SQL("c.project_id = {} AND c.event_id = {} AND c.source <> {}").format(
        Literal(project), Literal(event), Literal(CorrectionOrigin.COMPLETION.value)
    )
    return await page_of(
        tx, CORRECTION.make, CORRECTIONS, request,
        columns=CORRECTION.columns, source=_JOINED, where=[of_event, where],
    )  # fmt: skip


# Who captured an event: whoever wrote the row of the audit log that stored it, by hand, in bulk or by a file.


CAPTURED_BY: Final = """
    SELECT u.name FROM audit_log a JOIN users u ON u.id = a.user_id
     WHERE a.account_id = %(account)s AND a.project_id = e.project_id AND a.at = e.created_at
       AND a.action IN ('event.create', 'event.create_many', 'data_feed_upload.finish')
       AND (a.action <> 'event.create' OR a.object = named.id)
     ORDER BY a.id LIMIT 1
"""
"""The name of the user who captured an event `e` whose id is `named.id`; of no user for an imputed one."""

_CAPTURED_BY: Final = f"""
    SELECT ({CAPTURED_BY})
      FROM (SELECT %(event)s::text AS id) AS named
      JOIN events e ON e.project_id = %(project)s AND e.id = %(number)s
"""


async def read_captured_by(tx: Read, account: int, event: str) -> str | None:
    """The name of the user who captured an event; None for an imputed one, or one that there is not."""
    key = identity.parse("event", event)
    if key is None:
        return None
    values = {"account": account, "event": event, "project": key.project, "number": key.key}
    rows = await tx.tuples(_CAPTURED_BY, values)
    return rows[0][0] if rows else None
