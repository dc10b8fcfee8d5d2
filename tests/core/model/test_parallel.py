"""Parallel arrays: the inputs whose elements a formula takes side by side."""

import pytest
from tests.core.model.documents import model

from weighbridge.core.model import prepare

NODES = """
- slug: wet
  input: {event_type: delivery, data_point_type: mass, aggregate: values}
  unit: t
- slug: moisture
  input: {event_type: delivery, data_point_type: moisture, aggregate: values}
  unit: "1"
- slug: carbon
  input: {event_type: lab, data_point_type: carbon, aggregate: values, join: {to: wet, on: tracking_id}}
  unit: "1"
- slug: factor
  static_input: factor
  at: moisture
  unit: "1"
- slug: dry
  formula: wet * (1 - moisture)
  unit: t
- slug: result
  formula: %s
  unit: t
"""


@pytest.mark.parametrize(
    ("formula", "pairs"),
    [
        ("sum(wet) * sum(moisture)", ()),
        ("sum(wet * sum(moisture))", ()),
        ("sum(wet * carbon)", ()),
        ('sum(wet * value(duration_hours(wet), "h"))', ()),
        ("sum(wet * moisture)", (("wet", "moisture"),)),
        ("sum(wet * factor)", (("wet", "moisture"),)),
        ("sum(wet * if(moisture > 0, 1, carbon)) + sum(wet) * sum(moisture)", (("wet", "moisture"),)),
        ("sum(dry * carbon)", ()),
        ("sum(dry * moisture)", (("wet", "moisture"),)),
    ],
)
def test_arrays_that_meet_in_an_operation_must_be_of_the_same_events(formula, pairs):
    program = prepare(model(NODES % formula))

    assert program.parallel.get("result", ()) == pairs
    assert program.parallel["dry"] == (("wet", "moisture"),)
