"""Pages behind a link to a report: a tonne is followed to its readings, and nothing beside it is opened."""

import csv
import hashlib
import io
import re
import zipfile
from dataclasses import dataclass
from html import unescape

import pytest
from tests.given import chain, engagements
from tests.given import rule_evaluation as rules
from tests.given.accounting import Plant
from tests.given.bundles import bundle, chained, entered, mixed
from tests.given.collection import Record
from tests.given.people import Visitor
from tests.given.reports import Claims, claims, submitted

from weighbridge.platform.audit_log import log_link_uses

SLIP = b"10.1234567 t by the slip\n"


@pytest.fixture
def first(api, account):
    """Two deliveries of January, one corrected by a person and one by a rule, and one of February."""
    plant = chain.inventory(api, account.drain)
    corrected = plant.deliver("9.5", 2, tracking_id="LOT-7")
    rules.calibration(api, plant.project, "{{mass}} > 11", name="Scale of the yard")
    plant.deliver(12, 3)
    rules.work(account)
    event = api.get(f"/projects/{plant.project['id']}/events/{corrected}").expect(200).body
    change = {"data_point": {"value": 10.1234567, "reason": "The slip states another mass."}}
    point = event["data_points"][0]["id"]
    api.patch(f"/projects/{plant.project['id']}/data_points/{point}", change).expect(200)
    api.upload(f"/events/{corrected}/evidence", "slip.txt", SLIP).expect(201)
    plant.deliver(5, chain.FEBRUARY[0])
    plant.generate(("2025-01-01T00:00:00Z", "2025-03-01T00:00:00Z"))
    return plant


@pytest.fixture
def second(first):
    """Three tonnes made of six that were delivered."""
    plant = chain.link(first)
    chain.produce(plant, 3, 10)
    plant.generate()
    return plant


@dataclass(frozen=True, slots=True)
class Case:
    """A report, the ledgers of its chain, and what a verifier sees by a link to it."""

    first: Plant
    """The ledger that the report's batch draws from."""
    second: Plant
    report: Record
    link: str
    verifier: Visitor

    @property
    def produced(self) -> Record:
        """The batch that the report includes."""
        return self.second.batches()[0]

    @property
    def delivered(self) -> Record:
        """The batch that it draws from."""
        return self.first.batches()[0]

    def read(self, batch: Record) -> str:
        """The page of a batch."""
        return main_of(self.verifier.get(batch_at(self.link, batch)))

    def adjust(self) -> Record:
        """Another delivery of January, and the batch that adjusts for it."""
        before = {one["id"] for one in self.first.batches()}
        self.first.deliver(4, 20)
        self.first.generate()
        [later] = [one for one in self.first.batches() if one["id"] not in before]
        return later


@pytest.fixture
def verifier(server):
    """Somebody with a browser and nothing else."""
    return Visitor(server)


@pytest.fixture
def case(api, first, second, verifier):
    """A draft of what was made, and a link to it."""
    report = Claims(second).report(3)
    return Case(first, second, report, linked(api, report), verifier)


def linked(api, report, **fields):
    body = {"link": {"name": "Verifier", **fields}}
    url = api.post(f"/reports/{report['id']}/links", body).expect(201).body["url"]
    return url[url.index("/reports/") :]


def batch_at(link, batch, query=""):
    name = batch if isinstance(batch, str) else batch["id"]
    return link.replace("/by_link?", f"/by_link/batches/{name}?") + query


def bundled(content):
    """The batches that stand in a bundle."""
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        return {row["batch_id"] for row in csv.DictReader(io.StringIO(parts.read("batches.csv").decode()))}


def main_of(answer):
    """What stands in the page itself."""
    return unescape(answer.expect(200).text.split("<main", 1)[1])


def words(page):
    """What a page says, without its marks; words that stand in one line stay together."""
    lines = re.sub(r"</?(data|span|small|b|i|a|time|button|code)\b[^>]*>", "", page)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", lines))


def links_in(page):
    return re.findall(r'href="(/reports/[^"]+)"', page)


def test_a_tonne_is_followed_from_the_report_over_its_sources_to_what_was_measured(case):
    produced, delivered = (batch_at(case.link, one) for one in (case.produced, case.delivered))

    of_report = main_of(case.verifier.get(case.link))
    assert produced in links_in(of_report)
    of_batch = main_of(case.verifier.get(produced))
    assert "The report includes 3 t" in words(of_batch)
    assert "needed = made * 2" in words(of_batch)
    assert delivered in links_in(of_batch)
    of_source = main_of(case.verifier.get(delivered))

    assert "batches that it includes rest on it" in words(of_source)
    assert "Deliveries, version 1" in words(of_source)
    assert 'value="10.1234567"' in of_source
    assert "captured 9.5" in words(of_source)
    assert "LOT-7" in of_source
    assert 'datetime="2025-01-02T12:00:00' in of_source
    assert case.link in links_in(of_source)


