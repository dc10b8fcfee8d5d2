"""Static inputs: values of a project that hold from a date on, such as a grid factor or a soil's pH.

One slug may have a value for the whole project and others for single assets, feedstocks or locations.
Rows are only ever added: of the same slug and keys, the one with the newest `effective_from` that has
come is in force. Permission: data collection.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Final

from psycopg.sql import SQL

from weighbridge.core import identity
from weighbridge.core.identity import SLUG_RULE, is_slug
from weighbridge.core.number import NumberError, limit_number
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.core.time.calendar import Instant
from weighbridge.core.unit import ONE, UnitError, are_compatible, parse_unit
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    MOMENT,
    Filter,
    Listing,
    ListRequest,
    Page,
    list_request,
    page_of,
    read_int4,
    read_key,
    read_moment,
)
from weighbridge.db.row import Column, row_of, unless_null
from weighbridge.db.statements import Literal
from weighbridge.errors import Invalid, NotFound
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, get, post
from weighbridge.modelling.documents import Stretch, ask_for_stretches, reach_of
from weighbridge.modelling.records import NewStaticInput, NewStaticInputBody, StaticInput
from weighbridge.platform import changes, staleness
from weighbridge.platform.tenancy import project_named

# Read static inputs.


STATIC_INPUTS: Final = Listing(
    sorts={"id": "id", "slug": "slug", "effective_from": "effective_from", "created_at": "created_at"},
    default_sort="id",
    key=("id",),
    filters={
        "slug": Filter("slug", str, "a slug"),
        "effective_from": Filter("effective_from", read_moment, MOMENT, ("eq", "geq", "leq")),
        "asset_id": Filter("asset_id", read_key("asset"), "an id ast_…"),
        "feedstock_id": Filter("feedstock_id", read_key("feedstock"), "an id fs_…"),
        "location_id": Filter("location_id", read_key("location"), "an id loc_…"),
    },
)

STATIC_INPUT_ROW: Final = row_of(
    StaticInput,
    Column("id", "id"),
    Column("project_id", "project_id", partial(identity.of, "project")),
    Column("slug", "slug"),
    Column("value", "value"),
    Column("unit", "unit"),
    Column("effective_from", "effective_from"),
    Column("asset_id", ("project_id", "asset_id"), unless_null(partial(identity.of, "asset"))),
    Column("feedstock_id", ("project_id", "feedstock_id"), unless_null(partial(identity.of, "feedstock"))),
    Column("location_id", ("project_id", "location_id"), unless_null(partial(identity.of, "location"))),
    Column("created_at", "created_at"),
)


async def select_static_inputs(tx: Read, project: int, request: ListRequest) -> Page[StaticInput]:
    """The static inputs of a project."""
    of_project = SQL("project_id = {}").format(Literal(project))
    return await page_of(
        tx, STATIC_INPUT_ROW.make, STATIC_INPUTS, request,
        columns=STATIC_INPUT_ROW.columns, source="static_inputs", where=[of_project],
    )  # fmt: skip


async def read_static_input(tx: Read, project: int, named: str) -> StaticInput:
    """One static input by its number."""
    try:
        number = read_int4(named)
    except ValueError:
        raise NotFound from None
    static_input = await tx.row(
        STATIC_INPUT_ROW.make,
        f"SELECT {STATIC_INPUT_ROW.columns} FROM static_inputs WHERE project_id = %s AND id = %s",
        (project, number),
    )
    if static_input is None:
        raise NotFound
    return static_input


# Add static inputs; nothing changes or removes one.


_AT: Final = "static_input.effective_from"
_UNIT: Final = "static_input.unit"


@dataclass(frozen=True, slots=True)
class _Keys:
    """The records that a static input is a value of; all of them may be missing."""

    asset: int | None
    feedstock: int | None
    location: int | None


async def insert_static_input(tx: Write, actor: Actor, project: int, new: NewStaticInput) -> StaticInput:
    """Add a value to those of a slug; runs that read another one for its time become stale."""
    keys = _build_keys(project, new)
    problems = [*_check_shape(new), *await _check_keys(tx, project, new, keys)]
    if problems:
        raise Invalid(problems)
    # One at a time for a slug, so that two first values cannot come with units that do not fit.
    await tx.execute(*locks.hold(locks.static_input(project, new.slug)))
    at = Instant.of(new.effective_from)
    problems = [
        *await _check_unit(tx, project, new),
        *await _check_repetition(tx, project, new.slug, keys, at),
    ]
    if problems:
        raise Invalid(problems)
    inputs = staleness.announce(tx, project)
    number: int = await tx.value(
        """
        INSERT INTO static_inputs (project_id, slug, value, unit, effective_from, asset_id, feedstock_id,
                                   location_id)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            project, new.slug, new.value, (new.unit or "").strip() or None, at, keys.asset,
            keys.feedstock, keys.location,
        ),
    )  # fmt: skip
    [stretch] = await tx.rows(Stretch, *ask_for_stretches(project, "s.id = %(id)s", {"id": number}))
    added = await reach_of(tx, inputs, stretch)
    made = await read_static_input(tx, project, str(number))
    changes.record(
        tx, actor, added, action="static_input.create", target=str(number), project_id=project, after=made
    )
    return made


