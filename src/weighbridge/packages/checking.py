"""Whether the parts of a package fit one another, prove themselves, and say where their numbers come from.

Every model is checked with the event types and ledgers of the package, every rule with the event types, and
their cases are computed. A number has a source: constants, static inputs, tables, rules and formulas with
numbers in them name a document of `sources.yaml` by its key, then a section that was taken from it, such as
`cfr-98-c, table C-1`.

Invariants: a package without flaws can be installed in an empty project; flaws are listed by file, then from
top to bottom.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from weighbridge.collection.event_types_schema import problems_of_data_point_types, problems_of_event_type
from weighbridge.collection.records.data_points import EventType
from weighbridge.core.engine import CaseResult, run_cases
from weighbridge.core.expression.tree import Number, walk
from weighbridge.core.identity import make_slug
from weighbridge.core.ledger.drawing import describe_circle, find_circle
from weighbridge.core.model import (
    Constant,
    DocumentFlaw,
    Formula,
    Input,
    Model,
    ModelError,
    Surroundings,
    parse_model,
)
from weighbridge.core.model.definition import Node, SourceMark
from weighbridge.core.number import CONTEXT, shorten
from weighbridge.core.unit import Unit, UnitError, are_compatible, parse_unit
from weighbridge.modelling.documents import (
    build_data_point_type,
    list_source_ledgers,
    read_model,
    read_source,
)
from weighbridge.packages.contents import EVENT_TYPES, MANIFEST, MODELS_FOLDER, PAGE, RULES, SOURCES
from weighbridge.packages.reading import (
    Package,
    PackageFlaw,
    PlacedPart,
    SourceDocument,
    place_flaws,
    place_problem,
    plain_record,
)
from weighbridge.packages.rule_checking import RuleReport, build_event_type, check_package_rule
from weighbridge.packages.samples import check_samples
from weighbridge.reporting.submission.ledgers import check_roles

_OF_FORM: Final = frozenset({Decimal(0), Decimal(1)})
"""Numbers of formulas that need no source: `1 - moisture` is arithmetic."""

_ANOTHER: Final = Decimal("1.1")
"""By how much a constant is changed to see whether a case notices."""


@dataclass(frozen=True, slots=True)
class PackageReport:
    """What a look at a package found."""

    package: Package
    models: Mapping[str, Model]
    """Those that can run, by name of their file."""
    cases: Mapping[str, tuple[CaseResult, ...]]
    rules: tuple[RuleReport, ...]
    flaws: tuple[PackageFlaw, ...]


def check_package(package: Package, required: Sequence[Package] = ()) -> PackageReport:
    """Find all flaws of a package, those of reading included.

    Its models and rules may name parts of the packages that it requires. Where one of these is not there,
    what it might bring counts as known.
    """
    flaws = [*package.flaws, *_check_event_types(package), *_check_page(package)]
    surroundings = _build_surroundings(package, required)
    models: dict[str, Model] = {}
    cases: dict[str, tuple[CaseResult, ...]] = {}
    for name, text in package.models.items():
        file = f"{MODELS_FOLDER}/{name}.yaml"
        try:
            models[name] = read_model(text, surroundings)
        except ModelError as error:
            flaws += place_flaws(file, error.flaws)
            continue
        cases[name] = tuple(run_cases(models[name]))
        found = [
            *_check_cases(package, cases[name]),
            *_check_coverage(models[name], cases[name]),
            *_check_sources(package, name, models[name]),
        ]
        flaws += place_flaws(file, found)
    flaws += _check_ledgers(package, models, required)
    flaws += _check_reuse(package, models)
    flaws += _check_static_inputs(package)
    rules = tuple(_check_rules(package, required))
    for report in rules:
        flaws += place_flaws(report.part.file, report.flaws)
    flaws += _check_rule_names(package, required)
    flaws += _check_methodologies(package)
    flaws += _check_documents(package, models, rules)
    flaws += check_samples(package.samples, [part.record for part in package.event_types])
    return PackageReport(package, models, cases, rules, tuple(sorted(set(flaws))))


def _check_event_types(package: Package) -> Iterator[PackageFlaw]:
    seen: set[str] = set()
    for part in package.event_types:
        event_type: EventType = part.record
        problems = (
            *problems_of_event_type(event_type),
            *problems_of_data_point_types(event_type.data_point_types),
        )
        yield from place_flaws(part.file, [place_problem(part.source, problem) for problem in problems])
        slug = _name_event_type(event_type)
        if slug in seen:
            yield _flaw(part, f"The event type {slug!r} is there twice.")
        seen.add(slug)


def _check_reuse(package: Package, models: Mapping[str, Model]) -> Iterator[PackageFlaw]:
    """Event types whose events feed two models, which generation refuses unless they are reusable.

    Inputs with a condition are passed over: two models may take different events of a type.
    """
    readers: dict[str, list[str]] = {}
    for name, model in models.items():
        bodies = (node.body for node in model.nodes)
        read = {body.event_type for body in bodies if isinstance(body, Input) and body.where is None}
        for slug in read:
            readers.setdefault(slug, []).append(name)
    for part in package.event_types:
        names = readers.get(_name_event_type(part.record), [])
        if len(names) > 1 and not part.record.reusable_in_batches:
            yield _flaw(
                part,
                f"The models {', '.join(sorted(names))} read the same events, of which each feeds one; set"
                " reusable_in_batches where counting them twice is meant.",
            )


def _check_rules(package: Package, required: Sequence[Package]) -> Iterator[RuleReport]:
    """What is found of the rules; a rule, and a case of one, say where they come from.

    Without the packages that this one requires a rule may be about events that nothing here describes, and
    is only asked for its source.
    """
    event_types = [
        build_event_type(
            _name_event_type(part.record),
            part.record,
            [
                (point.slug or make_slug(point.name), point.value_type)
                for point in part.record.data_point_types
            ],
        )
        for one in (*required, package)
        for part in one.event_types
    ]
    has_all = _has_all(package, required)
    for part in package.rules:
        named = part.record.event_type_id
        meant = [one for one in event_types if named in {None, one.slug}]
        report = check_package_rule(part, meant) if has_all and meant else RuleReport(part, (), ())
        flaws = [*report.flaws]
        if not _names_source(package, part.extra.get("source")):
            sentence = f"The source of the rule {part.record.name!r} {_say_no_source(package)}"
            given = part.source.get("source")
            flaws.append(DocumentFlaw(sentence, part.source.mark if given is None else given.mark))
        flaws += [
            DocumentFlaw(f"The source of the case {one.case.name!r} {_say_no_source(package)}", one.case.mark)
            for one in report.results
            if not _names_source(package, one.case.source)
        ]
        yield replace(report, flaws=tuple(flaws))


def _check_page(package: Package) -> Iterator[PackageFlaw]:
    if not package.page.strip() and not any(flaw.file == PAGE for flaw in package.flaws):
        sentence = "The page is empty; it says for people what is measured how often and what is not covered."
        yield PackageFlaw(PAGE, 1, 1, sentence)


def _name_event_type(event_type: EventType) -> str:
    return event_type.slug or make_slug(event_type.name)


def _has_all(package: Package, required: Sequence[Package]) -> bool:
    """Whether all packages are there that a package requires."""
    if package.manifest is None:
        return False
    there = {one.manifest.name for one in required if one.manifest is not None}
    return package.manifest.requires.keys() <= there


def _build_surroundings(package: Package, required: Sequence[Package]) -> Surroundings:
    """What the models of a package may name."""
    points = [
        (_name_event_type(part.record), point)
        for one in (*required, package)
        for part in one.event_types
        for point in part.record.data_point_types
    ]
    data_points = {
        (event_type, point.slug or make_slug(point.name)): build_data_point_type(point.value_type, point.unit)
        for event_type, point in points
        if point.unit is None or _is_unit(point.unit)
    }
    is_readable = len(data_points) == len(points) and not any(
        flaw.file == EVENT_TYPES for flaw in package.flaws
    )
    has_all = is_readable and _has_all(package, required)
    outputs = {name: unit for one in (*required, package) for name, unit in _list_outputs(one).items()}
    return Surroundings(data_points, is_final=has_all, attributes=outputs)


def _list_outputs(package: Package) -> dict[tuple[str, str], Unit]:
    """The units of the outputs of the package's ledgers, by ledger and node."""
    readable = {name: _read_alone(text) for name, text in package.models.items()}
    return {
        (part.record.name, node.slug): node.unit
        for part in package.ledgers
        if (model := readable.get(part.extra.get("model", ""))) is not None
        for node in model.outputs
    }


