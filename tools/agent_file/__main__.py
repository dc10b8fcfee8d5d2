"""`python -m tools.agent_file [FOLDER] [--twice] [--key FILE] [--signers FILE]`: build the agent's files."""

import argparse
import sys
from pathlib import Path

from tools.agent_file.packing import Release, build_into
from tools.agent_file.wheels import PLATFORMS, Unbuildable
from tools.distributions.building import SUMS
from tools.distributions.building_again import build_again
from tools.distributions.staging import ROOT
from weighbridge.core.signing import SigningKey, UnprovenError


def main() -> None:
    """Build the files into the folder, and say what was built."""
    parser = argparse.ArgumentParser(prog="python -m tools.agent_file", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist" / "agent")
    parser.add_argument("--twice", action="store_true", help="build again, elsewhere, and compare")
    parser.add_argument("--platform", choices=PLATFORMS, action="append", help="build for this one alone")
    parser.add_argument("--key", type=Path, help="an Ed25519 key without a password, which signs the files")
    parser.add_argument("--signers", type=Path, help="whose updates the files take; the key's by default")
    parser.add_argument("--signer", default="weighbridge-release", help="the name of the key's owner")
    given = parser.parse_args()
    try:
        key = SigningKey.read(given.key.read_bytes()) if given.key else None
        signers = given.signers.read_text() if given.signers else None
        release = Release(key, given.signer, signers)
        built = build_into(given.folder, release, given.platform or [*PLATFORMS])
    except (Unbuildable, UnprovenError, OSError) as error:
        sys.exit(f"Nothing was built: {error}")
    options = [f"--{name}={told}" for name in ("key", "signers", "signer") if (told := getattr(given, name))]
    options += [f"--platform={name}" for name in given.platform or ()]
    if given.twice and build_again("tools.agent_file", options) != (given.folder / SUMS).read_text():
        sys.exit(f"A second build gives other bytes than those in {given.folder}.")
    for file in built:
        print(f"{file}  {file.stat().st_size:,} bytes")
    if key is None:
        print("The files are not signed: no --key was given.")


if __name__ == "__main__":
    main()
