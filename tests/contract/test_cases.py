"""Cases that are tried together are all tried, and each that fails is told with what it was."""

import pytest
from tests.given.cases import tried_together

TRIED = []


@tried_together(("name", "number"), [("a", 1), ("b", 2), ("a", 3), ("a", 5)])
def one_is_below_two(tmp_path, name, number):
    TRIED.append((tmp_path, name, number))
    assert number < 2


def test_all_cases_are_tried_and_all_that_fail_are_told_by_name():
    [mark] = one_is_below_two.pytestmark
    first, second = mark.args[1]

    with pytest.raises(BaseExceptionGroup, match="2 of 3 cases failed") as failed:
        one_is_below_two(cases=first, tmp_path="here")
    with pytest.raises(BaseExceptionGroup, match="1 of 1 cases failed"):
        one_is_below_two(cases=second, tmp_path="there")

    assert mark.kwargs["ids"] == ["a", "b"]
    assert TRIED == [("here", "a", 1), ("here", "a", 3), ("here", "a", 5), ("there", "b", 2)]
    assert [error.__notes__ for error in failed.value.exceptions] == [
        ["in the case name='a', number=3"],
        ["in the case name='a', number=5"],
    ]
