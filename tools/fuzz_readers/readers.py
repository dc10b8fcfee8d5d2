"""The four readers of foreign text, each a function of bytes that returns when it read or refused them."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

from weighbridge.contents import SLICES
from weighbridge.core.expression import (
    PLAIN,
    TEXT,
    Environment,
    ExpressionError,
    NameScope,
    Table,
    TableColumn,
    check,
    evaluate,
    parse,
    print_tree,
    quantities,
    quantity,
    text,
)
from weighbridge.core.model import ALONE
from weighbridge.core.quantity.unit import parse_unit
from weighbridge.errors import Refusal
from weighbridge.exchange.tabular.clock import read_clock
from weighbridge.exchange.tabular.columns import map_columns
from weighbridge.exchange.tabular.dating import outcomes
from weighbridge.exchange.tabular.file import CsvFile, reading
from weighbridge.exchange.tabular.row import RowMapping
from weighbridge.http import wire
from weighbridge.modelling.document.yaml_text import check_document

CORPUS: Final = Path(__file__).parent / "corpus"

_ROWS_MAX: Final = 1_000
_VALUES: Final = {
    "mass": quantity(Decimal("12.5"), parse_unit("t")),
    "masses": quantities([Decimal(1), None, Decimal("2.50")], parse_unit("kg"), "mass"),
    "ratio": quantity(Decimal("0.3"), parse_unit("1")),
    "wood": text("Wood"),
}
_TABLES: Final = {
    "factors": Table(
        "factors",
        (TableColumn("kg", PLAIN), TableColumn("exact", TEXT)),
        ((Decimal(1), "a"), (Decimal(2), "b")),
    )
}


def _bodies() -> list[Any]:
    operations = (route.opt["operation"] for routes in SLICES for route in routes)
    return [one.body for one in operations if one.body is not None and one.text is None]


BODIES: Final = _bodies()


def read_body(data: bytes) -> None:
    """A request body: its first byte says of which operation."""
    if data:
        with suppress(Refusal):
            wire.decode(data[1:], BODIES[data[0] % len(BODIES)])


def read_document(data: bytes) -> None:
    """The document of a model, with its cases."""
    with suppress(UnicodeDecodeError):
        check_document(data.decode(), ALONE)


def read_expression(data: bytes) -> None:
    """An expression: what it means is printed, read again, and computed."""
    with suppress(UnicodeDecodeError, ExpressionError):
        tree = parse(data.decode())
        assert parse(print_tree(tree)) == tree, "what is printed reads as something else"  # noqa: S101
        check(tree, NameScope({name: value.type for name, value in _VALUES.items()}, _TABLES))
        evaluate(tree, Environment(_VALUES, _TABLES))


def read_table(data: bytes) -> None:
    """A CSV file of readings, plain or gzipped."""
    with NamedTemporaryFile(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as file:  # noqa: S108
        file.write(data)
        file.flush()
        with suppress(Refusal):
            _read_rows(CsvFile(Path(file.name)))


def _read_rows(file: CsvFile) -> None:
    values = {"mass": "number", "note": "string", "dry": "boolean"}
    with reading(file) as rows:
        mapping = RowMapping(
            columns=map_columns(rows.header, [], values),
            clock=read_clock(time_zone="Europe/Berlin"),
            event_type="reading",
            locations=[],
            feedstocks={"Wood": "fs_0"},
            assets={},
            reference="line",
        )
        for _ in islice(outcomes(rows, mapping), _ROWS_MAX):
            pass


READERS: Final[Mapping[str, Callable[[bytes], None]]] = {
    "body": read_body,
    "model": read_document,
    "expression": read_expression,
    "table": read_table,
}
