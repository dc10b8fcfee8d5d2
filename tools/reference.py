"""The reference pages made from the code: settings, lists, limits, errors, metrics, log and others.

Each page derives from the table that the service itself runs by, so a page cannot disagree with the
service; a test compares the stored pages with what this module makes.
"""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

import yaml

from tools import conformance, corpus_page, model_reference, operations, rule_reference, sizing
from weighbridge.agent.configuration_reading import sections as agent_sections
from weighbridge.contents import SLICES
from weighbridge.core.identity import API_PREFIX
from weighbridge.core.ledger.allocation import DIMENSIONS
from weighbridge.core.platform.settings import Setting
from weighbridge.core.problem import GROUPS
from weighbridge.core.time.calendar import CADENCES
from weighbridge.db.lists.listing import Filter, Listing
from weighbridge.db.lists.page import COUNT_MAX, SORTED_MAX
from weighbridge.http.messages.operation import Operation
from weighbridge.http.metrics import METRICS
from weighbridge.settings import TABLE
from weighbridge.supervisor.logs import LOG_EVENTS

ROOT: Final = Path(__file__).parents[1]
SOURCE: Final = ROOT / "src"
PAGES: Final = ROOT / "docs" / "reference"
ALERTS: Final = ROOT / "deploy" / "prometheus" / "alerts.yaml"
LANGUAGE: Final = Path(__file__).with_name("model-language.md")
RULE_LANGUAGE: Final = Path(__file__).with_name("rule-language.md")

_MADE: Final = "<!-- Made by `make docs` from the code; change the code, not this page. -->"

_ABOUT_SETTINGS: Final = """\
Settings are environment variables, read once when a process starts. An empty variable counts as unset.
A value outside its range stops the start with a sentence that names the variable. An unknown
`WEIGHBRIDGE_` variable is named in the log of `weighbridge serve`. A URL may hold a password: a variable that
ends in `_URL` may be left out, and the same name with `_FILE` behind it name a file that has the URL."""

_ABOUT_LISTS: Final = f"""\
A filter is written `filter[field][comparator]=value`, and `filter[field]=value` means `eq`. A sort is
written `sort=field`, descending with a minus sign before the field; several are joined by commas. An
unknown field, comparator or sort is refused with 400 and named, as is a value that cannot be read. Every
list takes `page` and `page_size`; those that can be sorted take `cursor` too.

A page of a long list costs what a page of a short one does. An order that no index gives is made of at most
{SORTED_MAX:,} records: where more match, the request is refused with 422 and says which filters leave fewer.
No page counts its list: `total_items` is exact where it is kept (events, by project and by type) or where it
is known from up to {COUNT_MAX:,} rows, and else an estimate, which `total_is_estimate` says."""

_ABOUT_AGENT: Final = """\
The file that `weighbridge agent` is run with; [Run an agent](../howto/run-an-agent.md) shows one.
`weighbridge agent check` tells every mistake in it with its line. A field without a default, and that is not
required, may be left out."""

_ABOUT_LIMITS: Final = """\
Each limit is one named constant, and a refusal says the limit that it stands on. A `page_size` over its
limit is lowered to it."""


_ABOUT_ERRORS: Final = """\
Every answer that is no success has one shape: `{"status": "error", "statusCode": N, "errors": [...],
"request_id"}`. Each error has a `message`, a sentence for people, and a `code`, a word for programs. A code
keeps its meaning; a sentence may change.

Beside them an error has, where they apply:

- `field`: the path of what is wrong, below the key that wraps the record: `version_label`,
  `data_points[0].value`. Where the body holds many records the path begins with their list:
  `events[3].data_points[0].value`. It is the same for a wrong shape (400) as for a broken rule (422). A
  parameter of the query is named as it was sent.
- `records`: the ids of the records that are in the way.
- `type` and `id`: of a record that is not there (404), what it is and the id by which it was asked for.

Where an unknown field, parameter or filter resembles one that is known, the message says so: `(did you mean
page_size?)`. The same codes stand on problems that answers tell without refusing, such as those of a preview
or of the validation of a model: the status 200 below."""


_ABOUT_METRICS: Final = """\
`weighbridge serve` has these at `/metrics` of the port that `WEIGHBRIDGE_METRICS_PORT` names, in the form of
Prometheus: [Operate the service](../howto/operate.md) shows how to scrape them. Of several hosts each has the
counters of its own processes; what the database knows (tasks, work that waits, its size) is the same on every
host, so take its `max`. No label holds an id or a name of an account: the number of series does not grow with
the data."""

_ABOUT_ALERTS: Final = """\
`deploy/prometheus/alerts.yaml` has these as rules of Prometheus, `deploy/grafana/weighbridge.json` has a
dashboard of the counters for Grafana. `page` is worth waking somebody for, `warn` waits for the next day."""

