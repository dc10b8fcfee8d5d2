"""The proxies run as the page prints them; other ports, and a certificate of our own, are put in."""

import json
import re
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from getpass import getuser
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import httpx2
import pytest
from tests.given import collection as given

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "deploy-behind-a-proxy.md"
NAME = "weighbridge.example"
PATH = "/usr/sbin:/usr/bin:/bin"
NGINX, CADDY = (shutil.which(name, path=PATH) for name in ("nginx", "caddy"))
START_SECONDS = 60
BODY_BYTES = 3_000_000


def printed(language):
    [block] = re.findall(rf"```{language}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    return block


def put_in(text, **replaced):
    """The text with what stands for something on this machine; each has to stand there."""
    for old, new in replaced.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def free_ports(count):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


@contextmanager
def running(*command, folder, port):
    """A proxy that listens, until it is ended."""
    with (folder / "log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            deadline = time.monotonic() + START_SECONDS
            while True:
                assert process.poll() is None, (folder / "log").read_text()
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    assert time.monotonic() < deadline, (folder / "log").read_text()
            yield
        finally:
            process.terminate()
            process.wait(timeout=START_SECONDS)


def made_certificate(folder):
    words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    words += ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    words += ["-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"]
    subprocess.run(["openssl", *words], check=True, capture_output=True)
    return folder / "fullchain.pem"


@pytest.fixture(scope="module")
def nginx(server, tmp_path_factory):
    """A proxy of the printed blocks in front of a service: the ports of its servers, and its certificate."""
    if NGINX is None:
        pytest.skip("this machine has no nginx, which is in the package of this name")
    folder = tmp_path_factory.mktemp("nginx")
    certificate = made_certificate(folder)
    secure, plain = free_ports(2)
    told = put_in(
        printed("nginx"),
        **{
            "127.0.0.1:8080": urlsplit(server.address).netloc,
            f"/etc/letsencrypt/live/{NAME}": str(folder),
            "listen 443": f"listen 127.0.0.1:{secure}",
            "listen 80": f"listen 127.0.0.1:{plain}",
        },
    )
    kept = "".join(
        f"{kind}_temp_path {folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"user {getuser()};\npid {folder}/pid;\ndaemon off;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{kept}{told}}}\n"
    )
    command = (NGINX, "-e", "stderr", "-c", folder / "nginx.conf")
    with running(*command, folder=folder, port=secure):
        yield SimpleNamespace(secure=secure, plain=plain, certificate=certificate)


def asked_by_curl(proxy, path, *words, output="/dev/null"):
    """The status and the version of HTTP of an answer that curl got."""
    reach = ["--resolve", f"{NAME}:{proxy.secure}:127.0.0.1", "--cacert", proxy.certificate]
    done = subprocess.run(
        ["curl", "-sS", "--http2", *reach, "-o", output, *words, "-w", "%{http_code} %{http_version}",
         f"https://{NAME}:{proxy.secure}{path}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return tuple(done.stdout.split())


def test_nginx_speaks_tls_and_http2_and_leads_to_the_service(nginx, api):
    token = ("-H", f"Authorization: Bearer {api.token}")

    assert asked_by_curl(nginx, "/api/v1/projects", *token) == ("200", "2")
    assert asked_by_curl(nginx, "/healthz") == ("200", "2")
    assert asked_by_curl(nginx, "/api/v1/projects") == ("401", "2")


def test_nginx_passes_on_a_body_of_the_size_that_the_service_takes(nginx, api, tmp_path):
    (tmp_path / "body").write_text(f'{{"project": {{"name": "{"a" * BODY_BYTES}"}}}}')
    words = ("-H", f"Authorization: Bearer {api.token}", "-H", "Content-Type: application/json")

    sent = ("-d", f"@{tmp_path / 'body'}")
    asked_by_curl(nginx, "/api/v1/projects", *words, *sent, output=tmp_path / "answer")

    # The service itself says what is wrong with it; a page of nginx would not be JSON.
    assert json.loads((tmp_path / "answer").read_text())["errors"]


def test_nginx_leads_from_http_to_https(nginx):
    connection = HTTPConnection("127.0.0.1", nginx.plain, timeout=20)
    connection.request("GET", "/guide", headers={"Host": NAME})
    answer = connection.getresponse()

    assert (answer.status, answer.headers["location"]) == (301, f"https://{NAME}/guide")
    connection.close()


def test_a_stream_through_nginx_is_not_held_back(nginx, api):
    plant = given.measuring(api, given.number("wet-mass"))
    reach = ["--resolve", f"{NAME}:{nginx.secure}:127.0.0.1", "--cacert", nginx.certificate]
    told = ("-H", f"Authorization: Bearer {api.token}", "-H", "Accept: text/event-stream")
    address = f"https://{NAME}:{nginx.secure}/api/v1/changes"

    with subprocess.Popen(
        ["curl", "-sSN", "--max-time", "60", *reach, *told, address], stdout=subprocess.PIPE, text=True
    ) as following:
        following.stdout.readline()
        given.event(api, plant, values={"wet-mass": 5})
        is_sent = any('"kind":"event"' in line for line in following.stdout)
        following.terminate()

    assert is_sent


@pytest.mark.skipif(CADDY is None, reason="this machine has no Caddy, which is in the package of this name")
def test_caddy_leads_to_the_service(server, api, tmp_path):
    [port] = free_ports(1)
    told = put_in(
        printed("caddyfile"),
        **{f"{NAME} {{": f"http://127.0.0.1:{port} {{", "127.0.0.1:8080": urlsplit(server.address).netloc},
    )
    (tmp_path / "Caddyfile").write_text("{\n\tadmin off\n\tauto_https off\n}\n" + told)
    command = (CADDY, "run", "--config", tmp_path / "Caddyfile", "--adapter", "caddyfile")

    with running(*command, folder=tmp_path, port=port):
        headers = {"Authorization": f"Bearer {api.token}"}
        answer = httpx2.get(f"http://127.0.0.1:{port}/api/v1/projects", headers=headers, timeout=60)

    assert answer.status_code == 200
