"""The packages of a project: installed after a preview, with what was changed here, upgraded and removed."""

from collections.abc import Sequence
from typing import Any, Final

from weighbridge.core.problem import Problem
from weighbridge.errors import Conflict, Invalid
from weighbridge.packages.methodology_packages import list_methodology_packages
from weighbridge.packages.package_installations import (
    create_package_installation,
    delete_package_installation,
    get_package_installation,
    list_package_installations,
    preview_package_installation,
    preview_package_upgrade,
    upgrade_package_installation,
)
from weighbridge.packages.records import (
    InstallationPreview,
    MethodologyPackage,
    PackageInstallation,
    UpgradePreview,
)
from weighbridge.packages.requirements import order_version
from weighbridge.web.framework.page import form, page
from weighbridge.web.framework.visit import Redirect, View, Visit, view
from weighbridge.web.pages.packages.catalogue import PACKAGES_SHOWN

PATH: Final = "/projects/{project_id}/package_installations"
ONE: Final = PATH + "/{package_installation_id}"


@page(PATH, permission="production_accounting:read", of=list_package_installations)
async def installations(visit: Visit) -> View:
    """The packages of a project."""
    listed = await visit.ask(list_package_installations, (("page_size", PACKAGES_SHOWN), ("sort", "name")))
    return view(
        "packages/installations.html", "Packages", call=visit.url("package_installations"),
        installations=listed.data, path=visit.url("package_installations"),
    )  # fmt: skip


async def new_installation(visit: Visit) -> View:
    """What the installation of the chosen package would come to."""
    packages = await _list_packages(visit)
    chosen = _read_number(visit.asked("package") or visit.text("package"))
    preview: InstallationPreview | None = None
    problems: Sequence[Problem] = ()
    if chosen and not visit.problems:
        body = {"package_installation": {"package_id": chosen}}
        try:
            preview = await visit.do(preview_package_installation, body)
        except (Invalid, Conflict) as refusal:
            problems = refusal.problems
    path = visit.url("package_installations")
    return view(
        "packages/new_installation.html", "Install a package", call=f"{path}/preview", method="POST",
        crumbs=(("Packages", path),), packages=packages, chosen=chosen, preview=preview, path=path,
        refused=problems,
    )  # fmt: skip


def _read_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 9 else None


async def _list_packages(visit: Visit) -> list[MethodologyPackage]:
    listed = await visit.ask(list_methodology_packages, (("page_size", PACKAGES_SHOWN), ("sort", "name")))
    packages: list[MethodologyPackage] = listed.data
    return packages


@form(PATH, permission="production_accounting:write", error_page=new_installation, computes=True)
async def install(visit: Visit) -> Redirect:
    """Install a package."""
    chosen = _read_number(visit.text("package"))
    if chosen is None:
        raise Invalid([Problem("Choose a package.", "package", "required")])
    body = {"package_id": chosen, "keep_differing": visit.text("keep_differing") == "yes"}
    made = await visit.do(create_package_installation, {"package_installation": body})
    return Redirect(visit.url(f"package_installations/{made.id}"), f"{made.name} {made.version} installed.")


async def installation(visit: Visit) -> View:
    """An installed package: its records, and which of them were changed here."""
    found: PackageInstallation = await visit.ask(get_package_installation)
    return view("packages/installation.html", found.title, **await _build_context(visit, found))


async def _build_context(visit: Visit, found: PackageInstallation) -> dict[str, Any]:
    path = visit.url("package_installations")
    newer = [
        one
        for one in await _list_packages(visit)
        if one.name == found.name and order_version(one.version) > order_version(found.version)
    ]
    return {
        "call": f"/package_installations/{found.id}", "installation": found, "newer": newer,
        "path": f"{path}/{found.id}", "crumbs": (("Packages", path),), "record_paths": RECORD_PATHS,
    }  # fmt: skip


RECORD_PATHS: Final = {
    "event_type": "event_types",
    "static_input": "static_inputs",
    "model": "models",
    "ledger": "ledgers",
    "rule": "rules",
    "methodology": "methodologies",
}
"""Where the record of a part has its page in the project, by kind."""


async def upgrade_preview(visit: Visit) -> View:
    """What an upgrade would come to, record by record and ledger by ledger."""
    found: PackageInstallation = await visit.ask(get_package_installation)
    chosen = _read_number(visit.asked("package") or visit.text("package"))
    preview: UpgradePreview | None = None
    problems: Sequence[Problem] = ()
    if chosen and not visit.problems:
        try:
            preview = await visit.do(preview_package_upgrade, {"upgrade": {"package_id": chosen}})
        except (Invalid, Conflict) as refusal:
            problems = refusal.problems
    context = await _build_context(visit, found)
    context["crumbs"] = (*context["crumbs"], (found.title, context["path"]))
    return view(
        "packages/upgrade.html", "Upgrade", method="POST", preview=preview, chosen=chosen, refused=problems,
        **{**context, "call": f"/package_installations/{found.id}/upgrade/preview"},
    )  # fmt: skip


@form(f"{ONE}/upgrade", permission="production_accounting:write", error_page=upgrade_preview, computes=True)
async def upgrade(visit: Visit) -> Redirect:
    """Bring an installation to the chosen version."""
    chosen = _read_number(visit.text("package"))
    if chosen is None:
        raise Invalid([Problem("Choose a version.", "package", "required")])
    body = {"package_id": chosen, "keep_differing": visit.text("keep_differing") == "yes"}
    done = await visit.do(upgrade_package_installation, {"upgrade": body})
    now = done.package_installation
    return Redirect(visit.url(f"package_installations/{now.id}"), f"{now.name} is at {now.version} now.")


@form(f"{ONE}/removal", permission="production_accounting:write", error_page=installation)
async def remove(visit: Visit) -> Redirect:
    """Remove an installation with what nothing uses."""
    removal = await visit.do(delete_package_installation)
    staying = [part.key for part in removal.parts if part.state == "stays"]
    words = f" What is used stays: {', '.join(staying)}." if staying else ""
    return Redirect(visit.url("package_installations"), f"The package is removed.{words}")


PAGES = [
    *installations,
    *page(f"{PATH}/new", permission="production_accounting:write", computes=True, tries=True)(
        new_installation
    ),
    *install,
    *page(ONE, permission="production_accounting:read", of=get_package_installation)(installation),
    *page(f"{ONE}/upgrade", permission="production_accounting:write", computes=True, tries=True)(
        upgrade_preview
    ),
    *upgrade,
    *remove,
]
