"""GET /models/{model_id}/difference. Model format: the difference of two versions is by node, not by line."""

from decimal import Decimal

from tests.given import accounting
from tests.given.accounting import MASS, document

BEFORE = (
    MASS.replace("    output: true\n", "")
    + """
  - {slug: factor, constant: 12.5, unit: "kg{CO2e}/t", source: table 3}
  - {slug: old, constant: 1, unit: t}
  - {slug: total, formula: mass * factor, unit: "kg{CO2e}", output: true}
"""
)
AFTER = (
    MASS.replace("    output: true\n", "").replace("sum", "average")
    + """
  - {slug: factor, constant: 13.50, unit: "kg{CO2e}/t", source: table 4}
  - {slug: new, constant: 1, unit: t}
  - {slug: total, formula: (mass + new) * factor, unit: "kg{CO2e}", output: true}
"""
)


def both(api, before, after, **settings):
    first = accounting.model(api, None, document(before, primary_output="total"))
    second = accounting.version(api, first, document(after, primary_output="total", **settings))
    return first, second


def compared(api, first, second):
    return api.get(f"/models/{first['id']}/difference", {"to": second["id"]})


def test_nodes_are_added_removed_and_changed_with_what_was_before_and_after(api):
    first, second = both(api, BEFORE, AFTER)

    found = compared(api, first, second).expect(200).body

    assert (found["before"], found["after"]) == (first["id"], second["id"])
    assert (found["added"], found["removed"]) == (["new"], ["old"])
    changed = {one["slug"]: one["changes"] for one in found["changed"]}
    assert changed["factor"] == [
        {"key": "constant", "before": Decimal("12.5"), "after": Decimal("13.50")},
        {"key": "source", "before": "table 3", "after": "table 4"},
    ]
    assert changed["total"] == [
        {"key": "formula", "before": "mass * factor", "after": "(mass + new) * factor"}
    ]
    [of_mass] = changed["mass"]
    assert of_mass["before"]["aggregate"] == "sum"
    assert of_mass["after"] == {**of_mass["before"], "aggregate": "average"}


def test_settings_outside_nodes_are_compared_too(api):
    first, second = both(api, BEFORE, BEFORE, cadence="daily", name="By day")

    found = compared(api, first, second).body

    assert found["settings"] == [
        {"key": "name", "before": "Deliveries", "after": "By day"},
        {"key": "cadence", "before": "monthly", "after": "daily"},
    ]
    assert (found["added"], found["removed"], found["changed"]) == ([], [], [])


def test_layout_makes_no_difference(api):
    first, second = both(api, BEFORE, "  # a comment\n" + BEFORE.replace("constant: 12.5", "constant: 12.50"))

    found = compared(api, first, second).body

    assert (found["added"], found["removed"], found["changed"], found["settings"]) == ([], [], [], [])


def test_the_other_version_must_be_named(api):
    first, second = both(api, BEFORE, AFTER)
    path = f"/models/{first['id']}/difference"

    assert api.get(path).expect(400).error["field"] == "to"
    api.get(path, [("to", second["id"]), ("to", second["id"])]).expect(400)
    assert api.get(path, {"to": second["id"], "from": "x"}).expect(400).error["field"] == "from"


def test_versions_of_another_account_are_not_found(api, stranger):
    first, second = both(api, BEFORE, AFTER)
    own = accounting.model(stranger, None, document(MASS))

    compared(stranger, first, own).expect(404)
    compared(stranger, own, second).expect(404)
    compared(api, first, {"id": "mod_nothing"}).expect(404)
