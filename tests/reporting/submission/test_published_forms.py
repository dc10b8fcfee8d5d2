"""Forms that others publish: the examples give what the published schemas take, and the right numbers."""

import io
import json
import os
from decimal import Decimal
from pathlib import Path

import pytest
from lxml import etree
from python_calamine import CalamineWorkbook
from tests.given import accounting, library
from tests.given import collection as given
from tests.given.accounting import QUARTER, Plant
from tests.given.reports import Claims, accepted
from tests.given.rule_evaluation import correct
from tests.reporting.submission.cdop import read_forms, read_schema
from tests.reporting.submission.test_forms import build_works

EXAMPLES = Path(__file__).parents[3] / "examples" / "mappings"
CBAM = os.environ.get("CBAM_SCHEMAS", "")
NO_CBAM = (
    ""
    if (Path(CBAM) / "QReport.xsd").is_file()
    else "CBAM_SCHEMAS names no folder with QReport.xsd and stypes.xsd, so reports are not held against them"
)


def read_example(name):
    """The mapping of an example."""
    return json.loads((EXAMPLES / f"{name}.json").read_text())


def make_methodology(api, mapping, name="Form"):
    """The number of a methodology with a mapping."""
    new = {"name": name, "version": "1", "report_type": "quarterly", "mapping": mapping}
    return api.post("/methodologies", {"methodology": new}).expect(201).body["id"]


def download(api, report):
    return api.get(f"/reports/{report['id']}/submission/download").expect(200).content


def test_every_example_says_what_it_is_and_from_where():
    for folder in (one for one in EXAMPLES.iterdir() if one.is_dir()):
        assert len((folder / "README.md").read_text().splitlines()) > 2, folder
        assert [*folder.glob("*.json")], folder


# The Carbon Data Open Protocol (`cdop.py`).


def read_cdop(name):
    """An example with the schema that it is for; amounts are in the unit of the tests' ledger."""
    mapping = json.loads((EXAMPLES / "cdop" / f"{name}.json").read_text().replace("t{CO2e}", "t"))
    return mapping | {"schema": read_schema(name)}


NAMES = sorted(path.stem for path in (EXAMPLES / "cdop").glob("*.json"))


def test_there_is_an_example_for_each_of_the_twelve_schemas():
    assert sorted(read_forms()) == NAMES
    assert len(NAMES) == 12


@pytest.mark.parametrize("name", NAMES)
def test_an_example_gives_what_its_schema_takes(api, drain, name):
    works = build_works(api, drain, february=50)
    made = make_methodology(api, read_cdop(name), name)
    whole = works.report(4, 21, methodology_id=made)

    answer = api.post(f"/reports/{whole['id']}/submit", {})

    # The buffer is 0.5 t and 2.5 t: whole in all.
    answer.expect(202)


def test_a_claim_of_a_part_of_a_tonne_breaks_the_published_form_of_units(api, drain):
    works = build_works(api, drain)
    made = make_methodology(api, read_cdop("unit-description"))
    draft = works.report("1.5", methodology_id=made)

    errors = api.post(f"/reports/{draft['id']}/submit", {}).expect(422).errors

    assert {error["field"] for error in errors} == {
        "unit.credit_block[0].quantity", "unit.credit_block[0].block_end",
    }  # fmt: skip


def test_countries_of_assets_have_the_codes_of_the_protocol(api, drain):
    works = build_sites(api, drain, countries=("Norway", "Iceland"))
    mapping = read_cdop("location-details")
    draft = works.report(10, 10, methodology_id=make_methodology(api, mapping))

    found = json.loads(download(api, draft))

    assert found["facility"]["location"] == [
        {"country_name": "Iceland", "country_code": "ISL"}, {"country_name": "Norway", "country_code": "NOR"},
    ]  # fmt: skip
    api.post(f"/reports/{draft['id']}/submit", {}).expect(202)


def test_a_country_that_the_protocol_has_no_code_for_is_refused(api, drain):
    works = build_sites(api, drain, countries=("Norway", "Atlantis"))
    body = {"mapping": read_cdop("location-details")}
    draft = works.report(10, 10)

    found = api.post(f"/reports/{draft['id']}/submission/preview", body).expect(200).body

    assert [one["field"] for one in found["problems"]] == ["facility.location[0].country_code"]
    assert "'Atlantis', for which the list of codes has no code" in found["problems"][0]["message"]


# CBAM: hydrogen of two installations.


