"""The submission requirements that a draft does not meet, each with the records in the way.

Invariant: a draft of which every requirement is met is one that a submission does not reject for them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, LiteralString, NamedTuple

import msgspec

from weighbridge.accounting.books.balances import Shortage, apply_changes, list_shortages, read_standings
from weighbridge.accounting.books.runs import select_stale
from weighbridge.accounting.ledgers_queries import show_deficit
from weighbridge.collection.measurements.annotations import IS_ALERT, PARAMETERS, WITH_RULE
from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import plain
from weighbridge.core.report.restatement import compute_measured_share
from weighbridge.core.report.state import OPTIONAL_REQUIREMENTS, Requirement
from weighbridge.core.rule.states import ApprovalState
from weighbridge.db.engine import Read
from weighbridge.platform.changes.staleness import IS_NEWEST
from weighbridge.reporting.inclusion.amounts import amounts_of, remaining_of
from weighbridge.reporting.inclusion.remaining import (
    ChainHoldings,
    Remaining,
    reported_batches,
    shares_of_batches,
)
from weighbridge.reporting.submission.late_data import UpstreamBasis, find_upstream, late_data

# Which submission requirements a draft does not meet: each is named, with the records in the way.
#
# Data and evidence are asked of all that the report rests on, up to the first ledger of the chain; models
# and measured shares of the batches that it takes, for a measured share speaks of the whole chain already.


RECORDS_MAX: Final = 20
"""Records that one requirement names; there may be more."""

UNMET: Final = Problem("Report does not meet submission requirements", None, "requirements")
"""What a refusal begins with; what follows are the requirements."""


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """A draft as it is checked: what it takes, what may be taken, and what its chain holds."""

    project: int
    report: int
    methodology: int | None
    amounts: Mapping[int, Decimal]
    remaining: Remaining
    held: ChainHoldings


async def unmet(tx: Read, draft: CheckedDraft) -> list[Problem]:
    """Every requirement that a draft with batches does not meet."""
    problems = list(draft.remaining.problems(draft.amounts))
    upstream = await find_upstream(tx, draft.project, sorted(draft.amounts))
    values = {
        "project": draft.project,
        "report": draft.report,
        "batches": sorted(draft.amounts),
        "basis": sorted({*draft.amounts, *upstream.batches}),
        "pending": ApprovalState.PENDING,
        "named": RECORDS_MAX,
        **PARAMETERS,
    }
    needed = {*_ALWAYS, *await _methodology_asks(tx, draft.methodology)}
    values["methodology"] = draft.methodology
    for requirement, (statement, kind, sentence) in _ASKED.items():
        if requirement not in needed:
            continue
        [(count, records)] = await tx.tuples(_COUNTED.format(statement), values)
        if count:
            named_ones = [ids.of(kind, draft.project, number) for number in records or ()]
            problems.append(_problem(requirement, sentence, count, named_ones))
    problems += await late_data(tx, draft.project, sorted(draft.amounts), RECORDS_MAX)
    problems += await _measured_too_little(tx, draft)
    problems += await _open_deficits(tx, draft)
    problems += await _upstream_deficits(tx, draft, upstream)
    return problems


async def asked_of(tx: Read, methodology: int | None) -> list[Requirement]:
    """What must hold of a report of a methodology, or of none, before it is sent off."""
    least = await tx.value("SELECT measured_share_min FROM methodologies WHERE id = %s", (methodology,))
    asked = {*_OF_EVERY, *_ALWAYS, *await _methodology_asks(tx, methodology)}
    asked |= set() if least is None else {Requirement.MEASURED_ENOUGH}
    return [one for one in Requirement if one in asked]


def no_batches() -> Problem:
    """The requirement that a draft without batches does not meet."""
    return Problem("It takes from no batch.", "report.batches", Requirement.HAS_BATCHES)


def batches_gone(project: int, gone: Sequence[int]) -> Problem:
    """The requirement that a draft does not meet whose batches were deleted."""
    named = [ids.of("batch", project, number) for number in gone[:RECORDS_MAX]]
    return _problem(
        Requirement.BATCHES_THERE, "{count} of its batches were deleted: {records}.", len(gone), named
    )


def _problem(requirement: Requirement, sentence: str, count: int, records: Sequence[str]) -> Problem:
    message = sentence.format(count=count, records=", ".join(records))
    return Problem(message, None, requirement, tuple(records))


async def _methodology_asks(tx: Read, methodology: int | None) -> set[Requirement]:
    if methodology is None:
        return set()
    [(named, has_models)] = await tx.tuples(
        """
        SELECT m.submission_requirements,
               EXISTS (SELECT FROM methodology_models i WHERE i.methodology_id = m.id)
          FROM methodologies m WHERE m.id = %s
        """,
        (methodology,),
    )
    asks = {OPTIONAL_REQUIREMENTS[name] for name in named}
    return asks | {Requirement.OF_ITS_MODELS} if has_models else asks


async def _measured_too_little(tx: Read, draft: CheckedDraft) -> list[Problem]:
    """Whether less was measured of what the report takes than its methodology asks for."""
    least: Decimal | None = await tx.value(
        "SELECT measured_share_min FROM methodologies WHERE id = %s", (draft.methodology,)
    )
    if least is None:
        return []
    shares = await shares_of_batches(tx, ids.Key(draft.project, draft.report))
    unknown = [one.batch for one in shares if one.share is None]
    if unknown:
        sentence = "Of {count} of its batches nobody knows how much was measured: {records}."
        named = [ids.of("batch", draft.project, number) for number in unknown[:RECORDS_MAX]]
        return [_problem(Requirement.MEASURED_ENOUGH, sentence, len(unknown), named)]
    share = compute_measured_share(shares)
    if share is not None and share >= least:
        return []
    below = [one.batch for one in shares if one.share is not None and one.share < least]
    named = [ids.of("batch", draft.project, number) for number in below[:RECORDS_MAX]]
    message = (
        f"Of what it takes {0 if share is None else plain(share)} was measured, and its methodology asks for "
        f"{plain(least)}; {len(below)} of its batches are below that: {', '.join(named)}."
    )
    return [Problem(message, None, Requirement.MEASURED_ENOUGH, tuple(named))]


async def _open_deficits(tx: Read, draft: CheckedDraft) -> list[Problem]:
    """Deficits of the ledger that are open at a moment of the report's period, once it takes what it says.

    What its chain holds is there for it: a report that states less than an accepted one may end a deficit.
    """
    [ledger] = {batch.ledger for batch in draft.remaining.batches.values()}
    standings = await read_standings(tx, draft.project, [ledger])
    after = apply_changes(standings, draft.remaining.changes(draft.amounts, draft.held))
    short = _of_its_period(draft, list_shortages(after))
    if not short:
        return []
    message = f"In its period more was drawn of the ledger than produced: {_named(draft, short)}."
    return [Problem(message, None, Requirement.NO_OPEN_DEFICITS, (ids.of("ledger", draft.project, ledger),))]


async def _upstream_deficits(tx: Read, draft: CheckedDraft, upstream: UpstreamBasis) -> list[Problem]:
    """Deficits that are open at a moment of the report's period in ledgers that its batches draw from."""
    if not upstream.ledgers:
        return []
    short = _of_its_period(draft, list_shortages(await read_standings(tx, draft.project, upstream.ledgers)))
    ledgers = sorted({one.account.ledger for one in short})
    if not ledgers:
        return []
    named = tuple(ids.of("ledger", draft.project, ledger) for ledger in ledgers)
    message = (
        f"More was drawn than produced of ledgers that it draws from, {', '.join(named)}: "
        f"{_named(draft, short)}."
    )
    return [Problem(message, None, Requirement.NO_OPEN_DEFICITS, named)]


