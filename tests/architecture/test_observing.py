"""What an operator sees has a name in a table: counters, log lines, alerts and panels of the dashboard."""

import ast
import json
import re
import shutil
import subprocess
from pathlib import Path
from statistics import linear_regression

import pytest
import yaml
from tests.architecture.source import ROOT, files

from weighbridge.http.metrics import METRICS
from weighbridge.supervisor.logs import LOG_EVENTS

DEPLOY = ROOT / "deploy"
CASES_OF_ALERTS = Path(__file__).with_name("alerts.test.yaml")
PROMTOOL = shutil.which("promtool")
EVENTS = {name: event for group in LOG_EVENTS.values() for name, event in group.items()}
LEVELS = {"info": "info", "warning": "warning", "error": "error", "exception": "error"}
NAME = re.compile(r"\bweighbridge_\w+")
OF_PROMETHEUS = {"up"}
OF_HISTOGRAMS = ("_bucket", "_sum", "_count")


def calls():
    """Every call that writes a line: the file, the level, the event, the names of its fields."""
    for file in files():
        if file.stands_in("agent/*", "client/*"):
            continue
        for node in file.nodes():
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="log"), attr=level),
                    args=[ast.Constant(value=str(event)), *_],
                    keywords=keywords,
                ) if level in LEVELS:
                    yield file.path, LEVELS[level], event, {one.arg for one in keywords} - {"exc_info"}
                case ast.Call(
                    func=ast.Name(id="partial"),
                    args=[
                        ast.Attribute(value=ast.Name(id="log"), attr=level),
                        ast.Constant(value=str(event)),
                    ],
                    keywords=[],
                ) if level in LEVELS:
                    yield file.path, LEVELS[level], event, set()
                case ast.Call(func=ast.Attribute(value=ast.Name(id="log"), attr=level)) if level in LEVELS:
                    pytest.fail(
                        f"{file.path}:{node.lineno}: the name of an event is a text that stands there"
                    )


def test_every_line_of_the_log_is_in_the_table_with_its_level_and_fields():
    wrong = [
        f"{path}: {event} is {level} with {sorted(fields)}"
        for path, level, event, fields in calls()
        if event not in EVENTS or level != EVENTS[event].level or not fields <= set(EVENTS[event].fields)
    ]

    assert not wrong, "\n".join(wrong)


def test_the_table_of_the_log_names_nothing_that_is_never_written():
    written = {}
    for _, _, event, fields in calls():
        written.setdefault(event, set()).update(fields)

    assert written.keys() == EVENTS.keys()
    assert {name: set(event.fields) for name, event in EVENTS.items()} == written


def used(expression):
    """The names of counters in an expression, as the table has them."""
    for name in NAME.findall(expression):
        whole = name
        for ending in OF_HISTOGRAMS:
            if METRICS.get(name.removesuffix(ending)) and name.endswith(ending):
                whole = name.removesuffix(ending)
                assert METRICS[whole].kind == "histogram", expression
        yield whole


def labels(expression):
    """The labels that an expression asks for, of the counters and of all hosts."""
    return {
        name
        for inner in re.findall(r"\{([^}]*)\}", expression)
        for name in re.findall(r"(\w+)\s*(?:=|!)", inner)
    }


def rules():
    [group] = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yaml").read_text())["groups"]
    return group["rules"]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule["alert"])
def test_an_alert_is_made_of_counters_that_there_are_and_says_what_to_do(rule):
    named = set(used(rule["expr"]))
    known = {label for name in named for label in METRICS[name].labels} | {"job", "instance", "le"}

    assert named or OF_PROMETHEUS & set(re.findall(r"\w+", rule["expr"]))
    assert labels(rule["expr"]) <= known
    assert set(rule["annotations"]) == {"summary", "means", "action"}
    assert rule["labels"]["severity"] in {"page", "warn"}


GIGABYTE = 1_000_000_000
MINUTES_OF_RANGE = 360


