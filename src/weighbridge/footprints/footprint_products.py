"""Products: what a footprint says of them, and how it follows from what was produced.

In: identifiers as URNs, the declared unit, and where each amount comes from: the amount of the batch or
report, a node of the model, or a number for each declared unit. Permission: production accounting.

Invariants: a product that is changed changes no footprint that was made of it; an account has a name once.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from psycopg.sql import SQL, Composable

from weighbridge.core.footprint import AMOUNTS, DECLARED_UNITS, FOSSIL, read_urn
from weighbridge.core.footprint_content import is_geography, read_term
from weighbridge.core.identity import problem_of_name, problem_of_unseen
from weighbridge.core.number import NumberError, limit_number, shorten
from weighbridge.core.platform.permission import Actor
from weighbridge.core.problem import Problem
from weighbridge.db.engine import Read, Write
from weighbridge.db.lists.listing import Filter, Listing, Page, list_request, read_page
from weighbridge.db.row import Column, row_of
from weighbridge.db.statements import jsonb
from weighbridge.errors import Invalid
from weighbridge.footprints.records import (
    FOOTPRINT_PRODUCT_BODIES,
    IDENTIFIERS_MAX,
    VALID_MONTHS,
    FootprintProduct,
)
from weighbridge.http.endpoints.endpoint import ReadCall, WriteCall, get, patch, post
from weighbridge.platform import changes
from weighbridge.platform.tenancy import find, number_named, of_account

_COLUMNS: Final = (
    "name", "company_name", "company_ids", "product_ids", "product_classifications", "description", "comment",
    "declared_unit", "declared_amount", "mass_per_declared_unit", "geography", "quantity", "amounts",
    "properties", "exempted_percent", "states_primary_data_share", "valid_months",
)  # fmt: skip
_JSON: Final = frozenset({"amounts", "properties"})

FOOTPRINT_PRODUCTS: Final = Listing(
    sorts={"id": "p.id", "name": "p.name", "created_at": "p.created_at", "updated_at": "p.updated_at"},
    default_sort="id",
    key=("p.id",),
    filters={"name": Filter("p.name", str, "a name")},
)

FOOTPRINT_PRODUCT: Final = row_of(
    FootprintProduct,
    Column("id", "p.id"),
    Column("name", "p.name"),
    Column("company_name", "p.company_name"),
    Column("company_ids", "p.company_ids"),
    Column("product_ids", "p.product_ids"),
    Column("product_classifications", "p.product_classifications"),
    Column("description", "p.description"),
    Column("comment", "p.comment"),
    Column("declared_unit", "p.declared_unit"),
    Column("declared_amount", "p.declared_amount"),
    Column("mass_per_declared_unit", "p.mass_per_declared_unit"),
    Column("geography", "p.geography"),
    Column("quantity", "p.quantity"),
    Column("amounts", "p.amounts"),
    Column("properties", "p.properties"),
    Column("exempted_percent", "p.exempted_percent"),
    Column("states_primary_data_share", "p.states_primary_data_share"),
    Column("valid_months", "p.valid_months"),
    Column("created_at", "p.created_at"),
    Column("updated_at", "p.updated_at"),
)

_SOURCE: Final = "footprint_products p"
_REQUIRED_PROPERTIES: Final = ("ipccCharacterizationFactors", "crossSectoralStandards")


async def read_footprint_product(tx: Read, actor: Actor, text: str) -> FootprintProduct:
    """One product of the actor's account, by its number; NotFound for any other text."""
    numbered = SQL("{} AND p.id = %s").format(_limit_to_account(actor))
    return await find(tx, FOOTPRINT_PRODUCT, _SOURCE, numbered, (number_named("footprint_product", text),))


def _limit_to_account(actor: Actor) -> Composable:
    return of_account(actor, "p.account_id")


def _list_values(wanted: FootprintProduct) -> list[Any]:
    return [
        jsonb(getattr(wanted, column)) if column in _JSON else getattr(wanted, column) for column in _COLUMNS
    ]


async def _check_product(
    tx: Write, actor: Actor, wanted: FootprintProduct, number: int | None
) -> list[Problem]:
    problems = [
        problem_of_name(wanted.name, "A product", "footprint_product.name"),
        problem_of_name(wanted.company_name, "A company", "footprint_product.company_name"),
        problem_of_unseen(wanted.description, "footprint_product.description"),
        problem_of_unseen(wanted.comment or "", "footprint_product.comment"),
        *_check_identifiers(wanted),
        *_check_numbers(wanted),
        *_check_terms(wanted),
        *_check_properties(wanted.properties),
    ]
    if await tx.value(
        "SELECT true FROM footprint_products WHERE account_id = %s AND name = %s AND id IS DISTINCT FROM %s",
        (actor.account_id, wanted.name, number),
    ):
        message = f"The account has a product {shorten(wanted.name)!r} already."
        problems.append(Problem(message, "footprint_product.name", "taken"))
    return [problem for problem in problems if problem]


