"""A wheel that was built of this tree, and an environment in which nothing else of it is.

The packages that it needs are those of the environment that runs the tests, so that nothing is fetched; with
`PACKAGES=locked` they come from the index instead, by `requirements.lock`, as for somebody who has nothing
yet.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import NamedTuple

import pytest
from tools.distributions.building import Distributions, build_into

ROOT = Path(__file__).parents[2]
PACKAGES = os.environ.get("PACKAGES", "here")
SECONDS = 300
COMMAND_SECONDS = 60
BARE = {"PATH": os.defpath, "LANG": "C.UTF-8", "TMPDIR": tempfile.gettempdir()}


class Environment(NamedTuple):
    """A virtual environment, apart from the code and the settings of whoever runs the tests."""

    folder: Path

    def run(self, *words, cwd, **variables):
        """Run a program of the environment in a folder."""
        program, *arguments = map(str, words)
        return subprocess.run(
            [self.folder / "bin" / program, *arguments],
            cwd=cwd,
            env=BARE | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )

    @contextmanager
    def started(self, *words, cwd, log, **variables):
        """A running program of the environment, in a folder; what it says goes to a file."""
        program, *arguments = map(str, words)
        with (
            log.open("w") as said,
            subprocess.Popen(
                [self.folder / "bin" / program, *arguments],
                cwd=cwd,
                env=BARE | {"PYTHONUNBUFFERED": "1"} | variables,
                stdout=said,
                stderr=subprocess.STDOUT,
            ) as running,
        ):
            try:
                yield running
            finally:
                running.kill()

    def install(self, *words):
        """Install with pip, as whoever has the file does."""
        pip = [sys.executable, "-m", "pip", "--python", self.folder / "bin" / "python", "install", "--quiet"]
        done = subprocess.run(
            [*pip, *map(str, words)], capture_output=True, text=True, check=False, timeout=SECONDS
        )
        assert done.returncode == 0, done.stderr


@contextmanager
def shared(tmp_path_factory, name):
    """A folder that all processes of a run of tests share, held by one after the other."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / name
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        yield folder


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The source distribution and the wheel."""
    with shared(tmp_path_factory, "distributions") as folder:
        made = [*folder.glob("*.tar.gz"), *folder.glob("*.whl")]
        return Distributions(*made) if len(made) == 2 else build_into(folder)


@pytest.fixture(scope="session")
def environment(built, tmp_path_factory):
    """An environment with the wheel and what it needs."""
    with shared(tmp_path_factory, "environment") as folder:
        made = Environment(folder / "env")
        if not (made.folder / "bin" / "weighbridge").exists():
            _make(made, built.wheel)
        return made


def _make(made, wheel):
    venv.create(made.folder, symlinks=True)
    if PACKAGES == "locked":
        made.install("--require-hashes", "--requirement", ROOT / "requirements.lock")
    else:
        [library] = made.folder.glob("lib/python*/site-packages")
        (library / "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
    made.install("--no-deps", "--no-index", wheel)
