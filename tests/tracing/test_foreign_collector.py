"""Traces, switched on as the page says, at a collector of OpenTelemetry that nobody here wrote."""

import re
from pathlib import Path

import pytest
from tests.durability.processes import until
from tests.durability.real_service import Service
from tests.given.command_line import run_command
from tests.tracing.rotel import MISSING, PROGRAM, rotel

OPERATE = Path(__file__).parents[2] / "docs" / "howto" / "operate.md"
PRINTED = re.findall(r"^export (\w+)=(\S+)", OPERATE.read_text(), re.MULTILINE)
NAMED = "http://collector.internal:4318"
PROJECT = {"project": {"name": "Kiln of Uppsala", "time_zone": "Europe/Stockholm"}}

pytestmark = pytest.mark.skipif(PROGRAM is None, reason=MISSING)


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """What the collector has of a service with a worker, after a project was made and an export."""
    folder = tmp_path_factory.mktemp("traced")
    variables = dict(PRINTED) | {"WEIGHBRIDGE_TRACES_PERCENT": "100"}
    with rotel(folder) as collector:
        assert variables["OTEL_EXPORTER_OTLP_ENDPOINT"] == NAMED
        variables["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.address
        data = folder / "data"
        token = run_command("token", "create", "--name", "me", "--all", data_dir=data).split()[-1]
        service = Service(data, token, log=folder / "service.log", **variables)
        try:
            made = service.call("POST", "/projects", PROJECT)
            export = service.call("GET", "/projects?response_mode=summary_with_export")["export"]["id"]
            until(
                lambda: service.call("GET", f"/exports/{export}")["status"] == "completed",
                what="it is written",
            )
            service.stop()
        finally:
            service.close()
        until(lambda: any(span.links for span in collector.spans()), what="the task is at the collector")
        yield collector, {"token": token, "project": made, "log": (folder / "service.log").read_text()}


def test_a_collector_of_others_has_each_span_below_one_that_it_has_too(traced):
    collector, _ = traced
    spans = {span.id: span for span in collector.spans()}
    [request] = [span for span in spans.values() if span.name == "create_project"]
    [writing] = [span for span in spans.values() if span.parent == request.id and span.name == "write"]

    assert {span.parent for span in spans.values()} - set(spans) == {""}
    assert any(span.name == "INSERT projects" and span.parent == writing.id for span in spans.values())


def test_a_collector_of_others_has_the_task_linked_to_the_request_that_queued_it(traced):
    collector, _ = traced
    spans = {span.id: span for span in collector.spans()}
    [task] = [span for span in spans.values() if span.links]

    queued_by = spans[task.links[0]]
    assert (task.name, task.parent) == ("export", "")
    assert task.trace != queued_by.trace
    asked = [span.name for span in spans.values() if span.trace == queued_by.trace and not span.parent]
    assert asked == ["list_projects"]


def test_a_collector_of_others_has_no_token_name_or_probe(traced):
    collector, known = traced
    said = collector.log.read_text()

    assert "weighbridge.process: Str(api" in said
    assert "weighbridge.process: Str(worker" in said
    assert known["token"] not in said
    assert PROJECT["project"]["name"] not in said
    assert not [span for span in collector.spans() if span.name == "other"]
    assert "traces_not_sent" not in known["log"]
