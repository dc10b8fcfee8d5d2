"""POST /models/{model_id}/model_runs. Reference 2.2: "runs at once; evaluates the node tree over the given
data points". What cannot count is refused by name; an evaluation that fails is kept as a failed run.
"""

import re
from decimal import Decimal

import pytest
from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import JANUARY, MASS, document
from tests.given.model_runs import Yard

DRY = """
  - slug: wet
    name: Mass as delivered
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: kg
  - slug: moisture
    input: {event_type: delivery, data_point_type: moisture, aggregate: values}
    unit: "%"
  - slug: dry
    name: Dry mass
    formula: sum(wet * (1 - moisture))
    unit: t
    tags: {ghg: co2e, lca_role: net, category: removal}
    output: true
"""


def test_a_run_comes_back_with_the_value_of_every_node(api):
    yard = Yard(api, DRY)
    first, second = yard.deliver("1.2", 10), yard.deliver(2, 50, day=2)

    run = yard.run(first["mass"], first["moisture"], second["moisture"], second["mass"])

    assert re.fullmatch("mr_[0-9a-f]{24}", run["id"])
    assert (run["model_id"], run["project_id"]) == (yard.model["id"], yard.project["id"])
    assert (run["state"], run["error_message"], run["batch_id"]) == ("complete", None, None)
    assert (run["start_time"], run["end_time"]) == ("2025-01-01T00:00:00.000Z", "2025-02-01T00:00:00.000Z")
    assert (run["is_deletable"], run["deletion_blockers"]) == (True, [])
    wet, moisture, dry = run["calculations"]
    assert (wet["name"], wet["value"], wet["unit"]) == ("Mass as delivered", [1200, 2000], "kg")
    assert (moisture["slug"], moisture["value"], moisture["ghg"]) == ("moisture", [10, 50], None)
    assert isinstance(dry.pop("id"), int)
    assert dry == {
        "name": "Dry mass", "slug": "dry", "value": Decimal("2.08"), "unit": "t",
        "ghg": "co2e", "lca_role": "net", "category": "removal",
    }  # fmt: skip


def test_the_outputs_of_a_run_are_data_points_with_ids_of_their_own(api):
    yard = Yard(api, DRY)
    one = yard.deliver(2, 10)

    [output] = yard.run(one["mass"], one["moisture"])["output_data_points"]

    assert re.fullmatch("in_[0-9a-f]{24}", output.pop("id"))
    assert output == {
        "slug": "dry", "data_point_type": "Dry mass", "value": Decimal("1.8"), "unit": "t",
        "status": "complete",
    }  # fmt: skip


def test_only_the_data_points_that_are_named_count(api):
    yard = Yard(api, MASS, primary_output="mass")
    named, _ = yard.deliver(1), yard.deliver(20)

    assert yard.came_to(named["mass"]) == {"mass": 1}


def test_a_data_point_that_is_named_twice_counts_once(api):
    yard = Yard(api, MASS, primary_output="mass")
    one = yard.deliver(3)

    assert yard.came_to(one["mass"], one["mass"]) == {"mass": 3}


def test_the_order_in_which_data_points_are_named_changes_nothing(api):
    yard = Yard(api, DRY)
    ids = [yard.deliver(mass, 10 * mass, day=mass) for mass in (3, 1, 2)]
    named = [one[slug] for one in ids for slug in ("mass", "moisture")]

    assert yard.came_to(*named) == yard.came_to(*reversed(named))
    assert yard.came_to(*named)["wet"] == [1000, 2000, 3000]


def test_every_digit_is_kept(api):
    yard = Yard(api, MASS, primary_output="mass")
    ids = [yard.deliver(mass)["mass"] for mass in ("0.1234567890123456789", "12345678901.1")]

    assert yard.came_to(*ids)["mass"] == Decimal("12345678901.2234567890123456789")


def test_a_run_reads_values_as_they_stand_and_stays_what_it_was_when_they_are_corrected(api):
    yard = Yard(api, MASS, primary_output="mass")
    one = yard.deliver(2)["mass"]
    before = yard.run(one)
    path = f"/projects/{yard.project['id']}/data_points/{one}"
    api.patch(path, {"data_point": {"value": 3, "reason": "misread"}}).expect(200)

    assert yard.came_to(one) == {"mass": 3}
    assert api.get(f"/model_runs/{before['id']}").body == before


