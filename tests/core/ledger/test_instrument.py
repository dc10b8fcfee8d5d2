"""Instruments of system ledgers: which fields a kind takes, and what their numbers may be."""

from decimal import Decimal

import pytest

from weighbridge.core.ledger.instrument import PRESETS, check_instrument


def problems(kind, scale=6, **fields):
    given = {"external_id": "X-1", "amount": Decimal(1)} | fields
    return [(one.field, one.code) for one in check_instrument(PRESETS[kind], scale, given)]


def test_the_units_of_what_travels_along_are_those_of_the_preset():
    assert {slug: str(unit) for slug, unit in PRESETS["renewable_fuel"].attributes.items()} == {
        "amount": "kg{CO2e}",
        "mass": "t",
        "energy_intensity": "g{CO2e}/MJ",
        "lower_heating_value": "MJ/kg",
    }
    assert list(PRESETS["renewable_energy_credits"].attributes) == ["amount"]


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("renewable_energy_credits", {"geography": "DE", "generation_tech": "solar"}),
        ("renewable_fuel", {"energy_intensity": Decimal("-12.5"), "mass": Decimal(3)}),
        ("embodied_emissions", {"name": "Kiln"}),
    ],
)
def test_an_instrument_with_what_its_kind_asks_for_is_right(kind, fields):
    assert problems(kind, **fields) == []


@pytest.mark.parametrize(
    ("kind", "fields", "found"),
    [
        ("renewable_energy_credits", {"geography": None}, ("instrument.geography", "required")),
        ("embodied_emissions", {"name": " "}, ("instrument.name", "required")),
        ("embodied_emissions", {"name": "Kiln", "mass": Decimal(1)}, ("instrument.mass", "unknown")),
        ("renewable_fuel", {"generation_tech": "wind"}, ("instrument.generation_tech", "unknown")),
        (
            "renewable_fuel",
            {"lower_heating_value": Decimal(0)},
            ("instrument.lower_heating_value", "invalid"),
        ),
        ("renewable_fuel", {"amount": Decimal("NaN")}, ("instrument.amount", "invalid")),
        ("renewable_fuel", {"external_id": ""}, ("instrument.external_id", "required")),
    ],
)
def test_what_is_wrong_is_named(kind, fields, found):
    assert problems(kind, **fields) == [found]


def test_an_amount_has_no_more_decimals_than_its_ledger():
    assert problems("renewable_fuel", scale=2, amount=Decimal("1.25")) == []
    assert problems("renewable_fuel", scale=2, amount=Decimal("1.250")) == []
    assert problems("renewable_fuel", scale=2, amount=Decimal("1.255")) == [("instrument.amount", "invalid")]
