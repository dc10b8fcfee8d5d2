"""The real service and its workers as processes of their own, and a caller that talks to them over HTTP."""

import http.client
import json
import os
import signal
import time
from urllib.parse import urlsplit

from tests.durability.processes import Program, lives, until

CLI = ("-m", "weighbridge")
DEADLINE_SECONDS = 60.0

USUAL = {
    "WEIGHBRIDGE_RATE_LIMIT_PER_MINUTE": "0",
    "WEIGHBRIDGE_LOG_FORMAT": "json",
    # To start one more process takes longer than most of these tests; those that are about it say so.
    "WEIGHBRIDGE_COMPUTING_PROCESSES": "0",
}


class Service:
    """A running `weighbridge serve`, with a token for it."""

    def __init__(self, data_dir, token, *, log, options=(), api_processes=1, port=0, **variables):
        settings = USUAL | variables
        self._log_begun = log.stat().st_size if log.exists() else 0
        arguments = ("serve", "--data-dir", data_dir, "--port", port, "--api-processes", api_processes)
        self.program = Program(*CLI, *arguments, *options, log=log, **settings)
        word, self.address = self.program.line().split()
        assert word == "ready", log.read_text()
        self.token = token
        self.log = log

    def call(self, method, path, body=None):
        """Send one request and give the answer, which must be a success."""
        parts = urlsplit(self.address)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=DEADLINE_SECONDS)
        try:
            headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
            content = None if body is None else json.dumps(body)
            connection.request(method, f"/api/v1{path}", body=content, headers=headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        assert response.status < 400, text
        return json.loads(text)

    def task(self, number):
        return self.call("GET", f"/async_tasks/{number}")

    def finished(self, number):
        """Wait for the end of a task, and give it."""
        deadline = time.monotonic() + DEADLINE_SECONDS
        while (task := self.task(number))["state"] not in {"complete", "failed"}:
            assert time.monotonic() < deadline, f"{task}\n{self.log.read_text()}"
            time.sleep(0.05)
        return task

    def workers(self):
        """The living workers that the service has started, oldest first."""
        said = self.log.read_bytes()[self._log_begun :].decode()
        lines = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        born = [line for line in lines if line.get("process") == "worker" and "pid" in line]
        return [line["pid"] for line in born if lives(line)]

    def worker(self):
        (pid,) = until(self.workers, what="the worker lives")
        return pid

    def stop(self):
        """Ask the service to end, and wait until it has."""
        self.program.signal(signal.SIGTERM)
        assert self.program.exit_code() == 0, self.log.read_text()

    def close(self):
        for pid in self.workers():
            os.kill(pid, signal.SIGCONT)
        if self.program.process.poll() is None:
            self.program.signal(signal.SIGTERM)
            self.program.exit_code()
        self.program.close()


def second_worker(data_dir, *, log, **variables):
    """One more worker beside a service."""
    return Program(*CLI, "worker", "--data-dir", data_dir, log=log, **variables)
