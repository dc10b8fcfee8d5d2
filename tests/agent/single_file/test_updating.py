"""An update installs what a trusted key signed, for this machine and not older, or changes nothing."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.agent.single_file.conftest import ARM, HERE, KEY, NEWER, VERSION, sign, small_file
from tools.agent_file.packing import Release

from weighbridge.agent.single_file.manifest import AGENT_FILE_BYTES_MAX
from weighbridge.agent.single_file.signing import SIGNATURE_BYTES_MAX
from weighbridge.agent.single_file.updating import InstalledFile, UpdatePolicy, rollback, update
from weighbridge.core.signing import SigningKey, write_ssh_public_key
from weighbridge.errors import Refusal

OTHER_KEY = SigningKey.made()
OTHER_PLATFORM = ARM if HERE != ARM else "linux-x86_64"
OLDER = "0.9.12"
SPOOL_VERSION = 1


@pytest.fixture
def installed(small_machine):
    return InstalledFile(small_machine.file)


@pytest.fixture
def offered(tmp_path):
    """A newer file that is signed."""
    return offer(tmp_path, NEWER)


def offer(folder, version, **options):
    path = folder / f"weighbridge-agent-{version}-{HERE}.pyz"
    path.write_bytes(small_file(version, **options))
    return sign(path)


def states(installed):
    """What is beside the installed file, with what it is."""
    files = (installed.path, installed.previous)
    return [InstalledFile(path).read_manifest().version if path.exists() else None for path in files]


def refused(installed, source, policy=None):
    """Why an update is refused, which changes nothing."""
    before = installed.path.read_bytes()
    with pytest.raises(Refusal) as refusal:
        update(installed, str(source), policy or UpdatePolicy())
    assert installed.path.read_bytes() == before
    assert not [path for path in (installed.new, installed.previous, installed.replaced) if path.exists()]
    return str(refusal.value)


def test_a_signed_newer_file_takes_the_place_of_the_installed_one(small_machine, installed, offered):
    told = update(installed, str(offered), UpdatePolicy())

    assert told == (
        f"weighbridge-agent {NEWER} for {HERE}, signed by weighbridge-release, is installed in place of"
        f" {VERSION}."
    )
    assert installed.path.read_bytes() == offered.read_bytes()
    assert states(installed) == [NEWER, VERSION]
    done = small_machine.run("--version", by_name=True)
    assert (done.stdout.strip(), done.stderr) == (NEWER, "")


def test_the_same_file_again_changes_nothing(installed, offered):
    update(installed, str(offered), UpdatePolicy())

    assert update(installed, str(offered), UpdatePolicy()).endswith("is installed already.")
    assert states(installed) == [NEWER, VERSION]


def test_rollback_goes_back_and_forth(small_machine, installed, offered):
    update(installed, str(offered), UpdatePolicy())

    back = rollback(installed, UpdatePolicy())
    after = states(installed)
    again = rollback(installed, UpdatePolicy())

    assert back == f"weighbridge-agent {VERSION} for {HERE} is installed again, in place of {NEWER}."
    assert after == [VERSION, NEWER]
    assert again.startswith(f"weighbridge-agent {NEWER}")
    assert small_machine.run("--version").stdout.strip() == NEWER


def test_rollback_without_an_update_says_so(installed):
    with pytest.raises(Refusal, match=r"There is no version to go back to: .*\.previous does not exist\."):
        rollback(installed, UpdatePolicy())


def test_an_unsigned_file_is_refused(installed, offered):
    offered.with_name(f"{offered.name}.sig").unlink()

    assert refused(installed, offered).endswith(f"it is not signed, for there is no {offered}.sig.")


@pytest.mark.parametrize("place", [30, 0.3, 0.6, -3], ids=["start", "third", "two thirds", "end"])
def test_a_changed_byte_is_refused(installed, offered, place):
    content = bytearray(offered.read_bytes())
    content[place if isinstance(place, int) else int(len(content) * place)] ^= 1
    offered.write_bytes(content)

    assert "the signature of weighbridge-release does not hold" in refused(installed, offered)


def test_a_changed_signature_is_refused(installed, offered):
    beside = offered.with_name(f"{offered.name}.sig")
    text = beside.read_text()
    beside.write_text(text[:-60] + ("A" if text[-60] != "A" else "B") + text[-59:])

    assert "is not installed: the signature " in refused(installed, offered)


def test_a_text_that_is_no_signature_is_refused(installed, offered):
    offered.with_name(f"{offered.name}.sig").write_text("-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n")

    assert "the signature is none of an Ed25519 key" in refused(installed, offered)


def test_a_file_that_another_key_signed_is_refused(installed, offered):
    sign(offered, OTHER_KEY)

    assert "the installed file names no such signer for its key SHA256:" in refused(installed, offered)


def test_a_signature_for_another_purpose_is_refused(installed, offered):
    sign(offered, KEY, "file")

    assert "is not installed: the signature " in refused(installed, offered)


def test_the_keys_within_a_new_file_count_only_once_it_is_installed(installed, tmp_path):
    line = f"new-release {write_ssh_public_key(OTHER_KEY.public)}\n"
    release = Release(OTHER_KEY, signers=line, version=NEWER)
    by_itself = sign(offer(tmp_path, NEWER, release=release), OTHER_KEY)
    assert "no such signer" in refused(installed, by_itself)

    update(installed, str(sign(by_itself)), UpdatePolicy())
    followed = sign(offer(tmp_path, "9.0.2"), OTHER_KEY)

    assert "signed by new-release" in update(installed, str(followed), UpdatePolicy())


def test_the_operators_signers_take_the_place_of_the_pinned_ones(installed, offered, tmp_path):
    signers = tmp_path / "allowed_signers"
    signers.write_text(f'# ours\n"The plant" {write_ssh_public_key(OTHER_KEY.public)}\n')
    policy = UpdatePolicy(signers)
    assert f"{signers} names no such signer for its key" in refused(installed, offered, policy)

    assert "signed by The plant" in update(installed, str(sign(offered, OTHER_KEY)), policy)


def test_a_file_of_signers_that_cannot_be_read_is_refused(installed, offered, tmp_path):
    signers = tmp_path / "allowed_signers"
    assert "cannot be read: No such file" in refused(installed, offered, UpdatePolicy(signers))
    signers.write_text("release ssh-rsa AAAA\n")

    told = refused(installed, offered, UpdatePolicy(signers))
    assert f"Line 1 of {signers} is 'release ssh-rsa AAAA'" in told


def test_a_file_without_pinned_keys_takes_no_update(small_machine, installed, offered):
    small_machine.install(small_file(release=Release()))

    assert "the installed file names no signer at all" in refused(installed, offered)


def test_an_older_file_is_refused_unless_it_is_allowed(installed, tmp_path):
    older = offer(tmp_path, OLDER)
    assert refused(installed, older).endswith(
        f"is {OLDER}, which is older than the installed {VERSION}. Allow that with --allow-downgrade."
    )

    update(installed, str(older), UpdatePolicy(allow_downgrade=True))

    assert states(installed) == [OLDER, VERSION]


def test_versions_are_compared_as_numbers(small_machine, installed, tmp_path):
    small_machine.install(small_file("9.9.0"))

    update(installed, str(offer(tmp_path, "9.10.0")), UpdatePolicy())

    assert states(installed) == ["9.10.0", "9.9.0"]


def test_a_file_for_another_machine_is_refused(installed, tmp_path):
    other = offer(tmp_path, NEWER, platform_name=OTHER_PLATFORM)

    assert refused(installed, other).endswith(
        f"is weighbridge-agent {NEWER} for {OTHER_PLATFORM}, but this machine needs one for {HERE}."
    )


def test_an_oversized_file_is_refused_and_not_read(installed, offered):
    os.truncate(offered, AGENT_FILE_BYTES_MAX + 1)

    assert refused(installed, offered).endswith("must have at most 100,000,000 bytes, but has more.")


def test_an_oversized_signature_is_refused(installed, offered):
    os.truncate(offered.with_name(f"{offered.name}.sig"), SIGNATURE_BYTES_MAX + 1)

    assert refused(installed, offered).endswith("must have at most 10,000 bytes, but has more.")


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\nrm -rf /\n"], ids=["empty", "script"])
def test_a_signed_file_that_is_no_agent_is_refused(installed, offered, content):
    offered.write_bytes(content)

    assert f"{offered} is not a file of the agent: " in refused(installed, sign(offered))


def test_a_file_that_does_not_start_is_refused(installed, tmp_path):
    broken = {"code/common/weighbridge/commands/agent_file.py": b"import packages_that_are_not_there"}
    path = offer(tmp_path, NEWER, **broken)

    told = refused(installed, path)

    assert told.startswith("The new version is not installed: its --version fails.\n")
    assert "No module named 'packages_that_are_not_there'" in told


def test_a_version_that_does_not_accept_the_configuration_is_refused(installed, offered, tmp_path):
    configuration = tmp_path / "agent.yaml"
    configuration.write_text(f"refuse {NEWER}\n")

    told = refused(installed, offered, UpdatePolicy(configuration=configuration))

    assert told == "The new version is not installed: its check fails.\nLine 1: it is refused."


def test_a_version_that_cannot_read_the_spool_is_refused(installed, offered, tmp_path):
    spool = tmp_path / "spool.db"
    with closing(sqlite3.connect(spool)) as newer:
        newer.execute(f"PRAGMA user_version = {SPOOL_VERSION + 1}")
    content = spool.read_bytes()

    told = refused(installed, offered, UpdatePolicy(spool=spool))

    assert told.startswith(f"The spool {spool} has version 2, and this agent reads up to 1")
    assert spool.read_bytes() == content


def test_the_newest_file_for_the_machine_is_taken_from_a_folder(installed, tmp_path):
    for version in (OLDER, "9.9.0", "9.10.0"):
        offer(tmp_path, version)
    (tmp_path / f"weighbridge-agent-99.0.0-{OTHER_PLATFORM}.pyz").write_text("for another machine")

    update(installed, str(tmp_path), UpdatePolicy())

    assert states(installed) == ["9.10.0", VERSION]


def test_a_folder_without_a_file_for_the_machine_says_so(installed, tmp_path):
    told = refused(installed, tmp_path)
    assert told == f"{tmp_path} has no file weighbridge-agent-VERSION-{HERE}.pyz."


@pytest.fixture
def address(tmp_path):
    """A web server of the plant that has the folder."""
    handler = partial(QuietHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def test_a_file_is_fetched_from_an_address_that_the_operator_names(installed, offered, address):
    assert "cannot be fetched: the server answers 404." in refused(installed, f"{address}/nothing.pyz")

    update(installed, f"{address}/{offered.name}", UpdatePolicy())

    assert states(installed) == [NEWER, VERSION]


def test_an_oversized_file_is_not_fetched_to_its_end(installed, offered, address):
    os.truncate(offered, AGENT_FILE_BYTES_MAX + 1)

    assert "must have at most 100,000,000 bytes" in refused(installed, f"{address}/{offered.name}")


def test_an_address_that_nobody_serves_is_a_sentence(installed):
    assert "http://127.0.0.1:9/agent.pyz cannot be fetched: " in refused(
        installed, "http://127.0.0.1:9/agent.pyz"
    )


def test_two_updates_at_once_are_one(installed, offered):
    program = f"""