@pytest.mark.parametrize(
    ("aggregate", "value"),
    [
        ("sum", 9),
        ("average", 3),
        ("min", 2),
        ("max", 5),
        ("count", 3),
        ("first", 5),
        ("last", 2),
        ("median", 2),
    ],
)
def test_an_input_aggregates_what_it_is_given(api, aggregate, value):
    unit = "1" if aggregate == "count" else "t"
    nodes = MASS.replace("aggregate: sum", f"aggregate: {aggregate}").replace("unit: t", f'unit: "{unit}"')
    yard = Yard(api, nodes, primary_output="mass")
    ids = [yard.deliver(mass, day=day)["mass"] for day, mass in ((1, 5), (2, 2), (3, 2))]

    assert yard.came_to(*ids) == {"mass": value}


def test_readings_of_a_totaliser_may_lie_before_the_period(api):
    yard = Yard(api, MASS.replace("sum", "delta"), primary_output="mass")
    early = yard.deliver(100, start_time="2024-12-30T00:00:00Z")
    late = yard.deliver(130, start_time="2025-02-01T00:00:00Z")

    assert yard.came_to(early["mass"], late["mass"]) == {"mass": 30}


def test_weights_come_from_the_same_event(api):
    nodes = """
  - slug: dry
    input: {event_type: delivery, data_point_type: moisture, aggregate: average, weight: mass}
    unit: "%"
"""
    yard = Yard(api, nodes)
    ids = [yard.deliver(mass, moisture)["moisture"] for mass, moisture in ((1, 10), (3, 50))]

    assert yard.came_to(*ids) == {"dry": 40}


def test_an_event_without_the_weight_is_refused_by_name(api):
    nodes = """
  - slug: dry
    input: {event_type: delivery, data_point_type: moisture, aggregate: average, weight: sample}
    unit: "%"
"""
    yard = Yard(api, nodes)
    one = yard.deliver(1, 10)

    [error] = yard.ask(one["moisture"]).expect(422).errors

    assert error["records"] == [one["event"]]
    assert error["message"] == "Input 'dry' has 1 values without 'sample'."


def test_a_data_point_that_a_filter_leaves_out_is_refused(api):
    where = "where: mass > 2"
    yard = Yard(api, MASS.replace("sum}", f"sum, {where}}}"), primary_output="mass")
    small, large = yard.deliver(1), yard.deliver(3)

    assert yard.came_to(large["mass"]) == {"mass": 3}
    [error] = yard.ask(small["mass"], large["mass"]).expect(422).errors
    assert (error["field"], error["code"]) == ("data_point_ids[0]", "unused")
    assert (
        "the filter of every input that reads 'mass' of 'delivery' leaves its event out" in error["message"]
    )


def test_a_data_point_that_no_input_reads_is_refused(api):
    yard = Yard(api, MASS, primary_output="mass")
    one = yard.deliver(1, 10)

    [error] = yard.ask(one["mass"], one["moisture"]).expect(422).errors

    assert (error["field"], error["code"]) == ("data_point_ids[1]", "unused")
    assert "no input of the model reads 'moisture' of 'delivery'" in error["message"]


def test_every_reference_that_leads_nowhere_is_named_at_once(api, stranger):
    yard = Yard(api, MASS, primary_output="mass")
    mine = yard.deliver(1)
    other = Yard(api, MASS, primary_output="mass").deliver(1)["mass"]
    foreign = Yard(stranger, MASS, primary_output="mass").deliver(1)["mass"]

    problems = yard.problems("in_1", mine["mass"], mine["event"], other, foreign)

    assert problems == [(f"data_point_ids[{index}]", "unknown") for index in (0, 2, 3, 4)]


def test_the_output_of_a_run_is_no_data_point_of_an_event(api):
    yard = Yard(api, MASS, primary_output="mass")
    output = yard.run(yard.deliver(1)["mass"])["output_data_points"][0]

    assert yard.problems(output["id"])[0] == ("data_point_ids[0]", "unknown")


