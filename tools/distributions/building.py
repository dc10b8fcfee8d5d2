"""Builds the source distribution of a staged folder, and the wheel of that source distribution.

Invariants: two builds of one commit with the same packages give the same bytes, whatever the machine's time
zone, its mask of modes or the order of its folders; the wheel is built of the source distribution alone, so
that whoever has one comes to the other.
"""

import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from tools.distributions.staging import ROOT, moment, stage

SUMS: Final = "SHA256SUMS"
_MASK: Final = 0o022


class Distributions(NamedTuple):
    """What was built: the source distribution and the wheel."""

    source: Path
    wheel: Path


class Unbuilt(Exception):  # noqa: N818 - named for what came of it
    """Nothing was built; the message is what the guide or the front end said."""


def build_into(folder: Path) -> Distributions:
    """Build both into a folder, in place of what is there, with the sums of their bytes.

    Raises `Unbuilt`, also where the guide has links that lead nowhere.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("*.whl"), *folder.glob("*.tar.gz"), folder / SUMS):
        old.unlink(missing_ok=True)
    seconds = moment()
    with TemporaryDirectory() as working:
        work = Path(working)
        if problems := stage(work / "staged", seconds):
            raise Unbuilt("\n".join(problems))
        [made] = _front_end("--sdist", work / "staged", work / "source", seconds)
        source = folder / made.name
        _level(made, source, seconds)
        wheel = _wheel(source, work, folder, seconds)
    files = (source, wheel)
    lines = (f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    (folder / SUMS).write_text("".join(lines))
    return Distributions(source, wheel)


def _wheel(source: Path, work: Path, folder: Path, seconds: int) -> Path:
    """The wheel of a source distribution, built as anybody builds it who has that alone."""
    with tarfile.open(source) as archive:
        archive.extractall(work / "unpacked", filter="data")
    [unpacked] = (work / "unpacked").iterdir()
    [made] = _front_end("--wheel", unpacked, work / "wheel", seconds)
    return Path(shutil.move(made, folder / made.name))


def _front_end(kind: str, code: Path, folder: Path, seconds: int) -> list[Path]:
    """Run `python -m build` with the packages that are installed here; gives what it made."""
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", kind, "--outdir", str(folder), str(code)],
        env={**os.environ, "SOURCE_DATE_EPOCH": str(seconds)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        umask=_MASK,
        check=False,
        cwd=ROOT,
    )
    if done.returncode:
        raise Unbuilt(done.stdout)
    return [*folder.iterdir()]


def _level(made: Path, target: Path, seconds: int) -> None:
    """Write an archive anew, with nothing in it of the machine that it was made on."""
    with (
        tarfile.open(made) as old,
        target.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=seconds) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda one: one.name):
            plain = tarfile.TarInfo(member.name)
            plain.type, plain.size, plain.mtime = member.type, member.size, seconds
            plain.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(plain, old.extractfile(member) if member.isfile() else None)
