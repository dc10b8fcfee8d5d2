"""Pages of reports: from a draft over its requirements to what a verifier sees by a link."""

import re
from html import escape

import pytest
from tests.given.net_claims import net_claims
from tests.given.people import Visitor, visitor
from tests.given.reports import accepted, claims, submitted


@pytest.fixture
def reports(api, account):
    """A plant with batches of 8, 4 and 2 t, of January to March."""
    return claims(api, account.drain, 8, 4, 2)


@pytest.fixture
def reader(account):
    return visitor(account)


def main_of(answer):
    """What stands in the page itself, behind its frame."""
    return answer.expect(200).text.split("<main", 1)[1]


def page_of(reports, report):
    return f"/projects/{reports.plant.project['id']}/reports/{report['id']}"


def moved(answer):
    return answer.expect(303).headers["location"]


def test_a_draft_is_made_of_all_batches_of_a_period(reports, reader):
    path = f"/projects/{reports.plant.project['id']}/reports"
    typed = {"name": "Winter", "report_type": "quarterly", "ledger_id": reports.plant.ledger["id"]}

    shown = main_of(reader.get(moved(reader.post(path, typed | {"until": "2025-03-01T00:00"}))))

    assert 'value="12"' in shown
    assert "2 batches" in shown
    assert "Winter" in main_of(reader.get(path))
    assert reader.post(path, typed | {"from": "2030-01-01T00:00"}).status == 422


def test_a_draft_says_which_requirements_hold_and_which_do_not(reports, reader):
    empty = main_of(reader.get(page_of(reports, reports.report())))
    assert "The report contains no batches. Add at least one." in empty
    assert empty.count("not met") == 1
    assert empty.count("not known yet") == 6

    whole = main_of(reader.get(page_of(reports, reports.report(8))))
    assert "not met" not in whole
    assert whole.count(">met<") == 7


def test_a_draft_that_is_stale_is_refused_by_what_its_page_shows(reports, reader):
    plant, report = reports.plant, reports.report(8)
    event = plant.api.get(f"/projects/{plant.project['id']}/events", {"sort": "start_time"}).data[0]
    point = event["data_points"][0]["id"]
    change = {"data_point": {"value": 9, "reason": "weighed again"}}
    plant.api.patch(f"/projects/{plant.project['id']}/data_points/{point}", change).expect(200)
    address = page_of(reports, report)

    shown = main_of(reader.get(address))
    assert "Data behind 1 of the batches that it rests on have changed" in shown
    assert 'href="/open/bat_' in shown
    refused = reader.post(f"{address}/submit")

    assert refused.status == 422
    assert "Report does not meet submission requirements" in refused.text


def test_before_a_report_is_sent_its_page_says_to_whom_and_what_it_holds(reports, reader):
    form = (
        main_of(reader.get(page_of(reports, reports.report(8))))
        .partition('/submit"')[2]
        .partition("</form>")[0]
    )

    assert "the submission file is stored here, and you hand it on" in form
    assert "This cannot be undone" in form
    assert 'value="8"' in form
    assert "Submit 1 batch" in form


def test_a_report_is_sent_off_accepted_and_restated(reports, account, reader):
    address = page_of(reports, reports.report(8))
    reader.post(f"{address}/submit").expect(303)
    account.drain()
    assert "Decision of the receiver" in main_of(reader.get(address))

    reader.post(f"{address}/accept", {"reference": "ISS-7", "reason": "Issued"}).expect(303)
    assert "ISS-7" in main_of(reader.get(address))

    restated = moved(reader.post(f"{address}/restate", {"name": "Again"}))
    ledger = reports.plant.ledger["id"]
    reader.post(f"{restated}/batches", {"ledger_id": ledger, "from": "2025-02-01T00:00"}).expect(303)
    shown = main_of(reader.get(restated))
    assert "Changes from the restated report" in shown
    assert "selection" in shown
    reader.post(f"{restated}/delete").expect(303)
    assert reader.get(restated).status == 404


def test_restatement_of_period_includes_batches_of_restated_report(reports, reader):
    address = page_of(reports, accepted(reports, reports.report(8)))
    restatement = moved(reader.post(f"{address}/restate", {"name": "Again"}))
    period = {"ledger_id": reports.plant.ledger["id"], "until": "2025-03-01T00:00"}

    reader.post(f"{restatement}/batches", period).expect(303)

    shown = main_of(reader.get(restatement))
    assert "2 batches" in shown
    assert 'value="12"' in shown
    assert "Amounts that the restated report reserves are available, too." in shown


