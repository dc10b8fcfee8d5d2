"""A webhook sends changes to a URL; this module defines how long it retries.

Invariants: a delivery is tried at most as often as the schedule says, and asking for one again adds one
attempt; whatever a receiver asks for, the next attempt comes within the longest pause of the schedule.
"""

import hmac
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Final

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE

PAUSES_SECONDS: Final = (
    5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR,
)  # fmt: skip
"""How long a delivery waits after each failed attempt; after the last one it has failed.

The schedule that the Standard Webhooks specification suggests: ten attempts in three days and three hours.
"""

DELIVERY_ATTEMPTS_MAX: Final = len(PAUSES_SECONDS) + 1
"""Attempts at one delivery, without those that a person requests."""

FAILING_DAYS_MAX: Final = 5
"""Days for which every attempt at a webhook may fail before it is disabled."""

GONE: Final = 410
"""The status by which a receiver says that it wants no more, for which a webhook is disabled at once."""


class DeliveryState(StrEnum):
    """The state of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


def is_taken(status: int | None) -> bool:
    """Whether a receiver has accepted a delivery; redirects are not followed."""
    return status is not None and 200 <= status < 300


def compute_pause(attempts: int, *, retry_after_seconds: int | None = None) -> timedelta | None:
    """How long a delivery waits after so many failed attempts; None when there is no other one.

    A receiver that asks for a longer pause has it, up to the longest of the schedule.
    """
    if attempts >= DELIVERY_ATTEMPTS_MAX:
        return None
    longest = max(PAUSES_SECONDS)
    requested = min(retry_after_seconds or 0, longest)
    return timedelta(seconds=max(PAUSES_SECONDS[attempts - 1], requested))


def read_retry_after(text: str | None) -> int | None:
    """The seconds of a Retry-After header; None for a date or anything else."""
    digits_max = 9
    if text is None or not text.isascii() or not text.isdecimal() or len(text) > digits_max:
        return None
    return int(text)


# Signatures of webhooks by the Standard Webhooks scheme, version 1.0: HMAC-SHA-256 over id, time and body.
#
# A secret is written `whsec_` and base64. The header holds a signature by each secret in force, with a
# space between, so that a receiver that knows one of them is content.
#
# Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md


SECRET_PREFIX: Final = "whsec_"  # noqa: S105 - what all of them begin with
SECRET_BYTES: Final = 32
"""Bytes of a new secret; the specification asks for 24 to 64."""

SECRET_BYTES_MIN: Final = 24
SECRET_BYTES_MAX: Final = 64
SECRET_TEXT_MAX: Final = len(SECRET_PREFIX) + 4 * -(-SECRET_BYTES_MAX // 3)
"""Characters of the longest secret as its owner has it."""

SIGNING_SECRETS_MAX: Final = 5
"""Secrets by which one webhook signs at a time."""

ID_HEADER: Final = "webhook-id"
TIMESTAMP_HEADER: Final = "webhook-timestamp"
SIGNATURE_HEADER: Final = "webhook-signature"


def write_secret(secret: bytes) -> str:
    """A secret as its owner gets it."""
    return SECRET_PREFIX + b64encode(secret).decode()


def read_secret(text: str) -> bytes | None:
    """The secret of a text as its owner has it; None for any other text."""
    try:
        secret = b64decode(text.removeprefix(SECRET_PREFIX), validate=True)
    except ValueError:
        return None
    is_long_enough = SECRET_BYTES_MIN <= len(secret) <= SECRET_BYTES_MAX
    return secret if text.startswith(SECRET_PREFIX) and is_long_enough else None


def sign_message(secret: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """The signature of a message at a time, in seconds since 1970; the id has no full stop in it."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + b64encode(hmac.digest(secret, signed, "sha256")).decode()


def write_signed_headers(
    secrets: Sequence[bytes], message_id: str, timestamp: int, body: bytes
) -> Mapping[str, str]:
    """The headers by which a receiver knows a message: signed by every secret, the newest first."""
    return {
        ID_HEADER: message_id,
        TIMESTAMP_HEADER: str(timestamp),
        SIGNATURE_HEADER: " ".join(sign_message(secret, message_id, timestamp, body) for secret in secrets),
    }
