"""The ledgers of reports that take of several: their roles in a methodology, and which ledger plays each.

The first role counts toward the claim, and its unit is that of the report. A report of one ledger has no
roles, and its amounts count as they are.

Invariants: every role of a report is played by one ledger, and no ledger plays two; a unit converts into that
of the first exactly, so no digit of a total is rounded.
"""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

import msgspec

from weighbridge.core import identity
from weighbridge.core.identity import problem_of_name
from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.core.report_ledgers import find_exact_factor
from weighbridge.core.unit import Unit, UnitError, parse_unit
from weighbridge.db.engine import Read, Write
from weighbridge.reporting.records.registries import MethodologyLedger
from weighbridge.reporting.records.reports import REPORT_LEDGERS_MAX, NamedReportLedger

# Roles, as a methodology names them.


async def read_roles(tx: Read, methodologies: Collection[int]) -> dict[int, list[MethodologyLedger]]:
    """The roles of ledgers in methodologies, in their order."""
    roles: dict[int, list[MethodologyLedger]] = {}
    for methodology, *role in await tx.tuples(
        """
        SELECT methodology_id, role, sign, unit FROM methodology_ledgers
         WHERE methodology_id = ANY (%s) ORDER BY methodology_id, position
        """,
        ([*methodologies],),
    ):
        roles.setdefault(methodology, []).append(MethodologyLedger(*role))
    return roles


async def store_roles(tx: Write, methodology: int, roles: Sequence[MethodologyLedger]) -> None:
    """Store the roles of a new methodology."""
    if roles:
        await tx.execute(
            """
            INSERT INTO methodology_ledgers (methodology_id, position, role, sign, unit)
            SELECT %s, place - 1, role, sign, unit
              FROM unnest(%s::text[], %s::smallint[], %s::text[])
                   WITH ORDINALITY AS one (role, sign, unit, place)
            """,
            (
                methodology, [one.role.strip() for one in roles], [one.sign for one in roles],
                [one.unit.strip() for one in roles],
            ),
        )  # fmt: skip


def check_roles(roles: Sequence[MethodologyLedger]) -> list[Problem]:
    """What is wrong with the roles that a methodology is to have."""
    field = "methodology.ledgers"
    if len(roles) > REPORT_LEDGERS_MAX:
        message = f"ledgers must name at most {REPORT_LEDGERS_MAX} roles, but names {len(roles)}."
        return [Problem(message, field, "too_many")]
    if len(roles) == 1:
        message = "ledgers must name two roles or more; leave it out where reports take of one ledger."
        return [Problem(message, field, "invalid")]
    problems = []
    seen: set[str] = set()
    for index, one in enumerate(roles):
        place = f"{field}[{index}]"
        problems += _check_role(one, place, is_first=index == 0)
        if one.role.strip() in seen:
            message = f"ledgers names the role {shorten(one.role)!r} more than once."
            problems.append(Problem(message, f"{place}.role", "twice"))
        seen.add(one.role.strip())
    return [*problems, *_check_units([one.unit for one in roles], field)]


def _check_role(one: MethodologyLedger, place: str, *, is_first: bool) -> list[Problem]:
    problems = []
    if problem := problem_of_name(one.role, "A role", f"{place}.role"):
        problems.append(problem)
    if one.sign not in {1, -1}:
        message = f"{place}.sign must be 1 or -1, but is {one.sign}."
        problems.append(Problem(message, f"{place}.sign", "invalid"))
    elif is_first and one.sign != 1:
        message = f"{place}.sign must be 1: the first ledger is what is claimed."
        problems.append(Problem(message, f"{place}.sign", "invalid"))
    return problems


def _check_units(texts: Sequence[str], field: str) -> list[Problem]:
    """What is wrong with units that are to convert into the first of them."""
    problems: list[Problem] = []
    first: Unit | None = None
    for index, text in enumerate(texts):
        place = f"{field}[{index}].unit"
        try:
            unit = parse_unit(text.strip())
        except UnitError as error:
            problems.append(Problem(f"{place}: {error}", place, "unit"))
            continue
        if index == 0:
            first = unit
        elif first is not None and find_exact_factor(unit, first) is None:
            message = (
                f"{place} is {shorten(text)!r}, which does not convert exactly to {shorten(texts[0])!r}."
            )
            problems.append(Problem(message, place, "unit"))
    return problems


