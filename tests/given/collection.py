"""What a test starts from. Everything a test is about is said in the test; the rest has a default here.

The functions send real requests and give the record that came back, as a dict whose decimals are exact.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from tests.server import Caller

Record = dict[str, Any]

_numbers = count(1)


def project(caller: Caller, *, name: str | None = None, time_zone: str = "UTC") -> Record:
    """A project; events, models and ledgers need one."""
    body = {"project": {"name": name or _unique("Plant"), "time_zone": time_zone}}
    return _made(caller, "/projects", body)


def number(slug: str, *, unit: str | None = "t", required: bool = True) -> Record:
    """A data point type for a number, to hand to `event_type`."""
    return _data_point_type(slug, "number", required=required) | {"unit": unit}


def text(slug: str, *, required: bool = False) -> Record:
    """A data point type for a text, to hand to `event_type`."""
    return _data_point_type(slug, "string", required=required)


def boolean(slug: str, *, required: bool = False) -> Record:
    """A data point type for yes or no, to hand to `event_type`."""
    return _data_point_type(slug, "boolean", required=required)


def event_type(
    caller: Caller,
    project: Record,
    *,
    slug: str = "delivery",
    data_point_types: Sequence[Record] = (),
    expected_locations: str = "none",
    requires_tracking_id: bool = False,
    reusable_in_batches: bool = False,
    **fields: Any,
) -> Record:
    """An event type, whose events need no location unless the test says so."""
    body = {
        "name": slug,
        "slug": slug,
        "data_point_types": list(data_point_types),
        "expected_locations": expected_locations,
        "requires_tracking_id": requires_tracking_id,
        "reusable_in_batches": reusable_in_batches,
    } | fields
    return _made(caller, f"/projects/{project['id']}/event_types", {"event_type": body})


def location(caller: Caller, project: Record, *, name: str | None = None) -> Record:
    """A location of the project."""
    body = {"location": {"name": name or _unique("Yard")}}
    return _made(caller, f"/projects/{project['id']}/locations", body)


def feedstock(caller: Caller, project: Record, *, name: str | None = None) -> Record:
    """A feedstock of the project."""
    body = {"feedstock": {"name": name or _unique("Wood")}}
    return _made(caller, f"/projects/{project['id']}/feedstocks", body)


def asset(caller: Caller, project: Record, *, name: str | None = None, **fields: Any) -> Record:
    """An asset of the project."""
    body = {"asset": {"name": name or _unique("Kiln")} | fields}
    return _made(caller, f"/projects/{project['id']}/assets", body)


def custom_field(caller: Caller, project: Record, label: str, value_type: str = "text") -> Record:
    """A custom field of the project's assets."""
    body = {"asset_custom_field": {"label": label, "value_type": value_type}}
    return _made(caller, f"/projects/{project['id']}/asset_custom_fields", body)


def static_input(
    caller: Caller,
    project: Record,
    *,
    slug: str = "grid-factor",
    value: Any = 1,
    effective_from: str = "2025-01-01T00:00:00Z",
    **fields: Any,
) -> Record:
    """A value that the project has from a moment on."""
    body = {"slug": slug, "value": value, "effective_from": effective_from} | fields
    return _made(caller, f"/projects/{project['id']}/static_inputs", {"static_input": body})


def outage(
    caller: Caller,
    project: Record,
    *,
    reason: str = "Calibration",
    start_time: str = "2025-01-01T00:00:00Z",
    **fields: Any,
) -> Record:
    """An outage, of all meters of the project unless the test says of which."""
    body = {"reason": reason, "start_time": start_time} | fields
    return _made(caller, f"/projects/{project['id']}/outages", {"outage": body})


def calibration(
    caller: Caller,
    project: Record,
    event_type: str,
    *,
    name: str = "D-K-1",
    data_point_type: str = "mass",
    valid_from: str = "2025-01-01T00:00:00Z",
    uncertainty: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Record:
    """A calibration of readings, of events without an asset unless the test says of which."""
    body = {
        "name": name, "event_type_id": event_type, "data_point_type": data_point_type,
        "valid_from": valid_from, "uncertainty": uncertainty or {"standard": 1},
    } | fields  # fmt: skip
    return _made(caller, f"/projects/{project['id']}/calibrations", {"calibration": body})


def event_body(
    *,
    event_type: str = "delivery",
    start_time: str = "2025-01-01T00:00:00Z",
    values: Mapping[str, Any] | None = None,
    locations: Iterable[Record] = (),
    **fields: Any,
) -> Record:
    """What a caller sends for one event; `values` by the slugs of their data point types."""
    body = {
        "event_type": event_type,
        "start_time": start_time,
        "locations": [{"id": place["id"]} for place in locations],
        "data_points": [{"slug": slug, "value": value} for slug, value in (values or {}).items()],
    }
    return body | fields


def event(caller: Caller, project: Record, **fields: Any) -> Record:
    """One stored event; the fields are those of `event_body`."""
    return _made(caller, f"/projects/{project['id']}/events", {"event": event_body(**fields)})


def events(caller: Caller, project: Record, bodies: Sequence[Record]) -> list[Record]:
    """Many stored events in one request; gives their receipts."""
    receipts: list[Record] = _made(caller, f"/projects/{project['id']}/events", {"events": bodies})["data"]
    return receipts


def measuring(caller: Caller, *data_point_types: Record, **fields: Any) -> Record:
    """A project with one event type `delivery` of these data point types; gives the project."""
    plant = project(caller)
    event_type(caller, plant, data_point_types=data_point_types, **fields)
    return plant


def _data_point_type(slug: str, value_type: str, *, required: bool) -> Record:
    """Called otherwise than its slug, as people call theirs, so that nothing takes the one for the other."""
    name = slug.replace("_", " ").capitalize()
    return {"name": name, "slug": slug, "value_type": value_type, "required": required}


def _made(caller: Caller, path: str, body: Any) -> Record:
    record: Record = caller.post(path, body).expect(201).body
    return record


def _unique(name: str) -> str:
    return f"{name} {next(_numbers)}"
