"""An account moves to another cell while it is used.

The rows of the account are copied in one transaction, which nobody sees until it is committed. What changes
meanwhile is captured by triggers and copied again, round by round. When little is left, those who write for
the account wait; the rest is copied, the source gives up its rows, and the directory names the new cell: all
in the same transaction, unless one of the cells lies on a node of a cluster. What holds very many rows is
removed afterwards: nothing leads to these rows any more.

On nodes, transactions of both cells and the directory are committed one after the other, the target first.
A command that is killed between them leaves both copies, of which the directory names the one that counts,
and the same command removes the other.

Invariants: no row is lost or there twice when the command has ended; those who write wait for `WAIT_SECONDS`
at a time, and for the last step; an attempt that fails leaves everything as it was.
"""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import psycopg
from psycopg.errors import DeadlockDetected, InsufficientPrivilege, LockNotAvailable
from psycopg.sql import SQL, Composable, Composed, Identifier, Literal

from weighbridge.core.platform.cell import Cell
from weighbridge.db import locks
from weighbridge.db.account_rows import Rows, read_tables
from weighbridge.db.cell_creation import url_in_cell, urls_in_cell
from weighbridge.db.cells import SCHEMA
from weighbridge.db.engine import url_on_node
from weighbridge.db.roles import DatabaseUrls
from weighbridge.errors import Conflict, NotFound, Refusal

WAIT_SECONDS: Final = 2.0
"""How long the last step waits for transactions of the account that have begun; meanwhile others wait."""

LAST_SECONDS: Final = 5.0
"""How long the last step waits for rows of the account that somebody holds; the move is given up then."""

_ATTEMPTS_MAX: Final = 100
"""How often the last step is tried, where long transactions of the account are in the way."""

PAUSE_SECONDS: Final = 1.0
"""How long others may go on before the last step is tried again."""

FEW: Final = 500
"""Changed rows that are few enough for the last step."""

_ROUNDS_MAX: Final = 20
"""How often changes are copied before the last step is tried, however many there are still."""

_TAKEN_MAX: Final = 50_000
"""Captured changes that are taken at a time."""

MANY: Final = 20_000
"""Rows of a table that are removed after the last step instead of within."""

_TAKE: Final = """
    DELETE FROM captured_changes WHERE id IN (SELECT id FROM captured_changes ORDER BY id LIMIT %s)
    RETURNING table_name, key
"""
_TRIGGERS: Final = (
    ("captured_inserts", "INSERT", "NEW"),
    ("captured_updates", "UPDATE", "NEW"),
    ("captured_former", "UPDATE", "OLD"),
    ("captured_deletes", "DELETE", "OLD"),
)
_CAPTURE: Final = SQL("""
    CREATE OR REPLACE TRIGGER {name} AFTER {event} ON {table} REFERENCING {which} TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION capture_changes({account}, {table_name}, {key}, {condition})
""")
WITHOUT_TRIGGERS: Final = SQL("SET LOCAL session_replication_role = replica")
"""Rows are copied as they are: nothing follows from them a second time."""

_JOBS: Final = """
    procrastinate_jobs
     WHERE (args ->> 'task_id')::integer IN (SELECT id FROM async_tasks WHERE account_id = %s)
"""
_REMOVE_JOBS: Final = f"DELETE FROM {_JOBS}"
_REMOVE_JOB_EVENTS: Final = f"DELETE FROM procrastinate_events WHERE job_id IN (SELECT id FROM {_JOBS})"

_CREDENTIALS: Final = ("api_tokens", "report_links")
"""Tables of secrets that outlive the time before they named their account."""


@dataclass(frozen=True, slots=True)
class AccountMove:
    """What a move came to: the rows that were copied, and for how many seconds writers waited at the end."""

    account: int
    source: Cell
    target: Cell
    rows: int
    seconds_waited: float


Report = Callable[[str, int, int], None]
"""Takes what is being done, how much of it is done, and how much there is."""


