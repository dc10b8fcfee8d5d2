"""Edits of the text of a document: what was meant is there, and everything else stays as it was written."""

import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.engine import run_cases
from weighbridge.core.model import ModelError
from weighbridge.core.model.editing import EditError, find_readers
from weighbridge.core.model.parts import read_parts
from weighbridge.core.model.writing import write_scalar
from weighbridge.modelling.documents import read_model, read_source
from weighbridge.modelling.editing import add_case, add_node, remove_node, rename_node

ROOT = Path(__file__).parents[3]
DOCUMENTS = sorted([*ROOT.glob("examples/*.yaml"), *ROOT.glob("packages/*/models/*.yaml")])
ADDED = {"slug": "added_part", "constant": 7, "unit": "t{CO2e}", "source": "table 3: row 'a' # not a comment"}

FORMULAS = {
    "plain": "formula: {0}",
    "single": "formula: '{0}'",
    "double": 'formula: "{0}"',
    "folded": "formula: >\n{pad}  {0}\n{pad}   + 0",
    "literal": "formula: |-  # why\n{pad}  {0}\n\n{pad}  + 0",
    "keep": "formula: |+\n{pad}  {0}\n\n",
    "lines": "formula: {0}\n{pad}  + 0",
}


def parts_of(text):
    return read_parts(read_source(text))


def fields(node=ADDED):
    """The keys of a part, its numbers as decimals."""
    return {key: Decimal(value) if isinstance(value, int) else value for key, value in node.items()}


@st.composite
def written(draw):
    """A document of a few nodes in one of many layouts, with the slugs of its nodes."""
    slugs = [f"n{number}" for number in range(draw(st.integers(1, 5)))]
    nodes = [{"slug": "n0", "constant": "2", "unit": "t"}]
    for number, slug in enumerate(slugs[1:], 1):
        reads = draw(st.lists(st.sampled_from(slugs[:number]), min_size=1, max_size=3))
        nodes.append({"slug": slug, "formula": " + ".join(reads), "unit": "t"})
    is_flow = draw(st.booleans())
    items = [draw(flow_item(node)) for node in nodes] if is_flow else [draw(item(node)) for node in nodes]
    head = ["name: Some 'model' é", "cadence: monthly # each month", "partition_type: time"]
    if draw(st.booleans()):
        head.insert(draw(st.integers(0, 3)), f"primary_output: {slugs[-1]}  # the result")
    case = f"cases:\n- name: by hand\n  inputs: {{}}\n  expect:\n    {slugs[-1]}: 2 # t"
    pad = draw(st.sampled_from(["", "  ", "    "]))
    gap = draw(st.sampled_from(["", "\n", f"{pad}# between\n", "\n# far left\n\n"]))
    if is_flow:
        between = draw(st.sampled_from([", ", ",\n    ", " ,  # and, so on\n  "]))
        end = draw(st.sampled_from(["", ",", ", # last, really\n  "]))
        listing = f"nodes: [{between.join(items)}{end}]"
    else:
        lines = ["\n".join(pad + line if line else "" for line in one.split("\n")) for one in items]
        listing = "nodes: # parts\n" + gap.join(line.rstrip(" ") + "\n" for line in lines).removesuffix("\n")
    blocks = [*head, listing] if draw(st.booleans()) else [*head[:1], listing, *head[1:]]
    blocks += [case] if draw(st.booleans()) else []
    text = "\n".join(blocks) + draw(st.sampled_from(["", "\n", "\n\n# the end\n", "\n...\n"]))
    text = draw(st.sampled_from(["", "\ufeff", "# a model\n", "%YAML 1.1\n---\n"])) + text
    return (text.replace("\n", "\r\n") if draw(st.booleans()) else text), slugs


@st.composite
def flow_item(draw, node):
    quote = draw(st.sampled_from(["", "'", '"']))
    entries = [f"slug: {quote}{node['slug']}{quote}", *(f"{k}: {v}" for k, v in node.items() if k != "slug")]
    return "{" + draw(st.sampled_from([", ", " , ", ",\n      "])).join(entries) + "}"


@st.composite
def item(draw, node):
    if draw(st.integers(0, 4)) == 0:
        return "- " + draw(flow_item(node)).replace("\n", "\n  ")
    order = draw(st.permutations([key for key in node if key != "slug"]))
    comment = draw(st.sampled_from(["", "  # said of it"]))
    lines = [f"- slug: {node['slug']}{comment}"]
    for key in order:
        layout = FORMULAS[draw(st.sampled_from([*FORMULAS]))] if key == "formula" else f"{key}: {{0}}"
        lines.append("  " + layout.format(node[key], pad="  "))
    return "\n".join(lines)


