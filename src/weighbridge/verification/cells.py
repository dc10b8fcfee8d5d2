"""What several cells come to together, and whether the directory says of them what they hold.

The directory is written before the cells, so it may name an account or an address that a cell has not got:
a promise, which nobody else is given. What a cell has, the directory has to name, and with this cell.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from weighbridge.core.platform.cell import Cell
from weighbridge.db.cells import SCHEMA
from weighbridge.db.engine import Database
from weighbridge.verification import Check, OlderBatches, VerificationReport

DIRECTORY_AGREES: Final = "the directory names the cell of every account and of every address"

_ACCOUNTS: Final = "SELECT id, name FROM accounts ORDER BY id"
_ADDRESSES: Final = """
    SELECT id, account_id, lower(email) FROM users WHERE password_hash IS NOT NULL ORDER BY id
"""
_OTHER_ACCOUNTS: Final = f"""
    SELECT a.id, a.name, d.cell, d.name
      FROM unnest(%s::integer[], %s::text[]) AS a (id, name) LEFT JOIN {SCHEMA}.accounts d ON d.id = a.id
     WHERE d.cell IS DISTINCT FROM %s OR d.name IS DISTINCT FROM a.name ORDER BY a.id
"""
_OTHER_ADDRESSES: Final = f"""
    SELECT u.id, u.account_id, d.account_id
      FROM unnest(%s::integer[], %s::integer[], %s::text[]) AS u (id, account_id, address)
      LEFT JOIN {SCHEMA}.addresses d ON d.address = u.address
     WHERE d.account_id IS DISTINCT FROM u.account_id ORDER BY u.id
"""


async def compare_directory(url: str, cells: Sequence[Cell]) -> Check:
    """Whether the directory names what each cell holds; the URL is that of the first cell.

    A cell may lie on another host than the directory, which is read after it: it is written before.
    """
    violations: list[str] = []
    async with Database(url, connections_max=1) as database:
        for cell in cells:
            async with database.in_cell(cell).read() as tx:
                accounts = await tx.tuples(_ACCOUNTS)
                people = await tx.tuples(_ADDRESSES)
            async with database.read() as tx:
                violations += [
                    f"cell {cell.name}: account {number} is {name!r} there, and in the directory "
                    + ("missing" if place is None else f"{known!r} of cell number {place}")
                    for number, name, place, known in await tx.tuples(
                        _OTHER_ACCOUNTS, (*_columns(accounts, 2), cell.number)
                    )
                ]
                violations += [
                    f"cell {cell.name}: user {number} signs in there for account {account}, and the "
                    f"directory gives the address to {'nobody' if holder is None else f'account {holder}'}"
                    for number, account, holder in await tx.tuples(_OTHER_ADDRESSES, _columns(people, 3))
                ]
    return Check(DIRECTORY_AGREES, violations)


def _columns(rows: Sequence[Sequence[Any]], count: int) -> tuple[list[Any], ...]:
    return tuple([row[place] for row in rows] for place in range(count))


def merge_reports(reports: Mapping[Cell, VerificationReport], directory: Check) -> VerificationReport:
    """One report of what was found in all cells; what breaks a rule names its cell."""
    found = [*reports.values()]
    checks = [
        Check(
            check.rule,
            [
                f"cell {cell.name}: {violation}"
                for cell, report in reports.items()
                for violation in report.checks[place].violations
            ],
        )
        for place, check in enumerate(found[0].checks)
    ]
    older = OlderBatches(
        sum(report.older.batches for report in found),
        [difference for report in found for difference in report.older.differing],
    )
    return msgspec.structs.replace(
        found[0],
        batches=sum(report.batches for report in found),
        older=older,
        entries=sum(report.entries for report in found),
        files=sum(report.files for report in found),
        audit_heads=[head for report in found for head in report.audit_heads],
        is_clean=all(report.is_clean for report in found) and not directory.violations,
        checks=[*checks, directory],
        unshown_events=sum(report.unshown_events for report in found),
        unshown_generations=sum(report.unshown_generations for report in found),
    )
