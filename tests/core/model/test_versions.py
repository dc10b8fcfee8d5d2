"""Versions: one canonical text for what says the same, and differences by node."""

import hashlib

from tests.core.model.documents import document, model

from weighbridge.core.model import DocumentChange, compare_versions, hash_model, write_canonical
from weighbridge.modelling.documents import read_model

NODES = """
- {slug: mass, unit: t, input: {event_type: delivery, data_point_type: mass, aggregate: sum}}
- {slug: factor, unit: "kg{CO2e}/t", constant: 12.5, source: table 3}
- {slug: result, unit: "kg{CO2e}", formula: mass*factor, round: {places: 3}}
"""


def test_layout_comments_and_the_order_of_keys_do_not_change_the_text():
    other = """
    # the mass delivered
    - slug: mass
      input:
        aggregate: "sum"
        data_point_type: mass
        event_type: delivery
      unit: "t"

    - {constant: 12.50, source: 'table 3', slug: factor, unit: "kg{CO2e}/t", optional: false}
    - slug: result
      round: {mode: half_even, places: 3}
      formula: >
        mass   *
        factor
      unit: kg{CO2e}
    """

    assert write_canonical(model(other)) == write_canonical(model(NODES))
    assert hash_model(model(other)) == hash_model(model(NODES))


def test_the_hash_is_that_of_the_canonical_text():
    found = model(NODES)

    assert hash_model(found) == hashlib.sha256(write_canonical(found).encode()).hexdigest()
    assert '"formula": "mass * factor"' in write_canonical(found)


def test_whatever_changes_a_result_changes_the_hash():
    changes = [
        ("12.5", "12.50000000000000000000000001"),
        ("places: 3", "places: 2"),
        ("aggregate: sum", "aggregate: max"),
        ("mass*factor", "factor*mass"),
        ("slug: mass, unit: t,", "slug: mass, unit: tonne,"),
        ("aggregate: sum", "aggregate: sum, straddle: start"),
        ("aggregate: sum", "aggregate: sum, period: any"),
        ("aggregate: sum", "aggregate: sum, coverage: 95%"),
        ("aggregate: sum", "aggregate: sum, where: asset is null"),
        ("aggregate: sum", "aggregate: sum, share: repeat"),
        ("table 3", "table 4"),
    ]

    hashes = {hash_model(model(NODES.replace(old, new))) for old, new in changes}

    assert len(hashes | {hash_model(model(NODES))}) == len(changes) + 1


def test_the_places_of_shares_are_part_of_a_version_unless_they_are_those_of_a_document_without():
    without, six, two = (model(NODES, more) for more in ("", "share_places: 6\n", "share_places: 2\n"))

    assert (without.share_places, two.share_places) == (6, 2)
    assert hash_model(without) == hash_model(six) != hash_model(two)
    assert [(one.key, one.before, one.after) for one in compare_versions(without, two).settings] == [
        ("share_places", None, 2)
    ]
    assert hash_model(model(NODES, "share_places: 0\n")) not in {hash_model(without), hash_model(two)}


def test_the_canonical_text_has_settings_tables_and_cases():
    more = (
        "tables: {t: {columns: [a: degC, b], rows: [[1, x]]}}\n"
        "cases: [{name: c, inputs: {mass: [1, 2.0]}, expect: {result: 1}, places: 2}]\n"
    )
    text = write_canonical(read_model(document(NODES, more)))

    for part in ('"cadence": "monthly"', '"degC"', '"mass": [\n     "1",\n     "2"\n    ]', '"places": 2'):
        assert part in text


def test_every_way_to_get_a_value_is_in_the_canonical_text():
    text = write_canonical(
        model(
            """
            - {slug: result, unit: t, constant: 1}
            - {slug: a, unit: "", static_input: soil-ph, by: asset}
            - {slug: b, unit: t, available: Feedstock inventory}
            - slug: c
              unit: t
              upstream: {ledger: Stock, amount: result, order: pro_rata, attributes: [x, age: d]}
            - {slug: d, unit: t, upstream: {ledger: Stock, select: manual, allocation_group: wood}}
            """
        )
    )
    compact = " ".join(text.split())

    for part in (
        '"static_input": { "by": "asset", "slug": "soil-ph" }',
        '"available": "Feedstock inventory"',
        '"amount": "result", "attributes": [ [ "x", null ], [ "age", "d" ] ], "ledger": "Stock",',
        '"upstream": { "allocation_group": "wood", "ledger": "Stock", "select": "manual" }',
    ):
        assert part in compact


def test_a_difference_is_by_node_and_key():
    after = """
    - {slug: extra, unit: t, constant: 1}
    - {slug: mass, unit: kg, input: {event_type: delivery, data_point_type: mass, aggregate: max}}
    - {slug: result, unit: "kg{CO2e}", formula: "mass * quantity(1, 'kg{CO2e}/t')", round: {places: 3}}
    """

    found = compare_versions(model(NODES), model(after, "about: new\n"))

    assert (found.added, found.removed) == (("extra",), ("factor",))
    assert list(found.changed) == ["mass", "result"]
    assert found.changed["result"] == (
        DocumentChange("formula", "mass * factor", "mass * quantity(1, 'kg{CO2e}/t')"),
    )
    assert [change.key for change in found.changed["mass"]] == ["unit", "input"]
    assert found.settings == (DocumentChange("about", None, "new"),)


def test_two_versions_that_say_the_same_have_no_difference():
    assert compare_versions(model(NODES), model(NODES + "# a comment\n")).is_empty


def test_another_order_of_nodes_is_a_difference_of_the_settings():
    lines = NODES.strip().splitlines()
    found = compare_versions(model(NODES), model("\n".join([lines[1], lines[0], lines[2]])))

    assert not found.changed
    assert found.settings == (
        DocumentChange("nodes", ["mass", "factor", "result"], ["factor", "mass", "result"]),
    )
