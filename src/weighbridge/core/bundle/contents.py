"""What a bundle says: its tables, lineage, models and events, read from its parts and known by their numbers.

Invariants: what is read was written as it should be, row by row; nothing of it was compared yet.

What vouches for a bundle: the signature over its digests, and the head of the audit log over its rows.

Both are verified by the key that the caller brings; a key inside the file would vouch for nothing.

Invariants: every part but the digests and their signature is under the signature; a row of the log is
believed only under the head that the key signed.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any, Final

from weighbridge.core.bundle import rows, tables
from weighbridge.core.bundle.archive import Faults, UnreadableError
from weighbridge.core.bundle.methodology import METHODOLOGY, BundledMethodology, StatedLedger
from weighbridge.core.bundle.rows import TextKind, parse_json, read_record
from weighbridge.core.bundle.tables import (
    LINEAGE,
    SLOTS,
    BatchLineage,
    BundleColumn,
    BundleTable,
    EventFile,
    SlotLine,
    read_lines,
    split_lines,
)
from weighbridge.core.bundle.uncertainty import (
    OF_VALUE,
    UNCERTAINTIES,
    BatchUncertainties,
    StatementsOfBundle,
)
from weighbridge.core.key_history import SignedStatement, TrustedKeys, find_signer
from weighbridge.core.model import Model, ModelError
from weighbridge.core.platform.audit import hash_of_row
from weighbridge.core.proof import Checkpoint, InclusionProof, open_checkpoint
from weighbridge.core.signing import UnprovenError, VerifierKey, verify_ssh_signature, write_canonical_json

FORMAT: Final = 4
"""The form of bundles without uncertainty; the check reads every format that `TABLES` names."""

WHOLE_STORIES: Final = 2
"""The first format with all batches of each run, and the entries that they posted."""

KEY_HISTORY: Final = 3
"""The first format with the history of the keys that signed the log."""

SEALED: Final = 4
"""The first format whose parts the log was told of, and whose events the writes prove that stored them."""

UNCERTAIN: Final = 5
"""The format of bundles in which a model asks for uncertainty, or an event states it of single values."""

MANIFEST: Final = "bundle.json"
REPORT: Final = "report.json"
MODEL_FOLDER: Final = "models/"
RULE_FOLDER: Final = "rules/"
EVIDENCE_FOLDER: Final = "evidence/"

ReadModel = Callable[[str], Model]
"""Reads a model document; raises ModelError."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a bundle is, in `bundle.json`."""

    format: int
    report_id: str
    project_id: str
    project_number: int
    project_name: str
    time_zone: str
    """The project's clock."""
    audit_log: str
    """What the account's audit log is called in its head."""
    engine_revision: int
    """That of the service that made the bundle."""
    is_redacted: bool
    """Whether evidence is there by its digests alone."""


@dataclass(frozen=True, slots=True)
class StatedInclusion:
    """What the report takes of one batch."""

    amount: str
    batch_id: str
    end_time: str
    start_time: str
    tracking_id: str
    unit: str


SUCCEEDING: Final = ("report.merge", "report.split")
"""What lets reports take the place of others."""
STATING: Final = ("report.submit", *SUCCEEDING)
"""From when on a report states what it does; it rests on the books of that moment."""


@dataclass(frozen=True, slots=True)
class BundledReport:
    """What the report states, in `report.json`: the same that is handed to its receiver."""

    amount: str
    effective_at: str | None
    end_time: str | None
    id: str
    inclusions: list[StatedInclusion]
    ledger_id: str | None
    methodology_id: int | None
    name: str
    project_id: str
    report_type: str
    start_time: str | None
    supersedes: str | None
    liability: str | None = field(default=None, metadata={rows.ONLY_IF_STATED: True})
    """What it owes its receiver; in the part only where it owes something."""
    liability_reason: str | None = field(default=None, metadata={rows.ONLY_IF_STATED: True})
    predecessors: list[str] | None = field(default=None, metadata={rows.ONLY_IF_STATED: True})
    """The accepted reports of which it took the place; in the part only where there are any."""
    ledgers: list[StatedLedger] | None = field(default=None, metadata={rows.ONLY_IF_STATED: True})
    """The ledgers of its roles; in the part only where it takes of several."""


