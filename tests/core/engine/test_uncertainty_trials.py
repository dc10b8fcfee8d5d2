"""Trials of a model: what is drawn, what follows, and the same bytes however they are computed."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from tests.core.engine import same_bytes
from tests.core.engine.same_bytes import (
    LOAD_VALUES,
    SHA_256,
    TARGETS,
    WIDE_SHA_256,
    digest,
    loads,
    setting_of_all,
    setting_of_loads,
)
from tests.core.engine.stated import program_of, setting_of, state, trials_of
from tests.core.engine.test_cases_compute_as_generation import documents
from tests.core.model.documents import model
from tests.examples import examples

from weighbridge.core.engine import GivenValues, try_out
from weighbridge.core.engine.trial_inputs import InputReadings
from weighbridge.core.engine.uncertainty_trials import (
    TrialSetting,
    check_trials,
    join_blocks,
    list_blocks,
    prepare_trials,
    run_trials,
)
from weighbridge.core.model import Aggregate, Constant, Input, StaticInput, Upstream, prepare
from weighbridge.core.model.aggregates import Reading
from weighbridge.core.time.calendar import Instant, Interval
from weighbridge.core.time.expectation import Meter
from weighbridge.core.uncertainty.correlation import build_pair
from weighbridge.modelling.documents import read_model

MODELS = Path(__file__).parents[3] / "packages" / "biochar-plant" / "models"
TRIALS = 100_000
NOTHING = state(standard="0")
NORMAL_1 = state(standard="1")
START = datetime(2025, 1, 1, tzinfo=UTC)


# With nothing uncertain, each trial is the run in decimals.


def state_nothing(found, given_values):
    """State of every value that is given that it is known exactly, so that all is computed over trials."""
    stated = {}
    for node in found.nodes:
        if isinstance(node.body, Constant) or (
            isinstance(node.body, Input | StaticInput | Upstream) and node.slug in given_values.values
        ):
            stated[node.slug] = (NOTHING,)
        if isinstance(node.body, Upstream):
            names = (f"{node.slug}.{slug}" for slug in node.body.attributes)
            stated |= {name: (NOTHING,) for name in names if name in given_values.values}
    return stated


def as_array(amount):
    return np.array([float(one) for one in (amount if isinstance(amount, tuple) else (amount,))])


@given(documents())
@settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
def test_trials_of_what_is_certain_are_the_run_in_decimals(case):
    found, given_values = case
    prepared = prepare(found)
    trial = try_out(prepared, given_values)

    program, problems = prepare_trials(
        TrialSetting(prepared, given_values, state_nothing(found, given_values)), tuple(found.slugs)
    )

    assert problems == trial.problems
    if program is None:
        return
    columns = run_trials(program, 4)
    amounts = {slug: as_array(amount) for slug, amount in trial.values.items() if amount is not None}
    # Of a small difference of large numbers, floats have the digits that these leave to it.
    largest = max((abs(one) for amount in amounts.values() for one in amount), default=0)
    for slug, expected in amounts.items():
        assert columns[slug].reshape(len(expected), 4) == pytest.approx(
            np.repeat(expected[:, np.newaxis], 4, axis=1), rel=1e-12, abs=max(1e-30, 4e-16 * largest)
        ), slug


def net_removal():
    return read_model((MODELS / "net-removal.yaml").read_text(encoding="utf-8"))


def test_the_cases_of_the_demonstration_are_met_by_every_trial():
    found = net_removal()
    prepared = prepare(found)
    for case in found.cases:
        given_values = GivenValues(case.inputs, case.partition)
        setting = TrialSetting(prepared, given_values, state_nothing(found, given_values))

        columns = trials_of(setting, 3, tuple(case.expect))

        for slug, amount in case.expect.items():
            expected = as_array(amount)
            assert np.round(columns[slug].reshape(len(expected), 3), case.places or 12).tolist() == [
                [one] * 3 for one in expected
            ]


# What is drawn.


def test_an_uncertain_value_reaches_what_is_computed_of_it():
    column = trials_of(
        setting_of(loads("last"), {"mass": "10", "fraction": "80"}, {"mass": state(standard="0.1")}), TRIALS
    )["result"]

    assert float(column.mean()) == pytest.approx(2.0, abs=4 * 0.02 / TRIALS**0.5)
    assert float(column.std()) == pytest.approx(0.02, rel=0.01)


def test_a_shared_effect_adds_up_and_independent_errors_in_squares():
    values = {"mass": ["10"] * 16, "fraction": "100"}
    shared = setting_of(loads(), values, {"mass": state(standard="0.1", effect="scale")})
    alone = setting_of(loads(), values, {"mass": state(standard="0.1")})

    assert float(trials_of(shared, TRIALS)["result"].std()) == pytest.approx(0.25 * 16 * 0.1, rel=0.01)
    assert float(trials_of(alone, TRIALS)["result"].std()) == pytest.approx(0.25 * 4 * 0.1, rel=0.01)


def test_what_is_missing_stays_so_and_a_default_stays_the_default():
    found = model("""
    - slug: mass
      unit: t
      default: 5
      input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    - slug: lab
      unit: "%"
      optional: true
      input: {event_type: lab, data_point_type: ash, aggregate: last}
    - {slug: loss, unit: "", constant: 0.25}
    - {slug: result, unit: t, formula: 'mass * (1 - coalesce(lab, loss))'}
    """)

    column = trials_of(
        setting_of(found, {}, {"mass": NORMAL_1, "lab": NORMAL_1, "loss": state(standard="0.01")}), 1000
    )["result"]

    assert float(column.mean()) == pytest.approx(3.75, abs=0.01)
    assert float(column.std()) == pytest.approx(0.05, rel=0.1)


def test_runs_draw_by_themselves_what_has_no_identity():
    def column(run, identity):
        stated = {"mass": state(standard="0.1", identity=identity)}
        return trials_of(setting_of(loads("last"), {"mass": "10", "fraction": "80"}, stated, run=run), 1000)[
            "result"
        ]

    assert list(column("bat_1", "evt_1")) == list(column("bat_2", "evt_1"))
    assert abs(float(np.corrcoef(column("bat_1", None), column("bat_2", None))[0, 1])) < 0.15


def test_correlated_effects_of_two_nodes_move_together():
    found = model("""
    - {slug: mass, unit: t, input: {event_type: delivery, data_point_type: mass, aggregate: last}}
    - {slug: tare, unit: t, input: {event_type: delivery, data_point_type: tare, aggregate: last}}
    - {slug: result, unit: t, formula: mass - tare}
    """)
    stated = {"mass": state(standard="3", effect="a"), "tare": state(standard="4", effect="b")}
    correlated = (build_pair("a", "b", Decimal("0.5")),)

    column = trials_of(setting_of(found, {"mass": "40", "tare": "10"}, stated, correlated=correlated), TRIALS)

    # 9 + 16 - 2 * 0.5 * 3 * 4
    assert float(column["result"].std()) == pytest.approx(13**0.5, rel=0.01)


def test_cells_of_tables_are_drawn():
    found = model(
        """
    - {slug: key, unit: "", constant: 2}
    - {slug: result, unit: kg, formula: 'lookup(factors, emission, key)'}
    """,
        more="""
    tables:
      factors:
        columns: [kind, emission: kg]
        rows: [[1, 10], [2, 20]]
    """,
    )
    stated_cells = {("factors", "emission"): (NOTHING, state(relative_standard="0.05"))}

    column = trials_of(setting_of(found, {}, {}, stated_cells=stated_cells), TRIALS)["result"]

    assert float(column.std()) == pytest.approx(1, rel=0.01)


def test_what_is_drawn_from_a_ledger_adds_up_to_what_is_needed_in_every_trial():
    found = net_removal()
    values = {
        "wet_mass": ["1.2", "0.8"], "moisture": ["10", "11.25"], "biochar_drawn": ["1", "0.79"],
        "biochar_drawn.organic_carbon": ["78.3", "70"], "biochar_drawn.hydrogen_to_carbon": ["0.27", "0.3"],
        "biochar_drawn.emissions_intensity": ["500", "200"], "soil_temperature": "24.5",
    }  # fmt: skip
    stated = {"wet_mass": state(relative_standard="0.02", effect="scale"), "moisture": state(standard="0.5")}

    columns = trials_of(
        setting_of(found, values, stated), TRIALS, ("dry_mass", "biochar_drawn", "net_removal")
    )

    drawn = columns["biochar_drawn"]
    assert drawn.sum(axis=0) == pytest.approx(columns["dry_mass"], rel=1e-14)
    assert drawn[0] / drawn[1] == pytest.approx(np.full(TRIALS, 1 / 0.79), rel=1e-14)
    assert float(columns["dry_mass"].std()) == pytest.approx(0.0364, rel=0.02)


def test_trials_without_a_result_are_no_numbers_and_the_others_stay():
    found = model("""
    - {slug: level, unit: "", input: {event_type: tank, data_point_type: level, aggregate: last}}
    - {slug: result, unit: "", formula: ln(level)}
    """)

    column = trials_of(setting_of(found, {"level": "1"}, {"level": NORMAL_1}), TRIALS)["result"]

    assert int(np.isnan(column).sum()) == pytest.approx(15_866, abs=500)


# Aggregates.


@pytest.mark.parametrize("aggregate", ["sum", "average", "min", "max", "count", "first", "last", "median"])
def test_an_aggregate_is_taken_in_every_trial(aggregate):
    unit = '""' if aggregate == "count" else "t"
    found = model(f"""
    - slug: result
      unit: {unit}
      input: {{event_type: delivery, data_point_type: mass, aggregate: {aggregate}}}
    - {{slug: mass, unit: t, input: {{event_type: delivery, data_point_type: mass, aggregate: values}}}}
    """)
    values = {"result": ["3", "1", "2", "4"], "mass": ["3", "1", "2", "4"]}
    readings = [state(standard="1", identity=f"evt_{place}") for place in range(4)]

    columns = trials_of(
        setting_of(found, values, {"result": readings, "mass": readings}), 500, ("result", "mass")
    )

    of_numpy = {
        "sum": np.sum, "average": np.mean, "min": np.min, "max": np.max, "median": np.median,
        "first": lambda mass, axis: mass[0], "last": lambda mass, axis: mass[-1],  # noqa: ARG005
        "count": lambda mass, axis: np.full(500, 4.0),  # noqa: ARG005
    }  # fmt: skip
    assert columns["result"] == pytest.approx(of_numpy[aggregate](columns["mass"], axis=0), rel=1e-12)


def readings_of(values, weights=None):
    """Hourly readings of two meters by turns, over a slot of so many hours less one."""
    start = Instant.of(START)
    hours = [start + timedelta(hours=place) for place in range(len(values))]
    meters = [Meter("East"), Meter("West")]
    readings = tuple(
        Reading(
            Interval(Instant.of(hour), Instant.of(hour)),
            Decimal(value),
            None if weights is None else Decimal(weights[place]),
            meters[place % 2],
        )
        for place, (hour, value) in enumerate(zip(hours, values, strict=True))
    )
    return InputReadings(readings, Interval(start, Instant.of(start + timedelta(hours=len(values)))))


AGGREGATES_OF_READINGS = {
    "time_weighted": (readings_of(["10", "20", "14", "26", "8", "30"]), None),
    "delta": (readings_of(["10", "100", "14", "130", "3", "135"]), None),
    "average": (readings_of(["10", "20", "14"], ["1", "3", "2"]), "flow"),
}


@pytest.mark.parametrize("aggregate", AGGREGATES_OF_READINGS)
def test_readings_are_aggregated_by_time_meters_and_weights_in_every_trial(aggregate):
    source, weight = AGGREGATES_OF_READINGS[aggregate]
    by_weight = f", weight: {weight}" if weight else ""
    found = model(f"""
    - slug: result
      unit: t
      input: {{event_type: meter, data_point_type: level, aggregate: {aggregate}{by_weight}}}
    """)
    shared, alone = state(standard="1", effect="meter"), state(standard="1")

    def column(stated):
        setting = setting_of(found, {}, {"result": stated}, readings={"result": source})
        program = program_of(setting)
        return program.estimates["result"], run_trials(program, TRIALS)["result"]

    estimate, certain = column(NOTHING)
    _, together = column(shared)
    _, independent = column(alone)

    assert estimate == source.aggregate(Aggregate(aggregate))
    assert certain == pytest.approx(np.full(TRIALS, float(estimate)), rel=1e-12)
    # A shared error shifts a mean by itself, and of a totaliser what it counted after its fall.
    assert float(together.std()) == pytest.approx(1, rel=0.01)
    assert float(independent.std()) == pytest.approx(SPREAD[aggregate], rel=0.01)


SPREAD = {"time_weighted": 21**0.5 / 11, "delta": 5**0.5, "average": 14**0.5 / 6}
"""By hand: five readings cover 2 h, one 1 h; of six readings one is in two steps that cancel; by weights."""


# The same bytes, however they are computed.


@pytest.mark.parametrize(
    ("setting", "sha_256"), [(setting_of_loads, SHA_256), (setting_of_all, WIDE_SHA_256)]
)
def test_the_bytes_are_the_same_everywhere(setting, sha_256):
    columns = trials_of(setting(seed=20), same_bytes.TRIALS, TARGETS)

    assert digest(columns) == sha_256


def test_blocks_of_any_size_in_any_order_have_the_same_bytes():
    program = program_of(setting_of_loads(), ("result", "other"))
    whole = digest(run_trials(program, 5000))

    for size in (7, 64, 500, 4999):
        blocks = list_blocks(5000, size)
        computed = {block: program.run_block(*block) for block in reversed(blocks)}
        assert digest(join_blocks(computed[block] for block in blocks)) == whole


def test_an_output_has_the_same_bytes_alone_and_with_others():
    setting = setting_of_loads()

    alone = trials_of(setting, 3000, ("result",))["result"]
    together = trials_of(setting, 3000, ("other", "mass", "result"))["result"]

    assert alone.tobytes() == together.tobytes()


def test_any_number_of_workers_gives_the_same_bytes():
    assert same_bytes.find_differences() == []


def test_another_seed_gives_other_trials():
    columns = [trials_of(setting_of_loads(seed=seed), 100)["result"] for seed in (1, 2)]

    assert not (columns[0] == columns[1]).any()


# What is refused.


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ({"result": NORMAL_1}, "'result' is no node that is given its value."),
        ({"mas": NORMAL_1}, "'mas' is no node that is given its value."),
        ({"mass": [NORMAL_1] * 2}, "'mass' has 3 values, and something is stated of 2."),
        (
            {"fraction": state(standard="1", degrees_of_freedom="0.5")},
            "The uncertainty of 'fraction' has 0.5 degrees of freedom; trials need at least 1.",
        ),
    ],
)
def test_what_cannot_be_stated_is_refused(stated, sentence):
    program, problems = prepare_trials(setting_of(loads(), LOAD_VALUES, stated), ("result",))

    assert program is None
    assert [problem.message for problem in problems] == [sentence]


def test_a_run_that_has_no_result_as_it_is_has_no_trials():
    setting = setting_of(loads(), {"fraction": "80"}, {})

    _, problems = prepare_trials(setting, ("result",))

    assert [problem.message for problem in problems] == ["Input 'mass' has no data."]


def test_too_many_trials_are_refused():
    program = program_of(setting_of_loads())
    many = replace(program, draws_of_a_trial=100_000)

    assert check_trials(program, 100_000) is None
    assert check_trials(program, 10**9).message == "A run has 100 to 10000000 trials; here are 1000000000."
    assert check_trials(many, 1_000_000).message == (
        "1000000 trials of 100000 uncertain values draw more than 10000000000 values; 100000 trials do not."
    )


def test_correlations_that_no_quantities_can_have_are_refused():
    correlated = (build_pair("a", "b", Decimal(2)),)

    _, problems = prepare_trials(setting_of(loads(), LOAD_VALUES, {}, correlated=correlated), ("result",))

    assert [problem.field for problem in problems] == ["correlated"]


def test_cells_of_texts_and_keys_are_refused():
    setting = setting_of(loads(), LOAD_VALUES, {}, stated_cells={("factors", "x"): (NORMAL_1,)})

    _, problems = prepare_trials(setting, ("result",))

    assert [problem.message for problem in problems] == [
        "'factors' has no column of numbers 'x' behind its first one."
    ]
