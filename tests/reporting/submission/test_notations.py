"""What forms ask of values: decimals, codes, dates, quotients, sheets, prefixes, schemas of several parts."""

import io
import json
from decimal import Decimal

import pytest
from lxml import etree
from python_calamine import CalamineWorkbook
from tests.given import reports

V = "$value"


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def draft(claims, *amounts, **fields):
    return claims.report(*amounts, **fields)


def preview(claims, report, template, report_format="json", **mapping):
    """What a report would be sent as by a mapping that no methodology has."""
    body = {"mapping": {"format": report_format, "template": template, **mapping}}
    return claims.plant.api.post(f"/reports/{report['id']}/submission/preview", body).expect(200).body


def flaws(found):
    return [(one["field"], one["message"]) for one in found["problems"]]


def test_decimals_are_written_as_the_form_rounds_and_the_difference_is_shown(claims):
    template = {
        "up": {V: "report.amount", "$decimals": 2, "$rounding": "half_up"},
        "even": {V: "report.amount", "$decimals": 2, "$rounding": "half_even"},
        "kilograms": {V: "report.amount", "$unit": "kg", "$decimals": 3, "$rounding": "half_up"},
        "number": {V: "report.amount", "$as": "number", "$decimals": 0, "$rounding": "down"},
        "batches": {"$each": "inclusions", "$do": {V: "inclusion.amount", "$decimals": 1, "$rounding": "up"}},
    }

    found = preview(claims, draft(claims, "1.005", 3), template)

    assert json.loads(found["text"]) == {
        "up": "4.01", "even": "4.00", "kilograms": "4005.000", "number": 4, "batches": ["1.1", "3.0"],
    }  # fmt: skip
    assert [
        (one["place"], one["exact"], one["written"], one["difference"]) for one in found["roundings"]
    ] == [
        ("up", Decimal("4.005"), Decimal("4.01"), Decimal("0.005")),
        ("even", Decimal("4.005"), 4, Decimal("-0.005")),
        ("number", Decimal("4.005"), 4, Decimal("-0.005")),
        ("batches[0]", Decimal("1.005"), Decimal("1.1"), Decimal("0.095")),
    ]
    assert (found["problems"], found["rounding_count"]) == ([], 4)


def test_a_quotient_is_of_two_fields_and_converted_as_one(claims):
    template = {
        "share": {V: "inclusion.amount", "$per": "report.amount", "$decimals": 6, "$rounding": "half_up"},
        "kg_per_t": {V: "inclusion.amount", "$per": "report.amount", "$unit": "kg/t", "$decimals": 3,
                     "$rounding": "half_up"},
    }  # fmt: skip

    found = preview(claims, draft(claims, 1, 2), {"all": {"$each": "inclusions", "$do": template}})

    assert json.loads(found["text"])["all"] == [
        {"share": "0.333333", "kg_per_t": "333.333"},
        {"share": "0.666667", "kg_per_t": "666.667"},
    ]
    assert found["roundings"][0]["exact"] == Decimal("0." + "3" * 34)


def test_what_has_no_code_is_refused_with_a_sentence_at_its_place(claims):
    codes = {"kinds": {"quarterly": "Q"}}
    good = {"kind": {V: "report.report_type", "$codes": "kinds"},
            "own": {V: "report.report_type", "$codes": {"quarterly": "04"}}}  # fmt: skip
    bad = {"kind": {V: "report.name", "$codes": "kinds"},
           "unit": {"a": [{V: "report.unit", "$codes": {"kg": "01"}}]}}  # fmt: skip
    report = draft(claims, 5)

    assert json.loads(preview(claims, report, good, codes=codes)["text"]) == {"kind": "Q", "own": "04"}
    found = preview(claims, report, bad, codes=codes)
    says = "for which the list of codes has no code; it has codes for"
    assert flaws(found) == [
        ("kind", f"kind: report.name is 'First quarter', {says} quarterly."),
        ("unit.a[0]", f"unit.a[0]: report.unit is 't', {says} kg."),
    ]
    assert (found["text"], found["media_type"]) == (None, None)


def test_a_report_whose_text_has_no_code_is_not_submitted(claims):
    mapping = {"format": "json", "template": {"kind": {V: "report.name", "$codes": {"Second": "2"}}}}
    body = {"name": "Codes", "version": "1", "report_type": "quarterly", "mapping": mapping}
    made = claims.plant.api.post("/methodologies", {"methodology": body}).expect(201).body["id"]
    report = draft(claims, 5, methodology_id=made)

    error = claims.plant.api.post(f"/reports/{report['id']}/submit", {}).expect(422).error

    assert (error["field"], error["code"]) == ("kind", "schema")
    assert claims.balances() == [5, 3]


