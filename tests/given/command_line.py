"""The command line within the process of the tests, for what a command does and says.

A process of its own takes a second to load what is loaded here; tests of the process itself start one.
"""

import io
import os
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from weighbridge.commands.app import app
from weighbridge.errors import Refusal


def run_command(*words: object, data_dir: Path) -> str:
    """Run a command on a data folder, as an operator does beside the service; gives what it printed."""
    settings = {name: os.environ.pop(name) for name in [*os.environ] if name.startswith("WEIGHBRIDGE_")}
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            app([*map(str, words), "--data-dir", str(data_dir)])
        except Refusal as refusal:
            code = refusal
        except SystemExit as ending:
            code = ending.code
        finally:
            os.environ.update(settings)
    assert not code, f"{code}\n{out.getvalue()}\n{err.getvalue()}"
    return out.getvalue().strip()
