"""A plant beside the service of the run: its broker and its agent end with their test.

The OPC UA server goes on, as it takes longer to start than a test: each has variables of its own there.
"""

import pytest
from tests.agent.programs import BROKER, Agent, Broker, ModbusDevice, PartOfPlant, Plant
from tests.given import collection as given


class Site:
    """A project with the event types of a kiln and a scale, and how an agent is told of them."""

    def __init__(self, api, folder):
        self.api = api
        self.folder = folder
        self.project = given.project(api)
        given.event_type(
            api,
            self.project,
            slug="kiln",
            data_point_types=[
                given.number("temperature", unit="degC", required=False),
                given.text("quality", required=True),
                given.text("status"),
                given.text("arrived-at"),
            ],
        )
        given.event_type(
            api,
            self.project,
            slug="scale",
            data_point_types=[given.number("mass", unit="kg", required=False), given.text("quality")],
        )
        given.event_type(
            api,
            self.project,
            slug="agent-report",
            data_point_types=[
                given.number("lag", unit="s"),
                given.number("waiting", unit=None, required=False),
                given.number("refused", unit=None, required=False),
                given.number("clock-offset", unit="s", required=False),
            ],
        )

    def configuration(self, *sources, **more):
        return {
            "agent": "site",
            "service": more.pop("service", None) or self.service(),
            "spool": {"path": str(self.folder / "spool.db")},
            "retry_seconds_max": 1,
            "sources": [*sources],
        } | more

    def service(self):
        return {"url": self.api.server.address, "project": self.project["id"]}

    def opcua(self, plant, **more):
        return {
            "type": "opcua",
            "name": "plc",
            "url": plant.url,
            "publishing_ms": 50,
            "history_overlap_seconds": 600,
            "history_delay_seconds": 1,
            "nodes": [
                {
                    "node": plant.node("Kiln"),
                    "event_type": "kiln",
                    "data_point": "temperature",
                    "quality": "quality",
                    "status": "status",
                }
            ],
        } | more

    def mqtt(self, broker, *topics, **more):
        scale = {"topic": "scale/+", "event_type": "scale", "time": "ts", "data_points": {"mass": "kg"}}
        return {
            "type": "mqtt",
            "name": "gateway",
            "host": "127.0.0.1",
            "port": broker.port,
            "tls": False,
            "topics": [*topics] or [scale],
        } | more

    def modbus(self, device, *registers, **more):
        return {
            "type": "modbus",
            "name": "drives",
            "host": "127.0.0.1",
            "port": device.port,
            "unit_id": 7,
            "poll_ms": 200,
            "timeout_ms": 500,
            "registers": [
                {"event_type": "kiln", "data_point": "temperature", "quality": "quality", "status": "status"}
                | register
                for register in registers
            ],
        } | more

    def events(self, slug):
        """The events of a type, oldest first."""
        query = {"filter[slug]": slug, "sort": "start_time", "page_size": "200"}
        answer = self.api.get(f"/projects/{self.project['id']}/events", query).expect(200)
        return answer.data

    def told(self, slug, *slugs):
        """The events of a type as rows: their time, and their values in the order of the slugs."""
        rows = []
        for event in self.events(slug):
            values = {point["slug"]: point["value"] for point in event["data_points"]}
            rows.append((event["start_time"], *(values.get(one) for one in slugs)))
        return rows


@pytest.fixture
def site(api, tmp_path):
    return Site(api, tmp_path)


@pytest.fixture(scope="session")
def standing_plant(tmp_path_factory):
    plant = Plant(tmp_path_factory.mktemp("plant"))
    plant.start()
    yield plant
    plant.close()


@pytest.fixture
def plant(standing_plant):
    """Variables that nobody has measured yet, at a server that goes on."""
    return PartOfPlant(standing_plant, "Kiln:Float", "Meter:Int64")


@pytest.fixture
def lone_plant(tmp_path):
    """A server of the test's own, which may be ended and started."""
    plant = Plant(tmp_path, "Kiln:Float", "Meter:Int64")
    plant.start()
    yield plant
    plant.close()


@pytest.fixture
def device(tmp_path):
    """A device with Modbus TCP, as unit 7."""
    device = ModbusDevice(tmp_path)
    device.start()
    yield device
    device.close()


@pytest.fixture
def broker(tmp_path):
    if BROKER is None:
        pytest.skip("there is no mosquitto here; install it with the system's packages")
    broker = Broker(tmp_path)
    broker.start()
    yield broker
    broker.close()


@pytest.fixture
def agent(site, tmp_path):
    """An agent that is made of a configuration; it is started by the test."""
    made = []

    def make(configuration):
        made.append(Agent(tmp_path, configuration, site.api.token))
        return made[-1]

    yield make
    for one in made:
        one.close()
