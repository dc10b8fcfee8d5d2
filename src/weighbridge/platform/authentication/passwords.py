"""A password is stored as its Argon2id hash and compared in a thread, for that takes long on purpose.

Invariants: whoever names a user that there is not waits as long as for a wrong password.
"""

import asyncio
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from weighbridge.core.problem import Problem

PASSWORD_LENGTH_MIN: Final = 12
"""Characters of a password, at least."""

PASSWORD_LENGTH_MAX: Final = 200
"""Characters of a password, at most."""

_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
"""The cost that OWASP's Password Storage Cheat Sheet names for Argon2id: 19 MiB, two rounds, one lane."""


async def hashed(password: str) -> str:
    """What is stored of a password."""
    return await asyncio.to_thread(_HASHER.hash, password)


async def fits(stored: str | None, password: str) -> bool:
    """Whether a password is the one that was stored; None stands for a user who is not there."""
    if len(password) > PASSWORD_LENGTH_MAX:
        return False
    return await asyncio.to_thread(_fits, stored, password) and stored is not None


def problem_of_password(password: str, email: str) -> Problem | None:
    """What is wrong with a new password, if anything is: its length, or that it is the address."""
    if not PASSWORD_LENGTH_MIN <= len(password) <= PASSWORD_LENGTH_MAX:
        said = (
            f"The password has {len(password)} characters; it takes "
            f"{PASSWORD_LENGTH_MIN} to {PASSWORD_LENGTH_MAX}."
        )
        return Problem(said, "password", "invalid")
    if password.lower() == email.lower():
        return Problem("The password is the address; it takes something else.", "password", "invalid")
    return None


def _fits(stored: str | None, password: str) -> bool:
    of_nobody = _of_nobody()  # made for the first who asks, whoever that is
    try:
        return _HASHER.verify(stored or of_nobody, password)
    except (VerificationError, InvalidHashError):
        return False


@cache
def _of_nobody() -> str:
    return _HASHER.hash("the password of nobody")
