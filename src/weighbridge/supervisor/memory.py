"""How much memory a process takes, where the system tells."""

import os
from pathlib import Path


def bytes_held(number: int) -> int | None:
    """Bytes of memory that a process holds by itself; None where that is not told, or it has ended."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{number}/statm").read_text().split()
    except (OSError, ValueError):
        return None
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