def test_restatement_of_period_excludes_batches_that_others_reserve(reports, reader):
    submitted(reports, reports.report(0, 4))
    address = page_of(reports, accepted(reports, reports.report(8)))
    restatement = moved(reader.post(f"{address}/restate", {"name": "Again"}))
    period = {"ledger_id": reports.plant.ledger["id"]}

    reader.post(f"{restatement}/batches", period).expect(303)

    shown = main_of(reader.get(restatement))
    assert "2 batches" in shown
    assert 'value="10"' in shown


def test_a_rejection_needs_its_reason(reports, reader):
    address = page_of(reports, submitted(reports, reports.report(8)))

    assert reader.post(f"{address}/reject", {"reason": ""}).status in {400, 422}
    reader.post(f"{address}/reject", {"reason": "The scale has no certificate."}).expect(303)

    assert "The scale has no certificate." in main_of(reader.get(address))


def test_an_accepted_report_is_withdrawn_and_restated_on_its_page(reports, reader):
    address = page_of(reports, accepted(reports, reports.report(8)))
    assert "Withdraw report" in main_of(reader.get(address))

    assert reader.post(f"{address}/withdraw", {"reason": ""}).status == 422
    reader.post(f"{address}/withdraw", {"reason": "Claimed elsewhere", "reference": "CAN-3"}).expect(303)

    shown = main_of(reader.get(address))
    assert "Claimed elsewhere" in shown
    assert "CAN-3" in shown
    assert "Withdraw report" not in shown
    assert reports.balances() == [8, 4, 2]
    assert "Restates" in main_of(reader.get(moved(reader.post(f"{address}/restate", {"name": "Again"}))))


def test_accepted_reports_are_merged_on_the_page_of_one_and_split_again(reports, reader):
    first, second = (
        accepted(reports, reports.report(5, name="January")),
        accepted(reports, reports.report(1, 4)),
    )
    address = page_of(reports, first)
    assert "Merge with other accepted reports" in main_of(reader.get(address))
    merging = {"report_ids": second["id"], "merged_name": "Quarter", "merge_reason": ""}
    assert reader.post(f"{address}/merge", merging).status == 422

    merged = moved(reader.post(f"{address}/merge", merging | {"merge_reason": "One claim"}))

    shown = main_of(reader.get(merged))
    assert "these were merged" in shown
    assert "Create bundle" in shown
    assert "Merged into" in main_of(reader.get(address))
    assert "Restate report" not in main_of(reader.get(address))
    parts = {"first_name": "Basel", "first_amount": "4", "second_name": "Turin", "split_reason": "Two buyers"}
    assert reader.post(f"{merged}/split", parts | {"first_amount": "40"}).status == 422
    reader.post(f"{merged}/split", parts).expect(303)
    assert "Split into" in main_of(reader.get(merged))
    assert reports.balances() == [2, 0, 2]


def test_the_bundle_of_a_report_is_downloaded_and_said_how_to_check(reports, reader):
    report = accepted(reports, reports.report(8))
    address = page_of(reports, report)

    assert "weighbridge bundle check" in main_of(reader.get(address))
    got = reader.get(f"{address}/bundle.zip").expect(200)

    assert got.headers["content-type"] == "application/zip"
    name = rf'attachment; filename="[\w-]+_bundle_\d{{8}}T\d{{6}}Z_{report["id"][-8:]}\.zip"'
    assert re.match(name, got.headers["content-disposition"])
    reader.get(f"{address}/submission_file").expect(200)


def test_a_preview_shows_the_file_by_any_methodology_with_its_flaws_and_what_is_rounded(reports, reader):
    value = {"$value": "report.amount", "$decimals": 0, "$rounding": "half_up"}
    schema = '{"properties": {"total": {"maxLength": 1}, "of": {"const": "<7>"}}}'
    mapping = {"format": "json", "template": {"total": value, "of": "<8>"}, "schema": schema}
    body = {"name": "Form", "version": "3", "report_type": "quarterly", "mapping": mapping}
    made = reports.plant.api.post("/methodologies", {"methodology": body}).expect(201).body["id"]
    address = page_of(reports, reports.report("7.5", 3))

    assert f'href="{address}/preview"' in main_of(reader.get(address))
    plain = main_of(reader.get(f"{address}/preview"))
    assert "The file can be sent as it is." in plain
    assert "Rounded numbers" not in plain

    shown = main_of(reader.get(f"{address}/preview?methodology_id={made}"))
    assert "<code>total</code>" in shown
    assert "<code>of</code>" in shown
    assert "&#34;of&#34;: &#34;&lt;8&gt;&#34;" in shown
    rounded = re.findall(r'value="([^"]+)"', shown.partition("Rounded numbers")[2])
    assert rounded[:3] == ["10.5", "11", "0.5"]


