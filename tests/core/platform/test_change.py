"""Cursors of the feed of changes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.platform.audit import PERMISSIONS, ChangeCursor, ChangeKind, read_cursor
from weighbridge.core.platform.permission import ALL_PERMISSIONS

numbers = st.integers(1, 10**18 - 1)


@given(number=numbers, position=st.integers(0, 10**18 - 1))
def test_a_cursor_is_read_as_it_was_written(number, position):
    cursor = ChangeCursor(number, position)

    assert read_cursor(cursor.text) == cursor


@pytest.mark.parametrize(
    "text", ["", "1", "0.0", "1.", ".1", "01.0", "1.00", "-1.0", "1.0 ", "\u0661.\u0660", "1.0.0"]
)
def test_any_other_text_is_no_cursor(text):
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        read_cursor(text)


def test_every_kind_has_a_permission_but_tasks_which_have_one_for_each_type():
    assert PERMISSIONS.keys() == {*ChangeKind} - {ChangeKind.ASYNC_TASK}
    assert set(PERMISSIONS.values()) <= set(ALL_PERMISSIONS)
