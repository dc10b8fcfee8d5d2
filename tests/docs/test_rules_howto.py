"""The rules of the guide are those that the OpenAPI document offers."""

import json
import re
from pathlib import Path

from weighbridge.quality.records.rule_examples import EXAMPLES

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "watch-data-with-rules.md"
JSON = re.compile(r"^```json\n(\{\"name\".*?)^```$", re.MULTILINE | re.DOTALL)
LEFT_OUT = {"message", "event_type_id", "model_id"}


def test_the_guide_shows_each_of_the_rules_as_it_is():
    printed = [json.loads(block) for block in JSON.findall(HOWTO.read_text())]
    shown = [{name: value for name, value in rule.items() if name not in LEFT_OUT} for rule in printed]

    assert shown == [
        {name: value for name, value in example["rule"].items() if name not in LEFT_OUT}
        for _, example in EXAMPLES.values()
    ]
