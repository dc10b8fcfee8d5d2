"""Where evidence files are kept: a folder, or a bucket."""

import hashlib
import io

import pytest
from tests.collection.evidence import files
from tests.given import buckets

from weighbridge.collection.evidence_files import EvidenceStore, open_store
from weighbridge.errors import Damaged, Refusal, Unavailable

KEY = "0123456789abcdef0123456789abcdef"
SHA256 = hashlib.sha256(files.PDF).digest()


@pytest.fixture
def read(server):
    """Reads a file whole."""

    def whole(store: EvidenceStore) -> bytes:
        with server.run(store.get(KEY, len(files.PDF), SHA256)) as spool:
            return spool.read()

    return whole


def test_by_default_files_lie_in_a_private_folder_of_the_data_directory(server, tmp_path, read):
    store = open_store(None, tmp_path / "data")

    server.run(store.put(KEY, io.BytesIO(files.PDF)))

    assert read(store) == files.PDF
    assert (tmp_path / "data" / "evidence" / KEY).read_bytes() == files.PDF
    assert (tmp_path / "data" / "evidence").stat().st_mode & 0o777 == 0o700


def test_a_file_url_names_another_folder(server, tmp_path, read):
    store = open_store(f"file://{tmp_path}/with%20space/evidence", tmp_path / "data")

    server.run(store.put(KEY, io.BytesIO(files.PDF)))

    assert read(store) == files.PDF
    assert (tmp_path / "with space" / "evidence" / KEY).exists()
    assert not (tmp_path / "data").exists()


def test_a_file_is_written_from_its_start(server, tmp_path, read):
    content = io.BytesIO(files.PDF)
    content.seek(10)
    store = open_store(None, tmp_path)

    server.run(store.put(KEY, content))

    assert read(store) == files.PDF


def test_deleting_a_file_twice_is_as_good_as_once(server, tmp_path, read):
    store = open_store(None, tmp_path)
    server.run(store.put(KEY, io.BytesIO(files.PDF)))

    server.run(store.delete(KEY))
    server.run(store.delete(KEY))

    with pytest.raises(Damaged, match="missing"):
        read(store)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/x",
        "evidence",
        "/evidence",
        "file://evidence",
        "memory:///",
        "http://x/y",
        "s3://",
        "az:x",
    ],
)
def test_another_kind_of_url_is_refused_with_those_that_are_taken(tmp_path, url):
    with pytest.raises(
        Refusal, match=r"WEIGHBRIDGE_EVIDENCE_URL is .*; it takes file:///folder, s3://bucket"
    ):
        open_store(url, tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "taken").write_text("")

    with pytest.raises(Refusal, match="cannot be made"):
        open_store(f"file://{tmp_path}/taken/evidence", tmp_path)


@pytest.fixture
def bucket(monkeypatch):
    """A bucket on this machine, to which the environment points."""
    with buckets.bucket(monkeypatch) as listening:
        yield listening


@pytest.mark.usefixtures("bucket")
def test_a_bucket_holds_files_below_the_path_of_its_url(server, tmp_path, read):
    store = open_store("s3://plant/evidence", tmp_path)

    server.run(store.put(KEY, io.BytesIO(files.PDF)))

    assert read(store) == files.PDF
    assert buckets.Bucket.held == {f"/plant/evidence/{KEY}": files.PDF}
    buckets.Bucket.held[f"/plant/evidence/{KEY}"] = files.PDF.replace(b"1", b"2")
    with pytest.raises(Damaged):
        read(store)


def test_a_bucket_that_does_not_answer_is_away(server, tmp_path, bucket):
    bucket.server_close()
    store = open_store("s3://plant/evidence", tmp_path)

    with pytest.raises(Unavailable):
        server.run(store.put(KEY, io.BytesIO(files.PDF)))
