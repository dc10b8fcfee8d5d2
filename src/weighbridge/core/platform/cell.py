"""Cells: parts of an installation, each of which holds everything of some accounts.

A cell is a schema of PostgreSQL with all tables that belong to accounts, in the database that the service is
connected to or on one node of its cluster. `Cell` says which; `key_range` gives the keys that its sequences
give out. A secret names its account (`name_account`), so that the cell can be found before anything of the
account is read.

Invariants: ranges of two cells have no key in common, and no key is longer than its public id allows.
"""

import re
from dataclasses import dataclass
from typing import Final

from weighbridge.core.number import shorten

CELL_BITS: Final = 6
"""Bits of a key that say in which cell it was given out."""

CELLS_MAX: Final = 2**CELL_BITS
"""Cells of an installation, the first one included."""

INTEGER_BITS: Final = 31
"""Bits of keys of type integer: accounts, users, tokens, projects, tasks."""

BIGINT_BITS: Final = 48
"""Bits of keys of type bigint, as a public id has room for; whole numbers below 2^53 are exact in JSON."""

NAME_LENGTH_MAX: Final = 30
"""Characters of the name of a cell."""

NODE_LENGTH_MAX: Final = 260
"""Characters of the address of a node."""

_NAME: Final = re.compile(rf"[a-z][a-z0-9_]{{0,{NAME_LENGTH_MAX - 1}}}")
_NODE: Final = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):([1-9][0-9]{0,4})")
_NAMED: Final = re.compile(r"a([1-9][0-9]{0,9})\.")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: its number, which its keys begin with, its name, and the node of a cluster that it lies on."""

    number: int
    name: str
    node: str | None = None
    """Its host and port; None of a cell that lies where the service is connected anyway."""

    @property
    def schema(self) -> str | None:
        """Its schema; None of the first cell, which stands where the connection looks anyway."""
        return f"cell_{self.name}" if self.number else None


def local_schema(schema: str) -> str:
    """The schema of a node in which the tables of a cell are looked for before the cell's own."""
    return f"local_{schema}"


FIRST: Final = Cell(0, "first")
"""The cell of an installation that has no other."""


def problem_of_cell_name(name: str) -> str | None:
    """What is wrong with the name of a new cell, if anything is."""
    if _NAME.fullmatch(name) and name != FIRST.name:
        return None
    return (
        f"The name of a cell is {shorten(name)!r}; it takes a small letter and then up to "
        f"{NAME_LENGTH_MAX - 1} small letters, digits and underscores, and is not {FIRST.name!r}."
    )


def read_node(text: str) -> tuple[str, int]:
    """The host and the port of the node of a cell."""
    host, _, port = text.rpartition(":")
    return host.strip("[]"), int(port)


def problem_of_node(text: str) -> str | None:
    """What is wrong with the address of a node, if anything is."""
    if len(text) <= NODE_LENGTH_MAX and _NODE.fullmatch(text) and read_node(text)[1] < 2**16:
        return None
    return f"The node of a cell is {shorten(text)!r}; it takes a host, a colon and a port, such as db2:5432."


def key_range(number: int, bits: int) -> range:
    """The keys that a cell gives out of a sequence whose values have so many bits; 0 is no key."""
    size = 1 << (bits - CELL_BITS)
    return range(max(1, number * size), (number + 1) * size)


def name_account(account: int, secret: str) -> str:
    """The text of a secret that names its account, as links and sessions have it: `a17.3f9c…`."""
    return f"a{account}.{secret}"


def read_account(text: str) -> int | None:
    """The account that the text of a link or session names; None of one from before texts named accounts."""
    found = _NAMED.match(text)
    return int(found[1]) if found else None


def drop_account(text: str) -> str:
    """The text of a secret without the account that it names, if it names one."""
    found = _NAMED.match(text)
    return text[found.end() :] if found else text
