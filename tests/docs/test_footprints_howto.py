"""What the page on footprints shows is carried out, step by step, in its order."""

import json
import re
from pathlib import Path

import pytest
from tests.core.test_footprint import BIOETHANOL, CAR_DOOR, CELLULOSE, WITH_PACKAGING
from tests.given import reports
from tests.given.footprints import NODES, PactCaller, token_of
from tests.given.reports import Claims, claims

from weighbridge.core.footprint import check_footprint

EXAMPLES = (BIOETHANOL, WITH_PACKAGING, CAR_DOOR, CELLULOSE)
"""The amounts of the specification's examples, in their order."""

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "exchange-footprints.md"
CALL = re.compile(
    r'curl -s (?:-X (PATCH) )?-H "Authorization: Bearer \$TOKEN" "\$URL(\S+?)" --json \'(.*?)\'', re.DOTALL
)
PACT = re.compile(r'"\$HOST/pact(/3/footprints\S*)"')


@pytest.fixture(scope="module")
def page():
    return PAGE.read_text()


@pytest.fixture
def made(api, drain):
    """A plant with a report that was accepted."""
    held: Claims = claims(api, drain, 10, nodes=NODES)
    return reports.accepted(held, held.report(10))


def test_the_page_is_carried_out(page, api, account, made):
    answers = {}
    for method, path, body in CALL.findall(page):
        content = json.loads(body)
        named = content.get("footprint", content.get("footprint_call", {}))
        if "report_id" in named:
            named |= {"product_id": answers["/footprint_products"]["id"], "report_id": made["id"]}
        if "partner_id" in named:
            named["partner_id"] = answers["/footprint_partners"]["id"]
        status = 200 if method else 201
        answers[path] = getattr(api, method.lower() or "post")(path, content).expect(status).body
    assert set(answers) == {
        "/feature_flags", "/footprint_products", "/footprints", "/footprint_clients", "/footprint_partners",
        "/footprint_calls",
    }  # fmt: skip

    pcf = answers["/footprints"]["content"]["pcf"]
    assert (pcf["pcfExcludingBiogenicUptake"], pcf["pcfIncludingBiogenicUptake"]) == ("0.35", "-1.26")
    token = token_of(account, answers["/footprint_clients"]).expect(200).body["access_token"]
    [path] = PACT.findall(page)
    listed = PactCaller(account, token).get(path).expect(200).body["data"]
    assert listed == [answers["/footprints"]["content"]]


def test_the_page_says_by_how_much_examples_of_the_specification_do_not_add_up(page):
    shown = re.findall(r"^\| (\d) \| `(\w+)` \| (\S+) \| (\S+) \| (\S+) \|$", page, re.MULTILINE)

    found = [
        (
            str(number), flaw.field.removeprefix("pcf."),
            *re.findall(r"is (\S+); .*? add up to (\S+),", flaw.message)[0], str(flaw.difference),
        )
        for number, footprint in enumerate(EXAMPLES, start=1)
        for flaw in check_footprint(footprint)
    ]  # fmt: skip
    assert found == shown