def _check_identifiers(wanted: FootprintProduct) -> Iterator[Problem]:
    for name in ("company_ids", "product_ids", "product_classifications"):
        values, field = getattr(wanted, name), f"footprint_product.{name}"
        if len(values) > IDENTIFIERS_MAX:
            message = f"{name} has {len(values)} URNs; it takes at most {IDENTIFIERS_MAX}."
            yield Problem(message, field, "too_many")
            continue
        if not values and name != "product_classifications":
            yield Problem(f"{name} is empty; it takes at least one URN.", field, "required")
        for index, value in enumerate(values):
            if read_urn(value) is None:
                message = f"{name} has {shorten(value)!r}; it takes URNs such as urn:gtin:4712345060507."
                yield Problem(message, f"{field}[{index}]", "invalid")
        if len({value.lower() for value in values}) < len(values):
            yield Problem(f"{name} names a URN twice.", field, "invalid")


def _check_numbers(wanted: FootprintProduct) -> Iterator[Problem]:
    if wanted.declared_unit not in DECLARED_UNITS:
        listed = ", ".join(DECLARED_UNITS)
        message = f"declared_unit is {shorten(wanted.declared_unit)!r}; it is one of {listed}."
        yield Problem(message, "footprint_product.declared_unit", "invalid")
    for name in ("declared_amount", "mass_per_declared_unit", "exempted_percent"):
        try:
            limit_number(getattr(wanted, name))
        except NumberError as error:
            yield Problem(f"{name}: {error}", f"footprint_product.{name}", "invalid")
    if wanted.declared_amount <= 0:
        message = f"declared_amount is {shorten(str(wanted.declared_amount))}; it is above zero."
        yield Problem(message, "footprint_product.declared_amount", "invalid")
    if wanted.mass_per_declared_unit < 0:
        message = (
            f"mass_per_declared_unit is {shorten(str(wanted.mass_per_declared_unit))}; it is zero or above."
        )
        yield Problem(message, "footprint_product.mass_per_declared_unit", "invalid")
    if not 0 <= wanted.exempted_percent <= 100:
        message = f"exempted_percent is {shorten(str(wanted.exempted_percent))}; it is from 0 to 100."
        yield Problem(message, "footprint_product.exempted_percent", "invalid")
    if not 1 <= wanted.valid_months <= VALID_MONTHS:
        message = f"valid_months is {wanted.valid_months:,}; it is from 1 to {VALID_MONTHS}."
        yield Problem(message, "footprint_product.valid_months", "invalid")
    if wanted.geography is not None and not is_geography(wanted.geography):
        message = (
            f"geography is {shorten(wanted.geography)!r}; it is a country such as DE, a part of one such as"
            " DE-BW, or a region of the United Nations such as Western Europe."
        )
        yield Problem(message, "footprint_product.geography", "invalid")


def _check_terms(wanted: FootprintProduct) -> Iterator[Problem]:
    takes = "amount, node:slug, either with a minus before it, or a number"
    quantity = read_term(wanted.quantity)
    if quantity is None or quantity.constant is not None:
        message = f"quantity is {shorten(wanted.quantity)!r}; it is amount or node:slug."
        yield Problem(message, "footprint_product.quantity", "invalid")
    for name, text in wanted.amounts.items():
        field = "footprint_product.amounts"
        if name not in AMOUNTS:
            message = f"amounts has {shorten(name)!r}; it takes {', '.join(AMOUNTS)}."
            yield Problem(message, field, "unknown")
        elif read_term(text) is None:
            yield Problem(f"amounts has {shorten(text)!r} for {name}; it takes {takes}.", field, "invalid")
    for name in (FOSSIL, "fossilCarbonContent"):
        if name not in wanted.amounts:
            yield Problem(f"amounts has no {name}.", "footprint_product.amounts", "required")


def _check_properties(properties: Mapping[str, Any]) -> Iterator[Problem]:
    field = "footprint_product.properties"
    for name in _REQUIRED_PROPERTIES:
        value = properties.get(name)
        if not isinstance(value, list) or not value or not all(isinstance(one, str) for one in value):
            yield Problem(f"properties has no list of texts {name}.", field, "required")
    for name in properties:
        if name in AMOUNTS or name in _MADE:
            yield Problem(f"properties has {name}, which is made of other fields.", field, "invalid")