NODES = """
  - slug: gas
    input: {event_type: gaseous-feedstock, data_point_type: gas-volume, aggregate: values}
    unit: ft^3
  - slug: carbon_content
    input: {event_type: gaseous-feedstock, data_point_type: gas-carbon-content, aggregate: values}
    unit: kg{C}/kg
  - slug: molecular_weight
    input: {event_type: gaseous-feedstock, data_point_type: gas-molecular-weight, aggregate: values}
    unit: kg/kmol
  - {slug: molar_volume, constant: 849.5, unit: ft^3/kmol}
  - {slug: electricity, input: {event_type: bill, data_point_type: energy, aggregate: sum}, unit: MWh}
  - {slug: grid, constant: 0.4, unit: "t{CO2}/MWh"}
  - {slug: hydrogen, input: {event_type: delivery, data_point_type: mass, aggregate: sum}, unit: t}
  - slug: direct
    formula: sum(gas * carbon_content * molecular_weight) / molar_volume * quantity(44 / 12, "t{CO2}/t{C}")
    unit: t{CO2}
  - {slug: indirect, formula: electricity * grid, unit: "t{CO2}"}
  - {slug: emissions, formula: direct + indirect, unit: "t{CO2}", output: true}
"""


def build_sites(api, drain, countries=("Norway", "Norway")):
    """January of two installations by the package for hydrogen, with what they sold and used of electricity.

    North: 849,500 ft³ of gas, 0.75 of carbon, 16 kg/kmol, so 44 t by equation P-1; 30 MWh, so 12 t; 4.3 t of
    hydrogen. South: 424,750 ft³, 0.6, 20 kg/kmol, so 22 t; 10 MWh, so 4 t; 2.4 t.
    """
    installed = library.install(api, drain, "hydrogen")
    project = installed.project
    given.event_type(api, project, slug="delivery", data_point_types=[given.number("mass")])
    given.event_type(api, project, slug="bill", data_point_types=[given.number("energy", unit="kWh")])
    given.custom_field(api, project, "CN code", "text")
    given.custom_field(api, project, "Country", "text")
    read = (("North", 849500, "0.75", 16, 30000, "4.3"), ("South", 424750, "0.6", 20, 10000, "2.4"))
    for (name, volume, carbon, weight, energy, mass), country in zip(read, countries, strict=True):
        custom = {"CN code": "28041000", "Country": country}
        asset = given.asset(api, project, name=name, custom_fields=custom)["id"]
        at = {"asset_id": asset, "start_time": "2025-01-10T00:00:00Z"}
        gas = {"gas-volume": volume, "gas-carbon-content": Decimal(carbon), "gas-molecular-weight": weight}
        ends = {"end_time": "2025-01-11T00:00:00Z"}
        given.event(api, project, event_type="gaseous-feedstock", values=gas, **at, **ends)
        given.event(api, project, event_type="bill", values={"energy": energy}, **at)
        given.event(api, project, event_type="delivery", values={"mass": Decimal(mass)}, **at)
    text = accounting.document(NODES, name="Goods", partition_type="asset", primary_output="emissions")
    model = accounting.model(api, project, text)
    plant = Plant(
        api, drain, project, model, accounting.ledger(api, project, model, name="Goods", unit="t{CO2}")
    )
    plant.generate(QUARTER)
    return Claims(plant)


def read_report(content):
    """The numbers of a report by their places, without its namespace."""
    root = etree.fromstring(content)
    for one in root.iter():
        one.tag = etree.QName(one).localname
    return root


def list_numbers(root, at, *names):
    return [root.findtext(f"{at}/{name}") for name in names]


def test_goods_and_installations_have_their_emissions_to_the_digit(api, drain):
    works = build_sites(api, drain)
    draft = works.report(56, 26, methodology_id=make_methodology(api, read_example("cbam/quarterly-report")))

    root = read_report(download(api, draft))

    assert list_numbers(root, ".", "ReportingPeriod", "Year", "TotalEmissions", "SubmissionDate") == [
        "Q1", "2025", "82.0000000", "2025-02-01T00:00:00Z",
    ]  # fmt: skip
    assert root.findtext("Signatures/ReportConfirmation/SignatureDate") == "20250131"
    [good] = root.findall("ImportedGood")
    assert list_numbers(good, "CommodityCode", "HsCode", "CnCode") == ["280410", "00"]
    # 82 t of 6.7 t of hydrogen, 66 t of them direct: 82 / 6.7 = 12.23880597…
    assert list_numbers(good, "TotalEmissions", "EmissionsPerUnit", "TotalDirect", "TotalIndirect") == [
        "12.2388060", "66.0000000", "16.0000000",
    ]  # fmt: skip
    assert good.findtext("MeasureImported/NetMass") == "6.700000"
    north, south = good.findall("GoodsEmissions")
    # 44 / 4.3 = 10.2325581395…, 12 / 4.3 = 2.7906976744…; 22 / 2.4 = 9.16666…, 4 / 2.4 = 1.66666…
    each = ["SequenceNumber", "Installation/InstallationId", "ProducedMeasure/NetMass"]
    each += ["DirectEmissions/SpecificEmbeddedEmissions", "IndirectEmissions/SpecificEmbeddedEmissions"]
    assert list_numbers(north, ".", *each) == ["1", "NO-0001", "4.300000", "10.2325581", "2.7906977"]
    assert list_numbers(south, ".", *each) == ["2", "NO-0002", "2.400000", "9.1666667", "1.6666667"]


