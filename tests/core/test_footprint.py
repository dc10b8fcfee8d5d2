"""What is wrong with a footprint, by how much its parts do not add up; figures of examples are those of the
PACT Technical Specifications 3.0 (spec/v3/examples), of which three do not add up.
"""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from weighbridge.core.footprint import check_footprint, is_uuid, read_amount
from weighbridge.core.footprint_content import (
    DeclaredProduct,
    MeasuredAmount,
    Produced,
    UnmadeFootprintError,
    read_term,
    write_pcf,
)

SOUND = {
    "id": "f4b1225a-bd44-4c8e-861d-079e4e1dfd69",
    "specVersion": "3.0.0",
    "created": "2025-04-30T00:00:00Z",
    "status": "Active",
    "companyName": "Plant One",
    "companyIds": ["urn:company:example:plant-one"],
    "productDescription": "",
    "productIds": ["urn:gtin:4712345060507"],
    "productNameCompany": "Bioethanol",
    "pcf": {
        "declaredUnitOfMeasurement": "kilogram",
        "declaredUnitAmount": "1",
        "productMassPerDeclaredUnit": "1",
        "referencePeriodStart": "2024-01-01T00:00:00Z",
        "referencePeriodEnd": "2025-01-01T00:00:00Z",
        "pcfExcludingBiogenicUptake": "0.5",
        "pcfIncludingBiogenicUptake": "0.5",
        "fossilGhgEmissions": "0.5",
        "fossilCarbonContent": "0",
        "ipccCharacterizationFactors": ["AR6"],
        "crossSectoralStandards": ["ISO14067"],
        "exemptedEmissionsPercent": "0",
    },
}


def example(excluding, including, **amounts):
    """A sound footprint but for its amounts."""
    totals = {"pcfExcludingBiogenicUptake": excluding, "pcfIncludingBiogenicUptake": including}
    return SOUND | {"pcf": SOUND["pcf"] | totals | amounts}


BIOETHANOL = example(
    "0.384", "-1.23", fossilGhgEmissions="0.35", landUseChangeGhgEmissions="0",
    landManagementFossilGhgEmissions="0.03", landManagementBiogenicCO2Emissions="0.004",
    landManagementBiogenicCO2Removals="0", biogenicCO2Uptake="-1.61", biogenicNonCO2Emissions="0.002",
)  # fmt: skip
WITH_PACKAGING = example(
    "5.14", "-14.22", fossilGhgEmissions="4.78", landUseChangeGhgEmissions="0",
    landManagementFossilGhgEmissions="0.36", landManagementBiogenicCO2Removals="0",
    biogenicCO2Uptake="-19.36", biogenicNonCO2Emissions="0.024",
)  # fmt: skip
CAR_DOOR = example(
    "77.0", "77.0", fossilGhgEmissions="77", landUseChangeGhgEmissions="0",
    landManagementFossilGhgEmissions="0", biogenicCO2Uptake="0", biogenicNonCO2Emissions="0",
)  # fmt: skip
CELLULOSE = example(
    "0.42", "0.05", fossilGhgEmissions="0.17", landUseChangeGhgEmissions="0.2",
    landManagementFossilGhgEmissions="0.05", landManagementBiogenicCO2Emissions="0",
    biogenicCO2Uptake="-0.37", biogenicNonCO2Emissions="0.001",
)  # fmt: skip


@pytest.mark.parametrize(
    ("footprint", "differences"),
    [(BIOETHANOL, ["0.002", "0.004"]), (WITH_PACKAGING, ["0.024"]), (CAR_DOOR, []), (CELLULOSE, ["0.001"])],
    ids=["example 1", "example 2", "example 3", "example 4"],
)
def test_three_of_the_four_examples_of_the_specification_do_not_add_up(footprint, differences):
    flaws = check_footprint(footprint)

    assert [flaw.difference for flaw in flaws] == [Decimal(difference) for difference in differences]
    assert {flaw.code for flaw in flaws} <= {"sum"}


def test_the_sentence_says_what_parts_come_to_with_emissions_of_land_management_and_without():
    parts, both = check_footprint(BIOETHANOL)

    assert parts.message == (
        "pcfExcludingBiogenicUptake is 0.384; its parts add up to 0.386, which is 0.002 more. Without"
        " landManagementFossilGhgEmissions, which fossilGhgEmissions includes by the specification, they add"
        " up to 0.356, which is 0.028 less."
    )
    assert both.message == (
        "pcfIncludingBiogenicUptake is -1.23; pcfExcludingBiogenicUptake (0.384) and biogenicCO2Uptake"
        " (-1.61) add up to -1.226, which is 0.004 more."
    )


