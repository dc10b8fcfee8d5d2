"""A run of an import: the options become a data feed, the file an upload to it, and the upload a summary.

An `ImportService` is where the rows go: `direct.py` and `remote.py` have the two. A feed refuses a file for
rows that are bad and for rows that differ from the events that are there. An import refuses it for bad rows
only: where rows differ and none is bad, the file is uploaded once more, to a feed that leaves the differing
rows out and stores the others.

Invariants: nothing is stored while a row is bad; a dry run stores no event; the same options name the same
feed, and client references depend on the file and its lines alone, not on the feed.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from weighbridge.client.made.records import DataFeedUpload, UploadProblem
from weighbridge.collection.records.data_points import EXPECTED_LOCATIONS
from weighbridge.collection.records.events import LOCATIONS_MAX
from weighbridge.core.collection.data_feed import (
    CONTENT_MARK,
    LOCATIONS_OF_FEED_MAX,
    PROBLEMS_SHOWN,
    VALUE_MARK,
    BadRows,
    OnDifference,
    ReferenceRule,
)
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.errors import Invalid, Refusal
from weighbridge.exchange.records.data_feeds import DATA_FEED_BODIES, DataFeed, FeedColumn
from weighbridge.exchange.tables.columns import DIGEST_DIGITS, FIELDS, LOCATION_FIELD
from weighbridge.exchange.tables.opening import digest_content
from weighbridge.exchange.tables.sample import read_unit
from weighbridge.exchange.tables.table import CsvFile, fingerprint

ProgressReport = Callable[[str, int, int], None]
"""Hears of progress: what is being done, how far it is, and how far it goes."""


class PointFacts(msgspec.Struct, frozen=True):
    """What an import needs to know of a data point type."""

    slug: str
    unit: str | None


class TypeFacts(msgspec.Struct, frozen=True):
    """What an import needs to know of an event type."""

    id: str
    slug: str
    expected_locations: str
    data_point_types: list[PointFacts]


@dataclass(frozen=True, slots=True)
class Target:
    """Where the events go: a project and one of its event types, and the locations that they may name."""

    project: str
    event_type: TypeFacts
    locations: Mapping[str, str]
    """Names by id."""


class ImportService(Protocol):
    """A service that takes files, reached in one way or the other."""

    def find_target(self, project: str, event_type: str) -> Target:
        """Find the project and the event type; raise a refusal that names what is missing."""

    def find_feed(self, wanted: DataFeed) -> int:
        """Find the data feed of this name, or create it; raise a refusal where it says otherwise."""

    def upload(self, feed: int, file: Path, *, is_dry_run: bool, report: ProgressReport) -> DataFeedUpload:
        """Upload a file and wait for what becomes of it; an interruption cancels its task."""

    def read_upload(self, feed: int, number: int) -> DataFeedUpload:
        """Read an upload."""

    def count_corrections(self, upload: DataFeedUpload) -> int:
        """Count the events that a dry run would correct."""

    def list_missing(self, upload: DataFeedUpload, event_type: str) -> list[str]:
        """List the values that events of an upload lack, once for each event."""


def choose_target(project: str, types: Sequence[Any], slug: str, locations: Sequence[Any]) -> Target:
    """Choose the event type of this slug among the records of the project."""
    for event_type in types:
        if event_type.slug == slug:
            known = msgspec.convert(event_type, TypeFacts, from_attributes=True)
            return Target(project, known, {place.id: place.name for place in locations})
    allowed = ", ".join(sorted(each.slug for each in types)) or "none"
    raise Invalid(
        [Problem(f"The project has no event type {slug!r}; it has {allowed}.", "event_type", "unknown")]
    )


def _check_locations(target: Target, ids: Sequence[str]) -> list[Problem]:
    """Check the locations that every event of the import will name."""
    there = ", ".join(f"{friendly} ({name})" for friendly, name in target.locations.items()) or "none"
    problems = [
        Problem(
            f"--location {friendly!r} is no location of the project, which has {there}.",
            "location",
            "unknown",
        )
        for friendly in ids
        if friendly not in target.locations
    ]
    problems += [
        Problem(f"--location {friendly!r} is given {times} times; once is enough.", "location", "invalid")
        for friendly, times in Counter(ids).items()
        if times > 1
    ]
    least = EXPECTED_LOCATIONS[target.event_type.expected_locations]
    if not least <= len(ids) <= LOCATIONS_MAX:
        problems.append(
            Problem(
                f"Events of type {target.event_type.slug!r} name {least} to {LOCATIONS_MAX} locations; "
                f"--location is given {len(ids)} times, and the project has {there}.",
                "location",
                "invalid",
            )
        )
    return problems


def check_feed(found: object, wanted: DataFeed) -> None:
    """Raise Refusal when the feed of the name is no more as the import made it."""
    stored = msgspec.convert(found, DATA_FEED_BODIES.new, from_attributes=True)
    changed = [
        name
        for name in DATA_FEED_BODIES.fields
        if name != "watch" and getattr(stored, name) != getattr(wanted, name)
    ]
    if changed:
        raise Refusal(
            f"The data feed {wanted.name!r} is that of this import, and was changed since in "
            f"{', '.join(changed)}. Give it another name, and the import makes one of its own."
        )


FEED_DIGITS: Final = 8
"""Digits of the SHA-256 of its settings that the name of an import's feed ends with."""

