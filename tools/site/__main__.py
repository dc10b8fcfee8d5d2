"""`python -m tools.site [FOLDER]`: build the guide, by default where the package serves it from."""

import sys
from pathlib import Path

from tools.site.build import SITE, build

if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SITE
    problems = build(folder)
    print(*problems, sep="\n", file=sys.stderr)
    print(f"{folder}: {sum(1 for _ in folder.rglob('*.html'))} pages")
    sys.exit(bool(problems))
