"""PATCH /projects/{project_id}/feedstocks/{feedstock_id}."""

from tests.given import accounting as given_accounting
from tests.given import collection as given
from tests.given import generation as given_generation


def update(api, project, feedstock, **fields):
    return api.patch(f"/projects/{project['id']}/feedstocks/{feedstock['id']}", {"feedstock": fields})


def test_name_and_description_are_changed_and_what_is_left_out_stays(api):
    project = given.project(api)
    wood = given.feedstock(api, project, name="Wood")

    update(api, project, wood, description="Beech").expect(200)
    changed = update(api, project, wood, name=" Wood chips ").expect(200).body

    assert (changed["name"], changed["description"]) == ("Wood chips", "Beech")
    assert update(api, project, wood, description=None).expect(200).body["description"] is None


def test_the_name_is_fixed_once_batches_are_partitioned_by_it_and_the_description_is_not(api, drain):
    plant = given_accounting.plant(api, drain, partition_type="feedstock")
    wood = plant.feedstock("Wood")
    plant.deliver(5, feedstock_id=wood)
    plant.generate()

    error = update(api, plant.project, {"id": wood}, name="Wood chips").expect(422).error
    update(api, plant.project, {"id": wood}, description="Beech").expect(200)

    assert (error["field"], error["code"]) == ("name", "in_use")
    assert plant.generate()["unchanged"] == 1


def test_the_name_is_fixed_once_batches_were_made_of_events_of_the_feedstock(api, drain):
    plant = given_accounting.plant(api, drain, partition_type="time")
    wood, straw = plant.feedstock("Wood"), plant.feedstock("Straw")
    plant.deliver(5, feedstock_id=wood)
    plant.generate()

    assert update(api, plant.project, {"id": wood}, name="Chips").expect(422).error["code"] == "in_use"
    update(api, plant.project, {"id": straw}, name="Wheat straw").expect(200)


def test_a_name_waits_for_a_generation_that_runs(api, drain, server):
    plant = given_accounting.plant(api, drain)
    wood = plant.feedstock("Wood")

    with given_generation.running(server, plant):
        update(api, plant.project, {"id": wood}, name="Chips").expect(409)
        update(api, plant.project, {"id": wood}, description="Beech").expect(200)
