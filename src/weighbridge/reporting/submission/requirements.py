"""The submission requirements that a draft does not meet, each with the records in the way.

Invariant: a draft of which every requirement is met is one that a submission does not reject for them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, LiteralString, NamedTuple

import msgspec
from psycopg.sql import SQL

from weighbridge.accounting.books.balances import (
    Shortage,
    apply_changes,
    list_shortages,
    read_standings,
    show_deficit,
)
from weighbridge.accounting.books.runs import select_sharing_time, select_stale
from weighbridge.accounting.inputs.event_slots import ModelSlots, read_border_events, read_streams_by_time
from weighbridge.accounting.inputs.streams import Reach, read_catalogue, select_matching
from weighbridge.accounting.posting.waiting_events import USED
from weighbridge.accounting.tracing.pending_proposals import select_pending
from weighbridge.collection.measurements.annotations import IS_ALERT, PARAMETERS, WITH_RULE
from weighbridge.core import identity
from weighbridge.core.number import plain
from weighbridge.core.problem import Problem
from weighbridge.core.report import (
    OPTIONAL_REQUIREMENTS,
    OtherVersions,
    Requirement,
    compute_measured_share,
)
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.modelling.documents import find_stored_model
from weighbridge.platform.staleness import IS_NEWEST
from weighbridge.reporting.submission.amounts import (
    ChainHoldings,
    Remaining,
    find_remaining,
    read_amounts,
    read_batches,
    read_holdings,
    read_shares,
)
from weighbridge.reporting.submission.deductions import check_deductions
from weighbridge.reporting.submission.ledgers import LedgerRoles, read_ledger_roles, read_roles
from weighbridge.reporting.submission.versions import IS_OF_NAMED_VERSION

# What a report rests on: the runs of its batches, and by way of their draws those of other ledgers.
#
# In come the batches that a report takes; out go those of which its claim is made, to the first ledger of
# the chain. The newest batch of a run says what the run is made of, so draws are followed from there.
#
# A worked example. A report takes a batch of net removal, whose run drew from two batches of biochar, which
# drew from one batch of feedstock: it rests on four batches of three ledgers. A correction of a feedstock
# delivery that waits for approval waits behind the report.


BASIS: Final[LiteralString] = f"""
    RECURSIVE basis (run_id, ledger_id, holder) AS (
        SELECT own.run_id, own.ledger_id, b.id
          FROM batches own
          JOIN batches b ON (b.project_id, b.run_id, b.ledger_id)
                          = (own.project_id, own.run_id, own.ledger_id) AND {IS_NEWEST}
         WHERE own.project_id = %(project)s AND own.id = ANY (%(batches)s) AND own.run_id IS NOT NULL
        UNION
        SELECT source.run_id, source.ledger_id, b.id
          FROM basis
          JOIN batch_draws d ON (d.project_id, d.batch_id) = (%(project)s, basis.holder)
          JOIN batches source ON (source.project_id, source.id) = (d.project_id, d.source_batch_id)
          JOIN batches b ON (b.project_id, b.run_id, b.ledger_id)
                          = (source.project_id, source.run_id, source.ledger_id) AND {IS_NEWEST}
         WHERE source.run_id IS NOT NULL
    )
"""
"""The runs that batches rest on, as a table `basis`: each with its ledger and its newest batch."""


@dataclass(frozen=True, slots=True)
class UpstreamBasis:
    """The batches and ledgers of other runs that a report rests on."""

    batches: tuple[int, ...]
    """The newest batch of each run that the report's runs draw from, however far up."""
    ledgers: tuple[int, ...]
    """The ledgers of those batches."""


async def find_upstream(tx: Read, project: int, batches: Sequence[int]) -> UpstreamBasis:
    """Find what the batches of a report rest on beyond their own runs."""
    rows = await tx.tuples(_UPSTREAM, {"project": project, "batches": [*batches]})
    return UpstreamBasis(tuple(batch for batch, _ in rows), tuple(sorted({ledger for _, ledger in rows})))


