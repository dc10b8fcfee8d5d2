"""Model documents: read from YAML, stored as versions, and what of a project they name or are named by.

Only the plain part of YAML is read, into a source that knows the position of each part. Anchors, aliases and
tags are rejected, and keys are unique. A scalar without quotes is a decimal, true, false, null or text as in
JSON: `no` and `on` are words, `012` is text, and a number keeps every digit. The surroundings of a document
are event types, ledgers and their outputs. Ledgers that draw from one another form no circle. The reach of a
static input is the versions with batches that read it.

Invariants: reading takes time and space proportional to the text, and the only exception raised is
ModelError. A version of another account is not found. A version that will be changed is locked. Active
versions determine what ledgers draw from; a caller that changes one passes the new one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final, LiteralString

import msgspec
import yaml
from psycopg.sql import SQL

from weighbridge.core import identity
from weighbridge.core.engine import CaseResult, run_cases
from weighbridge.core.expression import PLAIN, TEXT, TRUTH, Type, number
from weighbridge.core.halt import proceed
from weighbridge.core.identity import few_suggestions
from weighbridge.core.ledger.drawing import describe_circle, find_circle
from weighbridge.core.ledger.instrument import PRESETS
from weighbridge.core.model import (
    ALONE,
    Available,
    DocumentFlaw,
    Model,
    ModelError,
    StaticInput,
    Surroundings,
    Upstream,
    check_model,
    parse_model,
)
from weighbridge.core.model.definition import (
    Scalar,
    Source,
    SourceEntry,
    SourceExtent,
    SourceListing,
    SourceMapping,
    SourceMark,
)
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.core.unit import Unit, parse_unit
from weighbridge.db.engine import Command, Read
from weighbridge.errors import NotFound
from weighbridge.modelling.records import DOCUMENT_LENGTH_MAX
from weighbridge.platform.staleness import AddedStaticInput, InputsHeld
from weighbridge.platform.tenancy import shared_or_seen

DEPTH_MAX: Final = 20
"""How deep mappings and lists may be nested."""

PARTS_MAX: Final = 100_000
"""The most scalars, lists and mappings of a document."""

PARTS_OF_A_STEP: Final = 100
"""Parts that are read between two looks whether anybody still waits."""

DOCUMENTS_REMEMBERED: Final = 32
"""Documents that a process need not read again, the last that it read."""

_NUMBER: Final = re.compile(r"[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,4})?")
_WORDS: Final[dict[str, bool | None]] = {
    "true": True,
    "false": False,
    "null": None,
    "~": None,
    "": None,
}
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """What a look at a document found: the model when it can run, the flaws, how its cases came out."""

    model: Model | None
    flaws: tuple[DocumentFlaw, ...]
    cases: tuple[CaseResult, ...]

    @property
    def is_valid(self) -> bool:
        return self.model is not None

    @property
    def is_passed(self) -> bool:
        """Whether the document can run and all its cases pass."""
        return self.is_valid and all(result.is_passed for result in self.cases)


def check_document(text: str, surroundings: Surroundings = ALONE) -> DocumentReport:
    """Read and check a document and run its cases; what is wrong is in the report."""
    try:
        model = read_model(text, surroundings)
    except ModelError as error:
        return DocumentReport(None, error.flaws, ())
    return DocumentReport(model, (), tuple(run_cases(model)))


def read_model(text: str, surroundings: Surroundings = ALONE) -> Model:
    """Read a document that can run; ModelError carries every flaw."""
    return _read_alone(text) if surroundings is ALONE else _read(text, surroundings)


@lru_cache(maxsize=DOCUMENTS_REMEMBERED)
def _read_alone(text: str) -> Model:
    """A version never changes what it computes, and a generation asks for it several times."""
    return _read(text, ALONE)


@few_suggestions()
def _read(text: str, surroundings: Surroundings) -> Model:
    model, flaws = parse_model(read_source(text))
    if model is None:
        raise ModelError(flaws)
    if in_meaning := check_model(model, surroundings):
        raise ModelError(in_meaning)
    return model


def read_source(text: str) -> Source:
    """Read the YAML of a document."""
    if len(text) > DOCUMENT_LENGTH_MAX:
        message = f"A model document has at most {DOCUMENT_LENGTH_MAX} characters; this one has {len(text)}."
        raise ModelError([DocumentFlaw(message, SourceMark(), None, "limit")])
    try:
        return _Composer(yaml.parse(text, Loader=_LOADER), skipped=_count_skipped(text)).document()
    except yaml.YAMLError as error:
        raise ModelError([_build_yaml_flaw(error)]) from None
    except UnicodeError:
        message = "The document holds half of a character, which no text can hold."
        raise ModelError([DocumentFlaw(message, SourceMark(), None, "yaml")]) from None


class _Composer:
    """Makes the source from the events of the YAML parser, one after the other."""

    def __init__(self, events: Iterator[yaml.Event], skipped: int = 0) -> None:
        self.events = events
        self.parts = 0
        self.skipped = skipped
        self.closing: yaml.Event = yaml.StreamEndEvent(None, None)
        """The end of the list or mapping that was read last."""

    def document(self) -> Source:
        next(self.events)  # the start of the stream
        event = next(self.events)
        if isinstance(event, yaml.StreamEndEvent):
            raise _build_rejection("The document is empty.", event)
        source = self._part(next(self.events), 1)
        next(self.events)  # the end of the document
        event = next(self.events)
        if not isinstance(event, yaml.StreamEndEvent):
            raise _build_rejection("A file holds one model document; here begins a second.", event)
        return source

    def _part(self, event: yaml.Event, depth: int) -> Source:
        self._refuse_machinery(event, depth)
        if isinstance(event, yaml.ScalarEvent):
            return _read_scalar(event, self._extent(event, event, event.style or ""))
        if isinstance(event, yaml.SequenceStartEvent):
            items = tuple(self._items(depth))
            return SourceListing(items, _mark(event), self._extent_of(event, items))
        entries = tuple(self._entries(depth))
        return SourceMapping(
            entries, _mark(event), self._extent_of(event, [entry.value for entry in entries])
        )

    def _extent(self, first: yaml.Event, last: yaml.Event, style: str) -> SourceExtent:
        start, end = first.start_mark, last.end_mark
        if start is None or end is None:
            return SourceExtent()
        return SourceExtent(start.index + self.skipped, end.index + self.skipped, style)

    def _extent_of(self, event: yaml.Event, parts: Sequence[Source]) -> SourceExtent:
        """The extent of a list or mapping; without brackets it ends where its last part ends."""
        whole = self._extent(event, self.closing, "[" if getattr(event, "flow_style", False) else "-")
        return whole if whole.is_bracketed or not parts else replace(whole, end=parts[-1].extent.end)

    def _items(self, depth: int) -> Iterator[Source]:
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            yield self._part(event, depth + 1)
        self.closing = event

    def _entries(self, depth: int) -> Iterator[SourceEntry]:
        seen: set[str] = set()
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._part(event, depth + 1)
            if not isinstance(key, Scalar):
                raise _build_rejection("A key is one word or text.", event)
            if key.text in seen:
                raise _build_rejection(f"The key {key.text!r} stands twice in one mapping.", event)
            seen.add(key.text)
            yield SourceEntry(key.text, self._part(next(self.events), depth + 1), key.mark, key)
        self.closing = event

    def _refuse_machinery(self, event: yaml.Event, depth: int) -> None:
        self.parts += 1
        if not self.parts % PARTS_OF_A_STEP:
            proceed()
        if self.parts > PARTS_MAX:
            raise _build_rejection(f"A model document has at most {PARTS_MAX} parts.", event)
        if depth > DEPTH_MAX:
            raise _build_rejection(f"Lists and mappings are nested deeper than {DEPTH_MAX}.", event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _build_rejection(
                "Anchors (&name) and aliases (*name) are not part of a model document.", event
            )
        if getattr(event, "tag", None) is not None:
            raise _build_rejection("Tags (!name) are not part of a model document.", event)
        if "\x00" in (getattr(event, "value", None) or ""):
            raise _build_rejection("The document holds a NUL character, which no text may.", event)


def _count_skipped(text: str) -> int:
    """The characters before the first that the parser counts: it passes over a byte order mark."""
    return int(_LOADER is not yaml.SafeLoader and text.startswith("\ufeff"))


def _read_scalar(event: yaml.ScalarEvent, extent: SourceExtent) -> Scalar:
    text, mark = event.value, _mark(event)
    if event.style:
        is_plain = _is_one_line(event, len(text) + 2)
        return Scalar(text, text, _skip_quote(event), is_plain=is_plain, extent=extent)
    value: str | Decimal | bool | None = text
    if text in _WORDS:
        value = _WORDS[text]
    elif _NUMBER.fullmatch(text):
        value = Decimal(text)
    return Scalar(value, text, mark, is_plain=_is_one_line(event, len(text)), extent=extent)


def _skip_quote(event: yaml.ScalarEvent) -> SourceMark:
    mark = _mark(event)
    return SourceMark(mark.line, mark.column + 1) if event.style in {"'", '"'} else mark


def _is_one_line(event: yaml.ScalarEvent, width: int) -> bool:
    """Whether the text stands in the document as it is: on one line, with nothing escaped or folded."""
    start, end = event.start_mark, event.end_mark
    if start is None or end is None:
        return False
    return start.line == end.line and end.column - start.column == width


def _mark(event: yaml.Event) -> SourceMark:
    start = event.start_mark
    return SourceMark() if start is None else SourceMark(start.line + 1, start.column + 1)


def _build_rejection(message: str, event: yaml.Event) -> ModelError:
    return ModelError([DocumentFlaw(message, _mark(event), None, "yaml")])


def _build_yaml_flaw(error: yaml.YAMLError) -> DocumentFlaw:
    mark = getattr(error, "problem_mark", None)
    source_mark = SourceMark(mark.line + 1, mark.column + 1) if mark is not None else SourceMark()
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    hint = " A text that begins with %, @ or ` stands in quotes." if "cannot start any token" in what else ""
    return DocumentFlaw(f"The document is no YAML: {what}.{hint}", source_mark, None, "yaml")


# Read a version with its document, to run it, look into it or change it.
#
# Invariants: of another account's models there is none; a version that is going to be changed is locked.


class StoredModel(msgspec.Struct, frozen=True):
    """A version with its document, and the project and family that it belongs to."""

    id: int
    family: int
    project: int | None
    name: str
    version: int
    sha256: bytes
    document: str


_VERSIONS: Final = """
    SELECT m.id, m.family_id, f.project_id, m.name, m.version, m.sha256, m.document
      FROM models m JOIN model_families f ON f.id = m.family_id
