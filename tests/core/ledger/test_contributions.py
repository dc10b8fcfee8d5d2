"""What contributes does not depend on the decimal context of the thread."""

from decimal import ROUND_DOWN, Decimal, localcontext

from weighbridge.core.ledger.allocation import (
    ValueSource,
    compute_shares,
    find_magnitude,
    multiply_contributions,
    spread,
)

THIRD = Decimal(20) / Decimal(3)
LONG = Decimal("-6.666666666666666666666666666666667")


def contributing():
    own = {ValueSource.CAPTURED: find_magnitude(LONG), ValueSource.SUBSTITUTED: THIRD}
    return multiply_contributions(own, LONG), spread(LONG, own), compute_shares(own)


def test_another_context_of_the_thread_changes_no_digit():
    with localcontext() as ambient:
        ambient.prec = 3
        ambient.rounding = ROUND_DOWN
        narrow = contributing()

    assert narrow == contributing()


def test_a_size_has_the_digits_that_batches_have_always_kept():
    assert find_magnitude(LONG) == Decimal("6.666666666666666666666666667")
