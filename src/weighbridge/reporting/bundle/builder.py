"""Build a bundle: every part is written into a folder, then all are put into one file.

Invariants: all that a bundle states is of one snapshot of the database, and all proofs are under one
head; the same snapshot, head and key give the same bytes; memory stays flat, however many events there
are.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from weighbridge.collection.evidence_files import EvidenceStore
from weighbridge.core import identity
from weighbridge.core.bundle import tables
from weighbridge.core.bundle.archive import Faults
from weighbridge.core.bundle.check import render_parts
from weighbridge.core.bundle.contents import (
    CAPTURED,
    EVIDENCE_FOLDER,
    FORMAT,
    HEAD,
    KEYS,
    MANIFEST,
    MODEL_FOLDER,
    NAMESPACE,
    REPORT,
    ROWS,
    RULE_FOLDER,
    SEAL,
    SIGNATURE,
    SUMS,
    UNCERTAIN,
    WRITE_PROOF,
    WRITES,
    BundleContents,
    Manifest,
    TrustResult,
    name_proof_part,
    read_contents,
    write_sums,
)
from weighbridge.core.bundle.log import CORRECTING
from weighbridge.core.bundle.methodology import MAKING, METHODOLOGY, build_methodology
from weighbridge.core.bundle.rows import BundledLedgerRow, ModelRow, record_text
from weighbridge.core.bundle.seal import SEALING, describe_sealed, name_sealed_object
from weighbridge.core.bundle.tables import LINEAGE, SLOTS, SlotLine
from weighbridge.core.bundle.uncertainty import UNCERTAINTIES, list_asking
from weighbridge.core.collection.correction import CorrectionOrigin
from weighbridge.core.engine import ENGINE_REVISION
from weighbridge.core.key_history import KEY_ACTIONS
from weighbridge.core.platform.permission import Actor
from weighbridge.core.signing import write_canonical_json, write_ssh_signature
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Database, Read
from weighbridge.modelling.documents import read_model
from weighbridge.platform import changes
from weighbridge.platform.audit_tree import (
    Signer,
    head_at,
    inclusion_proof,
    leaf_fields,
    seal_account,
    size_of,
)
from weighbridge.platform.audit_witnesses import best_cosigned_size
from weighbridge.platform.records import SealedRow
from weighbridge.reporting.bundle import rows, uncertainty, writes
from weighbridge.reporting.bundle.basis import find_basis, read_submission_time
from weighbridge.reporting.bundle.closure import (
    Closure,
    list_earlier_reports,
    list_named,
    list_named_records,
    read_closure,
)
from weighbridge.reporting.bundle.folder import READ_BYTES, PartFolder
from weighbridge.reporting.bundle.population import build_engagement_parts
from weighbridge.reporting.bundle.writes import CapturedEvents
from weighbridge.reporting.records.reports import Report
from weighbridge.reporting.submission.file import write_content
from weighbridge.reporting.submission.versions import OF_OTHER_VERSIONS

# The rows of the audit log that tell of a report and of what it rests on, each with its proof.
#
# They are those of the report and of those that it restates, of the generations that made its batches and
# the deletions that took some away, of project, ledgers, model versions, event types, static inputs,
# instruments, rules, corrections and evidence, and of the keys of the log.
#
# When all parts are written that come of the database, the log is told of their digests. That row is proved
# too, so nobody can write another bundle under a head that is known, whatever key he has.
#
# Invariant: all proofs are under one head, that of the moment at which the bundle is made, or one that
# witnesses cosigned around it and that has all the rows.


SEALED_ROUNDS_MAX: Final = 1000
"""Portions of rows that are sealed before a bundle is made; a million rows have room."""


@dataclass(frozen=True, slots=True)
class RowsWanted:
    """Which rows of the log tell of a bundle's records."""

    project: int
    objects: Sequence[str] = ()
    """Records of which every row is wanted: the report and those that it restates, models, evidence."""
    records: Sequence[tuple[str, str]] = ()
    """Records of which rows of one kind are wanted: the noun before the dot, and what the log calls it."""
    batches: Sequence[str] = ()
    """Batches whose generations and deletions are wanted, by their ids."""
    generations: Sequence[int] = ()
    corrected_at: Sequence[Instant] = ()
    """When people corrected values."""
    dismissed_at: Sequence[Instant] = ()
    """When people dismissed many findings at once."""
    methodology: int | None = None
    """The methodology of the report."""


