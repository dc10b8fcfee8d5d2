"""The parts of a plant as processes: an OPC UA server, an MQTT broker, and the agent beside them."""

import json
import os
import shutil
import signal
import socket
import subprocess
from contextlib import closing, suppress
from pathlib import Path

import paho.mqtt.client as mqtt
import yaml
from paho.mqtt.enums import CallbackAPIVersion
from tests.durability.processes import Program, until

from weighbridge.agent.readings import now
from weighbridge.agent.status import read_status
from weighbridge.errors import Refusal

HERE = Path(__file__).parent
CLI = ("-m", "weighbridge")
BROKERS = (shutil.which("mosquitto"), "/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto")
BROKER = next((path for path in BROKERS if path and Path(path).exists()), None)
ROOT = HERE.parent.parent
FOREIGN = ROOT / ".venv" / "foreign"


def is_installed(name):
    """Whether a package of npm is among the foreign tools, and node is there to run it."""
    return (FOREIGN / "node_modules" / name).exists() and shutil.which("node") is not None


WAIT_SECONDS = 30


def free_port():
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Plant:
    """An OPC UA server whose history outlives it."""

    def __init__(self, folder, *nodes, secured=()):
        """With a certificate and its key the server takes nothing but secured channels."""
        self._secured = secured
        self.port = free_port()
        self.url = f"opc.tcp://127.0.0.1:{self.port}"
        self._folder = folder
        self.history = folder / "history.db"
        self._nodes = [*nodes]
        self.program = None

    def start(self):
        command = (HERE / "plant_server.py", self.port, self.history, *self._nodes)
        secured = dict(zip(("PLANT_CERTIFICATE", "PLANT_KEY"), map(str, self._secured), strict=False))
        self.program = Program(*command, log=self._folder / "plant.log", **secured)
        assert self.program.line() == "ready"

    def node(self, name):
        names = [node.partition(":")[0] for node in self._nodes]
        return f"ns=2;i={1001 + names.index(name)}"

    def measure(self, node, value, time, *, status=0, live=True, history=True):
        """Let a node have a value; gives whether the server lived to say that it stored it."""
        (kind,) = [one.partition(":")[2] for one in self._nodes if one.startswith(f"{node}:")]
        said = {"node": node, "value": value, "type": kind, "status": status, "time": time}
        try:
            self.program.process.stdin.write(json.dumps(said | {"live": live, "history": history}) + "\n")
            self.program.process.stdin.flush()
            return self.program.process.stdout.readline().strip() == "stored"
        except (OSError, ValueError):
            return False

    def add(self, node):
        """Add a variable, whose name others may have too; gives the name that it has here."""
        name, _, kind = node.partition(":")
        here = f"{name} {len(self._nodes)}"
        self.program.process.stdin.write(json.dumps(f"{here}:{kind}") + "\n")
        self.program.process.stdin.flush()
        assert self.program.line() == "stored"
        self._nodes.append(f"{here}:{kind}")
        return here

    def kill(self):
        with suppress(OSError):  # what was written and not read goes with it
            self.program.close()

    def close(self):
        if self.program is not None:
            self.kill()


class PartOfPlant:
    """Variables of a test's own at an OPC UA server that others ask too."""

    def __init__(self, plant, *nodes):
        self.url, self.history = plant.url, plant.history
        self._plant = plant
        self._names = {node.partition(":")[0]: plant.add(node) for node in nodes}

    def node(self, name):
        return self._plant.node(self._names[name])

    def measure(self, node, value, time, **options):
        return self._plant.measure(self._names[node], value, time, **options)


class ModbusDevice:
    """A device that is asked by Modbus TCP."""

    def __init__(self, folder):
        self.port = free_port()
        self._folder = folder
        self.program = None

    def start(self):
        command = (HERE / "modbus_server.py", self.port)
        self.program = Program(*command, log=self._folder / "modbus.log")
        assert self.program.line() == "ready"

    def hold(self, table, address, *held):
        """Let registers, coils or inputs hold something."""
        self._tell([table, address, [*held]])

    def hang(self):
        """Take questions and answer none, until `answer`."""
        self._tell("hang")

    def answer(self):
        self._tell("answer")

    def _tell(self, said):
        self.program.process.stdin.write(json.dumps(said) + "\n")
        self.program.process.stdin.flush()
        assert self.program.line() == "stored"

    def close(self):
        if self.program is not None:
            self.program.close()


class Broker:
    """A mosquitto that keeps sessions and what it has queued on the disk."""

    def __init__(self, folder, *lines, port=None):
        self.port = port or free_port()
        self._folder = folder
        self._configuration = folder / "mosquitto.conf"
        (folder / "mosquitto").mkdir()
        said = [
            f"listener {self.port} 127.0.0.1",
            "allow_anonymous true",
            "persistence true",
            f"persistence_location {folder}/mosquitto/",
            "autosave_on_changes true",
            "autosave_interval 1",
            "max_queued_messages 0",
            *([f"user {os.environ.get('USER', 'root')}"] if os.geteuid() == 0 else []),
            *lines,
        ]
        self._configuration.write_text("\n".join(said) + "\n")
        self.process = None

    def start(self):
        with (self._folder / "mosquitto.log").open("a") as log:
            self.process = subprocess.Popen([BROKER, "-c", self._configuration], stdout=log, stderr=log)
        until(self._answers, what="the broker listens")

    def _answers(self):
        with suppress(OSError), closing(socket.create_connection(("127.0.0.1", self.port), 1)):
            return True
        return False

    def kill(self):
        self.process.kill()
        self.process.wait(WAIT_SECONDS)

    def forget(self):
        """Lose what it has on the disk."""
        for file in (self._folder / "mosquitto").iterdir():
            file.unlink()

    def close(self):
        if self.process is not None:
            self.kill()


