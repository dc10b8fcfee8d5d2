"""When records were made: the moment of a transaction is that of its row in the audit log.

Invariant: a record from an instant without a row in its account's log was not created by an operation.
"""

from typing import Final, LiteralString

from psycopg.sql import SQL

from weighbridge.db.engine import Read

NAMED_MAX: Final = 20
"""Records of one table that are named."""

MADE_BY_OPERATIONS: Final[dict[LiteralString, LiteralString]] = {
    "event_types": "id", "data_point_types": "id", "locations": "id", "feedstocks": "id", "assets": "id",
    "asset_custom_fields": "id", "outages": "id", "agents": "id", "agent_mappings": "agent_id",
    "calibrations": "id", "static_inputs": "id", "evidence": "id", "ledgers": "id",
    "rules": "id", "rule_versions": "rule_id", "reports": "id", "report_links": "id", "data_feeds": "id",
    "engagements": "id", "package_installations": "id",
    "corrections": "id", "batches": "id", "events": "id",
}  # fmt: skip
"""Tables whose rows are made in the transaction of an operation, or of a task that logs what it did."""


async def check_moments(tx: Read) -> list[str]:
    """Return a sentence for each record from an instant without a row of the log for its project."""
    complaints = []
    for table, key in MADE_BY_OPERATIONS.items():
        # What is rolled up follows from its readings, which is checked by itself.
        condition = SQL("t.readings IS NULL" if table == "events" else "true")
        statement = SQL(_UNTOLD).format(table=SQL(table), key=SQL(key), condition=condition)
        rows = await tx.tuples(statement, (NAMED_MAX,))
        complaints += [f"{table} {number} of project {project}: created at {at}, for which the log has no row"
                  for project, number, at in rows]  # fmt: skip
    for project, number, at in await tx.tuples(_VOIDED, (NAMED_MAX,)):
        complaints.append(
            f"events {number} of project {project}: voided at {at}, for which the log has no row"
        )
    return complaints


_VOIDED: Final = """
    SELECT t.project_id, t.id, t.voided_at FROM events t
     WHERE t.voided_at IS NOT NULL AND t.readings IS NULL
       AND NOT EXISTS (SELECT FROM audit_log a WHERE a.at = t.voided_at AND a.project_id = t.project_id)
     ORDER BY t.project_id, t.id LIMIT %s
"""
_UNTOLD: Final = """
    SELECT t.project_id, t.{key}, t.created_at FROM {table} t
     WHERE NOT EXISTS (SELECT FROM audit_log a WHERE a.at = t.created_at AND a.project_id = t.project_id)
       AND {condition}
     ORDER BY t.project_id, t.{key} LIMIT %s
"""
