"""The statements that a service has sent to its database, and which projects each part of one is about.

The server's own log tells them, so nothing that the service sends is missed: what is sent ahead, what
psycopg has prepared, what procrastinate asks. A statement is read as far as this needs: its blocks (each
SELECT, UPDATE, INSERT or DELETE), the tables that each names, and whether a condition of the block holds
the project of the table to something.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier
from tests.server import DEADLINE_SECONDS, Server

from weighbridge.db.embedded.cluster import SUPERUSER

_ENTRY = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC \[\d+\] [^\n]*?(\w+):  ", re.MULTILINE)
_SAID = re.compile(r"^(?:statement|execute [^:]+): (.*)$", re.DOTALL)
_MARK = re.compile(r"^SELECT 'during (\w+)'$")
_TOKEN = re.compile(r"\$\w*\$.*?\$\w*\$|E?'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/|\"[^\"]+\"|[\w$.]+|\S", re.DOTALL)
_VERBS = {"SELECT", "INSERT", "UPDATE", "DELETE", "COPY", "MERGE", "VALUES"}
_ENDS_OF_A_LIST = {
    "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "FOR", "RETURNING", "SET", "UNION", "EXCEPT",
    "INTERSECT", "WINDOW", "SELECT", "VALUES", "DO", "FETCH",
}  # fmt: skip
_SETS = {"UNION", "EXCEPT", "INTERSECT"}
_NO_ALIAS = _ENDS_OF_A_LIST | {
    "ON", "USING", "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "LATERAL", "AS",
    "TABLESAMPLE", "OVERRIDING", "DEFAULT", "CONFLICT", "FROM",
}  # fmt: skip


class Record:
    """What one service has sent, by the name of what it was doing."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server = server
        self._folder = folder

    def during(self, name: str) -> None:
        """Say what is done from now on."""
        self.server.sql(f"SELECT 'during {name}'")

    def read(self) -> dict[str, set[str]]:
        """All that was sent so far: the statements by what was being done."""
        self.during("end_of_record")
        deadline = time.monotonic() + DEADLINE_SECONDS
        while "SELECT 'during end_of_record'" not in (text := self._text()):
            assert time.monotonic() < deadline, "the server logs what it is asked"
            time.sleep(0.01)
        found: dict[str, set[str]] = {}
        doing = "start"
        starts = [*_ENTRY.finditer(text)]
        for start, following in zip(starts, [*starts[1:], None], strict=True):
            entry = text[start.end() : following.start() if following else None].strip()
            said = _SAID.match(entry) if start[1] == "LOG" else None
            if said is None:
                continue
            statement = said[1].replace("\n\t", "\n").strip()
            if mark := _MARK.match(statement):
                doing = mark[1]
            else:
                found.setdefault(doing, set()).add(statement)
        return found

    def _text(self) -> str:
        return "\n".join(file.read_text() for file in sorted(self._folder.glob("postgresql-*.log")))


@contextmanager
def recorded(url: str) -> Iterator[Record]:
    """A service on a database of nobody else, and the record of what it sends there."""
    with psycopg.connect(make_conninfo(url, user=SUPERUSER), autocommit=True) as connection:
        database = Identifier(connection.info.dbname)
        connection.execute(SQL("ALTER DATABASE {} SET log_statement = 'all'").format(database))
        row = connection.execute("SELECT current_setting('log_directory')").fetchone()
    assert row is not None
    with Server(url) as server:
        yield Record(server, Path(row[0]))


