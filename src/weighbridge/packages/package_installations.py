"""Package installations: packages that projects began with, and the records that came with them.

An installation makes event types, static inputs, models, ledgers, rules and methodologies by the functions of
their own operations, all in one transaction, with the packages that it needs. Its preview does the same and
is undone. Permission: production accounting, and that of the area of each record.

Invariants: a record that differs from what its package has is never overwritten; the digest of each record
as the package has it is kept, so a change is seen whoever made it; one version of a package is in a project.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, LiteralString

from msgspec import structs
from psycopg.sql import SQL

from weighbridge.accounting.records.impact import GenerationImpact
from weighbridge.core import identity
from weighbridge.core.identity import Link
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db import locks
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import Filter, Listing, Page, list_request, read_page
from weighbridge.db.row import Column, Derived, row_of
from weighbridge.db.statements import Literal
from weighbridge.errors import Conflict, Forbidden, Invalid
from weighbridge.http.endpoints.dry_runs import attempt_with_body
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, delete, get, post
from weighbridge.packages.installing.carrying_out import (
    PartOutcomes,
    StoredPart,
    install_parts,
    remove_parts,
    upgrade_parts,
)
from weighbridge.packages.installing.forecast import NO_IMPACT, forecast_ledgers
from weighbridge.packages.installing.making import Workplace
from weighbridge.packages.installing.matching import read_current
from weighbridge.packages.installing.parts import list_parts
from weighbridge.packages.methodology_packages import read_contents, read_package_record
from weighbridge.packages.records import (
    InstallationPreview,
    InstalledPart,
    LockedPackage,
    MethodologyPackage,
    NewPackageInstallation,
    NewPackageInstallationBody,
    NewUpgrade,
    NewUpgradeBody,
    PackageInstallation,
    PackageRemoval,
    PackageUpgrade,
    PartKind,
    PartOrigin,
    UpgradePreview,
)
from weighbridge.packages.requirements import (
    Candidate,
    is_in_range,
    list_required,
    order_version,
    read_candidates,
)
from weighbridge.platform import changes
from weighbridge.platform.tenancy import find, of_key, plain_key_named, project_of

# Read installations.


_RECORDS: Final[LiteralString] = """
    coalesce((SELECT array_agg(t.record) FROM package_parts t
               WHERE (t.project_id, t.installation_id) = (i.project_id, i.id)), '{}')
"""

INSTALLATIONS: Final = Listing(
    sorts={"id": "i.id", "name": "i.name", "created_at": "i.created_at", "updated_at": "i.updated_at"},
    default_sort="id",
    key=("i.id",),
    filters={
        "name": Filter("i.name", str, "the name of a package"),
        "record_id": Filter(_RECORDS, str, "the id of a record that came with a package", contains=True),
    },
)

_SOURCE: Final = "package_installations i JOIN methodology_packages p ON p.id = i.package_id"


def _link_page(project: str, installation: str) -> Link:
    return Link(f"/projects/{project}/package_installations/{installation}")


_INSTALLATION: Final = row_of(
    PackageInstallation,
    Column("id", ("i.project_id", "i.id"), partial(identity.of, "package_installation")),
    Column("project_id", "i.project_id", partial(identity.of, "project")),
    Column("package_id", "i.package_id"),
    Column("name", "i.name"),
    Column("version", "p.version"),
    Column("title", "p.title"),
    Column("lock", (), list),
    Column("parts", (), list),
    Column("user_id", "i.user_id"),
    Column("created_at", "i.created_at"),
    Column("updated_at", "i.updated_at"),
    Derived("ui_url", ("project_id", "id"), _link_page),
)
"""Without its lock and its parts, which are read for several at once."""

_LOCKED: Final = """
    SELECT of_all.installation_id, p.id, p.name, p.version, encode(p.file_sha256, 'hex')
      FROM (SELECT project_id, id AS installation_id, id AS required_id FROM package_installations
             UNION ALL
            SELECT project_id, installation_id, required_id FROM package_locks) AS of_all
      JOIN package_installations i ON (i.project_id, i.id) = (of_all.project_id, of_all.required_id)
      JOIN methodology_packages p ON p.id = i.package_id
     WHERE of_all.project_id = %s AND of_all.installation_id = ANY (%s)
     ORDER BY of_all.installation_id, p.name
