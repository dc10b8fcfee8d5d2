"""A report whose verifier has concluded: the population, the sample, findings and a signed opinion."""

from tests.given import bundles, engagements, reports
from tests.given.bundles import Bundle
from tests.server import Account


class Concluded:
    """A report with an engagement that is concluded, and its bundle."""

    def __init__(self, account: Account) -> None:
        self.api, self.drain, self.account = account.caller(), account.drain, account
        self.claims = reports.claims(self.api, self.drain)
        for day in range(1, 29):
            self.claims.plant.deliver(day, f"2025-01-{day:02d}T00:00:00Z")
        self.claims.plant.generate(reports.QUARTER)
        self.report = self.claims.report(406)
        engagements.make_bundle(self.api, self.drain, self.report)
        self.verifier = engagements.verifier(self.api, account.server.anyone, self.report)
        begun = self.verifier.begin(
            strata=[
                {"event_type": "delivery", "data_point": "mass", "method": "monetary_unit", "size": 6},
            ]
        )
        self.drawn = self.verifier.draw(begun)
        self.verifier.find(self.drawn, amount=-1)
        self.verifier.find(self.drawn, "request", None)
        self.verifier.decide(self.drawn, 2)
        self.engagement = self.verifier.conclude(self.drawn)
        self.number = self.engagement["id"]

    def bundle(self) -> Bundle:
        """The bundle of the report as it stands."""
        return bundles.bundle(self.account, self.report)
