"""Methodologies: under what rules reports are made, by whose models, and what must hold of one that is
sent.

A methodology never changes: another version of it is another record. Permission: production accounting.
"""

from collections.abc import Sequence
from functools import partial
from types import NoneType
from typing import Final

from msgspec import Struct, structs
from psycopg.sql import SQL, Composable

from weighbridge.core import identity
from weighbridge.core.identity import problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.core.report import OPTIONAL_REQUIREMENTS
from weighbridge.core.report_mapping import read_mapping
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import (
    Filter,
    Listing,
    Page,
    list_request,
    read_page,
)
from weighbridge.db.row import Column, row_of
from weighbridge.db.statements import jsonb
from weighbridge.errors import Invalid
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, get, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import find, number_named, of_account
from weighbridge.reporting.records import (
    METHODOLOGY_BODIES,
    Methodology,
    MethodologyModel,
)
from weighbridge.reporting.submission.file import check_schema

METHODOLOGIES: Final = Listing(
    sorts={"id": "m.id", "name": "m.name", "created_at": "m.created_at"},
    default_sort="id",
    key=("m.id",),
    filters={"name": Filter("m.name", str, "a name")},
)


METHODOLOGY: Final = row_of(
    Methodology,
    Column("id", "m.id"),
    Column("name", "m.name"),
    Column("version", "m.version"),
    Column("report_type", "m.report_type"),
    Column("models", (), list),
    Column("submission_requirements", "m.submission_requirements"),
    Column("measured_share_min", "m.measured_share_min"),
    Column("registry_id", "m.registry_id"),
    Column("mapping", (), NoneType),
    Column("created_at", "m.created_at"),
)

_model_id: Final = partial(identity.of, "model", 0)


async def read_methodology(tx: Read, actor: Actor, text: str) -> Methodology:
    """One methodology of the actor's account, by its number; NotFound for any other text."""
    number = number_named("methodology", text)
    numbered = SQL("{} AND m.id = %s").format(_limit_to_account(actor))
    found = await find(tx, METHODOLOGY, "methodologies m", numbered, (number,))
    [methodology] = await _add_models(tx, [found])
    mapping = await tx.value("SELECT mapping FROM methodologies WHERE id = %s", (number,))
    return structs.replace(methodology, mapping=mapping)


def _limit_to_account(actor: Actor) -> Composable:
    return of_account(actor, "m.account_id")


async def _add_models(tx: Read, methodologies: Sequence[Methodology]) -> list[Methodology]:
    models: dict[int, list[MethodologyModel]] = {one.id: [] for one in methodologies}
    for methodology, number, name, version in await tx.tuples(
        """
        SELECT i.methodology_id, m.id, m.name, m.version
          FROM methodology_models i JOIN models m ON m.id = i.model_id
         WHERE i.methodology_id = ANY (%s) ORDER BY i.methodology_id, m.id
        """,
        ([*models],),
    ):
        models[methodology].append(MethodologyModel(_model_id(number), name, version))
    return [structs.replace(one, models=models[one.id]) for one in methodologies]


FLAWS_MAX: Final = 100
"""Flaws of a mapping that one refusal names."""

MODELS_MAX: Final = 100
"""Models that implement one methodology."""


async def insert_methodology(tx: Write, actor: Actor, body: Struct) -> Methodology:
    """Make a methodology of the account, once by name and version."""
    new = METHODOLOGY_BODIES.created(body)
    names = (
        ("A methodology", new.name, "name"),
        ("A version", new.version, "version"),
        ("A type", new.report_type, "report_type"),
    )
    problems = [
        problem
        for noun, text, field in names
        if (problem := problem_of_name(text, noun, f"methodology.{field}"))
    ]
    problems += [
        _build_requirement_problem(requirement)
        for requirement in new.submission_requirements
        if requirement not in OPTIONAL_REQUIREMENTS
    ]
    model_ids = METHODOLOGY_BODIES.sent(body)["model_ids"]
    models, unknown = await _find_models(tx, actor, list(dict.fromkeys(model_ids)))
    problems += unknown
    if await tx.value(
        "SELECT true FROM methodologies WHERE account_id = %s AND name = %s AND version = %s",
        (actor.account_id, new.name, new.version),
    ):
        message = f"The account has version {new.version!r} of the methodology {new.name!r} already."
        problems.append(Problem(message, "methodology.version", "taken"))
    problems += await _check_submission(tx, actor, new)
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO methodologies (account_id, name, version, report_type, submission_requirements,
                                   measured_share_min, registry_id, mapping)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            actor.account_id, new.name, new.version, new.report_type, new.submission_requirements,
            new.measured_share_min, new.registry_id, jsonb(new.mapping),
        ),
    )  # fmt: skip
    await tx.execute(
        "INSERT INTO methodology_models (methodology_id, model_id) SELECT %s, unnest(%s::integer[])",
        (number, models),
    )
    made = await read_methodology(tx, actor, str(number))
    changes.record(tx, actor, action="methodology.create", target=str(made.id), project_id=None, after=made)
    return made


