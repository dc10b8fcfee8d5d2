"""A value of a static input has one effect, whatever the nodes are called that read it, in trials as well."""

from decimal import Decimal

from tests.given import accounting
from tests.given import inputs as given_inputs
from tests.given.inputs import measure
from tests.given.uncertain_chains import JANUARY, TRIALS, asking, further, plant, run, state_of_type

LOADS = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
"""
SHARED = f"""{LOADS}
  - slug: share
    static_input: carbon-share
    unit: "1"
  - slug: mass
    formula: loads * share
    unit: t
"""
DRAWING = """
  - slug: weighed
    input: {event_type: tank, data_point_type: level, aggregate: sum}
    unit: t
  - slug: portion
    static_input: carbon-share
    unit: "1"
  - slug: drawn
    upstream: {ledger: Deliveries, amount: weighed}
    unit: t
  - slug: mass
    formula: sum(drawn) + weighed * portion
    unit: t
"""
TWO = f"""{LOADS}
  - slug: share
    static_input: carbon-share
    unit: "1"
  - slug: emptied
    static_input: tare
    unit: t
  - slug: mass
    formula: loads * share + emptied
    unit: t
"""


def enter(books, slug, value, statement, **fields):
    body = {
        "slug": slug, "value": value, "unit": "1", "effective_from": "2024-01-01T00:00:00Z",
        "uncertainty": statement,
    } | fields  # fmt: skip
    path = f"/projects/{books.project['id']}/static_inputs"
    return books.api.post(path, {"static_input": body}).expect(201).body


def correlating(api, drain, coefficient):
    """A plant whose model correlates its two static inputs."""
    books = given_inputs.plant(api, drain, TWO, primary_output="mass")
    setting = f"{{correlations: [{{between: [share, emptied], coefficient: {coefficient}}}]}}"
    text = asking(TWO).replace("{coverage_probability: 0.95}", setting)
    accounting.version(api, books.model, text, activate=True)
    return books


def uncertainty_of(books):
    [batch] = books.batches()
    found = books.api.get(f"/batches/{batch['id']}").expect(200).body["uncertainty"]
    return batch, found


def assert_alike(found, expected):
    """Trials agree with first order, of which `expected` is the standard uncertainty."""
    assert abs(found["first_order"]["standard_uncertainty"] - expected) < Decimal("1e-11")
    ratio = Decimal(found["standard_uncertainty"]) / expected
    assert abs(ratio - 1) < 4 / Decimal(2 * (TRIALS - 1)).sqrt()


def test_models_that_name_a_static_input_differently_share_its_effect(api, drain):
    books = plant(api, drain, SHARED)
    enter(books, "carbon-share", 0.8, {"standard": 0.05})
    measure(books, "delivery", {"mass": 10}, "2025-01-10")
    measure(books, "tank", {"level": 4}, "2025-01-20")
    books.generate(JANUARY)
    sold = further(books, DRAWING, "Sold")

    sold.generate(JANUARY)

    batch, found = uncertainty_of(sold)
    # Half of what 10 t make of the share, 0.25 t, and what 4 t make of it, 0.2 t: one error.
    assert [(line["effect"], line["input"], line["contribution"]) for line in found["budget"]] == [
        ("carbon-share", "share", Decimal("0.25")), ("carbon-share", "portion", Decimal("0.2"))
    ]  # fmt: skip
    assert found["standard_uncertainty"] == Decimal("0.45")
    assert_alike(run(sold, f"/batches/{batch['id']}"), Decimal("0.45"))


def test_correlated_static_inputs_are_correlated_in_trials(api, drain):
    books = correlating(api, drain, "0.75")
    enter(books, "carbon-share", 0.8, {"standard": 0.05})
    enter(books, "tare", 2, {"standard": 0.3}, unit="t")
    measure(books, "delivery", {"mass": 10}, "2025-01-10")

    books.generate(JANUARY)

    batch, _ = uncertainty_of(books)
    # 10 t times 0.05 of the share, 0.3 t of the tare, and twice 0.75 of their product.
    a, b = Decimal("0.5"), Decimal("0.3")
    assert_alike(run(books, f"/batches/{batch['id']}"), (a * a + b * b + Decimal("1.5") * a * b).sqrt())


def test_a_static_input_is_drawn_once_where_one_model_correlates_it_and_another_does_not(api, drain):
    books = correlating(api, drain, "0.5")
    enter(books, "carbon-share", 0.8, {"standard": 0.05})
    enter(books, "tare", 2, {"standard": 0.3}, unit="t")
    measure(books, "delivery", {"mass": 10}, "2025-01-10")
    measure(books, "tank", {"level": 5}, "2025-01-20")
    books.generate(JANUARY)
    sold = further(books, DRAWING, "Sold")

    sold.generate(JANUARY)

    batch, _ = uncertainty_of(sold)
    # Half of 10 t are drawn: 0.25 t and 0.15 t; 5 t make 0.25 t more of the share.
    a, b = Decimal("0.5"), Decimal("0.15")
    assert_alike(run(sold, f"/batches/{batch['id']}"), (a * a + b * b + a * b).sqrt())


def test_a_static_input_states_in_its_own_unit_in_trials(api, drain):
    books = plant(api, drain, TWO)
    enter(books, "carbon-share", 0.8, {"standard": 0})
    enter(books, "tare", 2000, {"standard": 300}, unit="kg")
    measure(books, "delivery", {"mass": 10}, "2025-01-10")

    books.generate(JANUARY)

    batch, _ = uncertainty_of(books)
    assert_alike(run(books, f"/batches/{batch['id']}"), Decimal("0.3"))


def test_a_relative_error_of_a_negative_value_keeps_its_sign(api, drain):
    nodes = TWO.replace("+ emptied", "+ emptied + sum(each)").replace(
        "  - slug: mass\n",
        "  - slug: each\n    static_input: {slug: tare, at: list}\n    unit: t\n  - slug: mass\n",
    ).replace("  - slug: share", "  - slug: list\n    input: {event_type: delivery, data_point_type: mass,"
              " aggregate: values}\n    unit: t\n  - slug: share", 1)  # fmt: skip
    books = plant(api, drain, nodes)
    enter(books, "carbon-share", 2, {"standard": 0})
    enter(books, "tare", -2, {"relative_standard": 0.1}, unit="t")
    for day in (10, 11):
        measure(books, "delivery", {"mass": 10}, f"2025-01-{day}")
    state_of_type(books, None)

    books.generate(JANUARY)

    batch, _ = uncertainty_of(books)
    # Three times -2 t, each moved by the same tenth.
    assert_alike(run(books, f"/batches/{batch['id']}"), Decimal("0.6"))
