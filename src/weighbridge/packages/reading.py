"""What the files of a package say, each part read alone: every flaw with its file, line and column.

A part that the interface takes, such as an event type, is read as the interface reads it, so what a package
says is what its installation sends.

Invariants: reading never raises for what a file says; a part with a flaw is left out, and its flaw is noted.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final

import msgspec

from weighbridge.accounting.records.ledgers import NewLedger
from weighbridge.collection.records.data_points import EVENT_TYPE_BODIES, EventType
from weighbridge.core.engine.revisions import ENGINE_REVISION, REVISION_OF_1_0_0
from weighbridge.core.identity import is_slug
from weighbridge.core.model import DocumentFlaw, ModelError
from weighbridge.core.model.definition import (
    Scalar,
    Source,
    SourceListing,
    SourceMapping,
    describe,
)
from weighbridge.core.model.reading import Reader
from weighbridge.core.problem import Problem
from weighbridge.errors import Malformed
from weighbridge.http.wire import decode
from weighbridge.modelling.documents import read_source
from weighbridge.modelling.records import STATIC_INPUT_BODIES, StaticInput
from weighbridge.packages.contents import (
    EVENT_TYPES,
    LEDGERS,
    MANIFEST,
    METHODOLOGY,
    MODELS_FOLDER,
    PAGE,
    RULES,
    SAMPLES_FOLDER,
    SOURCES,
    STATIC_INPUTS,
    Contents,
)
from weighbridge.quality.records.rules import RULE_BODIES
from weighbridge.reporting.records.registries import METHODOLOGY_BODIES

VERSION: Final = re.compile(r"(0|[1-9][0-9]{0,4})\.(0|[1-9][0-9]{0,4})\.(0|[1-9][0-9]{0,4})")
"""A version of a package: major, minor and patch."""

RANGE: Final = re.compile(rf">={VERSION.pattern} <{VERSION.pattern}")
"""The versions of a package that another one takes."""

REQUIRED_MAX: Final = 20
"""How many packages one package may require."""

SOURCES_MAX: Final = 100
"""Documents that a package may name as its sources."""

PARTS_MAX: Final = 200
"""Parts of one kind, such as event types, in a package."""

MANIFEST_KEYS: Final[Mapping[str, str]] = {
    "name": "The name of the package, a slug such as biochar-soil. Required.",
    "title": "What people call it. Required.",
    "version": "Major, minor and patch, such as 1.0.0. Required.",
    "licence": "Under which licence others may use it, such as CC-BY-4.0. Required.",
    "publisher": "Who publishes it. Required.",
    "about": "What it is for, in a sentence or two. Required.",
    "engine_revision": "The revision of the engine that it was written for; the newest when not given.",
    "requires": "The versions of other packages that it needs, such as `>=1.0.0 <2.0.0`, by name.",
}
"""What the keys of `package.yaml` say."""

SOURCE_KEYS: Final[Mapping[str, str]] = {
    "key": "The word by which models and static inputs name the document, such as cfr-98-c. Required.",
    "title": "The title of the document. Required.",
    "edition": "Its edition or date. Required.",
    "url": "Where it is published. Required.",
    "taken": "What was taken from it. Required.",
}
"""What the keys of a source say."""

TAKEN_KEYS: Final[Mapping[str, str]] = {
    "section": "The section, table or equation. Required.",
    "what": "What was taken from there. Required.",
    "tables": "The tables of models that have its numbers, as `MODEL.TABLE`.",
}
"""What the keys of a part that was taken say."""

ADDED_KEYS: Final[Mapping[str, Mapping[str, str]]] = {
    STATIC_INPUTS: {"source": "Where the value stands: the key of a source, then the place in it. Required."},
    LEDGERS: {"model": "The model that credits the ledger, by the name of its file. Required."},
    RULES: {
        "source": "Where the rule stands: the key of a source, then the place in it. Required.",
        "cases": "Series of data that prove the rule: what it finds in them, or fills.",
    },
}
"""What a package says of a part beside what the interface takes, by file."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


@dataclass(frozen=True, slots=True, order=True)
class PackageFlaw:
    """What is wrong with a package, and where."""

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


@dataclass(frozen=True, slots=True)
class PackageManifest:
    """What a package is."""

    name: str
    title: str
    version: str
    licence: str
    publisher: str
    about: str
    engine_revision: int
    requires: Mapping[str, str]
    """The versions of other packages that it needs, such as `>=1.0.0 <2.0.0`, by name."""


