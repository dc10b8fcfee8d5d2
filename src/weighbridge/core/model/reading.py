"""Read the text of a model document part by part, each flaw with its place.

Conditions on events and tables are read here; the bodies of nodes are parsed in `parsing.py`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Final, TypeVar

from weighbridge.core.expression import (
    RESERVED,
    Expression,
    ExpressionError,
    Kind,
    NameScope,
    Table,
    TableColumn,
    Type,
    check,
    number,
    parse,
)
from weighbridge.core.expression.tree import FunctionCall, Number, Text, walk
from weighbridge.core.expression.value import PLAIN, TEXT
from weighbridge.core.identity import NODE_SLUG_LENGTH_MAX, find_nearest
from weighbridge.core.model.definition import (
    FLAWS_MAX,
    DocumentFlaw,
    Scalar,
    Source,
    SourceEntry,
    SourceListing,
    SourceMapping,
    SourceMark,
    build_expression_flaw,
    describe,
)
from weighbridge.core.number import NumberError, limit_number, plain, shorten
from weighbridge.core.unit import Unit, UnitError, parse_unit

# Reading takes the parts of a source one by one, and notes a flaw for each that is not as it must be.
#
# Invariants: a reader never raises for what a document says; what it cannot read it leaves out and notes,
# naming the key, what came and what is allowed; an unknown key is a flaw.


TEXT_MAX: Final = 10_000
"""The longest text of a document, except an expression, which has its own limit."""

NODE_SLUG: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

Choice = TypeVar("Choice", bound=StrEnum)
Read = TypeVar("Read")


class Reader:
    """One mapping of the document: gives its values by key, as the asker wants them."""

    def __init__(
        self, mapping: SourceMapping, description: str, flaws: list[DocumentFlaw], node: str | None = None
    ) -> None:
        self.mapping = mapping
        self.what = description
        self.flaws = flaws
        self.node = node

    @property
    def mark(self) -> SourceMark:
        return self.mapping.mark

    def mark_of(self, key: str) -> SourceMark:
        """Return the place of a key's value, or of the mapping if the key is absent."""
        source = self.mapping.get(key)
        return self.mark if source is None else source.mark

    def allow(self, keys: Iterable[str]) -> None:
        """Note every key that is not among the given ones."""
        known_keys = list(keys)
        for entry in self.mapping.entries:
            if entry.key not in known_keys and len(self.flaws) < FLAWS_MAX:
                close = find_nearest(entry.key, known_keys)
                hint = f"did you mean {close!r}? " if close else ""
                self.note(
                    f"{self.what} has no key {shorten(entry.key)!r}; {hint}allowed are"
                    f" {', '.join(known_keys)}.",
                    entry.mark,
                    "unknown_key",
                )

    def note(self, message: str, mark: SourceMark | None = None, code: str = "invalid") -> None:
        """Note a flaw; the sentence begins with a capital, unless it begins with a slug."""
        if self.node is None or not message.startswith(self.node):
            message = message[:1].upper() + message[1:]
        self.flaws.append(DocumentFlaw(message, mark or self.mark, self.node, code))

    def note_within(self, message: str, mark: SourceMark | None = None) -> None:
        """Note a flaw whose sentence begins with a key of this mapping, as it is written."""
        self.note(f"in {self.what}, {message}", mark)

    def has(self, key: str) -> bool:
        return self.mapping.get(key) is not None

    def get(self, key: str, *, is_required: bool = False) -> Source | None:
        """Return a key's value; a key without a value counts as absent."""
        source = self.mapping.get(key)
        if isinstance(source, Scalar) and source.value is None:
            source = None
        if source is None and is_required:
            self.note(f"{self.what} needs the key {key!r}.", code="missing_key")
        return source

    def text(self, key: str, *, is_required: bool = False) -> str | None:
        """A text, written with quotes or without."""
        source = self.get(key, is_required=is_required)
        return None if source is None else self.text_of(key, source)

    def text_of(self, key: str, source: Source) -> str | None:
        if not isinstance(source, Scalar) or source.value is None:
            self._refuse(key, "a text", source)
            return None
        if len(source.text) > TEXT_MAX:
            self._refuse(key, f"a text of at most {TEXT_MAX} characters", source)
            return None
        if not source.text.strip():
            self._refuse(key, "a text that is not blank", source)
            return None
        return source.text.strip()

    def number(self, key: str, *, is_required: bool = False) -> Decimal | None:
        source = self.get(key, is_required=is_required)
        return None if source is None else self.number_of(key, source)

    def number_of(self, key: str, source: Source) -> Decimal | None:
        if not isinstance(source, Scalar) or not isinstance(source.value, Decimal):
            self._refuse(key, "a decimal number, without quotes", source)
            return None
        try:
            return limit_number(source.value)
        except NumberError as error:
            self.note(f"The {key} of {self.what}: {error}", source.mark)
            return None

    def whole(self, key: str, *, least: int, most: int) -> int | None:
        """A whole number within bounds."""
        source = self.get(key)
        if source is None:
            return None
        value = source.value if isinstance(source, Scalar) else None
        if isinstance(value, Decimal) and least <= value <= most and value == value.to_integral_value():
            return int(value)
        self._refuse(key, f"a whole number from {least} to {most}", source)
        return None

    def truth(self, key: str, *, default: bool = False) -> bool:
        source = self.get(key)
        if source is None:
            return default
        if isinstance(source, Scalar) and isinstance(source.value, bool):
            return source.value
        self._refuse(key, "true or false", source)
        return default

    def choice(self, key: str, choices: Iterable[str], *, is_required: bool = False) -> str | None:
        """One of several words."""
        source = self.get(key, is_required=is_required)
        if source is None:
            return None
        known_choices = list(choices)
        if isinstance(source, Scalar) and source.text in known_choices:
            return source.text
        self._refuse(key, f"one of {', '.join(known_choices)}", source)
        return None

    def member(self, key: str, kind: type[Choice], *, is_required: bool = False) -> Choice | None:
        """One of the words of an enumeration."""
        word = self.choice(key, [str(member) for member in kind], is_required=is_required)
        return None if word is None else kind(word)

    def slug(self, key: str, *, is_required: bool = False) -> str | None:
        """The slug of a node: snake case."""
        source = self.get(key, is_required=is_required)
        if source is None:
            return None
        if isinstance(source, Scalar) and is_node_slug(source.text):
            return source.text
        self._refuse(
            key,
            f"small letters, digits and single underscores, at most {NODE_SLUG_LENGTH_MAX}, and no word of"
            " the expression language",
            source,
        )
        return None

    def unit(self, key: str, *, is_required: bool = False) -> Unit | None:
        source = self.get(key, is_required=is_required)
        return None if source is None else self.unit_of(source)

    def unit_of(self, source: Source) -> Unit | None:
        if not isinstance(source, Scalar):
            self._refuse("unit", "a unit such as kg{CO2e}/kWh", source)
            return None
        try:
            return parse_unit(source.text)
        except UnitError as error:
            self.note(f"The unit of {self.what}: {error}", source.mark, "unit")
            return None

    def expression(self, key: str) -> tuple[Expression, Scalar] | None:
        """An expression, with the text that it was read from."""
        source = self.get(key)
        if source is None:
            return None
        if not isinstance(source, Scalar):
            self._refuse(key, "an expression", source)
            return None
        try:
            return parse(source.text), source
        except ExpressionError as error:
            self.flaws.append(build_expression_flaw(error, source, key, self.node or self.what))
            return None

    def reader(self, key: str, description: str) -> "Reader | None":
        """The mapping under a key."""
        source = self.get(key)
        if source is None:
            return None
        if not isinstance(source, SourceMapping):
            self._refuse(key, "a mapping", source)
            return None
        return Reader(source, description, self.flaws, self.node)

    def entries(self, key: str) -> tuple[SourceEntry, ...]:
        """The entries of the mapping under a key."""
        reader = self.reader(key, self.what)
        return () if reader is None else reader.mapping.entries

    def items(self, key: str, *, is_required: bool = False) -> tuple[Source, ...]:
        """The items of the list under a key."""
        source = self.get(key, is_required=is_required)
        if source is None:
            return ()
        if not isinstance(source, SourceListing):
            self._refuse(key, "a list", source)
            return ()
        return source.items

    def each(self, key: str, read_item: Callable[[str, Source], Read | None]) -> dict[str, Read]:
        """The values of the mapping under a key, each read by the same rule."""
        values = {entry.key: read_item(f"{key}.{entry.key}", entry.value) for entry in self.entries(key)}
        return {name: value for name, value in values.items() if value is not None}

    def numbers_of(self, key: str, source: Source) -> Decimal | tuple[Decimal, ...] | None:
        """A number or a list of numbers."""
        if not isinstance(source, SourceListing):
            return self.number_of(key, source)
        numbers = [self.number_of(key, item) for item in source.items]
        return tuple(number for number in numbers if number is not None)

    def _refuse(self, key: str, allowed: str, source: Source) -> None:
        self.note(f"The {key} of {self.what} must be {allowed}; here is {describe(source)}.", source.mark)