_UPSTREAM: Final = f"""
    WITH {BASIS}
    SELECT holder, ledger_id FROM basis
     WHERE (run_id, ledger_id) NOT IN (
           SELECT run_id, ledger_id FROM batches
            WHERE project_id = %(project)s AND id = ANY (%(batches)s) AND run_id IS NOT NULL)
     ORDER BY holder
"""


# Late data: what was stored or changed in the time of a report and no generation has looked at yet.
#
# In come the batches that a report takes; out go events and slots that a generation has still to settle, on
# the report's ledger and on those that its batches draw from. An event that a generation saw and did not
# count is not late, and what will count of a late one only a generation can say.
#
# A worked example. A ledger's January and March were generated at noon, and its report takes both batches.
# A delivery of 20 January stored at one o'clock is late: January has not seen it. So is any delivery of
# February, for no slot has looked at that. One of January that the model's condition leaves out is not.


async def late_data(tx: Read, project: int, batches: Sequence[int], most: int) -> list[Problem]:
    """What a report's batches have not seen of their time, naming so many records at most."""
    basis = await tx.rows(_LedgerBasis, _LEDGER_BASES, {"project": project, "batches": [*batches]})
    return [
        *await _find_late_events(tx, project, basis, most),
        *await _find_stale_slots(tx, project, batches, most),
        *await _find_sharing_slots(tx, project, basis, most),
        *await _find_border_events(tx, project, basis, most),
    ]


class _LedgerBasis(msgspec.Struct, frozen=True):
    """A ledger that the report rests on, with a model version of it, and the time of all its batches."""

    ledger: int
    name: str
    model: int
    start: Instant
    end: Instant


async def _find_late_events(
    tx: Read, project: int, bases: Sequence[_LedgerBasis], most: int
) -> list[Problem]:
    catalogue = await read_catalogue(tx, project)
    newer: dict[str, set[int]] = {}
    unseen: dict[str, set[int]] = {}
    for basis in bases:
        document = (await find_stored_model(tx, basis.model)).document
        for stream in await read_streams_by_time(tx, document, catalogue):
            found = await tx.tuples(
                SQL(_LATE).format(
                    stream=select_matching(stream), window=stream.window.condition, used=SQL(USED)
                ),
                {
                    "project": project,
                    "event_type": stream.event_type,
                    "ledger": basis.ledger,
                    "start": basis.start,
                    "end": basis.end,
                    "prorated": stream.window.reach is Reach.MEETING,
                    "most": most + 1,
                },
            )
            for number, is_unseen in found:
                (unseen if is_unseen else newer).setdefault(basis.name, set()).add(number)
    return [
        _build_late_problem(project, fact.format(ledger), sorted(found), most)
        for fact, by_ledger in ((_NEWER, newer), (_UNSEEN, unseen))
        for ledger, found in by_ledger.items()
    ]


def _build_late_problem(project: int, fact: str, numbers: Sequence[int], most: int) -> Problem:
    """That events of the report's time are late, the first of them by name."""
    named = [identity.of("event", project, number) for number in numbers[:most]]
    count = f"More than {most}" if len(numbers) > most else str(len(numbers))
    message = f"{count} events of its time {fact}: {', '.join(named)}."
    return Problem(message, None, Requirement.NO_LATE_DATA, tuple(named))


_NEWER: Final = "are newer than the batches of {}; generate its period again"
_BETWEEN_VERSIONS: Final = (
    "lie across a boundary between slots of two versions of the model of {}, and count {} than once by input"
    " {!r}; generate all of these slots with model_version latest"
)
_UNSEEN: Final = (
    "lie, all or in part, in time that {} has no slot for; generate that time, by a version of another"
    " cadence where a slot in force reaches into the active one's"
)


async def _find_stale_slots(tx: Read, project: int, batches: Sequence[int], most: int) -> list[Problem]:
    """Batches beside those of the report that are stale in its time: their slots are to be generated anew."""
    rows = await tx.tuples(_STALE_BESIDE, {"project": project, "batches": [*batches], "most": most + 1})
    if not rows:
        return []
    named = [identity.of("batch", project, number) for (number,) in rows[:most]]
    count = f"More than {most}" if len(rows) > most else str(len(rows))
    message = f"{count} other batches of its time wait to be generated again: {', '.join(named)}."
    return [Problem(message, None, Requirement.NO_LATE_DATA, tuple(named))]


