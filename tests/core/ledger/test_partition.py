"""A partition is the part of a slot that makes one batch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.core.ledger.allocation import DIMENSIONS, Partition

tags = st.none() | st.sampled_from(["A", "B"])
partitions = st.builds(Partition, tags, tags, tags)


@pytest.mark.parametrize(
    ("partition_type", "whole", "part"),
    [
        ("time", Partition(), None),
        ("feedstock", Partition(feedstock="Wood"), Partition(tracking_id="T")),
        ("tracking_id", Partition(tracking_id="T"), Partition(feedstock="Wood")),
        ("asset", Partition(asset="Kiln"), Partition()),
        ("tracking_id_and_feedstock", Partition("T", "Wood"), Partition("T")),
        ("tracking_id_and_asset", Partition("T", asset="Kiln"), Partition(asset="Kiln")),
    ],
)
def test_a_whole_partition_has_a_value_in_every_dimension_of_its_type(partition_type, whole, part):
    assert whole.is_whole(partition_type)
    assert part is None or not part.is_whole(partition_type)


def test_there_are_the_six_types_of_the_interface():
    assert set(DIMENSIONS) == {
        "time", "feedstock", "tracking_id", "asset", "tracking_id_and_feedstock", "tracking_id_and_asset",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (Partition("T", "Wood"), Partition("T", "Wood"), True),
        (Partition("T", "Wood"), Partition("T"), True),
        (Partition("T", "Wood"), Partition(), True),
        (Partition("T", "Wood"), Partition("T", "Straw"), False),
        (Partition("T"), Partition(feedstock="Wood"), True),
        (Partition("T", "Wood"), Partition("U"), False),
    ],
)
def test_partitions_agree_unless_a_dimension_has_two_values(one, other, agree):
    assert one.agrees_with(other) is agree


@given(partitions, partitions)
def test_agreement_is_mutual(one, other):
    assert one.agrees_with(other) == other.agrees_with(one)


@given(partitions)
def test_what_has_no_tag_agrees_with_everything(one):
    assert one.agrees_with(one)
    assert Partition().agrees_with(one)


def test_partitions_are_ordered_by_their_values():
    parts = [Partition("T2", "A"), Partition("T1", "B"), Partition("T1", "A")]

    assert sorted(parts) == [Partition("T1", "A"), Partition("T1", "B"), Partition("T2", "A")]


def test_a_label_joins_the_values():
    assert Partition("Truck 7", "Wood").label == "Truck 7 / Wood"
    assert Partition(feedstock="Wood").label == "Wood"
    assert Partition().label == ""


def test_a_value_alone_is_its_own_label():
    assert Partition(feedstock='Wood / "A"').label == 'Wood / "A"'
    assert Partition().label == ""


@pytest.mark.parametrize(
    ("partition", "label"),
    [
        (Partition("A", "B C"), "A / B C"),
        (Partition("A B", "C"), "A B / C"),
        (Partition("7/b", "Wood"), '"7/b" / Wood'),
        (Partition("A", '"B"'), 'A / """B"""'),
        (Partition("A /", "B"), '"A /" / B'),
        (Partition("A", "/ B"), 'A / "/ B"'),
    ],
)
def test_several_values_are_told_apart(partition, label):
    assert partition.label == label


@given(*[st.text(' /"ab', min_size=1, max_size=6)] * 4)
def test_no_two_partitions_of_a_type_have_the_same_label(first, second, third, fourth):
    one, other = Partition(first, second), Partition(third, fourth)

    assert (one.label == other.label) == (one == other)