_MADE: Final = frozenset(
    {
        "declaredUnitOfMeasurement", "declaredUnitAmount", "productMassPerDeclaredUnit",
        "referencePeriodStart", "referencePeriodEnd", "geographyRegionOrSubregion", "geographyCountry",
        "geographyCountrySubdivision",
        "pcfExcludingBiogenicUptake", "pcfIncludingBiogenicUptake", "exemptedEmissionsPercent",
        "primaryDataShare",
    }
)  # fmt: skip
"""Fields of `pcf` that follow from others."""

_ONE = "/footprint_products/{footprint_product_id}"


@get(
    "/footprint_products",
    permission="production_accounting:read",
    returns=Page[FootprintProduct],
    listing=FOOTPRINT_PRODUCTS,
)
async def list_footprint_products(call: ReadCall) -> Page[FootprintProduct]:
    """List the products of which footprints are made."""
    request = list_request(call.query, FOOTPRINT_PRODUCTS)
    owned = [_limit_to_account(call.actor)]
    return await read_page(
        call.tx, FOOTPRINT_PRODUCT, FOOTPRINT_PRODUCTS, request, source=_SOURCE, where=owned
    )


@get(_ONE, permission="production_accounting:read", returns=FootprintProduct)
async def get_footprint_product(call: ReadCall) -> FootprintProduct:
    """Read one product."""
    return await read_footprint_product(call.tx, call.actor, call.path["footprint_product_id"])


EXAMPLE: Final = {
    "footprint_product": {
        "name": "Bioethanol 98 %",
        "company_name": "Plant One",
        "company_ids": ["urn:company:example:plant-one"],
        "product_ids": ["urn:gtin:4712345060507"],
        "declared_unit": "kilogram",
        "mass_per_declared_unit": 1,
        "geography": "DE",
        "quantity": "node:made",
        "amounts": {"fossilGhgEmissions": "amount", "fossilCarbonContent": "0"},
        "properties": {"ipccCharacterizationFactors": ["AR6"], "crossSectoralStandards": ["ISO14067"]},
    }
}


@post(
    "/footprint_products",
    permission="production_accounting:write",
    body=FOOTPRINT_PRODUCT_BODIES.new_body,
    returns=FootprintProduct,
    example=EXAMPLE,
)
async def create_footprint_product(call: WriteCall, body: Struct) -> FootprintProduct:
    """Create a product, of which footprints can be made."""
    tx, actor = call.tx, call.actor
    wanted = FOOTPRINT_PRODUCT_BODIES.created(body)
    if problems := await _check_product(tx, actor, wanted, None):
        raise Invalid(problems)
    columns = SQL(", ").join(SQL(column) for column in _COLUMNS)
    places = SQL(", ").join(SQL("%s") for _ in _COLUMNS)
    statement = SQL("INSERT INTO footprint_products (account_id, {}) VALUES (%s, {}) RETURNING id")
    number: int = await tx.value(statement.format(columns, places), (actor.account_id, *_list_values(wanted)))
    made = await read_footprint_product(tx, actor, str(number))
    changes.record(tx, actor, action="footprint_product.create", target=str(number), after=made)
    return made


@patch(
    _ONE,
    permission="production_accounting:write",
    body=FOOTPRINT_PRODUCT_BODIES.change_body,
    returns=FootprintProduct,
    example={"footprint_product": {"valid_months": 12}},
)
async def update_footprint_product(call: WriteCall, body: Struct) -> FootprintProduct:
    """Change a product; footprints that were made of it stay as they are."""
    tx, actor, text = call.tx, call.actor, call.path["footprint_product_id"]
    lock = "SELECT FROM footprint_products WHERE id = %s AND account_id = %s FOR UPDATE"
    tx.later(lock, (number_named("footprint_product", text), actor.account_id))
    before = await read_footprint_product(tx, actor, text)
    wanted = FOOTPRINT_PRODUCT_BODIES.changed(before, body)
    if problems := await _check_product(tx, actor, wanted, before.id):
        raise Invalid(problems)
    columns = SQL(", ").join(SQL("{} = %s").format(SQL(column)) for column in _COLUMNS)
    statement = SQL("UPDATE footprint_products SET {}, updated_at = (SELECT clock_timestamp()) WHERE id = %s")
    await tx.execute(statement.format(columns), (*_list_values(wanted), before.id))
    after = await read_footprint_product(tx, actor, text)
    changes.record(
        tx, actor, action="footprint_product.update", target=str(after.id), before=before, after=after
    )
    return after


ROUTES = [list_footprint_products, get_footprint_product, create_footprint_product, update_footprint_product]
