"""The forms of products and partners of footprints: their fields, and how what was typed becomes a body."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import msgspec

from weighbridge.core.footprint import DECLARED_UNITS
from weighbridge.core.problem import Problem
from weighbridge.db.statements import canonical
from weighbridge.errors import Invalid
from weighbridge.footprints.records import (
    FOOTPRINT_PARTNER_BODIES,
    FOOTPRINT_PRODUCT_BODIES,
    FootprintProduct,
)
from weighbridge.web.forms.fields import FieldDeclaration, FormField, fields_of

_LISTS: Final = {
    "company_ids": "Company identifiers",
    "product_ids": "Product identifiers",
    "product_classifications": "Classifications",
}
_NEEDED: Final = ("company_ids", "product_ids")
_OBJECTS: Final = ("amounts", "properties")

_UNITS: Final = {one: one for one in DECLARED_UNITS}

PARTNER_FIELDS: Final = fields_of(
    FOOTPRINT_PARTNER_BODIES.new,
    (
        FieldDeclaration("name", "Name", "whose host it is"),
        FieldDeclaration("address", "Address", "what stands before /3/footprints there"),
        FieldDeclaration("token_address", "Address of tokens", "empty: the address and /auth/token"),
        FieldDeclaration("client_id", "Client ID", "as the partner gave it"),
        FieldDeclaration("client_secret", "Secret", "as the partner gave it; it is stored and never shown"),
        FieldDeclaration("is_notified", "Told of new and deprecated footprints", ""),
    ),
)

_USUAL_AMOUNTS: Final = '{"fossilGhgEmissions": "amount", "fossilCarbonContent": "0"}'
_USUAL_PROPERTIES: Final = '{"ipccCharacterizationFactors": ["AR6"], "crossSectoralStandards": ["ISO14067"]}'

PRODUCT_FIELDS: Final = (
    *fields_of(
        FOOTPRINT_PRODUCT_BODIES.new,
        (
            FieldDeclaration("name", "Name", "what the company calls the product"),
            FieldDeclaration("company_name", "Company", ""),
        ),
    ),
    *(
        FormField(name, label, "line", help="URNs with commas between", is_required=name in _NEEDED)
        for name, label in _LISTS.items()
    ),
    *fields_of(
        FOOTPRINT_PRODUCT_BODIES.new,
        (
            FieldDeclaration("description", "Description", "feedstock, process and packaging", kind="text"),
            FieldDeclaration("comment", "Comment", "how they are calculated", kind="text"),
            FieldDeclaration("declared_unit", "Declared unit", "", choices=_UNITS),
            FieldDeclaration("declared_amount", "Units of one footprint", "empty: 1"),
            FieldDeclaration("mass_per_declared_unit", "Mass in kg", "of these units, without packaging"),
            FieldDeclaration("geography", "Geography", "DE, DE-BW or Western Europe; empty: everywhere"),
            FieldDeclaration("quantity", "Amount of the product", "amount, or node: and the slug of a node"),
        ),
    ),
    FormField(
        "amounts", "Amounts", "code", usual=_USUAL_AMOUNTS, is_required=True,
        help="JSON: amount, node:slug, either with a minus, or a number for each declared unit",
    ),
    FormField(
        "properties", "Further properties of pcf", "code", usual=_USUAL_PROPERTIES, is_required=True,
        help="JSON",
    ),
    *fields_of(
        FOOTPRINT_PRODUCT_BODIES.new,
        (
            FieldDeclaration("exempted_percent", "Exempted percentage", "empty: 0"),
            FieldDeclaration("states_primary_data_share", "State the primary data share", ""),
            FieldDeclaration("valid_months", "Months of validity", "from 1 to 36; empty: 36"),
        ),
    ),
)  # fmt: skip


def build_product(body: Mapping[str, Any]) -> dict[str, Any]:
    """A product as the interface takes it: lists of URNs, and objects that were typed as JSON."""
    made = dict(body)
    problems = []
    for name in _LISTS:
        if name in made:
            made[name] = [part.strip() for part in (made[name] or "").split(",") if part.strip()]
    for name in _OBJECTS:
        if name not in made:
            continue
        try:
            read = json.loads(made[name] or "{}", parse_float=Decimal)
        except (ValueError, RecursionError):
            read = None
        if not isinstance(read, dict):
            problems.append(Problem(f"{name} is no JSON object.", name, "invalid"))
        made[name] = read
    if problems:
        raise Invalid(problems)
    return made


def show_product(product: FootprintProduct) -> dict[str, Any]:
    """A product as its form shows it: URNs in one line, and objects as JSON."""
    shown = msgspec.structs.asdict(product)
    return (
        shown
        | {name: ", ".join(shown[name]) for name in _LISTS}
        | {name: canonical(shown[name]).decode() for name in _OBJECTS}
    )
