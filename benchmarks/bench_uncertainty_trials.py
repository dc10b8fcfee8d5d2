"""Trials of the demonstration's net removal: 100,000 of JCGM 101, on two processes, beside a NumPy script.

Ours: the model's document, with what certificates state of a month of loads, draws and the soil's
temperature, repeated in each trial with our own draws and functions of floats, the same on every machine.
Baseline: the same model and the same distributions, written by hand for NumPy, with its own generator and
functions, in parts that fit the cache. Both run in processes that are ready, by turns; the ratio is that of
processor time, which other work on the machine changes less. That memory is flat shows with ten times the
trials.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: its threads would only wait

import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal
from functools import cache, partial
from multiprocessing import get_context
from random import Random
from statistics import median

import numpy as np

from weighbridge.core.engine import GivenValues
from weighbridge.core.engine.uncertainty_trials import (
    TrialProgram,
    TrialSetting,
    list_blocks,
    prepare_trials,
)
from weighbridge.core.model import prepare
from weighbridge.core.uncertainty.sampling import UncertainValue
from weighbridge.core.uncertainty.statement import build_statement
from weighbridge.core.uncertainty.trial_summary import summarise
from weighbridge.demo.plant import PACKAGE_FOLDER
from weighbridge.modelling.documents import read_model

TRIALS = 100_000
LOADS = 60
"""Loads of biochar in a month and feedstock."""
DRAWS = 8
"""Batches that they were drawn from."""
WORKERS = 2
ROUNDS = 5
SECONDS_WANTED = 20
RATIO_WANTED = 5
TARGETS = ("net_removal", "stored", "emissions")
CHUNKS = 20
"""Parts in which each script computes, so that its arrays stay in the cache."""


@cache
def loads() -> tuple[list[float], list[float]]:
    """Wet mass in t and moisture in percent of each load, the same on every run."""
    numbers = Random(1)  # noqa: S311 - no secrets
    return [round(numbers.uniform(0.8, 1.6), 3) for _ in range(LOADS)], [
        round(numbers.uniform(8, 20), 2) for _ in range(LOADS)
    ]


@cache
def draws() -> dict[str, list[float]]:
    """What each draw is and brings along."""
    numbers = Random(2)  # noqa: S311 - no secrets
    masses, moistures = loads()
    dry = sum(mass * (1 - moisture / 100) for mass, moisture in zip(masses, moistures, strict=True))
    return {
        "": [dry / DRAWS] * DRAWS,
        ".organic_carbon": [round(numbers.uniform(70, 85), 1) for _ in range(DRAWS)],
        ".hydrogen_to_carbon": [round(numbers.uniform(0.2, 0.4), 2) for _ in range(DRAWS)],
        ".emissions_intensity": [round(numbers.uniform(150, 500), 1) for _ in range(DRAWS)],
    }


def state(**fields: str) -> tuple[UncertainValue, ...]:
    texts = {"effect", "distribution"}
    statement, problems = build_statement(
        {key: value if key in texts else Decimal(value) for key, value in fields.items()}
    )
    assert statement is not None, problems
    return (UncertainValue((statement,)),)


def both(*stated: tuple[UncertainValue, ...]) -> tuple[UncertainValue, ...]:
    return (UncertainValue(tuple(statement for [one] in stated for statement in one.statements)),)


@cache
def program() -> TrialProgram:
    """The trials of our model, ready to run in this process."""
    model = read_model((PACKAGE_FOLDER / "models" / "net-removal.yaml").read_text(encoding="utf-8"))
    masses, moistures = loads()
    values: dict[str, Decimal | tuple[Decimal, ...]] = {
        "wet_mass": tuple(Decimal(str(mass)) for mass in masses),
        "moisture": tuple(Decimal(str(moisture)) for moisture in moistures),
        "soil_temperature": Decimal("14.9"),
    }
    values |= {
        f"biochar_drawn{name}": tuple(Decimal(str(one)) for one in column) for name, column in draws().items()
    }
    stated = {
        "wet_mass": both(state(relative_standard="0.01", effect="weighbridge"), state(standard="0.005")),
        "moisture": both(
            state(standard="0.4", effect="meter"), state(half_width="0.5", distribution="rectangular")
        ),
        "soil_temperature": state(standard="0.3"),
        "biochar_drawn.organic_carbon": state(relative_standard="0.02", effect="laboratory"),
        "biochar_drawn.hydrogen_to_carbon": state(relative_standard="0.03"),
        "biochar_drawn.emissions_intensity": state(relative_standard="0.05", effect="grid factor"),
    }
    setting = TrialSetting(prepare(model), GivenValues(values), stated)
    prepared, problems = prepare_trials(setting, TARGETS)
    assert prepared is not None, problems
    return prepared


def run_block(block: tuple[int, int]) -> dict[str, np.ndarray]:
    return program().run_block(*block)


def run_script(chunk: tuple[int, int]) -> dict[str, np.ndarray]:
    """The same model as a script, with NumPy's generator and functions."""
    seed, count = chunk
    generator = np.random.Generator(np.random.Philox(key=seed))
    masses, moistures = (np.array(column)[:, np.newaxis] for column in loads())
    drawn = {name: np.array(column)[:, np.newaxis] for name, column in draws().items()}
    normal = generator.standard_normal
    wet = masses * (1 + 0.01 * normal(count)) + 0.005 * normal((LOADS, count))
    moisture = moistures + 0.4 * normal(count) + generator.uniform(-0.5, 0.5, (LOADS, count))
    dry = np.sum(wet * (1 - moisture / 100), axis=0)
    amounts = drawn[""] * (dry / np.sum(drawn[""]))
    carbon = drawn[".organic_carbon"] * (1 + 0.02 * normal(count))
    ratio = drawn[".hydrogen_to_carbon"] * (1 + 0.03 * normal((DRAWS, count)))
    intensity = drawn[".emissions_intensity"] * (1 + 0.05 * normal(count))
    temperature = np.round(np.maximum(14.9 + 0.3 * normal(count), 7), 1)
    slope = -0.383 + 0.350 * np.log(temperature)
    durable = np.minimum(0.95, 1 - (-0.048 + slope * ratio))
    stored = np.sum(amounts * carbon / 100 * durable, axis=0) * (44.01 / 12.01)
    emissions = np.sum(amounts * intensity, axis=0) / 1000
    return {"net_removal": stored - emissions, "stored": stored, "emissions": emissions}


