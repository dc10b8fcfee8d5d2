"""What the page on reports shows of several ledgers is carried out, in its order."""

import json
import re
from decimal import Decimal
from pathlib import Path

from tests.given.net_claims import net_claims

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "report-and-restate.md"
MAPPING = PAGE.with_name("write-a-mapping.md")
CALL = re.compile(r"```\nPOST /api/v1(\S+)\n(.*?)```", re.DOTALL)


def section(page, heading):
    return page.read_text().split(f"### {heading}\n", 1)[1].split("\n##", 1)[0]


def test_a_report_of_several_ledgers_is_made_as_the_page_says(api, drain):
    claims = net_claims(api, drain, ("100", "12500", "2.5"))
    (made, methodology), (path, report) = CALL.findall(section(PAGE, "Several ledgers"))
    mapping = section(MAPPING, "Totals by ledger").split("```\n")[1]
    new = json.loads(methodology)["methodology"]
    written = {
        "mapping": {"format": "json", "template": json.loads(mapping)},
        "name": "Net removal of a plant",
    }
    number = api.post(made, {"methodology": new | written}).expect(201).body["id"]
    said = json.loads(report)["report"]
    for one in said["ledgers"]:
        one["ledger_id"] = claims.ledgers[one["role"]]["id"]
    said |= {"project_id": claims.plant.project["id"], "methodology_id": number}
    said["batch_ids"] = [claims.batches_of(role)[0]["id"] for role in claims.ledgers]

    found = api.post(path, {"report": said}).expect(201).body

    assert (found["amount"], found["ledgers"][0]["unit"]) == (85, "t")
    assert [one["counted"] for one in found["ledgers"]] == [100, Decimal("-12.5"), Decimal("-2.5")]
    file = api.get(f"/reports/{found['id']}/submission/download").expect(200).body
    assert (file["net"], [one["counts"] for one in file["ledgers"]]) == ("85000", ["100", "-12.5", "-2.5"])
