"""The reference of the rule language as Markdown, made from the tables that rules are evaluated by.

Invariants: every function of the language stands in it once, with the sentence of its own table; the same
code gives the same text.
"""

from collections.abc import Iterable
from typing import Final, get_type_hints

from weighbridge.core.expression import FUNCTIONS
from weighbridge.core.rule.definition import (
    CLOCK_UNITS,
    DURATION_DAYS_MAX,
    MEMBERS_MAX,
    PERIODS,
    PERIODS_MAX,
    TAGS,
    Extent,
    MemberScope,
    RuleTarget,
    WindowMeters,
)
from weighbridge.core.rule.facts import FACT_FUNCTIONS
from weighbridge.core.rule.functions import (
    EITHER,
    LANGUAGE,
    PLAIN_FUNCTIONS,
    TABLE_FUNCTIONS,
    WINDOW_FUNCTIONS,
)
from weighbridge.core.rule.substitution.definition import METHOD_FIELDS, TIER_FUNCTIONS
from weighbridge.http.openapi.schemas import meaning_of
from weighbridge.quality.records.rules import GapCorrection

_SCOPES: Final = {
    MemberScope.EVENT: "None but the record itself; the window needs `include_current`.",
    MemberScope.LOCATION: "Events of its event type with the same locations.",
    MemberScope.EVENT_TYPE: "Events of its event type; for a model run, the runs of its model. The default.",
    MemberScope.PROJECT: "All events of the project; an aggregate may name data of other event types.",
}
_METERS: Final = {
    WindowMeters.OWN: "Those of the record's own meter: its asset, else its first location, else its event"
    " type.",
    WindowMeters.ALL: "Those of all meters. A rule on model runs takes no other.",
}
_FIELDS: Final = (
    ("kind", "`rolling` (or `trailing`), `calendar`", ""),
    ("duration", f"`rolling`: a `value` and a `unit` of {', '.join(CLOCK_UNITS)}",
     f"{DURATION_DAYS_MAX:,} days"),
    ("members", "`rolling`: how many members, in place of a duration", f"{MEMBERS_MAX:,}"),
    ("include_current", "`rolling`: whether the record itself is a member; `false` by default", ""),
    ("unit", f"`calendar`: {', '.join(PERIODS)}", ""),
    ("value", "`calendar`: how many consecutive periods, the last of which holds the record; 1 by default",
     f"{PERIODS_MAX}"),
    ("extent", f"`calendar`: `{Extent.TO_DATE}`, up to the record, the default; `{Extent.WHOLE_PERIOD}`", ""),
    ("where", "An expression on a member's own values; others are no members", ""),
    ("same", "An expression, such as `{{lorry}}`: only members count that give what the record gives", ""),
)  # fmt: skip


def render_aggregates() -> str:
    """What looks at the members of the window."""
    either = (
        (_show_names(name), FUNCTIONS[name].doc, f"`{name}({{{{mass}}}}) > 3`") for name in sorted(EITHER)
    )
    only = (
        (f"`{function.name}({function.parameters})`", function.doc, f"`{function.example}`")
        for function in WINDOW_FUNCTIONS
    )
    return _render_table(("Aggregate", "Yields", "Example"), (*either, *only))


def render_facts() -> str:
    """What every record has beside its values."""
    rows = ((f"`{function.name}()`", function.doc, f"`{function.example}`") for function in FACT_FUNCTIONS)
    return _render_table(("Fact", "Yields", "Example"), rows)


def render_lookups() -> str:
    """What looks at the tables of the rule."""
    rows = (
        (f"`{function.name}({function.parameters})`", function.doc, f"`{function.example}`")
        for function in TABLE_FUNCTIONS
    )
    return _render_table(("Of tables", "Yields", "Example"), rows)


def render_functions() -> str:
    """The functions of formulas that rules have too."""
    rows = (
        (f"`{FUNCTIONS[name].name}({FUNCTIONS[name].parameters})`", FUNCTIONS[name].doc)
        for name in PLAIN_FUNCTIONS
    )
    return _render_table(("Function", "Yields"), rows)


def render_window() -> str:
    """The fields of a window."""
    return _render_table(
        ("Field", "Meaning", "At most"), ((f"`{name}`", message, most) for name, message, most in _FIELDS)
    )


def render_scopes() -> str:
    """Which records may be members."""
    return _render_table(
        ("`window_member_scope`", "Members"), ((f"`{one}`", message) for one, message in _SCOPES.items())
    )


def render_meters() -> str:
    """Whose records may be members."""
    return _render_table(
        ("`window_meters`", "Members"), ((f"`{one}`", message) for one, message in _METERS.items())
    )


def render_methods() -> str:
    """The methods that fill gaps, with the fields that each takes."""
    rows = (
        (f"`{method}`", ", ".join(f"`{name}`" for name in fields)) for method, fields in METHOD_FIELDS.items()
    )
    return _render_table(("`method`", "Takes, beside a `code` and an `uncertainty`"), rows)


def render_filling_fields() -> str:
    """The fields of methods that fill gaps, and of what they are in."""
    names = [name for name in get_type_hints(GapCorrection) if name != "method"]
    rows = ((f"`{name}`", meaning_of(GapCorrection, name, None) or "") for name in names)
    return _render_table(("Field", "Meaning"), rows)


def render_tier_functions() -> str:
    """What the condition of a tier may ask for."""
    rows = (
        (f"`{function.name}({function.parameters})`", function.doc, f"`{function.example}`")
        for function in TIER_FUNCTIONS
    )
    return _render_table(("In `when`", "Yields", "Example"), rows)


def list_tags() -> str:
    """The tags of events."""
    return ", ".join(f"`{tag}`" for tag in TAGS[RuleTarget.DATA_POINT])


def _show_names(name: str) -> str:
    """An aggregate, with the other spellings that the language has for it."""
    others = [other for other, function in LANGUAGE.functions.items() if function.name == name != other]
    return " or ".join(f"`{spelling}(x)`" for spelling in (name, *others))


def _render_table(headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [headings, ("---",) * len(headings), *rows]
    return (
        "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
        + "\n"
    )