def test_a_data_point_of_an_incomplete_event_is_refused(api):
    yard = Yard(api, MASS, primary_output="mass")
    event = given.event(api, yard.project, values={"mass": 1}, start_time="2025-01-01T00:00:00Z")

    [error, _] = yard.ask(event["data_points"][0]["id"]).expect(422).errors

    assert (error["code"], error["records"]) == ("incomplete", [event["id"]])


def test_a_data_point_of_a_voided_event_is_refused(api, sql):
    yard = Yard(api, MASS, primary_output="mass")
    one = yard.deliver(1)
    accounting.void(sql, one["event"])

    assert yard.problems(one["mass"])[0] == ("data_point_ids[0]", "unknown")


@pytest.mark.parametrize("moment", ["2024-12-31T23:59:59.999Z", "2025-02-01T00:00:00Z"])
def test_an_event_outside_the_period_is_refused_by_name(api, moment):
    yard = Yard(api, MASS, primary_output="mass")
    one = yard.deliver(1, start_time=moment)

    [error] = yard.ask(one["mass"]).expect(422).errors

    assert (error["code"], error["records"]) == ("outside_period", [one["event"]])
    assert "does not lie in the period from start_time to end_time" in error["message"]


def test_an_input_of_any_period_takes_what_it_is_given(api):
    yard = Yard(api, MASS.replace("sum}", "sum, period: any}"), primary_output="mass")

    assert yard.came_to(yard.deliver(1, start_time="2023-06-01T00:00:00Z")["mass"]) == {"mass": 1}


@pytest.mark.parametrize(("straddle", "status"), [("report", 422), ("end", 422), ("start", 201)])
def test_an_event_across_the_boundary_counts_as_its_input_says(api, straddle, status):
    nodes = MASS.replace("sum}", f"sum, straddle: {straddle}}}")
    yard = Yard(api, nodes, primary_output="mass")
    one = yard.deliver(1, start_time="2025-01-31T00:00:00Z", end_time="2025-02-02T00:00:00Z")

    yard.ask(one["mass"]).expect(status)


def test_of_an_event_across_the_boundary_the_part_in_proportion_to_time_counts(api):
    yard = Yard(api, MASS.replace("sum}", "sum, straddle: prorate, coverage: any}"), primary_output="mass")
    one = yard.deliver(9, start_time="2025-01-31T00:00:00Z", end_time="2025-02-03T00:00:00Z")

    assert yard.came_to(one["mass"]) == {"mass": 3}


def test_data_that_do_not_cover_the_period_are_refused(api):
    yard = Yard(api, MASS.replace("sum}", "sum, straddle: prorate}"), primary_output="mass")
    one = yard.deliver(9, start_time="2025-01-31T00:00:00Z", end_time="2025-02-03T00:00:00Z")

    [error] = yard.ask(one["mass"]).expect(422).errors

    assert (error["field"], error["code"]) == ("mass", "not_covered")
    assert error["message"] == (
        "Input 'mass' does not cover the slot: nothing covers 2025-01-01T00:00:00.000Z to "
        "2025-01-31T00:00:00.000Z."
    )


def test_a_data_point_that_only_weighs_another_is_refused_without_it(api):
    nodes = """
  - slug: dry
    input: {event_type: delivery, data_point_type: moisture, aggregate: average, weight: mass}
    unit: "%"
"""
    yard = Yard(api, nodes)
    weighed, lone = yard.deliver(1, 10), yard.deliver(3, 50)

    assert yard.came_to(weighed["moisture"], weighed["mass"]) == {"dry": 10}
    [error] = yard.ask(weighed["moisture"], lone["mass"]).expect(422).errors
    assert (error["field"], error["code"]) == ("data_point_ids[1]", "unused")
    assert "only with other values of its event, of which none counts" in error["message"]


def test_an_input_without_data_is_refused_by_name(api):
    yard = Yard(api, DRY)
    one = yard.deliver(1, 10)

    assert yard.problems(one["mass"]) == [("moisture", "required")]
    assert yard.problems() == [("wet", "required"), ("moisture", "required")]


