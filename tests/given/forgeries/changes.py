"""How a forger changes parts: a text, a column of a row, a field of a record, rows of the log."""

import json
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from tests.given.tampering import Parts

from weighbridge.core.bundle.contents import ROWS, name_proof_part
from weighbridge.core.bundle.rows import split_fields, write_line
from weighbridge.core.number import plain
from weighbridge.core.signing import write_canonical_json

Change = Callable[[Parts], None]
Becomes = str | None | Callable[[str | None], str | None]


def replaced(part: str, was: str, becomes: str) -> Change:
    """Another text in the place of one, wherever it is in a part."""

    def change(parts: Parts) -> None:
        assert was.encode() in parts[part], parts[part].decode()
        parts[part] = parts[part].replace(was.encode(), becomes.encode())

    return change


def dropped(part: str, held: str) -> Change:
    """Without the lines that have a text."""

    def change(parts: Parts) -> None:
        lines = parts[part].splitlines(keepends=True)
        rest = [line for line in lines if held.encode() not in line]
        assert len(rest) < len(lines), parts[part].decode()
        parts[part] = b"".join(rest)

    return change


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(parts: Parts) -> None:
        for one in changes:
            one(parts)

    return change


def swapped(part: str, one: str, other: str) -> Change:
    """Two texts in each other's place."""
    return both(replaced(part, one, "\0"), replaced(part, other, one), replaced(part, "\0", other))


def renumbered(part: str, kind: str) -> Change:
    """With another number of the record of a kind."""

    def change(parts: Parts) -> None:
        parts[part], count = re.subn(
            rb"^%s,\d+," % kind.encode(), b"%s,999," % kind.encode(), parts[part], flags=re.MULTILINE
        )
        assert count == 1, parts[part].decode()

    return change


class Table:
    """The rows of a table, by their columns."""

    def __init__(self, parts: Parts, part: str) -> None:
        header, *lines = parts[part].decode().split("\n")[:-1]
        self.columns = header.split(",")
        self.rows = [dict(zip(self.columns, split_fields(line), strict=True)) for line in lines]

    def matching(self, where: dict[str, str | None]) -> list[dict[str, str | None]]:
        """The rows that have these values; there is at least one."""
        found = [row for row in self.rows if where.items() <= row.items()]
        assert found, (where, self.rows)
        return found

    def write(self, parts: Parts, part: str) -> None:
        """Write the rows back."""
        lines = [write_line([row[column] for column in self.columns]) for row in self.rows]
        parts[part] = (",".join(self.columns) + "\n" + "".join(lines)).encode()


def edited(part: str, column: str, becomes: Becomes, **where: str | None) -> Change:
    """Another value in a column of the last row that has these values; a star is as in `in_record`."""

    def change(parts: Parts) -> None:
        name = find_part(parts, part)
        table = Table(parts, name)
        row = table.matching(where)[-1]
        was = row[column]
        row[column] = becomes(was) if callable(becomes) else becomes
        assert row[column] != was, (part, column, was)
        table.write(parts, name)

    return change


def without(part: str, **where: str | None) -> Change:
    """Without the last row that has these values."""

    def change(parts: Parts) -> None:
        table = Table(parts, part)
        gone = table.matching(where)[-1]
        table.rows = [row for row in table.rows if row is not gone]
        table.write(parts, part)

    return change


def exchanged(part: str, column: str, one: dict[str, str | None], other: dict[str, str | None]) -> Change:
    """The values of a column of two rows in each other's place."""

    def change(parts: Parts) -> None:
        table = Table(parts, part)
        first, second = table.matching(one)[-1], table.matching(other)[-1]
        assert first[column] != second[column]
        first[column], second[column] = second[column], first[column]
        table.write(parts, part)

    return change


def find_part(parts: Parts, part: str) -> str:
    """The part of a name; a star in it stands for any text."""
    pattern = re.compile(re.escape(part).replace(r"\*", "[^/]+"))
    return next(name for name in sorted(parts) if pattern.fullmatch(name))


def in_record(part: str, edit: Callable[[Any], object]) -> Change:
    """A record of JSON, edited; a star in its name stands for the first part with such a name."""

    def change(parts: Parts) -> None:
        name = find_part(parts, part)
        record = json.loads(parts[name])
        edit(record)
        content = write_canonical_json(record) + b"\n"
        assert content != parts[name]
        parts[name] = content

    return change


def in_lines(part: str, edit: Callable[[list[Any]], object]) -> Change:
    """Lines of JSON, edited."""

    def change(parts: Parts) -> None:
        lines = [json.loads(line) for line in parts[part].splitlines()]
        edit(lines)
        content = b"".join(write_canonical_json(line) + b"\n" for line in lines)
        assert content != parts[part]
        parts[part] = content

    return change


def in_rows(action: str, edit: Callable[[Any], object]) -> Change:
    """The last row of the log of an action, edited."""
    return in_lines(ROWS, lambda rows: edit([row for row in rows if row["action"] == action][-1]))


def without_rows(*actions: str, of: str | None = None) -> Change:
    """Without the rows of the log of some actions, or those of them about one record, and their proofs."""

    def change(parts: Parts) -> None:
        rows = [json.loads(line) for line in parts[ROWS].splitlines()]
        found = [row for row in rows if row["action"] in actions]
        gone = [row["number"] for row in found if of in {None, row["object"]}]
        assert gone, actions
        kept = [row for row in rows if row["number"] not in gone]
        parts[ROWS] = b"".join(write_canonical_json(row) + b"\n" for row in kept)
        for number in gone:
            del parts[name_proof_part(number)]

    return change


def without_last_row(action: str) -> Change:
    """Without the last row of the log of an action."""

    def change(parts: Parts) -> None:
        rows = [json.loads(line) for line in parts[ROWS].splitlines()]
        last = [row["object"] for row in rows if row["action"] == action][-1]
        without_rows(action, of=last)(parts)

    return change


def without_writes(action: str) -> Change:
    """Without the rows that stored events in a way."""
    return dropped("audit/writes.jsonl", f'"action":"{action}"')


def without_parts(beginning: str) -> Change:
    """Without the parts whose names begin so."""

    def change(parts: Parts) -> None:
        gone = [name for name in parts if name.startswith(beginning)]
        assert gone, beginning
        for name in gone:
            del parts[name]

    return change


def more(amount: str) -> Callable[[str | None], str]:
    """So much more than a number was."""
    return lambda was: plain(Decimal(was or 0) + Decimal(amount))


def later(was: str | None) -> str:
    """A time one second later."""
    assert was is not None
    second = (int(was[17:19]) + 1) % 60
    return f"{was[:17]}{second:02d}{was[19:]}"


def draws_of(lines: Sequence[Any]) -> list[Any]:
    """The draws in the lineage, in their order."""
    return [draw for line in lines for draw in line["draws"]]
