"""Footprints that a test starts from: products, clients with tokens, partners, calls carried out at once."""

from __future__ import annotations

import json
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.given import accounting
from tests.given.accounting import Plant
from tests.server import Account, Answer, Caller

from weighbridge.footprints.footprints_tasks import follow_reports
from weighbridge.footprints.pact.calling import Exchanger
from weighbridge.http.outgoing import CallReach, OutgoingClient

LOCAL = ("127.0.0.0/8",)

NODES = """
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
  - slug: emitted
    formula: mass * 0.35
    unit: t
    output: true
  - slug: taken_up
    formula: mass * 1.61
    unit: t
    output: true
"""
"""So much of a product is made, and so much is emitted and taken up for it."""

PRODUCT: dict[str, Any] = {
    "name": "Bioethanol 98 %",
    "company_name": "Plant One",
    "company_ids": ["urn:company:example:plant-one"],
    "product_ids": ["urn:gtin:4712345060507"],
    "product_classifications": ["urn:pact:productclassification:un-cpc:3413"],
    "description": "Bioethanol of sugar beet, in bulk.",
    "declared_unit": "kilogram",
    "mass_per_declared_unit": 1,
    "geography": "DE",
    "quantity": "node:mass",
    "amounts": {
        "fossilGhgEmissions": "node:emitted",
        "biogenicCO2Uptake": "-node:taken_up",
        "fossilCarbonContent": "0",
        "landUseChangeGhgEmissions": "0.034",
    },
    "properties": {"ipccCharacterizationFactors": ["AR6"], "crossSectoralStandards": ["ISO14067"]},
}


@dataclass(frozen=True, slots=True)
class Host:
    """An account that exchanges footprints, and its plant."""

    account: Account
    api: Caller
    plant: Plant

    def product(self, **fields: Any) -> Any:
        """A product of which footprints are made."""
        body = {"footprint_product": PRODUCT | fields}
        return self.api.post("/footprint_products", body).expect(201).body

    def make(self, product: Any, **fields: Any) -> Any:
        """A footprint of the plant's first batch, unless another source is named."""
        source = {} if "report_id" in fields else {"batch_id": self.plant.batches()[0]["id"]}
        body = {"footprint": {"product_id": product["id"]} | source | fields}
        return self.api.post("/footprints", body).expect(201).body

    def read(self, footprint: Any) -> Any:
        """A footprint as it stands now."""
        return self.api.get(f"/footprints/{footprint['id']}").expect(200).body

    def client(self, **fields: Any) -> Any:
        """A client that may read footprints, with its secret."""
        body = {"footprint_client": {"name": "Fuel trader"} | fields}
        return self.api.post("/footprint_clients", body).expect(201).body

    def partner(self, address: str, **fields: Any) -> Any:
        """A partner whose host is at an address."""
        said = PARTNER | {"address": address}
        return self.api.post("/footprint_partners", {"footprint_partner": said | fields}).expect(201).body

    def pact(self, client: Any) -> PactCaller:
        """A caller with a token of a client."""
        return PactCaller(self.account, token_of(self.account, client).expect(200).body["access_token"])

    def exchange(self) -> None:
        """Follow reports and carry out what is to be called, here and now."""
        self.account.server.run(self._exchange())

    async def _exchange(self) -> None:
        mistakes: list[Exception] = []
        database = self.account.database
        await follow_reports(database, self.account.server.address)
        async with OutgoingClient(CallReach.of(LOCAL)) as client:
            await Exchanger(database, client, lease_seconds=30, tell=mistakes.append).settle()
        assert not mistakes, mistakes


class PactCaller:
    """Somebody who calls the paths below /pact with a token."""

    def __init__(self, account: Account, token: str) -> None:
        self.account = account
        self.token = token

    def get(self, path: str, **headers: str) -> Answer:
        """Ask for a path below /pact."""
        return self.account.server.request("GET", f"/pact{path}", (), None, self._headers() | headers)

    def send(self, event: Any, **headers: str) -> Answer:
        """Send an event."""
        usual = self._headers() | {"content-type": "application/cloudevents+json; charset=UTF-8"}
        content = event if isinstance(event, bytes) else json.dumps(event).encode()
        return self.account.server.request("POST", "/pact/3/events", (), content, usual | headers)

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}


