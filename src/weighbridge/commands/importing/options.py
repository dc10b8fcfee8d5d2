"""The options that say how a file is read: one for each setting of a data feed, made of its record.

A setting that data feeds get later is an option at once: its name, its words, its default and its sentence
come from `DataFeed`, and those of a column from `FeedColumn`.
"""

import types
from collections.abc import Sequence
from dataclasses import asdict, make_dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, get_args

import msgspec
from cyclopts import Parameter

from weighbridge.core.collection.data_feed import DecimalMark
from weighbridge.core.problem import Problem
from weighbridge.exchange.records.data_feeds import DATA_FEED_BODIES, DataFeed, FeedColumn
from weighbridge.http.openapi.schemas import meaning_of

GIVEN_OTHERWISE: Final = {
    "name": "follows from all other settings",
    "event_type_id": "--event-type",
    "columns": "--map, --unit, --flag, --start, --readings, --reference",
    "location_ids": "--location",
    "bad_rows": "a file is stored whole or not at all",
    "watch": "an import reads one file",
}
"""Settings that are no option of their own, with what gives them."""

OF_COLUMN_ITSELF: Final = frozenset({"column", "field"})
"""What `--map` says of a column."""

NAMES: Final = {
    "rows_in_order": "--in-order",
    "duration": "--every",
    "feedstock_id": "--feedstock",
    "asset_id": "--asset",
}
"""Options that are called otherwise than their setting; the name of the setting is taken too."""

ADDED: Final = {
    "delimiter": "The word tab stands for a tab.",
    "duration": "With --start, it is the time from row to row.",
    "on_difference": "Where it is told, the command exits with 1.",
}
"""What the sentence of the interface does not say."""

TAB: Final = "tab"


def option_of(setting: str) -> str:
    """The option that gives a setting."""
    return NAMES.get(setting, f"--{setting.replace('_', '-')}")


SETTINGS: Final = tuple(name for name in DATA_FEED_BODIES.fields if name not in GIVEN_OTHERWISE)
"""The settings of a data feed that are options."""

OF_COLUMNS: Final = tuple(name for name in FeedColumn.__struct_fields__ if name not in OF_COLUMN_ITSELF)
"""What may be said of a column besides what it gives."""


def _build_field(name: str) -> tuple[str, Any, Any]:
    sent = DATA_FEED_BODIES.fields[name]
    told = [meaning_of(DataFeed, name, sent.kind) or "", ADDED.get(name, "")]
    default = None if sent.default in (msgspec.NODEFAULT, []) else sent.default
    if isinstance(default, StrEnum):
        default = str(default)
    kind = _word(sent.kind)
    option = Parameter(
        name=[*dict.fromkeys([option_of(name), f"--{name.replace('_', '-')}"])],
        negative=(),
        show_default=default not in (None, False),
        help=" ".join(filter(None, told)),
    )
    return name, Annotated[kind if default is not None else kind | None, option], default


def _word(kind: Any) -> Any:
    """The type of an option's words: a choice where the setting has words, else as the setting is."""
    notes = [note for note in getattr(kind, "__metadata__", ()) if isinstance(note, msgspec.Meta)]
    for note in notes:
        if words := (note.extra_json_schema or {}).get("enum"):
            return Literal[tuple(words)]
    plain = get_args(kind)[0] if notes else kind
    return list[str] if getattr(plain, "__origin__", None) is list else plain


def _build_column_field(name: str) -> tuple[str, Any, Any]:
    meaning = meaning_of(FeedColumn, name, str) or ""
    told = f"COLUMN={name.upper()}, repeatable. {meaning}"
    return (
        f"{name}_of_column",
        Annotated[list[str] | None, Parameter(name=f"--{name}", negative=(), help=told)],
        None,
    )


if TYPE_CHECKING:
    FeedSettings = types.SimpleNamespace
else:
    FeedSettings = Parameter(name="*")(
        make_dataclass(
            "FeedSettings",
            [*map(_build_field, SETTINGS), *map(_build_column_field, OF_COLUMNS)],
            frozen=True,
            kw_only=True,
        )
    )
    FeedSettings.__module__ = __name__
    FeedSettings.__doc__ = "How the file is read: the settings of the data feed that the import makes."


AS_FEEDS_HAVE_IT: Final = FeedSettings()
"""No option was given."""


def read_settings(options: Any, *, decimal_comma: bool) -> dict[str, Any]:
    """The settings that were given, by their names."""
    given = {name: value for name, value in asdict(options).items() if name in SETTINGS and value is not None}
    if decimal_comma:
        given["decimal_mark"] = str(DecimalMark.COMMA)
    if given.get("delimiter") in (TAB, "\\t"):
        given["delimiter"] = "\t"
    for name, value in given.items():
        if isinstance(value, list):
            given[name] = [text.strip() for text in value]
    return given


def read_columns(mapped: Sequence[str], options: Any) -> tuple[list[FeedColumn], list[Problem]]:
    """What columns give, by `--map COLUMN=FIELD`, with what else was said of each; and what is wrong."""
    problems: list[Problem] = []
    columns = {
        (column, field): {"column": column, "field": field}
        for column, field in _read_pairs("map", mapped, problems)
    }
    for name in OF_COLUMNS:
        for column, value in _read_pairs(name, getattr(options, f"{name}_of_column") or (), problems):
            found = [one for (named, _), one in columns.items() if named == column]
            if not found:
                told = (
                    f"--{name} is about the column {column!r}; name what it gives, with --map {column}=FIELD."
                )
                problems.append(Problem(told, name, "unknown"))
            for one in found:
                one[name] = value
    return [FeedColumn(**one) for one in columns.values()], problems


def _read_pairs(option: str, words: Sequence[str], problems: list[Problem]) -> list[tuple[str, str]]:
    value = "FIELD" if option == "map" else option.upper()
    problems += [
        Problem(f"--{option} {each!r} has no equals sign; write COLUMN={value}.", option, "invalid")
        for each in words
        if "=" not in each
    ]
    pairs = [each.rpartition("=") for each in words if "=" in each]
    return [(column.strip(), field.strip()) for column, _, field in pairs]


HINTS: Final = (
    ("columns of the data feed", "--map", "columns"),
    ("another delimiter", "--delimiter", "delimiter"),
    *(
        (name, option_of(name), name)
        for name in SETTINGS
        if name in NAMES or "_" in name.replace("client_", "")
    ),
    ("first row", "--start", "when the first row is"),
    ("its client_reference", "--reference", "client_reference"),
)
"""Words of a data feed's messages, with the option that gives what they speak of."""
