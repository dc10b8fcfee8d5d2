"""Samples, sensors, time series and project components of a mapping as rows of its page.

A row is one data point of ours; of a project component one static input. What has several of them has a row
for each. Rows of one have the number of it in a hidden field; a new row joins the first that agrees with it,
or begins another.

Invariant: what `write_rows` gives is read back by `read_rows` as the same lists.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from weighbridge.reporting.isometric.mapping import AllocationStrategy, DatapointType
from weighbridge.web.framework.visit import Visit
from weighbridge.web.pages.certify.offered import CatalogueByKind

SAMPLE: Final = "sample"
SENSOR: Final = "sensor"
SERIES: Final = "series"
COMPONENT: Final = "component"
KINDS: Final = (COMPONENT, SAMPLE, SENSOR, SERIES)
"""How the fields of each kind of row begin, in the order of the page."""

BLANK_ROWS: Final = 2
"""Rows without a data point that the page offers of each kind; saving offers as many more."""

_PLACES: Final = ("facility", "storage_location")
_OF_COMPONENT: Final = ("name", "allocation_strategy", "activity_started_on", "activity_completed_on")
_SEVERAL: Final = "several"
TAKES: Final = (("", "One value"), (_SEVERAL, "Several values"))
"""How many values an input of a project component takes, as the page says it."""

Named = Mapping[tuple[str, str], Mapping[str, str]]
"""The registry's records by kind and id."""


def count_rows(entries: Mapping[str, str], kind: str) -> int:
    """How many rows of a kind the page shows."""
    filled = [at for at in range(_count(entries, kind)) if entries.get(f"{kind}-{at}-point")]
    return max(filled, default=-1) + 1 + BLANK_ROWS


def _count(entries: Mapping[str, Any], kind: str) -> int:
    count = 0
    while f"{kind}-{count}-point" in entries:
        count += 1
    return count


def read_rows(visit: Visit, named: Named) -> dict[str, list[dict[str, Any]]]:
    """What a form sends in rows; a row without a data point is none."""
    components: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in _list_rows(visit, COMPONENT):
        blueprint, _, input_key = row("input").partition(":")
        said = {"blueprint_key": blueprint} | {name: row(name) for name in _OF_COMPONENT}
        _find_group(components, row, said, "inputs").append(
            {
                "input_key": input_key, "slug": row("point"), "unit": row("unit"),
                "own_unit": row("own") or None, "type": row("type"), "is_list": row("takes") == _SEVERAL,
            }
        )  # fmt: skip
    samples: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in _list_rows(visit, SAMPLE):
        said = {"event_type": row["event_type"], "measurement_type": row("measurement_type")}
        _find_group(samples, row, said, "values").append(_read_value(row))
    series: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in _list_rows(visit, SERIES):
        said = {
            "event_type": row["event_type"], "submission_type": row("submission_type"),
            "time_column": row("time_column") or "timestamp", **_read_places(row, named),
        }  # fmt: skip
        _find_group(series, row, said, "columns").append(
            {"data_point": row["data_point"], "column": row("column")}
        )
    sensors = [
        {"event_type": row["event_type"], "value": _read_value(row), **_read_places(row, named)}
        for row in _list_rows(visit, SENSOR)
    ]
    return {
        "project_components": [*components.values()], "samples": [*samples.values()], "sensors": sensors,
        "series": [*series.values()],
    }  # fmt: skip


class _TypedRow:
    """A row of the form: its data point, and its other fields by their names."""

    def __init__(self, visit: Visit, place: str) -> None:
        self._visit = visit
        self._place = place
        event_type, _, data_point = self("point").partition(":")
        self._point = {"event_type": event_type, "data_point": data_point}

    def __call__(self, name: str) -> str:
        return self._visit.text(f"{self._place}-{name}")

    def __getitem__(self, name: str) -> str:
        return self._point[name]


def _list_rows(visit: Visit, kind: str) -> Iterator[_TypedRow]:
    for at in range(_count(visit.typed, kind)):
        row = _TypedRow(visit, f"{kind}-{at}")
        if row("point"):
            yield row


