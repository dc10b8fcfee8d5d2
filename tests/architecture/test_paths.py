"""The paths of the documents run as described, in a process whose threads all start under the trace."""

import subprocess
import sys
from pathlib import Path

from tests.architecture.source import ROOT


def test_each_path_runs_the_files_that_the_documents_name():
    walks = Path(__file__).with_name("paths.py")

    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", walks],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert run.returncode == 0, run.stdout + run.stderr
