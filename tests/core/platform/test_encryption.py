"""Envelopes of secrets: what opens them, and where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.platform.encryption import (
    ENVELOPE_BYTES_MIN,
    KEYS_MAX,
    KeyRing,
    SecretKey,
    SecretPlace,
    UnopenedSecretError,
    read_key_id,
)

PLACE = SecretPlace(1, "registry_secrets", "7/Authorization", "encrypted")
FIRST, SECOND = SecretKey(bytes(32)), SecretKey(b"\x01" * 32)
RING = KeyRing((FIRST,))


@given(st.binary(max_size=8_192))
def test_what_was_encrypted_opens_in_its_place(secret):
    envelope = RING.encrypt(secret, PLACE)

    assert RING.decrypt(envelope, PLACE) == secret
    assert len(envelope) == ENVELOPE_BYTES_MIN + len(secret)
    assert read_key_id(envelope) == FIRST.id


def test_the_same_secret_never_has_the_same_envelope():
    assert len({RING.encrypt(b"word", PLACE) for _ in range(100)}) == 100


@pytest.mark.parametrize(
    "other",
    [
        PLACE._replace(account=2),
        PLACE._replace(table="webhook_secrets"),
        PLACE._replace(row="8/Authorization"),
        PLACE._replace(column="value"),
        SecretPlace(1, 'registry_secrets","7/Authorization', "", "encrypted"),
    ],
)
def test_an_envelope_opens_in_no_other_place(other):
    with pytest.raises(UnopenedSecretError, match="was changed, or was encrypted for another row"):
        RING.decrypt(RING.encrypt(b"word", PLACE), other)


def test_a_changed_bit_anywhere_is_found():
    envelope = RING.encrypt(b"word", PLACE)

    for number in range(len(envelope) * 8):
        changed = bytearray(envelope)
        changed[number // 8] ^= 1 << number % 8
        with pytest.raises(UnopenedSecretError):
            RING.decrypt(bytes(changed), PLACE)
    for length in range(len(envelope)):
        with pytest.raises(UnopenedSecretError):
            RING.decrypt(envelope[:length], PLACE)


def test_each_key_opens_what_it_encrypted_and_the_first_encrypts():
    old = RING.encrypt(b"word", PLACE)
    both = KeyRing((SECOND, FIRST))

    assert both.decrypt(old, PLACE) == b"word"
    assert read_key_id(both.encrypt(b"word", PLACE)) == SECOND.id
    with pytest.raises(UnopenedSecretError, match=f"by the key {FIRST.id.hex()}, which is not at hand"):
        KeyRing((SECOND,)).decrypt(old, PLACE)
    with pytest.raises(UnopenedSecretError, match="no key by which"):
        KeyRing().encrypt(b"word", PLACE)


def test_keys_are_read_as_they_are_written_with_remarks_between():
    text = f"# newest first\n{SECOND.text}  # of spring\n\n{FIRST.text}\n{FIRST.text}\n"

    assert KeyRing.read(text) == KeyRing((SECOND, FIRST))
    assert KeyRing.read(KeyRing((SECOND, FIRST)).text) == KeyRing((SECOND, FIRST))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "There are 0 keys"),
        ("# none\n", "There are 0 keys"),
        (f"{FIRST.text}\nsecret-word\n", "Line 2 is no key"),
        (FIRST.text[:-4], "Line 1 is no key"),
        ("".join(f"{SecretKey.made().text}\n" for _ in range(KEYS_MAX + 1)), f"must be 1 to {KEYS_MAX}"),
    ],
)
def test_what_is_no_file_of_keys_is_refused_without_being_repeated(text, said):
    with pytest.raises(ValueError, match=said) as error:
        KeyRing.read(text)

    assert "secret-word" not in str(error.value)
    assert FIRST.text[:8] not in str(error.value)


def test_nothing_shows_a_key():
    assert "\\x00" not in repr(RING)
    assert FIRST.text not in repr(RING)