@dataclass(frozen=True, slots=True)
class BundledStatement:
    """What was said of a key of the log, with its signatures."""

    key_signature: str | None
    successor_signature: str
    text: str


@dataclass(frozen=True, slots=True)
class KeyHistory:
    """The statements about the keys of the log, in `audit/keys.json`, in the order of its rows."""

    statements: list[BundledStatement]


@dataclass(frozen=True, slots=True)
class WriteProof:
    """What proves the writes that stored events, in `audit/writes.json`; hashes as hexadecimal digits."""

    events: dict[str, list[str]]
    """By the number of a write the roots of the parts of its tree without events of the bundle."""
    log: list[str]
    """The roots of the parts of the log without writes."""


@dataclass(slots=True)
class BundleContents:
    """All that was read of a bundle."""

    parts: Mapping[str, memoryview]
    manifest: Manifest
    report: BundledReport
    ledgers: dict[int, rows.BundledLedgerRow]
    batches: dict[int, rows.BatchRow]
    values: dict[int, dict[str, rows.NodeValueRow]]
    """By batch and node, in the order of the model."""
    corrections: dict[int, rows.CorrectionRow]
    statics: dict[int, rows.StaticInputRow]
    models: dict[int, rows.ModelRow]
    meters: dict[tuple[str, str], rows.MeterRow]
    evidence: list[rows.EvidenceRow]
    points: dict[str, list[rows.EventTypeRow]]
    """By event type, its data points in their order."""
    events: dict[str, EventFile]
    lineage: dict[int, BatchLineage]
    slots: list[SlotLine]
    entries: list[rows.EntryRow] = field(default_factory=list)
    deficits: list[rows.DeficitRow] = field(default_factory=list)
    documents: dict[int, Model] = field(default_factory=dict)
    key_history: KeyHistory | None = None
    """None in formats that have none."""
    names: dict[tuple[str, int], str] = field(default_factory=dict)
    """What numbers stand for in the lines of events, by kind and number."""
    write_proof: WriteProof | None = None
    late_events: dict[int, rows.LateEventRow] = field(default_factory=dict)
    outages: dict[int, rows.OutageRow] = field(default_factory=dict)
    findings: dict[int, rows.DismissedFindingRow] = field(default_factory=dict)
    methodology: BundledMethodology | None = None
    """None where the report follows none."""
    statements: list[rows.StatementRow] = field(default_factory=list)
    calibrations: list[rows.CalibrationRow] = field(default_factory=list)
    sources: list[rows.SourceRow] = field(default_factory=list)
    stated: StatementsOfBundle = field(default_factory=StatementsOfBundle)
    """The same, by what they are about."""
    uncertainties: dict[int, BatchUncertainties] = field(default_factory=dict)
    """Of the batches whose models ask."""

    @property
    def is_uncertain(self) -> bool:
        """Whether it has what re-derives how uncertain its batches are."""
        return self.manifest.format >= UNCERTAIN

    @property
    def stating_events(self) -> set[int]:
        """The events of which single values state how well they are known."""
        return {int(row.name) for row in self.statements if row.kind == OF_VALUE and row.name.isdecimal()}

    @property
    def has_whole_stories(self) -> bool:
        """Whether each run is there with all its batches, and with what they posted."""
        return self.manifest.format >= WHOLE_STORIES

    @property
    def is_sealed(self) -> bool:
        """Whether the log has a row about its parts, and its events are proved one by one."""
        return self.manifest.format >= SEALED

    @property
    def rule_versions(self) -> set[tuple[int, int]]:
        """The versions of rules that corrected something, or found what a person dismissed."""
        versions = {(row.rule, row.rule_version) for row in self.findings.values()}
        for row in self.corrections.values():
            if row.rule is not None and row.rule_version is not None:
                versions.add((row.rule, row.rule_version))
        return versions

    def has_event(self, event: int) -> bool:
        """Whether a batch read an event, or it came late."""
        return event in self.late_events or any(file.has(event) for file in self.events.values())

    @property
    def tables(self) -> tuple[tables.BundleTable, ...]:
        """The tables that its format has, but those of events."""
        return tables.TABLES[self.manifest.format]

    @property
    def reported(self) -> dict[str, StatedInclusion]:
        """What the report takes, by the id of the batch."""
        return {inclusion.batch_id: inclusion for inclusion in self.report.inclusions}


