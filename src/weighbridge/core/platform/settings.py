"""Forms of settings, quotas and feature flags: what an operator may switch, and in which words."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_network
from typing import Any, Final

from weighbridge.core.cosignature import WitnessKey
from weighbridge.core.problem import Problem
from weighbridge.core.signing import UnprovenError

# The form of a setting: the numbers that it takes, or what its text looks like.


_HTTP_ADDRESS: Final = re.compile(r"https?://[^/?#@\s]+([/?#]\S*)?")


def is_http_address(text: str) -> bool:
    """Whether a text is an address that is asked over HTTP."""
    return _HTTP_ADDRESS.fullmatch(text) is not None


def is_witness(text: str) -> bool:
    """Whether a text is the address of a witness, a space, and its key."""
    address, _, key = text.partition(" ")
    try:
        WitnessKey.read(key)
    except UnprovenError:
        return False
    return is_http_address(address)


@dataclass(frozen=True, slots=True)
class Range:
    """The least and the greatest number that a setting takes."""

    least: int
    greatest: int


@dataclass(frozen=True, slots=True)
class TextForm:
    """What a text looks like, or each of a list, and how that is said."""

    accepts: Callable[[str], object]
    description: str


def is_network(text: str) -> bool:
    """Whether a text is an address or a network of addresses."""
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table of settings: what a reader of the reference page needs to know."""

    field: str
    variable: str
    type: str
    default: str
    doc: str
    kind: Any
    range: Range | None
    form: TextForm | None

    @property
    def may_be_in_a_file(self) -> bool:
        """Whether it may hold a password, so that a file may say it."""
        return self.field.endswith("_url")


def read_whole_number(setting: Setting, text: str) -> int | Problem:
    """Read a number in the range of the setting."""
    limits = setting.range
    rule = f"a whole number from {limits.least} to {limits.greatest}" if limits else "a whole number"
    if not text.removeprefix("-").isdecimal():
        return build_setting_problem(setting, text, rule)
    number = int(text)
    inside = limits is None or limits.least <= number <= limits.greatest
    return number if inside else build_setting_problem(setting, text, rule)


def read_text(setting: Setting, text: str, form: TextForm) -> str | Problem:
    """Read a text of a form."""
    return text if form.accepts(text) else build_setting_problem(setting, text, form.description)


def read_texts(setting: Setting, text: str, form: TextForm) -> tuple[str, ...] | Problem:
    """Read texts of a form, separated by commas."""
    texts = tuple(filter(None, (part.strip() for part in text.split(","))))
    fit = all(form.accepts(part) for part in texts)
    return texts if fit else build_setting_problem(setting, text, form.description)


def build_setting_problem(setting: Setting, text: str, rule: str) -> Problem:
    """Say what a setting came as and what it takes."""
    return Problem(f"{setting.variable} is {text!r}, and must be {rule}.", setting.field, "invalid_setting")


# A quota is how much of something one account may use, so that none can use up what all share.
#
# Invariant: a quota of 0 is none, and costs nothing.


@dataclass(frozen=True, slots=True)
class Quotas:
    """The quotas of every account."""

    tasks: int = 0
    """Tasks that are pending or running."""
    evidence_files: int = 0
    evidence_bytes: int = 0
    events_a_day: int = 0
    """Events stored in a day, in UTC."""


def check_quota(resource: str, used: int, adding: int, allowed: int, field: str | None = None) -> Problem:
    """That something more would be over the quota: how much is used, asked for and allowed."""
    message = (
        f"The account has {used:,} {resource} and this request adds {adding:,}; its quota is {allowed:,}."
    )
    return Problem(message, field, "quota")


# A feature flag switches a part of the service off for an account; every feature is on unless it was,
# but for those of `SWITCHED_ON`, which are off until they are switched on.
#
# Invariants: what a feature made while it was on stays when it is switched off, and is there again when it
# is switched on.


class Feature(StrEnum):
    """A part of the service that an account may do without."""

    RULES_ENGINE = "rules_engine"
    DATA_CAPTURE_RATE = "data_capture_rate"
    APPROVAL_OF_OWN = "approval_of_own"
    FOOTPRINT_EXCHANGE = "footprint_exchange"


FEATURES: Final[Mapping[Feature, str]] = {
    Feature.RULES_ENGINE: "Data rules, their results and runs; without it, records show no alerts.",
    Feature.DATA_CAPTURE_RATE: "How often an event type is measured, and how much of that was captured.",
    Feature.APPROVAL_OF_OWN: "Approving what one's own rule or data proposed; without it others do.",
    Feature.FOOTPRINT_EXCHANGE: "Exchanging footprints of products with partners, as PACT has it.",
}
"""What each feature is."""

SWITCHED_ON: Final = frozenset({Feature.FOOTPRINT_EXCHANGE})
"""Features that an account has only once it has switched them on; it has all others until it switches them
off."""

REFUSALS: Final[Mapping[Feature, str]] = {
    Feature.RULES_ENGINE: "Rules engine feature is not enabled",
    Feature.DATA_CAPTURE_RATE: "Data capture rate feature is not enabled",
    Feature.APPROVAL_OF_OWN: "Proposals need the approval of a user who wrote neither the rule nor the data",
    Feature.FOOTPRINT_EXCHANGE: "Footprint exchange feature is not enabled",
}
"""What a caller reads whose account has the feature off."""
