"""A report written by the mapping of its methodology, and held against the schema that comes with it."""

import csv
import io
import json
import re

import pytest
from lxml import etree
from python_calamine import CalamineWorkbook
from tests.given import reports

from weighbridge.collection.evidence_files import ORPHAN_AGE, open_store, sweep

JSON_TEMPLATE = {
    "title": {"$value": "report.name"},
    "from": {"$value": "report.start_time", "$as": "date"},
    "to": {"$value": "report.end_time", "$as": "last_date"},
    "kilograms": {"$value": "report.amount", "$unit": "kg", "$as": "number"},
    "exact": {"$value": "report.amount"},
    "of": {"$value": "report.supersedes", "$otherwise": "none"},
    "batches": {
        "$each": "inclusions",
        "$do": {"no": {"$value": "inclusion.number", "$as": "number"}, "t": {"$value": "inclusion.amount"}},
    },
}
TABLE = {
    "columns": [
        {"heading": "Batch", "value": {"$value": "inclusion.tracking_id"}},
        {"heading": "Tonnes", "value": {"$value": "inclusion.amount", "$as": "number"}},
        {"heading": "Report", "value": {"$value": "report.name"}},
        {"heading": "Kind", "value": "removal"},
    ]
}
XML_TEMPLATE = {
    "element": "Report",
    "namespace": "urn:example:registry",
    "attributes": {"name": {"$value": "report.name"}},
    "children": [
        {"element": "Total", "attributes": {"unit": "t"}, "text": {"$value": "report.amount"}},
        {"$each": "inclusions", "$do": {"element": "Batch", "text": {"$value": "inclusion.amount"}}},
    ],
}
XSD = """<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:example:registry"
           elementFormDefault="qualified">
  <xs:element name="Report"><xs:complexType><xs:sequence>
    <xs:element name="Total"><xs:complexType><xs:simpleContent><xs:extension base="xs:decimal">
      <xs:attribute name="unit" type="xs:string"/>
    </xs:extension></xs:simpleContent></xs:complexType></xs:element>
    <xs:element name="Batch" maxOccurs="unbounded"><xs:simpleType>
      <xs:restriction base="xs:decimal"><xs:maxInclusive value="4"/></xs:restriction>
    </xs:simpleType></xs:element>
  </xs:sequence><xs:attribute name="name" type="xs:string" use="required"/></xs:complexType></xs:element>
</xs:schema>"""
SCHEMA = {
    "type": "object",
    "properties": {
        "exact": {"type": "string", "pattern": "^[0-9.]+$"},
        "kilograms": {"type": "number", "maximum": 4000},
        "batches": {"type": "array", "items": {"properties": {"t": {"maxLength": 1}}}},
    },
    "required": ["title"],
}


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def methodology(api, mapping, **fields):
    new = {"name": "Removal", "version": "1", "report_type": "quarterly", "mapping": mapping}
    return api.post("/methodologies", {"methodology": new | fields})


def following(claims, mapping, *amounts, **fields):
    """A draft that follows a methodology with a mapping."""
    made = methodology(claims.plant.api, mapping).expect(201).body["id"]
    return claims.report(*amounts, methodology_id=made, **fields)


def file_of(claims, report):
    return claims.plant.api.get(f"/reports/{report['id']}/submission/download").expect(200)


def test_json_has_names_days_units_and_a_part_for_each_batch(claims):
    draft = following(claims, {"format": "json", "template": JSON_TEMPLATE}, "1.25", 3)

    found = file_of(claims, draft)

    assert found.headers["content-type"] == "application/json"
    assert found.body == {
        "title": "First quarter",
        "from": "2025-01-01",
        "to": "2025-02-28",
        "kilograms": 4250,
        "exact": "4.25",
        "of": "none",
        "batches": [{"no": 1, "t": "1.25"}, {"no": 2, "t": "3"}],
    }


