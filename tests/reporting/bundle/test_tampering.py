"""Whatever is changed of a bundle is found: a byte, a row, a part, the frame, whoever changed it.

`make fuzz-bundle BYTES=1000` changes a thousand bytes; without, it is some of them.
"""

import os
import struct
import warnings
import zipfile
from io import BytesIO

import pytest
from tests.given import bundles, tampering

from weighbridge.core.bundle.check import check_bundle
from weighbridge.core.signing import SigningKey, VerifierKey
from weighbridge.modelling.documents import read_model

BYTES = int(os.environ.get("WEIGHBRIDGE_BUNDLE_BYTES", "40"))
STRUCTURAL_LEAST = 200


@pytest.fixture(scope="module")
def bundle(server):
    """The bundle of a chain of three ledgers."""
    account = server.account()
    _, report = bundles.chained(account)
    return bundles.bundle(account, report)


def found(bundle, content, what=""):
    return bundle.check_of(content, what=what).faults.listed


def test_the_bundle_holds_before_it_is_changed(bundle):
    checked = bundle.check()

    assert [fault.text for fault in checked.faults.listed] == []
    assert checked.recomputed.batches > 10
    assert "corrections.csv" in checked.contents.parts
    assert len(checked.contents.corrections) == 1
    assert len(checked.contents.evidence) == 1


def test_a_byte_that_is_changed_is_found_wherever_it_stands(bundle):
    missed = [
        what
        for what, content in tampering.byte_changes(bundle, BYTES, 15)
        if not found(bundle, content, what)
    ]

    assert missed == []


def test_every_change_of_structure_is_found_though_it_is_signed_with_the_right_key(bundle):
    changes = list(tampering.structural_changes(bundle))

    with bundles.some_checked_twice():
        missed = [
            what
            for what, content in changes
            if content != bundle.content and not found(bundle, content, what)
        ]

    assert missed == []
    assert len(changes) >= STRUCTURAL_LEAST


@pytest.mark.parametrize(
    ("part", "was", "becomes", "said"),
    [
        ("events/delivery.csv", ",7.5,", ",7.6,", "neither captured nor corrected"),
        (
            "events/delivery.csv",
            "-05T00:00:00.000Z,2025-",
            "-06T00:00:00.000Z,2025-",
            "neither captured nor corrected",
        ),
        ("corrections.csv", ",11.75,", ",12,", "it puts '12' there"),
        ("node_values.csv", ",stored,stored,t,", ",stored,stored,kg,", "another name, unit or purpose"),
        (
            "static_inputs.csv",
            "location\n",
            "location\n1,x,5,,2025-01-01T00:00:00.000Z,,,\n",
            "rests on row 1",
        ),
        ("report.json", '"amount":"', '"amount":"1', "something else than row"),
    ],
)
def test_numbers_that_do_not_follow_are_found_though_all_was_made_anew_with_the_key(
    bundle, part, was, becomes, said
):
    def change(parts):
        assert was.encode() in parts[part], parts[part]
        parts[part] = parts[part].replace(was.encode(), becomes.encode(), 1)

    told = [fault.text for fault in found(bundle, tampering.remade(bundle, change, read_model))]

    assert any(said in sentence for sentence in told), told


def test_evidence_that_the_operator_leaves_out_is_missed_for_the_audit_log_tells_of_it(bundle):
    def change(parts):
        header, row = parts["evidence.csv"].splitlines(keepends=True)
        [name] = [name for name in parts if name.startswith("evidence/")]
        assert name.removeprefix("evidence/").encode() in row
        parts["evidence.csv"] = header
        del parts[name]

    [fault] = found(bundle, tampering.remade(bundle, change, read_model))

    assert fault.part == "evidence.csv"
    assert "The audit log has evidence" in fault.sentence


def test_another_key_opens_nothing(bundle):
    stranger = VerifierKey(bundle.key.name, SigningKey.made().public)

    told = [fault.part for fault in bundle.check(stranger).faults.listed]

    assert {"SHA256SUMS.sig", "audit/head.checkpoint"} <= set(told)


def zipped(*parts, compression=zipfile.ZIP_STORED):
    target = BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(target, "w", compression) as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return target.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (zipped(("bomb", b"\0" * 50_000_000), compression=zipfile.ZIP_DEFLATED), "is compressed"),
        (zipped(("../../etc/passwd", b"root")), "a name has letters"),
        (zipped(("/etc/passwd", b"root")), "a name has letters"),
        (zipped(("a\\b", b"root")), "a name has letters"),
        (zipped(("a", b"1"), ("a", b"2")), "is not the one that its name"),
        (b"PK\x03\x04" + b"\xff" * 40, "is compressed"),
        (
            b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 0, 2**31, 2**31, 1, 0) + b"a",
            "file ends before",
        ),
        (b"not a file of this kind", "does not begin with a part"),
    ],
)
def test_a_file_that_means_harm_is_refused_in_a_sentence(content, said):
    key = VerifierKey("plant.example/audit_log/1", SigningKey.made().public)

    told = check_bundle(memoryview(content), key, read_model).faults.listed

    assert len(told) == 1
    assert said in told[0].text
