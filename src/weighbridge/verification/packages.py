"""Methodology packages: each file is read whole and its cases are computed anew; each installation has what
its package brings, and the packages that this needs.

A package is looked at with those that it requires, as when it was taken: the highest versions that fit of
those that were there before it. Files come from outside, so a sandbox reads them.

Invariant: what is kept about a package is what its file says.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.collection.evidence_files import EvidenceStore
from weighbridge.core import identity
from weighbridge.db.engine import Read
from weighbridge.errors import Damaged, Invalid, Refusal
from weighbridge.packages.describing import PackageRecomputation, recompute_package
from weighbridge.packages.installing.parts import list_parts
from weighbridge.packages.methodology_packages import PACKAGE_LIMITS, PACKAGE_SAID, decode_contents
from weighbridge.packages.records import PartKind
from weighbridge.packages.requirements import Candidate, is_in_range, list_required
from weighbridge.sandbox.sandbox import read_apart
from weighbridge.sandbox.work import SandboxLimits

# Files of packages: what rows say of them follows from their bytes.


_PACKAGES: Final = """
    SELECT id, account_id, storage_key, size_bytes, file_sha256, signer, contents,
           name, version, title, about, licence, publisher, requires
      FROM methodology_packages ORDER BY id
"""
_OF_MANIFEST: Final = ("name", "version", "title", "about", "licence", "publisher", "requires")


@dataclass(frozen=True, slots=True)
class _KeptPackage:
    """A package as its row says it."""

    number: int
    account: int
    key: str
    size: int
    sha256: bytes
    signer: bytes | None
    contents: str
    manifest: Mapping[str, Any]

    @property
    def candidate(self) -> Candidate:
        """As what others may require it."""
        said = self.manifest
        return Candidate(self.number, said["name"], said["version"], self.sha256, said["requires"])


async def check_package_files(
    tx: Read, store: EvidenceStore, limits: SandboxLimits = PACKAGE_LIMITS
) -> list[str]:
    """Read the file of every package and compute its cases anew; a sentence for each that differs."""
    violations: list[str] = []
    kept: dict[int, _KeptPackage] = {}
    for number, account, key, size, sha256, signer, contents, *fields in await tx.tuples(_PACKAGES):
        manifest = dict(zip(_OF_MANIFEST, fields, strict=True))
        one = _KeptPackage(number, account, key, size, sha256, signer, contents, manifest)
        name = f"package {manifest['name']} {manifest['version']}, kept as {key}"
        try:
            content = await _read_file(tx, store, one)
            required = await _read_required(tx, store, one, kept)
            reading = read_apart(account, PACKAGE_SAID, limits, recompute_package, content, required)
            recomputed = await tx.meanwhile(reading)
            violations += [f"{name}: {words}" for words in await tx.in_thread(_compare, recomputed, one)]
        except Damaged as damage:
            violations.append(f"{name}: {damage}")
        except Refusal as error:
            violations += [f"{name}: {problem.message}" for problem in error.problems]
        kept[number] = one
    return violations


async def _read_file(tx: Read, store: EvidenceStore, one: _KeptPackage) -> bytes:
    with await store.get(one.key, one.size, one.sha256) as spool:
        return await tx.in_thread(spool.read)


async def _read_required(
    tx: Read, store: EvidenceStore, one: _KeptPackage, kept: Mapping[int, _KeptPackage]
) -> list[bytes]:
    """The files of what a package requires; none where they are not all there any more, or are damaged."""
    before = [other.candidate for other in kept.values() if other.account == one.account]
    try:
        required = list_required(one.candidate, before, {})
        return [await _read_file(tx, store, kept[other.id]) for other in required]
    except (Damaged, Invalid):
        return []


def _compare(recomputed: PackageRecomputation, one: _KeptPackage) -> list[str]:
    """What the file of a package says otherwise than its row does, and the cases that fail."""
    description = recomputed.description
    differing = [name for name in _OF_MANIFEST if getattr(description.manifest, name) != one.manifest[name]]
    if description.signer != one.signer:
        differing.append("signer")
    if decode_contents(description.contents) != decode_contents(one.contents):
        differing.append("contents")
    return [
        *(f"its {name} is not what its file says" for name in differing),
        *(f"a case of {name} does not come to what it expects" for name in recomputed.failed),
    ]


# Installations: each has the parts of its package, in its own project, and the packages that it needs.


@dataclass(frozen=True, slots=True)
class _Installation:
    """An installed package, with the names and versions of what it is locked with."""

    project: int
    number: int
    name: str
    package_number: int
    package: str
    version: str
    requires: Mapping[str, str]
    locked: Mapping[str, str]

    @property
    def title(self) -> str:
        """What sentences call it."""
        friendly = identity.of("package_installation", self.project, self.number)
        return f"installation {friendly} of {self.package} {self.version}"


_INSTALLATIONS: Final = """
    SELECT i.project_id, i.id, i.name, p.id, p.name, p.version, p.requires,
           coalesce((SELECT jsonb_object_agg(needed.name, q.version)
                       FROM package_locks l
                       JOIN package_installations needed
                         ON (needed.project_id, needed.id) = (l.project_id, l.required_id)
                       JOIN methodology_packages q ON q.id = needed.package_id
                      WHERE (l.project_id, l.installation_id) = (i.project_id, i.id)), '{}')
      FROM package_installations i JOIN methodology_packages p ON p.id = i.package_id
     ORDER BY i.project_id, i.id
