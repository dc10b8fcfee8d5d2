"""What a bundle says: its tables, lineage, models and events, read from its parts and known by their numbers.

Invariants: what is read was written as it should be, row by row; nothing of it was compared yet.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from weighbridge.core.bundle.form import rows, tables
from weighbridge.core.bundle.form.events import EventFile
from weighbridge.core.bundle.form.fault import Faults, UnreadableError
from weighbridge.core.bundle.form.lineage import (
    LINEAGE,
    SLOTS,
    BatchLineage,
    SlotLine,
    read_lines,
)
from weighbridge.core.bundle.form.record import read_record
from weighbridge.core.model import Model, ModelError

FORMAT: Final = 2
"""The form of bundles that are made; the check reads every format that `TABLES` names."""

WHOLE_STORIES: Final = 2
"""The first format with all batches of each run, and the entries that they posted."""

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

    @property
    def has_whole_stories(self) -> bool:
        """Whether each run is there with all its batches, and with what they posted."""
        return self.manifest.format >= WHOLE_STORIES

    @property
    def tables(self) -> tuple[tables.BundleTable, ...]:
        """The tables that its format has, but those of events."""
        return tables.TABLES[self.manifest.format]

    @property
    def reported(self) -> dict[str, StatedInclusion]:
        """What the report takes, by the id of the batch."""
        return {inclusion.batch_id: inclusion for inclusion in self.report.inclusions}


def contents_of(
    parts: Mapping[str, memoryview], read_model: ReadModel, faults: Faults
) -> BundleContents | None:
    """Read the parts; what cannot be read is taken down, and then there is nothing to compare."""
    reading = _PartReader(parts, faults)
    manifest = reading.record(Manifest, MANIFEST)
    if manifest is not None and manifest.format not in tables.TABLES:
        known = " and ".join(map(str, tables.TABLES))
        faults.add(
            MANIFEST, f"The bundle is of format {manifest.format}; this program knows formats {known}."
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
    for model in contents.models.values():
        part = f"{MODEL_FOLDER}{model.model_id}.yaml"
        try:
            contents.documents[model.model] = read_model(reading.text(part))
        except ModelError as error:
            faults.add(part, f"The document cannot be read as a model: {error}")
    return contents


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
        return self._each(table.part, tables.rows_in(table, self._content(table.part)))

    def lines(self, kind: type[Any], part: str) -> Iterable[Any]:
        return self._each(part, read_lines(kind, self._content(part), part))

    def lineage(self) -> dict[int, BatchLineage]:
        found: dict[int, BatchLineage] = {}
        last = -1
        for line in self.lines(BatchLineage, LINEAGE):
            if line.batch <= last:
                self._faults.add(LINEAGE, f"Lines are sorted, each once; batch {line.batch} is not.")
            found[line.batch] = line
            last = line.batch
        return found

    def events(self, points: Mapping[str, list[rows.EventTypeRow]]) -> dict[str, EventFile]:
        files = {}
        for event_type, of_type in points.items():
            try:
                table = tables.events_table(event_type, of_type)
                files[event_type] = EventFile(table, self._content(table.part))
            except UnreadableError as error:
                self._faults.add(tables.events_part(event_type), str(error))
        return files

    def record(self, kind: type[Any], part: str) -> Any:
        try:
            return read_record(kind, bytes(self._content(part)))
        except UnreadableError as error:
            self._faults.add(part, str(error))
            return None

    def _each(self, part: str, found: Iterable[Any]) -> Iterable[Any]:
        try:
            yield from found
        except UnreadableError as error:
            self._faults.add(part, str(error))
