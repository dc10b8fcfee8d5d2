"""A record that declares its fields: CONTRIBUTING.md shows one, and everything else follows from it."""

import re
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from weighbridge.collection.named_records.nouns import NamedNoun
from weighbridge.collection.records import projects
from weighbridge.core import identity
from weighbridge.web.forms.fields import declared_fields

GUIDE = Path(__file__).parents[3] / "CONTRIBUTING.md"
NAMES = ("name", "plate", "tare", "active")


@pytest.fixture(scope="module")
def vehicles():
    """The noun of the record that the guide declares."""
    [block] = re.findall(r"```python\n(   class Vehicle.*?)   ```", GUIDE.read_text(), re.DOTALL)
    source = re.sub(r"^ {3}", "", block, flags=re.MULTILINE)
    namespace = dict(vars(projects))
    exec(compile(source, str(GUIDE), "exec"), namespace)  # noqa: S102 - the guide is ours
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(identity.PREFIXES, "vehicle", "veh")
        yield NamedNoun(namespace["Vehicle"], "vehicle", "vehicles")


def test_requests_give_every_field_that_is_declared(vehicles):
    new = vehicles.bodies.new

    assert new.__struct_fields__ == NAMES
    assert vehicles.bodies.new_body.__name__ == "NewVehicleBody"


def test_new_record_needs_only_its_name(vehicles):
    body = msgspec.json.decode(b'{"vehicle": {"name": "Truck 7"}}', type=vehicles.bodies.new_body)

    assert msgspec.structs.asdict(body.vehicle) == {
        "name": "Truck 7", "plate": None, "tare": None, "active": True,
    }  # fmt: skip


def test_change_leaves_out_what_it_does_not_give(vehicles):
    body = msgspec.json.decode(b'{"vehicle": {"plate": null}}', type=vehicles.bodies.change_body)

    given = [value for value in msgspec.structs.asdict(body.vehicle).values() if value is not msgspec.UNSET]
    assert given == [None]


def test_statements_have_a_column_for_each_field(vehicles):
    values = {"name": " Truck 7 ", "plate": None, "tare": Decimal(7450), "active": True}

    text, stored = vehicles.table.insert_command(1, values)

    assert "INSERT INTO vehicles (project_id, name, plate, tare, active)" in text
    assert stored == (1, "Truck 7", None, Decimal(7450), True)


def test_list_sorts_and_filters_by_what_the_fields_declare(vehicles):
    assert [*vehicles.listing.sorts] == ["id", "name", "active", "created_at", "updated_at"]
    assert [*vehicles.listing.filters] == ["name", "project_id", "created_at"]


def test_check_of_a_field_reports_its_path(vehicles):
    [problem] = vehicles.table.find_problems({"plate": " ", "tare": None}, "vehicle")

    assert (problem.field, problem.code) == ("vehicle.plate", "invalid")


def test_form_has_every_field(vehicles):
    fields = {field.name: field.kind for field in declared_fields(vehicles)}

    assert fields == {"name": "line", "plate": "line", "tare": "number", "active": "truth"}
