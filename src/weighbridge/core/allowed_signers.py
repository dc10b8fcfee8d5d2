"""A file of allowed signers (`ssh-keygen`, ALLOWED SIGNERS): on each line a name and an Ed25519 key.

A name with spaces is in quotation marks; empty lines and those that begin with `#` say nothing.
"""

import shlex
from collections.abc import Mapping
from typing import Final

from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.core.signing import UnprovenError, read_ssh_public_key

_COMMENT: Final = "#"

AllowedSigners = Mapping[bytes, str]
"""The names of signers by their keys."""


def read_allowed_signers(text: str, place: str) -> tuple[AllowedSigners, list[Problem]]:
    """The signers of a text, and every line that is none; the place is named in problems."""
    signers: dict[bytes, str] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(_COMMENT):
            continue
        try:
            name, *rest = shlex.split(line)
            signers[read_ssh_public_key(" ".join(rest))] = name
        except (ValueError, UnprovenError):
            message = (
                f"Line {number} of {place} is {shorten(line)!r}; it takes a name, in quotation marks where it"
                " has spaces, and an Ed25519 key, such as 'Acme ssh-ed25519 AAAA…'."
            )
            problems.append(Problem(message, None, "invalid_setting"))
    return signers, problems
