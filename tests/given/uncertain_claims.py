"""Ledgers whose batches are uncertain: by the scale that they share, and by readings of their own."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from tests.given import accounting, inputs
from tests.given import collection as given
from tests.given.accounting import QUARTER, Plant
from tests.given.collection import Record
from tests.given.reports import Claims
from tests.given.uncertain_chains import SUMMED, asking, calibrate, state_of_type


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of a plant, and its certificate."""

    plant: Plant
    asset: str
    calibration: str

    def certify(self, statement: Record) -> None:
        """State something else of the scale."""
        path = f"/projects/{self.plant.project['id']}/calibrations/{self.calibration}"
        self.plant.api.patch(path, {"calibration": {"uncertainty": statement}}).expect(200)


def uncertain_claims(
    api: Any, drain: Any, *masses: int, relative: str = "0.01", reading: str | None = None
) -> tuple[Claims, Scale]:
    """A plant that weighed so much in each month from January on, on one scale known to a part of the value.

    `reading` is the standard uncertainty of each reading by itself, in t.
    """
    plant = inputs.plant(api, drain, SUMMED, primary_output="mass")
    plant = replace(plant, model=accounting.version(api, plant.model, asking(SUMMED), activate=True))
    scale = weigh_on_scale(plant, relative, reading)
    for month, mass in enumerate(masses, start=1):
        inputs.measure(plant, "delivery", {"mass": mass}, f"2025-{month:02d}-10", asset_id=scale.asset)
    if masses:
        plant.generate(QUARTER)
    return Claims(plant), scale


def weigh_on_scale(plant: Plant, relative: str, reading: str | None = None) -> Scale:
    """Let a plant have a scale that is known to a part of the value."""
    asset = given.asset(plant.api, plant.project, name="East")["id"]
    kind = state_of_type(plant, {"standard": Decimal(reading)} if reading else None)
    certificate = {"relative_standard": Decimal(relative)}
    calibration = calibrate(plant, kind, asset, certificate, name="D-K-15204-01")
    return Scale(plant, asset, calibration)


def uncertainty_of(claims: Claims, report: Record) -> Record:
    """How uncertain a report is."""
    found: Record = claims.plant.api.get(f"/reports/{report['id']}/uncertainty").expect(200).body
    return found
