"""Static inputs: values of a project that hold from a date on, such as a grid factor or a soil's pH.

One slug may have a value for the whole project and others for single assets, feedstocks or locations.
Rows are only ever added: of the same slug and keys, the one with the newest `effective_from` that has
come is in force. Permission: data collection.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final

from msgspec import Struct

from weighbridge.collection.named_records.noun import ProjectNoun
from weighbridge.collection.records.uncertainty import find_problems, find_unit
from weighbridge.core import identity
from weighbridge.core.identity import SLUG_RULE, is_slug
from weighbridge.core.number import NumberError, limit_number
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import BeyondCalendarError, Instant
from weighbridge.core.unit import ONE, UnitError, are_compatible, parse_unit
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import Page
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, get, post
from weighbridge.modelling.documents import Stretch, ask_for_stretches, reach_of
from weighbridge.modelling.records import STATIC_INPUT_BODIES, StaticInput
from weighbridge.platform import changes, staleness
from weighbridge.platform.tenancy import project_of

STATIC_INPUTS: Final = ProjectNoun(STATIC_INPUT_BODIES, "static_inputs")

# What a static input must be like.


_AT: Final = "static_input.effective_from"
_UNIT: Final = "static_input.unit"


_KINDS: Final = ("asset", "feedstock", "location")
"""What a static input may be a value of; all of them may be missing."""

_Keys = Mapping[str, int | None]
"""The numbers of what a static input is a value of, by kind."""


def _list_named(new: StaticInput) -> list[tuple[str, str | None]]:
    return [(kind, getattr(new, f"{kind}_id")) for kind in _KINDS]


def _check_shape(new: StaticInput) -> Iterator[Problem]:
    if not is_slug(new.slug):
        message = f"static_input.slug is {new.slug!r}; a slug is {SLUG_RULE}."
        yield Problem(message, "static_input.slug", "invalid")
    try:
        limit_number(new.value)
    except NumberError as error:
        yield Problem(f"static_input.value: {error}", "static_input.value", "invalid")
    try:
        parse_unit(new.unit or "")
    except UnitError as error:
        yield Problem(f"{_UNIT} is {new.unit!r}: {error}", _UNIT, "invalid")
    if new.uncertainty is not None:
        yield from find_problems(new.uncertainty, "static_input.uncertainty", find_unit(new.unit))
    try:
        Instant.of(new.effective_from)
    except BeyondCalendarError as error:
        yield Problem(f"{_AT} {error}.", _AT, "invalid")


async def _check_keys(tx: Read, project: int, new: StaticInput, keys: _Keys) -> list[Problem]:
    """Records that are named and that the project does not have."""
    is_there = await tx.tuples(
        """
        SELECT (SELECT true FROM assets WHERE project_id = %(project)s AND id = %(asset)s),
               (SELECT true FROM feedstocks WHERE project_id = %(project)s AND id = %(feedstock)s),
               (SELECT true FROM locations WHERE project_id = %(project)s AND id = %(location)s)
        """,
        {"project": project, **keys},
    )
    return [
        Problem(
            f"static_input.{noun}_id is {friendly!r}, which is no {noun} of the project.",
            f"static_input.{noun}_id",
            "unknown",
        )
        for (noun, friendly), is_known in zip(_list_named(new), is_there[0], strict=True)
        if friendly is not None and not is_known
    ]


async def _check_unit(tx: Read, project: int, new: StaticInput) -> list[Problem]:
    """A unit that cannot be converted to that of the earlier values, which all fit one another."""
    rows = await tx.tuples(
        "SELECT unit FROM static_inputs WHERE project_id = %s AND slug = %s ORDER BY id LIMIT 1",
        (project, new.slug),
    )
    if not rows or are_compatible(parse_unit(new.unit or ""), parse_unit(rows[0][0] or "")):
        return []
    earlier = rows[0][0] or ONE
    message = (
        f"{_UNIT} is {new.unit or 'none'}, and earlier values of {new.slug!r} are in {earlier}; "
        "the two count different things."
    )
    return [Problem(message, _UNIT, "incompatible")]


async def _check_repetition(tx: Read, project: int, new: StaticInput, keys: _Keys) -> list[Problem]:
    is_taken = await tx.value(
        """
        SELECT true FROM static_inputs
         WHERE project_id = %s AND slug = %s AND effective_from = %s AND asset_id IS NOT DISTINCT FROM %s
           AND feedstock_id IS NOT DISTINCT FROM %s AND location_id IS NOT DISTINCT FROM %s
        """,
        (project, new.slug, new.effective_from, *keys.values()),
    )
    if not is_taken:
        return []
    message = (
        f"The project has a value of {new.slug!r} from {new.effective_from.text} already; "
        "values are never replaced: add one that holds from another moment on."
    )
    return [Problem(message, _AT, "taken")]


# Add static inputs; nothing changes or removes one.


async def insert_static_input(tx: Write, actor: Actor, project: int, new: StaticInput) -> StaticInput:
    """Add a value that holds from a moment on; Invalid with everything that is wrong with it."""
    keys = {
        kind: None if friendly is None else identity.number(kind, friendly, project)
        for kind, friendly in _list_named(new)
    }
    problems = [*_check_shape(new), *await _check_keys(tx, project, new, keys)]
    if problems:
        raise Invalid(problems)
    # One at a time for a slug, so that two first values cannot come with units that do not fit.
    await tx.execute(*locks.hold(locks.static_input(project, new.slug)))
    problems = [
        *await _check_unit(tx, project, new),
        *await _check_repetition(tx, project, new, keys),
    ]
    if problems:
        raise Invalid(problems)
    inputs = staleness.announce(tx, project)
    made = await STATIC_INPUTS.insert(tx, project, new)
    [stretch] = await tx.rows(Stretch, *ask_for_stretches(project, "s.id = %(id)s", {"id": made.id}))
    added = await reach_of(tx, inputs, stretch)
    changes.record(
        tx, actor, added, action="static_input.create", target=str(made.id), project_id=project, after=made
    )
    return made


_PATH = "/projects/{project_id}/static_inputs"


@get(_PATH, permission="data_collection:read", returns=Page[StaticInput], listing=STATIC_INPUTS.listing)
async def list_static_inputs(call: ReadCall) -> Page[StaticInput]:
    """List a project's static inputs, those that newer ones have superseded too."""
    return await STATIC_INPUTS.list_of_project(call)


@post(
    _PATH,
    permission="data_collection:write",
    body=STATIC_INPUT_BODIES.new_body,
    returns=StaticInput,
    example={
        "static_input": {
            "slug": "grid-factor",
            "value": Decimal("0.38"),
            "unit": "kg{CO2e}/kWh",
            "effective_from": "2025-01-01T00:00:00Z",
        }
    },
)
async def create_static_input(call: WriteCall, body: Struct) -> StaticInput:
    """Add a value that holds from a moment on.

    It may be a value of one asset, feedstock or location. Nothing is replaced: a value that holds from a
    later moment supersedes the earlier ones of the same slug and keys. Units of a slug must fit one another.
    """
    new = STATIC_INPUT_BODIES.created(body)
    return await insert_static_input(call.tx, call.actor, await project_of(call), new)


@get(_PATH + "/{static_input_id}", permission="data_collection:read", returns=StaticInput)
async def get_static_input(call: ReadCall) -> StaticInput:
    """Read one static input."""
    return await STATIC_INPUTS.get(call)


ROUTES = [list_static_inputs, create_static_input, get_static_input]