"""


_OF_LEDGER: Final = """
     WHERE m.id = (SELECT f.active_model_id FROM ledgers l JOIN model_families f ON f.id = l.family_id
                    WHERE l.project_id = %s AND l.id = %s)
"""


async def find_owned_model(tx: Read, actor: Actor, friendly: str, *, is_changed: bool = False) -> StoredModel:
    """A version of the account's models by its public id; NotFound when the account has none."""
    statement = SQL(_VERSIONS + "WHERE {} AND m.id = %s {}").format(
        shared_or_seen(actor, "f.account_id", "f.project_id"),
        SQL("FOR NO KEY UPDATE OF m" if is_changed else ""),
    )
    version = await tx.row(StoredModel, statement, (identity.number("model", friendly),))
    if version is None:
        raise NotFound("model", friendly)
    return version


async def find_active_model(tx: Read, project: int, ledger: int) -> StoredModel | None:
    """The active version of the model that credits a ledger; None where none does."""
    return await tx.row(StoredModel, _VERSIONS + _OF_LEDGER, (project, ledger))


async def find_stored_model(tx: Read, number: int) -> StoredModel:
    """A version by its number; NotFound when there is none."""
    version = await tx.row(StoredModel, _VERSIONS + "WHERE m.id = %s", (number,))
    if version is None:
        raise NotFound("model", identity.of("model", 0, number))
    return version