@dataclass
class Block:
    """One SELECT, INSERT, UPDATE or DELETE: its words without those of the blocks in it."""

    outer: "Block | None" = None
    words: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)
    """The names that the rows of the block have in the block around it."""

    @property
    def verb(self) -> str:
        return self.words[0].upper() if self.words else ""

    def tables(self) -> list[tuple[str, str]]:
        """The tables that it names, each with the name that it has in the block."""
        found = []
        listing = False
        for place, word in enumerate(self.words):
            upper = word.upper()
            if upper in {"FROM", "JOIN", "UPDATE", "INTO"} or (upper == "COPY" and place == 0):
                begins = not self._is_no_clause(place)
                listing = begins and upper in {"FROM", "JOIN"}
                found += self._named(place + 1) if begins else []
            elif upper == "USING" and self.verb == "DELETE":
                listing, found = True, [*found, *self._named(place + 1)]
            elif word == "," and listing:
                found += self._named(place + 1)
            elif upper in _ENDS_OF_A_LIST:
                listing = False
        return found

    def unbound(self, tables: frozenset[str]) -> set[str]:
        """The tables of projects whose rows it does not hold to projects that something else names."""
        named = [(table, alias) for table, alias in self.tables() if table in tables]
        if self.verb in {"INSERT", "COPY"} and named:
            place = self.words.index(named[0][0])
            if "project_id" not in self.words[place : self.words.index(")")]:
                return {named[0][0]}
            if self.verb == "INSERT" and named[0][0] == self.words[2]:
                named = named[1:]
        if self.verb == "COPY":
            return set()
        return {table for table, alias in named if not self._is_bound(alias, {alias for _, alias in named})}

    def _is_bound(self, alias: str, own: set[str]) -> bool:
        """Whether the project of a table equals something that is no table, here or in blocks around."""
        reached = {alias}
        links = self._links(own)
        while more := {other for one, other in links if one in reached} - reached:
            reached |= more
        if reached - own:
            return True
        passes = {"project_id", "*", *(f"{one}.{name}" for one in reached for name in ("project_id", "*"))}
        return (
            self.outer is not None
            and bool(passes & {*self._selected()})
            and any(self.outer._is_bound(name, {name, *self.outer._reads()}) for name in self.aliases)
        )

    def _reads(self) -> set[str]:
        return {alias for _, alias in self.tables()}

    def _links(self, own: set[str]) -> list[tuple[str, str]]:
        """What is said to be of one project: names of tables; of anything else, what is written there."""
        links: list[tuple[str, str]] = []
        for place, word in enumerate(self.words):
            upper = word.upper()
            if upper == "USING" and self.words[place + 1 : place + 2] == ["("]:
                if ["project_id"] in self._row(place + 1):
                    links += [(one, other) for one in own for other in own]
                    links += [(one, name) for one in own for name in self._others() - own]
            elif (
                word == "="
                or upper == "IN"
                or (upper == "FROM" and self.words[place - 1].upper() == "DISTINCT")
            ):
                links += self._equal(place, own)
        return links + [(other, one) for one, other in links]

    def _equal(self, place: int, own: set[str]) -> list[tuple[str, str]]:
        left = self._before(place - (3 if self.words[place].upper() == "FROM" else 1))
        right = self._row(place + 1) if self.words[place] == "=" or left[1:] else [["some"]]
        if self.words[place].upper() == "IN" or len(right) != len(left):
            right = [["some"]] * len(left)
        found = []
        for one, other in zip(left, right, strict=True):
            names = [self._named_by(side, own) for side in (one, other)]
            if any(names):
                for first in names[0] or {"some"}:
                    found += [(first, second) for second in names[1] or {"some"}]
        return found

    def _named_by(self, words: list[str], own: set[str]) -> set[str]:
        """The tables whose project an expression is."""
        if words[:1] == ["project_id"]:
            return own
        table, _, column = (words or [""])[0].partition(".")
        return {table} if column == "project_id" else set()

    def _before(self, place: int) -> list[list[str]]:
        """The row, or the one thing, that ends at a place."""
        while self.words[place].upper() in {"NOT", "IS"}:
            place -= 1
        if self.words[place] != ")":
            return [[self.words[place]]]
        depth, back = 0, place
        while True:
            depth += {")": 1, "(": -1}.get(self.words[back], 0)
            if depth == 0:
                return self._row(back)
            back -= 1

    def _row(self, place: int) -> list[list[str]]:
        """The row, or the one thing, that begins at a place."""
        if self.words[place : place + 1] != ["("]:
            return [self.words[place : place + 1]]
        items: list[list[str]] = [[]]
        depth = 0
        for word in self.words[place:]:
            depth += {"(": 1, ")": -1}.get(word, 0)
            if depth == 0:
                break
            if word == "," and depth == 1:
                items.append([])
            elif not (word == "(" and depth == 1):
                items[-1].append(word)
        return items

    def _others(self) -> set[str]:
        """The names of blocks and functions that stand for tables."""
        return {
            word
            for place, word in enumerate(self.words[1:], 1)
            if word.isidentifier() and word.islower() and self.words[place - 1] in {")", "AS"}
        } | {table for table, _ in self.tables()}

    def _selected(self) -> list[str]:
        places = [place for place, word in enumerate(self.words) if word.upper() == "FROM"]
        return self.words[: places[0]] if places else self.words

    def _is_no_clause(self, place: int) -> bool:
        """Whether a FROM is that of EXTRACT (… FROM …) or IS DISTINCT FROM, an UPDATE that of a lock."""
        before = self.words[place - 1].upper() if place else ""
        if before in {"DISTINCT", "FOR", "DO", "KEY"}:
            return True
        depth = 0
        for back in range(place - 1, 0, -1):
            depth += {")": 1, "(": -1}.get(self.words[back], 0)
            if depth < 0:
                return self.words[back - 1].upper() in {"EXTRACT", "TRIM", "SUBSTRING", "OVERLAY"}
        return False

    def _named(self, place: int) -> list[tuple[str, str]]:
        while place < len(self.words) and self.words[place].upper() in {"ONLY", "LATERAL", "("}:
            place += 1
        if place >= len(self.words) or not re.fullmatch(r"[a-z_]\w*", self.words[place]):
            return []
        table, rest = self.words[place], self.words[place + 1 : place + 3]
        if rest[:1] == ["("] and self.verb not in {"INSERT", "COPY"}:
            return []
        if rest and rest[0].upper() == "AS":
            rest = rest[1:]
        is_alias = rest and re.fullmatch(r"[a-z_]\w*", rest[0]) and rest[0].upper() not in _NO_ALIAS
        return [(table, rest[0] if is_alias else table)]