@dataclass(frozen=True, slots=True)
class TakenPart:
    """What was taken from a document."""

    section: str
    what: str
    tables: tuple[str, ...] = ()
    """The tables of models that have it, as `model.table`."""


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document that a package was written from."""

    key: str
    """The word by which constants, static inputs and cases name it."""
    title: str
    edition: str
    url: str
    taken: tuple[TakenPart, ...]


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """A part of a file, and its place there."""

    file: str
    source: SourceMapping
    record: Any
    """What the interface would be sent, read."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """What a package says of it beside that, such as the model of a ledger."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package as it was read, part by part."""

    manifest: PackageManifest | None
    sources: tuple[SourceDocument, ...]
    event_types: tuple[PlacedPart, ...]
    static_inputs: tuple[PlacedPart, ...]
    ledgers: tuple[PlacedPart, ...]
    rules: tuple[PlacedPart, ...]
    methodologies: tuple[PlacedPart, ...]
    models: Mapping[str, str]
    """The documents of models, by the name of their file without its ending."""
    samples: Mapping[str, str]
    """The texts of samples, by the name of their file without its ending."""
    page: str
    flaws: tuple[PackageFlaw, ...]


def read_package(contents: Contents) -> Package:
    """Read all files of a package."""
    flaws: list[PackageFlaw] = []
    texts = dict(_decode_texts(contents, flaws))
    return Package(
        manifest=_read_manifest(texts, flaws),
        sources=tuple(_read_sources(texts, flaws)),
        event_types=tuple(_read_parts(texts, EVENT_TYPES, "event_types", _read_event_type, flaws)),
        static_inputs=tuple(_read_parts(texts, STATIC_INPUTS, "static_inputs", _read_static_input, flaws)),
        ledgers=tuple(_read_parts(texts, LEDGERS, "ledgers", _read_ledger, flaws)),
        rules=tuple(_read_parts(texts, RULES, "rules", _read_rule, flaws)),
        methodologies=tuple(_read_parts(texts, METHODOLOGY, "methodologies", _read_methodology, flaws)),
        models=_select_folder(texts, MODELS_FOLDER, ".yaml"),
        samples=_select_folder(texts, SAMPLES_FOLDER, ".csv"),
        page=texts.get(PAGE, ""),
        flaws=tuple(flaws),
    )


def _select_folder(texts: Mapping[str, str], folder: str, ending: str) -> dict[str, str]:
    """The texts of a folder by the names of their files without it and without their ending."""
    return {
        name.removeprefix(f"{folder}/").removesuffix(ending): text
        for name, text in texts.items()
        if name.startswith(f"{folder}/")
    }


def _decode_texts(contents: Contents, flaws: list[PackageFlaw]) -> Iterator[tuple[str, str]]:
    for name, content in contents.items():
        place, sentence = content.find(b"\0"), "The file holds a NUL character, which no text may."
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            place, sentence = error.start, f"The file is not UTF-8: byte {error.start + 1:,} does not fit."
        if place < 0:
            yield name, text
        else:
            flaws.append(PackageFlaw(name, content.count(b"\n", 0, place) + 1, 1, sentence))


def place_flaws(file: str, flaws: Sequence[DocumentFlaw]) -> Iterator[PackageFlaw]:
    """The flaws of a document as those of a file."""
    for flaw in flaws:
        yield PackageFlaw(file, flaw.mark.line, flaw.mark.column, flaw.message)


def _read_mapping(texts: Mapping[str, str], file: str, flaws: list[PackageFlaw]) -> SourceMapping | None:
    """The mapping that a file is; None where there is no such file, or it is none."""
    if file not in texts:
        return None
    try:
        source = read_source(texts[file])
    except ModelError as error:
        flaws.extend(place_flaws(file, error.flaws))
        return None
    if isinstance(source, SourceMapping):
        return source
    flaws.append(PackageFlaw(file, 1, 1, f"The file must be a mapping; here is {describe(source)}."))
    return None


