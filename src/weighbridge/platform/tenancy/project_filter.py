"""The project filter of a list: a project named by its friendly id or its number, one way on every list.

Invariant: a project of another account is no special case: the list is the account's, so nothing is found.
"""

from typing import LiteralString

from weighbridge.core.identity import ids
from weighbridge.db.listing import Filter, read_int4


def project_filter(column: LiteralString) -> Filter:
    """The filter by the column that has a record's project."""
    return Filter(column, read_project, "an id prj_… or a project's number")


def read_project(text: str) -> int:
    """The number in a friendly id or a number's text; ValueError for any other text."""
    key = ids.parse("project", text)
    return key.project if key else read_int4(text)
