"""What a test of model runs starts from: a yard whose deliveries are measured, and a model over them."""

from decimal import Decimal

from tests.given import accounting
from tests.given import collection as given
from tests.given.accounting import JANUARY, document


class Yard:
    """A project with deliveries of a mass and a moisture, and a model over them."""

    def __init__(self, api, nodes, **settings):
        self.api = api
        self.project = given.project(api)
        points = [given.number("mass"), given.number("moisture", unit="%"), given.text("grade")]
        points += [given.number("sample", required=False)]
        given.event_type(api, self.project, data_point_types=points)
        settings = {"primary_output": "dry"} | settings
        self.model = accounting.model(api, self.project, document(nodes, **settings))

    def deliver(self, mass, moisture=0, day=1, **fields):
        """A delivery; gives its event, and the ids of its data points by slug."""
        values = {"mass": Decimal(str(mass)), "moisture": moisture} | fields.pop("values", {})
        moment = {"start_time": f"2025-01-{day:02d}T12:00:00Z"} | fields
        event = given.event(self.api, self.project, values=values, **moment)
        return {one["slug"]: one["id"] for one in event["data_points"]} | {"event": event["id"]}

    def ask(self, *ids, times=JANUARY, **fields):
        body = {"start_time": times[0], "end_time": times[1], "data_point_ids": list(ids)} | fields
        return self.api.post(f"/models/{self.model['id']}/model_runs", {"model_run": body})

    def run(self, *ids, **fields):
        return self.ask(*ids, **fields).expect(201).body

    def problems(self, *ids, **fields):
        """Field and code of each problem that keeps a run from being made."""
        errors = self.ask(*ids, **fields).expect(422).errors
        return [(one.get("field"), one.get("code")) for one in errors]

    def came_to(self, *ids, **fields):
        """The values of a run that is complete, by node."""
        run = self.run(*ids, **fields)
        assert run["state"] == "complete", run["error_message"]
        return {one["slug"]: one["value"] for one in run["calculations"]}
