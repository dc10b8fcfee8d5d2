"""Who signed a package, as far as anybody here knows.

The operator names publishers in a file of allowed signers (`ssh-keygen`, ALLOWED SIGNERS): on each line a
name, in quotation marks where it has spaces, and an Ed25519 key. Invariant: a package is by a known publisher
only when a key of that publisher signed it; one that names a publisher and is signed by the key of another is
refused.
"""

from dataclasses import dataclass
from pathlib import Path

from weighbridge.core.allowed_signers import AllowedSigners, read_allowed_signers
from weighbridge.core.signing import compute_ssh_fingerprint
from weighbridge.errors import Refusal
from weighbridge.packages.records import SignatureState

Publishers = AllowedSigners
"""The names of known publishers by their keys."""


@dataclass(frozen=True, slots=True)
class PackageSigner:
    """Who signed a package."""

    state: SignatureState
    fingerprint: str | None = None
    publisher: str | None = None
    """The known publisher whose key it is."""

    @property
    def sentence(self) -> str:
        """What people are told."""
        match self.state:
            case SignatureState.SHIPPED:
                return "The package ships with this service."
            case SignatureState.KNOWN:
                return f"The package is signed by {self.publisher}, a known publisher ({self.fingerprint})."
            case SignatureState.UNKNOWN:
                return f"The package is signed by a key that nobody here knows ({self.fingerprint})."
        return "The package is not signed."


def read_publishers(path: Path | None) -> Publishers:
    """The publishers of a file of allowed signers; Refusal with every line that is none."""
    if path is None:
        return {}
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"The file of known publishers, {path}, cannot be read: {error}.") from None
    publishers, problems = read_allowed_signers(text, str(path))
    if problems:
        raise Refusal(problems)
    return publishers


def find_signer(signer: bytes | None, publishers: Publishers, *, is_shipped: bool = False) -> PackageSigner:
    """What is known of a key that signed a package."""
    if is_shipped:
        return PackageSigner(SignatureState.SHIPPED)
    if signer is None:
        return PackageSigner(SignatureState.UNSIGNED)
    fingerprint, name = compute_ssh_fingerprint(signer), publishers.get(signer)
    state = SignatureState.UNKNOWN if name is None else SignatureState.KNOWN
    return PackageSigner(state, fingerprint, name)


def check_publisher(signer: PackageSigner, publisher: str) -> str | None:
    """Why a package may not name its publisher, in a sentence."""
    if signer.publisher is None or signer.publisher == publisher:
        return None
    return (
        f"The package says that {publisher!r} publishes it, and is signed by the key of {signer.publisher!r}"
        f" ({signer.fingerprint})."
    )
