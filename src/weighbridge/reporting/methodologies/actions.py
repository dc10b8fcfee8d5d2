"""Make methodologies; another version is another one, and none changes."""

from collections.abc import Sequence
from typing import Final

from weighbridge.core.identity import ids
from weighbridge.core.identity.name import problem_of_name
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem, bounded
from weighbridge.core.quantity.number import shorten
from weighbridge.core.report.mapping.reading import read_mapping
from weighbridge.core.report.requirement import OPTIONAL_REQUIREMENTS
from weighbridge.db.engine import Write
from weighbridge.db.json import jsonb
from weighbridge.errors import Invalid
from weighbridge.platform import changes
from weighbridge.reporting.methodologies import queries
from weighbridge.reporting.methodologies.records import Methodology, NewMethodology
from weighbridge.reporting.rendering.schema import problems_of_schema

FLAWS_MAX: Final = 100
"""Flaws of a mapping that one refusal names."""

MODELS_MAX: Final = 100
"""Models that implement one methodology."""


async def create_methodology(tx: Write, actor: Actor, new: NewMethodology) -> Methodology:
    """Make a methodology of the account, once by name and version."""
    name, version, report_type = new.name.strip(), new.version.strip(), new.report_type.strip()
    said = (
        ("A methodology", name, "name"),
        ("A version", version, "version"),
        ("A type", report_type, "report_type"),
    )
    problems = [
        problem
        for noun, text, field in said
        if (problem := problem_of_name(text, noun, f"methodology.{field}"))
    ]
    problems += [
        _unknown_requirement(one) for one in new.submission_requirements if one not in OPTIONAL_REQUIREMENTS
    ]
    models, unknown = await _models(tx, actor, list(dict.fromkeys(new.model_ids)))
    problems += unknown
    if await tx.value(
        "SELECT true FROM methodologies WHERE account_id = %s AND name = %s AND version = %s",
        (actor.account_id, name, version),
    ):
        message = f"The account has version {version!r} of the methodology {name!r} already."
        problems.append(Problem(message, "methodology.version", "taken"))
    problems += await _of_submission(tx, actor, new)
    if problems:
        raise Invalid(problems)
    number: int = await tx.value(
        """
        INSERT INTO methodologies (account_id, name, version, report_type, submission_requirements,
                                   measured_share_min, registry_id, mapping)
        VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
        """,
        (
            actor.account_id, name, version, report_type, list(dict.fromkeys(new.submission_requirements)),
            new.measured_share_min, new.registry_id, jsonb(new.mapping),
        ),
    )  # fmt: skip
    await tx.execute(
        "INSERT INTO methodology_models (methodology_id, model_id) SELECT %s, unnest(%s::integer[])",
        (number, models),
    )
    made = await queries.get_methodology(tx, actor, str(number))
    changes.record(tx, actor, action="methodology.create", target=str(made.id), project_id=None, after=made)
    return made


async def _of_submission(tx: Write, actor: Actor, new: NewMethodology) -> list[Problem]:
    """What is wrong with where its reports go, how they are written, and how much has to be measured."""
    problems = []
    if new.measured_share_min is not None and not 0 <= new.measured_share_min <= 1:
        message = f"measured_share_min is {new.measured_share_min}; it is a part of 1, from 0 to 1."
        problems.append(Problem(message, "methodology.measured_share_min", "invalid"))
    if new.registry_id is not None and not await tx.value(
        "SELECT true FROM registries WHERE account_id = %s AND id::bigint = %s::numeric",
        (actor.account_id, new.registry_id),
    ):
        message = f"registry_id is {new.registry_id}, which is no registry of the account."
        problems.append(Problem(message, "methodology.registry_id", "unknown"))
    if new.mapping is None:
        return problems
    mapping, flaws = read_mapping(new.mapping)
    if mapping is not None:
        flaws = await problems_of_schema(tx, mapping, "methodology.mapping.schema")
    return [*problems, *bounded(flaws, FLAWS_MAX)]


def _unknown_requirement(name: str) -> Problem:
    message = f"submission_requirements names {name!r}; it takes {', '.join(OPTIONAL_REQUIREMENTS)}."
    return Problem(message, "methodology.submission_requirements", "invalid")


async def _models(tx: Write, actor: Actor, named: Sequence[str]) -> tuple[list[int], list[Problem]]:
    """The numbers of models of the account, and what is wrong with how they were named."""
    field = "methodology.model_ids"
    if len(named) > MODELS_MAX:
        message = f"model_ids names {len(named)} models; a methodology has at most {MODELS_MAX}."
        return [], [Problem(message, field, "too_many")]
    numbers = {text: ids.number("model", text) for text in named}
    rows = await tx.tuples(
        """
        SELECT m.id FROM models m JOIN model_families f ON f.id = m.family_id
         WHERE f.account_id = %s AND m.id = ANY (%s)
        """,
        (actor.account_id, [*numbers.values()]),
    )
    known = {number for (number,) in rows}
    problems = [
        Problem(f"model_ids names {shorten(text)!r}, which is no model of the account.", field, "unknown")
        for text, number in numbers.items()
        if number not in known
    ]
    return sorted(known), problems