def move_account(
    urls: DatabaseUrls, account: int, source: Cell, target: Cell, report: Report = lambda *_: None
) -> AccountMove:
    """Move an account from the cell that the directory names to another one.

    Raises Conflict while another one is moved, NotFound for no account, and Refusal where the role that owns
    the tables may not copy without triggers, or long transactions leave no moment for the last step.
    """
    with ExitStack() as open_connections:
        guard = open_connections.enter_context(psycopg.connect(urls.migrating, autocommit=True))
        _hold_moves(guard, locks.LOCK, "Another account is being moved, or cells are being verified")
        places = _Places(urls, source, target, open_connections)
        if _finish_earlier(places, account):
            return AccountMove(account, source, target, 0, 0.0)
        try:
            with _capture(places, account):
                return _copy_and_switch(places, account, report)
        except (LockNotAvailable, DeadlockDetected) as error:
            raise Refusal(
                f"Somebody held rows of the account {account} for too long; nothing was moved. Try again."
            ) from error


@contextmanager
def without_moves(url: str) -> Iterator[None]:
    """Have no account move meanwhile, for who reads all cells; Conflict where one is being moved."""
    with psycopg.connect(url, autocommit=True) as guard:
        _hold_moves(guard, locks.SHARED_LOCK, "An account is being moved")
        yield


def _hold_moves(guard: psycopg.Connection[Any], lock: SQL, what_is_in_the_way: str) -> None:
    guard.execute(SQL("SET lock_timeout = {}").format(Literal(f"{LAST_SECONDS}s")))
    try:
        guard.execute(lock.format(Literal(locks.ACCOUNT_MOVE)))
    except LockNotAvailable:
        raise Conflict(f"{what_is_in_the_way}; try again later.") from None


class _Places:
    """The cells of a move, and connections to where each lies: one for reading, others in transactions."""

    def __init__(self, urls: DatabaseUrls, source: Cell, target: Cell, stack: ExitStack) -> None:
        self.source, self.target = source, target
        self.urls = urls
        self.reader = stack.enter_context(
            psycopg.connect(url_in_cell(urls.migrating, source), autocommit=True)
        )
        self.tables = read_tables(self.reader)
        self._writers: dict[str | None, psycopg.Connection[Any]] = {}
        for node in {target.node, None, source.node}:
            url = urls.migrating if node is None else url_on_node(urls.migrating, node)
            self._writers[node] = stack.enter_context(psycopg.connect(url))
        self.begin()

    @property
    def is_elsewhere(self) -> bool:
        """Whether the target lies on another server than the source."""
        return self.source.node != self.target.node

    @property
    def directory(self) -> psycopg.Connection[Any]:
        """The transaction in which the directory is changed."""
        return self._writers[None]

    def within(self, cell: Cell) -> psycopg.Connection[Any]:
        """The transaction of a cell, whose tables its statements are on from now on."""
        connection = self._writers[cell.node]
        schema = cell.schema
        if schema is None:
            connection.execute("SET LOCAL search_path TO DEFAULT")
        else:
            connection.execute(SQL("SET LOCAL search_path TO {}").format(Identifier(schema)))
        return connection

    def begin(self) -> None:
        """Have no trigger of a cell follow from what the transactions do."""
        for connection in self._writers.values():
            try:
                connection.execute(WITHOUT_TRIGGERS)
            except InsufficientPrivilege as error:
                raise Refusal(
                    "The role that owns the tables may not copy rows without their triggers. Let it, as a"
                    " superuser: GRANT SET ON PARAMETER session_replication_role TO that role."
                ) from error

    def commit(self) -> None:
        """Commit what was done: the target first, so that nothing is lost between."""
        for node in dict.fromkeys((self.target.node, None, self.source.node)):
            self._writers[node].commit()

    def roll_back(self) -> None:
        """Undo what was done since the last commit."""
        for connection in self._writers.values():
            connection.rollback()