# Ledgers, as a report has them.


class RoleOfLedger(msgspec.Struct, frozen=True):
    """A ledger that a report takes of, and what its amounts count for."""

    ledger: int
    role: str
    factor: Decimal
    """How much of the report's unit one unit of the ledger is; below zero where it is deducted."""
    unit: str


LedgerRoles = Sequence[RoleOfLedger]
"""The ledgers of a report of several, the first of which gives its unit; none for a report of one."""


async def read_ledger_roles(tx: Read, project: int, report: int) -> list[RoleOfLedger]:
    """The ledgers of a report of several, in their order; none for a report of one."""
    return await tx.rows(
        RoleOfLedger,
        """
        SELECT g.ledger_id, g.role, g.factor, l.unit
          FROM report_ledgers g JOIN ledgers l ON (l.project_id, l.id) = (g.project_id, g.ledger_id)
         WHERE g.project_id = %s AND g.report_id = %s ORDER BY g.position
        """,
        (project, report),
    )


class WantedLedgers(NamedTuple):
    """The ledgers that a report is to take of."""

    roles: LedgerRoles
    """None for a report of one ledger, and for one whose ledgers are still to be named."""
    is_open: bool
    """Whether the methodology has roles that no ledger plays yet."""
    problems: Sequence[Problem]


async def choose_ledgers(
    tx: Read,
    project: int,
    methodology: int | None,
    named: Sequence[NamedReportLedger] | None,
    kept: LedgerRoles,
) -> WantedLedgers:
    """The ledgers of a report by its methodology: those that are named, or else those that it has.

    Those that it has stay only if they play all roles of its methodology.
    """
    field = "report.ledgers"
    roles = (await read_roles(tx, [] if methodology is None else [methodology])).get(methodology or 0, [])
    if not roles:
        if not named:
            return WantedLedgers((), is_open=False, problems=())
        problems = await _check_unwanted(tx, project, named)
        return WantedLedgers((), is_open=False, problems=problems)
    if named is None:
        chosen = {one.role: one.ledger for one in kept}
        if chosen.keys() != {one.role for one in roles}:
            return WantedLedgers((), is_open=True, problems=())
        places = dict.fromkeys(chosen, field)
    else:
        chosen, places, problems = _read_named(project, named, [one.role for one in roles])
        if problems:
            return WantedLedgers((), is_open=True, problems=problems)
    known = await _read_units(tx, project, chosen.values())
    problems = _check_named(project, roles, chosen, places, known)
    if problems:
        return WantedLedgers((), is_open=True, problems=problems)
    return WantedLedgers(_build_roles(roles, chosen, known), is_open=False, problems=())


async def _check_unwanted(tx: Read, project: int, named: Sequence[NamedReportLedger]) -> list[Problem]:
    """What is wrong with ledgers that the methodology of a report has no roles for."""
    field = "report.ledgers"
    message = f"{field} must be left out: its methodology names no ledgers."
    numbers = [identity.number("ledger", one.ledger_id, project) for one in named]
    known = await _read_units(tx, project, numbers)
    unknown = [
        _unknown_ledger(f"{field}[{index}].ledger_id", named[index].role)
        for index, number in enumerate(numbers)
        if number not in known
    ]
    return [Problem(message, field, "conflict"), *unknown]


def _unknown_ledger(place: str, role: str) -> Problem:
    message = f"{place} names no ledger of the project for the role {shorten(role)!r}."
    return Problem(message, place, "unknown")


