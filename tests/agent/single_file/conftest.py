"""The agent's file as it was built of this tree, once for all tests, and small files with another program.

What starts a file, unpacks and replaces it does not depend on its program; a small one makes that quick.
"""

import os
import platform
import shutil
import subprocess
import tempfile
import venv
from pathlib import Path

import pytest
from tests.release.conftest import shared
from tools.agent_file.packing import PLATFORMS, Release, assemble_file, build_into
from tools.distributions.building import SUMS

from weighbridge.agent.single_file.signing import NAMESPACE
from weighbridge.core.signing import SigningKey, write_ssh_signature

HERE = f"linux-{platform.machine()}"
ARM = "linux-aarch64"
ROOT = Path(__file__).parents[3]
SECONDS = 300
KEY = SigningKey.read(
    b"-----BEGIN PRIVATE KEY-----\n"
    b"MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    b"-----END PRIVATE KEY-----\n"
)
"""The key of test 1 of RFC 8032, which everybody knows."""

VERSION = Release().version_text
NEWER = "9.0.1"
PROGRAM = """
import sys
from importlib.metadata import version
from pathlib import Path

def run_file(archive):
    if sys.argv[1:] == ["--version"]:
        print(version("weighbridge"))
    elif sys.argv[1] == "check" and "refuse " + version("weighbridge") in Path(sys.argv[2]).read_text():
        sys.exit("Line 1: it is refused.")
"""


def build(tmp_path_factory, name, platform_name, release):
    """A file that no other process of the run builds again."""
    with shared(tmp_path_factory, f"agent-file-{name}") as folder:
        if not (folder / SUMS).exists():
            build_into(folder, release, [platform_name])
        return next(folder.glob("*.pyz"))


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The file for this machine, of this version, signed."""
    return build(tmp_path_factory, "here", HERE, Release(KEY))


@pytest.fixture(scope="session")
def newer(tmp_path_factory):
    """The file of a newer version, with the same code."""
    return build(tmp_path_factory, "newer", HERE, Release(KEY, version=NEWER))


@pytest.fixture(scope="session")
def built_for_arm(tmp_path_factory):
    return build(tmp_path_factory, "arm", ARM, Release(KEY))


def small_file(version=VERSION, *, platform_name=HERE, release=None, **more):
    """A file whose program says its version, and accepts a configuration that has no line against it."""
    about = f"code/common/weighbridge-{version}.dist-info/METADATA"
    files = {
        "code/common/weighbridge/__init__.py": b"",
        "code/common/weighbridge/commands/__init__.py": b"",
        "code/common/weighbridge/commands/agent_file.py": PROGRAM.encode(),
        about: f"Metadata-Version: 2.4\nName: weighbridge\nVersion: {version}\n".encode(),
    }
    modules = ["weighbridge.commands.agent_file"]
    release = release or Release(KEY, version=version)
    return assemble_file(PLATFORMS[platform_name], release, modules, files | more)


def sign(path, key=KEY, namespace=NAMESPACE):
    """Sign a file; the signature is beside it."""
    path.with_name(f"{path.name}.sig").write_text(write_ssh_signature(path.read_bytes(), key, namespace))
    return path


@pytest.fixture(scope="session")
def empty_python(tmp_path_factory):
    """A Python with no package at all: neither the product nor pip."""
    folder = tmp_path_factory.mktemp("empty") / "env"
    venv.create(folder, symlinks=True, with_pip=False)
    return folder / "bin" / "python"


class Machine:
    """A folder with the agent's file, where nothing else of the product is."""

    def __init__(self, folder, python):
        self.folder = folder
        self.file = folder / "weighbridge-agent"
        self.unpacked = folder / "weighbridge-agent.unpacked"
        self.python = python

    def install(self, content):
        self.file.write_bytes(content)
        self.file.chmod(0o755)

    def command(self, *words):
        return [str(self.python), str(self.file), *map(str, words)]

    def environment(self, **variables):
        path = f"{Path(self.python).parent}:{os.defpath}"
        return {"PATH": path, "LANG": "C.UTF-8", "HOME": str(self.folder / "home")} | variables

    def run(self, *words, user=None, by_name=False, **variables):
        """Run a command of the file, by a Python that is named or by the name of the file alone."""
        return subprocess.run(
            self.command(*words)[by_name:],
            env=self.environment(**variables),
            cwd=self.folder,
            user=user,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )

    def start(self, *words, log=None, **variables):
        """A running program; what it says goes to a file, or to a pipe."""
        return subprocess.Popen(
            self.command(*words),
            env=self.environment(**variables),
            cwd=self.folder,
            stdout=log or subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @property
    def codes(self):
        """The folders of unpacked code."""
        return sorted(path for path in self.unpacked.iterdir() if path.is_dir())


@pytest.fixture
def bare_machine(empty_python):
    """A folder into which every user of this machine may look."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        path.chmod(0o755)
        yield Machine(path, empty_python)


@pytest.fixture
def small_machine(bare_machine):
    """A machine with a small file."""
    bare_machine.install(small_file())
    return bare_machine


@pytest.fixture
def machine(bare_machine, built):
    """A machine with the agent's file."""
    shutil.copy(built, bare_machine.file)
    return bare_machine