def _finish_earlier(places: _Places, account: int) -> bool:
    """Finish what an earlier attempt has left; whether there is nothing left to move."""
    in_source, in_target = (
        _has_account(places.within(cell), account) for cell in (places.source, places.target)
    )
    if not in_source and not in_target:
        message = f"There is no account {account} in the cell {places.source.name}."
        raise NotFound("account", account, message=message)
    if not in_target:
        return False
    if in_source:
        _remove(places, places.target, account, _projects_of(places.within(places.target), account))
    else:
        _point_to_target(places, account)
    places.commit()
    places.begin()
    return not in_source


def _has_account(connection: psycopg.Connection[Any], account: int) -> bool:
    return connection.execute("SELECT FROM accounts WHERE id = %s", (account,)).fetchone() is not None


def _projects_of(connection: psycopg.Connection[Any], account: int) -> list[int]:
    rows = connection.execute("SELECT id FROM projects WHERE account_id = %s ORDER BY id", (account,))
    return [project for (project,) in rows.fetchall()]


# Capturing: triggers write down the keys of rows that change while the account is copied.


@contextmanager
def _capture(places: _Places, account: int) -> Iterator[None]:
    """Have changes of the source captured within, of rows that may be the account's."""
    others = [
        project
        for (project,) in places.reader.execute(
            "SELECT id FROM projects WHERE account_id <> %s ORDER BY id", (account,)
        ).fetchall()
    ]
    with psycopg.connect(urls_in_cell(places.urls, places.source).migrating, autocommit=True) as owner:
        # Held by the reader, so that what a killed command leaves captures nothing.
        places.reader.execute(locks.LOCK.format(Literal(locks.CAPTURING)))
        places.reader.execute("DELETE FROM captured_changes")
        try:
            for rows in places.tables:
                _patiently(owner, _capturing(rows, account, others))
            yield
        finally:
            places.roll_back()  # a move that failed holds locks, for which the triggers would wait
            for rows in places.tables:
                table = Identifier(rows.table)
                names = [Identifier(name) for name, *_ in _TRIGGERS]
                _patiently(owner, [SQL("DROP TRIGGER IF EXISTS {} ON {}").format(n, table) for n in names])
            places.reader.execute("DELETE FROM captured_changes")


def _capturing(rows: Rows, account: int, others: Sequence[int]) -> list[Composed]:
    condition = rows.may_be(account, others).as_string(None)
    key = ", ".join(f"{name!r}, {name}" for name in rows.key)
    return [
        _CAPTURE.format(
            name=Identifier(name), event=SQL(event), which=SQL(which), table=Identifier(rows.table),
            account=Literal(str(account)), table_name=Literal(rows.table), key=Literal(key),
            condition=Literal(condition),
        )
        for name, event, which in _TRIGGERS
    ]  # fmt: skip


def _patiently(connection: psycopg.Connection[Any], statements: Sequence[Composed]) -> None:
    """Do what needs a table for a moment, without having others wait for long meanwhile."""
    for attempt in range(_ATTEMPTS_MAX):
        try:
            with connection.transaction():
                connection.execute(_timeout(WAIT_SECONDS))
                for statement in statements:  # a cluster takes one at a time
                    connection.execute(statement)
        except (LockNotAvailable, DeadlockDetected):
            if attempt == _ATTEMPTS_MAX - 1:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            return


def _timeout(seconds: float) -> Composed:
    return SQL("SET LOCAL lock_timeout = {}").format(Literal(f"{seconds}s"))


# Copying.


@dataclass(slots=True)
class _Copied:
    """How many rows of each table the target has by now."""

    rows: dict[str, int]

    def add(self, table: str, count: int) -> None:
        """Count rows that were added to a table, or taken away."""
        self.rows[table] = self.rows.get(table, 0) + count


