"""Writes the agent's file: an archive that Python runs, with its manifest first and everything in one order.

Invariant: the same commit and the same lock give the same bytes; times, modes and order of what is in the
archive follow from those alone.
"""

import hashlib
import io
import json
import time
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tools.agent_file.modules import MACHINE, OPENING, PROGRAM, SOURCE, find_data, find_file, find_modules
from tools.agent_file.wheels import (
    GLIBC,
    PLATFORMS,
    PYTHONS,
    Platform,
    check_libraries,
    fetch_wheels,
    read_files,
)
from tools.distributions.building import SUMS
from tools.distributions.staging import ROOT, moment
from weighbridge.agent.single_file import manifest as manifests
from weighbridge.agent.single_file.machine import MANIFEST
from weighbridge.agent.single_file.signing import NAMESPACE, SIGNATURE_ENDING
from weighbridge.agent.single_file.sources import FILE_ENDING
from weighbridge.agent.spool import SPOOL_VERSION
from weighbridge.core.signing import SigningKey, write_ssh_public_key, write_ssh_signature

SHEBANG: Final = b"#!/usr/bin/env -S python3 -IS\n"
START: Final = ROOT / "tools" / "agent_file" / "start.py"
COMMON: Final = "code/common"
_MODE: Final = 0o100644 << 16
_LEVEL: Final = 6
"""How hard the archive is packed, of 9; more takes three times as long and saves a hundredth."""


@dataclass(frozen=True, slots=True)
class Release:
    """Who answers for the files."""

    key: SigningKey | None = None
    signer: str = "weighbridge-release"
    signers: str | None = None
    """Whose updates the files take; those of the key when it is None."""

    version: str | None = None
    """Another version than the project's, for tests of updates."""

    @property
    def allowed_signers(self) -> str:
        """What is pinned in the files."""
        if self.signers is not None or self.key is None:
            return self.signers or ""
        return f'"{self.signer}" {write_ssh_public_key(self.key.public)}\n'

    @property
    def version_text(self) -> str:
        """The version of the files."""
        project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        return self.version or str(project["version"])


def build_into(folder: Path, release: Release, platforms: Iterable[str] = PLATFORMS) -> list[Path]:
    """Build the file of each platform into a folder, with signatures and sums. Raises `Unbuildable`."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob(f"{manifests.PROGRAM}-*"), folder / SUMS):
        old.unlink(missing_ok=True)
    built = []
    for name in platforms:
        path = folder / f"{manifests.PROGRAM}-{release.version_text}-{name}{FILE_ENDING}"
        path.touch(0o755)
        path.write_bytes(build_file(PLATFORMS[name], release))
        path.chmod(0o755)
        built.append(path)
        if release.key is not None:
            signature = write_ssh_signature(path.read_bytes(), release.key, NAMESPACE)
            path.with_name(path.name + SIGNATURE_ENDING).write_text(signature)
    lines = (f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in built)
    (folder / SUMS).write_text("".join(lines))
    return built


def build_file(platform: Platform, release: Release) -> bytes:
    """The bytes of the file for a platform."""
    modules = find_modules(PROGRAM, OPENING)
    files = _collect_packages(platform) | _collect_own(modules, release.version_text)
    check_libraries(platform, files)
    return assemble_file(platform, release, [*modules], files)


def assemble_file(
    platform: Platform, release: Release, modules: list[str], files: Mapping[str, bytes]
) -> bytes:
    """The bytes of a file with some code, of which the modules are loaded once when it is unpacked."""
    manifest = {
        "program": manifests.PROGRAM,
        "version": release.version_text,
        "platform": platform.name,
        "machine": platform.machine,
        "glibc": ".".join(map(str, GLIBC)),
        "pythons": [*PYTHONS],
        "spool_version": SPOOL_VERSION,
        "signers": release.allowed_signers,
        "modules": modules,
        "files": {path: hashlib.sha256(files[path]).hexdigest() for path in sorted(files)},
    }
    first = {
        "__main__.py": START.read_bytes(),
        MANIFEST: json.dumps(manifest, indent=1).encode(),
        "machine.py": _read_module(MACHINE),
        "opening.py": _read_module(OPENING),
    }
    return _pack(first | {path: files[path] for path in sorted(files)})


def _collect_packages(platform: Platform) -> dict[str, bytes]:
    """The files of all packages; those of a wheel for each Python are there once."""
    wheels = fetch_wheels(platform)
    shared = set.intersection(*(set(of_python) for of_python in wheels.values()))
    files: dict[str, bytes] = {}
    for python, of_python in wheels.items():
        for name, wheel in of_python.items():
            place = COMMON if name in shared else f"code/cp{python.replace('.', '')}"
            files |= {f"{place}/{path}": content for path, content in read_files(wheel)}
    return files


def _collect_own(modules: Mapping[str, Path], version: str) -> dict[str, bytes]:
    """The files of the product, with what says which version it is."""
    paths = [*modules.values(), *find_data(dict(modules))]
    files = {f"{COMMON}/{path.relative_to(SOURCE).as_posix()}": path.read_bytes() for path in paths}
    about = f"{COMMON}/weighbridge-{version}.dist-info"
    files[f"{about}/METADATA"] = (
        f"Metadata-Version: 2.4\nName: weighbridge\nVersion: {version}\nLicense-Expression: Apache-2.0\n"
    ).encode()
    for licence in ("LICENSE", "NOTICE"):
        files[f"{about}/licenses/{licence}"] = (ROOT / licence).read_bytes()
    return files


def _read_module(name: str) -> bytes:
    path = find_file(name)
    assert path is not None  # noqa: S101 - it is one of ours
    return path.read_bytes()


def _pack(files: Mapping[str, bytes]) -> bytes:
    """An archive that can be run, with files in their order."""
    packed = io.BytesIO()
    packed.write(SHEBANG)
    at = time.gmtime(moment())[:6]
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, at)
            entry.external_attr, entry.create_system = _MODE, 3
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, compresslevel=_LEVEL)
    return packed.getvalue()