def blocks(statement: str) -> list[Block]:
    """The blocks of a statement."""
    words = [word for word in _TOKEN.findall(statement) if not word.startswith(("--", "/*"))]
    current = Block()
    found = [current]
    nested: list[list[Block]] = []
    for place, word in enumerate(words):
        upper = word.upper()
        if word == "(":
            opens = _opens_block(words, place + 1)
            current.words.append(word)
            nested.append([current] if opens else [])
            if opens:
                current = Block(current)
                found.append(current)
        elif word == ")" and nested:
            if outer := nested.pop():
                for one in found:
                    if one.outer is outer[0] and not one.aliases:
                        one.aliases = _alias(words, place + 1)
                current = outer[0]
            current.words.append(word)
        elif upper in _SETS or (
            upper in _VERBS and current.verb == "WITH" and not (nested and not nested[-1])
        ):
            current = Block(current.outer, [] if upper in _SETS else [word])
            found.append(current)
        elif not (upper in {"ALL", "DISTINCT"} and not current.words):
            current.words.append(word)
    return found


def _opens_block(words: list[str], place: int) -> bool:
    while place < len(words) and words[place] == "(":
        place += 1
    return place < len(words) and words[place].upper() in _VERBS | {"WITH"}


def _alias(words: list[str], place: int) -> list[str]:
    """The name of what ends here: behind AS, or for a named query before it."""
    if words[place : place + 1] and words[place].upper() == "AS":
        place += 1
    following = words[place : place + 1]
    return following if following and following[0].upper() not in _NO_ALIAS | _SETS else []


def unbound(statement: str, tables: frozenset[str]) -> set[str]:
    """The tables of projects of which some part of a statement names no project."""
    return set().union(*(block.unbound(tables) for block in blocks(statement)))
