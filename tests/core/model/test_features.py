"""The features that a model asks of an engine."""

import pytest
from tests.core.model.documents import SETTINGS, model

from weighbridge.core.model import list_required_features

RESULT = "- {slug: result, unit: t, constant: 1}"
INPUT = "event_type: delivery, data_point_type: mass"
MASS = f"- {{slug: mass, unit: t, input: {{{INPUT}, aggregate: values}}}}"


def features(nodes, partition_type="time"):
    settings = SETTINGS.replace("feedstock", partition_type)
    return list_required_features(model(f"{RESULT}\n{nodes}", settings=settings))


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("- {slug: x, unit: t, formula: result * 2}", set()),
        (f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum}}}}", {"aggregate:sum"}),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: average, weight: load}}}}",
            {"aggregate:average"},
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, share: even}}}}",
            {"aggregate:sum", "share:even"},
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, straddle: start}}}}",
            {"aggregate:sum", "straddle:start"},
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, straddle: prorate}}}}",
            {"aggregate:sum", "straddle:prorate", "coverage"},
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, straddle: prorate, coverage: any}}}}",
            {"aggregate:sum", "straddle:prorate"},
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, coverage: 90%}}}}",
            {"aggregate:sum", "coverage"},
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, where: asset is null}}}}",
            {"aggregate:sum", "where"},
        ),
        (
            f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum, period: any}}}}",
            {"aggregate:sum", "period:any"},
        ),
        ("- {slug: x, unit: t, static_input: a}", {"static_input"}),
        ("- {slug: x, unit: t, static_input: a, by: asset}", {"static_input", "static_input:by:asset"}),
        (
            f"{MASS}\n- {{slug: x, unit: t, static_input: a, at: mass}}",
            {"aggregate:values", "static_input", "static_input:at"},
        ),
        ("- {slug: x, unit: t, upstream: {ledger: A, amount: result}}", {"upstream", "upstream:fifo"}),
        (
            "- {slug: x, unit: t, upstream: {ledger: A, amount: result, order: pro_rata, attributes: [a]}}",
            {"upstream", "upstream:pro_rata", "upstream:attributes"},
        ),
        ("- {slug: x, unit: t, upstream: {ledger: A, select: manual}}", {"upstream", "upstream:manual"}),
        ("- {slug: x, unit: t, available: A}", {"available"}),
        ("- {slug: x, unit: d, formula: period_days()}", {"function:period_days"}),
        ("- {slug: x, unit: h, formula: period_hours()}", {"function:period_hours"}),
        (
            f"{MASS}\n- {{slug: x, unit: h, formula: sum(duration_hours(mass))}}",
            {"aggregate:values", "function:duration_hours"},
        ),
    ],
)
def test_a_node_asks_for_these_features(node, expected):
    assert features(node) == expected


@pytest.mark.parametrize(
    ("on", "feature"),
    [("tracking_id", "join:tracking_id"), ("interval", "join:interval"), ("lot-number", "join:text")],
)
def test_a_join_asks_for_what_it_joins_on(on, feature):
    joined = f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: values, join: {{to: mass, on: {on}}}}}}}"

    assert feature in features(f"{MASS}\n{joined}")


def test_a_model_that_says_where_shares_are_cut_asks_for_that():
    settings = SETTINGS + "share_places: 2\n"

    assert "share_places" in list_required_features(
        model("- {slug: result, constant: 1, unit: t}", settings=settings)
    )


def test_a_model_with_partitions_asks_for_the_share_of_every_input():
    nodes = (
        f"- {{slug: x, unit: t, input: {{{INPUT}, aggregate: sum}}}}\n"
        f"- {{slug: y, unit: t, input: {{{INPUT}, aggregate: max}}}}\n"
        "- {slug: z, unit: '', formula: \"if(partition.feedstock = 'Wood', 1, 2)\"}"
    )

    assert features(nodes, "feedstock") == {
        "aggregate:sum", "aggregate:max", "share:even", "share:repeat", "partition_name",
    }  # fmt: skip