_ROWS: Final = """
    WITH wanted AS (
        SELECT a.id FROM audit_log a WHERE a.account_id = %(account)s AND a.object = ANY (%(objects)s)
        UNION
        SELECT a.id FROM unnest(%(nouns)s::text[], %(names)s::text[]) AS record (noun, name)
          JOIN audit_log a ON a.account_id = %(account)s AND a.object = record.name
           AND starts_with(a.action, record.noun || '.') AND a.action NOT IN ('rule.correct')
           AND a.project_id = %(project)s
        UNION
        SELECT a.id FROM audit_log a
         WHERE a.account_id = %(account)s AND a.project_id = %(project)s
           AND a.action IN ('batch_generation.start', 'batch.update_inputs')
           AND a.after ->> 'id' = ANY (%(generations)s)
        UNION
        SELECT a.id FROM audit_log a
         WHERE a.account_id = %(account)s AND a.project_id = %(project)s
           AND a.action = 'batch_generation.finish' AND a.after -> 'batches' ?| %(batches)s::text[]
        UNION
        SELECT a.id FROM audit_log a
         WHERE a.account_id = %(account)s AND a.project_id = %(project)s
           AND a.action = 'batch_deletion.finish' AND a.after -> 'deleted' ?| %(batches)s::text[]
        UNION
        SELECT a.id FROM audit_log a
         WHERE a.account_id = %(account)s AND a.project_id = %(project)s
           AND a.at = ANY (%(corrected_at)s::timestamptz[]) AND a.action = ANY (%(correcting)s)
        UNION
        SELECT a.id FROM audit_log a
         WHERE a.account_id = %(account)s AND a.project_id = %(project)s
           AND a.at = ANY (%(dismissed_at)s::timestamptz[]) AND a.action = 'rule_result.bulk_dismiss'
        UNION
        SELECT a.id FROM audit_log a WHERE a.account_id = %(account)s AND a.action = ANY (%(of_keys)s)
        UNION
        SELECT a.id FROM audit_log a
         WHERE a.account_id = %(account)s AND a.action = %(making)s AND a.object = %(methodology)s
        UNION
        SELECT a.id FROM audit_log a
         WHERE a.account_id = %(account)s AND a.project_id = %(project)s AND a.action = 'asset.import'
    )
    SELECT a.account_id, s.number, a.id, a.project_id, a.at, a.user_id, a.token_id, a.request_id, a.action,
           a.object, a.before, a.after
      FROM wanted JOIN audit_log a USING (id)
      JOIN audit_seals s ON (s.account_id, s.audit_id) = (a.account_id, a.id)
     WHERE s.number <= %(size)s
     ORDER BY s.number
"""

_SEAL_ROW: Final = """
    SELECT a.account_id, s.number, a.id, a.project_id, a.at, a.user_id, a.token_id, a.request_id, a.action,
           a.object, a.before, a.after
      FROM audit_log a JOIN audit_seals s ON (s.account_id, s.audit_id) = (a.account_id, a.id)
     WHERE a.account_id = %(account)s AND a.object = %(object)s AND a.action = %(action)s
     ORDER BY s.number DESC LIMIT 1
"""


async def seal_all(database: Database, account: int) -> None:
    """Seal what the account has written, so that the head is over all of it."""
    for _ in range(SEALED_ROUNDS_MAX):
        async with database.write() as tx:
            # A bundle is made once, so it must not miss rows because the periodic sealer holds the lock.
            if not await seal_account(tx, account, waits=True):
                return


