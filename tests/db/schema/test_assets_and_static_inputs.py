"""What the tables of assets and static inputs refuse, whatever the code above them does."""

import psycopg
import pytest
from psycopg.errors import (
    CheckViolation,
    ForeignKeyViolation,
    LockNotAvailable,
    NotNullViolation,
    RestrictViolation,
    UniqueViolation,
)
from tests import databases

GIVEN = """
    INSERT INTO accounts (name) VALUES ('acme');
    INSERT INTO projects (account_id, name) VALUES (1, 'First'), (1, 'Second');
    INSERT INTO event_types (project_id, slug, name) VALUES (1, 'delivery', 'Delivery');
    INSERT INTO locations (project_id, name) VALUES (1, 'Yard'), (2, 'Elsewhere');
    INSERT INTO feedstocks (project_id, name) VALUES (1, 'Wood'), (2, 'Straw');
    INSERT INTO asset_custom_fields (project_id, label, value_type)
      VALUES (1, 'Owner', 'text'), (1, 'Power', 'number'), (1, 'Leased', 'boolean'), (1, 'Since', 'date'),
             (1, 'Unused', 'text'), (2, 'Colour', 'text');
    INSERT INTO assets (project_id, name, custom_values)
      VALUES (1, 'Kiln', '{"Owner": "Ada", "Power": 1.50, "Leased": false, "Since": "2024-02-29"}'),
             (1, 'Truck', '{}'), (2, 'Meter', '{"Colour": "red"}');
    INSERT INTO static_inputs (project_id, slug, value, unit, effective_from, asset_id)
      VALUES (1, 'grid-factor', 0.38, 'kg/kWh', '2025-01-01Z', NULL), (1, 'ph', 7, NULL, '2025-01-01Z', 1);
    INSERT INTO model_families (account_id, project_id) VALUES (1, 1);
    INSERT INTO runs (project_id, family_id, start_time, end_time, asset_id)
      VALUES (1, 1, '2025-01-01Z', '2025-02-01Z', 1), (1, 1, '2025-01-01Z', '2025-02-01Z', 2);
"""

EVENT = """
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, is_complete, asset_id)
    VALUES (1, 1, 1, '2025-01-01Z', '2025-01-01Z', true, {asset})
"""

STATIC_INPUT = """
    INSERT INTO static_inputs (project_id, slug, value, effective_from{columns})
    VALUES (1, '{slug}', {value}, '{at}'{values})
"""

RUN = """
    INSERT INTO runs (project_id, family_id, start_time, end_time, asset_id)
    VALUES (1, 1, '2025-01-01Z', '2025-02-01Z', {asset})
"""


def static_input(slug="grid-factor", value="1", at="2025-06-01Z", **keys):
    names = "".join(f", {name}" for name in keys)
    return STATIC_INPUT.format(
        slug=slug, value=value, at=at, columns=names, values="".join(f", {value}" for value in keys.values())
    )


def custom_values(text):
    return f"UPDATE assets SET custom_values = '{text}' WHERE id = 2"


def custom_field(label, value_type="text"):
    columns = "project_id, label, value_type"
    return f"INSERT INTO asset_custom_fields ({columns}) VALUES (1, '{label}', '{value_type}')"


@pytest.fixture(scope="module")
def database(postgres, newest):
    """A database with one row of each kind, whose tests all undo what they do."""
    with databases.database(postgres, newest) as url:
        with psycopg.connect(url) as given:
            given.execute(GIVEN)
        yield url


@pytest.fixture
def connection(database):
    with psycopg.connect(database) as connection:
        yield connection
        connection.rollback()