def test_a_sound_footprint_has_no_flaw():
    assert check_footprint(SOUND) == []


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"id": "e7u1639i-bg76"}, [("form", "id")]),
        ({"precedingPfIds": [SOUND["id"]]}, [("conflict", "precedingPfIds")]),
        ({"productIds": ["gtin:1"]}, [("form", "productIds[0]")]),
        ({"companyIds": []}, [("form", "companyIds")]),
        ({"status": "Old"}, [("form", "status")]),
        ({"companyName": None}, [("missing", "companyName")]),
        ({"pcf": None}, [("missing", "pcf")]),
        ({"created": "2025-04-30"}, [("form", "created")]),
        (
            {"validityPeriodStart": "2025-02-01T00:00:00Z", "validityPeriodEnd": "2025-01-01T00:00:00Z"},
            [("order", "validityPeriodEnd")],
        ),
    ],
)
def test_each_flaw_of_a_footprint_is_named(change, found):
    assert [(flaw.code, flaw.field) for flaw in check_footprint(SOUND | change)] == found


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"declaredUnitOfMeasurement": "litre"}, [("form", "pcf.declaredUnitOfMeasurement")]),
        ({"declaredUnitAmount": "0"}, [("form", "pcf.declaredUnitAmount")]),
        ({"productMassPerDeclaredUnit": "0.9"}, [("sum", "pcf.productMassPerDeclaredUnit")]),
        ({"fossilCarbonContent": 0}, [("form", "pcf.fossilCarbonContent")]),
        ({"fossilCarbonContent": "-1"}, [("range", "pcf.fossilCarbonContent")]),
        (
            {"biogenicCO2Uptake": "0.1"},
            [("range", "pcf.biogenicCO2Uptake"), ("sum", "pcf.pcfIncludingBiogenicUptake")],
        ),
        ({"exemptedEmissionsPercent": "101"}, [("range", "pcf.exemptedEmissionsPercent")]),
        ({"primaryDataShare": "12,9"}, [("form", "pcf.primaryDataShare")]),
        ({"dqi": {"temporalDQR": "6"}}, [("range", "pcf.dqi.temporalDQR")]),
        ({"geographyCountry": "Germany"}, [("form", "pcf.geographyCountry")]),
        (
            {"geographyCountry": "DE", "geographyCountrySubdivision": "DE-BW"},
            [("conflict", "pcf.geographyCountrySubdivision")],
        ),
        (
            {"packagingEmissionsIncluded": False, "packagingGhgEmissions": "0.58"},
            [("conflict", "pcf.packagingGhgEmissions")],
        ),
        ({"ipccCharacterizationFactors": ["6"]}, [("form", "pcf.ipccCharacterizationFactors[0]")]),
        ({"referencePeriodEnd": "2024-01-01T00:00:00Z"}, [("order", "pcf.referencePeriodEnd")]),
    ],
)
def test_each_flaw_of_the_amounts_is_named(change, found):
    flaws = check_footprint(SOUND | {"pcf": SOUND["pcf"] | change})

    assert [(flaw.code, flaw.field) for flaw in flaws] == found


def test_what_is_no_decimal_identifier_or_term_is_none():
    assert read_amount("1e3") is read_amount(1) is read_amount("1.") is None
    assert read_amount("+0.50") == Decimal("0.50")
    assert is_uuid("F4B1225A-BD44-4C8E-861D-079E4E1DFD69")
    assert not is_uuid("{f4b1225a-bd44-4c8e-861d-079e4e1dfd69}")
    assert read_term("node:Mass") is read_term("2*amount") is None


@pytest.mark.parametrize(
    ("unit", "made"),
    [("t", True), ("t{dry}", True), ("t{CO2e}", False), ("t{C}", False), ("L{wet}", False)],
)
def test_a_mass_of_dry_product_is_a_mass_of_it_and_one_of_a_gas_is_not(unit, made):
    moment = datetime(2025, 1, 1, tzinfo=UTC)
    amounts = {"fossilGhgEmissions": "0.5", "fossilCarbonContent": "0"}
    product = DeclaredProduct("kilogram", Decimal(1), Decimal(1), "amount", amounts, {}, None, Decimal(0))
    produced = Produced(MeasuredAmount(Decimal(2), unit), {}, moment, moment, None)

    if made:
        assert write_pcf(product, produced, None)["pcfExcludingBiogenicUptake"] == "0.5"
    else:
        with pytest.raises(UnmadeFootprintError, match="cannot be converted to kg"):
            write_pcf(product, produced, None)
