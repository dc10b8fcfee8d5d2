"""Trials whose bytes are known, for any Python to draw again: `python -m tests.core.engine.same_bytes`.

It needs the packages of the engine alone, so that it also runs where the service does not: `make same-bytes
PYTHON=python3.13` does that with what the package index has for that Python.
"""

import hashlib
import platform
import sys
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal
from multiprocessing import get_context

import numpy as np
from tests.core.engine.stated import program_of, setting_of, state, trials_of
from tests.core.model.documents import model

from weighbridge.core.engine.uncertainty_trials import join_blocks, list_blocks

SHA_256 = "c3110a13bc6dfe3f8b2d7c9551ed07143bfe838924d9abb6fe8440ae8cea85de"
"""Of 20,000 trials as Python 3.11 on x86-64 computed them; with NumPy 2.4."""

WIDE_SHA_256 = "ea60f64bddc6202126311a4e3263fc971adcc82adb3ee6c23e4b93cdf426ec7b"
"""Of 20,000 trials of every distribution and of every function of the language."""

TRIALS = 20_000
TARGETS = ("result", "other")

LOADS = """
- {slug: mass, unit: t, input: {event_type: delivery, data_point_type: mass, aggregate: AGGREGATE}}
- {slug: fraction, unit: "%", static_input: carbon}
- {slug: factor, unit: "kg{CO2e}/t", constant: 250}
- {slug: result, unit: "t{CO2e}", formula: mass * fraction * factor}
- {slug: other, unit: "t{CO2e}", formula: mass * factor}
"""
LOAD_VALUES = {"mass": ["10", "12.5", "8"], "fraction": "80"}
LOAD_STATED = {
    "mass": [
        state(relative_standard="0.01", effect="scale"),
        state(standard="50", unit="kg"),
        state(half_width="0.1", distribution="rectangular", effect="scale"),
    ],
    "fraction": state(half_width="3", distribution="triangular"),
    "factor": state(
        relative_percentiles={"low": Decimal("0.9"), "high": Decimal("1.2"), "probability": Decimal("0.9")}
    ),
}  # fmt: skip

WIDE = """
- {slug: a, unit: "", input: {event_type: lab, data_point_type: a, aggregate: last}}
- {slug: b, unit: "", input: {event_type: lab, data_point_type: b, aggregate: last}}
- {slug: c, unit: "", input: {event_type: lab, data_point_type: c, aggregate: last}}
- {slug: loads, unit: "", input: {event_type: lab, data_point_type: loads, aggregate: values}}
- {slug: result, unit: "", formula: "exp(-a / 7) * ln(b) + sqrt(c) ^ 1.7 + round(a / b, 3, 'half_even')"}
- {slug: other, unit: "", formula: "sum(loads * loads) / max(loads) + min(a, b) - average(loads) ^ (1 / 3)"}
"""
WIDE_VALUES = {"a": "3.25", "b": "19.5", "c": "101", "loads": ["4.5", "5.25", "6.125"]}
WIDE_STATED = {
    "a": state(half_width="0.5", distribution="arcsine"),
    "b": state(standard="0.7", degrees_of_freedom="5"),
    "c": state(percentiles={"low": Decimal(90), "high": Decimal(115), "probability": Decimal("0.95")}),
    "loads": [
        state(half_width="0.2", distribution="triangular"),
        state(standard="0.1", degrees_of_freedom="2.5", effect="balance"),
        state(relative_half_width="0.05", coverage_factor="2", effect="balance"),
    ],
}  # fmt: skip


def loads(aggregate="sum"):
    return model(LOADS.replace("AGGREGATE", aggregate))


def setting_of_loads(**others):
    return setting_of(loads(), LOAD_VALUES, LOAD_STATED, **others)


def setting_of_all(**others):
    """Every distribution, and the functions whose digits C libraries differ in."""
    return setting_of(model(WIDE), WIDE_VALUES, WIDE_STATED, **others)


def digest(columns):
    """The SHA-256 of columns, each in little-endian bytes."""
    return hashlib.sha256(
        b"".join(columns[slug].astype("<f8").tobytes() for slug in sorted(columns))
    ).hexdigest()


def run_in_worker(block):
    """Run a block in a process that prepares the trials by itself."""
    return program_of(setting_of_loads(seed=20), TARGETS).run_block(*block)


def find_differences():
    """What differs from the bytes that are known: of both models, and with 1, 2 and 4 workers."""
    found = {
        "loads": (digest(trials_of(setting_of_loads(seed=20), TRIALS, TARGETS)), SHA_256),
        "all functions": (digest(trials_of(setting_of_all(seed=20), TRIALS, TARGETS)), WIDE_SHA_256),
    }
    for workers in (1, 2, 4):
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            blocks = pool.map(run_in_worker, list_blocks(TRIALS, 3000))
            found[f"{workers} workers"] = digest(join_blocks(blocks)), SHA_256
    return [f"{name}: {one}, not {known}" for name, (one, known) in found.items() if one != known]


if __name__ == "__main__":
    differences = find_differences()
    made_by = f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}"
    result = "; ".join(differences) or "the same bytes with 1, 2 and 4 workers"
    sys.stdout.write(f"{made_by}: {result}\n")
    sys.exit(bool(differences))
