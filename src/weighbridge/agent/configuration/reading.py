"""Records of the file, made of its text by their types; every problem is collected, each with its place.

Invariant: what is given fits its types, ranges and forms as a whole, or ConfigurationError has all problems.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from weighbridge.agent.configuration.form import TextRule, WholeRange
from weighbridge.agent.configuration.yaml_text import YamlPart, YamlProblemError, read_yaml
from weighbridge.core.identity.suggestion import did_you_mean
from weighbridge.core.problem import Problem
from weighbridge.core.quantity.number import shorten
from weighbridge.errors import Refusal

DIGITS_MAX: Final = 18
"""Digits of a whole number of the file."""

_NOTHING: Final = object()


class ConfigurationError(Refusal):
    """The file cannot be used; the problems name every place."""


@dataclass(slots=True)
class _Reader:
    """Reads parts into records, and collects what is wrong."""

    problems: list[Problem] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    """The line of each value, by its path."""

    def record(self, kind: type[Any], part: YamlPart, path: str) -> Any:
        """A record of a type; something useless once there are problems."""
        if not isinstance(part.content, dict):
            return self.amiss(part, path or "the file", "is no mapping; it takes names with values.")
        hints = get_type_hints(kind, include_extras=True)
        known = {one.name: one for one in fields(kind)}
        for name, value in part.content.items():
            if name not in known:
                meant = did_you_mean(name, known)
                self.amiss(value, _below(path, name), f"is nothing that is known here{meant}.", "unknown")
        given: dict[str, Any] = {}
        for name, one in known.items():
            inner = part.content.get(name)
            if inner is not None and not (inner.is_null and _has_default(one)):
                given[name] = self.value(hints[name], inner, _below(path, name))
            elif not _has_default(one):
                self.amiss(part, _below(path, name), "is missing.", "required")
        return kind(**given) if not self.problems else _NOTHING

    def value(self, annotation: Any, part: YamlPart, path: str) -> Any:
        """The value of a field, as its annotation takes it."""
        self.lines[path] = part.line
        kind, rules = _taken_apart(annotation)
        origin = get_origin(kind)
        if origin is list:
            return self._list(get_args(kind)[0], rules, part, path)
        if origin is dict:
            return self._mapping(get_args(kind)[1], part, path)
        if origin in {Union, UnionType}:
            return self._one_of(get_args(kind), part, path)
        if is_dataclass(kind):
            return self.record(kind, part, path)  # type: ignore[arg-type]
        return self._scalar(kind, rules, part, path)

    def _list(self, kind: Any, rules: tuple[Any, ...], part: YamlPart, path: str) -> Any:
        if not isinstance(part.content, list):
            return self.amiss(part, path, "is no list.")
        inner = Annotated[kind, "", *rules] if rules else kind
        return [self.value(inner, one, f"{path}[{index}]") for index, one in enumerate(part.content)]

    def _mapping(self, kind: Any, part: YamlPart, path: str) -> Any:
        if not isinstance(part.content, dict):
            return self.amiss(part, path, "is no mapping; it takes names with values.")
        return {name: self.value(kind, one, _below(path, name)) for name, one in part.content.items()}

    def _one_of(self, kinds: tuple[Any, ...], part: YamlPart, path: str) -> Any:
        """A record of one of several types, as its `type` says."""
        by_type = {get_args(_taken_apart(get_type_hints(one)["type"])[0])[0]: one for one in kinds}
        said = part.content.get("type") if isinstance(part.content, dict) else None
        named = said.content if said is not None else None
        if not isinstance(named, str) or named not in by_type:
            shown = "missing" if named is None else repr(named)
            return self.amiss(
                said or part, _below(path, "type"), f"is {shown}; it takes {' or '.join(by_type)}."
            )
        return self.record(by_type[named], part, path)

    def _scalar(self, kind: Any, rules: tuple[Any, ...], part: YamlPart, path: str) -> Any:
        if not isinstance(part.content, str):
            return self.amiss(part, path, "is a list or a mapping; it takes one value.")
        text = part.content
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        if not choices and isinstance(kind, type) and issubclass(kind, StrEnum):
            choices = tuple(kind)
        if choices:
            if text not in choices:
                said = ", ".join(choices)
                return self.amiss(part, path, f"is {shorten(text)!r}; it takes one of {said}.")
            return kind(text) if isinstance(kind, type) else text
        try:
            return _READERS[kind](text, rules)
        except ValueError as error:
            return self.amiss(part, path, f"is {shorten(text)!r}; it takes {error}.")

    def amiss(self, part: YamlPart, path: str, said: str, code: str = "invalid") -> object:
        """Note a problem with its place; gives nothing of use."""
        self.problems.append(Problem(f"Line {part.line}: {path} {said}", path, code))
        return _NOTHING


def read_records(kind: type[Any], text: str) -> tuple[Any, dict[str, int]]:
    """The record that a text of YAML says, and the line of each value by its path.

    Raises ConfigurationError with every problem.
    """
    try:
        part = read_yaml(text)
    except YamlProblemError as error:
        raise ConfigurationError([error.problem]) from None
    reader = _Reader()
    record = reader.record(kind, part, "")
    if reader.problems:
        raise ConfigurationError(reader.problems)
    return record, reader.lines


def _taken_apart(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """The type itself, without None, and the rules that stand behind its documentation."""
    rules: tuple[Any, ...] = ()
    if get_origin(annotation) is Annotated:
        annotation, _, *more = get_args(annotation)
        rules = tuple(more)
    if get_origin(annotation) in {Union, UnionType}:
        kinds = [one for one in get_args(annotation) if one is not NoneType]
        if len(kinds) == 1:
            annotation = kinds[0]
    return annotation, rules


def _has_default(one: "Field[Any]") -> bool:
    return one.default is not MISSING or one.default_factory is not MISSING


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _text(text: str, rules: tuple[Any, ...]) -> str:
    for rule in rules:
        if isinstance(rule, TextRule) and not rule.fits(text):
            raise ValueError(rule.said)
    if not text:
        raise ValueError("a text that is not empty")
    return text


def _whole(text: str, rules: tuple[Any, ...]) -> int:
    (allowed,) = (rule for rule in rules if isinstance(rule, WholeRange))
    said = f"a whole number from {allowed.least:,} to {allowed.greatest:,}"
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS_MAX):
        raise ValueError(said)
    if not allowed.least <= int(text) <= allowed.greatest:
        raise ValueError(said)
    return int(text)


def _truth(text: str, _: tuple[Any, ...]) -> bool:
    if text not in {"true", "false"}:
        raise ValueError("true or false")
    return text == "true"


def _path(text: str, rules: tuple[Any, ...]) -> Path:
    return Path(_text(text, rules))


def _moment(text: str, _: tuple[Any, ...]) -> datetime:
    said = "a time with an offset or Z, such as 2025-01-01T00:00:00Z"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(said) from None
    if moment.tzinfo is None:
        raise ValueError(said)
    return moment


_READERS: Final[Mapping[Any, Callable[[str, tuple[Any, ...]], Any]]] = {
    str: _text,
    int: _whole,
    bool: _truth,
    Path: _path,
    datetime: _moment,
}
