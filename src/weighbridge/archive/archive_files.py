"""The files of a project's months on this machine: fetched with their digests checked, and read in pieces.

Invariants: a file is read only when its SHA-256 is that of its manifest; of a file one row group is in memory
at a time, and those that were read last.
"""

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from weighbridge.archive.manifest import MonthManifest
from weighbridge.archive.row_form import SCHEMA
from weighbridge.backup.target import BackupTarget
from weighbridge.errors import Refusal

GROUPS_KEPT: Final = 2
"""Row groups that stay in memory: slots that follow each other read the same ones."""

_NUMBER: Final = "number"


@dataclass(frozen=True, slots=True)
class _Group:
    """A row group, and between which numbers its events lie."""

    index: int
    least: int
    greatest: int


class MonthFile:
    """The file of a month, open."""

    def __init__(self, manifest: MonthManifest, file: Any) -> None:
        self.manifest = manifest
        self._file = file
        self._groups = [*_groups(file, f"The file of {manifest.month}")]
        self._kept: OrderedDict[int, Any] = OrderedDict()

    @classmethod
    def fetched(cls, place: BackupTarget, manifest: MonthManifest, folder: Path) -> "MonthFile":
        """Fetch a month's file into a folder of this machine, and open it; raises Refusal."""
        here = folder / f"{manifest.month}.parquet"
        place.fetch(manifest.path_of(manifest.events), manifest.events.sha256, here)
        try:
            file = pq.ParquetFile(here)
        except pa.ArrowException as error:
            raise Refusal(
                f"{place.name}/{manifest.path_of(manifest.events)} is no Parquet: {error}"
            ) from error
        if not file.schema_arrow.equals(SCHEMA) or file.metadata.num_rows != manifest.rows:
            raise Refusal(
                f"{place.name}/{manifest.path_of(manifest.events)} is not of the form of its manifest."
            )
        return cls(manifest, file)

    def tables(self) -> Iterator[Any]:
        """All rows, row group by row group."""
        for index in range(self._file.num_row_groups):
            yield self._file.read_row_group(index, use_threads=False)

    def rows_of(self, numbers: Sequence[int]) -> Iterator[Any]:
        """The events of some numbers, given in order, as tables, as far as the file has them."""
        values = pa.array(numbers, pa.int64())
        for group in self._groups:
            if _none_between(numbers, group.least, group.greatest):
                continue
            if group.index not in self._kept:
                column = self._file.read_row_group(group.index, columns=[_NUMBER], use_threads=False)
                if not pc.any(pc.is_in(column.column(_NUMBER), value_set=values)).as_py():
                    continue
            table = self._group(group.index)
            yield table.filter(pc.is_in(table.column(_NUMBER), value_set=values))

    def _group(self, index: int) -> Any:
        if index not in self._kept:
            self._kept[index] = self._file.read_row_group(index, use_threads=False)
            if len(self._kept) > GROUPS_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(index)
        return self._kept[index]


def _groups(file: Any, name: str) -> Iterator[_Group]:
    paths = [file.schema.column(place).path for place in range(len(file.schema))]
    place = paths.index(_NUMBER)
    for index in range(file.num_row_groups):
        statistics = file.metadata.row_group(index).column(place).statistics
        if statistics is None or not statistics.has_min_max:
            raise Refusal(f"{name} does not say of its row groups which events are in them.")
        yield _Group(index, statistics.min, statistics.max)


def _none_between(numbers: Sequence[int], least: int, greatest: int) -> bool:
    """Whether none of these numbers, which are in order, lies between two."""
    at = bisect_left(numbers, least)
    return at == len(numbers) or numbers[at] > greatest
