"""The packages of the agent's file: wheels by the hashes of the lock, for a machine and each Python.

Invariants: nothing is compiled here and nothing of this machine goes in; every native library is for the
processor of the file, and asks for no newer glibc than the file states.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from tools.distributions.staging import ROOT

LOCK: Final = ROOT / "requirements-agent.lock"
WHEELS: Final = ROOT / ".venv" / "agent-wheels"
"""Wheels that were fetched before, by what they were fetched for."""

PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
GLIBC: Final = (2, 28)
"""The oldest C library of the files: that of Debian 10, for which `cryptography` is built."""

GLIBC_OLDEST: Final = (2, 17)
_GLIBC_SYMBOL: Final = re.compile(rb"GLIBC_(\d+)\.(\d+)")
_ELF: Final = b"\x7fELF\x02\x01"
"""A 64-bit library whose numbers begin with the lowest byte."""

_BLOCK: Final = re.compile(
    r"^(?P<requirement>[A-Za-z0-9][^\\\n]*) \\\n(?P<hashes>(?: +--hash=.*\n)+)", re.MULTILINE
)


class Unbuildable(Exception):  # noqa: N818 - named for what came of it
    """The file cannot be built; the message says why."""


@dataclass(frozen=True, slots=True)
class Platform:
    """A kind of machine."""

    name: str
    machine: str
    elf_machine: int
    """The number of the processor in a library (e_machine)."""


PLATFORMS: Final = {
    "linux-x86_64": Platform("linux-x86_64", "x86_64", 62),
    "linux-aarch64": Platform("linux-aarch64", "aarch64", 183),
}


def fetch_wheels(platform: Platform) -> dict[str, dict[str, Path]]:
    """The wheels for each Python, by the names of their files."""
    return {python: _fetch(platform, python) for python in PYTHONS}


def list_requirements(platform: Platform, python: str) -> str:
    """What the lock has for a machine and a Python, without conditions, which pip would ask this machine."""
    surroundings = {
        "implementation_name": "cpython", "platform_python_implementation": "CPython",
        "os_name": "posix", "platform_system": "Linux", "sys_platform": "linux",
        "platform_machine": platform.machine,
        "python_version": python, "python_full_version": f"{python}.0",
    }  # fmt: skip
    lines = []
    for block in _BLOCK.finditer(LOCK.read_text()):
        requirement = Requirement(block["requirement"])
        if requirement.marker is None or requirement.marker.evaluate(surroundings):
            lines.append(f"{requirement.name}{requirement.specifier} \\\n{block['hashes']}")
    return "".join(lines)


def _fetch(platform: Platform, python: str) -> dict[str, Path]:
    requirements = list_requirements(platform, python)
    digest = hashlib.sha256(f"{platform}{python}{GLIBC}{requirements}".encode()).hexdigest()[:16]
    folder = WHEELS / f"{platform.name}-{python}-{digest}"
    if not folder.is_dir():
        work = WHEELS / f"{folder.name}.unfinished"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        (work / "requirements.txt").write_text(requirements)
        _download(work, platform, python)
        work.rename(folder)
    return {path.name: path for path in sorted(folder.glob("*.whl"))}


def _download(folder: Path, platform: Platform, python: str) -> None:
    tags = [f"manylinux_{GLIBC[0]}_{minor}" for minor in range(GLIBC[1], GLIBC_OLDEST[1] - 1, -1)]
    platforms = [f"--platform={tag}_{platform.machine}" for tag in (*tags, "manylinux2014")]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
            *("--no-deps", "--require-hashes", "--only-binary=:all:", "--implementation=cp"),
            *(f"--python-version={python}", *platforms, f"--dest={folder}"),
            f"--requirement={folder / 'requirements.txt'}",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Unbuildable(
            f"pip cannot fetch the packages for {platform.name}, Python {python}:\n{done.stderr}"
        )


def read_files(wheel: Path) -> Iterator[tuple[str, bytes]]:
    """What a wheel installs, by the paths where it would be; without its programs and list of files."""
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            top, _, rest = name.partition("/")
            if top.endswith(".data"):
                kind, _, rest = rest.partition("/")
                if kind not in {"purelib", "platlib"}:
                    continue
                path = rest
            else:
                path = name
            if not name.endswith(("/", ".pyc", ".dist-info/RECORD")):
                yield path, archive.read(name)


def check_libraries(platform: Platform, files: Mapping[str, bytes]) -> int:
    """How many native libraries there are. Raises Unbuildable for one that the machine cannot load."""
    libraries = {path: content for path, content in files.items() if content[:4] == _ELF[:4]}
    problems = [
        f"{path} {problem}"
        for path, content in libraries.items()
        if (problem := _find_misfit(platform, content)) is not None
    ]
    problems += [
        f"{path} is no library of Linux"
        for path, content in files.items()
        if path.endswith((".so", ".pyd", ".dylib")) and path not in libraries and content
    ]
    if problems:
        raise Unbuildable("; ".join(problems))
    return len(libraries)


def _find_misfit(platform: Platform, library: bytes) -> str | None:
    machine = int.from_bytes(library[18:20], "little")
    if not library.startswith(_ELF) or machine != platform.elf_machine:
        return f"is for the processor {machine} of ELF, not for {platform.machine}"
    newest = max((tuple(map(int, one)) for one in _GLIBC_SYMBOL.findall(library)), default=(0, 0))
    if newest > GLIBC:
        return f"needs glibc {'.'.join(map(str, newest))}, not {'.'.join(map(str, GLIBC))}"
    return None
