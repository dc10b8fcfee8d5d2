"""The reference page of the file, made of the types that the file is read by."""

from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from weighbridge.agent.configuration.form import TextRule, WholeRange
from weighbridge.agent.configuration.records import AgentConfiguration

Row = tuple[str, str, str, str]

_WORDS: Final = {
    str: "text",
    int: "whole number",
    bool: "true or false",
    Path: "path",
    datetime: "time",
}


def sections() -> Iterator[tuple[str, str, list[Row]]]:
    """Each part of the file: its name, what it is, and of each field name, meaning, values and default."""
    waiting: list[tuple[str, type[Any]]] = [("The file", AgentConfiguration)]
    while waiting:
        title, kind = waiting.pop(0)
        hints = get_type_hints(kind, include_extras=True)
        rows = []
        for one in fields(kind):
            annotation = hints[one.name]
            inner, doc, *rules = get_args(annotation)
            rows.append((f"`{one.name}`", doc, _takes(inner, rules), _default(one)))
            waiting += [(_title(part), part) for part in _parts(inner)]
        yield title, " ".join((kind.__doc__ or "").split()), rows


def _title(kind: type[Any]) -> str:
    """A heading that says where the part stands."""
    return _TITLES[kind.__name__]


_TITLES: Final = {
    "AgentService": "`service`",
    "SpoolPlace": "`spool`",
    "OpcUaServer": "`sources`: OPC UA",
    "MqttBroker": "`sources`: MQTT",
    "AgentReport": "`report`",
    "OpcUaNode": "`nodes` of an OPC UA server",
    "OpcUaSecurity": "`security` of an OPC UA server",
    "MqttTopic": "`topics` of an MQTT broker",
}


def _parts(kind: Any) -> list[type[Any]]:
    """The types of the parts below a field."""
    if is_dataclass(kind) and isinstance(kind, type):
        return [kind]
    return [part for inner in get_args(kind) for part in _parts(inner)]


def _takes(kind: Any, rules: list[Any]) -> str:
    """What a field takes, in a few words."""
    said = _ruled(kind, rules)
    if said is not None:
        return said
    match get_origin(kind):
        case origin if origin in {Union, UnionType}:
            kinds = [one for one in get_args(kind) if one is not NoneType]
            said = _takes(kinds[0], []) if len(kinds) == 1 else " or ".join(_title(one) for one in kinds)
        case origin if origin is Literal:
            said = ", ".join(f"`{word}`" for word in get_args(kind))
        case origin if origin is list:
            said = f"list of {_takes(get_args(kind)[0], [])}"
        case origin if origin is dict:
            said = f"names with {_takes(get_args(kind)[1], [])}"
        case _:
            said = _plain(kind)
    return said


def _ruled(kind: Any, rules: list[Any]) -> str | None:
    for rule in rules:
        if isinstance(rule, WholeRange):
            return f"{rule.least:,} to {rule.greatest:,}"
        if isinstance(rule, TextRule) and get_origin(kind) is not list:
            return rule.said
    return None


def _plain(kind: Any) -> str:
    if is_dataclass(kind) and isinstance(kind, type):
        return _title(kind)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return ", ".join(f"`{word}`" for word in kind)
    return _WORDS[kind]


def _default(one: "Field[Any]") -> str:
    if one.default is MISSING and one.default_factory is MISSING:
        return "required"
    if one.default is MISSING or one.default is None:
        return ""
    return f"`{str(one.default).lower() if isinstance(one.default, bool) else one.default}`"
