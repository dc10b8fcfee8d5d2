"""Whatever happens in whatever order, a value is what a person said, or else what the rule makes of it."""

from dataclasses import dataclass

from hypothesis import HealthCheck, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from tests.examples import examples
from tests.given import collection as given
from tests.given.rule_evaluation import calibration, results, work

VERSIONS = [
    ("{{mass}} > 2", "{{mass}} * 10 + coalesce({{ash}}, 0)"),
    ("{{mass}} > 0 and {{mass}} < 20", "{{mass}} - 100"),
]
"""The versions that the rule has by turns. The second is true of what the first makes of no value."""

numbers = st.integers(-1, 5)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("deliver"), numbers, st.none() | numbers),
        st.tuples(st.just("correct"), st.integers(0, 5), numbers),
        st.tuples(st.just("correct_ash"), st.integers(0, 5), numbers),
        st.tuples(st.just("revert"), st.integers(0, 5)),
        st.tuples(st.just("undo")),
        st.tuples(st.just("change")),
        st.tuples(st.just("work")),
    ),
    min_size=2,
    max_size=12,
)
thoroughly = settings(
    max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@dataclass
class Delivery:
    """What was captured and said of a delivery, and whether a person has the last word on its mass."""

    points: dict
    mass: int
    ash: int | None
    by_hand: int | None = None
    adjusted: int | None = None
    is_settled: bool = False

    def wanted(self, version):
        """What the rule makes of the mass; None when it leaves it alone."""
        if self.by_hand is not None or self.is_settled:
            return None
        is_first = version == 0
        if not (self.mass > 2 if is_first else 0 < self.mass < 20):
            return None
        becomes = self.mass * 10 + (self.ash or 0) if is_first else self.mass - 100
        return None if becomes == self.mass else becomes

    @property
    def value(self):
        held = [self.by_hand, self.adjusted, self.mass]
        return next(one for one in held if one is not None)


class Plant:
    """A project with a rule that adjusts, and what its values should be."""

    def __init__(self, account):
        self.account, self.api = account, account.caller()
        types = given.number("mass"), given.number("ash", required=False)
        self.project = given.measuring(self.api, *types)
        self.path = f"/projects/{self.project['id']}/data_points"
        self.version = 0
        self.rule = calibration(self.api, self.project, *VERSIONS[0])
        self.deliveries = []
        self.work()

    def deliver(self, mass, ash):
        values = {"mass": mass} | ({} if ash is None else {"ash": ash})
        event = given.event(self.api, self.project, values=values)
        points = {point["slug"]: point["id"] for point in event["data_points"]}
        self.deliveries.append(Delivery(points, mass, ash))

    def correct(self, index, value):
        for one in self.chosen(index):
            self.patch(one.points["mass"], value)
            if value != one.value:
                one.by_hand = value

    def correct_ash(self, index, value):
        for one in self.chosen(index):
            if "ash" in one.points:
                self.patch(one.points["ash"], value)
                one.ash = value

    def revert(self, index):
        for one in self.chosen(index):
            self.api.post(f"{self.path}/{one.points['mass']}/revert", {}).expect(200)
            if one.by_hand is not None or one.adjusted is not None:
                one.by_hand, one.adjusted, one.is_settled = None, None, True

    def undo(self):
        self.api.post(f"/rules/{self.rule['id']}/undo_corrections", {}).expect(200)
        for one in self.deliveries:
            if one.adjusted is not None:
                one.adjusted, one.is_settled = None, True

    def change(self):
        self.version = 1 - self.version
        expression, becomes = VERSIONS[self.version]
        correction = {"method": "expression", "expression": becomes}
        body = {"rule": {"expression": expression, "correction": correction}}
        self.api.patch(f"/rules/{self.rule['id']}", body).expect(200)
        for one in self.deliveries:
            one.is_settled = False

    def work(self):
        work(self.account)
        for one in self.deliveries:
            one.adjusted = one.wanted(self.version)

    def patch(self, point, value):
        self.api.patch(f"{self.path}/{point}", {"data_point": {"value": value}}).expect(200)

    def chosen(self, index):
        return self.deliveries[index % len(self.deliveries) :][:1] if self.deliveries else []

    def held(self):
        found = [self.api.get(f"{self.path}/{one.points['mass']}").body for one in self.deliveries]
        return [(one["value"], one["raw_value"]) for one in found]

    def histories(self):
        points = [one.points["mass"] for one in self.deliveries]
        return [self.api.get(f"{self.path}/{one}/corrections", {"page_size": "200"}).data for one in points]

    def standing(self):
        """The corrections of the rule that stand, of each delivery."""
        return [
            [one["to_value"] for one in history if one["rule_id"] and one["state"] != "reverted"]
            for history in self.histories()
        ]


@thoroughly
@for_all(happening=steps)
def test_what_is_held_is_what_people_said_or_what_the_rule_makes_of_what_was_captured(server, happening):
    plant = Plant(server.account())

    for what, *arguments in happening:
        getattr(plant, what)(*arguments)
        assert plant.held() == [(one.value, one.mass) for one in plant.deliveries]
    plant.work()

    assert plant.held() == [(one.value, one.mass) for one in plant.deliveries]
    wanted = [one.wanted(plant.version) for one in plant.deliveries]
    assert plant.standing() == [[] if one is None else [one] for one in wanted]
    before = plant.histories(), results(plant.api, plant.rule)
    plant.work()
    assert (plant.histories(), results(plant.api, plant.rule)) == before

    plant.undo()
    assert plant.standing() == [[] for _ in plant.deliveries]
    for index in range(len(plant.deliveries)):
        plant.revert(index)
    plant.work()
    assert plant.held() == [(one.mass, one.mass) for one in plant.deliveries]
