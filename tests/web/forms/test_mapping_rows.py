"""Report mappings by rows: each reads into rows and comes back equal, what rows cannot show stays JSON."""

import json
from decimal import Decimal

import pytest
from tests.given.forms import typed_in
from tests.given.people import visitor
from tests.reporting.submission.test_rendering import JSON_TEMPLATE, SCHEMA, TABLE, XML_TEMPLATE

from weighbridge.core.report_mapping import read_mapping
from weighbridge.web.forms.mapping_rows import CannotShowError, build_template, read_rows

HOW_TO_JSON = {
    "title": {"$value": "report.name"},
    "from": {"$value": "report.start_time", "$as": "date"},
    "to": {"$value": "report.end_time", "$as": "last_date"},
    "kilograms": {"$value": "report.amount", "$unit": "kg{CO2e}", "$as": "number"},
    "replaces": {"$value": "report.supersedes", "$otherwise": "none"},
    "batches": {"$each": "inclusions", "$do": {"id": {"$value": "inclusion.batch_id"},
                                               "tonnes": {"$value": "inclusion.amount"}}},
}  # fmt: skip

SHOWN = [
    ("json", JSON_TEMPLATE),
    ("json", HOW_TO_JSON),
    ("json", {"a": {"b": {"c": 1}, "d": Decimal("0.10")}, "e": True, "f": None, "g": "1"}),
    ("json", {"$each": "inclusions", "$do": {"id": {"$value": "inclusion.batch_id"}}}),
    ("json", {"ids": {"$each": "inclusions", "$do": {"$value": "inclusion.batch_id"}}}),
    ("csv", TABLE),
    ("xlsx", {"rows": "report", "columns": [{"heading": "a.b[]", "value": {"$value": "report.name"}}]}),
    ("xml", XML_TEMPLATE),
    ("xml", {"element": "R", "children": [
        {"element": "A", "text": "1"}, {"element": "A", "text": "2"}, {"element": "B"},
        {"element": "C", "children": [{"element": "D", "attributes": {"x": 1, "y": True}, "text": None}]}]}),
]  # fmt: skip

NOT_SHOWN = [
    ("json", {"list": [1, 2]}, "list is a list of parts"),
    ("json", {"a.b": 1}, "'a.b' cannot be part of a path"),
    ("json", {"empty": {}}, "empty is an object without anything in it"),
    ("json", {"$value": "report.name"}, "a single value"),
    ("json", {"a": {"$value": "report.liability", "$otherwise": 0}}, "another value than a text"),
    ("xml", {"element": "R", "children": [{"element": "A", "children": [{"element": "B", "text": "1"}]},
                                          {"element": "A", "children": [{"element": "B2", "text": "1"}]}]},
     "the same document"),
]  # fmt: skip


def names_in(node):
    """The names of the objects of a template, in their order."""
    if isinstance(node, dict) and "$value" not in node:
        for name, child in node.items():
            yield name
            yield from names_in(child)


@pytest.mark.parametrize(("report_format", "template"), SHOWN)
def test_a_template_reads_into_rows_and_comes_back_equal(report_format, template):
    assert read_mapping({"format": report_format, "template": template})[1] == []

    rows, per = read_rows(report_format, template)
    built, problems, _ = build_template(report_format, rows, per)

    assert problems == []
    assert built == template
    if report_format == "json":
        assert [*names_in(built)] == [*names_in(template)]


@pytest.mark.parametrize(("report_format", "template", "sentence"), NOT_SHOWN)
def test_what_rows_cannot_show_is_said_in_a_sentence(report_format, template, sentence):
    with pytest.raises(CannotShowError, match=sentence):
        read_rows(report_format, template)


@pytest.fixture
def person(account):
    return visitor(account)


METHODOLOGY = {"name": "Removal", "version": "1", "report_type": "quarterly"}
FORM = "/methodologies/new"


def template_made(api):
    [made] = api.get("/methodologies").data
    return api.get(f"/methodologies/{made['id']}").body["mapping"]["template"]


def row(at, **cells):
    return {f"mapping.rows[{at}].{name}": text for name, text in cells.items()}


