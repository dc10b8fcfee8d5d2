"""Rows of the audit log that count what was repeated within a minute."""

from typing import Any

Row = tuple[Any, ...]


def merge_minutes(rows: list[Row], count: str) -> list[Row]:
    """One row for what several minutes counted, because a test may run over the end of one.

    The last column is the row's `after`. Within a minute repeats must share a row, which is checked here.
    """
    merged: dict[tuple[Any, ...], Row] = {}
    minutes = set()
    for *columns, after in rows:
        key = (
            *(value for value in columns if not str(value).startswith("req_")),
            *(after.get(name) for name in ("link_id", "operation", "status")),
        )
        minute = (key, after["first_at"][:16])
        assert minute not in minutes, f"A minute has two rows of {minute}."
        minutes.add(minute)
        *first, counted = merged.get(key, (*columns, after | {count: 0}))
        merged[key] = (*first, counted | {count: counted[count] + after[count]})
    return list(merged.values())
