"""An archive in a bucket: the same commands, whose files are objects of a store."""

import pytest
from tests.given import buckets

BUCKET = "s3://plant/archive"


@pytest.fixture
def bucket(monkeypatch):
    """The objects of a bucket to which the environment points."""
    with buckets.bucket(monkeypatch):
        yield buckets.Bucket.held


@pytest.mark.usefixtures("deliveries")
def test_months_are_written_to_a_bucket_and_checked_there(write, check, bucket, plant):
    assert write(to=BUCKET) == [("2025-01", "written", 1), ("2025-02", "written", 1)]

    names = [path.removeprefix(f"/plant/archive/{plant.project['id']}/") for path in sorted(bucket)]
    assert [name[:7] for name in names] == [
        "2025-01",
        "2025-01",
        "2025-02",
        "2025-02",
    ]
    assert [one["altered"] + one["changed"] for one in check(to=BUCKET)] == [[], []]
    assert write(to=BUCKET) == [("2025-01", "unchanged", 1), ("2025-02", "unchanged", 1)]

    path = next(path for path in bucket if path.endswith(".parquet"))
    bucket[path] = bucket[path][:-1] + b"?"
    assert any("was altered" in said for one in check(code=1, to=BUCKET) for said in one["altered"])
