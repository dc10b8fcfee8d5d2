"""Who may import what: the layers of the package, and the places of the libraries."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.architecture.source import ROOT, files, nouns

CORE_LIBRARIES = {"cryptography", "lark", "numpy"}

IMPURE = {
    *(
        "asyncio",
        "io",
        "logging",
        "multiprocessing",
        "os",
        "pathlib",
        "random",
        "secrets",
        "shutil",
        "socket",
    ),
    *("sqlite3", "subprocess", "sys", "tempfile", "threading", "time", "urllib", "uuid", "warnings"),
}
"""The standard library's clocks, dice and doors to the outside."""

PLACES = {
    "alembic": ("db/migration.py", "db/migration.py", "db/migrations/*", "supervisor/startup.py"),
    "asyncua": (
        "agent/opcua.py",
        "agent/opcua_session.py",
    ),
    "cyclopts": ("cli.py", "commands/*"),
    "granian": ("supervisor/api.py",),
    "lark": ("core/*",),
    "jinja2": ("web/framework/rendering.py",),
    "litestar": (
        "app.py",
        "contents.py",
        "footprints/pact/serving.py",
        "http/*",
        "web/*",
    ),
    "multipart": ("http/messages/body.py",),
    "numpy": (
        *("core/uncertainty/*", "core/expression/trial_*", "core/engine/trial_inputs.py"),
        "core/engine/uncertainty_trials.py",
        "core/engine/chain_trials.py",
    ),
    "obstore": ("collection/evidence_files.py", "exchange/watched_places.py", "backup/*"),
    "paho": ("agent/mqtt.py",),
    "procrastinate": ("worker.py", "platform/async_tasks.py", "platform/queue.py"),
    "rfc3161_client": ("reporting/bundle/storage.py",),
    "rich": ("cli.py", "commands/*", "demo/show.py", "demo/show.py"),
    "sqlalchemy": ("db/migration.py", "db/migration.py", "db/migrations/*"),
    "structlog": (
        *("http/*", "supervisor/*", "tracing.py", "backup/*"),
        *("app.py", "worker.py", "shifts.py", "rounds.py", "footprints/pact/serving.py"),
    ),
    "yaml": ("modelling/documents.py", "agent/configuration_reading.py"),
}
"""Where a library may be imported, so that replacing it touches these files and no others."""

IN_NOUNS = {"litestar"}
"""Libraries that the file of every noun may import as well."""


def test_each_layer_imports_only_from_the_layers_below_it():
    lint = Path(sys.executable).with_name("lint-imports")

    checked = subprocess.run(
        [lint, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_core_imports_only_the_standard_library_and_three_others():
    allowed = (sys.stdlib_module_names - IMPURE) | CORE_LIBRARIES

    strangers = [
        f"core imports {module}: {file.path}:{line}"
        for file in files()
        if file.stands_in("core/*")
        for module, line in file.imports()
        if module.partition(".")[0] not in allowed and not module.startswith("weighbridge.core")
    ]

    assert not strangers, "\n".join(strangers)


def test_numpy_is_loaded_where_trials_are_run_and_not_before():
    """It starts threads, which the template of processes must not have (decisions 61 and 68)."""
    program = (
        "import sys; from importlib import import_module; from weighbridge.supervisor import template;"
        "[import_module(name) for name in template.LOADED]; print('numpy' in sys.modules)"
    )

    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert told.stdout.strip() == "False"


@pytest.mark.parametrize("library", PLACES)
def test_a_library_is_imported_only_in_its_places(library):
    places = (*PLACES[library], *(noun.path for noun in nouns() if library in IN_NOUNS))
    astray = [
        f"{file.path}:{line} imports {module}, which belongs in {', '.join(places)}"
        for file in files()
        for module, line in file.imports()
        if module.partition(".")[0] == library and not file.stands_in(*places)
    ]

    assert not astray, "\n".join(astray)