def read_contents(
    parts: Mapping[str, memoryview], read_model: ReadModel, faults: Faults
) -> BundleContents | None:
    """Read the parts; what cannot be read is taken down, and then there is nothing to compare."""
    reading = _PartReader(parts, faults)
    manifest = reading.record(Manifest, MANIFEST)
    if manifest is not None and manifest.format not in tables.TABLES:
        formats = " and ".join(map(str, tables.TABLES))
        faults.add(
            MANIFEST, f"The bundle is of format {manifest.format}; this program knows formats {formats}."
        )
        return None
    report = reading.record(BundledReport, REPORT)
    points: dict[str, list[rows.EventTypeRow]] = {}
    for point in reading.table(tables.EVENT_TYPES):
        points.setdefault(point.event_type, []).append(point)
    values: dict[int, dict[str, rows.NodeValueRow]] = {}
    for value in reading.table(tables.NODE_VALUES):
        values.setdefault(value.batch, {})[value.node] = value
    batches = {row.batch: row for row in reading.table(tables.BATCHES)}
    if manifest is None or report is None:
        return None
    contents = BundleContents(
        parts=parts,
        manifest=manifest,
        report=report,
        ledgers={row.ledger: row for row in reading.table(tables.LEDGERS)},
        batches=batches,
        values=values,
        corrections={row.correction: row for row in reading.table(tables.CORRECTIONS)},
        statics={row.static_input: row for row in reading.table(tables.STATIC_INPUTS)},
        models={row.model: row for row in reading.table(tables.MODELS)},
        meters={(row.kind, row.name): row for row in reading.table(tables.METERS)},
        evidence=list(reading.table(tables.EVIDENCE)),
        points=points,
        events=reading.events(points),
        lineage=reading.lineage(),
        slots=list(reading.lines(SlotLine, SLOTS)),
    )
    if contents.has_whole_stories:
        contents.entries = list(reading.table(tables.ENTRIES))
        contents.deficits = list(reading.table(tables.DEFICITS))
    if manifest.format >= KEY_HISTORY:
        contents.key_history = reading.record(KeyHistory, KEYS)
    if contents.is_sealed:
        _read_closure(contents, reading)
    if contents.is_uncertain:
        _read_uncertainty(contents, reading)
    _read_documents(contents, reading, read_model, faults)
    return contents


def _read_closure(contents: BundleContents, reading: "_PartReader") -> None:
    contents.names = {(row.kind, row.number): row.name for row in reading.table(tables.NAMES)}
    contents.late_events = {row.event: row for row in reading.table(tables.LATE_EVENTS)}
    contents.outages = {row.outage: row for row in reading.table(tables.OUTAGES)}
    contents.findings = {row.finding: row for row in reading.table(tables.FINDINGS)}
    contents.write_proof = reading.record(WriteProof, WRITE_PROOF)
    if contents.report.methodology_id is not None:
        contents.methodology = reading.record(BundledMethodology, METHODOLOGY)


def _read_uncertainty(contents: BundleContents, reading: "_PartReader") -> None:
    contents.statements = list(reading.table(tables.STATEMENTS))
    contents.calibrations = list(reading.table(tables.CALIBRATIONS))
    contents.sources = list(reading.table(tables.SOURCES))
    contents.stated = reading.stated(contents.statements, contents.calibrations, contents.sources)
    lines = list(reading.lines(BatchUncertainties, UNCERTAINTIES))
    contents.uncertainties = {line.batch: line for line in lines}
    reading.require_order(UNCERTAINTIES, [line.batch for line in lines])


def _read_documents(
    contents: BundleContents, reading: "_PartReader", read_model: ReadModel, faults: Faults
) -> None:
    for model in contents.models.values():
        part = f"{MODEL_FOLDER}{model.model_id}.yaml"
        try:
            contents.documents[model.model] = read_model(reading.text(part))
        except ModelError as error:
            faults.add(part, f"The document cannot be read as a model: {error}")


