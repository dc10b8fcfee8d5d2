"""A record as a plain page shows it: its fields in their order, nested ones below, ids as links.

Nothing is left out and nothing is rounded: a plain page shows what the interface answers.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import msgspec

from weighbridge.core import identity
from weighbridge.core.identity import Link
from weighbridge.core.time.calendar import Instant
from weighbridge.web.display.figures import humanize, to_instant

COLUMNS_MAX: Final = 7
"""Columns of a plain list; the record has the rest."""

_LEFT_OUT: Final = frozenset({"ui_url"})
"""Fields with the URL of the page itself."""

_EXPIRY: Final = "valid_until"
"""The field with the time until when a record holds."""

_CALLED: Final = ("name", "label", "slug", "reason")
"""The fields that name a record, the best first."""

_TABLE_COLUMNS_MAX: Final = 12
"""Fields up to which records inside a record are shown as a table."""

_DEPTH_MAX: Final = 6
"""How deep nested records are shown; deeper ones are shown as text."""

_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
"""A time as lists have it: its text in JSON."""

_KINDS: Final = ((bool, "truth"), (Decimal | int, "number"), (Instant, "moment"), (Link, "link"))
"""The kind of a value by its type; booleans come first, because they are integers in Python."""


@dataclass(frozen=True, slots=True)
class DisplayValue:
    """A value with its kind, which selects the branch of the template."""

    kind: str
    value: Any


@dataclass(frozen=True, slots=True)
class DisplayField:
    """A field with its title and its name in the interface."""

    title: str
    name: str
    shown: DisplayValue


@dataclass(frozen=True, slots=True)
class DisplayRows:
    """Records of a list as a table."""

    columns: Sequence[str]
    rows: Sequence[Sequence[DisplayValue]]


@dataclass(frozen=True, slots=True)
class ListField:
    """A field that a plain list can show as a column."""

    name: str
    title: str
    is_usual: bool
    """Whether it is among the columns as long as nobody chooses."""
    is_numeric: bool


def describe_record(record: Any, depth: int = 0) -> list[DisplayField]:
    """Return the fields of a record."""
    return [
        DisplayField(_title(name), name, _describe_field(name, value, depth))
        for name, value in _pairs(record)
        if name not in _LEFT_OUT
    ]


def describe_value(value: Any, depth: int = 0) -> DisplayValue:
    """Return a value with its kind."""
    if value is None or value is msgspec.UNSET or value in ("", [], {}, ()):
        return DisplayValue("none", None)
    for kinds, word in _KINDS:
        if isinstance(value, kinds):
            return DisplayValue(word, value.path if isinstance(value, Link) else value)
    if isinstance(value, str):
        return DisplayValue(_kind_of(value), value)
    if depth >= _DEPTH_MAX:
        return DisplayValue("text", str(value))
    if isinstance(value, Sequence | set | frozenset):
        return _describe_list([*value], depth)
    return DisplayValue("record", describe_record(value, depth + 1))


def list_fields(records: Sequence[Any], own_url: str = "") -> list[ListField]:
    """Return the plain fields of records, the one that names a record first.

    The first of those with values are usual. `own_url` is that of `describe_rows`.
    """
    if not records:
        return []
    all_pairs = [dict(_pairs(record)) for record in records]
    plain = [name for name in all_pairs[0] if name not in _LEFT_OUT and _is_plain(records, name)]
    plain = [name for name in plain if name != "project_id" or not _is_below(own_url, all_pairs)]
    kinds = {name: {_describe_field(name, pairs.get(name)).kind for pairs in all_pairs} for name in plain}
    names = [name for name in plain if kinds[name] != {"none"}]
    called = _called(names, own_url)
    ordered = sorted(plain, key=lambda name: name != called)
    usual = [name for name in ordered if name in names][:COLUMNS_MAX]
    return [ListField(name, _title(name), name in usual, "number" in kinds[name]) for name in ordered]


def describe_rows(
    records: Sequence[Any], own_url: str = "", shown: Sequence[str] | None = None
) -> DisplayRows:
    """Return a table of records: the name, which links to the record, and the first plain fields with values.

    `own_url` is the URL below which each record has its page, empty without pages; `shown` are the fields
    that were chosen.
    """
    if not records:
        return DisplayRows((), ())
    all_pairs = [dict(_pairs(record)) for record in records]
    names = [one.name for one in list_fields(records, own_url) if one.is_usual] if shown is None else shown
    called = _called(names, own_url)
    rows = [
        [_cell(pairs, name, f"{own_url}/{pairs.get('id')}" if name == called else "") for name in names]
        for pairs in all_pairs
    ]
    return DisplayRows([_title(name) for name in names], rows)


def _called(names: Sequence[str], own_url: str) -> str:
    """Return the field that names a record and leads to it; empty without one."""
    return next((name for name in _CALLED if name in names), "") if own_url else ""


def _is_below(own_url: str, records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether all records are of the project of the page, so that the column would repeat it."""
    return all(own_url.startswith(f"/projects/{record.get('project_id')}/") for record in records)


