"""Somebody with another account goes on working while one client attacks; `make attack` measures it in full.

Other tests run beside this one, so it asks only that nobody is turned away and nobody waits for long.
"""

import pytest
from tools.attack.__main__ import attacked
from tools.attack.attacks import ATTACKS
from tools.attack.plant import plant

SECONDS = 1.0
PATIENCE_MS = 2_000
TRIED = (
    "connections that say nothing",
    "a preview of ten thousand years",
    "bodies of the wrong shape",
    "long computations",
)


@pytest.fixture(scope="module")
def running(shared_dir):
    with plant(shared_dir) as running:
        yield running


@pytest.mark.parametrize("name", TRIED)
def test_a_bystander_is_served_while_one_client_attacks(running, name):
    [attack] = [one for one in ATTACKS if one.name == name]

    seen, _ = attacked(running, attack, SECONDS)

    assert seen.failures == ()
    assert seen.slow < PATIENCE_MS, str(seen)
