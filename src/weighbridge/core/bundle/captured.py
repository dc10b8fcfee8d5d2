"""The events of a bundle as they were captured, each proved by the write that stored it.

`captured.txt` has the line of each event, of which its leaf is the hash (`core/collection/correction`). The
log has a row for each write, with the leaf of its one event or the root over those of its many. So an event
proves itself, whatever else was in the request.

Invariants: a row of an event is what was captured, but for values that a correction put there for a batch
that read them; an event that no write proves is named.
"""

import json
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from weighbridge.core import identity
from weighbridge.core.bundle.archive import Faults, UnreadableError
from weighbridge.core.bundle.contents import (
    CAPTURED,
    WRITE_PROOF,
    WRITES,
    BundleContents,
    TrustResult,
)
from weighbridge.core.bundle.rows import EventTypeRow, parse_json
from weighbridge.core.bundle.stated import list_states
from weighbridge.core.bundle.tables import (
    STATEMENTS,
    VALUES_FROM,
    Texts,
    parse_ranges,
    split_lines,
    write_ranges,
)
from weighbridge.core.collection.correction import NULL, hash_event_line, write_stated_field
from weighbridge.core.platform.audit import hash_of_row
from weighbridge.core.proof import compute_root_of_some, hash_leaf
from weighbridge.core.signing import UnprovenError

STORED_ONE: Final = "event.create"
STORED_MANY: Final = ("event.create_many", "data_feed_upload.finish")
COMPLETED_ONE: Final = "event.update"
COMPLETED_MANY: Final = ("event.update_many", "data_point.correct")
"""What says the leaves of events before and after; the second where something else is stated of a value."""

_FIELDS: Final = (14, 15)
"""Fields of a line; the last only where single values state how well they are known."""


class CapturedLines:
    """The lines of events by their numbers, found where they lie."""

    def __init__(self, content: memoryview) -> None:
        """Find the place of each line; UnreadableError when they are not in order."""
        self._content = content
        self.stating: list[int] = []
        """The events of which single values state how well they are known."""
        self.events, self._places = array("q"), array("q", [0])
        place, last = 0, -1
        for line in split_lines(content, CAPTURED):
            number = line.split("\t", 2)[1] if line.count("\t") + 1 in _FIELDS else ""
            if not number.isdecimal() or int(number) <= last:
                raise UnreadableError(f"Lines of {CAPTURED} are of one event each, in order: {line[:60]!r}.")
            last = int(number)
            if line.count("\t") + 1 == _FIELDS[-1]:
                self.stating.append(last)
            place += len(line.encode() if not line.isascii() else line) + 1
            self.events.append(last)
            self._places.append(place)

    def __len__(self) -> int:
        return len(self.events)

    def find(self, event: int) -> int | None:
        """The index of an event's line; None when there is none."""
        at = bisect_left(self.events, event)
        return at if at < len(self.events) and self.events[at] == event else None

    def line(self, index: int) -> str:
        """A line without its end."""
        return self._text(index).decode()

    def leaf(self, index: int) -> bytes:
        """The hash of a line."""
        return hash_leaf(self._text(index))

    def _text(self, index: int) -> bytes:
        return bytes(self._content[self._places[index] : self._places[index + 1] - 1])


@dataclass(slots=True)
class BoundEvents:
    """The lines of a bundle's events, and by which write each is proved."""

    lines: CapturedLines
    rows: list[Mapping[str, Any]]
    """The writes, in the order of the log."""
    row_of: "array[int]" = field(default_factory=lambda: array("q"))
    """By the index of a line the index of its write in `rows`, plus one; 0 of an event that none proves."""

    def find_write(self, event: int) -> Mapping[str, Any] | None:
        """The write that stored an event; None when none is proved."""
        at = self.lines.find(event)
        return None if at is None or not self.row_of[at] else self.rows[self.row_of[at] - 1]


