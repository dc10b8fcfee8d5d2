"""Forms in which records are compared with the audit log: times, event types, tokens, reports with their
batches and history, and installed packages with their records.

Invariant: what the log says in an older form is compared by what it meant then.
"""

from collections.abc import Mapping
from typing import Any, Final, LiteralString

from weighbridge.core import identity

LoggedRecord = Mapping[str, Any]
"""A record as a row of the audit log has it."""


def moment(column: LiteralString) -> LiteralString:
    """A time as the interface writes it, to the millisecond."""
    return f"""to_char({column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""


_POINT_FIELDS: Final = ("id", "slug", "name", "unit", "required", "value_type")


def shape_event_type(recorded: LoggedRecord) -> LoggedRecord:
    """What is compared of an event type as the log has it."""
    points = [
        {name: point[name] for name in _POINT_FIELDS} | {"uncertainty": point.get("uncertainty")}
        for point in recorded["data_point_types"]
    ]  # rows of before data point types stated uncertainty lack it
    return {**recorded, "data_point_types": sorted(points, key=lambda point: point["id"])}


APPROVES: Final = "data_rules:approve"
"""What an upgrade from 1.0.0 granted to tokens that could write rules; no row of the log has it."""


def shape_token(recorded: LoggedRecord) -> LoggedRecord:
    """What is compared of a token as the log has it."""
    permissions = recorded["permissions"]
    if "data_rules:write" in permissions:
        permissions = [permission for permission in permissions if permission != APPROVES]
    return {**recorded, "permissions": permissions}


_MOVE_FIELDS: Final = ("status", "adapter", "reason", "reference", "said_at")


def shape_report(recorded: LoggedRecord) -> LoggedRecord:
    """What is compared of a report as the log has it."""
    moves = [{name: move[name] for name in _MOVE_FIELDS} for move in recorded["history"]]
    # Before parts were accepted, the log did not say how much was: all of a report that is complete.
    was_whole = recorded["status"] == "complete"
    accepted = [
        inclusion.get("accepted_amount", inclusion["amount"] if was_whole else None)
        for inclusion in recorded["inclusions"]
    ]
    return {
        **recorded,
        "liability": recorded.get("liability"),
        "liability_reason": recorded.get("liability_reason"),
        "history": moves,
        "predecessors": sorted(
            identity.number("report", friendly) for friendly in recorded.get("predecessors", ())
        ),
        "ledgers": [
            [
                ledger["role"],
                identity.number("ledger", ledger["ledger_id"]),
                ledger["sign"],
                ledger["counted"],
            ]
            for ledger in recorded.get("ledgers", ())
        ],
        "amounts": sorted(inclusion["amount"] for inclusion in recorded["inclusions"]),
        "accepted": sorted(accepted, key=lambda amount: (amount is None, amount)),
    }


# The row of the superseding report shows that a report was superseded, and an invariant of reports
# holds that one did. Status and moves agree on it.
_STATUS_OF_REPORT: Final[LiteralString] = """
    (SELECT CASE WHEN (t.status = 'superseded') <> bool_or(m.status = 'superseded') THEN 'superseded'
                 WHEN t.status = 'superseded'
                 THEN (array_agg(m.status ORDER BY m.id DESC) FILTER (WHERE m.status <> 'superseded'))[1]
                 ELSE t.status END
       FROM report_moves m WHERE (m.project_id, m.report_id) = (t.project_id, t.id))
"""

REPORT_COLUMNS: Final[dict[str, LiteralString]] = {
    "status": _STATUS_OF_REPORT,
    "predecessors": """coalesce((
        SELECT jsonb_agg(s.predecessor_id ORDER BY s.predecessor_id) FROM report_successions s
         WHERE (s.project_id, s.report_id) = (t.project_id, t.id)), '[]')""",
    "ledgers": """coalesce((
        SELECT jsonb_agg(jsonb_build_array(g.role, g.ledger_id, sign(g.factor), g.factor * (
                   SELECT coalesce(sum(i.amount), 0)
                     FROM report_batches i JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
                    WHERE (i.project_id, i.report_id, b.ledger_id)
                        = (g.project_id, g.report_id, g.ledger_id))) ORDER BY g.position)
          FROM report_ledgers g WHERE (g.project_id, g.report_id) = (t.project_id, t.id)), '[]')""",
    "amounts": """coalesce((SELECT jsonb_agg(i.amount ORDER BY i.amount) FROM report_batches i
                           WHERE (i.project_id, i.report_id) = (t.project_id, t.id)), '[]')""",
    "accepted": """coalesce((
        SELECT jsonb_agg(own.accepted ORDER BY own.accepted)
          FROM (SELECT coalesce(i.accepted_amount, (
                                   SELECT i.amount FROM report_moves m
                                    WHERE (m.project_id, m.report_id) = (t.project_id, t.id)
                                      AND m.status = 'complete')) AS accepted
                          FROM report_batches i
                         WHERE (i.project_id, i.report_id) = (t.project_id, t.id)) AS own), '[]')""",
    "history": f"""coalesce((
                SELECT jsonb_agg(jsonb_build_object(
                           'status', m.status, 'adapter', m.adapter, 'reason', m.reason,
                           'reference', m.reference, 'said_at', {moment("m.said_at")}) ORDER BY m.id)
                  FROM report_moves m
                 WHERE (m.project_id, m.report_id) = (t.project_id, t.id)
                   AND m.status <> 'superseded'), '[]')""",
}
"""What tables say of the batches and the history of the report `t`, by field."""


PARTS_OF_METHODOLOGY: Final[dict[str, LiteralString]] = {
    "versions": """coalesce((SELECT jsonb_agg(to_jsonb(i.versions) ORDER BY i.model_id)
                     FROM methodology_models i WHERE i.methodology_id = t.id), '[]')""",
    "ledgers": """coalesce((
        SELECT jsonb_agg(jsonb_build_object('role', i.role, 'sign', i.sign, 'unit', i.unit)
                         ORDER BY i.position)
          FROM methodology_ledgers i WHERE i.methodology_id = t.id), '[]')""",
}
"""What tables say of the models and the ledgers of the methodology `t`, by field."""


def shape_methodology(recorded: LoggedRecord) -> LoggedRecord:
    """What is compared of a methodology as the log has it."""
    versions = [model.get("versions", []) for model in recorded["models"]]
    return {**recorded, "versions": versions, "ledgers": recorded.get("ledgers", [])}


_FOLLOWED: Final = ("model", "static_input")
"""Kinds of which the log names the version or value that counted then, which need not be the one kept."""


def shape_installation(recorded: LoggedRecord) -> LoggedRecord:
    """What is compared of an installation as the log has it."""
    parts = [
        [part["kind"], part["key"], part["origin"], part["sha256"]]
        + ([] if part["kind"] in _FOLLOWED else [part["record_id"]])
        for part in recorded["parts"]
    ]
    return {**recorded, "parts": sorted(parts)}


PARTS_OF_INSTALLATION: Final[LiteralString] = """
    coalesce((SELECT jsonb_agg(jsonb_build_array(p.kind, p.key, p.origin, encode(p.digest, 'hex'))
                               || CASE WHEN p.kind IN ('model', 'static_input') THEN '[]'
                                       ELSE jsonb_build_array(p.record) END
                               ORDER BY p.kind COLLATE "C", p.key COLLATE "C")
                FROM package_parts p
               WHERE (p.project_id, p.installation_id) = (t.project_id, t.id)), '[]')
"""
"""What tables say of the records of the installation `t`, by kind and key."""
