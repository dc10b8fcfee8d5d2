"""Who signed a package: nobody, a key that nobody here knows, or a known publisher."""

import subprocess
import zlib

import pytest

from weighbridge.core.bundle.archive import ArchivePart, read_parts, write_directory, write_headers
from weighbridge.core.signing import SigningKey, write_ssh_public_key
from weighbridge.errors import Refusal
from weighbridge.packages.contents import NAMESPACE, SIGNATURE, SUMS, PackageError, build, read_signed
from weighbridge.packages.signatures import check_publisher, find_signer, read_publishers
from weighbridge.packages.skeleton import write_skeleton

FILES = {name: text.encode() for name, text in write_skeleton("soda-ash").items()}
KEY = SigningKey.read(SigningKey.made().pem)


@pytest.fixture
def publishers(tmp_path):
    path = tmp_path / "publishers"
    path.write_text(f'# known\n"Acme Ltd" {write_ssh_public_key(KEY.public)} by post\n')
    return path


def test_a_signed_package_says_whose_key_it_was_and_is_the_same_bytes_again():
    built = build(FILES, KEY)

    assert build(FILES, KEY) == built
    assert read_signed(built.content).signer == KEY.public
    assert read_signed(built.content).files == FILES
    assert read_signed(build(FILES).content).signer is None


def test_ssh_keygen_takes_the_signature(tmp_path, publishers):
    content = build(FILES, KEY).content
    (tmp_path / "package.zip").write_bytes(content)
    subprocess.run(["unzip", "-q", "package.zip", SUMS, SIGNATURE], cwd=tmp_path, check=True)
    said = subprocess.run(
        ["ssh-keygen", "-Y", "verify", "-f", publishers, "-I", "Acme Ltd", "-n", NAMESPACE, "-s", SIGNATURE],
        cwd=tmp_path, check=False, input=(tmp_path / SUMS).read_bytes(), capture_output=True,
    )  # fmt: skip

    known = find_signer(KEY.public, read_publishers(publishers))
    assert said.returncode == 0, said
    assert known.fingerprint in said.stdout.decode()


def archived(parts):
    """Parts as one archive, whatever they say of each other."""
    listed = [ArchivePart(name, len(parts[name]), zlib.crc32(parts[name])) for name in sorted(parts)]
    pieces = [
        piece
        for part, header in zip(listed, write_headers(listed), strict=True)
        for piece in (header, parts[part.name])
    ]
    return b"".join([*pieces, write_directory(listed)])


def parts_of(files, key):
    return {name: bytes(part) for name, part in read_parts(memoryview(build(files, key).content)).items()}


def test_a_signature_over_other_files_is_refused():
    mixed = parts_of({**FILES, "pages.md": b"# Other\n"}, SigningKey.made())
    assert read_signed(archived(mixed)).signer is not None

    mixed[SIGNATURE] = parts_of(FILES, KEY)[SIGNATURE]
    with pytest.raises(PackageError, match="does not fit the package"):
        read_signed(archived(mixed))


@pytest.mark.parametrize("name", [KEY, None])
def test_what_is_known_of_a_signer_is_a_sentence(publishers, name):
    known = read_publishers(publishers)

    if name is None:
        assert find_signer(None, known).sentence == "The package is not signed."
        stranger = find_signer(SigningKey.made().public, known)
        assert stranger.sentence.startswith("The package is signed by a key that nobody here knows (SHA256:")
        assert check_publisher(stranger, "Anybody") is None
    else:
        signer = find_signer(KEY.public, known)
        assert (signer.state, signer.publisher) == ("known", "Acme Ltd")
        assert check_publisher(signer, "Acme Ltd") is None
        assert "is signed by the key of 'Acme Ltd'" in check_publisher(signer, "Weighbridge")


def test_a_line_that_names_nobody_is_named(tmp_path):
    path = tmp_path / "publishers"
    path.write_text("Acme ssh-rsa AAAA\n")

    with pytest.raises(Refusal, match=r"Line 1 of .* it takes a name"):
        read_publishers(path)
