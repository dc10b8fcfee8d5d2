"""A report mapping by rows: where in the document, where the value comes from, and how it is written.

A row names its place by a path. In JSON `total.amount` is a name within an object, and `batches[].id` one of
a part that is repeated for each batch. In XML `Report/Total` is an element, `Report/Batch[]` one for each
batch, `Report/Total/@unit` an attribute, and `Report/@xmlns` the namespace. In a table it is the heading of a
column.

Invariant: rows that were read from a template make the same template again; a template of which rows
cannot say everything is not read into rows at all.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from weighbridge.core.number import shorten
from weighbridge.core.problem import Problem
from weighbridge.core.report import ReportFormat
from weighbridge.core.report_fields import EACH, OF_INCLUSION, OF_REPORT

Row = Mapping[str, Any]
"""`name`, `source`, `constant`, `written_as`, `unit`, `otherwise`; what is empty is left out."""

TEXT, NUMBER, EMPTY = "text", "number", "empty"
CONSTANTS: Final[Mapping[str, str]] = {
    TEXT: "the same text always",
    NUMBER: "the same number always",
    "true": "true",
    "false": "false",
    "null": "null",
    EMPTY: "nothing: an element without content",
}
"""Sources that are no field of the report."""

FIELDS: Final = (*OF_REPORT, *OF_INCLUSION)
"""Sources that are fields of the report or of each of its batches."""

_WORDS: Final[Mapping[str, Any]] = {"true": True, "false": False, "null": None}
_REPEATED: Final = "[]"
_NAMESPACE: Final = "@xmlns"
_TABLES: Final = frozenset({ReportFormat.CSV, ReportFormat.XLSX})


class CannotShowError(Exception):
    """A template has something that rows cannot say; the message is a sentence that names it."""


# From a template to rows.


def read_rows(report_format: str, template: Any) -> tuple[list[Row], str]:
    """The rows of a template, and of what a table has a row; raises CannotShowError."""
    per = ""
    if report_format in _TABLES:
        per = str(template.get("rows", "")) if isinstance(template, dict) else ""
        rows = [*_read_table(template)]
    elif report_format == ReportFormat.XML:
        rows = [*_read_element(template, "")]
    else:
        rows = [*_read_object(template, "")]
    built, problems, _ = build_template(report_format, rows, per)
    if problems or not _is_same(built, template, is_ordered=report_format == ReportFormat.JSON):
        message = "Rows would not give the same document again, because of its order or an empty part."
        raise CannotShowError(message)
    return rows, per


def _read_object(node: Any, path: str) -> Iterator[Row]:
    if isinstance(node, list):
        raise CannotShowError(f"{path or 'The template'} is a list of parts, which rows do not have.")
    if not isinstance(node, dict) or "$value" in node:
        if not path:
            raise CannotShowError("The template is a single value, which has no name.")
        yield _read_value(node, path)
    elif "$each" in node:
        yield from _read_object(node.get("$do"), f"{path}{_REPEATED}")
    else:
        if not node:
            raise CannotShowError(f"{path or 'The template'} is an object without anything in it.")
        for name, child in node.items():
            if not name or "." in name or name.endswith(_REPEATED):
                raise CannotShowError(f"The name {shorten(name)!r} cannot be part of a path with points.")
            yield from _read_object(child, f"{path}.{name}" if path else name)


def _read_element(node: Any, path: str) -> Iterator[Row]:
    if not isinstance(node, dict):
        raise CannotShowError(f"{path or 'The template'} is no element.")
    if "$each" in node:
        inner = node.get("$do")
        if not isinstance(inner, dict) or not isinstance(inner.get("element"), str):
            raise CannotShowError(f"{path or 'The template'} repeats something that is no element.")
        yield from _read_element({**inner, "element": f"{inner['element']}{_REPEATED}"}, path)
        return
    own = f"{path}/{node.get('element')}" if path else str(node.get("element"))
    rows: list[Row] = []
    if namespace := node.get("namespace"):
        rows.append({"name": f"{own}/{_NAMESPACE}", "source": TEXT, "constant": namespace})
    attributes, children = node.get("attributes") or {}, node.get("children") or []
    if not isinstance(attributes, dict) or not isinstance(children, list):
        raise CannotShowError(f"{own} has attributes or children that cannot be read.")
    rows += [_read_value(value, f"{own}/@{name}") for name, value in attributes.items()]
    if "text" in node:
        rows.append(_read_value(node["text"], own))
    for child in children:
        rows += _read_element(child, own)
    yield from rows or [{"name": own, "source": EMPTY}]


def _read_table(node: Any) -> Iterator[Row]:
    columns = node.get("columns") if isinstance(node, dict) else None
    if not isinstance(columns, list):
        raise CannotShowError("The template is no table with columns.")
    for column in columns:
        if not isinstance(column, dict) or not isinstance(column.get("heading"), str):
            raise CannotShowError("A column of the table has no heading.")
        yield _read_value(column.get("value"), column["heading"])


def _read_value(node: Any, name: str) -> Row:
    if isinstance(node, dict) and "$value" in node:
        if node["$value"] not in FIELDS:
            raise CannotShowError(
                f"{name} has the field {shorten(str(node['$value']))}, which rows do not offer."
            )
        otherwise = node.get("$otherwise")
        if otherwise is not None and not isinstance(otherwise, str):
            raise CannotShowError(f"{name} has another value than a text where the report has none.")
        said = {"written_as": "$as", "unit": "$unit", "otherwise": "$otherwise"}
        return {"name": name, "source": node["$value"]} | {
            key: node[dollar] for key, dollar in said.items() if dollar in node
        }
    if isinstance(node, dict | list):
        raise CannotShowError(f"{name} has parts within it where one value belongs.")
    if isinstance(node, bool) or node is None:
        return {"name": name, "source": next(word for word, value in _WORDS.items() if value is node)}
    is_text = isinstance(node, str)
    return {"name": name, "source": TEXT if is_text else NUMBER, "constant": str(node)}


def _is_same(one: Any, other: Any, *, is_ordered: bool) -> bool:
    """Whether two templates are written alike: an object of JSON has an order, a number its digits."""
    if isinstance(one, dict) and isinstance(other, dict):
        is_plain = is_ordered and "$value" not in one
        return ([*one] == [*other] if is_plain else {*one} == {*other}) and all(
            _is_same(one[name], other[name], is_ordered=is_ordered) for name in one
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(
            _is_same(*both, is_ordered=is_ordered) for both in zip(one, other, strict=True)
        )
    return isinstance(one, str) == isinstance(other, str) and str(one) == str(other)


# From rows to a template.


Places = dict[str, int]
"""By a place of the mapping, `template.batches.$do.id`, the row that makes it."""


def build_template(report_format: str, rows: Sequence[Row], per: str) -> tuple[Any, list[Problem], Places]:
    """The template that rows say, what is wrong with them, and which row makes which place of it."""
    builder = _Builder()
    if report_format in _TABLES:
        template: Any = {"rows": per} if per else {}
        template["columns"] = [
            {"heading": row.get("name", ""), "value": builder.value(row, at)} for at, row in enumerate(rows)
        ]
        builder.places |= {f"template.columns[{at}]": at for at in range(len(rows))}
    elif report_format == ReportFormat.XML:
        template = builder.build_xml(rows)
    else:
        template = builder.build_json(rows)
    return template, builder.problems, builder.places


@dataclass(slots=True)
class _Node:
    """A name within an object of JSON, in the making."""

    is_each: bool = False
    parts: dict[str, "_Node"] = field(default_factory=dict)
    value: Any = None
    has_value: bool = False

    def build(self) -> Any:
        """The part that it is."""
        inner = self.value if self.has_value else {name: part.build() for name, part in self.parts.items()}
        return {"$each": EACH, "$do": inner} if self.is_each else inner


@dataclass(slots=True)
class _Element:
    """An element of XML, in the making."""

    name: str
    is_each: bool
    place: str
    said: dict[str, Any] = field(default_factory=dict)
    children: list["_Element"] = field(default_factory=list)

    def build(self) -> dict[str, Any]:
        """The part that it is."""
        built = {"element": self.name, **self.said}
        if self.children:
            built["children"] = [child.build() for child in self.children]
        return {"$each": EACH, "$do": built} if self.is_each else built


@dataclass(slots=True)
class _Builder:
    """Makes a template of rows, and collects what is wrong with them."""

    problems: list[Problem] = field(default_factory=list)
    places: Places = field(default_factory=dict)

    def tell(self, at: int, name: str, message: str) -> None:
        """Say what is wrong with a field of a row."""
        self.problems.append(Problem(message, f"mapping.rows[{at}].{name}", "mapping"))

    def value(self, row: Row, at: int) -> Any:
        """The value of a row."""
        source, constant = row.get("source", ""), row.get("constant", "")
        if source in _WORDS:
            return _WORDS[source]
        if source == TEXT:
            return constant
        if source == NUMBER:
            return self._read_number(constant, at)
        if not source:
            self.tell(at, "source", "Choose where the value comes from.")
        said = {"$as": "written_as", "$unit": "unit", "$otherwise": "otherwise"}
        return {"$value": source} | {dollar: row[key] for dollar, key in said.items() if key in row}

    def _read_number(self, text: str, at: int) -> Decimal | None:
        try:
            number = Decimal(text)
        except InvalidOperation:
            number = Decimal("NaN")
        if not number.is_finite():
            self.tell(at, "constant", f"The number is {shorten(text)!r}, which is none.")
            return None
        return number

    def build_json(self, rows: Sequence[Row]) -> Any:
        """An object of JSON, or what is repeated for each batch."""
        root = _Node()
        for at, row in enumerate(rows):
            name = str(row.get("name", ""))
            node, place = root, "template"
            steps = name.split(".")
            if steps[0] == _REPEATED:
                root.is_each, steps, place = True, steps[1:], "template.$do"
            for step in steps:
                is_each, key = step.endswith(_REPEATED), step.removesuffix(_REPEATED)
                if not key:
                    self.tell(at, "name", f"{shorten(name)!r} is no path of names, such as total.amount.")
                node = node.parts.setdefault(key, _Node(is_each))
                place += f".{key}.$do" if is_each else f".{key}"
                if node.has_value or node.is_each != is_each:
                    self.tell(at, "name", f"{shorten(name)!r} and a row above cannot both be there.")
            if node.parts or node is root:
                self.tell(at, "name", f"{shorten(name)!r} has a value, but also parts within it.")
            node.value, node.has_value = self.value(row, at), True
            self.places[place] = at
        return root.build()

    def build_xml(self, rows: Sequence[Row]) -> dict[str, Any]:
        """The root element."""
        root: _Element | None = None
        for at, row in enumerate(rows):
            first, *steps = str(row.get("name", "")).strip("/").split("/")
            root = root or _Element(first, is_each=False, place="template")
            if first != root.name:
                message = f"Every path begins with the root element, which is {shorten(root.name)}."
                self.tell(at, "name", message)
                continue
            *parents, last = steps or [""]
            is_attribute = last.startswith("@")
            element = root
            for step in parents:
                element = _descend(element, step)
            if last and not is_attribute:
                element = _descend(element, last, begins=row.get("source") != EMPTY)
            self._say(element, row, at, last if is_attribute else "")
        return root.build() if root else {}

    def _say(self, element: _Element, row: Row, at: int, attribute: str) -> None:
        value = None if row.get("source") == EMPTY else self.value(row, at)
        if attribute == _NAMESPACE:
            element.said["namespace"] = value
            self.places[f"{element.place}.namespace"] = at
        elif attribute:
            element.said.setdefault("attributes", {})[attribute[1:]] = value
            self.places[f"{element.place}.attributes.{attribute[1:]}"] = at
        else:
            if row.get("source") != EMPTY:
                element.said["text"] = value
            self.places[element.place] = at


def _descend(parent: _Element, step: str, *, begins: bool = False) -> _Element:
    """The element of a step: the last child if it has the name, or else a new one.

    A row with a text begins another where the last one has its text already.
    """
    name, is_each = step.removesuffix(_REPEATED), step.endswith(_REPEATED)
    last = parent.children[-1] if parent.children else None
    if last and (last.name, last.is_each) == (name, is_each) and not (begins and "text" in last.said):
        return last
    place = f"{parent.place}.children[{len(parent.children)}]{'.$do' if is_each else ''}"
    parent.children.append(_Element(name, is_each, place))
    return parent.children[-1]


def at_rows(problems: Sequence[Problem], places: Places) -> list[Problem]:
    """Problems of a mapping at the rows that make what they are about."""
    return [Problem(one.message, _find_row(one.field or "", places), one.code) for one in problems]


_PARTS: Final = {"$as": "written_as", "$unit": "unit", "$otherwise": "otherwise", "$value": "source"}


def _find_row(path: str, places: Places) -> str:
    path = path.removeprefix("methodology.mapping.")
    found = max((place for place in places if path == place or path.startswith((f"{place}.", f"{place}["))),
                key=len, default=None)  # fmt: skip
    if found is None:
        return f"mapping.{path}"
    return f"mapping.rows[{places[found]}].{_PARTS.get(path.rpartition('.')[2], 'name')}"