# What a project knows of the things that a model document names: event types, ledgers and their outputs.
#
# Invariants: a data point type has the unit that its events carry; an output of a ledger has the unit that
# the ledger's active model, or a system ledger's preset, gives it; a model outside projects has no
# surroundings.


_PLAIN_TYPES: Final = {"number": PLAIN, "string": TEXT, "boolean": TRUTH}


async def read_surroundings(tx: Read, project: int | None, text: str, *, is_final: bool) -> Surroundings:
    """What the project knows of all that a document may name.

    Unless they are final, event types that the project lacks may come later and are no flaws.
    """
    if project is None:
        return ALONE
    rows = await tx.tuples(
        """
        SELECT et.slug, dpt.slug, dpt.value_type, dpt.unit
          FROM event_types et
          JOIN data_point_types dpt ON (dpt.project_id, dpt.event_type_id) = (et.project_id, et.id)
         WHERE et.project_id = %s ORDER BY et.id, dpt.position
        """,
        (project,),
    )
    data_points = {
        (event_type, slug): build_data_point_type(kind, unit) for event_type, slug, kind, unit in rows
    }
    return Surroundings(data_points, is_final=is_final, attributes=await _read_attributes(tx, project, text))


async def _read_attributes(tx: Read, project: int, text: str) -> dict[tuple[str, str], Unit]:
    """The units of the outputs of the ledgers that the document draws from, by ledger and node."""
    ledgers = await tx.in_thread(_list_drawn_ledgers, text)
    if not ledgers:
        return {}
    rows = await tx.tuples(
        """
        SELECT l.name, l.system_ledger_type, m.document
          FROM ledgers l
          LEFT JOIN model_families f ON f.id = l.family_id
          LEFT JOIN models m ON m.id = f.active_model_id
         WHERE num_nonnulls(l.system_ledger_type, m.document) > 0 AND l.project_id = %s AND l.name = ANY (%s)
        """,
        (project, ledgers),
    )
    units: dict[tuple[str, str], Unit] = {}
    for ledger, system_type, document in rows:
        if system_type is not None:
            units |= {(ledger, slug): unit for slug, unit in PRESETS[system_type].attributes.items()}
            continue
        outputs = (await tx.in_thread(read_model, document)).outputs
        units |= {(ledger, node.slug): node.unit for node in outputs}
    return units