class Partner:
    """A partner's host, which gives a token to everybody and answers events with a status."""

    def __init__(self) -> None:
        self.status = 200
        self.came: list[tuple[str, dict[str, str], bytes]] = []
        partner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["content-length"]))
                partner.came.append((self.path, dict(self.headers), content))
                is_token = self.path.endswith("/auth/token")
                answer = json.dumps({"access_token": "given"}).encode() if is_token else b""
                self.send_response(200 if is_token else partner.status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/pact"

    @property
    def events(self) -> list[Any]:
        """What events were sent here."""
        return [json.loads(content) for path, _, content in self.came if path.endswith("/3/events")]

    @property
    def authorizations(self) -> list[str]:
        """By what tokens were asked for."""
        return [headers["Authorization"] for path, headers, _ in self.came if path.endswith("/auth/token")]


@contextmanager
def listening() -> Iterator[Partner]:
    """A partner's host for as long as the block lasts."""
    made = Partner()
    threading.Thread(target=made.server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield made
    finally:
        made.server.shutdown()
        made.server.server_close()


def event(kind: str, data: Any, **fields: Any) -> dict[str, Any]:
    """An event of a kind of PACT 3."""
    return {
        "type": f"org.wbcsd.pact.ProductFootprint.{kind}Event.3", "specversion": "1.0", "id": "event-1",
        "source": "https://trader.example/pact", "time": "2025-03-05T17:31:00Z", "data": data,
    } | fields  # fmt: skip


PARTNER: dict[str, Any] = {
    "name": "Trader", "address": "https://trader.example/pact", "client_id": "plant-one",
    "client_secret": "word-nobody-shows",
}  # fmt: skip


OF_AMOUNT = {"fossilGhgEmissions": "amount", "fossilCarbonContent": "0"}
"""Amounts of a product that follow from what a batch has, whatever its model computes."""


KINDS = (
    "footprint_product", "product", "product_number", "partner_number", "client_number", "footprint_partner",
    "partner", "footprint_client", "client", "footprint", "footprint_call", "footprint_event",
    "received_footprint",
)  # fmt: skip
"""The kinds of ids that `one_of_each` gives."""


def one_of_each(account: Account, api: Caller, batch: str) -> dict[str, Any]:
    """The ids of a footprint and of all that belongs to it, in an account with the exchange switched on."""
    api.patch("/feature_flags", {"feature_flags": {"footprint_exchange": True}}).expect(200)
    product_body = PRODUCT | {"quantity": "amount", "amounts": OF_AMOUNT}
    product = api.post("/footprint_products", {"footprint_product": product_body}).expect(201).body
    partner = api.post("/footprint_partners", {"footprint_partner": PARTNER}).expect(201).body
    named = {"footprint_client": {"name": "Trader", "partner_id": partner["id"]}}
    client = api.post("/footprint_clients", named).expect(201).body
    made = {"footprint": {"product_id": product["id"], "batch_id": batch}}
    footprint = api.post("/footprints", made).expect(201).body
    caller = PactCaller(account, token_of(account, client).expect(200).body["access_token"])
    pfs = {"requestEventId": "r", "pfs": [footprint["content"]]}
    caller.send(event("RequestFulfilled", pfs)).expect(200)
    return {
        "footprint_product": product["id"],
        "product": product["id"],
        "product_number": product["id"],
        "partner_number": partner["id"],
        "client_number": client["id"],
        "footprint_partner": partner["id"],
        "partner": partner["id"],
        "footprint_client": client["id"],
        "client": client["id"],
        "footprint": footprint["id"],
        "footprint_call": api.get("/footprint_calls").data[0]["id"],
        "footprint_event": api.get("/footprint_events").data[0]["id"],
        "received_footprint": api.get("/received_footprints").data[0]["id"],
    }


def exchanged(host: Host) -> None:
    """A row of each table: a footprint that took another's place, a partner, a client and what it sent."""
    product = host.product()
    host.make(product)
    partner = host.partner(PARTNER["address"])
    made = host.make(product)
    caller = host.pact(host.client(partner_id=partner["id"]))
    caller.send(event("RequestFulfilled", {"requestEventId": "r", "pfs": [made["content"]]})).expect(200)


def token_of(account: Account, client: Any, **headers: str) -> Answer:
    """What a client is answered that asks for a token."""
    pair = f"{client['client_id']}:{client['client_secret']}"
    usual = {
        "authorization": f"Basic {b64encode(pair.encode()).decode()}",
        "content-type": "application/x-www-form-urlencoded",
    }
    content = b"grant_type=client_credentials"
    return account.server.request("POST", "/pact/auth/token", (), content, usual | headers)


def host(account: Account, *masses: int, nodes: str = NODES) -> Host:
    """An account that has the exchange switched on, and a plant that made so much in each month."""
    api = account.caller()
    api.patch("/feature_flags", {"feature_flags": {"footprint_exchange": True}}).expect(200)
    plant = accounting.plant(api, account.drain, nodes)
    for month, mass in enumerate(masses or (10,), start=1):
        plant.deliver(mass, f"2025-{month:02d}-02T00:00:00Z")
    plant.generate(("2025-01-01T00:00:00Z", "2025-12-31T00:00:00Z"))
    return Host(account, api, plant)
