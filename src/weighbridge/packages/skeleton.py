"""What a new package begins with: small files that pass `package check`, to be changed line by line."""

from collections.abc import Mapping
from typing import Final

from weighbridge.core.engine import ENGINE_REVISION
from weighbridge.packages.contents import (
    EVENT_TYPES,
    LEDGERS,
    MANIFEST,
    MODELS_FOLDER,
    PAGE,
    RULES,
    SAMPLES_FOLDER,
    SOURCES,
)

_MANIFEST: Final = """\
name: {name}
title: {title}
version: 0.1.0
licence: CC-BY-4.0
publisher: Your organisation
about: What the package is for, in a sentence or two.
engine_revision: {revision}
"""

_SOURCES: Final = """\
# Every document that a number was taken from, by a key that models name.
sources:
  - key: standard
    title: The name of the standard
    edition: Its edition or date
    url: https://standards.example/the-document
    taken:
      - {section: "4.2", what: the factor and how emissions follow from energy}
"""

_EVENT_TYPES: Final = """\
# What is measured: each entry as `POST /projects/{id}/event_types` takes it.
event_types:
  - name: Fuel bill
    expected_locations: none
    data_point_types:
      - {name: Energy, value_type: number, unit: MWh}
"""

_LEDGERS: Final = """\
# From the source down: a model draws only on ledgers before its own.
ledgers:
  - {name: Emissions, unit: "t{CO2e}", model: emissions}
"""

_MODEL: Final = """\
name: Emissions
cadence: monthly
partition_type: time
primary_output: emissions

nodes:
  - slug: energy
    input: {event_type: fuel-bill, data_point_type: energy, aggregate: sum}
    unit: MWh

  - slug: factor
    constant: 0.2
    unit: t{CO2e}/MWh
    source: standard, 4.2

  - slug: emissions
    formula: energy * factor
    unit: t{CO2e}
    output: true

cases:
  - name: ten megawatt hours
    source: standard, the example of 4.2
    inputs: {energy: 10}
    expect: {emissions: 2}
"""

_RULES: Final = """\
# What is watched: each entry as `POST /projects/{id}/rules` takes it, with its source and cases. A case has
# slots of the event type, one after another, and what it expects of some of them.
rules:
  - name: Energy below zero
    source: standard, 4.2
    event_type_id: fuel-bill
    expression: "{{energy}} < 0"
    message: A bill has no energy below zero.
    effective_from: "2025-01-01T00:00:00Z"
    cases:
      - name: a bill and a credit note
        source: standard, the example of 4.2
        slots:
          - {values: {energy: 10}}
          - {values: {energy: -10}}
        expect:
          - {slot: 1, alert: false}
          - {slot: 2, alert: true}
"""

_SAMPLE: Final = """\
start_time,end_time,energy
2025-01-01T00:00:00Z,2025-02-01T00:00:00Z,12.5
2025-02-01T00:00:00Z,2025-03-01T00:00:00Z,11.25
"""

_PAGE: Final = """\
# {title}

What the boundaries are, what is measured how often and by whom, and what is not covered.
"""


def write_skeleton(name: str) -> Mapping[str, str]:
    """Write the files of a new package by its name, a slug."""
    title = name.replace("-", " ").capitalize()
    return {
        MANIFEST: _MANIFEST.format(name=name, title=title, revision=ENGINE_REVISION),
        SOURCES: _SOURCES,
        EVENT_TYPES: _EVENT_TYPES,
        LEDGERS: _LEDGERS,
        f"{MODELS_FOLDER}/emissions.yaml": _MODEL,
        RULES: _RULES,
        f"{SAMPLES_FOLDER}/fuel-bill.csv": _SAMPLE,
        PAGE: _PAGE.format(title=title),
    }
