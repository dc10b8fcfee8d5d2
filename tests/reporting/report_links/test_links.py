"""Links to reports: made, listed, followed without a token, expired and revoked; every use is told."""

import pytest
from tests.given import reports
from tests.given.counted import merge_minutes

from weighbridge.platform.audit_log import log_link_uses
from weighbridge.reporting.records.links import LINK_SECONDS_MAX, STANDING_LINKS_MAX


@pytest.fixture
def claims(api, drain):
    return reports.claims(api, drain, 10)


@pytest.fixture
def report(claims):
    return claims.report(4)


@pytest.fixture
def make(api, report):
    def asked(name="Verifier", **fields):
        return api.post(f"/reports/{report['id']}/links", {"link": {"name": name, **fields}})

    return asked


@pytest.fixture
def follow(anyone):
    """Follows an address as somebody without a token."""

    def followed(url):
        return anyone.get(url[url.index("/reports/") :])

    return followed


@pytest.fixture
def told(server, account, sql):
    """What the audit log tells of uses once their minute is over."""

    async def tell():
        async with server.database.write() as tx:
            await log_link_uses(tx)

    def rows():
        sql("UPDATE report_link_uses SET minute = (SELECT minute - interval '1 hour')")
        server.run(tell())
        return sql(
            """
            SELECT user_id, token_id, object, after FROM audit_log
             WHERE account_id = %s AND action = 'report_link.use' ORDER BY id
            """,
            account.id,
        )

    return rows


@pytest.fixture
def used(make, follow, sql):
    """Two links that were followed five times and once in the same minute of the database."""
    while True:
        minute = sql("SELECT date_trunc('minute', clock_timestamp())")
        first, second = make("Verifier").expect(201).body, make("Buyer").expect(201).body
        for link in [first] * 5 + [second]:
            follow(link["url"]).expect(200)
        if sql("SELECT date_trunc('minute', clock_timestamp())") == minute:
            return first, second


def listed(api, report, **query):
    return api.get(f"/reports/{report['id']}/links", query).expect(200).data


def end(server, link):
    """Let a link have been made long ago, so that its time is over."""
    server.change_form("ALTER TABLE report_links DISABLE TRIGGER report_links_stay")
    server.sql(
        "UPDATE report_links SET created_at = now() - interval '3 days',"
        " expires_at = now() - interval '1 day' WHERE id = %s",
        link["id"],
    )
    server.change_form("ALTER TABLE report_links ENABLE TRIGGER report_links_stay")


def test_a_link_opens_the_report_as_it_is_without_a_token(api, report, make, follow):
    link = make().expect(201).body

    assert follow(link["url"]).expect(200).body == api.get(f"/reports/{report['id']}").expect(200).body

    api.patch(f"/reports/{report['id']}", {"report": {"name": "Renamed"}}).expect(200)
    assert follow(link["url"]).expect(200).body["name"] == "Renamed"


def test_a_link_opens_the_bundle_of_its_report(api, drain, report, make, follow):
    url = make().expect(201).body["url"].replace("/by_link?", "/by_link/bundle?")

    assert follow(url).expect(404).error["code"] == "bundle_missing"
    api.post(f"/reports/{report['id']}/bundle", {}).expect(202)
    drain()

    bundle = follow(url).expect(200)
    assert bundle.content == api.get(f"/reports/{report['id']}/bundle").expect(200).content
    assert bundle.headers["content-type"] == "application/zip"


def test_a_link_opens_its_report_and_no_other(claims, report, make, follow):
    url = make().expect(201).body["url"]
    other = claims.report(1)

    follow(url.replace(report["id"], other["id"])).expect(404)


def test_the_address_is_shown_once_and_kept_as_a_hash(account, api, report, sql):
    path, key = f"/reports/{report['id']}/links", {"Idempotency-Key": "once"}
    first, again = (
        api.send("POST", path, content=b'{"link": {"name": "Verifier"}}', headers=key).expect(201).body
        for _ in range(2)
    )

    assert again == {name: value for name, value in first.items() if name != "url"}
    assert listed(api, report) == [again]
    digits = first["url"].rpartition(".")[2]
    assert len(digits) == 64
    for table in ("report_links", "audit_log", "idempotency_keys"):
        [(stored,)] = sql(f"SELECT string_agg(t::text, ' ') FROM {table} t")
        assert digits not in stored
    [(made,)] = sql(
        "SELECT after FROM audit_log WHERE account_id = %s AND action = 'report_link.create'", account.id
    )
    assert made == again | {"user": {"id": again["user"]["id"]}}


