"""What a mapping names of the batches: nodes, inputs, evidence, corrections, static inputs, groups."""

import csv
import io
import json
from decimal import Decimal

import pytest
from tests.given import collection as given
from tests.given import inputs
from tests.given.accounting import QUARTER
from tests.given.reports import Claims
from tests.given.rule_evaluation import correct

NODES = """
  - slug: wet
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: share
    static_input: carbon-share
    unit: ""
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: t
  - slug: buffer
    formula: wet * share * 0.1
    unit: t
    output: true
  - slug: mass
    formula: wet * share
    unit: t
    output: true
"""
V = "$value"


@pytest.fixture
def works(api, drain):
    return build_works(api, drain)


def build_works(api, drain, february=20):
    """Ten tonnes of January in two loads, one of them corrected, and twenty of February; half is carbon."""
    plant = inputs.plant(api, drain, NODES, primary_output="mass")
    body = {
        "slug": "carbon-share", "value": Decimal("0.5"), "effective_from": "2024-01-01T00:00:00Z",
        "uncertainty": {"relative_standard": Decimal("0.02"), "source": "Certificate 17"},
    }  # fmt: skip
    api.post(f"/projects/{plant.project['id']}/static_inputs", {"static_input": body}).expect(201)
    asset = given.asset(api, plant.project, name="East")["id"]
    corrected = inputs.measure(plant, "delivery", {"mass": 3, "code": "A"}, "2025-01-10", asset_id=asset)
    inputs.measure(plant, "delivery", {"mass": 6, "code": "B"}, "2025-01-11", asset_id=asset)
    inputs.measure(plant, "delivery", {"mass": february, "code": "C"}, "2025-02-10", asset_id=asset)
    home = f"/projects/{plant.project['id']}"
    correct(api, plant.project, api.get(f"{home}/events/{corrected}").body, 4)
    link = {"type": "url", "url": "https://example.org/17", "name": "Weighing note"}
    api.post(f"/events/{corrected}/evidence", {"evidence": link}).expect(201)
    plant.generate(QUARTER)
    return Claims(plant)


def filled(claims, template, *amounts, report_format="json", **mapping):
    """What the file of a draft has."""
    body = {
        "name": "Forms", "version": str(len(claims.plant.api.get("/methodologies").data)),
        "report_type": "quarterly", "mapping": {"format": report_format, "template": template, **mapping},
    }  # fmt: skip
    made = claims.plant.api.post("/methodologies", {"methodology": body}).expect(201).body["id"]
    draft = claims.report(*(amounts or (5, 10)), methodology_id=made)
    return claims.plant.api.get(f"/reports/{draft['id']}/submission/download").expect(200)


def each(listed, /, **fields):
    return {"$each": listed, "$do": {name: {V: path} for name, path in fields.items()}}


def of_batches(listed, /, **fields):
    return {"batches": {"$each": "inclusions", "$do": {"list": each(listed, **fields)}}}


def test_nodes_are_named_by_their_slugs_converted_and_summed(works):
    template = {
        "wet": {V: "report.node.wet", "$unit": "kg", "$as": "number"},
        "lists": {V: "report.node.loads", "$otherwise": "no sum"},
        "batches": {
            "$each": "inclusions",
            "$do": {
                "kg": {V: "inclusion.node.mass", "$unit": "kg", "$as": "number"},
                "loads": {V: "inclusion.node.loads", "$as": "number"},
                "texts": {V: "inclusion.node.loads", "$unit": "kg"},
                "none": {V: "inclusion.node.other", "$otherwise": "not computed"},
            },
        },
    }

    assert filled(works, template).body == {
        "wet": 30_000,
        "lists": "no sum",
        "batches": [
            {"kg": 5_000, "loads": [4, 6], "texts": "4000 6000", "none": "not computed"},
            {"kg": 10_000, "loads": [20], "texts": "20000", "none": "not computed"},
        ],
    }


def test_nodes_and_outputs_are_listed_in_the_order_of_the_model(works):
    nodes = filled(works, of_batches("nodes", slug="node.slug", value="node.value", unit="node.unit")).body
    outputs = filled(works, of_batches("outputs", slug="output.slug", value="output.value")).body

    assert nodes["batches"][0]["list"] == [
        {"slug": "wet", "value": "10", "unit": "t"},
        {"slug": "share", "value": "0.5", "unit": "1"},
        {"slug": "loads", "value": "4 6", "unit": "t"},
        {"slug": "buffer", "value": "0.5", "unit": "t"},
        {"slug": "mass", "value": "5", "unit": "t"},
    ]
    assert [one["slug"] for one in outputs["batches"][1]["list"]] == ["buffer", "mass"]


def test_inputs_have_what_was_used_and_what_was_captured(works):
    template = of_batches(
        "inputs", slug="input.slug", value="input.value", captured="input.captured_value",
        substituted="input.is_substituted", unit="input.unit",
    )  # fmt: skip

    [january, february] = [one["list"] for one in filled(works, template).body["batches"]]

    assert january == [
        {"slug": "mass", "value": "4", "captured": "3", "substituted": "false", "unit": "t"},
        {"slug": "mass", "value": "6", "captured": "6", "substituted": "false", "unit": "t"},
    ]
    assert [one["value"] for one in february] == ["20"]


