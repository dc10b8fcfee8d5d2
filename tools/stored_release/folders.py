"""Where the released versions are kept, and what of this version has to be the same as what was kept."""

import gzip
import hashlib
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
STORED: Final = ROOT / "tests" / "durability" / "stored"
STEPS: Final = ROOT / "src" / "weighbridge" / "db" / "migrations" / "versions"
DOCUMENT: Final = ROOT / "docs" / "reference" / "openapi.json"
CHANGELOG: Final = ROOT / "CHANGELOG.md"

DUMP: Final = "database.dump"
ANSWERS: Final = "answers.json.gz"
EVIDENCE: Final = "evidence"
KEY: Final = "audit-key.pem"
SUMS: Final = "steps.sha256"
INTERFACE: Final = "openapi.json.gz"

_VERSION: Final = re.compile(r"\d+\.\d+\.\d+")


def current() -> str:
    """The version that `pyproject.toml` names."""
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    return version


def released() -> list[Path]:
    """The folders of the released versions, oldest first."""
    found = [one for one in STORED.iterdir() if one.is_dir() and _VERSION.fullmatch(one.name)]
    return sorted(found, key=lambda one: tuple(map(int, one.name.split("."))))


def sums_of_steps() -> dict[str, str]:
    """Return the SHA-256 of every step of the database, by the name of its file below their folder."""
    files = sorted(path for path in STEPS.rglob("*") if path.suffix in {".py", ".sql"})
    return {
        path.relative_to(STEPS).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files
    }


def kept_sums(folder: Path) -> dict[str, str]:
    """The same as it was when a version was released."""
    lines = (line.split("  ") for line in (folder / SUMS).read_text().splitlines())
    return {name: digest for digest, name in lines}


def write_steps_and_interface(folder: Path) -> None:
    """Keep the steps and the OpenAPI document of this version."""
    sums = sums_of_steps()
    (folder / SUMS).write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()))
    write_packed(folder / INTERFACE, json.loads(DOCUMENT.read_text()))


def write_packed(file: Path, value: Any) -> None:
    """Write a value as JSON, packed."""
    file.write_bytes(gzip.compress(json.dumps(value, separators=(",", ":")).encode(), mtime=0))


def read_packed(file: Path) -> Any:
    """What `write_packed` wrote."""
    return json.loads(gzip.decompress(file.read_bytes()))


def lacking() -> Iterator[str]:
    """What stands in the way of a release of the version that `pyproject.toml` names, in sentences."""
    version = current()
    folder = STORED / version
    if not (folder / SUMS).exists():
        yield f"No data of {version} are kept; run `make stored-release`."
    elif kept_sums(folder) != sums_of_steps():
        yield f"The database has other steps than those kept of {version}; run `make stored-release`."
    elif read_packed(folder / INTERFACE) != json.loads(DOCUMENT.read_text()):
        yield f"The interface is another one than that kept of {version}; run `make stored-release`."
    changelog = CHANGELOG.read_text()
    if not re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE):
        yield f"CHANGELOG.md has no heading `## [{version}] - DATE`."
    unreleased = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if unreleased is None or unreleased[1].strip():
        yield "CHANGELOG.md must have a heading `## [Unreleased]` with nothing below it."
