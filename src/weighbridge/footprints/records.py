"""Records of footprints: products, footprints and what is wrong with them, clients, partners, calls, events.

A secret is in the answer that makes it alone, and that of a partner in none.
"""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import UNSET, UnsetType

from weighbridge.core.footprint import DECLARED_UNITS, STATUSES, is_uuid
from weighbridge.core.platform.webhook import DeliveryState
from weighbridge.core.time.calendar import Instant
from weighbridge.db.lists.field import RequestBodies, Sent
from weighbridge.http.text import (
    ADDRESS_MAX,
    Description,
    Line,
    Name,
    at_most,
    between,
    id_of,
    one_of,
    several,
)

IDENTIFIERS_MAX: Final = 100
"""Identifiers of one kind that a product has."""

VALID_MONTHS: Final = 36
"""Months for which a footprint is valid after its period, unless a product says less; also the most."""

Urns = Annotated[list[Annotated[str, at_most(500)]], several(IDENTIFIERS_MAX)]
"""Uniform resource names, which begin with `urn:`."""

_Address = Annotated[str, at_most(ADDRESS_MAX)]


def read_uuid(value: Any) -> UUID | None:
    """The identifier of a footprint that a text names; None for anything else."""
    return UUID(value) if is_uuid(value) else None


class FootprintProduct(msgspec.Struct, frozen=True):
    """A product of which footprints are made, and how these follow from what was produced."""

    id: int
    """The number of the product, by which footprints name it."""
    name: Annotated[str, Sent(Line, write=str.strip)]
    """What the company calls the product, such as `Bioethanol 98 %`; once in the account."""
    company_name: Annotated[str, Sent(Line, write=str.strip)]
    """The company whose footprint it is."""
    company_ids: Annotated[list[str], Sent(Urns)]
    """What identifies the company, as URNs such as `urn:company:example:plant`."""
    product_ids: Annotated[list[str], Sent(Urns)]
    """What identifies the product, as URNs such as `urn:gtin:4712345060507`."""
    product_classifications: Annotated[list[str], Sent(Urns, default=[])]
    """Classes of the product, as URNs such as `urn:pact:productclassification:un-cpc:3413`."""
    description: Annotated[str, Sent(Description, default="")]
    """What the product is: its feedstock, process and packaging."""
    comment: Annotated[str | None, Sent(Description)]
    """What its footprints say of how they are calculated; null when nothing."""
    declared_unit: Annotated[str, one_of(DECLARED_UNITS), Sent(Annotated[Line, one_of(DECLARED_UNITS)])]
    """The unit that the product is declared in, such as `liter`."""
    declared_amount: Annotated[Decimal, Sent(Decimal, default=Decimal(1))]
    """How many of these units one footprint is of."""
    mass_per_declared_unit: Annotated[Decimal, Sent(Decimal)]
    """The mass of the product in kg, without packaging, of a declared unit; zero where that means nothing."""
    geography: Annotated[str | None, Sent(Line)]
    """Where its footprints hold: a country (`DE`), a part of one (`DE-BW`) or a region of the United Nations
    (`Western Europe`); null for everywhere."""
    quantity: Annotated[str, Sent(Line)]
    """Where the amount of the product comes from: `amount` of the batch or report, or `node:slug`."""
    amounts: Annotated[
        dict[str, str],
        Sent(dict[str, Line], is_json=True),
    ]
    """Where each amount comes from, by the field of `pcf`: `amount`, `node:slug`, either with a minus before
    it, or a number for each declared unit, such as `{"fossilGhgEmissions": "node:emissions"}`."""
    properties: Annotated[dict[str, Any], Sent(dict[str, Any], is_json=True)]
    """What else stands in `pcf`, as it stands there: `ipccCharacterizationFactors`,
    `crossSectoralStandards`, and what the product has besides."""
    exempted_percent: Annotated[Decimal, Sent(Decimal, default=Decimal(0))]
    """The percentage of emissions that is left out, from 0 to 100."""
    states_primary_data_share: Annotated[bool, Sent(bool, default=False)]
    """Whether `primaryDataShare` is stated, as the measured share of the amount."""
    valid_months: Annotated[int, Sent(Annotated[int, between(1, VALID_MONTHS)], default=VALID_MONTHS)]
    """How many months a footprint is valid from the end of its period, from 1 to 36."""
    created_at: Instant
    updated_at: Instant


