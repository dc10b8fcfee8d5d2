"""The YAML of the file with the line of each part; only its plain part is read.

Anchors, aliases and tags are refused, and a key stands once: what is written is what is meant.
"""

from dataclasses import dataclass
from typing import Final

import yaml

from weighbridge.core.problem import Problem

LENGTH_MAX: Final = 1_000_000
"""Characters of an agent's file, at most."""

DEPTH_MAX: Final = 10
"""How deep lists and mappings of an agent's file may be nested."""


@dataclass(frozen=True, slots=True)
class YamlPart:
    """A part of the file: a text, a list of parts, or parts by name; null is a plain empty text."""

    line: int
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
        what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
        raise YamlProblemError(f"the file is no YAML: {what}.", mark.line + 1 if mark else 1) from None
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
        return YamlPart(line, [_part(one, depth + 1) for one in node.value])
    parts: dict[str, YamlPart] = {}
    for key, value in node.value:
        name = str(key.value)
        if name in parts:
            raise YamlProblemError(f"the key {name!r} stands twice in one mapping.", key.start_mark.line + 1)
        parts[name] = _part(value, depth + 1)
    return YamlPart(line, parts)
