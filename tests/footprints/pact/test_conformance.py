"""The conformance service of PACT, which decides by its own cases whether this is a host by version 3.

Its archive is named by PACT_CONFORMANCE and never part of the product; npm installs what it needs. Where one
of both is missing the test says so.
"""

import os
import re
import shutil
import socket
import subprocess
import tarfile
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.given.footprints import host as make_host
from tests.given.tls import secure_service

ARCHIVE = os.environ.get("PACT_CONFORMANCE", "")
NPM = shutil.which("npm")
SECRET = "test_client_secret"  # noqa: S105 - what the conformance service is called with
NPM_SECONDS = 300
RUN_SECONDS = 180
HERE = Path(__file__).parent
TABLE = HERE.parents[2] / "docs" / "reference" / "pact-conformance.md"

pytestmark = [
    pytest.mark.skipif(
        not ARCHIVE, reason="PACT_CONFORMANCE names no archive of the conformance service of PACT"
    ),
    pytest.mark.skipif(
        NPM is None, reason="npm is not there, which installs the conformance service of PACT"
    ),
]


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """The conformance service, unpacked and installed."""
    folder = tmp_path_factory.mktemp("pact")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    [root] = [path.parent for path in folder.glob("*/package.json")]
    installed = subprocess.run(
        [NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=root, capture_output=True, text=True, timeout=NPM_SECONDS, check=False,
    )  # fmt: skip
    if installed.returncode:
        pytest.skip(f"npm cannot install the conformance service of PACT here: {installed.stderr[-300:]}")
    shutil.copy(HERE / "callbacks.ts", root)
    return root


@contextmanager
def calling(host):
    """Partners are called all the time meanwhile, as a worker does."""
    stopping = threading.Event()

    def call():
        while not stopping.wait(0.1):
            host.exchange()

    thread = threading.Thread(target=call)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(root, service, port, *command):
    """Run a script of the suite, which trusts the certificate of the service."""
    variables = {
        "NODE_ENV": "test", "PORT": str(port), "CONFORMANCE_API": f"http://127.0.0.1:{port}",
        "DB_CONNECTION_STRING": "none", "JWT_SECRET": "none", "LOG_OUTPUT": "console",
        "NODE_EXTRA_CA_CERTS": str(service.authority),
    }  # fmt: skip
    done = subprocess.run(
        ["node_modules/.bin/ts-node", "--transpile-only", *command],
        cwd=root, env=os.environ | variables, capture_output=True, text=True, timeout=RUN_SECONDS,
        check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.fixture
def tried(suite, server, account, tmp_path):
    """A host with several footprints over TLS, and what scripts of the suite say of it."""
    host = make_host(account, 10, 20, 30)
    product = host.product()
    for batch in host.plant.batches():
        host.make(product, batch_id=batch["id"])
    port = free_port()
    partner = host.partner(f"http://127.0.0.1:{port}", client_id="test_client_id", client_secret=SECRET)
    client = host.client(partner_id=partner["id"])
    with secure_service(server, tmp_path) as service, calling(host):
        yield lambda *command: run(suite, service, port, *command), service, client


def test_every_mandatory_case_of_version_3_passes(tried):
    run_suite, service, client = tried
    base = f"{service.address}/pact"

    said = run_suite(
        "src/scripts/run-tests-cli.ts", "--baseUrl", base, "--clientId", client["client_id"],
        "--clientSecret", client["client_secret"], "--version", "V3.0", "--organizationName", "Plant One",
    )  # fmt: skip

    failed = re.findall(r"^.*✗ Test Case.*$(?:\n.*Error:.*$)?", said, re.MULTILINE)
    assert not failed, "\n".join(failed)
    pending = re.findall(r"⧗\S* Test Case (\S+):", said)
    assert pending == ["13", "14.B"], said[-3000:]
    assert len(set(re.findall(r"✓\S* Test Case (\S+):", said))) == 39

    said = run_suite("callbacks.ts", base, client["client_id"], client["client_secret"])

    results = re.findall(r"^RESULT TESTCASE#(\S+) (\S+) (\S+) Test Case \S+: (.*)$", said, re.MULTILINE)
    assert len(results) == 41, said[-3000:]
    assert {status for _, status, _, _ in results} == {"SUCCESS"}, re.findall(r"^WHY.*$", said, re.MULTILINE)
    table = re.findall(r"^\| (\S+) \| .* \| (\S+) \| passed \|$", TABLE.read_text(), re.MULTILINE)
    # Results come in the order in which they were stored, and those of callbacks when these have arrived.
    assert sorted(table) == sorted((case, needed) for case, _, needed, _ in results)