async def _find_sharing_slots(
    tx: Read, project: int, bases: Sequence[_LedgerBasis], most: int
) -> list[Problem]:
    """Slots of its ledgers that share time, so that data of it count twice, such as 1.0.0 has left some."""
    problems = []
    for ledger in {basis.ledger: basis for basis in bases}.values():
        values = {"project": project, "ledger": ledger.ledger, "start": ledger.start, "end": ledger.end}
        rows = await tx.tuples(_SHARING, values)
        if rows:
            named = [identity.of("batch", project, batch) for _, _, batch, *_ in rows[:most]]
            message = (
                f"Slots of {ledger.name} share time with others, so that data count twice; generate its"
                f" period again: {', '.join(named)}."
            )
            problems.append(Problem(message, None, Requirement.NO_LATE_DATA, tuple(named)))
    return problems


async def _find_border_events(
    tx: Read, project: int, bases: Sequence[_LedgerBasis], most: int
) -> list[Problem]:
    """Events across the border of two versions of its ledgers that these do not count once, together."""
    problems = []
    for ledger in {basis.ledger: basis for basis in bases}.values():
        slots = ModelSlots(project, [ledger.ledger])
        for found in await read_border_events(tx, slots, (ledger.start, ledger.end)):
            fact = _BETWEEN_VERSIONS.format(ledger.name, "more" if found.is_more else "less", found.node)
            problems.append(_build_late_problem(project, fact, found.events, most))
    return problems


# A change of version may leave time between the slots of both, so it is the ledger's time that is looked at.
_LEDGER_BASES: Final = f"""
    WITH {BASIS}
    SELECT l.id, l.name, b.model_id,
           min(min(b.start_time)) OVER of_ledger, max(max(b.end_time)) OVER of_ledger
      FROM basis
      JOIN batches b ON (b.project_id, b.id) = (%(project)s, basis.holder)
      JOIN ledgers l ON (l.project_id, l.id) = (b.project_id, b.ledger_id)
     WHERE b.model_id IS NOT NULL
     GROUP BY l.id, l.name, b.model_id
    WINDOW of_ledger AS (PARTITION BY l.id)
     ORDER BY l.id, b.model_id
"""

_SHARING: Final = select_sharing_time(
    "b.project_id = %(project)s AND b.ledger_id = %(ledger)s AND b.start_time < %(end)s"
    " AND b.end_time >= %(start)s"
)

# Times of events are kept to the millisecond, and one may have been rounded down. Of an event that is
# prorated every part is to be seen, though a batch has another part of it.
_LATE: Final = """
    WITH seen AS MATERIALIZED (
        SELECT * FROM generated_slots slot
         WHERE slot.project_id = %(project)s AND slot.ledger_id = %(ledger)s
           AND slot.start_time < %(end)s AND slot.end_time > %(start)s
    ), gap AS MATERIALIZED (
        SELECT lower(part) AS start_time, upper(part) AS end_time
          FROM unnest(tstzmultirange(tstzrange(%(start)s, %(end)s)) - (
                   SELECT coalesce(range_agg(tstzrange(start_time, end_time)), '{{}}') FROM seen)) AS part
    )
    SELECT e.id, false FROM seen AS slot JOIN {stream}
        ON {window} AND e.updated_at >= date_trunc('milliseconds', slot.seen_until) AND NOT {used}
    UNION
    SELECT e.id, true FROM gap AS slot JOIN {stream}
        ON ({window} OR e.start_time >= slot.start_time AND e.start_time < slot.end_time)
       AND (%(prorated)s OR NOT {used})
     ORDER BY 1 LIMIT %(most)s
"""

