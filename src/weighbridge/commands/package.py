"""`weighbridge package`: methodology packages as folders and files, and in projects of a running service."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

from cyclopts import App, Parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weighbridge.core.signing import SigningKey
    from weighbridge.packages.checking import PackageReport
    from weighbridge.packages.contents import Contents

Folder = Annotated[Path, Parameter(help="The folder of the package, or the file that was built of it.")]

package = App(
    name="package", help="Methodology packages: what a project begins with, as its standard says it."
)


@package.command
def new(
    folder: Annotated[Path, Parameter(help="The folder to make; its name is that of the package.")], /
) -> None:
    """Write the files of a new package, which pass `weighbridge package check`.

    Example: `weighbridge package new soda-ash`
    """
    from weighbridge.core.identity import is_slug
    from weighbridge.packages.schemas import write_reference
    from weighbridge.packages.skeleton import write_skeleton

    if not is_slug(folder.name):
        _stop(f"The folder is named as the package, by a slug such as soda-ash; here is {folder.name!r}.")
    if folder.exists():
        _stop(f"{folder} is there already.")
    for name, text in write_skeleton(folder.name).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write_reference(name) + text, encoding="utf-8")
    _write_schemas(folder)
    sys.stdout.write(f"{folder} has the files of a new package. Next: weighbridge package check {folder}\n")


@package.command
def schemas(folder: Annotated[Path, Parameter(help="The folder of a package.")], /) -> None:
    """Write the JSON Schemas of this version into `.schemas`, so that an editor completes the files.

    Example: `weighbridge package schemas packages/stationary-combustion`
    """
    if not folder.is_dir():
        _stop(f"{folder} is no folder.")
    _write_schemas(folder)
    sys.stdout.write(f"{folder} has the schemas of its files.\n")


@package.command
def check(
    folder: Folder,
    /,
    *,
    required: Annotated[
        list[Path] | None,
        Parameter(name="--with", help="A package that it requires, as a folder or a file; repeatable."),
    ] = None,
    publishers: Annotated[
        Path | None,
        Parameter(help="A file with the keys of known publishers, as ssh-keygen takes allowed signers."),
    ] = None,
) -> None:
    """Check a package: its files, how they fit, every case of its models, and a source for every number.

    Exits with 1 when there is a flaw, each named with file, line and column. Of a file it says who signed it.

    Example: `weighbridge package check packages/stationary-combustion`
    """
    report = _check(_read(folder), required or ())
    for name, results in report.cases.items():
        _tell_cases(name, [result.is_passed for result in results])
    for rule in report.rules:
        _tell_cases(rule.part.record.name, [result.is_passed for result in rule.results])
    _refuse_flaws(report)
    if folder.is_file():
        sys.stdout.write(f"{_describe_signer(folder, publishers, report)}\n")
    sys.stdout.write("The package has no flaw.\n")


def _tell_cases(name: str, passed: "Sequence[bool]") -> None:
    if passed:
        said = f"{sum(passed)} of {len(passed)} cases come to what their source says"
    else:
        said = "no case was computed"
    sys.stdout.write(f"{name}: {said}\n")


def _describe_signer(file: Path, publishers: Path | None, report: "PackageReport") -> str:
    """Who signed a built package, in a sentence; stops where the key is another publisher's."""
    from weighbridge.errors import Refusal
    from weighbridge.packages.contents import read_signed
    from weighbridge.packages.signatures import check_publisher, find_signer, read_publishers

    manifest = report.package.manifest
    assert manifest is not None, "a package without a manifest has a flaw"  # noqa: S101
    try:
        known = read_publishers(publishers)
    except Refusal as error:
        _stop("\n".join(problem.message for problem in error.problems))
    signer = find_signer(read_signed(file.read_bytes()).signer, known)
    if (sentence := check_publisher(signer, manifest.publisher)) is not None:
        _stop(sentence)
    return signer.sentence


