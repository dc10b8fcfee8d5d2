"""The table of a record gives what a statement selects, and makes records of its rows."""

import msgspec
import pytest

from weighbridge.db.row import Column, Derived, either_of, row_of, unless_null


class Person(msgspec.Struct, frozen=True):
    name: str
    years: int


class Visit(msgspec.Struct, frozen=True):
    id: str
    host: Person
    guest: str | None
    purpose: str
    remarks: list[str]
    is_over: bool = False


class Tagged(msgspec.Struct, frozen=True):
    tags: list[str]


class Greeting(msgspec.Struct, frozen=True):
    text: str
    name: str


def _id(place: int, number: int) -> str:
    return f"{place}/{number}"


PERSON = row_of(Person, Column("name", "h.name"), Column("years", "h.years"))
VISIT = row_of(
    Visit,
    Column("purpose", "v.purpose"),
    Column("id", ("v.place", "v.number"), _id),
    Column("host", ("h.name", "h.years", "v.place"), lambda name, years, place: Person(name, years + place)),
    Column("guest", ("v.place", "v.guest"), unless_null(_id)),
    Column("remarks", (), list),
)


def test_what_several_columns_read_is_selected_once() -> None:
    assert VISIT.columns == "v.purpose, v.place, v.number, h.name, h.years, v.guest"


def test_a_record_has_each_column_in_its_field_whatever_their_order() -> None:
    visit = VISIT.make("tea", 7, 11, "Ada", 36, 5)

    assert visit == Visit(
        id="7/11", host=Person("Ada", 43), guest="7/5", purpose="tea", remarks=[], is_over=False
    )


def test_a_reader_that_takes_no_null_is_not_asked_when_there_is_one() -> None:
    assert VISIT.make("tea", 7, 11, "Ada", 36, None).guest is None


def test_each_record_has_empty_values_of_its_own() -> None:
    one, other = VISIT.make("tea", 7, 11, "Ada", 36, 5), VISIT.make("tea", 7, 12, "Ada", 36, 5)

    assert one.remarks is not other.remarks


def test_columns_that_stand_as_the_fields_do_need_no_maker() -> None:
    assert row_of(Person, Column("name", "p.name"), Column("years", "p.years")).make is Person


def test_a_record_of_one_field_that_is_read() -> None:
    tagged = row_of(Tagged, Column("tags", "t.tags", str.split))

    assert tagged.make("a b") == Tagged(["a", "b"])


def test_a_field_is_made_of_others() -> None:
    greeting = row_of(
        Greeting,
        Column("name", "p.name", str.title),
        Derived("text", ("name",), lambda name: f"Hello {name}"),
    )

    assert greeting.columns == "p.name"
    assert greeting.make("ada") == Greeting("Hello Ada", "Ada")


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ([Column("name", "p.name")], "fields are \\['name', 'years'\\]"),
        ([Column("name", "p.name"), Column("age", "p.years")], "fields are \\['name', 'years'\\]"),
        ([Column("name", "p.name"), Column("name", "p.nickname")], "fields are \\['name', 'years'\\]"),
        ([Column("name", ("p.first", "p.last")), Column("years", "p.years")], "name of .* needs a reader"),
        ([Derived("name", ("years",), str), Column("years", "p.years")], "name of .* stand behind it"),
    ],
)
def test_a_table_that_does_not_fit_its_record_is_refused(columns: list[Column | Derived], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        row_of(Person, *columns)


def test_a_list_of_two_kinds_selects_what_both_read_once_and_makes_each_of_its_own_columns() -> None:
    either = either_of("v.guest", PERSON, VISIT)

    assert either.columns == "v.guest, h.name, h.years, v.purpose, v.place, v.number"
    assert either.make(None, "Ada", 36, "tea", 7, 11) == Person("Ada", 36)
    assert either.make(5, "Ada", 36, "tea", 7, 11) == Visit(
        id="7/11", host=Person("Ada", 43), guest="7/5", purpose="tea", remarks=[]
    )