def _build_keys(project: int, new: NewStaticInput) -> _Keys:
    return _Keys(
        None if new.asset_id is None else identity.number("asset", new.asset_id, project),
        None if new.feedstock_id is None else identity.number("feedstock", new.feedstock_id, project),
        None if new.location_id is None else identity.number("location", new.location_id, project),
    )


def _check_shape(new: NewStaticInput) -> Iterator[Problem]:
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
    try:
        Instant.of(new.effective_from)
    except OverflowError:
        message = f"{_AT} is {new.effective_from.isoformat()}, which in UTC is outside the years 1 to 9999."
        yield Problem(message, _AT, "invalid")


async def _check_keys(tx: Read, project: int, new: NewStaticInput, keys: _Keys) -> list[Problem]:
    """Records that are named and that the project does not have."""
    is_there = await tx.tuples(
        """
        SELECT (SELECT true FROM assets WHERE project_id = %(project)s AND id = %(asset)s),
               (SELECT true FROM feedstocks WHERE project_id = %(project)s AND id = %(feedstock)s),
               (SELECT true FROM locations WHERE project_id = %(project)s AND id = %(location)s)
        """,
        {"project": project, "asset": keys.asset, "feedstock": keys.feedstock, "location": keys.location},
    )
    named = {"asset": new.asset_id, "feedstock": new.feedstock_id, "location": new.location_id}
    return [
        Problem(
            f"static_input.{noun}_id is {friendly!r}, which is no {noun} of the project.",
            f"static_input.{noun}_id",
            "unknown",
        )
        for (noun, friendly), is_known in zip(named.items(), is_there[0], strict=True)
        if friendly is not None and not is_known
    ]


async def _check_unit(tx: Read, project: int, new: NewStaticInput) -> list[Problem]:
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


async def _check_repetition(tx: Read, project: int, slug: str, keys: _Keys, at: Instant) -> list[Problem]:
    is_taken = await tx.value(
        """
        SELECT true FROM static_inputs
         WHERE project_id = %s AND slug = %s AND effective_from = %s AND asset_id IS NOT DISTINCT FROM %s
           AND feedstock_id IS NOT DISTINCT FROM %s AND location_id IS NOT DISTINCT FROM %s
        """,
        (project, slug, at, keys.asset, keys.feedstock, keys.location),
    )
    if not is_taken:
        return []
    message = (
        f"The project has a value of {slug!r} from {at.text} already; "
        "values are never replaced: add one that holds from another moment on."
    )
    return [Problem(message, _AT, "taken")]


# Paths of static inputs.


_PATH = "/projects/{project_id}/static_inputs"


@get(_PATH, permission="data_collection:read", returns=Page[StaticInput], listing=STATIC_INPUTS)
async def list_static_inputs(call: ReadCall) -> Page[StaticInput]:
    """List a project's static inputs, those that newer ones have superseded too."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await select_static_inputs(call.tx, project, list_request(call.query, STATIC_INPUTS))


@post(
    _PATH,
    permission="data_collection:write",
    body=NewStaticInputBody,
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
async def create_static_input(call: WriteCall, body: NewStaticInputBody) -> StaticInput:
    """Add a value that holds from a moment on.

    It may be a value of one asset, feedstock or location. Nothing is replaced: a value that holds from a
    later moment supersedes the earlier ones of the same slug and keys. Units of a slug must fit one another.
    """
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await insert_static_input(call.tx, call.actor, project, body.static_input)


@get(_PATH + "/{static_input_id}", permission="data_collection:read", returns=StaticInput)
async def get_static_input(call: ReadCall) -> StaticInput:
    """Read one static input."""
    project = await project_named(call.tx, call.actor, call.path["project_id"])
    return await read_static_input(call.tx, project, call.path["static_input_id"])


ROUTES = [list_static_inputs, create_static_input, get_static_input]
