"""The schema of a database as the text of `pg_dump`, and that of a dump as statements."""

import re
import subprocess
from pathlib import Path

from weighbridge.db.embedded.location import wheel_binaries

_ASIDE = re.compile(r"^(--.*|\\(un)?restrict .*|SET .*|SELECT pg_catalog\.set_config.*)?\n", re.MULTILINE)
"""Lines that differ from dump to dump: comments, keys of the session and its settings."""

_COMMENT = re.compile(r"^COMMENT ON TABLE \S+ IS '(?:[^']|'')*';\n", re.MULTILINE)


def dumped_schema(url: str, *, with_comments: bool = True) -> str:
    """Tables, types, constraints, indexes, functions, triggers and grants, sorted by their names."""
    text = _ASIDE.sub("", _run("pg_dump", "--schema-only", "--no-owner", url))
    return text if with_comments else _COMMENT.sub("", text)


def statements_of(dump: Path) -> str:
    """The statements that make the schema of a dump, for a server of any version."""
    return _ASIDE.sub("", _run("pg_restore", "--schema-only", "--no-owner", "--file=-", str(dump)))


def _run(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [str(wheel_binaries() / "bin" / program), *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
