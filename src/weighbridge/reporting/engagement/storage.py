"""Engagements as the database has them, as the interface shows them, and as the log and bundles record them.

Invariant: the record of an engagement or a finding in a bundle is the `after` of its newest row in the audit
log.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from weighbridge.core import identity
from weighbridge.core.engagement.opinion import effect_of_record
from weighbridge.core.engagement.sampling import DrawnRecord, SamplingMethod, Stratum, compute_seed
from weighbridge.core.number import plain
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.errors import NotFound
from weighbridge.platform.tenancy import number_named
from weighbridge.reporting.engagement.forms import (
    Engagement,
    FindingsEffect,
    Opinion,
    SampleStratum,
    VerifierFinding,
)


class EngagementRow(NamedTuple):
    """An engagement as it is stored, without its population."""

    number: int
    report: int
    state: str
    verifier: str
    scope: str
    criteria: str
    assurance: str
    materiality_percent: Decimal | None
    materiality_amount: Decimal | None
    strata: Sequence[Mapping[str, Any]]
    population_sha256: bytes
    population_count: int
    log_rows: int
    log_root: bytes
    created_by: int | None
    created_by_link: int | None
    author: str
    created_at: datetime
    seed_text: str | None
    drawn_at: datetime | None
    conclusion: str | None
    reasons: str | None
    total: Decimal | None
    statement: str | None
    signature: str | None
    verifier_key: str | None
    bundle_sha256: bytes | None
    ended_at: datetime | None
    total_now: Decimal
    unit: str

    @property
    def seed(self) -> str | None:
        """The seed, once the verifier has completed it."""
        if self.seed_text is None:
            return None
        return compute_seed(self.log_rows, self.log_root.hex(), self.population_sha256.hex(), self.seed_text)

    @property
    def drawn_strata(self) -> list[Stratum]:
        """The strata, as samples are drawn of them."""
        return [
            Stratum(one["event_type"], one["data_point"], SamplingMethod(one["method"]), int(one["size"]))
            for one in self.strata
        ]


class FindingRow(NamedTuple):
    """A finding as it is stored."""

    engagement: int
    number: int
    kind: str
    state: str
    event: int | None
    text: str
    amount: Decimal | None
    recorded_by: int | None
    recorded_by_link: int | None
    author: str
    recorded_at: datetime
    answer: str | None
    answered_by: int | None
    answerer: str | None
    answered_at: datetime | None
    decision: str | None
    decided_at: datetime | None


class StoredEngagement(NamedTuple):
    """An engagement with its sample and findings."""

    project: int
    row: EngagementRow
    sample: Sequence[DrawnRecord]
    findings: Sequence[FindingRow]


_ENGAGEMENTS: Final = """
    SELECT e.id, e.report_id, e.state, e.verifier, e.scope, e.criteria, e.assurance, e.materiality_percent,
           e.materiality_amount, e.strata, e.population_sha256, e.population_count, e.log_rows, e.log_root,
           e.created_by, e.created_by_link, coalesce(u.name, l.name), e.created_at, e.seed_text, e.drawn_at,
           e.conclusion, e.reasons, e.total, e.statement, e.signature, e.verifier_key, e.bundle_sha256,
           e.ended_at, coalesce((
               SELECT sum(i.amount * coalesce(counted.factor, 1))
                 FROM report_batches i JOIN batches b ON (b.project_id, b.id) = (i.project_id, i.batch_id)
                 LEFT JOIN report_ledgers counted
                        ON (counted.project_id, counted.report_id, counted.ledger_id)
                         = (i.project_id, i.report_id, b.ledger_id)
                WHERE (i.project_id, i.report_id) = (r.project_id, r.id)), 0),
           coalesce((SELECT g.unit FROM ledgers g WHERE (g.project_id, g.id) = (r.project_id, r.ledger_id)),
           '')
      FROM engagements e
      JOIN reports r ON (r.project_id, r.id) = (e.project_id, e.report_id)
      LEFT JOIN users u ON u.id = e.created_by
      LEFT JOIN report_links l ON (l.project_id, l.id) = (e.project_id, e.created_by_link)
     WHERE e.project_id = %s AND e.report_id = %s AND e.id = coalesce(%s, e.id)
     ORDER BY e.id
