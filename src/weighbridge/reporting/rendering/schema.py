"""Schemas: has a document checked, or a schema by itself, by a process with bounds of its own.

Invariants: whatever a schema is, this ends in time, and one account has one checked at a time; what could not
be checked is not sent.
"""

import json
import os
import subprocess
import sys
from typing import Any, Final

import msgspec

from weighbridge.core.problem import Problem, bounded
from weighbridge.core.report.adapter import ReportFormat
from weighbridge.core.report.mapping.filling import FilledTable
from weighbridge.core.report.mapping.template import ReportMapping
from weighbridge.db.engine import Read
from weighbridge.reporting.rendering.checker import SCHEMA, VIOLATIONS_MAX
from weighbridge.reporting.rendering.written import rows_of

CHECK_SECONDS: Final = 20
"""How long a check may take, on a machine that is busy with other things."""

_CHECKER: Final = ("-m", "weighbridge.reporting.rendering.checker")
_PASSED_ON: Final = (
    "PATH",
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
    "LANG",
    "LD_LIBRARY_PATH",
)
_INCOMPLETE: Final = "The schema cannot be checked with the time and memory that a check may take."


async def problems_of_schema(tx: Read, mapping: ReportMapping, field: str) -> list[Problem]:
    """What makes a schema one that cannot be used; nothing for a mapping without one."""
    if mapping.schema is None:
        return []
    found = await tx.in_thread(_checked, mapping, None)
    return [Problem(f"{field} cannot be used: {message}", field, "schema") for _, message in found]


async def problems_of_content(tx: Read, mapping: ReportMapping, filled: Any, content: bytes) -> list[Problem]:
    """Every place at which what is to be sent breaks its schema."""
    if mapping.schema is None:
        return []
    document = content.decode() if mapping.format in {ReportFormat.XML, ReportFormat.JSON} else _rows(filled)
    found = await tx.in_thread(_checked, mapping, document)
    problems = [
        Problem(f"What would be sent breaks its schema{_at(place)}: {message}", place or None, "schema")
        for place, message in found
    ]
    return bounded(problems, VIOLATIONS_MAX - 1)


def _at(place: str) -> str:
    return f" at {place}" if place and place != SCHEMA else ""


def _rows(table: FilledTable) -> str:
    return msgspec.json.Encoder(decimal_format="number").encode(rows_of(table)).decode()


def _checked(mapping: ReportMapping, document: str | None) -> list[tuple[str, str]]:
    kind = "xsd" if mapping.format == ReportFormat.XML else "json"
    asked = json.dumps({"kind": kind, "schema": mapping.schema, "document": document})
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    try:
        done = subprocess.run(  # noqa: S603 - our own module, by the interpreter that runs us
            [sys.executable, *_CHECKER], input=asked, capture_output=True, text=True, encoding="utf-8",
            timeout=CHECK_SECONDS, env=environment, check=True,
        )  # fmt: skip
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return [(SCHEMA, _INCOMPLETE)]
    return [(place, message) for place, message in json.loads(done.stdout)]
