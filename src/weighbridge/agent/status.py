"""What a spool holds, and how the agent fares: read beside a running agent, and changing nothing.

It is read from a connection of its own that may not write, so a status is to be had at any time.
"""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import msgspec

from weighbridge.agent.clock import microseconds, moment_of, text_of
from weighbridge.agent.report import seconds
from weighbridge.errors import Refusal

SHOWN_MAX: Final = 20
"""Refused readings that a status shows; the newest."""

BUSY_SECONDS: Final = 10


@dataclass(frozen=True, slots=True)
class RefusedShown:
    """A reading that was set apart."""

    reference: str
    reason: str
    refused_at: str
    content: str


@dataclass(frozen=True, slots=True)
class AgentStatus:
    """What a spool holds at a moment; times in ISO 8601, in UTC."""

    waiting: int
    oldest_arrived_at: str | None
    lag_seconds: Decimal
    sent: int
    """Readings that the service has, by the names that the spool remembers."""
    refused: int
    refused_newest: list[RefusedShown]
    facts: dict[str, Any]
    """How the service and each source fared when it was last noted, with `at`."""
    positions: dict[str, str]
    """Up to which source time each variable is known, as `source/variable`."""


def status_of(path: Path, at: datetime) -> AgentStatus:
    """What a spool holds. Raises Refusal where there is none."""
    if not path.exists():
        raise Refusal(f"There is no spool {path}; the agent has not run yet.")
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=BUSY_SECONDS)
        try:
            return _read(connection, at)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise Refusal(f"The spool {path} cannot be read: {error}.") from None


def _read(connection: sqlite3.Connection, at: datetime) -> AgentStatus:
    connection.execute("BEGIN")
    ask = connection.execute
    waiting, oldest = ask("SELECT count(*), min(arrived_at) FROM readings").fetchone()
    (sent,) = ask("SELECT count(*) FROM sent").fetchone()
    (refused,) = ask("SELECT count(*) FROM refused").fetchone()
    newest = ask(
        "SELECT reference, reason, refused_at, content FROM refused ORDER BY id DESC LIMIT ?", (SHOWN_MAX,)
    ).fetchall()
    facts = {
        name: msgspec.json.decode(fact) | {"at": text_of(moment_of(moment))}
        for name, fact, moment in ask("SELECT name, fact, at FROM facts ORDER BY name")
    }
    positions = {
        f"{source}/{node}": text_of(moment_of(time))
        for source, node, time in ask("SELECT source, node, time FROM positions ORDER BY source, node")
    }
    lag = 0 if oldest is None else max(microseconds(at) - oldest, 0)
    return AgentStatus(
        waiting,
        None if oldest is None else text_of(moment_of(oldest)),
        seconds(moment_of(lag) - moment_of(0)),
        sent,
        refused,
        [
            RefusedShown(reference, reason, text_of(moment_of(moment)), content.decode(errors="replace"))
            for reference, reason, moment, content in newest
        ],
        facts,
        positions,
    )


def sentences_of(status: AgentStatus) -> str:
    """A status for people."""
    lines = [
        f"{status.waiting:,} readings wait"
        + (f", the oldest for {status.lag_seconds} seconds." if status.waiting else "."),
        f"{status.refused:,} readings are set apart.",
    ]
    for name, fact in status.facts.items():
        said = f"{name}: {fact.get('state')}"
        if fact.get("clock_offset_seconds") is not None:
            said += f"; this clock is {fact['clock_offset_seconds']} seconds ahead of its"
        lines.append(f"{said} ({fact['at']}).")
        if fact.get("error"):
            lines.append(f"  {fact['error']}")
        lines += [f"  {node}: {problem}" for node, problem in (fact.get("problems") or {}).items()]
    lines += [f"{name} is known up to {time}." for name, time in status.positions.items()]
    for one in status.refused_newest:
        lines += [f"Set apart {one.refused_at}: {one.reference}", f"  {one.reason}", f"  {one.content}"]
    return "\n".join(lines)
