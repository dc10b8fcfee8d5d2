"""Edit a model document by its parts: the edits of `core/model/editing.py`, read again to be sure of them.

Invariants: an edited document says what the one before says, but for the part that was meant; where its
layout does not allow that, the edit is refused by EditError. A text that is no document is a ModelError.
"""

import re
from typing import Any

from weighbridge.core.model import ModelError, editing
from weighbridge.core.model.definition import Scalar, Source, SourceListing, SourceMapping
from weighbridge.core.model.editing import Edit, EditError, apply_edit
from weighbridge.core.model.parts import read_parts
from weighbridge.core.model.writing import Fields, write_block
from weighbridge.modelling.documents import read_source

_REFUSAL = "The layout of the document does not allow this edit here; make it in the text."

Content = Any
"""What a source says, without places: texts, lists of contents, and mappings of contents."""


def add_node(text: str, fields: Fields, *, is_primary: bool = False) -> str:
    """Add a node at the end of a document; as its primary output, if it is to be that."""
    edit = editing.insert_node(text, (source := read_source(text)), fields, is_primary=is_primary)
    before = _read_content(source)
    if is_primary:
        before["primary_output"] = str(fields["slug"])
    return _apply(text, edit, _with_item(before, "nodes", fields))


def add_case(text: str, fields: Fields) -> str:
    """Add a case at the end of a document."""
    edit = editing.insert_case(text, (source := read_source(text)), fields)
    return _apply(text, edit, _with_item(_read_content(source), "cases", fields))


def rename_node(text: str, old: str, new: str) -> str:
    """Change the slug of a node wherever the document names it."""
    edit = editing.rename_node(text, (source := read_source(text)), old, new)
    edited = apply_edit(text, edit)
    word = re.compile(rf"\b{re.escape(new)}\b")
    if _rename(_read_again(edited), word, old) != _rename(_read_content(source), word, old):
        raise EditError(_REFUSAL)
    return edited


def remove_node(text: str, slug: str) -> str:
    """Remove a node; refused while another node or a case reads it."""
    source = read_source(text)
    if readers := editing.find_readers(read_parts(source)).get(slug):
        names = [*(node.slug for node in readers.nodes), *(f"the case {name!r}" for name in readers.cases)]
        raise EditError(f"{slug} cannot be removed while it is read by {', '.join(names)}.")
    edit = editing.remove_node(text, source, slug)
    before = _read_content(source)
    gone = next(at for at, one in enumerate(before["nodes"]) if _is_named(one, slug))
    before["nodes"] = before["nodes"][:gone] + before["nodes"][gone + 1 :] or ""
    if before.get("primary_output") == slug:
        before["primary_output"] = ""
    edited = apply_edit(text, edit)
    after = _read_again(edited)
    if (after | {"nodes": after["nodes"] or ""}) != before:
        raise EditError(_REFUSAL)
    return edited


def _apply(text: str, edit: Edit, expected: Content) -> str:
    edited = apply_edit(text, edit)
    if _read_again(edited) != expected:
        raise EditError(_REFUSAL)
    return edited


def _read_again(text: str) -> Content:
    try:
        return _read_content(read_source(text))
    except ModelError as error:
        limits = [flaw.message for flaw in error.flaws if flaw.code == "limit"]
        raise EditError(limits[0] if limits else _REFUSAL) from None


def _read_content(source: Source) -> Content:
    match source:
        case Scalar(text=text):
            return text.strip()
        case SourceListing(items=items):
            return [_read_content(item) for item in items]
        case SourceMapping(entries=entries):
            return {entry.key: _read_content(entry.value) for entry in entries}


def _with_item(content: Content, key: str, fields: Fields) -> Content:
    [item] = _read_content(read_source(write_block(fields, 0, "\n")))
    items = content.get(key)
    return {**content, key: [*(items if isinstance(items, list) else []), item]}


def _rename(content: Content, word: re.Pattern[str], to: str) -> Content:
    match content:
        case str():
            return word.sub(to, content)
        case list():
            return [_rename(item, word, to) for item in content]
    return {word.sub(to, key): _rename(value, word, to) for key, value in content.items()}


def _is_named(content: Content, slug: str) -> bool:
    return isinstance(content, dict) and content.get("slug") == slug
