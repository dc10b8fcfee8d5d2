"""A bundle has what re-derives how uncertain its batches are: statements, calibrations, and components."""

import re

import pytest
from tests.given import bundles, uncertain
from tests.given.forging import Operator

from weighbridge.core.bundle.archive import read_parts


@pytest.fixture(scope="module")
def bundle(server):
    account = server.account()
    made = uncertain.told(account)
    return bundles.bundle(account, bundles.report_of(made.plant.api, made.sales.ledger))


@pytest.fixture(scope="module")
def operator(bundle):
    return Operator(bundle)


def part(bundle, name):
    return bytes(read_parts(memoryview(bundle.content))[name]).decode()


def replace(name, before, after, count=1):
    """A change of a part, which must have what is replaced."""

    def change(parts):
        assert before in parts[name].decode(), before
        parts[name] = parts[name].decode().replace(before, after, count).encode()

    return change


def test_a_bundle_with_all_kinds_of_statements_is_valid(bundle):
    assert bundle.faults() == []
    assert '"format":5' in part(bundle, "bundle.json")


@pytest.mark.parametrize(
    ("nodes", "fields"),
    [(uncertain.ONE_BY_ONE, {}), (uncertain.SHARED, {"partition_type": "asset"})],
    ids=["one by one", "shared over scales"],
)
def test_every_way_of_reading_and_sharing_is_recomputed(account, nodes, fields):
    head = "uncertainty: {coverage_probability: 0.95}\n"
    made = uncertain.told(account, nodes, head=head, **fields)

    bundle = bundles.bundle(account, bundles.report_of(made.plant.api, made.sales.ledger))

    assert bundle.faults() == []
    assert '"expanded_uncertainty"' in part(bundle, "uncertainties.jsonl")


def test_percentiles_are_recomputed(account):
    head = "uncertainty: {coverage_probability: 0.95}\n"
    stated = "{relative_percentiles: {low: 0.9, high: 1.2, probability: 0.9}}"
    nodes = uncertain.ONE_BY_ONE.replace("{relative_standard: 0.01}", stated)
    made = uncertain.told(account, nodes, head=head)

    bundle = bundles.bundle(account, bundles.report_of(made.plant.api, made.sales.ledger))

    assert bundle.faults() == []


@pytest.mark.parametrize("rule", ["standard_deviations: 1", "percentile: 0.05"])
def test_a_discount_is_recomputed(account, rule):
    head = "uncertainty: {coverage_probability: 0.95}\n"
    discounted = uncertain.ONE_BY_ONE.replace(
        "output: true\n", f"output: true\n    discount: {{{rule}}}\n", 1
    )
    made = uncertain.told(account, discounted, head=head)

    bundle = bundles.bundle(account, bundles.report_of(made.plant.api, made.sales.ledger))

    [credit, *_] = [
        one["uncertainty"]["credit"]
        for one in made.plant.batches()
        if one["uncertainty"] and one["uncertainty"]["credit"]
    ]
    assert credit["discount"] > 0
    assert bundle.faults() == []


def test_statements_and_calibrations_have_the_batches_that_were_made_while_they_held(bundle):
    [_, first, second] = part(bundle, "calibrations.csv").splitlines()
    assert (first.split(",")[1], second.split(",")[1]) == ("0", "1")
    kinds = [line.split(",")[0] for line in part(bundle, "statements.csv").splitlines()[1:]]
    assert {*kinds} == {"static_input", "type", "value"}


def test_models_that_do_not_ask_make_bundles_as_before(account):
    made = uncertain.works(account, uncertain.PLAIN, head="")
    made.restate(made.own_events[0], None)
    made.restate(made.own_events[1], None)
    made.plant.generate(uncertain.TIMES)

    bundle = bundles.bundle(account, bundles.report_of(made.plant.api, made.plant.ledger))

    assert '"format":4' in part(bundle, "bundle.json")
    assert not {"statements.csv", "uncertainties.jsonl"} & read_parts(memoryview(bundle.content)).keys()
    assert bundle.faults() == []


