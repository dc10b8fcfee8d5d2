"""Who signed a file of the agent, and whose signatures this machine takes.

The operator's file of allowed signers decides where there is one; otherwise the keys that are pinned in the
installed file do, which was put there by hand. The keys within a new file count only after it is installed.
"""

from pathlib import Path
from typing import Final

from weighbridge.agent.single_file.manifest import AgentManifest, read_bytes
from weighbridge.core.allowed_signers import AllowedSigners, read_allowed_signers
from weighbridge.core.signing import (
    UnprovenError,
    VerifierKey,
    compute_ssh_fingerprint,
    read_ssh_signer,
    verify_ssh_signature,
)
from weighbridge.errors import Refusal

NAMESPACE: Final = "weighbridge-agent"
"""What the signature is for, so that no other signature of the key passes for it."""

SIGNATURE_ENDING: Final = ".sig"
SIGNATURE_BYTES_MAX: Final = 10_000
"""The signature of a file of the agent; one has about 300 bytes."""

SIGNERS_BYTES_MAX: Final = 1_000_000
"""A file of allowed signers."""

OPERATORS_SIGNERS: Final = Path("/etc/weighbridge-agent/allowed_signers")
"""Where the operator says whose updates the machine takes."""


def read_trusted(installed: AgentManifest, told: Path | None) -> tuple[AllowedSigners, str]:
    """Whose updates this machine takes, and where that is said."""
    path = told or (OPERATORS_SIGNERS if OPERATORS_SIGNERS.exists() else None)
    if path is None:
        text, place = installed.signers, "the installed file"
    else:
        content = read_bytes(path, SIGNERS_BYTES_MAX, "The file of allowed signers")
        text, place = content.decode(errors="replace"), str(path)
    signers, problems = read_allowed_signers(text, place)
    if problems:
        raise Refusal(problems)
    return signers, place


def check_signature(content: bytes, signature: str, path: str, trusted: tuple[AllowedSigners, str]) -> str:
    """The name of the trusted signer of a file. Raises Refusal where it is signed by nobody else."""
    signers, place = trusted
    try:
        public = read_ssh_signer(signature)
        name = signers.get(public)
        if name is None:
            known = "no such signer" if signers else "no signer at all"
            key = compute_ssh_fingerprint(public)
            raise Refusal(f"{path} is not installed: {place} names {known} for its key {key}.")
        verify_ssh_signature(content, signature, VerifierKey(name, public), NAMESPACE)
    except UnprovenError as error:
        raise Refusal(f"{path} is not installed: {str(error)[:1].lower()}{str(error)[1:]}") from None
    return name


def read_signature(path: Path) -> str:
    """The signature of a file, beside it. Raises Refusal where there is none."""
    beside = path.with_name(path.name + SIGNATURE_ENDING)
    if not beside.exists():
        raise Refusal(f"{path} is not installed: it is not signed, for there is no {beside}.")
    content = read_bytes(beside, SIGNATURE_BYTES_MAX, "The signature")
    return content.decode("ascii", errors="replace").replace("\r\n", "\n")
