"""What the page on mappings shows is carried out: the preview with its answer, and the tables."""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from tests.given import reports

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "write-a-mapping.md"
PREVIEW = re.compile(
    r"^```\nPOST /api/v1(/reports/\S+/preview)\n(.*?)^```\n\n```\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
MAPPING = re.compile(r'^```\n(\{"format".*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture
def claims(api, drain):
    """Five tonnes of January, three of February."""
    return reports.claims(api, drain, 5, 3)


def test_the_preview_has_the_answer_that_the_page_shows(api, claims):
    [(path, asked, answer)] = PREVIEW.findall(PAGE.read_text())
    draft = claims.report("1.25", 3)

    found = api.post(path.format(report_id=draft["id"]), json.loads(asked)).expect(200).body

    shown = json.loads(answer, parse_float=Decimal)
    assert {name: found[name] for name in shown} == shown


def test_every_mapping_of_the_page_can_be_used(api, claims):
    draft = claims.report("1.25", 3)
    printed = [json.loads(one) for one in MAPPING.findall(PAGE.read_text())]

    found = [
        api.post(f"/reports/{draft['id']}/submission/preview", {"mapping": one}).expect(200).body
        for one in printed
    ]

    assert [one["format"] for one in printed] == ["csv", "xlsx", "xml"]
    assert [one["problems"] for one in found] == [[], [], []]
    assert found[1]["text"].splitlines()[:2] == ["Facility!A2: Total, t", "Facility!B2: 4.25"]