def _copy_and_switch(places: _Places, account: int, report: Report) -> AccountMove:
    copied = _Copied({})
    for done, rows in enumerate(places.tables):
        report("tables", done, len(places.tables))
        copied.add(rows.table, _copy(places, rows, rows.condition(account)))
    report("tables", len(places.tables), len(places.tables))
    for attempt in range(_ATTEMPTS_MAX):
        for _ in range(_ROUNDS_MAX):
            if _catch_up(places, account, copied) <= FEW:
                break
        began = time.monotonic()
        if _close(places, account):
            break
        report("waiting for the account's transactions", attempt, _ATTEMPTS_MAX)
        time.sleep(PAUSE_SECONDS)
    else:
        raise Refusal(
            f"Transactions of the account {account} are under way all the time; nothing was moved. Try again "
            "when no long task of it runs."
        )
    projects = _switch(places, account, copied)
    seconds = time.monotonic() - began
    _settle(places, account, projects, copied, report)
    return AccountMove(account, places.source, places.target, sum(copied.rows.values()), seconds)


def _copy(places: _Places, rows: Rows, condition: Composable) -> int:
    """Copy rows from the source into the transaction of the target; how many there were."""
    table, names = Identifier(rows.table), SQL(", ").join(map(Identifier, rows.types))
    selected = SQL("SELECT {} FROM {} WHERE {}").format(
        rows.columns(is_elsewhere=places.is_elsewhere), table, condition
    )
    reading, writing = places.reader.cursor(), places.within(places.target).cursor()
    with (
        reading.copy(SQL("COPY ({}) TO STDOUT").format(selected)) as taken,
        writing.copy(SQL("COPY {} ({}) FROM STDIN").format(table, names)) as given,
    ):
        for line in taken:
            given.write(line)
    return writing.rowcount


def _catch_up(places: _Places, account: int, copied: _Copied) -> int:
    """Copy again what has changed in the source since; how many rows that were."""
    keys: dict[str, set[tuple[str, ...]]] = {}
    by_name = {rows.table: rows for rows in places.tables}
    for table, key in places.reader.execute(_TAKE, (_TAKEN_MAX,)).fetchall():
        keys.setdefault(table, set()).add(tuple(str(key[name]) for name in by_name[table].key))
    changed = [(by_name[table], _is_one_of(by_name[table], found)) for table, found in keys.items()]
    # All of them before any is copied: two rows may have exchanged what has to be unique.
    for rows, is_changed in changed:
        removal = SQL("DELETE FROM {} WHERE {}").format(Identifier(rows.table), is_changed)
        copied.add(rows.table, -places.within(places.target).execute(removal).rowcount)
    for rows, is_changed in changed:
        condition = SQL("{} AND ({})").format(is_changed, rows.condition(account))
        copied.add(rows.table, _copy(places, rows, condition))
    return sum(map(len, keys.values()))


def _is_one_of(rows: Rows, keys: set[tuple[str, ...]]) -> Composable:
    columns = SQL(", ").join(map(Identifier, rows.key))
    values = SQL(", ").join(
        SQL("{}::text[]::{}[]").format(Literal([key[place] for key in keys]), SQL(rows.types[name]))
        for place, name in enumerate(rows.key)
    )
    return SQL("({}) IN (SELECT * FROM unnest({}))").format(columns, values)


# The last step: writers wait, the rest is copied, and the account is where it was not.


def _close(places: _Places, account: int) -> bool:
    """Have writers of the account wait until the source's transaction ends; False if that takes long."""
    source = places.within(places.source)
    try:
        with source.transaction():
            source.execute(_timeout(WAIT_SECONDS))
            source.execute("SELECT FROM accounts WHERE id = %s FOR UPDATE", (account,))
            source.execute(*locks.hold(locks.account_move(account)))
    except (LockNotAvailable, DeadlockDetected):
        return False
    return True


