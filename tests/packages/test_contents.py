"""The files of a package: one archive for equal files, and nothing else is read as one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weighbridge.packages.contents import (
    FILE_BYTES_MAX,
    FILES_MAX,
    SUMS,
    PackageError,
    build,
    read_built,
    read_folder,
)
from weighbridge.packages.skeleton import write_skeleton

FILES = {name: text.encode() for name, text in write_skeleton("soda-ash").items()}


@pytest.fixture
def folder(tmp_path):
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return tmp_path


def test_a_folder_is_built_and_read_again(folder):
    built = build(read_folder(folder))

    assert read_built(built.content) == FILES
    assert build(dict(reversed(FILES.items()))) == built


def test_hidden_files_stay_outside(folder):
    (folder / ".DS_Store").write_bytes(b"x")

    assert read_folder(folder) == FILES


@given(at=st.integers(0, len(build(FILES).content) - 1), bit=st.integers(0, 7))
def test_every_changed_bit_of_a_built_package_is_found(at, bit):
    content = bytearray(build(FILES).content)
    content[at] ^= 1 << bit

    with pytest.raises(PackageError):
        read_built(bytes(content))


def test_sums_that_are_not_those_of_the_files_are_refused():
    other = build(FILES | {"pages.md": b"# Other\n"})
    mixed = build({**FILES, "pages.md": b"# Other\n"}).content
    assert mixed == other.content

    changed = other.content.replace(b"# Other", b"# Mixed")
    with pytest.raises(PackageError, match="checksum"):
        read_built(changed)


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"pages.md": None}, "pages.md is missing"),
        ({"setup.py": b"import os"}, "setup.py is no file of a package"),
        ({"models/Big.yaml": b"x"}, "models/Big.yaml is no file of a package"),
        ({"pages.md": b"x" * (FILE_BYTES_MAX + 1)}, "at most 2,000,000"),
        ({f"models/m{n}.yaml": b"x" for n in range(FILES_MAX)}, "at most 200 files"),
    ],
)
def test_what_does_not_belong_to_a_package_is_named(folder, files, sentence):
    for name, content in files.items():
        if content is None:
            (folder / name).unlink()
        else:
            (folder / name).write_bytes(content)

    with pytest.raises(PackageError, match=sentence):
        read_folder(folder)
    with pytest.raises(PackageError, match=sentence):
        read_built(build({name: c for name, c in (FILES | files).items() if c is not None}).content)


def test_a_link_out_of_the_folder_is_not_followed(folder, tmp_path_factory):
    secret = tmp_path_factory.mktemp("elsewhere") / "secret"
    secret.write_text("key")
    (folder / "models" / "secret.yaml").symlink_to(secret)

    with pytest.raises(PackageError, match=r"models/secret.yaml is a link"):
        read_folder(folder)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"<html>", build(FILES).content[:-1]])
def test_a_file_that_is_none_is_refused(content):
    with pytest.raises(PackageError, match="The file is no package"):
        read_built(content)


def test_the_sums_are_as_sha256sum_writes_them():
    content = build(FILES).content

    assert SUMS.encode() in content
    assert b"  package.yaml\n" in content
