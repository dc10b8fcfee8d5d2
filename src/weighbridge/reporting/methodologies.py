"""Methodologies: under what rules reports are made, by whose models, and what must hold of one that is
sent.

A methodology never changes: another version of it is another record. Permission: production accounting.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from types import NoneType
from typing import Final, LiteralString

from msgspec import Struct, structs
from psycopg.sql import SQL, Composable

from weighbridge.core import identity
from weighbridge.core.identity import problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.core.report import OPTIONAL_REQUIREMENTS, OtherVersions
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
from weighbridge.platform.tenancy import find, number_named, of_account, shared_or_seen
from weighbridge.reporting.records.registries import METHODOLOGY_BODIES, Methodology, MethodologyModel
from weighbridge.reporting.submission.file import check_schema
from weighbridge.reporting.submission.ledgers import check_roles, read_roles, store_roles

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
    Column("other_versions", "m.other_versions"),
    Column("ledgers", (), list),
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
    numbered = SQL("{} AND m.id = %s").format(limit_to_seen(actor))
    found = await find(tx, METHODOLOGY, "methodologies m", numbered, (number,))
    [methodology] = await _add_parts(tx, actor, [found])
    mapping = await tx.value("SELECT mapping FROM methodologies WHERE id = %s", (number,))
    return structs.replace(methodology, mapping=mapping)


def limit_to_seen(actor: Actor) -> Composable:
    """The condition that a methodology `m` is of the account, and not of projects alone that are hidden."""
    if actor.projects is None:
        return of_account(actor, "m.account_id")
    return SQL(
        """
        {} AND (NOT EXISTS (SELECT FROM methodology_models i WHERE i.methodology_id = m.id)
                OR EXISTS (SELECT FROM methodology_models i JOIN models v ON v.id = i.model_id
                            WHERE i.methodology_id = m.id AND {}))
        """
    ).format(of_account(actor, "m.account_id"), _of_seen_family(actor, "v.family_id"))


def _of_seen_family(actor: Actor, family: LiteralString) -> Composable:
    if actor.projects is None:
        return SQL("true")
    return SQL("{} IN (SELECT f.id FROM model_families f WHERE {})").format(
        SQL(family), shared_or_seen(actor, "f.account_id", "f.project_id")
    )


async def _add_parts(tx: Read, actor: Actor, methodologies: Sequence[Methodology]) -> list[Methodology]:
    """Methodologies with their models and ledgers, read for all of them at once."""
    ledgers = await read_roles(tx, [one.id for one in methodologies])
    models: dict[int, list[MethodologyModel]] = {one.id: [] for one in methodologies}
    statement = SQL(
        """
        SELECT i.methodology_id, m.id, m.name, m.version, i.versions,
               ARRAY (SELECT of_family.id FROM models of_family
                       WHERE of_family.family_id = m.family_id AND of_family.version = ANY (i.versions)
                       ORDER BY of_family.version)
          FROM methodology_models i JOIN models m ON m.id = i.model_id
         WHERE i.methodology_id = ANY (%s) AND {} ORDER BY i.methodology_id, m.id
        """
    ).format(_of_seen_family(actor, "m.family_id"))
    for methodology, number, name, version, versions, numbers in await tx.tuples(statement, ([*models],)):
        ids = [_model_id(one) for one in numbers]
        models[methodology].append(MethodologyModel(_model_id(number), name, version, versions, ids))
    return [
        structs.replace(one, models=models[one.id], ledgers=ledgers.get(one.id, [])) for one in methodologies
    ]


FLAWS_MAX: Final = 100
"""Flaws of a mapping that one refusal names."""

MODELS_MAX: Final = 100
"""Models that implement one methodology."""

VERSIONS_MAX: Final = 100
"""Versions that a methodology names of one model."""


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
    sent = METHODOLOGY_BODIES.sent(body)
    models, unknown = await _find_models(tx, actor, list(dict.fromkeys(sent["model_ids"])))
    versions, wrong = await _find_versions(tx, models, sent["model_versions"])
    problems += [*unknown, *wrong, *_check_other_versions(new.other_versions), *check_roles(new.ledgers)]
    if await tx.value(
        "SELECT true FROM methodologies WHERE account_id = %s AND name = %s AND version = %s",
        (actor.account_id, new.name, new.version),
    ):
        message = f"The account has version {new.version!r} of the methodology {new.name!r} already."
        problems.append(Problem(message, "methodology.version", "taken"))
    problems += await _check_submission(tx, actor, new)
    if problems:
        raise Invalid(problems)
    number = await _store_methodology(tx, actor, new, models, versions)
    made = await read_methodology(tx, actor, str(number))
    changes.record(tx, actor, action="methodology.create", target=str(made.id), project_id=None, after=made)
    return made


async def _store_methodology(
    tx: Write, actor: Actor, new: Methodology, models: Sequence[int], versions: Sequence[tuple[int, int]]
) -> int:
    """Store a methodology with its models and the versions of these; gives its number."""
    number: int = await tx.value(
        """
        INSERT INTO methodologies (account_id, name, version, report_type, submission_requirements,
                                   measured_share_min, registry_id, mapping, other_versions)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            actor.account_id, new.name, new.version, new.report_type, new.submission_requirements,
            new.measured_share_min, new.registry_id, jsonb(new.mapping), new.other_versions,
        ),
    )  # fmt: skip
    await tx.execute(
        """
        INSERT INTO methodology_models (methodology_id, model_id, versions)
        SELECT %s, named.model_id,
               ARRAY (SELECT v.version FROM unnest(%s::integer[], %s::integer[]) AS v (model_id, version)
                       WHERE v.model_id = named.model_id ORDER BY v.version)
          FROM unnest(%s::integer[]) AS named (model_id)
        """,
        (number, [model for model, _ in versions], [version for _, version in versions], models),
    )
    await store_roles(tx, number, new.ledgers)
    return number


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


