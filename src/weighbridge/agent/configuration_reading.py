"""Read and check the file of an agent as a whole: every problem is collected, each with its line.

The YAML is read with the line of each part; records are made of it by their types; then the rules that
concern several parts are checked. The reference page is made of the same types.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints
from urllib.parse import urlsplit

import yaml

from weighbridge.agent.configuration import (
    AgentConfiguration,
    AgentService,
    ModbusDevice,
    MqttBroker,
    MqttTopic,
    OpcUaServer,
    SparkplugBroker,
    TextRule,
    WholeRange,
)
from weighbridge.agent.readings import MeasuredPlace
from weighbridge.core.identity import did_you_mean
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.errors import Refusal

# The YAML of the file with the line of each part; only its plain part is read.
#
# Anchors, aliases and tags are refused, and a key occurs once, so that the text has one meaning.


LENGTH_MAX: Final = 1_000_000
"""Characters of an agent's file, at most."""

DEPTH_MAX: Final = 10
"""How deep lists and mappings of an agent's file may be nested."""


@dataclass(frozen=True, slots=True)
class YamlPart:
    """A part of the file: a text, a list of parts, or parts by name; null is a plain empty text."""

    line: int
    """Its line; 0 of what has none."""
    content: "str | list[YamlPart] | dict[str, YamlPart]"
    is_quoted: bool = False

    @property
    def is_null(self) -> bool:
        return not self.is_quoted and self.content in ("", "~", "null")


