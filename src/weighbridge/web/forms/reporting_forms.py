"""The forms of registries and methodologies: their fields, and how what was typed becomes a body.

A list or an object of the interface that has names of its own, such as headers, is typed as rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any, Final

import msgspec

from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.core.report import OPTIONAL_REQUIREMENTS, ReportFormat
from weighbridge.core.report_fields import EACH
from weighbridge.core.report_mapping import read_mapping
from weighbridge.core.report_parts import WrittenAs
from weighbridge.errors import Invalid
from weighbridge.reporting.records.registries import (
    METHODOLOGY_BODIES,
    POLL_SECONDS,
    REGISTRY_BODIES,
    TIMEOUT_SECONDS,
    TIMEOUT_SECONDS_MAX,
    TRIES,
    TRIES_MAX,
)
from weighbridge.web.display.figures import humanize
from weighbridge.web.display.requirements import REQUIREMENT_NAMES
from weighbridge.web.forms.fields import FieldDeclaration, FormField, Texts, fields_of, rows_typed
from weighbridge.web.forms.mapping_rows import (
    CONSTANTS,
    FIELDS,
    CannotShowError,
    at_rows,
    build_template,
    read_rows,
)

_REQUIRES: Final = "requires_"
"""What the names of the boxes of requirements begin with."""

_TO_JSON: Final = msgspec.json.Encoder(decimal_format="number")
_JSON: Final = msgspec.json.Decoder(float_hook=Decimal)


def _rows(name: str, label: str, help_text: str, *fields: FormField) -> FormField:
    return FormField(name, label, "rows", help=help_text, fields=fields, lines=2)


REGISTRY_FIELDS: Final = (
    *fields_of(
        REGISTRY_BODIES.new,
        (
            FieldDeclaration("name", "Name", "such as Registry of removals"),
            FieldDeclaration(
                "adapter", "Delivery", "", is_fixed=True,
                choices={"http": "posted to its address", "file": "stored here, and handed on by people"},
            ),
            FieldDeclaration("address", "Address", "where reports are posted; only if they are posted"),
            FieldDeclaration(
                "status_address",
                "Address of the decision",
                "with {key} in it; empty: the address, a slash and the key",
            ),
        ),
    ),
    _rows(
        "headers",
        "Secret headers",
        "such as Authorization. They are stored and never shown; to change one, enter all of them",
        FormField("name", "Header", "line"),
        FormField("value", "Value", "line"),
    ),
    *fields_of(
        REGISTRY_BODIES.new,
        (
            FieldDeclaration(
                "timeout_seconds",
                "Timeout in seconds",
                f"from 1 to {TIMEOUT_SECONDS_MAX}; empty: {TIMEOUT_SECONDS}",
            ),
            FieldDeclaration("tries", "Tries", f"from 1 to {TRIES_MAX}; empty: {TRIES}"),
            FieldDeclaration(
                "poll_seconds", "Seconds between questions for the decision", f"empty: {POLL_SECONDS}"
            ),
        ),
    ),
)  # fmt: skip

_BY_ROWS, _BY_JSON = "rows", "json"
_WRITTEN: Final = "written"
"""The choice between rows and JSON."""

_ROW_FIELDS: Final = (
    FormField("name", "Place in the document", "line", offered="places"),
    FormField(
        "source", "Value", "choice",
        choices=[(one, one) for one in FIELDS] + [*CONSTANTS.items()],
    ),
    FormField("constant", "Text or number", "line"),
    FormField("written_as", "Written as", "choice", choices=[(one, humanize(one)) for one in WrittenAs]),
    FormField("unit", "Unit", "line"),
    FormField("otherwise", "If there is none", "line"),
)  # fmt: skip


def convert_mapping(texts: Texts) -> tuple[dict[str, str], list[Problem]]:
    """The texts of a mapping after the choice between rows and JSON: what was typed is written the other way.

    Where rows cannot show all of it, the JSON stays, with a sentence that says why.
    """
    chosen, report_format = texts.get(_WRITTEN, ""), texts.get("format") or ReportFormat.JSON
    if chosen == _BY_ROWS and (text := texts.get("template")):
        try:
            rows, per = read_rows(report_format, _JSON.decode(text))
        except (CannotShowError, ValueError) as reason:
            message = f"Rows cannot show this template, so it stays as JSON. {reason}"
            return {**texts, _WRITTEN: _BY_JSON}, [Problem(message, "mapping.template", "invalid")]
        cells = {
            f"{_BY_ROWS}[{at}].{name}": value for at, row in enumerate(rows) for name, value in row.items()
        }
        return {**_without(texts, "template"), "per": per, **cells}, []
    if chosen == _BY_JSON and any(text for name, text in texts.items() if name.startswith(f"{_BY_ROWS}[")):
        template, problems, _ = build_template(report_format, _typed_rows(texts), texts.get("per", ""))
        if problems:
            return {**texts, _WRITTEN: _BY_ROWS}, problems
        written = msgspec.json.format(_TO_JSON.encode(template), indent=2)
        return {**_without(texts, _BY_ROWS), "template": written.decode()}, []
    return {**texts}, []


def _without(texts: Texts, head: str) -> dict[str, str]:
    return {name: text for name, text in texts.items() if name != head and not name.startswith(f"{head}[")}


def _typed_rows(texts: Texts) -> list[dict[str, str]]:
    """The rows of a mapping in which something was typed."""
    field = FormField(_BY_ROWS, "", "rows", fields=_ROW_FIELDS)
    return [
        {part.name: text for part in _ROW_FIELDS if (text := texts.get(f"{_BY_ROWS}[{at}].{part.name}"))}
        for at in rows_typed(field, texts, _BY_ROWS)
    ]


MAPPING_FIELD: Final = FormField(
    "mapping", "How its reports are written", "group",
    help="empty: plain JSON. The how-to Write a mapping has an example of each format",
    tag=_WRITTEN, is_sparse=True, convert=convert_mapping,
    cases={"": (), _BY_ROWS: ("format", "per", "sheet", _BY_ROWS, "schema", "schema_parts"),
           _BY_JSON: ("format", "sheet", "template", "codes", "schema", "schema_parts")},
    fields=(
        FormField(_WRITTEN, "Mapping", "case", blank="none: plain JSON",
                  choices=[(_BY_ROWS, "by rows"), (_BY_JSON, "as JSON")]),
        FormField("format", "Format", "choice", usual=ReportFormat.JSON,
                  choices=[(one, one.upper()) for one in ReportFormat]),
        FormField("per", "Rows of a table", "choice", help="only CSV and XLSX",
                  choices=[(EACH, "one for each batch"), ("report", "one for the report")]),
        FormField("sheet", "Sheet", "line", help="only XLSX; empty: report"),
        FormField(_BY_ROWS, "Values", "rows", fields=_ROW_FIELDS, is_sparse=True, lines=6,
                  help="places are total.amount or batches[].id in JSON, Report/Total, Report/Batch[] or "
                       "Report/Total/@unit in XML, and headings in tables; [] is for each batch"),
        FormField("template", "Template", "code",
                  help='JSON, such as {"tonnes": {"$value": "report.amount", "$as": "number"}}'),
        FormField("codes", "Lists of codes", "code",
                  help='optional JSON, such as {"countries": {"Germany": "DE"}}; values name one by $codes'),
        FormField("schema", "Schema that reports are checked against", "code",
                  help="optional; its names are suggested as places"),
        FormField("schema_parts", "Documents that the schema refers to", "code",
                  help='optional JSON, such as {"types.xsd": "<xs:schema …"}'),
    ),
)  # fmt: skip
"""The fields of a mapping: rows, or the template as JSON."""

METHODOLOGY_FIELDS: Final = (
    *fields_of(
        METHODOLOGY_BODIES.new,
        (
            FieldDeclaration("name", "Name", "such as Biochar carbon removal"),
            FieldDeclaration("version", "Version", "as its owner writes it, such as 2.1"),
            FieldDeclaration("report_type", "Report type", "as the receiver calls it, such as quarterly"),
        ),
    ),
    _rows(
        "models",
        "Models that implement it",
        "reports include batches of no other; none: any model",
        FormField("model_id", "Model", "record", of="account_model"),
        FormField("versions", "Versions", "line", help="such as 2, 3; empty: any"),
    ),
    _rows(
        "ledgers",
        "Ledgers that a report takes of",
        "the first counts, and its unit is that of reports; none: one ledger, without a role",
        FormField("role", "Role", "line", help="such as removal or leakage"),
        FormField("sign", "Sign", "choice", choices=[("1", "counts"), ("-1", "is deducted")]),
        FormField("unit", "Unit", "line", help="such as t"),
    ),
    *fields_of(
        METHODOLOGY_BODIES.new,
        (
            FieldDeclaration("other_versions", "Batches of other versions", "",
                             choices={"refuse": "keep a report from being sent", "note": "are named in it"}),
        ),
    ),
    *(
        FormField(f"{_REQUIRES}{one}", f"{REQUIREMENT_NAMES[requirement]}, or a report is not sent", "truth")
        for one, requirement in OPTIONAL_REQUIREMENTS.items()
    ),
    *fields_of(
        METHODOLOGY_BODIES.new,
        (
            FieldDeclaration(
                "measured_share_min", "Primary data share, at least", "from 0 to 1; empty: none is required"
            ),
            FieldDeclaration("registry_id", "Registry", "empty: people hand its reports on", of="registry"),
        ),
    ),
    MAPPING_FIELD,
)  # fmt: skip


def build_registry(body: Mapping[str, Any]) -> dict[str, Any]:
    """A registry as the interface takes it: rows of headers become an object."""
    rows = body.get("headers")
    rest = {name: value for name, value in body.items() if name != "headers"}
    if not rows:
        return rest
    names = [row["name"] or "" for row in rows]
    if repeated := {name for name in names if names.count(name) > 1}:
        message = f"headers must have each name once, but have {shorten(min(repeated))} several times."
        raise Invalid([Problem(message, "headers", "invalid")])
    return {**rest, "headers": {row["name"] or "": row["value"] or "" for row in rows}}


def build_methodology(body: Mapping[str, Any]) -> dict[str, Any]:
    """A methodology as the interface takes it: rows become lists, and the template is read as JSON."""
    problems: list[Problem] = []
    rest = {
        name: value
        for name, value in body.items()
        if name not in {"models", "ledgers", "mapping", "registry_id"} and not name.startswith(_REQUIRES)
    }
    rows: Sequence[Mapping[str, Any]] = [row for row in body.get("models") or () if row["model_id"]]
    if rows:
        rest["model_ids"] = [row["model_id"] for row in rows]
        versions = [(row["model_id"], _read_versions(row["versions"], at, problems))
                    for at, row in enumerate(rows) if row["versions"]]  # fmt: skip
        rest |= {"model_versions": dict(versions)} if versions else {}
    if ledgers := [row for row in body.get("ledgers") or () if any(row.values())]:
        rest["ledgers"] = [
            {"role": row["role"] or "", "sign": -1 if row["sign"] == "-1" else 1, "unit": row["unit"] or ""}
            for row in ledgers
        ]
    rest["submission_requirements"] = [one for one in OPTIONAL_REQUIREMENTS if body.get(f"{_REQUIRES}{one}")]
    if registry := body.get("registry_id"):
        rest["registry_id"] = int(registry) if registry.isdecimal() else 0
    if mapping := body.get("mapping"):
        rest["mapping"] = _read_mapping(mapping, problems)
    if problems:
        raise Invalid(problems)
    return rest


def _read_versions(text: str, at: int, problems: list[Problem]) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    if all(part.isascii() and part.isdecimal() and len(part) <= VERSION_DIGITS_MAX for part in parts):
        return [int(part) for part in parts]
    message = f"Versions must be whole numbers with commas between, such as 2, 3, but are {shorten(text)!r}."
    problems.append(Problem(message, f"models[{at}].versions", "invalid"))
    return []


VERSION_DIGITS_MAX: Final = 9
"""Digits of the number of a version that are read."""


def _read_mapping(mapping: Mapping[str, Any], problems: list[Problem]) -> dict[str, Any]:
    """A mapping as the interface takes it; problems of rows stand at them."""
    apart = {_WRITTEN, _BY_ROWS, "per"}
    made = {name: value for name, value in mapping.items() if value is not None and name not in apart}
    if mapping.get(_WRITTEN) == _BY_ROWS:
        rows = mapping.get(_BY_ROWS) or []
        made["template"], found, places = build_template(made["format"], rows, mapping.get("per") or "")
        problems += found or at_rows(read_mapping(made)[1], places)
    for name in ("template", "codes", "schema_parts"):
        if isinstance(text := made.get(name), str):
            try:
                made[name] = _JSON.decode(text)
            except (ValueError, msgspec.DecodeError) as error:
                problems.append(Problem(f"{name} must be JSON: {error}.", f"mapping.{name}", "invalid"))
    return made


def list_places(schema: str) -> list[str]:
    """The places that a JSON Schema names, as rows write them; none for any other text."""
    try:
        document = _JSON.decode(schema)
    except ValueError:
        return []
    return [*islice(_list_properties(document, "", 0), PLACES_MAX)]


PLACES_MAX: Final = 200
"""Places of a schema that are suggested."""

_DEPTH_SUGGESTED: Final = 8


def _list_properties(schema: Any, path: str, depth: int) -> Iterator[str]:
    if not isinstance(schema, dict) or depth > _DEPTH_SUGGESTED:
        return
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, inner in properties.items():
            yield from _list_properties(inner, f"{path}.{name}" if path else name, depth + 1)
    elif isinstance(schema.get("items"), dict):
        yield from _list_properties(schema["items"], f"{path}[]", depth + 1)
    elif path:
        yield path