class _PartReader:
    """Reads parts, and takes down what cannot be read."""

    def __init__(self, parts: Mapping[str, memoryview], faults: Faults) -> None:
        self._parts = parts
        self._faults = faults

    def _content(self, part: str) -> memoryview:
        content = self._parts.get(part)
        if content is None:
            self._faults.add(part, "The part is missing.")
            return memoryview(b"")
        return content

    def text(self, part: str) -> str:
        try:
            return bytes(self._content(part)).decode()
        except UnicodeDecodeError:
            self._faults.add(part, "The part is no UTF-8.")
            return ""

    def table(self, table: tables.BundleTable) -> Iterable[Any]:
        return self._each(table.part, tables.read_rows(table, self._content(table.part)))

    def lines(self, kind: type[Any], part: str) -> Iterable[Any]:
        return self._each(part, read_lines(kind, self._content(part), part))

    def lineage(self) -> dict[int, BatchLineage]:
        lineages: dict[int, BatchLineage] = {}
        last = -1
        for line in self.lines(BatchLineage, LINEAGE):
            if line.batch <= last:
                self._faults.add(LINEAGE, f"Lines are sorted, each once; batch {line.batch} is not.")
            lineages[line.batch] = line
            last = line.batch
        return lineages

    def events(self, points: Mapping[str, list[rows.EventTypeRow]]) -> dict[str, EventFile]:
        files = {}
        for event_type, of_type in points.items():
            try:
                table = tables.define_events_table(event_type, of_type)
                files[event_type] = EventFile(table, self._content(table.part))
            except UnreadableError as error:
                self._faults.add(tables.name_events_part(event_type), str(error))
        return files

    def record(self, kind: type[Any], part: str) -> Any:
        try:
            return read_record(kind, bytes(self._content(part)))
        except UnreadableError as error:
            self._faults.add(part, str(error))
            return None

    def stated(
        self,
        statements: Sequence[rows.StatementRow],
        calibrations: Sequence[rows.CalibrationRow],
        sources: Sequence[rows.SourceRow],
    ) -> StatementsOfBundle:
        try:
            return StatementsOfBundle.read(statements, calibrations, sources)
        except UnreadableError as error:
            self._faults.add(tables.STATEMENTS.part, str(error))
            return StatementsOfBundle()

    def require_order(self, part: str, batches: Sequence[int]) -> None:
        """Lines are of one batch each, in order."""
        if any(after <= before for before, after in pairwise(batches)):
            self._faults.add(part, "Lines are sorted by their batches, each once, and these are not.")

    def _each(self, part: str, items: Iterable[Any]) -> Iterable[Any]:
        try:
            yield from items
        except UnreadableError as error:
            self._faults.add(part, str(error))


# What a bundle says of its own parts: `datapackage.json`, `ro-crate-metadata.json`, `SHA256SUMS`.
#
# They follow from the other parts, so a check renders them again and compares. The first describes the
# tables for tools of Frictionless Data, the second all parts for tools of RO-Crate, the third is what is
# signed.
#
# Invariant: equal parts make equal indexes.


DATA_PACKAGE: Final = "datapackage.json"
RO_CRATE: Final = "ro-crate-metadata.json"
SUMS: Final = "SHA256SUMS"
SIGNATURE: Final = "SHA256SUMS.sig"
NAMESPACE: Final = "weighbridge-bundle"
"""What the signature over `SHA256SUMS` is for, so that no other signature of the key passes for it."""

_TYPES: Final = {
    TextKind.TEXT: "string",
    TextKind.NUMBER: "number",
    TextKind.WHOLE: "integer",
    TextKind.TIME: "datetime",
    TextKind.FLAG: "boolean",
    TextKind.DIGEST: "string",
    TextKind.LIST: "array",
}
_MEDIA_TYPES: Final = {
    "csv": "text/csv",
    "jsonl": "application/jsonl",
    "json": "application/json",
    "html": "text/html",
    "yaml": "application/yaml",
}


@dataclass(frozen=True, slots=True)
class IndexedPart:
    """A part by its name, its length and its digest."""

    name: str
    size: int
    sha256: str


