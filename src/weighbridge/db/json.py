"""JSON in the database: canonical text, every digit kept."""

import hashlib
from typing import Any, TypeVar

import msgspec
from psycopg.types.json import Jsonb

from weighbridge.core.identity.ids import Link
from weighbridge.core.quantity.number import read_special
from weighbridge.core.time.instant import Instant

T = TypeVar("T")


def to_json_form(value: object) -> object:
    """Give the JSON form of a value that JSON itself has none for."""
    if isinstance(value, Instant):
        return value.text
    if isinstance(value, Link):
        return value.path
    raise TypeError(f"{type(value).__name__} has no form in JSON")


_canonical = msgspec.json.Encoder(enc_hook=to_json_form, decimal_format="number", order="sorted")


def canonical(value: Any) -> bytes:
    """Write JSON that is the same bytes for the same value."""
    return _canonical.encode(value)


def canonical_sha256(value: Any) -> str:
    """Digest a value by its canonical JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()


def as_record(value: Any, kind: type[T]) -> T:
    """Make a record of what a jsonb column held."""
    return msgspec.convert(value, kind, dec_hook=read_special)


def jsonb(value: Any) -> Jsonb | None:
    """Wrap a value for a jsonb column; None is SQL's NULL."""
    return None if value is None else Jsonb(value, dumps=canonical)
