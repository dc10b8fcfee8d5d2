"""The `__main__` of the agent's file: finds out whether this machine can run it, and runs the unpacked code.

Any Python from 3.6 on has to read this, to say that it is too old; so no newer syntax is used here.
"""

import json
import os
import sys
import zipfile

ISOLATED = "-IS"
"""Options of Python: no variables of Python's, no packages of the user or the machine."""


def main() -> None:
    """Run the program that the file contains."""
    # Both are beside this one in the archive; the package has them under their whole names.
    import machine  # type: ignore[import-not-found] # noqa: PLC0415

    archive = os.path.realpath(os.path.dirname(__file__))  # noqa: PTH120 - as old as it may be
    try:
        with zipfile.ZipFile(archive) as opened:
            manifest = json.loads(opened.read(machine.MANIFEST).decode())
    except (KeyError, OSError, ValueError, zipfile.BadZipFile) as error:
        sys.exit(archive + " is damaged: " + str(error) + ". Install it again.")
    obstacle = machine.find_obstacle(manifest)
    if obstacle:
        sys.exit(obstacle)
    if not (sys.flags.isolated and sys.flags.no_site):
        os.execv(sys.executable, [sys.executable, ISOLATED, archive] + sys.argv[1:])  # noqa: RUF005, S606
    import opening  # type: ignore[import-not-found] # noqa: PLC0415

    try:
        code = opening.open_code(archive)
    except opening.OpeningError as error:
        sys.exit(str(error))
    sys.path[:] = [code] + [path for path in sys.path if path != archive]
    sys.dont_write_bytecode = True
    from weighbridge.commands.agent_file import run_file  # noqa: PLC0415

    run_file(archive)


if __name__ == "__main__":
    main()