def hash_part(content: memoryview) -> str:
    """The SHA-256 of a content, as 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def describe_tables(
    report: str, parts: Mapping[str, IndexedPart], row_counts: Mapping[BundleTable, int]
) -> bytes:
    """The description of the tables, with how many rows each has."""
    resources = [
        {
            "name": table.part.removesuffix(".csv").replace("/", "-").replace("_", "-"),
            "path": table.part,
            "profile": "tabular-data-resource",
            "encoding": "utf-8",
            "mediatype": "text/csv",
            "bytes": parts[table.part].size,
            "hash": f"sha256:{parts[table.part].sha256}",
            "rows": count,
            "schema": {
                "fields": [_describe_column(column) for column in table.columns],
                "primaryKey": [column.name for column in table.columns[: table.keys]],
            },
        }
        for table, count in sorted(row_counts.items(), key=lambda pair: pair[0].part)
    ]
    described = {"profile": "data-package", "name": report.replace("_", "-"), "resources": resources}
    return write_canonical_json(described) + b"\n"


def _describe_column(column: BundleColumn) -> dict[str, Any]:
    field: dict[str, Any] = {"name": column.name, "type": _TYPES[column.kind]}
    if not column.is_optional:
        field["constraints"] = {"required": True}
    return field


def describe_parts(title: str, published: str, parts: Sequence[IndexedPart]) -> bytes:
    """The description of all parts as an RO-Crate 1.1; `published` is the day that the report counts from."""
    files = [
        {
            "@id": part.name,
            "@type": "File",
            "contentSize": str(part.size),
            "encodingFormat": _MEDIA_TYPES.get(part.name.rpartition(".")[2], "application/octet-stream"),
            "sha256": part.sha256,
        }
        for part in parts
    ]
    about = {
        "@id": RO_CRATE,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": title,
        "description": "A report with all that its amounts were computed from.",
        "datePublished": published,
        "license": "The operator says what it may be used for.",
        "hasPart": [{"@id": part.name} for part in parts],
    }
    crate = {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": [about, root, *files]}
    return write_canonical_json(crate) + b"\n"


def write_sums(parts: Sequence[IndexedPart]) -> bytes:
    """The digests of all parts, as `sha256sum -c` takes them."""
    sorted_parts = sorted(parts, key=lambda part: part.name)
    return "".join(f"{part.sha256}  {part.name}\n" for part in sorted_parts).encode()


AUDIT_FOLDER: Final = "audit/"
HEAD: Final = "audit/head.checkpoint"
ROWS: Final = "audit/rows.jsonl"
KEYS: Final = "audit/keys.json"
SEAL: Final = "audit/seal.jsonl"
CAPTURED: Final = "captured.txt"
WRITES: Final = "audit/writes.jsonl"
WRITE_PROOF: Final = "audit/writes.json"


def name_proof_part(number: int) -> str:
    """The part with the proof of a row of the audit log."""
    return f"{AUDIT_FOLDER}{number}.tlog-proof"


@dataclass(slots=True)
class TrustResult:
    """What was vouched for."""

    is_signed: bool = False
    head: Checkpoint | None = None
    rows: list[Mapping[str, Any]] = field(default_factory=list)
    """Rows of the audit log that are under the head, in their order."""
    seal: Mapping[str, Any] | None = None
    """The row that tells of the parts of the bundle."""


def read_trusted_keys(
    parts: Mapping[str, memoryview], given: VerifierKey, others: Iterable[SignedStatement], faults: Faults
) -> TrustedKeys:
    """The keys that the given one leads to, by the statements of the bundle and others of the caller."""
    statements = [*others]
    if KEYS in parts:
        try:
            history: KeyHistory = read_record(KeyHistory, bytes(parts[KEYS]))
            statements += [SignedStatement.read(asdict(one)) for one in history.statements]
        except (UnreadableError, UnprovenError) as error:
            faults.add(KEYS, str(error))
    return TrustedKeys.of(given, statements)


def find_bundle_signer(parts: Mapping[str, memoryview], trusted: TrustedKeys) -> VerifierKey:
    """The trusted key that signed the digests; the given one where none of them did."""
    signature = bytes(parts.get(SIGNATURE, b"")).decode("ascii", "replace")
    try:
        return find_signer(trusted.keys, bytes(parts.get(SUMS, b"")), signature, NAMESPACE)
    except UnprovenError:
        return trusted.keys[0]


def verify_sums(parts: Mapping[str, memoryview], key: VerifierKey, faults: Faults) -> None:
    """Check every part against `SHA256SUMS`, and `SHA256SUMS` against its signature."""
    indexed = [
        IndexedPart(name, len(content), hash_part(content))
        for name, content in parts.items()
        if name not in {SUMS, SIGNATURE}
    ]
    stated = bytes(parts.get(SUMS, b""))
    if stated != write_sums(indexed):
        sums = {line[66:]: line[:64] for line in stated.decode("utf-8", "replace").splitlines()}
        for part in indexed:
            if sums.pop(part.name, None) != part.sha256:
                faults.add(part.name, f"Its content does not match its digest in {SUMS}.")
        for name in sorted(sums)[:10]:
            faults.add(name[:100], f"{SUMS} names it, and it is missing.")
        if not faults:
            faults.add(SUMS, "It is not written as the digests of the parts are.")
    try:
        signature = bytes(parts.get(SIGNATURE, b"")).decode("ascii", "replace")
        verify_ssh_signature(stated, signature, key, NAMESPACE)
    except UnprovenError as error:
        faults.add(SIGNATURE, str(error))


def verify_audit(parts: Mapping[str, memoryview], key: VerifierKey, faults: Faults) -> TrustResult:
    """Check the rows of the audit log against their proofs, and the proofs against the signed head."""
    vouched = TrustResult(is_signed=not faults)
    try:
        vouched.head = open_checkpoint(_decode_part(parts, HEAD), key)
    except UnprovenError as error:
        faults.add(HEAD, str(error))
    vouched.rows = _read_proved_rows(parts, ROWS, key, vouched.head, faults)
    if SEAL in parts:
        rows = _read_proved_rows(parts, SEAL, key, vouched.head, faults)
        vouched.seal = rows[0] if len(rows) == 1 else None
    return vouched


def _read_proved_rows(
    parts: Mapping[str, memoryview],
    part: str,
    key: VerifierKey,
    head: Checkpoint | None,
    faults: Faults,
) -> list[Mapping[str, Any]]:
    """The rows of a part that are under the head; takes down those that are not."""
    proved: list[Mapping[str, Any]] = []
    last = 0
    try:
        for line in split_lines(parts.get(part, memoryview(b"")), part):
            row = parse_json(line)
            number = row["number"]
            if number <= last:
                faults.add(part, f"Rows are sorted, each once; row {number} is not.")
            last = number
            if _is_proved(parts, row, number, key, head, faults):
                proved.append(row)
    except (UnreadableError, ValueError, KeyError, TypeError) as error:
        faults.add(part, f"A row cannot be read: {error}.")
    return proved


def _is_proved(
    parts: Mapping[str, memoryview],
    row: Mapping[str, Any],
    number: int,
    key: VerifierKey,
    head: Checkpoint | None,
    faults: Faults,
) -> bool:
    part = name_proof_part(number)
    text = _decode_part(parts, part)
    try:
        proof = InclusionProof.read(text)
        proved_under = proof.verify(hash_of_row(row), key)
    except (UnprovenError, KeyError) as error:
        faults.add(part, str(error))
        return False
    is_proof = proof.text == text and proof.index == number - 1
    if not is_proof:
        faults.add(part, f"It is no proof of row {number} as it is written here.")
    elif proved_under != head:
        faults.add(part, "It proves the row under another head than that of the bundle.")
    return is_proof and proved_under == head


def _decode_part(parts: Mapping[str, memoryview], part: str) -> str:
    return bytes(parts.get(part, b"")).decode("utf-8", "replace")


def list_restated_reports(report: BundledReport, vouched: TrustResult) -> set[str]:
    """The ids of a report and of those that it restates, one after the other, according to the log."""
    return {report.id, *_follow_restated(report.supersedes, _read_restated(vouched))}


def list_handed_over(vouched: TrustResult) -> dict[str, str]:
    """By the ids of reports that handed over what they held, and of those that these restate, the former."""
    restated, chains = _read_restated(vouched), dict[str, str]()
    for row in vouched.rows:
        if row["action"] in SUCCEEDING and isinstance(row["after"], dict):
            for name in row["after"].get("predecessors", ()):
                chains |= dict.fromkeys(_follow_restated(name, restated), name)
    return chains


def _read_restated(vouched: TrustResult) -> dict[str, str | None]:
    """By the id of each report the one that it restates."""
    return {
        row["object"]: after["supersedes"]
        for row in vouched.rows
        if isinstance(after := row["after"], dict) and "inclusions" in after
    }


def _follow_restated(name: str | None, restated: Mapping[str, str | None]) -> set[str]:
    chain = set[str]()
    while name is not None and name not in chain:
        chain.add(name)
        name = restated.get(name)
    return chain
