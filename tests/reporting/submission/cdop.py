"""What the schemas of the Carbon Data Open Protocol ask of the examples.

`cdop_fields.csv` states facts of the twelve schemas, as read in the protocol's public repository: the fields
that are required and those that the examples fill, with their types, formats and codes. Of long lists of
codes it has those that the examples use. A folder with the schemas, named by `CDOP_SCHEMAS`, takes its place.
"""

import csv
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

SCHEMAS: Final = os.environ.get("CDOP_SCHEMAS", "")
_FIELDS: Final = Path(__file__).parent / "cdop_fields.csv"


def read_forms() -> dict[str, list[dict[str, str]]]:
    """The rows of each form, in their order: what is inside of a field comes after it."""
    forms: dict[str, list[dict[str, str]]] = {}
    with _FIELDS.open(newline="") as file:
        for row in csv.DictReader(file):
            forms.setdefault(row["form"], []).append(row)
    return forms


def read_schema(form: str) -> str:
    """The schema of a form: as it was published where a folder has it, or else by its fields."""
    if SCHEMAS:
        title = "_".join(part.capitalize() for part in form.split("-"))
        return (Path(SCHEMAS) / f"{title}.schema.json").read_text()
    return json.dumps(build_schema(read_forms()[form]))


def build_schema(rows: Sequence[dict[str, str]]) -> dict[str, Any]:
    """A JSON Schema by the fields of a form, each with its path: `[]` for the items of a list."""
    whole: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
    found = {"": whole}
    for row in rows:
        made: dict[str, Any] = {"type": row["type"]}
        if row["type"] == "object":
            made |= {"properties": {}, "required": []}
        if row["format"]:
            made["format"] = row["format"]
        if row["items_min"]:
            made["minItems"] = int(row["items_min"])
        if row["codes"]:
            made["enum"] = row["codes"].split(" | ")
        found[row["field"]] = made
        if row["field"].endswith("[]"):
            found[row["field"].removesuffix("[]")]["items"] = made
            continue
        parent, _, name = row["field"].rpartition("/")
        found[parent]["properties"][name] = made
        if row["required"]:
            found[parent]["required"].append(name)
    return whole
