"""The mapping to Isometric Certify and what became of a report there can be read and used at any width."""

import pytest
from tests.browser.site import refuse_sideways, refuse_violations
from tests.given.certified import certified_plant
from tests.given.certify import certify


@pytest.fixture
def plant(api, drain):
    with certify(page_size=25) as double:
        made = certified_plant(api, drain, double.address)
        made.attach_certificate()
        api.post(f"/registries/{made.registry['id']}/catalogue", {}).expect(202)
        drain()
        yield made


def test_a_mapping_and_its_report_can_be_used_wide_and_narrow(person, plant):
    mapping = plant.map()
    report = plant.submit(plant.draft(2))
    home = f"/projects/{plant.project['id']}"
    for path in (
        f"{home}/registry_mappings",
        f"{home}/registry_mappings/{mapping['id']}",
        f"{home}/reports/{report['id']}",
    ):
        for width in (390, 1280):
            with person.at(path, width=width) as page:
                refuse_sideways(page, width)
                refuse_violations(page)