def _find_group(
    groups: dict[tuple[Any, ...], dict[str, Any]], row: _TypedRow, said: dict[str, Any], parts: str
) -> list[Any]:
    """The list that a row belongs to: of its own group, else of the first that says the same."""
    words = tuple(sorted((name, str(one)) for name, one in said.items()))
    own = (row("of"), words)
    if not row("of"):
        own = next((key for key in groups if key[1] == words), own)
    found: list[Any] = groups.setdefault(own, {**said, parts: []})[parts]
    return found


def _read_value(row: _TypedRow) -> dict[str, Any]:
    return {
        "data_point": row["data_point"], "quantity_kind": row("quantity_kind"), "unit": row("unit"),
        "qualifier": row("qualifier") or None, "own_unit": row("own") or None,
    }  # fmt: skip


def _read_places(row: _TypedRow, named: Named) -> dict[str, Any]:
    return {kind: named.get((kind, row(kind)), {"id": row(kind)}) if row(kind) else None for kind in _PLACES}


def write_rows(contents: Mapping[str, Any]) -> dict[str, str]:
    """What the fields of all rows hold for the contents of a mapping."""
    components = [
        {
            "of": str(at), "point": given["slug"], "input": f"{one['blueprint_key']}:{given['input_key']}",
            "unit": given["unit"], "own": given.get("own_unit") or "",
            "type": given.get("type", DatapointType.ASSUMPTION),
            "takes": _SEVERAL if given.get("is_list") else "",
            "allocation_strategy": AllocationStrategy.ESTIMATED_PROJECT_LIFETIME,
            **{name: one[name] for name in _OF_COMPONENT if name in one},
        }
        for at, one in enumerate(contents.get("project_components", ()))
        for given in one["inputs"]
    ]  # fmt: skip
    samples = [
        {"of": str(at), **_write_value(one["event_type"], value), "measurement_type": one["measurement_type"]}
        for at, one in enumerate(contents.get("samples", ()))
        for value in one["values"]
    ]
    sensors = [
        {**_write_value(one["event_type"], one["value"]), **_write_places(one)}
        for one in contents.get("sensors", ())
    ]
    series = [
        {
            "of": str(at), "point": f"{one['event_type']}:{column['data_point']}", "column": column["column"],
            "submission_type": one["submission_type"],
            "time_column": one.get("time_column", "timestamp"), **_write_places(one),
        }
        for at, one in enumerate(contents.get("series", ()))
        for column in one["columns"]
    ]  # fmt: skip
    return {
        f"{kind}-{at}-{name}": text
        for kind, rows in zip(KINDS, (components, samples, sensors, series), strict=True)
        for at, row in enumerate(rows)
        for name, text in row.items()
    }


def _write_value(event_type: str, value: Mapping[str, Any]) -> dict[str, str]:
    return {
        "point": f"{event_type}:{value['data_point']}", "quantity_kind": value["quantity_kind"],
        "unit": value["unit"], "qualifier": value.get("qualifier") or "", "own": value.get("own_unit") or "",
    }  # fmt: skip


def _write_places(one: Mapping[str, Any]) -> dict[str, str]:
    return {kind: (one.get(kind) or {}).get("id", "") for kind in _PLACES}


def list_quantity_kinds(catalogue: CatalogueByKind) -> list[str]:
    """The kinds of quantities that inputs of the registry's blueprints have, to choose from."""
    inputs = [one for part in catalogue.get("component_blueprint", ()) for one in part.contents["inputs"]]
    return sorted({one["quantity_kind"] for one in inputs if one.get("quantity_kind")})


def list_blueprint_inputs(catalogue: CatalogueByKind) -> list[tuple[str, str]]:
    """The inputs of the registry's blueprints, to choose from: blueprint and key, and both in words."""
    return [
        (f"{part.record_id}:{given['input_key']}", f"{part.name}, {given['input_key']}")
        for part in catalogue.get("component_blueprint", ())
        for given in part.contents["inputs"]
    ]
