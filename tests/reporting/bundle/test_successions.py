"""Bundles of reports that others were merged or split into: both checkers compare what was handed over."""

import json

import pytest
from tests.given import bundles, reports, tampering
from tests.given.forgeries.changes import without_rows
from tests.given.reports import accepted
from tests.reporting.reports.test_merge import merge
from tests.reporting.reports.test_split import part, split

from weighbridge.modelling.documents import read_model


@pytest.fixture
def merged(api, drain, account):
    """The bundle of a report into which those of January and February were merged."""
    claims = reports.claims(api, drain, 5, 3)
    january, february = accepted(claims, claims.report(4)), accepted(claims, claims.report(1, 3))
    return bundles.bundle(account, merge(claims, january, february).expect(201).body)


def rewrite(bundle, part, old, new):
    """What is found of a bundle in which somebody with the key wrote something else."""

    def change(parts):
        assert old in parts[part].decode()
        parts[part] = parts[part].decode().replace(old, new, 1).encode()

    found = bundle.check_of(tampering.remade(bundle, change, read_model)).faults.listed
    return [fault.text for fault in found]


def test_a_merged_report_has_a_bundle_that_says_whose_place_it_takes(merged):
    report = merged.check().contents.report

    assert merged.faults() == []
    assert (report.amount, len(report.predecessors), report.supersedes) == ("8", 2, None)
    assert b"Takes the place of" in bytes(merged.check().contents.parts["report.html"])
    found = rewrite(merged, "report.json", report.predecessors[0], report.id)
    assert any("It takes the place of others than row" in text for text in found)


def test_what_a_merged_report_has_posted_is_what_it_took_over(merged):
    found = rewrite(merged, "entries.csv", ",report,-5,", ",report,-4,")

    assert any("Its chain has posted 4 of batch" in text and "5 was accepted" in text for text in found)


def test_a_row_of_a_predecessor_that_is_left_out_is_found(merged):
    name = merged.check().contents.report.predecessors[1]
    left_out = without_rows("report.accept", "report.deliver", "report.submit", of=name)

    found = merged.check_of(tampering.remade(merged, left_out, read_model)).faults.listed

    assert f"audit/rows.jsonl: The audit log does not say what the report {name} held." in [
        fault.text for fault in found
    ]


def test_parts_of_a_split_report_have_bundles_and_none_of_them_can_be_left_out(api, drain, account):
    claims = reports.claims(api, drain, 5, 3)
    original = accepted(claims, claims.report(5, 3))
    basel, turin = split(claims, original, part(amount=2), part("Turin")).expect(201).body["parts"]
    made = bundles.bundle(account, basel)

    assert made.faults() == []
    found = made.check_of(tampering.remade(made, without_rows("report.split", of=turin["id"]), read_model))
    held = [fault.text for fault in found.faults.listed]
    assert any(f"Successors of {original['id']} take" in text and "was held" in text for text in held)


def test_the_bundle_of_a_restatement_proves_what_its_report_took_over(api, drain, account):
    claims = reports.claims(api, drain, 5, 3)
    original = accepted(claims, claims.report(5, 3))
    basel, turin = split(claims, original, part(amount=2), part("Turin")).expect(201).body["parts"]
    body = {"report_ids": [basel["id"]], "name": "Both", "reason": "One buyer withdrew."}
    both = api.post(f"/reports/{turin['id']}/merge", body).expect(201).body
    restated = accepted(claims, claims.report(4, 2, supersedes=both["id"]))

    made = bundles.bundle(account, restated)

    assert made.faults() == []
    rows = bytes(made.check().contents.parts["audit/rows.jsonl"]).splitlines()
    objects = {json.loads(line)["object"] for line in rows}
    assert {one["id"] for one in (original, basel, turin, both, restated)} <= objects


def test_a_report_that_was_sent_off_is_not_bundled_anew(api, drain):
    claims = reports.claims(api, drain, 5)
    report = accepted(claims, claims.report(5))

    [problem] = api.post(f"/reports/{report['id']}/bundle", {}).expect(409).errors

    assert problem["message"] == "The report is complete; only a draft can be bundled anew."
