"""Whoever has the key can write what he likes: what he writes otherwise contradicts other parts or rows of
the log, or the layout names it, and then the seal finds it.

`make fuzz-bundle BYTES=1000` has the second checker look at each of them.
"""

import json
import re
from pathlib import Path

import pytest
from tests.given import bundles, tampering
from tests.given.semantic_changes import semantic_changes

from weighbridge.core.bundle.contents import SEAL
from weighbridge.core.signing import write_canonical_json
from weighbridge.modelling.documents import read_model

LAYOUT = Path(__file__).parents[3] / "docs/reference/proof-bundle.md"
TRIED_LEAST = 150


def listed():
    """The columns that the layout lists as what only the seal finds."""
    section = LAYOUT.read_text().partition("## What only the seal finds")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| ([^|]+) \| [^|]{10,} \|$", section, re.MULTILINE)
    return {(part, column) for part, columns in rows for column in re.findall(r"`([^`]+)`", columns)}


@pytest.fixture(scope="module", params=[bundles.mixed, bundles.entered])
def bundle(server, request):
    return request.param(server.account())


def faults(bundle, change):
    """What is found of a bundle that somebody with the key changed."""
    found = bundle.check_of(tampering.remade(bundle, change, read_model)).faults.listed
    return [fault.text for fault in found]


def test_every_column_that_is_written_otherwise_with_the_key_is_found(bundle):
    assert bundle.faults() == []
    known = listed()
    changes = [(place, content) for place, content in semantic_changes(bundle) if content != bundle.content]

    with bundles.some_checked_twice():
        found = [
            (place, {fault.part for fault in bundle.check_of(content, what=": ".join(place)).faults.listed})
            for place, content in changes
        ]

    assert [place for place, parts in found if not parts] == []
    assert {place for place, parts in found if parts == {SEAL}} <= known
    assert len(changes) >= TRIED_LEAST


@pytest.mark.parametrize("action", ["batch_generation.start", "batch_generation.finish", "model.create"])
def test_a_row_of_the_log_that_has_to_be_there_is_missed(bundle, action):
    def change(parts):
        lines = parts["audit/rows.jsonl"].splitlines(keepends=True)
        dropped = next(line for line in lines if json.loads(line)["action"] == action)
        parts["audit/rows.jsonl"] = b"".join(line for line in lines if line is not dropped)
        del parts[f"audit/{json.loads(dropped)['number']}.tlog-proof"]

    assert any("The audit log has no row" in text for text in faults(bundle, change))


@pytest.mark.parametrize(("field", "written"), [("window_meters", "all"), ("asset_id", 1)])
def test_a_rule_that_goes_by_other_meters_than_the_log_says_is_found(bundle, field, written):
    def change(parts):
        for part in [one for one in parts if one.startswith("rules/")]:
            document = json.loads(parts[part])
            assert document[field] != written
            document[field] = written
            parts[part] = write_canonical_json(document) + b"\n"

    if any(one.startswith("rules/") for one in tampering.taken_apart(bundle)):
        assert any("than the log says" in text for text in faults(bundle, change))


def test_attributes_that_travelled_along_are_made_again_from_their_sources(bundle):
    def change(parts):
        lines = [json.loads(line) for line in parts["lineage.jsonl"].splitlines()]
        draw = next(draw for line in lines for draw in line["draws"] if draw["attributes"])
        draw["attributes"][0] = "999"
        parts["lineage.jsonl"] = b"".join(
            json.dumps(line, separators=(",", ":"), sort_keys=True).encode() + b"\n" for line in lines
        )

    assert any("999 travelled along, and the source has" in text for text in faults(bundle, change))


def test_a_draw_that_is_moved_to_another_source_is_not_what_the_run_had_drawn(bundle):
    def change(parts):
        lines = [json.loads(line) for line in parts["lineage.jsonl"].splitlines()]
        draw = next(draw for line in lines for draw in line["draws"])
        draw["source"] += 1
        parts["lineage.jsonl"] = b"".join(
            json.dumps(line, separators=(",", ":"), sort_keys=True).encode() + b"\n" for line in lines
        )

    assert any("was computed from other draws" in text for text in faults(bundle, change))