class YamlProblemError(ValueError):
    """The text is no YAML that is read here."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.problem = Problem(f"Line {line}: {message}", f"line {line}", "yaml")


def read_yaml(text: str) -> YamlPart:
    """Read one document. Raises YamlProblemError for what is none."""
    if len(text) > LENGTH_MAX:
        raise YamlProblemError(f"the file has {len(text):,} characters; allowed are {LENGTH_MAX:,}.", 1)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            _refuse_machinery(event)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
        raise YamlProblemError(f"the file is no YAML: {reason}.", mark.line + 1 if mark else 1) from None
    if node is None:
        raise YamlProblemError("the file is empty.", 1)
    return _part(node, 1)


def _refuse_machinery(event: yaml.Event) -> None:
    line = event.start_mark.line + 1 if event.start_mark else 1
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
        raise YamlProblemError("anchors (&name) and aliases (*name) are not read here.", line)
    if getattr(event, "tag", None) is not None:
        raise YamlProblemError("tags (!name) are not read here.", line)


def _part(node: yaml.Node, depth: int) -> YamlPart:
    line = node.start_mark.line + 1 if node.start_mark else 1
    if depth > DEPTH_MAX:
        raise YamlProblemError(f"lists and mappings are nested deeper than {DEPTH_MAX}.", line)
    if isinstance(node, yaml.ScalarNode):
        return YamlPart(line, str(node.value), bool(node.style))
    if isinstance(node, yaml.SequenceNode):
        return YamlPart(line, [_part(node_value, depth + 1) for node_value in node.value])
    parts: dict[str, YamlPart] = {}
    for key, value in node.value:
        name = str(key.value)
        if name in parts:
            raise YamlProblemError(f"the key {name!r} occurs twice in one mapping.", key.start_mark.line + 1)
        parts[name] = _part(value, depth + 1)
    return YamlPart(line, parts)


# Records of the file, made of its text by their types; every problem is collected, each with its place.
#
# Invariant: what is given fits its types, ranges and forms as a whole, or ConfigurationError has all
# problems.


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
        known_fields = {known_field.name: known_field for known_field in fields(kind)}
        for name, value in part.content.items():
            if name not in known_fields:
                suggestion = did_you_mean(name, known_fields)
                self.amiss(
                    value, _below(path, name), f"is nothing that is known here{suggestion}.", "unknown"
                )
        values: dict[str, Any] = {}
        for name, known_field in known_fields.items():
            inner = part.content.get(name)
            if inner is not None and not inner.is_null:
                values[name] = self.value(hints[name], inner, _below(path, name))
            elif not _has_default(known_field):
                self.amiss(part, _below(path, name), "is missing.", "required")
        return kind(**values) if not self.problems else _NOTHING

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
        return [self.value(inner, item, f"{path}[{index}]") for index, item in enumerate(part.content)]

    def _mapping(self, kind: Any, part: YamlPart, path: str) -> Any:
        if not isinstance(part.content, dict):
            return self.amiss(part, path, "is no mapping; it takes names with values.")
        return {name: self.value(kind, item, _below(path, name)) for name, item in part.content.items()}

    def _one_of(self, kinds: tuple[Any, ...], part: YamlPart, path: str) -> Any:
        """A record of one of several types, as its `type` says."""
        by_type = {get_args(_taken_apart(get_type_hints(kind)["type"])[0])[0]: kind for kind in kinds}
        message = part.content.get("type") if isinstance(part.content, dict) else None
        kind_name = message.content if message is not None else None
        if not isinstance(kind_name, str) or kind_name not in by_type:
            shown_kind = "missing" if kind_name is None else repr(kind_name)
            return self.amiss(
                message or part, _below(path, "type"), f"is {shown_kind}; it takes {' or '.join(by_type)}."
            )
        return self.record(by_type[kind_name], part, path)

    def _scalar(self, kind: Any, rules: tuple[Any, ...], part: YamlPart, path: str) -> Any:
        if not isinstance(part.content, str):
            return self.amiss(part, path, "is a list or a mapping; it takes one value.")
        text = part.content
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        if not choices and isinstance(kind, type) and issubclass(kind, StrEnum):
            choices = tuple(kind)
        if choices:
            if text not in choices:
                message = ", ".join(choices)
                return self.amiss(part, path, f"is {shorten(text)!r}; it takes one of {message}.")
            return kind(text) if isinstance(kind, type) else text
        try:
            return _READERS[kind](text, rules)
        except ValueError as error:
            return self.amiss(part, path, f"is {shorten(text)!r}; it takes {error}.")

    def amiss(self, part: YamlPart, path: str, sentence: str, code: str = "invalid") -> object:
        """Note a problem with its place; gives nothing of use."""
        place = f"Line {part.line}: " if part.line else ""
        self.problems.append(Problem(f"{place}{path} {sentence}", path, code))
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


def read_record_of_json(kind: type[Any], value: Any, path: str) -> Any:
    """The record that a decoded JSON value says, by the rules of the file; `path` is what it is called.

    Raises ConfigurationError with every problem.
    """
    reader = _Reader()
    record = reader.record(kind, _part_of_json(value, 1), path)
    if reader.problems:
        raise ConfigurationError(reader.problems)
    return record


def _part_of_json(value: Any, depth: int) -> YamlPart:
    if depth > DEPTH_MAX:
        raise ConfigurationError(f"lists and mappings are nested deeper than {DEPTH_MAX}.")
    match value:
        case dict():
            return YamlPart(0, {name: _part_of_json(item, depth + 1) for name, item in value.items()})
        case list():
            return YamlPart(0, [_part_of_json(item, depth + 1) for item in value])
        case None:
            return YamlPart(0, "null")
        case bool():
            return YamlPart(0, "true" if value else "false")
        case _:
            return YamlPart(0, str(value), is_quoted=isinstance(value, str))


def _taken_apart(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """The type itself, without None, and the rules after its documentation."""
    rules: tuple[Any, ...] = ()
    if get_origin(annotation) is Annotated:
        annotation, _, *notes = get_args(annotation)
        rules = tuple(notes)
    if get_origin(annotation) in {Union, UnionType}:
        kinds = [argument for argument in get_args(annotation) if argument is not NoneType]
        if len(kinds) == 1:
            annotation = kinds[0]
    return annotation, rules


def _has_default(field_: "Field[Any]") -> bool:
    return field_.default is not MISSING or field_.default_factory is not MISSING


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _text(text: str, rules: tuple[Any, ...]) -> str:
    for rule in rules:
        if isinstance(rule, TextRule) and not rule.accepts(text):
            raise ValueError(rule.description)
    if not text:
        raise ValueError("a text that is not empty")
    return text


def _whole(text: str, rules: tuple[Any, ...]) -> int:
    (whole_range,) = (rule for rule in rules if isinstance(rule, WholeRange))
    message = f"a whole number from {whole_range.least:,} to {whole_range.greatest:,}"
    if not (text.isascii() and text.isdecimal() and len(text) <= DIGITS_MAX):
        raise ValueError(message)
    if not whole_range.least <= int(text) <= whole_range.greatest:
        raise ValueError(message)
    return int(text)


def _truth(text: str, _: tuple[Any, ...]) -> bool:
    if text not in {"true", "false"}:
        raise ValueError("true or false")
    return text == "true"


def _path(text: str, rules: tuple[Any, ...]) -> Path:
    return Path(_text(text, rules))


def _decimal(text: str, rules: tuple[Any, ...]) -> Decimal:
    return Decimal(_text(text, rules))


def _moment(text: str, _: tuple[Any, ...]) -> datetime:
    message = "a time with an offset or Z, such as 2025-01-01T00:00:00Z"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(message) from None
    if moment.tzinfo is None:
        raise ValueError(message)
    return moment


_READERS: Final[Mapping[Any, Callable[[str, tuple[Any, ...]], Any]]] = {
    str: _text,
    int: _whole,
    bool: _truth,
    Path: _path,
    Decimal: _decimal,
    datetime: _moment,
}


# Checks across parts of the file: names that occur twice, secrets in clear, fields that need others.


ARRIVAL = "arrival"
"""The time of messages that have none of their own."""


def read_configuration(path: Path) -> AgentConfiguration:
    """The configuration that a file says. Raises ConfigurationError with every problem and its place."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"The file {path} cannot be read: {error}.") from None
    configuration: AgentConfiguration
    configuration, lines = read_records(AgentConfiguration, text)
    if problems := [_locate(problem, lines) for problem in _problems(configuration)]:
        raise ConfigurationError(problems)
    return configuration