def _check_other_versions(other_versions: str) -> list[Problem]:
    if other_versions in set(OtherVersions):
        return []
    message = f"other_versions must be one of {', '.join(OtherVersions)}, but is {shorten(other_versions)!r}."
    return [Problem(message, "methodology.other_versions", "invalid")]


async def _find_versions(
    tx: Write, models: Sequence[int], named: Mapping[str, Sequence[int]]
) -> tuple[list[tuple[int, int]], list[Problem]]:
    """The versions that implement a methodology, each with the number of the model that it is named for, and
    what is wrong with how they were named.
    """
    field = "methodology.model_versions"
    if any(len(versions) > VERSIONS_MAX for versions in named.values()):
        message = f"model_versions must name at most {VERSIONS_MAX} versions of a model."
        return [], [Problem(message, field, "too_many")]
    listed = {*models}
    numbers = {text: number for text in named if (number := identity.number("model", text)) in listed}
    problems = [
        Problem(f"model_versions: model {shorten(text)!r} is not in model_ids.", field, "unknown")
        for text in named
        if text not in numbers
    ]
    known = {
        (number, version)
        for number, version in await tx.tuples(
            """
            SELECT named.id, m.version FROM models named JOIN models m ON m.family_id = named.family_id
             WHERE named.id = ANY (%s)
            """,
            ([*models],),
        )
    }
    wanted = {(number, version): text for text, number in numbers.items() for version in named[text]}
    problems += [
        Problem(f"model_versions: model {text!r} has no version {shorten(str(version))}.", field, "unknown")
        for (number, version), text in wanted.items()
        if (number, version) not in known
    ]
    return sorted(wanted), limit_problems(problems, FLAWS_MAX)


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
    spans_projects=True,
)
async def list_methodologies(call: ReadCall) -> Page[Methodology]:
    """List the account's methodologies."""
    request = list_request(call.query, METHODOLOGIES)
    owned = [limit_to_seen(call.actor)]
    page = await read_page(
        call.tx, METHODOLOGY, METHODOLOGIES, request, source="methodologies m", where=owned
    )
    return Page(await _add_parts(call.tx, call.actor, page.data), page.info)


@get(
    "/methodologies/{methodology_id}",
    permission="production_accounting:read",
    returns=Methodology,
    spans_projects=True,
)
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
