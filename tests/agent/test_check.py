"""`agent check --connect`: whether everything that the file names is there, and is who it says it is."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from tests.agent import certificates
from tests.agent.programs import BROKER, Broker, Plant


@pytest.fixture
def authority(tmp_path):
    return certificates.make(tmp_path, "authority", is_authority=True)


def complaints(running):
    running.call("check", "--connect", code=1)
    return running.log.read_text()


def test_a_file_of_which_all_is_there_works(site, plant, broker, agent):
    running = agent(site.configuration(site.opcua(plant), site.mqtt(broker)))
    plant.measure("Kiln", 1, "2026-01-05T00:00:00+00:00")

    assert running.call("check") == f"{running.file}: nothing is wrong with it.\n"
    assert running.call("check", "--connect") == f"{running.file}: all of it works.\n"


def test_everything_that_is_not_there_is_told(site, plant, agent):
    server = site.opcua(plant)
    server["nodes"] += [
        server["nodes"][0] | {"node": "ns=2;i=4711"},
        server["nodes"][0] | {"node": plant.node("Meter"), "event_type": "klin", "data_point": "heat"},
    ]
    server["nodes"][0]["data_point"] = "heat"
    gone = {"type": "mqtt", "name": "gateway", "host": "127.0.0.1", "port": 9, "tls": False}
    scale = {"topic": "scale", "event_type": "scale", "time": "ts", "data_points": {"mass": "kg"}}

    said = complaints(agent(site.configuration(server, gone | {"topics": [scale]})))

    assert "sources[0].nodes[0]: the event type 'kiln' has no data point 'heat'." in said
    assert "sources[0].nodes[2].event_type is 'klin', which is no event type of the project." in said
    assert "plc: ns=2;i=4711 cannot be read: BadNodeIdUnknown 0x80340000." in said
    assert "gateway: [Errno 111] Connection refused" in said


def test_a_history_that_the_server_fails_to_read_is_told_as_such(site, plant, agent):
    running = agent(site.configuration(site.opcua(plant)))
    plant.measure("Kiln", 1, datetime.now(UTC).isoformat())
    table = plant.node("Kiln").replace("ns=", "").replace(";i=", "_")
    with closing(sqlite3.connect(plant.history)) as history, history:
        history.execute(f"""UPDATE "{table}" SET SourceTimestamp = SourceTimestamp || ' or so'""")

    said = complaints(running)

    assert f"plc: the history of {plant.node('Kiln')} cannot be read: " in said
    assert "say history: false of this node to read it without one." in said


def test_a_token_of_nobody_and_a_service_that_is_away_are_told(site, plant, agent):
    running = agent(site.configuration(site.opcua(plant)))
    running.token = "wb_live_of_nobody"  # noqa: S105 - of nobody
    assert "service: it answers 401" in complaints(running)

    running.configure(
        site.configuration(site.opcua(plant), service=site.service() | {"url": "http://127.0.0.1:9"})
    )
    assert "service: ConnectError" in complaints(running)


def test_a_server_is_talked_to_by_its_certificate_or_not_at_all(site, tmp_path, authority, agent):
    _, _, by = authority
    of_server, key_of_server, _ = certificates.make(tmp_path, "server", by=by, uri="urn:plant:server")
    of_agent, key_of_agent, _ = certificates.make(tmp_path, "agent", by=by)
    of_other, _, _ = certificates.make(tmp_path, "other", by=by, uri="urn:plant:server")
    plant = Plant(tmp_path, "Kiln:Float", secured=(of_server, key_of_server))
    plant.start()
    security = {
        "certificate": str(of_agent), "private_key": str(key_of_agent), "server_certificate": str(of_server),
    }  # fmt: skip
    known = {"username": "agent", "password": "open sesame"}
    try:
        running = agent(
            site.configuration(site.opcua(plant, security=security, **known), secrets_in_clear=True)
        )
        assert running.call("check", "--connect") == f"{running.file}: all of it works.\n"

        wrong = site.opcua(plant, security=security, **known | {"password": "guessed"})
        running.configure(site.configuration(wrong, secrets_in_clear=True))
        assert "plc: " in complaints(running)

        other = security | {"server_certificate": str(of_other)}
        running.configure(
            site.configuration(site.opcua(plant, security=other, **known), secrets_in_clear=True)
        )
        assert "plc: " in complaints(running)
    finally:
        plant.close()


@pytest.mark.parametrize("form", [Encoding.PEM, Encoding.DER])
def test_certificates_and_keys_are_read_by_what_is_in_them_whatever_their_files_are_called(
    site, tmp_path, authority, agent, form
):
    _, _, by = authority
    of_server, key_of_server, _ = certificates.make(tmp_path, "server", by=by, uri="urn:plant:server")
    of_agent, key_of_agent, _ = certificates.make(tmp_path, "agent", by=by)
    plant = Plant(tmp_path, "Kiln:Float", secured=(of_server, key_of_server))
    plant.start()
    security = {
        "certificate": str(certificates.written_as(of_agent, form, ".crt")),
        "private_key": str(certificates.written_as(key_of_agent, form, ".key")),
        "server_certificate": str(certificates.written_as(of_server, form, ".cer")),
    }
    try:
        running = agent(site.configuration(site.opcua(plant, security=security)))
        assert running.call("check", "--connect") == f"{running.file}: all of it works.\n"

        for field, held, why in (
            ("certificate", b"no certificate", "it holds no certificate in PEM or DER"),
            ("private_key", of_agent.read_bytes(), "it holds no key in PEM or DER"),
            ("private_key", key_of_server.read_bytes(), "it is not the key of the certificate"),
        ):
            other = tmp_path / "other"
            other.write_bytes(held)
            wrong = security | {field: str(other)}
            running.configure(site.configuration(site.opcua(plant, security=wrong)))
            said = complaints(running)
            assert f"The file {other} of security.{field} of the source plc cannot be used: {why}" in said
    finally:
        plant.close()


def test_a_flaw_of_a_certificate_or_key_is_told_with_its_file(site, tmp_path, authority, agent):
    _, _, by = authority
    of_server, _, _ = certificates.make(tmp_path, "server", by=by, uri="urn:plant:server", ended=True)
    of_agent, key_of_agent, _ = certificates.make(tmp_path, "agent", by=by, ended=True, uri="urn:other")
    locked = certificates.locked(key_of_agent, "open sesame")
    password, wrong = tmp_path / "password", tmp_path / "wrong"
    password.write_text("open sesame\n")
    wrong.write_text("guessed")
    gone = {"url": "opc.tcp://127.0.0.1:9", "name": "plc", "type": "opcua"}
    security = {
        "certificate": str(of_agent), "private_key": str(locked), "server_certificate": str(of_server),
    }  # fmt: skip
    node = {"node": "i=1", "event_type": "kiln", "data_point": "temperature", "quality": "quality"}

    def said(**more):
        source = gone | {"nodes": [node], "security": security | more}
        running = agent(site.configuration(source))
        running.log.unlink(missing_ok=True)
        return complaints(running)

    place = f"The file {locked} of security.private_key of the source plc cannot be used: "
    assert f"{place}it is locked with a password; name the file of the password in" in said()
    assert f"{place}it holds no key that opens with the password of {wrong}" in said(
        private_key_password_file=str(wrong)
    )
    flaws = said(private_key_password_file=str(password))
    for file, setting in ((of_agent, "certificate"), (of_server, "server_certificate")):
        assert f"The file {file} of security.{setting} of the source plc has expired on " in flaws
    assert "names the application urn:other, and security.application_uri is urn:weighbridge:agent." in flaws
    assert "Connect" in flaws


def test_authorities_that_cannot_be_read_are_told_with_their_setting_and_file(site, plant, agent, tmp_path):
    gone = tmp_path / "authority.crt"
    service = site.service() | {"ca_file": str(gone)}

    said = complaints(agent(site.configuration(site.opcua(plant), service=service)))

    assert f"The file {gone} of service.ca_file cannot be used: No such file or directory." in said


def test_a_broker_is_believed_by_its_certificate_alone(site, tmp_path, authority, agent):
    if BROKER is None:
        pytest.skip("there is no mosquitto here; install it with the system's packages")
    trusted, _, by = authority
    certificate, key, _ = certificates.make(tmp_path, "broker", by=by)
    in_der = certificates.written_as(trusted, Encoding.DER, ".crt")
    broker = Broker(tmp_path, f"cafile {trusted}", f"certfile {certificate}", f"keyfile {key}")
    broker.start()
    try:
        running = agent(site.configuration(site.mqtt(broker, tls=True, ca_file=str(trusted))))
        assert running.call("check", "--connect") == f"{running.file}: all of it works.\n"
        running.configure(site.configuration(site.mqtt(broker, tls=True, ca_file=str(in_der))))
        assert running.call("check", "--connect") == f"{running.file}: all of it works.\n"

        running.configure(site.configuration(site.mqtt(broker, tls=True)))
        assert "certificate verify failed" in complaints(running)
    finally:
        broker.close()
