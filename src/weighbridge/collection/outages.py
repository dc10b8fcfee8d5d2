"""Outages: stretches of time in which nothing is expected of a meter, with the reason and what proves it.

An outage names an asset, a location, or an event type, which stands for all meters of that type; one
that names nothing is of all meters of the project, and an asset or a location with an event type is
that meter among the events of that type. Outages may overlap: what several declare counts once. Each
may be changed and removed, and the audit log keeps what it outage. Capture rates (`quality/slots`) read
them. Permission: data collection.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from weighbridge.collection.named_records.noun import ProjectNoun
from weighbridge.collection.records.projects import (
    OUTAGE_BODIES,
    Outage,
)
from weighbridge.core import identity
from weighbridge.core.collection.evidence import check_link
from weighbridge.core.identity import explain_unseen
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.db.engine import Read
from weighbridge.db.lists.listing import Page
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, patch, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import project_of

OUTAGES: Final = ProjectNoun(OUTAGE_BODIES, "outages")

# What an outage must be like, and what depends on its time.


_KINDS: Final = {"asset": "an asset", "location": "a location", "event_type": "an event type"}
"""What an outage may name, with the words for it."""


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


async def _check_outage(tx: Read, project: int, outage: Outage) -> None:
    """Raise Invalid with everything that is wrong with an outage."""
    if problems := [*_problems_of_shape(outage), *await _problems_of_keys(tx, project, outage)]:
        raise Invalid(problems)


def _problems_of_shape(outage: Outage) -> Iterator[Problem]:
    if not outage.reason:
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


async def _problems_of_keys(tx: Read, project: int, outage: Outage) -> list[Problem]:
    """Records that are named and that the project does not have; those that it has stay until the end."""
    named = {kind: getattr(outage, f"{kind}_id") for kind in _KINDS}
    numbers = {kind: identity.number(kind, friendly or "", project) for kind, friendly in named.items()}
    [is_there] = await tx.tuples(
        """
        SELECT (SELECT true FROM assets WHERE project_id = %(project)s AND id = %(asset)s),
               (SELECT true FROM locations WHERE project_id = %(project)s AND id = %(location)s),
               (SELECT true FROM event_types WHERE project_id = %(project)s AND id = %(event_type)s)
        """,
        {"project": project, **numbers},
    )
    return [
        Problem(
            f"outage.{kind}_id is {friendly!r}, which is not {_KINDS[kind]} of the project.",
            f"outage.{kind}_id",
            "unknown",
        )
        for (kind, friendly), is_known in zip(named.items(), is_there, strict=True)
        if friendly is not None and not is_known
    ]


# Declare outages, change and remove them.


_PATH = "/projects/{project_id}/outages"
_ONE = _PATH + "/{outage_id}"


@get(_PATH, permission="data_collection:read", returns=Page[Outage], listing=OUTAGES.listing)
async def list_outages(call: ReadCall) -> Page[Outage]:
    """List a project's outages: when nothing was expected of which meter, and why."""
    return await OUTAGES.list_of_project(call)


@post(
    _PATH,
    permission="data_collection:write",
    body=OUTAGE_BODIES.new_body,
    returns=Outage,
    example={
        "outage": {
            "reason": "Maintenance of the kiln",
            "start_time": "2025-02-20T00:00:00Z",
            "end_time": "2025-02-22T00:00:00Z",
        }
    },
)
async def create_outage(call: WriteCall, body: Struct) -> Outage:
    """Declare an outage of an asset, of a location, of all meters of an event type, or of the project.

    Capture rates expect nothing in the slots that outages cover as a whole. An asset or a location with an
    event type is out for the events of that type only. Without `end_time` it lasts until one is sent.
    """
    tx, project, new = call.tx, await project_of(call), OUTAGE_BODIES.created(body)
    await _check_outage(tx, project, new)
    made = await OUTAGES.insert(tx, project, new)
    changes.record(
        tx, call.actor, _stretches(project, made), action="outage.create", target=str(made.id),
        project_id=project, after=made,
    )  # fmt: skip
    return made


@get(_ONE, permission="data_collection:read", returns=Outage)
async def get_outage(call: ReadCall) -> Outage:
    """Read one outage."""
    return await OUTAGES.get(call)


@patch(_ONE, permission="data_collection:write", body=OUTAGE_BODIES.change_body, returns=Outage)
async def update_outage(call: WriteCall, body: Struct) -> Outage:
    """Change an outage, for example say when it ended; the audit log keeps what it said before."""
    tx, project, named = call.tx, await project_of(call), call.path["outage_id"]
    before = await OUTAGES.read(tx, project, named, locks=True)
    desired = OUTAGE_BODIES.changed(before, body)
    await _check_outage(tx, project, desired)
    if desired == before:
        return before
    after = await OUTAGES.replace(tx, project, before.id, desired)
    changes.record(
        tx, call.actor, _stretches(project, before, after), action="outage.update", target=named,
        project_id=project, before=before, after=after,
    )  # fmt: skip
    return after


@delete(_ONE, permission="data_collection:write")
async def delete_outage(call: WriteCall) -> None:
    """Remove an outage, so that measurements are expected in its time again."""
    project = await project_of(call)
    tx, named = call.tx, call.path["outage_id"]
    before = await OUTAGES.read(tx, project, named, locks=True)
    await tx.execute("DELETE FROM outages WHERE project_id = %s AND id = %s", (project, before.id))
    changes.record(
        tx, call.actor, _stretches(project, before), action="outage.delete", target=named, project_id=project,
        before=before,
    )  # fmt: skip


ROUTES = [list_outages, create_outage, get_outage, update_outage, delete_outage]