async def read_audit_rows(
    tx: Read, account: int, wanted: RowsWanted, size: int
) -> list[tuple[int, dict[str, Any]]]:
    """The rows by their numbers, of the first so many of the log."""
    nouns, names = [noun for noun, _ in wanted.records], [name for _, name in wanted.records]
    values = {
        "account": account,
        "project": wanted.project,
        "size": size,
        "objects": list(wanted.objects),
        "nouns": nouns,
        "names": names,
        "batches": list(wanted.batches),
        "generations": list(map(str, wanted.generations)),
        "corrected_at": list(wanted.corrected_at),
        "dismissed_at": list(wanted.dismissed_at),
        "correcting": list(CORRECTING),
        "of_keys": list(KEY_ACTIONS.values()),
        "making": MAKING,
        "methodology": str(wanted.methodology),
    }
    return [(row.number, leaf_fields(row)) for row in await tx.rows(SealedRow, _ROWS, values)]


async def read_proofs(
    tx: Read, account: int, signer: Signer, numbers: Sequence[int], size: int
) -> AsyncIterator[tuple[int, str]]:
    """The proof of each row under the head of so many."""
    for number in numbers:
        yield number, (await inclusion_proof(tx, account, signer, number, size)).text


def write_logged(logged: Sequence[tuple[int, dict[str, Any]]]) -> bytes:
    """The rows as lines of JSON."""
    return b"".join(write_canonical_json(row) + b"\n" for _, row in logged)


# A bundle is made: every part is written into a folder, then all are put into one file.
#
# Invariants: all that a bundle says is of one snapshot of the database; the same snapshot, head and key
# make the same bytes; memory stays flat, however many events there are.


ReadReport = Callable[[Read, int, int], Awaitable[Report]]
"""Reads a report by its project and number, with all its inclusions."""


@dataclass(frozen=True, slots=True)
class BundleRequest:
    """Of which report a bundle is made, and how."""

    project: int
    report: int
    actor: Actor
    """Who asked for it; the log tells of its parts in this name."""
    signer: Signer
    read_report: ReadReport
    is_redacted: bool = False
    ask_witnesses: Callable[[], Awaitable[None]] | None = None
    """Has witnesses cosign the newest head, in some seconds at most; None where there are none."""

    @property
    def account(self) -> int:
        """The account whose log it is proved by."""
        return self.actor.account_id


@dataclass(frozen=True, slots=True)
class MadeBundle:
    """A bundle that lies in a file."""

    size: int
    sha256: bytes
    batch_count: int


async def make_bundle(
    database: Database, store: EvidenceStore, request: BundleRequest, folder: Path, target: Path
) -> MadeBundle:
    """Make a bundle in a file; `folder` is empty and takes the parts meanwhile."""
    await seal_all(database, request.account)
    parts = PartFolder(folder)
    async with database.read() as tx:
        batches, numbers, stored = await _write_parts(tx, store, request, parts)
    number = await _write_seal(database, request, parts, stored.form)
    if request.ask_witnesses is not None:
        await request.ask_witnesses()
    async with database.read() as tx:
        proved = _ProvedRows([*numbers, number], await size_of(tx, request.account))
        if request.ask_witnesses is not None:
            proved = await _choose_head(tx, request.account, proved)
        await _write_proofs(tx, request, parts, proved)
        proof = await writes.prove_writes(tx, request.account, stored.numbers, stored.hashes, proved.size)
        parts.write(WRITE_PROOF, [record_text(proof)])
    size, sha256 = await asyncio.to_thread(_finish, parts, request, target)
    return MadeBundle(size, sha256, batches)


async def _write_seal(database: Database, request: BundleRequest, parts: PartFolder, form: int) -> int:
    """Have the log tell of the parts so far, unless its newest row about the bundle does; gives the row's
    number.
    """
    name = name_sealed_object(identity.of("report", request.project, request.report))
    told = describe_sealed(form, write_sums([*parts.indexed.values()]).decode().splitlines())
    async with database.read() as tx:
        row = await _read_seal(tx, request, name)
    if row is None or row.after != told:
        async with database.write() as tx:
            changes.record(
                tx, request.actor, action="report.seal_bundle", target=name, project_id=request.project,
                after=told,
            )  # fmt: skip
        await seal_all(database, request.account)
        async with database.read() as tx:
            row = await _read_seal(tx, request, name)
    assert row is not None, "it was written, and all rows are sealed"  # noqa: S101
    parts.write(SEAL, [write_logged([(row.number, leaf_fields(row))])])
    return row.number


