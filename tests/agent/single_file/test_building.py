"""The agent's files have what the agent needs and nothing else, and are the same whoever builds them."""

import ast
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions

import pytest
from tests.agent.single_file.conftest import ARM, HERE, KEY, ROOT, VERSION
from tools.agent_file.modules import OPENING, PROGRAM, find_modules
from tools.agent_file.packing import SHEBANG
from tools.agent_file.wheels import (
    LOCK,
    PLATFORMS,
    PYTHONS,
    Unbuildable,
    check_libraries,
    list_requirements,
)

from weighbridge.agent.single_file.signing import NAMESPACE
from weighbridge.core.signing import write_ssh_public_key

GLIBC_MAX = (2, 28)
MACHINES = {"linux-x86_64": "Advanced Micro Devices X86-64", "linux-aarch64": "AArch64"}
PIN = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)


@pytest.fixture(params=[HERE, ARM], ids=str)
def file(request):
    """The file for this machine, and that for ARM."""
    path = request.getfixturevalue("built_for_arm" if request.param == ARM else "built")
    return request.param, path


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_another_build_gives_the_same_bytes(built, tmp_path):
    """By another process, in another time zone, with other hashes of texts and another mask of modes."""
    key = tmp_path / "key.pem"
    key.write_bytes(KEY.pem)
    subprocess.run(
        [sys.executable, "-m", "tools.agent_file", tmp_path / "dist", f"--platform={HERE}", f"--key={key}"],
        env={"TZ": "Pacific/Chatham", "PYTHONHASHSEED": "7", "PATH": "/usr/bin:/bin"},
        umask=0o077,
        check=True,
        stdout=subprocess.DEVNULL,
        cwd=ROOT,
    )

    again = tmp_path / "dist" / built.name
    assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(built.read_bytes()).digest()
    signatures = [path.with_name(f"{path.name}.sig").read_text() for path in (again, built)]
    assert signatures[0] == signatures[1]


def test_the_sums_are_those_of_the_files(file):
    _, path = file
    digest = hashlib.sha256(path.read_bytes()).hexdigest()

    assert (path.parent / "SHA256SUMS").read_text() == f"{digest}  {path.name}\n"


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="this machine has no ssh-keygen")
def test_ssh_keygen_accepts_the_signature(file, tmp_path):
    _, path = file
    signers = tmp_path / "allowed_signers"
    signers.write_text(f"weighbridge-release {write_ssh_public_key(KEY.public)}\n")

    with path.open("rb") as content:
        done = subprocess.run(
            ["ssh-keygen", "-Y", "verify", "-f", signers, "-I", "weighbridge-release", "-n", NAMESPACE,
             "-s", path.with_name(f"{path.name}.sig")],
            stdin=content, check=False, capture_output=True, text=True,
        )  # fmt: skip

    assert done.returncode == 0, done.stderr


def test_a_file_says_what_it_is(file):
    platform, path = file
    manifest = json.loads(members(path)["manifest.json"])

    assert path.read_bytes().startswith(SHEBANG)
    assert path.stat().st_mode & 0o777 == 0o755
    assert (manifest["version"], manifest["platform"]) == (VERSION, platform)
    assert (manifest["pythons"], manifest["glibc"]) == (["3.11", "3.12", "3.13", "3.14"], "2.28")
    assert manifest["signers"] == f'"weighbridge-release" {write_ssh_public_key(KEY.public)}\n'
    expected = {name: hashlib.sha256(content).hexdigest() for name, content in members(path).items()}
    start = {"__main__.py", "machine.py", "manifest.json", "opening.py"}
    assert manifest["files"] == {name: digest for name, digest in expected.items() if name not in start}


