"""What a built package says, part by part, as it is kept and shown; it runs in a sandbox.

Invariant: what is described has no flaw and every case holds; anything else is refused with every flaw.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from weighbridge.core.engine import CaseResult
from weighbridge.core.identity import make_slug
from weighbridge.core.model import Model, hash_model, show
from weighbridge.core.problem import Problem, limit_problems
from weighbridge.errors import Invalid
from weighbridge.modelling.documents import list_source_ledgers
from weighbridge.packages.checking import PackageReport, check_package
from weighbridge.packages.contents import SAMPLES_FOLDER, PackageError, SignedContents, read_signed
from weighbridge.packages.reading import (
    Package,
    PackageManifest,
    PlacedPart,
    plain_record,
    read_package,
)
from weighbridge.packages.records import (
    PackageCase,
    PackageCaseValue,
    PackageContents,
    PackageEntry,
    PackageModel,
    PackageSection,
    PackageSource,
)

FLAWS_MAX: Final = 100
"""Flaws of a package that one refusal names."""

FILE_FIELD: Final = "file"

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


@dataclass(frozen=True, slots=True)
class PackageDescription:
    """What a package is, and all that it brings."""

    manifest: PackageManifest
    signer: bytes | None
    """The public key of who signed it."""
    contents: str
    """A `PackageContents` as JSON."""


def read_manifest(content: bytes) -> PackageManifest:
    """Say what a built package is; Invalid with what keeps it from being read."""
    return _require_manifest(read_package(_read(content).files))


def describe_package(content: bytes, required: Sequence[bytes] = ()) -> PackageDescription:
    """Check a built package with those that it requires, and say what it brings; Invalid with every flaw."""
    signed = _read(content)
    others = [read_package(_read(one).files) for one in required]
    package = read_package(signed.files)
    report = check_package(package, others)
    if report.flaws:
        problems = [Problem(str(flaw), FILE_FIELD, "flawed_package") for flaw in report.flaws]
        raise Invalid(limit_problems(problems, FLAWS_MAX))
    contents = _ENCODER.encode(_list_contents(report, signed)).decode()
    return PackageDescription(_require_manifest(package), signed.signer, contents)


@dataclass(frozen=True, slots=True)
class PackageRecomputation:
    """What a package that was kept says now, and which of its cases do not hold."""

    description: PackageDescription
    failed: tuple[str, ...]
    """The names of models and rules with a case that does not come to what it expects."""


def recompute_package(content: bytes, required: Sequence[bytes] = ()) -> PackageRecomputation:
    """Say what a package brings, and compute every case anew; Invalid where it cannot be read.

    Flaws that are no failed case are passed over: it was accepted by what a service asked then. Rules that
    may be about event types of another package are computed with all that it requires, and else are not.
    """
    signed = _read(content)
    others = [read_package(_read(one).files) for one in required]
    package = read_package(signed.files)
    manifest = _require_manifest(package)
    report = check_package(package, others)
    if unreadable := sorted(package.models.keys() - report.models.keys()):
        message = f"its models {', '.join(unreadable)} cannot be read"
        raise Invalid([Problem(message, FILE_FIELD, "unreadable_package")])
    failed = [
        *(name for name, results in report.cases.items() if not all(one.is_passed for one in results)),
        *(rule.part.record.name for rule in report.rules if not all(one.is_passed for one in rule.results)),
    ]
    contents = _ENCODER.encode(_list_contents(report, signed)).decode()
    return PackageRecomputation(PackageDescription(manifest, signed.signer, contents), tuple(failed))


def _read(content: bytes) -> SignedContents:
    try:
        return read_signed(content)
    except PackageError as error:
        raise Invalid(
            [Problem(sentence, FILE_FIELD, "unreadable_package") for sentence in error.sentences]
        ) from None


def _require_manifest(package: Package) -> PackageManifest:
    if package.manifest is None:
        problems = [Problem(str(flaw), FILE_FIELD, "flawed_package") for flaw in package.flaws]
        raise Invalid(limit_problems(problems, FLAWS_MAX))
    return package.manifest


def _list_contents(report: PackageReport, signed: SignedContents) -> PackageContents:
    package = report.package
    return PackageContents(
        sources=[
            PackageSource(
                source.key, source.title, source.edition, source.url,
                [PackageSection(part.section, part.what, list(part.tables)) for part in source.taken],
            )
            for source in package.sources
        ],
        event_types=_list_entries(package.event_types, lambda one: one.slug or make_slug(one.name)),
        static_inputs=_list_entries(package.static_inputs, lambda one: one.slug),
        models=[_build_model(name, report) for name in sorted(package.models)],
        ledgers=_list_entries(package.ledgers, lambda one: one.name.strip()),
        rules=_list_entries(package.rules, lambda one: one.name.strip()),
        methodologies=_list_entries(package.methodologies, lambda one: f"{one.name} {one.version}"),
        samples=[name for name in signed.files if name.startswith(f"{SAMPLES_FOLDER}/")],
        page=package.page,
    )  # fmt: skip


def _list_entries(parts: Sequence[PlacedPart], name: Callable[[Any], str]) -> list[PackageEntry]:
    return [
        PackageEntry(name(part.record), plain_record(part), part.extra.get("model"), part.extra.get("source"))
        for part in parts
    ]


def _build_model(name: str, report: PackageReport) -> PackageModel:
    model = report.models[name]
    return PackageModel(
        name=name,
        title=model.name,
        primary_output=model.primary_output,
        draws_from=sorted(list_source_ledgers(model)),
        sha256=hash_model(model),
        document=report.package.models[name],
        cases=[_build_case(model, result) for result in report.cases[name]],
    )


def _build_case(model: Model, result: CaseResult) -> PackageCase:
    units = {node.slug: node.unit for node in model.nodes}
    return PackageCase(
        result.case.name,
        result.case.source,
        [
            PackageCaseValue(one.slug, show(one.expected, units[one.slug]), show(one.actual, units[one.slug]))
            for one in result.comparisons
        ],
    )
