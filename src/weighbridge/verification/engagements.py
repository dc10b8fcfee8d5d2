"""Compare engagements of verifiers with the audit log, and verify what each of them rests on again.

Invariant: an engagement is verified from its population to its signature, without trust in any column that
follows from another.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from weighbridge.core import identity
from weighbridge.core.bundle.engagements import read_population
from weighbridge.core.engagement.opinion import verify_opinion
from weighbridge.core.engagement.sampling import draw
from weighbridge.core.signing import UnprovenError
from weighbridge.db.engine import Read
from weighbridge.reporting.engagement.storage import (
    StoredEngagement,
    name_engagement,
    name_finding,
    read_engagements,
    read_population_text,
    record_engagement,
    record_finding,
)

_REPORTS: Final = "SELECT DISTINCT project_id, report_id FROM engagements ORDER BY project_id, report_id"
_LOGGED: Final = """
    SELECT DISTINCT ON (a.object) a.object, a.after FROM audit_log a
     WHERE a.project_id = %s AND a.action ~ '^(engagement|finding)[.]'
       AND a.object LIKE '%%' || %s
     ORDER BY a.object, a.id DESC
"""
_UNTOLD: Final = """
    SELECT a.project_id, r.id, a.object FROM audit_log a
      JOIN reports r ON r.project_id = a.project_id
     WHERE a.action = 'engagement.create'
       AND NOT EXISTS (SELECT FROM engagements e
                        WHERE e.project_id = a.project_id AND a.object LIKE 'engagement ' || e.id || ' of %%')
"""


async def check_engagements(tx: Read) -> list[str]:
    """Return a sentence for each engagement that differs from the log, or does not follow from what it rests
    on.
    """
    complaints: list[str] = []
    for project, report in await tx.tuples(_REPORTS):
        engagements = await read_engagements(tx, identity.Key(project, report))
        friendly = identity.of("report", project, report)
        logged: dict[str, Any] = dict(await tx.tuples(_LOGGED, (project, f" of {friendly}")))
        for stored in engagements:
            complaints += _compare(stored, logged)
            complaints += _verify(stored, await read_population_text(tx, project, stored.row.number))
        named = {name for stored in engagements for name, _ in _list_records(stored)}
        complaints += [
            f"{name}: the log has it, but the database does not" for name in sorted(logged.keys() - named)
        ]
    for project, report, name in await tx.tuples(_UNTOLD):
        if name.endswith(identity.of("report", project, report)):
            complaints.append(f"{name}: the log has it, but the database does not")
    return complaints


def _list_records(stored: StoredEngagement) -> Iterator[tuple[str, dict[str, Any]]]:
    yield name_engagement(stored), record_engagement(stored)
    for finding in stored.findings:
        yield name_finding(stored, finding.number), record_finding(finding)


def _compare(stored: StoredEngagement, logged: Mapping[str, Any]) -> Iterator[str]:
    for name, record in _list_records(stored):
        after = logged.get(name)
        if after is None:
            yield f"{name}: the log has no row for it"
        elif differing := sorted(field for field in record if record[field] != after.get(field)):
            yield f"{name}: {', '.join(differing)} differ from what the log says was written"


def _verify(stored: StoredEngagement, population: bytes) -> Iterator[str]:
    """Verify population, sample and signature of an engagement."""
    name, row = name_engagement(stored), stored.row
    if hashlib.sha256(population).digest() != row.population_sha256:
        yield f"{name}: its population has another digest"
        return
    if row.seed is not None:
        strata = row.drawn_strata
        drawn = draw(row.seed, strata, read_population(memoryview(population), "population", len(strata)))
        if drawn != [*stored.sample]:
            yield f"{name}: its seed draws another sample"
    if row.statement is not None:
        try:
            verify_opinion(row.statement.encode(), row.signature or "", row.verifier_key or "")
        except UnprovenError as error:
            yield f"{name}: {error}"
