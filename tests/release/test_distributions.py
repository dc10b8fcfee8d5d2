"""What a release is handed out as has all that the service needs, nothing beside it, and works by itself."""

import hashlib
import re
import signal
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory

import pytest
from tests.durability.processes import until
from tests.release.conftest import PACKAGES, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSION = PROJECT["version"]
SRC = ROOT / "src"
DOCS = ROOT / "docs"
STATIC = "weighbridge/http/static"
LIBRARY = "weighbridge/packages/library"
DEMONSTRATION_SECONDS = 180
INTERRUPTED = 130


@pytest.fixture(scope="module")
def wheel(built):
    with zipfile.ZipFile(built.wheel) as opened:
        yield opened


def source_files():
    """Every file of the package as it lies in the tree; the guides are a link to the documentation, and the
    library of methodology packages is one to their folder.
    """
    package = SRC / "weighbridge"
    found = {path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    names = {path.relative_to(SRC).as_posix() for path in found} | set(library())
    return {name for name in names if not name.startswith((f"{STATIC}/guides/", f"{STATIC}/site/"))}


def library():
    """The files of the methodology packages, as the wheel has them."""
    folder = ROOT / "packages"
    files = (path for path in folder.rglob("*") if path.is_file())
    return [f"{LIBRARY}/{path.relative_to(folder).as_posix()}" for path in files]


def documents():
    return {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}


def test_the_wheel_has_every_file_of_the_package_and_the_guides(wheel):
    names = {name for name in wheel.namelist() if not name.startswith((f"{STATIC}/site/", "weighbridge-"))}

    assert names == source_files() | {f"{STATIC}/guides/{name}" for name in documents()}


def test_the_wheel_has_the_built_guide_with_a_page_for_every_document(wheel):
    site = {name.removeprefix(f"{STATIC}/site/") for name in wheel.namelist() if f"{STATIC}/site/" in name}

    pages = {name.removesuffix(".md") + ".html" for name in documents() - {"README.md"}}
    assert pages | {"index.html", "search.html", "searchindex.js"} <= site
    assert {name.rpartition("/")[2] for name in site if name.startswith("_images/")} >= {"overview.png"}


@pytest.mark.parametrize(
    "kind", ["*.sql", "*.lark", "*.tsv", "*.yaml", "*.html", "*.css", "*.js", "*.svg", "*.txt", "py.typed"]
)  # fmt: skip
def test_no_kind_of_file_that_the_service_reads_is_missing_in_the_wheel(wheel, kind):
    expected = {name for name in source_files() if PurePath(name).match(kind)}

    assert expected
    assert expected <= set(wheel.namelist())


def test_the_wheel_says_what_it_is(wheel):
    about = f"weighbridge-{VERSION}.dist-info"
    metadata = message_from_bytes(wheel.read(f"{about}/METADATA"))

    assert metadata["Version"] == VERSION
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert {"agent", "traces"} <= set(metadata.get_all("Provides-Extra"))
    assert wheel.read(f"{about}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    assert wheel.read(f"{about}/licenses/NOTICE") == (ROOT / "NOTICE").read_bytes()
    assert b"weighbridge = weighbridge.cli:main" in wheel.read(f"{about}/entry_points.txt")


def test_the_source_distribution_has_what_the_wheel_is_built_of_and_what_running_it_takes(built):
    with tarfile.open(built.source) as archive:
        members = archive.getmembers()
    names = {member.name.partition("/")[2] for member in members if member.isfile()}
    guides = {f"src/{STATIC}/guides/{name}" for name in documents()}
    deploy = {path.relative_to(ROOT).as_posix() for path in (ROOT / "deploy").rglob("*") if path.is_file()}

    assert {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "NOTICE", "requirements.lock"} <= names
    assert {f"src/{name}" for name in source_files()} | guides | deploy <= names
    assert not [name for name in names if name.startswith(("tests/", "tools/", "docs/"))]
    assert {(member.uid, member.uname, member.mode & 0o022) for member in members} == {(0, "", 0)}


def test_the_sums_are_those_of_the_files(built):
    told = dict(
        line.split("  ")[::-1] for line in (built.wheel.parent / "SHA256SUMS").read_text().splitlines()
    )

    assert told == {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in built}


@pytest.mark.parametrize("words", [("weighbridge",), ("python", "-m", "weighbridge")], ids=" ".join)
def test_what_was_installed_says_the_version_of_the_project(environment, tmp_path, words):
    said = environment.run(*words, "--version", cwd=tmp_path)

    assert (said.returncode, said.stdout.strip()) == (0, VERSION), said.stderr


def test_what_was_installed_is_the_wheel_and_not_this_tree(environment, tmp_path):
    said = environment.run("python", "-c", "import weighbridge; print(weighbridge.__file__)", cwd=tmp_path)

    assert said.stdout.startswith(str(environment.folder))


def test_the_demonstration_runs_in_an_empty_folder_and_leaves_it_empty(environment, tmp_path):
    """With the packages of the index it comes to its end; otherwise it is interrupted when it has begun."""
    ends = PACKAGES == "locked"
    log, empty = tmp_path / "log", tmp_path / "empty"
    empty.mkdir()
    with TemporaryDirectory() as temporary:  # below a short path, for sockets
        with environment.started(
            "weighbridge", "demo", cwd=empty, log=log, TMPDIR=temporary,
            WEIGHBRIDGE_DATABASE_URL="postgresql://another.service/production",
        ) as running:  # fmt: skip
            if not ends:
                until(lambda: "are ready at" in log.read_text(), what="the demonstration has begun")
                running.send_signal(signal.SIGINT)
            code = running.wait(DEMONSTRATION_SECONDS)
        left = [*empty.iterdir(), *Path(temporary).iterdir()]

    said = log.read_text()
    assert code == (0 if ends else INTERRUPTED), said
    if ends:
        assert "The balance of Net removal falls from 43.645628 to 43.585627" in said
        assert "Everything holds" in said
    assert left == []


def test_the_extras_bring_what_they_are_for(environment, built, tmp_path):
    """From the index the agent and the traces are installed; here they are beside the tests' own packages."""
    if PACKAGES == "locked":
        pins = tmp_path / "pins.txt"
        locked = (ROOT / "requirements-dev.lock").read_text()
        pins.write_text("\n".join(re.findall(r"^[\w.-]+==[^\\\n]+", locked, re.MULTILINE)))
        environment.install("--constraint", pins, f"{built.wheel}[agent,traces]")

    for module in (
        "asyncua",
        "paho.mqtt.client",
        "opentelemetry.sdk.trace",
        "opentelemetry.exporter.otlp.proto.http",
    ):
        said = environment.run("python", "-c", f"import {module}", cwd=tmp_path)
        assert said.returncode == 0, said.stderr