"""


async def read_installation(tx: Read, actor: Actor, friendly: str) -> PackageInstallation:
    """One installation of the actor's account, with its records as they are now."""
    key = plain_key_named("package_installation", friendly)
    mine = of_key(actor, "i.project_id", "i.id")
    [shown] = await _add_locks(
        tx, key.project, [await find(tx, _INSTALLATION, _SOURCE, mine, (key.project, key.key))]
    )
    stored = await _read_stored(tx, key)
    parts = await tx.together(*(_show_part(tx, actor, key.project, one) for one in stored))
    return structs.replace(shown, parts=parts)


async def _add_locks(
    tx: Read, project: int, installations: Sequence[PackageInstallation]
) -> list[PackageInstallation]:
    numbers = [identity.number("package_installation", one.id, project) for one in installations]
    locked: dict[int, list[LockedPackage]] = {number: [] for number in numbers}
    for number, *package in await tx.tuples(_LOCKED, (project, numbers)):
        locked[number].append(LockedPackage(*package))
    return [
        structs.replace(one, lock=locked[number]) for one, number in zip(installations, numbers, strict=True)
    ]


async def _read_stored(tx: Read, key: identity.Key) -> list[StoredPart]:
    rows = await tx.tuples(
        "SELECT kind, key, record, origin, digest FROM package_parts"
        " WHERE project_id = %s AND installation_id = %s",
        (key.project, key.key),
    )
    kinds = [*PartKind]
    stored = [
        StoredPart(PartKind(kind), part, record, PartOrigin(origin), digest)
        for kind, part, record, origin, digest in rows
    ]
    return sorted(stored, key=lambda one: (kinds.index(one.kind), one.key))


async def _show_part(tx: Read, actor: Actor, project: int, one: StoredPart) -> InstalledPart:
    current = await read_current(tx, actor, project, one.kind, one.record)
    is_changed_here = current is not None and current.digest != one.digest
    record = one.record if current is None else current.id
    is_there = current is not None
    return InstalledPart(
        one.kind, one.key, record, one.origin, one.digest.hex(), is_there, is_changed_here
    )  # fmt: skip


