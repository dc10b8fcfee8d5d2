"""What rules filled: `verify` and `bundle check` compute its uncertainty again from what it rests on."""

import pytest
from tests.accounting.batch_generations.test_uncertainty_of_filled_values import (
    METHODS,
    Series,
    build_generate,
    generate,
)
from tests.given import bundles
from tests.given.forging import Operator

from weighbridge.verification import verify

__all__ = ["generate"]

MEAN = {"method": "mean"} | METHODS["mean"]


@pytest.fixture(scope="module")
def server(lone_server):
    """A service whose database has the events of this file alone, for verifying looks at all of them."""
    with lone_server() as server:
        yield server


STATED = {"method": "constant", "value": 60, "uncertainty": {"relative_standard": 0.2}}
CASES = [
    *[(nodes, MEAN) for nodes in ("summed", "one by one", "weighted", "weighted one by one", "by time")],
    ("averaged", {"method": "linear"}),
    ("summed", {"method": "mean_plus_sd"} | METHODS["mean_plus_sd"]),
    ("summed", {"method": "constant", "value": 60}),
    ("summed", STATED),
    ("one by one", STATED),
    *[(nodes, MEAN) for nodes in ("joined average by weight", "joined and summed")],
    ("joined average", STATED),
]


@pytest.mark.parametrize(("nodes", "correction"), CASES)
def test_filled_values_are_computed_again(api, account, generate, nodes, correction):
    check_again(api, account, generate, nodes, correction)


def test_a_joined_input_that_correlations_name_is_computed_again(api, account, generate):
    pairs = "uncertainty: {correlations: [{between: [at_trucks, factor], coefficient: 0.5}]}"
    check_again(api, account, generate, "joined and multiplied", MEAN, pairs)


def check_again(api, account, generate, nodes, correction, *head):
    series = Series(f"bundle {nodes} {correction}", imputes=not nodes.startswith("weighted"))
    batch = generate(series, nodes, correction, *head)
    ledger = api.get(f"/ledgers/{batch['ledger_id']}").expect(200).body

    bundle = bundles.bundle(account, bundles.report_of(api, ledger))

    assert bundle.faults() == []
    assert not [one for one in bundle.check().unbound if "uncertainty" in one]
    found = account.server.run(verify(account.server.database))
    assert {one.rule: one.violations for one in found.checks if one.violations} == {}


# What an operator writes otherwise of the readings that a filled value rests on: a column of the first row
# of `sources.csv`, and the part where it is found.
FORGED = {
    "a reading weighs less": ("weight", "0.125", "sources.csv"),
    "a reading was another": ("value", "1.5", "sources.csv"),
    "a reading was taken later": ("start_time", "2025-01-01T23:30:00.000Z", "sources.csv"),
    "a reading was of another meter": ("asset", "Other", "sources.csv"),
    "a reading states less": ("statement", '"{""standard"":""0.01""}"', "sources.csv"),
    "a correction that is not there": ("correction", "0", "sources.csv"),
    "a reading counts from its second version": ("version", "1", "sources.csv"),
}


@pytest.fixture(scope="module")
def operator(server):
    account = server.account()
    api = account.caller()
    batch = build_generate(api, account)(Series("forged"), "summed", MEAN)
    ledger = api.get(f"/ledgers/{batch['ledger_id']}").expect(200).body
    return Operator(bundles.bundle(account, bundles.report_of(api, ledger)))


def rewrite(rows):
    """A change of the rows of `sources.csv`."""

    def change(parts):
        header, *lines = parts["sources.csv"].decode().splitlines()
        parts["sources.csv"] = "".join(f"{line}\n" for line in (header, *rows(header, lines))).encode()

    return change


@pytest.mark.parametrize("name", FORGED)
def test_sources_that_an_operator_writes_otherwise_are_found(operator, name):
    column, text, where = FORGED[name]

    def write_otherwise(header, lines):
        fields = lines[0].split(",")
        assert fields[header.split(",").index(column)] != text
        fields[header.split(",").index(column)] = text
        return [",".join(fields), *lines[1:]]

    found = operator.bundle.check_of(operator.forge(rewrite(write_otherwise)), what=name).faults.listed

    assert where in {fault.part for fault in found}, [fault.text for fault in found]


def test_a_source_that_an_operator_leaves_out_is_found(operator):
    content = operator.forge(rewrite(lambda _, lines: lines[1:]))

    found = operator.bundle.check_of(content, what="a source less").faults.listed

    assert "sources.csv" in {fault.part for fault in found}


def test_weights_that_do_not_add_up_to_the_value_are_found_without_the_components(operator):
    """The value follows from readings and weights, so neither is believed by the seal alone."""
    found = operator.bundle.check_of(
        operator.forge(rewrite(lambda _, lines: [lines[0].replace(",0.25,", ",0.26,", 1), *lines[1:]])),
        what="a weight of another",
    ).faults.listed

    texts = [fault.text for fault in found if fault.part == "sources.csv"]
    assert any("do not add up to 1" in text for text in texts), texts
    assert any("come to another value than" in text for text in texts), texts
