"""Engagements in bundles: both checkers draw the sample again and verify the opinion, and find who changes
either.
"""

import json
import shutil
import subprocess

import pytest
from tests.given import bundles, engagements, reports
from tests.given.bundles import KEY
from tests.given.concluded import Concluded
from tests.given.second_checker import SCRIPT
from tests.given.tampering import remade, rewrite_log, signed, taken_apart

from weighbridge.core.bundle.check import Trust
from weighbridge.core.engagement.opinion import NAMESPACE
from weighbridge.core.signing import (
    SigningKey,
    write_canonical_json,
    write_ssh_public_key,
    write_ssh_signature,
)
from weighbridge.modelling.documents import read_model

ENGAGEMENTS = "verification/engagements.json"


@pytest.fixture
def concluded(account):
    return Concluded(account)


@pytest.fixture
def bundle(concluded):
    return concluded.bundle()


def edit(parts, change):
    """Change the first engagement of a bundle."""
    record = json.loads(parts[ENGAGEMENTS])
    change(record["engagements"][0])
    parts[ENGAGEMENTS] = write_canonical_json(record) + b"\n"


def forge(bundle, change):
    """A file whose engagement was changed, with the log, by somebody who has the key of the service."""

    def changing(parts):
        edit(parts, change)
        [record] = json.loads(parts[ENGAGEMENTS])["engagements"]
        name = f"engagement {record['engagement']} of {record['report_id']}"
        findings = {f"finding {one['number']} of {name}": one for one in record.pop("findings")}

        def change_row(row):
            if row["object"] in {name, *findings}:
                row["after"] = {name: record, **findings}[row["object"]]

        rewrite_log(parts, change_row, bundle.key)

    return remade(bundle, changing, read_model)


def found_in(bundle, content):
    return [fault.text for fault in bundle.check_of(content).faults.listed]


def test_a_bundle_with_an_opinion_is_valid(concluded, bundle):
    checked = bundle.check()

    assert bundle.faults() == []
    [opinion] = checked.opinions
    assert (opinion.conclusion, opinion.key) == ("unmodified", concluded.verifier.public_key)
    # It names the log, which has another name in bundles that the tests make.
    assert opinion.changed_parts == ["bundle.json"]
    assert opinion.population_changes == 0


def test_an_engagement_that_is_open_is_in_the_bundle(account, drain, anyone):
    claims = reports.claims(account.caller(), drain, 10, 5)
    report = claims.report(4, 5)
    engagements.verifier(account.caller(), anyone, report).begin()

    checked = bundles.bundle(account, report).check()

    assert [(one.state, one.conclusion) for one in checked.opinions] == [("open", None)]
    assert not checked.faults


def test_a_bundle_without_engagements_has_no_parts_of_them(account, drain):
    report = reports.claims(account.caller(), drain, 10).report(4)

    names = taken_apart(bundles.bundle(account, report))

    assert not [name for name in names if name.startswith("verification/")]


def test_a_sample_that_another_seed_draws_is_found(bundle):
    def swap(engagement):
        drawn = {one["record"] for one in engagement["sample"]}
        other = next(number for number in range(1, 29) if number not in drawn)
        engagement["sample"][0]["record"] = other
        engagement["sample"].sort(key=lambda one: one["record"])

    assert any("draws another sample" in fault for fault in found_in(bundle, forge(bundle, swap)))


def test_a_seed_text_that_was_exchanged_is_found(bundle):
    def exchange(engagement):
        engagement["seed_text"] = "a text that draws friendlier records"

    assert any("does not follow" in fault for fault in found_in(bundle, forge(bundle, exchange)))


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one["findings"][0].update(state="resolved", decision="Yes", decided_at=one["created_at"]),
        lambda one: one["findings"][0].update(amount="0"),
        lambda one: one["findings"].pop(),
        lambda one: one.update(materiality_percent="50"),
        lambda one: one.update(scope="Something else"),
        lambda one: one.update(total="1000"),
        lambda one: one.update(reasons="All is well."),
    ],
)  # fmt: skip
def test_whoever_changes_what_was_signed_is_found(bundle, change):
    faults = found_in(bundle, forge(bundle, change))

    assert any("not the statement that the engagement makes" in fault for fault in faults), faults


