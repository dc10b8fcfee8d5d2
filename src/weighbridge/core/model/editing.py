"""Edit the text of a model document: add a node or a case, rename or remove a node, name the primary output.

A document belongs to whoever wrote it, with its comments and its layout. So an edit replaces characters at
places that the parser gave, and never writes the document anew.

Invariants: an edit is a list of replacements, and every character outside of them stays as it is, in its
order; the edited text reads to the model that was meant. Where a layout keeps an edit from that, the edit
is refused (EditError), and whoever applies it reads the text again to be sure (`modelling/editing.py`).
What replaces nothing is inserted at the end of a line, or inside brackets.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from weighbridge.core.expression import ExpressionError, names, parse
from weighbridge.core.identity import NODE_SLUG_LENGTH_MAX
from weighbridge.core.model.definition import (
    Model,
    Node,
    Scalar,
    Source,
    SourceListing,
    SourceMapping,
    describe,
)
from weighbridge.core.model.prepared import list_needs
from weighbridge.core.model.reading import is_node_slug
from weighbridge.core.model.writing import Fields, write_block, write_flow


class EditError(ValueError):
    """An edit that is not possible; the message is a full sentence for whoever wrote the document."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Characters of a text, from start up to end, that other characters replace."""

    start: int
    end: int
    text: str


Edit = tuple[Replacement, ...]


def apply_edit(text: str, edit: Iterable[Replacement]) -> str:
    """The edited text; what two replacements insert at one place stands in their order."""
    pieces, at = [], 0
    for one in sorted(edit, key=lambda replacement: (replacement.start, replacement.end)):
        if one.start < at:
            raise ValueError("two replacements overlap")
        pieces += [text[at : one.start], one.text]
        at = one.end
    return "".join([*pieces, text[at:]])


# Places: the end of what a part says, the end of its line, and the column of what stands on it.
#
# A block text (`|`, `>`) reaches to the next line that says something. Its blank lines belong to it only with
# `+`; otherwise what it says ends before them.


_BREAK: Final = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_HEADER: Final = re.compile(r"[|>][0-9-]*\+")


def _find_content_end(text: str, part: Source) -> int:
    """Where what a part says ends."""
    last = part
    while not isinstance(last, Scalar) and not last.extent.is_bracketed:
        inner = last.items if isinstance(last, SourceListing) else [entry.value for entry in last.entries]
        last = inner[-1]
    start, end = last.extent.start, last.extent.end
    if last.extent.style not in {"|", ">"} or _HEADER.match(text, start):
        return end
    return start + len(text[start:end].rstrip())


def _find_line_end(text: str, at: int) -> int:
    """The end of the line, without its break; a place at which a line has just ended stays."""
    if at and _BREAK.fullmatch(text, at - 1, at):
        return at
    found = _BREAK.search(text, at)
    return len(text) if found is None else found.start()


def _find_line_start(text: str, at: int) -> int:
    ends = [found.end() for found in _BREAK.finditer(text, 0, at)]
    return ends[-1] if ends else 0


def _find_column(text: str, at: int) -> int:
    line = text[_find_line_start(text, at) : at]
    return len(line.removeprefix("\ufeff"))


def _find_break(text: str) -> str:
    """The line break of the document: that of its first line."""
    found = _BREAK.search(text)
    return found[0] if found and found[0] in {"\r\n", "\r"} else "\n"


def _insert_line(text: str, end: int, written: str, *, gap: bool = False) -> Replacement:
    """Insert lines below the one on which something ends, after an empty line if there is to be a gap."""
    at, break_ = _find_line_end(text, end), _find_break(text)
    if at == end and at and _BREAK.fullmatch(text, at - 1, at):
        return Replacement(at, at, written + break_)
    return Replacement(at, at, break_ * (2 if gap else 1) + written)


# Adding a node or a case at the end of its list, and naming the primary output.


_BEFORE_OUTPUT: Final = ("partition_type", "cadence", "name")
"""The keys below one of which the primary output is written."""


def insert_node(text: str, source: Source, fields: Fields, *, is_primary: bool = False) -> Edit:
    """Add a node at the end of `nodes`; as the primary output, if it is to be that."""
    insertion = _insert_item(text, _require_mapping(source), "nodes", fields)
    return (*name_primary_output(text, source, str(fields["slug"])), *insertion) if is_primary else insertion


def insert_case(text: str, source: Source, fields: Fields) -> Edit:
    """Add a case at the end of `cases`."""
    return _insert_item(text, _require_mapping(source), "cases", fields)


