"""A Modbus device by pymodbus, told by lines on its standard input what its registers hold.

Each line is JSON: the registers of a table from an address on. Each is answered when it is stored. A line
`"hang"` lets the device take questions and answer none; `"answer"` ends that.
"""

import asyncio
import json
import sys

from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

SIZE = 64
TABLES = {"coil": 1, "discrete": 2, "holding": 3, "input": 4}
CLOSED = 9
"""Address of the input registers from which on there is nothing."""


async def main(port):
    answering = asyncio.Event()
    answering.set()

    async def wait(*_):
        await answering.wait()

    def bits():
        return [SimData(0, values=[False] * SIZE, datatype=DataType.BITS)]

    def registers(size):
        return [SimData(0, count=size, values=0, datatype=DataType.REGISTERS)]

    device = SimDevice(7, simdata=(bits(), bits(), registers(SIZE), registers(CLOSED)), action=wait)
    server = ModbusTcpServer(device, address=("127.0.0.1", port))
    await server.serve_forever(background=True)
    print("ready", flush=True)  # noqa: T201 - what the test waits for
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    while line := await reader.readline():
        said = json.loads(line)
        if said in ("hang", "answer"):
            (answering.clear if said == "hang" else answering.set)()
        else:
            table, address, held = said
            await server.async_setValues(7, TABLES[table], address, held)
        print("stored", flush=True)  # noqa: T201 - as above


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