def _read_alone(text: str) -> Model | None:
    try:
        return parse_model(read_source(text))[0]
    except ModelError:
        return None


def _is_unit(text: str | None) -> bool:
    try:
        parse_unit(text or "")
    except UnitError:
        return False
    return True


def _check_cases(package: Package, results: tuple[CaseResult, ...]) -> Iterator[DocumentFlaw]:
    """Cases that fail, and a model that does not prove itself on an example of its source."""
    for result in results:
        mark = result.case.mark
        if result.error is not None:
            yield DocumentFlaw(f"The case {result.case.name!r} cannot be computed: {result.error}", mark)
        for comparison in result.comparisons:
            if not comparison.is_met:
                yield DocumentFlaw(
                    f"The case {result.case.name!r} expects {comparison.expected} of {comparison.slug}, which"
                    f" comes to {comparison.actual}.",
                    mark,
                )
        if not _names_source(package, result.case.source):
            yield DocumentFlaw(f"The source of the case {result.case.name!r} {_say_no_source(package)}", mark)
    if not results:
        yield DocumentFlaw("The model has no case; a package proves its models on examples.", SourceMark())


def _check_coverage(model: Model, results: tuple[CaseResult, ...]) -> Iterator[DocumentFlaw]:
    """Constants that no case would notice to be wrong by a tenth, so that nothing proves their copy."""
    if not results or not all(result.is_passed for result in results):
        return
    for node in model.nodes:
        if isinstance(node.body, Constant) and _is_free(model, node, node.body.value):
            yield DocumentFlaw(
                f"No case depends on {node.slug}: with another constant all cases come to the same, so a slip"
                " in it would not be found.",
                node.mark,
            )


