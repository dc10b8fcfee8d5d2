"""An OPC UA server with a history on the disk, told by lines on its standard input what it measures.

Each line is JSON: a node with its value, status code and source time, and whether subscribers are told of it;
what is not told is what the historian got while the server was away. Each is answered when it is stored.
A line that is a text, such as "Kiln:Float", adds a variable, and is answered when the variable is there.
"""

import asyncio
import gc
import json
import os
import sqlite3
import sys
from datetime import datetime

from asyncua import Server, ua
from asyncua.crypto.permission_rules import User, UserRole
from asyncua.server.history_sql import HistorySQLite
from asyncua.server.user_managers import UserManager

NAMESPACE = "urn:plant"
FIRST_NODE = 1001
EMPTY = {"Float": 0.0, "Double": 0.0, "Int64": 0, "String": "", "Boolean": False}

# The library stores times with their offset, which the standard converter does not read.
sqlite3.register_converter("TIMESTAMP", lambda text: datetime.fromisoformat(text.decode()))


class NamedUsers(UserManager):
    """Lets everyone in who has no name, and one who has."""

    def get_user(self, iserver, username=None, password=None, certificate=None):  # noqa: ARG002 - the library's
        if username is None or (username, password) == ("agent", "open sesame"):
            return User(role=UserRole.User)
        return None


async def main(port, history, named):
    gc.disable()  # else a third of the start is spent on thousands of nodes that stay
    server = Server(user_manager=NamedUsers())
    await server.init()
    gc.enable()
    if certificate := os.environ.get("PLANT_CERTIFICATE"):
        await server.set_application_uri("urn:plant:server")
        await server.load_certificate(certificate)
        await server.load_private_key(os.environ["PLANT_KEY"])
        server.set_security_policy([ua.SecurityPolicyType.Basic256Sha256_SignAndEncrypt])
    server.set_endpoint(f"opc.tcp://127.0.0.1:{port}")
    storage = HistorySQLite(history)
    server.iserver.history_manager.set_storage(storage)
    await storage.init()
    index = await server.register_namespace(NAMESPACE)
    nodes = {}

    async def add(said):
        name, kind = said.split(":")
        node = await server.nodes.objects.add_variable(
            ua.NodeId(FIRST_NODE + len(nodes), index), name, ua.Variant(EMPTY[kind], ua.VariantType[kind])
        )
        await server.write_attribute_value(
            node.nodeid, ua.DataValue(StatusCode=ua.StatusCode(ua.StatusCodes.BadWaitingForInitialData))
        )
        await storage.new_historized_node(node.nodeid, None, 0)
        nodes[name] = node

    for said in named:
        await add(said)
    async with server:
        print("ready", flush=True)  # noqa: T201 - what the test waits for
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
        while line := await reader.readline():
            said = json.loads(line)
            await (add(said) if isinstance(said, str) else measure(server, storage, nodes, said))
            print("stored", flush=True)  # noqa: T201 - as above


async def measure(server, storage, nodes, said):
    node = nodes[said["node"]]
    kind = ua.VariantType[said["type"]] if said["value"] is not None else ua.VariantType.Null
    value = said["value"]
    if said["type"] in {"Float", "Double"} and value is not None:
        value = float(value)
    time = datetime.fromisoformat(said["time"])
    given = ua.DataValue(
        ua.Variant(value, kind),
        StatusCode=ua.StatusCode(said["status"]),
        SourceTimestamp=time,
        ServerTimestamp=time,
    )
    if said["history"]:
        await storage.save_node_value(node.nodeid, given)
    if said["live"]:
        await server.write_attribute_value(node.nodeid, given)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