"""
_SAMPLES: Final = """
    SELECT engagement_id, stratum, event_id, amount, is_certain FROM engagement_samples
     WHERE project_id = %s AND engagement_id = ANY (%s) ORDER BY engagement_id, stratum, event_id
"""
_FINDINGS: Final = """
    SELECT f.engagement_id, f.number, f.kind, f.state, f.event_id, f.text, f.amount, f.recorded_by,
           f.recorded_by_link, coalesce(u.name, l.name), f.recorded_at, f.answer, f.answered_by, a.name,
           f.answered_at, f.decision, f.decided_at
      FROM engagement_findings f
      LEFT JOIN users u ON u.id = f.recorded_by
      LEFT JOIN report_links l ON (l.project_id, l.id) = (f.project_id, f.recorded_by_link)
      LEFT JOIN users a ON a.id = f.answered_by
     WHERE f.project_id = %s AND f.engagement_id = ANY (%s) ORDER BY f.engagement_id, f.number
"""


async def read_engagements(
    tx: Read, report: identity.Key, number: int | None = None
) -> list[StoredEngagement]:
    """The engagements on a report, or the one with a number."""
    rows = await tx.rows(EngagementRow, _ENGAGEMENTS, (report.project, report.key, number))
    numbers = [row.number for row in rows]
    samples: dict[int, list[DrawnRecord]] = {}
    for engagement, stratum, event, amount, is_certain in await tx.tuples(
        _SAMPLES, (report.project, numbers)
    ):
        samples.setdefault(engagement, []).append(DrawnRecord(stratum, event, amount, is_certain))
    findings: dict[int, list[FindingRow]] = {}
    for finding in await tx.rows(FindingRow, _FINDINGS, (report.project, numbers)):
        findings.setdefault(finding.engagement, []).append(finding)
    return [
        StoredEngagement(report.project, row, samples.get(row.number, []), findings.get(row.number, []))
        for row in rows
    ]


async def find_engagement(tx: Read, report: identity.Key, named: str) -> StoredEngagement:
    """The engagement on a report that a path names; NotFound when there is none."""
    number = number_named("engagement", named)
    found = await read_engagements(tx, report, number)
    if not found:
        raise NotFound("engagement", named)
    return found[0]


async def read_population_text(tx: Read, project: int, engagement: int) -> bytes:
    """The population of an engagement, as bundles contain it."""
    [(content,)] = await tx.tuples(
        "SELECT population FROM engagements WHERE project_id = %s AND id = %s", (project, engagement)
    )
    return bytes(content)


# The records of the log and of bundles.


def name_engagement(stored: StoredEngagement) -> str:
    """What the log calls an engagement."""
    return f"engagement {stored.row.number} of {identity.of('report', stored.project, stored.row.report)}"


def name_finding(stored: StoredEngagement, number: int) -> str:
    """What the log calls a finding."""
    return f"finding {number} of {name_engagement(stored)}"


def record_engagement(stored: StoredEngagement) -> dict[str, Any]:
    """An engagement without its findings, as the log and bundles record it."""
    row = stored.row
    return {
        "assurance": row.assurance,
        "bundle_sha256": None if row.bundle_sha256 is None else row.bundle_sha256.hex(),
        "conclusion": row.conclusion,
        "created_at": _time(row.created_at),
        "created_by": row.created_by,
        "created_by_link": row.created_by_link,
        "criteria": row.criteria,
        "drawn_at": _time(row.drawn_at),
        "ended_at": _time(row.ended_at),
        "engagement": row.number,
        "log_root": row.log_root.hex(),
        "log_rows": row.log_rows,
        "materiality_amount": _number(row.materiality_amount),
        "materiality_percent": _number(row.materiality_percent),
        "population_count": row.population_count,
        "population_sha256": row.population_sha256.hex(),
        "reasons": row.reasons,
        "report_id": identity.of("report", stored.project, row.report),
        "sample": [
            {
                "amount": _number(drawn.amount), "is_certain": drawn.is_certain, "record": drawn.record,
                "stratum": drawn.stratum,
            }
            for drawn in stored.sample
        ],
        "scope": row.scope,
        "seed": row.seed,
        "seed_text": row.seed_text,
        "state": row.state,
        "strata": [
            {
                "data_point": one.data_point, "event_type": one.event_type, "method": str(one.method),
                "size": one.size,
            }
            for one in row.drawn_strata
        ],
        "total": _number(row.total),
        "unit": row.unit,
        "verifier": row.verifier,
        "verifier_key": row.verifier_key,
    }  # fmt: skip


def record_finding(finding: FindingRow) -> dict[str, Any]:
    """A finding, as the log and bundles record it."""
    return {
        "amount": _number(finding.amount),
        "answer": finding.answer,
        "answered_at": _time(finding.answered_at),
        "answered_by": finding.answered_by,
        "decided_at": _time(finding.decided_at),
        "decision": finding.decision,
        "kind": finding.kind,
        "number": finding.number,
        "record": finding.event,
        "recorded_at": _time(finding.recorded_at),
        "recorded_by": finding.recorded_by,
        "recorded_by_link": finding.recorded_by_link,
        "state": finding.state,
        "text": finding.text,
    }


def _number(value: Decimal | None) -> str | None:
    return None if value is None else plain(value)


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else Instant.of(moment).text


def _instant(moment: datetime | None) -> Instant | None:
    return None if moment is None else Instant.of(moment)


# The records of the interface.


def show_engagement(stored: StoredEngagement) -> Engagement:
    """An engagement as the interface shows it, with the effect of its findings on the total."""
    row = stored.row
    return Engagement(
        id=row.number,
        report_id=identity.of("report", stored.project, row.report),
        state=row.state,
        verifier=row.verifier,
        scope=row.scope,
        criteria=row.criteria,
        assurance=row.assurance,
        materiality_percent=row.materiality_percent,
        materiality_amount=row.materiality_amount,
        strata=[
            SampleStratum(one.event_type, one.size, one.method, one.data_point) for one in row.drawn_strata
        ],
        population_count=row.population_count,
        population_sha256=row.population_sha256.hex(),
        log_rows=row.log_rows,
        log_root=row.log_root.hex(),
        seed_text=row.seed_text,
        seed=row.seed,
        sample_count=len(stored.sample),
        drawn_at=_instant(row.drawn_at),
        effect=compute_findings_effect(stored),
        findings=[show_finding(stored.project, finding) for finding in stored.findings],
        opinion=_show_opinion(row),
        created_by=row.author,
        created_at=Instant.of(row.created_at),
        ended_at=_instant(row.ended_at),
    )


def compute_findings_effect(stored: StoredEngagement) -> FindingsEffect:
    """The effect of the open findings on the total: that of the opinion, or else the present one."""
    total = stored.row.total_now if stored.row.total is None else stored.row.total
    record = record_engagement(stored) | {"total": plain(total)}
    effect = effect_of_record(record, [record_finding(finding) for finding in stored.findings])
    return FindingsEffect(
        effect.signed, effect.absolute, effect.threshold, effect.is_material, total, stored.row.unit,
        effect.open_requests,
    )  # fmt: skip


def show_finding(project: int, finding: FindingRow) -> VerifierFinding:
    """A finding as the interface shows it."""
    return VerifierFinding(
        number=finding.number,
        kind=finding.kind,
        state=finding.state,
        event_id=None if finding.event is None else identity.of("event", project, finding.event),
        text=finding.text,
        amount=finding.amount,
        recorded_by=finding.author,
        recorded_at=Instant.of(finding.recorded_at),
        answer=finding.answer,
        answered_by=finding.answerer,
        answered_at=_instant(finding.answered_at),
        decision=finding.decision,
        decided_at=_instant(finding.decided_at),
    )


def _show_opinion(row: EngagementRow) -> Opinion | None:
    if row.conclusion is None or row.bundle_sha256 is None:
        return None
    return Opinion(
        row.conclusion, row.reasons or "", row.statement or "", row.signature or "", row.verifier_key or "",
        row.bundle_sha256.hex(),
    )  # fmt: skip
