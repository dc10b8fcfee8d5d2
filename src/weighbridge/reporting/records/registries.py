"""Registries and methodologies: where reports go, and what they have to be.

A secret of a registry is in no answer.
"""

from decimal import Decimal
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET

from weighbridge.core.report import (
    OPTIONAL_REQUIREMENTS,
    AdapterName,
    OtherVersions,
)
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import (
    ADDRESS_MAX,
    Line,
    at_most,
    between,
    one_of,
)

TIMEOUT_SECONDS: Final = 30
TRIES: Final = 8
POLL_SECONDS: Final = 300

TIMEOUT_SECONDS_MAX: Final = 120
"""Seconds that one request to a registry may take."""

TRIES_MAX: Final = 20
"""Tries of one submission."""

POLL_SECONDS_MAX: Final = 86_400
"""Seconds between two questions for a decision."""


_Address = Annotated[str, at_most(ADDRESS_MAX)]


class Registry(msgspec.Struct, frozen=True):
    """Where reports go."""

    id: int
    """The number of the registry, by which methodologies and submissions name it."""
    name: Annotated[str, Sent(Line, write=str.strip)]
    """What people call it, such as `Registry of removals`; once in the account."""
    adapter: Annotated[str, one_of(AdapterName), Sent(Annotated[Line, one_of(AdapterName)], is_fixed=True)]
    """How reports get there: `http` posts them, `isometric_certify` makes them records of Isometric Certify,
    `file` keeps them for people to hand on."""
    address: Annotated[
        str | None,
        Sent(_Address, change=_Address, meaning="Where a report is posted; required unless it is `file`."),
    ]
    """Where a report is posted, such as `https://registry.example/submissions`, or the base of the interface
    of Isometric Certify; null for `file`."""
    status_address: Annotated[
        str | None,
        Sent(
            _Address,
            change=_Address,
            meaning=(
                "Where it is asked for by its key, with `{key}` in it; "
                "left out, the address, a slash and the key."
            ),
        ),
    ]
    """Where it is asked for by its key, which stands for `{key}`; null unless the adapter is `http`."""
    secret_headers: list[str]
    """The names of headers that are sent along; what they say is never shown."""
    timeout_seconds: Annotated[
        int,
        Sent(
            Annotated[int, between(1, TIMEOUT_SECONDS_MAX)],
            default=TIMEOUT_SECONDS,
            meaning="From 1 to 120.",
        ),
    ]
    """How long one request may take, to the end of its answer."""
    tries: Annotated[
        int,
        Sent(Annotated[int, between(1, TRIES_MAX)], default=TRIES, meaning="From 1 to 20."),
    ]
    """How often a submission is tried before its task fails."""
    poll_seconds: Annotated[
        int | None,
        Sent(
            Annotated[int, between(1, POLL_SECONDS_MAX)],
            default=UNSET,
            meaning="From 1 to 86,400; 300 when left out, null where people write decisions down.",
        ),
    ]
    """How often it is asked for its decision on a report; null where people write that down."""
    created_at: Instant
    updated_at: Instant


REGISTRY_BODIES: Final = RequestBodies(
    Registry,
    "registry",
    "/registries",
    leading=("name", "adapter", "address", "status_address", "headers"),
    extra={
        "headers": Sent(
            dict[str, str],
            default={},
            meaning="Headers that prove who calls, such as `Authorization`; they are kept and never shown.",
            change_meaning=(
                "All headers that prove who calls, instead of those that it has. Required with another "
                "address where it has any: those that are kept are not sent there."
            ),
        )
    },
    about_new="What a caller sends to make a registry.",
    about_change="What a caller may change of a registry; what is left out stays.",
)


class MethodologyModel(msgspec.Struct, frozen=True):
    """A model that implements a methodology: the versions that it names, or any."""

    id: str
    name: str
    """What the model is called, such as `Biochar storage`."""
    version: int
    """The version that was named when the methodology was made."""
    versions: list[int]
    """The versions of the model that implement the methodology; empty when any does."""
    version_ids: list[str]
    """The ids of these versions, in their order; batches name them as their model."""


class MethodologyLedger(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A role that a ledger plays in the reports of a methodology."""

    role: Line
    """What the ledger is for, such as `removal` or `leakage`; once in the methodology."""
    sign: int
    """The sign: 1 where it counts toward what is claimed, -1 where it is deducted; the first counts."""
    unit: Line
    """The unit of the ledger, such as `kg`; it converts exactly into that of the first, in which reports
    state their amount."""


def _without_repetition(words: list[str]) -> list[str]:
    return list(dict.fromkeys(words))


class Methodology(msgspec.Struct, frozen=True):
    """The rules that reports of one kind follow, in one version."""

    id: int
    """The number of the methodology, by which reports name it."""
    name: Annotated[str, Sent(Line, write=str.strip)]
    """What the methodology is called, such as `Biochar carbon removal`; once in each version."""
    version: Annotated[str, Sent(Line, write=str.strip)]
    """The version as its owner writes it, such as `2.1`."""
    report_type: Annotated[str, Sent(Line, write=str.strip)]
    """The type of the reports that follow it, such as `quarterly`."""
    models: list[MethodologyModel]
    """The models that implement it; reports take batches of no other. Empty when any model may."""
    other_versions: Annotated[
        str,
        one_of(OtherVersions),
        Sent(Annotated[Line, one_of(OtherVersions)], default=OtherVersions.REFUSE.value),
    ]
    """What becomes of a report with batches of other versions: `refuse` its submission, or `note` them."""
    ledgers: Annotated[list[MethodologyLedger], Sent(list[MethodologyLedger], default=[])]
    """The ledgers that its reports take of, each in its role, the first of them in the unit of the reports;
    empty where a report takes of one."""
    submission_requirements: Annotated[
        list[Annotated[str, one_of(OPTIONAL_REQUIREMENTS)]],
        Sent(list[Annotated[Line, one_of(OPTIONAL_REQUIREMENTS)]], default=[], write=_without_repetition),
    ]
    """What must hold of a report before it is sent off, beside what must always hold."""
    measured_share_min: Annotated[Decimal | None, Sent(Decimal)]
    """How much of what a report takes has to be measured, from 0 to 1; null where it asks for none."""
    registry_id: Annotated[
        int | None,
        Sent(int, meaning="The registry that its reports go to, unless a submission names another one."),
    ]
    """The number of the registry that its reports go to; null where people hand them on."""
    mapping: Annotated[
        dict[str, Any] | None,
        Sent(
            dict[str, Any],
            meaning="How its reports are written: `format`, `template` and, if they are checked, `schema`.",
        ),
    ]
    """How its reports are written; null for plain JSON, and in lists."""
    created_at: Instant


METHODOLOGY_BODIES: Final = RequestBodies(
    Methodology,
    "methodology",
    "/methodologies",
    leading=("name", "version", "report_type", "model_ids", "model_versions"),
    extra={
        "model_ids": Sent(list[str], default=[], meaning="The models that implement it, such as `mod_…`."),
        "model_versions": Sent(
            dict[str, list[int]],
            default={},
            meaning=(
                "By an id in `model_ids` the versions of the model that implement it, such as"
                ' `{"mod_…": [2, 3]}`; any version of a model that is not in it.'
            ),
        ),
    },
    about_new="What a caller sends to make a methodology.",
)