def _read_manifest(texts: Mapping[str, str], flaws: list[PackageFlaw]) -> PackageManifest | None:
    source = _read_mapping(texts, MANIFEST, flaws)
    if source is None:
        return None
    found: list[DocumentFlaw] = []
    reader = Reader(source, "the package", found)
    reader.allow(MANIFEST_KEYS)
    manifest = PackageManifest(
        name=reader.text("name", is_required=True) or "",
        title=reader.text("title", is_required=True) or "",
        version=reader.text("version", is_required=True) or "",
        licence=reader.text("licence", is_required=True) or "",
        publisher=reader.text("publisher", is_required=True) or "",
        about=reader.text("about", is_required=True) or "",
        engine_revision=reader.whole("engine_revision", least=REVISION_OF_1_0_0, most=ENGINE_REVISION)
        or ENGINE_REVISION,
        requires=reader.each("requires", reader.text_of),
    )
    if manifest.name and not is_slug(manifest.name):
        sentence = f"The name {manifest.name!r} must be a slug, such as biochar-soil."
        reader.note(sentence, reader.mark_of("name"))
    if manifest.version and not VERSION.fullmatch(manifest.version):
        reader.note(
            f"The version {manifest.version!r} must be major, minor and patch, such as 1.0.0.",
            reader.mark_of("version"),
        )
    _check_required(reader, manifest)
    flaws.extend(place_flaws(MANIFEST, found))
    return None if found else manifest


def _check_required(reader: Reader, manifest: PackageManifest) -> None:
    mark, count = reader.mark_of("requires"), len(manifest.requires)
    if count > REQUIRED_MAX:
        reader.note(f"A package requires at most {REQUIRED_MAX} others; here are {count}.", mark)
    for name, versions in manifest.requires.items():
        if name == manifest.name or not is_slug(name):
            reader.note(f"requires names {name!r}, which is not the name of another package.", mark)
        if not RANGE.fullmatch(versions):
            reader.note(
                f"The versions of {name} must be from one up to below another, such as >=1.0.0 <2.0.0; here"
                f" is {versions!r}.",
                mark,
            )


def _read_sources(texts: Mapping[str, str], flaws: list[PackageFlaw]) -> Iterator[SourceDocument]:
    source = _read_mapping(texts, SOURCES, flaws)
    if source is None:
        return
    found: list[DocumentFlaw] = []
    reader = Reader(source, "the sources", found)
    reader.allow(("sources",))
    items = reader.items("sources", is_required=True)
    if len(items) > SOURCES_MAX:
        reader.note(f"A package names at most {SOURCES_MAX} sources; here are {len(items)}.")
    keys: set[str] = set()
    for index, item in enumerate(items[:SOURCES_MAX], 1):
        document = _read_source_document(item, index, found)
        if document is None:
            continue
        if document.key in keys:
            found.append(DocumentFlaw(f"The key {document.key!r} is given to two sources.", item.mark))
        keys.add(document.key)
        yield document
    flaws.extend(place_flaws(SOURCES, found))


def _read_source_document(item: Source, index: int, flaws: list[DocumentFlaw]) -> SourceDocument | None:
    """A source, even with flaws: what names its key is none the worse for them."""
    if not isinstance(item, SourceMapping):
        flaws.append(DocumentFlaw(f"Source {index} must be a mapping; here is {describe(item)}.", item.mark))
        return None
    reader = Reader(item, f"source {index}", flaws)
    reader.allow(SOURCE_KEYS)
    key = reader.text("key", is_required=True) or ""
    if key and not is_slug(key):
        reader.note(f"The key {key!r} must be a slug, such as cfr-98-c.", reader.mark_of("key"))
    return SourceDocument(
        key=key,
        title=reader.text("title", is_required=True) or "",
        edition=reader.text("edition", is_required=True) or "",
        url=reader.text("url", is_required=True) or "",
        taken=tuple(_read_taken(reader)),
    )


def _read_taken(reader: Reader) -> Iterator[TakenPart]:
    for index, item in enumerate(reader.items("taken", is_required=True), 1):
        if not isinstance(item, SourceMapping):
            reader.note(f"Part {index} that was taken must be a mapping with section and what.", item.mark)
            continue
        part = Reader(item, f"part {index} that was taken", reader.flaws)
        part.allow(TAKEN_KEYS)
        tables = tuple(name.text for name in part.items("tables") if isinstance(name, Scalar))
        yield TakenPart(
            part.text("section", is_required=True) or "", part.text("what", is_required=True) or "", tables
        )