# What an installation works with: the package that is asked for, and those that it needs.


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The packages that are installed together, each behind what it needs."""

    package: MethodologyPackage
    packages: tuple[Candidate, ...]
    """All of them, the one that is asked for last."""
    installed: Mapping[str, Candidate]
    """Those that the project has already, by name."""

    @property
    def lock(self) -> list[LockedPackage]:
        """The packages as they are resolved, by name."""
        ordered = sorted(self.packages, key=lambda one: one.name)
        return [LockedPackage(one.id, one.name, one.version, one.sha256.hex()) for one in ordered]


async def _choose_packages(call: WriteCall, project: int, number: int, *, replaces: str = "") -> _Chosen:
    """The packages that an installation takes; `replaces` is the name of one that it brings anew."""
    tx, actor = call.tx, call.actor
    candidates = await read_candidates(tx, actor)
    root = next((one for one in candidates if one.id == number), None)
    if root is None:
        message = f"package_id is {number}, which is no methodology package of the account."
        raise Invalid([Problem(message, "package_id", "unknown")])
    there = await _read_installed(tx, project, candidates)
    others = {name: one for name, one in there.items() if name != replaces}
    required = list_required(root, candidates, others)
    package = await read_package_record(tx, actor, call.settings, str(number))
    return _Chosen(package, (*required, root), there)


async def _read_installed(tx: Read, project: int, candidates: Sequence[Candidate]) -> dict[str, Candidate]:
    rows = await tx.tuples(
        "SELECT name, package_id FROM package_installations WHERE project_id = %s", (project,)
    )
    by_id = {one.id: one for one in candidates}
    return {name: by_id[package] for name, package in rows}


_AREAS: Final[Mapping[PartKind, str]] = {
    PartKind.EVENT_TYPE: "data_collection:write",
    PartKind.STATIC_INPUT: "data_collection:write",
    PartKind.MODEL: "production_accounting:write",
    PartKind.LEDGER: "production_accounting:write",
    PartKind.RULE: "data_rules:write",
    PartKind.METHODOLOGY: "production_accounting:write",
}
"""The permission that changing a record of a kind takes."""


def _require_permissions(actor: Actor, kinds: Sequence[PartKind]) -> None:
    """Raise Forbidden unless the actor may change records of all these kinds."""
    lacking = actor.beyond(dict.fromkeys(_AREAS[kind] for kind in kinds))
    if lacking:
        message = f"The token lacks {' and '.join(lacking)}, which the records of the package need."
        raise Forbidden(message, "permission_missing")


# Install.


async def _install(
    work: Workplace, chosen: _Chosen, outcomes: list[PartOutcomes], *, keeps_differing: bool
) -> list[PackageInstallation]:
    """Install the packages that are not in the project yet, each behind what it needs."""
    installed: list[PackageInstallation] = []
    keys = {name: await _find_key(work, name) for name in chosen.installed}
    for candidate in chosen.packages:
        if candidate.name in chosen.installed:
            continue
        contents = await read_contents(work.tx, candidate.id)
        parts = list_parts(contents)
        _require_permissions(work.actor, [part.kind for part in parts])
        outcome = PartOutcomes(candidate.name)
        outcomes.append(outcome)
        with _refused_for_differences(outcome, keeps_differing=keeps_differing):
            await install_parts(work, outcome, parts)
        keys[candidate.name] = await _store_installation(work, candidate, outcome)
        await _store_locks(work, keys[candidate.name], candidate, chosen, keys)
        installed.append(await _record_installation(work, keys[candidate.name]))
    return installed


async def _record_installation(work: Workplace, key: identity.Key) -> PackageInstallation:
    """Write down that a package was installed, be it because another one needs it."""
    made = await read_installation(
        work.tx, work.actor, identity.of("package_installation", key.project, key.key)
    )
    changes.record(
        work.tx, work.actor, action="package_installation.create", target=made.id,
        project_id=key.project, after=made,
    )  # fmt: skip
    return made


async def _find_key(work: Workplace, name: str) -> identity.Key:
    number: int = await work.tx.value(
        "SELECT id FROM package_installations WHERE project_id = %s AND name = %s", (work.project, name)
    )
    return identity.Key(work.project, number)


async def _store_installation(work: Workplace, candidate: Candidate, outcome: PartOutcomes) -> identity.Key:
    number: int = await work.tx.value(
        """
        INSERT INTO package_installations (project_id, package_id, name, user_id)
        VALUES (%s, %s, %s, %s) RETURNING id
        """,
        (work.project, candidate.id, candidate.name, work.actor.user_id),
    )
    key = identity.Key(work.project, number)
    await _store_parts(work, key, outcome.stored)
    return key


async def _store_parts(work: Workplace, key: identity.Key, stored: Sequence[StoredPart]) -> None:
    await work.tx.execute(
        "DELETE FROM package_parts WHERE project_id = %s AND installation_id = %s", (key.project, key.key)
    )
    await work.tx.execute(
        """
        INSERT INTO package_parts (project_id, installation_id, kind, key, record, origin, digest)
        SELECT %s, %s, * FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[], %s::bytea[])
        """,
        (
            key.project, key.key, [str(one.kind) for one in stored], [one.key for one in stored],
            [one.record for one in stored], [str(one.origin) for one in stored],
            [one.digest for one in stored],
        ),
    )  # fmt: skip


async def _store_locks(
    work: Workplace,
    key: identity.Key,
    candidate: Candidate,
    chosen: _Chosen,
    keys: Mapping[str, identity.Key],
) -> None:
    """Keep which installed packages one needs, those that these need included."""
    by_name = {one.name: one for one in chosen.packages}
    needed: dict[str, Candidate] = {}
    waiting = [*candidate.requires]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed[name] = by_name[name]
            waiting += by_name[name].requires
    await work.tx.execute(
        "DELETE FROM package_locks WHERE project_id = %s AND installation_id = %s", (key.project, key.key)
    )
    await work.tx.execute(
        """
        INSERT INTO package_locks (project_id, installation_id, required_id)
        SELECT %s, %s, unnest(%s::integer[])
        """,
        (key.project, key.key, [keys[name].key for name in sorted(needed)]),
    )


async def _begin(call: WriteCall, project: int) -> Workplace:
    """The place where records are made, with the project's installations held."""
    await call.tx.execute(*locks.hold(locks.package_installations(project)))
    return Workplace(call.tx, call.actor, project, {})