@given(written(), st.booleans())
def test_an_added_node_is_the_last_and_everything_else_stays(made, is_primary):
    text, slugs = made

    edited = add_node(text, fields(), is_primary=is_primary)

    before, after = parts_of(text), parts_of(edited)
    assert after.nodes[:-1] == before.nodes
    assert (after.nodes[-1].slug, str(after.nodes[-1].unit)) == ("added_part", "t{CO2e}")
    assert after.nodes[-1].source == ADDED["source"]
    assert after.cases == before.cases
    assert after.primary_output == ("added_part" if is_primary else before.primary_output)
    assert edited.count("\r\n") == edited.count("\n") or "\r\n" not in text
    if not is_primary:
        kept = 0
        while edited[kept : kept + 1] == text[kept : kept + 1] and kept < len(text):
            kept += 1
        assert edited.endswith(text[kept:])
        assert edited.startswith(text[:kept])
    assert slugs == [node.slug for node in before.nodes]


@given(written())
def test_a_renamed_node_has_its_new_slug_wherever_it_is_named(made):
    text, slugs = made
    old = slugs[0]

    edited = rename_node(text, old, "quite_another")

    assert edited == re.sub(rf"\b{old}\b", "quite_another", text)
    assert rename_node(edited, "quite_another", old) == text


@given(written())
def test_a_node_that_nothing_reads_is_removed_with_its_lines(made):
    text, slugs = made
    model = parts_of(text)
    for slug in slugs:
        if slug in find_readers(model):
            with pytest.raises(EditError, match=rf"{slug} cannot be removed while it is read by"):
                remove_node(text, slug)
            continue

        edited = remove_node(text, slug)

        after = parts_of(edited)
        assert after.nodes == tuple(node for node in model.nodes if node.slug != slug)
        assert after.primary_output == ("" if model.primary_output == slug else model.primary_output)
        assert edited.count("#") >= text.count("#") - 3
        assert after.cases == model.cases


@given(written())
def test_an_added_node_that_is_removed_again_leaves_the_nodes_as_they_were(made):
    text, _ = made

    again = remove_node(add_node(text, fields()), "added_part")

    assert parts_of(again).nodes == parts_of(text).nodes
    assert re.sub(r"\s+", "", again) == re.sub(r"\s+", "", text)


@given(written())
def test_an_added_case_is_the_last_and_everything_else_stays(made):
    text, slugs = made
    case = fields({"name": "kept: from a trial", "inputs": {}, "expect": {slugs[0]: 2}})
    case["expect"] = fields(case["expect"])

    edited = add_case(text, case)

    before, after = parts_of(text), parts_of(edited)
    assert after.nodes == before.nodes
    assert after.cases[:-1] == before.cases
    assert (after.cases[-1].name, after.cases[-1].expect) == ("kept: from a trial", {slugs[0]: 2})


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_every_published_document_takes_a_part_a_case_and_another_name(path):
    text = path.read_text(encoding="utf-8")
    model = read_model(text)

    added = add_node(text, fields())
    assert read_model(added).nodes[:-1] == model.nodes
    assert remove_node(added, "added_part") == text
    for node in model.nodes:
        renamed = rename_node(text, node.slug, "quite_another")
        assert read_model(renamed).by_slug["quite_another"].body is not None
        assert rename_node(renamed, "quite_another", node.slug) == text
        assert len(renamed.splitlines()) == len(text.splitlines())
    case = {"name": "again", "inputs": {}, "expect": {model.primary_output: fields({"x": 1})["x"]}}
    assert parts_of(add_case(text, case)).cases[:-1] == model.cases


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nodes: &all\n  - slug: a\n", "Anchors"),
        ("nodes:\n\t- slug: a\n", "no YAML"),
        ("nodes: [", "no YAML"),
        ("", "empty"),
    ],
)
def test_a_text_that_is_no_document_is_not_edited(text, sentence):
    with pytest.raises(ModelError, match=sentence):
        add_node(text, fields())


@pytest.mark.parametrize("text", ["just words", "- a list", "nodes: words\nname: x"])
def test_a_document_of_another_shape_is_not_edited(text):
    with pytest.raises(EditError):
        add_node(text, fields())


def test_a_document_in_brackets_takes_a_part_and_a_primary_output():
    edited = add_node("{name: x, cadence: monthly}", fields({"slug": "a", "constant": 1, "unit": "t"}),
                      is_primary=True)  # fmt: skip

    assert (
        edited == "{name: x, cadence: monthly, primary_output: a, nodes: [{slug: a, constant: 1, unit: t}]}"
    )


