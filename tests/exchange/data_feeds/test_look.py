"""Places that data feeds watch: `look_at_places`, for folders and for object stores."""

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from obstore.store import MemoryStore
from tests.given.feeds import Feeding

from weighbridge.collection.evidence_files import open_store
from weighbridge.exchange.watched_places import BucketPlace, poll_places

GOOD = "start_time,mass\n2025-01-01T06:00:00Z,1.50\n2025-01-01T07:00:00Z,2\n"
BAD = "start_time,mass\nnever,=1+1\n"
REST_SECONDS = 30
BUCKET = "s3://bucket/plant"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("drop")


@pytest.fixture(scope="module")
def site(lone_server, root):
    """A service whose operator allows one folder for all accounts, and one for an account of its own."""
    roots = (str(root), f"elsewhere={root}-of-others", "s3://bucket")
    with lone_server() as server, server.again(watched_roots=roots, watch_rest_seconds=REST_SECONDS) as site:
        yield site


class Watching(Feeding):
    """Someone with a feed that watches a folder of its own, and a worker that looks when it is told to."""

    def __init__(self, site, root):
        super().__init__(site.account())
        self.site = site
        self.folder = root / f"account-{self.account.id}"
        self.folder.mkdir()
        self.bucket = MemoryStore()
        self.watching = self.feed(watch=str(self.folder))

    def look(self, seconds=3600):
        """Look once, so many seconds from now; gives how many files were taken up."""
        now = datetime.now(UTC) + timedelta(seconds=seconds)
        store = open_store(self.site.settings.evidence_url, self.site.settings.data_dir)
        return self._taken(poll_places(self.site.database, store, self.site.settings, now))

    def _taken(self, looking):
        looked = self.site.run(looking)
        assert looked.failures == ()
        return looked.files

    def look_in_bucket(self):
        store = open_store(self.site.settings.evidence_url, self.site.settings.data_dir)
        now = datetime.now(UTC)

        def place_of(place, _):
            return BucketPlace(place, self.bucket)

        return self._taken(poll_places(self.site.database, store, self.site.settings, now, place_of))

    def drop(self, name, content):
        path = self.folder / name
        path.write_text(content)
        return path

    def names(self, folder=""):
        path = self.folder / folder
        return sorted(one.name for one in path.iterdir() if one.is_file()) if path.is_dir() else []

    def problem(self):
        return self.api.get(f"{self.path}/data_feeds/{self.watching['id']}").body["watch_problem"]


@pytest.fixture
def watching(site, root):
    """The feed watches no more when the test is over."""
    watching = Watching(site, root)
    yield watching
    for feed in watching.api.get(f"{watching.path}/data_feeds").data:
        watching.api.patch(f"{watching.path}/data_feeds/{feed['id']}", {"data_feed": {"watch": None}})
    watching.account.drain()
    watching.look()


def test_a_file_is_taken_once_and_moved_to_done_with_its_report(watching):
    watching.drop("log.csv", GOOD)

    assert watching.look() == 1
    assert watching.look() == 0  # its task has not ended
    watching.account.drain()
    assert watching.look() == 0

    [upload] = watching.api.get(watching.uploads(watching.watching)).data
    moved = f"{upload['id']:06}-log.csv"
    assert (watching.names(), watching.names("done")) == ([], [moved, f"{moved}.report.json"])
    assert (watching.folder / "done" / moved).read_text() == GOOD
    report = json.loads((watching.folder / "done" / f"{moved}.report.json").read_text())
    assert (report["id"], report["stored"], report["place"]) == (upload["id"], 2, str(watching.folder))
    assert [values["mass"] for _, values in watching.values()] == [Decimal("1.50"), 2]
    assert watching.problem() is None


def test_a_file_with_bad_rows_is_moved_to_failed_with_all_of_them(watching):
    watching.drop("log.csv", BAD)

    watching.look()
    watching.account.drain()
    watching.look()

    [upload] = watching.api.get(watching.uploads(watching.watching)).data
    moved = f"{upload['id']:06}-log.csv"
    assert watching.names("failed") == [moved, f"{moved}.bad_rows.csv", f"{moved}.report.json"]
    assert "'=1+1" in (watching.folder / "failed" / f"{moved}.bad_rows.csv").read_text()
    assert watching.events() == []


def test_the_same_content_under_another_name_adds_nothing_and_is_done(watching):
    for name in ("a.csv", "b.csv"):
        watching.drop(name, GOOD)

    assert watching.look() == 2
    watching.account.drain()
    watching.look()

    newest, oldest = watching.api.get(watching.uploads(watching.watching)).data
    assert (newest["same_as"], newest["stored"], oldest["stored"]) == (oldest["id"], 0, 2)
    assert len(watching.events()) == 2
    assert len(watching.names("done")) == 4


def test_a_file_that_is_still_being_written_is_left_alone(watching):
    watching.drop("log.csv", GOOD)
    for name in (".log.csv", "log.csv.part", "log.csv.filepart", "log.tmp"):
        watching.drop(name, GOOD)

    assert watching.look(seconds=REST_SECONDS - 5) == 0
    assert watching.look(seconds=REST_SECONDS + 5) == 1


