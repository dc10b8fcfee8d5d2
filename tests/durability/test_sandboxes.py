"""A service has its sandboxes prepared before the first file comes."""

from pathlib import Path

import pytest
from tests.durability.processes import children, until
from tests.durability.real_service import Service

PROGRAMS = ("weighbridge.sandbox.template", "weighbridge.supervisor.api", "weighbridge.worker")


@pytest.fixture
def service(shared_folder, shared_dir):
    service = Service(shared_dir, None, log=shared_folder / "stderr", api_processes=2)
    yield service
    service.close()


def command(number):
    try:
        return Path(f"/proc/{number}/cmdline").read_text()
    except OSError:
        return ""


def prepared(service):
    """The API processes and the worker, each with whether its template of sandboxes runs."""
    template, *programs = PROGRAMS
    return [
        any(template in command(child) for child in children(number))
        for number in children(service.program.pid)
        if any(program in command(number) for program in programs)
    ]


def test_every_api_process_and_the_worker_prepare_sandboxes_once_they_serve(service):
    until(lambda: prepared(service) == [True] * 3, what="each has its template")
