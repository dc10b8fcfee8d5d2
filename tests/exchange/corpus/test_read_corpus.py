"""Files as plants export them, each uploaded to a feed with its settings: the events, or the refusal."""

import json
from pathlib import Path

import pytest
from tests.given import collection as given
from tests.given.feeds import Feeding

FOLDER = Path(__file__).parent
CORPUS = json.loads((FOLDER / "corpus.json").read_text())


class Corpus(Feeding):
    """A project whose events have what any of the files gives."""

    def __init__(self, account):
        self.account = account
        self.api = account.caller()
        points = [
            given.number("mass", unit="t", required=False),
            given.number("flow", unit="m^3", required=False),
            given.number("temp", unit=None, required=False),
            given.number("pb", unit=None, required=False),
            given.text("pb_flag"),
            given.text("driver"),
            given.boolean("ok"),
        ]
        self.plant = given.measuring(self.api, *points)
        self.path = f"/projects/{self.plant['id']}"
        [self.event_type] = self.api.get(f"{self.path}/event_types").data


def describe(event):
    """An event as the corpus writes it: when it is, and its values by slug."""
    start, end = (
        event[name].replace(".000Z", "Z").replace(":00Z", "Z") for name in ("start_time", "end_time")
    )
    values = {point["slug"]: point["value"] for point in event["data_points"]}
    told = [
        f"{slug}={str(value).lower() if value in (True, False) else value}" for slug, value in values.items()
    ]
    return " ".join([start if start == end else f"{start}/{end}", *told])


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case["file"])
def test_a_file_of_the_corpus_is_read_or_refused_as_the_corpus_says(account, case):
    corpus = Corpus(account)
    feed = corpus.feed(**{"time_zone": None} | case["settings"])

    upload = corpus.upload(feed, (FOLDER / "files" / case["file"]).read_bytes(), case["file"])

    assert upload["error_message"] == case.get("refused")
    assert [describe(event) for event in corpus.events()] == case.get("events", [])
    if "refused" not in case:
        assert (upload["bad_rows"], upload["stored"]) == (case.get("bad_rows", 0), len(case["events"]))


def test_the_corpus_has_every_file_once_and_refuses_five_of_them():
    names = [case["file"] for case in CORPUS]

    assert sorted(names) == sorted(path.name for path in (FOLDER / "files").iterdir())
    assert (len({*names}), sum("refused" in case for case in CORPUS)) == (100, 5)
