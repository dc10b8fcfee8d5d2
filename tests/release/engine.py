"""What builds and runs images here: Docker with its daemon, or buildah, which needs none.

Buildah has the base image made of Debian's own packages, by mmdebstrap, so that no registry of images is
asked: its Python is that of Debian 12 rather than the one of the printed base.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

BASE = "python:3.12-slim-bookworm"
BASE_PACKAGES = "passwd,python3-venv,python-is-python3"
HOST_FILES = ("/etc/pip.conf", "/etc/ssl/certs")
"""By which pip finds its index here; a build sees them, the image does not have them."""

SECONDS = 900
PORT = {"WEIGHBRIDGE_PORT": "0"}


class Engine(Protocol):
    """Builds the image, and runs commands in it."""

    def build(self, folder: Path, *words: str) -> subprocess.CompletedProcess[str]: ...
    def run(self, *words: str) -> subprocess.CompletedProcess[str]: ...
    def config(self) -> dict[str, object]: ...


def run(*words: object, **more: object) -> subprocess.CompletedProcess[str]:
    """Run a program and keep what it says."""
    return subprocess.run(
        [*map(str, words)], capture_output=True, text=True, check=False, timeout=SECONDS, **more
    )  # type: ignore[call-overload]


class Docker:
    """The engine that the documents name."""

    def __init__(self, image: str) -> None:
        self._image = image

    def build(self, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
        """Build as it is printed."""
        return run("docker", "build", *words, cwd=folder)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in a container of its own."""
        variables = [word for name, value in PORT.items() for word in ("--env", f"{name}={value}")]
        return run("docker", "run", "--rm", *variables, self._image, *words)

    def config(self) -> dict[str, object]:
        """What the image says of itself."""
        return json.loads(run("docker", "image", "inspect", self._image).stdout)[0]["Config"]


class Buildah:
    """An engine without a daemon, with images in a folder of its own."""

    def __init__(self, folder: Path, image: str) -> None:
        self._image = image
        self._container = ""
        self._words = (
            "buildah", "--root", folder / "images", "--runroot", folder / "run", "--storage-driver", "vfs",
        )  # fmt: skip

    def load(self, archive: Path, name: str) -> None:
        """Make a base image of an archive of a file system."""
        made = archive.with_name("Dockerfile")
        made.write_text(f"FROM scratch\nADD {archive.name} /\n")
        done = run(*self._words, "bud", "--isolation", "chroot", "--tag", name, archive.parent)
        assert done.returncode == 0, done.stderr

    def build(self, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
        """Build as it is printed for Docker, of images that are here."""
        shown = [
            word for file in HOST_FILES if Path(file).exists() for word in ("--volume", f"{file}:{file}:ro")
        ]
        built = run(*self._words, "bud", "--isolation", "chroot", "--pull-never", *shown, *words, cwd=folder)
        if built.returncode == 0:  # copied once, which takes longer than what is run
            self._container = run(*self._words, "from", "--pull-never", self._image).stdout.strip()
        return built

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the container of the image."""
        variables = [word for each in PORT.items() for word in ("--env", "=".join(each))]
        return run(*self._words, "run", "--isolation", "chroot", *variables, self._container, "--", *words)

    def config(self) -> dict[str, object]:
        """What the image says of itself."""
        return json.loads(run(*self._words, "inspect", "--type", "image", self._image).stdout)["OCIv1"][
            "config"
        ]


def missing() -> str:
    """What this machine lacks to build an image; nothing where it can."""
    if has_daemon():
        return ""
    lacking = [name for name in ("buildah", "mmdebstrap") if shutil.which(name) is None]
    if lacking:
        return f"this machine has no Docker daemon, and no {' and no '.join(lacking)}"
    return "" if os.geteuid() == 0 else "buildah makes its base image as root only"


def has_daemon() -> bool:
    """Whether Docker is here and answers."""
    return shutil.which("docker") is not None and run("docker", "info").returncode == 0


@contextmanager
def engine_with_base(image: str) -> Iterator[Engine | str]:
    """An engine that builds the image; or why its base image cannot be had."""
    if has_daemon():
        yield Docker(image)
        return
    with tempfile.TemporaryDirectory(dir="/var/tmp") as temporary:  # large, and for the root of a container
        folder = Path(temporary)
        archive = folder / "base" / "base.tar"
        archive.parent.mkdir()
        done = run(
            "mmdebstrap", "--variant=essential", f"--include={BASE_PACKAGES}",
            "--dpkgopt=path-exclude=/usr/share/doc/*", "bookworm", archive,
        )  # fmt: skip
        if done.returncode != 0:
            yield f"the base image cannot be made of Debian's packages: {done.stderr[-300:]}"
            return
        engine = Buildah(folder, image)
        engine.load(archive, BASE)
        yield engine