def test_a_batch_says_who_captured_and_who_corrected_what_by_which_rule_and_why(case, account):
    [(name,)] = account.server.sql("SELECT name FROM users WHERE id = %s", account.actor.user_id)
    shown = words(case.read(case.delivered))

    readings, corrections = shown[shown.index("Readings as") :].split("Corrections in force")
    assert f"10.1234567 captured 9.5 t {name}" in readings
    assert "9.5 10.1234567" in corrections
    assert f"{name} manual" in corrections
    assert "The slip states another mass." in corrections
    assert "Scale of the yard, version 1" in corrections


@pytest.mark.parametrize("redacted", [False, True])
def test_evidence_is_named_with_its_digest_and_never_opened(api, account, case, redacted):
    api.post(f"/reports/{case.report['id']}/bundle", {"redact": redacted}).expect(202)
    account.drain()

    shown = case.read(case.delivered)

    assert "slip.txt" in shown
    assert hashlib.sha256(SLIP).hexdigest() in shown
    assert SLIP.decode().strip() not in shown
    assert "evidences/" not in shown
    assert ("evidence as digests only" in main_of(case.verifier.get(case.link))) == redacted


def test_what_the_report_does_not_rest_on_is_answered_as_a_batch_that_there_is_not(api, server, case):
    [february] = [one for one in case.first.batches() if one["start_time"].startswith("2025-02")]
    stranger = server.account()
    foreign = claims(stranger.caller(), stranger.drain, 10).plant.batches()[0]
    other = claims(api, case.first.drain, 10).plant.batches()[0]
    own = case.delivered["id"]
    unknown = own[:-4] + ("0000" if own[-4:] != "0000" else "1111")

    said = set()
    for name in (february["id"], foreign["id"], other["id"], unknown, "bat_nothing", case.first.ledger["id"]):
        refused = case.verifier.get(batch_at(case.link, name)).expect(404).text
        said.add(re.sub(r"req_\w+", "", refused.replace(name, "NAME")))

    assert len(said) == 1, said


def test_a_link_opens_the_batches_of_its_own_report_alone(api, case):
    other = linked(api, Claims(case.first).report(1))

    case.verifier.get(batch_at(other, case.delivered)).expect(200)
    case.verifier.get(batch_at(other, case.produced)).expect(404)


def test_a_link_to_a_submitted_report_opens_what_it_rested_on_then(case):
    submitted(Claims(case.second), case.report)

    later = case.adjust()

    assert later["id"] not in case.read(case.delivered)
    case.verifier.get(batch_at(case.link, later)).expect(404)


def test_a_link_to_a_draft_opens_the_adjustments_of_what_it_rests_on(case):
    later = case.adjust()

    shown = case.read(case.delivered)

    assert batch_at(case.link, later) in links_in(shown)
    assert "adjusted" in words(case.read(later))


def test_a_source_of_a_source_is_opened(api, account, verifier):
    made, report = chained(account)
    link = linked(api, report)
    page = main_of(verifier.get(link))
    for ledger in ("Carbon", "Biochar", "Deliveries"):
        ids = {one["id"] for one in made.batches(ledger)}
        [address, *_] = [one for one in links_in(page) if any(f"/batches/{name}?" in one for name in ids)]
        page = main_of(verifier.get(address))

    assert "Deliveries, version 1" in words(page)


@pytest.mark.parametrize("story", [mixed, entered])
def test_every_batch_that_a_link_opens_is_in_the_bundle_of_its_report(api, account, verifier, story):
    content = story(account).content
    [report, *_] = api.get("/reports", {"sort": "-id"}).expect(200).data
    link = linked(api, report)

    batches = {one["id"] for one in api.get("/batches", {"page_size": "200"}).expect(200).data}
    opened = {one for one in batches if verifier.get(batch_at(link, one)).status == 200}

    assert {one["batch_id"] for one in report["inclusions"]} < opened <= bundled(content)


