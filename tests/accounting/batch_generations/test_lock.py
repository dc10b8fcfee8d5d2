"""Generation and what may not change under it keep each other off by one lock."""

from concurrent.futures import ThreadPoolExecutor

from tests.given import accounting as given_accounting
from tests.given import generation as given_generation


def test_a_generation_waits_for_whoever_holds_its_lock(api, drain, server):
    plant = given_accounting.plant(api, drain)
    plant.deliver(5)

    with ThreadPoolExecutor(1) as other:
        with given_generation.running(server, plant):
            waiting = other.submit(plant.generate)
            server.await_blocked()
            assert plant.batches() == []
        assert waiting.result()["created"] == 1