def _locate(problem: Problem, lines: dict[str, int]) -> Problem:
    """Return the problem with its line: that of the field, or of the part that lacks it."""
    path = problem.field or ""
    while path not in lines and "." in path:
        path = path.rpartition(".")[0]
    return Problem(f"Line {lines.get(path, 1)}: {problem.message}", problem.field, problem.code)


def _problems(configuration: AgentConfiguration) -> Iterator[Problem]:
    yield from _of_service(configuration.service)
    if configuration.service.token is not None and not configuration.secrets_in_clear:
        yield _find_clear_text("service.token", "token_file")
    if not configuration.sources:
        yield _problem("sources", "is empty; there is nothing to read.")
    names = [source.name for source in configuration.sources]
    for index, source in enumerate(configuration.sources):
        path = f"sources[{index}]"
        if names.index(source.name) != index or source.name == configuration.agent:
            yield _problem(f"{path}.name", f"is {source.name!r}, which is the name of another part as well.")
        if isinstance(source, ModbusDevice):
            yield from _of_device(source, path)
            continue
        if source.password is not None and not configuration.secrets_in_clear:
            yield _find_clear_text(f"{path}.password", "password_file")
        passwords = [source.password, source.password_file, source.password_variable]
        if sum(password is not None for password in passwords) > 1:
            yield _problem(f"{path}.password", "is said in more than one way.")
        if isinstance(source, OpcUaServer):
            yield from _of_server(source, path)
        elif isinstance(source, SparkplugBroker):
            yield from _of_metrics(source, path)
        else:
            yield from _of_broker(source, path)


def _of_service(service: AgentService) -> Iterator[Problem]:
    address = urlsplit(service.url)
    if address.scheme == "http" and not service.plain_http and not _is_loopback(address.hostname or ""):
        yield _problem(
            "service.url",
            f"is {service.url!r}, which would show the token on the way; use https, or say plain_http: true.",
        )
    if service.token is not None and service.token_file is not None:
        yield _problem("service.token", "is said in more than one way.")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _of_server(server: OpcUaServer, path: str) -> Iterator[Problem]:
    if not server.nodes_from_service:
        yield from _of_none(server.nodes, f"{path}.nodes")
    for place, node, is_second in _each(server.nodes, f"{path}.nodes", lambda node: node.node):
        if is_second:
            yield _problem(f"{place}.node", f"is {node.node!r} a second time.")
        yield from find_equal_slugs(node, f"{place}.data_point")