def _of_its_period(draft: CheckedDraft, found: Iterable[Shortage]) -> list[Shortage]:
    batches = draft.remaining.batches.values()
    start, end = min(one.start_time for one in batches), max(one.end_time for one in batches)
    return [
        one for one in found if one.opened_at <= end and (one.settled_at is None or one.settled_at > start)
    ]


def _named(draft: CheckedDraft, short: Sequence[Shortage]) -> str:
    deficits = [show_deficit(draft.project, one) for one in short[:RECORDS_MAX]]
    return ", ".join(
        f"{one.amount} from {one.end_time.text} on" + (f" of {one.partition}" if one.partition else "")
        for one in deficits
    )


_COUNTED: Final = """
    SELECT count(*), (array_agg(number ORDER BY number))[1:%(named)s] FROM ({}) AS found (number)
"""

# The newest batch of a run on the ledger says whether what it stands on has changed.
_STALE: Final = f"""
    SELECT own.id
      FROM batches own
      JOIN batches b ON (b.project_id, b.run_id, b.ledger_id) = (own.project_id, own.run_id, own.ledger_id)
       AND {IS_NEWEST}
     WHERE own.project_id = %(project)s AND own.id = ANY (%(basis)s)
       AND (b.project_id, b.id) IN ({select_stale("= %(project)s")})
"""

