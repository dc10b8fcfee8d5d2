"""Quotas of an account, each by a setting: tasks, events a day, evidence files and their bytes."""

import pytest
from tests.given import accounting
from tests.given import collection as given

from weighbridge.settings import Settings


@pytest.fixture
def service(server):
    """Start a service of this test's own with quotas; gives a caller of an account there."""
    started = []

    def start(**quotas):
        started.append(server.again(**quotas).__enter__())
        return started[-1].account()

    yield start
    for one in started:
        one.__exit__(None, None, None)


def test_only_unfinished_tasks_have_a_quota_from_the_start():
    settings = Settings()

    assert settings.quota_tasks == 1_000
    assert (settings.quota_events_a_day, settings.quota_evidence_files, settings.quota_evidence_bytes) == (
        0, 0, 0,
    )  # fmt: skip


def test_an_account_with_as_many_unfinished_tasks_as_it_may_have_waits(service):
    account = service(quota_tasks=2)
    api = account.caller()
    plant = accounting.plant(api, account.drain)
    plant.deliver(1)
    plant.start().expect(202)
    plant.start().expect(202)

    refused = plant.start().expect(429)

    assert (refused.error["code"], refused.headers["retry-after"]) == ("quota", "10")
    said = "The account has 2 unfinished tasks and this request adds 1; its quota is 2."
    assert refused.error["message"] == said
    account.drain()
    plant.start().expect(202)


def test_another_account_has_a_quota_of_its_own(service):
    account = service(quota_tasks=1)
    plant = accounting.plant(account.caller(), account.drain)
    plant.deliver(1)
    plant.start().expect(202)
    plant.start().expect(429)
    other = account.server.account()

    theirs = accounting.plant(other.caller(), other.drain)
    theirs.deliver(1)

    theirs.start().expect(202)


def test_events_of_a_day_are_counted_until_the_quota_is_used_up(service):
    account = service(quota_events_a_day=3)
    api = account.caller()
    project = given.project(api)
    given.event_type(api, project)
    path = f"/projects/{project['id']}/events"
    api.post(path, {"events": [given.event_body(), given.event_body()]}).expect(201)

    refused = api.post(path, {"events": [given.event_body(), given.event_body()]}).expect(429)
    api.post(path, {"event": given.event_body()}).expect(201)
    last = api.post(path, {"event": given.event_body()}).expect(429)

    said = "The account has 2 events of today and this request adds 2; its quota is 3."
    assert (refused.error["code"], refused.error["message"]) == ("quota", said)
    assert 1 <= int(refused.headers["retry-after"]) <= 86_400
    assert last.error["message"].startswith("The account has 3 events of today and this request adds 1;")
    assert api.get(path).info["total_items"] == 3


def test_a_new_day_begins_with_nothing_used(service):
    account = service(quota_events_a_day=1)
    api = account.caller()
    project = given.project(api)
    given.event_type(api, project)
    path = f"/projects/{project['id']}/events"
    api.post(path, {"event": given.event_body()}).expect(201)
    api.post(path, {"event": given.event_body()}).expect(429)

    account.server.sql("UPDATE account_days SET day = day - 1")

    api.post(path, {"event": given.event_body()}).expect(201)


def test_without_a_quota_no_day_is_counted(api, account, server):
    project = given.project(api)
    given.event_type(api, project)

    api.post(f"/projects/{project['id']}/events", {"events": [given.event_body()]}).expect(201)

    assert server.sql("SELECT events FROM account_days WHERE account_id = %s", account.id) == []


def test_evidence_files_and_their_bytes_have_quotas_and_links_do_not(service):
    account = service(quota_evidence_files=2, quota_evidence_bytes=10)
    api = account.caller()
    project = given.project(api)
    given.event_type(api, project)
    event = api.post(f"/projects/{project['id']}/events", {"event": given.event_body()}).expect(201).body
    path = f"/events/{event['id']}/evidence"
    api.upload(path, "one.txt", b"12345678").expect(201)

    too_large = api.upload(path, "two.txt", b"123").expect(422).error
    api.upload(path, "two.txt", b"12").expect(201)
    too_many = api.upload(path, "three.txt", b"1").expect(422).errors

    said = "The account has 8 bytes of evidence files and this request adds 3; its quota is 10."
    assert (too_large["code"], too_large["field"], too_large["message"]) == ("quota", "file", said)
    assert [error["message"] for error in too_many] == [
        "The account has 2 evidence files and this request adds 1; its quota is 2.",
        "The account has 10 bytes of evidence files and this request adds 1; its quota is 10.",
    ]
    link = {"type": "url", "name": "Scan", "url": "https://plant.example/scan"}
    api.post(path, {"evidence": link}).expect(201)