def test_evidence_corrections_and_static_inputs_are_of_each_batch(works):
    evidence = filled(works, of_batches("evidence", name="evidence.name", url="evidence.url")).body
    corrections = filled(
        works,
        of_batches("corrections", slug="correction.slug", before="correction.from_value",
                   after="correction.to_value", why="correction.reason"),
    ).body  # fmt: skip
    static = filled(
        works,
        of_batches("static_inputs", slug="static_input.slug", value="static_input.value",
                   source="static_input.source", u="static_input.standard_uncertainty"),
    ).body  # fmt: skip

    assert [one["list"] for one in evidence["batches"]] == [
        [{"name": "Weighing note", "url": "https://example.org/17"}], [],
    ]  # fmt: skip
    assert [one["list"] for one in corrections["batches"]] == [
        [{"slug": "mass", "before": "3", "after": "4", "why": "Read again"}], [],
    ]  # fmt: skip
    expected = {"slug": "carbon-share", "value": "0.5", "source": "Certificate 17", "u": "0.01"}
    assert [one["list"] for one in static["batches"]] == [[expected], [expected]]


def test_groups_have_totals_and_the_batches_in_them(works):
    template = {
        "months": {
            "$each": "groups", "$by": "inclusion.start_time", "$as": "month",
            "$do": {
                "month": {V: "group.key"},
                "kg": {V: "group.amount", "$unit": "kg", "$as": "number"},
                "wet": {V: "group.node.wet", "$as": "number"},
                "count": {V: "group.count", "$as": "number"},
                "batches": {"$each": "inclusions", "$do": {V: "inclusion.amount"}},
            },
        },
        "years": {
            "$each": "groups", "$by": "inclusion.start_time", "$as": "year",
            "$do": [{V: "group.key"}, {V: "group.amount"}, {V: "group.end_time", "$as": "last_date"}],
        },
    }  # fmt: skip

    assert filled(works, template, 2, "7.5").body == {
        "months": [
            {"month": "2025-01", "kg": 2000, "wet": 10, "count": 1, "batches": ["2"]},
            {"month": "2025-02", "kg": 7500, "wet": 20, "count": 1, "batches": ["7.5"]},
        ],
        "years": [["2025", "9.5", "2025-02-28"]],
    }


def test_a_table_has_a_row_for_each_input_of_each_batch_or_for_each_group(works):
    columns = [("Batch", "inclusion.number"), ("Data", "input.slug"), ("Used", "input.value")]
    of_inputs = {
        "rows": "inputs",
        "columns": [{"heading": name, "value": {V: path}} for name, path in columns],
    }
    of_groups = {
        "rows": "groups", "$by": "inclusion.start_time", "$as": "month",
        "columns": [{"heading": "Month", "value": {V: "group.key"}},
                    {"heading": "t", "value": {V: "group.amount"}}],
    }  # fmt: skip

    rows = [
        [*csv.reader(io.StringIO(filled(works, template, report_format="csv").text, newline=""))]
        for template in (of_inputs, of_groups)
    ]

    assert rows[0][1:] == [["1", "mass", "4"], ["1", "mass", "6"], ["2", "mass", "20"]]
    assert rows[1] == [["Month", "t"], ["2025-01", "5"], ["2025-02", "10"]]


def test_what_was_sent_stays_when_the_data_change_afterwards(works):
    api = works.plant.api
    template = of_batches("inputs", value="input.value", event="input.event_id")
    body = {
        "name": "Sent",
        "version": "1",
        "report_type": "q",
        "mapping": {"format": "json", "template": template},
    }
    made = api.post("/methodologies", {"methodology": body}).expect(201).body["id"]
    draft = works.report(5, 10, methodology_id=made)
    api.post(f"/reports/{draft['id']}/submit", {}).expect(202)
    works.plant.drain()
    path = f"/reports/{draft['id']}/submission/download"
    sent = api.get(path).content
    event = json.loads(sent)["batches"][0]["list"][1]["event"]
    home = f"/projects/{works.plant.project['id']}"

    correct(api, works.plant.project, api.get(f"{home}/events/{event}").body, 9)
    works.plant.generate(QUARTER)

    assert api.get(path).content == sent
    restated = works.report(5, methodology_id=made, supersedes=draft["id"])
    now = api.get(f"/reports/{restated['id']}/submission/download").body
    assert [one["value"] for one in now["batches"][0]["list"]] == ["4", "9"]


@pytest.mark.parametrize(
    ("template", "place"),
    [
        ({"a": {"$each": "inputs", "$do": 1}}, "template.a.$each"),
        ({"a": {"$each": "inclusions", "$do": {"b": {"$each": "groups", "$by": "report.name", "$do": 1}}}},
         "template.a.$do.b.$each"),
        ({"a": {"$each": "groups", "$do": 1}}, "template.a.$by.$value"),
        ({"a": {"$each": "groups", "$by": "report.nam", "$do": 1}}, "template.a.$by.$value"),
        ({"a": {"$each": "inclusions", "$by": "inclusion.asset", "$do": 1}}, "template.a.$by"),
        ({"a": {V: "inclusion.node.mass"}}, "template.a.$value"),
        ({"a": {V: "group.node.mass"}}, "template.a.$value"),
        ({"a": {V: "report.node."}}, "template.a.$value"),
        ({"a": {V: "report.node.mass", "$as": "date"}}, "template.a.$as"),
        ({"a": {"$each": "inclusions", "$do": {V: "input.value"}}}, "template.a.$do.$value"),
    ],
)  # fmt: skip
def test_what_stands_where_it_cannot_is_named_by_its_place(api, template, place):
    body = {
        "name": "A",
        "version": "1",
        "report_type": "q",
        "mapping": {"format": "json", "template": template},
    }

    errors = api.post("/methodologies", {"methodology": body}).expect(422).errors

    assert f"mapping.{place}" in [error["field"] for error in errors]
