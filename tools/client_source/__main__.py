"""`python -m tools.client_source`: write the made parts of the clients, in the project's format."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

from tools.client_source import groups, operations, records, typescript

ROOT: Final = Path(__file__).parents[2]
DOCUMENT: Final = ROOT / "docs" / "reference" / "openapi.json"
CLIENT: Final = ROOT / "src" / "weighbridge" / "client" / "made"
TYPESCRIPT: Final = ROOT / "clients" / "typescript" / "src" / "made"


def made() -> dict[Path, str]:
    """Each file's text by its place."""
    document = json.loads(DOCUMENT.read_text())
    python = {
        CLIENT / f"{part.__name__.rsplit('.', 1)[1]}.py": _formatted(part.source(document))
        for part in (records, operations, groups)
    }
    return python | {TYPESCRIPT / name: text for name, text in typescript.sources(document).items()}


def _formatted(text: str) -> str:
    """The text with its imports in order and in the project's format."""
    ruff = Path(sys.executable).with_name("ruff")
    for words in (["check", "--quiet", "--fix-only", "--select", "I"], ["format", "--quiet"]):
        command = [str(ruff), *words, "--stdin-filename", str(CLIENT / "made.py"), "-"]
        text = subprocess.run(
            command, input=text, capture_output=True, check=True, text=True, cwd=ROOT
        ).stdout
    return text


if __name__ == "__main__":
    for path, text in made().items():
        path.write_text(text)
        sys.stdout.write(f"{path.relative_to(ROOT)}\n")
