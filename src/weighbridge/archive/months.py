"""Archived months: the pieces of the calendar in UTC in which events are archived, and the manifest of each.

A manifest describes the content of the file of a month, its time, and how to verify it.

    prj_…/2025-12/events-SHA256.parquet       the rows, named by the first half of their file's digest
    prj_…/2025-12/manifest-000002-SHA256.json  what they are; the number counts the versions of the month

Invariants: an event belongs to the month in which it starts; a manifest is written when all that it names is
there, so a month without one has no file.
"""

import hashlib
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, Self

import msgspec

from weighbridge.backup.target import BackupTarget
from weighbridge.core import identity
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.errors import Refusal

SETTLES_AFTER: Final = timedelta(days=7)
"""How long a month must have been over before it is archived: late data mostly come within days."""

_FORM: Final = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True, order=True)
class CalendarMonth:
    """A month of a year; it begins at its first instant in UTC."""

    year: int
    month: int

    @classmethod
    def read(cls, text: str, option: str) -> Self:
        """Read `2025-12`; raises Refusal, which names the option."""
        match = _FORM.fullmatch(text)
        if match is None or match[1] == "0000":
            raise Refusal(f"{option} is {text!r}; it takes a month such as 2025-12.")
        return cls(int(match[1]), int(match[2]))

    @classmethod
    def of(cls, moment: datetime) -> Self:
        """The month that contains an instant."""
        utc_moment = moment.astimezone(UTC)
        return cls(utc_moment.year, utc_moment.month)

    @property
    def text(self) -> str:
        """The month as it is written: 2025-12."""
        return f"{self.year:04d}-{self.month:02d}"

    @property
    def start(self) -> datetime:
        """Its first instant."""
        return datetime(self.year, self.month, 1, tzinfo=UTC)

    @property
    def end(self) -> datetime:
        """The first instant after it."""
        return self.next.start

    @property
    def next(self) -> "CalendarMonth":
        """The month after it."""
        return CalendarMonth(self.year + self.month // 12, self.month % 12 + 1)

    def refuse_unsettled(self, now: datetime) -> None:
        """Raise Refusal unless the month has been over for long enough."""
        if now < self.end + SETTLES_AFTER:
            settles_at = self.end + SETTLES_AFTER
            raise Refusal(
                f"{self.text} cannot be archived yet: it may be from {settles_at:%Y-%m-%d} on, when it has"
                f" been over for {SETTLES_AFTER.days} days."
            )


# The vocabulary of a project: what its events name by number or slug, as it was when a month was archived.
#
# It stands in the manifest, and rows are made with it: so an archived month compares with the database
# although somebody has renamed a data point type since, and that it was renamed is told once and not for
# each event.


class ArchivedPoint(msgspec.Struct, frozen=True):
    """A data point type of an event type."""

    position: Annotated[int, msgspec.Meta(ge=1, lt=2**15)]
    slug: str
    name: str
    value_type: str
    unit: str | None


class ArchivedType(msgspec.Struct, frozen=True):
    """An event type."""

    id: str
    number: int
    slug: str
    name: str
    data_points: list[ArchivedPoint]


class ArchivedName(msgspec.Struct, frozen=True):
    """A location, feedstock or asset."""

    id: str
    name: str


class ArchivedVocabulary(msgspec.Struct, frozen=True):
    """All that events of a project refer to."""

    event_types: list[ArchivedType]
    locations: list[ArchivedName]
    feedstocks: list[ArchivedName]
    assets: list[ArchivedName]


async def read_vocabulary(tx: Read, project: int) -> ArchivedVocabulary:
    """The current vocabulary."""
    types, points, *rows_of_kinds = await tx.several(
        ("SELECT id, slug, name FROM event_types WHERE project_id = %s ORDER BY id", (project,)),
        (
            """
            SELECT event_type_id, position, slug, name, value_type, unit FROM data_point_types
             WHERE project_id = %s ORDER BY event_type_id, position
            """,
            (project,),
        ),
        ("SELECT id, name FROM locations WHERE project_id = %s ORDER BY id", (project,)),
        ("SELECT id, name FROM feedstocks WHERE project_id = %s ORDER BY id", (project,)),
        ("SELECT id, name FROM assets WHERE project_id = %s ORDER BY id", (project,)),
    )
    by_type: dict[int, list[ArchivedPoint]] = {}
    for number, *point in points:
        by_type.setdefault(number, []).append(ArchivedPoint(*point))
    locations, feedstocks, assets = (
        [ArchivedName(identity.of(kind, project, number), name) for number, name in rows]
        for kind, rows in zip(("location", "feedstock", "asset"), rows_of_kinds, strict=True)
    )
    return ArchivedVocabulary(
        [
            ArchivedType(
                identity.of("event_type", project, number), number, slug, name, by_type.get(number, [])
            )
            for number, slug, name in types
        ],
        locations,
        feedstocks,
        assets,
    )


def changes_since(archived: ArchivedVocabulary, now: ArchivedVocabulary) -> Iterator[str]:
    """What is called otherwise now, or is not there any more; what came later is no difference."""
    types = {event_type.number: event_type for event_type in now.event_types}
    for was in archived.event_types:
        yield from _changes_of_type(was, types.get(was.number))
    for kind, archived_records, current_records in (
        ("location", archived.locations, now.locations),
        ("feedstock", archived.feedstocks, now.feedstocks),
        ("asset", archived.assets, now.assets),
    ):
        names = {record.id: record.name for record in current_records}
        for record in archived_records:
            if names.get(record.id) != record.name:
                yield f"{kind} {record.id} was {record.name!r}, and {_now(names.get(record.id))}"


def _changes_of_type(was: ArchivedType, now: ArchivedType | None) -> Iterator[str]:
    if now is None or (now.slug, now.name) != (was.slug, was.name):
        is_now = _now(None if now is None else f"{now.name} ({now.slug})")
        yield f"event type {was.id} was {f'{was.name} ({was.slug})'!r}, and {is_now}"
    points = {} if now is None else {point.position: point for point in now.data_points}
    for point in was.data_points if now is not None else ():
        if (current_point := points.get(point.position)) != point:
            current = _now(_form(current_point))
            yield f"data point type {was.slug}.{point.slug} was {_form(point)}, and {current}"


def _form(point: ArchivedPoint | None) -> str | None:
    if point is None:
        return None
    unit = f" in {point.unit}" if point.unit else ""
    return f"{point.name} ({point.slug}), a {point.value_type}{unit}"


def _now(name: str | None) -> str:
    return "is gone" if name is None else f"is {name!r} now"


# The manifest of a month: what its file holds, of which moment, and how to know it again.


SCHEMA_VERSION: Final = 2
"""The form of file and manifest; docs/reference/archive.md says what is in them."""

_NAME: Final = re.compile(r"manifest-([0-9]{6})-([0-9a-f]{32})\.json")
_DIGEST_CHARACTERS: Final = 32
"""How many digits of a SHA-256 are in a name."""


_Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class ArchiveFile(msgspec.Struct, frozen=True):
    """A file that the manifest describes."""

    name: str
    sha256: _Digest
    size: _Count


class ArchivedHead(msgspec.Struct, frozen=True):
    """How many rows of the account's audit log were sealed, and the root of its tree over them."""

    rows: int
    root: str


class MonthManifest(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a month."""

    schema_version: int
    weighbridge: str
    project: str
    month: str
    version: int
    made_at: str
    rows: _Count
    rows_sha256: _Digest
    """Of the rows themselves, independent of the Parquet library: see `reading_rows`."""
    files: Annotated[list[ArchiveFile], msgspec.Meta(min_length=1, max_length=1)]
    change_number: _Count
    """The last entry of the account's feed of changes of which all is in the file."""
    audit_head: ArchivedHead | None
    """None while no row is sealed."""
    vocabulary: ArchivedVocabulary

    @property
    def events(self) -> ArchiveFile:
        """The file of the month's events."""
        return self.files[0]

    def build_path(self, file: ArchiveFile) -> str:
        """The path of a file of it."""
        return f"{build_folder(self.project, self.month)}/{file.name}"


@dataclass(frozen=True, slots=True)
class ManifestAsFile:
    """A manifest and the very bytes of its file, by which it is known."""

    manifest: MonthManifest
    content: bytes

    @classmethod
    def of(cls, manifest: MonthManifest) -> "ManifestAsFile":
        """The file of a manifest that is to be written."""
        return cls(manifest, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")

    @property
    def sha256(self) -> str:
        """The digest of the file."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def path(self) -> str:
        """The path of the file in the place."""
        name = f"manifest-{self.manifest.version:06d}-{self.sha256[:_DIGEST_CHARACTERS]}.json"
        return f"{build_folder(self.manifest.project, self.manifest.month)}/{name}"


def build_folder(project: str, month: str) -> str:
    """The folder of a month in a place."""
    return f"{project}/{month}"


def name_of_events(sha256: str) -> str:
    """The name of a file of events with this digest."""
    return f"events-{sha256[:_DIGEST_CHARACTERS]}.parquet"


def newest_manifests(place: BackupTarget, project: str) -> Iterator[ManifestAsFile]:
    """The newest version of each month that a place has of a project, month by month; raises Refusal."""
    for path in newest_paths(place, project).values():
        yield read_manifest(place, path)


def newest_paths(place: BackupTarget, project: str) -> dict[str, str]:
    """Where the newest manifest lies of each month that a place has of a project; raises Refusal."""
    newest: dict[str, str] = {}
    for path, _, _ in place.names(f"{project}/"):
        _, _, path_in_project = path.rpartition(f"{project}/")
        month, _, name = path_in_project.partition("/")
        if _NAME.fullmatch(name) and name > newest.get(month, ""):
            newest[month] = name
    return {month: f"{build_folder(project, month)}/{name}" for month, name in sorted(newest.items())}


def read_manifest(place: BackupTarget, path: str) -> ManifestAsFile:
    """The manifest of a path, checked against its name and its place; raises Refusal."""
    content = place.read(path)
    match = _NAME.fullmatch(path.rpartition("/")[2])
    if match is None or not hashlib.sha256(content).hexdigest().startswith(match[2]):
        raise Refusal(f"{place.name}/{path} was altered: its SHA-256 differs from its name.")
    try:
        manifest = msgspec.json.decode(content, type=MonthManifest)
    except msgspec.DecodeError as error:
        raise Refusal(f"{place.name}/{path} is not a manifest of an archive: {error}.") from error
    if not 1 <= manifest.schema_version <= SCHEMA_VERSION:
        raise Refusal(
            f"{place.name}/{path} has the form {manifest.schema_version}, and this version of Weighbridge"
            f" reads forms 1 to {SCHEMA_VERSION}."
        )
    manifest_file = ManifestAsFile(manifest, content)
    if manifest_file.path != path:
        raise Refusal(f"{place.name}/{path} is the manifest of {manifest_file.path}.")
    _refuse_strange(manifest, f"{place.name}/{path}")
    return manifest_file


def _refuse_strange(manifest: MonthManifest, path: str) -> None:
    """Refuse what no run writes: another name of the file, or a moment or a month that is none."""
    if manifest.events.name != name_of_events(manifest.events.sha256):
        raise Refusal(f"{path} names a file that is not named by its SHA-256: {manifest.events.name!r}.")
    try:
        made_at = datetime.fromisoformat(manifest.made_at)
    except ValueError:
        made_at = None
    if made_at is None or made_at.tzinfo is None:
        raise Refusal(f"{path} was made at {manifest.made_at!r}, which is not a timestamp.")
    parse_month(manifest)


def parse_month(manifest: MonthManifest) -> CalendarMonth:
    """The month that a manifest is of."""
    return CalendarMonth.read(manifest.month, "The month of a manifest")


# The table `archives`: which months of a project were written where, and what they had seen of the data.


_COLUMNS: Final = """
    a.project_id, to_char(a.month, 'YYYY-MM'), a.version, a.place, a.manifest_sha256, a.rows_sha256,
    a.row_count, a.size_bytes, a.change_number, a.seen_until, a.made_at
"""


class ArchivedMonth(msgspec.Struct, frozen=True):
    """A month that was written to a place, or found there as it would be written."""

    project: int
    month: str
    version: int
    place: str
    manifest_sha256: bytes
    rows_sha256: bytes
    rows: int
    size_bytes: int
    change_number: int
    seen_until: datetime
    """Whatever a transaction stored that began before this moment is in the file."""
    made_at: datetime


class ListedMonth(msgspec.Struct, frozen=True):
    """The same as commands print it."""

    project: str
    month: str
    version: int
    rows: int
    bytes: int
    place: str
    sha256: str
    change_number: int
    made_at: Instant

    @classmethod
    def of(cls, month: ArchivedMonth) -> "ListedMonth":
        project = identity.of("project", month.project)
        digest = month.manifest_sha256.hex()
        return cls(
            project, month.month, month.version, month.rows, month.size_bytes, month.place, digest,
            month.change_number, Instant.of(month.made_at),
        )  # fmt: skip


async def newest_of_months(tx: Read, project: int, place: str) -> dict[str, ArchivedMonth]:
    """The version of each month of a project that was written to a place last."""
    rows = await tx.rows(
        ArchivedMonth,
        f"""
        SELECT DISTINCT ON (a.month) {_COLUMNS} FROM archives a
         WHERE a.project_id = %s AND a.place = %s ORDER BY a.month, a.id DESC
        """,
        (project, place),
    )
    return {row.month: row for row in rows}


async def archived_months(tx: Read, project: int | None) -> list[ArchivedMonth]:
    """Every version that was written of a project, or of all; of one that was found again, the first row."""
    return await tx.rows(
        ArchivedMonth,
        f"""
        SELECT DISTINCT ON (a.project_id, a.month, a.place, a.version) {_COLUMNS} FROM archives a
         WHERE %s::integer IS NULL OR a.project_id = %s
         ORDER BY a.project_id, a.month, a.place, a.version, a.id
        """,
        (project, project),
    )


async def keep_month(
    tx: Write, project: int, place: str, manifest_file: ManifestAsFile, seen: tuple[int, datetime]
) -> None:
    """Record that a month is in a place, and up to which change and time it is complete."""
    manifest, (change_number, seen_until) = manifest_file.manifest, seen
    await tx.execute(
        """
        INSERT INTO archives (project_id, month, version, place, manifest_sha256, rows_sha256, row_count,
                              size_bytes, change_number, seen_until)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        (
            project, parse_month(manifest).start.date(), manifest.version, place,
            bytes.fromhex(manifest_file.sha256), bytes.fromhex(manifest.rows_sha256), manifest.rows,
            manifest.events.size, change_number, seen_until,
        ),
    )  # fmt: skip


# Which months of a project have events, and which of them changed since they were archived.


_NEXT: Final = "SELECT min(start_time) FROM events WHERE project_id = %s AND start_time >= %s"
_FIRST: Final = "SELECT min(start_time) FROM events WHERE project_id = %s"

# A month that lost an event to another is found by its count, one that got or changed some by their moments.
_IS_AS_IT_WAS: Final = """
    SELECT (SELECT count(*) FROM events
             WHERE project_id = %(project)s AND start_time >= %(start)s AND start_time < %(end)s) = %(rows)s
       AND NOT EXISTS (SELECT FROM events
             WHERE project_id = %(project)s AND start_time >= %(start)s AND start_time < %(end)s
               AND updated_at >= date_trunc('milliseconds', %(seen_until)s::timestamptz))
       AND NOT EXISTS (SELECT FROM evidence v
              JOIN events e ON (e.project_id, e.id) = (v.project_id, v.event_id)
             WHERE v.project_id = %(project)s
               AND v.created_at >= date_trunc('milliseconds', %(seen_until)s::timestamptz)
               AND e.start_time >= %(start)s AND e.start_time < %(end)s)
"""


async def months_with_events(tx: Read, project: int, through: CalendarMonth) -> AsyncIterator[CalendarMonth]:
    """The months up to one in which events of a project start, in order; voided ones count."""
    first_start = await tx.value(_FIRST, (project,))
    while first_start is not None and (month := CalendarMonth.of(first_start)) <= through:
        yield month
        first_start = await tx.value(_NEXT, (project, month.end))


async def is_as_it_was(tx: Read, project: int, month: CalendarMonth, archived: ArchivedMonth) -> bool:
    """Whether nothing says that a month changed since it was archived."""
    values = {
        "project": project,
        "start": month.start,
        "end": month.end,
        "rows": archived.rows,
        "seen_until": archived.seen_until,
    }
    return bool(await tx.value(_IS_AS_IT_WAS, values))
