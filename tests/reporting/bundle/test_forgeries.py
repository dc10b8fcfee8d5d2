"""An operator with the true key writes a bundle otherwise, and tells the log of it: both checkers find what
contradicts something else. What contradicts nothing, the page about the format names.

The table of `tests/given/forgeries` has a row for each change: what was changed, and what finds it.
"""

from collections.abc import Callable

import pytest
from tests.given.forgeries import FORGERIES
from tests.given.forgeries.bases import BASES
from tests.given.forgeries.rules import BROKEN, PAGE, SEALING, find_broken_rule, quote_page
from tests.given.forgeries.table import LISTED, SEALED, UNFOUND
from tests.given.forging import Operator

from weighbridge.core.bundle.contents import SEAL

PLACES = {LISTED, SEALED, UNFOUND}
CONTRADICTED = [one for one in FORGERIES if one.part not in PLACES]
UNCONTRADICTED = [one for one in FORGERIES if one.part in PLACES]
FORGERIES_LEAST = 100


def _name(forgery):
    return forgery.name


@pytest.fixture(scope="module")
def operator_of(server) -> Callable[[str], Operator]:
    """The operator of a bundle by its name, who is the same for all tests of this file."""
    operators = {}

    def find(name):
        if name not in operators:
            operators[name] = BASES[name](server.account())
        return operators[name]

    return find


def check(operator, forgery, *, tells):
    """What is found of a forged bundle."""
    content = operator.forge(forgery.change, tells=tells)
    assert content != operator.bundle.content
    return operator.bundle.check_of(content, what=forgery.name)


@pytest.mark.parametrize("name", BASES)
def test_the_log_of_an_operator_who_changes_nothing_is_true(operator_of, name):
    operator = operator_of(name)

    assert operator.bundle.faults() == []
    assert operator.bundle.check_of(operator.forge(lambda _: None)).faults.listed == []


@pytest.mark.parametrize("forgery", CONTRADICTED, ids=_name)
def test_what_contradicts_another_part_or_a_row_of_the_log_is_found(operator_of, forgery):
    found = check(operator_of(forgery.base), forgery, tells=True).faults.listed

    said = [fault.sentence for fault in found if fault.part.startswith(forgery.part)]
    assert any(forgery.found in sentence for sentence in said), found
    assert {fault.part for fault in found} != {SEAL}


@pytest.mark.parametrize("forgery", UNCONTRADICTED, ids=_name)
def test_what_contradicts_nothing_is_named_on_the_page(operator_of, forgery):
    checked = check(operator_of(forgery.base), forgery, tells=True)

    assert checked.faults.listed == []
    if forgery.part == LISTED:
        assert any(forgery.found in sentence for sentence in checked.unbound)
    else:
        section = PAGE.read_text().partition(f"\n## {forgery.part}\n")[2].partition("\n## ")[0]
        assert forgery.found in section


@pytest.mark.parametrize("forgery", UNCONTRADICTED, ids=_name)
def test_what_contradicts_nothing_is_found_if_the_log_was_told_of_other_parts(operator_of, forgery):
    found = check(operator_of(forgery.base), forgery, tells=False).faults.listed

    assert found


@pytest.mark.parametrize("forgery", FORGERIES, ids=_name)
def test_the_sentence_that_a_forgery_breaks_is_on_the_page(forgery):
    words = find_broken_rule(forgery)

    assert words in quote_page(words)


def test_each_sentence_of_the_index_is_broken_by_a_forgery():
    broken = {find_broken_rule(one) for one in FORGERIES}

    assert broken == {rule for _, _, rule in BROKEN} | {SEALING}


def test_no_two_forgeries_are_one():
    assert len({one.name for one in FORGERIES}) == len(FORGERIES)
    assert len(CONTRADICTED) >= FORGERIES_LEAST