def _cell(record: Mapping[str, Any], name: str, address: str) -> DisplayValue:
    """Return a field in a list; the name of a record links to it."""
    value = record.get(name)
    return DisplayValue("called", (value, address)) if address and value else _describe_field(name, value)


def _title(name: str) -> str:
    return humanize(name).capitalize()


def _describe_field(name: str, value: Any, depth: int = 0) -> DisplayValue:
    """Return the value of a field; the number of a record is a name, not an amount."""
    if isinstance(value, int) and not isinstance(value, bool) and (name == "id" or name.endswith("_id")):
        return DisplayValue("text", str(value))
    shown = describe_value(value, depth)
    return DisplayValue("expiry", shown.value) if name == _EXPIRY and shown.kind == "moment" else shown


def _kind_of(text: str) -> str:
    """Return the kind of a text: lists have times and IDs as texts."""
    if _is_moment(text):
        return "moment"
    kind = identity.kind_of(text)
    return "id" if kind and identity.parse(kind, text) else "text"


def _is_moment(text: str) -> bool:
    try:
        return bool(_MOMENT.fullmatch(text)) and to_instant(text).text == text
    except ValueError:
        return False


def _describe_list(values: list[Any], depth: int) -> DisplayValue:
    if len(values) > 1 and (names := _common_fields(values)):
        rows = [[_describe_field(name, value, depth + 1) for name, value in _pairs(item)] for item in values]
        return DisplayValue("table", DisplayRows([_title(name) for name in names], rows))
    if all(_pairs(item) for item in values):
        return DisplayValue("records", [describe_record(item, depth + 1) for item in values])
    return DisplayValue("list", [describe_value(item, depth + 1) for item in values])


def _common_fields(values: Sequence[Any]) -> list[str]:
    """Return the fields of records that share the same plain fields, few enough for a table."""
    first, *others = [[name for name, _ in _pairs(value)] for value in values]
    is_table = 0 < len(first) <= _TABLE_COLUMNS_MAX and all(names == first for names in others)
    return first if is_table and all(_is_plain(values, name) for name in first) else []


def _is_plain(records: Sequence[Any], name: str) -> bool:
    return all(
        not _pairs(value) and not isinstance(value, list | tuple)
        for value in (dict(_pairs(record)).get(name) for record in records)
    )


def _pairs(value: Any) -> list[tuple[str, Any]]:
    """Return the fields of a record under their names in JSON; empty for other values."""
    if isinstance(value, msgspec.Struct):
        names = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
        return [(wire, getattr(value, name)) for wire, name in names]
    if isinstance(value, Mapping):
        return [(str(name), item) for name, item in value.items()]
    if hasattr(value, "__dataclass_fields__"):
        return [(name, getattr(value, name)) for name in value.__dataclass_fields__]
    return []