INCOMPLETE_READ_MAX: Final = 2_000
"""Incomplete events that are read to say what they lack; of more, only their count is given."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be imported, where to, and how the file is to be read."""

    file: CsvFile
    project: str
    event_type: str
    locations: Sequence[str] = ()
    columns: Sequence[FeedColumn] = ()
    """What columns give."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the data feed, by their names; one that is left out is as data feeds have it."""
    start: str | None = None
    readings: bool = False
    reference: str | None = None
    """What client references begin with; None takes the digest of the file."""
    has_references: bool = True
    is_dry_run: bool = False

    @property
    def on_difference(self) -> str:
        """What becomes of events that differ from their rows."""
        return str(self.settings.get("on_difference", OnDifference.REPORT))

    @property
    def first_reference(self) -> str | None:
        """What client references begin with, if the rows get any in this way: none is the empty text.

        None leaves them to the data feed, which makes them of times or reads them from a column.
        """
        if not self.has_references:
            return ""
        by_row = self.settings.get("client_reference", ReferenceRule.ROW) == ReferenceRule.ROW
        return self.reference or (CONTENT_MARK if by_row else None)


class BadLine(msgspec.Struct, frozen=True):
    """A row of the summary that is bad or differs from its event."""

    line: int
    reasons: tuple[str, ...]


class Summary(msgspec.Struct, frozen=True):
    """What an import did."""

    file: str
    sha256: str
    project: str
    event_type: str
    data_feed: str
    """The name of the data feed that the file was uploaded to."""
    mapping: dict[str, str]
    reference: str | None
    dry_run: bool
    rows: int
    stored: int
    already_there: int
    differing: int
    """Rows whose events the project has with other values; they are among the problems."""
    corrected: int
    """How many of those events were corrected, or of a dry run would be."""
    incomplete: int
    missing: dict[str, int]
    """How many of the incomplete events lack each value, where they are few enough to be read."""
    bad_rows: int
    problems: list[BadLine]
    first_start: Instant | None
    last_end: Instant | None

    @property
    def sentences(self) -> str:
        """The summary for a person."""
        told = [f"{self.file}: {self.rows:,} rows", self._done]
        if self.first_start and self.last_end:
            told.append(f"from {self.first_start.text} to {self.last_end.text}")
        text = ", ".join(told) + "."
        if self.incomplete:
            lacking = ", ".join(f"{slug} ({count:,})" for slug, count in self.missing.items())
            text += f" Incomplete are {self.incomplete:,} of the events" + (
                f", which lack {lacking}." if lacking else "."
            )
        return text

    @property
    def complaints(self) -> list[Problem]:
        """The bad rows, for a person."""
        told = [Problem(f"Line {bad.line}: {'; '.join(bad.reasons)}.") for bad in self.problems]
        left = self.bad_rows + self.differing - len(told)
        word = "are bad" if self.bad_rows else "differ"
        more = [Problem(f"{left:,} more rows {word}.")] if left else []
        return told + more

    @property
    def is_amiss(self) -> bool:
        """Whether a row is bad, or contradicts an event that stays as it is."""
        return self.bad_rows > 0 or self.differing > self.corrected

    @property
    def _done(self) -> str:
        if self.bad_rows:
            return f"{self.bad_rows:,} of them bad, nothing stored"
        unlike = ""
        if self.differing:
            unlike = f", {self.differing:,} there already with other values"
        if self.corrected:
            unlike += f", of which {self.corrected:,} {'would be' if self.dry_run else 'are'} corrected"
        if self.dry_run:
            return f"{'none bad' if unlike else 'all good'}{unlike}, nothing stored in a dry run"
        return f"{self.stored:,} events stored, {self.already_there:,} there already{unlike}"


def run(order: Order, service: ImportService, report: ProgressReport) -> Summary:
    """Upload the file to the feed of the order, wait for it, and sum up what it came to."""
    before = fingerprint(order.file)
    digest = digest_content(order.file)
    target = service.find_target(order.project, order.event_type)
    if problems := [*_check_order(order), *_check_locations(target, order.locations)]:
        raise Invalid(problems)
    wanted = build_feed(order, target, BadRows.REFUSE_FILE)
    upload = _upload(order, service, wanted, report)
    if upload.state == "failed" and upload.rows is not None and not upload.bad_rows:
        wanted = build_feed(order, target, BadRows.SKIP)
        upload = _upload(order, service, wanted, report)
    if fingerprint(order.file) != before:
        raise Refusal(
            f"The file {order.file.path} changed while it was imported; import one that stays as it is."
        )
    if upload.rows is None:
        raise Refusal(upload.error_message or "The upload failed.")
    is_read = bool(upload.stored) and 0 < (upload.incomplete or 0) <= INCOMPLETE_READ_MAX
    missing = service.list_missing(upload, order.event_type) if is_read else []
    summary = _summarize(order, digest, upload, missing)
    return msgspec.structs.replace(summary, project=target.project, data_feed=wanted.name)