def name_primary_output(text: str, source: Source, slug: str) -> Edit:
    """Name the primary output of a document, whether it names one or not."""
    root, key = _require_mapping(source), "primary_output"
    named = root.get(key)
    if isinstance(named, Scalar):
        space = "" if named.extent.start < named.extent.end else " "
        return (Replacement(named.extent.start, named.extent.end, space + slug),)
    if named is not None:
        raise EditError(f"The primary_output must be the slug of a node; here is {describe(named)}.")
    before = next((part for name in _BEFORE_OUTPUT if (part := root.get(name)) is not None), None)
    if before is None:
        start = root.extent.start
        at, end = (start + 1, ", ") if root.extent.is_bracketed else (start, _find_break(text))
        space = "" if root.extent.is_bracketed else " " * _find_column(text, start)
        return (Replacement(at, at, f"{key}: {slug}{end}{space}"),)
    if root.extent.is_bracketed:
        return (Replacement(before.extent.end, before.extent.end, f", {key}: {slug}"),)
    space = " " * _find_column(text, root.extent.start)
    return (_insert_line(text, _find_content_end(text, before), f"{space}{key}: {slug}"),)


def _require_mapping(source: Source) -> SourceMapping:
    if not isinstance(source, SourceMapping) or not source.entries:
        raise EditError(
            "The document must begin with keys such as name and cadence, so that parts can be added to it."
        )
    return source


def _insert_item(text: str, root: SourceMapping, key: str, fields: Fields) -> Edit:
    listing = root.get(key)
    match listing:
        case SourceListing() if listing.extent.is_bracketed and (listing.items or root.extent.is_bracketed):
            return (_insert_in_brackets(text, listing, fields),)
        case SourceListing(items=items) if items:
            return (_insert_below(text, listing, fields),)
        case SourceListing() | Scalar(value=None):
            return _insert_first(text, root, listing, fields)
        case None:
            return (_insert_with_key(text, root, key, fields),)
    raise EditError(f"The {key} of the document must be a list; here is {describe(listing)}.")


def _insert_in_brackets(text: str, listing: SourceListing, fields: Fields) -> Replacement:
    if not listing.items:
        at = listing.extent.start + 1
        return Replacement(at, at, write_flow(fields))
    last = listing.items[-1].extent
    line_start = _find_line_start(text, last.start)
    before = text[line_start : last.start]
    between = ", " if before.strip() else f",{_find_break(text)}{before}"
    return Replacement(last.end, last.end, between + write_flow(fields))


def _insert_below(text: str, listing: SourceListing, fields: Fields) -> Replacement:
    """Below the last item of a list without brackets, as far from it as that is from the one before it."""
    *others, last = listing.items
    before = _find_content_end(text, others[-1]) if others else 0
    gap = not others or len(_BREAK.findall(text, _find_line_end(text, before), last.extent.start)) > 1
    column = _find_column(text, listing.extent.start)
    written = write_block(fields, column, _find_break(text))
    if isinstance(last, SourceMapping) and last.extent.is_bracketed:
        written = f"{' ' * column}- {write_flow(fields)}"
    return _insert_line(text, _find_content_end(text, last), written, gap=gap)


def _insert_first(text: str, root: SourceMapping, empty: Scalar | SourceListing, fields: Fields) -> Edit:
    """The first item of a key that has no value yet, or an empty list."""
    start, end = empty.extent.start, empty.extent.end
    if root.extent.is_bracketed:
        space = "" if start < end else " "
        return (Replacement(start, end, f"{space}[{write_flow(fields)}]"),)
    indent = _find_column(text, root.extent.start) + 2
    insertion = _insert_line(text, end, write_block(fields, indent, _find_break(text)))
    return (insertion,) if start == end else (Replacement(start, end, ""), insertion)


def _insert_with_key(text: str, root: SourceMapping, key: str, fields: Fields) -> Replacement:
    last = root.entries[-1].value
    if root.extent.is_bracketed:
        return Replacement(last.extent.end, last.extent.end, f", {key}: [{write_flow(fields)}]")
    column, break_ = _find_column(text, root.extent.start), _find_break(text)
    written = f"{' ' * column}{key}:{break_}{write_block(fields, column + 2, break_)}"
    return _insert_line(text, _find_content_end(text, last), written, gap=True)


# Renaming: every place that names the node, by the position at which the parser found it.
#
# A place is some characters of a scalar. Where the scalar is folded over lines or quoted, its characters are
# found again in the text one after the other, whatever spaces and breaks are between them.


_NAMING_MAPPINGS: Final = (
    "inputs", "expect", "durations", "uncertainties", "expect_uncertainty", "expect_credit",
)  # fmt: skip
"""What a case gives, states or expects by the names of nodes."""

_Place = tuple[Scalar, int]
"""A scalar, and which of its characters is the first of a slug."""

_ESCAPE: Final = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|\r\n|.)", re.DOTALL)