def _is_free(model: Model, changed: Node, value: Decimal) -> bool:
    """Whether all cases pass when a constant is another."""
    other = Constant(CONTEXT.multiply(value, _ANOTHER) if value else Decimal(1))
    nodes = tuple(replace(node, body=other) if node is changed else node for node in model.nodes)
    return all(result.is_passed for result in run_cases(replace(model, nodes=nodes)))


def _check_sources(package: Package, name: str, model: Model) -> Iterator[DocumentFlaw]:
    """Numbers of a model without a source."""
    for node in model.nodes:
        if _has_numbers(node) and (problem := _find_source_problem(package, node.source)):
            yield DocumentFlaw(f"{node.slug} has a number, and its source {problem}", node.mark)
    taken = {table for source in package.sources for part in source.taken for table in part.tables}
    for table in model.tables:
        if f"{name}.{table}" not in taken:
            yield DocumentFlaw(
                f"The table {table} has no source: name it as {name}.{table} in the tables of a part that"
                f" {SOURCES} lists.",
                SourceMark(),
            )


def _has_numbers(node: Node) -> bool:
    match node.body:
        case Constant():
            return True
        case Formula(tree=tree):
            return any(isinstance(part, Number) and part.value not in _OF_FORM for part in walk(tree))
    return False


def _say_no_source(package: Package) -> str:
    keys = ", ".join(sorted({source.key for source in package.sources})) or "none yet"
    return f"names no document of {SOURCES}; it begins with a key and the place, and keys are: {keys}."


def _names_source(package: Package, text: str | None) -> bool:
    return _find_source(package, text) is not None


def _find_source(package: Package, text: str | None) -> SourceDocument | None:
    """The document whose key a text begins with."""
    key = (text or "").split(",", 1)[0].strip()
    return next((source for source in package.sources if source.key == key), None)


def _find_source_problem(package: Package, text: str | None) -> str | None:
    """What is wrong with the source of a number: no document, or a place that nothing was taken from."""
    source = _find_source(package, text)
    if source is None:
        return _say_no_source(package)
    place = (text or "").partition(",")[2].strip()
    if any(f"{place},".startswith(f"{part.section},") for part in source.taken):
        return None
    listed = "; ".join(part.section for part in source.taken)
    return (
        f"names {shorten(place)!r} of {source.key}, from which {SOURCES} says nothing was taken; it begins"
        f" with one of: {listed}."
    )


def _check_ledgers(
    package: Package, models: Mapping[str, Model], required: Sequence[Package]
) -> Iterator[PackageFlaw]:
    names: set[str] = set()
    others = {part.record.name for one in required for part in one.ledgers}
    draws: dict[str, list[str]] = {}
    for part in package.ledgers:
        ledger, named = part.record, part.extra.get("model")
        if ledger.name in names:
            yield _flaw(part, f"The ledger {ledger.name!r} is there twice.")
        names.add(ledger.name)
        if named is None or named not in package.models:
            known = ", ".join(sorted(package.models)) or "none"
            yield _flaw(
                part, f"The ledger {ledger.name!r} has the model {named!r}; it must be one of {known}."
            )
        elif (model := models.get(named)) is not None:
            draws[ledger.name] = sorted(list_source_ledgers(model))
            yield from _check_ledger_unit(part, model)
    for part in package.ledgers:
        for source in draws.get(part.record.name, ()):
            if source not in names | others and _has_all(package, required):
                yield _flaw(part, f"{part.record.name!r} draws from {source!r}, which is no ledger here.")
    if circle := find_circle(sorted(draws), draws):
        yield _flaw(package.ledgers[0], f"Ledgers draw in a circle: {describe_circle(circle)}.")