async def _read_seal(tx: Read, request: BundleRequest, name: str) -> SealedRow | None:
    """The newest row of the log about the bundle."""
    values = {"account": request.account, "object": name, "action": SEALING}
    return await tx.row(SealedRow, _SEAL_ROW, values)


@dataclass(frozen=True, slots=True)
class _BundleScope:
    """What of a project goes into a bundle."""

    project: int
    batches: Sequence[int]
    slots: Sequence[SlotLine]
    corrections: Sequence[int]
    around: Closure
    stated: datetime | None
    """When the report was sent off; None of a draft."""
    asking: Sequence[int]
    """Batches of models that ask for uncertainty."""


@dataclass(frozen=True, slots=True)
class _ProvedWrites:
    """The rows that stored events, and by their numbers the hashes that their trees need."""

    form: int
    """The format of the bundle."""
    numbers: Sequence[int]
    hashes: Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class _ProvedRows:
    """Rows of the log, and how many rows the head has that they are proved under."""

    numbers: Sequence[int]
    size: int


async def _write_parts(
    tx: Read, store: EvidenceStore, request: BundleRequest, parts: PartFolder
) -> tuple[int, list[int], _ProvedWrites]:
    """Write what comes from the snapshot; gives the number of batches, and what is to be proved."""
    project = request.project
    report = await request.read_report(tx, project, request.report)
    chosen = await _choose(tx, request, report)
    form = await _write_manifest(tx, request, report, chosen, parts)
    parts.write(REPORT, [write_content(report) + b"\n"])
    await _write_methodology(tx, request, report, parts)
    parts.write(SLOTS, map(record_text, chosen.slots))
    around = chosen.around
    ledgers, models = await _write_documents(tx, chosen, parts)
    corrections = await rows.read_corrections(tx, project, chosen.corrections)
    parts.write(tables.CORRECTIONS.part, tables.CORRECTIONS.text(corrections))
    await _write_tables(tx, chosen, parts)
    await _write_events(tx, chosen, parts)
    calibrations = await _write_uncertainty(tx, chosen, parts) if form == UNCERTAIN else []
    captured = await _write_captured(tx, chosen, parts)
    evidence = await _write_evidence(tx, store, request, chosen.batches, parts)
    earlier = await list_earlier_reports(tx, project, request.report)
    engagements = await build_engagement_parts(tx, identity.Key(project, request.report))
    for name, content in engagements.parts.items():
        parts.write(name, [content])
    wanted = RowsWanted(
        project,
        objects=[*earlier, *(model.model_id for model in models), *evidence, *engagements.objects],
        records=[
            *await _list_records(tx, chosen, report, ledgers),
            *(("calibration", name) for name in calibrations),
            *await list_named_records(tx, project, captured.named),
            *around.list_records(project),
        ],
        batches=[identity.of("batch", project, number) for number in chosen.batches],
        generations=sorted({line.generation for line in chosen.slots}),
        corrected_at=sorted(
            {
                correction.created_at
                for correction in corrections
                if correction.origin == CorrectionOrigin.MANUAL
            }
        ),
        dismissed_at=sorted({row.dismissed_at for row in around.findings}),
        methodology=report.methodology_id,
    )
    numbers = await _write_rows(tx, request, parts, wanted)
    return len(chosen.batches), numbers, await _write_writes(tx, request, parts, captured, form)


async def _write_manifest(
    tx: Read, request: BundleRequest, report: Report, chosen: _BundleScope, parts: PartFolder
) -> int:
    """Write what the bundle is; gives its format."""
    project = request.project
    [(name, zone)] = await tx.tuples("SELECT name, time_zone FROM projects WHERE id = %s", (project,))
    late = [row.event for row in chosen.around.late_events]
    form = (
        UNCERTAIN
        if chosen.asking or await uncertainty.has_stated_values(tx, project, chosen.batches, late)
        else FORMAT
    )
    manifest = Manifest(
        form, report.id, report.project_id, project, name, zone, request.signer.origin(request.account),
        ENGINE_REVISION, request.is_redacted,
    )  # fmt: skip
    parts.write(MANIFEST, [record_text(manifest)])
    return form


