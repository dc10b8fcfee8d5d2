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


ALL_WAYS = """
  - slug: loads
    input: {event_type: delivery, data_point_type: mass, aggregate: values}
    unit: kg
  - slug: whole
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
  - slug: mean
    input: {event_type: delivery, data_point_type: mass, aggregate: average}
    unit: t
  - slug: counted
    input: {event_type: delivery, data_point_type: mass, aggregate: delta}
    unit: t
  - slug: moisture
    input: {event_type: lab, data_point_type: moisture, aggregate: average, weight: sample}
    unit: "1"
  - slug: plain
    input: {event_type: lab, data_point_type: moisture, aggregate: median}
    unit: "1"
  - slug: heaviest
    input: {event_type: lab, data_point_type: sample, aggregate: max}
    unit: kg
  - slug: latest
    input: {event_type: lab, data_point_type: sample, aggregate: last}
    unit: kg
  - slug: mass
    formula: (whole + mean + counted + max(loads)) * (1 - moisture * plain) * heaviest / latest
    unit: t
    output: true
  - slug: dry
    formula: sum(loads) * (1 - moisture) + whole
    unit: t
    output: true
"""
"""Values, weights and totalisers of the same readings, in two outputs."""


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
        terms = []
        for place, (kind, factor) in enumerate(zip(self.slugs, self.factors, strict=True)):
            read = f"max(n{place})" if kind == "array" else f"n{place}"
            terms.append(f"{factor} * {read}")
        # What reports take is above zero.
        base = "  - slug: base\n    constant: 20000\n    unit: t\n"
        return f"{reads}{base}  - slug: mass\n    formula: base + {' + '.join(terms)}\n    unit: t\n"

    def compute(self):
        total = 0
        for kind, factor in zip(self.slugs, self.factors, strict=True):
            total = total + factor * self._read(kind)
        return total

    def _read(self, kind):
        every = self.readings
        east, west = (
            [one for one, is_east in zip(every, self.is_east, strict=True) if is_east is of_east]
            for of_east in (True, False)
        )
        half, is_odd = len(every) // 2, len(every) % 2
        return {
            "all": sum(every),
            "mean": sum(every) / len(every),
            "of east": sum(east),
            "mean of east": sum(east) / len(east),
            "least": every[0],
            "first": every[0],
            "most": every[-1],
            "last": every[-1],
            "array": every[-1],
            "middle": every[half] if is_odd else (every[half - 1] + every[half]) / 2,
            "counted": sum(one[-1] - one[0] for one in (east, west) if len(one) > 1),
        }[kind]


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