def test_csv_has_a_row_for_each_batch_and_nothing_that_a_spreadsheet_computes(claims):
    draft = following(claims, {"format": "csv", "template": TABLE}, "1.25", 3, name="=1+1")

    found = file_of(claims, draft)

    rows = list(csv.reader(io.StringIO(found.text, newline="")))
    assert rows[0] == ["Batch", "Tonnes", "Report", "Kind"]
    assert [row[1:] for row in rows[1:]] == [["1.25", "'=1+1", "removal"], ["3", "'=1+1", "removal"]]
    name = rf'attachment; filename="[\w-]+_1-1_submission_\d{{8}}T\d{{6}}Z_{draft["id"][-8:]}\.csv"'
    assert re.match(name, found.headers["content-disposition"])


def test_a_spreadsheet_has_numbers_and_texts_and_is_the_same_bytes_each_time(claims):
    mapping = {"format": "xlsx", "template": TABLE, "sheet": "Batches"}
    draft = following(claims, mapping, "1.25", 3, name="=1+1")

    content = file_of(claims, draft).content

    assert file_of(claims, draft).content == content
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    assert book.sheet_names == ["Batches"]
    rows = book.get_sheet_by_name("Batches").to_python()
    assert [row[1:] for row in rows[1:]] == [[1.25, "=1+1", "removal"], [3.0, "=1+1", "removal"]]


def test_xml_has_its_namespace_and_escapes_what_texts_hold(claims):
    draft = following(claims, {"format": "xml", "template": XML_TEMPLATE}, "1.25", 3, name="<A> & Ü")

    root = etree.fromstring(file_of(claims, draft).content)

    space = "{urn:example:registry}"
    assert (root.tag, root.get("name")) == (f"{space}Report", "<A> & Ü")
    assert [(one.tag, one.text) for one in root] == [
        (f"{space}Total", "4.25"), (f"{space}Batch", "1.25"), (f"{space}Batch", "3"),
    ]  # fmt: skip


def test_what_would_break_its_schema_is_refused_with_every_place_and_stays_a_draft(claims):
    mapping = {"format": "json", "template": JSON_TEMPLATE, "schema": json.dumps(SCHEMA)}
    draft = following(claims, mapping, "1.25", 3)

    errors = claims.plant.api.post(f"/reports/{draft['id']}/submit", {}).expect(422).errors

    assert sorted((error["field"], error["code"]) for error in errors) == [
        ("batches[0].t", "schema"),
        ("kilograms", "schema"),
    ]
    assert (claims.read(draft)["status"], claims.balances()) == ("draft", [5, 3])


def test_xml_is_held_against_its_xsd(claims):
    mapping = {"format": "xml", "template": XML_TEMPLATE, "schema": XSD}
    made = methodology(claims.plant.api, mapping).expect(201).body["id"]
    over, within = claims.report(5, methodology_id=made), claims.report(4, methodology_id=made)

    [error] = claims.plant.api.post(f"/reports/{over['id']}/submit", {}).expect(422).errors
    assert error["code"] == "schema"
    assert "maxInclusive" in error["message"]
    assert "Batch" in error["message"]
    assert error["field"] == "/*/*[2]"
    claims.plant.api.post(f"/reports/{within['id']}/submit", {}).expect(202)


def test_what_was_sent_is_kept_and_is_what_the_draft_showed(claims):
    draft = following(claims, {"format": "csv", "template": TABLE}, "1.25", 3)
    shown = file_of(claims, draft).content
    claims.plant.api.post(f"/reports/{draft['id']}/submit", {}).expect(202)
    claims.plant.drain()

    assert file_of(claims, draft).content == shown
    kept = claims.plant.api.get(f"/reports/{draft['id']}/submission").expect(200).body
    assert (kept["adapter"], kept["media_type"], kept["steps"]) == ("file", "text/csv; charset=utf-8", [])


def test_what_was_sent_is_not_swept_from_the_store(server, claims, sql):
    draft = claims.report(5)
    claims.plant.api.post(f"/reports/{draft['id']}/submit", {}).expect(202)
    claims.plant.drain()
    [(now,)] = sql("SELECT now()")

    store = open_store(None, server.folder)
    server.run(sweep([server.database], store, now + 2 * ORPHAN_AGE))

    file_of(claims, draft)


def test_a_unit_that_does_not_fit_is_told_before_anything_is_reserved(claims):
    template = {"volume": {"$value": "report.amount", "$unit": "m3"}}
    draft = following(claims, {"format": "json", "template": template}, 5)

    error = claims.plant.api.post(f"/reports/{draft['id']}/submit", {}).expect(422).error

    assert (error["field"], error["code"]) == ("report.amount", "schema")
    assert claims.balances() == [5, 3]


