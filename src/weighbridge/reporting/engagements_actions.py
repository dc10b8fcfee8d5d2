"""What can be done about the engagements on a report, by a token or by a link.

A verifier, by a token with `production_accounting:verify` or by a link that may act as the verifier, begins
an engagement, draws its sample, records findings, decides about answers, and concludes it with a signed
opinion. The operator may begin one too, and answers findings.

Invariants: what was agreed, drawn and found never changes; nothing changes once an engagement has ended;
every change has a row in the audit log with the record afterwards, in the form of bundles.
"""

import asyncio
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Final

import msgspec

from weighbridge.core import identity
from weighbridge.core.bundle.contents import REPORT, SUMS
from weighbridge.core.bundle.engagements import write_population
from weighbridge.core.bundle.rows import parse_time
from weighbridge.core.engagement.findings import (
    DECISIONS,
    ENGAGEMENT_MOVES,
    FINDING_MOVES,
    FINDINGS_MAX,
    Assurance,
    Conclusion,
    Effect,
    EngagementState,
    EngagementTrigger,
    FindingKind,
    FindingState,
    FindingTrigger,
    explain_conclusion,
)
from weighbridge.core.engagement.opinion import (
    NAMESPACE,
    build_predicate,
    list_subjects,
    read_ssh_key,
    verify_opinion,
    write_statement,
)
from weighbridge.core.engagement.sampling import (
    SAMPLE_SIZE_MAX,
    STRATA_MAX,
    DrawnRecord,
    SamplingMethod,
    Stratum,
    compute_seed,
    draw,
)
from weighbridge.core.identity import problem_of_name
from weighbridge.core.number import plain, shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.proof import Span
from weighbridge.core.signing import UnprovenError, write_ssh_public_key
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.db.statements import jsonb
from weighbridge.errors import Conflict, Invalid, NotFound
from weighbridge.http.messages.operation import Files
from weighbridge.platform import changes
from weighbridge.platform.audit_tree import roots_of, seal_account, size_of
from weighbridge.platform.tenancy import number_named
from weighbridge.reporting.bundle.population import (
    freeze_population,
    read_frozen_population,
    read_present_population,
)
from weighbridge.reporting.bundle.storage import KeptBundle, kept_bundle, need_bundle
from weighbridge.reporting.engagement.forms import (
    SIGNATURE_LENGTH_MAX,
    STATEMENT_LENGTH_MAX,
    Engagement,
    Engagements,
    FindingAnswer,
    FindingDecision,
    NewEngagement,
    NewFinding,
    OpinionDraft,
    PopulationChanges,
    Sample,
    SampleDraw,
    SignedOpinion,
    StatementToSign,
)
from weighbridge.reporting.engagement.sampled import read_sampled_records
from weighbridge.reporting.engagement.storage import (
    StoredEngagement,
    compute_findings_effect,
    find_engagement,
    name_engagement,
    name_finding,
    read_engagements,
    record_engagement,
    record_finding,
    show_engagement,
)
from weighbridge.reporting.reports_queries import report_numbered
from weighbridge.reporting.submission.amounts import check_size

ENGAGEMENTS_MAX: Final = 50
"""Engagements on one report."""

CLOCKS_APART: Final = timedelta(minutes=5)
"""By how much the time of a statement may be after the time of the database."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Who acts on the engagements of a report: a user, or the holder of a link."""

    actor: Actor
    report: identity.Key
    files: Files
    link: int | None = None

    @property
    def user(self) -> int | None:
        """The number of the user; None for the holder of a link."""
        return None if self.link is not None else self.actor.user_id


# Read engagements, samples, and what changed since.


async def list_desk_engagements(tx: Read, desk: Desk) -> Engagements:
    """All engagements on the report."""
    return Engagements([show_engagement(stored) for stored in await read_engagements(tx, desk.report)])


async def read_sample(tx: Read, desk: Desk, named: str) -> Sample:
    """The sample of an engagement, record by record, and how the population changed since it began."""
    stored = await find_engagement(tx, desk.report, named)
    records = await read_sampled_records(tx, desk.actor.account_id, stored) if stored.sample else []
    return Sample(records, await _compare_populations(tx, desk, stored))