def main() -> None:
    print(f"{TRIALS:,} trials of net removal, {LOADS} loads and {DRAWS} draws; median of {ROUNDS}")
    chunk = TRIALS // CHUNKS
    ours = [*list_blocks(TRIALS, program().block_size)]
    theirs = [(seed, chunk) for seed in range(CHUNKS)]
    results = [np.concatenate([run(block)["net_removal"] for block in blocks]) for run, blocks in (
        (run_block, ours), (run_script, theirs))]  # fmt: skip
    for name, values in zip(("ours", "NumPy script"), results, strict=True):
        found = summarise(values).distributed
        assert found is not None
        print(f"  {name:14} mean {found.mean:.4f}, u {found.standard_uncertainty:.4f} t{{CO2e}}")
    print(f"{'':28} {'wall':>8} {'processor':>10} {'peak MB':>9}")
    rows = measure({"ours": (run_block, ours), "NumPy script": (run_script, theirs)})
    many = list_blocks(10 * TRIALS, program().block_size)
    rows |= measure({"ours, ten times the trials": (run_block, many)}, rounds=1)
    for name, (wall, processor, memory) in rows.items():
        print(f"{name:28} {wall:7.2f}s {processor:9.2f}s {memory:9.0f}")
    ratio = rows["ours"][1] / rows["NumPy script"][1]
    print(f"ratio of processor time: {ratio:.1f}, wanted at most {RATIO_WANTED}")
    print(f"seconds on {WORKERS} processes: {rows['ours'][0]:.2f}, wanted at most {SECONDS_WANTED}")


Block = tuple[int, int]
Run = Callable[[Block], dict[str, np.ndarray]]


def measure(
    programs: dict[str, tuple[Run, list[Block]]], rounds: int = ROUNDS
) -> dict[str, tuple[float, float, float]]:
    """Return for each the medians of seconds, by the clock and of processors, and the peak of a process."""
    pools = {name: ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) for name in programs}
    for pool in pools.values():
        [*pool.map(get_ready, range(WORKERS))]
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, (run, blocks) in programs.items():
            start = time.perf_counter()
            processor = sum(pools[name].map(partial(take_time, run), blocks))
            taken[name].append((time.perf_counter() - start, processor))
    peaks = {name: max(pool.map(peak_mb, range(4 * WORKERS))) for name, pool in pools.items()}
    for pool in pools.values():
        pool.shutdown()
    return {
        name: (median(wall for wall, _ in each), median(processor for _, processor in each), peaks[name])
        for name, each in taken.items()
    }


def take_time(run: Run, block: Block) -> float:
    """Return the processor time that a block takes."""
    start = time.process_time()
    run(block)
    return time.process_time() - start


def get_ready(_: int) -> float:
    program()
    time.sleep(1)  # so that each process takes one
    return peak_mb(0)


def peak_mb(_: int) -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
