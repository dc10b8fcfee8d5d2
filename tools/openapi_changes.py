"""What a new OpenAPI document takes away from those who rely on an old one.

A change breaks a client when a request that was taken is refused, or an answer lacks or widens what the
client reads. Each has a short name, `Batch.unit` for a field of a record and `GET /api/v1/batches` for an
operation, and goes through only when the changelog names it under Unreleased, in `### Breaking`. Where the
document only tells more closely what the service took all along, the name stands in `### Documented` instead:
which of the two it is no document can say.

Invariant: a document compared with itself has no breaking changes; additions are none.
"""

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

from cyclopts import App, Parameter

ROOT: Final = Path(__file__).parents[1]
DOCUMENT: Final = "docs/reference/openapi.json"
KEPT: Final = "tests/durability/stored/*.*.*/openapi.json.gz"
CHANGELOG: Final = ROOT / "CHANGELOG.md"
PARTS: Final = ("### Breaking", "### Documented")

_UPPER: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems")
_LOWER: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems")
_FORMS: Final = ("pattern", "format")
_EVERY_TYPE: Final = frozenset({"array", "boolean", "null", "number", "object", "string"})

Schema = Mapping[str, Any]
Side = Literal["request", "answer"]


class Change(NamedTuple):
    """One breaking change: what the changelog must name, and what is different."""

    name: str
    said: str


app = App(help=__doc__)


@app.default
def main(
    old: Path | None = None,
    new: Path | None = None,
    *,
    since_release: Annotated[bool, Parameter(help="Compare with the last release, or else commit.")] = False,
) -> None:
    """Name the breaking changes between two documents; exit 1 when the changelog is silent on one."""
    before = released() if since_release else _read(old)
    after = _read(ROOT / DOCUMENT if since_release else new)
    if before is None or after is None:
        return
    silent = unnamed(breaking(before, after), CHANGELOG.read_text())
    for change in silent:
        sys.stdout.write(f"{change.name}: {change.said}\n")
    if silent:
        sys.stdout.write(f"Name each in CHANGELOG.md, in backticks, under {' or '.join(PARTS)}.\n")
    sys.exit(bool(silent))


def _read(file: Path | None) -> Schema | None:
    if file is None:
        raise SystemExit("Name two documents, or --since-release.")
    document: Schema = json.loads(file.read_text())
    return document


def released() -> Schema | None:
    """The document of the last release: by its tag, or as it is kept beside its data where there are no tags.

    Before the first release that of the last commit counts; None where there is no history, or none in it.
    """
    tag = _git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")
    text = (tag and _git("show", f"{tag.strip()}:{DOCUMENT}")) or _kept() or _git("show", f"HEAD:{DOCUMENT}")
    document: Schema | None = json.loads(text) if text else None
    return document


def _kept() -> str | None:
    """The document that is kept with the data of the last release."""
    by_version = {
        tuple(map(int, file.parent.name.split("."))): file for file in ROOT.glob(KEPT) if file.is_file()
    }
    return gzip.decompress(by_version[max(by_version)].read_bytes()).decode() if by_version else None


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments],  # noqa: S607 - whichever git there is
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def unnamed(changes: list[Change], changelog: str) -> list[Change]:
    """The changes whose names stand in backticks in neither of the parts, under Unreleased."""
    unreleased = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", changelog, re.DOTALL | re.MULTILINE)
    parts = re.split(r"^(?=### )", unreleased[1] if unreleased else "", flags=re.MULTILINE)
    told = (part for part in parts if part.partition("\n")[0] in PARTS)
    named = {name for part in told for name in re.findall(r"`([^`]+)`", part)}
    return [change for change in changes if change.name not in named]


def breaking(old: Schema, new: Schema) -> list[Change]:
    """The breaking changes from one document to the other, each once."""
    return list(dict.fromkeys(_Comparison(old, new).changes()))