def rename_node(text: str, source: Source, old: str, new: str) -> Edit:
    """Change the slug of a node wherever the document names it."""
    root = _require_mapping(source)
    slugs = [slug.text for node in _list_nodes(root) if isinstance(slug := node.get("slug"), Scalar)]
    if old not in slugs:
        raise EditError(f"The document has no part {old!r}.")
    if not is_node_slug(new):
        raise EditError(
            f"A slug has small letters, digits and single underscores, at most {NODE_SLUG_LENGTH_MAX}, begins"
            f" with a letter and is no word of the expression language; {new[:80]!r} is none."
        )
    if new in slugs and new != old:
        raise EditError(f"The slug {new} is already taken by another part.")
    offsets: dict[int, Mapping[int, int]] = {}
    edit = []
    for scalar, first in _list_places(root, old):
        at = scalar.extent.start
        if at not in offsets:
            offsets[at] = _map_characters(text, scalar)
        edit.append(_replace_slug(text, scalar, offsets[at].get(first), old, new))
    return tuple(edit)


def _list_nodes(root: SourceMapping) -> list[SourceMapping]:
    return _list_mappings(root, "nodes")


def _list_mappings(root: SourceMapping, key: str) -> list[SourceMapping]:
    listing = root.get(key)
    items = listing.items if isinstance(listing, SourceListing) else ()
    return [item for item in items if isinstance(item, SourceMapping)]


def _list_places(root: SourceMapping, slug: str) -> Iterator[_Place]:
    yield from _list_naming(root, ("primary_output",), slug)
    for node in _list_nodes(root):
        yield from _list_naming(node, ("slug", "at"), slug)
        for key, naming in (("input", ("share_by",)), ("static_input", ("at",)), ("upstream", ("amount",))):
            if isinstance(body := node.get(key), SourceMapping):
                yield from _list_naming(body, naming, slug)
                if isinstance(join := body.get("join"), SourceMapping):
                    yield from _list_naming(join, ("to",), slug)
        if isinstance(formula := node.get("formula"), Scalar):
            yield from _list_names(formula, slug)
    if isinstance(setting := root.get("uncertainty"), SourceMapping):
        for correlation in _list_mappings(setting, "correlations"):
            between = correlation.get("between")
            named = between.items if isinstance(between, SourceListing) else ()
            yield from ((one, 0) for one in named if isinstance(one, Scalar) and one.text == slug)
    for case in _list_mappings(root, "cases"):
        for key in _NAMING_MAPPINGS:
            given = case.get(key)
            entries = given.entries if isinstance(given, SourceMapping) else ()
            yield from ((one.written, 0) for one in entries if one.key.partition(".")[0] == slug)


def _list_naming(mapping: SourceMapping, keys: Iterable[str], slug: str) -> Iterator[_Place]:
    for key in keys:
        value = mapping.get(key)
        if isinstance(value, Scalar) and value.text == slug:
            yield value, 0


def _list_names(formula: Scalar, slug: str) -> Iterator[_Place]:
    try:
        tree = parse(formula.text)
    except ExpressionError as error:
        raise EditError(
            f"The formula at {formula.mark} cannot be read, so it is unknown whether it names {slug}: {error}"
        ) from None
    lengths = [len(line) + 1 for line in formula.text.split("\n")]
    starts = [0, *accumulate(lengths)]
    for name in names(tree):
        if name.path[0] == slug:
            first = starts[name.position.line - 1] + name.position.column - 1
            yield formula, formula.text.index(slug, first)


def _replace_slug(text: str, scalar: Scalar, start: int | None, old: str, new: str) -> Replacement:
    if start is None or text[start : start + len(old)] != old:
        raise EditError(
            f"At {scalar.mark} {old} is written in a way that only a person can change; write it plainly."
        )
    return Replacement(start, start + len(old), new)


def _map_characters(text: str, scalar: Scalar) -> Mapping[int, int]:
    """Where in the document each character of a scalar stands; empty when that cannot be told."""
    said = [(index, character) for index, character in enumerate(scalar.text) if not character.isspace()]
    written = [*_list_characters(text, scalar)]
    if [character for _, character in said] != [character for character, _ in written]:
        return {}
    return {index: offset for (index, _), (_, offset) in zip(said, written, strict=True)}


def _list_characters(text: str, scalar: Scalar) -> Iterator[tuple[str, int]]:
    """The characters of a scalar that are no space, each with its offset."""
    start, end, style = scalar.extent.start, scalar.extent.end, scalar.extent.style
    if style in {"|", ">"}:
        start = _find_line_end(text, start)
    elif style:
        start, end = start + 1, end - 1
    while start < end:
        character, length = text[start], 1
        if style == "'" and character == "'":
            length = 2
        elif style == '"' and (escape := _ESCAPE.match(text, start, end)):
            character, length = _read_escape(escape[1]), len(escape[0])
        if not character.isspace():
            yield character, start
        start += length