import sys
from pathlib import Path
from weighbridge.agent.single_file.updating import InstalledFile, _alone
with _alone(InstalledFile(Path({str(installed.path)!r}))):
    print("held", flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        assert refused(installed, offered).endswith("is being updated by another process.")
        other.communicate()

    update(installed, str(offered), UpdatePolicy())


def test_killed_updates_leave_a_whole_file_and_the_next_one_ends(small_machine, installed, offered):
    """Killed ever later, until one comes to its end before it is killed."""
    program = f"""
import sys
from pathlib import Path
from weighbridge.agent.single_file.updating import InstalledFile, UpdatePolicy, update
calls = 0
def count(event, arguments):
    global calls
    if event.startswith(("os.", "open", "subprocess.", "fcntl.", "shutil.")):
        calls += 1
        if calls == int(sys.argv[1]):
            import signal
            signal.raise_signal(signal.SIGKILL)
sys.addaudithook(count)
update(InstalledFile(Path({str(installed.path)!r})), {str(offered)!r}, UpdatePolicy())
"""
    whole = {small_machine.file.read_bytes(): VERSION, offered.read_bytes(): NEWER}
    seen = set()
    for at in range(1, 1_000):
        small_machine.install(small_file())
        installed.previous.unlink(missing_ok=True)
        done = subprocess.run([sys.executable, "-c", program, str(at)], check=False, capture_output=True)
        now = whole[installed.path.read_bytes()]
        before = whole[installed.previous.read_bytes()] if installed.previous.exists() else None
        seen.add((now, before))
        assert os.access(installed.path, os.X_OK)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr

    assert seen == {(VERSION, None), (VERSION, VERSION), (NEWER, VERSION)}
    assert states(installed) == [NEWER, VERSION]
    assert not installed.new.exists()
    assert not installed.replaced.exists()