@package.command
def build(
    folder: Folder,
    /,
    *,
    out: Annotated[Path | None, Parameter(help="The file to write; NAME-VERSION.zip when left out.")] = None,
    key: Annotated[
        Path | None,
        Parameter(help="A file with the Ed25519 key to sign it with, as ssh-keygen makes it, or PEM."),
    ] = None,
    required: Annotated[
        list[Path] | None,
        Parameter(name="--with", help="A package that it requires, as a folder or a file; repeatable."),
    ] = None,
) -> None:
    """Check a package and build its one file; the same files give the same bytes on every machine.

    Example: `weighbridge package build packages/stationary-combustion`
    """
    from weighbridge.packages.contents import build as build_package

    contents = _read(folder)
    report = _check(contents, required or ())
    _refuse_flaws(report)
    manifest = report.package.manifest
    assert manifest is not None, "a package without a manifest has a flaw"  # noqa: S101
    target = out or Path(f"{manifest.name}-{manifest.version}.zip")
    built = build_package(contents, _read_key(key))
    target.write_bytes(built.content)
    sys.stdout.write(f"{target} has {len(contents)} files. SHA-256: {built.sha256}\n")


def _read_key(path: Path | None) -> "SigningKey | None":
    from weighbridge.core.signing import SigningKey, UnprovenError

    if path is None:
        return None
    try:
        return SigningKey.read(path.read_bytes())
    except (OSError, UnprovenError) as error:
        _stop(f"The key in {path} cannot be used. {error}")


# In a running service.


Project = Annotated[str, Parameter(help="The project, by its id prj_… or its number.")]
Url = Annotated[
    str | None,
    Parameter(help="The address of the service; WEIGHBRIDGE_URL by default. The token is WEIGHBRIDGE_TOKEN."),
]
KeepDiffering = Annotated[
    bool,
    Parameter(
        negative=(), help="Leave records of the same names that differ as they are, rather than refuse."
    ),
]
Yes = Annotated[bool, Parameter(negative=(), help="Do it without asking.")]


@package.command
def install(
    folder: Folder,
    /,
    *,
    project: Project,
    keep_differing: KeepDiffering = False,
    yes: Yes = False,
    url: Url = None,
) -> None:
    """Install a package in a project of a running service, after saying what it would make and what differs.

    Example: `weighbridge package install packages/stationary-combustion --project prj_...`
    """
    from weighbridge.commands import package_installing

    package_installing.install(url, folder, project, keep_differing=keep_differing, is_agreed=yes)


@package.command
def upgrade(
    folder: Folder,
    /,
    *,
    project: Project,
    keep_differing: KeepDiffering = False,
    yes: Yes = False,
    url: Url = None,
) -> None:
    """Bring a package of a project to another version, after saying what every ledger would become.

    Example: `weighbridge package upgrade stationary-combustion-1.1.0.zip --project prj_...`
    """
    from weighbridge.commands import package_installing

    package_installing.upgrade(url, folder, project, keep_differing=keep_differing, is_agreed=yes)


@package.command
def remove(
    name: Annotated[str, Parameter(help="The name of the package, such as stationary-combustion.")],
    /,
    *,
    project: Project,
    yes: Yes = False,
    url: Url = None,
) -> None:
    """Remove a package from a project with those of its records that nothing uses; says what stays, and why.

    Example: `weighbridge package remove stationary-combustion --project prj_...`
    """
    from weighbridge.commands import package_installing

    package_installing.remove(url, name, project, is_agreed=yes)


def _stop(sentence: str) -> NoReturn:
    sys.stderr.write(f"{sentence}\n")
    sys.exit(1)


def _write_schemas(folder: Path) -> None:
    from weighbridge.packages.schemas import SCHEMAS_FOLDER, write_schemas

    target = folder / SCHEMAS_FOLDER
    target.mkdir(exist_ok=True)
    for name, content in write_schemas().items():
        (target / name).write_bytes(content)


def _read(folder: Path) -> "Contents":
    from weighbridge.packages.contents import PackageError, read_built, read_folder

    try:
        return read_built(folder.read_bytes()) if folder.is_file() else read_folder(folder)
    except PackageError as error:
        _stop("\n".join(error.sentences))


def _check(contents: "Contents", required: "Sequence[Path]") -> "PackageReport":
    from weighbridge.packages.checking import check_package
    from weighbridge.packages.reading import read_package

    return check_package(read_package(contents), [read_package(_read(one)) for one in required])


def _refuse_flaws(report: "PackageReport") -> None:
    if report.flaws:
        count = len(report.flaws)
        noun = "flaw" if count == 1 else "flaws"
        _stop("\n".join([*map(str, report.flaws), f"The package is refused: {count} {noun}."]))
