"""A package is installed in a project, brought to another version, and removed: part by part.

Each part has an outcome, in the order in which parts are made. A refusal leaves the outcomes that were found
until then. Whoever previews does all of it in a transaction that is undone, so doing it comes to the same.

Invariant: a record that differs, or was changed here, is never overwritten.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid
from weighbridge.modelling.documents import find_owned_model
from weighbridge.modelling.validation import check_activation
from weighbridge.packages.installing.making import Workplace, change_record, make_record, remove_record
from weighbridge.packages.installing.matching import (
    CurrentRecord,
    compare_part,
    find_by_name,
    read_current,
)
from weighbridge.packages.installing.parts import (
    PackagedPart,
    compute_digest,
    list_form_differences,
    order_by_kind,
)
from weighbridge.packages.records import PackagePart, PartDifference, PartKind, PartOrigin, PartState

FIELDS_NAMED_MAX: Final = 5
"""Fields of a record that a refusal names."""


@dataclass(frozen=True, slots=True)
class StoredPart:
    """A record that came with a package, as it is kept."""

    kind: PartKind
    key: str
    record: str
    origin: PartOrigin
    digest: bytes


@dataclass(slots=True)
class PartOutcomes:
    """What became of the parts of one package."""

    package: str
    parts: list[PackagePart] = field(default_factory=list)
    stored: list[StoredPart] = field(default_factory=list)
    """The records that are parts of the installation now."""
    versions: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By model the versions before and after, where the active one is another now."""
    differing: list[Problem] = field(default_factory=list)
    """Records that are called as parts are, and differ."""

    def add(
        self,
        part: PackagedPart | StoredPart,
        record: str | None,
        state: PartState,
        differences: Sequence[PartDifference] = (),
        reason: str | None = None,
    ) -> None:
        """Take down what became of a part."""
        self.parts.append(
            PackagePart(self.package, part.kind, part.key, record, state, reason, [*differences])
        )

    def keep(
        self, part: PackagedPart, current: CurrentRecord, origin: PartOrigin, digest: bytes | None = None
    ) -> None:
        """Take down that a record is a part of the installation."""
        self.stored.append(StoredPart(part.kind, part.key, current.id, origin, digest or current.digest))


# Install.


async def install_parts(work: Workplace, outcome: PartOutcomes, parts: Sequence[PackagedPart]) -> None:
    """Make the records of parts; those that are there are compared, and left as they are."""
    for part in parts:
        current = await find_by_name(work.tx, work.actor, work.project, part)
        if current is None:
            await _make_part(work, outcome, part)
            continue
        work.records[part.kind, part.key] = current.id
        differences = await compare_part(work.tx, part, current)
        if not differences:
            outcome.add(part, current.id, PartState.PRESENT)
            outcome.keep(part, current, PartOrigin.PRESENT)
            continue
        outcome.add(part, current.id, PartState.DIFFERS, differences)
        outcome.keep(part, current, PartOrigin.KEPT, compute_digest(part.form))
        outcome.differing.append(_build_difference_problem(part, current, differences))
    await _require_active(work, outcome)


def _build_difference_problem(
    part: PackagedPart, current: CurrentRecord, differences: Sequence[PartDifference]
) -> Problem:
    fields = ", ".join(one.field for one in differences[:FIELDS_NAMED_MAX])
    more = ", …" if len(differences) > FIELDS_NAMED_MAX else ""
    message = (
        f"The {part.title} is in the project already, {current.id}, and differs in {fields}{more}; it is not"
        " overwritten. Give it another name, or install with keep_differing to leave it as it is."
    )
    return Problem(message, None, "differs", (current.id,))


async def _make_part(work: Workplace, outcome: PartOutcomes, part: PackagedPart) -> None:
    record = await make_record(work, part)
    work.records[part.kind, part.key] = record
    current = await read_current(work.tx, work.actor, work.project, part.kind, record)
    assert current is not None, "it was made just now"  # noqa: S101
    outcome.add(part, record, PartState.MADE)
    outcome.keep(part, current, PartOrigin.MADE)


async def _require_active(work: Workplace, outcome: PartOutcomes) -> None:
    """Raise Invalid where a model that was made could not run in the project as it is now."""
    problems: list[Problem] = []
    for part in outcome.parts:
        if part.kind == PartKind.MODEL and part.state == PartState.MADE and part.record_id is not None:
            version = await find_owned_model(work.tx, work.actor, part.record_id)
            problems += [
                Problem(f"The model {part.key!r}: {problem.message}", None, problem.code)
                for problem in await check_activation(work.tx, version)
            ]
    if problems:
        raise Invalid(problems)


