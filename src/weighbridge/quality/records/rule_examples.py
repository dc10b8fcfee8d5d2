"""Rules that most plants want, as bodies to send: the OpenAPI document shows and tests try them."""

from collections.abc import Mapping
from typing import Any, Final

from weighbridge.core import identity

_FROM: Final = "2025-01-01T00:00:00Z"
_EVENT_TYPE: Final = identity.of("event_type", 1, 1)
_MODEL: Final = identity.of("model", 0, 1)


def _rule(name: str, expression: str, message: str, **fields: Any) -> dict[str, Any]:
    rule = {"name": name, "expression": expression, "message": message, "effective_from": _FROM}
    return {"rule": rule | fields}


EXAMPLES: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "range": (
        "A value outside of what is possible",
        _rule(
            "Mass in range",
            "{{wet-mass}} NOT BETWEEN 0.5 AND 40",
            "A truck carries between 0.5 and 40 t.",
            event_type_id=_EVENT_TYPE,
        ),
    ),
    "spike": (
        "A value far from those before it",
        _rule(
            "Mass spike",
            "abs({{wet-mass}} - avg({{wet-mass}})) > (3 * stddev({{wet-mass}}))",
            "The mass lies more than three standard deviations from the last 30.",
            event_type_id=_EVENT_TYPE,
            window={"kind": "rolling", "members": 30},
        ),
    ),
    "flat_line": (
        "A meter that has stopped moving",
        _rule(
            "Temperature flat line",
            "count({{temperature}}) >= 6 AND max({{temperature}}) = min({{temperature}})",
            "Six readings in six hours are all the same.",
            event_type_id=_EVENT_TYPE,
            window={
                "kind": "rolling",
                "duration": {"value": 6, "unit": "hour"},
                "include_current": True,
            },
        ),
    ),
    "missing_slot": (
        "A reading that did not come; the event type needs a cadence",
        _rule(
            "Missing reading",
            "missed_slots() > 0",
            "At least one reading is missing before this one.",
            event_type_id=_EVENT_TYPE,
            data_point="temperature",
        ),
    ),
    "ratio": (
        "Two values that do not go together",
        _rule(
            "Dry over wet",
            "({{dry-mass}} / {{wet-mass}}) > 1",
            "The dry mass is larger than the wet mass.",
            event_type_id=_EVENT_TYPE,
        ),
    ),
    "monthly_total": (
        "A month that comes to more than the permit allows",
        _rule(
            "Monthly permit",
            "sum({{wet-mass}}) > 1200",
            "The deliveries of the month are over the 1,200 t of the permit.",
            event_type_id=_EVENT_TYPE,
            window={"kind": "calendar", "unit": "month", "extent": "to_date"},
            window_meters="all",
        ),
    ),
    "duplicate": (
        "A delivery that was entered twice",
        _rule(
            "Duplicate delivery",
            "count_same({{wet-mass}}, tracking_id) > 0",
            "A delivery with the same mass and tracking id came within the last week.",
            event_type_id=_EVENT_TYPE,
            window={"kind": "rolling", "duration": {"value": 7, "unit": "day"}},
            window_meters="all",
        ),
    ),
    "unit_slip": (
        "Kilograms entered as tonnes: a factor of 1,000",
        _rule(
            "Unit slip",
            "{{wet-mass}} > (100 * median({{wet-mass}}))",
            "The mass is a hundred times the usual; was it entered in kg?",
            event_type_id=_EVENT_TYPE,
            window={"kind": "rolling", "members": 50},
        ),
    ),
    "late_entry": (
        "An event that was entered long after it happened",
        _rule(
            "Late entry",
            "entry_delay_hours() > 48",
            "The event came in more than two days after its end.",
            event_type_id=_EVENT_TYPE,
            data_point="wet-mass",
        ),
    ),
    "not_calibrated": (
        "A reading of a meter without a calibration that holds, or whose calibration ends within 30 days",
        _rule(
            "Calibration of the scale",
            "NOT is_calibrated() OR calibration_days_left() <= 30",
            "No certificate of the scale holds, or it ends within 30 days.",
            event_type_id=_EVENT_TYPE,
            data_point="wet-mass",
        ),
    ),
    "working_hours": (
        "A weighing outside of the hours in which the gate is open",
        _rule(
            "Weighed at night",
            "weekday() >= 6 OR hour() NOT BETWEEN 6 AND 19",
            "The gate is closed on weekends and at night.",
            event_type_id=_EVENT_TYPE,
            data_point="wet-mass",
        ),
    ),
    "mostly": (
        "A month of which less than 95 % of the values are possible",
        _rule(
            "Most masses in range",
            "share({{wet-mass}} BETWEEN 0.5 AND 40) < 0.95",
            "More than one in twenty masses of the month is out of range.",
            event_type_id=_EVENT_TYPE,
            window={"kind": "calendar", "unit": "month", "extent": "whole_period"},
        ),
    ),
    "limit_of_each": (
        "A limit for each lorry, from a table of the rule",
        _rule(
            "Empty mass by lorry",
            "abs({{wet-mass}} - lookup(lorries, tare, asset)) > (0.02 * lookup(lorries, tare, asset))",
            "The empty mass differs from the tare of the lorry by more than 2 %.",
            event_type_id=_EVENT_TYPE,
            tables={
                "lorries": {
                    "columns": ["lorry", "effective_from", "tare"],
                    "rows": [
                        ["KN 12", "2024-01-01T00:00:00Z", 14],
                        ["KN 12", "2025-03-01T00:00:00Z", 15],
                    ],
                }
            },
        ),
    ),
    "for_each": (
        "A mass that stands out among the weighings of the same lorry",
        _rule(
            "Mass spike of a lorry",
            "{{wet-mass}} > (1.5 * avg({{wet-mass}}))",
            "The mass is one and a half times what the lorry usually carries.",
            event_type_id=_EVENT_TYPE,
            window={"kind": "rolling", "members": 30, "same": "tracking_id"},
            window_meters="all",
        ),
    ),
    "mostly_for_each": (
        "Wrong masses of a feedstock's month of which less than 95 % are possible",
        _rule(
            "Masses of each feedstock",
            "{{wet-mass}} NOT BETWEEN 0.5 AND 40 AND share({{wet-mass}} BETWEEN 0.5 AND 40) < 0.95",
            "More than one in twenty masses of the feedstock's month is out of range.",
            event_type_id=_EVENT_TYPE,
            window={"kind": "calendar", "unit": "month", "extent": "whole_period", "same": "feedstock"},
            window_meters="all",
        ),
    ),
    "drift": (
        "Readings between two calibrations between which the meter moved too far",
        _rule(
            "Drift of the kiln meter",
            "abs(next_calibration_drift()) > 2.5",
            "Between the two calibrations around it the meter moved by more than 2.5 K.",
            event_type_id=_EVENT_TYPE,
            data_point="temperature",
        ),
    ),
    "batch_intensity": (
        "A batch whose result is not in proportion to what went in",
        _rule(
            "Intensity of a batch",
            "(net_removal / biochar_mass) NOT BETWEEN 1 AND 3.5",
            "The removal for each tonne of biochar is out of proportion.",
            target="model_run",
            model_id=_MODEL,
        ),
    ),
    "warning": (
        "A value that is possible and unusual: a warning, which holds nothing back",
        _rule(
            "Mass above the usual",
            "{{wet-mass}} > 30",
            "Few trucks carry more than 30 t.",
            event_type_id=_EVENT_TYPE,
            severity="warn",
        ),
    ),
    "calibration": (
        "A meter that reads 2 % low, corrected from what it captured",
        _rule(
            "Calibration of the kiln meter",
            "{{temperature}} IS NOT NULL",
            "The meter reads 2 % low, by the certificate of January.",
            event_type_id=_EVENT_TYPE,
            purpose="adjust",
            correction={"method": "expression", "expression": "{{temperature}} * 1.02"},
        ),
    ),
}
"""By a short name: what the rule finds, and the body of the request."""
