"""The process that holds a document against a schema: `python -m weighbridge.reporting.submission.checker`.

A schema is a program that its users write, and some programs never end: so it runs apart, with a bounded
share of memory and time, and reads nothing but what it is given. Standard input is JSON with `kind`,
`schema`, `parts` (the documents that the schema refers to, by their names) and, unless the schema alone is
looked at, `document`; standard output is a list of places and what is wrong there.

Invariants: no file and no address is opened for a schema or a document; no entity is resolved.
"""

import json
import resource
import sys
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import islice
from typing import Any, Final

MEMORY_BYTES: Final = 1_073_741_824
"""Memory that a check may take."""

CPU_SECONDS: Final = 5
"""Seconds of a processor that a check may take."""

VIOLATIONS_MAX: Final = 100
"""Violations that one check names."""

MESSAGE_MAX: Final = 500
"""Characters of what is said of a violation."""

SCHEMA: Final = "schema"
"""The place of what is wrong with the schema itself."""

Violation = tuple[str, str]
"""A place of the document, and what is wrong there."""


def violations(kind: str, schema: str, parts: Mapping[str, str], document: str | None) -> list[Violation]:
    """What breaks the schema, or makes it one that cannot be used."""
    found = (_of_xml if kind == "xsd" else _of_json)(schema, parts, document)
    return [(place, message[:MESSAGE_MAX]) for place, message in islice(found, VIOLATIONS_MAX)]


def _of_json(schema: str, parts: Mapping[str, str], document: str | None) -> Iterator[Violation]:
    import jsonschema_rs  # noqa: PLC0415 - one kind of check needs one library

    def retrieve(address: str) -> Any:
        if (part := _find_part(address.partition("#")[0], parts)) is None:
            raise ValueError(f"{address} is elsewhere; schema_parts has what a schema refers to")
        return json.loads(part, parse_float=Decimal)

    unusable = (ValueError, RecursionError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError)
    try:
        validator = jsonschema_rs.validator_for(
            json.loads(schema, parse_float=Decimal),
            retriever=retrieve,
            pattern_options=jsonschema_rs.RegexOptions(),
            validate_formats=True,
        )
    except unusable as refused:
        yield SCHEMA, str(refused).partition("\n")[0] or "It is no JSON Schema."
        return
    if document is not None:
        for violation in validator.iter_errors(json.loads(document, parse_float=Decimal)):
            place = "".join(map(_step, violation.instance_path)).removeprefix(".")
            yield place, violation.message


def _step(part: str | int) -> str:
    return f"[{part}]" if isinstance(part, int) else f".{part}"


def _find_part(address: str, parts: Mapping[str, str]) -> str | None:
    """The part that an address names as a whole, or by what follows its last slash; None where none does."""
    return parts.get(address, parts.get(address.rpartition("/")[2]))


def _of_xml(schema: str, parts: Mapping[str, str], document: str | None) -> Iterator[Violation]:
    from lxml import etree  # noqa: PLC0415 - as above

    class GivenParts(etree.Resolver):
        """Gives the parts that came with the schema, and nothing else."""

        def resolve(self, system_url: str, public_id: str, *context: Any) -> Any:  # noqa: ARG002
            if (part := _find_part(system_url, parts)) is None:
                raise OSError(f"{system_url} is elsewhere")
            return self.resolve_string(part.encode(), *context, base_url=system_url)

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    parser.resolvers.add(GivenParts())
    try:
        roots = [etree.fromstring(text.encode(), parser) for text in (*parts.values(), schema)]
        for root in roots:
            if flaw := _find_foreign(root, parts):
                yield SCHEMA, flaw
                return
        validator = etree.XMLSchema(roots[-1])
    except (etree.LxmlError, ValueError, OSError) as refused:
        yield SCHEMA, str(refused)
        return
    if document is not None and not validator.validate(etree.fromstring(document.encode(), parser)):
        entries: Any = validator.error_log
        for entry in entries:
            yield entry.path or f"line {entry.line}", entry.message


def _find_foreign(root: Any, parts: Mapping[str, str]) -> str:
    """What a document of a schema has that is not given with it, in a sentence; empty for nothing."""
    if root.getroottree().docinfo.internalDTD is not None:
        return "It has a DOCTYPE, which no schema needs."
    for node in root.iter("*"):
        elsewhere = node.get("schemaLocation")
        if elsewhere and _find_part(elsewhere, parts) is None:
            return f"It refers to {elsewhere}; schema_parts has what a schema refers to."
    return ""


def main() -> None:
    """Check what stands on standard input."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    asked = json.load(sys.stdin)
    json.dump(violations(asked["kind"], asked["schema"], asked["parts"], asked.get("document")), sys.stdout)


if __name__ == "__main__":
    main()