def _switch(places: _Places, account: int, copied: _Copied) -> list[int]:
    """Copy what is left, take the account from the source and point to the target; gives its projects."""
    places.within(places.source).execute(_timeout(LAST_SECONDS))
    while _catch_up(places, account, copied):
        pass
    _compare(places, account, copied)
    target = places.within(places.target)
    projects = _projects_of(target, account)
    target.execute("INSERT INTO waiting_marks (project_id) SELECT unnest(%s::integer[])", (projects,))
    _point_to_target(places, account)
    _remove(places, places.source, account, projects, but=_many(places, copied))
    places.commit()
    return projects


def _compare(places: _Places, account: int, copied: _Copied) -> None:
    """Refuse to move an account of which the target has not as many rows as the source."""
    counts = SQL(", ").join(
        SQL("(SELECT count(*) FROM {} WHERE {})").format(Identifier(rows.table), rows.condition(account))
        for rows in places.tables
    )
    found = places.reader.execute(SQL("SELECT {}").format(counts)).fetchone() or ()
    differing = [
        f"{rows.table} has {there:,} rows and {copied.rows[rows.table]:,} were copied"
        for rows, there in zip(places.tables, found, strict=True)
        if there != copied.rows[rows.table]
    ]
    if differing:
        raise Conflict(f"The account {account} was not moved: {'; '.join(differing)}.")


def _many(places: _Places, copied: _Copied) -> set[str]:
    """Tables with so many rows of the account that nobody is to wait for their removal."""
    return {rows.table for rows in places.tables if rows.parent is None and copied.rows[rows.table] > MANY}


def _point_to_target(places: _Places, account: int) -> None:
    """Have the directory name the target, also for secrets that do not name their account."""
    for table in _CREDENTIALS:
        rows = next(rows for rows in places.tables if rows.table == table)
        secrets = SQL("SELECT secret_hash FROM {} WHERE {}").format(
            Identifier(table), rows.condition(account)
        )
        hashes = [found for (found,) in places.within(places.target).execute(secrets).fetchall()]
        places.directory.execute(
            f"INSERT INTO {SCHEMA}.secrets (hash, account_id) SELECT unnest(%s::bytea[]), %s"
            " ON CONFLICT DO NOTHING",
            (hashes, account),
        )
    places.directory.execute(
        f"UPDATE {SCHEMA}.accounts SET cell = %s, moved_at = now() WHERE id = %s",
        (places.target.number, account),
    )


def _remove(
    places: _Places, cell: Cell, account: int, projects: Sequence[int], but: Collection[str] = ()
) -> None:
    """Remove the rows of an account from a cell, and the jobs of its tasks; rows that name others first."""
    connection = places.within(cell)
    connection.execute(_REMOVE_JOB_EVENTS, (account,))
    connection.execute(_REMOVE_JOBS, (account,))
    for rows in places.tables:
        if rows.table not in but:
            condition = rows.condition(account, projects)
            connection.execute(SQL("DELETE FROM {} WHERE {}").format(Identifier(rows.table), condition))


def remove_leftovers(urls: DatabaseUrls, account: int, cell: Cell, others: Sequence[Cell]) -> None:
    """Remove from other cells what a move that was ended too early has left of an account."""
    for other in others:
        with ExitStack() as stack:
            places = _Places(urls, cell, other, stack)
            _remove(places, other, account, _projects_of(places.within(cell), account))
            places.commit()


# Afterwards: what leads nowhere any more is removed, and the planner learns what the target has now.


def _settle(places: _Places, account: int, projects: Sequence[int], copied: _Copied, report: Report) -> None:
    places.begin()
    many = sorted(_many(places, copied))
    for done, table in enumerate(many):
        report("removal", done, len(many))
        target = places.within(places.target)
        target.execute(SQL("ANALYZE {}").format(Identifier(table)))
        rows = next(rows for rows in places.tables if rows.table == table)
        removal = SQL("DELETE FROM {} WHERE {}").format(Identifier(table), rows.condition(account, projects))
        places.within(places.source).execute(removal)
        places.commit()
        places.begin()
    report("removal", len(many), len(many))