class Device:
    """A device that publishes to a broker, and says whether the broker has what it published."""

    def __init__(self, broker, name="device"):
        self._name, self._port, self._client = name, broker.port, None

    def publish(self, topic, payload, *, retain=False):
        """Publish with QoS 1; gives whether it was acknowledged, on a connection that was there before."""
        text = payload if isinstance(payload, str | bytes) else json.dumps(payload)
        try:
            if self._client is None:
                self._client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=self._name)
                self._client.connect("127.0.0.1", self._port)
                self._client.loop_start()
            sent = self._client.publish(topic, text, qos=1, retain=retain)
            sent.wait_for_publish(2)
            if sent.is_published():
                return True
        except (OSError, ValueError, RuntimeError):
            pass
        self.close()
        return False

    def close(self):
        if self._client is not None:
            self._client.disconnect()
            self._client.loop_stop()
            # The library leaves the two ends of its own pipe to whoever looks for garbage.
            for end in (self._client._sockpairR, self._client._sockpairW):
                if end is not None:
                    end.close()
        self._client = None


class ForeignServer:
    """An OPC UA server by node-opcua, with the history of one variable in its memory."""

    def __init__(self, folder):
        port = free_port()
        self.url = f"opc.tcp://127.0.0.1:{port}/plant"
        command = ("node", HERE / "foreign_server.cjs", FOREIGN, str(port), folder / "pki")
        with (folder / "foreign.log").open("a") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )
        self._await("ready")

    def measure(self, value, time, status=0):
        self._process.stdin.write(json.dumps([value, time, status]) + "\n")
        self._process.stdin.flush()
        self._await("stored")

    def _await(self, word):
        while (line := self._process.stdout.readline()).strip() != word:
            assert line, "the foreign server has ended"

    def close(self):
        self._process.kill()
        self._process.wait(WAIT_SECONDS)
        self._process.stdin.close()
        self._process.stdout.close()


class EdgeNode:
    """An edge node of Sparkplug B by the client of Eclipse Tahu."""

    def __init__(self, folder, broker):
        self._folder, self._broker, self._log = folder, broker, folder / "edge-node.out"
        self._process = None

    def start(self):
        begun = self._log.read_text().count("connected") if self._log.exists() else 0
        command = ("node", HERE / "edge_node.cjs", FOREIGN, str(self._broker.port))
        with self._log.open("a") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=log, stderr=log, text=True
            )
        until(lambda: self._log.read_text().count("connected") > begun, what="the node is connected")

    def tell(self, *said):
        """Let the client do something: its method and arguments."""
        self._process.stdin.write(json.dumps(said) + "\n")
        self._process.stdin.flush()

    def asked(self):
        """How often the host has asked for births."""
        return self._log.read_text().count("asked")

    def kill(self):
        self._process.kill()
        self._process.wait(WAIT_SECONDS)
        with suppress(OSError):
            self._process.stdin.close()

    def close(self):
        if self._process is not None:
            self.kill()


class Agent:
    """`weighbridge agent run`, with its file and its spool in a folder."""

    def __init__(self, folder, configuration, token, **variables):
        """With variables of the environment for the agent as it runs."""
        self._variables = variables
        self.file = folder / "agent.yaml"
        self.spool = folder / "spool.db"
        self.log = folder / "agent.log"
        self.token = token
        self.configure(configuration)
        self.program = None

    def configure(self, configuration):
        # By way of JSON nothing in it is the same object twice, which YAML would write as an alias.
        self.file.write_text(yaml.safe_dump(json.loads(json.dumps(configuration)), sort_keys=False))

    def start(self):
        own = {"WEIGHBRIDGE_TOKEN": self.token} | self._variables
        self.program = Program(*CLI, "agent", "run", self.file, log=self.log, **own)

    def kill(self):
        self.program.close()

    def stop(self):
        """Ask it to end, and wait until it has."""
        self.program.signal(signal.SIGTERM)
        code = self.program.exit_code()
        self.program.close()
        assert code == 0, self.log.read_text()

    def call(self, *words, code=0):
        """Run another command of the agent; gives what it says."""
        said = Program(*CLI, "agent", *words, self.file, log=self.log, WEIGHBRIDGE_TOKEN=self.token)
        with closing(said):
            text = said.process.stdout.read()
            assert said.exit_code() == code, self.log.read_text()
        return text

    def spooled(self):
        """What its spool holds."""
        until(self.has_begun, what="the agent has begun")
        return read_status(self.spool, now())

    def has_begun(self):
        """Whether its spool is made."""
        with suppress(Refusal):
            return read_status(self.spool, now())
        return None

    def close(self):
        if self.program is not None:
            self.program.close()