def test_moments_are_written_by_patterns(claims):
    template = {
        "american": {V: "report.start_time", "$as": "date", "$pattern": "{MM}/{DD}/{YYYY}"},
        "last": {V: "report.end_time", "$as": "last_date", "$pattern": "{YYYY}{MM}{DD}"},
        "quarter": {V: "report.start_time", "$as": "date", "$pattern": "{YYYY}-Q{Q}"},
        "second": {V: "report.end_time", "$pattern": "{YYYY}-{MM}-{DD}T{hh}:{mm}:{ss}Z"},
    }

    assert json.loads(preview(claims, draft(claims, 5, 3), template)["text"]) == {
        "american": "01/01/2025", "last": "20250228", "quarter": "2025-Q1", "second": "2025-03-01T00:00:00Z",
    }  # fmt: skip


def test_names_and_elements_without_a_value_are_left_out(claims):
    template = {"a": {V: "report.supersedes", "$optional": True}, "b": {V: "report.supersedes"}}
    element = {"element": "R", "children": [
        {"element": "A", "text": {V: "report.supersedes"}, "optional": True},
        {"element": "B", "text": {V: "report.supersedes"}},
        {"element": "C", "optional": True, "children": [
            {"element": "D", "optional": True, "text": {V: "report.supersedes"}}]},
    ]}  # fmt: skip
    report = draft(claims, 5)

    assert json.loads(preview(claims, report, template)["text"]) == {"b": None}
    root = etree.fromstring(preview(claims, report, element, "xml")["text"].encode())
    assert [one.tag for one in root] == ["B"]


def test_groups_stand_within_groups_and_elements_within_lists_of_lists(claims):
    template = {"element": "R", "children": [{
        "$each": "groups", "$by": "inclusion.start_time", "$as": "year", "$do": {
            "element": "Year", "attributes": {"of": {V: "group.key"}, "t": {V: "group.amount"}},
            "children": [{"$each": "groups", "$by": "inclusion.start_time", "$as": "month", "$do": {
                "$each": "inclusions", "$do": {
                    "element": "Batch", "attributes": {"month": {V: "group.key"}, "no": {V: "group.number"}},
                    "text": {V: "inclusion.amount", "$decimals": 1, "$rounding": "half_up"},
                }}}],
        }}]}  # fmt: skip

    found = preview(claims, draft(claims, "1.25", 3), template, "xml")

    [year] = etree.fromstring(found["text"].encode())
    assert dict(year.attrib) == {"of": "2025", "t": "4.25"}
    assert [({**one.attrib}, one.text) for one in year] == [
        ({"month": "2025-01", "no": "1"}, "1.3"), ({"month": "2025-02", "no": "2"}, "3.0"),
    ]  # fmt: skip
    assert found["roundings"][0]["place"] == "R/Year[1]/Batch[1][1]"


def test_elements_have_prefixes_and_may_be_in_no_namespace(claims):
    template = {"element": "R", "namespace": "urn:a", "prefix": "a", "children": [
        {"element": "Same", "text": "1"},
        {"element": "Plain", "namespace": "", "text": "2"},
    ]}  # fmt: skip

    text = preview(claims, draft(claims, 5), template, "xml")["text"]

    assert '<a:R xmlns:a="urn:a">' in text
    assert [one.tag for one in etree.fromstring(text.encode())] == ["{urn:a}Same", "Plain"]


SHEETS = {"sheets": [
    {"name": "Facility", "cells": {"B2": {V: "report.name"}, "B3": {V: "report.amount", "$as": "number"},
                                   "A3": "Total, t"}},
    {"name": "Batches", "cells": {"A1": "Batches of the year"}, "tables": [
        {"at": "A3", "rows": "inclusions", "columns": [
            {"heading": "No", "value": {V: "inclusion.number", "$as": "number"}},
            {"heading": "t", "value": {V: "inclusion.amount", "$as": "number", "$decimals": 1,
                                       "$rounding": "half_up"}}]},
        {"at": "D3", "headings": False, "rows": "report", "columns": [
            {"heading": "Total", "value": {V: "report.amount"}}]}]},
]}  # fmt: skip


