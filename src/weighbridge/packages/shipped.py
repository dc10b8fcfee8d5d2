"""The packages that ship with the service, each built as `weighbridge package build` builds it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from weighbridge.packages.contents import (
    EVENT_TYPES,
    MANIFEST,
    MODELS_FOLDER,
    SOURCES,
    BuiltPackage,
    build,
    read_folder,
)
from weighbridge.packages.reading import PackageManifest, read_package

LIBRARY: Final = Path(__file__).parent / "library"
"""The folder of their folders."""


@dataclass(frozen=True, slots=True)
class ShippedPackage:
    """A package of the library."""

    manifest: PackageManifest
    documents: tuple[str, ...]
    """The titles of the documents that it was written from."""
    measures: tuple[str, ...]
    """The names of the event types that it brings."""
    built: BuiltPackage
    models: Mapping[str, str]
    """The documents of its models, by the name of their file without its ending."""


@cache
def read_library() -> tuple[ShippedPackage, ...]:
    """The packages of the library in order of name; they are read once."""
    folders = sorted(path for path in LIBRARY.iterdir() if (path / MANIFEST).is_file())
    return tuple(_read_shipped(folder) for folder in folders)


def _read_shipped(folder: Path) -> ShippedPackage:
    contents = read_folder(folder)
    read = (MANIFEST, SOURCES, EVENT_TYPES, f"{MODELS_FOLDER}/")
    package = read_package({name: contents[name] for name in contents if name.startswith(read)})
    assert package.manifest is not None, "tests check every package of the library"  # noqa: S101
    documents = tuple(source.title for source in package.sources)
    measures = tuple(part.record.name for part in package.event_types)
    return ShippedPackage(package.manifest, documents, measures, build(contents), package.models)


def find_shipped(name: str) -> ShippedPackage | None:
    """The package of a name, if there is one."""
    return next((one for one in read_library() if one.manifest.name == name), None)


def is_shipped(sha256: str) -> bool:
    """Whether a file of this digest ships with the service."""
    return any(one.built.sha256 == sha256 for one in read_library())
