"""What tasks come to, by their type: the one field of an answer whose form another field decides.

The operations say it that begin the tasks. A result is told as it was stored, which an earlier release may
have done; so fields that came later are not required of it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from weighbridge.http.openapi.schemas import Schema, Schemas
from weighbridge.http.operation import Operation


def results_of(operations: Iterable[Operation]) -> dict[str, type[Any]]:
    """The record that each type of task comes to."""
    return {kind: result for one in operations for kind, result in one.task_results.items()}


def tell_results(schemas: Schemas, task: type[Any], results: Mapping[str, type[Any]]) -> None:
    """Tell in the schema of a task that its `result` is null or the record of its `type`."""
    if not results:
        return
    told = {kind: schemas.of(result) for kind, result in sorted(results.items())}
    schema = schemas.components[schemas.of(task)["$ref"].rpartition("/")[2]]
    unique = {one["$ref"]: one for one in told.values()}
    schema["properties"]["result"] |= {"anyOf": [*unique.values(), {"type": "null"}]}
    schema["allOf"] = [_if(kind, {"anyOf": [result, {"type": "null"}]}) for kind, result in told.items()]


def _if(kind: str, result: Schema) -> Schema:
    return {
        "if": {"properties": {"type": {"const": kind}}},
        "then": {"properties": {"result": result}},
    }
