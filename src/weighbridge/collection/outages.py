"""Outages: stretches of time in which nothing is expected of a meter, with the reason and what proves it.

An outage names an asset, a location, or an event type, which stands for all meters of that type; one
that names nothing is of all meters of the project, and an asset or a location with an event type is
that meter among the events of that type. Outages may overlap: what several declare counts once. Each
may be changed and removed, and the audit log keeps what it outage. Capture rates (`quality/slots`) read
them. Permission: data collection.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.collection.records.projects import (
    NewOutage,
    NewOutageBody,
    Outage,
    OutageChange,
    OutageChangeBody,
)
from weighbridge.core import identity
from weighbridge.core.collection.evidence import check_link
from weighbridge.core.identity import explain_unseen
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    BOUNDS,
    MOMENT,
    Filter,
    Listing,
    ListRequest,
    Page,
    list_request,
    read_int4,
    read_moment,
    read_page,
)
from weighbridge.db.row import Column, changed, row_of, unless_null
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid, NotFound
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import find, project_named, project_to_read

# Read outages.


OUTAGES: Final = Listing(
    sorts={"id": "id", "start_time": "start_time", "created_at": "created_at", "updated_at": "updated_at"},
    default_sort="id",
    key=("id",),
    filters={
        "start_time": Filter("start_time", read_moment, MOMENT, BOUNDS),
        "end_time": Filter("end_time", read_moment, MOMENT, BOUNDS),
    },
)


OUTAGE_ROW: Final = row_of(
    Outage,
    Column("id", "id"),
    Column("project_id", "project_id", partial(identity.of, "project")),
    Column("reason", "reason"),
    Column("asset_id", ("project_id", "asset_id"), unless_null(partial(identity.of, "asset"))),
    Column("location_id", ("project_id", "location_id"), unless_null(partial(identity.of, "location"))),
    Column("event_type_id", ("project_id", "event_type_id"), unless_null(partial(identity.of, "event_type"))),
    Column("start_time", "start_time"),
    Column("end_time", "end_time"),
    Column("evidence_url", "evidence_url"),
    Column("created_at", "created_at"),
    Column("updated_at", "updated_at"),
)


async def select_outages(tx: Read, project: int, request: ListRequest) -> Page[Outage]:
    """The outages of a project."""
    of_project = SQL("project_id = {}").format(Literal(project))
    return await read_page(tx, OUTAGE_ROW, OUTAGES, request, source="outages", where=[of_project])


async def read_outage(tx: Read, project: int, named: str) -> Outage:
    """One outage by its number."""
    try:
        number = read_int4(named)
    except ValueError:
        raise NotFound from None
    return await find(tx, OUTAGE_ROW, "outages", SQL("project_id = %s AND id = %s"), (project, number))


# Declare outages, change and remove them.


_KINDS: Final = {"asset": "an asset", "location": "a location", "event_type": "an event type"}
"""What an outage may name, with the words for it."""


@dataclass(frozen=True, slots=True)
class _Named:
    """The numbers of what an outage names; None of what it does not."""

    asset: int | None
    location: int | None
    event_type: int | None


async def insert_outage(tx: Write, actor: Actor, project: int, new: NewOutage) -> Outage:
    """Declare an outage of a meter."""
    keys = await _check_outage(tx, project, new)
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
    made = await read_outage(tx, project, str(number))
    changes.record(
        tx, actor, _stretches(project, made), action="outage.create", target=str(number), project_id=project,
        after=made,
    )  # fmt: skip
    return made


async def change_outage(tx: Write, actor: Actor, project: int, named: str, change: OutageChange) -> Outage:
    """Change an outage; the audit log keeps what it said before."""
    before = await _lock_outage(tx, project, named)
    desired = changed(before, change)
    keys = await _check_outage(tx, project, desired)
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
    after = await read_outage(tx, project, named)
    if after != before:
        changes.record(
            tx, actor, _stretches(project, before, after), action="outage.update", target=named,
            project_id=project, before=before, after=after,
        )  # fmt: skip
    return after


async def remove_outage(tx: Write, actor: Actor, project: int, named: str) -> None:
    """Remove an outage, so that measurements are expected in its time again."""
    before = await _lock_outage(tx, project, named)
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
                None
                if outage.event_type_id is None
                else identity.number("event_type", outage.event_type_id, project),
                outage.start_time,
                outage.end_time,
            )
            for outage in outages
        ]
    )


async def _lock_outage(tx: Write, project: int, named: str) -> Outage:
    """An outage that nobody else changes or removes until the transaction ends."""
    found = await read_outage(tx, project, named)
    await tx.execute("SELECT FROM outages WHERE project_id = %s AND id = %s FOR UPDATE", (project, found.id))
    return await read_outage(tx, project, named)


async def _check_outage(tx: Read, project: int, outage: NewOutage | Outage) -> _Named:
    """The keys of what an outage names; Invalid with everything that is wrong with it."""
    keys = _Named(
        *(
            None
            if (friendly := getattr(outage, f"{kind}_id")) is None
            else identity.number(kind, friendly, project)
            for kind in _KINDS
        )
    )
    if problems := [*_problems_of_shape(outage), *await _problems_of_keys(tx, project, outage, keys)]:
        raise Invalid(problems)
    return keys


def _problems_of_shape(outage: NewOutage | Outage) -> Iterator[Problem]:
    if not outage.reason.strip():
        yield Problem("An outage needs a reason; outage.reason is empty.", "outage.reason", "required")
    elif unseen := explain_unseen(outage.reason):
        yield Problem(f"outage.reason {unseen}.", "outage.reason", "invalid")
    if outage.asset_id is not None and outage.location_id is not None:
        message = (
            "An outage is of an asset or of a location, for each is a meter of its own; send one of the two."
        )
        yield Problem(message, "outage.location_id", "conflict")
    if outage.end_time is not None and outage.end_time <= outage.start_time:
        start, end = Instant.of(outage.start_time), Instant.of(outage.end_time)
        message = f"outage.end_time is {end.text}, which is not after start_time, {start.text}."
        yield Problem(message, "outage.end_time", "invalid")
    if outage.evidence_url is not None:
        yield from check_link(outage.evidence_url, "outage.evidence_url")


async def _problems_of_keys(
    tx: Read, project: int, outage: NewOutage | Outage, keys: _Named
) -> list[Problem]:
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
    named = ((kind, getattr(outage, f"{kind}_id")) for kind in _KINDS)
    return [
        Problem(
            f"outage.{kind}_id is {friendly!r}, which is not {_KINDS[kind]} of the project.",
            f"outage.{kind}_id",
            "unknown",
        )
        for (kind, friendly), is_known in zip(named, is_there, strict=True)
        if friendly is not None and not is_known
    ]


# Paths of outages.


_PATH = "/projects/{project_id}/outages"
_ONE = _PATH + "/{outage_id}"


@get(_PATH, permission="data_collection:read", returns=Page[Outage], listing=OUTAGES)
async def list_outages(call: ReadCall) -> Page[Outage]:
    """List a project's outages: when nothing was expected of which meter, and why."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await select_outages(call.tx, project, list_request(call.query, OUTAGES))


