"""Signatures over files: the system's own `ssh-keygen -Y verify` takes them."""

import subprocess

import pytest

from weighbridge.core.signing import SigningKey, write_ssh_public_key, write_ssh_signature

CONTENT = b"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824  report.json\n"
KEY = SigningKey.made()


def checked(folder, content, signature, namespace="weighbridge-bundle"):
    """What the program says of a signature over a content."""
    folder.joinpath("allowed_signers").write_text(f"plant@example {write_ssh_public_key(KEY.public)}\n")
    folder.joinpath("signature").write_text(signature)
    return subprocess.run(
        ["ssh-keygen", "-Y", "verify", "-f", "allowed_signers", "-I", "plant@example", "-n", namespace,
         "-s", "signature"],
        cwd=folder, input=content, capture_output=True, check=False,
    )  # fmt: skip


def test_ssh_keygen_takes_the_signature(tmp_path):
    said = checked(tmp_path, CONTENT, write_ssh_signature(CONTENT, KEY, "weighbridge-bundle"))

    assert (said.returncode, said.stdout[:14]) == (0, b'Good "weighbri'), said.stderr


@pytest.mark.parametrize(
    ("content", "namespace", "key"),
    [
        (CONTENT.replace(b"2cf2", b"2cf3"), "weighbridge-bundle", KEY),
        (CONTENT, "file", KEY),
        (CONTENT, "weighbridge-bundle", SigningKey.made()),
    ],
)
def test_ssh_keygen_refuses_another_content_purpose_or_key(tmp_path, content, namespace, key):
    said = checked(tmp_path, content, write_ssh_signature(CONTENT, key, "weighbridge-bundle"), namespace)

    assert said.returncode != 0


def test_a_key_that_ssh_keygen_made_is_read(tmp_path):
    made = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", made], check=True)

    key = SigningKey.read(made.read_bytes())

    assert made.with_suffix(".pub").read_text().startswith(write_ssh_public_key(key.public))