def _read_escape(written: str) -> str:
    """The character of an escape; those that are not written out are spaces or stay as they are."""
    if len(written) > 1 and written[0] in "xuU":
        return chr(int(written[1:], 16))
    return " " if written in "tnvfrNLP_ \t\n\r\n" else {"0": "\0", "a": "\a", "b": "\b"}.get(written, written)


# Removing a node, with the line that it stands on, and from `primary_output` if it is that.


@dataclass(frozen=True, slots=True)
class Readers:
    """What reads a node: other nodes, and test cases."""

    nodes: tuple[Node, ...] = ()
    cases: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.nodes or self.cases)


def find_readers(model: Model) -> Mapping[str, Readers]:
    """What reads each node, in the order of the document, by the slugs of those that something reads."""
    nodes: dict[str, list[Node]] = {}
    cases: dict[str, list[str]] = {}
    for node in model.nodes:
        for slug in list_needs(node):
            if slug != node.slug:
                nodes.setdefault(slug, []).append(node)
    for case in model.cases:
        named = (*case.inputs, *case.expect, *case.durations)
        for slug in dict.fromkeys(name.partition(".")[0] for name in named):
            cases.setdefault(slug, []).append(case.name)
    return {slug: Readers(tuple(nodes.get(slug, ())), tuple(cases.get(slug, ()))) for slug in nodes | cases}


def remove_node(text: str, source: Source, slug: str) -> Edit:
    """Remove a node that nothing reads; where it is the primary output, none is named any more."""
    root = _require_mapping(source)
    listing = root.get("nodes")
    items = listing.items if isinstance(listing, SourceListing) else ()
    number = next((at for at, item in enumerate(items) if _has_slug(item, slug)), None)
    if number is None or not isinstance(listing, SourceListing):
        raise EditError(f"The document has no part {slug!r}.")
    if listing.extent.is_bracketed:
        removal = _remove_in_brackets(text, listing, number)
    else:
        removal = _remove_lines(text, listing, number)
    named = root.get("primary_output")
    if not isinstance(named, Scalar) or named.text != slug:
        return removal
    return (Replacement(named.extent.start, named.extent.end, ""), *removal)


def _has_slug(item: Source, slug: str) -> bool:
    named = item.get("slug") if isinstance(item, SourceMapping) else None
    return isinstance(named, Scalar) and named.text == slug


def _remove_lines(text: str, listing: SourceListing, number: int) -> Edit:
    """The lines of an item from its dash on, with the empty lines before it; comments before it stay."""
    item = listing.items[number]
    end = _find_line_end(text, _find_content_end(text, item))
    start = _find_dash(text, listing, number)
    after = _BREAK.match(text, end)
    end = after.end() if after else end
    if number:
        before = _find_line_end(text, _find_content_end(text, listing.items[number - 1]))
        said = before + len(text[before:start].rstrip())
        found = _BREAK.search(text, said, start)
        start = start if found is None else found.end()
    return (Replacement(start, end, ""),)


def _find_dash(text: str, listing: SourceListing, number: int) -> int:
    """The start of the line on which the dash of an item stands."""
    if number == 0:
        return _find_line_start(text, listing.extent.start)
    at = _find_line_end(text, _find_content_end(text, listing.items[number - 1]))
    item_start = listing.items[number].extent.start
    while at <= item_start:
        found = _BREAK.match(text, at)
        start = found.end() if found else at
        at = _find_line_end(text, start + 1)
        if text[start:at].lstrip().startswith("-"):
            return start
    raise EditError("The part shares its line with something else; remove it in the document.")


def _remove_in_brackets(text: str, listing: SourceListing, number: int) -> Edit:
    """An item in brackets with one comma: the one after it, or the one before it where none follows."""
    items, item = listing.items, listing.items[number].extent
    limit = items[number + 1].extent.start if number + 1 < len(items) else listing.extent.end - 1
    comma = _find_comma(text, item.end, limit)
    if comma is not None:
        spaces = len(text[comma + 1 : limit]) - len(text[comma + 1 : limit].lstrip(" "))
        return (Replacement(item.start, item.end, ""), Replacement(comma, comma + 1 + spaces, ""))
    if number == 0:
        return (Replacement(item.start, item.end, ""),)
    comma = _find_comma(text, items[number - 1].extent.end, item.start)
    if comma is None:
        raise EditError("The part shares its place with something else; remove it in the document.")
    return (Replacement(comma, comma + 1, ""), Replacement(item.start, item.end, ""))


def _find_comma(text: str, start: int, end: int) -> int | None:
    """The comma between two items, which is in no comment."""
    is_comment = False
    for at in range(start, end):
        character = text[at]
        is_comment = (is_comment or (character == "#" and text[at - 1].isspace())) and not _BREAK.fullmatch(
            character
        )
        if character == "," and not is_comment:
            return at
    return None
