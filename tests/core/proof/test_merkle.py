"""Trees of hashes: the usual eight inputs have the usual roots, and a proof holds for what it is of alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.proof import (
    EMPTY_ROOT,
    Edge,
    Span,
    compute_perfect_root,
    compute_root,
    hash_leaf,
    join_roots,
    list_consistency_spans,
    list_inclusion_spans,
    list_perfect_subtrees,
    verify_consistency,
    verify_inclusion,
)
from weighbridge.core.signing import UnprovenError

INPUTS = [
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
]  # fmt: skip
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""By the number of inputs: the roots that implementations of RFC 6962 agree on."""

LEAVES = [hash_leaf(bytes.fromhex(text)) for text in INPUTS]


def leaves_of(count):
    return [hash_leaf(f"row {number}".encode()) for number in range(count)]


def root_over(leaves, span):
    part = leaves[span.start : span.end]
    return compute_root(part)


def inclusion_of(leaves, index):
    return [root_over(leaves, span) for span in list_inclusion_spans(index, len(leaves))]


def consistency_of(leaves, old):
    return [root_over(leaves, span) for span in list_consistency_spans(old, len(leaves))]


def changed(content, bit):
    return bytes(byte ^ (1 << bit % 8 if place == bit // 8 else 0) for place, byte in enumerate(content))


sizes = st.integers(1, 70)
bits = st.integers(0, 255)


@pytest.mark.parametrize("count", range(9))
def test_the_usual_inputs_have_the_usual_roots(count):
    assert compute_root(LEAVES[:count]).hex() == ROOTS[count]


def test_a_proof_of_the_standard_has_the_parts_that_the_standard_says():
    # RFC 6962, section 2.1.3: the tree of seven, with i the root of leaves 2 and 3, k of 0 to 3.
    assert list_inclusion_spans(0, 7) == [Span(1, 2), Span(2, 4), Span(4, 7)]
    assert list_inclusion_spans(6, 7) == [Span(4, 6), Span(0, 4)]
    assert list_consistency_spans(3, 7) == [Span(2, 3), Span(3, 4), Span(0, 2), Span(4, 7)]
    assert list_consistency_spans(4, 7) == [Span(4, 7)]
    assert list_consistency_spans(6, 7) == [Span(4, 6), Span(6, 7), Span(0, 4)]


@given(sizes, st.data())
def test_every_row_is_proved_to_be_in_its_tree(size, data):
    leaves = leaves_of(size)
    index = data.draw(st.integers(0, size - 1))

    verify_inclusion(leaves[index], index, size, inclusion_of(leaves, index), compute_root(leaves))


@given(sizes, st.data(), bits)
def test_no_changed_bit_of_an_inclusion_proof_goes_unseen(size, data, bit):
    leaves = leaves_of(size)
    index = data.draw(st.integers(0, size - 1))
    parts = [leaves[index], *inclusion_of(leaves, index), compute_root(leaves)]
    place = data.draw(st.integers(0, len(parts) - 1))
    leaf, *path, root = [*parts[:place], changed(parts[place], bit), *parts[place + 1 :]]

    with pytest.raises(UnprovenError):
        verify_inclusion(leaf, index, size, path, root)


@given(st.integers(2, 70), st.data())
def test_a_row_is_proved_at_its_own_place_only(size, data):
    leaves = leaves_of(size)
    index = data.draw(st.integers(0, size - 1))
    other = data.draw(st.integers(0, size + 1).filter(lambda place: place != index))

    with pytest.raises(UnprovenError):
        verify_inclusion(leaves[index], other, size, inclusion_of(leaves, index), compute_root(leaves))


@given(sizes, st.data())
def test_a_tree_is_proved_to_extend_every_one_before_it(size, data):
    leaves = leaves_of(size)
    old = data.draw(st.integers(0, size))

    verify_consistency(
        old, compute_root(leaves[:old]), size, compute_root(leaves), consistency_of(leaves, old)
    )


@given(st.integers(2, 70), st.data(), bits)
def test_no_changed_bit_of_a_consistency_proof_goes_unseen(size, data, bit):
    leaves = leaves_of(size)
    old = data.draw(st.integers(1, size - 1))
    parts = [compute_root(leaves[:old]), *consistency_of(leaves, old), compute_root(leaves)]
    place = data.draw(st.integers(0, len(parts) - 1))
    old_root, *proof, root = [*parts[:place], changed(parts[place], bit), *parts[place + 1 :]]

    with pytest.raises(UnprovenError):
        verify_consistency(old, old_root, size, root, proof)


@given(st.integers(2, 70), st.data())
def test_a_tree_whose_past_was_rewritten_extends_no_older_one(size, data):
    leaves = leaves_of(size)
    old = data.draw(st.integers(1, size))
    forged = data.draw(st.integers(0, old - 1))
    other = [*leaves[:forged], hash_leaf(b"forged"), *leaves[forged + 1 :]]

    with pytest.raises(UnprovenError):
        verify_consistency(
            old, compute_root(leaves[:old]), size, compute_root(other), consistency_of(other, old)
        )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (5, 4, "more than the newer one's 4"),
        (4, 4, "have the same 4 rows and differ"),
        (0, 4, "not the root of an empty tree"),
    ],
)
def test_heads_that_cannot_follow_each_other_are_told_apart(old, new, said):
    with pytest.raises(UnprovenError, match=said):
        verify_consistency(old, b"o" * 32, new, b"n" * 32, [])


@given(st.integers(0, 1200), st.integers(0, 600))
def test_a_tree_grows_from_its_edge_as_if_it_had_been_made_at_once(size, more):
    leaves = leaves_of(size + more)
    roots = [compute_perfect_root(leaves[place << high : (place + 1) << high])
             for high, place in list_perfect_subtrees(Span(0, size))]  # fmt: skip
    edge = Edge(size, roots)

    kept = [node for leaf in leaves[size:] for node in edge.add(leaf)]

    assert (edge.size, edge.root) == (size + more, compute_root(leaves))
    assert [node.position for node in kept] == list(range(size // 256, (size + more) // 256))
    assert all(
        node.hash == compute_root(leaves[node.position * 256 : node.position * 256 + 256]) for node in kept
    )


def test_every_256_kept_nodes_make_one_of_the_next_level():
    edge = Edge(255 * 256, [b"r" * 32] * len(list_perfect_subtrees(Span(0, 255 * 256))))

    kept = [node for _ in range(256) for node in edge.add(hash_leaf(b""))]

    assert [(node.level, node.position) for node in kept] == [(1, 255), (2, 0)]


def test_a_tree_without_rows_has_the_root_of_nothing():
    assert join_roots([]) == Edge().root == EMPTY_ROOT
