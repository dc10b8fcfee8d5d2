"""Loads that several inputs of one model read, at random, and what GTC makes of them."""

import random

import GTC
from tests.given import accounting, uncertain_chains
from tests.given import collection as given
from tests.given import inputs as given_inputs
from tests.given.inputs import measure
from tests.given.uncertain_chains import calibrate, state_of_type

OWN = 0.3
"""The standard uncertainty of each reading for itself, in t; of each sample, in kg."""
PART = 0.02
"""That of the certificate of the scale, as a part of the value."""

READ = "input: {event_type: delivery, data_point_type: mass, aggregate: "
EAST = "where: \"asset = 'East'\""
KINDS = {
    "all": "sum",
    "mean": "average",
    "of east": f"sum, {EAST}",
    "mean of east": f"average, {EAST}",
    "least": "min",
    "most": "max",
    "first": "first",
    "last": "last",
    "middle": "median",
    "counted": "delta",
    "array": "values",
}


class Loads:
    """Some loads of two scales, with what GTC makes of what is read of them."""

    def __init__(self, seed):
        draw = random.Random(seed)  # noqa: S311 - loads, no secret
        count = draw.randint(3, 7)
        # A totaliser that grows, so that its steps have no fall.
        self.values = sorted(draw.sample(range(100, 999), count))
        self.is_east = [draw.random() < 0.6 for _ in range(count)]
        self.is_east[0] = True
        certificate = GTC.ureal(0, PART)
        self.readings = [
            GTC.ureal(value, OWN) + value * certificate * east
            for value, east in zip(self.values, self.is_east, strict=True)
        ]
        self.slugs = draw.sample([*KINDS], draw.randint(2, 5))
        self.factors = [draw.choice([1, -1, 2, 0.5]) for _ in self.slugs]

    def nodes(self):
        reads = "".join(
            f"  - slug: n{place}\n    {READ}{KINDS[kind]}}}\n    unit: t\n"
            for place, kind in enumerate(self.slugs)
        )
        terms = [
            f"{factor} * {'max(n%d)' % place if kind == 'array' else 'n%d' % place}"
            for place, (kind, factor) in enumerate(zip(self.slugs, self.factors, strict=True))
        ]
        # What reports take is above zero.
        base = "  - slug: base\n    constant: 20000\n    unit: t\n"
        return f"{reads}{base}  - slug: mass\n    formula: base + {' + '.join(terms)}\n    unit: t\n"

    def compute(self):
        total = 0
        for kind, factor in zip(self.slugs, self.factors, strict=True):
            total = total + factor * self._read(kind)
        return total

    def _read(self, kind):
        east = [one for one, is_east in zip(self.readings, self.is_east, strict=True) if is_east]
        match kind:
            case "all":
                return sum(self.readings)
            case "mean":
                return sum(self.readings) / len(self.readings)
            case "of east":
                return sum(east)
            case "mean of east":
                return sum(east) / len(east)
            case "least" | "first":
                return self.readings[0]
            case "most" | "last" | "array":
                return self.readings[-1]
            case "middle":
                half = len(self.readings) // 2
                if len(self.readings) % 2:
                    return self.readings[half]
                return (self.readings[half - 1] + self.readings[half]) / 2
        west = [one for one, is_east in zip(self.readings, self.is_east, strict=True) if not is_east]
        return sum(one[-1] - one[0] for one in (east, west) if len(one) > 1)


def tell(api, drain, loads, nodes=None, **fields):
    plant = given_inputs.plant(api, drain, nodes or loads.nodes(), primary_output="mass")
    document = uncertain_chains.asking(nodes or loads.nodes(), **fields)
    accounting.version(api, plant.model, document, activate=True)
    scales = {name: given.asset(api, plant.project, name=name)["id"] for name in ("East", "West")}
    kind = state_of_type(plant, {"standard": OWN})
    calibrate(plant, kind, scales["East"], {"relative_standard": PART})
    for day, (value, east) in enumerate(zip(loads.values, loads.is_east, strict=True)):
        asset = scales["East" if east else "West"]
        measure(plant, "delivery", {"mass": value}, f"2025-01-{day + 10}", asset_id=asset)
    return plant
