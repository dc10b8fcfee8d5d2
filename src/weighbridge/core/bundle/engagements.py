"""The engagements of verifiers in a bundle: optional parts, read, written, and checked again from their
beginning.

`verification/engagements.json` has what was agreed, drawn and found, `verification/<number>.population.csv`
the population of each engagement, and `verification/<number>.opinion.json` with `.sig` the statement that a
verifier signed. A check draws the sample again, computes the effect of the findings again, builds the
statement again, verifies its signature, and compares everything with the proved rows of the log.

Invariants: a bundle of a report without an engagement has none of these parts; a sample that another seed or
population draws is a fault, and so is a statement that does not follow from the engagement, or that its key
did not sign.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, Final, NamedTuple

from weighbridge.core.bundle.archive import Faults, UnreadableError
from weighbridge.core.bundle.contents import BundleContents, TrustResult, hash_part
from weighbridge.core.bundle.rows import parse_json, read_record
from weighbridge.core.bundle.tables import VALUES_FROM, BundleTable, list_columns, read_rows
from weighbridge.core.engagement.findings import EngagementState
from weighbridge.core.engagement.opinion import (
    build_predicate,
    list_changed_parts,
    read_ssh_key,
    verify_opinion,
    write_statement,
)
from weighbridge.core.engagement.sampling import PopulationRecord, SamplingMethod, Stratum, compute_seed, draw
from weighbridge.core.number import plain
from weighbridge.core.signing import UnprovenError

FOLDER: Final = "verification/"
ENGAGEMENTS: Final = "verification/engagements.json"


def name_population_part(engagement: int) -> str:
    """The part with the population of an engagement."""
    return f"{FOLDER}{engagement}.population.csv"


def name_opinion_part(engagement: int) -> str:
    """The part with the statement of an engagement; its signature has `.sig` in addition."""
    return f"{FOLDER}{engagement}.opinion.json"


class PopulationRow(NamedTuple):
    """A record of a stratum, and its amount when the engagement began."""

    stratum: int
    record: int
    amount: Decimal | None


def define_population_table(part: str) -> BundleTable:
    """The table of a population."""
    return BundleTable(part, PopulationRow, 2, list_columns(PopulationRow))


def write_population(population: Sequence[Sequence[PopulationRecord]]) -> bytes:
    """The table of a population, given by strata."""
    rows = [
        PopulationRow(stratum, *record)
        for stratum, records in enumerate(population, start=1)
        for record in sorted(records)
    ]
    return b"".join(define_population_table("population.csv").text(rows))


def read_population(content: memoryview, part: str, strata: int) -> list[list[PopulationRecord]]:
    """The population by strata; UnreadableError when it is not written as it should be."""
    population: list[list[PopulationRecord]] = [[] for _ in range(strata)]
    for row in read_rows(define_population_table(part), content):
        if not 1 <= row.stratum <= strata:
            raise UnreadableError(f"{part} has a stratum {row.stratum}; the engagement has {strata}.")
        population[row.stratum - 1].append(PopulationRecord(row.record, row.amount))
    return population


@dataclass(frozen=True, slots=True)
class BundledStratum:
    """A stratum of an engagement."""

    data_point: str | None
    event_type: str
    method: str
    size: int


@dataclass(frozen=True, slots=True)
class BundledDraw:
    """A record that was drawn."""

    amount: str | None
    is_certain: bool
    record: int
    stratum: int


@dataclass(frozen=True, slots=True)
class BundledFinding:
    """A finding with its answer and decision; people are there by number."""

    amount: str | None
    answer: str | None
    answered_at: str | None
    answered_by: int | None
    decided_at: str | None
    decision: str | None
    kind: str
    number: int
    record: int | None
    recorded_at: str
    recorded_by: int | None
    recorded_by_link: int | None
    state: str
    text: str


@dataclass(frozen=True, slots=True)
class BundledEngagement:
    """An engagement, without its findings as the log has it, with them as a bundle has it."""

    assurance: str
    bundle_sha256: str | None
    conclusion: str | None
    created_at: str
    created_by: int | None
    created_by_link: int | None
    criteria: str
    drawn_at: str | None
    ended_at: str | None
    engagement: int
    findings: list[BundledFinding]
    log_root: str
    log_rows: int
    materiality_amount: str | None
    materiality_percent: str | None
    population_count: int
    population_sha256: str
    reasons: str | None
    report_id: str
    sample: list[BundledDraw]
    scope: str
    seed: str | None
    seed_text: str | None
    state: str
    strata: list[BundledStratum]
    total: str | None
    unit: str
    verifier: str
    verifier_key: str | None


@dataclass(frozen=True, slots=True)
class BundledEngagements:
    """The engagements on a report, by number."""

    engagements: list[BundledEngagement]


@dataclass(frozen=True, slots=True)
class CheckedOpinion:
    """What was found of one engagement, for people."""

    engagement: int
    verifier: str
    state: str
    conclusion: str | None
    key: str | None
    """The key that signed the opinion; None while there is none."""
    is_of_named_key: bool
    changed_parts: Sequence[str]
    """Parts of the bundle that differ from those that the opinion is about."""
    population_changes: int
    """Records that were added, removed or changed since the engagement began."""


@dataclass(slots=True)
class _Check:
    """The check of one engagement."""

    contents: BundleContents
    rows: Sequence[Mapping[str, Any]]
    keys: Sequence[str]
    faults: Faults
    opinions: list[CheckedOpinion] = field(default_factory=list)


def list_engagement_parts(contents: BundleContents) -> set[str]:
    """The parts that the engagements of a bundle name; none without engagements."""
    if ENGAGEMENTS not in contents.parts:
        return set()
    named = {ENGAGEMENTS}
    try:
        engagements = _read_engagements(contents)
    except UnreadableError:
        return named  # which is a fault of its own
    for engagement in engagements:
        named.add(name_population_part(engagement.engagement))
        if engagement.state == EngagementState.CONCLUDED:
            part = name_opinion_part(engagement.engagement)
            named |= {part, f"{part}.sig"}
    return named


def _read_engagements(contents: BundleContents) -> list[BundledEngagement]:
    record: BundledEngagements = read_record(BundledEngagements, bytes(contents.parts[ENGAGEMENTS]))
    return record.engagements


def check_engagements(
    contents: BundleContents, vouched: TrustResult, keys: Sequence[str], faults: Faults
) -> list[CheckedOpinion]:
    """Check every engagement; `keys` are those of verifiers whom the caller trusts, if they name any."""
    if ENGAGEMENTS not in contents.parts:
        if keys:
            faults.add(ENGAGEMENTS, "No engagement is in the bundle, but a key of a verifier is named.")
        for name in sorted(_list_logged(vouched.rows))[:5]:
            faults.add(ENGAGEMENTS, f"The audit log has the {name}, but the bundle does not.")
        return []
    check = _Check(contents, vouched.rows, keys, faults)
    engagements = _read_engagements(contents)
    numbers = [engagement.engagement for engagement in engagements]
    if not numbers or numbers != sorted(set(numbers)):
        faults.add(ENGAGEMENTS, "Engagements are sorted, each once, and there is at least one.")
    for engagement in engagements:
        _check_engagement(check, engagement)
    _check_rows_named(check, engagements)
    if keys and not any(opinion.is_of_named_key for opinion in check.opinions):
        faults.add(ENGAGEMENTS, "No opinion is signed by a key of a verifier that you named.")
    return check.opinions


def _check_engagement(check: _Check, engagement: BundledEngagement) -> None:
    faults, number = check.faults, engagement.engagement
    if engagement.report_id != check.contents.report.id:
        faults.add(ENGAGEMENTS, f"Engagement {number} is on another report.")
    population = _check_sample(check, engagement)
    _compare_with_log(check, engagement)
    changes = 0 if population is None else _count_changes(check.contents, engagement, population)
    changed_parts: Sequence[str] = ()
    if engagement.state == EngagementState.CONCLUDED:
        changed_parts = _check_opinion(check, engagement)
    elif (engagement.conclusion, engagement.verifier_key, engagement.bundle_sha256) != (None, None, None):
        faults.add(ENGAGEMENTS, f"Engagement {number} has a conclusion, but is {engagement.state}.")
    key = engagement.verifier_key
    check.opinions.append(
        CheckedOpinion(
            number, engagement.verifier, engagement.state, engagement.conclusion, key,
            key is not None and key in {_normalize(named) for named in check.keys}, changed_parts, changes,
        )
    )  # fmt: skip


def _normalize(key: str) -> str:
    return " ".join(key.split()[:2])


def _check_sample(check: _Check, engagement: BundledEngagement) -> list[list[PopulationRecord]] | None:
    """Draw the sample again from the seed and the population, which gives the latter."""
    faults, number = check.faults, engagement.engagement
    part = name_population_part(number)
    content = check.contents.parts.get(part, memoryview(b""))
    population = read_population(content, part, len(engagement.strata))
    count = sum(map(len, population))
    if (hash_part(content), count) != (engagement.population_sha256, engagement.population_count):
        faults.add(part, f"It is not the population of engagement {number}, by its digest or count.")
        return None
    drawn: list[BundledDraw] = []
    seed = None
    if engagement.seed_text is not None:
        seed = compute_seed(
            engagement.log_rows, engagement.log_root, engagement.population_sha256, engagement.seed_text
        )
        strata = [
            Stratum(one.event_type, one.data_point, SamplingMethod(one.method), one.size)
            for one in engagement.strata
        ]
        drawn = [
            BundledDraw(
                None if one.amount is None else plain(one.amount), one.is_certain, one.record, one.stratum
            )
            for one in draw(seed, strata, population)
        ]
    if seed != engagement.seed:
        faults.add(
            ENGAGEMENTS, f"The seed of engagement {number} does not follow from its log head and text."
        )
    elif drawn != engagement.sample:
        faults.add(ENGAGEMENTS, f"The seed of engagement {number} draws another sample.")
    return population


def _count_changes(
    contents: BundleContents, engagement: BundledEngagement, population: Sequence[Sequence[PopulationRecord]]
) -> int:
    """How many records were added, removed or have another amount than when the engagement began."""
    changes = 0
    for stratum, records in zip(engagement.strata, population, strict=True):
        before = {record.record: record.amount for record in records}
        now = _read_amounts(contents, stratum)
        changes += len(before.keys() ^ now.keys())
        changes += sum(1 for record in before.keys() & now.keys() if before[record] != now[record])
    return changes


def _read_amounts(contents: BundleContents, stratum: BundledStratum) -> dict[int, Decimal | None]:
    """The records of a stratum in the tables of events, each in its newest state."""
    points = [point.data_point for point in contents.points.get(stratum.event_type, ())]
    if stratum.event_type not in contents.events:
        return {}
    place = None if stratum.data_point is None else VALUES_FROM + points.index(stratum.data_point)
    table = contents.events[stratum.event_type].table
    part = contents.parts[table.part]
    return {values[0]: None if place is None else values[place] for values in read_rows(table, part)}


def _compare_with_log(check: _Check, engagement: BundledEngagement) -> None:
    """Each record is the one of its newest row in the log."""
    number, report = engagement.engagement, engagement.report_id
    name = f"engagement {number} of {report}"
    record = asdict(engagement)
    findings = record.pop("findings")
    _compare_record(check, name, record)
    for finding in findings:
        _compare_record(check, f"finding {finding['number']} of {name}", finding)
    if [finding["number"] for finding in findings] != [*range(1, len(findings) + 1)]:
        check.faults.add(ENGAGEMENTS, f"The findings of engagement {number} are not numbered from 1.")


def _compare_record(check: _Check, name: str, record: Mapping[str, Any]) -> None:
    logged = [row["after"] for row in check.rows if row["object"] == name]
    if not logged:
        check.faults.add(ENGAGEMENTS, f"The audit log has no row for the {name}.")
    elif logged[-1] != record:
        check.faults.add(ENGAGEMENTS, f"The {name} is another than the audit log says.")


def _check_rows_named(check: _Check, engagements: Sequence[BundledEngagement]) -> None:
    """Every engagement and finding of the log is in the bundle."""
    named = set()
    for engagement in engagements:
        name = f"engagement {engagement.engagement} of {engagement.report_id}"
        named |= {name, *(f"finding {finding.number} of {name}" for finding in engagement.findings)}
    for name in sorted(_list_logged(check.rows) - named)[:5]:
        check.faults.add(ENGAGEMENTS, f"The audit log has the {name}, but the bundle does not.")


def _list_logged(rows: Iterable[Mapping[str, Any]]) -> set[str]:
    return {row["object"] for row in rows if row["action"].partition(".")[0] in {"engagement", "finding"}}


def _check_opinion(check: _Check, engagement: BundledEngagement) -> list[str]:
    """Build the statement again and verify its signature; gives the parts that changed since."""
    faults, parts = check.faults, check.contents.parts
    part = name_opinion_part(engagement.engagement)
    statement = bytes(parts.get(part, b""))
    try:
        stated = parse_json(statement.decode().removesuffix("\n"))
        subjects, time = stated["subject"], stated["predicate"]["time"]
    except (ValueError, KeyError, TypeError) as error:
        faults.add(part, f"It cannot be read as a statement: {error}.")
        return []
    record = asdict(engagement)
    findings = record.pop("findings")
    predicate = build_predicate(record, findings, engagement.conclusion or "", engagement.reasons or "", time)
    if write_statement(subjects, predicate) != statement:
        for name in sorted(predicate):
            if stated["predicate"].get(name) != predicate[name]:
                faults.add(part, f"Its {name} does not follow from engagement {engagement.engagement}.")
        faults.add(part, "It is not the statement that the engagement makes.")
    first = subjects[0] if subjects else {}
    if first != {"digest": {"sha256": engagement.bundle_sha256}, "name": f"{engagement.report_id}.zip"}:
        faults.add(part, "It is about another bundle than the engagement names.")
    try:
        verify_opinion(
            statement,
            bytes(parts.get(f"{part}.sig", b"")).decode("ascii", "replace"),
            engagement.verifier_key or "",
        )
    except UnprovenError as error:
        faults.add(f"{part}.sig", str(error))
    return list_changed_parts(subjects, {name: hash_part(content) for name, content in parts.items()})


def check_named_keys(keys: Iterable[str]) -> Iterator[str]:
    """The keys of verifiers in the form of OpenSSH; UnprovenError for any other text."""
    for text in keys:
        read_ssh_key(text)
        yield _normalize(text)
