"""Requests, their transactions and statements, and the tasks that they queue, as a collector is told."""

import httpx2
import pytest
from tests.tracing.collector import collecting

from weighbridge import worker
from weighbridge.http.outgoing import CallReach, OutgoingClient, OutgoingRequest
from weighbridge.tracing import is_wanted, name_of, trace_process

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"


@pytest.fixture(scope="module")
def collector(server):
    with pytest.MonkeyPatch.context() as environment, collecting() as collector:
        environment.setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
        environment.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
        tracing = trace_process("api", f"{collector.address}/v1/traces", 100)
        server.run(tracing.__aenter__())
        yield collector
        server.run(tracing.__aexit__(None, None, None))


def sent(api, method, path, request_id, **more):
    return api.send(method, path, headers={"X-Request-Id": request_id, **more.pop("headers", {})}, **more)


def of_request(collector, request_id):
    return collector.wait(lambda one: one.attributes.get("weighbridge.request_id") == request_id)


def test_a_request_is_a_span_with_its_transaction_and_statements_by_name(collector, api, account):
    project = api.post("/projects", {"project": {"name": "Kiln of Uppsala"}}).expect(201).body["id"]
    answer = sent(api, "GET", f"/projects/{project}/locations", "trace-read-1", query={"page_size": "7"})
    answer.expect(200)

    request = of_request(collector, "trace-read-1")
    assert request.name == "list_locations"
    assert request.attributes["http.request.method"] == "GET"
    assert request.attributes["http.response.status_code"] == 200
    assert request.attributes["weighbridge.project_id"] == project
    assert request.attributes["weighbridge.account_id"] == account.id
    assert not request.is_error
    [transaction] = [one for one in collector.below(request) if one.name == "read"]
    statements = collector.below(transaction)
    assert any("SELECT locations" in one.attributes["db.query.summary"] for one in statements)


def test_no_span_holds_a_token_a_name_or_a_value_of_a_statement(collector, api):
    body = b'{"project": {"name": "Secret Kiln"}}'
    sent(api, "POST", "/projects", "trace-write-1", content=body).expect(201)

    request = of_request(collector, "trace-write-1")
    assert request.name == "create_project"
    assert any(one.name == "write" for one in collector.below(request))
    for secret in (api.token.encode(), b"Secret Kiln", b"Kiln of Uppsala", b"VALUES", b"page_size"):
        assert secret not in collector.raw


def test_what_nobody_asked_for_is_no_trace(collector, api, server):
    async def look():
        async with server.database.read() as tx:
            await tx.value("SELECT count(*) FROM audit_unsealed")

    server.run(look())
    sent(api, "GET", "/projects", "trace-after-1").expect(200)

    of_request(collector, "trace-after-1")
    assert not [
        one for one in collector.spans if "audit_unsealed" in one.attributes.get("db.query.summary", "")
    ]


def test_a_trace_goes_on_from_the_caller(collector, api):
    parent = f"00-{TRACE}-{CALLER}-01"
    sent(api, "GET", "/projects", "trace-caller-1", headers={"traceparent": parent}).expect(200)
    sent(api, "GET", "/projects", "trace-caller-2", headers={"traceparent": "00-nonsense"}).expect(200)

    request, other = (of_request(collector, f"trace-caller-{number}") for number in (1, 2))
    assert (request.trace, request.parent) == (TRACE, CALLER)
    assert (other.trace != TRACE, other.parent) == (True, "")


def test_a_trace_goes_on_to_who_is_called_and_tells_of_its_host_alone(collector, server):
    async def call():
        async with OutgoingClient(CallReach.of(("127.0.0.1/32",))) as client:
            await client.send(OutgoingRequest("POST", f"{collector.address}/hook-secret", {}, b"{}"))

    server.run(call())

    called = collector.wait(lambda one: "server.address" in one.attributes)
    assert called.attributes["server.address"] == "127.0.0.1"
    assert collector.headers[-1]["traceparent"].startswith(f"00-{called.trace}-{called.id}-")
    assert b"hook-secret" not in collector.raw


def test_a_task_is_a_trace_of_its_own_with_a_link_to_the_request_that_queued_it(collector, api, account):
    asked = {"response_mode": "summary_with_export"}
    sent(api, "GET", "/projects", "trace-task-1", query=asked).expect(200)
    [(task,)] = api.server.sql("SELECT id FROM async_tasks WHERE account_id = %s", account.id)
    [(queued_by,)] = api.server.sql(
        "SELECT args ->> 'traceparent' FROM procrastinate_jobs WHERE (args ->> 'task_id')::integer = %s", task
    )
    tasks = {**worker.TASKS, "export": worker.exporter(api.server.settings).make}
    api.server.run(worker.attempt_task(api.server.database, task, tasks=tasks, queued_by=queued_by))

    request = of_request(collector, "trace-task-1")
    attempt = collector.wait(lambda one: one.attributes.get("weighbridge.task_id") == task)
    assert (attempt.name, attempt.parent) == ("export", "")
    assert attempt.trace != request.trace
    assert attempt.attributes["weighbridge.account_id"] == account.id
    queueing = {one.id for one in collector.spans if one.trace == request.trace}
    assert set(attempt.links) <= queueing
    assert len(attempt.links) == 1


def test_a_probe_of_health_is_no_span(collector, api):
    for path in ("/healthz", "/readyz"):
        answer = httpx2.get(api.server.address + path, headers={"X-Request-Id": f"trace-probe{path}"})
        assert answer.status_code == 200
    sent(api, "GET", "/projects", "trace-after-probes").expect(200)

    of_request(collector, "trace-after-probes")
    assert b"trace-probe" not in collector.raw
    assert not [one for one in collector.spans if one.name == "other"]


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("SELECT a FROM events WHERE b = 'FROM x'", "SELECT events"),
        ("WITH x AS (SELECT 1) INSERT INTO audit_log (a) SELECT 1", "INSERT audit_log"),
        ("UPDATE batches SET a = 1", "UPDATE batches"),
        ("DELETE FROM api_tokens", "DELETE api_tokens"),
        ("COPY events (a) FROM STDIN", "COPY events"),
        ("BEGIN ISOLATION LEVEL REPEATABLE READ", "BEGIN"),
        ("SELECT now()", "SELECT"),
        ("SELECT 1 FROM unnest(%s::bigint[]) JOIN ledgers USING (id)", "SELECT ledgers"),
        ("SELECT EXTRACT(epoch FROM now())", "SELECT"),
    ],
)
def test_a_statement_is_named_by_what_it_does_to_which_table(statement, name):
    assert name_of(statement) == name


@pytest.mark.parametrize(
    ("url", "environment", "wanted"),
    [
        (None, {}, False),
        ("http://127.0.0.1:4318/v1/traces", {}, True),
        (None, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, True),
        (None, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, True),
        ("http://127.0.0.1:4318/v1/traces", {"OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_traces_are_sent_where_something_names_a_collector(url, environment, wanted):
    assert is_wanted(url, environment) is wanted