_ABOUT_LOG: Final = """\
Log lines go to standard error, as JSON unless that is a terminal (`WEIGHBRIDGE_LOG_FORMAT`), one object to a
line. Each has `timestamp` (UTC), `level`, `logger` and `event`, one of the names below, with the fields that
stand beside it; a line about an exception has `exception`, the trace. The agent, a program of its own, writes
sentences, and so do PostgreSQL, in the data folder, and the HTTP server. No line holds a token, a password or
a body."""


class Limit(NamedTuple):
    """A constant of the code that says how much of something there may be."""

    module: str
    name: str
    doc: str

    @property
    def value(self) -> int:
        """The limit itself."""
        return int(getattr(import_module(self.module), self.name))


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (PAGES / name).write_text(text)
        sys.stdout.write(f"docs/reference/{name}\n")


def pages() -> dict[str, str]:
    """Every page's text by its file name."""
    return {
        "settings.md": settings_page(),
        "agent.md": agent_page(),
        "lists.md": lists_page(),
        "limits.md": limits_page(),
        "errors.md": errors_page(),
        "operations.md": _page("Operations", operations.ABOUT, *operations.sections()),
        "metrics.md": metrics_page(),
        "log.md": log_page(),
        "conformance.md": conformance_page(),
        "files-of-plants.md": corpus_page_of_files(),
        "model-language.md": language_page(),
        "rule-language.md": rule_language_page(),
        "sizing.md": f"{_MADE}\n\n{sizing.page()}\n",
    }


def settings_page() -> str:
    """The environment variables, in the order of the settings object."""
    rows = [
        (f"`{row.variable}`", row.doc, row.type, f"`{row.default}`" if row.default else "unset", _range(row))
        for row in TABLE
    ]
    return _page(
        "Settings",
        _ABOUT_SETTINGS,
        _table(("Variable", "Meaning", "Type", "Default", "Range"), rows),
    )


def agent_page() -> str:
    """The file of the edge agent, part by part."""
    parts = []
    for title, about, rows in agent_sections():
        table = _table(("Field", "Meaning", "Takes", "Default"), rows)
        parts.append(f"## {title}\n\n{about}\n\n{table}")
    return _page("The agent's file", _ABOUT_AGENT, *parts)


def _range(setting: Setting) -> str:
    return f"{setting.range.least:,} to {setting.range.greatest:,}" if setting.range else ""


def lists_page() -> str:
    """What each list may be filtered and sorted by, in the order of the service's table of contents."""
    return _page(
        "Lists",
        _ABOUT_LISTS,
        *(_list_section(operation) for operation in list_operations()),
    )


def list_operations() -> Iterator[Operation]:
    """The endpoints that answer with a list."""
    for routes in SLICES:
        for endpoint in routes:
            operation = endpoint.operation
            if operation.listing is not None:
                yield operation


def _list_section(operation: Operation) -> str:
    listing = operation.listing
    parts = [f"## GET {API_PREFIX}{operation.path}", operation.summary]
    if listing.filters:
        rows = [
            (f"`{name}`", ", ".join(f"`{one}`" for one in found.comparators), _expected(found))
            for name, found in listing.filters.items()
        ]
        parts.append(_table(("Filter", "Comparators", "Takes"), rows))
    if listing.plain:
        stands = (
            f"`{name}` for `filter[{field}][{comparator}]`"
            for name, (field, comparator) in listing.plain.items()
        )
        parts.append(f"Short forms: {', '.join(stands)}.")
    if listing.sorts:
        sorts = ", ".join(f"`{name}`" for name in listing.sorts)
        parts.append(f"Sorts by {sorts}; by default `{listing.default_sort}`.{_bounds(listing)}")
    else:
        parts.append("The order is fixed.")
    return "\n\n".join(parts)


def _bounds(listing: Listing) -> str:
    """Which orders of a long list are made only of what filters leave."""
    said = ""
    if bounded := [f"`{name}`" for name in listing.bounded_sorts if name not in listing.needs]:
        said += f" By {', '.join(bounded)}, or by several fields, it sorts at most {SORTED_MAX:,} records."
    for name in listing.ranges:
        said += (
            f" With `filter[{name}]` it sorts by another field than `{name}` at most {SORTED_MAX:,} records."
        )
    for name, groups in listing.needs.items():
        filters = ", ".join(" or ".join(f"`filter{one}`" for one in group) for group in groups)
        said += f" By `{name}` it sorts only what has {filters}, and at most {SORTED_MAX:,} records."
    return said


def _expected(found: Filter) -> str:
    return f"{found.expects}, which the record's list holds" if found.contains else found.expects


def limits_page() -> str:
    """Every limit that the code names."""
    rows = [(limit.doc, f"{limit.value:,}", f"`{limit.module}.{limit.name}`") for limit in limits()]
    return _page(
        "Limits",
        _ABOUT_LIMITS,
        _table(("Limit", "Value", "Constant"), rows),
    )


