"""Define the records of methodology packages, and of what was installed of them in projects."""

from enum import StrEnum
from typing import Annotated, Any

import msgspec

from weighbridge.accounting.records.impact import GenerationImpact
from weighbridge.core.identity import Link
from weighbridge.core.time.calendar import Instant
from weighbridge.http.text import Line, one_of


class SignatureState(StrEnum):
    """What may be known of who signed a package."""

    SHIPPED = "shipped"
    KNOWN = "known"
    UNKNOWN = "unknown"
    UNSIGNED = "unsigned"


class PackageSignature(msgspec.Struct, frozen=True):
    """What is known of who signed a package."""

    state: Annotated[str, one_of(SignatureState)]
    """Whether it is `shipped` with the service, or signed by a `known` publisher or `unknown` key, or not."""
    fingerprint: str | None
    """That of the key, as `ssh-keygen -l` prints it; null for a package that nobody signed."""
    publisher: str | None
    """The known publisher whose key it is; null unless there is one."""
    sentence: str
    """The same for people."""


class PackageSection(msgspec.Struct, frozen=True):
    """What was taken from a document."""

    section: str
    """Where it stands, such as `Table C-1`."""
    what: str
    """What it says."""
    tables: list[str]
    """The tables of models that have it, as `model.table`."""


class PackageSource(msgspec.Struct, frozen=True):
    """A document that a package was written from."""

    key: str
    """The word by which the numbers of the package name it."""
    title: str
    """What the document is called."""
    edition: str
    """Which edition of it was read."""
    url: str
    """Where it is found."""
    taken: list[PackageSection]
    """What was taken from it."""


class PackageEntry(msgspec.Struct, frozen=True):
    """A record that a package brings."""

    key: str
    """What the package calls it: a slug or a name."""
    record: dict[str, Any]
    """What is sent to create it; an id of an event type or a model is what the package calls that."""
    model: str | None
    """The name of the model that credits it, for a ledger; null for others."""
    source: str | None
    """Where its numbers are from; null where it says none."""


class PackageCaseValue(msgspec.Struct, frozen=True):
    """What a case expects of a node."""

    node: str
    """The slug of the node."""
    expected: str
    """The value that the source prints, with its unit."""
    actual: str
    """The value that the model came to, with its unit."""


class PackageCase(msgspec.Struct, frozen=True):
    """A worked example of a source, as it was computed when the package was uploaded."""

    name: str
    """What the case is called."""
    source: str | None
    """Where the example stands."""
    values: list[PackageCaseValue]
    """What it expects, and what came of it."""


class PackageModel(msgspec.Struct, frozen=True):
    """A model that a package brings."""

    name: str
    """The name of its file, by which ledgers of the package name it."""
    title: str
    """What the model is called."""
    primary_output: str
    """The slug of the output that ledgers keep unless they say otherwise."""
    draws_from: list[str]
    """The names of the ledgers that it draws from or sees."""
    sha256: str
    """The digest of what the model computes, as that of a version of a model."""
    document: str
    """Its YAML document."""
    cases: list[PackageCase]
    """The cases of the document."""


class PackageContents(msgspec.Struct, frozen=True):
    """What a package brings, part by part."""

    sources: list[PackageSource]
    """The documents that it was written from."""
    event_types: list[PackageEntry]
    """The event types, each as it is created."""
    static_inputs: list[PackageEntry]
    """The values that hold for the whole project."""
    models: list[PackageModel]
    """The models with their documents and cases."""
    ledgers: list[PackageEntry]
    """The ledgers, each with its model."""
    rules: list[PackageEntry]
    """The data rules."""
    methodologies: list[PackageEntry]
    """The methodologies by which reports are made."""
    samples: list[str]
    """The names of the files with data to try it with."""
    page: str
    """What people read of it: boundaries, what is measured how often, what is not covered. Markdown."""