def build_feed(order: Order, target: Target, bad_rows: BadRows) -> DataFeed:
    """Build the data feed that reads files as the options say; its name follows from all that it says."""
    feed = DATA_FEED_BODIES.unstored(
        name="",
        event_type_id=target.event_type.id,
        columns=[*_add_units(order.columns, target.event_type), *_values(order)],
        location_ids=[*order.locations[:LOCATIONS_OF_FEED_MAX]],
        bad_rows=bad_rows,
        **order.settings,
    )
    settings = hashlib.sha256(msgspec.json.encode(feed, order="sorted")).hexdigest()
    name = f"Import of {order.event_type} {settings[:FEED_DIGITS]}"
    return msgspec.structs.replace(feed, name=name)


def _add_units(columns: Iterable[FeedColumn], event_type: TypeFacts) -> list[FeedColumn]:
    """What columns give; a unit in brackets behind the name of one is its unit, unless another was given."""
    units = {point.slug: point.unit for point in event_type.data_point_types}
    return [
        msgspec.structs.replace(one, unit=read_unit(one.column, units[one.field]))
        if one.unit is None and one.field in units
        else one
        for one in columns
    ]


def _values(order: Order) -> list[FeedColumn]:
    """What every row is given in place of columns."""
    reference = order.first_reference
    values = [] if reference is None else [("client_reference", reference)]
    if order.start is not None:
        values.append(("start_time", order.start))
    if order.readings:
        values.append(("end_time", ""))
    values += [(LOCATION_FIELD, place) for place in order.locations[LOCATIONS_OF_FEED_MAX:]]
    return [FeedColumn(f"{VALUE_MARK}{value}", field) for field, value in values]


def _check_order(order: Order) -> list[Problem]:
    """Find what is wrong with options that no data feed has."""
    problems = []
    if order.reference is not None and not order.reference.strip():
        problems.append(Problem("--reference is blank; leave it out instead.", "reference", "invalid"))
    return problems


def _upload(order: Order, service: ImportService, wanted: DataFeed, report: ProgressReport) -> DataFeedUpload:
    """Upload the file, and give what its content came to where it was stored before."""
    feed = service.find_feed(wanted)
    upload = service.upload(feed, order.file.path, is_dry_run=order.is_dry_run, report=report)
    if order.is_dry_run and order.on_difference == OnDifference.CORRECT:
        return msgspec.structs.replace(upload, corrected=service.count_corrections(upload))
    if upload.same_as is None:
        return upload
    first = service.read_upload(feed, upload.same_as)
    return msgspec.structs.replace(
        first, stored=0, already_there=first.rows, differing=0, corrected=0, bad_rows=0, problems=[]
    )


def _summarize(order: Order, digest: str, upload: DataFeedUpload, missing: Sequence[str]) -> Summary:
    return Summary(
        file=str(order.file.path),
        sha256=digest,
        project=order.project,
        event_type=order.event_type,
        data_feed="",
        mapping=upload.mapping or {},
        reference=(order.first_reference or "").replace(CONTENT_MARK, digest[:DIGEST_DIGITS]) or None,
        dry_run=order.is_dry_run,
        rows=upload.rows or 0,
        stored=upload.stored or 0,
        already_there=upload.already_there or 0,
        differing=upload.differing or 0,
        corrected=upload.corrected or 0,
        incomplete=upload.incomplete or 0,
        missing=dict(sorted(Counter(missing).items())),
        bad_rows=upload.bad_rows or 0,
        problems=_bad_lines(upload),
        first_start=_instant(upload.first_start),
        last_end=_instant(upload.last_end),
    )


def _bad_lines(upload: DataFeedUpload) -> list[BadLine]:
    """The problems of an upload, by their rows."""
    reasons: dict[int, list[str]] = {}
    for problem in upload.problems or ():
        about = "" if _names_its_field(problem, upload) else f"column {problem.column!r}: "
        reasons.setdefault(problem.row, []).append(f"{about}{problem.reason}")
    return [BadLine(line, tuple(found)) for line, found in reasons.items()][:PROBLEMS_SHOWN]


def _names_its_field(problem: UploadProblem, upload: DataFeedUpload) -> bool:
    """Whether a reason says what it is about: no column at all, or a field of the event."""
    if problem.column is None:
        return True
    given = {(upload.mapping or {}).get(column) for column in problem.column.split(", ")}
    return problem.stored is None and given <= {*FIELDS}


def _instant(moment: datetime | None) -> Instant | None:
    return None if moment is None else Instant.of(moment)
