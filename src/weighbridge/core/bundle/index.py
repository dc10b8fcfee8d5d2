"""What a bundle says of its own parts: `datapackage.json`, `ro-crate-metadata.json`, `SHA256SUMS`.

They follow from the other parts, so whoever checks makes them anew and compares. The first describes the
tables for tools of Frictionless Data, the second all parts for tools of RO-Crate, the third is what is
signed.

Invariant: equal parts make equal indexes.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from weighbridge.core.bundle.form.tables import BundleColumn, BundleTable
from weighbridge.core.bundle.form.text_form import TextKind
from weighbridge.core.proof.canonical import canonical_json

DATA_PACKAGE: Final = "datapackage.json"
RO_CRATE: Final = "ro-crate-metadata.json"
SUMS: Final = "SHA256SUMS"
SIGNATURE: Final = "SHA256SUMS.sig"
NAMESPACE: Final = "weighbridge-bundle"
"""What the signature over `SHA256SUMS` is for, so that no other signature of the key passes for it."""

_TYPES: Final = {
    TextKind.TEXT: "string",
    TextKind.NUMBER: "number",
    TextKind.WHOLE: "integer",
    TextKind.TIME: "datetime",
    TextKind.FLAG: "boolean",
    TextKind.DIGEST: "string",
    TextKind.LIST: "array",
}
_MEDIA_TYPES: Final = {
    "csv": "text/csv",
    "jsonl": "application/jsonl",
    "json": "application/json",
    "html": "text/html",
    "yaml": "application/yaml",
}


@dataclass(frozen=True, slots=True)
class IndexedPart:
    """A part by its name, its length and its digest."""

    name: str
    size: int
    sha256: str


def digest_of_part(content: memoryview) -> str:
    """The SHA-256 of a content, as 64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def data_package(report: str, parts: Mapping[str, IndexedPart], counted: Mapping[BundleTable, int]) -> bytes:
    """The description of the tables, with how many rows each has."""
    resources = [
        {
            "name": table.part.removesuffix(".csv").replace("/", "-").replace("_", "-"),
            "path": table.part,
            "profile": "tabular-data-resource",
            "encoding": "utf-8",
            "mediatype": "text/csv",
            "bytes": parts[table.part].size,
            "hash": f"sha256:{parts[table.part].sha256}",
            "rows": count,
            "schema": {
                "fields": [_field(column) for column in table.columns],
                "primaryKey": [column.name for column in table.columns[: table.keys]],
            },
        }
        for table, count in sorted(counted.items(), key=lambda pair: pair[0].part)
    ]
    described = {"profile": "data-package", "name": report.replace("_", "-"), "resources": resources}
    return canonical_json(described) + b"\n"


def _field(column: BundleColumn) -> dict[str, Any]:
    field: dict[str, Any] = {"name": column.name, "type": _TYPES[column.kind]}
    if not column.is_optional:
        field["constraints"] = {"required": True}
    return field


def ro_crate(title: str, published: str, parts: Sequence[IndexedPart]) -> bytes:
    """The description of all parts as an RO-Crate 1.1; `published` is the day that the report counts from."""
    files = [
        {
            "@id": part.name,
            "@type": "File",
            "contentSize": str(part.size),
            "encodingFormat": _MEDIA_TYPES.get(part.name.rpartition(".")[2], "application/octet-stream"),
            "sha256": part.sha256,
        }
        for part in parts
    ]
    about = {
        "@id": RO_CRATE,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": title,
        "description": "A report with all that its amounts were computed from.",
        "datePublished": published,
        "license": "The operator says what it may be used for.",
        "hasPart": [{"@id": part.name} for part in parts],
    }
    crate = {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": [about, root, *files]}
    return canonical_json(crate) + b"\n"


def sums(parts: Sequence[IndexedPart]) -> bytes:
    """The digests of all parts, as `sha256sum -c` takes them."""
    ordered = sorted(parts, key=lambda part: part.name)
    return "".join(f"{part.sha256}  {part.name}\n" for part in ordered).encode()