@post(
    _PATH,
    permission="data_collection:write",
    body=NewOutageBody,
    returns=Outage,
    example={
        "outage": {
            "reason": "Maintenance of the kiln",
            "start_time": "2025-02-20T00:00:00Z",
            "end_time": "2025-02-22T00:00:00Z",
        }
    },
)
async def create_outage(call: WriteCall, body: NewOutageBody) -> Outage:
    """Declare an outage of an asset, of a location, of all meters of an event type, or of the project.

    Capture rates expect nothing in the slots that outages cover as a whole. An asset or a location with an
    event type is out for the events of that type only. Without `end_time` it lasts until one is sent.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await insert_outage(call.tx, call.actor, project, body.outage)


@get(_ONE, permission="data_collection:read", returns=Outage)
async def get_outage(call: ReadCall) -> Outage:
    """Read one outage."""
    project = project_to_read(call.tx, call.actor, call.path["project_id"])
    return await read_outage(call.tx, project, call.path["outage_id"])


@patch(_ONE, permission="data_collection:write", body=OutageChangeBody, returns=Outage)
async def update_outage(call: WriteCall, body: OutageChangeBody) -> Outage:
    """Change an outage, for example say when it ended; the audit log keeps what it said before."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await change_outage(call.tx, call.actor, project, call.path["outage_id"], body.outage)


@delete(_ONE, permission="data_collection:write")
async def delete_outage(call: WriteCall) -> None:
    """Remove an outage, so that measurements are expected in its time again."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    await remove_outage(call.tx, call.actor, project, call.path["outage_id"])


ROUTES = [list_outages, create_outage, get_outage, update_outage, delete_outage]
