"""An engagement by the Python client, which has nothing but a link: 25 records, to a signed opinion."""

from urllib.parse import parse_qs, urlsplit

from tests.given import bundles, engagements, reports
from tests.given.engagements import SEED_TEXT

from weighbridge.client import Client
from weighbridge.core.engagement.opinion import NAMESPACE
from weighbridge.core.signing import SigningKey, write_ssh_public_key, write_ssh_signature


def test_an_engagement_by_a_link_alone(account, api, drain, server):
    claims = reports.claims(api, drain)
    for day in range(1, 29):
        for hour in (6, 18):
            claims.plant.deliver(day + hour, f"2025-01-{day:02d}T{hour:02d}:00:00Z")
    claims.plant.generate(reports.QUARTER)
    draft = claims.report(*claims.balances())
    engagements.make_bundle(api, drain, draft)
    link = {"name": "Verifier", "is_of_verifier": True}
    url = api.post(f"/reports/{draft['id']}/links", {"link": link}).expect(201).body["url"]
    report, [key] = draft["id"], parse_qs(urlsplit(url).query)["key"]
    signing = SigningKey.made()

    with Client(server.address, token="by-link") as client:  # noqa: S106 - no token is asked for
        desk = client.engagements
        stratum = {"event_type": "delivery", "data_point": "mass", "method": "monetary_unit", "size": 25}
        begun = desk.create_engagement_by_link(
            report, key=key, verifier="Example Verification Ltd", scope="January", criteria="ISO 14064-2",
            materiality_percent=5, strata=[stratum],
        )  # fmt: skip
        desk.draw_sample_by_link(report, begun.id, key=key, seed_text=SEED_TEXT)
        sample = desk.get_sample_by_link(report, begun.id, key=key)
        found = desk.create_finding_by_link(
            report, begun.id, key=key, kind="error", text="The slip states another mass.", amount=-1,
            event_id=sample.data[0].event.id,
        )  # fmt: skip
        desk.decide_finding_by_link(
            report, begun.id, found.findings[0].number, key=key, decision="withdraw", reason="It was mine."
        )
        proposed = desk.propose_opinion_by_link(
            report, begun.id, key=key, conclusion="unmodified", reasons="No material misstatement."
        )
        concluded = desk.conclude_by_link(
            report, begun.id, key=key, statement=proposed.statement,
            signature=write_ssh_signature(proposed.statement.encode(), signing, NAMESPACE),
            public_key=write_ssh_public_key(signing.public),
        )  # fmt: skip

    assert len(sample.data) == 25
    assert concluded.state == "concluded"
    [opinion] = bundles.bundle(account, draft).check().opinions
    assert (opinion.conclusion, opinion.key) == ("unmodified", write_ssh_public_key(signing.public))
