"""What was imputed counts in totals while it stands, and leaves no trace in them once it is withdrawn."""

from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import accounting
from tests.given.gaps import body, filling, hours, report, stack
from tests.given.rule_evaluation import correct, work

from weighbridge.verification.recomputation import check_batches

SUM = """
  - slug: emission
    input: {event_type: hour, data_point_type: so2, aggregate: sum, coverage: any}
    unit: t
    output: true
"""
DAY = ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z")


def plant(account, drain, project):
    api = account.caller()
    text = accounting.document(SUM, cadence="daily", primary_output="emission")
    model = accounting.model(api, project, text)
    ledger = accounting.ledger(api, project, model, name="Emissions")
    return accounting.Plant(api, drain, project, model, ledger)


def flaws(account, plant):
    async def check():
        async with account.server.database.read() as tx:
            return (await check_batches(tx, plant.project["numeric_id"]))[1]

    return account.server.run(check())


def test_a_captured_hour_that_comes_makes_the_batch_stale_and_the_next_generation_settles_it(
    api, account, drain
):
    project = stack(api)
    filling(api, project, {"method": "mean_before_after"}, purpose="impute")
    report(api, project, "10 - 14")
    work(account)
    emissions = plant(account, drain, project)
    emissions.generate(DAY)
    assert emissions.balance() == 36
    [batch] = emissions.batches()
    row = next(one for one in batch["input_data"] if one["data_point"]["imputed"])
    assert (row["data_point"]["value"], row["data_point"]["raw_value"]) == (12, None)
    assert row["data_point"]["substitution"]["method"] == "mean_before_after"
    imputed = hours(api, project)[2]["event"]["id"]

    report(api, project, "11", first=2)

    [batch] = emissions.batches()
    assert batch["stale_reasons"] == [{"reason": "event_withdrawn", "record": imputed}]
    assert flaws(account, emissions) == []
    emissions.generate(DAY)
    assert emissions.balance() == 35
    assert [one["is_stale"] for one in emissions.batches()] == [False, False]
    assert flaws(account, emissions) == []


words = st.lists(st.sampled_from(["-", "!7", "10", "20"]), min_size=2, max_size=8)


@for_all(words, st.randoms(use_true_random=False))
@settings(
    max_examples=examples(10), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_was_withdrawn_leaves_no_trace_in_totals(account, drain, words, order):
    """Late hours come in any order, with generations between; in the end all hours are captured."""
    api = account.caller()
    project = stack(api)
    filling(api, project, {"method": "linear"}, purpose="impute", name="impute")
    filling(api, project, {"method": "linear"}, name="substitute")
    report(api, project, " ".join(["10", *words, "20"]))
    work(account)
    emissions = plant(account, drain, project)
    emissions.generate(DAY)
    late = [number for number, word in enumerate(words, start=2) if word == "-"]
    order.shuffle(late)
    for number in late:
        api.post(f"/projects/{project['id']}/events", {"event": body(number, "15")}).expect(201)
        if order.random() < 0.5:
            work(account)
        if order.random() < 0.5:
            emissions.generate(DAY)
    for number, point in hours(api, project).items():
        if point["value_source"] == "substituted" or point["raw_value"] == 7:
            correct(api, project, point["event"], 7 + number)
    work(account)
    emissions.generate(DAY)

    held = hours(api, project)
    assert {point["value_source"] for point in held.values()} <= {"captured", "manual"}
    assert emissions.balance() == sum(point["value"] for point in held.values())
    assert flaws(account, emissions) == []
