"""Check a draft against its requirements: to refuse its submission, or to show how far it is.

Invariant: a draft of which every requirement is met is one that a submission does not refuse for them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from weighbridge.core.identity import ids
from weighbridge.core.problem import Problem
from weighbridge.core.report.requirement import Requirement
from weighbridge.db.engine import Read
from weighbridge.reporting.submission.requirements import (
    CheckedDraft,
    asked_of,
    batches_gone,
    no_batches,
    unmet,
)
from weighbridge.reporting.taking.amounts import amounts_of, remaining_of
from weighbridge.reporting.taking.batches import reported_batches


class DraftBasis(NamedTuple):
    """A draft that is checked: its project and number, and the chain and the methodology that it is of."""

    project: int
    number: int
    chain: int
    methodology: int | None


@dataclass(frozen=True, slots=True)
class CheckedRequirement:
    """One requirement, and what keeps the draft from meeting it."""

    requirement: Requirement
    is_met: bool | None
    """None while the draft lacks what this one asks about: batches that are there."""
    problems: tuple[Problem, ...] = ()


async def check_draft(tx: Read, basis: DraftBasis) -> tuple[CheckedDraft | None, list[Problem]]:
    """What a draft takes, as far as it can be checked, and every requirement that it does not meet."""
    amounts = dict((await amounts_of(tx, basis.project, basis.number)).by_batch)
    if not amounts:
        return None, [no_batches()]
    batches = await reported_batches(tx, basis.project, amounts)
    if gone := [number for number, batch in batches.items() if batch.is_deleted]:
        return None, [batches_gone(basis.project, gone)]
    remaining, held = await remaining_of(tx, basis.project, basis.chain, batches)
    draft = CheckedDraft(basis.project, basis.number, basis.methodology, amounts, remaining, held)
    return draft, await unmet(tx, draft)


async def requirements_of(tx: Read, report: ids.Key) -> list[CheckedRequirement]:
    """Every requirement of a draft that is known to be there, in their order, met or not."""
    row = await tx.row(_Basis, _BASIS, (report.project, report.key))
    if row is None:
        return []
    draft, problems = await check_draft(
        tx, DraftBasis(report.project, report.key, row.chain_id, row.methodology_id)
    )
    asked = await asked_of(tx, row.methodology_id)
    return [_checked(one, problems, is_known=draft is not None) for one in asked]


class _Basis(msgspec.Struct, frozen=True):
    chain_id: int
    methodology_id: int | None


def _checked(asked: Requirement, problems: Sequence[Problem], *, is_known: bool) -> CheckedRequirement:
    own = tuple(one for one in problems if one.code == asked)
    if own:
        return CheckedRequirement(asked, is_met=False, problems=own)
    is_first = asked is Requirement.HAS_BATCHES
    return CheckedRequirement(asked, is_met=True if is_known or (is_first and problems) else None)


_BASIS = "SELECT chain_id, methodology_id FROM reports WHERE project_id = %s AND id = %s"