def test_a_report_is_restated_in_the_form_after_a_correction(api, drain):
    """South's gas was 849,500 ft³: 849,500 * 0.6 * 20 / 849.5 * 44 / 12 is 44 t instead of 22 t."""
    works = build_sites(api, drain)
    made = make_methodology(api, read_example("cbam/quarterly-report"))
    first = accepted(works, works.report(56, 26, methodology_id=made))
    sent, home = download(api, first), f"/projects/{works.plant.project['id']}"
    events = api.get(f"{home}/events", {"page_size": "10"}).data
    [wrong] = [one for one in events if one["data_points"][0]["value"] == 424750]
    correct(api, works.plant.project, wrong, 849500)
    works.plant.generate(QUARTER)

    batches = [
        {"batch_id": one["id"], "amount": one["primary_output"]["value"]} for one in works.plant.batches()
    ]
    again = works.ask(batches=batches, methodology_id=made, supersedes=first["id"]).expect(201).body
    restated = accepted(works, again)

    root = read_report(download(api, restated))
    assert download(api, first) == sent
    assert list_numbers(root, ".", "TotalEmissions") == ["104.0000000"]
    good = root.find("ImportedGood")
    # 104 / 6.7 = 15.52238805…, 44 / 2.4 = 18.3333…
    assert good.findtext("TotalEmissions/EmissionsPerUnit") == "15.5223881"
    assert (
        good.findall("GoodsEmissions")[1].findtext("DirectEmissions/SpecificEmbeddedEmissions")
        == "18.3333333"
    )


FACTS = {
    "QReport": "SubmissionDate DraftReportId ReportId? ReportingPeriod Year TotalImported TotalEmissions"
    " Declarant Representative? Importer? NationalCompetentAuth Signatures Remarks? ImportedGood",
    "Declarant": "IdentificationNumber Name Role ActorAddress",
    "ReportConfirmation": "GlobalDataConfirmation UseOfDataConfirmation SignatureDate SignaturePlace"
    " Signature PositionOfPersonSending",
    "ImportedGood": "ItemNumber Representative? Importer? CommodityCode? OriginCountry ImportedQuantity"
    " MeasureImported TotalEmissions SupportingDocuments? Remarks? GoodsEmissions",
    "CommodityCode": "HsCode CnCode CommodityDetails",
    "ImportedQuantity": "SequenceNumber Procedure ImportArea MeasureProcedureImported SpecialReferences?",
    "MeasureProcedureImported": "Indicator NetMass? SupplementaryUnits? MeasurementUnit",
    "GoodsEmissions": "SequenceNumber ProductionCountry? InstallationOperator? Installation? ProducedMeasure"
    " InstallationEmissions DirectEmissions IndirectEmissions? ProdMethodQualifyingParams"
    " SupportingDocuments? CarbonPriceDue? RemarksEmissions?",
    "Installation": "InstallationId InstallationName EconomicActivity? Address",
    "InstallationEmissions": "OverallEmissions TotalDirect TotalIndirect MeasurementUnit",
    "IndirectEmissions": "DeterminationType EmissionFactorSource? EmissionFactor? SpecificEmbeddedEmissions"
    " MeasurementUnit ElectricityConsumed? ElectricitySource OtherSourceIndication?"
    " EmissionFactorSourceValue?",
    "ProdMethodQualifyingParams": "SequenceNumber MethodId MethodName SteelMillNumber? AdditionalInformation?"
    " DirectQualifyingParameters? IndirectQualifyingParameters?",
}
"""What edition 17.03 of the XSD has within elements, in this order; with `?` what may be left out."""

FRACTIONS = {"NetMass": 6, "SpecificEmbeddedEmissions": 7, "TotalEmissions": 7}
LENGTHS = {"ReportingPeriod": 2, "HsCode": 6, "CnCode": 2, "Country": 2, "SignatureDate": 8}


def test_a_report_has_the_elements_of_the_edition_in_their_order(api, drain):
    works = build_sites(api, drain)
    draft = works.report(56, 26, methodology_id=make_methodology(api, read_example("cbam/quarterly-report")))

    content = download(api, draft)

    assert etree.fromstring(content).tag == "{http://xmlns.ec.eu/BusinessObjects/CBAM/Types/V1}QReport"
    for one in read_report(content).iter():
        if one.tag in FACTS:
            known = FACTS[one.tag].split()
            has = [child.tag for child in one]
            places = [[name.rstrip("?") for name in known].index(tag) for tag in has]
            assert places == sorted(places), one.tag
            assert {name for name in known if not name.endswith("?")} <= {*has}, one.tag
        if one.tag in FRACTIONS and not len(one):
            assert len(one.text.partition(".")[2]) == FRACTIONS[one.tag]
            assert len(one.text.replace(".", "")) <= 16
        if one.tag in LENGTHS:
            assert len(one.text) == LENGTHS[one.tag], one.tag


