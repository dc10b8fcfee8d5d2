"""The forms of registries and methodologies: their fields, and how what was typed becomes a body.

A list or an object of the interface that has names of its own, such as headers, is typed as rows.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import msgspec

from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.core.report import OPTIONAL_REQUIREMENTS, ReportFormat
from weighbridge.errors import Invalid
from weighbridge.reporting.records import (
    METHODOLOGY_BODIES,
    POLL_SECONDS,
    REGISTRY_BODIES,
    TIMEOUT_SECONDS,
    TIMEOUT_SECONDS_MAX,
    TRIES,
    TRIES_MAX,
)
from weighbridge.web.display.requirements import REQUIREMENT_NAMES
from weighbridge.web.forms.fields import FieldDeclaration, FormField, fields_of

_REQUIRES: Final = "requires_"
"""What the names of the boxes of requirements begin with."""

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
    FormField(
        "mapping", "How its reports are written", "group",
        help="empty: plain JSON. The how-to Write a mapping lists the fields of a template",
        fields=(
            FormField("format", "Format", "choice", choices=[(one, one.upper()) for one in ReportFormat]),
            FormField("template", "Template", "code",
                      help='JSON, such as {"tonnes": {"$value": "report.amount", "$as": "number"}}'),
            FormField("schema", "Schema that reports are checked against", "code", help="optional"),
        ),
    ),
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
        if name not in {"models", "mapping", "registry_id"} and not name.startswith(_REQUIRES)
    }
    rows: Sequence[Mapping[str, Any]] = [row for row in body.get("models") or () if row["model_id"]]
    if rows:
        rest["model_ids"] = [row["model_id"] for row in rows]
        versions = [(row["model_id"], _read_versions(row["versions"], at, problems))
                    for at, row in enumerate(rows) if row["versions"]]  # fmt: skip
        rest |= {"model_versions": dict(versions)} if versions else {}
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
    made = {name: value for name, value in mapping.items() if value is not None}
    if template := made.get("template"):
        try:
            made["template"] = _JSON.decode(template)
        except (ValueError, msgspec.DecodeError) as error:
            message = f"template must be JSON: {error}."
            problems.append(Problem(message, "mapping.template", "invalid"))
    return made
