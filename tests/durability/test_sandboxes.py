"""A service has its sandboxes prepared before the first file comes, in one process that shares no secret."""

from pathlib import Path

import pytest
from tests.durability.processes import children, until
from tests.durability.real_service import Service

PROGRAMS = ("weighbridge.sandbox.fork_server", "weighbridge.supervisor.api", "weighbridge.worker")


@pytest.fixture(scope="module")
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
    """The commands of the service, and how many of its processes are templates of sandboxes."""
    commands = [command(number) for number in children(service.program.pid)]
    template, *programs = PROGRAMS
    return [sum(program in one for one in commands) for program in (template, *programs)]


def test_the_api_processes_and_the_worker_share_a_template_of_sandboxes(service):
    until(lambda: prepared(service) == [1, 2, 1], what="there is one template")


def test_the_template_of_sandboxes_knows_no_secret_of_the_service(service, shared_dir):
    [template] = until(
        lambda: [one for one in children(service.program.pid) if PROGRAMS[0] in command(one)],
        what="there is one template",
    )

    [api, _] = [one for one in children(service.program.pid) if PROGRAMS[1] in command(one)]
    # The folder of data is in the URL of the database, which every process knows that uses it.
    assert knows(api, bytes(shared_dir))
    assert not knows(template, bytes(shared_dir))
    assert str(Path(f"/proc/{template}/fd/0").readlink()) == "/dev/null"


def knows(number, content):
    """Whether the memory of a process that it can write, which is where its data are, has some bytes."""
    with Path(f"/proc/{number}/maps").open() as lines, Path(f"/proc/{number}/mem").open("rb", 0) as memory:
        for line in lines:
            span, rights, *_ = line.split()
            begin, end = (int(one, 16) for one in span.split("-"))
            if rights.startswith("rw") and "[v" not in line:
                memory.seek(begin)
                if content in memory.read(end - begin):
                    return True
    return False