def bind_events(contents: BundleContents, vouched: TrustResult, faults: Faults) -> BoundEvents:
    """Prove each line by its write; takes down what contradicts."""
    bound = BoundEvents(CapturedLines(contents.parts[CAPTURED]), _read_writes(contents, vouched, faults))
    bound.row_of = array("q", bytes(8 * len(bound.lines)))
    completed = _Completed.read(contents, bound)
    hashes = {} if contents.write_proof is None else contents.write_proof.events
    used = set(completed.rows)
    for place, row in enumerate(bound.rows):
        found = _list_lines(contents, bound.lines, row)
        if not found:
            continue
        used.add(row["number"])
        outside = hashes.get(str(row["number"]), [])
        if wrong := _explain_unproved(bound.lines, row, found, completed, outside):
            faults.add(WRITES, f"Row {row['number']}: {wrong}")
        for _, at in found:
            bound.row_of[at] = place + 1
    for number in sorted({row["number"] for row in bound.rows} - used)[:5]:
        faults.add(WRITES, f"No event of the bundle rests on row {number}.")
    for name in sorted(hashes.keys() - {str(number) for number in used})[:5]:
        faults.add(WRITE_PROOF, f"It has hashes of row {name}, which stored no event of the bundle.")
    for event in completed.list_broken(bound):
        faults.add(CAPTURED, f"The line of event {event} is another than its last completion left.")
    return bound


def _read_writes(contents: BundleContents, vouched: TrustResult, faults: Faults) -> list[Mapping[str, Any]]:
    """The rows of writes, all proved at once under the head."""
    rows = [parse_json(line) for line in split_lines(contents.parts[WRITES], WRITES)]
    if not rows or vouched.head is None:
        return []
    places = [row["number"] - 1 for row in rows]
    if places != sorted(set(places)):
        faults.add(WRITES, "Rows are sorted, each once, and these are not.")
        return []
    try:
        outside = [] if contents.write_proof is None else _read_hashes(contents.write_proof.log)
        leaves = [(place, hash_of_row(row)) for place, row in zip(places, rows, strict=True)]
        root = compute_root_of_some(leaves, vouched.head.size, outside)
    except (UnprovenError, ValueError) as error:
        faults.add(WRITE_PROOF, str(error))
        return []
    if root != vouched.head.root:
        faults.add(WRITES, "The rows and their hashes do not lead to the root of the head.")
        return []
    return rows


