"""A file unpacks itself once, runs nothing but what was built, and says what keeps it from that."""

import ast
import os
import shutil
import signal
import stat
import subprocess
from pathlib import Path

import pytest
from tests.agent.single_file.conftest import HERE, NEWER, VERSION, small_file
from tests.durability.processes import until
from tools.agent_file.packing import START

from weighbridge.agent.single_file import machine as machines
from weighbridge.agent.single_file.machine import find_obstacle

NOBODY = 65534
PROGRAM = "weighbridge/commands/agent_file.py"
OLDEST_SYNTAX = (3, 6)

SYSTEM = shutil.which("python3", path="/usr/bin:/usr/local/bin")
"""A Python that every user may start; that of the tests may be in a folder of one user."""


@pytest.fixture
def for_all_users(small_machine):
    """A machine whose file programs of other users start."""
    if os.geteuid() != 0:
        pytest.skip("only root can start programs of other users")
    if SYSTEM is None or not runs(SYSTEM, small_machine):
        pytest.skip("the system has no Python for all users that is new enough")
    small_machine.python = SYSTEM
    return small_machine


def runs(python, machine):
    asked = [python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    return subprocess.run(asked, check=False, cwd=machine.folder).returncode == 0


def version_of(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def change(path):
    content = path.read_bytes()
    path.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])


def a_compiled(code):
    return next(code.glob("weighbridge/commands/__pycache__/agent_file*.pyc"))


def test_the_file_runs_where_python_has_no_package(machine):
    first = machine.run("--version")
    inode = machine.codes[0].stat().st_ino
    second = machine.run("about", by_name=True)

    assert (version_of(first), first.stderr) == (VERSION, "")
    assert [code.stat().st_ino for code in machine.codes] == [inode]
    told = f"weighbridge-agent {VERSION} for {HERE} (CPython 3.11 to 3.14, glibc 2.28 or newer)\n"
    assert second.stdout.startswith(told + "Updates by weighbridge-release (SHA256:")


def test_packages_of_the_machine_and_of_variables_are_not_imported(small_machine):
    trap = small_machine.folder / "trap"
    trap.mkdir()
    for name in ("cyclopts", "msgspec", "sitecustomize", "opening", "weighbridge"):
        (trap / f"{name}.py").write_text("raise SystemExit('the trap was imported')")

    done = small_machine.run("--version", by_name=True, PYTHONPATH=str(trap))

    assert version_of(done) == VERSION


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda code: change(code / PROGRAM), "agent_file.py has changed."),
        (lambda code: change(a_compiled(code)), ".pyc has changed."),
        (lambda code: (code / PROGRAM).unlink(), "agent_file.py is missing."),
        (lambda code: (code / "json.py").write_text("raise SystemExit(3)"), "json.py has changed."),
        (lambda code: (code / "json").symlink_to("weighbridge"), "json is not a file."),
        (lambda code: (code / "seal.json").write_text("{"), "cannot be read"),
    ],
    ids=["changed source", "changed compiled code", "missing file", "added file", "link", "broken seal"],
)  # fmt: skip
def test_unpacked_code_that_changed_is_unpacked_again(small_machine, harm, told):
    small_machine.run("--version")
    [code] = small_machine.codes
    harm(code)

    mended, after = small_machine.run("--version"), small_machine.run("--version")

    assert version_of(mended) == VERSION
    assert told in mended.stderr
    assert mended.stderr.endswith("It is unpacked again.\n")
    assert (version_of(after), after.stderr) == (VERSION, "")
    assert small_machine.codes == [code]


def test_programs_that_start_at_once_unpack_once(small_machine):
    running = [small_machine.start("--version") for _ in range(4)]
    told = [one.communicate()[0].strip() for one in running]

    assert told == [VERSION] * 4
    assert len(small_machine.codes) == 1


def test_a_program_that_was_killed_while_it_unpacked_leaves_nothing(small_machine):
    running = small_machine.start("--version")
    begun = f"{small_machine.unpacked.name}/unfinished-*/*"
    until(lambda: any(small_machine.folder.glob(begun)), what="it unpacks")
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert [path.name for path in small_machine.codes] == [f"unfinished-{running.pid}"]

    assert version_of(small_machine.run("--version")) == VERSION

    [code] = small_machine.codes
    assert not code.name.startswith("unfinished-")