def test_what_stands_in_for_an_input_without_data_is_what_its_node_says(api):
    nodes = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    optional: true
  - slug: moisture
    input: {event_type: delivery, data_point_type: moisture, aggregate: average}
    unit: "%"
    default: 12
  - slug: sample
    input: {event_type: delivery, data_point_type: sample, aggregate: max}
    unit: t
    optional: true
    output: true
  - slug: dry
    formula: mass * (1 - moisture) + quantity(1, "t")
    unit: t
"""
    yard = Yard(api, nodes)

    run = yard.run()

    values = {one["slug"]: one["value"] for one in run["calculations"]}
    assert values == {"mass": 0, "moisture": 12, "sample": None, "dry": 1}
    assert [(one["slug"], one["status"]) for one in run["output_data_points"]] == [
        ("sample", "incomplete"),
        ("dry", "complete"),
    ]


def test_arrays_of_different_events_are_refused(api):
    yard = Yard(api, DRY)
    first, second = yard.deliver(1, 10), yard.deliver(2, 20)

    [error] = yard.ask(first["mass"], second["moisture"]).expect(422).errors

    assert error["code"] == "unmatched"
    assert "'wet' and 'moisture' are computed element by element and need the same events" in error["message"]


def test_an_evaluation_that_fails_is_kept_as_a_failed_run(api):
    nodes = MASS + "  - slug: dry\n    formula: mass * mass / (mass - mass)\n    unit: t\n"
    yard = Yard(api, nodes)

    run = yard.run(yard.deliver(1)["mass"])

    assert run["state"] == "failed"
    assert run["error_message"] == "Node 'dry', at column 13 of its formula: The divisor is zero."
    assert (run["calculations"], run["output_data_points"]) == ([], [])
    assert api.get(f"/model_runs/{run['id']}").expect(200).body == run


def test_data_without_an_aggregate_make_a_failed_run(api):
    yard = Yard(api, MASS.replace("sum", "delta"), primary_output="mass")

    run = yard.run(yard.deliver(1)["mass"])

    assert run["error_message"] == "Input 'mass' has 1 values, but no delta over the slot."


def test_a_reading_of_which_an_optional_input_can_make_nothing_is_refused(api):
    nodes = MASS.replace("sum", "delta").replace(
        "output: true", "output: true\n    optional: true\n    default: 0"
    )
    yard = Yard(api, nodes, primary_output="mass")
    one = yard.deliver(1)

    [error] = yard.ask(one["mass"]).expect(422).errors

    assert (error["code"], error["records"]) == ("unused", [one["event"]])
    assert error["message"] == f"Input 'mass' cannot use {one['event']} with the other named data."


def test_the_version_that_the_path_names_is_evaluated(api):
    yard = Yard(api, MASS, primary_output="mass")
    accounting.version(api, yard.model, document(MASS.replace("sum", "average")), activate=True)
    ids = [yard.deliver(mass)["mass"] for mass in (1, 3)]

    assert yard.came_to(*ids) == {"mass": 4}


def test_a_formula_knows_the_partition_that_all_events_share(api):
    nodes = (
        MASS
        + """
  - slug: dry
    formula: if(partition.tracking_id = "lot 1", mass, quantity(0, "t"))
    unit: t
"""
    )
    yard = Yard(api, nodes, partition_type="tracking_id")
    first, untagged = yard.deliver(1, tracking_id="lot 1"), yard.deliver(2)
    other = yard.deliver(4, tracking_id="lot 2")

    assert yard.came_to(first["mass"], untagged["mass"])["dry"] == 3
    assert yard.run(first["mass"], other["mass"])["state"] == "failed"


def test_a_formula_knows_the_period_and_how_long_events_lasted(api):
    nodes = """
  - slug: wet
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: t
  - slug: dry
    formula: sum(wet * value(duration_hours(wet), "h")) / value(period_days(), "d")
    unit: t
"""
    yard = Yard(api, nodes)
    one = yard.deliver(31, end_time="2025-01-01T14:00:00Z")

    assert yard.came_to(one["mass"])["dry"] == 2


UPSTREAM = """
  - slug: drawn
    upstream: {ledger: Stock, select: manual}
    unit: t
  - slug: dry
    formula: mass + sum(drawn)
    unit: t
