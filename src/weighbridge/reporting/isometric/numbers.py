"""Numbers as a registry keeps them, which are doubles: what was sent, held against what came back.

>>> from decimal import Decimal
>>> is_same_number(Decimal("0.1000000000000000055"), Decimal("0.1"))
True
>>> is_same_number(Decimal("4.3611406784"), Decimal("4.36114"))
False
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

from weighbridge.core.number import plain

QUANTITY_FIELDS: Final = ("magnitude", "standard_deviation")
"""The numbers of a quantity."""

UNIT_FIELD: Final = "unit"


class NumberFinding(NamedTuple):
    """A number, or its unit, that came back otherwise than it was sent."""

    field: str
    sent: str
    received: str | None


def is_same_number(sent: Decimal, received: Decimal | None) -> bool:
    """Whether both are the same number once they are rounded to doubles."""
    return received is not None and round_to_double(sent) == round_to_double(received)


def round_to_double(number: Decimal) -> float:
    """The nearest double (IEEE 754, binary64), as the registry keeps numbers."""
    return float(number)


def compare_quantity(
    field: str, sent: Mapping[str, Any], received: Mapping[str, Any] | None
) -> Iterator[NumberFinding]:
    """What came back otherwise of a quantity: its magnitude, its standard deviation or its unit."""
    there = received or {}
    for name in QUANTITY_FIELDS:
        wanted, found = sent.get(name), there.get(name)
        if wanted is None:
            continue
        number = found if isinstance(found, Decimal) else None
        if not is_same_number(wanted, number):
            yield NumberFinding(f"{field}.{name}", plain(wanted), None if number is None else plain(number))
    if sent.get(UNIT_FIELD) != there.get(UNIT_FIELD):
        unit = there.get(UNIT_FIELD)
        yield NumberFinding(f"{field}.{UNIT_FIELD}", str(sent.get(UNIT_FIELD)), unit and str(unit))


def list_findings(sent: Mapping[str, Any], received: Mapping[str, Any]) -> list[NumberFinding]:
    """What came back otherwise than it was sent, of all quantities that a record has.

    Those of a sample stand in `values`, each under its measurement property.
    """
    findings = [
        finding
        for name in ("quantity", "mass")
        if isinstance(sent.get(name), Mapping)
        for finding in compare_quantity(name, sent[name], received.get(name))
    ]
    by_property = {_write_property(one): one["value"] for one in received.get("values") or ()}
    for one in sent.get("values") or ():
        of = _write_property(one)
        findings += compare_quantity(f"values.{of}", one["value"], by_property.get(of))
    return findings


def _write_property(value: Mapping[str, Any]) -> str:
    of = value["measurement_property"]
    return ".".join(str(part) for part in (of["quantity_kind"], of.get("qualifier")) if part)