async def _check_submission(tx: Write, actor: Actor, new: Methodology) -> list[Problem]:
    """What is wrong with where its reports go, how they are written, and how much has to be measured."""
    problems = []
    if new.measured_share_min is not None and not 0 <= new.measured_share_min <= 1:
        message = f"measured_share_min must be from 0 to 1, but is {new.measured_share_min}."
        problems.append(Problem(message, "methodology.measured_share_min", "invalid"))
    if new.registry_id is not None and not await tx.value(
        "SELECT true FROM registries WHERE account_id = %s AND id::bigint = %s::numeric",
        (actor.account_id, new.registry_id),
    ):
        message = f"registry_id: registry {new.registry_id} does not exist in this account."
        problems.append(Problem(message, "methodology.registry_id", "unknown"))
    if new.mapping is None:
        return problems
    mapping, flaws = read_mapping(new.mapping)
    if mapping is not None:
        flaws = await check_schema(tx, mapping, "methodology.mapping.schema")
    return [*problems, *limit_problems(flaws, FLAWS_MAX)]


def _build_requirement_problem(name: str) -> Problem:
    message = f"submission_requirements must be some of {', '.join(OPTIONAL_REQUIREMENTS)}, but has {name!r}."
    return Problem(message, "methodology.submission_requirements", "invalid")


async def _find_models(tx: Write, actor: Actor, named: Sequence[str]) -> tuple[list[int], list[Problem]]:
    """The numbers of models of the account, and what is wrong with how they were named."""
    field = "methodology.model_ids"
    if len(named) > MODELS_MAX:
        message = f"model_ids must name at most {MODELS_MAX} models, but names {len(named)}."
        return [], [Problem(message, field, "too_many")]
    numbers = {text: identity.number("model", text) for text in named}
    rows = await tx.tuples(
        """
        SELECT m.id FROM models m JOIN model_families f ON f.id = m.family_id
         WHERE f.account_id = %s AND m.id = ANY (%s)
        """,
        (actor.account_id, [*numbers.values()]),
    )
    known = {number for (number,) in rows}
    problems = [
        Problem(f"model_ids: model {shorten(text)!r} does not exist in this account.", field, "unknown")
        for text, number in numbers.items()
        if number not in known
    ]
    return sorted(known), problems


@get(
    "/methodologies",
    permission="production_accounting:read",
    returns=Page[Methodology],
    listing=METHODOLOGIES,
)
async def list_methodologies(call: ReadCall) -> Page[Methodology]:
    """List the account's methodologies."""
    request = list_request(call.query, METHODOLOGIES)
    owned = [_limit_to_account(call.actor)]
    page = await read_page(
        call.tx, METHODOLOGY, METHODOLOGIES, request, source="methodologies m", where=owned
    )
    return Page(await _add_models(call.tx, page.data), page.info)


@get("/methodologies/{methodology_id}", permission="production_accounting:read", returns=Methodology)
async def get_methodology(call: ReadCall) -> Methodology:
    """Read one methodology."""
    return await read_methodology(call.tx, call.actor, call.path["methodology_id"])


@post(
    "/methodologies",
    permission="production_accounting:write",
    body=METHODOLOGY_BODIES.new_body,
    returns=Methodology,
    example={
        "methodology": {
            "name": "Biochar carbon removal",
            "version": "2.1",
            "report_type": "quarterly",
            "submission_requirements": ["no_open_alerts"],
        }
    },
)
async def create_methodology(call: WriteCall, body: Struct) -> Methodology:
    """Create a methodology, once by name and version; it never changes."""
    return await insert_methodology(call.tx, call.actor, body)


ROUTES = [list_methodologies, get_methodology, create_methodology]
