"""The page of the files that feeds are tested with: who writes such files, the settings, what comes out.

Made from the table that the test of these files reads, so that neither says what the other does not.
"""

import json
from pathlib import Path
from typing import Any, Final

CORPUS: Final = Path(__file__).parent.parent / "tests/exchange/corpus/corpus.json"

INTRODUCTION: Final = """\
These {count} files are in the repository, in `tests/exchange/corpus/files`, each as a historian, a scale, a
laboratory, a control system, an ERP system or a spreadsheet writes it. A test uploads each of them to a data
feed with the settings below: {read} are read, {refused} are refused for the reason given.
[Feed files](../howto/feed-files.md) explains the settings; those that are not listed have their defaults. To
find the settings for your own file, look for one that resembles it.\
"""
_EVENTS_SHOWN: Final = 2


def page() -> tuple[str, list[str]]:
    """The introduction, and a section for each file."""
    cases = json.loads(CORPUS.read_text())
    refused = sum("refused" in case for case in cases)
    introduction = INTRODUCTION.format(count=len(cases), read=len(cases) - refused, refused=refused)
    return introduction, ["\n\n".join(map(_describe, cases))]


def _describe(case: dict[str, Any]) -> str:
    settings = dict(case["settings"])
    columns = settings.pop("columns", [])
    lines = [f"## {case['file']}", f"{case['source']}."]
    said = [f"`{name}`: `{json.dumps(value, ensure_ascii=False)}`" for name, value in settings.items()]
    said += [_describe_column(column) for column in columns]
    lines.append("\n".join(f"- {one}" for one in said))
    if "refused" in case:
        lines.append(f"Refused: {case['refused']}")
    else:
        events = case["events"]
        shown = "\n".join(events[:_EVENTS_SHOWN])
        more = f"\n… {len(events) - _EVENTS_SHOWN} more" if len(events) > _EVENTS_SHOWN else ""
        lines.append(f"```text\n{shown}{more}\n```")
    return "\n\n".join(lines)


def _describe_column(column: dict[str, str]) -> str:
    unit = f" in `{column['unit']}`" if "unit" in column else ""
    flag = f", flag `{column['flag']}`" if "flag" in column else ""
    return f"column `{column['column']}`: `{column['field']}`{unit}{flag}"
