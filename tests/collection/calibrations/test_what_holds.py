"""What holds for readings, as whoever computes with them reads it: calibrations."""

from datetime import UTC, datetime

import pytest
from tests.given import collection as given

from weighbridge.collection.measurements.uncertainties import read_calibrations
from weighbridge.core import identity

OF_TYPE = {"standard": 2, "unit": "kg"}


def day(number):
    return datetime(2025, 1, number, tzinfo=UTC)


@pytest.fixture
def project(api):
    return given.project(api)


@pytest.fixture
def delivery(api, project):
    mass = given.number("mass") | {"uncertainty": OF_TYPE}
    return given.event_type(
        api, project, data_point_types=[given.number("ash", unit="%", required=False), mass]
    )


@pytest.fixture
def ask(server):
    """Asks in a transaction that reads."""

    def _ask(question, *values):
        async def answer():
            async with server.database.read() as tx:
                return await question(tx, *values)

        return server.run(answer())

    return _ask


def test_the_calibrations_of_each_meter_that_hold_in_a_span(api, project, delivery, ask):
    scale = given.asset(api, project)["id"]
    names = {
        "before": (1, 5, scale),
        "first": (5, 10, scale),
        "then": (10, None, scale),
        "bare": (1, 6, None),
    }
    for name, (start, end, asset) in names.items():
        given.calibration(
            api, project, delivery["id"], name=name, valid_from=day(start).isoformat(),
            valid_until=None if end is None else day(end).isoformat(), asset_id=asset,
            uncertainty={"standard": start, "unit": "kg"},
        )  # fmt: skip
    number, kind = project["numeric_id"], identity.number("event_type", delivery["id"], project["numeric_id"])

    found = ask(read_calibrations, number, kind, [2], day(5), day(11))

    meter = identity.number("asset", scale, number)
    assert [(one.name, one.asset, one.position) for one in found] == [
        ("bare", None, 2), ("first", meter, 2), ("then", meter, 2),
    ]  # fmt: skip
    assert [one.statement.standard_size for one in found] == [1, 5, 10]
    assert [(one.valid_from, one.valid_until) for one in found[1:]] == [(day(5), day(10)), (day(10), None)]
    assert [one.effect for one in found] == [one.id for one in found]
    assert ask(read_calibrations, number, kind, [1], day(5), day(11)) == []
    assert [one.name for one in ask(read_calibrations, number, kind, [2], day(10), day(10))] == []
