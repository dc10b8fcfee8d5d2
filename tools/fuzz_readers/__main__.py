"""Make up so many texts for each reader, guided by the code that they reach.

    python -m tools.fuzz_readers [--inputs N] [--reader NAME] [--seed N]

A text that is neither read nor refused is written to the folder in which this was started, and ends it.
Needs Atheris: pip install '.[fuzz]'.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import atheris  # type: ignore[import-not-found,import-untyped,unused-ignore]
from cyclopts import App, Parameter

LENGTH_MAX: Final = 4_096
SECONDS_MAX: Final = 5
"""A text that takes longer than this to read counts as a mistake, too."""

NAMES: Final = ("body", "model", "expression", "table", "workbook")

app = App(help=__doc__, help_format="plaintext")


@app.default
def main(
    *,
    inputs: Annotated[int, Parameter(help="Texts for each reader.")] = 250_000,
    reader: Annotated[str | None, Parameter(help="The only reader to try.")] = None,
    seed: Annotated[int, Parameter(help="The same seed makes up the same texts.")] = 1,
) -> None:
    """Try the readers, one after the other, each in a process of its own."""
    failed = [name for name in NAMES if reader in {None, name} and _is_wrong(name, inputs, seed)]
    sys.exit(f"not read and not refused: {', '.join(failed)}" if failed else 0)


def _is_wrong(name: str, inputs: int, seed: int) -> bool:
    corpus = Path(__file__).parent / "corpus" / name
    with TemporaryDirectory() as found:
        ended = subprocess.run(
            [sys.executable, "-m", "tools.fuzz_readers", "one", name, f"-runs={inputs}", f"-seed={seed}",
             f"-max_len={LENGTH_MAX}", f"-timeout={SECONDS_MAX}", f"-artifact_prefix={name}-", "-verbosity=0",
             found, corpus],
            check=False,
        )  # fmt: skip
    print(
        f"{name}: {inputs:,} texts, {'a mistake' if ended.returncode else 'each read or refused'}", flush=True
    )
    return bool(ended.returncode)


def one(name: str, options: list[str]) -> None:
    """Make up texts for one reader until there were enough."""
    with atheris.instrument_imports(include=["weighbridge"]):
        from tools.fuzz_readers.readers import READERS  # noqa: PLC0415 - what is instrumented
    atheris.Setup([sys.argv[0], *options], READERS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    if sys.argv[1:2] == ["one"]:
        one(sys.argv[2], sys.argv[3:])
    app()