REFUSED = {
    "an event of another project's asset": (EVENT.format(asset=3), ForeignKeyViolation),
    "removing an asset of a static input": ("DELETE FROM assets WHERE id = 1", ForeignKeyViolation),
    "removing an asset of a run": ("DELETE FROM assets WHERE id = 2", ForeignKeyViolation),
    "removing an asset of an event": (
        f"{EVENT.format(asset=2)}; DELETE FROM runs WHERE asset_id = 2; DELETE FROM assets WHERE id = 2",
        ForeignKeyViolation,
    ),
    "a second run of a slot and asset": (RUN.format(asset=1), UniqueViolation),
    "a second run of a slot without an asset": (f"{RUN.format(asset='NULL')};" * 2, UniqueViolation),
    "a run of another project's asset": (RUN.format(asset=3), ForeignKeyViolation),
    "an asset without a name": ("UPDATE assets SET name = ''", CheckViolation),
    "a blank serial number": ("UPDATE assets SET serial_number = ''", CheckViolation),
    "two assets of one name": ("UPDATE assets SET name = 'Kiln' WHERE id = 2", UniqueViolation),
    "custom values that are a list": (custom_values("[]"), CheckViolation),
    "a value of an unknown field": (custom_values('{"Height": 1}'), ForeignKeyViolation),
    "a value of another project's field": (custom_values('{"Colour": "red"}'), ForeignKeyViolation),
    "a text that is a number": (custom_values('{"Owner": 1}'), ForeignKeyViolation),
    "a text that is empty": (custom_values('{"Owner": ""}'), ForeignKeyViolation),
    "a number that is a text": (custom_values('{"Power": "1"}'), ForeignKeyViolation),
    "a boolean that is a number": (custom_values('{"Leased": 0}'), ForeignKeyViolation),
    "a date that never was": (custom_values('{"Since": "2025-02-29"}'), ForeignKeyViolation),
    "a date in another form": (custom_values('{"Since": "29 Feb 2024"}'), ForeignKeyViolation),
    "a custom field that is null": (custom_values('{"Owner": null}'), ForeignKeyViolation),
    "a new asset with an unknown field": (
        "INSERT INTO assets (project_id, name, custom_values) VALUES (2, 'New', '{\"Owner\": \"Ada\"}')",
        ForeignKeyViolation,
    ),
    "removing a custom field with values": (
        "DELETE FROM asset_custom_fields WHERE label = 'Owner'", ForeignKeyViolation,
    ),
    "a custom field of another type": (
        "UPDATE asset_custom_fields SET value_type = 'text'", RestrictViolation,
    ),
    "truncated custom fields": ("TRUNCATE asset_custom_fields", RestrictViolation),
    "a second custom field of a label": (custom_field("Owner"), UniqueViolation),
    "a custom field with a standard label": (custom_field("Serial_Number"), CheckViolation),
    "a custom field without a label": (custom_field(""), CheckViolation),
    "a custom field of an unknown type": (custom_field("New", "string"), CheckViolation),
    "a changed static input": ("UPDATE static_inputs SET value = 2", RestrictViolation),
    "a deleted static input": ("DELETE FROM static_inputs", RestrictViolation),
    "truncated static inputs": ("TRUNCATE static_inputs CASCADE", RestrictViolation),
    "a static input that is not a number": (static_input(value="'NaN'"), CheckViolation),
    "an infinite static input": (static_input(value="'-Infinity'"), CheckViolation),
    "a static input without a value": (static_input(value="NULL"), NotNullViolation),
    "a static input from ever": (static_input(at="-infinity"), CheckViolation),
    "a static input with a slug that is none": (static_input(slug="Grid factor"), CheckViolation),
    "a static input of the same moment": (static_input(at="2025-01-01Z"), UniqueViolation),
    "a static input of the same moment and asset": (
        static_input(slug="ph", at="2025-01-01Z", asset_id=1), UniqueViolation,
    ),
    "a static input of another project's asset": (static_input(asset_id=3), ForeignKeyViolation),
    "a static input of another project's feedstock": (static_input(feedstock_id=2), ForeignKeyViolation),
    "a static input of another project's location": (static_input(location_id=2), ForeignKeyViolation),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_the_database_refuses(connection, name):
    statement, error = REFUSED[name]

    with pytest.raises(error):
        connection.execute(statement)


def test_an_event_may_get_an_asset_later(connection):
    connection.execute(EVENT.format(asset="NULL"))

    assert connection.execute("UPDATE events SET asset_id = 1").rowcount == 1


def test_one_statement_may_exchange_two_names(connection):
    connection.execute("UPDATE assets SET name = CASE id WHEN 1 THEN 'Truck' ELSE 'Kiln' END WHERE id < 3")

    assert connection.execute("SELECT name FROM assets WHERE id < 3 ORDER BY id").fetchall() == [
        ("Truck",),
        ("Kiln",),
    ]


def test_a_custom_field_without_values_may_go(connection):
    assert connection.execute("DELETE FROM asset_custom_fields WHERE label = 'Unused'").rowcount == 1


def test_a_custom_field_cannot_go_while_an_asset_with_a_value_is_being_stored(database):
    with psycopg.connect(database) as storing, psycopg.connect(database) as removing:
        storing.execute(custom_values('{"Unused": "x"}'))
        removing.execute("SET lock_timeout = '100ms'")

        with pytest.raises(LockNotAvailable):
            removing.execute("DELETE FROM asset_custom_fields WHERE label = 'Unused'")

        storing.rollback()


def test_a_number_in_a_custom_field_keeps_every_digit(connection):
    digits = "1234567890123456789012345678901.230"
    connection.execute(custom_values(f'{{"Power": {digits}}}'))

    assert connection.execute("SELECT custom_values ->> 'Power' FROM assets WHERE id = 2").fetchone() == (
        digits,
    )
