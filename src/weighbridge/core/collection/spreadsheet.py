"""A spreadsheet is a table of texts that people open in a spreadsheet program; what they see is what we hold.

A program takes a text that begins like a formula for one, whatever quotes stand around it in the file. Such
a text gets a leading single quote, which makes it a text again. Numbers are never quoted: what gets a quote
is decided by the type of a column, not by the look of its cells.

Invariants: `unquoted(quoted(text)) == text` for every text, and no quoted text begins with a formula start. A
text that begins with quotes and then a formula start gets one more, so that reading takes only that away.
"""

import re
from typing import Final

FORMULA_STARTS: Final = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""What makes a program take a text for a formula, also in full width."""

QUOTE: Final = "'"

_TO_QUOTE: Final = re.compile(f"{QUOTE}*[{re.escape(FORMULA_STARTS)}]")
_QUOTED: Final = re.compile(f"{QUOTE}+[{re.escape(FORMULA_STARTS)}]")


def quoted(text: str) -> str:
    """Write a text so that no program takes it for a formula."""
    return QUOTE + text if _TO_QUOTE.match(text) else text


def unquoted(cell: str) -> str:
    """Read a text that may have been quoted."""
    return cell[len(QUOTE) :] if _QUOTED.match(cell) else cell