_RUNS: Final = """
    FROM batches own
    JOIN batches b ON (b.project_id, b.run_id, b.ledger_id) = (own.project_id, own.run_id, own.ledger_id)
     AND b.deleted_at IS NULL
"""
"""All batches `b` of the runs of a report's batches `own`."""

_INPUTS: Final = f"""
    {_RUNS}
    JOIN batch_inputs i ON (i.project_id, i.batch_id) = (b.project_id, b.id)
"""
"""The chunks `i` of lineage of all batches of the runs of a report's batches `own`."""

_OF_REPORT: Final = "own.project_id = %(project)s AND own.id = ANY (%(batches)s)"

_OF_BASIS: Final = "own.project_id = %(project)s AND own.id = ANY (%(basis)s)"

_PROPOSALS: Final = f"""
    SELECT r.id FROM data_point_results r {WITH_RULE}
     WHERE r.project_id = %(project)s AND r.approval_state = %(pending)s
       AND EXISTS (SELECT {_INPUTS}
                    WHERE {_OF_BASIS} AND int8range(i.first_event, i.last_event, '[]') @> r.event_id
                      AND r.event_id = ANY (i.event_ids))
    UNION ALL
    SELECT r.id FROM data_point_results r {WITH_RULE}
     WHERE r.project_id = %(project)s AND r.approval_state = %(pending)s AND r.slot_start IS NOT NULL
       AND EXISTS (SELECT {_RUNS}
                     JOIN runs u ON (u.project_id, u.id) = (b.project_id, b.run_id)
                      AND u.start_time < r.slot_end AND u.end_time > r.slot_start
                     JOIN batch_input_sets s ON (s.project_id, s.batch_id) = (b.project_id, b.id)
                      AND s.event_type_id = r.event_type_id AND r.position = ANY (s.positions)
                    WHERE {_OF_BASIS})
"""
"""Proposals for data that it rests on, or for slots of that time without an event of what is read."""

_ALERTED: Final = f"""
    SELECT r.batch_id FROM model_run_results r {WITH_RULE}
     WHERE r.project_id = %(project)s AND r.batch_id = ANY (%(basis)s) AND {IS_ALERT}
    UNION
    SELECT own.id {_INPUTS}
      JOIN data_point_results r ON r.project_id = i.project_id
       AND int8range(i.first_event, i.last_event, '[]') @> r.event_id AND r.event_id = ANY (i.event_ids)
      {WITH_RULE}
     WHERE {_OF_BASIS} AND {IS_ALERT}
"""

_OTHER_MODELS: Final = f"""
    SELECT own.id FROM batches own LEFT JOIN models m ON m.id = own.model_id
     WHERE {_OF_REPORT} AND NOT EXISTS (
           SELECT FROM methodology_models i JOIN models named ON named.id = i.model_id
            WHERE i.methodology_id = %(methodology)s AND named.family_id = m.family_id)
"""

# A batch that was made of draws alone has the evidence of those that it drew from.
_WITHOUT_EVIDENCE: Final = f"""
    SELECT wanting.id FROM batches wanting
     WHERE wanting.project_id = %(project)s AND wanting.id = ANY (%(basis)s)
       AND NOT EXISTS (SELECT {_INPUTS} JOIN evidence e ON e.project_id = i.project_id
                          AND e.event_id = ANY (i.event_ids)
                        WHERE (own.project_id, own.id) = (wanting.project_id, wanting.id))
       AND (EXISTS (SELECT {_INPUTS} WHERE (own.project_id, own.id) = (wanting.project_id, wanting.id))
         OR NOT EXISTS (SELECT {_RUNS}
                          JOIN batch_draws d ON (d.project_id, d.batch_id) = (b.project_id, b.id)
                         WHERE (own.project_id, own.id) = (wanting.project_id, wanting.id)))
"""