def is_node_slug(text: str) -> bool:
    """Whether a text may be the slug of a node."""
    is_free = text not in RESERVED and text != "partition"
    return is_free and len(text) <= NODE_SLUG_LENGTH_MAX and NODE_SLUG.fullmatch(text) is not None


# A `where` is a condition on single events: on their asset, location, feedstock, tracking id and data.
#
# A data point is named by its slug, with underscores where the slug has hyphens, or verbatim in braces:
# `meter_name = 'north' and {{wet-mass}} > 2`. Numbers are compared unconverted, in the unit of the data
# point type. Of functions `coalesce` alone is part of it, so that it can be answered for each event by
# itself.
#
# Invariants: a condition that was checked against the data point types of its event type names nothing but
# those and DIMENSIONS, and is true or false for every event that has what it names; of one that lacks some
# of it, it may be neither.


DIMENSIONS: Final = ("asset", "location", "feedstock", "tracking_id")
"""Names that a condition may use in addition to data points; all are texts."""

FUNCTIONS: Final = ("coalesce",)
"""The functions that a condition may have."""


def check_where(tree: Expression, types: Mapping[str, Type] | None = None) -> None:
    """Refuse what is no condition; with the types of the data points, also what does not fit together."""
    for node in walk(tree):
        if isinstance(node, FunctionCall) and node.function not in FUNCTIONS:
            message = (
                f"A where has no functions; here is {node.function}. Only {', '.join(FUNCTIONS)} is allowed."
            )
            raise ExpressionError(message, node.position)
    if isinstance(tree, Number | Text):
        raise ExpressionError("A where must be true or false for an event.", tree.position)
    if types is None:
        return
    as_they_stand = {
        slug: PLAIN if of_point.kind is Kind.NUMBER else of_point for slug, of_point in types.items()
    }
    spelled = {slug.replace("-", "_"): of_point for slug, of_point in as_they_stand.items()}
    result = check(tree, NameScope({**spelled, **as_they_stand, **dict.fromkeys(DIMENSIONS, TEXT)}))
    if result.kind is not Kind.TRUTH:
        raise ExpressionError(f"A where must be true or false for an event; this is {result}.", tree.position)


