"""The bytes of a record that are hashed: RFC 8785, with decimals as texts."""

import hashlib
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.signing import write_canonical_json

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, "x"]}, '{"a":[true,null,"x"],"b":1}'),
        (Decimal("1.50"), '"1.50"'),
        (Decimal("1E-7"), '"0.0000001"'),
        (Decimal("1234567890123456789012.345678901234"), '"1234567890123456789012.345678901234"'),
        (2**53 - 1, "9007199254740991"),
        (2**53, '"9007199254740992"'),
        (-(2**53), '"-9007199254740992"'),
        ('€/"\\\n\x01\x7f', '"€/\\"\\\\\\n\\u0001\x7f"'),
    ],
)
def test_a_value_is_written_so(value, text):
    assert write_canonical_json(value) == text.encode()


def test_members_stand_in_the_order_of_the_standards_own_example():
    # RFC 8785, section 3.2.3.
    names = ["€", "\r", "\ufb33", "1", "😀", "\x80", "ö"]

    written = json.loads(write_canonical_json(dict.fromkeys(names)))

    assert list(written) == ["\r", "1", "\x80", "ö", "€", "😀", "\ufb33"]


@given(values)
def test_what_is_written_reads_as_what_it_was(value):
    assert json.loads(write_canonical_json(value)) == value


@given(st.dictionaries(st.text(), st.integers(0, 9)), st.randoms())
def test_the_order_of_members_does_not_matter(value, random):
    names = [*value]
    random.shuffle(names)

    assert write_canonical_json({name: value[name] for name in names}) == write_canonical_json(value)


def test_a_stranger_writes_the_same_with_the_standard_library_alone():
    text = '{"n": 1E-7, "mass": {"value": 1.50, "count": 3, "long": 12345678901234567890}, "after": "€"}'
    row = json.loads(
        text,
        parse_float=lambda number: format(Decimal(number), "f"),
        parse_int=lambda number: int(number) if abs(int(number)) < 2**53 else number,
    )
    theirs = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

    ours = write_canonical_json(json.loads(text, parse_float=Decimal))

    assert hashlib.sha256(theirs).digest() == hashlib.sha256(ours).digest()
