"""What `deploy/` has fits the service: its commands, its settings, and the programs that read the files."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

from weighbridge.agent.configuration import TOKEN_FILE_VARIABLE
from weighbridge.commands.agent_file import app as agent_file
from weighbridge.commands.app import app
from weighbridge.settings import FILE_ENDING, TABLE

DEPLOY = Path(__file__).parents[2] / "deploy"
VERSION = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["project"]["version"]
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE_READER = DEPLOY.parent / ".venv" / "foreign" / "compose" / "bin" / "python"
READ_COMPOSE = """
import sys
from compose_spec import PyCompose
PyCompose.from_json(sys.stdin.read()).validate()
"""
SEVERAL_HOSTS = DEPLOY.parent / "docs" / "howto" / "run-on-several-hosts.md"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
ANALYZE = shutil.which("systemd-analyze")
EXPOSURE_MAX = 20
"""Of 100, as systemd counts what a unit leaves open; a unit without a word about it has 96."""

AGENT = "/opt/weighbridge-agent/weighbridge-agent"
"""The agent as one file, where its unit expects it."""
STEPS = [
    (step.split(maxsplit=1)[0], step.split(maxsplit=1)[1])
    for step in DOCKERFILE.replace("\\\n", "").splitlines()
    if step and not step.startswith("#")
]
"""Each instruction of the Dockerfile with what it is given."""

needs_systemd = pytest.mark.skipif(ANALYZE is None, reason="this machine has no systemd-analyze")


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def test_every_variable_of_these_files_is_a_setting():
    known = {setting.variable for setting in TABLE}
    known |= {setting.variable + FILE_ENDING for setting in TABLE if setting.may_be_in_a_file}
    known |= {TOKEN_FILE_VARIABLE}  # of the agent

    named = {
        word
        for file in DEPLOY.rglob("*")
        if file.is_file()
        for word in re.findall(r"WEIGHBRIDGE_[A-Z_]+", file.read_text())
    }

    assert named - known == set()
    assert len(named) > 5


def test_every_command_of_these_files_is_a_command(compose):
    started = [tuple(one["command"]) for one in compose["services"].values() if "command" in one]
    started += [
        tuple(line.partition("=")[2].removeprefix("/opt/weighbridge/bin/").split())
        for unit in UNITS
        for line in unit.read_text().splitlines()
        if line.startswith("ExecStart=")
    ]

    ours = [words for words in started if words[0] == "weighbridge"]
    assert len(ours) == 7
    for _, name, *options in ours:
        assert name in set(app)
        parameters = app[name].default_command.__kwdefaults__
        assert {option.removeprefix("--").replace("-", "_") for option in options} <= set(parameters)


def test_the_unit_of_the_agent_is_the_printed_one_and_runs_a_command_of_its_file():
    unit = (DEPLOY / "systemd" / "weighbridge-agent.service").read_text()
    page = (DEPLOY.parent / "docs" / "howto" / "run-an-agent.md").read_text()

    [printed] = re.findall(r"^```ini\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    [command] = re.findall(rf"^ExecStart={AGENT} (\w+) ", unit, re.MULTILINE)

    assert printed == unit
    assert command in set(agent_file)


def test_what_services_need_of_each_other_is_there(compose):
    services = compose["services"]

    for one in services.values():
        assert set(one.get("depends_on", ())) <= set(services)
        assert set(one.get("secrets", ())) <= set(compose["secrets"])
        mounted = [volume.partition(":")[0] for volume in one.get("volumes", ())]
        named = {name for name in mounted if not name.startswith(".")}
        assert named <= set(compose["volumes"])
        assert all((DEPLOY / name).is_file() for name in mounted if name.startswith("."))
        assert set(one.get("networks", ())) <= set(compose["networks"])
        assert one.get("image") or one.get("build")
        build = one.get("build")
        assert build is None or (DEPLOY / build["context"] / build["dockerfile"]).is_file()


def test_the_image_is_made_of_the_wheel_of_this_version(compose):
    copied = re.findall(r"^COPY (?!--from)(\S+) ", DOCKERFILE, re.MULTILINE)

    assert copied == ["requirements.lock", f"dist/weighbridge-{VERSION}-py3-none-any.whl"]
    assert f"pip-version-check --no-deps weighbridge-{VERSION}-py3-none-any.whl" in DOCKERFILE
    images = {one["image"] for one in compose["services"].values() if "build" in one}
    assert images == {f"weighbridge:{VERSION}"}


def test_the_steps_of_the_image_are_what_shells_and_engines_take():
    """What holds without an engine; with one `tests/release/test_image.py` builds the image."""
    known = {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "CMD"}
    assert {name for name, _ in STEPS} <= known

    for name, given in STEPS:
        if name == "RUN":
            said = subprocess.run(["sh", "-n"], input=given, capture_output=True, text=True, check=False)
            assert said.returncode == 0, given
    [base] = [given.removeprefix("PYTHON=") for name, given in STEPS if name == "ARG"]
    assert re.fullmatch(r"python:3\.1[1-4]-slim-[a-z]+", base)
    assert [given.split()[0] for name, given in STEPS if name == "FROM"] == ["${PYTHON}", "${PYTHON}"]


def test_the_image_is_run_by_a_person_who_is_made_and_starts_a_command():
    given = {name: value for name, value in STEPS if name in {"USER", "CMD", "VOLUME"}}
    [making] = [value for name, value in STEPS if name == "RUN" and "useradd" in value]
    names = [name for name, _ in STEPS]

    assert making.split("&&")[1].split()[-1] == given["USER"] != "root"
    assert "--uid 10001 --gid 10001" in making
    assert making.split()[-1] == given["VOLUME"]
    assert names.index("CMD") > names.index("USER") > max(i for i, one in enumerate(names) if one == "COPY")
    program, command = json.loads(given["CMD"])
    assert (program, command in set(app)) == ("weighbridge", True)


def test_an_engine_is_sent_nothing_but_what_the_image_copies():
    lines = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    sent = {line.removeprefix("!") for line in lines if line.startswith("!")}

    assert [line for line in lines if line[0] not in "#!"] == ["*"]
    assert sent == {"requirements.lock", "dist/*.whl"}


@pytest.mark.skipif(
    not COMPOSE_READER.exists(), reason="the reader of Compose files is not installed; make packages does so"
)
def test_a_reader_of_others_takes_the_compose_file_and_refuses_an_unknown_name(compose):
    def read(contents):
        sent = json.dumps(contents)
        return subprocess.run(
            [COMPOSE_READER, "-c", READ_COMPOSE], input=sent, text=True, capture_output=True, check=False
        )

    taken = read(compose)
    refused = read(compose | {"servers": {}})

    assert taken.returncode == 0, taken.stderr
    assert "servers" in refused.stderr


def test_the_compose_file_asks_for_the_variables_that_the_page_gives():
    asked = set(re.findall(r"\$\{(\w+):\?", (DEPLOY / "compose.yaml").read_text()))
    [given] = re.findall(r"^(.*) docker compose up --build", SEVERAL_HOSTS.read_text(), re.MULTILINE)

    assert asked == set(re.findall(r"(\w+)=\S+", given))


def test_every_secret_of_the_compose_file_is_made_by_the_page(compose):
    page = SEVERAL_HOSTS.read_text()

    for secret in compose["secrets"].values():
        assert re.search(rf"(> |-out ){re.escape(secret['file'].removeprefix('./'))}", page), secret


@pytest.mark.skipif(
    subprocess.run(["sh", "-c", "docker compose version"], capture_output=True, check=False).returncode != 0,
    reason="this machine has no `docker compose`; its file is read by a reader of others alone",
)
def test_compose_takes_its_file():
    named = {"SITE": "weighbridge.example", "WEIGHBRIDGE_BASE_URL": "https://weighbridge.example"}
    done = subprocess.run(
        ["docker", "compose", "--file", DEPLOY / "compose.yaml", "config", "--format", "json"],
        env=os.environ | named, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)["services"]
    assert read["api"]["environment"]["WEIGHBRIDGE_BASE_URL"] == "https://weighbridge.example"
    assert read["worker"]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"


def test_documents_name_the_files_of_this_version():
    named = {
        version
        for document in [DEPLOY.parent / "README.md", *(DEPLOY.parent / "docs").rglob("*.md")]
        for version in re.findall(r"weighbridge-(?:agent-)?(\d+\.\d+\.\d+)", document.read_text())
    }

    assert named == {VERSION}


def test_no_password_stands_in_these_files(compose):
    assert not re.search(r"postgresql://[^:@/\s]+:[^@/\s]+@", (DEPLOY / "compose.yaml").read_text())
    for one in compose["services"].values():
        said = one.get("environment", {})
        assert not [name for name in said if re.search("PASSWORD$|DATABASE_URL$|KEY$", name)]


@needs_systemd
def test_systemd_takes_every_unit(tmp_path):
    for unit in UNITS:
        # The program is not installed here; another one that is stands for it.
        text = unit.read_text()
        for program in ("/opt/weighbridge/bin/weighbridge", AGENT):
            text = text.replace(program, "/usr/bin/env")
        (tmp_path / unit.name).write_text(text)

    done = subprocess.run(
        [ANALYZE, "verify", "--man=no", *sorted(tmp_path.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")


@needs_systemd
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_leaves_next_to_nothing_open(unit, tmp_path):
    alone = tmp_path / unit.name
    alone.write_text(unit.read_text())

    done = subprocess.run(
        [ANALYZE, "security", "--offline=true", f"--threshold={EXPOSURE_MAX}", alone],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[-300:] + done.stderr