def _read_hashes(texts: Sequence[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


def _list_lines(
    contents: BundleContents, lines: CapturedLines, row: Mapping[str, Any]
) -> list[tuple[int, int]]:
    """The events of the bundle that a write stored: the place of each in the write, and its line."""
    project = contents.manifest.project_number
    if row["project_id"] != contents.manifest.project_id:
        return []
    if row["action"] == STORED_ONE:
        at = lines.find(identity.number("event", row["object"], project))
        return [] if at is None else [(0, at)]
    found: list[tuple[int, int]] = []
    before = 0
    for first, last in list_spans(row, project):
        start, end = bisect_left(lines.events, first), bisect_right(lines.events, last)
        found += [(before + lines.events[at] - first, at) for at in range(start, end)]
        before += last - first + 1
    return sorted(found)


def list_spans(row: Mapping[str, Any], project: int) -> list[tuple[int, int]]:
    """The events that a write of many stored, as first and last numbers in the order of its tree; none if it
    says no root over all of them.
    """
    after = row["after"] or {}
    if row["action"] not in STORED_MANY or "root" not in after:
        return []
    spans = [
        (identity.number("event", first, project), identity.number("event", last, project))
        for first, last in after.get("ids", ())
    ]
    is_whole = sum(last - first + 1 for first, last in spans) == after.get("count", after.get("stored"))
    return spans if is_whole else []


def _explain_unproved(
    lines: CapturedLines,
    row: Mapping[str, Any],
    found: Sequence[tuple[int, int]],
    completed: "_Completed",
    outside: Sequence[str],
) -> str | None:
    """Why a write did not store the lines of its events; None when it did."""
    leaves = [(place, completed.first.get(lines.events[at]) or lines.leaf(at)) for place, at in found]
    after = row["after"]
    if row["action"] == STORED_ONE:
        is_stored = not outside and leaves[0][1].hex() == after.get("leaf")
        return None if is_stored else f"its event {lines.events[found[0][1]]} is not as it was captured."
    try:
        size = after.get("count", after.get("stored"))
        root = compute_root_of_some(leaves, size, _read_hashes(outside))
    except (UnprovenError, ValueError) as error:
        return str(error)
    return None if root.hex() == after["root"] else "its events are not as they were captured."


@dataclass(slots=True)
class _Completed:
    """Events that were completed after they were stored: the leaves before the first time, and at last."""

    first: dict[int, bytes] = field(default_factory=dict)
    last: dict[int, bytes] = field(default_factory=dict)
    rows: set[int] = field(default_factory=set)
    broken: set[int] = field(default_factory=set)

    @classmethod
    def read(cls, contents: BundleContents, bound: BoundEvents) -> "_Completed":
        """Those of the bundle, by the rows that completed them, in the order of the log."""
        completed = cls()
        for row in bound.rows:
            for name, before, after in list_completions(row):
                event = identity.number("event", name, contents.manifest.project_number)
                if bound.lines.find(event) is None or row["project_id"] != contents.manifest.project_id:
                    continue
                completed.rows.add(row["number"])
                was, now = bytes.fromhex(before), bytes.fromhex(after)
                if completed.last.get(event, was) != was:
                    completed.broken.add(event)
                completed.first.setdefault(event, was)
                completed.last[event] = now
        return completed

    def list_broken(self, bound: BoundEvents) -> list[int]:
        """Events whose completions do not follow one another, or whose line is not the last."""
        wrong = set(self.broken)
        for event, leaf in self.last.items():
            at = bound.lines.find(event)
            if at is not None and bound.lines.leaf(at) != leaf:
                wrong.add(event)
        return sorted(wrong)


def list_completions(row: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The events that a row completed, with the leaf of each before and after."""
    if row["action"] == COMPLETED_ONE:
        before, after = (row[side] or {} for side in ("before", "after"))
        was, now = before.get("leaf"), after.get("leaf")
        return [] if was is None or now is None or was == now else [(row["object"], was, now)]
    if row["action"] in COMPLETED_MANY:
        return [(name, before, after) for name, before, after in (row["after"] or {}).get("leaves", ())]
    return []


# Whether the rows of events are what was captured, but for corrections.


_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r"}
_FLAGS: Final = {"t": "true", "f": "false", "NULL": None}
_NAMED: Final = ("start_time", "end_time", "tracking_id", "feedstock_id", "asset_id", None, None)
"""By column of an event before `is_imputed` what a correction calls it."""


def check_captured(contents: BundleContents, bound: BoundEvents, faults: Faults) -> None:
    """Compare the rows of events with the lines, and those with the events that there are."""
    explained = _list_explained(contents)
    held = bytearray(len(bound.lines))
    for slug, file in contents.events.items():
        reader = LineReader(contents, slug)
        for fields in file.every():
            event, version = int(fields[0] or 0), int(fields[1] or 0)
            at = bound.lines.find(event)
            if at is None:
                faults.add(CAPTURED, f"Event {event} has no line.")
                continue
            held[at] = 1
            if not bound.row_of[at]:
                continue
            captured = reader.read(bound.lines.line(at))
            now = [*fields[2 : VALUES_FROM - 1], *fields[VALUES_FROM:]]
            corrected = explained.get((event, version), {})
            for name in () if now == captured else list_unexplained(reader, now, captured, corrected):
                faults.add(
                    file.table.part, f"The {name} of event {event} was neither captured nor corrected."
                )
            if fields[VALUES_FROM - 1] == "true":
                faults.add(file.table.part, f"Event {event} is called imputed, and somebody stored it.")
    for late in contents.late_events:
        if (at := bound.lines.find(late)) is not None:
            held[at] = 1
    for at in [at for at, is_held in enumerate(held) if not is_held][:5]:
        faults.add(CAPTURED, f"No table has event {bound.lines.events[at]}, whose line is there.")


def _list_explained(contents: BundleContents) -> dict[tuple[int, int], dict[str | None, str]]:
    """By event and version what corrections put where, those that were in force for a batch that read it."""
    explained: dict[tuple[int, int], dict[str | None, str]] = {}
    for line in contents.lineage.values():
        if not line.corrections:
            continue
        inputs = [(read, parse_ranges(read.events)) for read in line.inputs]
        for number in parse_ranges(line.corrections):
            row = contents.corrections.get(number)
            if row is None:
                continue
            for read, events in inputs:
                if _has(events, row.event):
                    version = read.versions.get(str(row.event), 0)
                    explained.setdefault((row.event, version), {})[row.data_point] = row.to_value
    return explained


def _has(numbers: Sequence[int], number: int) -> bool:
    """Whether a number is among others, which ascend."""
    place = bisect_left(numbers, number)
    return place < len(numbers) and numbers[place] == number


def list_unexplained(
    reader: "LineReader", now: Texts, captured: Texts, corrected: Mapping[str | None, str]
) -> Iterator[str]:
    """The columns of an event, without `is_imputed`, that are neither as captured nor as corrected."""
    for name, field_name, text, was in zip(reader.columns, reader.corrected, now, captured, strict=True):
        is_corrected = field_name in corrected and corrected[field_name] == text
        if text != was and not is_corrected:
            yield name


class LineReader:
    """Reads lines of the events of one type as the columns of their table, without `is_imputed`."""

    def __init__(self, contents: BundleContents, slug: str) -> None:
        self._names = contents.names
        self._slug = slug
        self._numbers = {
            str(number)
            for (kind, number), name in contents.names.items()
            if (kind, name) == ("event_type", slug)
        }
        points = contents.points.get(slug, [])
        self._places = [_place_value(point) for point in points]
        self.columns = [
            "start_time", "end_time", "tracking_id", "feedstock", "asset", "location", "client_reference",
            *(point.data_point for point in points),
        ]  # fmt: skip
        self.corrected: list[str | None] = [*_NAMED, *(point.data_point for point in points)]

    def read(self, line: str) -> list[str | None]:
        """The fields of a line, as tables write them; UnreadableError for one of another type."""
        (
            _, number, event_type, start, end, tracking_id, feedstock, asset, reference, _, locations,
            *arrays,
        ) = line.split("\t")  # fmt: skip
        if event_type not in self._numbers:
            raise UnreadableError(f"Event {number} is none of the type {self._slug!r} by its line.")
        location = locations[1:-1].partition(",")[0]
        start_text = _read_time(start)
        values = [_split_numbers(arrays[0]), _split_texts(arrays[1]), _split_flags(arrays[2])]
        return [
            start_text,
            start_text if end == start else _read_time(end),
            _read_text(tracking_id),
            self._name("feedstock", feedstock),
            self._name("asset", asset),
            self._name("location", location or NULL),
            _read_text(reference),
            *(values[kind][at] if at < len(values[kind]) else None for kind, at in self._places),
        ]

    def _name(self, kind: str, number: str) -> str | None:
        if number == NULL:
            return None
        try:
            return self._names[kind, int(number)]
        except KeyError:
            raise UnreadableError(f"{kind} {number} of an event has no name in names.csv.") from None


def _place_value(point: EventTypeRow) -> tuple[int, int]:
    return ("number", "string", "boolean").index(point.value_type), point.position - 1


def _read_time(text: str) -> str:
    return f"{text[:-4]}Z" if "." in text else f"{text[:-1]}.000Z"


def _read_text(text: str) -> str | None:
    return None if text == NULL else _unescape(text)


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda found: _CONTROLS.get(found[1], found[1]), text) if "\\" in text else text


def _split_numbers(array_text: str) -> list[str | None]:
    if array_text == "{}":
        return []
    return [_read_number(text) for text in array_text[1:-1].split(",")]


def _read_number(text: str) -> str | None:
    if text == "NULL":
        return None
    return text.rstrip("0").rstrip(".") if "." in text else text


def _split_texts(array_text: str) -> list[str | None]:
    if array_text == "{}":
        return []
    texts: list[str | None] = []
    rest, place = _unescape(array_text)[1:-1], 0
    while place < len(rest):
        if rest[place] != '"':
            place = rest.find(",", place) + 1 or len(rest)
            texts.append(None)
            continue
        end = place + 1
        while rest[end] != '"':
            end += 2 if rest[end] == "\\" else 1
        texts.append(_ESCAPED.sub(r"\1", rest[place + 1 : end]))
        place = end + 2
    return texts


def _split_flags(array_text: str) -> list[str | None]:
    return [] if array_text == "{}" else [_FLAGS[text] for text in array_text[1:-1].split(",")]


# What single values state of their uncertainty: as it was captured, or stated later by a row of the log.


def _list_leaves(contents: BundleContents, bound: BoundEvents) -> dict[int, set[str]]:
    """By event that was completed, or of which something else was stated, its leaves before and after."""
    leaves: dict[int, set[str]] = {}
    for row in bound.rows:
        for name, before, after in list_completions(row):
            event = identity.number("event", name, contents.manifest.project_number)
            leaves.setdefault(event, set()).update((before, after))
    return leaves


def check_stated_lines(contents: BundleContents, bound: BoundEvents, faults: Faults) -> list[str]:
    """Compare what batches read of statements of single values with the lines; gives what cannot be proved.

    What was stated before is in no line any more, but its leaf is in the row that replaced it.
    """
    lines = bound.lines
    if not contents.is_uncertain:
        for event in lines.stating[:5]:
            faults.add(CAPTURED, f"Event {event} states how well a value is known, which this format lacks.")
        return []
    leaves = _list_leaves(contents, bound)
    unproved: list[int] = []
    for event, states in list_states(contents, {*lines.stating, *contents.stating_events}).items():
        at = lines.find(event)
        if at is None or not bound.row_of[at]:
            continue
        fields = lines.line(at).split("\t")[: _FIELDS[0]]
        known = leaves.get(event, set()) | {lines.leaf(at).hex()}
        for state in states:
            stated = {position: json.loads(text) for position, text in state.items()}
            if hash_event_line("\t".join(fields) + write_stated_field(stated)).hex() in known:
                continue
            if event in leaves:
                unproved.append(event)
            else:
                sentence = f"What event {event} states of its values was neither captured nor stated later."
                faults.add(STATEMENTS.part, sentence)
    if not unproved:
        return []
    named = _shorten_ranges(sorted(set(unproved)))
    return [f"No row of the log has what some events stated when batches read them: {named}."]


# What no write proves, by name.


def list_unbound(contents: BundleContents, bound: BoundEvents) -> list[str]:
    """The events that no write of the log proves, in sentences."""
    sentences: list[str] = []
    if all(bound.row_of):
        return sentences
    for slug, file in contents.events.items():
        imputed: list[int] = []
        others: list[int] = []
        for fields in file.every():
            event = int(fields[0] or 0)
            if (at := bound.lines.find(event)) is not None and bound.row_of[at]:
                continue
            listed = imputed if fields[VALUES_FROM - 1] == "true" else others
            if listed[-1:] != [event]:
                listed.append(event)
        if imputed:
            sentences.append(
                f"No row of the log stored {len(imputed):,} events of {slug!r}, which say that they were"
                f" imputed: {_shorten_ranges(imputed)}."
            )
        if others:
            sentences.append(
                f"No row of the log stored {len(others):,} events of {slug!r}, which were not imputed: they"
                " were rolled up, or stored before 1.1.0, or somebody left the row out:"
                f" {_shorten_ranges(others)}."
            )
    return sentences


def _shorten_ranges(numbers: list[int]) -> str:
    ranges = write_ranges(numbers)
    return ranges if len(ranges) <= RANGES_SHOWN else f"{ranges[:RANGES_SHOWN].rpartition(',')[0]},…"


RANGES_SHOWN: Final = 200
"""Characters of the numbers of events that a sentence has."""