def test_code_of_another_file_goes_when_nobody_runs_it(small_machine):
    small_machine.run("--version")
    [before] = small_machine.codes
    held = small_machine.unpacked / f"{before.name}.lock"
    assert held.exists()
    small_machine.install(small_file(NEWER))

    small_machine.run("--version")

    [after] = small_machine.codes
    assert after != before
    assert not held.exists()


def test_code_that_a_program_runs_stays(small_machine):
    fifo = small_machine.folder / "agent.yaml"
    os.mkfifo(fifo)
    running = small_machine.start("check", fifo)
    with fifo.open("w"):  # opened by both: the program has been loaded, and waits for its configuration
        [before] = small_machine.codes
        small_machine.install(small_file(NEWER))
        small_machine.run("--version")
        during = small_machine.codes
    running.communicate()
    small_machine.run("--version")

    assert before in during
    assert len(during) == 2
    assert before not in small_machine.codes


def test_a_folder_in_which_others_may_write_is_not_used(small_machine):
    small_machine.unpacked.mkdir()
    small_machine.unpacked.chmod(0o777)

    elsewhere = small_machine.run("--version")
    nowhere = small_machine.run("--version", WEIGHBRIDGE_AGENT_UNPACKED=str(small_machine.unpacked))

    assert version_of(elsewhere) == VERSION
    assert [*small_machine.unpacked.iterdir()] == []
    cache = small_machine.folder / "home" / ".cache" / "weighbridge-agent"
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    assert nowhere.returncode == 1
    assert f"{small_machine.unpacked}: other users may write in it." in nowhere.stderr


def test_a_service_runs_what_the_owner_of_the_file_has_unpacked(for_all_users):
    for_all_users.run("--version")
    [code] = for_all_users.codes

    done = for_all_users.run("--version", user=NOBODY, HOME="/nonexistent")

    assert (version_of(done), done.stderr) == (VERSION, "")
    assert for_all_users.codes == [code]


def test_a_service_unpacks_in_its_own_cache_where_the_owner_has_not(for_all_users):
    cache = for_all_users.folder / "cache"
    cache.mkdir()
    os.chown(cache, NOBODY, NOBODY)

    done = for_all_users.run("--version", user=NOBODY, CACHE_DIRECTORY=str(cache))

    assert version_of(done) == VERSION
    assert not for_all_users.unpacked.exists()
    its_own = cache / "weighbridge-agent.unpacked"
    assert its_own.stat().st_uid == NOBODY
    # Root does not run what a service could have written.
    taken = for_all_users.run("--version", WEIGHBRIDGE_AGENT_UNPACKED=str(its_own))
    assert taken.returncode == 1
    assert "is not a folder of root." in taken.stderr


def test_a_damaged_file_says_so_and_runs_nothing(small_machine):
    content = bytearray(small_machine.file.read_bytes())
    place = content.index(b"code/common/weighbridge/commands/agent_file.py") + 90
    content[place] ^= 0xFF
    small_machine.file.write_bytes(content)

    done = small_machine.run("--version")

    assert done.returncode == 1
    assert f"{small_machine.file} is damaged: " in done.stderr
    assert done.stderr.endswith("Install it again.\n")
    assert small_machine.codes == []


@pytest.fixture
def manifest():
    return {
        "program": "weighbridge-agent", "version": "1.1.0", "platform": HERE,
        "machine": HERE.partition("-")[2], "pythons": ["3.11", "3.12", "3.13", "3.14"], "glibc": "2.28",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({}, None),
        ({"pythons": ["3.98", "3.99"]}, "needs CPython 3.98, 3.99, but "),
        ({"platform": "linux-riscv64", "machine": "riscv64"}, "for linux-riscv64 does not run on linux "),
        ({"glibc": "2.999"}, "needs glibc 2.999 or newer, but this system has glibc "),
        ({"glibc": "2.4"}, None),
    ],
    ids=["fits", "another Python", "another machine", "older glibc", "newer glibc, as numbers"],
)
def test_what_keeps_a_machine_from_running_a_file_is_a_sentence(manifest, said, told):
    obstacle = find_obstacle(manifest | said)

    assert obstacle is None if told is None else told in obstacle


@pytest.mark.parametrize("path", [START, Path(machines.__file__)], ids=lambda path: path.stem)
def test_an_older_python_reads_what_tells_it_that_it_is_too_old(path):
    assert ast.parse(path.read_text(), feature_version=OLDEST_SYNTAX).body
