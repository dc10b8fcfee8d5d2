"""Whether a report of several ledgers states the signed sum of what it takes of each.

    removal            1   100 t        counts for    100
    process emissions -1   12,500 kg    counts for  -12.5
    leakage           -1   2.5 t        counts for   -2.5
                                        it states      85 t

Invariants: roles, signs and units are those of the methodology, which the log vouches for; every inclusion is
of one of the ledgers; each counts for its amount times its sign, in the unit of the first, exactly.
"""

from collections.abc import Iterator
from decimal import Decimal

from weighbridge.core.bundle.contents import BundleContents
from weighbridge.core.bundle.methodology import StatedLedger
from weighbridge.core.number import EXACT, ZERO, exact_total, plain
from weighbridge.core.report_ledgers import find_exact_factor
from weighbridge.core.unit import UnitError, parse_unit


def list_ledger_ids(contents: BundleContents) -> set[str | None]:
    """The ids of the ledgers that the report takes of."""
    return {contents.report.ledger_id, *(one.ledger_id for one in contents.report.ledgers or ())}


def compute_taken(contents: BundleContents) -> Decimal:
    """What the report takes, all in all: of several ledgers what each counts for."""
    report = contents.report
    if report.ledgers is not None:
        return exact_total(Decimal(one.counted) for one in report.ledgers)
    return exact_total(Decimal(inclusion.amount) for inclusion in report.inclusions)


def find_wrong_ledgers(contents: BundleContents) -> Iterator[str]:
    """What is wrong with the ledgers that a report states."""
    report, roles = contents.report, contents.methodology and contents.methodology.ledgers
    if report.ledgers is None:
        if roles and report.inclusions:
            yield "Its methodology names several ledgers, and it states none."
        return
    stated = [(one.role, one.sign, one.unit) for one in report.ledgers]
    if stated != [(one.role, one.sign, one.unit) for one in roles or ()]:
        yield "Its ledgers have other roles, signs or units than its methodology names."
    if len({one.ledger_id for one in report.ledgers}) != len(report.ledgers):
        yield "It states a ledger twice."
    if not report.ledgers or report.ledgers[0].ledger_id != report.ledger_id:
        yield "Its first ledger is not the one whose unit it states."
        return
    for one in report.ledgers:
        yield from _check_ledger(contents, one)
    if report.effective_at is not None and compute_taken(contents) < ZERO:
        yield f"It comes to {plain(compute_taken(contents))}, and deducts more than it claims."


def _check_ledger(contents: BundleContents, stated: StatedLedger) -> Iterator[str]:
    """What is wrong with what a report states of one of its ledgers."""
    ledgers = {number: ledger.ledger_id for number, ledger in contents.ledgers.items()}
    of_ledger = {
        batch.batch_id for batch in contents.batches.values() if ledgers.get(batch.ledger) == stated.ledger_id
    }
    inclusions = [one for one in contents.report.inclusions if one.batch_id in of_ledger]
    taken = exact_total(Decimal(one.amount) for one in inclusions)
    if stated.batch_ids != [one.batch_id for one in inclusions] or Decimal(stated.amount) != taken:
        yield f"Its inclusions of {stated.role} come to {plain(taken)}, and it states something else."
    assert contents.report.ledgers is not None, "one of them is checked"  # noqa: S101
    try:
        units = parse_unit(stated.unit), parse_unit(contents.report.ledgers[0].unit)
    except UnitError as error:
        yield f"The unit of {stated.role} cannot be read: {error}"
        return
    factor = find_exact_factor(*units)
    if factor is None:
        yield f"The unit of {stated.role} does not convert exactly into that of the report."
    elif EXACT.multiply(EXACT.multiply(taken, factor), Decimal(stated.sign)) != Decimal(stated.counted):
        yield f"What {stated.role} counts for is not its amount with its sign, in the unit of the report."
