"""The guide to Isometric Certify is carried out: its requests are sent as they are printed, with real ids."""

import json
import re
from pathlib import Path

from tests.given.certified import certified_plant
from tests.given.certify import FOREST, PROJECT, SECRET, STORED, TEMPLATE, TOKEN, certify

from weighbridge.demo import plant as demo

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "send-to-isometric.md"
BLOCKS = re.findall(r"```\nPOST /api/v1(\S+)\n(.*?)```", HOWTO.read_text(encoding="utf-8"), re.DOTALL)


def fill(text, ids):
    """A printed text with what stands for its ids."""
    for shown, real in ids.items():
        text = text.replace(shown, real)
    return text


def test_the_requests_of_the_guide_lead_to_a_submitted_statement(api, drain):
    with certify(page_size=25) as double:
        plant = certified_plant(api, drain, double.address)
        ids = {
            "https://api.sandbox.isometric.com/mrv/v0": double.address, '"SECRET"': f'"{SECRET}"',
            "Bearer TOKEN": f"Bearer {TOKEN}", '"Isometric"': '"Isometric sandbox"',
            "lgr_…": plant.ledger["id"],
            "prj_…": PROJECT, "rmt_…": TEMPLATE, "rtc_…": STORED, "fst_…": FOREST,
            "fs_…": plant.feedstocks[demo.FOREST], "{id}": plant.installed.project["id"],
        }  # fmt: skip
        (registries, registry), (reading, nothing), (mappings, mapping) = BLOCKS
        made = api.post(registries, json.loads(fill(registry, ids))).expect(201).body
        ids |= {'"registry_id": 7': f'"registry_id": {made["id"]}', "/7/": f"/{made['id']}/"}
        api.post(fill(reading, ids), json.loads(nothing)).expect(202)
        drain()
        api.post(fill(mappings, ids), json.loads(fill(mapping, ids))).expect(201)
        report = plant.draft(1)

        api.post(f"/reports/{report['id']}/submit", {"registry_id": made["id"]}).expect(202)
        drain()

        listed = api.get(f"/registries/{made['id']}/catalogue", {"filter[kind]": "removal_template"}).data
        assert [one["record_id"] for one in listed] == [TEMPLATE]
        assert plant.read(report)["status"] == "submitted"
        assert double.statement["status"] == "AWAITING_VERIFICATION"
