"""The files of a package: read from a folder or from the built file, and built.

The built file is a ZIP archive without compression, as the proof bundle is: names sorted, times fixed,
with `SHA256SUMS` of all other files and, where somebody signed these, `SHA256SUMS.sig` (SSHSIG). So equal
files give an equal archive on every machine.

Invariants: nothing outside of the folder is read; a name that is not one of a package's is refused with a
sentence; no file is larger and no package has more files than the limits say, whatever an archive claims.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weighbridge.core.bundle.archive import (
    ArchivePart,
    UnreadableError,
    compute_crc,
    read_parts,
    write_directory,
    write_headers,
)
from weighbridge.core.number import shorten
from weighbridge.core.signing import (
    SigningKey,
    UnprovenError,
    VerifierKey,
    read_ssh_signer,
    verify_ssh_signature,
    write_ssh_signature,
)

MANIFEST: Final = "package.yaml"
SOURCES: Final = "sources.yaml"
EVENT_TYPES: Final = "event_types.yaml"
STATIC_INPUTS: Final = "static_inputs.yaml"
LEDGERS: Final = "ledgers.yaml"
RULES: Final = "rules.yaml"
METHODOLOGY: Final = "methodology.yaml"
PAGE: Final = "pages.md"
MODELS_FOLDER: Final = "models"
SAMPLES_FOLDER: Final = "samples"
SUMS: Final = "SHA256SUMS"
SIGNATURE: Final = f"{SUMS}.sig"
NAMESPACE: Final = "weighbridge-package"
"""What signatures of packages are for, so that none that was made for something else passes."""

REQUIRED_FILES: Final = (MANIFEST, SOURCES, PAGE)
"""The files that every package has."""

_NAMES: Final = re.compile(
    rf"{MANIFEST}|{SOURCES}|{EVENT_TYPES}|{STATIC_INPUTS}|{LEDGERS}|{RULES}|{METHODOLOGY}|{PAGE}"
    rf"|{MODELS_FOLDER}/[a-z0-9][a-z0-9_-]{{0,79}}\.yaml|{SAMPLES_FOLDER}/[a-z0-9][a-z0-9_-]{{0,79}}\.csv"
)
"""What the files of a package are called."""

FILES_MAX: Final = 200
"""Files of a package."""

FILE_BYTES_MAX: Final = 2_000_000
"""Bytes of one file of a package."""

PACKAGE_BYTES_MAX: Final = 20_000_000
"""Bytes of a whole package."""

Contents = Mapping[str, bytes]
"""The files of a package by name, in order of name, without the sums."""


class PackageError(Exception):
    """A package that cannot be read at all: `sentences` say why."""

    def __init__(self, sentences: list[str]) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = sentences


@dataclass(frozen=True, slots=True)
class SignedContents:
    """The files of a built package, and who signed their sums."""

    files: Contents
    signer: bytes | None
    """The public key of who signed, whose signature holds; None where nobody did."""


@dataclass(frozen=True, slots=True)
class BuiltPackage:
    """A package as one file."""

    content: bytes
    sha256: str


def read_folder(folder: Path) -> Contents:
    """Read the files of a folder; raises PackageError for what does not belong to a package."""
    if not folder.is_dir():
        raise PackageError([f"{folder} is no folder."])
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())
    visible = [name for name in names if not any(part.startswith(".") for part in name.split("/"))]
    sizes = {name: (folder / name).stat().st_size for name in visible if not (folder / name).is_symlink()}
    links = [f"{name} is a link, and a package has files alone." for name in visible if name not in sizes]
    if problems := [*links, *_check_names(sizes)]:
        raise PackageError(problems)
    return {name: (folder / name).read_bytes() for name in sizes}


def read_built(content: bytes) -> Contents:
    """Read a built package; raises PackageError where it is not what `build` makes of its files."""
    return read_signed(content).files


def read_signed(content: bytes) -> SignedContents:
    """Read a built package and who signed it; raises PackageError for a signature that does not hold, too."""
    if len(content) > PACKAGE_BYTES_MAX:
        sentence = f"A package has at most {PACKAGE_BYTES_MAX:,} bytes; this file has {len(content):,}."
        raise PackageError([sentence])
    try:
        parts = {name: bytes(part) for name, part in read_parts(memoryview(content)).items()}
    except UnreadableError as error:
        raise PackageError([f"The file is no package. {error}"]) from None
    sums, signature = parts.pop(SUMS, b""), parts.pop(SIGNATURE, None)
    if problems := [*_check_names({name: len(part) for name, part in parts.items()})]:
        raise PackageError(problems)
    if sums != _write_sums(parts):
        raise PackageError([f"{SUMS} does not have the sums of the files."])
    return SignedContents(parts, None if signature is None else _verify_signer(sums, signature))


def _verify_signer(sums: bytes, signature: bytes) -> bytes:
    try:
        text = signature.decode("ascii", "replace")
        signer = read_ssh_signer(text)
        verify_ssh_signature(sums, text, VerifierKey("package", signer), NAMESPACE)
    except UnprovenError as error:
        raise PackageError([f"{SIGNATURE} does not fit the package. {error}"]) from None
    return signer


def build(contents: Contents, key: SigningKey | None = None) -> BuiltPackage:
    """Build the one file of a package, signed where there is a key."""
    sums = _write_sums(contents)
    parts = {SUMS: sums, **contents}
    if key is not None:
        parts[SIGNATURE] = write_ssh_signature(sums, key, NAMESPACE).encode("ascii")
    names = sorted(parts)
    listed = [ArchivePart(name, len(parts[name]), compute_crc(memoryview(parts[name]))) for name in names]
    pieces = [
        piece
        for name, header in zip(names, write_headers(listed), strict=True)
        for piece in (header, parts[name])
    ]
    content = b"".join([*pieces, write_directory(listed)])
    return BuiltPackage(content, hashlib.sha256(content).hexdigest())


def _write_sums(contents: Contents) -> bytes:
    lines = (f"{hashlib.sha256(contents[name]).hexdigest()}  {name}\n" for name in sorted(contents))
    return "".join(lines).encode("ascii")


def _check_names(sizes: Mapping[str, int]) -> Iterator[str]:
    """Say which files do not belong to a package, by their names and sizes, and which are missing."""
    for name in REQUIRED_FILES:
        if name not in sizes:
            yield f"{name} is missing; every package has {', '.join(REQUIRED_FILES)}."
    if len(sizes) > FILES_MAX:
        yield f"A package has at most {FILES_MAX} files; this one has {len(sizes):,}."
        return
    for name, size in sizes.items():
        if not _NAMES.fullmatch(name):
            yield (
                f"{shorten(name)} is no file of a package; besides the named ones there are"
                f" {MODELS_FOLDER}/NAME.yaml and {SAMPLES_FOLDER}/NAME.csv."
            )
        elif size > FILE_BYTES_MAX:
            yield f"{name} has {size:,} bytes; a file of a package has at most {FILE_BYTES_MAX:,}."
    if (total := sum(sizes.values())) > PACKAGE_BYTES_MAX:
        yield f"A package has at most {PACKAGE_BYTES_MAX:,} bytes; this one has {total:,}."