FOOTPRINT_PRODUCT_BODIES: Final = RequestBodies(
    FootprintProduct,
    "footprint_product",
    "/footprint_products",
    leading=(
        "name",
        "company_name",
        "company_ids",
        "product_ids",
        "declared_unit",
        "mass_per_declared_unit",
        "quantity",
        "amounts",
        "properties",
    ),
    about_change="What a caller may change of a product; footprints that were made stay as they are.",
)


class FootprintFinding(msgspec.Struct, frozen=True):
    """One thing that is wrong with a footprint, or does not add up."""

    code: Annotated[str, one_of(("missing", "form", "sum", "order", "range", "conflict"))]
    """What kind of thing it is; `sum` where parts do not come to a total."""
    field: str
    """The field of the footprint, such as `pcf.pcfExcludingBiogenicUptake`."""
    message: str
    """What is wrong, in a sentence."""
    difference: Decimal | None
    """How much more the parts come to than what is stated; null for everything but `sum`."""


class Footprint(msgspec.Struct, frozen=True):
    """A footprint of a product, as it was made; nothing of it changes but its status."""

    id: str
    """The UUID by which others know it."""
    product_id: int
    """The number of the product that it is of."""
    project_id: str
    batch_id: str | None
    """The batch that it was made from; null for one that was made from a report."""
    report_id: str | None
    """The report that it was made from; null for one that was made from a batch."""
    status: Annotated[str, one_of(STATUSES)]
    """Whether it is to be used: `Deprecated` once another one has taken its place or it was taken back."""
    preceding_ids: list[str]
    """The footprints that it takes the place of, and those that they did."""
    content: dict[str, Any]
    """The footprint as it is sent: the object `ProductFootprint` of PACT."""
    primary_data_share_reason: str | None
    """Why `primaryDataShare` is left out; null where it is stated."""
    findings: list[FootprintFinding]
    """What is wrong with it; empty for nothing."""
    valid_from: Instant
    """When it begins to be valid: at the end of its period."""
    valid_until: Instant
    """When it is valid no more."""
    created_at: Instant
    deprecated_at: Instant | None
    """When it was deprecated; null for one that is active."""
    deprecated_reason: str | None
    """Why it is deprecated; null for one that is active."""


class WantedFootprint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller sends to make a footprint, from a batch or from a report."""

    product_id: int
    """The number of the product."""
    batch_id: Annotated[str, id_of("batch")] | UnsetType = UNSET
    """The batch that it is made from, such as `bat_…`."""
    report_id: Annotated[str, id_of("report")] | UnsetType = UNSET
    """The accepted report that it is made from, such as `rpt_…`, instead of `batch_id`."""
    replaces: Annotated[list[str], several(IDENTIFIERS_MAX)] | UnsetType = UNSET
    """The footprints that it takes the place of; left out, those of the same product that were made from this
    batch, or from a report that this one restates or came of."""
    comment: Description | None = None
    """What changed, or how it was calculated, besides what the product says."""


class WantedFootprintBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /footprints."""

    footprint: WantedFootprint


class FootprintDeprecation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /footprints/{footprint_id}/deprecate."""

    reason: Description
    """Why it is not to be used any more, in a sentence."""


class FootprintCheck(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /footprints/check."""

    content: dict[str, Any]
    """A footprint: the object `ProductFootprint` of PACT."""


class CheckedFootprint(msgspec.Struct, frozen=True):
    """What is wrong with a footprint that was sent to be checked."""

    findings: list[FootprintFinding]
    """What is wrong with it; empty for nothing."""


class FootprintPartner(msgspec.Struct, frozen=True):
    """The host of a partner, from which footprints are read and to which events are sent."""

    id: int
    """The number of the partner."""
    name: Annotated[str, Sent(Line, write=str.strip)]
    """What people call the partner; once in the account."""
    address: Annotated[str, Sent(_Address)]
    """What stands before `/3/footprints` there, such as `https://partner.example/pact`."""
    token_address: Annotated[
        str,
        Sent(
            _Address,
            default=UNSET,
            meaning="Where tokens are asked for; left out, the address and `/auth/token`.",
        ),
    ]
    """Where tokens are asked for."""
    client_id: Annotated[str, Sent(Line)]
    """What the partner calls this service."""
    is_notified: Annotated[bool, Sent(bool, default=True)]
    """Whether it is told of every new footprint, and of each that is deprecated."""
    created_at: Instant
    updated_at: Instant