class MethodologyPackage(msgspec.Struct, frozen=True):
    """A methodology as one file: what is measured, how it is computed, and where every number is from."""

    id: int
    """The number of the package in the account."""
    name: str
    """The slug of the package, such as `stationary-combustion`; once in each version."""
    version: str
    """The version: major, minor and patch, such as `1.0.0`."""
    title: str
    """What people call it."""
    about: str
    """What it is for, in a sentence or two."""
    licence: str
    """Under which licence it may be used, such as `CC0-1.0`."""
    publisher: str
    """Who publishes it, as it says itself; what is known of that is in `signature`."""
    engine_revision: int
    """The revision of the engine that its cases were computed by."""
    requires: dict[str, str]
    """The packages that it needs, by name, and which versions of each."""
    sha256: str
    """The SHA-256 of the file."""
    size_bytes: int
    """How long the file is."""
    documents: list[str]
    """The titles of the documents that it was written from."""
    measures: list[str]
    """The names of the event types that it brings."""
    signature: PackageSignature
    """What is known of who signed it."""
    installation_count: int
    """In how many projects it is installed."""
    user_id: int
    """The user who uploaded it."""
    created_at: Instant
    contents: PackageContents | None
    """What it brings; null in lists."""
    ui_url: Link


class LibraryPackage(msgspec.Struct, frozen=True):
    """A package that ships with the service."""

    name: str
    """The slug of the package, by which it is taken."""
    version: str
    """The version: major, minor and patch, such as `1.0.0`."""
    title: str
    """What people call it."""
    about: str
    """What it is for, in a sentence or two."""
    licence: str
    """Under which licence it may be used."""
    documents: list[str]
    """The titles of the documents that it was written from."""
    measures: list[str]
    """The names of the event types that it brings."""
    sha256: str
    """The SHA-256 of the file."""
    package_id: int | None
    """The number of the same package in the account; null while it has not been taken."""


class LibraryPackages(msgspec.Struct, frozen=True):
    """The packages that ship with the service, by name; not a page, for they are few."""

    data: list[LibraryPackage]
    """The packages, by name."""


class NewMethodologyPackage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A package of the library, to be taken into the account."""

    name: Line
    """The name of a package that ships with the service, such as `stationary-combustion`."""


class NewMethodologyPackageBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /methodology_packages, without a file."""

    methodology_package: NewMethodologyPackage


class PartKind(StrEnum):
    """What a package brings."""

    EVENT_TYPE = "event_type"
    STATIC_INPUT = "static_input"
    MODEL = "model"
    LEDGER = "ledger"
    RULE = "rule"
    METHODOLOGY = "methodology"


class PartOrigin(StrEnum):
    """How a record came to be a part of an installation."""

    MADE = "made"
    PRESENT = "present"
    KEPT = "kept"


class PartState(StrEnum):
    """What becomes of a record."""

    MADE = "made"
    PRESENT = "present"
    DIFFERS = "differs"
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    CHANGED_HERE = "changed_here"
    REMOVED = "removed"
    STAYS = "stays"


class PartDifference(msgspec.Struct, frozen=True):
    """A field in which a record differs from what a package says."""

    field: str
    """The field, such as `data_point_types.volume.unit`; of a model the node and its key."""
    before: Any
    """What the record has."""
    after: Any
    """What the package says."""


class PackagePart(msgspec.Struct, frozen=True):
    """What becomes of a record that a package brings, or brought."""

    package: str
    """The name of the package."""
    kind: Annotated[str, one_of(PartKind)]
    """What kind of record it is."""
    key: str
    """What the package calls it."""
    record_id: str | None
    """The id of the record, or its number; null for one that is not there, or is not yet."""
    state: Annotated[str, one_of(PartState)]
    """What becomes of it: `present` is there and equal, `differs` and `changed_here` are left as they are,
    and `stays` is used by something.
    """
    reason: str | None
    """Why it stays, in a sentence; null for others."""
    differences: list[PartDifference]
    """In what the record differs from what the package says, or from what it becomes."""