# Reading a table of the document: its columns, with a unit where they have one, and its rows.
#
# A column is written as its name, or as `name: unit` when its numbers have a unit: `columns: [temperature:
# degC, fraction]`.
#
# Invariants: a table that was read keeps the invariants of Table.


TABLE_KEYS: Final = ("columns", "rows", "uncertainty")
COLUMNS_MAX: Final = 50
ROWS_MAX: Final = 2_000

Cell = Decimal | str
Row = tuple[Cell, ...]


def read_table(name: str, reader: Reader) -> Table | None:
    """Read one table; None when it has a flaw."""
    count = len(reader.flaws)
    reader.allow(TABLE_KEYS)
    if not is_node_slug(name):
        reader.note("The name of a table must be small letters, digits and single underscores.")
    headings = [_read_heading(reader, item) for item in reader.items("columns", is_required=True)]
    rows = [_read_row(reader, item, len(headings)) for item in reader.items("rows", is_required=True)]
    if len(headings) > COLUMNS_MAX or len(rows) > ROWS_MAX:
        reader.note(f"A table has at most {COLUMNS_MAX} columns and {ROWS_MAX} rows.", code="limit")
    if len(reader.flaws) > count:
        return None
    return _build_table(name, reader, headings, rows)


def _build_table(
    name: str, reader: Reader, headings: list[tuple[str, Unit | None]], rows: list[Row]
) -> Table | None:
    if not headings or not rows:
        reader.note("A table needs at least one column and one row.")
        return None
    if len({heading for heading, _ in headings}) < len(headings):
        reader.note("Two columns of the table have the same name.")
    keys = Counter(row[0] for row in rows)
    for key in [key for key, count in keys.items() if count > 1]:
        reader.note(f"The table has two rows for {key if isinstance(key, str) else plain(key)}.")
    columns = []
    for index, (heading, unit) in enumerate(headings):
        kinds = {isinstance(row[index], str) for row in rows}
        if len(kinds) > 1:
            reader.note(f"The column {heading} holds numbers and texts; it may hold one of both.")
        if True in kinds and unit is not None:
            reader.note(f"The column {heading} holds texts and has a unit.")
        columns.append(TableColumn(heading, TEXT if True in kinds else number(unit) if unit else PLAIN))
    return Table(name, tuple(columns), tuple(rows))


def _read_heading(reader: Reader, source: Source) -> tuple[str, Unit | None]:
    unit = None
    if isinstance(source, SourceMapping) and len(source.entries) == 1:
        entry = source.entries[0]
        name, unit = entry.key, reader.unit_of(entry.value)
    elif isinstance(source, Scalar):
        name = source.text
    else:
        name = ""
    if not is_node_slug(name):
        reader.note("A column is written as its name in snake case, or as name: unit.", source.mark)
    return name, unit


def _read_row(reader: Reader, source: Source, width: int) -> Row:
    items = source.items if isinstance(source, SourceListing) else ()
    if len(items) != width:
        reader.note(f"A row is a list with one cell for each of the {width} columns.", source.mark)
    return tuple(_read_cell(reader, item) for item in items)


def _read_cell(reader: Reader, source: Source) -> Cell:
    match source:
        case Scalar(value=Decimal()):
            return reader.number_of("cell", source) or Decimal(0)
        case Scalar(value=str(text)):
            return text
    reader.note("A cell is a number or a text.", source.mark)
    return ""
