"""Rules: conditions on records and their windows, read, checked, and evaluated in one pass.

In come the texts of a rule, its window, and the vocabulary of the records that it is for; then the records,
in order. Out go problems, or a program; then findings: the records that the rule is true for, with what its
correction comes to.

    rule, problems = read_rule("{{mass}} > (3 * avg({{mass}}))", {"kind": "rolling", "members": 10})
    problems = check_rule(rule, Vocabulary("delivery", {"mass": PLAIN}))
    evaluation = Evaluation(program_of(rule), zone)
    findings = [*evaluation.take(records), *evaluation.finish()]

To read a rule: `definition` defines it with its window, its records and its correction, `functions` what it
may call, `reading` reads and checks it.

To evaluate it: `evaluation` is the pass; `functions` has the aggregates over a window.

To fill gaps of a meter's series: the package `substitution`.

What becomes of what was found: `states` has results, proposals and runs, each a table of states and moves.
"""

from weighbridge.core.rule.definition import (
    TAGS,
    Calendar,
    MemberScope,
    Record,
    Rolling,
    Rule,
    RuleTarget,
    Vocabulary,
    Window,
    WindowMeters,
    choose_default_meters,
    find_affected,
    reach,
    read_window,
    write_window,
)
from weighbridge.core.rule.evaluation import Evaluation, Finding, RuleProgram, compile_rule
from weighbridge.core.rule.functions import LANGUAGE
from weighbridge.core.rule.reading import check_correction, check_rule, read_rule

__all__ = [
    "LANGUAGE",
    "TAGS",
    "Calendar",
    "Evaluation",
    "Finding",
    "MemberScope",
    "Record",
    "Rolling",
    "Rule",
    "RuleProgram",
    "RuleTarget",
    "Vocabulary",
    "Window",
    "WindowMeters",
    "check_correction",
    "check_rule",
    "choose_default_meters",
    "compile_rule",
    "find_affected",
    "reach",
    "read_rule",
    "read_window",
    "write_window",
]
