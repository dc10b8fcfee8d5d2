"""The seal: the row of the audit log that tells of the parts of a bundle, written when the bundle was made.

Whoever has the key of the service can write another file later, with signatures that hold. Nobody can add a
row to a log whose head somebody keeps. So a bundle whose row is under such a head is the one that was made
then, part by part.

Invariants: the row is about every part that comes of the database; the others are proofs, or follow from
these.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

from weighbridge.core.bundle.archive import Faults
from weighbridge.core.bundle.contents import (
    AUDIT_FOLDER,
    DATA_PACKAGE,
    HEAD,
    RO_CRATE,
    SEAL,
    SIGNATURE,
    SUMS,
    WRITE_PROOF,
    BundleContents,
    TrustResult,
)

SEALING: Final = "report.seal_bundle"
"""The action of the row."""

PROOF_ENDING: Final = ".tlog-proof"
_UNSEALED: Final = {"report.html", DATA_PACKAGE, RO_CRATE, SUMS, SIGNATURE, HEAD, SEAL, WRITE_PROOF}


def name_sealed_object(report: str) -> str:
    """What the log calls the bundle of a report."""
    return f"bundle of {report}"


def describe_sealed(form: int, sums: Iterable[str]) -> dict[str, Any]:
    """What the row says of the parts, by the lines of `SHA256SUMS`."""
    lines = sorted(_select_sealed(sums), key=lambda line: line[66:])
    digest = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    return {"format": form, "parts": len(lines), "sha256": digest}


def _select_sealed(sums: Iterable[str]) -> Iterator[str]:
    for line in sums:
        name = line[66:]
        is_proof = name.startswith(AUDIT_FOLDER) and name.endswith(PROOF_ENDING)
        if name not in _UNSEALED and not is_proof:
            yield line


def check_seal(contents: BundleContents, vouched: TrustResult, faults: Faults) -> None:
    """Compare the parts with the row; asked for when nothing else was found."""
    row, report = vouched.seal, contents.report.id
    if row is None or (row["action"], row["object"]) != (SEALING, name_sealed_object(report)):
        faults.add(SEAL, f"It is not the one row of the audit log about the parts of the bundle of {report}.")
        return
    sums = bytes(contents.parts[SUMS]).decode().splitlines()
    if row["after"] != describe_sealed(contents.manifest.format, sums):
        faults.add(SEAL, "The parts are others than those that the log was told of when they were made.")