REPORT = '<xs:element name="Report">'
INCLUDE = '<xs:include schemaLocation="file:///etc/passwd"/>'
LOOP = {"$ref": "#/$defs/a0", "$defs": {
    **{f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(40)}, "a40": {"type": "object"},
}}  # fmt: skip


@pytest.mark.parametrize(
    ("mapping", "places"),
    [
        ({}, ["format"]),
        ({"format": "pdf", "template": {}}, ["format"]),
        ({"format": "json"}, ["template"]),
        ({"format": "json", "template": {}, "sheet": "A"}, ["sheet"]),
        ({"format": "json", "template": {}, "colour": 1}, ["colour"]),
        ({"format": "json", "template": {"a": [{"$value": "report.nam"}]}}, ["template.a[0].$value"]),
        ({"format": "json", "template": {"a": {"$value": "inclusion.amount"}}}, ["template.a.$value"]),
        (
            {"format": "json", "template": {"a": {"$value": "report.name", "$as": "date", "$unit": "kg"}}},
            ["template.a.$as", "template.a.$unit"],
        ),
        (
            {"format": "json", "template": {"a": {"$value": "report.amount", "$unit": "qq"}}},
            ["template.a.$unit"],
        ),
        ({"format": "json", "template": {"a": {"$each": "tonnes"}}}, ["template.a.$each", "template.a.$do"]),
        ({"format": "csv", "template": {"columns": []}}, ["template.columns"]),
        (
            {"format": "csv", "template": {"columns": [{"heading": "A", "value": []}]}},
            ["template.columns[0].value"],
        ),
        ({"format": "xml", "template": {"element": "a b"}}, ["template.element"]),
        ({"format": "xml", "template": {"element": "a", "text": "x", "children": []}}, ["template"]),
        ({"format": "json", "template": {}, "schema": "{"}, ["schema"]),
        ({"format": "json", "template": {}, "schema": '{"type": 7}'}, ["schema"]),
        ({"format": "json", "template": {}, "schema": '{"$ref": "http://127.0.0.1/a.json"}'}, ["schema"]),
        ({"format": "json", "template": {}, "schema": '{"$ref": "file:///etc/passwd"}'}, ["schema"]),
        ({"format": "xml", "template": {"element": "a"}, "schema": "<a/>"}, ["schema"]),
        (
            {"format": "xml", "template": {"element": "a"}, "schema": XSD.replace(REPORT, INCLUDE + REPORT)},
            ["schema"],
        ),
        (
            {"format": "xml", "template": {"element": "a"},
             "schema": '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'},
            ["schema"],
        ),
    ],
)  # fmt: skip
def test_a_mapping_that_cannot_be_used_is_refused_with_every_place(api, mapping, places):
    errors = methodology(api, mapping).expect(422).errors

    assert [error["field"] for error in errors] == [f"mapping.{place}" for place in places]
    assert {error["code"] for error in errors} <= {"mapping", "schema"}


def test_a_schema_that_would_never_end_is_ended(claims):
    mapping = {"format": "json", "template": {"a": 1}, "schema": json.dumps(LOOP)}
    answer = methodology(claims.plant.api, mapping)
    if answer.status == 201:
        draft = claims.report(5, methodology_id=answer.body["id"])
        answer = claims.plant.api.post(f"/reports/{draft['id']}/submit", {})

    assert answer.expect(422).error["code"] == "schema"


def test_a_methodology_keeps_its_mapping_and_says_where_its_reports_go(api):
    registry = {"name": "Web upload", "adapter": "file"}
    number = api.post("/registries", {"registry": registry}).expect(201).body["id"]
    mapping = {"format": "json", "template": JSON_TEMPLATE}

    made = methodology(api, mapping, registry_id=number, measured_share_min="0.9").expect(201).body

    assert (made["mapping"], made["registry_id"]) == (mapping, number)
    assert api.get(f"/methodologies/{made['id']}").body == made
    assert [one["mapping"] for one in api.get("/methodologies").data] == [None]
