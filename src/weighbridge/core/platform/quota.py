"""A quota is how much of something one account may use, so that none can use up what all share.

Invariant: a quota of 0 is none, and costs nothing.
"""

from dataclasses import dataclass

from weighbridge.core.problem import Problem


@dataclass(frozen=True, slots=True)
class Quotas:
    """The quotas of every account."""

    tasks: int = 0
    """Tasks that are pending or running."""
    evidence_files: int = 0
    evidence_bytes: int = 0
    events_a_day: int = 0
    """Events stored in a day, in UTC."""


def problem_of_quota(what: str, used: int, adding: int, allowed: int, field: str | None = None) -> Problem:
    """That something more would be over the quota: how much is used, asked for and allowed."""
    said = f"The account has {used:,} {what} and this request adds {adding:,}; its quota is {allowed:,}."
    return Problem(said, field, "quota")
