"""An action that lacks a trace which it owes cannot be recorded."""

from dataclasses import dataclass

import pytest

from weighbridge.platform.changes import (
    ChangedBatches,
    ChangedService,
    ForgottenError,
    StoredEvents,
    record,
    refuse_forgotten,
)
from weighbridge.platform.staleness import (
    GenerationsHeldOff,
    InputsHeld,
    announce,
    hold_off_generations,
)


@dataclass(frozen=True)
class Named:
    name: str
    in_service_from: str | None = None
    in_service_until: str | None = None


HELD = GenerationsHeldOff(1)


def test_an_action_that_nobody_has_listed_is_refused():
    with pytest.raises(ForgottenError, match=r"weather\.change is not in the table of actions"):
        refuse_forgotten("weather.change", [], None, None)


def test_an_action_without_what_it_always_leaves_is_refused():
    with pytest.raises(ForgottenError, match=r"event\.void leaves no StoredEvents, which it owes"):
        refuse_forgotten("event.void", [HELD], None, None)


def test_an_action_with_all_that_it_leaves_is_taken():
    refuse_forgotten("event.void", [HELD, StoredEvents([1])], None, None)


def test_a_trace_that_the_table_does_not_say_is_refused():
    with pytest.raises(ForgottenError, match=r"project\.create leaves ChangedBatches, which the table"):
        refuse_forgotten("project.create", [ChangedBatches([1])], None, None)


def test_a_new_name_is_refused_unless_generations_were_held_off():
    with pytest.raises(ForgottenError, match=r"location\.update leaves no GenerationsHeldOff"):
        refuse_forgotten("location.update", [], Named("Yard"), Named("Gate"))

    refuse_forgotten("location.update", [HELD], Named("Yard"), Named("Gate"))


def test_the_same_name_needs_no_generations_to_be_held_off():
    refuse_forgotten("location.update", [], Named("Yard"), Named("Yard"))


def test_another_time_in_service_leaves_the_batches_of_the_meter_stale():
    before, after = Named("Yard"), Named("Yard", in_service_until="2025-01-01")

    with pytest.raises(ForgottenError, match=r"location\.update leaves no ChangedService"):
        refuse_forgotten("location.update", [HELD], before, after)

    changed = ChangedService(HELD, "location", 1, (None, None), (None, None))
    refuse_forgotten("location.update", [HELD, changed], before, after)


def test_what_was_not_recorded_whole_is_not_recorded_at_all(server, account, sql):
    async def write():
        async with server.database.write() as tx:
            record(tx, account.actor, action="model_run.delete", target="mr_1", project_id=1)

    with pytest.raises(ForgottenError):
        server.run(write())

    assert sql("SELECT FROM audit_log WHERE account_id = %s AND object = 'mr_1'", account.id) == []


def test_what_comes_before_a_write_gives_what_recording_it_asks_for(server, api):
    project = api.post("/projects", {"project": {"name": "Plant"}}).expect(201).body["numeric_id"]

    async def begin():
        async with server.database.write() as tx:
            return announce(tx, project), await hold_off_generations(tx, project)

    assert server.run(begin()) == (InputsHeld(project), GenerationsHeldOff(project))
