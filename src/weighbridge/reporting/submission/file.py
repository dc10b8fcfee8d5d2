"""The file of a submission: what a report states, written by its methodology's mapping, checked and stored.

Invariants: a submitted report states the same for ever, so its file can be made again, and the same values
give the same bytes; numbers keep every digit; no text is computed by a spreadsheet. Whatever a schema is, its
check ends in time, and what could not be checked is not sent. There is one file for each report, under one
key, for one receiver, and neither the file nor its row ever changes.
"""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from io import BytesIO, StringIO
from secrets import token_hex
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from weighbridge.accounting.records.uncertainty import AmountUncertainty
from weighbridge.collection.evidence_files import KEY_BYTES, EvidenceStore
from weighbridge.core import identity
from weighbridge.core.number import exact_total, plain
from weighbridge.core.platform.tasks import guard_cell
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.core.report import MEDIA_TYPES, ReportFormat, compute_measured_share
from weighbridge.core.report_fields import LEDGERS, LISTS, OF_UNCERTAINTY
from weighbridge.core.report_filling import (
    Filled,
    FilledElement,
    FilledSheet,
    FilledTable,
    RoundedValue,
    StatedReport,
    UnfitError,
    fill,
    write_address,
)
from weighbridge.core.report_ledgers import sum_net
from weighbridge.core.report_mapping import read_mapping
from weighbridge.core.report_parts import Cell, ReportMapping, names_uncertainty
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Invalid
from weighbridge.http.messages.operation import Files, Spool
from weighbridge.platform.tenancy import key_named
from weighbridge.reporting.records.reports import Report, ReportLedger
from weighbridge.reporting.submission.amounts import read_shares
from weighbridge.reporting.submission.checker import SCHEMA, VIOLATIONS_MAX
from weighbridge.reporting.submission.details import add_details
from weighbridge.reporting.submission.ledgers import read_ledger_roles
from weighbridge.reporting.submission.uncertainty import Included, describe_each, read_included

# What of a report is handed on: what it states, as canonical JSON with decimals as strings.


STATED: Final = (
    "id",
    "project_id",
    "name",
    "report_type",
    "methodology_id",
    "ledger_id",
    "start_time",
    "end_time",
    "amount",
    "inclusions",
    "effective_at",
    "supersedes",
)
"""The fields that are handed on: those that no longer change once a report is submitted."""


NOT_STATED: Final = ("accepted_amount", "ledger_id")
"""The fields of an inclusion that are not handed on: what is decided of it later, and its ledger, which the
report or the list of its ledgers names."""

LEDGER_STATED: Final = ("role", "ledger_id", "sign", "unit", "amount", "counted")
"""The fields of one of several ledgers that are handed on."""


