"""Which rows of a cell are an account's, table by table, as the schema itself says it.

A row is of an account by its column `account_id`, by the account of its `project_id`, or by that of the row
which its foreign key names. `read_tables` finds out which, so that a new table needs no entry anywhere,
unless it has no such column: then it stands in `OF_NO_ACCOUNT` with the reason, or reading refuses it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg.sql import SQL, Composable, Identifier, Literal

OF_NO_ACCOUNT: Final[Mapping[str, str]] = {
    "alembic_version": "the history of migrations is the cell's",
    "audit_key_revocations": "keys are the service's, and each cell has all of them",
    "audit_keys": "keys are the service's, and each cell has all of them",
    "captured_changes": "what is captured serves one move",
    "database_histories": "timelines are the database's",
    "procrastinate_events": "jobs are made anew for tasks that have none",
    "procrastinate_jobs": "jobs are made anew for tasks that have none",
    "procrastinate_periodic_defers": "no job is periodic",
    "procrastinate_workers": "workers are the service's",
    "request_counts": "they count requests of one minute",
    "sign_in_attempts": "they name nobody",
    "waiting_horizon": "it is the cell's",
}
"""Tables whose rows stay where they are when an account moves, and why."""

_XID: Final = "xid8"
SETTLED: Final = SQL("'3'::xid8")
"""A transaction that ended before every other: numbers of transactions mean nothing on another server."""

_TABLES: Final = """
    SELECT c.relname,
           array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attgenerated = ''),
           array_agg(format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum)
               FILTER (WHERE a.attgenerated = ''),
           coalesce(bool_or(a.attnotnull) FILTER (WHERE a.attname = 'account_id'), false),
           (SELECT array_agg(k.attname::text ORDER BY k.attnum)
              FROM (SELECT indkey FROM pg_index WHERE indrelid = c.oid AND indisunique AND indpred IS NULL
                     ORDER BY indisprimary DESC, indexrelid LIMIT 1) i
              JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = ANY (i.indkey) AND k.attnotnull)
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
     GROUP BY c.oid, c.relname ORDER BY c.relname
"""
_PARENTS: Final = """
    SELECT c.relname, a.attname, p.relname
      FROM pg_constraint f
      JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class p ON p.oid = f.confrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = f.conkey[1]
     WHERE f.contype = 'f' AND c.relnamespace = current_schema()::regnamespace
       AND cardinality(f.conkey) = 1 AND a.attnotnull AND p.oid <> c.oid
     ORDER BY c.relname, a.attnum
"""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of an account in one table: their columns, their key, and how they are told from others'."""

    table: str
    types: Mapping[str, str]
    """The type of each column that can be written, by name."""
    key: Sequence[str]
    """Columns that say which row it is; where there is no primary key, one of a few."""
    parent: tuple[str, "Rows"] | None
    """The column that names a row of another table, where the account is known by that alone."""
    has_account: bool
    """Whether each row names its account."""

    @property
    def goes_by_project(self) -> bool:
        """Whether the account is known by the project of a row."""
        return "project_id" in self.types and not self.has_account

    def condition(self, account: int, projects: Sequence[int] | None = None) -> Composable:
        """A condition for rows of the account; the numbers of its projects where they are not in the cell."""
        if self.table == "accounts":
            return SQL("id = {}").format(Literal(account))
        if self.parent is not None:
            column, rows = self.parent
            parents = SQL("SELECT id FROM {} WHERE {}").format(
                Identifier(rows.table), rows.condition(account, projects)
            )
            return SQL("{} IN ({})").format(Identifier(column), parents)
        own = SQL("account_id = {}").format(Literal(account))
        if not self.goes_by_project:
            return own
        by_project = SQL("project_id IN ({})").format(_numbers_of_projects(account, projects))
        return SQL("({} OR {})").format(own, by_project) if "account_id" in self.types else by_project

    def may_be(self, account: int, others: Sequence[int]) -> Composable:
        """A condition that needs no other table, for rows that are not known to be another account's.

        `others` are the projects of other accounts.
        """
        if self.table == "accounts" or (self.parent is None and not self.goes_by_project):
            return self.condition(account)
        if self.parent is not None or not others:
            return SQL("true")
        return SQL("project_id IS NULL OR project_id <> ALL ({})").format(Literal([*others]))

    @property
    def transaction_columns(self) -> list[str]:
        """The columns that name the transaction which wrote a row, where no key does."""
        return [name for name, kind in self.types.items() if kind == _XID and name not in self.key]

    def columns(self, *, is_elsewhere: bool) -> Composable:
        """The columns as they are copied; numbers of transactions are replaced on another server."""
        replaced = self.transaction_columns if is_elsewhere else ()
        return SQL(", ").join(SETTLED if name in replaced else Identifier(name) for name in self.types)


def _numbers_of_projects(account: int, projects: Sequence[int] | None) -> Composable:
    if projects is None:
        return SQL("SELECT id FROM projects WHERE account_id = {}").format(Literal(account))
    return SQL("SELECT unnest({}::integer[])").format(Literal([*projects]))


def read_tables(connection: psycopg.Connection[Any]) -> list[Rows]:
    """The tables of the current schema that hold rows of accounts; those that go by others come first.

    Raises LookupError for a table that says nothing of the account of its rows.
    """
    found: dict[str, Rows] = {}
    parents: dict[str, list[tuple[str, str]]] = {}
    for table, column, parent in connection.execute(_PARENTS).fetchall():
        parents.setdefault(table, []).append((column, parent))
    described = {row[0]: row[1:] for row in connection.execute(_TABLES).fetchall()}

    def describe(table: str) -> Rows:
        if table not in found:
            names, kinds, has_account, key = described[table]
            types = dict(zip(names, kinds, strict=True))
            by = None
            if table != "accounts" and not {"account_id", "project_id"} & {*types}:
                candidates = [pair for pair in parents.get(table, ()) if pair[1] not in OF_NO_ACCOUNT]
                if not candidates:
                    raise LookupError(f"The table {table} does not say of which account a row is.")
                by = candidates[0][0], describe(candidates[0][1])
            found[table] = Rows(table, types, key or ("id",), by, has_account)
        return found[table]

    for table in described.keys() - OF_NO_ACCOUNT.keys():
        describe(table)
    return sorted(found.values(), key=lambda rows: (rows.parent is None, rows.table))