"""


def test_a_node_that_needs_draws_is_refused_by_name(api):
    yard = Yard(api, MASS + UPSTREAM)

    [error] = yard.ask(yard.deliver(1)["mass"]).expect(422).errors

    assert (error["field"], error["code"]) == ("drawn", "draws")


def test_an_optional_node_draws_nothing(api):
    yard = Yard(api, MASS + UPSTREAM.replace("manual}", "manual}\n    optional: true"))

    assert yard.came_to(yard.deliver(2)["mass"]) == {"mass": 2, "drawn": [], "dry": 2}


def test_what_travels_with_draws_is_empty_where_nothing_is_drawn(api):
    nodes = UPSTREAM.replace("manual}", "manual, attributes: [intensity: kg/t]}\n    optional: true")
    nodes = nodes.replace("sum(drawn)", "sum(drawn * drawn.intensity)")
    found = """
  - slug: there
    available: {ledger: Stock}
    unit: t
    optional: true
"""
    yard = Yard(api, MASS + nodes + found)

    values = yard.came_to(yard.deliver(2)["mass"])

    assert values == {"mass": 2, "drawn": [], "dry": 2, "there": None}


def test_a_model_without_a_project_has_no_data_to_run_over(api):
    yard = Yard(api, MASS, primary_output="mass")
    yard.model = accounting.model(api, None, document(MASS))

    [error] = yard.ask().expect(422).errors

    assert (error["field"], error["code"]) == ("model_id", "no_project")
    assert error["message"] == "The model belongs to no project, so there are no data to run it over."


@pytest.mark.parametrize("times", [JANUARY[::-1], (JANUARY[0], JANUARY[0])])
def test_a_period_ends_after_it_starts(api, times):
    yard = Yard(api, MASS, primary_output="mass")

    assert yard.problems(times=times) == [("end_time", "invalid")]


@pytest.mark.parametrize(
    "change",
    [
        {"start_time": None}, {"start_time": "2025-01-01T00:00:00"}, {"data_point_ids": None},
        {"data_point_ids": [1]}, {"data_point_ids": "in_1"}, {"model": "mod_1"},
    ],
)  # fmt: skip
def test_a_body_of_another_shape_is_refused(api, change):
    Yard(api, MASS, primary_output="mass").ask(**change).expect(400)


def test_a_run_takes_so_many_data_points_at_most(api):
    yard = Yard(api, MASS, primary_output="mass")

    assert yard.problems(*["in_1"] * 10_001) == [("data_point_ids", "too_many")]


def test_nothing_is_stored_of_a_run_that_is_refused(api):
    yard = Yard(api, MASS, primary_output="mass")
    yard.ask("in_1").expect(422)

    assert api.get(f"/models/{yard.model['id']}/model_runs").data == []


def test_a_run_leaves_a_row_in_the_audit_log(api, account, sql):
    yard = Yard(api, MASS, primary_output="mass")
    run = yard.run(yard.deliver(1)["mass"])

    [(action, target)] = sql(
        "SELECT action, object FROM audit_log WHERE account_id = %s ORDER BY id DESC LIMIT 1", account.id
    )
    assert (action, target) == ("model_run.create", run["id"])


def test_a_run_keeps_the_data_points_that_it_was_given(api, sql):
    yard = Yard(api, DRY)
    one = yard.deliver(1, 10)
    yard.run(one["moisture"], one["mass"])

    assert sql(
        "SELECT positions FROM model_run_inputs WHERE project_id = %s", yard.project["numeric_id"]
    ) == [([1, 2],)]


def test_making_a_run_takes_production_accounting_write(api, account):
    yard = Yard(api, MASS, primary_output="mass")
    yard.api = account.caller("production_accounting:read", "data_collection:write")

    yard.ask().expect(403)


def test_a_period_that_no_clock_shows_is_refused(api):
    yard = Yard(api, DRY)
    load = yard.deliver(10)

    answer = yard.ask(load["mass"], load["moisture"], times=("2025-01-01T00:00:00Z", "9999-12-31T23:30:00Z"))

    assert answer.expect(422).error == {
        "message": "The range reaches over the ends of the calendar, the years 1 and 9999.",
        "field": "start_time",
        "code": "invalid",
    }
