"""The folder that distributions are built of: the files of the commit that go into them, and the guide.

Invariants: nothing that git does not know goes in; every file has the mode and the time that follow from the
commit, whatever the machine that it is copied on.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tools.site.build import SITE, build

ROOT: Final = Path(__file__).parents[2]
PARTS: Final = (
    *("pyproject.toml", "MANIFEST.in", "README.md", "CHANGELOG.md", "LICENSE", "NOTICE"),
    *("requirements.lock", "deploy", "src"),
)
"""What distributions are made of; tests, tools and the reasons for everything are in the repository."""

GUIDES: Final = Path("src/weighbridge/http/static/guides")
"""A link to `docs/` in the repository; in distributions the texts themselves."""

LIBRARY: Final = Path("src/weighbridge/packages/library")
"""A link to `packages/` in the repository; in distributions the methodology packages themselves."""

OLDEST_SECONDS: Final = 315_532_800
"""The first moment that a wheel can name, 1980-01-01: the time of files where no commit tells another."""

_EPOCH: Final = "SOURCE_DATE_EPOCH"
_LEFT_OUT: Final = {"__pycache__", ".DS_Store"}


def moment() -> int:
    """The time of every file, in seconds since 1970: SOURCE_DATE_EPOCH, or that of the last commit."""
    told = os.environ.get(_EPOCH) or _git("log", "-1", "--format=%ct")
    return max(int(told), OLDEST_SECONDS) if told else OLDEST_SECONDS


def stage(folder: Path, seconds: int) -> list[str]:
    """Copy everything into an empty folder; gives what is wrong with the guide, which should be nothing."""
    for path in _files(*PARTS):
        if not (ROOT / path).is_symlink():
            _copy(ROOT / path, folder / path)
    for linked, place in (("docs", GUIDES), ("packages", LIBRARY)):
        for path in _files(linked):
            _copy(ROOT / path, folder / place / path.relative_to(linked))
    site = folder / SITE.relative_to(ROOT)
    with _dated(seconds):
        problems = build(site, folder / GUIDES)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() or path.suffix == ".sh" else 0o644)
        os.utime(path, (seconds, seconds))
    return problems


@contextmanager
def _dated(seconds: int) -> Iterator[None]:
    """Have what is made meanwhile bear a date that follows from the commit."""
    before = os.environ.get(_EPOCH)
    os.environ[_EPOCH] = str(seconds)
    try:
        yield
    finally:
        os.environ.pop(_EPOCH)
        if before is not None:
            os.environ[_EPOCH] = before


def _files(*parts: str) -> Iterator[Path]:
    """The files below some parts, by their paths in the repository."""
    known = _git("ls-files", "-z", "--", *parts)
    if known is not None:
        yield from (Path(name) for name in known.split("\0") if name and (ROOT / name).exists())
        return
    for part in parts:
        for path in sorted([ROOT / part, *(ROOT / part).rglob("*")]):
            built = path.is_relative_to(SITE) or ".egg-info" in path.as_posix()
            if path.is_file() and not built and not _LEFT_OUT.intersection(path.parts):
                yield path.relative_to(ROOT)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def _git(*arguments: str) -> str | None:
    """What git says of the repository; None where there is neither git nor history."""
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), *arguments],  # noqa: S607 - whichever git there is
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None