async def _write_methodology(tx: Read, request: BundleRequest, report: Report, parts: PartFolder) -> None:
    """Write the methodology as it was made, with the batches that no version made that it names."""
    if report.methodology_id is None:
        return
    [(logged,)] = await tx.tuples(_METHODOLOGY, (request.account, MAKING, str(report.methodology_id)))
    found = await tx.tuples(OF_OTHER_VERSIONS, {"projects": [request.project], "reports": [request.report]})
    others = sorted(identity.of("batch", request.project, batch) for _, batch in found)
    parts.write(METHODOLOGY, [record_text(build_methodology(logged, others))])


_METHODOLOGY: Final = "SELECT after FROM audit_log WHERE account_id = %s AND action = %s AND object = %s"


async def _write_captured(tx: Read, chosen: _BundleScope, parts: PartFolder) -> CapturedEvents:
    """Write what belongs to the slots, the lines of all events, and what these name."""
    around = chosen.around
    parts.write(tables.LATE_EVENTS.part, tables.LATE_EVENTS.text(around.late_events))
    parts.write(tables.OUTAGES.part, tables.OUTAGES.text(around.outages))
    parts.write(tables.FINDINGS.part, tables.FINDINGS.text(around.findings))
    late = [row.event for row in around.late_events]
    events = await CapturedEvents.find(tx, chosen.project, chosen.batches, late)
    for kind, number in await list_named(tx, chosen.project, chosen.batches, around.outages):
        events.named[kind].add(number)
    writing = parts.begin(CAPTURED)
    async for lines in events.read_lines(tx):
        writing.write("".join(lines).encode())
    writing.close()
    names = await writes.read_names(tx, chosen.project, events.named)
    parts.write(tables.NAMES.part, tables.NAMES.text(names))
    return events


async def _write_writes(
    tx: Read, request: BundleRequest, parts: PartFolder, events: CapturedEvents, form: int
) -> _ProvedWrites:
    """Write the rows of the log that stored the events; gives their numbers, and what their trees need."""
    account = request.account
    found = await writes.read_writes(tx, account, events, await size_of(tx, account))
    parts.write(WRITES, [write_logged([(row.number, leaf_fields(row)) for row in found])])
    hashes = await writes.read_event_hashes(tx, account, events, found)
    return _ProvedWrites(form, [row.number for row in found], hashes)


async def _list_records(
    tx: Read, chosen: _BundleScope, report: Report, ledgers: Sequence[BundledLedgerRow]
) -> list[tuple[str, str]]:
    """The records of which the log is asked, by the noun of what was done to them."""
    project, batches = chosen.project, list(chosen.batches)
    rules = await tx.tuples(_RULES, (project, list(chosen.corrections)))
    types = await tx.tuples(_EVENT_TYPES, (project, batches))
    statics = await tx.tuples(_STATIC_INPUTS, (project, batches))
    instruments = await tx.tuples(_INSTRUMENTS, (project, batches))
    return [
        ("project", report.project_id),
        *(("ledger", ledger.ledger_id) for ledger in ledgers),
        *(("rule", identity.of("rule", project, number)) for (number,) in rules),
        *(("event_type", identity.of("event_type", project, number)) for (number,) in types),
        *(("static_input", str(number)) for (number,) in statics),
        *(("instrument", identity.of("batch", project, number)) for (number,) in instruments),
    ]


_RULES: Final = """
    SELECT DISTINCT rule_id FROM corrections WHERE project_id = %s AND id = ANY (%s) AND rule_id IS NOT NULL
"""
_EVENT_TYPES: Final = """
    SELECT DISTINCT event_type_id FROM batch_input_sets WHERE project_id = %s AND batch_id = ANY (%s)
"""
_STATIC_INPUTS: Final = """
    SELECT DISTINCT static_input_id FROM batch_static_inputs WHERE project_id = %s AND batch_id = ANY (%s)
"""
_INSTRUMENTS: Final = """
    SELECT id FROM batches WHERE project_id = %s AND id = ANY (%s) AND run_id IS NULL
"""