def _require_new(chosen: _Chosen) -> None:
    package = chosen.package
    if (there := chosen.installed.get(package.name)) is not None:
        raise Conflict(
            f"The project has {package.name} {there.version} already; upgrade that installation instead."
        )


async def install_package(call: WriteCall, project: int, new: NewPackageInstallation) -> PackageInstallation:
    """Install a package and what it needs."""
    work = await _begin(call, project)
    chosen = await _choose_packages(call, project, new.package_id)
    _require_new(chosen)
    outcomes: list[PartOutcomes] = []
    return (await _install(work, chosen, outcomes, keeps_differing=new.keep_differing))[-1]


@contextmanager
def _refused_for_differences(outcome: PartOutcomes, *, keeps_differing: bool) -> Iterator[None]:
    """Raise Invalid where records differ that are not to be kept as they are, before what follows."""
    differing = [] if keeps_differing else outcome.differing
    try:
        yield
    except Invalid as error:
        raise Invalid([*differing, *error.problems]) from None
    if differing:
        raise Invalid(differing)


async def preview_package(call: WriteCall, project: int, new: NewPackageInstallation) -> InstallationPreview:
    """What installing a package would come to; the transaction must be undone afterwards."""
    work = await _begin(call, project)
    chosen = await _choose_packages(call, project, new.package_id)
    _require_new(chosen)
    outcomes: list[PartOutcomes] = []
    problems = []
    try:
        await _install(work, chosen, outcomes, keeps_differing=new.keep_differing)
    except Invalid as error:
        problems = [problem.message for problem in error.problems]
    return InstallationPreview(
        chosen.package.name, chosen.package.version, chosen.package.signature, chosen.lock,
        [part for outcome in outcomes for part in outcome.parts], problems,
    )  # fmt: skip


# Upgrade.


@dataclass(frozen=True, slots=True)
class _Upgrade:
    """An installation, and the package that it is brought to."""

    key: identity.Key
    before: PackageInstallation
    chosen: _Chosen


async def _choose_upgrade(call: WriteCall, new: NewUpgrade) -> _Upgrade:
    friendly = call.path["package_installation_id"]
    before = await read_installation(call.tx, call.actor, friendly)
    key = plain_key_named("package_installation", friendly)
    chosen = await _choose_packages(call, key.project, new.package_id, replaces=before.name)
    package = chosen.package
    if package.name != before.name:
        message = f"upgrade.package_id is {package.name}, and the installation is of {before.name}."
        raise Invalid([Problem(message, "upgrade.package_id", "invalid")])
    if order_version(package.version) <= order_version(before.version):
        message = f"{package.name} {before.version} is installed; {package.version} is no higher version."
        raise Invalid([Problem(message, "upgrade.package_id", "invalid")])
    if problems := await _list_unfitting_dependents(call.tx, key, package):
        raise Invalid(problems)
    return _Upgrade(key, before, chosen)


async def _list_unfitting_dependents(
    tx: Read, key: identity.Key, package: MethodologyPackage
) -> list[Problem]:
    """Installed packages that need another version than one."""
    rows = await tx.tuples(
        """
        SELECT p.name, p.version, p.requires ->> %s
          FROM package_locks l
          JOIN package_installations i ON (i.project_id, i.id) = (l.project_id, l.installation_id)
          JOIN methodology_packages p ON p.id = i.package_id
         WHERE l.project_id = %s AND l.required_id = %s AND p.requires ? %s ORDER BY p.name
        """,
        (package.name, key.project, key.key, package.name),
    )
    return [
        Problem(
            f"{name} {version} needs {package.name} {versions}, and the package is {package.version}.",
            "upgrade.package_id",
            "required_package",
        )
        for name, version, versions in rows
        if not is_in_range(package.version, versions)
    ]