@pytest.mark.skipif(bool(NO_CBAM), reason=NO_CBAM or "The schema is there.")
def test_a_report_is_what_the_published_xsd_takes(api, drain):
    works = build_sites(api, drain)
    schema = {
        "schema": (Path(CBAM) / "QReport.xsd").read_text(),
        "schema_parts": {"stypes.xsd": (Path(CBAM) / "stypes.xsd").read_text()},
    }
    mapping = read_example("cbam/quarterly-report") | schema
    short = json.loads(json.dumps(mapping).replace('"EORI OF DECLARANT"', '"EORI THAT IS TOO LONG"'))
    whole = works.report(56, 26, methodology_id=make_methodology(api, mapping))
    refused = api.post(f"/reports/{whole['id']}/submission/preview", {"mapping": short}).expect(200).body

    [problem] = refused["problems"]
    assert problem["field"] == "/*/*[7]/*[1]"
    assert "IdentificationNumber': [facet 'maxLength'] The value has a length of '21'" in problem["message"]
    api.post(f"/reports/{whole['id']}/submit", {}).expect(202)


# 40 CFR Part 98, Subpart RR: the samples of the package for geological storage.


PARAGRAPHS = ["(a)", "(b)", "(c)", "(d)", "(e)", "(f)", "(g)", "(h)"]
"""What 40 CFR 98.442 asks for: received, injected, produced, leaked to the surface, lost by equipment at
injection and at production, sequestered, and sequestered in all years."""


def read_book(content):
    """The rows of each sheet."""
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    return {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}


def test_a_site_of_storage_has_the_quantities_of_its_rule_before_and_after_a_correction(api, drain):
    """First quarter: 5,504,120 m³ * 0.986 * 0.0018682 t/m³ is 10,138.837826224 t, less 3.2 t. Second:
    5,812,300 * 0.985 * 0.0018682 is 10,695.6607771 t, less 2.7 t. Corrected: 1 t leaked in the first.
    """
    site = library.install(api, drain, "co2-storage")
    site.import_samples()
    [stored] = [one for one in site.ledgers if one["name"] == "Stored"]
    assert site.generate(stored)["state"] == "complete"
    made = make_methodology(api, read_example("subpart-rr/workbook"))
    works = Claims(Plant(api, drain, site.project, {}, stored))
    batches = [{"batch_id": one["id"], "amount": one["ledger_balance"]} for one in works.plant.batches()]
    first = accepted(works, works.ask(batches=batches, methodology_id=made).expect(201).body)

    book = read_book(download(api, first))

    sheet = book["98.442"]
    assert [row[0] for row in sheet[6:14]] == PARAGRAPHS
    assert [sheet[1][1], sheet[2][1], sheet[3][1]] == [site.project["name"], 2025.0, "nothing"]
    assert [row[1] for row in sheet[6:14]] == [
        "REPORT OF RECEIVED", 20834.499, 0.0, 0.0, 5.9, 0.0, 20828.599, "ADD EARLIER YEARS",
    ]  # fmt: skip
    assert book["Quarters"][1:] == [
        ["2025 Q1", 10138.838, 3.2, 10135.638], ["2025 Q2", 10695.661, 2.7, 10692.961],
    ]  # fmt: skip
    assert ["2025 Q1", "injected-volume", 5504120.0, "m^3", 5504120.0, False] in book["Readings"]
    assert book["Corrections"] == [["Quarter", "Reading", "From", "To", "Reason"]]

    events = api.get(f"{site.home}/events", {"sort": "start_time"}).data
    lost = [one for one in events if one["data_points"][0]["slug"] == "surface-leakage"]
    correct(api, site.project, lost[0], 1)
    assert site.generate(stored)["state"] == "complete"
    made_of = [one for one in works.plant.batches() if one["primary_output"]["value"] > 0]
    left = [
        {"batch_id": one["id"], "amount": Decimal(amount)}
        for one, amount in zip(made_of, ("10134.637826", "10692.960777"), strict=True)
    ]
    again = works.ask(batches=left, methodology_id=made, supersedes=first["id"])
    restated = accepted(works, again.expect(201).body)

    book = read_book(download(api, restated))
    assert book["98.442"][3][1] == first["id"]
    assert [row[1] for row in book["98.442"][9:13]] == [1.0, 5.9, 0.0, 20827.599]
    assert book["Corrections"][1:] == [["2025 Q1", "surface-leakage", 0.0, 1.0, "Read again"]]