async def _choose(tx: Read, request: BundleRequest, report: Report) -> _BundleScope:
    project = request.project
    reported = {identity.number("batch", inclusion.batch_id, project) for inclusion in report.inclusions}
    stated = await read_submission_time(tx, project, request.report)
    batches, slots = await find_basis(tx, project, reported, stated)
    around = await read_closure(tx, project, batches, stated)
    late = [row.event for row in around.late_events]
    corrections = await rows.find_corrections(tx, project, batches, late, stated)
    documents = await rows.read_models(tx, project, batches)
    models = {model.model: read_model(text) for model, text in documents}
    asking = await uncertainty.list_asking_batches(tx, project, batches, list_asking(models))
    return _BundleScope(project, batches, slots, corrections, around, stated, asking)


async def _write_documents(
    tx: Read, chosen: _BundleScope, parts: PartFolder
) -> tuple[list[BundledLedgerRow], list[ModelRow]]:
    """Write ledgers, model versions and rules; gives the former two."""
    ledgers = await rows.read_ledgers(tx, chosen.project, chosen.batches)
    documents = await rows.read_models(tx, chosen.project, chosen.batches)
    models = [model for model, _ in documents]
    parts.write(tables.LEDGERS.part, tables.LEDGERS.text(ledgers))
    parts.write(tables.MODELS.part, tables.MODELS.text(models))
    for model, text in documents:
        parts.write(f"{MODEL_FOLDER}{model.model_id}.yaml", [text.encode()])
    rules = await rows.read_rules(tx, chosen.project, chosen.corrections, chosen.around.findings)
    for rule, version, record in rules:
        parts.write(f"{RULE_FOLDER}{rule}-{version}.json", [write_canonical_json(record) + b"\n"])
    return ledgers, models


async def _write_tables(tx: Read, chosen: _BundleScope, parts: PartFolder) -> None:
    project, batches, stated = chosen.project, chosen.batches, chosen.stated
    for table, found in (
        (tables.BATCHES, await rows.read_batches(tx, project, batches, stated)),
        (tables.METERS, await rows.read_meters(tx, project)),
        (tables.STATIC_INPUTS, await rows.read_static_inputs(tx, project, batches)),
        (tables.ENTRIES, await rows.read_entries(tx, project, batches, stated)),
        (tables.DEFICITS, await rows.read_deficits(tx, project, batches, stated)),
    ):
        parts.write(table.part, table.text(found))
    await _write_each(parts, tables.NODE_VALUES, rows.read_node_values(tx, project, batches))


async def _write_events(tx: Read, chosen: _BundleScope, parts: PartFolder) -> None:
    """Write the events, type by type, and the lineage that names them."""
    project, batches = chosen.project, chosen.batches
    points = await rows.read_event_types(tx, project, batches)
    parts.write(tables.EVENT_TYPES.part, tables.EVENT_TYPES.text(points))
    corrected = await rows.CorrectedEvents.read(tx, project, batches)
    for event_type in sorted({point.event_type for point in points}):
        of_type = [point for point in points if point.event_type == event_type]
        portions = rows.read_events(tx, project, batches, of_type, corrected)
        await _write_each(parts, tables.define_events_table(event_type, of_type), portions)
    writing = parts.begin(LINEAGE)
    async for line in rows.read_lineage(tx, project, batches, corrected.versions):
        writing.write(record_text(line))
    writing.close()


async def _write_uncertainty(tx: Read, chosen: _BundleScope, parts: PartFolder) -> list[str]:
    """Write what was stated, and what the batches of models that ask carry; gives the certificates."""
    project, batches, asking = chosen.project, chosen.batches, chosen.asking
    statements = await uncertainty.read_statements(tx, project, batches, asking)
    parts.write(tables.STATEMENTS.part, tables.STATEMENTS.text(statements))
    calibrations = await uncertainty.read_calibrations(tx, project, asking)
    parts.write(tables.CALIBRATIONS.part, tables.CALIBRATIONS.text(calibrations))
    sources = await uncertainty.read_sources(tx, project, asking)
    parts.write(tables.SOURCES.part, tables.SOURCES.text(sources))
    writing = parts.begin(UNCERTAINTIES)
    async for line in uncertainty.read_batch_uncertainties(tx, project, asking):
        writing.write(record_text(line))
    writing.close()
    return sorted({row.calibration_id for row in calibrations})