def _read_parts(
    texts: Mapping[str, str],
    file: str,
    key: str,
    read: Callable[[SourceMapping], tuple[Any, Mapping[str, str]]],
    flaws: list[PackageFlaw],
) -> Iterator[PlacedPart]:
    """The parts that a file lists, each as the interface reads it."""
    source = _read_mapping(texts, file, flaws)
    if source is None:
        return
    found: list[DocumentFlaw] = []
    reader = Reader(source, f"the file {file}", found)
    reader.allow((key,))
    items = reader.items(key, is_required=True)
    if len(items) > PARTS_MAX:
        reader.note(f"{key} has at most {PARTS_MAX} entries; here are {len(items)}.")
    for index, item in enumerate(items[:PARTS_MAX], 1):
        if not isinstance(item, SourceMapping):
            reader.note(f"Entry {index} of {key} must be a mapping; here is {describe(item)}.", item.mark)
            continue
        try:
            record, extra = read(item)
        except Malformed as refusal:
            found.extend(place_problem(item, problem) for problem in refusal.problems)
            continue
        yield PlacedPart(file, item, record, extra)
    flaws.extend(place_flaws(file, found))


def _read_event_type(item: SourceMapping) -> tuple[EventType, Mapping[str, str]]:
    return EVENT_TYPE_BODIES.created(_decode_wrapped("event_type", EVENT_TYPE_BODIES.new_body, item)), {}


def _read_static_input(item: SourceMapping) -> tuple[StaticInput, Mapping[str, str]]:
    rest, extra = _split(item, STATIC_INPUTS)
    body = _decode_wrapped("static_input", STATIC_INPUT_BODIES.new_body, rest)
    return STATIC_INPUT_BODIES.created(body), extra


def _read_ledger(item: SourceMapping) -> tuple[NewLedger, Mapping[str, str]]:
    rest, extra = _split(item, LEDGERS)
    return decode(_ENCODER.encode(_to_plain(rest)), NewLedger), extra


def _read_rule(item: SourceMapping) -> tuple[Any, Mapping[str, str]]:
    rest, extra = _split(item, RULES)
    return RULE_BODIES.created(_decode_wrapped("rule", RULE_BODIES.new_body, rest)), extra


def _read_methodology(item: SourceMapping) -> tuple[Any, Mapping[str, str]]:
    return METHODOLOGY_BODIES.created(_decode_wrapped("methodology", METHODOLOGY_BODIES.new_body, item)), {}


def _split(item: SourceMapping, file: str) -> tuple[SourceMapping, Mapping[str, str]]:
    """The part without what only a package says of it, and the texts of that."""
    keys = ADDED_KEYS.get(file, {})
    extra = {
        entry.key: entry.value.text
        for entry in item.entries
        if entry.key in keys and isinstance(entry.value, Scalar)
    }
    return replace(item, entries=tuple(entry for entry in item.entries if entry.key not in keys)), extra


def plain_record(part: PlacedPart) -> dict[str, Any]:
    """A part as the interface would be sent it, without what the package says besides."""
    rest, _ = _split(part.source, part.file)
    record: dict[str, Any] = _to_plain(rest)
    return record


def _decode_wrapped(name: str, kind: type[msgspec.Struct], item: SourceMapping) -> msgspec.Struct:
    """Read a part as the body of the request that creates it."""
    return decode(_ENCODER.encode({name: _to_plain(item)}), kind)


def _to_plain(source: Source) -> Any:
    match source:
        case SourceMapping():
            return {entry.key: _to_plain(entry.value) for entry in source.entries}
        case SourceListing():
            return [_to_plain(item) for item in source.items]
        case Scalar(value=Decimal() as number):
            return int(number) if number == number.to_integral_value() and number.adjusted() < 18 else number
    return source.value


_STEPS: Final = re.compile(r"[^.\[\]]+")


def place_problem(item: SourceMapping, problem: Problem) -> DocumentFlaw:
    """A problem of a request as a flaw of the part that it was made of, at the place that it names."""
    place: Source = item
    wrapper, *steps = _STEPS.findall(problem.field or "") or [""]
    for step in steps:
        inner = _find_inner(place, step)
        if inner is None:
            break
        place = inner
    return DocumentFlaw(problem.message.replace(f"{wrapper}.", ""), place.mark)


def _find_inner(place: Source, step: str) -> Source | None:
    if isinstance(place, SourceMapping):
        return place.get(step)
    is_index = isinstance(place, SourceListing) and step.isdigit() and int(step) < len(place.items)
    return place.items[int(step)] if is_index and isinstance(place, SourceListing) else None