def test_a_file_that_was_written_anew_while_its_upload_ran_is_taken_as_another(watching):
    watching.drop("log.csv", GOOD)
    watching.look()
    watching.drop("log.csv", GOOD + "2025-01-01T08:00:00Z,3\n")
    watching.account.drain()

    assert watching.look() == 1
    watching.account.drain()
    watching.look()

    assert watching.names() == []
    uploads = watching.api.get(watching.uploads(watching.watching)).data
    assert [one["file_name"] for one in uploads] == ["log.csv", "log.csv"]


def test_a_link_is_not_followed_whether_it_is_a_file_or_the_folder(watching, tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text(GOOD)
    (watching.folder / "link.csv").symlink_to(secret)
    os.mkfifo(watching.folder / "pipe.csv")

    assert watching.look() == 0

    watching.folder.rename(tmp_path / "moved")
    watching.folder.symlink_to(tmp_path / "moved")
    assert watching.look() == 0
    assert "behind a symbolic link" in watching.problem()
    watching.folder.unlink()
    watching.folder.mkdir()
    watching.look()
    assert watching.problem() is None


def test_a_folder_done_that_leads_away_is_not_written_to(watching, tmp_path):
    (watching.folder / "done").symlink_to(tmp_path)
    watching.drop("log.csv", GOOD)

    watching.look()
    watching.account.drain()
    watching.look()

    assert [*tmp_path.iterdir()] == []
    assert watching.names() == ["log.csv"]
    assert "symbolic link" in watching.problem()
    (watching.folder / "done").unlink()
    watching.look()
    assert watching.names() == []


def test_an_empty_file_is_told_and_left(watching):
    watching.drop("log.csv", "")

    assert watching.look() == 0
    assert watching.problem() == "The file 'log.csv' is empty; it is left where it is."


def test_what_was_done_before_a_kill_is_not_done_again(watching):
    watching.drop("log.csv", GOOD)
    watching.look()
    watching.account.drain()
    watching.look()
    # The worker was killed after it had moved the file, before that was written down.
    watching.site.sql("UPDATE data_feed_uploads SET settled_at = NULL WHERE place = %s", str(watching.folder))

    assert watching.look() == 0

    assert len(watching.names("done")) == 2
    assert len(watching.events()) == 2
    assert watching.site.sql("SELECT count(*) FROM data_feed_uploads WHERE settled_at IS NULL") == [(0,)]


def test_objects_of_a_store_are_taken_as_files_are(watching):
    patch = {"data_feed": {"watch": BUCKET}}
    watching.api.patch(f"{watching.path}/data_feeds/{watching.watching['id']}", patch).expect(200)
    watching.bucket.put("good.csv", GOOD.encode())
    watching.bucket.put("bad.csv", BAD.encode())
    watching.bucket.put("below/other.csv", GOOD.encode())

    assert watching.look_in_bucket() == 2
    watching.account.drain()
    assert watching.look_in_bucket() == 0

    names = sorted(
        one["path"].partition("-")[2] or one["path"] for listed in watching.bucket.list() for one in listed
    )
    assert names == [
        "bad.csv", "bad.csv.bad_rows.csv", "bad.csv.report.json", "below/other.csv", "good.csv",
        "good.csv.report.json",
    ]  # fmt: skip
    assert len(watching.events()) == 2


OUTSIDE = "which lies below no folder that this account may watch"
WRITTEN_OTHERWISE = "it takes an absolute folder or a URL"


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("/etc", OUTSIDE), ("{root}-of-others", OUTSIDE), ("{root}x", OUTSIDE), ("s3://other/plant", OUTSIDE),
        ("s3://bucketx", OUTSIDE), ("{root}/../etc", WRITTEN_OTHERWISE), ("{root}/a/./b", WRITTEN_OTHERWISE),
        ("{root}/a/", WRITTEN_OTHERWISE), ("{root}//a", WRITTEN_OTHERWISE), ("drop", WRITTEN_OTHERWISE),
        ("file:///etc", WRITTEN_OTHERWISE), ("s3://bucket/../x", WRITTEN_OTHERWISE),
        ("{root}/a\n", WRITTEN_OTHERWISE), ("/", WRITTEN_OTHERWISE), ("{root}/a/done", "not taken there"),
    ],
)  # fmt: skip
def test_a_feed_watches_only_where_the_operator_allows_it(watching, root, place, said):
    body = {"name": "Other", "event_type_id": watching.event_type["id"], "watch": place.format(root=root)}

    refused = watching.api.post(f"{watching.path}/data_feeds", {"data_feed": body}).expect(422)

    assert refused.error["field"] == "watch"
    assert said in refused.error["message"]


def test_a_place_is_watched_by_one_feed(watching):
    body = {"name": "Other", "event_type_id": watching.event_type["id"], "watch": str(watching.folder)}

    refused = watching.api.post(f"{watching.path}/data_feeds", {"data_feed": body}).expect(422)

    assert (refused.error["field"], refused.error["code"]) == ("watch", "taken")


def test_a_place_that_is_allowed_no_more_is_left_alone(watching):
    watching.drop("log.csv", GOOD)
    store = open_store(watching.site.settings.evidence_url, watching.site.settings.data_dir)
    settings = replace(watching.site.settings, watched_roots=())
    now = datetime.now(UTC) + timedelta(hours=1)

    assert watching.site.run(poll_places(watching.site.database, store, settings, now)).files == 0

    assert watching.problem() == f"The account may no longer watch {watching.folder}."