async def _upgrade(
    work: Workplace, upgrade: _Upgrade, outcomes: list[PartOutcomes], *, keeps_differing: bool
) -> PartOutcomes:
    """Install what the new version needs besides, and bring the records to what it says."""
    root = upgrade.chosen.packages[-1]
    required = _without_root(upgrade.chosen)
    keys = {name: await _find_key(work, name) for name in upgrade.chosen.installed}
    if required is not None:
        await _install(work, required, outcomes, keeps_differing=keeps_differing)
        keys |= {one.name: await _find_key(work, one.name) for one in required.packages}
    before = list_parts(await read_contents(work.tx, upgrade.before.package_id))
    after = list_parts(await read_contents(work.tx, root.id))
    _require_permissions(work.actor, [part.kind for part in (*before, *after)])
    outcome = PartOutcomes(root.name)
    outcomes.append(outcome)
    stored = await _read_stored(work.tx, upgrade.key)
    with _refused_for_differences(outcome, keeps_differing=keeps_differing):
        await upgrade_parts(work, outcome, before, after, stored)
    await work.tx.execute(
        """
        UPDATE package_installations SET package_id = %s, updated_at = now()
         WHERE project_id = %s AND id = %s
        """,
        (root.id, upgrade.key.project, upgrade.key.key),
    )
    await _store_parts(work, upgrade.key, outcome.stored)
    await _store_locks(work, upgrade.key, root, upgrade.chosen, keys)
    return outcome


def _without_root(chosen: _Chosen) -> _Chosen | None:
    """The packages that the one that is asked for needs, without it; None where it needs none."""
    required = chosen.packages[:-1]
    return _Chosen(chosen.package, required, chosen.installed) if required else None


async def upgrade_installation(call: WriteCall, new: NewUpgrade) -> PackageUpgrade:
    """Bring an installation to a higher version of its package."""
    upgrade = await _choose_upgrade(call, new)
    work = await _begin(call, upgrade.key.project)
    outcomes: list[PartOutcomes] = []
    await _upgrade(work, upgrade, outcomes, keeps_differing=new.keep_differing)
    after = await read_installation(call.tx, call.actor, upgrade.before.id)
    changes.record(
        call.tx, call.actor, action="package_installation.upgrade", target=after.id,
        project_id=upgrade.key.project, before=upgrade.before, after=after,
    )  # fmt: skip
    return PackageUpgrade(after, [part for outcome in outcomes for part in outcome.parts])


async def preview_upgrade(call: WriteCall, new: NewUpgrade) -> UpgradePreview:
    """What an upgrade would come to; the transaction must be undone afterwards."""
    upgrade = await _choose_upgrade(call, new)
    work = await _begin(call, upgrade.key.project)
    outcomes: list[PartOutcomes] = []
    impact: GenerationImpact = NO_IMPACT
    problems: list[str] = []
    try:
        outcome = await _upgrade(work, upgrade, outcomes, keeps_differing=new.keep_differing)
        impact = await forecast_ledgers(work, outcome.versions)
    except Invalid as error:
        problems = [problem.message for problem in error.problems]
    package = upgrade.chosen.package
    return UpgradePreview(
        package.name, upgrade.before.version, package.version, package.signature, upgrade.chosen.lock,
        [part for outcome in outcomes for part in outcome.parts], impact, problems,
    )  # fmt: skip


# Remove.


async def remove_installation(call: WriteCall, friendly: str) -> PackageRemoval:
    """Remove an installation with those of its records that nothing uses."""
    before = await read_installation(call.tx, call.actor, friendly)
    key = plain_key_named("package_installation", friendly)
    work = await _begin(call, key.project)
    await _require_independent(call.tx, key, before)
    stored = await _read_stored(call.tx, key)
    _require_permissions(call.actor, [one.kind for one in stored])
    outcome = PartOutcomes(before.name)
    await remove_parts(work, outcome, stored)
    await call.tx.execute(
        "DELETE FROM package_installations WHERE project_id = %s AND id = %s", (key.project, key.key)
    )
    changes.record(
        call.tx, call.actor, action="package_installation.delete", target=before.id,
        project_id=key.project, before=before,
    )  # fmt: skip
    return PackageRemoval(outcome.parts)


async def _require_independent(tx: Write, key: identity.Key, before: PackageInstallation) -> None:
    rows = await tx.tuples(
        """
        SELECT i.name FROM package_locks l
          JOIN package_installations i ON (i.project_id, i.id) = (l.project_id, l.installation_id)
         WHERE l.project_id = %s AND l.required_id = %s ORDER BY i.name
        """,
        (key.project, key.key),
    )
    if rows:
        names = " and ".join(name for (name,) in rows)
        message = f"{names} needs {before.name}; remove that first."
        raise Invalid([Problem(message, code="in_use")])


# Paths of installations.


