"""Packages in a running service: installed, upgraded and removed over HTTP, after a look at what it does.

Imported only when such a command is called, for the client is slow to import.
"""

import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from weighbridge.client import Client
from weighbridge.client.calls import PREFIX
from weighbridge.client.flows import build_form
from weighbridge.client.made.records import (
    GenerationImpact,
    MethodologyPackage,
    PackageInstallation,
    PackagePart,
    PackageSignature,
)
from weighbridge.commands.record_commands import WIDE, connected
from weighbridge.errors import Refusal
from weighbridge.packages.contents import PackageError, build, read_folder

YES: Final = frozenset({"y", "yes"})
_KIND: Final = "_"


def install(url: str | None, path: Path, project: str, *, keep_differing: bool, is_agreed: bool) -> None:
    """Install a package in a project, once whoever asks has seen what it makes."""
    with connected(url) as client:
        package = _upload(client, path)
        preview = client.package_installations.preview(
            project, package_id=package.id, keep_differing=keep_differing
        )
        _tell_signature(preview.signature)
        _tell_packages([f"{one.name} {one.version}" for one in preview.lock])
        _tell_parts(preview.parts)
        _refuse(preview.problems)
        _require_agreement(f"Install {package.name} {package.version}?", is_agreed=is_agreed)
        made = client.package_installations.create(
            project, package_id=package.id, keep_differing=keep_differing
        )
        sys.stdout.write(f"{made.name} {made.version} is installed as {made.id}.\n")


def upgrade(url: str | None, path: Path, project: str, *, keep_differing: bool, is_agreed: bool) -> None:
    """Bring an installation to another version, once whoever asks has seen what every ledger would become."""
    with connected(url) as client:
        package = _upload(client, path)
        installation = _find_installation(client, project, package.name)
        preview = client.package_installations.preview_package_upgrade(
            installation.id, package_id=package.id, keep_differing=keep_differing
        )
        _tell_signature(preview.signature)
        _tell_parts(preview.parts)
        _refuse(preview.problems)
        _tell_impact(preview.impact)
        question = f"Upgrade {package.name} from {preview.version_before} to {preview.version_after}?"
        _require_agreement(question, is_agreed=is_agreed)
        done = client.package_installations.upgrade(
            installation.id, package_id=package.id, keep_differing=keep_differing
        )
        sys.stdout.write(f"{package.name} is at {done.package_installation.version} now.\n")


def remove(url: str | None, name: str, project: str, *, is_agreed: bool) -> None:
    """Remove an installation with what nothing uses."""
    with connected(url) as client:
        installation = _find_installation(client, project, name)
        _require_agreement(f"Remove {name} {installation.version}?", is_agreed=is_agreed)
        removal = client.package_installations.delete(installation.id)
        _tell_parts(removal.parts)
        sys.stdout.write(f"{name} is removed from the project.\n")


def _upload(client: Client, path: Path) -> MethodologyPackage:
    """Upload a package; one that the account has already is found by its bytes."""
    try:
        content = build(read_folder(path)).content if path.is_dir() else path.read_bytes()
    except PackageError as error:
        raise Refusal("\n".join(error.sentences)) from None
    except OSError as error:
        raise Refusal(f"{path} cannot be read: {error}.") from None
    call = build_form(f"{PREFIX}/methodology_packages", MethodologyPackage, path.name, content, texts={})
    return client.carry(call)


def _find_installation(client: Client, project: str, name: str) -> PackageInstallation:
    found = list(client.package_installations.list(project, name=name))
    if not found:
        raise Refusal(f"The project has no package {name!r}.")
    return found[0]


def _tell_signature(signature: PackageSignature) -> None:
    sys.stdout.write(f"{signature.sentence}\n")


def _tell_packages(packages: Sequence[str]) -> None:
    if len(packages) > 1:
        sys.stdout.write(f"Packages that are taken: {', '.join(packages)}.\n")


def _tell_parts(parts: Sequence[PackagePart]) -> None:
    table = _build_table("What becomes of it", "Kind", "Name", "Record", "Differences")
    for part in parts:
        table.add_row(
            part.state.replace(_KIND, " "), part.kind.replace(_KIND, " "), part.key, part.record_id or "",
            part.reason or "; ".join(f"{one.field}: {one.before} → {one.after}" for one in part.differences),
        )  # fmt: skip
    _print(table)


def _tell_impact(impact: GenerationImpact) -> None:
    """What each ledger would become, to the digit."""
    if not impact.ledgers:
        sys.stdout.write("No ledger would become another if its batches were generated anew.\n")
        return
    table = _build_table("Ledger", "Runs", "Before", "After", "Change", "Unit")
    for one in impact.ledgers:
        table.add_row(
            one.name, f"{one.batch_count:,}", _write(one.primary_output_before),
            _write(one.primary_output_after), _write(one.change), one.unit,
        )  # fmt: skip
    _print(table)
    for report in impact.reports:
        sys.stdout.write(f"The report {report.name!r} ({report.status}) holds amounts of these runs.\n")
    for problem in (*impact.problems, *impact.not_followed):
        sys.stdout.write(f"{problem}\n")


def _write(amount: Decimal) -> str:
    return format(amount, "f")


def _build_table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _print(table: Table) -> None:
    Console(width=None if sys.stdout.isatty() else WIDE).print(table)


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        raise Refusal("\n".join(problems))


def _require_agreement(question: str, *, is_agreed: bool) -> None:
    """Ask whoever sits at the terminal; Refusal where nobody agrees."""
    if is_agreed:
        return
    if not sys.stdin.isatty():
        raise Refusal("Nothing was changed. Add --yes to do it.")
    sys.stdout.write(f"{question} [y/N] ")
    sys.stdout.flush()
    if sys.stdin.readline().strip().lower() not in YES:
        raise Refusal("Nothing was changed.")