_STALE_BESIDE: Final = f"""
    WITH own AS (
        SELECT run_id, ledger_id, start_time, end_time FROM batches
         WHERE project_id = %(project)s AND id = ANY (%(batches)s)
    )
    SELECT b.id FROM batches b
     WHERE b.project_id = %(project)s AND b.ledger_id IN (SELECT ledger_id FROM own)
       AND b.start_time < (SELECT max(end_time) FROM own) AND b.end_time > (SELECT min(start_time) FROM own)
       AND NOT EXISTS (SELECT FROM own WHERE (own.run_id, own.ledger_id) = (b.run_id, b.ledger_id))
       AND (b.project_id, b.id) IN ({select_stale("= %(project)s")})
     ORDER BY b.id LIMIT %(most)s
"""


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
    roles: LedgerRoles = ()


async def list_unmet(tx: Read, draft: CheckedDraft) -> list[Problem]:
    """Every requirement that a draft with batches does not meet."""
    problems = list(draft.remaining.problems(draft.amounts))
    upstream = await find_upstream(tx, draft.project, sorted(draft.amounts))
    values = {
        "project": draft.project,
        "report": draft.report,
        "batches": sorted(draft.amounts),
        "basis": sorted({*draft.amounts, *upstream.batches}),
        "named": RECORDS_MAX,
        **PARAMETERS,
    }
    needed = {*_ALWAYS, *await _read_methodology_requirements(tx, draft.methodology)}
    values["methodology"] = draft.methodology
    for requirement, (statement, kind, sentence) in _ASKED.items():
        if requirement not in needed:
            continue
        [(count, records)] = await tx.tuples(_COUNTED.format(statement), values)
        if count:
            named_ones = [identity.of(kind, draft.project, number) for number in records or ()]
            problems.append(_build_problem(requirement, sentence, count, named_ones))
    problems += await late_data(tx, draft.project, sorted(draft.amounts), RECORDS_MAX)
    problems += await _check_versions(tx, values) if Requirement.OF_ITS_VERSIONS in needed else []
    problems += await _check_measured_share(tx, draft)
    problems += await check_deductions(
        tx, draft.project, draft.roles, draft.amounts, (draft.remaining, draft.held)
    )
    problems += await _check_deficits(tx, draft)
    problems += await _check_upstream_deficits(tx, draft, upstream)
    return problems


async def list_requirements(tx: Read, methodology: int | None) -> list[Requirement]:
    """What must hold of a report of a methodology, or of none, before it is sent off."""
    least = await tx.value("SELECT measured_share_min FROM methodologies WHERE id = %s", (methodology,))
    asked = {*_OF_EVERY, *_ALWAYS, *await _read_methodology_requirements(tx, methodology)}
    asked |= set() if least is None else {Requirement.MEASURED_ENOUGH}
    if methodology is not None and await read_roles(tx, [methodology]):
        asked |= {Requirement.NOT_BELOW_ZERO, Requirement.DEDUCTED_WHOLE}
    return [requirement for requirement in Requirement if requirement in asked]


def build_no_batches() -> Problem:
    """The requirement that a draft without batches does not meet."""
    return Problem(
        "The report contains no batches. Add at least one.", "report.batches", Requirement.HAS_BATCHES
    )


def build_batches_gone(project: int, gone: Sequence[int]) -> Problem:
    """The requirement that a draft does not meet whose batches were deleted."""
    named = [identity.of("batch", project, number) for number in gone[:RECORDS_MAX]]
    return _build_problem(
        Requirement.BATCHES_THERE, "{count} of its batches were deleted: {records}.", len(gone), named
    )


def _build_problem(requirement: Requirement, sentence: str, count: int, records: Sequence[str]) -> Problem:
    message = sentence.format(count=count, records=", ".join(records))
    return Problem(message, None, requirement, tuple(records))


async def _read_methodology_requirements(tx: Read, methodology: int | None) -> set[Requirement]:
    if methodology is None:
        return set()
    [(named, has_models, refuses_versions)] = await tx.tuples(
        """
        SELECT m.submission_requirements,
               EXISTS (SELECT FROM methodology_models i WHERE i.methodology_id = m.id),
               m.other_versions = %s AND EXISTS (
                   SELECT FROM methodology_models i WHERE i.methodology_id = m.id AND i.versions <> '{}')
          FROM methodologies m WHERE m.id = %s
        """,
        (OtherVersions.REFUSE, methodology),
    )
    asks = {OPTIONAL_REQUIREMENTS[name] for name in named}
    asks |= {Requirement.OF_ITS_MODELS} if has_models else set()
    return asks | {Requirement.OF_ITS_VERSIONS} if refuses_versions else asks