@pytest.mark.parametrize("seconds", [60, LINK_SECONDS_MAX])
def test_a_link_lives_as_long_as_it_is_said(make, sql, seconds):
    link = make(expires_in=seconds).expect(201).body

    [(lived,)] = sql(
        "SELECT extract(epoch FROM expires_at - created_at) FROM report_links WHERE id = %s", link["id"]
    )
    assert abs(float(lived) - seconds) < 0.01


@pytest.mark.parametrize("seconds", [59, LINK_SECONDS_MAX + 1, 0, -1, 10**30])
def test_a_link_of_another_length_is_refused(make, seconds):
    error = make(expires_in=seconds).expect(422).error

    assert (error["field"], error["code"]) == ("expires_in", "invalid")


def test_a_link_needs_a_name(make):
    assert make(name=" ").expect(422).error["field"] == "name"


def test_a_report_has_so_many_open_links_at_most(api, report, make):
    links = [make().expect(201).body for _ in range(STANDING_LINKS_MAX)]
    assert make().expect(422).error["code"] == "too_many"

    api.delete(f"/reports/{report['id']}/links/{links[0]['id']}").expect(204)

    make().expect(201)


def test_a_revoked_link_says_so_to_whoever_has_it_and_to_nobody_else(api, report, make, follow, told):
    link = make().expect(201).body
    path = f"/reports/{report['id']}/links/{link['id']}"
    api.delete(path).expect(204)
    api.delete(path).expect(204)

    error = follow(link["url"]).expect(410).error
    assert (error["code"], error["field"]) == ("link_revoked", "key")
    wrong = link["url"][:-1] + ("0" if link["url"][-1] != "0" else "1")
    follow(wrong).expect(404)
    [found] = listed(api, report)
    assert (found["status"], found["revoked_by"], found["use_count"]) == ("revoked", found["created_by"], 1)
    [(_, _, _, after)] = told()
    assert (after["status"], after["uses"]) == (410, 1)


def test_an_expired_link_says_so(api, report, make, follow, server):
    link = make().expect(201).body
    end(server, link)

    assert follow(link["url"]).expect(410).error["code"] == "link_expired"
    assert [one["id"] for one in listed(api, report, **{"filter[status][eq]": "expired"})] == [link["id"]]
    assert listed(api, report, **{"filter[status][eq]": "open"}) == []


def test_what_opens_nothing_is_answered_as_a_report_that_there_is_not(report, make, follow):
    url = make().expect(201).body["url"]
    number, _, digits = url.partition("key=")[2].partition(".")
    base = url.partition("key=")[0]

    def refusal(address):
        body = follow(address).expect(404).body
        return {name: value for name, value in body.items() if name != "request_id"}

    unknown = report["id"][:-4] + "0000"
    there = refusal(f"{base}key=999999999.{digits}")
    assert refusal(f"{base}key={number}.{'0' * 64}") == there
    assert refusal(f"{base}key={number}") == there
    assert refusal(f"{base}key=" + "é" * 9) == there
    assert str(refusal(f"{base}key={number}.{digits}".replace(report["id"], unknown))) == str(there).replace(
        report["id"], unknown
    )


def test_every_use_is_told_and_repeats_share_a_row_for_each_minute(api, report, used, follow, told):
    first, second = used

    rows = told()

    assert {(user, token, target) for user, token, target, _ in rows} == {(None, None, report["id"])}
    mine = [row[3] for row in merge_minutes(rows, "uses") if row[3]["link_id"] in {first["id"], second["id"]}]
    assert [(one["link_id"], one["name"], one["uses"]) for one in mine] == [
        (first["id"], "Verifier", 5),
        (second["id"], "Buyer", 1),
    ]
    assert {(one["operation"], one["status"]) for one in mine} == {("open_report", 200)}
    assert [one["use_count"] for one in listed(api, report, sort="id")][-2:] == [5, 1]
    log = api.get("/audit_log", {"filter[action][eq]": "report_link.use"}).expect(200).data
    assert len(log) == len(rows)
    follow(first["url"]).expect(200)
    assert [row[3]["uses"] for row in told()][len(rows) :] == [1]


def test_uses_of_a_link_to_a_draft_that_was_removed_are_told_all_the_same(api, report, make, follow, told):
    url = make().expect(201).body["url"]
    follow(url).expect(200)

    api.delete(f"/reports/{report['id']}").expect(204)

    follow(url).expect(404)
    assert [row[2] for row in told()] == [report["id"]]


def test_who_may_read_alone_makes_and_revokes_no_links(account, report, make):
    reader = account.caller("production_accounting:read")
    link = make().expect(201).body

    reader.post(f"/reports/{report['id']}/links", {"link": {"name": "Own"}}).expect(403)
    reader.delete(f"/reports/{report['id']}/links/{link['id']}").expect(403)
    assert len(listed(reader, report)) == 1
