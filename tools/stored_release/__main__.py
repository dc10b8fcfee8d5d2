"""`python -m tools.stored_release`: keep what this version leaves, or `--check` what is kept."""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.stored_release.folders import ROOT, STORED, current, lacking, write_steps_and_interface
from tools.stored_release.making import write_data


def main() -> None:
    """Write the folder of the version that `pyproject.toml` names, or check it."""
    parser = argparse.ArgumentParser(prog="python -m tools.stored_release", description=__doc__)
    parser.add_argument("--check", action="store_true", help="say what a release lacks, and write nothing")
    if parser.parse_args().check:
        said = [*lacking()]
        sys.exit("\n".join(said) if said else 0)
    version = current()
    if _tagged(f"v{version}"):
        sys.exit(f"{version} was released; name the next version in pyproject.toml first.")
    with tempfile.TemporaryDirectory(prefix="weighbridge-") as working:
        made = Path(working) / version
        made.mkdir()
        write_data(Path(working) / "data", made)
        write_steps_and_interface(made)
        shutil.rmtree(STORED / version, ignore_errors=True)
        shutil.copytree(made, STORED / version)
    print(f"{STORED / version}")


def _tagged(tag: str) -> bool:
    done = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"refs/tags/{tag}"],  # noqa: S607 - git is on the path
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


if __name__ == "__main__":
    main()