class _Comparison:
    """Two documents, and the pairs of their records that were compared already."""

    def __init__(self, old: Schema, new: Schema) -> None:
        self._old, self._new = old, new
        self._seen: set[tuple[str, str, Side]] = set()
        self._compared: set[tuple[str, str, Side]] = set()

    def changes(self) -> Iterator[Change]:
        for path, methods in self._old["paths"].items():
            for method, operation in methods.items():
                name = f"{method.upper()} {path}"
                now = self._new["paths"].get(path, {}).get(method)
                if now is None:
                    yield Change(name, "the operation is gone.")
                else:
                    yield from self._parameters(name, operation, now)
                    yield from self._body(name, operation, now)
                    yield from self._answers(name, operation, now)

    def _parameters(self, name: str, old: Schema, new: Schema) -> Iterator[Change]:
        before, after = _by_name(old, self._old), _by_name(new, self._new)
        for one in before.keys() - after.keys():
            yield Change(f"{name} {one}", "the parameter is gone.")
        for one, now in after.items():
            was = before.get(one, {})
            if now.get("required") and not was.get("required"):
                yield Change(f"{name} {one}", "the parameter is required now.")
            if was:
                yield from self._schema(f"{name} {one}", was["schema"], now["schema"], "request")

    def _body(self, name: str, old: Schema, new: Schema) -> Iterator[Change]:
        was, now = old.get("requestBody", {}), new.get("requestBody", {})
        if now.get("required") and not was.get("required"):
            yield Change(f"{name} body", "the body is required now.")
        yield from self._contents(f"{name} body", was, now, "request")

    def _answers(self, name: str, old: Schema, new: Schema) -> Iterator[Change]:
        for status, answer in old["responses"].items():
            if status not in new["responses"]:
                yield Change(f"{name} {status}", "the status is gone.")
                continue
            was, now = _resolved(answer, self._old), _resolved(new["responses"][status], self._new)
            yield from self._contents(f"{name} {status}", was, now, "answer")

    def _contents(self, name: str, old: Schema, new: Schema, side: Side) -> Iterator[Change]:
        for kind, content in old.get("content", {}).items():
            now = new.get("content", {}).get(kind)
            if now is None:
                yield Change(f"{name} {kind}", "the content type is gone.")
            else:
                yield from self._schema(name, content.get("schema", {}), now.get("schema", {}), side)

    def _schema(self, name: str, old: Schema, new: Schema, side: Side) -> Iterator[Change]:
        if "$ref" in old and "$ref" in new:
            pair = (old["$ref"], new["$ref"], side)
            if pair in self._seen:
                return
            self._seen.add(pair)
            name = old["$ref"].rpartition("/")[2]
        was, now = _options(old, self._old), _options(new, self._new)
        yield from _types_changed(name, was, now, side)
        for before, after in _pairs(was, now):
            if side == "request":
                yield from _narrowed(name, _resolved(before, self._old), _resolved(after, self._new))
            yield from self._parts(name, before, after, side)

    def _parts(self, name: str, old: Schema, new: Schema, side: Side) -> Iterator[Change]:
        """The fields, members and other values of two schemas that stand in one place."""
        if "$ref" in old:
            name = old["$ref"].rpartition("/")[2]
        if "$ref" in old and "$ref" in new:
            # A record may hold others of its kind.
            pair = (old["$ref"], new["$ref"], side)
            if pair in self._compared:
                return
            self._compared.add(pair)
        was, now = _resolved(old, self._old), _resolved(new, self._new)
        yield from self._fields(name, was, now, side)
        for part, sign in (("items", "[]"), ("additionalProperties", "{}")):
            if isinstance(was.get(part), dict) and isinstance(now.get(part), dict):
                yield from self._schema(name + sign, was[part], now[part], side)

    def _fields(self, name: str, old: Schema, new: Schema, side: Side) -> Iterator[Change]:
        before, after = old.get("properties", {}), new.get("properties", {})
        needed_before, needed_after = set(old.get("required", ())), set(new.get("required", ()))
        for field, schema in before.items():
            if field in after:
                yield from self._schema(f"{name}.{field}", schema, after[field], side)
            elif side == "answer" or new.get("additionalProperties") is False:
                yield Change(f"{name}.{field}", f"the field of the {side} is gone.")
        if side == "request":
            for field in sorted(needed_after - needed_before):
                yield Change(f"{name}.{field}", "the field is required now.")
        else:
            for field in sorted((needed_before - needed_after) & after.keys()):
                yield Change(f"{name}.{field}", "the field may be missing now.")


def _types_changed(name: str, was: list[Schema], now: list[Schema], side: Side) -> Iterator[Change]:
    """A request may take more than before and no less; an answer may hold less and no more."""
    before, after = _types(was), _types(now)
    gone, new = before - after, after - before
    if side == "request" and gone:
        yield Change(name, f"no longer takes {', '.join(sorted(gone))}.")
    if side == "answer" and new:
        yield Change(name, f"may be {', '.join(sorted(new))} now.")


def _narrowed(name: str, old: Schema, new: Schema) -> Iterator[Change]:
    """What a value of the same type must be beyond before."""
    if "enum" in new and (gone := [one for one in old.get("enum", ["others"]) if one not in new["enum"]]):
        yield Change(name, f"no longer takes {', '.join(map(str, gone))}.")
    for limit in _UPPER:
        if limit in new and new[limit] < old.get(limit, float("inf")):
            yield Change(name, f"{limit} is {new[limit]} now.")
    for limit in _LOWER:
        if limit in new and new[limit] > old.get(limit, float("-inf")) and (limit in old or new[limit]):
            yield Change(name, f"{limit} is {new[limit]} now.")
    for form in _FORMS:
        if form in new and new[form] != old.get(form):
            yield Change(name, f"{form} is {new[form]} now.")


def _by_name(operation: Schema, document: Schema) -> dict[str, Schema]:
    found = (_resolved(one, document) for one in operation.get("parameters", ()))
    return {one["name"]: one for one in found}


def _resolved(schema: Schema, document: Schema) -> Schema:
    while "$ref" in schema:
        found: Any = document
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema


def _options(schema: Schema, document: Schema) -> list[Schema]:
    """The schemas one of which holds, each with its types known; records stay references."""
    inner = _resolved(schema, document)
    if "anyOf" in inner:
        return [found for one in inner["anyOf"] for found in _options(one, document)]
    return [{**schema, "type": inner["type"]}] if "type" in inner else [schema]


def _types(options: list[Schema]) -> frozenset[str]:
    """Every JSON type that one of the options takes; a whole number is a number that is narrowed."""
    found: set[str] = set()
    for option in options:
        kinds = option.get("type", _EVERY_TYPE)
        found |= {kinds} if isinstance(kinds, str) else set(kinds)
    return frozenset(found | ({"integer"} if "number" in found else set()))


def _pairs(was: list[Schema], now: list[Schema]) -> Iterator[tuple[Schema, Schema]]:
    """Each old option with the new one that stands for it: the same record, or else the same type."""
    for option in was:
        same = [one for one in now if "$ref" in option and one.get("$ref") == option["$ref"]]
        alike = [one for one in now if _types([one]) & _types([option]) - {"null"}]
        if same or alike:
            yield option, (same or alike)[0]


if __name__ == "__main__":
    app()