def test_a_change_without_the_log_is_found(bundle):
    def change(parts):
        edit(parts, lambda one: one.update(ended_at=one["created_at"]))

    faults = found_in(bundle, remade(bundle, change, read_model))

    assert any("another than the audit log says" in fault for fault in faults)


def test_an_engagement_that_was_left_out_is_found(bundle):
    def change(parts):
        for name in [name for name in parts if name.startswith("verification/")]:
            del parts[name]

    faults = found_in(bundle, remade(bundle, change, read_model))

    assert any("The audit log has the engagement" in fault for fault in faults)


def test_a_population_that_was_changed_is_found(concluded, bundle):
    parts = taken_apart(bundle)
    part = f"verification/{concluded.number}.population.csv"
    parts[part] = parts[part].replace(b",5\n", b",6\n")

    assert any("not the population" in fault for fault in found_in(bundle, signed(parts)))


def swap_opinion(concluded, bundle):
    """A file whose opinion was signed by another key, consistently with everything that the operator
    signs.
    """
    other = SigningKey.made()
    key = write_ssh_public_key(other.public)
    part = f"verification/{concluded.number}.opinion.json"

    def changing(parts):
        signature = write_ssh_signature(parts[part], other, NAMESPACE)
        parts[f"{part}.sig"] = signature.encode()
        edit(parts, lambda one: one.update(verifier_key=key))
        [record] = json.loads(parts[ENGAGEMENTS])["engagements"]
        record.pop("findings")

        def change_row(row):
            if row["action"] == "engagement.conclude":
                row["after"] = record

        rewrite_log(parts, change_row, bundle.key)

    return remade(bundle, changing, read_model), key


def test_an_opinion_that_was_swapped_is_found_by_the_key_of_the_verifier(concluded, bundle):
    content, key = swap_opinion(concluded, bundle)
    swapped = bundles.Bundle(content, bundle.key)

    # Nothing but the key of the verifier distinguishes them, and the check prints that key.
    assert [one.key for one in swapped.check().opinions] == [key]
    trust = Trust(verifiers=(concluded.verifier.public_key,))
    assert any(
        "key of a verifier that you named" in one.text for one in swapped.check_by(trust).faults.listed
    )
    assert not bundle.check_by(trust).faults


@pytest.mark.skipif(shutil.which("node") is None, reason="The second checker runs in Node.")
def test_the_second_checker_finds_a_swapped_opinion_too(concluded, bundle, tmp_path):
    content, _ = swap_opinion(concluded, bundle)
    (tmp_path / "swapped.zip").write_bytes(content)
    (tmp_path / "right.zip").write_bytes(bundle.content)
    words = ["node", str(SCRIPT), "right.zip", "swapped.zip", "--key", bundle.key.text]
    words += ["--verifier", concluded.verifier.public_key]

    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)

    right, swapped = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [one["conclusion"] for one in right["opinions"]] == ["unmodified"]
    assert right["faults"] == []
    assert any("key of a verifier that you named" in one["sentence"] for one in swapped["faults"])


def test_both_checkers_say_what_changed_since_the_opinion(concluded, bundle):
    plant, api = concluded.claims.plant, concluded.api
    plant.deliver(9, "2025-02-03T00:00:00Z")
    plant.generate(reports.QUARTER)
    batches = [batch["id"] for batch in plant.batches()]
    path = f"/reports/{concluded.report['id']}"
    api.patch(path, {"report": {"batch_ids": batches}}).expect(200)

    later = concluded.bundle()

    [opinion] = later.check().opinions
    assert not later.check().faults
    assert {"batches.csv", "events/delivery.csv", "report.json"} <= set(opinion.changed_parts)
    assert opinion.population_changes == 1
    assert KEY.public == bundle.key.public
