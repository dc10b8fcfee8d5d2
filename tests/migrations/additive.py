"""What a step may not do once a version was released: take away what the version before reads or writes.

While hosts are upgraded one after the other, programs of two versions meet one database, and what a step has
taken away no upgrade brings back; a step therefore only adds. A column or table that nobody needs any more
stays.
"""

import re

COLUMN = r'"?\w+"?'

_AT_ONCE = re.compile(r"\bDO\s+(?:LANGUAGE\s+\w+\s+)?\$(\w*)\$(.*?)\$\1\$", re.DOTALL | re.IGNORECASE)
"""A block that is carried out where it stands."""

_ASIDE = re.compile(r"--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$|'(?:[^']|'')*'", re.DOTALL)
"""Comments, bodies of functions and texts: what stands in them is carried out later, or never."""

REFUSED = {
    r"\bDROP (TABLE|VIEW|MATERIALIZED VIEW|SCHEMA|TYPE|DOMAIN|SEQUENCE)\b": "drops what others use",
    r"^(BEGIN )?TRUNCATE\b|\bDELETE FROM\b": "removes rows",
    r"\bRENAME\b": "renames what the version before knows by its old name",
}
"""What no statement does, whatever it is."""

REFUSED_OF_TABLES = {
    rf"\bDROP (COLUMN )?(IF EXISTS )?(?!CONSTRAINT\b|NOT NULL\b|EXPRESSION\b|IDENTITY\b){COLUMN}": (
        "drops a column or its default"
    ),
    rf"\bALTER (COLUMN )?{COLUMN} (SET DATA )?TYPE\b": "changes the type of a column",
    r"\bADD (COLUMN )?(?!CONSTRAINT\b).*\bNOT NULL\b(?!.*\b(DEFAULT|GENERATED)\b)": "adds a column that the"
    " version before does not fill in",
    r"\bSET SCHEMA\b": "moves a table",
}
"""What no part of an ALTER TABLE does."""


def violations(text):
    """Every statement of a step that does more than add, each with what is wrong with it."""
    plain = _ASIDE.sub(" '' ", _AT_ONCE.sub(r" \2 ", text))
    for statement in (" ".join(one.split()) for one in plain.split(";")):
        yield from _matching(statement, REFUSED)
        if altered := re.search(r"\bALTER TABLE .*", statement, re.IGNORECASE):
            parts = _parts(altered[0])
            for part in parts:
                yield from _matching(part, REFUSED_OF_TABLES)
                yield from _needed(part, parts)


def _matching(text, refused):
    for pattern, said in refused.items():
        if re.search(pattern, text, re.IGNORECASE):
            yield f"`{text}` {said}"


def _needed(part, parts):
    """A column that has to be filled in from now on, though the statement gives it no default."""
    needed = re.search(rf"ALTER (?:COLUMN )?({COLUMN}) SET NOT NULL", part, re.IGNORECASE)
    if needed:
        filled = re.compile(rf"ALTER (?:COLUMN )?{re.escape(needed[1])} SET DEFAULT", re.IGNORECASE)
        if not any(filled.search(one) for one in parts):
            yield f"`{part}` requires what the version before does not fill in"


def _parts(statement):
    """The parts of an ALTER TABLE: what stands between commas that no bracket holds."""
    found, depth = [""], 0
    for letter in statement:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [one.strip() for one in found]