def test_a_verifier_reads_the_report_and_its_bundle_by_a_link_alone(reports, server, reader):
    address = page_of(reports, accepted(reports, reports.report(8)))
    made = reader.post(f"{address}/links", {"name": "Verifier", "days": "14"})
    link = re.search(r"/reports/rpt_[0-9a-f]+/by_link\?key=[a0-9a-f.]+", main_of(made))[0]
    stranger = Visitor(server)

    shown = main_of(stranger.get(link))
    assert 'value="8"' in shown
    assert "<form" not in shown
    stranger.get(link.replace("/by_link?", "/by_link/bundle?")).expect(200)
    key = reader.get("/audit_log").expect(200).text
    for name in ("plant.vkey", "allowed_signers"):
        got = stranger.get(link.replace("/by_link?", f"/by_link/keys/{name}?")).expect(200)
        assert got.headers["content-disposition"].startswith(f'attachment; filename="{name}"')
        assert escape(got.text.strip()) in key
        assert f"/by_link/keys/{name}?" in shown
    stranger.get(link.replace("/by_link?", "/by_link/keys/other?")).expect(404)
    assert stranger.get(link[:-1] + ("0" if link[-1] != "0" else "1")).status == 404

    listed = main_of(reader.get(address))
    revoke = re.search(r"/reports/rpt_[0-9a-f]+/links/\d+/revoke", listed)[0]
    assert link.rpartition("key=")[2] not in listed
    reader.post(f"/projects/{reports.plant.project['id']}{revoke}").expect(303)
    assert stranger.get(link).status == 410


def test_reports_are_shown_to_whoever_may_read_the_books_of_the_account(reports, server, account):
    address = page_of(reports, reports.report(8))
    reader = visitor(account, "production_accounting:read")

    assert '<form method="post"' not in main_of(reader.get(address))
    assert reader.post(f"{address}/submit").status == 403
    assert visitor(account, "data_collection:read").get(address).status == 403
    assert visitor(server.account()).get(address).status == 404


def test_a_report_of_several_ledgers_is_made_of_a_period_and_shows_each_with_its_sign(api, account, reader):
    net = net_claims(api, account.drain, ("100", "12500", "2.5"))
    draft = net.ask(methodology_id=net.methodology).expect(201).body
    address = page_of(net, draft)
    assert "Process emissions (kg, deducted)" in main_of(reader.get(address))
    typed = {f"ledger-{place}": ledger["id"] for place, ledger in enumerate(net.ledgers.values())}

    shown = main_of(reader.get(moved(reader.post(f"{address}/batches", typed))))

    assert re.search(r'class="result">[^/]*value="85', shown), shown[:3000]
    ledgers = shown.split('aria-label="Ledgers of the report"', 1)[1].split("</table>", 1)[0]
    assert re.findall(r'class="num">.*?value="([^"]*)"', ledgers) == [
        "100", "100", "12500", "-12.5", "2.5", "-2.5",
    ]  # fmt: skip
    assert ledgers.count("deducted") == 2
    assert "It deducts no more than it claims" in shown
    assert "signed sum" in shown


def test_a_methodology_of_several_ledgers_is_made_by_a_form(api, reader):
    typed = {
        "name": "Net removal", "version": "1", "report_type": "quarterly", "other_versions": "refuse",
        "ledgers[0].role": "removal", "ledgers[0].sign": "1", "ledgers[0].unit": "t",
        "ledgers[1].role": "leakage", "ledgers[1].sign": "-1", "ledgers[1].unit": "kg",
    }  # fmt: skip

    made = moved(reader.post("/methodologies/new", typed))

    assert "leakage" in main_of(reader.get(made))
    [methodology] = api.get("/methodologies", {"filter[name]": "Net removal"}).data
    assert methodology["ledgers"] == [
        {"role": "removal", "sign": 1, "unit": "t"}, {"role": "leakage", "sign": -1, "unit": "kg"},
    ]  # fmt: skip