def test_a_workbook_has_its_sheets_and_cells_where_the_form_has_them(claims):
    cells = {"Facility": {"required": ["B2", "B3"]}, "Batches": {"properties": {"B5": {"maximum": 2}}}}
    schema = {"required": ["Facility", "Batches"], "properties": cells}
    body = {"name": "Sheets", "version": "1", "report_type": "q",
            "mapping": {"format": "xlsx", "template": SHEETS}}  # fmt: skip
    made = claims.plant.api.post("/methodologies", {"methodology": body}).expect(201).body["id"]
    report = draft(claims, "1.25", 3, methodology_id=made)

    content = claims.plant.api.get(f"/reports/{report['id']}/submission/download").expect(200).content

    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    assert book.sheet_names == ["Facility", "Batches"]
    options = {"skip_empty_area": False}
    assert book.get_sheet_by_name("Facility").to_python(**options)[1:] == [
        ["", "First quarter"], ["Total, t", 4.25],
    ]  # fmt: skip
    assert book.get_sheet_by_name("Batches").to_python(**options)[2:] == [
        ["No", "t", "", "4.25"], [1.0, 1.3, "", ""], [2.0, 3.0, "", ""],
    ]  # fmt: skip
    found = preview(claims, report, SHEETS, "xlsx", schema=json.dumps(schema))
    assert found["text"].splitlines()[:3] == ["Facility!B2: First quarter", "Facility!A3: Total, t",
                                              "Facility!B3: 4.25"]  # fmt: skip
    assert [one["place"] for one in found["roundings"]] == ["Batches!B4"]
    assert [field for field, _ in flaws(found)] == ["Batches.B5"]


TYPES = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
  <xs:simpleType name="mass"><xs:restriction base="xs:decimal"><xs:fractionDigits value="1"/></xs:restriction>
  </xs:simpleType></xs:schema>"""
MAIN = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t">
  <xs:import namespace="urn:t" schemaLocation="types.xsd"/><xs:element name="R" type="t:mass"/></xs:schema>"""


def test_an_xsd_refers_to_the_parts_that_come_with_it_and_to_nothing_else(claims):
    template, report = {"element": "R", "text": {V: "report.amount"}}, draft(claims, "1.25")

    broken = preview(claims, report, template, "xml", schema=MAIN, schema_parts={"types.xsd": TYPES})
    missing = preview(claims, report, template, "xml", schema=MAIN, schema_parts={"other.xsd": TYPES})
    entity = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'
    hostile = preview(claims, report, template, "xml", schema=MAIN, schema_parts={"types.xsd": entity})

    assert "fractionDigits" in flaws(broken)[0][1]
    assert "refers to types.xsd; schema_parts has what a schema refers to" in flaws(missing)[0][1]
    assert "DOCTYPE" in flaws(hostile)[0][1]


def test_a_json_schema_refers_to_its_parts(claims):
    schema, parts = {"properties": {"t": {"$ref": "mass.json"}}}, {"mass.json": '{"maximum": 4}'}
    template, report = {"t": {V: "report.amount", "$as": "number"}}, draft(claims, 5)

    found = preview(claims, report, template, schema=json.dumps(schema), schema_parts=parts)

    assert [field for field, _ in flaws(found)] == ["t"]


def test_a_character_that_xml_has_no_form_for_is_a_flaw_of_the_preview(claims):
    report = draft(claims, 5)

    found = preview(claims, report, {"element": "R", "text": "a\u0001"}, "xml")

    assert flaws(found) == [(None, "A text of the report has a character that XML has no form for.")]


def test_a_preview_is_by_another_methodology_or_by_a_mapping_and_stores_nothing(claims):
    api, report = claims.plant.api, draft(claims, 5)
    mapping = {"format": "csv", "template": {"columns": [{"heading": "t", "value": 7}]}}
    body = {"name": "Other", "version": "1", "report_type": "q", "mapping": mapping}
    made = api.post("/methodologies", {"methodology": body}).expect(201).body["id"]
    path = f"/reports/{report['id']}/submission/preview"

    assert api.post(path, {"methodology_id": made}).expect(200).body["text"] == "t\r\n7\r\n"
    own = api.post(path, {}).expect(200).body
    assert own["text"] == api.get(f"/reports/{report['id']}/submission/download").content.decode()
    api.post(path, {"methodology_id": made, "mapping": {}}).expect(422)
    wrong = (
        api.post(path, {"mapping": {"format": "json", "template": {"a": {V: "report.nam"}}}}).expect(200).body
    )
    assert [field for field, _ in flaws(wrong)] == ["mapping.template.a.$value"]
    assert (claims.read(report)["status"], claims.balances()) == ("draft", [5, 3])


