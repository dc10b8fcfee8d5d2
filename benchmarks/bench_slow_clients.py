"""What 500 clients that never finish their bodies cost everyone else.

A service with one API process reads a page of projects over and over on 4 connections, first alone, then
while 500 connections hold half a request each until the service gives them up. Baseline: the same service
before. The goal: the 99th percentile at most doubles.
"""

import os
import socket
import threading
import time

from service import Service, now, send, service

CLIENTS = 500
CONNECTIONS = 4
BODY_SECONDS = 5
SECONDS = 4
GOAL = 2.0


def main() -> None:
    os.environ["WEIGHBRIDGE_REQUEST_BODY_SECONDS"] = str(BODY_SECONDS)
    os.environ["WEIGHBRIDGE_ACCOUNT_REQUESTS"] = "10000"
    with service() as running:
        running.call("POST", "/projects", {"project": {"name": "Bench"}})
        _p99(running)
        alone = _p99(running)
        halves = [_half_sent(running) for _ in range(CLIENTS)]
        started = now()
        beside = _p99(running)
        closed = sum(_is_closed(half, started) for half in halves)
        waited = now() - started
    print(f"p99 alone {alone * 1000:.1f} ms, beside {CLIENTS} half-sent bodies {beside * 1000:.1f} ms")
    print(f"{closed} of {CLIENTS} connections closed within {waited:.1f} s (deadline {BODY_SECONDS} s)")
    print(f"slow clients: ratio {beside / alone:.2f} of the p99 alone (goal: at most {GOAL})")


def _half_sent(running: Service) -> socket.socket:
    connection = socket.create_connection((running.host, running.port), timeout=3 * BODY_SECONDS)
    connection.sendall(
        b"POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Content-Length: 1000\r\nAuthorization: Bearer " + running.token.encode() + b'\r\n\r\n{"project"'
    )
    return connection


def _is_closed(connection: socket.socket, started: float) -> bool:
    connection.settimeout(max(0.1, 3 * BODY_SECONDS - (now() - started)))
    try:
        while connection.recv(65_536):
            pass
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return True


def _p99(running: Service) -> float:
    taken: list[float] = []
    until = now() + SECONDS

    def work() -> None:
        connection = running.connect()
        while (started := now()) < until:
            status, answer = send(connection, running.token, "GET", "/projects", None)
            assert status == 200, answer
            taken.append(now() - started)
            time.sleep(0.002)  # so that what is measured is the service and not a full queue

    threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(taken)[len(taken) * 99 // 100]


if __name__ == "__main__":
    main()