def _list_drawn_ledgers(text: str) -> list[str]:
    """The ledgers whose outputs a document names; none when it cannot be read."""
    try:
        model, _ = parse_model(read_source(text))
    except ModelError:
        return []
    bodies = () if model is None else (node.body for node in model.nodes)
    return sorted({body.ledger for body in bodies if isinstance(body, Upstream) and body.attributes})


def build_data_point_type(value_type: str, unit: str | None) -> Type:
    """The type of a data point, by the words of its data point type."""
    return number(parse_unit(unit)) if unit else _PLAIN_TYPES[value_type]


# Which ledgers of a project draw from which, by the models that credit them, so that none make a circle.
#
# Invariant: what is asked here is answered by the active versions; whoever changes one says what it would
# be.


@dataclass(frozen=True, slots=True)
class CreditingModel:
    """The model that credits a ledger, and the ledgers that it names as sources."""

    family: int
    sources: frozenset[str]


def list_source_ledgers(model: Model) -> frozenset[str]:
    """The ledgers that a model draws from or looks at."""
    return frozenset(node.body.ledger for node in model.nodes if isinstance(node.body, Upstream | Available))


async def read_crediting_models(tx: Read, project: int) -> dict[str, CreditingModel]:
    """What credits the ledgers of a project, by their names."""
    rows = await tx.tuples(
        """
        SELECT l.name, l.family_id, m.document
          FROM ledgers l
          JOIN model_families f ON f.id = l.family_id
          JOIN models m ON m.id = f.active_model_id
         WHERE l.project_id = %s
        """,
        (project,),
    )
    return await tx.in_thread(
        lambda: {
            name: CreditingModel(family, _list_stored_sources(document)) for name, family, document in rows
        }
    )


def check_circle(family: int, ledgers: dict[str, CreditingModel], field: str) -> list[Problem]:
    """That ledgers of a model draw from each other in a circle, by way of other models.

    That a model draws from a ledger which it credits itself is refused where it is run, as `own_ledger`.
    """
    own = [name for name, model in ledgers.items() if model.family == family]
    draws = {
        name: [
            source
            for source in model.sources
            if source not in ledgers or ledgers[source].family != model.family
        ]
        for name, model in ledgers.items()
    }
    circle = find_circle(own, draws)
    if not circle:
        return []
    message = f"Ledgers would draw from each other in a circle: {describe_circle(circle)}."
    return [Problem(message, field, "cycle")]


def _list_stored_sources(document: str) -> frozenset[str]:
    """Those of a stored document; none when the language has left the document behind."""
    try:
        return list_source_ledgers(read_model(document))
    except ModelError:
        return frozenset()


# The reach of a static input: until when it counts, and which model versions with batches read its slug.
#
# In: static inputs that were added. Out: the traces that tell whose runs they make stale.


class Stretch(msgspec.Struct, frozen=True):
    """A static input that was added, and from when until when it counts."""

    number: int
    slug: str
    start: Instant
    end: Instant | None


def ask_for_stretches(project: int, condition: LiteralString, values: Mapping[str, Any]) -> Command:
    """What asks for the stretches of the static inputs `s` of a project for which a condition holds."""
    return _STRETCHES.format(condition), {"project": project, **values}


async def reach_of(tx: Read, held: InputsHeld, added: Stretch) -> AddedStaticInput:
    """The trace of a static input, by the documents of the versions whose batches the transaction sees."""
    at_slots, at_events = [], []
    for model, document in await tx.tuples(_MODELS, (held.project,)):
        readers = [
            node.body
            for node in (await tx.in_thread(read_model, document)).nodes
            if isinstance(node.body, StaticInput) and node.body.slug == added.slug
        ]
        at_slots += [model] * any(body.at is None for body in readers)
        at_events += [model] * any(body.at is not None for body in readers)
    return AddedStaticInput(held, added.number, added.start, added.end, at_slots, at_events)


_STRETCHES: Final = """
    SELECT s.id, s.slug, s.effective_from,
           (SELECT min(later.effective_from) FROM static_inputs later
             WHERE later.project_id = s.project_id AND later.slug = s.slug
               AND (later.asset_id, later.feedstock_id, later.location_id)
                   IS NOT DISTINCT FROM (s.asset_id, s.feedstock_id, s.location_id)
               AND later.effective_from > s.effective_from)
      FROM static_inputs s WHERE s.project_id = %(project)s AND {} ORDER BY s.id
"""
_MODELS: Final = """
    SELECT m.id, m.document FROM models m
     WHERE m.id IN (SELECT model_id FROM batches WHERE project_id = %s AND deleted_at IS NULL)
"""
