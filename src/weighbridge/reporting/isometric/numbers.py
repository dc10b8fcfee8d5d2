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

_QUANTITIES: Final = (
    "quantity", "mass", "average_application_rate", "truck_mass_on_arrival", "truck_mass_on_departure",
)  # fmt: skip
"""The quantities that records have."""

COMPONENT_DATA: Final = "component_data"
"""What is sent of a component of a project, apart from how it is allocated."""


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
        for name in _QUANTITIES
        if isinstance(sent.get(name), Mapping)
        for finding in compare_quantity(name, sent[name], received.get(name))
    ]
    by_property = {_write_property(one): one["value"] for one in received.get("values") or ()}
    for one in sent.get("values") or ():
        of = _write_property(one)
        findings += compare_quantity(f"values.{of}", one["value"], by_property.get(of))
    return [*findings, *_compare_component(sent, received)]


def _compare_component(sent: Mapping[str, Any], received: Mapping[str, Any]) -> Iterator[NumberFinding]:
    """What a component of a project has otherwise: it is one by its name, whatever its inputs were before."""
    if COMPONENT_DATA not in sent:
        return
    there = {one["input_key"]: _write_datapoints(one) for one in received.get("inputs") or ()}
    for one in sent[COMPONENT_DATA]["inputs"]:
        wanted, found = _write_datapoints(one), there.get(one["input_key"])
        if wanted != found:
            yield NumberFinding(f"inputs.{one['input_key']}", wanted, found)
    strategy = received.get("allocation_strategy")
    if sent["allocation_strategy"] != strategy:
        yield NumberFinding("allocation_strategy", sent["allocation_strategy"], strategy)


def _write_datapoints(one: Mapping[str, Any]) -> str:
    return ", ".join(one["datapoint_ids"] if "datapoint_ids" in one else [one["datapoint_id"]])


def _write_property(value: Mapping[str, Any]) -> str:
    of = value["measurement_property"]
    return ".".join(str(part) for part in (of["quantity_kind"], of.get("qualifier")) if part)
