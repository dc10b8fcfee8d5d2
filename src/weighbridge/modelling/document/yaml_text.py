"""Read a model document: YAML text becomes a source that knows the position of each part.

Only the plain part of YAML is read. Anchors, aliases and tags are rejected, and keys are unique. A
scalar without quotes is a decimal, true, false, null or text as in JSON: `no` and `on` are words, `012`
is text, and a number keeps every digit.

Invariants: reading takes time and space proportional to the text. The only exception raised is
ModelError.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

import yaml

from weighbridge.core.engine import CaseResult, run_cases
from weighbridge.core.halt import proceed
from weighbridge.core.identity.suggestion import few_suggestions
from weighbridge.core.model import ALONE, Flaw, Model, ModelError, Surroundings, check_model, parse_model
from weighbridge.core.model.definition import (
    Scalar,
    Source,
    SourceEntry,
    SourceListing,
    SourceMapping,
    SourceMark,
)
from weighbridge.modelling.records.documents import LENGTH_MAX

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
    flaws: tuple[Flaw, ...]
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
    if len(text) > LENGTH_MAX:
        message = f"A model document has at most {LENGTH_MAX} characters; this one has {len(text)}."
        raise ModelError([Flaw(message, SourceMark(), None, "limit")])
    try:
        return _Composer(yaml.parse(text, Loader=_LOADER)).document()
    except yaml.YAMLError as error:
        raise ModelError([_build_yaml_flaw(error)]) from None
    except UnicodeError:
        message = "The document holds half of a character, which no text can hold."
        raise ModelError([Flaw(message, SourceMark(), None, "yaml")]) from None


class _Composer:
    """Makes the source from the events of the YAML parser, one after the other."""

    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self.events = events
        self.parts = 0

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
            return _read_scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            return SourceListing(tuple(self._items(depth)), _mark(event))
        return SourceMapping(tuple(self._entries(depth)), _mark(event))

    def _items(self, depth: int) -> Iterator[Source]:
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            yield self._part(event, depth + 1)

    def _entries(self, depth: int) -> Iterator[SourceEntry]:
        seen: set[str] = set()
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self._part(event, depth + 1)
            if not isinstance(key, Scalar):
                raise _build_rejection("A key is one word or text.", event)
            if key.text in seen:
                raise _build_rejection(f"The key {key.text!r} stands twice in one mapping.", event)
            seen.add(key.text)
            yield SourceEntry(key.text, self._part(next(self.events), depth + 1), key.mark)

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


def _read_scalar(event: yaml.ScalarEvent) -> Scalar:
    text, mark = event.value, _mark(event)
    if event.style:
        return Scalar(text, text, _skip_quote(event), is_plain=_is_one_line(event, len(text) + 2))
    value: str | Decimal | bool | None = text
    if text in _WORDS:
        value = _WORDS[text]
    elif _NUMBER.fullmatch(text):
        value = Decimal(text)
    return Scalar(value, text, mark, is_plain=_is_one_line(event, len(text)))


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
    return ModelError([Flaw(message, _mark(event), None, "yaml")])


def _build_yaml_flaw(error: yaml.YAMLError) -> Flaw:
    mark = getattr(error, "problem_mark", None)
    source_mark = SourceMark(mark.line + 1, mark.column + 1) if mark is not None else SourceMark()
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    hint = " A text that begins with %, @ or ` stands in quotes." if "cannot start any token" in what else ""
    return Flaw(f"The document is no YAML: {what}.{hint}", source_mark, None, "yaml")