def test_the_first_parts_of_a_new_document_are_written_as_people_write_them():
    text = "name: Fuel\ncadence: monthly\npartition_type: time\n\nnodes:\n"
    text = add_node(text, fields({"slug": "fuel", "constant": 2, "unit": "L"}))
    text = add_node(
        text, {"slug": "burnt", "formula": "fuel * 2", "unit": "L", "output": True}, is_primary=True
    )

    assert text == (
        "name: Fuel\ncadence: monthly\npartition_type: time\nprimary_output: burnt\n\nnodes:\n"
        "  - slug: fuel\n    constant: 2\n    unit: L\n\n"
        "  - slug: burnt\n    formula: fuel * 2\n    unit: L\n    output: true\n"
    )  # fmt: skip


def test_a_slug_is_not_renamed_inside_texts_tables_and_data_points():
    text = (
        "name: mass\ncadence: monthly\npartition_type: time\nprimary_output: total\nnodes:\n"
        "  - slug: mass  # mass of a load\n"
        "    input: {event_type: mass, data_point_type: mass, aggregate: sum, weight: mass, period: any}\n"
        "    unit: t\n"
        "  - {slug: total, formula: 'to({{mass}}, \"t\") + mass', unit: t, name: mass}\n"
        'cases: [{name: mass, inputs: {mass: 1}, expect: {"total": 2}}]\n'
    )  # fmt: skip

    changed = [
        (before, after)
        for before, after in zip(
            text.splitlines(), rename_node(text, "mass", "load").splitlines(), strict=True
        )
        if before != after
    ]

    assert changed == [
        ("  - slug: mass  # mass of a load", "  - slug: load  # mass of a load"),
        (
            "  - {slug: total, formula: 'to({{mass}}, \"t\") + mass', unit: t, name: mass}",
            "  - {slug: total, formula: 'to({{load}}, \"t\") + load', unit: t, name: mass}",
        ),
        (
            'cases: [{name: mass, inputs: {mass: 1}, expect: {"total": 2}}]',
            'cases: [{name: mass, inputs: {load: 1}, expect: {"total": 2}}]',
        ),
    ]


@pytest.mark.parametrize(
    ("new", "sentence"),
    [("total", "taken"), ("Mass", "small letters"), ("and", "word of the"), ("a-b", "small letters")],
)
def test_a_slug_that_no_part_may_have_is_refused(new, sentence):
    text = "nodes: [{slug: mass, constant: 1, unit: t}, {slug: total, formula: mass, unit: t}]"

    with pytest.raises(EditError, match=sentence):
        rename_node(text, "mass", new)


def test_a_formula_that_cannot_be_read_keeps_a_part_from_being_renamed():
    text = "nodes: [{slug: mass, constant: 1, unit: t}, {slug: total, formula: mass +, unit: t}]"

    with pytest.raises(EditError, match="cannot be read"):
        rename_node(text, "mass", "load")


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40))
def test_any_text_is_written_so_that_it_reads_as_that_text(text):
    block = read_source(f"a: {write_scalar(text)}\n")
    flow = read_source(f"[{write_scalar(text, in_brackets=True)}]")

    assert (block.get("a").value, flow.items[0].value) == (text, text)


def test_a_renamed_node_keeps_its_uncertainty_its_correlations_and_its_credit():
    text = """\
name: Two
cadence: monthly
partition_type: time
primary_output: total
uncertainty: {correlations: [{between: [one, two], coefficient: 0.5}]}
nodes:
  - {slug: one, constant: 3, unit: t, uncertainty: {standard: 0.3}}
  - {slug: two, input: {event_type: a, data_point_type: b, aggregate: sum}, unit: t}
  - {slug: total, formula: one + two, unit: t, discount: {standard_deviations: 1}}
cases:
  - name: sum
    inputs: {two: 4}
    uncertainties: {two: {standard: 0.4}}
    expect_uncertainty: {total: 0.608276}
    expect_credit: {total: 6.391724}
    places: 6
"""
    renamed = text
    for old, new in (("one", "first"), ("two", "second"), ("total", "sum")):
        renamed = rename_node(renamed, old, new)

    model = read_model(renamed)

    assert model.uncertainty.correlations[0][:2] == ("first", "second")
    [case] = model.cases
    assert (*case.uncertainties, *case.expect_uncertainty, *case.expect_credit) == (
        "second",
        "sum",
        "sum",
    )
    assert all(result.is_passed for result in run_cases(model))