def errors_page() -> str:
    """The catalogue of error codes."""
    sections = []
    for title, group in GROUPS.items():
        rows = [
            (f"`{code}`", ", ".join(map(str, said.statuses)) or "none", said.meaning, said.remedy)
            for code, said in group.items()
        ]
        sections.append(f"## {title}\n\n{_table(('Code', 'Status', 'Meaning', 'What to do'), rows)}")
    return _page("Errors", _ABOUT_ERRORS, *sections)


def metrics_page() -> str:
    """What the service counts, and the alerts that are made of it."""
    rows = [
        (f"`{name}`", metric.kind, _spelled(metric.labels), metric.doc, metric.tells)
        for name, metric in METRICS.items()
    ]
    [group] = yaml.safe_load(ALERTS.read_text())["groups"]
    alerts = [
        (f"`{rule['alert']}`", rule["labels"]["severity"], said["means"], said["action"])
        for rule in group["rules"]
        if (said := rule["annotations"])
    ]
    return _page(
        "Metrics and alerts",
        _ABOUT_METRICS,
        _table(("Name", "Kind", "Labels", "Counts", "Tells"), rows),
        "## Alerts",
        _ABOUT_ALERTS,
        _table(("Alert", "Severity", "What it means", "What to do"), alerts),
    )


def _spelled(labels: Mapping[str, str]) -> str:
    return "; ".join(f"`{name}`: {meaning}" for name, meaning in labels.items())


def log_page() -> str:
    """Every line of the log, by who writes it."""
    sections = []
    for title, events in LOG_EVENTS.items():
        rows = [
            (f"`{name}`", said.level, ", ".join(f"`{one}`" for one in said.fields), said.means, said.remedy)
            for name, said in events.items()
        ]
        table = _table(("Event", "Level", "Fields", "What it means", "What to do"), rows)
        sections.append(f"## {title}\n\n{table}")
    return _page("The log: every line", _ABOUT_LOG, *sections)


def conformance_page() -> str:
    """What the description of the interface promises, with the tests that show it."""
    return _page("Conformance", conformance.page())


def corpus_page_of_files() -> str:
    """The files that feeds are tested with."""
    introduction, sections = corpus_page.page()
    return _page("Files of plants: examples, settings and events", introduction, *sections)


def language_page() -> str:
    """The model language: its text, with the tables that the engine runs by."""
    text = LANGUAGE.read_text()
    for name, part in _language_parts().items():
        text = text.replace(f"{{{name}}}", part.strip())
    return f"{_MADE}\n\n{text}"


def _language_parts() -> dict[str, str]:
    return {
        "settings": model_reference.render_settings(),
        "cadences": ", ".join(f"`{one}`" for one in CADENCES),
        "partition_types": ", ".join(f"`{one}`" for one in DIMENSIONS),
        "nodes": model_reference.render_nodes(),
        "options": model_reference.render_options(),
        "aggregates": model_reference.render_aggregates(),
        "names": model_reference.render_names(),
        "operators": model_reference.render_operators(),
        "functions": model_reference.render_functions(),
        "matches": model_reference.render_matches(),
        "rounding_modes": model_reference.list_rounding_modes(),
        "limits": model_reference.render_limits(),
    }


def rule_language_page() -> str:
    """The rule language: its text, with the tables that rules are evaluated by."""
    text = RULE_LANGUAGE.read_text()
    parts = {
        "tags": rule_reference.list_tags(),
        "window": rule_reference.render_window(),
        "scopes": rule_reference.render_scopes(),
        "meters": rule_reference.render_meters(),
        "aggregates": rule_reference.render_aggregates(),
        "facts": rule_reference.render_facts(),
        "lookups": rule_reference.render_lookups(),
        "functions": rule_reference.render_functions(),
        "methods": rule_reference.render_methods(),
        "filling_fields": rule_reference.render_filling_fields(),
        "tier_functions": rule_reference.render_tier_functions(),
    }
    for name, part in parts.items():
        text = text.replace(f"| {{{name}}} |", f"| {part} |").replace(f"\n{{{name}}}\n", f"\n{part}")
    return f"{_MADE}\n\n{text}"


def limits() -> list[Limit]:
    """The public constants of the code whose names end in `_MAX`, by module."""
    return [limit for path in sorted(SOURCE.rglob("*.py")) for limit in _limits_of(path)]


def _limits_of(path: Path) -> Iterator[Limit]:
    module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    body = ast.parse(path.read_text()).body
    for statement, following in zip(body, [*body[1:], None], strict=True):
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                if name.endswith("_MAX") and not name.startswith("_"):
                    yield Limit(module, name, _doc(following) or _spoken(name))


def _doc(statement: ast.stmt | None) -> str:
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return " ".join(text.split())
    return ""


def _spoken(name: str) -> str:
    return f"{name.removesuffix('_MAX').replace('_', ' ').capitalize()}, at most."


def _page(title: str, introduction: str, *sections: str) -> str:
    return "\n\n".join((_MADE, f"# {title}", introduction, *sections)) + "\n"


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