async def _check_versions(tx: Read, values: Mapping[str, object]) -> list[Problem]:
    """Batches by versions of the methodology's models that it does not name, with those that it names."""
    found = await tx.tuples(_OTHER_VERSIONS, values)
    if not found:
        return []
    named = [(identity.of("batch", int(str(values["project"])), batch), *rest) for batch, *rest in found]
    told = ", ".join(
        f"{batch} by version {version} of {name}, of which it names {', '.join(map(str, allowed))}"
        for batch, name, version, allowed in named[:RECORDS_MAX]
    )
    message = f"{len(named)} of its batches were made by versions that its methodology does not name: {told}."
    records = tuple(batch for batch, *_ in named[:RECORDS_MAX])
    return [Problem(message, None, Requirement.OF_ITS_VERSIONS, records)]


async def _check_measured_share(tx: Read, draft: CheckedDraft) -> list[Problem]:
    """Whether less was measured of what the report takes than its methodology asks for."""
    least: Decimal | None = await tx.value(
        "SELECT measured_share_min FROM methodologies WHERE id = %s", (draft.methodology,)
    )
    if least is None:
        return []
    shares = await read_shares(tx, identity.Key(draft.project, draft.report))
    unknown = [taken.batch for taken in shares if taken.share is None]
    if unknown:
        sentence = "Of {count} of its batches nobody knows how much was measured: {records}."
        named = [identity.of("batch", draft.project, number) for number in unknown[:RECORDS_MAX]]
        return [_build_problem(Requirement.MEASURED_ENOUGH, sentence, len(unknown), named)]
    share = compute_measured_share(shares)
    if share is not None and share >= least:
        return []
    below = [taken.batch for taken in shares if taken.share is not None and taken.share < least]
    named = [identity.of("batch", draft.project, number) for number in below[:RECORDS_MAX]]
    message = (
        f"Of what it takes {0 if share is None else plain(share)} was measured, and its methodology asks for "
        f"{plain(least)}; {len(below)} of its batches are below that: {', '.join(named)}."
    )
    return [Problem(message, None, Requirement.MEASURED_ENOUGH, tuple(named))]


async def _check_deficits(tx: Read, draft: CheckedDraft) -> list[Problem]:
    """Deficits of its ledgers that are open at a moment of the report's period, once it takes what it says.

    What its chain holds is there for it: a report that states less than an accepted one may end a deficit.
    """
    ledgers = sorted({batch.ledger for batch in draft.remaining.batches.values()})
    standings = await read_standings(tx, draft.project, ledgers)
    after = apply_changes(standings, draft.remaining.changes(draft.amounts, draft.held))
    short = _select_in_period(draft, list_shortages(after))
    if not short:
        return []
    message = f"In its period more was drawn of the ledger than produced: {_name_shortages(draft, short)}."
    named = {shortage.account.ledger for shortage in short}
    records = tuple(identity.of("ledger", draft.project, ledger) for ledger in sorted(named))
    return [Problem(message, None, Requirement.NO_OPEN_DEFICITS, records)]


async def _check_upstream_deficits(tx: Read, draft: CheckedDraft, upstream: UpstreamBasis) -> list[Problem]:
    """Deficits that are open at a moment of the report's period in ledgers that its batches draw from."""
    if not upstream.ledgers:
        return []
    short = _select_in_period(
        draft, list_shortages(await read_standings(tx, draft.project, upstream.ledgers))
    )
    ledgers = sorted({shortage.account.ledger for shortage in short})
    if not ledgers:
        return []
    named = tuple(identity.of("ledger", draft.project, ledger) for ledger in ledgers)
    message = (
        f"More was drawn than produced of ledgers that it draws from, {', '.join(named)}: "
        f"{_name_shortages(draft, short)}."
    )
    return [Problem(message, None, Requirement.NO_OPEN_DEFICITS, named)]