def _read_named(
    project: int, named: Sequence[NamedReportLedger], roles: Sequence[str]
) -> tuple[dict[str, int], dict[str, str], list[Problem]]:
    """By role the number of the ledger that is to play it, and where it was named."""
    field = "report.ledgers"
    problems = []
    chosen: dict[str, int] = {}
    places: dict[str, str] = {}
    allowed = ", ".join(roles)
    for index, one in enumerate(named):
        role, place = one.role.strip(), f"{field}[{index}]"
        if role not in roles:
            message = f"{place}.role is {shorten(role)!r}; the roles of its methodology are {allowed}."
            problems.append(Problem(message, f"{place}.role", "unknown"))
        elif role in chosen:
            message = f"{place}.role: {shorten(role)!r} is named more than once."
            problems.append(Problem(message, f"{place}.role", "twice"))
        else:
            chosen[role] = identity.number("ledger", one.ledger_id, project)
            places[role] = f"{place}.ledger_id"
    missing = [role for role in roles if role not in chosen]
    if missing and not problems:
        message = f"report.ledgers must name a ledger for each role; {', '.join(missing)} has none."
        problems.append(Problem(message, field, "required"))
    return chosen, places, problems


def _check_named(
    project: int,
    roles: Sequence[MethodologyLedger],
    chosen: Mapping[str, int],
    places: Mapping[str, str],
    known: Mapping[int, str],
) -> list[Problem]:
    """What is wrong with the ledgers that are to play the roles of a methodology."""
    problems = []
    seen: dict[int, str] = {}
    for one in roles:
        ledger, place = chosen[one.role], places[one.role]
        if ledger not in known:
            problems.append(_unknown_ledger(place, one.role))
            continue
        friendly = identity.of("ledger", project, ledger)
        if ledger in seen:
            message = f"{place}: ledger {friendly} plays the role {seen[ledger]!r} already."
            problems.append(Problem(message, place, "twice", (friendly,)))
        elif find_exact_factor(parse_unit(known[ledger]), parse_unit(one.unit)) != 1:
            message = (
                f"{place}: ledger {friendly} is in {known[ledger]}; the role {one.role!r} is played by a"
                f" ledger in {one.unit}."
            )
            problems.append(Problem(message, place, "unit", (friendly,)))
        seen[ledger] = one.role
    return problems


def _build_roles(
    roles: Sequence[MethodologyLedger], chosen: Mapping[str, int], units: Mapping[int, str]
) -> list[RoleOfLedger]:
    target = parse_unit(roles[0].unit)
    built = []
    for one in roles:
        factor = find_exact_factor(parse_unit(one.unit), target)
        assert factor is not None, "units of a methodology convert exactly"  # noqa: S101
        signed = factor if one.sign > 0 else -factor
        built.append(RoleOfLedger(chosen[one.role], one.role, signed, units[chosen[one.role]]))
    return built


async def _read_units(tx: Read, project: int, ledgers: Collection[int]) -> dict[int, str]:
    return dict(
        await tx.tuples(
            "SELECT id, unit FROM ledgers WHERE project_id = %s AND id = ANY (%s)", (project, [*ledgers])
        )
    )


async def read_scales(tx: Read, project: int, ledgers: Collection[int]) -> dict[int, int]:
    """How many decimals ledgers keep."""
    return dict(
        await tx.tuples(
            "SELECT id, scale FROM ledgers WHERE project_id = %s AND id = ANY (%s)", (project, [*ledgers])
        )
    )


async def store_ledger_roles(tx: Write, project: int, report: int, roles: LedgerRoles) -> None:
    """Let a draft take of these ledgers; it has the first already, and no batches."""
    await tx.execute("DELETE FROM report_ledgers WHERE project_id = %s AND report_id = %s", (project, report))
    if roles:
        await tx.execute(
            """
            INSERT INTO report_ledgers (project_id, report_id, position, ledger_id, role, factor)
            SELECT %s, %s, place - 1, ledger_id, role, factor
              FROM unnest(%s::integer[], %s::text[], %s::numeric[])
                   WITH ORDINALITY AS one (ledger_id, role, factor, place)
            """,
            (
                project, report, [one.ledger for one in roles], [one.role for one in roles],
                [one.factor for one in roles],
            ),
        )  # fmt: skip


FACTOR: Final = """coalesce((
    SELECT g.factor FROM report_ledgers g
     WHERE (g.project_id, g.report_id, g.ledger_id) = (i.project_id, i.report_id, b.ledger_id)), 1)
"""
"""What one unit of what a report takes (`i`) of a batch (`b`) counts for in the report's amount."""