def test_a_draft_rests_on_all_batches_of_the_calculations_that_its_bundle_has(account, case):
    case.adjust()
    batches = [*case.first.batches(), *case.second.batches()]

    opened = {one["id"] for one in batches if case.verifier.get(batch_at(case.link, one)).status == 200}

    assert len(opened) == len(batches) - 1
    assert opened == bundled(bundle(account, case.report).content)


def test_an_instrument_that_was_drawn_shows_what_it_states(api, account, verifier):
    entered(account)
    [report] = api.get("/reports").expect(200).data
    link = linked(api, report)
    page = main_of(verifier.get(link))
    [produced] = [one for one in links_in(page) if "/batches/" in one]
    [issued, *_] = [
        one for one in links_in(main_of(verifier.get(produced))) if "/batches/" in one and one != produced
    ]

    shown = words(main_of(verifier.get(issued)))

    assert "500 kg CO₂e" in shown
    assert "12.5" in shown
    assert "issued, not calculated" in shown


def test_readings_are_shown_by_the_page_and_found_by_their_event(api, account, verifier):
    plant = chain.inventory(api, account.drain)
    events = [
        plant.deliver(1, f"2025-01-02T{hour:02d}:{minute:02d}:00Z")
        for hour in range(2)
        for minute in range(60)
    ]
    plant.generate()
    link = linked(api, Claims(plant).report(120))
    batch = plant.batches()[0]

    first, last = (main_of(verifier.get(batch_at(link, batch, f"&page={page}"))) for page in (1, 3))

    assert "50 of 120 readings" in words(first)
    assert "20 of 120 readings" in words(last)
    assert 'rel="prev"' not in first
    assert 'rel="next"' not in last
    assert f'id="{events[0]}"' in first
    assert f'id="{events[0]}"' not in last
    found = main_of(verifier.get(batch_at(link, batch, f"&event={events[-1]}")))
    assert f'id="{events[-1]}"' in found
    [onward] = re.findall(r'href="([^"]+)" rel="prev"', found)
    assert f'id="{events[70]}"' in main_of(verifier.get(onward.partition("#")[0]))
    verifier.get(batch_at(link, batch, "&page=x")).expect(400)


def test_a_sample_and_findings_lead_to_the_readings_they_name(api, anyone, account, verifier):
    made = claims(api, account.drain, 4, 3)
    report = made.report(4, 3)
    desk = engagements.verifier(api, anyone, report)
    engagements.make_bundle(api, account.drain, report)
    begun = desk.begin()
    desk.draw(begun)
    event = desk.get(f"/{begun['id']}/sample").expect(200).data[0]["event"]["id"]
    desk.find(begun, event_id=event)
    path = f"/reports/{report['id']}/by_link"

    shown = main_of(verifier.get(f"{path}/engagements/{begun['id']}?key={desk.key}"))

    leading = [one for one in links_in(shown) if f"event={event}" in one]
    assert len(leading) == 2
    assert leading[0].endswith(f"#{event}")
    assert f'id="{event}"' in main_of(verifier.get(leading[0].partition("#")[0]))


def test_a_link_that_has_ended_opens_no_batch(api, case):
    [made] = api.get(f"/reports/{case.report['id']}/links").expect(200).data
    wrong = case.link[:-1] + ("0" if case.link[-1] != "0" else "1")

    case.verifier.get(batch_at(wrong, case.delivered)).expect(404)
    api.delete(f"/reports/{case.report['id']}/links/{made['id']}").expect(204)

    case.verifier.get(batch_at(case.link, case.delivered)).expect(410)


def test_every_batch_that_is_opened_is_told_by_the_audit_log(account, server, case):
    case.read(case.produced)
    case.read(case.delivered)
    server.sql("UPDATE report_link_uses SET minute = minute - interval '1 hour'")

    async def tell():
        async with server.database.write() as tx:
            await log_link_uses(tx)

    server.run(tell())

    told = server.sql(
        "SELECT object, after FROM audit_log WHERE account_id = %s AND action = 'report_link.use'", account.id
    )
    assert {(name, after["operation"]) for name, after in told} == {(case.report["id"], "page_batch_by_link")}
    assert sum(after["uses"] for _, after in told) == 2


def test_amounts_have_all_digits_and_the_history_begins_with_the_draft(api, account, verifier):
    made = claims(api, account.drain, "8.123456")
    report = made.report("1.234567")
    submitted(made, report)

    shown = main_of(verifier.get(linked(api, report)))

    table = shown[shown.index("Included batches") :]
    assert "1.234567" in words(table).replace(" ", "")
    assert table.index("draft created") < table.index("submitting") < table.index("<b>submitted</b>")