_READ: Final = "production_accounting:read"
_WRITE: Final = "production_accounting:write"
_PATH: Final = "/projects/{project_id}/package_installations"
_ONE: Final = "/package_installations/{package_installation_id}"
_EXAMPLE: Final[Mapping[str, Any]] = {"package_installation": {"package_id": 1}}
_UPGRADE_EXAMPLE: Final[Mapping[str, Any]] = {"upgrade": {"package_id": 2}}


@get(_PATH, permission=_READ, returns=Page[PackageInstallation], listing=INSTALLATIONS)
async def list_package_installations(call: ReadCall) -> Page[PackageInstallation]:
    """List the packages that are installed in a project; their records are in each by itself."""
    project = await project_of(call)
    request = list_request(call.query, INSTALLATIONS)
    of_project = SQL("i.project_id = {}").format(Literal(project))
    page = await read_page(call.tx, _INSTALLATION, INSTALLATIONS, request, source=_SOURCE, where=[of_project])
    return Page(await _add_locks(call.tx, project, page.data), page.info)


@post(
    _PATH,
    permission=_WRITE,
    body=NewPackageInstallationBody,
    returns=PackageInstallation,
    example=_EXAMPLE,
    computes=True,
)
async def create_package_installation(
    call: WriteCall, body: NewPackageInstallationBody
) -> PackageInstallation:
    """Install a methodology package in a project, with the packages that it needs, all or nothing.

    Its event types, static inputs, models, ledgers, rules and methodologies are made as their own operations
    make them, which takes the permissions of these. Records of the same names are left as they are: equal
    ones count as there already, others refuse the installation unless `keep_differing` is true. 409 where the
    project has a version of the package already.
    """
    return await install_package(call, await project_of(call), body.package_installation)


@attempt_with_body(
    f"{_PATH}/preview",
    permission=_WRITE,
    body=NewPackageInstallationBody,
    returns=InstallationPreview,
    example=_EXAMPLE,
)
async def preview_package_installation(
    call: WriteCall, body: NewPackageInstallationBody
) -> InstallationPreview:
    """Say what installing a methodology package would come to; nothing is stored.

    The installation is carried out and undone: `parts` has what becomes of each record, and in which fields
    those differ that are there already; `problems` says why it would be refused.
    """
    return await preview_package(call, await project_of(call), body.package_installation)


@get(_ONE, permission=_READ, returns=PackageInstallation)
async def get_package_installation(call: ReadCall) -> PackageInstallation:
    """Read one installation: what was taken, and which of its records were changed here since."""
    return await read_installation(call.tx, call.actor, call.path["package_installation_id"])


@post(
    f"{_ONE}/upgrade",
    permission=_WRITE,
    body=NewUpgradeBody,
    returns=PackageUpgrade,
    status=200,
    example=_UPGRADE_EXAMPLE,
    computes=True,
)
async def upgrade_package_installation(call: WriteCall, body: NewUpgradeBody) -> PackageUpgrade:
    """Bring an installation to a higher version of its package, all or nothing.

    Records become what the new version says, unless they were changed here since: those stay. A changed model
    has a new version, which is activated; batches that were posted keep theirs until they are generated anew.
    What the new version lacks is removed where nothing uses it.
    """
    return await upgrade_installation(call, body.upgrade)


@attempt_with_body(
    f"{_ONE}/upgrade/preview",
    permission=_WRITE,
    body=NewUpgradeBody,
    returns=UpgradePreview,
    example=_UPGRADE_EXAMPLE,
)
async def preview_package_upgrade(call: WriteCall, body: NewUpgradeBody) -> UpgradePreview:
    """Say what an upgrade would come to, record by record and ledger by ledger; nothing is stored.

    The upgrade is carried out and undone. `impact` has what each ledger would become if the slots that were
    generated were generated anew by the new versions, and the reports that hold amounts of them.
    """
    return await preview_upgrade(call, body.upgrade)


@delete(_ONE, permission=_WRITE, returns=PackageRemoval, status=200)
async def delete_package_installation(call: WriteCall) -> PackageRemoval:
    """Remove an installation with those of its records that nothing uses; says what stays, and why.

    What the project had before, what was changed here since, and what is used stays. Refused while another
    installed package needs it.
    """
    return await remove_installation(call, call.path["package_installation_id"])


ROUTES = [
    list_package_installations,
    create_package_installation,
    preview_package_installation,
    get_package_installation,
    upgrade_package_installation,
    preview_package_upgrade,
    delete_package_installation,
]
