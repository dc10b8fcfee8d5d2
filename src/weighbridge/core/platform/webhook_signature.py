"""Signatures of webhooks by the Standard Webhooks scheme, version 1.0: HMAC-SHA-256 over id, time and body.

A secret is written `whsec_` and base64. The header holds a signature by each secret that stands, with a space
between, so that a receiver that knows one of them is content.

Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

import hmac
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Final

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - what all of them begin with
SECRET_BYTES: Final = 32
"""Bytes of a new secret; the specification asks for 24 to 64."""

SIGNING_SECRETS_MAX: Final = 5
"""Secrets by which one webhook signs at a time."""

ID_HEADER: Final = "webhook-id"
TIMESTAMP_HEADER: Final = "webhook-timestamp"
SIGNATURE_HEADER: Final = "webhook-signature"


def secret_text(secret: bytes) -> str:
    """A secret as its owner gets it."""
    return SECRET_PREFIX + b64encode(secret).decode()


def signature(secret: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """The signature of a message at a time, in seconds since 1970; the id has no full stop in it."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac.digest(secret, signed, "sha256")).decode()


def signed_headers(
    secrets: Sequence[bytes], message_id: str, timestamp: int, body: bytes
) -> Mapping[str, str]:
    """The headers by which a receiver knows a message: signed by every secret, the newest first."""
    return {
        ID_HEADER: message_id,
        TIMESTAMP_HEADER: str(timestamp),
        SIGNATURE_HEADER: " ".join(signature(one, message_id, timestamp, body) for one in secrets),
    }
