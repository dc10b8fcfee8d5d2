"""The how-to on roll-ups says what happens."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from tests.given import collection as given
from tests.given.roll_ups import minutes_of, read, roll_up, values_of

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "roll-minutes-up.md"
TYPES = [
    json.loads(body.replace("""'"'""", "'"), parse_float=Decimal)
    for body in re.findall(r"/event_types -d '(.*?)'\n```", HOWTO.read_text(encoding="utf-8"), re.DOTALL)
]


@pytest.mark.parametrize(
    ("good", "status", "values"),
    [
        (48, "complete", {"co2": 7, "highest": 7, "minutes": 48}),
        (47, "incomplete", {"minutes": 47}),
    ],
)
def test_the_hours_of_the_page_are_those_with_enough_minutes(api, account, good, status, values):
    project = given.project(api)
    for body in TYPES:
        api.post(f"/projects/{project['id']}/event_types", body).expect(201)
    states = ["good"] * good + ["bad"] * (58 - good)
    sent = [{"co2": 7 if state == "good" else 999, "status": state} for state in states]
    read(api, project, minutes_of(10, sent))

    roll_up(account)

    path = f"/projects/{project['id']}/events"
    [hour] = api.get(path, {"filter[slug][eq]": "stack-hour"}).expect(200).data
    source = hour["rolled_up_from"]
    readings = api.get(path, {"filter[rolled_up_event_id][eq]": hour["id"], "page_size": "200"}).data
    assert (hour["status"], values_of(hour)) == (status, values)
    assert (source["readings"], source["valid_readings"], source["expected_readings"]) == (58, good, 60)
    assert len(readings) == 58