Entry = TypeVar("Entry")


def _of_none(entries: Sequence[object], path: str) -> Iterator[Problem]:
    if not entries:
        yield _problem(path, "is empty; there is nothing to read.")


def _each(
    entries: Sequence[Entry], path: str, name_of: Callable[[Entry], Hashable]
) -> Iterator[tuple[str, Entry, bool]]:
    """Each entry with its place, and whether one before it has its name."""
    seen: set[Hashable] = set()
    for index, entry in enumerate(entries):
        name = name_of(entry)
        yield f"{path}[{index}]", entry, name in seen
        seen.add(name)


def find_equal_slugs(variable: MeasuredPlace, path: str) -> Iterator[Problem]:
    """Data points of one variable that are the same."""
    slugs = [
        slug for slug in (variable.data_point, variable.quality, variable.status, variable.arrived_at) if slug
    ]
    if len({*slugs}) < len(slugs):
        yield _problem(path, "and the other data points are not each another one.")


def _of_device(device: ModbusDevice, path: str) -> Iterator[Problem]:
    yield from _of_none(device.registers, f"{path}.registers")
    for place, value, is_second in _each(device.registers, f"{path}.registers", lambda value: value.name):
        if is_second:
            yield _problem(f"{place}.address", f"is {value.name} a second time.")
        if value.table in {"holding", "input"} and value.value_type is None:
            yield _problem(
                f"{place}.value_type", "is missing; registers hold numbers of some type.", "required"
            )
        if value.table in {"coil", "discrete"} and value.value_type is not None:
            yield _problem(f"{place}.value_type", f"is for registers; a {value.table} is a truth.")
        yield from find_equal_slugs(value, f"{place}.data_point")


def _of_metrics(broker: SparkplugBroker, path: str) -> Iterator[Problem]:
    yield from _of_none(broker.metrics, f"{path}.metrics")
    for place, metric, is_second in _each(
        broker.metrics,
        f"{path}.metrics",
        lambda one: (one.group_id, one.edge_node_id, one.device_id, one.metric),
    ):
        if is_second:
            yield _problem(f"{place}.metric", f"is {metric.metric!r} of one node and device a second time.")
        yield from find_equal_slugs(metric, f"{place}.data_point")


def _of_broker(broker: MqttBroker, path: str) -> Iterator[Problem]:
    yield from _of_none(broker.topics, f"{path}.topics")
    for index, topic in enumerate(broker.topics):
        yield from _of_topic(topic, f"{path}.topics[{index}]")


def _of_topic(topic: MqttTopic, path: str) -> Iterator[Problem]:
    if topic.payload == "plain":
        if topic.data_point is None:
            yield _problem(f"{path}.data_point", "is missing; a plain message needs one.", "required")
        if topic.time != ARRIVAL:
            yield _problem(f"{path}.time", f"is {topic.time!r}; a plain message has no time, say arrival.")
        for name in ("each", "key", "quality_from", "data_points"):
            if getattr(topic, name):
                yield _problem(f"{path}.{name}", "is for JSON; a plain message is nothing but its value.")
    elif not topic.data_points:
        yield _problem(f"{path}.data_points", "is missing; a message of JSON needs some.", "required")
    elif topic.data_point is not None:
        yield _problem(f"{path}.data_point", "is for plain messages; of JSON say data_points.")
    if (topic.quality is None) != (topic.quality_from is None):
        yield _problem(f"{path}.quality", "and quality_from need each other.")
    slugs = [*topic.data_points, topic.data_point, topic.quality, topic.arrived_at]
    message = [slug for slug in slugs if slug]
    if len({*message}) < len(message):
        yield _problem(f"{path}.data_points", "and the other data points are not each another one.")


