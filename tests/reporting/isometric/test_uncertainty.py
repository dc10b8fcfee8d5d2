"""What the books know of the uncertainty of a value is its standard deviation at Isometric Certify."""

import pytest
from tests.given import accounting
from tests.given.certified import CertifiedPlant, certified_plant
from tests.given.certify import EMITTED, certify
from tests.given.uncertain_chains import state_of_type

MODEL = "models/net-removal.yaml"
ASKS = "uncertainty: {coverage_probability: 0.95}\n"
SCALE_KG = 20


def state_uncertainty(plant: CertifiedPlant) -> None:
    """State how well the plant weighs, and let its model ask for what comes of it."""
    for slug in ("feedstock-delivery", "biochar-application"):
        state_of_type(plant, {"standard": SCALE_KG, "unit": "kg{wet}"}, slug, "wet-mass")
    text = (plant.installed.folder / MODEL).read_text()
    accounting.version(plant.api, plant.ledger["latest_model"], ASKS + text, activate=True)


def test_standard_uncertainties_are_sent_in_the_unit_of_the_registry(api, drain):
    with certify(page_size=25) as double:
        plant = certified_plant(api, drain, double.address, state_uncertainty)
        contents = plant.contents()
        of_amount = contents["components"][1]["inputs"][0] | {"source": "amount", "slug": ""}
        plant.map(components=[contents["components"][0], {"id": EMITTED, "inputs": [of_amount]}])
        report = plant.draft(1)
        taken = report["inclusions"][0]["batch_id"]

        found = plant.submit(report)

        assert found["status"] == "submitted", found["history"]
        batch = api.get(f"/batches/{taken}").expect(200).body
        sent = {one["display_name"]: one["quantity"] for one in double.all("datapoint")}
        amount, stored = sent["amount"], sent["Carbon dioxide stored"]
        assert amount["unit"] == "kgCO2e"
        assert float(amount["standard_deviation"]) == pytest.approx(
            1000 * float(batch["uncertainty"]["standard_uncertainty"])
        )
        assert float(stored["standard_deviation"]) > 0
        weighed = {float(one["mass"]["standard_deviation"]) for one in double.all("feedstock_batch")}
        assert weighed == {SCALE_KG}
        assert plant.statement(report)["findings"] == []