ROWS = {
    "mapping.written": "rows", "mapping.format": "json",
    **row(0, name="total.tonnes", source="report.amount", written_as="number", unit="t"),
    **row(1, name="total.kind", source="text", constant="removal"),
    **row(2, name="batches[].id", source="inclusion.batch_id", otherwise="none"),
}  # fmt: skip
TEMPLATE = {
    "total": {"tonnes": {"$value": "report.amount", "$as": "number", "$unit": "t"}, "kind": "removal"},
    "batches": {"$each": "inclusions", "$do": {"id": {"$value": "inclusion.batch_id", "$otherwise": "none"}}},
}


def test_a_mapping_is_written_by_rows_without_scripts(api, person):
    opened = person.post(FORM, METHODOLOGY | {"mapping.written": "rows", "more_lines": "mapping.written"})
    assert 'name="mapping.rows[0].source"' in opened.expect(200).text

    person.post(FORM, METHODOLOGY | ROWS).expect(303)

    assert template_made(api) == TEMPLATE


def test_rows_become_json_and_rows_again_with_all_that_was_typed(person):
    switched = {"mapping.written": "json", "more_lines": "mapping.written"}
    as_json = typed_in(person.post(FORM, METHODOLOGY | ROWS | switched).expect(200), FORM)
    assert json.loads(as_json["mapping.template"]) == TEMPLATE
    assert as_json["name"] == "Removal"

    switched = {"mapping.written": "rows", "more_lines": "mapping.written"}
    again = typed_in(person.post(FORM, as_json | switched).expect(200), FORM)

    assert {name: again[name] for name in ROWS} == ROWS


def test_json_that_rows_cannot_show_stays_with_a_sentence(api, person):
    text = '{"list": [1, 2]}'
    typed = METHODOLOGY | {"mapping.format": "json", "mapping.template": text, "mapping.written": "rows"}

    kept = person.post(FORM, typed | {"more_lines": "mapping.written"}).expect(200)

    assert "Rows cannot show this template, so it stays as JSON." in kept.text
    assert "list is a list of parts, which rows do not have." in kept.text
    assert typed_in(kept, FORM)["mapping.template"] == text
    person.post(FORM, typed_in(kept, FORM)).expect(303)
    assert template_made(api) == {"list": [1, 2]}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (row(1, source=""), "mapping.rows[1].source"),
        (row(1, source="number", constant="x"), "mapping.rows[1].constant"),
        (row(1, name="total.tonnes"), "mapping.rows[1].name"),
        (row(0, unit="furlong pints"), "mapping.rows[0].unit"),
        (row(0, written_as="date"), "mapping.rows[0].written_as"),
        (row(0, source="inclusion.amount"), "mapping.rows[0].source"),
    ],
)
def test_what_is_wrong_stands_at_its_row(api, person, change, field):
    refused = person.post(FORM, METHODOLOGY | ROWS | change).expect(422)

    assert f'id="wrong-{field}"' in refused.text
    kept = typed_in(refused, FORM)
    assert {name: kept[name] for name in ROWS | change} == ROWS | change
    assert api.get("/methodologies").data == []


def test_places_of_the_schema_are_suggested(person):
    typed = METHODOLOGY | {"mapping.written": "rows", "mapping.schema": json.dumps(SCHEMA)}

    shown = person.post(FORM, typed | {"more_lines": "mapping.rows"}).expect(200).text

    assert all(f'<option value="{place}">' in shown for place in ("exact", "kilograms", "batches[].t"))


def test_a_mapping_is_written_by_rows_within_a_report_that_needs_it(api, person):
    project = api.post("/projects", {"project": {"name": "Mill"}}).expect(201).body["id"]
    prefix = "methodology_id.new."
    new = {prefix + name: text for name, text in (METHODOLOGY | ROWS).items()}
    path = f"/projects/{project}/reports"
    switched = {f"{prefix}mapping.written": "json", "more_lines": f"{prefix}mapping.written"}

    as_json = typed_in(person.post(path, new | switched).expect(200), path)
    assert json.loads(as_json[f"{prefix}mapping.template"]) == TEMPLATE
    person.post(path, as_json | {"name": "First", "report_type": "quarterly"}).expect(303)

    assert template_made(api) == TEMPLATE
