"""Which packages a package needs: the highest versions of the account that fit all that ask for them.

Invariants: a package is resolved to one version; what a project has already is taken as it is; no circle.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Final

from psycopg.sql import SQL

from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read
from weighbridge.errors import Invalid
from weighbridge.packages.reading import RANGE
from weighbridge.platform.tenancy import of_account

Version = tuple[int, int, int]

_ROUNDS_MAX: Final = 100
"""How often what was chosen is looked at again: no account has so long a chain of packages."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A package of the account that may be taken."""

    id: int
    name: str
    version: str
    sha256: bytes
    requires: Mapping[str, str]

    @property
    def order(self) -> Version:
        """By what versions of a package are ordered."""
        return order_version(self.version)


def order_version(version: str) -> Version:
    """By what a version of a package is ordered."""
    major, minor, patch = version.split(".")
    return int(major), int(minor), int(patch)


def is_in_range(version: str, versions: str) -> bool:
    """Whether a version is in a range, such as `>=1.0.0 <2.0.0`."""
    match = RANGE.fullmatch(versions)
    if match is None:
        return False
    numbers = [int(number) for number in match.groups()]
    return tuple(numbers[:3]) <= order_version(version) < tuple(numbers[3:])


async def read_candidates(tx: Read, actor: Actor) -> list[Candidate]:
    """The packages of the actor's account."""
    statement = SQL("SELECT id, name, version, file_sha256, requires FROM methodology_packages WHERE {}")
    rows = await tx.tuples(statement.format(of_account(actor, "account_id")))
    return [Candidate(*row) for row in rows]


def list_required(
    root: Candidate, candidates: Sequence[Candidate], installed: Mapping[str, Candidate]
) -> list[Candidate]:
    """All that a package needs, each behind what it needs itself; the package is not among them.

    Raises Invalid where a package is not there, or none fits all that ask for it, or they need one another.
    """
    chosen: dict[str, Candidate] = {}
    for _ in range(_ROUNDS_MAX):
        asking = [root, *chosen.values()]
        ranges = _list_ranges(asking)
        problems: list[Problem] = []
        again = {name: _choose(name, ranges[name], candidates, installed, problems) for name in ranges}
        if root.name in ranges or problems:
            raise Invalid(problems or [_build_circle_problem([root.name, *chosen, root.name])])
        found = {name: candidate for name, candidate in again.items() if candidate is not None}
        if found == chosen:
            break
        chosen = found
    try:
        order = TopologicalSorter({one.name: one.requires.keys() for one in (root, *chosen.values())})
        return [chosen[name] for name in order.static_order() if name != root.name]
    except CycleError as error:
        raise Invalid([_build_circle_problem(error.args[1])]) from None


def _list_ranges(asking: Sequence[Candidate]) -> dict[str, list[tuple[Candidate, str]]]:
    ranges: dict[str, list[tuple[Candidate, str]]] = {}
    for one in asking:
        for name, versions in one.requires.items():
            ranges.setdefault(name, []).append((one, versions))
    return ranges


def _choose(
    name: str,
    ranges: Sequence[tuple[Candidate, str]],
    candidates: Sequence[Candidate],
    installed: Mapping[str, Candidate],
    problems: list[Problem],
) -> Candidate | None:
    """The highest version of a package that all take who ask for it; None with a problem where none is."""
    there = [installed[name]] if name in installed else [one for one in candidates if one.name == name]
    fitting = [one for one in there if all(is_in_range(one.version, versions) for _, versions in ranges)]
    if fitting:
        return max(fitting, key=lambda one: one.order)
    asked = " and ".join(f"{one.name} {one.version} needs {name} {versions}" for one, versions in ranges)
    problems.append(Problem(f"{asked}; {_describe_there(name, there, installed)}", None, "required_package"))
    return None


def _describe_there(name: str, there: Sequence[Candidate], installed: Mapping[str, Candidate]) -> str:
    if name in installed:
        return f"the project has {installed[name].version} of it. Upgrade that first."
    if not there:
        return "the account has no package of that name. Upload it first."
    versions = ", ".join(one.version for one in sorted(there, key=lambda one: one.order))
    return f"the account has {versions} of it. Upload a version that fits."


def _build_circle_problem(names: Sequence[str]) -> Problem:
    return Problem(f"Packages need one another: {' needs '.join(names)}.", None, "required_package")
