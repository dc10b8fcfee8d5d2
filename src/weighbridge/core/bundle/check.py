"""The check of a whole bundle, from its first byte to the last digit of its last batch.

In this order; all faults of a step are reported, and unverified parts are not examined further:

1. the archive is byte for byte what its parts make;
2. every part has the digest that was signed, and the signature is that of the caller's key;
3. the head of the audit log is signed by it too, and each row is under that head;
4. all rows are written the one way there is, and hang together; the log says of the report what it says;
5. the indexes and the page are what the other parts make;
6. every batch has its stated values when it is recomputed;
7. the parts are those that the log was told of when they were made.

Invariant: a bundle without faults is byte for byte the one that the service made, and its amounts follow from
its events.

Whether the rows of all parts hang together: what is named is there, and what is there is named.

Invariants: every batch is reported, or another batch that is there rests on it; every other row serves a
batch; a part that nothing names is a fault.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from weighbridge.core import identity
from weighbridge.core.bundle.archive import Faults, UnreadableError, read_parts
from weighbridge.core.bundle.books import check_books
from weighbridge.core.bundle.captured import bind_events, check_captured, check_stated_lines, list_unbound
from weighbridge.core.bundle.closure import check_closure, check_late, list_untold
from weighbridge.core.bundle.contents import (
    CAPTURED,
    DATA_PACKAGE,
    EVIDENCE_FOLDER,
    HEAD,
    KEYS,
    MANIFEST,
    MODEL_FOLDER,
    REPORT,
    RO_CRATE,
    ROWS,
    RULE_FOLDER,
    SEAL,
    SIGNATURE,
    SUMS,
    WRITE_PROOF,
    WRITES,
    BundleContents,
    IndexedPart,
    ReadModel,
    TrustResult,
    describe_parts,
    describe_tables,
    find_bundle_signer,
    hash_part,
    name_proof_part,
    read_contents,
    read_trusted_keys,
    verify_audit,
    verify_sums,
)
from weighbridge.core.bundle.engagements import (
    ENGAGEMENTS,
    CheckedOpinion,
    check_engagements,
    list_engagement_parts,
)
from weighbridge.core.bundle.gaps import BundleGap, list_gaps
from weighbridge.core.bundle.log import LogRows, compare_with_log
from weighbridge.core.bundle.methodology import METHODOLOGY
from weighbridge.core.bundle.net_ledgers import compute_taken, find_wrong_ledgers, list_ledger_ids
from weighbridge.core.bundle.page import render_page
from weighbridge.core.bundle.recomputation import Advance, RecomputedBatches, check_drawn, recompute
from weighbridge.core.bundle.rows import BatchRow, CorrectionRow
from weighbridge.core.bundle.seal import check_seal
from weighbridge.core.bundle.stated import check_stated
from weighbridge.core.bundle.stated_log import compare_statements
from weighbridge.core.bundle.tables import (
    BATCHES,
    CORRECTIONS,
    EVIDENCE,
    LATE_EVENTS,
    LEDGERS,
    LINEAGE,
    MODELS,
    NODE_VALUES,
    SLOTS,
    STATIC_INPUTS,
    VERSION_BITS,
    BatchLineage,
    BundleTable,
    SetRead,
    SlotLine,
    name_events_part,
    parse_ranges,
    split_lines,
)
from weighbridge.core.bundle.uncertainty import UNCERTAINTIES
from weighbridge.core.cosignature import Cosignature, WitnessKey, list_cosignatures, require_cosignatures
from weighbridge.core.engine.revisions import check_revision
from weighbridge.core.key_history import SignedStatement
from weighbridge.core.model import PreparedModel, hash_model, prepare
from weighbridge.core.report import compute_amount
from weighbridge.core.signing import UnprovenError, VerifierKey

PAGE: Final = "report.html"
_FIELDS: Final = {"start_time": 2, "end_time": 3, "tracking_id": 4, "feedstock_id": 5, "asset_id": 6}
"""By the name of a field of events that can be corrected, its place in a row of events."""


def check_parts(contents: BundleContents, vouched: TrustResult, faults: Faults) -> None:
    """Every part is one that the others name."""
    expected = {MANIFEST, REPORT, PAGE, DATA_PACKAGE, RO_CRATE, SUMS, SIGNATURE, LINEAGE, SLOTS, HEAD, ROWS}
    expected |= {KEYS} if contents.key_history is not None else set()
    if contents.is_sealed:
        expected |= {SEAL, CAPTURED, WRITES, WRITE_PROOF} | (
            {name_proof_part(vouched.seal["number"])} if vouched.seal is not None else set()
        )
    expected |= {table.part for table in contents.tables} | {
        name_events_part(point) for point in contents.points
    }
    expected |= {name_proof_part(row["number"]) for row in vouched.rows}
    expected |= {f"{MODEL_FOLDER}{model.model_id}.yaml" for model in contents.models.values()}
    expected |= {f"{RULE_FOLDER}{rule}-{version}.json" for rule, version in contents.rule_versions}
    if not contents.manifest.is_redacted:
        expected |= {
            f"{EVIDENCE_FOLDER}{evidence.sha256}" for evidence in contents.evidence if evidence.sha256
        }
    expected |= {METHODOLOGY} if contents.is_sealed and contents.report.methodology_id is not None else set()
    expected |= {UNCERTAINTIES} if contents.is_uncertain else set()
    expected |= list_engagement_parts(contents)
    for name in sorted(contents.parts.keys() - expected):
        faults.add(name, "Nothing in the bundle names this part.")
    for name in sorted(expected - contents.parts.keys()):
        faults.add(name, "The part is missing.")


def check_rows(contents: BundleContents, faults: Faults) -> None:
    """Everything else."""
    _check_report(contents, faults)
    _check_batches(contents, faults)
    _check_reached(contents, faults)
    _check_models(contents, faults)
    _check_named(
        STATIC_INPUTS.part, contents.statics,
        {one for line in contents.lineage.values() for of_node in line.static_inputs.values() for one in
        of_node}, faults,
    )  # fmt: skip
    _check_corrections(contents, faults)
    check_stated(contents, faults)


def _check_named(part: str, existing: Iterable[Any], referenced: Iterable[Any], faults: Faults) -> None:
    """What is there is named, and what is named is there."""
    rows, names = set(existing), set(referenced)
    for row in sorted(rows - names)[:5]:
        faults.add(part, f"Nothing in the bundle rests on row {row}.")
    for name in sorted(names - rows)[:5]:
        faults.add(part, f"Row {name} is named, and is missing.")


def _check_report(contents: BundleContents, faults: Faults) -> None:
    report, manifest = contents.report, contents.manifest
    if (report.id, report.project_id) != (manifest.report_id, manifest.project_id):
        faults.add(MANIFEST, "It names another report or project than report.json.")
    for sentence in find_wrong_ledgers(contents):
        faults.add(REPORT, sentence)
    liability = None if report.liability is None else Decimal(report.liability)
    if (total := compute_amount([compute_taken(contents)], liability)) != Decimal(report.amount):
        faults.add(REPORT, f"Its inclusions add up to {total}, and it states {report.amount}.")
    _check_inclusions(contents, faults)
    if (report.liability is None) != (report.liability_reason is None):
        faults.add(REPORT, "A liability and its reason are stated together.")
    if liability is not None and (liability <= 0 or report.supersedes is None):
        faults.add(REPORT, "It owes something, and only a restatement owes an amount above zero.")


def _check_inclusions(contents: BundleContents, faults: Faults) -> None:
    report, of_ledgers = contents.report, list_ledger_ids(contents)
    by_id = {batch.batch_id: batch for batch in contents.batches.values()}
    if len(contents.reported) != len(report.inclusions):
        faults.add(REPORT, "It takes twice of one batch.")
    for inclusion in report.inclusions:
        batch = by_id.get(inclusion.batch_id)
        if batch is None:
            faults.add(REPORT, f"It takes of batch {inclusion.batch_id}, which is not there.")
            continue
        ledger = contents.ledgers.get(batch.ledger)
        message = (
            inclusion.tracking_id,
            inclusion.start_time,
            inclusion.end_time,
            inclusion.unit,
        )
        state_and_totals = (
            batch.tracking_id, batch.start_time.text, batch.end_time.text, ledger and ledger.unit,
        )  # fmt: skip
        if message != state_and_totals or (ledger and ledger.ledger_id) not in of_ledgers:
            faults.add(REPORT, f"What it says of batch {inclusion.batch_id} is not what the batch is.")
        if Decimal(inclusion.amount) > batch.credited:
            faults.add(REPORT, f"It takes more of batch {inclusion.batch_id} than that was credited with.")


def _check_batches(contents: BundleContents, faults: Faults) -> None:
    project = contents.manifest.project_number
    computed_batches = {number for number, batch in contents.batches.items() if batch.model is not None}
    _check_named(LINEAGE, contents.lineage, computed_batches, faults)
    _check_named(NODE_VALUES.part, contents.values, contents.batches, faults)
    _check_named(
        LEDGERS.part, contents.ledgers, {batch.ledger for batch in contents.batches.values()}, faults
    )
    placed: list[int] = [number for line in contents.slots for number in line.batches]
    _check_named(SLOTS, set(placed), computed_batches, faults)
    if len(placed) != len(set(placed)):
        faults.add(SLOTS, "A batch is in two slots.")
    if sorted(contents.slots, key=lambda line: line.batches) != contents.slots:
        faults.add(SLOTS, "Lines are sorted by their batches, and these are not.")
    for number, batch in contents.batches.items():
        if batch.batch_id != identity.of("batch", project, number):
            faults.add(BATCHES.part, f"Batch {number} of the project has another id than {batch.batch_id}.")
    for line in contents.slots:
        for computed_batch in (
            contents.batches[number] for number in line.batches if number in contents.batches
        ):
            if (computed_batch.model, computed_batch.generation) != (line.model, line.generation):
                faults.add(
                    SLOTS, f"Batch {computed_batch.batch_id} was made by another model version or generation."
                )


def _check_reached(contents: BundleContents, faults: Faults) -> None:
    """Every batch is reported, or a batch that is rests on it."""
    mates = {number: line for line in contents.slots for number in line.batches}
    of_run = _group_batches_by_run(contents)
    pending_batches = [
        batch.batch for batch in contents.batches.values() if batch.batch_id in contents.reported
    ]
    reached: set[int] = set()
    while pending_batches:
        number = pending_batches.pop()
        if number in reached or number not in contents.batches:
            if number not in contents.batches:
                faults.add(BATCHES.part, f"Batch {number} is rested on, and is missing.")
            continue
        reached.add(number)
        pending_batches += _list_batches_rested_on(contents, contents.batches[number], mates, of_run)
    for number in sorted(contents.batches.keys() - reached)[:5]:
        faults.add(
            BATCHES.part, f"Nothing that is reported rests on batch {contents.batches[number].batch_id}."
        )


def _group_batches_by_run(contents: BundleContents) -> dict[tuple[int, int], list[int]]:
    of_run: dict[tuple[int, int], list[int]] = {}
    for batch in contents.batches.values():
        if batch.run is not None:
            of_run.setdefault((batch.ledger, batch.run), []).append(batch.batch)
    return of_run


def _list_batches_rested_on(
    contents: BundleContents,
    batch: BatchRow,
    mates: Mapping[int, SlotLine],
    of_run: Mapping[tuple[int, int], list[int]],
) -> list[int]:
    """The batches of its slot, those that it drew of, and all of its run; the earlier ones in format 1."""
    line = mates.get(batch.batch)
    of_slot = [*line.batches, *line.alongside] if line is not None else []
    lineage = contents.lineage.get(batch.batch)
    source_batches = [draw.source for draw in lineage.draws] if lineage is not None else []
    history = [] if batch.run is None else of_run[batch.ledger, batch.run]
    return [
        *of_slot,
        *source_batches,
        *(one for one in history if contents.has_whole_stories or one < batch.batch),
    ]


def _check_models(contents: BundleContents, faults: Faults) -> None:
    _check_named(
        MODELS.part,
        contents.models,
        {batch.model for batch in contents.batches.values() if batch.model is not None},
        faults,
    )
    for number, row in contents.models.items():
        document = contents.documents.get(number)
        part = f"{MODEL_FOLDER}{row.model_id}.yaml"
        if row.model_id != identity.of("model", 0, number):
            faults.add(MODELS.part, f"Model {number} has another id than {row.model_id}.")
        if document is not None and hash_model(document) != row.sha256:
            faults.add(part, "The document is not the one that made the batches, by its digest.")


def _check_corrections(contents: BundleContents, faults: Faults) -> None:
    """Each correction was in force for a batch, whose event had the value that it put there."""
    corrections_in_versions: set[int] = set()
    for number, correction in contents.corrections.items():
        if (correction.rule is None) != (correction.rule_version is None):
            faults.add(CORRECTIONS.part, f"Correction {number} names a rule without its version.")
    for line in contents.lineage.values():
        numbers = parse_ranges(line.corrections)
        corrections_in_versions |= set(numbers)
        for number in numbers:
            row = contents.corrections.get(number)
            if row is not None and (wrong := _explain_misfit(contents, line, row)):
                faults.add(CORRECTIONS.part, f"Correction {number}: {wrong}")
    for number in sorted(
        contents.corrections.keys() - corrections_in_versions if contents.has_whole_stories else ()
    ):
        event = contents.corrections[number].event
        if contents.has_event(event):
            corrections_in_versions.add(number)
    _check_named(CORRECTIONS.part, contents.corrections, corrections_in_versions, faults)


def _explain_misfit(contents: BundleContents, line: BatchLineage, row: CorrectionRow) -> str | None:
    """Why a correction does not fit the event of a batch; None when it does."""
    input_reads = [input_read for input_read in line.inputs if row.event in _Numbers.of(input_read)]
    if not input_reads:
        return f"its event {row.event} is none that batch {line.batch} was made of."
    for input_read in input_reads:
        file = contents.events[input_read.event_type]
        at = _FIELDS.get(row.data_point, file.value_of.get(row.data_point, -1))
        if at < 0:
            return f"{input_read.event_type!r} has no {row.data_point!r}."
        version = input_read.versions.get(str(row.event), 0)
        try:
            [fields] = file.rows([row.event << VERSION_BITS | version])
        except UnreadableError as error:
            return str(error)
        if fields[at] != row.to_value:
            return f"it puts {row.to_value!r} there, and batch {line.batch} saw {fields[at]!r}."
    return None


class _Numbers:
    """The events of sets, remembered: corrections of one batch ask for them again and again."""

    _last: tuple[SetRead, frozenset[int]] | None = None

    @classmethod
    def of(cls, input_read: SetRead) -> frozenset[int]:
        if cls._last is None or cls._last[0] is not input_read:
            cls._last = input_read, frozenset(parse_ranges(input_read.events))
        return cls._last[1]


def check_evidence(contents: BundleContents, faults: Faults) -> None:
    """What was attached is there, by the events that it was attached to."""
    for row in contents.evidence:
        content = contents.parts.get(f"{EVIDENCE_FOLDER}{row.sha256}")
        if content is not None and (hash_part(content), len(content)) != (row.sha256, row.size):
            faults.add(EVIDENCE.part, f"The file of {row.name!r} is not the one that was attached.")
        if not any(file.has(row.event) for file in contents.events.values()):
            faults.add(EVIDENCE.part, f"{row.name!r} was attached to event {row.event}, which is not there.")


def check_events(contents: BundleContents, faults: Faults) -> None:
    """Every event was read by a batch; asked for when all batches were computed again."""
    for file in contents.events.values():
        if unread := file.unread:
            faults.add(file.table.part, f"No batch was made of event {', '.join(map(str, unread))}.")


# What a bundle of an older format cannot show, sentence by sentence.
#
# Invariant: a valid bundle is reported with everything that its format leaves open.


_FORMAT_1: Final = (
    "Format 1 has no batch that came after those that the report takes of, nor what was corrected by then.",
    "Format 1 has no entries of the ledgers, so what falls, draws and other reports took is not in it.",
    "Format 1 lacks newer batches of what was drawn from, so attributes that travelled along are as written.",
)


_FORMAT_2: Final = (
    "Formats before 3 have no history of keys, so they are checked with the key that signed them.",
)


_FORMAT_3: Final = (
    "Formats before 4 have no row of the log about their parts: events may have been replaced with the key.",
)


def list_unshown(contents: BundleContents) -> tuple[str, ...]:
    """What its format cannot show; nothing for the present one."""
    return (
        *(() if contents.has_whole_stories else _FORMAT_1),
        *(() if contents.key_history is not None else _FORMAT_2),
        *(() if contents.is_sealed else _FORMAT_3),
    )


@dataclass(slots=True)
class CheckedBundle:
    """What was found of a bundle."""

    faults: Faults = field(default_factory=Faults)
    contents: BundleContents | None = None
    vouched: TrustResult = field(default_factory=TrustResult)
    signer: VerifierKey | None = None
    """The key that signed it: the one that was given, or one that follows it."""
    is_by_successor: bool = False
    cosignatures: Sequence[Cosignature] = ()
    """Those of witnesses that the caller named."""
    opinions: Sequence[CheckedOpinion] = ()
    """What was found of the engagements of verifiers."""
    recomputed: RecomputedBatches = field(default_factory=RecomputedBatches)
    part_count: int = 0
    unbound: list[str] = field(default_factory=list)
    """The events that no row of the log proves, in sentences."""
    gaps: list[BundleGap] = field(default_factory=list)
    """Where its batches lack captured events."""

    @property
    def key_words(self) -> str:
        """Which key signed it, in words."""
        if self.signer is None or not self.is_by_successor:
            return "the key that you gave"
        return f"a key that the one you gave leads to, {self.signer.text}"


@dataclass(frozen=True, slots=True)
class Trust:
    """What the caller trusts, beside the key of the log."""

    statements: Sequence[SignedStatement] = ()
    """What the operator said of the keys since the bundle was made, such as revocations."""
    witnesses: Sequence[WitnessKey] = ()
    least: int = 0
    """How many of the witnesses have to have cosigned the head."""
    now: int = 0
    """The time of the check, in seconds since 1970, by which cosignatures of the future are told."""
    verifiers: Sequence[str] = ()
    """Keys of verifiers, in the form of OpenSSH, one of which has to have signed an opinion."""


def check_bundle(
    content: memoryview,
    key: VerifierKey,
    read_model: ReadModel,
    advance: Advance = lambda _: None,
    trust: Trust = Trust(),
) -> CheckedBundle:
    """Check a bundle by a trusted key; `advance` is called with the number of recomputed batches."""
    checked = CheckedBundle()
    faults = checked.faults
    try:
        parts = read_parts(content)
    except UnreadableError as error:
        faults.add("", str(error))
        return checked
    checked.part_count = len(parts)
    _verify(parts, key, trust, checked)
    checked.contents = contents = read_contents(parts, read_model, faults)
    if contents is None or faults:
        return checked
    check_parts(contents, checked.vouched, faults)
    _compare_rows(faults, contents, checked)
    _check_opinions(checked, contents, trust)
    check_made(contents, checked.vouched, faults)
    if not faults:
        checked.recomputed = recompute(contents, faults, advance)
        check_events(contents, faults)
    if not faults and contents.is_sealed:
        check_seal(contents, checked.vouched, faults)
    return checked


def _check_opinions(checked: CheckedBundle, contents: BundleContents, trust: Trust) -> None:
    try:
        checked.opinions = check_engagements(contents, checked.vouched, trust.verifiers, checked.faults)
    except (UnreadableError, ArithmeticError, KeyError, ValueError, TypeError, IndexError) as error:
        checked.faults.add(ENGAGEMENTS, f"They cannot be checked: {type(error).__name__} {error}.")


def _verify(parts: Mapping[str, memoryview], key: VerifierKey, trust: Trust, checked: CheckedBundle) -> None:
    """Verify signatures, proofs and cosignatures, by the given key or one that it leads to."""
    faults = checked.faults
    trusted = read_trusted_keys(parts, key, trust.statements, faults)
    checked.signer = signer = find_bundle_signer(parts, trusted)
    checked.is_by_successor = signer != key
    verify_sums(parts, signer, faults)
    checked.vouched = verify_audit(parts, signer, faults)
    head = checked.vouched.head
    if head is None:
        return
    try:
        trusted.require_valid(signer, head)
    except UnprovenError as error:
        faults.add(SIGNATURE, str(error))
    try:
        note = bytes(parts[HEAD]).decode()
        checked.cosignatures = list_cosignatures(note, trust.witnesses, trust.now)
        require_cosignatures(checked.cosignatures, trust.witnesses, trust.least)
    except UnprovenError as error:
        faults.add(HEAD, str(error))


def _compare_rows(faults: Faults, contents: BundleContents, checked: CheckedBundle) -> None:
    """What compares rows may meet any nonsense that a key was made to sign."""
    vouched = checked.vouched
    try:
        check_rows(contents, faults)
        check_books(contents, vouched, faults)
        check_drawn(contents, faults)
        check_evidence(contents, faults)
        compare_with_log(contents, vouched, faults)
        if contents.is_sealed:
            log = LogRows(vouched.rows)
            for part, sentence in (*check_closure(contents, log), *compare_statements(contents, log)):
                faults.add(part, sentence)
            bound = bind_events(contents, vouched, faults)
            check_captured(contents, bound, faults)
            for sentence in check_late(contents, bound):
                faults.add(LATE_EVENTS.part, sentence)
            checked.gaps = list_gaps(contents, vouched.rows)
            checked.unbound = [
                *list_unbound(contents, bound),
                *check_stated_lines(contents, bound, faults),
                *list_untold(contents, log),
            ]
        if (unknown := check_revision(contents.manifest.engine_revision)) is not None:
            faults.add(MANIFEST, f"{unknown[0].upper()}{unknown[1:]}.")
        if vouched.head is not None and vouched.head.origin != contents.manifest.audit_log:
            faults.add(
                "bundle.json", f"It names the log {contents.manifest.audit_log}, not that of its head."
            )
    except (UnreadableError, ArithmeticError, LookupError, ValueError, TypeError) as error:
        faults.add("", f"Its rows cannot be compared: {type(error).__name__} {error}.")


def prepare_models(contents: BundleContents) -> dict[int, PreparedModel]:
    """The models, ready to run."""
    return {number: prepare(model) for number, model in contents.documents.items()}


def check_made(contents: BundleContents, vouched: TrustResult, faults: Faults) -> None:
    """Compare the derived parts with their expected content."""
    try:
        rendered_parts = render_parts(contents, vouched)
    except (KeyError, ArithmeticError, ValueError, TypeError) as error:
        faults.add("", f"Its page cannot be made again: {type(error).__name__} {error}.")
        return
    for name, content in rendered_parts.items():
        if bytes(contents.parts.get(name, b"")) != content:
            faults.add(name, "It is not what the other parts make.")


def render_parts(contents: BundleContents, vouched: TrustResult) -> dict[str, bytes]:
    """The page and the indexes that the other parts make, each of which describes those before it."""
    indexed = {
        name: IndexedPart(name, len(content), hash_part(content))
        for name, content in contents.parts.items()
        if name not in {PAGE, DATA_PACKAGE, RO_CRATE, SUMS, SIGNATURE}
    }
    page = b"".join(render_page(contents, prepare_models(contents), vouched))
    package = describe_tables(contents.report.id, indexed, count_rows(contents))
    for name, content in ((PAGE, page), (DATA_PACKAGE, package)):
        indexed[name] = IndexedPart(name, len(content), hash_part(memoryview(content)))
    published = (contents.report.effective_at or contents.report.end_time or "")[:10]
    crate = describe_parts(contents.report.name, published, [indexed[name] for name in sorted(indexed)])
    return {PAGE: page, DATA_PACKAGE: package, RO_CRATE: crate}


def count_rows(contents: BundleContents) -> dict[BundleTable, int]:
    """How many rows each table has."""
    counts = {table: _count_lines(contents.parts[table.part], table.part) - 1 for table in contents.tables}
    return counts | {file.table: len(file) for file in contents.events.values()}


def _count_lines(content: memoryview, part: str) -> int:
    return sum(1 for _ in split_lines(content, part))
