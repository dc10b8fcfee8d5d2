"""What a computing process answers arrives, also where it refuses a request before it has all of it."""

import asyncio
from contextlib import asynccontextmanager

from weighbridge.core.platform.permission import ALL_PERMISSIONS, Actor
from weighbridge.http.endpoints import computing_process as server
from weighbridge.http.endpoints.computing_process import RequestHead, serve_on_socket

DEADLINE_SECONDS = 60.0
BODY = bytes(4 * server.PIECE_BYTES_MAX)
"""More than a socket holds."""

ACTOR = Actor(1, 1, None, frozenset(ALL_PERMISSIONS), "req_1")


class Refuses:
    """An application that refuses every request by its headers alone."""

    def __init__(self):
        self.has_refused = asyncio.Event()

    @asynccontextmanager
    async def lifespan(self):
        yield

    async def __call__(self, _scope, _receive, send):
        await send({"type": "http.response.start", "status": 415, "headers": []})
        await send({"type": "http.response.body", "body": b"no"})
        self.has_refused.set()


def test_a_refusal_arrives_though_the_body_is_still_sent(tmp_path):
    async def asked():
        application, socket = Refuses(), str(tmp_path / "c")
        async with serve_on_socket(application, socket) as requests:
            reader, writer = await asyncio.open_unix_connection(socket)
            server.write_frame(writer, server.encode_head(RequestHead("POST", "/", b"", [], ACTOR)))
            await application.has_refused.wait()
            await server.write_content(writer, BODY)
            server.write_frame(writer, b"")
            status = server.decode_response(await server.read_frame(reader)).status
            content = await server.read_frame(reader)
            writer.close()
            await requests.finish()
            return status, content

    assert asyncio.run(asyncio.wait_for(asked(), DEADLINE_SECONDS)) == (415, b"no")