_OF_EVERY: Final = (
    Requirement.HAS_BATCHES,
    Requirement.BATCHES_THERE,
    Requirement.AMOUNTS_REMAIN,
    Requirement.NO_LATE_DATA,
    Requirement.NO_OPEN_DEFICITS,
)
"""What is asked of every report beside what one statement finds."""

_ALWAYS: Final = (Requirement.NOT_STALE, Requirement.NO_PENDING_PROPOSALS)

_ASKED: Final[Mapping[Requirement, tuple[LiteralString, str, str]]] = {
    Requirement.NOT_STALE: (
        _STALE,
        "batch",
        "Data behind {count} of the batches that it rests on have changed: {records}.",
    ),
    Requirement.NO_PENDING_PROPOSALS: (
        _PROPOSALS,
        "data_point_result",
        "{count} corrections of the data behind it wait for approval: {records}.",
    ),
    Requirement.OF_ITS_MODELS: (
        _OTHER_MODELS,
        "batch",
        "{count} of its batches were made by models that do not implement its methodology: {records}.",
    ),
    Requirement.NO_OPEN_ALERTS: (
        _ALERTED,
        "batch",
        "Alerts stand behind {count} of the batches that it rests on: {records}.",
    ),
    Requirement.HAS_EVIDENCE: (
        _WITHOUT_EVIDENCE,
        "batch",
        "{count} of the batches that it rests on have no evidence: {records}.",
    ),
}
"""By requirement the statement that finds what does not meet it, what that is, and how it is told."""


# Check a draft against its requirements: to refuse its submission, or to show how far it is.
#
# Invariant: a draft of which every requirement is met is one that a submission does not refuse for them.


class DraftBasis(NamedTuple):
    """A draft that is checked: its project and number, and the chain and the methodology that it is of."""

    project: int
    number: int
    chain: int
    methodology: int | None


@dataclass(frozen=True, slots=True)
class CheckedRequirement:
    """One requirement, and what keeps the draft from meeting it."""

    requirement: Requirement
    is_met: bool | None
    """None while the draft lacks what this one asks about: batches that are there."""
    problems: tuple[Problem, ...] = ()


async def check_draft(tx: Read, basis: DraftBasis) -> tuple[CheckedDraft | None, list[Problem]]:
    """What a draft takes, as far as it can be checked, and every requirement that it does not meet."""
    amounts = dict((await amounts_of(tx, basis.project, basis.number)).by_batch)
    if not amounts:
        return None, [no_batches()]
    batches = await reported_batches(tx, basis.project, amounts)
    if gone := [number for number, batch in batches.items() if batch.is_deleted]:
        return None, [batches_gone(basis.project, gone)]
    remaining, held = await remaining_of(tx, basis.project, basis.chain, batches)
    draft = CheckedDraft(basis.project, basis.number, basis.methodology, amounts, remaining, held)
    return draft, await unmet(tx, draft)


async def requirements_of(tx: Read, report: ids.Key) -> list[CheckedRequirement]:
    """Every requirement of a draft that is known to be there, in their order, met or not."""
    row = await tx.row(_Basis, _BASIS, (report.project, report.key))
    if row is None:
        return []
    draft, problems = await check_draft(
        tx, DraftBasis(report.project, report.key, row.chain_id, row.methodology_id)
    )
    asked = await asked_of(tx, row.methodology_id)
    return [_checked(one, problems, is_known=draft is not None) for one in asked]


class _Basis(msgspec.Struct, frozen=True):
    chain_id: int
    methodology_id: int | None


def _checked(asked: Requirement, problems: Sequence[Problem], *, is_known: bool) -> CheckedRequirement:
    own = tuple(one for one in problems if one.code == asked)
    if own:
        return CheckedRequirement(asked, is_met=False, problems=own)
    is_first = asked is Requirement.HAS_BATCHES
    return CheckedRequirement(asked, is_met=True if is_known or (is_first and problems) else None)


_BASIS = "SELECT chain_id, methodology_id FROM reports WHERE project_id = %s AND id = %s"
