"""Element-wise formulas over a year of minutes, 2.6 million values: exact decimals against numpy on floats.

Ours: parse once, then compute arrays of decimals of 34 digits with units, as a model's nodes do. Baseline:
the same arithmetic in numpy on binary floats, without units; and, for what decimals cost by themselves, one
bare multiplication of two lists. Each runs in a process of its own, whose peak memory is what the system says
it was, less what the process held before it had any values.
"""

import math
import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from multiprocessing import get_context
from random import Random
from statistics import median
from typing import Any

from weighbridge.core.expression import Budget, Environment, evaluate, parse, quantities
from weighbridge.core.number import CONTEXT
from weighbridge.core.unit import parse_unit

MINUTES = 365 * 24 * 60
ROUNDS = 3
QUICK_ROUNDS = 30
"""How often numpy computes: what takes a millisecond is measured often."""
UNITS = {"energy": "kWh", "heat": "MJ", "flow": "t", "fraction": "%", "decay": ""}
BUDGET = 10**9


@dataclass(frozen=True)
class Formula:
    """A formula of the language, the same in numpy, and how many operations it does on each element."""

    text: str
    in_numpy: Callable[[Any, dict[str, Any]], Any]
    operations: int


FORMULAS = (
    Formula("flow * (1 - fraction)", lambda _, a: a["flow"] * (1 - a["fraction"] / 100), 2),
    Formula(
        "energy * flow + 2 * energy * flow / 3",
        lambda _, a: a["energy"] * a["flow"] + 2 * a["energy"] * a["flow"] / 3,
        5,
    ),
    Formula("energy + heat", lambda _, a: a["energy"] + a["heat"] / 3.6, 1),
    Formula("sum(energy * flow)", lambda _, a: (a["energy"] * a["flow"]).sum(), 2),
    Formula(
        "if(fraction > 0.25, flow, 2 * flow)",
        lambda np, a: np.where(a["fraction"] / 100 > 0.25, a["flow"], 2 * a["flow"]),
        3,
    ),
    Formula("exp(-decay)", lambda np, a: np.exp(-a["decay"]), 2),
    Formula("ln(decay)", lambda np, a: np.log(a["decay"]), 1),
)


def main() -> None:
    print(f"{len(UNITS)} arrays of {MINUTES:,} elements, {len(UNITS) * MINUTES:,} values; median of {ROUNDS}")
    print(f"{'formula':40} {'decimal':>9} {'float':>9} {'ratio':>7} {'decimal':>9} {'float':>8}")
    print(f"{'':40} {'s/M ops':>9} {'s/M ops':>9} {'':>7} {'peak MB':>9} {'peak MB':>8}")
    rows = []
    for index, formula in enumerate(FORMULAS):
        ours, our_memory, our_sample = _apart(_decimal, index)
        theirs, their_memory, their_sample = _apart(_float, index)
        assert all(
            math.isclose(left, right, rel_tol=1e-9)
            for left, right in zip(our_sample, their_sample, strict=True)
        )
        millions = formula.operations * MINUTES / 1e6
        rows.append((ours / millions, theirs / millions))
        print(
            f"{formula.text:40} {ours / millions:9.3f} {theirs / millions:9.4f} {ours / theirs:7.0f} "
            f"{our_memory:9.0f} {their_memory:8.0f}"
        )
    seconds, memory, _ = _apart(_bare, 0)
    bare = "one bare multiplication of decimals"
    print(f"{bare:40} {seconds / (MINUTES / 1e6):9.3f} {'':9} {'':7} {memory:9.0f}")
    print(f"{'median':40} {median(row[0] for row in rows):9.3f} {median(row[1] for row in rows):9.4f}")


def _apart(measure: Callable[[int], tuple[float, float, list[float]]], index: int) -> Any:
    """Measure in a new process, so that one measurement leaves nothing to the next."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure, index).result()


def _decimal(index: int) -> tuple[float, float, list[float]]:
    before = _peak_mb()
    values = {
        slug: quantities([Decimal(digits) for digits in _digits(slug)], parse_unit(unit), "the minutes")
        for slug, unit in UNITS.items()
    }
    tree = parse(FORMULAS[index].text)

    def once() -> Any:
        return evaluate(tree, Environment(values), Budget(BUDGET)).content

    return _timed(once, before, ROUNDS)


def _bare(_: int) -> tuple[float, float, list[float]]:
    before = _peak_mb()
    energy, flow = ([Decimal(digits) for digits in _digits(slug)] for slug in ("energy", "flow"))
    return _timed(lambda: tuple(map(CONTEXT.multiply, energy, flow)), before, ROUNDS)


def _float(index: int) -> tuple[float, float, list[float]]:
    import numpy  # noqa: PLC0415, ICN001 - an import of the measured process alone

    before = _peak_mb()
    arrays = {slug: numpy.fromiter(map(float, _digits(slug)), float, MINUTES) for slug in UNITS}

    def once() -> Any:
        return FORMULAS[index].in_numpy(numpy, arrays)

    return _timed(once, before, QUICK_ROUNDS)


def _timed(once: Callable[[], Any], before: float, rounds: int) -> tuple[float, float, list[float]]:
    seconds = []
    result = None
    for _ in range(rounds):
        start = time.perf_counter()
        result = once()
        seconds.append(time.perf_counter() - start)
    return median(seconds), _peak_mb() - before, _sample(result)


def _digits(slug: str) -> list[str]:
    """Readings with four decimals, the same on every run."""
    numbers = Random(slug)  # noqa: S311 - no secrets
    return [f"{numbers.randint(1, 499_999) / 10_000:.4f}" for _ in range(MINUTES)]


def _sample(result: Any) -> list[float]:
    is_array = isinstance(result, Sequence) or getattr(result, "ndim", 0)
    return [float(one) for one in (result[:1000] if is_array else [result])]


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