class InstalledPart(msgspec.Struct, frozen=True):
    """A record that came with an installed package."""

    kind: Annotated[str, one_of(PartKind)]
    """What kind of record it is."""
    key: str
    """What the package calls it."""
    record_id: str
    """The id of the record, or its number."""
    origin: Annotated[str, one_of(PartOrigin)]
    """Whether the installation `made` the record, found it `present`, or `kept` one that differs."""
    sha256: str
    """The digest of what people set of the record, as the package has it; that of a change is another."""
    is_there: bool
    """Whether the record is still there."""
    is_changed_here: bool
    """Whether the record is another than the package has it: changed since, or kept as it was."""


class LockedPackage(msgspec.Struct, frozen=True):
    """A package as it was resolved for an installation."""

    package_id: int
    """The number of the package."""
    name: str
    """The slug of the package."""
    version: str
    """The version: major, minor and patch, such as `1.0.0`."""
    sha256: str
    """The SHA-256 of its file."""


class PackageInstallation(msgspec.Struct, frozen=True):
    """A package that was installed in a project."""

    id: str
    project_id: str
    package_id: int
    """The number of the package that is installed now."""
    name: str
    """The slug of the package; once in the project."""
    version: str
    """The version that is installed now."""
    title: str
    """What people call the package."""
    lock: list[LockedPackage]
    """The package itself and all that it needs, as they were resolved, by name."""
    parts: list[InstalledPart]
    """The records that came with it; empty in lists."""
    user_id: int
    """The user who installed it."""
    created_at: Instant
    updated_at: Instant
    """When it was upgraded last."""
    ui_url: Link


class NewPackageInstallation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which package is installed, and what becomes of records that differ."""

    package_id: int
    """The number of the package, of the account."""
    keep_differing: bool = False
    """Whether records of the same names that differ are left as they are; without it they refuse the
    installation.
    """


class NewPackageInstallationBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /projects/{project_id}/package_installations, and of its preview."""

    package_installation: NewPackageInstallation


class InstallationPreview(msgspec.Struct, frozen=True):
    """What the installation of a package would come to; nothing is stored."""

    name: str
    """The slug of the package."""
    version: str
    """The version that would be installed, such as `1.0.0`."""
    signature: PackageSignature
    """What is known of who signed it."""
    lock: list[LockedPackage]
    """The package itself and all that it needs, as they would be taken, by name."""
    parts: list[PackagePart]
    """What would become of each record, in the order in which they are made."""
    problems: list[str]
    """Why the installation would be refused, each in a sentence; empty when it would not."""


class NewUpgrade(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """To which version an installation is brought."""

    package_id: int
    """The number of a package of the account, of the same name and a higher version."""
    keep_differing: bool = False
    """Whether records that a new part would be called the same as, and that differ, are left as they are."""


class NewUpgradeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /package_installations/{package_installation_id}/upgrade, and of its preview."""

    upgrade: NewUpgrade


class UpgradePreview(msgspec.Struct, frozen=True):
    """What an upgrade would come to; nothing is stored."""

    name: str
    """The slug of the package."""
    version_before: str
    """The version that is installed."""
    version_after: str
    """The version that would be."""
    signature: PackageSignature
    """What is known of who signed it."""
    lock: list[LockedPackage]
    """The package itself and all that it needs, as they would be taken, by name."""
    parts: list[PackagePart]
    """What would become of each record."""
    impact: GenerationImpact
    """What ledgers would become if the slots that were generated were generated anew by the new versions:
    the same data, computed by the versions before and after. The upgrade itself changes no batch.
    """
    problems: list[str]
    """Why the upgrade would be refused, each in a sentence; empty when it would not."""


class PackageUpgrade(msgspec.Struct, frozen=True):
    """An installation that was brought to another version, and what became of its records."""

    package_installation: PackageInstallation
    """The installation as it is now."""
    parts: list[PackagePart]
    """What became of each record."""


class PackageRemoval(msgspec.Struct, frozen=True):
    """What was removed with an installation, and what stays and why."""

    parts: list[PackagePart]
    """What became of each record."""