async def _write_each(
    parts: PartFolder, table: tables.BundleTable, portions: AsyncIterator[Sequence[Any]]
) -> None:
    writing = parts.begin(table.part)
    writing.write(table.header.encode())
    async for portion in portions:
        writing.write("".join(map(table.line, portion)).encode())
    writing.close()


async def _write_evidence(
    tx: Read, store: EvidenceStore, request: BundleRequest, batches: Sequence[int], parts: PartFolder
) -> list[str]:
    """Write what was attached; gives what the audit log calls it."""
    found = await rows.read_evidence(tx, request.project, batches)
    parts.write(tables.EVIDENCE.part, tables.EVIDENCE.text(row for row, _ in found))
    written = set()
    for row, key in found:
        if key is None or request.is_redacted or row.sha256 is None or row.sha256 in written:
            continue
        written.add(row.sha256)
        with await store.get(key, row.size or 0, bytes.fromhex(row.sha256)) as spool:
            parts.write(f"{EVIDENCE_FOLDER}{row.sha256}", iter(partial(spool.read, READ_BYTES), b""))
    return [
        f"evidence {row.evidence} of {identity.of('event', request.project, row.event)}" for row, _ in found
    ]


async def _write_rows(tx: Read, request: BundleRequest, parts: PartFolder, wanted: RowsWanted) -> list[int]:
    """Write rows of the log, and what they say of its keys; gives their numbers."""
    size = await size_of(tx, request.account)
    logged = await read_audit_rows(tx, request.account, wanted, size)
    parts.write(ROWS, [write_logged(logged)])
    statements = [row["after"] for _, row in logged if row["action"] in KEY_ACTIONS.values()]
    parts.write(KEYS, [write_canonical_json({"statements": statements}) + b"\n"])
    return [number for number, _ in logged]


async def _choose_head(tx: Read, account: int, proved: _ProvedRows) -> _ProvedRows:
    """The head that most witnesses cosigned, among those with all the rows; else the one of the snapshot."""
    size = await best_cosigned_size(tx, account, max(proved.numbers, default=1))
    return proved if size is None else replace(proved, size=size)


async def _write_proofs(tx: Read, request: BundleRequest, parts: PartFolder, proved: _ProvedRows) -> None:
    """Write the head, and the proof of each row under it."""
    account, signer, size = request.account, request.signer, proved.size
    parts.write(HEAD, [(await head_at(tx, account, signer, size)).encode()])
    async for number, proof in read_proofs(tx, account, signer, proved.numbers, size):
        parts.write(name_proof_part(number), [proof.encode()])


def _finish(parts: PartFolder, request: BundleRequest, target: Path) -> tuple[int, bytes]:
    """Write what follows from the other parts, sign, and put all into one file."""
    with ExitStack() as stack:
        faults = Faults()
        contents = read_contents(parts.contents(stack), read_model, faults)
        assert contents is not None, "what was written is read"  # noqa: S101
        assert not faults, faults.listed  # noqa: S101
        _write_made(parts, contents)
        contents.events.clear()
    digests = write_sums([part for name, part in parts.indexed.items() if name not in {SUMS, SIGNATURE}])
    parts.write(SUMS, [digests])
    parts.write(SIGNATURE, [write_ssh_signature(digests, request.signer.key, NAMESPACE).encode()])
    return parts.assemble(target)


def _write_made(parts: PartFolder, contents: BundleContents) -> None:
    logged = [msgspec.json.decode(line) for line in bytes(contents.parts[ROWS]).splitlines()]
    for name, content in render_parts(contents, TrustResult(rows=logged)).items():
        parts.write(name, [content])