async def _compare_populations(tx: Read, desk: Desk, stored: StoredEngagement) -> PopulationChanges:
    report = await report_numbered(tx, desk.report.project, desk.report.key)
    before = await read_frozen_population(tx, stored)
    now = await read_present_population(tx, desk.report, report, stored.row.drawn_strata)
    added, removed, changed = set[int](), set[int](), set[int]()
    for old, new in zip(before, now, strict=True):
        amounts, present = dict(old), dict(new)
        added |= present.keys() - amounts.keys()
        removed |= amounts.keys() - present.keys()
        changed |= {
            record for record in amounts.keys() & present.keys() if amounts[record] != present[record]
        }
    return PopulationChanges(*(_name_events(desk, numbers) for numbers in (added, removed, changed)))


def _name_events(desk: Desk, numbers: set[int]) -> list[str]:
    return [identity.of("event", desk.report.project, number) for number in sorted(numbers)]


# Begin an engagement: its population and the head of the log are those of this moment.


async def begin_engagement(tx: Write, desk: Desk, new: NewEngagement) -> Engagement:
    """Begin an engagement on the report."""
    report, project = desk.report, desk.report.project
    await tx.execute(
        "SELECT FROM reports WHERE project_id = %s AND id = %s FOR NO KEY UPDATE", (project, report.key)
    )
    if problems := [*_check_agreement(new), *await _check_count(tx, report)]:
        raise Invalid(problems)
    strata = [
        Stratum(one.event_type, one.data_point, SamplingMethod(one.method), one.size) for one in new.strata
    ]
    record = await report_numbered(tx, project, report.key)
    population = await freeze_population(tx, report, record, strata)
    content = write_population(population)
    await seal_account(tx, desk.actor.account_id, waits=True)
    rows = await size_of(tx, desk.actor.account_id)
    [root] = await roots_of(tx, desk.actor.account_id, [Span(0, rows)])
    number = await tx.value(
        """
        INSERT INTO engagements (project_id, report_id, verifier, scope, criteria, assurance,
                                 materiality_percent, materiality_amount, strata, population,
                                 population_sha256, population_count,
                                 log_rows, log_root, created_by, created_by_link)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, sha256(%s), %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            project, report.key, new.verifier.strip(), new.scope.strip(), new.criteria.strip(), new.assurance,
            new.materiality_percent, new.materiality_amount, jsonb([one._asdict() for one in strata]),
            content, content, sum(map(len, population)), rows, root, desk.user, desk.link,
        ),
    )  # fmt: skip
    return await _record_engagement(tx, desk, str(number), action="engagement.create")


def _check_word(word: str, words: type[StrEnum], field: str) -> Iterator[Problem]:
    """A word has to be one of some."""
    if word not in [*words]:
        message = f"{field} is {shorten(word)!r}; it must be one of: {', '.join(words)}."
        yield Problem(message, field, "invalid")


def _check_strata(new: NewEngagement) -> Iterator[Problem]:
    for index, stratum in enumerate(new.strata):
        field = f"engagement.strata[{index}]"
        yield from _check_word(stratum.method, SamplingMethod, f"{field}.method")
        if not 1 <= stratum.size <= SAMPLE_SIZE_MAX:
            message = f"size is {shorten(str(stratum.size))}; it must be from 1 to {SAMPLE_SIZE_MAX:,}."
            yield Problem(message, f"{field}.size", "invalid")
    if len(new.strata) > STRATA_MAX:
        message = f"strata has {len(new.strata)} entries; at most {STRATA_MAX} are taken."
        yield Problem(message, "engagement.strata", "too_many")


def _check_number(value: Decimal | None, field: str) -> Iterator[Problem]:
    if value is not None and (problem := check_size(value, field)):
        yield problem


def _check_agreement(new: NewEngagement) -> Iterator[Problem]:
    yield from _check_number(new.materiality_percent, "engagement.materiality_percent")
    yield from _check_number(new.materiality_amount, "engagement.materiality_amount")
    yield from _check_word(new.assurance, Assurance, "engagement.assurance")
    yield from _check_strata(new)
    if problem := problem_of_name(new.verifier, "A verifier", "engagement.verifier"):
        yield problem
    for name in ("scope", "criteria"):
        if not getattr(new, name).strip():
            yield Problem(f"{name} is blank; state it in a sentence.", f"engagement.{name}", "required")
    if new.materiality_percent is None and new.materiality_amount is None:
        message = "materiality_percent and materiality_amount are missing; state at least one of them."
        yield Problem(message, "engagement.materiality_percent", "required")
    if new.materiality_percent is not None and not 0 < new.materiality_percent <= 100:
        message = f"materiality_percent is {new.materiality_percent}; it must be above 0 and at most 100."
        yield Problem(message, "engagement.materiality_percent", "invalid")
    if new.materiality_amount is not None and new.materiality_amount <= 0:
        message = f"materiality_amount is {new.materiality_amount}; it must be above 0."
        yield Problem(message, "engagement.materiality_amount", "invalid")


async def _check_count(tx: Read, report: identity.Key) -> list[Problem]:
    count = await tx.value(
        "SELECT count(*) FROM engagements WHERE project_id = %s AND report_id = %s",
        (report.project, report.key),
    )
    if count < ENGAGEMENTS_MAX:
        return []
    return [Problem(f"The report has {count} engagements; it can have no more.", "engagement", "too_many")]


# Draw the sample.


async def draw_sample(tx: Write, desk: Desk, named: str, request: SampleDraw) -> Engagement:
    """Draw the sample of an engagement, once, by the seed that the verifier's text completes."""
    stored = await _lock_open(tx, desk, named)
    text = request.seed_text.strip()
    if problem := problem_of_name(text, "A seed text", "seed_text"):
        raise Invalid([problem])
    row = stored.row
    if row.seed_text is not None:
        message = "The sample of this engagement is drawn; begin another engagement for another sample."
        raise Conflict([Problem(message, "seed_text", "engagement_state")])
    seed = compute_seed(row.log_rows, row.log_root.hex(), row.population_sha256.hex(), text)
    drawn = draw(seed, row.drawn_strata, await read_frozen_population(tx, stored))
    await tx.execute(
        "UPDATE engagements SET seed_text = %s, drawn_at = now() WHERE project_id = %s AND id = %s",
        (text, stored.project, row.number),
    )
    await _insert_sample(tx, stored, drawn)
    return await _record_engagement(tx, desk, named, action="engagement.draw", before=stored)


async def _insert_sample(tx: Write, stored: StoredEngagement, drawn: Sequence[DrawnRecord]) -> None:
    columns = [list(column) for column in zip(*drawn, strict=True)]
    await tx.execute(
        """
        INSERT INTO engagement_samples (project_id, engagement_id, stratum, event_id, amount, is_certain)
        SELECT %s, %s, stratum, event_id, amount, is_certain
          FROM unnest(%s::smallint[], %s::bigint[], %s::numeric[], %s::boolean[])
               AS drawn (stratum, event_id, amount, is_certain)
        """,
        (stored.project, stored.row.number, *columns),
    )


# Findings: recorded and decided by the verifier, answered by the operator.


async def insert_finding(tx: Write, desk: Desk, named: str, new: NewFinding) -> Engagement:
    """Record a finding."""
    stored = await _lock_open(tx, desk, named)
    event = await _find_event(tx, desk, new.event_id)
    if problems := [*_check_finding(new, stored)]:
        raise Invalid(problems)
    number = len(stored.findings) + 1
    await tx.execute(
        """
        INSERT INTO engagement_findings (project_id, engagement_id, number, kind, event_id, text, amount,
                                         recorded_by, recorded_by_link)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            stored.project, stored.row.number, number, new.kind, event, new.text.strip(), new.amount,
            desk.user, desk.link,
        ),
    )  # fmt: skip
    return await _record_finding(tx, desk, named, number, action="finding.create")


async def _find_event(tx: Read, desk: Desk, friendly: str | None) -> int | None:
    """The number of the record that a finding is about; Invalid where the project has no such event."""
    if friendly is None:
        return None
    number = identity.number("event", friendly, desk.report.project)
    known = await tx.value(
        "SELECT true FROM events WHERE project_id = %s AND id = %s", (desk.report.project, number)
    )
    if not known:
        message = f"event_id: event {shorten(friendly)!r} does not exist in this project."
        raise Invalid([Problem(message, "finding.event_id", "unknown")])
    return number


def _check_finding(new: NewFinding, stored: StoredEngagement) -> Iterator[Problem]:
    yield from _check_word(new.kind, FindingKind, "finding.kind")
    yield from _check_number(new.amount, "finding.amount")
    if not new.text.strip():
        yield Problem("text is blank; say what was found.", "finding.text", "required")
    if new.kind == FindingKind.REQUEST and new.amount is not None:
        yield Problem(f"amount is {new.amount}, but a request has none.", "finding.amount", "conflict")
    if new.kind != FindingKind.REQUEST and new.amount is None:
        message = f"amount is missing; an {new.kind} has the amount by which it would change the total."
        yield Problem(message, "finding.amount", "required")
    if len(stored.findings) >= FINDINGS_MAX:
        message = f"The engagement has {FINDINGS_MAX} findings; it can have no more."
        yield Problem(message, "finding", "too_many")


async def answer_finding(
    tx: Write, desk: Desk, named: str, finding: str, request: FindingAnswer
) -> Engagement:
    """Answer a finding, as the operator."""
    stored, number, state = await _lock_finding(tx, desk, named, finding, FindingTrigger.ANSWER)
    if not request.answer.strip():
        raise Invalid([Problem("answer is blank; say what was done or found.", "answer", "required")])
    await tx.execute(
        """
        UPDATE engagement_findings SET state = %s, answer = %s, answered_by = %s, answered_at = now()
         WHERE project_id = %s AND engagement_id = %s AND number = %s
        """,
        (state, request.answer.strip(), desk.actor.user_id, stored.project, stored.row.number, number),
    )
    return await _record_finding(tx, desk, named, number, action="finding.answer", before=stored)


async def decide_finding(
    tx: Write, desk: Desk, named: str, finding: str, request: FindingDecision
) -> Engagement:
    """Resolve, reopen or withdraw a finding, as the verifier."""
    if request.decision not in DECISIONS:
        message = f"decision is {shorten(request.decision)!r}; it must be one of: {', '.join(DECISIONS)}."
        raise Invalid([Problem(message, "decision", "invalid")])
    trigger = FindingTrigger(request.decision)
    stored, number, state = await _lock_finding(tx, desk, named, finding, trigger)
    if not request.reason.strip():
        raise Invalid([Problem("reason is blank; say why you decide so.", "reason", "required")])
    await tx.execute(
        """
        UPDATE engagement_findings SET state = %s, decision = %s, decided_at = now()
         WHERE project_id = %s AND engagement_id = %s AND number = %s
        """,
        (state, request.reason.strip(), stored.project, stored.row.number, number),
    )
    return await _record_finding(tx, desk, named, number, action="finding.decide", before=stored)


async def _lock_finding(
    tx: Write, desk: Desk, named: str, finding: str, trigger: FindingTrigger
) -> tuple[StoredEngagement, int, FindingState]:
    """An engagement that is locked, the number of one of its findings, and the state after a trigger."""
    stored = await _lock_open(tx, desk, named)
    number = number_named("finding", finding)
    state = next((FindingState(one.state) for one in stored.findings if one.number == number), None)
    if state is None:
        raise NotFound("finding", finding)
    after = FINDING_MOVES.get((state, trigger))
    if after is None:
        message = f"The finding is {state}; you cannot {trigger} it."
        raise Conflict([Problem(message, None, "engagement_state")])
    return stored, number, after


# Conclude an engagement with a signed opinion, or withdraw it.


@dataclass(frozen=True, slots=True)
class _Subject:
    """The bundle that an opinion is about."""

    sha256: str
    parts: Mapping[str, str]
    amount: Decimal


async def propose_statement(
    tx: Read, desk: Desk, named: str, draft: OpinionDraft, time: str | None = None
) -> StatementToSign:
    """The statement that concludes an engagement as it is now, to be signed; of this moment unless one is
    given.
    """
    stored = await find_engagement(tx, desk.report, named)
    _require_open(stored, EngagementTrigger.CONCLUDE)
    subject = await _read_subject(tx, desk, stored)
    if time is None:
        now: datetime = await tx.value("SELECT date_trunc('milliseconds', now())")
        time = Instant.of(now).text
    if problems := [*_check_conclusion(stored, draft.conclusion, draft.reasons)]:
        raise Invalid(problems)
    statement = _build_statement(stored, subject, draft.conclusion, draft.reasons.strip(), time)
    return StatementToSign(statement.decode(), NAMESPACE)


def _check_conclusion(stored: StoredEngagement, conclusion: str, reasons: str) -> Iterator[Problem]:
    if problems := [*_check_word(conclusion, Conclusion, "conclusion")]:
        yield from problems
        return
    shown = compute_findings_effect(stored)
    effect = Effect(shown.signed, shown.absolute, shown.threshold, shown.is_material, shown.open_requests)
    is_drawn = stored.row.seed_text is not None
    for sentence in explain_conclusion(Conclusion(conclusion), effect, is_drawn=is_drawn):
        yield Problem(sentence, "conclusion", "invalid")
    if not reasons.strip():
        yield Problem("reasons is blank; state the reasons of the opinion.", "reasons", "required")


def _build_statement(
    stored: StoredEngagement, subject: _Subject, conclusion: str, reasons: str, time: str
) -> bytes:
    record = record_engagement(stored) | {"total": plain(stored.row.total_now)}
    findings = [record_finding(finding) for finding in stored.findings]
    predicate = build_predicate(record, findings, conclusion, reasons, time)
    return write_statement(list_subjects(record["report_id"], subject.sha256, subject.parts), predicate)


async def _read_subject(tx: Read, desk: Desk, stored: StoredEngagement) -> _Subject:
    """The present bundle of the report; Conflict where it states another amount than the report has now."""
    report = identity.of("report", desk.report.project, desk.report.key)
    kept = need_bundle(report, await kept_bundle(tx, desk.report.project, desk.report.key))
    subject = await _open_bundle(desk.files, kept)
    if subject.amount != stored.row.total_now:
        message = (
            f"The report's bundle states {plain(subject.amount)}, but the report includes"
            f" {plain(stored.row.total_now)} now; create the bundle again."
        )
        raise Conflict([Problem(message, None, "conflict")])
    return subject


async def _open_bundle(files: Files, kept: KeptBundle) -> _Subject:
    with await files.get(kept.storage_key, kept.size, kept.sha256) as spool:

        def read() -> tuple[bytes, bytes]:
            with zipfile.ZipFile(spool) as archive:
                return archive.read(SUMS), archive.read(REPORT)

        sums, report = await asyncio.to_thread(read)
    parts = {line[66:]: line[:64] for line in sums.decode().splitlines()}
    return _Subject(kept.sha256.hex(), parts, Decimal(msgspec.json.decode(report)["amount"]))


async def conclude_engagement(tx: Write, desk: Desk, named: str, signed: SignedOpinion) -> Engagement:
    """End an engagement with the verifier's signed opinion."""
    if problems := [*_check_lengths(signed)]:
        raise Invalid(problems)
    stored = await _lock_open(tx, desk, named, EngagementTrigger.CONCLUDE)
    subject = await _read_subject(tx, desk, stored)
    statement = signed.statement.encode()
    predicate = _read_predicate(signed.statement)
    conclusion, reasons, time = (predicate[name] for name in ("conclusion", "reasons", "time"))
    if problems := [*_check_conclusion(stored, conclusion, reasons)]:
        raise Invalid(problems)
    if _build_statement(stored, subject, conclusion, reasons, time) != statement:
        message = (
            "statement differs from that of the engagement as it is now, such as its findings or the bundle;"
            " request it again, and sign it unchanged."
        )
        raise Invalid([Problem(message, "statement", "invalid")])
    now: datetime = await tx.value("SELECT now()")
    if not stored.row.created_at <= parse_time(time) <= now + CLOCKS_APART:
        message = (
            f"statement has the time {time}, which is not between the beginning of the engagement and now."
        )
        raise Invalid([Problem(message, "statement", "invalid")])
    try:
        key = write_ssh_public_key(read_ssh_key(signed.public_key).public)
        verify_opinion(statement, signed.signature, key)
    except UnprovenError as error:
        raise Invalid([Problem(f"signature or public_key: {error}", "signature", "invalid")]) from None
    await tx.execute(
        """
        UPDATE engagements
           SET state = %s, conclusion = %s, reasons = %s, total = %s, statement = %s, signature = %s,
               verifier_key = %s, bundle_sha256 = %s, ended_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (
            EngagementState.CONCLUDED, conclusion, reasons, stored.row.total_now, signed.statement,
            signed.signature, key, bytes.fromhex(subject.sha256), stored.project, stored.row.number,
        ),
    )  # fmt: skip
    return await _record_engagement(tx, desk, named, action="engagement.conclude", before=stored)


def _check_lengths(signed: SignedOpinion) -> Iterator[Problem]:
    limits = {
        "statement": STATEMENT_LENGTH_MAX,
        "signature": SIGNATURE_LENGTH_MAX,
        "public_key": SIGNATURE_LENGTH_MAX,
    }
    for field, most in limits.items():
        if (length := len(getattr(signed, field))) > most:
            yield Problem(f"{field} has {length:,} characters; at most {most:,} are taken.", field, "invalid")


def _read_predicate(statement: str) -> dict[str, str]:
    """Conclusion, reasons and time of a statement; Invalid for any other text."""
    try:
        predicate = msgspec.json.decode(statement)["predicate"]
        Conclusion(predicate["conclusion"])
        parse_time(predicate["time"])
        return {name: str(predicate[name]) for name in ("conclusion", "reasons", "time")}
    except (msgspec.DecodeError, ValueError, KeyError, TypeError, RecursionError):
        message = "statement is not a statement that the service proposed; request it, and sign it unchanged."
        raise Invalid([Problem(message, "statement", "invalid")]) from None


async def withdraw_engagement(tx: Write, desk: Desk, named: str) -> Engagement:
    """End an engagement without an opinion."""
    stored = await _lock_open(tx, desk, named, EngagementTrigger.WITHDRAW)
    await tx.execute(
        "UPDATE engagements SET state = %s, ended_at = now() WHERE project_id = %s AND id = %s",
        (EngagementState.WITHDRAWN, stored.project, stored.row.number),
    )
    return await _record_engagement(tx, desk, named, action="engagement.withdraw", before=stored)


# What all actions share: an engagement that is locked, and the row of the log.


async def _lock_open(
    tx: Write, desk: Desk, named: str, trigger: EngagementTrigger | None = None
) -> StoredEngagement:
    """An engagement that is open, locked; NotFound when there is none, Conflict once it has ended."""
    await tx.execute(
        "SELECT FROM engagements WHERE project_id = %s AND report_id = %s AND id = %s FOR NO KEY UPDATE",
        (desk.report.project, desk.report.key, number_named("engagement", named)),
    )
    stored = await find_engagement(tx, desk.report, named)
    _require_open(stored, trigger or EngagementTrigger.WITHDRAW)
    return stored


def _require_open(stored: StoredEngagement, trigger: EngagementTrigger) -> None:
    if (EngagementState(stored.row.state), trigger) not in ENGAGEMENT_MOVES:
        message = f"The engagement is {stored.row.state}; nothing of it changes any more."
        raise Conflict([Problem(message, None, "engagement_state")])


async def _record_engagement(
    tx: Write, desk: Desk, named: str, *, action: str, before: StoredEngagement | None = None
) -> Engagement:
    after = await find_engagement(tx, desk.report, named)
    changes.record(
        tx, desk.actor, action=action, target=name_engagement(after), project_id=after.project,
        before=None if before is None else record_engagement(before), after=record_engagement(after),
    )  # fmt: skip
    return show_engagement(after)


async def _record_finding(
    tx: Write, desk: Desk, named: str, number: int, *, action: str, before: StoredEngagement | None = None
) -> Engagement:
    after = await find_engagement(tx, desk.report, named)
    changes.record(
        tx, desk.actor, action=action, target=name_finding(after, number), project_id=after.project,
        before=None if before is None else record_finding(before.findings[number - 1]),
        after=record_finding(after.findings[number - 1]),
    )  # fmt: skip
    return show_engagement(after)
