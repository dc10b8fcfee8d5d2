"""The JSON of a form: the body that its fields make, to be read, edited and filled into the fields again.

Invariants: a body that the fields cannot say is refused as a whole, and what was typed stays; what was
edited as JSON and not used yet is never sent in silence.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from hashlib import sha256
from typing import Any, Final

import msgspec

from weighbridge.core.number import NumberError, limit_number, shorten
from weighbridge.core.problem import Problem
from weighbridge.errors import Invalid, Malformed
from weighbridge.http import wire
from weighbridge.web.forms.fields import NEW, FormField, Texts, names_shown, texts_of, usual_texts
from weighbridge.web.framework.visit import Visit

JSON: Final = "as_json"
"""The field with the JSON of a form."""

USE: Final = "use_json"
"""The button that fills the JSON into the fields."""

_DIGEST: Final = "json_digest"
_DEPTH_MAX: Final = 32
_NAMED_MAX: Final = 5

FieldsFor = Callable[[Texts], Sequence[FormField]]
"""The fields of a form with certain texts."""


def json_of(visit: Visit, body: Mapping[str, Any]) -> dict[str, Any]:
    """What the JSON of a form is shown from: the body, or what was edited of it and not used yet."""
    text = msgspec.json.format(visit.request.app.state.encode(body), indent=2).decode()
    edited = _edited(visit)
    return {
        "json_text": edited or text,
        "json_digest": visit.text(_DIGEST) if edited else _digest(text),
        "json_edited": bool(edited),
        "json_field": JSON,
        "json_button": USE,
        "json_digest_field": _DIGEST,
    }


def problems_of_json(visit: Visit) -> list[Problem]:
    """What keeps a form from being sent: its JSON was edited, and the fields say something else."""
    if not _edited(visit):
        return []
    message = (
        "The JSON was edited, but the fields do not have it yet. Select Use this JSON, or undo the edit."
    )
    return [Problem(message, JSON, "unused")]


def with_json(visit: Visit, noun: str, fields_for: FieldsFor, *, is_new: bool) -> Visit:
    """The visit with its JSON filled into the fields; Invalid if it is none, or the fields cannot say it.

    What a change leaves out stays as it was typed.
    """
    record = _record(visit, noun)
    draft = {name: str(value) for name, value in record.items() if isinstance(value, str)}
    kept = {} if is_new else {name: visit.text(name) for name in visit.typed}
    fields = fields_for({**kept, **draft})
    try:
        filled = texts_of(fields, record, visit.moments)
    except ValueError as error:
        raise Invalid([Problem(f"A time of the JSON cannot be read: {error}.", JSON, "invalid")]) from None
    sayable = {*names_shown(fields, filled), *_words(fields, filled)}
    whole = {one.name for one in fields if one.kind == "json"}
    unsaid = [path for path in _leaves(record) if path not in sayable and _head(path) not in whole]
    if unsaid:
        named = ", ".join(shorten(path) for path in unsaid[:_NAMED_MAX])
        more = f" and {len(unsaid) - _NAMED_MAX} more" if len(unsaid) > _NAMED_MAX else ""
        message = f"The fields cannot say {named}{more}. Change the JSON, or send it to the interface."
        raise Invalid([Problem(message, JSON, "invalid")])
    heads = {*record} if not is_new else {one.name for one in fields} | {*record}
    others = {
        name: texts
        for name, texts in visit.typed.items()
        if _head(name) not in heads or (f".{NEW}." in name and _head(name) not in record)
    }
    filled = {**usual_texts(fields), **filled} if is_new else filled
    apart = {JSON, USE, _DIGEST}
    typed = {name: texts for name, texts in others.items() if name not in apart}
    return replace(visit, typed=typed | {name: (text,) for name, text in filled.items()})


def _record(visit: Visit, noun: str) -> Mapping[str, Any]:
    """The record in the JSON that was typed."""
    try:
        value = wire.decode(visit.text(JSON).encode(), dict[str, Any])
    except Malformed as refusal:
        raise Invalid([replace_field(problem, JSON) for problem in refusal.problems]) from None
    record = value.get(noun)
    if not isinstance(record, dict) or len(value) != 1:
        message = f'The JSON must be an object with one key, "{noun}", whose value is an object.'
        raise Invalid([Problem(message, JSON, "invalid")])
    if problems := [*_numbers_beyond(record)]:
        raise Invalid(problems)
    return record


def replace_field(problem: Problem, name: str) -> Problem:
    """The problem, at another field."""
    return Problem(problem.message, name, problem.code, problem.records)


def _numbers_beyond(value: Any, path: str = "", depth: int = 0) -> Iterator[Problem]:
    """Problems of numbers with more digits than any field takes, and of what is nested too deeply."""
    if depth > _DEPTH_MAX:
        yield Problem(f"The JSON is nested deeper than {_DEPTH_MAX} levels.", JSON, "invalid")
    elif isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _numbers_beyond(inner, f"{path}.{name}", depth + 1)
    elif not isinstance(value, str | bool | None):
        try:
            limit_number(Decimal(value))
        except NumberError as error:
            yield Problem(f"{shorten(path.removeprefix('.'))}: {error}", JSON, "invalid")


def _leaves(value: Any, path: str = "") -> Iterator[str]:
    """The paths of all that a document says; what is null says nothing."""
    if isinstance(value, dict) and (value or not path):
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value:
        for at, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{at}]")
    elif value is not None:
        yield path


def _words(fields: Sequence[FormField], texts: Texts, prefix: str = "") -> Iterator[str]:
    """The paths of groups in whose place a word is said."""
    for one in fields:
        path = f"{prefix}{one.name}"
        if one.words and texts.get(f"{path}.{one.tag}") in one.words:
            yield path
        elif one.kind == "group":
            yield from _words(one.fields, texts, f"{path}.")
        elif one.kind == "rows":
            rows = {name[: name.index("]", len(path)) + 1] for name in texts if name.startswith(f"{path}[")}
            for row in rows:
                yield from _words(one.fields, texts, f"{row}.")


def _head(name: str) -> str:
    return name.partition(".")[0].partition("[")[0]


def _edited(visit: Visit) -> str:
    """The JSON that was typed, if it is another than the form was shown with."""
    text = visit.text(JSON)
    return text if text and _digest(text) != visit.text(_DIGEST) else ""


def _digest(text: str) -> str:
    return sha256(text.strip().encode()).hexdigest()
