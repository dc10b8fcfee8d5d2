"""The form of a product of footprints: made, shown as it was typed, and changed for footprints to come."""

import lxml.html
import pytest
from tests.given.footprints import host as make_host
from tests.given.people import visitor


@pytest.fixture
def host(account):
    return make_host(account)


@pytest.fixture
def person(account):
    return visitor(account)


def read_form(person, path):
    """What the fields of a form have that are sent to a path."""
    page = lxml.html.fromstring(person.get(path).expect(200).text)
    [form] = [one for one in page.forms if one.action == path]
    return {name: value or "" for name, value in form.form_values() if name != "csrf_token"}


def test_a_product_is_changed_for_footprints_to_come(host, person):
    product = host.product(properties={"dqi": {"temporalDQR": "1.50"}} | host.product(name="O")["properties"])
    made = host.make(product)
    path = f"/footprint_products/{product['id']}/edit"
    fields = read_form(person, path)
    assert fields["company_ids"] == "urn:company:example:plant-one"

    person.post(path, fields).expect(303)
    assert host.api.get(f"/footprint_products/{product['id']}").body == product
    typed = {"product_ids": "urn:gtin:4712345060507, urn:gtin:5695872369587", "geography": "", "amounts": (
        '{"fossilGhgEmissions": "node:emitted", "fossilCarbonContent": "0.5"}'
    )}  # fmt: skip
    person.post(path, fields | typed).expect(303)

    changed = host.api.get(f"/footprint_products/{product['id']}").body
    assert changed["product_ids"] == ["urn:gtin:4712345060507", "urn:gtin:5695872369587"]
    assert changed["amounts"] == {"fossilGhgEmissions": "node:emitted", "fossilCarbonContent": "0.5"}
    assert (changed["geography"], changed["properties"]) == (None, product["properties"])
    assert host.read(made) == made
    assert host.make(changed)["content"]["productIds"] == changed["product_ids"]


def test_what_is_no_json_is_shown_at_its_field_and_nothing_changes(host, person):
    product = host.product()
    path = f"/footprint_products/{product['id']}/edit"

    refused = person.post(path, read_form(person, path) | {"amounts": "[1]"}).expect(422).text

    assert "amounts is no JSON object." in refused
    assert host.api.get(f"/footprint_products/{product['id']}").body == product
