"""Bundles that released versions wrote are still checked, each by the rules of its format."""

import pytest
from tools.stored_release.folders import EVIDENCE, KEY, released

from weighbridge.core.bundle.archive import read_parts
from weighbridge.core.bundle.check import check_bundle
from weighbridge.core.signing import SigningKey, VerifierKey
from weighbridge.modelling.documents import read_model

FIRST_OF_FORMAT = {2: (1, 1), 4: (1, 2)}
"""By format, the first version that wrote it; format 1 is that of those before, and none wrote format 3."""

STORED = [
    pytest.param(folder, file, id=f"{folder.name}/{file.name[:6]}")
    for folder in released()
    for file in sorted((folder / EVIDENCE).iterdir())
    if file.read_bytes()[:4] == b"PK\x03\x04"
]


def checked(folder, file):
    content = memoryview(file.read_bytes())
    key = SigningKey.read((folder / KEY).read_bytes())
    head = bytes(read_parts(content)["audit/head.checkpoint"]).decode()
    return check_bundle(content, VerifierKey(head.split("\n")[0], key.public), read_model)


@pytest.mark.parametrize(("folder", "file"), STORED)
def test_what_a_released_version_wrote_holds(folder, file):
    found = checked(folder, file)

    assert [fault.text for fault in found.faults.listed] == []
    formats = [one for one, version in FIRST_OF_FORMAT.items() if version <= _version(folder)]
    assert found.contents.manifest.format == max(formats, default=1)
    assert found.recomputed.batches


def _version(folder):
    return tuple(int(part) for part in folder.name.split("."))