def write_content(report: Report, uncertainty: AmountUncertainty | None = None) -> bytes:
    """The bytes that are handed on: equal reports give equal bytes."""
    stated = {name: getattr(report, name) for name in STATED}
    if uncertainty is not None:
        stated["uncertainty"] = _list_uncertainty(uncertainty)
    if report.liability is not None:
        stated |= {"liability": report.liability, "liability_reason": report.liability_reason}
    if report.predecessors:
        stated["predecessors"] = report.predecessors
    if report.ledgers:
        stated["ledgers"] = [_state_ledger(report, one) for one in report.ledgers]
    stated["inclusions"] = [
        {name: value for name, value in msgspec.structs.asdict(inclusion).items() if name not in NOT_STATED}
        for inclusion in report.inclusions
    ]
    return json.dumps(_to_plain(stated), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _state_ledger(report: Report, one: ReportLedger) -> dict[str, Any]:
    """What is handed on of one of several ledgers, with the batches that are of it."""
    stated = {name: getattr(one, name) for name in LEDGER_STATED}
    return stated | {
        "batch_ids": [
            inclusion.batch_id for inclusion in report.inclusions if inclusion.ledger_id == one.ledger_id
        ]
    }


def _list_uncertainty(uncertainty: AmountUncertainty | None) -> dict[str, Decimal | None]:
    """How well an amount is known, by the names of fields; all are None where that is not known."""
    return {name: getattr(uncertainty, name, None) for name in OF_UNCERTAINTY}


def _to_plain(value: Any) -> Any:
    match value:
        case Decimal():
            return plain(value)
        case Instant():
            return value.text
        case msgspec.Struct():
            return {name: _to_plain(field) for name, field in msgspec.structs.asdict(value).items()}
        case dict():
            return {name: _to_plain(field) for name, field in value.items()}
        case list():
            return [_to_plain(element) for element in value]
        case _:
            return value


# What is kept of a submission: one file for each report, under one key, for one receiver.
#
# Invariant: the file is in the store before its row is there, and neither ever changes.


class SubmissionRow(msgspec.Struct, frozen=True):
    """A row of what is kept; what was kept before files were, has its content in the row."""

    project: int
    report: int
    adapter: str
    registry: int | None
    key: str
    media_type: str
    extension: str
    sha256: bytes
    size: int
    storage_key: str | None
    content: bytes | None

    @property
    def name(self) -> str:
        """What the file is called."""
        return f"{identity.of('report', self.project, self.report)}.{self.extension}"


class RenderedSubmission(msgspec.Struct, frozen=True):
    """A file that is to be kept."""

    media_type: str
    extension: str
    content: bytes


async def read_submission(tx: Read, project: int, report: int) -> SubmissionRow | None:
    """What is kept of a report; None while nothing is."""
    return await tx.row(SubmissionRow, _KEPT, (project, report))


async def put(store: EvidenceStore, rendered: RenderedSubmission) -> str:
    """Put a file into the store; gives the key that it has there. A file that no row names is swept away."""
    key = token_hex(KEY_BYTES)
    await store.put(key, BytesIO(rendered.content))
    return key


async def insert_submission(
    tx: Write,
    project: int,
    report: int,
    receiver: tuple[str, int | None],
    file: tuple[str, RenderedSubmission],
) -> SubmissionRow:
    """Write down what is sent to whom, or give what stands there already: a report is rendered once."""
    (adapter, registry), (storage_key, rendered) = receiver, file
    await tx.execute(
        """
        INSERT INTO report_submissions (project_id, report_id, adapter, registry_id, media_type, extension,
                                        storage_key, size_bytes, sha256)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, sha256(%s)) ON CONFLICT (project_id, report_id) DO NOTHING
        """,
        (
            project, report, adapter, registry, rendered.media_type, rendered.extension, storage_key,
            len(rendered.content), rendered.content,
        ),
    )  # fmt: skip
    kept = await read_submission(tx, project, report)
    assert kept is not None, "it was just written, unless it stood there"  # noqa: S101
    return kept


async def open_spool(files: Files, kept: SubmissionRow) -> Spool:
    """The file, from where it is kept; refuses what is not what was put there. The caller closes it."""
    if kept.storage_key is not None:
        return await files.get(kept.storage_key, kept.size, kept.sha256)
    assert kept.content is not None, "what is not in the store is in the row"  # noqa: S101
    return await fill_spool(kept.content)


async def fill_spool(content: bytes) -> Spool:
    """A spool that stands at the start of a content; the caller closes it."""
    spool = Spool()
    spool.write(content)
    spool.seek(0)
    return spool


_KEPT: Final = """
    SELECT project_id, report_id, adapter, registry_id, key::text, media_type, extension, sha256,
           coalesce(size_bytes, length(content)), storage_key, content
      FROM report_submissions WHERE project_id = %s AND report_id = %s
"""


# Values as the bytes of a file: JSON, CSV, XLSX or XML.


EXACT_DIGITS: Final = 15
"""The digits that a number of a spreadsheet keeps; a longer one is written as a text."""

_MADE_AT: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""The date in the properties of every spreadsheet, so that the same report gives the same bytes."""


def write_file(report_format: str, filled: Any, sheet: str) -> bytes:
    """The bytes of a file; raises Invalid for a text that XML has no form for."""
    match report_format:
        case ReportFormat.JSON:
            return _write_json(filled)
        case ReportFormat.CSV:
            return _write_csv(filled)
        case ReportFormat.XLSX:
            return _write_xlsx(filled, sheet)
        case _:
            return _write_xml(filled)


def list_rows(table: FilledTable) -> list[dict[str, Any]]:
    """The rows of a table as objects, by their headings: what a schema sees of it."""
    return [dict(zip(table.headings, row, strict=True)) for row in table.rows]


def _write_json(filled: Any) -> bytes:
    encoded = msgspec.json.Encoder(decimal_format="number").encode(filled)
    return msgspec.json.format(encoded, indent=2) + b"\n"


def _write_csv(table: FilledTable) -> bytes:
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([guard_cell(heading) for heading in table.headings])
    writer.writerows([_write_cell(value) for value in row] for row in table.rows)
    return text.getvalue().encode()


def _write_cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case Decimal():
            return plain(value)
        case _:
            return guard_cell(str(value))


def _write_xlsx(filled: FilledTable | list[FilledSheet], name: str) -> bytes:
    # Slow to import: no process has it before the first spreadsheet is made.
    from xlsxwriter import Workbook  # noqa: PLC0415

    target = BytesIO()
    book = Workbook(target, {"in_memory": True, "strings_to_urls": False})
    book.set_properties({"created": _MADE_AT})
    for one in _list_sheets(filled, name):
        sheet = book.add_worksheet(one.name)
        for (row, column), value in sorted(one.cells.items()):
            if isinstance(value, bool):
                sheet.write_boolean(row, column, value)
            elif isinstance(value, Decimal | int) and len(Decimal(value).as_tuple().digits) <= EXACT_DIGITS:
                sheet.write_number(row, column, value)
            elif value is not None:
                sheet.write_string(row, column, plain(value) if isinstance(value, Decimal) else str(value))
    book.close()
    return target.getvalue()


def _list_sheets(filled: FilledTable | list[FilledSheet], name: str) -> list[FilledSheet]:
    """The sheets of a workbook; one by its name, of a table alone."""
    return [FilledSheet(name, _place_cells(filled))] if isinstance(filled, FilledTable) else filled


def _place_cells(table: FilledTable) -> dict[Cell, Any]:
    """The cells of a sheet that has one table alone."""
    rows = [table.headings, *table.rows]
    return {(row, column): value for row, cells in enumerate(rows) for column, value in enumerate(cells)}


def _write_xml(element: FilledElement) -> bytes:
    # Slow to import, as above.
    from lxml import etree  # noqa: PLC0415

    def made(one: FilledElement, inherited: str) -> Any:
        namespace = inherited if one.namespace is None else one.namespace
        own: Any = {one.prefix: namespace} if namespace and (namespace != inherited or one.prefix) else None
        node = etree.Element(f"{{{namespace}}}{one.name}" if namespace else one.name, nsmap=own)
        for name, text in one.attributes.items():
            node.set(name, text)
        node.text = one.text
        node.extend([made(child, namespace) for child in one.children])
        return node

    try:
        root = made(element, "")
    except ValueError:
        message = "A text of the report has a character that XML has no form for."
        raise Invalid([Problem(message, None, "schema")]) from None
    etree.cleanup_namespaces(root)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True))


# Schemas: has a document checked, or a schema by itself, by a process with bounds of its own.
#
# Invariants: whatever a schema is, this ends in time, and one account has one checked at a time; what could
# not be checked is not sent.


CHECK_SECONDS: Final = 20
"""How long a check may take, on a machine that is busy with other things."""

_CHECKER: Final = ("-m", "weighbridge.reporting.submission.checker")
_PASSED_ON: Final = (
    "PATH",
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
    "LANG",
    "LD_LIBRARY_PATH",
)
_INCOMPLETE: Final = "The schema cannot be checked with the time and memory that a check may take."


async def check_schema(tx: Read, mapping: ReportMapping, field: str) -> list[Problem]:
    """What makes a schema one that cannot be used; nothing for a mapping without one."""
    if mapping.schema is None:
        return []
    found = await tx.in_thread(_run_checker, mapping, None)
    return [Problem(f"{field} cannot be used: {message}", field, "schema") for _, message in found]


async def check_content(tx: Read, mapping: ReportMapping, filled: Any, content: bytes) -> list[Problem]:
    """Every place at which what is to be sent breaks its schema."""
    if mapping.schema is None:
        return []
    document = (
        content.decode() if mapping.format in {ReportFormat.XML, ReportFormat.JSON} else _write_rows(filled)
    )
    found = await tx.in_thread(_run_checker, mapping, document)
    problems = [
        Problem(
            f"What would be sent breaks its schema{_describe_place(place)}: {message}",
            place or None,
            "schema",
        )
        for place, message in found
    ]
    return limit_problems(problems, VIOLATIONS_MAX - 1)


def _describe_place(place: str) -> str:
    return f" at {place}" if place and place != SCHEMA else ""


def _write_rows(filled: FilledTable | list[FilledSheet]) -> str:
    seen: Any = (
        list_rows(filled)
        if isinstance(filled, FilledTable)
        else {one.name: {write_address(at): value for at, value in one.cells.items()} for one in filled}
    )
    return msgspec.json.Encoder(decimal_format="number").encode(seen).decode()


def _run_checker(mapping: ReportMapping, document: str | None) -> list[tuple[str, str]]:
    kind = "xsd" if mapping.format == ReportFormat.XML else "json"
    parts = {**mapping.schema_parts}
    asked = json.dumps({"kind": kind, "schema": mapping.schema, "parts": parts, "document": document})
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    try:
        done = subprocess.run(  # noqa: S603 - our own module, by the interpreter that runs us
            [sys.executable, *_CHECKER], input=asked, capture_output=True, text=True, encoding="utf-8",
            timeout=CHECK_SECONDS, env=environment, check=True,
        )  # fmt: skip
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return [(SCHEMA, _INCOMPLETE)]
    return [(place, message) for place, message in json.loads(done.stdout)]


# What a report states, as its mapping may name it, and the file that comes of it.
#
# Invariant: a report that has been submitted states the same for ever, so its file can be made again.


class _Surroundings(msgspec.Struct, frozen=True):
    """What stands around a report."""

    project_name: str
    time_zone: str
    ledger_name: str | None
    unit: str | None
    methodology_name: str | None
    methodology_version: str | None
    mapping: dict[str, Any] | None


class WrittenReport(msgspec.Struct, frozen=True):
    """What a report would be sent as, what keeps it from that, and what of it was rounded."""

    rendered: RenderedSubmission | None
    """The file; None where its mapping cannot be filled."""
    problems: list[Problem]
    roundings: Sequence[RoundedValue] = ()
    sheets: Sequence[FilledSheet] = ()
    """What it has in cells, of a spreadsheet."""

    @property
    def text(self) -> str:
        """The file as people read it; of a spreadsheet its cells, one to a line."""
        if self.sheets or self.rendered is None:
            return "".join(map(_list_cells, self.sheets))
        return self.rendered.content.decode()


async def render_report(tx: Read, report: Report, *, is_checked: bool) -> RenderedSubmission:
    """The file of a report; Invalid with every place at which it breaks its schema, where that is checked."""
    written = await write_report(tx, report, is_checked=is_checked)
    if written.problems or written.rendered is None:
        raise Invalid(written.problems)
    return written.rendered


async def write_report(
    tx: Read, report: Report, *, is_checked: bool, by: Mapping[str, Any] | None = None
) -> WrittenReport:
    """A report by the mapping of its methodology, or by another one, with every place at which that fails."""
    key = key_named("report", report.id)
    around = await tx.row(_Surroundings, _SURROUNDINGS, (key.project, key.key))
    assert around is not None, "a report that was read is there"  # noqa: S101
    if (document := around.mapping if by is None else by) is None:
        content = write_content(report, await _read_sum(tx, await read_included(tx, key)))
        made = RenderedSubmission(MEDIA_TYPES[ReportFormat.JSON], ReportFormat.JSON, content)
        return WrittenReport(made, [])
    mapping, problems = read_mapping(document)
    if mapping is None:
        return WrittenReport(None, limit_problems(problems, VIOLATIONS_MAX - 1))
    share = compute_measured_share(await read_shares(tx, key))
    stated = _state_report(report, around, share, await _state_ledgers(tx, report, around))
    stated = await _add_uncertainty(tx, key, mapping, stated)
    try:
        stated = await add_details(tx, key, mapping, stated)
        filled, content = await tx.in_thread(_fill_template, mapping, stated)
    except (UnfitError, Invalid) as refused:
        return WrittenReport(None, limit_problems(refused.problems, VIOLATIONS_MAX - 1))
    broken = await check_content(tx, mapping, filled.content, content) if is_checked else []
    made = RenderedSubmission(MEDIA_TYPES[ReportFormat(mapping.format)], mapping.format, content)
    is_spreadsheet = mapping.format == ReportFormat.XLSX
    sheets = _list_sheets(filled.content, mapping.sheet) if is_spreadsheet else []
    return WrittenReport(made, broken, filled.roundings, sheets)


def _list_cells(sheet: FilledSheet) -> str:
    """The cells of a sheet, one to a line."""
    return "".join(
        f"{sheet.name}!{write_address(at)}: {_write_cell(value)}\n"
        for at, value in sorted(sheet.cells.items())
        if value is not None
    )


async def _read_sum(tx: Read, included: Included) -> AmountUncertainty | None:
    """How uncertain the sum of a report is; None where that is not known."""
    found = await tx.in_thread(included.sum)
    return found.amount if found else None


async def _add_uncertainty(
    tx: Read, report: identity.Key, mapping: ReportMapping, stated: StatedReport
) -> StatedReport:
    """What a report states with how well it is known, as far as its mapping names that."""
    of_report, of_each = (names_uncertainty(mapping.template, record) for record in ("report", "inclusion"))
    if not (of_report or of_each):
        return stated
    included = await read_included(tx, report)
    whole = await _read_sum(tx, included) if of_report else None
    parts = await tx.in_thread(describe_each, included) if of_each else [None] * len(stated.inclusions)
    inclusions = [
        {**fields, **{f"inclusion.{name}": value for name, value in _list_uncertainty(part).items()}}
        for fields, part in zip(stated.inclusions, parts, strict=True)
    ]
    of_whole = {f"report.{name}": value for name, value in _list_uncertainty(whole).items()}
    return replace(stated, fields={**stated.fields, **of_whole}, inclusions=inclusions)


def _fill_template(mapping: ReportMapping, stated: StatedReport) -> tuple[Filled, bytes]:
    filled = fill(mapping.template, stated)
    return filled, write_file(mapping.format, filled.content, mapping.sheet)


def _state_report(
    report: Report, around: _Surroundings, share: Decimal | None, ledgers: Sequence[dict[str, Any]]
) -> StatedReport:
    roles = {one.ledger_id: one for one in report.ledgers}
    factors = {str(one["role.ledger_id"]): one[FACTOR_OF_LEDGER] for one in ledgers}
    fields = {
        "report.id": report.id,
        "report.name": report.name,
        "report.report_type": report.report_type,
        "report.amount": report.amount,
        "report.liability": report.liability,
        "report.unit": around.unit,
        "report.start_time": _moment(report.start_time),
        "report.end_time": _moment(report.end_time),
        "report.effective_at": _moment(report.effective_at),
        "report.supersedes": report.supersedes,
        "report.measured_share": share,
        "project.id": report.project_id,
        "project.name": around.project_name,
        "ledger.id": report.ledger_id,
        "ledger.name": around.ledger_name,
        "methodology.name": around.methodology_name,
        "methodology.version": around.methodology_version,
    }
    inclusions = [
        {
            "inclusion.number": Decimal(number),
            "inclusion.batch_id": inclusion.batch_id,
            "inclusion.tracking_id": inclusion.tracking_id,
            "inclusion.start_time": _moment(inclusion.start_time),
            "inclusion.end_time": _moment(inclusion.end_time),
            "inclusion.amount": inclusion.amount,
            "inclusion.unit": inclusion.unit,
            "inclusion.role": roles[inclusion.ledger_id].role if roles else None,
            "inclusion.ledger_id": inclusion.ledger_id,
            "inclusion.counted": sum_net([(inclusion.amount, factors[inclusion.ledger_id])]),
        }
        for number, inclusion in enumerate(report.inclusions, 1)
    ]
    return StatedReport(fields, inclusions, ledgers, ZoneInfo(around.time_zone))


FACTOR_OF_LEDGER: Final = "role\x00factor"
"""The key of what one unit of a ledger counts for, which no mapping can name."""


async def _state_ledgers(tx: Read, report: Report, around: _Surroundings) -> list[dict[str, Any]]:
    """What a mapping may name of each ledger; of a report of one ledger that one, without a role."""
    if report.ledger_id is None:
        return []
    if not report.ledgers:
        taken = exact_total(inclusion.amount for inclusion in report.inclusions)
        values = (None, report.ledger_id, around.ledger_name, Decimal(1), taken, around.unit, taken)
        return [{**dict(zip(_OF_LEDGER, values, strict=True)), FACTOR_OF_LEDGER: Decimal(1)}]
    key = key_named("report", report.id)
    factors = {one.role: one.factor for one in await read_ledger_roles(tx, key.project, key.key)}
    names: dict[str, str] = dict(await tx.tuples(_LEDGER_NAMES, (key.project, key.key)))
    stated = []
    for one in report.ledgers:
        values_of_one = (
            one.role, one.ledger_id, names[one.role], Decimal(one.sign), one.amount, one.unit, one.counted,
        )  # fmt: skip
        of_one = dict(zip(_OF_LEDGER, values_of_one, strict=True))
        stated.append({**of_one, FACTOR_OF_LEDGER: factors[one.role]})
    return stated


_OF_LEDGER: Final = tuple(LISTS[LEDGERS].fields)
"""The fields of one of the ledgers of a report, in their order."""

_LEDGER_NAMES: Final = """
    SELECT g.role, l.name
      FROM report_ledgers g JOIN ledgers l ON (l.project_id, l.id) = (g.project_id, g.ledger_id)
     WHERE g.project_id = %s AND g.report_id = %s
"""


def _moment(moment: Instant | None) -> Instant | None:
    return None if moment is None else Instant.of(moment)


_SURROUNDINGS: Final = """
    SELECT p.name, p.time_zone, l.name, l.unit, m.name, m.version, m.mapping
      FROM reports r JOIN projects p ON p.id = r.project_id
      LEFT JOIN ledgers l ON (l.project_id, l.id) = (r.project_id, r.ledger_id)
      LEFT JOIN methodologies m ON m.id = r.methodology_id
     WHERE r.project_id = %s AND r.id = %s
"""
