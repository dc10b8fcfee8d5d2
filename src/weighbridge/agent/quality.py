"""Quality: what the source itself says of a value, in one of four words.

OPC UA codes are those of OPC 10000-4 and 10000-8: the two highest bits of a status code are its severity, 00
good, 01 uncertain, 10 and 11 bad; the lower 16 bits are flags and limits, which change nothing about it. OPC
DA, its forerunner, has another scale in one byte: 11 in the two highest bits is good there, 00 bad.

A value that was put in by hand, or that the server's historian worked out, was substituted at the source.
"""

from enum import StrEnum
from typing import Final


class Quality(StrEnum):
    """What the source says of a value."""

    GOOD = "good"
    UNCERTAIN = "uncertain"
    BAD = "bad"
    SUBSTITUTED = "substituted"


SUBSTITUTED_CODES: Final = {
    0x00960000: "GoodLocalOverride",
    0x40910000: "UncertainSubstituteValue",
}
"""OPC UA codes of values that somebody put in the place of measured ones; the server says so itself."""

WAITING_CODE: Final = 0x80320000
"""BadWaitingForInitialData: the server has no value yet. It is no reading."""

_CODE: Final = 0xFFFF0000
_SEVERITY: Final = 0xC0000000
_INFO_IS_OF_VALUE: Final = 0x0400
_OVERFLOW: Final = 0x0080
_HISTORIAN: Final = 0x0003
_HISTORIAN_INTERPOLATED: Final = 0x0002

_DA_SEVERITY: Final = 0xC0
_DA_CODE: Final = 0xFC
_DA_LOCAL_OVERRIDE: Final = 0xD8
_DA_GOOD: Final = 0xC0
_DA_UNCERTAIN: Final = 0x40


def quality_of(status: int) -> Quality:
    """The quality that an OPC UA status code says."""
    if code_of(status) in SUBSTITUTED_CODES:
        return Quality.SUBSTITUTED
    severity = status & _SEVERITY
    if severity >= 0x80000000:
        return Quality.BAD
    if status & _INFO_IS_OF_VALUE and status & _HISTORIAN == _HISTORIAN_INTERPOLATED:
        return Quality.SUBSTITUTED
    return Quality.UNCERTAIN if severity else Quality.GOOD


def quality_of_classic(byte: int) -> Quality:
    """The quality that a byte of OPC DA says, of which 192 is good."""
    low = byte & 0xFF
    if low & _DA_CODE == _DA_LOCAL_OVERRIDE:
        return Quality.SUBSTITUTED
    severity = low & _DA_SEVERITY
    if severity == _DA_GOOD:
        return Quality.GOOD
    return Quality.UNCERTAIN if severity == _DA_UNCERTAIN else Quality.BAD


def code_of(status: int) -> int:
    """The code itself, without flags and limits."""
    return status & _CODE


def has_overflowed(status: int) -> bool:
    """Whether the server says that it has lost values between this one and the one before."""
    return bool(status & _INFO_IS_OF_VALUE and status & _OVERFLOW)
