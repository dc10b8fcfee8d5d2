"""The header of a table: where it stands, and what its columns are called.

Invariants: every column has a name of its own, so that what is advised about it can be followed: the second
`Flow` is `Flow (2)`, one without a name in the third place is `column 3`; what has no name at the end is no
column. A header that is looked for has every column that the feed names, or the file is refused.
"""

from collections.abc import Iterable, Sequence

from weighbridge.core.collection.data_feed import HEADER_SEARCHED, HEADER_SEARCHED_MAX
from weighbridge.core.number import shorten
from weighbridge.errors import Refusal


def name_columns(cells: Sequence[str]) -> list[str]:
    """The names of columns, each once; those without names at the end are left away."""
    names = [cell.strip() for cell in cells]
    while names and not names[-1]:
        names.pop()
    used: set[str] = set(names)
    given: set[str] = set()
    unique: list[str] = []
    for place, name in enumerate(names, 1):
        own = name or f"column {place}"
        number = 1
        while own in given or (number > 1 and own in used):
            number += 1
            own = f"{name} ({number})"
        given.add(own)
        unique.append(own)
    return unique


def find_base(name: str, header: Sequence[str]) -> str | None:
    """The name that a column has in the file where that is not its own: of `Flow (2)`, `Flow`, or nothing."""
    if name.startswith("column ") and name[7:].isdigit():
        return ""
    base, bracket, number = name.removesuffix(")").rpartition(" (")
    return base if bracket and number.isdigit() and base in header else None


def find_header(
    title: str, rows: Iterable[tuple[int, list[str]]], names: Sequence[str]
) -> tuple[int, list[str]]:
    """The line and the names of the header, which has all of some columns; Refusal where no line has them."""
    best: list[str] = [*names]
    for line, cells in rows:
        if line > HEADER_SEARCHED_MAX:
            break
        found = name_columns(cells)
        lacking = [name for name in names if name not in found and find_base(name, names) is None]
        if found and not lacking:
            return line, found
        best = min(best, lacking, key=len)
    columns = shorten(", ".join(map(repr, best)), 300)
    raise Refusal(
        f"{title} has no header among its first {HEADER_SEARCHED_MAX} lines: no line of them has the columns "
        f"that the data feed names; the nearest lacks {columns}."
    )


def is_searched(header_line: int) -> bool:
    """Whether the line of the header is looked for."""
    return header_line == HEADER_SEARCHED
