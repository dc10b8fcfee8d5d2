"""`python -m tools.distributions [FOLDER] [--twice]`: build them, or twice to compare the bytes."""

import argparse
import sys
from pathlib import Path

from tools.distributions.building import SUMS, Unbuilt, build_into
from tools.distributions.building_again import build_again
from tools.distributions.staging import ROOT


def main() -> None:
    """Build into the folder, and say what was built."""
    parser = argparse.ArgumentParser(prog="python -m tools.distributions", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist")
    parser.add_argument("--twice", action="store_true", help="build again, elsewhere, and compare")
    given = parser.parse_args()
    try:
        built = build_into(given.folder)
    except Unbuilt as unbuilt:
        sys.exit(f"Nothing was built:\n{unbuilt}")
    if given.twice:
        again = build_again("tools.distributions")
        if again != (given.folder / SUMS).read_text():
            sys.exit(f"A second build gives other bytes:\n{(given.folder / SUMS).read_text()}{again}")
    for file in built:
        print(f"{file}  {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
