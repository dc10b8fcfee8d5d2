"""Find the row of the audit log that a request means by `as_of`: its number, or the newest row at a time.

What is known at a row never changes once later rows are dated after it. Where none is, as with the newest row
of all, everything that was committed is sealed first, and the number and the time are closed: what commits
later becomes known after them. So a number or a time means the same whenever it is asked for.

Invariant: a time that is still to come is refused, because what will be known then is not settled.
"""

from dataclasses import dataclass
from typing import Any, Final

from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db import locks
from weighbridge.db.engine import Database, Read, Write
from weighbridge.db.known_then import AS_OF, COLUMNS, KnownThen, VersionedTables
from weighbridge.db.lists.listing import read_moment
from weighbridge.errors import Gone, Malformed
from weighbridge.platform.audit_tree import SEALED_AT_ONCE, seal_account, size_of

_TABLES: Final = "tables of versions"
_DIGITS_MAX: Final = 18
_NO_BOUND: Final = 2**63 - 1
_NUMBERED_AT_ONCE: Final = 1_000

_HORIZON: Final = "SELECT number, known_at FROM version_horizons WHERE account_id = %s"
_AFTER_NUMBER: Final = """
    SELECT %(number)s::bigint, (SELECT t.known_at FROM audit_times t
                                 WHERE t.account_id = %(account)s AND t.number = %(number)s), n.last_moment
      FROM audit_times n WHERE n.account_id = %(account)s AND n.number = %(number)s + 1
"""
_AFTER_TIME: Final = """
    SELECT n.number - 1, (SELECT t.known_at FROM audit_times t
                           WHERE t.account_id = %(account)s AND t.number = n.number - 1), n.last_moment
      FROM (SELECT number, last_moment FROM audit_times
             WHERE account_id = %(account)s AND known_at > %(time)s ORDER BY known_at, number LIMIT 1) AS n
"""
_CLOSE: Final = """
    INSERT INTO answered_moments AS a (account_id, number, known_at) VALUES (%s, %s, %s)
    ON CONFLICT (account_id) DO UPDATE
       SET number = greatest(a.number, excluded.number), known_at = greatest(a.known_at, excluded.known_at)
     WHERE a.number < excluded.number OR a.known_at < excluded.known_at
"""


@dataclass(frozen=True, slots=True)
class AsOf:
    """What a request gave: a number of the log, or a time."""

    number: int | None
    time: Instant | None

    @classmethod
    def read(cls, text: str, name: str = AS_OF) -> "AsOf":
        """Read the parameter; Malformed when it is neither."""
        if text.isascii() and text.isdecimal() and len(text) <= _DIGITS_MAX:
            return cls(int(text), None)
        try:
            return cls(None, read_moment(text))
        except (ValueError, OverflowError):
            message = (
                f"{name} is {shorten(text)!r}; it takes a number of the account's audit log, such as 1042, "
                "or a time with its offset, such as 2025-03-31T23:59:59Z."
            )
            raise Malformed([Problem(message, name, "invalid")]) from None


async def find_known_then(database: Database, actor: Actor, text: str | None) -> KnownThen:
    """The row of the log that the text means, or the newest; Malformed where there is none.

    Gone before versions were kept.
    """
    asked, account = AsOf(None, None) if text is None else AsOf.read(text), actor.account_id
    async with database.read() as tx:
        found = await _find_settled(tx, account, asked)
        refused = await _find_problem(tx, account, asked, found)
    if refused is not None:
        raise refused
    return found or await _close(database, account, asked)


async def find_number_before(tx: Read, then: KnownThen, text: str, name: str) -> tuple[int, Instant | None]:
    """The number and the time of a row up to one that is looked back to; Malformed for a later one."""
    asked = AsOf.read(text, name)
    found = await _find_settled(tx, then.account, asked)
    if refused := await _find_problem(tx, then.account, asked, found, name):
        raise refused
    if found is not None and found.number < then.number:
        return found.number, found.known_at
    if asked.number in {None, then.number} or (found is not None and found.number == then.number):
        return then.number, then.known_at
    message = (
        f"{name} is {asked.number}, which is after row {then.number} of the audit log, where the steps end."
    )
    raise Malformed([Problem(message, name, "invalid")])


async def _find_settled(tx: Read, account: int, asked: AsOf) -> KnownThen | None:
    """The row, if a later one is dated after it."""
    if asked == AsOf(None, None):
        return None
    values: dict[str, Any] = {"account": account, "number": asked.number, "time": asked.time}
    rows = await tx.tuples(_AFTER_TIME if asked.number is None else _AFTER_NUMBER, values)
    if not rows:
        return None
    number, known_at, last_moment = rows[0]
    return KnownThen(account, number, known_at, last_moment, await _read_tables(tx))


async def _read_tables(tx: Read) -> VersionedTables:
    """The tables whose versions are kept, which the process asks about once."""
    tables: VersionedTables | None = tx.memory.recall(_TABLES)
    if tables is None:
        tables = VersionedTables(dict(await tx.tuples(*COLUMNS)))
        tx.memory.keep(_TABLES, tables)
    return tables


async def _find_problem(
    tx: Read, account: int, asked: AsOf, found: KnownThen | None, name: str = AS_OF
) -> Exception | None:
    """Why nothing is known of that row, where something is in the way that stays so."""
    if asked.time is not None and asked.time > (now := await tx.value("SELECT clock_timestamp()")):
        message = (
            f"{name} is {asked.time.text}, which is still to come: it is {Instant.of(now).text}. What will "
            "be known then is not settled yet. Ask for a time that is past, or leave it out."
        )
        return Malformed([Problem(message, name, "invalid")])
    horizon = await tx.tuples(_HORIZON, (account,))
    number = asked.number if found is None else found.number
    if not horizon or number is None or number >= horizon[0][0]:
        return None
    message = (
        f"{name} means row {number} of the audit log. Versions of records are kept since row "
        f"{horizon[0][0]}, of {Instant.of(horizon[0][1]).text}, so what was known before cannot be told."
    )
    return Gone([Problem(message, name, "no_versions")])


async def _close(database: Database, account: int, asked: AsOf) -> KnownThen:
    """Seal what was committed, find the row again, and let nothing become known before it any more."""
    numbered = _NUMBERED_AT_ONCE
    while numbered >= _NUMBERED_AT_ONCE:
        row = await database.single("SELECT number_changes()")
        numbered = row[0] if row else 0
    sealed = SEALED_AT_ONCE
    while sealed == SEALED_AT_ONCE:
        async with database.write() as tx:
            sealed = await seal_account(tx, account, waits=True)
    async with database.write() as tx:
        await tx.execute(*locks.hold(locks.audit_seal(account)))
        found = await _find_settled(tx, account, asked)
        return found or await _close_newest(tx, account, asked)


async def _close_newest(tx: Write, account: int, asked: AsOf) -> KnownThen:
    """The newest row, up to which and up to the time that is asked for nothing more becomes known."""
    newest = await size_of(tx, account)
    if asked.number is not None and asked.number > newest:
        message = (
            f"{AS_OF} is {asked.number}, but the newest row of the account's audit log has number {newest}."
        )
        raise Malformed([Problem(message, AS_OF, "invalid")])
    known_at = await tx.value(
        "SELECT known_at FROM audit_times WHERE account_id = %s AND number = %s", (account, newest)
    )
    if times := [time for time in (asked.time, known_at) if time is not None]:
        tx.later(_CLOSE, (account, newest, max(times)))
    return KnownThen(account, newest, known_at, _NO_BOUND, await _read_tables(tx))