@pytest.mark.skipif(shutil.which("readelf") is None, reason="this machine has no readelf")
def test_every_library_is_for_the_machine_and_old_enough_systems(file, tmp_path):
    platform, path = file
    libraries = {name: content for name, content in members(path).items() if ".so" in name}
    assert len(libraries) > 4 * 3

    for number, (name, content) in enumerate(libraries.items()):
        library = tmp_path / str(number)
        library.write_bytes(content)
        told = subprocess.run(
            ["readelf", "--wide", "--file-header", "--version-info", library],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        assert f"Machine:                           {MACHINES[platform]}" in told, name
        needed = re.findall(r"GLIBC_(\d+)\.(\d+)", told)
        assert needed, name
        assert max((int(major), int(minor)) for major, minor in needed) <= GLIBC_MAX, name


def test_each_python_has_libraries_of_its_own(file):
    _, path = file
    inside = zipfile.ZipFile(path).namelist()
    for python in PYTHONS:
        tag = python.replace(".", "")
        names = [name for name in inside if name.startswith(f"code/cp{tag}/") and ".so" in name]
        assert names
        assert all(f".cpython-{tag}-" in name for name in names), names


def test_a_library_of_another_machine_is_not_packed(built_for_arm):
    name = next(name for name in members(built_for_arm) if name.endswith(".so"))
    for_arm = {name: members(built_for_arm)[name]}
    assert check_libraries(PLATFORMS[ARM], for_arm) == 1

    with pytest.raises(Unbuildable, match="is for the processor 183 of ELF, not for x86_64"):
        check_libraries(PLATFORMS["linux-x86_64"], for_arm)
    with pytest.raises(Unbuildable, match=r"needs glibc 2\.34, not 2\.28"):
        check_libraries(PLATFORMS[ARM], {name: for_arm[name] + b"\0GLIBC_2.34\0"})
    with pytest.raises(Unbuildable, match="is no library of Linux"):
        check_libraries(PLATFORMS[ARM], {"yaml/_yaml.so": b"\xcf\xfa\xed\xfe"})


def test_a_file_has_no_more_of_the_product_than_the_agent_imports(built):
    ours = {name for name in members(built) if name.startswith("code/common/weighbridge/")}
    areas = {name.split("/")[3] for name in ours}

    assert areas == {"__init__.py", "agent", "commands", "core", "errors.py"}
    assert {name for name in ours if "/commands/" in name} == {
        f"code/common/weighbridge/commands/{name}.py"
        for name in ("__init__", "agent", "agent_file", "options")
    }
    assert "code/common/weighbridge/agent/schema.sql" in ours


def test_a_file_has_the_packages_of_the_lock_with_their_licences(built):
    about = re.compile(r"code/[^/]+/([\w.]+)-([\w.]+)\.dist-info/(.*)")
    found = [match.groups() for name in members(built) if (match := about.fullmatch(name))]
    plain = {(re.sub(r"[-_.]+", "-", name).lower(), version) for name, version, _ in found}
    pinned = {pin for python in PYTHONS for pin in PIN.findall(list_requirements(PLATFORMS[HERE], python))}

    assert plain == pinned | {("weighbridge", VERSION)}
    with_licence = {
        (name, version)
        for name, version, path in found
        if re.search("licen[cs]e|copying|notice|about|epl|edl", path, re.IGNORECASE)
    }
    assert {(name, version) for name, version, _ in found} == with_licence


def test_the_lock_pins_what_the_agent_is_tested_with():
    tested = dict(PIN.findall((ROOT / "requirements-dev.lock").read_text()))
    pinned = dict(PIN.findall(LOCK.read_text()))

    assert {name: tested.get(name) for name in pinned} == pinned
    assert LOCK.read_text().count("--hash=sha256:") > 2 * len(pinned)


def test_the_lock_is_of_the_packages_that_the_agent_imports():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    known = packages_distributions()
    imported = set()
    for path in find_modules(PROGRAM, OPENING).values():
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            imported |= {name.partition(".")[0] for name in names}
    foreign = {name for name in imported if name not in sys.stdlib_module_names and name != "weighbridge"}
    packages = {known[name][0].lower() for name in foreign if name != "google"} | {"protobuf"}

    assert packages == set(project["dependency-groups"]["agent-file"])


def test_conditions_of_the_lock_are_those_of_the_machine():
    old, new = (PIN.findall(list_requirements(PLATFORMS[ARM], python)) for python in ("3.11", "3.12"))

    assert {name for name, _ in old} - {name for name, _ in new} == {"wait-for2"}
    assert not [name for name, _ in new if "jsfetch" in name]
