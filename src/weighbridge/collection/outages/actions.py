"""Declare outages, change and remove them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from weighbridge.collection.outages import queries
from weighbridge.collection.outages.records import NewOutage, Outage, OutageChange
from weighbridge.core.collection.evidence import problems_of_link
from weighbridge.core.identity import ids
from weighbridge.core.identity.unseen import said_of_unseen
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.instant import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.db.patch import changed
from weighbridge.errors import Invalid
from weighbridge.platform import changes

_KINDS: Final = {"asset": "an asset", "location": "a location", "event_type": "an event type"}
"""What an outage may name, with the words for it."""


@dataclass(frozen=True, slots=True)
class _Named:
    """The numbers of what an outage names; None of what it does not."""

    asset: int | None
    location: int | None
    event_type: int | None


async def create_outage(tx: Write, actor: Actor, project: int, new: NewOutage) -> Outage:
    """Declare an outage of a meter."""
    keys = await _checked(tx, project, new)
    number: int = await tx.value(
        """
        INSERT INTO outages (project_id, reason, asset_id, location_id, event_type_id, start_time, end_time,
                             evidence_url)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            project, new.reason.strip(), keys.asset, keys.location, keys.event_type,
            Instant.of(new.start_time), new.end_time and Instant.of(new.end_time), new.evidence_url,
        ),
    )  # fmt: skip
    made = await queries.get_outage(tx, project, str(number))
    changes.record(
        tx, actor, _stretches(project, made), action="outage.create", target=str(number), project_id=project,
        after=made,
    )  # fmt: skip
    return made


async def update_outage(tx: Write, actor: Actor, project: int, named: str, change: OutageChange) -> Outage:
    """Change an outage; the audit log keeps what it said before."""
    before = await _locked(tx, project, named)
    desired = changed(before, change)
    keys = await _checked(tx, project, desired)
    start, end = Instant.of(desired.start_time), desired.end_time and Instant.of(desired.end_time)
    reason = desired.reason.strip()
    await tx.execute(
        """
        UPDATE outages SET reason = %s, asset_id = %s, location_id = %s, event_type_id = %s, start_time = %s,
                           end_time = %s, evidence_url = %s, updated_at = now()
         WHERE project_id = %s AND id = %s
           AND (reason, asset_id, location_id, event_type_id, start_time, end_time, evidence_url)
               IS DISTINCT FROM (%s::text, %s::integer, %s::integer, %s::integer, %s::timestamptz,
                                 %s::timestamptz, %s::text)
        """,
        (
            reason, keys.asset, keys.location, keys.event_type, start, end, desired.evidence_url,
            project, before.id,
            reason, keys.asset, keys.location, keys.event_type, start, end, desired.evidence_url,
        ),
    )  # fmt: skip
    after = await queries.get_outage(tx, project, named)
    if after != before:
        changes.record(
            tx, actor, _stretches(project, before, after), action="outage.update", target=named,
            project_id=project, before=before, after=after,
        )  # fmt: skip
    return after


async def delete_outage(tx: Write, actor: Actor, project: int, named: str) -> None:
    """Remove an outage, so that measurements are expected in its time again."""
    before = await _locked(tx, project, named)
    await tx.execute("DELETE FROM outages WHERE project_id = %s AND id = %s", (project, before.id))
    changes.record(
        tx, actor, _stretches(project, before), action="outage.delete", target=named, project_id=project,
        before=before,
    )  # fmt: skip


def _stretches(project: int, *outages: Outage) -> changes.ChangedOutages:
    """The times for which something else is expected now."""
    return changes.ChangedOutages(
        [
            (
                None if one.event_type_id is None else ids.number("event_type", one.event_type_id, project),
                one.start_time,
                one.end_time,
            )
            for one in outages
        ]
    )


async def _locked(tx: Write, project: int, named: str) -> Outage:
    """An outage that nobody else changes or removes until the transaction ends."""
    found = await queries.get_outage(tx, project, named)
    await tx.execute("SELECT FROM outages WHERE project_id = %s AND id = %s FOR UPDATE", (project, found.id))
    return await queries.get_outage(tx, project, named)


async def _checked(tx: Read, project: int, said: NewOutage | Outage) -> _Named:
    """The keys of what an outage names; Invalid with everything that is wrong with it."""
    keys = _Named(
        *(
            None if (friendly := getattr(said, f"{kind}_id")) is None else ids.number(kind, friendly, project)
            for kind in _KINDS
        )
    )
    if problems := [*_problems_of_shape(said), *await _problems_of_keys(tx, project, said, keys)]:
        raise Invalid(problems)
    return keys


def _problems_of_shape(said: NewOutage | Outage) -> Iterator[Problem]:
    if not said.reason.strip():
        yield Problem("An outage needs a reason; outage.reason is empty.", "outage.reason", "required")
    elif unseen := said_of_unseen(said.reason):
        yield Problem(f"outage.reason {unseen}.", "outage.reason", "invalid")
    if said.asset_id is not None and said.location_id is not None:
        text = (
            "An outage is of an asset or of a location, for each is a meter of its own; send one of the two."
        )
        yield Problem(text, "outage.location_id", "conflict")
    if said.end_time is not None and said.end_time <= said.start_time:
        start, end = Instant.of(said.start_time), Instant.of(said.end_time)
        text = f"outage.end_time is {end.text}, which is not after start_time, {start.text}."
        yield Problem(text, "outage.end_time", "invalid")
    if said.evidence_url is not None:
        yield from problems_of_link(said.evidence_url, "outage.evidence_url")


async def _problems_of_keys(tx: Read, project: int, said: NewOutage | Outage, keys: _Named) -> list[Problem]:
    """Records that are named and that the project does not have; those that it has stay until the end."""
    [is_there] = await tx.tuples(
        """
        SELECT (SELECT true FROM assets WHERE project_id = %(project)s AND id = %(asset)s),
               (SELECT true FROM locations WHERE project_id = %(project)s AND id = %(location)s),
               (SELECT true FROM event_types WHERE project_id = %(project)s AND id = %(event_type)s)
        """,
        {
            "project": project,
            "asset": keys.asset,
            "location": keys.location,
            "event_type": keys.event_type,
        },
    )
    named = ((kind, getattr(said, f"{kind}_id")) for kind in _KINDS)
    return [
        Problem(
            f"outage.{kind}_id is {friendly!r}, which is not {_KINDS[kind]} of the project.",
            f"outage.{kind}_id",
            "unknown",
        )
        for (kind, friendly), is_known in zip(named, is_there, strict=True)
        if friendly is not None and not is_known
    ]
