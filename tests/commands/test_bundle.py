"""`weighbridge bundle`: made, checked and compared as a verifier does, and by the programs of the system."""

import subprocess

import pytest
from tests.given import bundles, reports
from tests.given.bundles import KEY

from weighbridge.core.signing import SigningKey, VerifierKey, write_ssh_public_key


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


@pytest.fixture
def bundle(account, claims):
    return bundles.bundle(account, claims.report(4, "2.5"))


@pytest.fixture
def file(bundle, tmp_path):
    made = tmp_path / "quarter.zip"
    made.write_bytes(bundle.content)
    return made


def test_a_bundle_that_holds_ends_with_0_and_says_on_what_trust(weighbridge, bundle, file):
    done = weighbridge("bundle", "check", file, "--key", bundle.key.text).expect(0)

    lines = done.out.splitlines()
    assert lines[0] == f"{file} holds."
    assert "states 6.5" in lines[1]
    assert f"are what {bundle.key.name} signed, by the key that you gave" in lines[2]
    assert any(line.startswith("2 batches come to what they say") for line in lines)


def test_a_batch_is_shown_as_its_equations_with_numbers(weighbridge, bundle, file):
    done = weighbridge("bundle", "check", file, "--key", bundle.key.text, "--show", "2025-01").expect(0)

    assert "  mass = 5 t    sum of delivery.mass over 1 events" in done.out.splitlines()


def test_a_bundle_that_was_changed_ends_with_1_and_all_that_is_wrong(weighbridge, bundle, file):
    content = bytearray(bundle.content)
    place = content.index(b"2025-01-02T00")
    content[place] = ord("3")
    file.write_bytes(content)

    done = weighbridge("bundle", "check", file, "--key", bundle.key.text).expect(1)

    assert "checksum" in done.err
    assert done.err.splitlines()[-1] == f"{file} does NOT hold: 1 faults."


def test_what_cannot_be_looked_at_ends_with_2(weighbridge, bundle, file, tmp_path):
    weighbridge("bundle", "check", tmp_path / "none.zip", "--key", bundle.key.text).expect(2)
    weighbridge("bundle", "check", file, "--key", "no key").expect(2)


def test_the_key_inside_counts_for_nothing(weighbridge, bundle, file):
    stranger = VerifierKey(bundle.key.name, SigningKey.made().public)

    done = weighbridge("bundle", "check", file, "--key", stranger.text).expect(1)

    assert "SHA256SUMS.sig" in done.err


def test_two_bundles_are_compared_by_batch_and_cause(weighbridge, account, claims, bundle, file):
    claims.plant.deliver("0.5", "2025-01-20T00:00:00Z")
    claims.plant.generate()
    later = file.with_name("later.zip")
    later.write_bytes(
        bundles.bundle(account, bundles.report_of(claims.plant.api, claims.plant.ledger)).content
    )

    same = weighbridge("bundle", "diff", file, file, "--key", bundle.key.text).expect(0)
    done = weighbridge("bundle", "diff", file, later, "--key", bundle.key.text).expect(0)

    assert same.out == "Nothing changed.\n"
    assert done.out.splitlines() == [
        "Deliveries 2025-01, in t: late_data",
        "  the report takes 4 before, 5.5 after; the batch comes to 5 before, 5.5 after",
        "  delivery: 1 events more, 0 fewer",
        "Deliveries 2025-02, in t: selection",
        "  the report takes 2.5 before, 3 after; the batch comes to 3 before, 3 after",
        "  the data are the same",
    ]


def test_a_bundle_is_made_on_the_server(weighbridge, account, claims, tmp_path, server):
    [(name,)] = server.sql("SELECT name FROM accounts WHERE id = %s", account.id)
    key_file = tmp_path / "key.pem"
    key_file.write_bytes(KEY.pem)
    there = {"WEIGHBRIDGE_AUDIT_KEY_FILE": str(key_file)}
    made = tmp_path / "made.zip"

    weighbridge(
        "bundle", "make", claims.report(1)["id"], "--output", made, "--account", name, **there
    ).expect(0)

    key = weighbridge("audit", "key", "--account", name, **there).expect(0).out.strip()
    weighbridge("bundle", "check", made, "--key", key).expect(0)


def test_the_programs_of_the_system_take_the_digests_and_their_signature(bundle, file, tmp_path):
    there = tmp_path / "there"
    subprocess.run(["unzip", "-q", file, "-d", there], check=True)
    (there / "allowed_signers").write_text(f"operator {write_ssh_public_key(bundle.key.public)}\n")

    sums = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"],
        cwd=there,
        capture_output=True,
        text=True,
        check=False,
    )
    verify = ["ssh-keygen", "-Y", "verify", "-f", "allowed_signers", "-I", "operator"]
    signature = subprocess.run(
        [*verify, "-n", "weighbridge-bundle", "-s", "SHA256SUMS.sig"],
        cwd=there, input=(there / "SHA256SUMS").read_bytes(), capture_output=True, check=False,
    )  # fmt: skip

    assert (sums.returncode, signature.returncode) == (0, 0), sums.stderr + signature.stderr.decode()


def test_the_page_has_no_script_and_escapes_what_people_wrote(account, claims):
    draft = claims.report(4, name="<script>alert(1)</script>")
    page = bundles.bundle(account, draft).check().contents.parts["report.html"]

    text = bytes(page).decode()
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "sum of delivery.mass over 1 events" in text