def _select_in_period(draft: CheckedDraft, found: Iterable[Shortage]) -> list[Shortage]:
    batches = draft.remaining.batches.values()
    start, end = min(batch.start_time for batch in batches), max(batch.end_time for batch in batches)
    return [
        shortage
        for shortage in found
        if shortage.opened_at <= end and (shortage.settled_at is None or shortage.settled_at > start)
    ]


def _name_shortages(draft: CheckedDraft, short: Sequence[Shortage]) -> str:
    deficits = [show_deficit(draft.project, one) for one in short[:RECORDS_MAX]]
    return ", ".join(
        f"{deficit.amount} from {deficit.end_time.text} on"
        + (f" of {deficit.partition}" if deficit.partition else "")
        for deficit in deficits
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

_PROPOSALS: Final = f"SELECT DISTINCT result_id FROM ({select_pending(_OF_BASIS)}) AS found"
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

_OTHER_VERSIONS: Final = f"""
    SELECT own.id, m.name, m.version,
           ARRAY (SELECT DISTINCT unnest(i.versions)
                    FROM methodology_models i JOIN models named ON named.id = i.model_id
                   WHERE i.methodology_id = methodology.id AND named.family_id = m.family_id ORDER BY 1)
      FROM methodologies methodology
      JOIN batches own ON {_OF_REPORT}
      JOIN models m ON m.id = own.model_id
     WHERE methodology.id = %(methodology)s AND NOT {IS_OF_NAMED_VERSION}
       AND EXISTS (SELECT FROM methodology_models i JOIN models named ON named.id = i.model_id
                    WHERE i.methodology_id = methodology.id AND named.family_id = m.family_id)
     ORDER BY own.id
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
    amounts = dict((await read_amounts(tx, basis.project, basis.number)).by_batch)
    if not amounts:
        return await _check_restated_to_nothing(tx, basis)
    batches = await read_batches(tx, basis.project, amounts)
    if gone := [number for number, batch in batches.items() if batch.is_deleted]:
        return None, [build_batches_gone(basis.project, gone)]
    roles = await read_ledger_roles(tx, basis.project, basis.number)
    remaining, held = await find_remaining(tx, basis.project, basis.chain, batches, roles)
    draft = CheckedDraft(basis.project, basis.number, basis.methodology, amounts, remaining, held, roles)
    return draft, await list_unmet(tx, draft)


async def _check_restated_to_nothing(
    tx: Read, basis: DraftBasis
) -> tuple[CheckedDraft | None, list[Problem]]:
    """A draft without batches, which may restate what was once accepted to nothing; others need batches."""
    if (await read_holdings(tx, basis.project, basis.chain)).accepted_from is None:
        return None, [build_no_batches()]
    roles = await read_ledger_roles(tx, basis.project, basis.number)
    remaining, held = await find_remaining(tx, basis.project, basis.chain, {}, roles)
    return CheckedDraft(basis.project, basis.number, basis.methodology, {}, remaining, held, roles), []


async def requirements_of(tx: Read, report: identity.Key) -> list[CheckedRequirement]:
    """Every requirement of a draft that is known to be there, in their order, met or not."""
    basis = await tx.row(DraftBasis, _DRAFT, (report.project, report.key))
    if basis is None:
        return []
    draft, problems = await check_draft(tx, basis)
    asked = await list_requirements(tx, basis.methodology)
    return [_check_requirement(one, problems, is_known=draft is not None) for one in asked]


def _check_requirement(
    asked: Requirement, problems: Sequence[Problem], *, is_known: bool
) -> CheckedRequirement:
    own = tuple(problem for problem in problems if problem.code == asked)
    if own:
        return CheckedRequirement(asked, is_met=False, problems=own)
    is_first = asked is Requirement.HAS_BATCHES
    return CheckedRequirement(asked, is_met=True if is_known or (is_first and problems) else None)


_DRAFT: Final = (
    "SELECT project_id, id, chain_id, methodology_id FROM reports WHERE project_id = %s AND id = %s"
)
