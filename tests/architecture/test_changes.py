"""What writes leave behind is left in one place, and so are the names of advisory locks."""

import ast
import re

import pytest
from tests.architecture.source import files

from weighbridge.collection.named_records import nouns
from weighbridge.collection.named_records.nouns import NamedNoun
from weighbridge.platform.changes import OBLIGATIONS

PLACES = {
    r"(INSERT INTO|UPDATE|DELETE FROM|COPY)\s+audit_log\b": "platform/changes.py",
    r"(INSERT INTO|UPDATE|COPY)\s+rule_dirty_ranges\b": "platform/changes.py",
    r"\bmark_events\(": "platform/changes.py",
    r"\bpg_(try_)?advisory_": "db/locks.py",
    r"\b(hashtextextended|hashtext|rule_marks_lock)\(": "db/locks.py",
    r"(?<!class )\bInputsHeld\(": "platform/staleness.py",
    r"(?<!class )\bGenerationsHeldOff\(": "platform/staleness.py",
}
"""What may stand in one file only."""


@pytest.mark.parametrize("pattern", PLACES)
def test_what_has_one_place_stands_nowhere_else(pattern):
    found = {file.path for file in files() if re.search(pattern, file.text)}

    assert found == {PLACES[pattern]}


def test_the_audit_row_is_written_by_the_call_that_leaves_the_rest_as_well():
    astray = [
        f"{file.path} imports audit_row; call changes.record"
        for file in files()
        if not file.stands_in("platform/changes.py")
        for node in file.nodes()
        if isinstance(node, ast.ImportFrom)
        if any(alias.name == "audit_row" for alias in node.names)
    ]

    assert not astray, "\n".join(astray)


def test_the_table_of_actions_has_those_that_are_recorded_and_no_others():
    recorded = {
        keyword.value.value
        for file in files()
        for node in file.nodes()
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "action" and isinstance(keyword.value, ast.Constant)
    }
    declared = {
        f"{noun.noun}.{verb}"
        for noun in vars(nouns).values()
        if isinstance(noun, NamedNoun)
        for verb in ("create", "update", "delete")
    }

    assert recorded | declared == set(OBLIGATIONS)