def _find_clear_text(path: str, rather: str) -> Problem:
    return _problem(path, f"is in clear text. Name a {rather}, or set secrets_in_clear: true.")


def _problem(path: str, sentence: str, code: str = "invalid") -> Problem:
    return Problem(f"{path} {sentence}", path, code)


# The reference page of the file, made of the types that the file is read by.


Row = tuple[str, str, str, str]

_WORDS: Final = {
    str: "text",
    int: "whole number",
    bool: "true or false",
    Path: "path",
    Decimal: "decimal number",
    datetime: "time",
}


def sections() -> Iterator[tuple[str, str, list[Row]]]:
    """Each part of the file: its name, what it is, and of each field name, meaning, values and default."""
    pending_sections: list[tuple[str, type[Any]]] = [("The file", AgentConfiguration)]
    while pending_sections:
        title, kind = pending_sections.pop(0)
        hints = get_type_hints(kind, include_extras=True)
        rows = []
        for field_ in fields(kind):
            annotation = hints[field_.name]
            inner, doc, *rules = get_args(annotation)
            rows.append((f"`{field_.name}`", doc, _takes(inner, rules), _default(field_)))
            pending_sections += [(_title(part), part) for part in _parts(inner)]
        yield title, " ".join((kind.__doc__ or "").split()), rows


def _title(kind: type[Any]) -> str:
    """Return a heading with the place of the part."""
    return _TITLES[kind.__name__]


_TITLES: Final = {
    "AgentService": "`service`",
    "SpoolPlace": "`spool`",
    "OpcUaServer": "`sources`: OPC UA",
    "MqttBroker": "`sources`: MQTT",
    "ModbusDevice": "`sources`: Modbus TCP",
    "SparkplugBroker": "`sources`: Sparkplug B",
    "AgentReport": "`report`",
    "OpcUaNode": "`nodes` of an OPC UA server",
    "OpcUaSecurity": "`security` of an OPC UA server",
    "MqttTopic": "`topics` of an MQTT broker",
    "SparkplugMetric": "`metrics` of a Sparkplug broker",
    "ModbusValue": "`registers` of a Modbus device",
}


def _parts(kind: Any) -> list[type[Any]]:
    """The types of the parts below a field."""
    if is_dataclass(kind) and isinstance(kind, type):
        return [kind]
    return [part for inner in get_args(kind) for part in _parts(inner)]


def _takes(kind: Any, rules: list[Any]) -> str:
    """What a field takes, in a few words."""
    message = _check_rules(kind, rules)
    if message is not None:
        return message
    match get_origin(kind):
        case origin if origin in {Union, UnionType}:
            kinds = [argument for argument in get_args(kind) if argument is not NoneType]
            message = (
                _takes(kinds[0], []) if len(kinds) == 1 else " or ".join(_title(kind_) for kind_ in kinds)
            )
        case origin if origin is Literal:
            message = ", ".join(f"`{word}`" for word in get_args(kind))
        case origin if origin is list:
            message = f"list of {_takes(get_args(kind)[0], [])}"
        case origin if origin is dict:
            message = f"names with {_takes(get_args(kind)[1], [])}"
        case _:
            message = _plain(kind)
    return message


def _check_rules(kind: Any, rules: list[Any]) -> str | None:
    for rule in rules:
        if isinstance(rule, WholeRange):
            return f"{rule.least:,} to {rule.greatest:,}"
        if isinstance(rule, TextRule) and get_origin(kind) is not list:
            return rule.description
    return None


def _plain(kind: Any) -> str:
    if is_dataclass(kind) and isinstance(kind, type):
        return _title(kind)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return ", ".join(f"`{word}`" for word in kind)
    return _WORDS[kind]


def _default(field_: "Field[Any]") -> str:
    if field_.default is MISSING and field_.default_factory is MISSING:
        return "required"
    if field_.default is MISSING or field_.default is None:
        return ""
    return f"`{str(field_.default).lower() if isinstance(field_.default, bool) else field_.default}`"