def with_batch(of):
    """A change of the first calibration, which then names one batch more: `of` the last that it names."""

    def change(parts):
        text = parts["calibrations.csv"].decode()
        parts["calibrations.csv"] = re.sub(
            r",(\d+)-(\d+)\n", lambda found: f",{found[1]}-{of(int(found[2]))}\n", text, count=1
        ).encode()

    return change


FORGED = {
    "a type states less": (
        "statements.csv", '""standard"":""25""', '""standard"":""5""', "statements.csv",
    ),
    "a static input states less": (
        "statements.csv", '""relative_standard"":""0.05""', '""relative_standard"":""0.01""',
        "statements.csv",
    ),
    "a certificate states less": (
        "calibrations.csv", '""relative_standard"":""0.02""', '""relative_standard"":""0.01""',
        "calibrations.csv",
    ),
    "a certificate holds later": (
        "calibrations.csv", "2025-01-11T00:00:00.000Z", "2025-02-11T00:00:00.000Z", "calibrations.csv",
    ),
    "a single value states less than was captured": (
        "statements.csv", '""standard"":""0.05""', '""standard"":""0.01""', "statements.csv",
    ),
    "a component is smaller": (
        "uncertainties.jsonl", '"by_input":{"loads":"0.', '"by_input":{"loads":"0.0', "uncertainties.jsonl",
    ),
    "another coverage probability": (
        "uncertainties.jsonl", '"coverage_probability":"0.9"', '"coverage_probability":"0.95"',
        "uncertainties.jsonl",
    ),
    "another standard uncertainty": (
        "uncertainties.jsonl", '"standard_uncertainty":"', '"standard_uncertainty":"1', "uncertainties.jsonl",
    ),
    "another number of degrees of freedom": (
        "uncertainties.jsonl", '"degrees_of_freedom":"237.', '"degrees_of_freedom":"238.',
        "uncertainties.jsonl",
    ),
    "another interval": (
        "uncertainties.jsonl", '"expanded_uncertainty":"0.', '"expanded_uncertainty":"0.9',
        "uncertainties.jsonl",
    ),
    "another owner": (
        "uncertainties.jsonl", '"owner":"Deliveries"', '"owner":"Others"', "uncertainties.jsonl",
    ),
    "no statement": ("statements.csv", '""standard"":""25""', '""standard"":""-25""', "statements.csv"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_what_an_operator_writes_otherwise_is_found(operator, name):
    changed, before, after, where = FORGED[name]

    content = operator.forge(replace(changed, before, after))

    found = operator.bundle.check_of(content, what=name).faults.listed
    assert any(fault.part == where for fault in found), [fault.text for fault in found]


@pytest.mark.parametrize(
    "name",
    [
        "a type states less", "a static input states less", "a certificate states less",
        "a certificate holds later",
    ],
)  # fmt: skip
def test_statements_are_compared_with_the_log(operator, name):
    part, before, after, _ = FORGED[name]

    found = operator.bundle.check_of(operator.forge(replace(part, before, after)), what=name).faults.listed

    assert any(fault.part == part and "the log says" in fault.text for fault in found), found


def test_a_certificate_that_an_operator_leaves_out_is_found(operator):
    def change(parts):
        parts["calibrations.csv"] = parts["calibrations.csv"].splitlines(keepends=True)[0]

    found = operator.bundle.check_of(operator.forge(change), what="no certificate").faults.listed

    assert any(fault.part == "calibrations.csv" and "was entered" in fault.text for fault in found), found


@pytest.mark.parametrize("of", [lambda last: last + 1, lambda last: f"{last},9999"], ids=["twice", "none"])
def test_a_version_that_names_the_batch_of_another_or_none_is_found(operator, of):
    found = operator.bundle.check_of(operator.forge(with_batch(of))).faults.listed

    assert "calibrations.csv" in {fault.part for fault in found}
