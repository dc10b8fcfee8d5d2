"""Whether this machine and this Python can run a file of the agent.

Any Python from 3.6 on has to read this, to say that it is too old; so no newer syntax is used here.
"""

import os
import struct
import sys

MANIFEST = "manifest.json"
"""What says which machine a file is for."""


def find_obstacle(manifest: dict) -> "str | None":  # type: ignore[type-arg]
    """Why this machine or this Python cannot run the file, in a sentence."""
    name: str = manifest["program"] + " " + manifest["version"] + " for " + manifest["platform"]
    here = ".".join(map(str, sys.version_info[:2]))
    machine = os.uname().machine
    if sys.platform != "linux" or machine != manifest["machine"]:
        return name + " does not run on " + sys.platform + " " + machine + ". Take the file for that machine."
    if struct.calcsize("P") != 8:
        return (
            name + " needs a Python of 64 bits, but " + sys.executable + " has 32. Install a 64-bit system."
        )
    if sys.implementation.name != "cpython" or "t" in sys.abiflags or here not in manifest["pythons"]:
        pythons = ", ".join(manifest["pythons"])
        is_usual = sys.implementation.name == "cpython" and "t" not in sys.abiflags
        kind = "" if is_usual else " (" + sys.implementation.name + sys.abiflags + ")"
        message = name + " needs CPython " + pythons + ", but " + sys.executable + " is " + here + kind + "."
        remedy = " Start it with another one, such as python" + manifest["pythons"][0] + " FILE."
        return str(message + remedy)
    return _find_libc_obstacle(name, manifest["glibc"])


def _find_libc_obstacle(name: str, needed: str) -> "str | None":
    try:
        told = os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (OSError, ValueError):
        told = ""
    if not told:
        return name + " needs glibc " + needed + " or newer; this system has another C library."
    # As numbers: 2.4 is older than 2.28.
    if [int(part) for part in told.split()[-1].split(".")[:2]] < [int(part) for part in needed.split(".")]:
        return name + " needs glibc " + needed + " or newer, but this system has " + told + "."
    return None