"""
_CONTENTS: Final = """
    SELECT id, contents FROM methodology_packages
     WHERE id IN (SELECT package_id FROM package_installations)
"""
"""What installed packages bring, each once however many projects have it."""

_OF_OTHER_ACCOUNTS: Final = """
    SELECT i.project_id, i.id, i.package_id
      FROM package_installations i
      JOIN projects j ON j.id = i.project_id
      LEFT JOIN methodology_packages p ON p.id = i.package_id
     WHERE p.account_id IS DISTINCT FROM j.account_id
     ORDER BY i.project_id, i.id
"""


async def check_installations(tx: Read) -> list[str]:
    """A sentence for what an installation lacks of its package, and for each record that is another's."""
    violations = [
        f"installation {identity.of('package_installation', project, number)}: its account has no package"
        f" {package}"
        for project, number, package in await tx.tuples(_OF_OTHER_ACCOUNTS)
    ]
    stored: dict[tuple[int, int], set[tuple[str, str]]] = {}
    for project, number, kind, key in await tx.tuples(
        "SELECT project_id, installation_id, kind, key FROM package_parts"
    ):
        stored.setdefault((project, number), set()).add((kind, key))
    brought = {
        number: await tx.in_thread(_list_keys, contents) for number, contents in await tx.tuples(_CONTENTS)
    }
    for row in await tx.tuples(_INSTALLATIONS):
        one = _Installation(*row)
        parts = brought[one.package_number]
        violations += [f"{one.title}: {words}" for words in _check_installation(one)]
        there = stored.get((one.project, one.number), set())
        violations += [f"{one.title}: it lacks the {kind} {key!r}" for kind, key in sorted(parts - there)]
        violations += [f"{one.title}: no part of it is {kind} {key!r}" for kind, key in sorted(there - parts)]
    return [*violations, *await _check_records(tx)]


def _list_keys(contents: str) -> set[tuple[str, str]]:
    return {(str(part.kind), part.key) for part in list_parts(decode_contents(contents))}


def _check_installation(one: _Installation) -> list[str]:
    found = [] if one.name == one.package else [f"it is called {one.name}"]
    for name, versions in one.requires.items():
        version = one.locked.get(name)
        if version is None:
            found.append(f"it needs {name} {versions}, which it is not locked with")
        elif not is_in_range(version, versions):
            found.append(f"it needs {name} {versions}, and is locked with {version}")
    return found


# Records that parts name are of the project, or were: one that people removed since is named all the same.


_NUMBERED: Final = {
    PartKind.STATIC_INPUT: "SELECT id FROM static_inputs WHERE project_id = %s AND id = ANY (%s)",
    PartKind.MODEL: """
        SELECT m.id FROM models m JOIN model_families f ON f.id = m.family_id
         WHERE f.project_id = %s AND m.id = ANY (%s)
    """,
    PartKind.METHODOLOGY: """
        SELECT m.id FROM methodologies m JOIN projects j ON j.account_id = m.account_id
         WHERE j.id = %s AND m.id = ANY (%s)
    """,
}
"""Records that are never removed, by kind: those of a project."""


async def _check_records(tx: Read) -> list[str]:
    rows = await tx.tuples(
        "SELECT project_id, installation_id, kind, key, record FROM package_parts"
        " ORDER BY project_id, installation_id, kind, key"
    )
    numbers: dict[tuple[int, PartKind], list[int]] = {}
    for project, _, kind, _, record in rows:
        if kind in _NUMBERED and (number := _find_number(kind, project, record)) is not None:
            numbers.setdefault((project, PartKind(kind)), []).append(number)
    there = {
        (project, kind, number)
        for (project, kind), asked in numbers.items()
        for (number,) in await tx.tuples(_NUMBERED[kind], (project, asked))
    }
    return [
        f"installation {identity.of('package_installation', project, installation)}: {record} is no"
        f" {kind.replace('_', ' ')} of its project, and is its {key!r}"
        for project, installation, kind, key, record in rows
        if not _is_of_project(there, project, kind, record)
    ]


def _is_of_project(there: set[tuple[int, PartKind, int]], project: int, kind: str, record: str) -> bool:
    number = _find_number(kind, project, record)
    return number is not None and (kind not in _NUMBERED or (project, PartKind(kind), number) in there)


def _find_number(kind: str, project: int, record: str) -> int | None:
    """The number of a record; None where the text is no id of this kind, or one of another project."""
    if kind in {PartKind.STATIC_INPUT, PartKind.METHODOLOGY}:
        return int(record) if record.isdecimal() else None
    key = identity.parse(kind, record)
    if key is None or key.project != (0 if kind == PartKind.MODEL else project):
        return None
    return key.key
