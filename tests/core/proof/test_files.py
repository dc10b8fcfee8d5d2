"""Heads and proofs as files: what is written is read and verifies, and nothing that was changed does."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.proof import (
    Checkpoint,
    ConsistencyProof,
    InclusionProof,
    compute_root,
    hash_leaf,
    list_consistency_spans,
    list_inclusion_spans,
    open_checkpoint,
    sign_checkpoint,
)
from weighbridge.core.signing import SigningKey, UnprovenError, VerifierKey

ORIGIN = "plant.example/audit_log/1"
SEED = bytes(range(32))
PEM = b"""-----BEGIN PRIVATE KEY-----
%s
-----END PRIVATE KEY-----
""" % base64.b64encode(bytes.fromhex("302e020100300506032b657004220420") + SEED)
KEY = SigningKey.read(PEM)
VERIFIER = VerifierKey(ORIGIN, KEY.public)
LEAVES = [hash_leaf(f"row {number}".encode()) for number in range(13)]

SIZE = len(LEAVES)


def note_of(size, key=KEY, origin=ORIGIN):
    return sign_checkpoint(Checkpoint(origin, size, compute_root(LEAVES[:size])), key)


def inclusion_of(index, size=SIZE):
    path = [compute_root(LEAVES[span.start : span.end]) for span in list_inclusion_spans(index, size)]
    return InclusionProof(index, path, note_of(size)).text


def consistency_of(old, size=SIZE):
    hashes = [compute_root(LEAVES[span.start : span.end]) for span in list_consistency_spans(old, size)]
    return ConsistencyProof(old, hashes, note_of(size)).text


def test_a_head_is_read_as_it_was_signed():
    assert open_checkpoint(note_of(5), VERIFIER) == Checkpoint(ORIGIN, 5, compute_root(LEAVES[:5]))


def test_the_same_head_is_signed_as_the_same_text():
    assert note_of(5) == note_of(5)
    assert note_of(5).splitlines()[:4] == [
        ORIGIN, "5", base64.b64encode(compute_root(LEAVES[:5])).decode(), "",
    ]  # fmt: skip


def test_a_key_of_gos_own_note_package_is_read_and_its_signature_holds():
    # golang.org/x/mod/sumdb/note, the example of its documentation.
    key = VerifierKey.read("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
    text = (
        b"If you think cryptography is the answer to your problem,\n"
        b"then you don't know what your problem is.\n"
    )
    signature = base64.b64decode(
        "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
    )

    assert key.key_id == signature[:4]
    assert key.verify(text, signature[4:])


def test_signatures_of_others_are_passed_over():
    witnessed = note_of(5) + "— witness.example " + base64.b64encode(b"w" * 80).decode() + "\n"

    assert open_checkpoint(witnessed, VERIFIER).size == 5


@pytest.mark.parametrize("key", [SigningKey.made()])
def test_a_head_that_another_key_signed_is_refused(key):
    with pytest.raises(UnprovenError, match="not signed by"):
        open_checkpoint(note_of(5, key), VERIFIER)


def test_a_head_of_another_log_is_refused():
    with pytest.raises(UnprovenError, match="not signed by"):
        open_checkpoint(note_of(5, origin="plant.example/audit_log/2"), VERIFIER)


def test_each_row_and_each_older_head_is_proved_by_its_file():
    for index, leaf in enumerate(LEAVES):
        assert InclusionProof.read(inclusion_of(index)).verify(leaf, VERIFIER).size == len(LEAVES)
        older = open_checkpoint(note_of(index), VERIFIER)
        assert ConsistencyProof.read(consistency_of(index)).verify(older, VERIFIER).size == len(LEAVES)


def test_extra_data_in_a_proof_is_passed_over():
    first, rest = inclusion_of(3).split("\n", 1)

    InclusionProof.read(f"{first}\nextra AAAA\n{rest}").verify(LEAVES[3], VERIFIER)


def mangled(text, place, character):
    place %= len(text)
    return text[:place] + character + text[place + 1 :]


@given(st.integers(0, 12), st.integers(0, 2000), st.sampled_from("A0=\n -x/+é"))
def test_no_changed_character_of_an_inclusion_file_goes_unseen(index, place, character):
    text = inclusion_of(index)
    other = mangled(text, place, character)
    if other == text:
        return

    with pytest.raises(UnprovenError):
        InclusionProof.read(other).verify(LEAVES[index], VERIFIER)


@given(st.integers(1, 12), st.integers(0, 2000), st.sampled_from("A0=\n -x/+é"))
def test_no_changed_character_of_a_consistency_file_goes_unseen(old, place, character):
    text = consistency_of(old)
    other = mangled(text, place, character)
    if other == text:
        return

    with pytest.raises(UnprovenError):
        ConsistencyProof.read(other).verify(open_checkpoint(note_of(old), VERIFIER), VERIFIER)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "a+b",
        "plant.example+00000000+AAAA",
        VERIFIER.text[:-3],
        VERIFIER.text.replace("plant", "plan"),
    ],
)
def test_what_is_no_verifier_key_is_refused(text):
    with pytest.raises(UnprovenError, match="is no verifier key"):
        VerifierKey.read(text)


def test_a_verifier_key_is_read_as_it_was_written():
    for _ in range(50):
        key = VerifierKey(ORIGIN, SigningKey.made().public)
        assert VerifierKey.read(key.text + "\n") == key


def test_a_signing_key_is_read_as_it_was_written_and_only_such_a_key():
    made = SigningKey.made()

    assert SigningKey.read(made.pem).public == made.public
    with pytest.raises(UnprovenError, match="no private key"):
        SigningKey.read(b"no key")
