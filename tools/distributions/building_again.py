"""A second build, by which a release sees that its bytes follow from the code alone."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.distributions.building import SUMS
from tools.distributions.staging import ROOT


def build_again(tool: str, options: Sequence[str] = ()) -> str:
    """The sums of a build by another process, in another time zone and with other hashes of texts.

    The tool is a module that builds into the folder it is given, and writes the sums there.
    """
    with TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", tool, folder, *options],
            env={**os.environ, "TZ": "Pacific/Chatham", "PYTHONHASHSEED": "7"},
            stdout=subprocess.DEVNULL,
            umask=0o077,
            check=True,
            cwd=ROOT,
        )
        return (Path(folder) / SUMS).read_text()
