"""Projects that begin with a package of the library: it is installed, and its samples are uploaded."""

import csv
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.given import collection as given
from tests.given import packages
from tests.given.collection import Record
from tests.server import Caller

from weighbridge.packages.contents import read_folder

LIBRARY: Final = Path(__file__).parents[2] / "packages"
PACKAGES: Final = sorted(path.name for path in LIBRARY.iterdir() if path.is_dir())
WITH_MODELS: Final = [name for name in PACKAGES if (LIBRARY / name / "models").is_dir()]
"""Packages that compute something; others have rules alone."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A project with the parts of a package."""

    api: Caller
    drain: Callable[[], None]
    folder: Path
    project: Record
    event_types: list[Record]
    ledgers: list[Record]
    """In the order in which they were made: behind those that they draw from."""
    methodologies: list[Record] = field(default_factory=list)

    @property
    def home(self) -> str:
        return f"/projects/{self.project['id']}"

    def import_samples(self) -> dict[str, Record]:
        """Upload the samples to a feed of their event type each; gives what became of them, by its slug."""
        for name in sorted({row["feedstock"] for row in self.rows() if row.get("feedstock")}):
            given.feedstock(self.api, self.project, name=name)
        return {
            one["slug"]: self._import_sample(one) for one in self.event_types if self._sample(one).exists()
        }

    def rows(self) -> list[dict[str, str]]:
        """The rows of all samples."""
        files = sorted(self.folder.glob("samples/*.csv"))
        return [row for file in files for row in csv.DictReader(file.read_text().splitlines())]

    def times(self) -> Record:
        """From the first to the last moment of the samples."""
        rows = self.rows()
        return {
            "start_time": min(row["start_time"] for row in rows),
            "end_time": max(row.get("end_time") or row["start_time"] for row in rows),
        }

    def generate(self, ledger: Record, **times: str) -> Record:
        """Generate the batches of a ledger, over the time of the samples unless a test says another; gives
        the task as it ended.
        """
        path = f"/ledgers/{ledger['id']}/batch_generations"
        task = self.api.post(path, times or self.times()).expect(202).body
        self.drain()
        ended: Record = self.api.get(f"/async_tasks/{task['id']}").expect(200).body
        return ended

    def report(self, ledger: Record) -> Record:
        """A draft that takes all of a ledger, by the methodology of the package if it has one."""
        batches = self.api.get(f"/ledgers/{ledger['id']}/batches").expect(200).data
        said = {"name": "All", "report_type": "annual", "project_id": self.project["id"]}
        for methodology in self.methodologies:
            said |= {"report_type": methodology["report_type"], "methodology_id": methodology["id"]}
        body = said | {"batch_ids": [batch["id"] for batch in batches]}
        made: Record = self.api.post("/reports", {"report": body}).expect(201).body
        return made

    def _sample(self, event_type: Record) -> Path:
        return self.folder / "samples" / f"{event_type['slug']}.csv"

    def _import_sample(self, event_type: Record) -> Record:
        body = {"name": event_type["name"], "event_type_id": event_type["id"]}
        feed = self.api.post(f"{self.home}/data_feeds", {"data_feed": body}).expect(201).body
        uploads = f"{self.home}/data_feeds/{feed['id']}/uploads"
        file = self._sample(event_type)
        made = self.api.upload(uploads, file.name, file.read_bytes()).expect(202).body
        self.drain()
        found: Record = self.api.get(f"{uploads}/{made['id']}").expect(200).body
        return found


def install(api: Caller, drain: Callable[[], None], name: str, **said: str) -> Installed:
    """A new project in which a package of the library is installed."""
    project = given.project(api, **said)
    package = packages.upload(api, read_folder(LIBRARY / name))
    made = packages.install(api, project, package).expect(201).body
    ledgers = api.get(f"/projects/{project['id']}/ledgers", {"sort": "id"}).data
    return Installed(
        api,
        drain,
        LIBRARY / name,
        project,
        [api.get(f"/projects/{project['id']}/event_types/{one}").body for one in _ids(made, "event_type")],
        [one for one in ledgers if one["id"] in _ids(made, "ledger")],
        [api.get(f"/methodologies/{one}").body for one in _ids(made, "methodology")],
    )


def _ids(installation: Record, kind: str) -> list[str]:
    return [part["record_id"] for part in installation["parts"] if part["kind"] == kind]