def _check_ledger_unit(part: PlacedPart, model: Model) -> Iterator[PackageFlaw]:
    ledger = part.record
    output = ledger.output or model.primary_output
    if output not in {node.slug for node in model.outputs}:
        yield _flaw(part, f"The ledger {ledger.name!r} keeps {output!r}, which is no output of its model.")
    elif not _is_unit(ledger.unit):
        yield _flaw(part, f"The unit of the ledger {ledger.name!r} is {ledger.unit!r}, which is no unit.")
    elif not are_compatible(parse_unit(ledger.unit or ""), model.node(output).unit):
        yield _flaw(
            part,
            f"The ledger {ledger.name!r} is in {ledger.unit!r}, to which {output} does not convert: it is in"
            f" {model.node(output).unit}.",
        )


def _check_static_inputs(package: Package) -> Iterator[PackageFlaw]:
    for part in package.static_inputs:
        slug = part.record.slug
        if problem := _find_source_problem(package, part.extra.get("source")):
            yield _flaw(part, f"The source of the static input {slug!r} {problem}")


def _check_rule_names(package: Package, required: Sequence[Package]) -> Iterator[PackageFlaw]:
    """Rules that name an event type or a model by what it is called, for ids are given later."""
    slugs = {_name_event_type(part.record) for one in (*required, package) for part in one.event_types}
    for part in package.rules:
        rule = part.record
        if rule.event_type_id is not None and rule.event_type_id not in slugs and _has_all(package, required):
            known = ", ".join(sorted(slugs)) or "none"
            yield _flaw_at(
                part,
                "event_type_id",
                f"The rule {rule.name!r} names the event type {rule.event_type_id!r}; it must be the slug of"
                f" one of {known}.",
            )
        if rule.model_id is not None and rule.model_id not in package.models:
            known = ", ".join(sorted(package.models)) or "none"
            sentence = f"The rule {rule.name!r} names the model {rule.model_id!r}; it must be one of {known}."
            yield _flaw_at(part, "model_id", sentence)
        if rule.asset_id is not None:
            yield _flaw(part, f"The rule {rule.name!r} names an asset, and a package brings none.")


def _check_methodologies(package: Package) -> Iterator[PackageFlaw]:
    for part in package.methodologies:
        for problem in check_roles(part.record.ledgers):
            yield _flaw(part, f"The methodology: {problem.message}")
        body = plain_record(part)
        named = body.get("model_ids") or []
        for name in named if isinstance(named, list) else ():
            if name not in package.models:
                known = ", ".join(sorted(package.models)) or "none"
                yield _flaw(part, f"The methodology names the model {name!r}; it must be one of {known}.")
        for field in ("model_versions", "registry_id"):
            if body.get(field):
                yield _flaw(part, f"{field} names what a package does not have; leave it out.")


def _check_documents(
    package: Package, models: Mapping[str, Model], rules: Sequence[RuleReport]
) -> Iterator[PackageFlaw]:
    """Sources that nothing is taken from, and tables that are none."""
    used = {
        (text or "").split(",", 1)[0].strip()
        for text in (
            *(node.source for model in models.values() for node in model.nodes),
            *(case.source for model in models.values() for case in model.cases),
            *(part.extra.get("source") for part in (*package.static_inputs, *package.rules)),
            *(one.case.source for report in rules for one in report.results),
        )
    }
    tables = {f"{name}.{table}" for name, model in models.items() for table in model.tables}
    is_complete = len(models) == len(package.models)
    for source in package.sources:
        named = {table for part in source.taken for table in part.tables}
        if is_complete and source.key not in used and not named:
            yield PackageFlaw(SOURCES, 1, 1, f"Nothing names the source {source.key!r}.")
        for table in sorted(named - tables) if is_complete else ():
            yield PackageFlaw(SOURCES, 1, 1, f"{source.key!r} lists the table {table!r}, which no model has.")
    if package.manifest is not None and not package.models and not package.rules:
        sentence = f"The package has neither a model in {MODELS_FOLDER} nor a rule in {RULES}."
        yield PackageFlaw(MANIFEST, 1, 1, sentence)


def _flaw_at(part: PlacedPart, key: str, message: str) -> PackageFlaw:
    """A flaw of one key of a part."""
    mark = getattr(part.source.get(key), "mark", part.source.mark)
    return PackageFlaw(part.file, mark.line, mark.column, message)


def _flaw(part: PlacedPart, message: str) -> PackageFlaw:
    return PackageFlaw(part.file, part.source.mark.line, part.source.mark.column, message)