# Upgrade.


async def upgrade_parts(
    work: Workplace,
    outcome: PartOutcomes,
    before: Sequence[PackagedPart],
    after: Sequence[PackagedPart],
    stored: Sequence[StoredPart],
) -> None:
    """Bring records to what another version of the package says; those that were changed here stay."""
    old, kept = order_by_kind(before), {(one.kind, one.key): one for one in stored}
    for one in stored:
        work.records[one.kind, one.key] = one.record
    for part in after:
        was, here = old.get((part.kind, part.key)), kept.get((part.kind, part.key))
        if was is not None and here is not None:
            await _upgrade_part(work, outcome, was, part, here)
        else:
            await install_parts(work, outcome, [part])
    gone = {(part.kind, part.key) for part in after}
    await remove_parts(work, outcome, [one for one in stored if (one.kind, one.key) not in gone])


async def _upgrade_part(
    work: Workplace, outcome: PartOutcomes, before: PackagedPart, after: PackagedPart, here: StoredPart
) -> None:
    current = await read_current(work.tx, work.actor, work.project, here.kind, here.record)
    if current is None:
        reason = "It was removed here since."
        outcome.add(after, here.record, PartState.CHANGED_HERE, (), reason)
        outcome.stored.append(here)
        return
    differences = await _list_upgrade_differences(work, before, after)
    is_changed_here = current.digest != here.digest
    if not differences:
        outcome.add(after, current.id, PartState.UNCHANGED)
        outcome.stored.append(here)
    elif is_changed_here:
        of_here = await compare_part(work.tx, after, current)
        state = PartState.CHANGED_HERE if of_here else PartState.PRESENT
        outcome.add(after, current.id, state, of_here)
        outcome.keep(after, current, here.origin, here.digest if of_here else None)
    else:
        await _change_part(work, outcome, (before, after), current, here, differences)


async def _list_upgrade_differences(
    work: Workplace, before: PackagedPart, after: PackagedPart
) -> list[PartDifference]:
    """In what two versions of a package differ about a part."""
    if after.kind is PartKind.MODEL and before.model is not None:
        was = CurrentRecord("", before.form, before.model.document)
        return await compare_part(work.tx, after, was)
    return list_form_differences(before.form, after.form)


async def _change_part(
    work: Workplace,
    outcome: PartOutcomes,
    versions: tuple[PackagedPart, PackagedPart],
    current: CurrentRecord,
    here: StoredPart,
    differences: Sequence[PartDifference],
) -> None:
    before, after = versions
    record = await change_record(work, before, after, current)
    work.records[after.kind, after.key] = record
    changed = await read_current(work.tx, work.actor, work.project, after.kind, record)
    assert changed is not None, "it was changed just now"  # noqa: S101
    if after.kind is PartKind.MODEL:
        was, now = [await find_owned_model(work.tx, work.actor, one) for one in (current.id, changed.id)]
        outcome.versions[now.family] = (was.id, now.id)
    outcome.add(after, changed.id, PartState.CHANGED, differences)
    outcome.keep(after, changed, here.origin)


# Remove.


async def remove_parts(work: Workplace, outcome: PartOutcomes, stored: Sequence[StoredPart]) -> None:
    """Remove the records that an installation made and that nothing uses, the last that was made first."""
    kinds = [*PartKind]
    for one in sorted(stored, key=lambda one: kinds.index(one.kind), reverse=True):
        current = await read_current(work.tx, work.actor, work.project, one.kind, one.record)
        if current is None:
            continue
        reason = await _find_reason(work, one, current) or await remove_record(work, one.kind, current.id)
        state = PartState.REMOVED if reason is None else PartState.STAYS
        outcome.add(one, current.id, state, (), reason)


async def _find_reason(work: Workplace, one: StoredPart, current: CurrentRecord) -> str | None:
    """Why a record stays whatever uses it, in a sentence."""
    if one.origin is not PartOrigin.MADE:
        return "It was in the project before the package."
    if current.digest != one.digest:
        return "It was changed here since the package was installed."
    others = await work.tx.tuples(
        """
        SELECT DISTINCT i.name FROM package_parts p
          JOIN package_installations i ON (i.project_id, i.id) = (p.project_id, p.installation_id)
         WHERE p.project_id = %s AND p.kind = %s AND p.record = %s ORDER BY i.name
        """,
        (work.project, one.kind, one.record),
    )
    names = [name for (name,) in others]
    return f"It is a part of {' and '.join(names)}, too." if len(names) > 1 else None