def fills(free_by_minute, disk=100 * GIGABYTE):
    """Whether the alert of a disk that fills fires, by its expression, over gauges of every minute."""
    [rule] = [one for one in rules() if one["alert"] == "WeighbridgeDiskFills"]
    free, disk_bytes = "weighbridge_disk_free_bytes", "weighbridge_disk_bytes"
    expression = rule["expr"].replace(f"predict_linear({free}[6h], 4 * 86400)", "predicted")
    expression = expression.replace(f"{free} offset 6h", "before").replace(free, "free")
    samples = free_by_minute[-MINUTES_OF_RANGE:]
    minutes = [place - len(samples) + 1 for place in range(len(samples))]
    slope, present = linear_regression(minutes, samples)
    before = free_by_minute[-MINUTES_OF_RANGE - 1] if len(free_by_minute) > MINUTES_OF_RANGE else float("nan")
    values = {
        "free": samples[-1],
        disk_bytes: disk,
        "before": before,
        "predicted": present + slope * 4 * 1440,
    }
    assert {*re.findall(r"[a-z_]+", expression)} <= {*values, "or", "and"}
    return eval(expression.replace("\n", " "), {}, values)  # noqa: S307 - our own rule


def test_a_disk_that_has_just_been_installed_on_does_not_page():
    installed = [90 * GIGABYTE - minute * GIGABYTE // 10 for minute in range(15)]
    assert not fills(installed)
    assert not fills(installed + [installed[-1]] * 400)
    small = [40 * GIGABYTE - minute * GIGABYTE // 10 for minute in range(15)]
    assert not fills(small)
    assert not fills(small + [small[-1]] * 400)


def test_a_disk_that_fills_within_days_or_is_full_pages():
    assert fills([40 * GIGABYTE - minute * GIGABYTE // 100 for minute in range(600)])
    assert not fills([40 * GIGABYTE - minute * GIGABYTE // 1000 for minute in range(600)])
    assert fills([9 * GIGABYTE] * 600)
    assert fills([9 * GIGABYTE] * 15)


@pytest.mark.skipif(PROMTOOL is None, reason="this machine has no promtool, which Prometheus brings along")
def test_alerts_wait_for_enough_history_and_tell_of_what_is_wrong(tmp_path):
    for file in (DEPLOY / "prometheus" / "alerts.yaml", CASES_OF_ALERTS):
        shutil.copy(file, tmp_path)

    done = subprocess.run(
        [PROMTOOL, "test", "rules", CASES_OF_ALERTS.name],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_cases_of_the_alerts_have_each_alert():
    assert {rule["alert"] for rule in rules()} <= set(
        re.findall(r'alertname="(\w+)"', CASES_OF_ALERTS.read_text())
    )


def test_alerts_name_lines_of_the_log_and_settings_that_there_are():
    settings = (ROOT / "docs" / "reference" / "settings.md").read_text()
    told = " ".join(text for rule in rules() for text in rule["annotations"].values())

    for setting in re.findall(r"WEIGHBRIDGE_[A-Z_]+", told):
        assert f"`{setting}`" in settings
    lines = {
        word for word in re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", told) if not word.startswith("weighbridge_")
    }
    assert lines - {"roll_ups"} <= EVENTS.keys()


def panels():
    return json.loads((DEPLOY / "grafana" / "weighbridge.json").read_text())["panels"]


@pytest.mark.parametrize("panel", panels(), ids=lambda panel: panel["title"])
def test_a_panel_of_the_dashboard_is_made_of_counters_that_there_are(panel):
    for target in panel["targets"]:
        named = set(used(target["expr"]))
        known = {label for name in named for label in METRICS[name].labels} | {"instance"}
        assert named <= METRICS.keys()
        assert named
        assert labels(target["expr"]) <= known
        assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= known


def test_every_counter_is_on_the_dashboard():
    shown = {name for panel in panels() for target in panel["targets"] for name in used(target["expr"])}

    assert METRICS.keys() - shown - {"weighbridge_disk_bytes"} == set()


def test_opentelemetry_is_loaded_by_processes_alone_that_send_traces():
    named = [
        file for file in files() if "import opentelemetry" in file.text or "from opentelemetry" in file.text
    ]

    assert [file.path for file in named] == ["tracing.py"]
    at_import = [node for node in named[0].tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert "opentelemetry" not in " ".join(map(ast.unparse, at_import))