@pytest.mark.parametrize(
    ("mapping", "place"),
    [
        ({"a": {V: "report.amount", "$decimals": 2}}, "a.$rounding"),
        ({"a": {V: "report.amount", "$rounding": "half_up"}}, "a.$rounding"),
        ({"a": {V: "report.amount", "$decimals": Decimal("1.5"), "$rounding": "up"}}, "a.$decimals"),
        ({"a": {V: "report.name", "$decimals": 1, "$rounding": "up"}}, "a.$decimals"),
        ({"a": {V: "report.amount", "$codes": {"1": "2"}}}, "a.$codes"),
        ({"a": {V: "report.name", "$codes": "unknown"}}, "a.$codes"),
        ({"a": {V: "report.name", "$codes": {}}}, "a.$codes"),
        ({"a": {V: "report.name", "$pattern": "{YYYY}"}}, "a.$pattern"),
        ({"a": {V: "report.end_time", "$pattern": "{YEAR}"}}, "a.$pattern"),
        ({"a": {V: "report.end_time", "$pattern": "{YYYY}}"}}, "a.$pattern"),
        ({"a": {V: "report.end_time", "$as": "year", "$pattern": "{YYYY}"}}, "a.$pattern"),
        ({"a": {V: "report.amount", "$per": "report.amount"}}, "a.$decimals"),
        ({"a": {V: "report.amount", "$per": "report.name", "$decimals": 1, "$rounding": "up"}}, "a.$per"),
        ({"a": [{V: "report.amount", "$optional": True}]}, "a[0].$optional"),
    ],
)  # fmt: skip
def test_a_notation_that_does_not_fit_is_named_by_its_place(claims, mapping, place):
    assert f"mapping.template.{place}" in [
        field for field, _ in flaws(preview(claims, draft(claims, 5), mapping))
    ]


ONE = [{"heading": "t", "value": 1}]


@pytest.mark.parametrize(
    ("sheets", "place"),
    [
        ([], "sheets"),
        ([{"name": "a/b"}], "sheets[0].name"),
        ([{"name": "A"}, {"name": "a"}], "sheets"),
        ([{"name": "A", "cells": {"B0": 1}}], "sheets[0].cells.B0"),
        ([{"name": "A", "cells": {"XFE1": 1}}], "sheets[0].cells.XFE1"),
        ([{"name": "A", "cells": {"A1": {"a": 1}}}], "sheets[0].cells.A1"),
        ([{"name": "A", "cells": {"A9": 1}, "tables": [{"at": "A3", "columns": ONE}]}],
         "sheets[0].tables[0]"),
        ([{"name": "A", "tables": [{"at": "A3", "columns": ONE}] * 2}], "sheets[0].tables[1]"),
        ([{"name": "A", "tables": [{"columns": ONE}]}], "sheets[0].tables[0].at"),
    ],
)  # fmt: skip
def test_a_sheet_that_no_form_has_is_named_by_its_place(claims, sheets, place):
    found = preview(claims, draft(claims, 5), {"sheets": sheets}, "xlsx")

    assert f"mapping.template.{place}" in [field for field, _ in flaws(found)]


@pytest.mark.parametrize(
    ("mapping", "place"),
    [
        ({"format": "xml", "template": {"element": "R", "prefix": "a"}}, "template.prefix"),
        ({"format": "xml", "template": {"element": "R", "optional": True}}, "template.optional"),
        ({"format": "xml", "template": {"element": "R", "namespace": "urn:a",
                                        "children": [{"element": "B", "namespace": ""}]}},
         "template.children[0].namespace"),
        ({"format": "json", "template": {}, "codes": {"a": []}}, "codes.a"),
        ({"format": "json", "template": {}, "codes": []}, "codes"),
        ({"format": "json", "template": {}, "schema_parts": {"a": "b"}}, "schema_parts"),
        ({"format": "json", "template": {}, "schema": "{}", "schema_parts": {"a": 1}}, "schema_parts"),
        ({"format": "xlsx", "template": {"sheets": [{"name": "A"}]}, "sheet": "B"}, "sheet"),
    ],
)  # fmt: skip
def test_what_a_form_cannot_have_is_named_by_its_place(claims, mapping, place):
    body = {"mapping": mapping}
    path = f"/reports/{draft(claims, 5)['id']}/submission/preview"

    found = claims.plant.api.post(path, body).expect(200).body

    assert f"mapping.{place}" in [field for field, _ in flaws(found)]