FOOTPRINT_PARTNER_BODIES: Final = RequestBodies(
    FootprintPartner,
    "footprint_partner",
    "/footprint_partners",
    leading=("name", "address", "client_id", "client_secret"),
    extra={
        "client_secret": Sent(
            Annotated[str, at_most(1_000)],
            meaning="The secret that the partner gave this service; it is kept and never shown.",
            change_meaning=(
                "Another secret. Required with another address: the one that is kept is not sent there."
            ),
        )
    },
)


class FootprintClient(msgspec.Struct, frozen=True):
    """A client that may read the footprints of the account and send events to it."""

    id: int
    """The number of the client, by which it is revoked."""
    name: Annotated[str, Sent(Name, write=str.strip)]
    """Whose client it is, in the words of whoever made it."""
    client_id: str
    """What it calls itself when it asks for a token."""
    partner_id: Annotated[int | None, Sent(int)]
    """The number of the partner whose client it is, who is sent answers to its requests; null for none."""
    created_at: Instant
    revoked_at: Instant | None
    """When it was revoked; null for one that still reads."""


class IssuedFootprintClient(FootprintClient, frozen=True):
    """A new client with its secret, which is shown this once."""

    client_secret: str | UnsetType = UNSET
    """The secret; it is shown this once. The answer to a request that is repeated with its Idempotency-Key
    has none."""


FOOTPRINT_CLIENT_BODIES: Final = RequestBodies(FootprintClient, "footprint_client", "/footprint_clients")


class CallKind(StrEnum):
    """What is sent to a partner, or read from it."""

    PUBLISHED = "published"
    REQUEST_CREATED = "request_created"
    REQUEST_FULFILLED = "request_fulfilled"
    REQUEST_REJECTED = "request_rejected"
    READ = "read"


class AskedCall(StrEnum):
    """What a person may ask for of a partner."""

    PUBLISHED = "published"
    REQUEST_CREATED = "request_created"
    READ = "read"


class FootprintCall(msgspec.Struct, frozen=True):
    """What is sent to a partner or read from it, and how far it came."""

    id: int
    """The number of the call."""
    partner_id: int
    """The number of the partner who is called."""
    kind: Annotated[str, one_of(CallKind)]
    """What is sent, or `read`."""
    content: dict[str, Any]
    """The event as it is sent; of a reading, which footprints."""
    state: Annotated[str, one_of(DeliveryState)]
    """Whether it waits, has arrived or was given up, three days after it began."""
    attempt_count: int
    """How often it was tried."""
    next_attempt_at: Instant | None
    """When it is tried next; null for one that has ended."""
    last_error: str | None
    """What came of the last attempt that failed; null when none did."""
    created_at: Instant
    ended_at: Instant | None
    """When it arrived or was given up; null while it waits."""


class WantedFootprintCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a caller asks for of a partner."""

    partner_id: int
    """The number of the partner."""
    kind: Annotated[Line, one_of(AskedCall)]
    """What is to be done: `read` reads some, `request_created` asks for some, `published` tells of ours."""
    footprint_ids: Annotated[list[str], several(IDENTIFIERS_MAX)] | UnsetType = UNSET
    """Of `published` the footprints that it is told of, required; of `read` those that are read, instead of
    all."""
    criteria: dict[str, Any] | UnsetType = UNSET
    """Of `request_created` what is asked for, required, such as
    `{"productId": ["urn:gtin:4712345060507"]}`."""


class WantedFootprintCallBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of POST /footprint_calls."""

    footprint_call: WantedFootprintCall


class FootprintEvent(msgspec.Struct, frozen=True):
    """An event that a client sent, as it came."""

    id: int
    """The number of the event."""
    client_id: int
    """The number of the client that sent it."""
    type: str
    """What kind of event it is, in the words of PACT."""
    source: str
    """Where it says that it comes from."""
    event_id: str
    """What its sender calls it."""
    content: dict[str, Any]
    """The whole event, as it was sent."""
    received_at: Instant
    """When it came, by the clock of the database."""


class ReceivedFootprint(msgspec.Struct, frozen=True):
    """A footprint of somebody else, as it came; it never changes."""

    id: int
    """The number of the record."""
    footprint_id: str
    """What its owner calls it."""
    partner_id: int | None
    """The partner from whom it was read; null where a client sent it."""
    client_id: int | None
    """The client that sent it; null where it was read."""
    content: dict[str, Any]
    """The footprint as it came: the object `ProductFootprint` of PACT."""
    sha256: str
    """The SHA-256 of its canonical JSON, as 64 hexadecimal digits."""
    findings: list[FootprintFinding]
    """What is wrong with it; empty for nothing."""
    received_at: Instant
    """When it came, by the clock of the database."""
