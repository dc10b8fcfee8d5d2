"""Which deliveries entries of the feed become."""

from datetime import UTC, datetime

from weighbridge.core.platform.audit import ChangeCursor
from weighbridge.exchange.change_feed import RECORDS_OF_DELIVERY_MAX, build_deliveries
from weighbridge.exchange.records.changes import ChangeEntry

AT = datetime(2025, 1, 1, tzinfo=UTC)


def entry(number, *ranges, kind="event", action="create", project=1):
    starts, ends = zip(*ranges, strict=True)
    return ChangeEntry(number, kind, action, project, AT, starts, ends)


def made(entries, start=(1, 0)):
    """Each delivery: where it begins, its keys, where the feed goes on."""
    return [
        (one.first.text, one.multirange, one.next.text)
        for one in build_deliveries(entries, ChangeCursor(*start))
    ]


def test_neighbours_of_one_kind_are_one_delivery():
    entries = [entry(1, (1, 3)), entry(2, (3, 4)), entry(4, (9, 10)), entry(5, (1, 2), action="void")]

    assert made(entries) == [("1.0", "{[1,3),[3,4),[9,10)}", "5.0"), ("5.0", "{[1,2)}", "6.0")]


def test_what_stands_between_two_of_a_kind_keeps_them_apart():
    entries = [entry(1, (1, 2)), entry(2, (1, 2), project=2), entry(3, (2, 3))]

    assert [one[0] for one in made(entries)] == ["1.0", "2.0", "3.0"]


def test_a_large_entry_is_cut_and_goes_on_where_it_was_cut():
    most = RECORDS_OF_DELIVERY_MAX
    entries = [entry(7, (0, 10), (100, 100 + most)), entry(8, (5, 6))]

    whole = made(entries, (7, 0))

    assert whole == [
        ("7.0", f"{{[0,10),[100,{90 + most})}}", f"7.{most}"),
        (f"7.{most}", f"{{[{90 + most},{100 + most}),[5,6)}}", "9.0"),
    ]
    assert made(entries, (7, most)) == whole[1:]
