"""The image is built as printed, of the wheel, and it runs as a person of its own with an empty folder."""

import re
import shlex
import shutil

import pytest
from tests.release.conftest import ROOT
from tests.release.engine import BASE, engine_with_base, missing

INSTALL = ROOT / "docs" / "howto" / "install.md"
[PRINTED] = re.findall(r"^docker build (.*)$", INSTALL.read_text(), re.MULTILINE)
IMAGE = PRINTED.split("--tag ")[1].split()[0]
SERVES = """
weighbridge serve > /tmp/said 2>&1 &
until grep -q '^ready ' /tmp/said || ! kill -0 $! 2> /dev/null; do sleep 0.1; done
kill -TERM $! && wait $!
echo "ended by $?"
"""


@pytest.fixture(scope="module")
def engine(built, tmp_path_factory):
    """An engine that has built the image in the folder of files that the page names, and nothing else."""
    if lacking := missing():
        pytest.skip(lacking)
    folder = tmp_path_factory.mktemp("image")
    shutil.copy(ROOT / "requirements.lock", folder)
    shutil.copytree(ROOT / "deploy", folder / "deploy")
    (folder / "dist").mkdir()
    shutil.copy(built.wheel, folder / "dist")
    with engine_with_base(IMAGE) as engine:
        if isinstance(engine, str):
            pytest.skip(engine)
        done = engine.build(folder, *shlex.split(PRINTED))
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        yield engine


def test_the_image_runs_as_a_person_of_its_own_with_an_empty_folder(engine):
    said = engine.run("sh", "-c", "id -u; id -g; find /var/lib/weighbridge -printf '%p %m %U %G\\n'")

    assert said.stdout.splitlines() == ["10001", "10001", "/var/lib/weighbridge 700 10001 10001"]


def test_the_image_says_how_it_is_started_and_ended(engine):
    config = engine.config()

    assert config["Cmd"] == ["weighbridge", "serve"]
    assert (config["User"], config["StopSignal"]) == ("weighbridge", "SIGTERM")
    assert set(config["ExposedPorts"]) == {"8080/tcp"}
    assert set(config["Volumes"]) == {"/var/lib/weighbridge"}


def test_the_program_of_the_image_cannot_be_changed_by_the_service(engine):
    said = engine.run("sh", "-c", "find /opt/weighbridge -writable -not -type l | head -1")

    assert (said.returncode, said.stdout) == (0, "")


def test_the_service_of_the_image_becomes_ready_and_ends_when_it_is_told(engine):
    said = engine.run("sh", "-c", SERVES)

    assert said.stdout.splitlines()[-1] == "ended by 0", said.stdout + said.stderr


def test_the_base_image_is_the_one_that_the_engine_is_given():
    assert f"ARG PYTHON={BASE}\n" in (ROOT / "deploy" / "Dockerfile").read_text()
